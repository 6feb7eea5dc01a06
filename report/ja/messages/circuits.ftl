chapter_circuits = 正解のわかる回路

## Words of figures and tables

uniform = 一様（ベースライン）
symbols = 記号に一様（ベースライン）
identity = 恒等（ベースライン）
rollout_measured = ロールアウト（実測の残差）
flow_measured = フロー（実測の残差）
expected_gradients = 期待勾配
barrier_flow = フロー（対数障壁）
left_out_unknown = 除去そのもの（[UNK]）
circuit_previous = 複写
circuit_uniform = 平均
circuit_relay = 中継
circuit_silent_sink = 空のシンク
circuit_cancelling_heads = 打ち消すヘッド
circuit_lookup = 照合
circuit_two_hops = 二段の参照
circuit_loud_sink = 長いシンク
circuit_cancelling_layers = 打ち消す層
circuit_key_alone = キーのみ
circuit_erasing_network = 消去する FF
circuit_unread = 読まれない複写
circuit_rescaling = 縮める正規化
circuit_and = 論理積
circuit_or = 論理和
circuit_redundant = 冗長
circuit = 回路
does = はたらき
layers_heads = 層 × ヘッド
depends = 依存先の数
others = 混合度合い
carried = ベクトルで運ぶ
yes = はい
no = いいえ
provenance_roc_auc = 運ぶもの：ROC-AUC（%、100：何かを運ぶトークンがすべて上位）
effect_roc_auc = 全影響：ROC-AUC（%、100：依存先のトークンがすべて上位）
effect_mixing_error = 全影響：ほかのトークンの割合の正しさ（100 から誤差を引いたもの、100：正解と一致）
bars = { $same ->
    [yes] 図の手法はいずれも、表すはずのものを同じ数の回路で捉える（{ $most_of } 個中 { $most_found } 個）
   *[no] 図の手法のうち、表すはずのものを最も多くの回路で捉えるのは{ $most }（{ $most_of } 個中 { $most_found } 個）、最も少ないのは{ $fewest }（{ $fewest_of } 個中 { $fewest_found } 個）である
}
circuits = 回路の数
bar_found = { $of } 個中 { $found } 個
better_baseline = モデルを見ないベースラインの最高
bars_provenance = トークンの由来：手法が捉えた回路の数
bars_effect = 全影響：手法が捉えた回路の数
unexpected_hit = 予想に反して捉えた
unexpected_miss = 予想に反して捉えなかった
truth = 正解
by_layer = 捉える手法：層
by_model = 捉える手法：モデル
why = 誤らせるしくみ
found_provenance = 運ぶもの：捉える数
found_effect = 全影響：捉える数
found_keys = キーとしての影響：捉える数
amount_provenance = 混合度合いの誤差（運ぶもの）
amount_effect = 混合度合いの誤差（全影響）
brought = 何かを運ぶもの
keys = キーとして働くもの
found_of = { $of } 個中 { $found } 個（{ $nearly }）
none = なし
all = すべて
all_but = すべて（例外：{ $names }）
measured_on = { $through ->
    [layer] { $name }（一つの層）
   *[model] { $name }（モデル全体）
}
expectation = 予想
outcome = ROC-AUC
was_expected = 捉える
was_not_expected = 捉えない
reason = 予想が外れた理由
on_circuits = 回路
on_evidence = 仕込んだ根拠
on_changed = 変えた語
circuits_amount = 混合度合いの誤差（回路）
models_amount = 混合度合いの誤差（学習したモデル）
circuits_order = 順位相関（回路）
models_order = 順位相関（学習したモデル）
circuits_found = ROC-AUC（回路）
retrieval_found = ROC-AUC（検索）
copying_found = ROC-AUC（複写）
retrieval_order = 順位相関（検索）
copying_order = 順位相関（複写）
question = 問い
asked_of = 試す回路
answered_by = すべてに合格する手法
closest = 備考
closest_baseline = { $all ->
    [yes] モデルを見ないベースラインも合格する（{ $of } 個中 { $passed } 個）
   *[no] モデルを見ないベースライン（{ $of } 個中 { $passed } 個に合格）を上回る手法はない
}
closest_measures = 最も多くに合格する手法は{ $measures }（{ $of } 個中 { $passed } 個、ベースラインは { $baseline } 個）
share = 割合
at_weight = 比 ≤ { $weight }
gained = 緩やかなときだけ
lost = 飽和時だけ
by_one = 一つのトークンだけによる
by_two = 二つのトークンがともに
by_more = 三つ以上がともに
only_together = 同時に替えたときだけ影響する対（記号ごとの数）
true_total = 正解：全影響
found_of_mean = { $of } 個中 { $found } 個（{ $mean }）
on_short = ROC-AUC（%）：六つの記号
on_longer = 長いテキスト
without_gains = 運ぶものの混合度合いの誤差：ゲインなし
with_gains = ゲインあり：平均（最小～最大）
mean_and_ends = { $mean }（{ $smallest }～{ $largest }）
count_model = { $count } 個のモデル
count_basis = { $count } 通りの基底

