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
effect_roc_auc = 影響のすべて：ROC-AUC（%、100：依存先のトークンがすべて上位）
effect_mixing_error = 影響のすべて：ほかのトークンの割合の誤差（%、0：正解と一致）
unexpected_hit = 予想に反して捉えた
unexpected_miss = 予想に反して捉えなかった
truth = 正解
by_layer = 捉える手法：層
by_model = 捉える手法：モデル
why = 誤らせるしくみ
found_provenance = 運ぶもの：捉える数
found_effect = 影響のすべて：捉える数
found_keys = キーとしての影響：捉える数
amount_provenance = 混合度合いの誤差（運ぶもの）
amount_effect = 混合度合いの誤差（影響のすべて）
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
on_pairs = 変えた語
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

lead = トークンがほかのトークンに何を運ぶかを表すはずの手法が、それを正しく捉える回路は、正解のわかる回路（重みを手で定めた小さなトランスフォーマー）{ $circuits } 個のうち最大で { $most_provenance } 個である（{ $best_provenance }）。何も調べないベースラインも { $baseline_provenance } 個で正しい。影響のすべてを表すはずの手法では最大で { $most_effect } 個（{ $best_effect }）、ベースラインでは { $baseline_effect } 個である
blind = { $n ->
    [0] どの回路にも、それを捉える手法が一つはある
   *[other] { $keys ->
        [yes] トークンがキーを通じて、つまり注意の向きを変えることで影響する回路（名前は{ $names }）は、採点したどの手法も捉えない
       *[no] キーが完全に一致するか、まったく一致しないかのとき、採点したどの手法も捉えない回路がある（{ $names }）
    }
}
layer = 一つの層を通してトークンが運ぶものを表すはずの手法が、それを正しく捉える回路は、{ $circuits } 個のうち最大で { $most_provenance } 個である（{ $best_provenance }）。ベースラインでは { $baseline_provenance } 個である
layer_blind = { $n ->
    [0] どの回路にも、それを捉える手法が一つはある
   *[other] どの手法も捉えない回路がある（{ $names }）
}
amount = { $through ->
    [layer] 一つの層
   *[model] モデル全体
}の混合度合いについては、{ $nearer ->
    [yes] 誤差の平均が最も小さい手法（{ $measure }）で { $error } であり、すべてを自分自身に割り当てるベースラインの { $identity } より小さい
   *[no] すべてを自分自身に割り当てるベースライン（誤差の平均 { $identity }）にはっきり勝る手法はない（手法の中で最小の { $measure } で { $error }）
}
amount_lengths = { $through ->
    [layer] このとき、一つの層
   *[model] モデル全体
}では、{ $nearer ->
    [yes] 誤差の平均は最小で { $error }（{ $measure }）になり、すべてを自分自身に割り当てるベースラインでは { $identity } になる。誤差が { $within } 以下の回路は、最も多い手法（{ $by }）で { $of } 個中 { $most } 個、このベースラインで { $own } 個である
   *[no] すべてを自分自身に割り当てるベースライン（誤差の平均 { $identity }）にはっきり勝る手法はない（最も小さい { $measure } で { $error }）
}
amount_raw = 生の注意重みの誤差は、一つの層で { $error } になる
basis = 基底を変えても、スコアの変化は最大 { $others } である。ただし ALTI とそれを使う手法では最大 { $coordinates } 変わる。ALTI は座標の絶対値を足し合わせるので、基底の取り方に左右される
placement = { $n ->
    [0] 依存を捉えるかどうかは、どの手法と回路の組でも、正規化の位置によらない
   *[other] 手法と回路の { $of } 組のうち { $n } 組では、正規化の位置の一方でだけ依存を捉える
}
beginning = { $n ->
    [0] 先頭を除いても、判定できる { $of } 組の結果はどれも変わらない
   *[other] 先頭を除くと、判定できる { $of } 組のうち { $n } 組の結果が変わる（回路は{ $names }）
}
saturation = 手法と回路の { $of } 組のうち、注意が緩やかなときにだけ依存を捉えるのは { $gained } 組である。{ $lost ->
    [0] 飽和しているときにだけ捉える組はない
   *[other] 飽和しているときにだけ捉えるのは { $lost } 組である
}
begins_to_find = { $measure }（比 { $weight } から。飽和時は { $before } 個、緩やかなときは最大 { $most } 個）
graded = { $n ->
    [0] 影響のすべてを表すはずの手法で、注意を緩やかにするとこの { $of } 個の回路をより多く捉えるものはない
   *[other] この { $of } 個の回路を、注意が緩やかなときにだけより多く捉える手法がある（{ $begun }）
}{ $m ->
    [0] {""}
   *[other] 。どの飽和の程度でも一つも捉えない手法もある（{ $none }）
}
longer = 手法の順序は、{ $likeness ->
    [same] おおむね変わらない
    [alike] ある程度保たれる
    [reversed] 逆に近くなる
   *[unrelated] ほとんど保たれない
}（{ $n } 個の手法についてのスピアマンの順位相関：{ $correlation }）。順位が最も大きく変わる手法（{ $measure }）は、{ $here } 位から { $there } 位になる
norm_gains = { $through ->
    [layer] 一つの層では、三つの誤差の差は平均 { $apart }（ゲインがなければ { $plain }）になり、回路と抽選の { $of } 組のうち { $n } 組で { $nearest } の誤差が最も小さい
   *[model] モデル全体では、差は { $apart }（ゲインがなければ { $plain }）で、誤差が最も小さいことが最も多いのは { $nearest }（{ $of } 組のうち { $n } 組）である
}
norm_gains_both = { $layer }。{ $model }
orders = { $names }では、その { $low } から { $high } を二つのトークンがともに引き起こし、それぞれの影響の和では表せない。上の回路で最も大きいのは{ $circuit }（{ $most }）である
pairs = 一つずつ替えたときは、二つのトークンのどちらにも影響がない。全影響に占める割合は、二つ合わせて { $low } から { $high } である。手法と回路の { $of } 組のうち { $none } 組では二つに何も割り当てず、{ $above } 組ではすべての記号に等しく割り当てたとき（{ $symbols }）よりも多く割り当てる
variants = パディングから始まる積分勾配は、{ $of } 個中 { $padding } 個の回路の依存を捉える。ほかのテキストから始まる期待勾配は { $others } 個を捉える
wrong = { $n ->
    [0] { $of } 件の予想はすべて当たった
   *[other] { $of } 件の予想のうち { $n } 件が外れた
}
orders_evidence = { $likeness ->
    [same] 回路での順序と仕込んだ根拠による順序は、おおむね一致する
    [alike] 回路での順序と仕込んだ根拠による順序は、ある程度似ている
    [reversed] 回路での順序と仕込んだ根拠による順序は、逆に近い
   *[unrelated] 回路での順序と仕込んだ根拠による順序には、ほとんど関係がない
}（{ $n } 個の手法についてのスピアマンの順位相関：{ $correlation }）。順位が最も大きく変わる手法（{ $measure }）は、{ $here } 位から { $there } 位になる
orders_pairs = { $likeness ->
    [same] 回路での順序は、変えた語による順序とおおむね一致する
    [alike] 回路での順序は、変えた語による順序とある程度似ている
    [reversed] 回路での順序は、変えた語による順序と逆に近い
   *[unrelated] 回路での順序は、変えた語による順序とほとんど関係がない
}（{ $correlation }）。ここで順位が最も大きく変わる手法（{ $measure }）は、{ $here } 位から { $there } 位になる
beside_amount = { $likeness ->
    [same] 混合度合いの誤差による手法の順序は、学習したモデルと回路でおおむね一致する
    [alike] 混合度合いの誤差による手法の順序は、学習したモデルと回路である程度似ている
    [reversed] 混合度合いの誤差による手法の順序は、学習したモデルと回路で逆に近い
   *[unrelated] 混合度合いの誤差による手法の順序は、学習したモデルと回路でほとんど関係がない
}（ベースラインを含む { $n } 個についてのスピアマンの順位相関：{ $correlation }）。{ $lost ->
    [0] 順位を下げる手法はない
   *[other] 学習したモデルで順位を最も下げるのは{ $measure }で、{ $here } 位から { $there } 位になる
}
beside_order = { $likeness ->
    [same] 順位相関による順序は、おおむね一致する
    [alike] 順位相関による順序は、ある程度似ている
    [reversed] 順位相関による順序は、逆に近い
   *[unrelated] 順位相関による順序には、ほとんど関係がない
}（{ $n } 個について { $correlation }）。{ $lost ->
    [0] 順位を下げる手法はない
   *[other] 順位を最も下げるのは{ $measure }で、{ $here } 位から { $there } 位になる
}
models_nearest = { $nearer ->
    [yes] 学習したモデルの混合度合いに最も近いのは{ $measure }で、誤差は { $error }、{ $baseline }では { $baseline_error } である
   *[no] 学習したモデルでも、混合度合いについてベースラインより明らかに正確な手法はない（誤差は{ $measure }が { $error }、{ $baseline }が { $baseline_error }）
}
learned_found = ROC-AUC による { $n } 個の手法の回路での順序は、{ $retrieval_likeness ->
    [same] 検索を学習したモデルでの順序とおおむね一致し
    [alike] 検索を学習したモデルでの順序とある程度一致し
    [reversed] 検索を学習したモデルでの順序とは逆に近く
   *[unrelated] 検索を学習したモデルでの順序とはほとんど関係がなく
}（{ $retrieval_correlation }）、{ $copying_likeness ->
    [same] 複写を学習したモデルでの順序とおおむね一致する
    [alike] 複写を学習したモデルでの順序とある程度一致する
    [reversed] 複写を学習したモデルでの順序とは逆に近い
   *[unrelated] 複写を学習したモデルでの順序とはほとんど関係がない
}（{ $copying_correlation }）。同じ課題を別のシードで学習したモデルの間では { $seeds } 以上である
learned_order = 順位相関による回路での順序は、{ $retrieval_likeness ->
    [same] 検索を学習したモデルでの順序とおおむね一致し
    [alike] 検索を学習したモデルでの順序とある程度一致し
    [reversed] 検索を学習したモデルでの順序とは逆に近く
   *[unrelated] 検索を学習したモデルでの順序とはほとんど関係がなく
}（{ $retrieval_correlation }）、{ $copying_likeness ->
    [same] 複写を学習したモデルでの順序とおおむね一致する
    [alike] 複写を学習したモデルでの順序とある程度一致する
    [reversed] 複写を学習したモデルでの順序とは逆に近い
   *[unrelated] 複写を学習したモデルでの順序とはほとんど関係がない
}（{ $copying_correlation }）。シードの間では { $seeds } 以上である
learned_brought = 運ぶものについての順位相関による回路での順序は、{ $retrieval_likeness ->
    [same] 検索を学習したモデルでの順序とおおむね一致し
    [alike] 検索を学習したモデルでの順序とある程度一致し
    [reversed] 検索を学習したモデルでの順序とは逆に近く
   *[unrelated] 検索を学習したモデルでの順序とはほとんど関係がなく
}（{ $retrieval_correlation }）、{ $copying_likeness ->
    [same] 複写を学習したモデルでの順序とおおむね一致する
    [alike] 複写を学習したモデルでの順序とある程度一致する
    [reversed] 複写を学習したモデルでの順序とは逆に近い
   *[unrelated] 複写を学習したモデルでの順序とはほとんど関係がない
}（{ $copying_correlation }）。シードの間では { $seeds } 以上である
learned_identity = 影響のすべてについての順位相関で、すべてを自分自身に割り当てるベースラインを下回る手法は、{ $n } 個のうち、回路では { $circuits } 個、検索では { $retrieval } 個、複写では { $copying } 個である

