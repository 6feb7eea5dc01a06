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
cls = 先頭のトークン
sep = [SEP]
special = その他の特殊トークン
punctuation = 句読点
sep_to_sep = [SEP] から [SEP] へ
relative_entropy = エントロピー、全行
cls_entropy = エントロピー、読み出しトークンの行
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
largest_at = 最大値が先頭のトークンにある割合
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
score_change_harm = 失われる成績（ポイント）
loss_change_harm = 増える損失（ナット）
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
runs_first = 先頭のトークンへの平均の重み
runs_any = 最も強いキーへの平均の重み
runs_sep = {"["}SEP] への割合
runs_entropy = エントロピー（最終層）
runs_without = 不均一なヘッドの割合

## Alternative texts of figures

alt_families = 層ごとの積み上げ棒グラフ。規則で分けた各型のマップの割合を、モデルの状態ごとに示す。
alt_attended = 層ごとの折れ線グラフ。先頭のトークン、[SEP]、その他の特殊トークン、句読点への注意の割合、[SEP] から [SEP] への割合、直前、自分自身、直後のトークンへの割合、ln n で割ったエントロピー。
alt_quality = クラスタ数に対する折れ線グラフ。歪み（クラスタのないデータの値とともに）、シルエット係数、カリンスキー・ハラバシュ指標、安定性を、k 平均法と凝集型クラスタリングについて示す。
alt_plane = 実験 { $shown } の注意マップを点として、上段は PCA、下段は UMAP の平面に置いた図。左はクラスタ、右は型で色分けする。
alt_by_head = 実験 { $shown } の層とヘッドのヒートマップ。クラスタとモデルの状態ごとに一枚。ヘッドのマップのうちそのクラスタに属するものの割合を示す。
alt_distances = 実験 { $shown } のヘッドを点として、注意の似たものが近くなるように平面に置いた図。モデルの状態ごとに一枚。上段は層、下段は型で色分けする。
alt_ablation = 層とヘッドのヒートマップ。課題のある実験ごとに一列。ヘッドを無効にしたときに失われる成績（上段）と増える損失（下段）。点は、ヘッドの数について補正した区間が 0 を含まないヘッドを示す。
alt_atlas = 実験 { $experiment } の小さな注意マップを層とヘッドに並べた表。モデルの状態ごとに一つ。各ヘッドの平均のマップを、その型の色の枠で囲む。
alt_typical = 実験 { $experiment } の注意マップのうち、左は各クラスタ、右は各型の中心に最も近いもの。一枚は大きく、余白があればテキストのトークンを添え、二枚は小さく、いずれも層とヘッドを記す。
alt_sinks = 層ごとの折れ線グラフ。先頭のトークンへの重みと、最も大きいキーへの重み（クエリとヘッドの平均）。
alt_massive = 層ごとの折れ線グラフ。層の出力と最後の層正規化の前の和について、活性値の絶対値の最大値、それを中央値で割ったもの、最大値が先頭のトークンにあるテキストの割合。

## Sentences of the notebook

heads_normalizing = { $outcome ->
    [all] 今回のモデルは
   *[some] 今回のモデルのうち { $models } は、
}残差接続のたびに正規化する
heads_moved = { $moved ->
    [0] ファインチューニングによって型が変わるヘッドはない
   *[other] ファインチューニングした全モデルの { $heads } 個のヘッドのうち、{ $moved } 個は型が変わる。不均一から縦縞へ移るヘッドは { $there } 個、逆は { $back } 個である
}
heads_reclustered = { $most ->
    [0] マップの大半が以前とは別のクラスタに入るヘッドはない
   *[other] マップの大半が以前とは別のクラスタに入るヘッドは、モデルあたり { $reclustered } 個である
}

## Published claims

A1_statement = SQuAD 2.0 での評価が出力した全体の値は、二つの部分の値から導かれる。
A1_published = { $questions_total } 問で完全一致 { $exact_total }、F1 { $f1_total }
A1_rule = 部分の値を質問数で重み付けした平均が、出力された全体の値と浮動小数の精度で一致する