## Sentences of the notebook

named_circuit = 「{ $name }」
lead = 正解がわかるように重みを手で定めた小さなトランスフォーマー（回路）{ $circuits } 個の{ $all_provenance ->
    [yes] すべて
   *[no] うち { $most_provenance } 個
}で、予測に何かを運ぶトークンを正しく順位づけた手法がある（{ $best_provenance }）。モデルを見ないベースラインでは { $baseline_provenance } 個で正しい。予測の依存先のすべてを正しく順位づけた回路は、最も多い手法（{ $best_effect }）で { $most_effect } 個、ベースラインで { $baseline_effect } 個である
blind = { $n ->
    [0] どの回路でも、予測の依存先のすべてを正しく順位づける手法が一つはある
   *[other] { $names }では、予測の依存先のすべてを正しく順位づけた手法はない
}
layer = 単一の層で、何かを運ぶトークンを正しく順位づけた回路は、最も多い手法（{ $best_provenance }）で { $circuits } 個中 { $most_provenance } 個、ベースラインで { $baseline_provenance } 個である
layer_blind = { $n ->
    [0] どの回路でも、層の依存先のすべてを正しく順位づける手法が一つはある
   *[other] { $names }では、層の依存先のすべてを正しく順位づけた手法はない
}
amount = { $through ->
    [layer] 単一の層
   *[model] モデル全体
}では、誤差の平均は最小で { $error }（{ $measure }）、すべてを自分自身に割り当てるベースラインで { $identity } である
amount_lengths = このとき{ $through ->
    [layer] 単一の層
   *[model] モデル全体
}では、誤差の平均は最小で { $error }（{ $measure }）、すべてを自分自身に割り当てるベースラインで { $identity } である。誤差が { $within } 以下の回路は、最も多い手法（{ $by }）で { $of } 個中 { $most } 個、このベースラインで { $own } 個である
amount_raw = 生の注意重みの誤差は、単一の層で { $error } である
basis = 基底を変えても、スコアの変化は最大 { $others } にとどまる。ただし ALTI とそれを用いる手法では最大 { $coordinates } 変わる。ALTI は座標の絶対値を足し合わせるので、基底の取り方に左右される
placement = { $n ->
    [0] 依存を捉えるかどうかは、どの手法と回路の組でも正規化の位置によらない
   *[other] 手法と回路の { $of } 組のうち { $n } 組では、正規化の位置の一方でだけ依存を捉える
}
beginning = { $n ->
    [0] 先頭を除いても、判定できる { $of } 組の結果はどれも変わらない
   *[other] 先頭を除くと、判定できる { $of } 組のうち { $n } 組の結果が変わる。いずれも{ $names }の結果である
}
saturation = 手法と回路の { $of } 組のうち、依存を注意が緩やかなときにだけ捉えるのは { $gained } 組であり、飽和しているときにだけ捉える{ $lost ->
    [0] 組はない
   *[other] のは { $lost } 組である
}
begins_to_find = { $measure }（比 { $weight } から、{ $before } 個が最大 { $most } 個に）
graded = { $n ->
    [0] 全影響を表すはずの手法で、注意を緩やかにするとこの { $of } 個の回路をより多く捉えるものはない
   *[other] 注意を緩やかにすると、この { $of } 個の回路のうち捉える数が増える手法がある（{ $begun }）
}{ $m ->
    [0] {""}
   *[other] 。どの段階でも一つも捉えない手法もある（{ $none }）
}
longer = { $likeness ->
    [same] { $n } 個の手法の順序はおおむね変わらない（スピアマンの順位相関 { $correlation }）
   *[other] 六つの記号での順序との順位相関は { $correlation } である（手法 { $n } 個、スピアマン）
}
norm_gains = { $through ->
    [layer] 単一の層では、三つの手法の誤差の開きは平均 { $apart } になる（ゲインがなければ { $plain }）
   *[model] モデル全体では、開きは { $apart } である（ゲインがなければ { $plain }）
}。誤差が最小になることが最も多い手法（{ $nearest }）では、回路とゲインの { $of } 組のうち { $n } 組で最小になる
norm_gains_both = { $layer }。{ $model }
orders = { $names }では、その { $low } から { $high } が二つのトークンによってともに引き起こされ、それぞれの影響の和では表せない。上の回路でこの割合が最も大きいのは{ $circuit }（{ $most }）である
pairs = 一つずつ替えたときは、どちらのトークンにも影響がない。全影響に占める割合は、二つ合わせて { $low } から { $high } である。手法と回路の { $of } 組のうち { $none } 組は二つに何も割り当てず、{ $above } 組はすべての記号に等しく割り当てたとき（{ $symbols }）よりも多く割り当てる
variants = 積分勾配が依存を捉える回路は、経路の始点がパディングのとき { $of } 個中 { $padding } 個、ほかのテキストのとき（期待勾配）{ $others } 個である
wrong = { $n ->
    [0] { $of } 件の予想はすべて当たった
   *[other] { $of } 件の予想のうち { $n } 件が外れた
}
orders_evidence = { $likeness ->
    [alike] 回路での手法の順序は、仕込んだ根拠による順序とある程度までしか一致しない（スピアマンの順位相関 { $correlation }、手法 { $n } 個）
   *[other] 回路での手法の順序と仕込んだ根拠による順序との順位相関は { $correlation } である（スピアマン、手法 { $n } 個）
}。順位が最も大きく変わる手法（{ $measure }）は、{ $here } 位から { $there } 位になる
orders_changed = { $likeness ->
    [unrelated] 変えた語による順序とはほとんど関係がない（{ $correlation }）
   *[other] 変えた語による順序との順位相関は { $correlation } である
}。ここで順位が最も大きく変わる手法（{ $measure }）は、{ $here } 位から { $there } 位になる
beside_amount = { $likeness ->
    [alike] 混合度合いの誤差による順序は、学習したモデルと回路とである程度までしか一致しない（スピアマンの順位相関 { $correlation }、ベースラインを含む { $n } 個）
   *[other] 混合度合いの誤差による順序の、学習したモデルと回路との順位相関は { $correlation } である（スピアマン、ベースラインを含む { $n } 個）
}{ $lost ->
    [0] {""}
   *[other] 。学習したモデルで順位を最も下げるのは{ $measure }で、{ $here } 位から { $there } 位になる
}
beside_order = { $likeness ->
    [alike] 順位相関による順序も、ある程度までしか一致しない（{ $n } 個について { $correlation }）
   *[other] 順位相関による順序どうしの順位相関は { $correlation } である（{ $n } 個）
}{ $lost ->
    [0] {""}
   *[other] 。順位を最も下げるのは{ $measure }で、{ $here } 位から { $there } 位になる
}
models_nearest = 学習したモデルで測定した混合度合いに最も近い手法（{ $measure }）の誤差は { $error }、{ $baseline }の誤差は { $baseline_error } である
learned_found = ROC-AUC による { $n } 個の手法の回路での順序と、学習したモデルでの順序との順位相関（スピアマン）は、検索で { $retrieval_correlation }、複写で { $copying_correlation } である。同じ課題を別のシードで学習したモデルの間では { $seeds } 以上になる
learned_order = 全影響との順位相関で並べた場合の、回路での順序との順位相関は、検索で { $retrieval_correlation }、複写で { $copying_correlation } である。シードの間では { $seeds } 以上になる
learned_brought = 運ぶものとの順位相関で並べた場合は、検索で { $retrieval_correlation }、複写で { $copying_correlation } である。シードの間では { $seeds } 以上になる
learned_identity = すべてを自分自身に割り当てるベースラインは、全影響との順位相関で、回路では { $n } 個の手法のうち { $circuits } 個を上回る。検索を学習したモデルで上回る手法は { $retrieval } 個、複写では { $copying } 個である

