chapter_heads = ヘッド

## Words of figures and tables

vertical = 縦縞
diagonal = 対角
vertical-plus-diagonal = 縦縞と対角
block = ブロック
heterogeneous = 不均一
broad = 広い注意（報告のしきい値）
broad_relative = 広い注意（長さに応じたしきい値）
previous = 直前のトークン
self = 自分自身
next = 直後のトークン
cls = [CLS]
sep = [SEP]
special = その他の特殊トークン
punctuation = 句読点
sep_to_sep = [SEP] から [SEP] へ
relative_entropy = エントロピー、全行
cls_entropy = エントロピー、[CLS] の行
to_tokens = トークンへの割合
to_positions = 位置ごとの割合
from_sep = [SEP] の注意の割合
share_of_maps = マップの割合
heads = ヘッド数
before = 前
after = 後
family = 型
sink = キーへの平均の重み
first = 先頭のトークン
any = 最も強いキー
layer_output = 層の出力
before_norm = 最後の層正規化の前
largest = 最大値
largest_over_median = 最大値と中央値の比
largest_at = 最大値が [CLS] にある割合
kmeans = k 平均法
agglomerative = 凝集型（Ward 法）
k = クラスタ数 k
distortion = 歪み
silhouette = シルエット係数
calinski_harabasz =
    カリンスキー・
    ハラバシュ
stability = 安定性（ARI）
reference = クラスタのないデータ（平均）
elbow = 偶然を超える曲がり
cluster = クラスタ
by_cluster = { $plane }、クラスタ別
by_family = { $plane }、型別
by_layer = { $plane }、層別
share_of_head = ヘッドのマップに占める割合
class_layer = 層
class_head = ヘッド
class_text = テキスト
ari = ARI：{ $agreement }
distances = 距離
silhouette_at = シルエット係数（k = { $k }）
stability_at = 安定性（k = { $k }）
hdbscan = HDBSCAN：クラスタ数
unassigned = 未割り当て
components = 第 7 主成分まで
read = テキスト（モデルの入力）
group = 群
score_change = 成績の変化（ポイント）
loss_change = 損失の変化
beyond = 補正後の区間が 0 を含まない
texts = テキスト数
baseline_score = 成績（%）
baseline_loss = 損失
hurt_score = 成績が下がる
help_score = 成績が上がる
hurt_loss = 損失が増える
help_loss = 損失が減る
worst = 最も悪い変化
best = 最も良い変化
no_head = 該当なし
seen = 検出できる損失の変化の下限（ヘッドの中央値）
unseen = 成績の変化を見逃しうるテキストの割合

## Alternative texts of figures

alt_families = 層ごとの積み上げ棒グラフ。規則で分けた各型のマップの割合を、実験とモデルの状態ごとに示す。
alt_attended = 層ごとの折れ線グラフ。実験ごとに一列。[CLS]、[SEP]、その他の特殊トークン、句読点への注意の割合、[SEP] から [SEP] への割合、直前、自分自身、直後のトークンへの割合、ln n で割ったエントロピー。
alt_quality = クラスタ数に対する折れ線グラフ。実験ごとに一列。歪み（クラスタのないデータの値とともに）、シルエット係数、カリンスキー・ハラバシュ指標、安定性を、k 平均法と凝集型クラスタリングについて示す。
alt_plane = 実験 { $shown } の注意マップを点として、上段は PCA、下段は UMAP の平面に置いた図。左はクラスタ、右は型で色分けする。
alt_by_head = 実験 { $shown } の層とヘッドのヒートマップ。クラスタとモデルの状態ごとに一枚。ヘッドのマップのうちそのクラスタに属するものの割合を示す。
alt_distances = 実験 { $shown } のヘッドを点として、注意の似たものが近くなるように平面に置いた図。モデルの状態ごとに一枚。上段は層、下段は型で色分けする。
alt_ablation = 層とヘッドのヒートマップ。課題のある実験ごとに一列。ヘッドを無効にしたときの成績（上段）と損失（下段）の変化。点は、ヘッドの数について補正した区間が 0 を含まないヘッドを示す。
alt_atlas = 実験 { $experiment } の小さな注意マップを層とヘッドに並べた表。モデルの状態ごとに一つ。各ヘッドの平均のマップを、その型の色の枠で囲む。
alt_typical = 実験 { $experiment } の注意マップのうち、左は各クラスタ、右は各型の中心に最も近いもの。一枚は大きく、余白があればテキストのトークンを添え、二枚は小さく、いずれも層とヘッドを記す。
alt_sinks = 層ごとの折れ線グラフ。実験ごとに一列。先頭のトークンへの重みと、最も大きいキーへの重み（クエリとヘッドの平均）。
alt_massive = 層ごとの折れ線グラフ。実験ごとに一列。層の出力と最後の層正規化の前の和について、活性値の絶対値の最大値、それを中央値で割ったもの、最大値が [CLS] にあるテキストの割合。