A13_statement = 注意マップは 1800 万枚であり、七つの主成分が保つ分散は 30% に満たない。
A13_published = { $maps } 枚、{ $below } 未満
A13_rule = ウィンドウの数とヘッドの数の積が 1800 万台であり、列挙された割合の和が報告された上限に満たない

B16_statement = 注意の半分以上を直前のトークンに向けるヘッド、直後のトークンに向けるヘッドがある。
B16_published = { $heads } 個中それぞれ { $previous } 個と { $next } 個
B16_rule = 直前・直後のどちらについても、そうなるヘッドが少なくとも一つある。すなわち、ヘッドの数について補正した、テキストについての区間の全体が 50% を超える

B17_statement = 中ほどの層では注意の半分以上が [SEP] に向かい、[SEP] 自身の注意はほとんどが [SEP] に向かう。
B17_published = 12 層中の第 { $sep_layers_0 }〜{ $sep_layers_1 } 層で { $sep } 超、[SEP] 自身は { $sep_to_sep } 超
B17_rule = 同じ深さの各層での注意の割合（ヘッドの平均）が、[SEP] に向かうもので { $most }、[SEP] どうしで { $nearly_all } を超える（値は本レポートによる）。[CLS] に向かう割合を併記する

B22_statement = 注意マップの 1/3 から半数以上は不均一な型である。
B22_published = 課題により { $share_0 }〜{ $share_1 }（学習したマップの分類器による）
B22_rule = どの型のパターンももたないマップの割合が、報告された範囲にある。注意の半分以上を占めるものをパターンとみなす（本レポートの設定）

B23_statement = ヘッドを一つ無効にしても性能が下がることは少なく、上がることもある。
B23_published = 最大 { $gain } の上昇
B23_rule = ヘッドの数について補正した区間で成績が下がるヘッドが { $rarely } に満たず、上がるヘッドがその 25% 以上ある。一つのテキストの重みが、報告された最大の上昇を超えないこと

B24_statement = 注意マップの特徴についての k 平均法には、肘が現れない。
B24_published = 歪みは k = { $k_0 } で { $distortion_0 }、k = { $k_1 } で { $distortion_1 }
B24_rule = 歪みの曲線の最も鋭い曲がりが、互いによく離れたクラスタで超える { $sharp } を下回る。クラスタのないデータに対する p 値を併記する

B29_statement = アテンションシンクは小さなモデルにも現れる。クエリによらず先頭のトークン（エンコーダーでは [CLS]）に大きな重みを与えるヘッドがある。
B29_published = 調べたすべてのモデルで報告された。シンクは、平均の重みが { $sink } を超えるキーである
B29_rule = 先頭のトークンを参照できるクエリについて平均した重みが、一様な注意の場合を { $sink } より大きく上回るヘッドの割合が 5%（本レポートの設定）以上である。八トークンを読むデコーダーでは、はじめのほうのクエリが参照できるトークンが少ないため、一様な注意だけで報告の基準に達してしまう

conditions_clark = Wikipedia の 1,000 区間での BERT-base
conditions_squad_maps = SQuAD 2.0 での BERT-base（ResNet-50 でマップを特徴化）
conditions_gu = Pile のテキストでの自己回帰言語モデル
needs_squad_gpu = GPU での profiles/squad-bert-base.yaml
needs_gu = ハブの GPT-2 と、Pile のテキストのファイル
case_questions = 質問数
case_windows_heads = ウィンドウの数とヘッドの数の積
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
means_family_share = その型に属する注意マップの割合
B38_statement = 中ほどの層では、テキスト中で最大の活性値は先頭のトークンにある。
B38_published = 調べたすべてのモデルで報告された（ここでは向きだけを採る）
B38_rule = 中ほどの層で、最大の座標が先頭のトークン（エンコーダーでは [CLS]）にあるテキストの割合が { $most }（本レポートの設定）を超える。テキストが必ず特殊トークンで始まるモデルだけで調べる

## Columns of the downloads

column_text = モデルが読むテキスト