## Alternative texts of figures

alt_found = モデル全体についての六つの手法が、表すはずのものを捉えた回路の数を示す棒グラフ。上はトークンの由来、下は全影響で、破線はベースラインの最高を示す。
alt_model = 回路を行、モデル全体についての手法を列とする三枚のマップ。上は、何かを運ぶトークンを、中は、依存先のトークンを、そうでないトークンより上位に置く程度（ROC-AUC）。下は、ほかのトークンの割合が正解に近い程度。予想に反した結果は枠で示す。
alt_layer = 一つの層についての手法の、同じ三枚のマップ。
alt_example = いくつかの回路に一つのテキストを入力したときのマップ。行がクエリ、列がトークン。左端は正解の依存、その右は各手法とベースラインの割合。
alt_orders = 手法を縦に並べた図。左は回路での ROC-AUC の平均の順、右は学習したモデルでの順（仕込んだ根拠、変えた語）。同じ手法を線で結ぶ。

## Columns of the downloads

column_through = 依存を問う範囲（layer は一つの層、model は記号からロジットまで）
column_circuit = 回路（ライブラリでの名前）
column_measure = 手法（ライブラリでの名前）
column_score = 尺度。roc_auc はすべてのトークンの中で依存先を上位に置く程度、roc_auc_symbols は先頭を除いたもの、average_precision は平均適合率、total_variation と rank_correlation は正解の割合との隔たりと順位相関、mixing_error はほかのトークンの割合の誤差、mixing_error_lengths は標準偏差の割合を正解としたときの誤差
column_mean = テキスト、基底、正規化の位置、層にわたる平均
column_low = テキストの再標本化による、平均の区間の下端
column_high = 平均の区間の上端
column_smallest = テキスト、基底、正規化の位置ごとの値の最小
column_largest = テキスト、基底、正規化の位置ごとの値の最大
column_texts = 値の定まるテキストの数
column_expected = 依存を捉えると予想したか（予想しなかったものは空欄）
column_finds = 依存を捉えるか
column_gain = ヘッドのスコアの倍率（大きいほど注意が飽和する）
column_plain = 元の回路での、回路とテキストについての平均（ゲインについては運ぶものの混合度合いの誤差、長いテキストについては ROC-AUC）
column_varied = 変えた回路での同じ平均（ゲインについては、さらに抽選についての平均）
column_one = ロジットの分散のうちほかのトークンが関わる部分に占める、一つのトークンだけによるものの割合。記号とテキストについての平均（そのような部分がないときは空欄）
column_two = 二つのトークンがともに引き起こし、それぞれの和では表せないものの割合
column_more = 三つ以上のトークンがともに引き起こすものの割合
column_pairs = 同時に替えたときだけ記号のロジットを変える、二つのトークンの組の数
column_share = 同時に替えたときだけ影響する二つのトークンの割合（measure が truth のものは、全影響に占める割合）
column_value = 全影響についての ROC-AUC の平均（テキスト、基底、正規化の位置はどの倍率でも同じ）
column_found = その手法が問うものを捉える回路の数
column_nearly = ROC-AUC の基準を、同順位だけでも届くように緩めたときの、捉える回路の数
column_of = 捉えるべきもののある回路の数
column_amount = ほかのトークンの割合の誤差の、回路についての平均
column_order = 正解の割合との順位相関（スピアマン）の、回路についての平均
column_estimand = 何を問うか。provenance は運ぶもの、effect は全影響、keys はキーとしての影響
column_meant = その手法が表すはずのものか。ベースラインでは空
column_brought = 何かを運ぶトークンの数の、記号、テキスト、正規化の位置についての平均
column_keys = キーとして影響するトークンの数の、記号、テキスト、正規化の位置についての平均
column_question = 問い（コードでの名前）
column_passed = 合格する回路の数
column_circuits = 問いの表では問いを試す回路の数、順序の図では回路についての ROC-AUC の平均
column_evidence = 仕込んだ根拠があるコーパスについての ROC-AUC の平均
column_changed = 変えたときの損失が最大の語を見つける割合の、コーパスについての平均
column_circuits_amount = 記号からロジットまでの、ほかのトークンの割合の誤差の、回路についての平均
column_models_amount = 最後の層での、ほかのトークンの割合の測定値に対する誤差の、実行のモデルについての平均
column_circuits_order = 正解の割合との順位相関の、回路についての平均
column_circuits_found = 全影響についての ROC-AUC の、回路についての平均
column_circuits_brought = 運ぶものの正解の割合との順位相関の、回路についての平均
column_retrieval_found = 全影響についての ROC-AUC の、検索を学習したモデルについての平均
column_retrieval_order = 全影響の割合との順位相関の、同じモデルについての平均
column_retrieval_brought = 運ぶものの割合との順位相関の、同じモデルについての平均
column_copying_found = 全影響についての ROC-AUC の、複写を学習したモデルについての平均
column_copying_order = 全影響の割合との順位相関の、同じモデルについての平均
column_copying_brought = 運ぶものの割合との順位相関の、同じモデルについての平均
column_models_order = 最後の層での、測定した割合との順位相関の、実行のモデルについての平均（手法の順位が定まらないモデルがあるときは空欄）
column_layers = 回路の層の数
column_heads = 一つの層のヘッドの数
column_query = 依存する側のトークンの行（0 から数え、先頭は含まない）
column_query_token = そのトークン
column_key = 依存先のトークンの位置（0 から数える）
column_key_token = そのトークン
column_weight = 依存先の割合（measure が truth のものは正解）
column_network = フィードフォワード層があるか
column_carried = 依存先がすべてベクトルとして運ばれ、読まれるか
column_tokens = 依存先の数の、記号、テキスト、正規化の位置についての平均
column_mixing = ほかのトークンの割合の正解の、記号、テキスト、正規化の位置についての平均