## Findings

heads_families = { $largest ->
    [vertical] { $in_every_state }最も多い型は縦縞であり、マップに占める割合の中央値は { $vertical } である。不均一なマップは { $heterogeneous } である
    [heterogeneous] { $in_every_state }最も多い型は不均一であり、マップに占める割合の中央値は { $heterogeneous } である。縦縞のマップは { $vertical } である
    [none] 型に分けたマップはない
   *[depends] マップに占める割合の中央値は、縦縞が { $vertical }、不均一が { $heterogeneous } である。どの型が最も多いかは、実験とファインチューニングの有無によって異なる
 }
heads_heterogeneous = { $outcome ->
    [holds] ファインチューニング後は、マップのうち中央値で { $share } が不均一であり、しきい値によらず、BERT-base についての報告値の範囲に収まる
    [partly] ファインチューニング後は、マップの { $share_range } が不均一であり、BERT-base についての報告値の範囲に収まるかどうかは、しきい値と実験による
    [fails] ファインチューニング後は、マップのうち中央値で { $share } が不均一であり、BERT-base についての報告値の範囲から外れる
    [open] ファインチューニング後は、マップのうち中央値で { $share } が不均一である。BERT-base についての報告値の範囲に収まるかどうかは、今回のテキストからは判断できない
   *[not_tested] 不均一なマップの割合が、ファインチューニング後のモデルについて報告された範囲にあるかどうかは、{ $why }ため検証していない
 }
heads_sink = { $most ->
    [cls] { $in_every_state }特殊トークンの中で最も多くの注意を集めるのは [CLS] である。注意全体に占める割合の中央値は、[CLS] が { $cls }、[SEP] が { $sep } である
    [sep] { $in_every_state }特殊トークンの中で最も多くの注意を集めるのは [SEP] である。注意全体に占める割合の中央値は、[SEP] が { $sep }、[CLS] が { $cls } である
    [close] { $in_every_state }特に多くの注意を集める特殊トークンはない。注意全体に占める割合の中央値は、[CLS] が { $cls }、[SEP] が { $sep } である
    [none] 今回の実行には、特殊トークンを使うモデルがない
   *[other] 注意全体に占める割合の中央値は、[CLS] が { $cls }、[SEP] が { $sep } である。どの特殊トークンが最も多くの注意を集めるかは、モデルの状態によって異なる
 }。{ $outcome ->
    [holds] BERT-base の中ほどの層について報告された [SEP] への集中は、ここでも見られる
    [partly] BERT-base の中ほどの層について報告された [SEP] への集中は、ここでは一部でのみ見られる
    [fails] BERT-base の中ほどの層について報告された [SEP] への集中は、ここでは見られない
    [open] BERT-base の中ほどの層について報告された [SEP] への集中があるかどうかは、今回のテキストからは判断できない
   *[not_tested] BERT-base の中ほどの層について報告された [SEP] への集中は、{ $why }ため検証していない
 }