## Alternative texts of figures

alt_model = 回路を行、モデル全体についての手法を列とする三枚のマップ。上は、何かを運ぶトークンを、中は、依存先のトークンを、そうでないトークンより上位に置く程度（ROC-AUC）。下は、ほかのトークンの割合の、正解に対する誤差。予想に反した結果は枠で示す。
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
column_value = 影響のすべてについての ROC-AUC の平均（テキスト、基底、正規化の位置はどの倍率でも同じ）
column_found = その手法が問うものを捉える回路の数
column_nearly = ROC-AUC の基準を、同順位だけでも届くように緩めたときの、捉える回路の数
column_of = 捉えるべきもののある回路の数
column_amount = ほかのトークンの割合の誤差の、回路についての平均
column_order = 正解の割合との順位相関（スピアマン）の、回路についての平均
column_estimand = 何を問うか。provenance は運ぶもの、effect は影響のすべて、keys はキーとしての影響
column_meant = その手法が表すはずのものか。ベースラインでは空
column_brought = 何かを運ぶトークンの数の、記号、テキスト、正規化の位置についての平均
column_keys = キーとして影響するトークンの数の、記号、テキスト、正規化の位置についての平均
column_question = 問い（コードでの名前）
column_passed = 合格する回路の数
column_circuits = 問いの表では問いを試す回路の数、順序の図では回路についての ROC-AUC の平均
column_evidence = 仕込んだ根拠があるコーパスについての ROC-AUC の平均
column_pairs = 変えたときの損失が最大の語を見つける割合の、コーパスについての平均
column_circuits_amount = 記号からロジットまでの、ほかのトークンの割合の誤差の、回路についての平均
column_models_amount = 最後の層での、ほかのトークンの割合の測定値に対する誤差の、実行のモデルについての平均
column_circuits_order = 正解の割合との順位相関の、回路についての平均
column_circuits_found = 影響のすべてについての ROC-AUC の、回路についての平均
column_circuits_brought = 運ぶものの正解の割合との順位相関の、回路についての平均
column_retrieval_found = 影響のすべてについての ROC-AUC の、検索を学習したモデルについての平均
column_retrieval_order = 影響のすべての割合との順位相関の、同じモデルについての平均
column_retrieval_brought = 運ぶものの割合との順位相関の、同じモデルについての平均
column_copying_found = 影響のすべてについての ROC-AUC の、複写を学習したモデルについての平均
column_copying_order = 影響のすべての割合との順位相関の、同じモデルについての平均
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