## What circuits do

does_previous = 直前のトークンを複写し、自分自身と並べて保つ
does_uniform = すべての記号に等しく注意を向け、その平均を運ぶ
does_relay = すべてのトークンを先頭に集め、先頭から各トークンに配る
does_silent_sink = バリューが 0 の先頭に注意を向ける。ヘッドは何も運ばない
does_cancelling_heads = 一方のヘッドで直前のトークンを複写し、他方で引く
does_lookup = クエリと同じ文字をもつトークンすべての数字の平均を運ぶ
does_two_hops = クエリと同じ文字をもつトークンの次に来るトークンを示す（帰納ヘッド）
does_loud_sink = 直前のトークンを複写する。別のヘッドが、長い一定のベクトルを先頭から運ぶ
does_cancelling_layers = ある層で直前のトークンを複写し、次の層で引く
does_key_alone = 数字 1 を数える。数字 1 が多いほど、先頭から運ばれるベクトルの重みが減る
does_erasing_network = 直前のトークンを複写し、フィードフォワード層がそれを引く
does_unread = 直前のトークンを、分類器が読まない方向に複写する
does_rescaling = 直前のトークンの数字が 1 のとき長いベクトルを運ぶ。その影響は正規化だけを通る

## Why measures miss them

why_previous = トークン自身のベクトルを残すのは残差接続だけである。残差接続を数えない手法では、自分自身への依存が現れない。
why_uniform = 注意重みはすべて正しい。ALTI は座標の絶対値を足し合わせるので、寄与が小さいと符号が偶然に決まり、負の和は 0 とみなされる。
why_relay = 先頭は集めたものを配るが、先頭自身のベクトルはどのテキストでも同じである。残差接続の割合を残す手法は、そのベクトルにも値を割り当てる。
why_silent_sink = 重みはすべて長さ 0 のベクトルに向かうが、重みからはそれがわからない。残差接続を数えない手法では、丸め誤差として残ったものが割り振られるだけになる。
why_cancelling_heads = 二つのヘッドの重みは足されるが、運ばれるベクトルは打ち消し合う。それを知るには、ベクトルを足してから長さを測り、残差接続と比べる必要がある。残差接続を数えない手法では、丸め誤差が割り振られるだけになる。
why_lookup = 文字の異なるトークンは何も渡さないが、同じ文字であれば渡したはずであり、出力はそのキーに依存する。ベクトルの分解には渡されたものしか現れず、飽和したソフトマックスの傾きは 0 である。
why_two_hops = 照合と同じくキーが決める。ここでは第 1 層が書き込んだキーである。
why_loud_sink = 最も長いベクトルは変化しないので、何もそれに依存しない。それでもノルムは大きな値を割り当てる。
why_cancelling_layers = 層ごとの割合は負にならない。そのため層の積では、引き算がもう一度の複写として数えられる。
why_key_alone = 数える対象のトークンからは何も運ばれない。変わるのは、別のトークンへの重みである。
why_erasing_network = 注意が運んだものは、フィードフォワード層の後には残らない。注意だけを見る手法が正しく示せるのは順位までであり、それも自分自身のベクトルのほうが長い場合に限られる。
why_unread = 複写されたものは残差ストリームに残る。それが読まれないことは、ロジットからたどる手法にしかわからない。ほかの手法は、自分自身のベクトルのほうが長ければ順位だけは正しい。
why_rescaling = 長いベクトル自体は読まれず、読まれるベクトルを縮める。直前のトークンの数字が 0 のときは何も運ばれないが、数字が 1 であれば結果は変わったはずである。