heads_sinks = { $outcome ->
    [holds] 今回のモデルにもシンクは現れる。先頭のトークンは { $first } のヘッドでシンクである。いずれかのキーがシンクであるヘッドは { $any } を占める
    [partly] シンクは一部の実験で現れる。先頭のトークンは { $first } のヘッドでシンクである。いずれかのキーがシンクであるヘッドは { $any } を占める
    [fails] 先頭のトークンがシンクであるヘッドはほとんどない（{ $first }）。いずれかのキーがシンクであるヘッドは { $any } を占める
    [open] 今回のモデルにシンクが現れるかどうかは決まらない。先頭のトークンは { $first } のヘッドでシンクである。いずれかのキーがシンクであるヘッドは { $any } を占める
   *[not_tested] ここでもシンクが現れるかどうかは、{ $why }ため検証していない
}
heads_massive = { $massive ->
    [holds] 今回のモデルの層の出力にも、そのような値がある。最大の活性値は { $largest }、中央値との比は最大で { $ratio } 倍である
    [partly] 今回のモデルの層の出力にも、一部の状態でそのような値がある。最大の活性値は { $largest }、中央値との比は最大で { $ratio } 倍である
    [fails] 今回のモデルの層の出力に、そのような値はない。最大の活性値は { $largest }、中央値との比は最大で { $ratio } 倍である
    [open] 今回のモデルの層の出力に、そのような値があるかどうかは決まらない。最大の活性値は { $largest }、中央値との比は最大で { $ratio } 倍である
   *[not_tested] 今回のモデルの層の出力に巨大な活性値があるかどうかは検証していない
}{ $before_norm ->
    [holds] 。層の最後の正規化の前にはそのような値があり、大きさは最大で { $sum }、比は最大で { $sum_ratio } 倍である
    [partly] 。層の最後の正規化の前には、一部の状態でそのような値があり、大きさは最大で { $sum }、比は最大で { $sum_ratio } 倍である
    [fails] 。層の最後の正規化の前では、大きさは最大で { $sum }、比は最大で { $sum_ratio } 倍になるが、両方の条件を満たす成分はない
    [open] 。層の最後の正規化の前にそのような値があるかどうかは決まらない（大きさは最大で { $sum }、比は最大で { $sum_ratio } 倍）
   *[not_tested] {""}
}{ $at_cls ->
    [holds] 。層の出力の最大値が [CLS] にある割合は { $cls_range } である
    [partly] 。層の出力の最大値の多くが [CLS] にあるのは、一部のモデルの状態である（中央値は { $cls }）
    [fails] 。層の出力の最大値が [CLS] にあるのは、半分に満たない（{ $cls }）
    [open] 。層の出力の最大値の多くが [CLS] にあるかどうかは決まらない（{ $cls }）
   *[not_tested] {""}
}
heads_sep_self = { $outcome ->
    [holds] 報告どおり、[SEP] の注意の大半は [SEP] 自身に向かう（中央値で { $share }）
    [partly] [SEP] の注意のうち [SEP] 自身に向かうのは中央値で { $share } であり（{ $share_range }）、半分を超えるのは一部のモデルの状態に限られる
    [fails] [SEP] の注意のうち [SEP] 自身に向かうのは { $share } にすぎない。報告値は 90% を超える
    [open] [SEP] の注意のうち [SEP] 自身に向かうのは中央値で { $share } である。半分を超えるかどうかは、今回のテキストからは判断できない
   *[not_tested] [SEP] の注意が向かう先は、{ $why }ため検証していない
 }
heads_neighbours = { $outcome ->
    [not_tested] 隣接トークンに注意を向けるヘッドの割合は、{ $why }ため検証していない
   *[other] 注意の半分超を直前のトークンに向けるヘッドは全体の { $previous }、直後のトークンに向けるヘッドは { $next } である
 }{ $outcome ->
    [holds] 。これは BERT-base についての報告に沿う
    [partly] 。これは BERT-base についての報告に部分的に沿う
    [fails] 。これは BERT-base についての報告値よりはるかに少ない
    [open] 。ヘッドがこれほど少ないモデルでは、BERT-base について報告された数 % という割合と異なるかどうかを判断できない
   *[not_tested] { "" }
 }
