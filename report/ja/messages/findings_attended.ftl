attended_neighbours = { $outcome ->
    [none] 注意の半分を超えて直前または直後のトークンに向けるヘッドはない
   *[some] モデルのもつ { $total } 個のヘッドのうち、注意の半分を超えて直前のトークンに向けるものは { $previous } 個、直後のトークンに向けるものは { $following } 個である
 }。BERT-base では { $published_heads } 個のうちそれぞれ { $published_previous } 個と { $published_next } 個と報告されている

attended_sink = { $outcome ->
    [everywhere] 最も多くの注意を集める特殊トークンは、{ $named }
   *[depends] 最も多くの注意を集める特殊トークンは、モデルの状態によって異なる。{ $states } 通りのモデルの状態のうち、{ $named }である
 }。{ $half ->
    [none] 半分を超える層はない
    [all] どのモデルの状態でも半分を超える層がある（{ $layers }）
   *[some] { $states } 通りのモデルの状態のうち { $reaching } 通りで半分を超える層がある（{ $layers }）
 }。BERT-base では第 { $published_first }–{ $published_last } 層で半分を超える注意が [SEP] に向かうと報告されている
attended_sink_of = { $outcome ->
    [all] どのモデルの状態でも { $kind } であり、一つの層で最大 { $peak } に達する
   *[some] { $states } 通りでは { $kind }（一つの層で最大 { $peak }）
 }
attended_layers = 第 { $layers } 層

attended_no_sep = ここには [SEP] をもつモデルがない
attended_sep_self = [SEP] が [SEP] に向ける注意は、層の平均で { $means }、最も高い層で { $peaks } である。{ $outcome ->
    [none] 報告された { $published } 超にはどの層も達しない
    [all] 報告された { $published } 超に、どのモデルの状態でもいずれかの層で達する
   *[some] 報告された { $published } 超にいずれかの層で達するのは、{ $states } 通りのモデルの状態のうち { $reached } 通りである
 }

attended_uniform = { $outcome ->
    [all] 最終層の注意は、どのモデルの状態でもほぼ一様である
    [none] 最終層の注意は、どのモデルの状態でもほぼ一様とはいえない
   *[some] 最終層の注意がほぼ一様といえるのは、{ $states } 通りのモデルの状態のうち { $flat } 通りである
 }。ln n で割ったエントロピーは第 1 層で { $first }、最終層で { $last }、[CLS] の行ではそれぞれ { $cls_first } と { $cls_last } である（1 が一様、{ $uniform } 以上を「ほぼ一様」とした。BERT-base の最終層の [CLS] では { $published } ナットと報告されている）{ $broadest ->
    [last] { "" }
   *[others] 。最終層がつねに最も広いわけでもない
 }