## Why expectations were wrong, by way, circuit and measure

wrong_layer_rescaling_attnres_w = 偶然の一致である。注意重みは、何かが運ばれるかどうかにかかわらず直前のトークンを指す。
wrong_model_relay_gradient_x_input = 先頭についての勾配そのものは 0 ではない。しかし埋め込みが正規化されるので、勾配は埋め込みの方向の成分をもたず、積は 0 になる。
wrong_model_lookup_integrated_gradients = 積分の経路はソフトマックスが飽和していない点から始まるが、パディングからこのテキストに至るだけである。文字の異なるトークンは、経路のどこでもパディングと同じく何も渡さない。別の記号であればどうなったかは、経路に現れない。
wrong_model_two_hops_integrated_gradients = 照合と同じく、一致したはずの記号はパディングからの経路に現れない。
wrong_model_loud_sink_gradient_norm = 長いベクトルは、正規化で割る長さを通じてしか影響しない。一次の近似では、読まれる記号の変化のほうがロジットを大きく動かす。
wrong_model_key_alone_integrated_gradients = 数字 1 は見つかる。数字 0 はパディングと同じく何も加えないので、数字 1 に替われば数が変わるにもかかわらず、パディングからの経路には影響が現れない。
wrong_model_erasing_network_alti_logit = ALTI-Logit は注意が書き込むものをトークンまでたどるが、フィードフォワード層が書き込むものはたどらない。そのため複写だけが現れ、消去は現れない。
unexplained = まだ説明できない

## Questions

question_layer_amount = 一つの層の出力のうち、ほかのトークンが運ぶものは、分散の割合でどれだけか
question_model_amount = すべての層を通した予測のうち、ほかのトークンが運ぶものは、分散の割合でどれだけか
question_layer_source = どのトークンが、一つの層の出力に何かを運ぶか
question_model_source = どのトークンが、予測に何かを運ぶか
question_prediction = しくみを問わず、予測はどのトークンに依存するか
question_effect = 注意が向けられたトークンによって、出力は変わるか
question_survival = 注意が運んだものは、途中で消されたり読まれないままになったりせずに、予測まで届くか
question_keys = キーを通じて、つまり注意の向きを変えることで影響するのはどのトークンか