heads_uniform = { $outcome ->
    [holds] 最終層の個々のヘッドはほぼ一様である。ヘッドごとのエントロピーの平均は最大値の { $all } 倍、[CLS] の行では { $cls } 倍である
    [partly] 最終層の個々のヘッドがほぼ一様なのは、一部のモデルの状態に限られる。ヘッドごとのエントロピーの平均は最大値の { $all_range } 倍である
    [fails] 最終層の個々のヘッドは一様とはいえない。ヘッドごとのエントロピーの平均は最大値の { $all } 倍、[CLS] の行では { $cls } 倍である
    [open] 最終層のヘッドごとのエントロピーの平均は、最大値の { $all } 倍である。ほぼ一様といえるかどうかは、今回のテキストからは判断できない
   *[not_tested] 最終層のヘッドがどれだけ一様かは、{ $why }ため検証していない
 }
heads_elbow = { $outcome ->
    [holds] マップの歪みの曲線に鋭い曲がりはない（最大 { $bend_high }、互いによく離れたクラスタでは 0.2 以上）。したがって、クラスタの数を読み取れる肘はない
    [partly] マップの歪みの曲線が、互いによく離れたクラスタと同じほど鋭く（0.2 以上）曲がるのは、一部の実験だけである
    [fails] マップの歪みの曲線は、互いによく離れたクラスタと同じほど鋭く曲がる（{ $bend }）
    [open] マップの歪みの曲線に肘があるかどうかは決まらない
   *[not_tested] 歪みの曲線に肘があるかどうかは、{ $why }ため検証していない
 }
heads_gap = { $outcome ->
    [holds] 別の基準であるギャップ統計量によれば、クラスタがある（{ $k_range } 個）。二つの基準は一致しない
    [partly] 別の基準であるギャップ統計量は、一部の実験では { $k_high } 個のクラスタを示し、ほかの実験ではクラスタがないことを示す。前者では二つの基準が一致しない
    [fails] 別の基準であるギャップ統計量も、クラスタがないこと（k = 1）を示す
    [not_tested] 別の基準であるギャップ統計量は、{ $why }ため検証していない
   *[other] 別の基準であるギャップ統計量では、クラスタの数が定まらない
 }
heads_quality = { $tight ->
    [holds] 図に示すクラスタのシルエット係数は { $silhouette } であり、まとまりとみなす慣例の目安 0.25 を上回る
    [partly] 図に示すクラスタのシルエット係数の中央値は { $silhouette } であり、まとまりとみなす慣例の目安 0.25 を上回るのは一部の実験に限られる
    [fails] 図に示すクラスタのシルエット係数は { $silhouette } であり、まとまりとみなす慣例の目安 0.25 に届かない
   *[other] クラスタのシルエット係数は測っていない
 }{ $stable ->
    [holds] 。5 個に分けたクラスタは別の標本でも再現する（ARI { $stability }）
    [partly] 。5 個に分けたクラスタが別の標本でも再現するかどうかは、実験によって異なる（ARI { $stability_range }）
    [fails] 。5 個に分けたクラスタは別の標本では安定して再現しない（ARI { $stability }）
   *[other] { "" }
 }
heads_classes = クラスタとの ARI の中央値は、層について { $layer }、ヘッドについて { $head } である。ただし、二つの値の大小は比べられない。ヘッドの数はクラスタの数よりずっと多いので、同じヘッドのマップがすべて一つのクラスタに入っていても、ヘッドとの ARI は低い
heads_components = { $outcome ->
    [holds] 示された割合の和は、そのとおり 30% に満たない
    [not_tested] 示された割合の和は求めていない
   *[other] しかし、示された割合の和は { $listed } である
 }{ $here ->
    [holds] 。今回のマップを画像として扱った場合も、30% に満たない（{ $ours }）
    [partly] 。今回のマップを画像として扱うと、30% に満たないのは一部の実験に限られる（{ $ours_range }）
    [fails] 。今回のマップを画像として扱うと、七つの主成分が占める割合は { $ours } である
   *[other] { "" }
 }
heads_distances = { $most ->
    [main] この距離だけでヘッドを分けた群は、{ $in_every_experiment }層（ARI { $layer }、ランダムなら 0）よりもマップのクラスタ（{ $cluster }）に近い
    [layer] この距離だけでヘッドを分けた群は、{ $in_every_experiment }マップのクラスタ（ARI { $cluster }、ランダムなら 0）よりも層（{ $layer }）に近い
    [close] この距離だけでヘッドを分けた群は、{ $in_every_experiment }マップのクラスタ（ARI { $cluster }、ランダムなら 0）と層（{ $layer }）に同じ程度に近い
    [none] この距離によるヘッドの群は求めていない
   *[depends] この距離だけでヘッドを分けた群の ARI の中央値は、マップのクラスタについて { $cluster }、層について { $layer } である。どちらによく対応するかは、実験によって異なる
 }
heads_moved = { $moved ->
    [0] ファインチューニングによって型が変わるヘッドはない
   *[other] ファインチューニングした全モデルの { $heads } 個のヘッドのうち、{ $moved } 個は型が変わる。不均一から縦縞へ移るものは { $there } 個、縦縞から不均一へ移るものは { $back } 個である
}
heads_reclustered = { $most ->
    [0] マップの大半が以前とは別のクラスタに入るヘッドはない
   *[other] マップの大半が以前とは別のクラスタに入るヘッドは、モデルあたり { $reclustered } 個である
}
heads_loss = { $outcome ->
    [holds] 単独で重要なヘッドは多い。一つ無効にしたときに損失が 0.01 ナットを超えて増えることを確認できたヘッドは、中央値で全体の { $matters } である
    [partly] 単独で重要なヘッドの割合は、実験によって異なる。一つ無効にしたときに損失が 0.01 ナットを超えて増えることを確認できたヘッドは、全体の { $matters_range } である
    [fails] 単独で重要なヘッドは少ない。一つ無効にしたときに損失が 0.01 ナットを超えて増えることを確認できたヘッドの割合は { $matters_range } である
    [open] 一つ無効にしたときに損失が 0.01 ナットを超えて増えることを確認できたヘッドの割合は { $matters_range } である。増えるかどうかを判断できないヘッドも残るので、実際の割合はこれより高い可能性がある
   *[not_tested] 単独で重要なヘッドが多いかどうかは、{ $why }ため検証していない
 }
heads_spared = { $outcome ->
    [holds] 大半のヘッド（中央値で { $spares }）については、0.01 ナットを超える増加がないことを確認できる
    [partly] 大半のヘッドについて 0.01 ナットを超える増加がないことを確認できるのは、一部の実験に限られる（全体の { $spares_range }）
    [fails] 0.01 ナットを超える増加がないことを確認できるヘッドは半数に満たない（中央値で { $spares }）
    [open] 0.01 ナットを超える増加がないことを確認できるヘッドは中央値で { $spares } であり、残りについてはどちらとも判断できない
   *[not_tested] 大半のヘッドを無効にしても損失が増えないといえるかどうかも検証していない
 }
heads_rises = { $outcome ->
    [not_tested] 0.001 ナットを超える損失の増加が多くのヘッドで見られるかどうかは、{ $why }ため検証していない
   *[other] 0.001 ナットを超える程度の小さい増加まで数えると、確認できたヘッドの割合は { $rises_range } になる
 }
heads_score = { $outcome ->
    [holds] 成績そのものの変化は報告どおりである。一つのヘッドを無効にして下がることは少なく、上がることもある
    [partly] 成績そのものの変化は、部分的に報告どおりである。下がるヘッドの割合は { $falls_range } である
    [fails] 成績そのものの変化は、報告と異なる。下がるヘッドは中央値で全体の { $falls } である
    [open] 成績そのものについては、検証の解像度が足りない。低下が確認できたヘッドの割合は { $falls_range } であるが、報告された大きさの変化があっても検出できない
   *[not_tested] 成績の変化が報告どおりかどうかは、{ $why }ため検証していない
 }
heads_totals = { $outcome ->
    [holds] 答えのある質問とない質問の成績を質問数で重み付き平均すると、報告された全体の値に最後の桁まで一致する
    [not_tested] 報告された全体の値は計算し直していない
   *[other] 答えのある質問とない質問の成績を質問数で重み付き平均しても、報告された全体の値にはならない
 }

## Published claims

A1_statement = SQuAD 2.0 での評価が出力した全体の値は、二つの部分の値から導かれる。
A1_published = { $questions_total } 問で完全一致 { $exact_total }、F1 { $f1_total }
A1_rule = 部分の値を質問数で重み付けした平均が、出力された全体の値と浮動小数の精度で一致する

A13_statement = 注意マップは 1800 万枚であり、七つの主成分が保つ分散は 30% に満たない。
A13_published = { $maps } 枚、{ $below } 未満
A13_rule = 窓の数とヘッドの数の積が 1800 万台であり、列挙された割合の和が報告された上限に満たない

B16_statement = 注意の半分以上を直前のトークンに向けるヘッド、直後のトークンに向けるヘッドがある。
B16_published = { $heads } 個中それぞれ { $previous } 個と { $next } 個
B16_rule = テキストの平均でそうなるヘッドの割合が、直前・直後のどちらについても、報告された割合の 25% 以上である。区間はヘッドを標本とみなして求める

B17_statement = 中ほどの層では注意の半分以上が [SEP] に向かい、[SEP] 自身の注意はほとんどが [SEP] に向かう。
B17_published = 12 層中の第 { $sep_layers_0 }〜{ $sep_layers_1 } 層で { $sep } 超、[SEP] 自身は { $sep_to_sep } 超
B17_rule = 同じ深さの各層での注意の割合（ヘッドの平均）が、[SEP] に向かうもので { $most }、[SEP] どうしで { $nearly_all } を超える（値は本レポートによる）。[CLS] に向かう割合を併記する

B22_statement = 注意マップの 1/3 から半数以上は不均一な型である。
B22_published = 課題により { $share_0 }〜{ $share_1 }（学習したマップの分類器による）
B22_rule = どの型のパターンも持たないマップの割合が、報告された範囲にある。パターンとみなすしきい値が注意の半分、40%、60% のそれぞれで判定する

B23_statement = ヘッドを一つ無効にしても性能が下がることは少なく、上がることもある。
B23_published = 最大 { $gain } の上昇
B23_rule = ヘッドの数について補正した区間で成績が下がるヘッドが { $rarely } に満たず、上がるヘッドがその 25% 以上ある。一つのテキストの重みが、報告された最大の上昇を超えないこと

B24_statement = 注意マップの特徴についての k 平均法には、肘が現れない。
B24_published = 歪みは k = { $k_0 } で { $distortion_0 }、k = { $k_1 } で { $distortion_1 }
B24_rule = 歪みの曲線の最も鋭い曲がりが、互いによく離れたクラスタで超える { $sharp } を下回る。クラスタのないデータに対する p 値を併記する

B29_statement = アテンションシンクは小さなモデルにも現れる。クエリによらず先頭のトークンに大きな重みを与えるヘッドがある。
B29_published = 調べたすべてのモデルで報告された。シンクは、平均の重みが { $sink } を超えるキーである
B29_rule = 先頭のトークンを参照できるクエリについて平均した重みが { $sink } を超えるヘッドの割合が 5%（本レポートの設定）以上である

conditions_clark = Wikipedia の 1,000 区間での BERT-base
conditions_squad_maps = SQuAD 2.0 での BERT-base（ResNet-50 でマップを特徴化）
conditions_gu = Pile のテキストでの自己回帰言語モデル
needs_squad_gpu = GPU での profiles/squad-bert-base.yaml
needs_gu = ハブの GPT-2 と、Pile のテキストのファイル
case_questions = 質問数
case_windows_heads = 窓の数とヘッドの数の積
case_listed_shares = 列挙された割合の和
case_previous = 直前のトークン
case_next = 直後のトークン
case_to_sep = {"["}SEP] へ
case_sep_to_sep = {"["}SEP] から [SEP] へ
case_to_cls = {"["}CLS] へ
case_falls = 無効にすると成績が下がるヘッドの割合
case_rises = 無効にすると成績が上がるヘッドの割合
case_bend = 最も鋭い曲がり
case_chance = 最も鋭い曲がりの p 値
case_stricter = しきい値 60%
case_looser = しきい値 40%
case_half = しきい値 50%
means_family_share = その型に属する注意マップの割合
