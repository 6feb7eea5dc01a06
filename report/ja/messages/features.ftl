chapter_features = 特徴ベクトル

## Words of figures and tables

word = 単語埋め込み
embedding = 埋め込み
context = 文脈ベクトル
attention_output = 注意の出力
attention_block = 注意ブロック
ffn_output = FFN の出力
layer_output = 層の出力
place = 第 { $layer } 層の{ $point }
of_state = （{ $experiment }、{ $state }）
spread = シードによるばらつき
forward = 層（0 は入力）
moved = 失われた近傍の割合
silhouette =
    ラベルによる
    シルエット係数
first = 先頭のトークン
mean_vector = トークンの平均
all = 全トークン
shift = ファインチューニングによるずれ
spread_larger = シードによるばらつき（大きいほう）
disparity = 不一致度（{ $method }）
cosine_distance = 前後のコサイン距離
correlation = 相関距離
chebyshev = チェビシェフ距離
canberra = キャンベラ距離
the_metric = { $metric }
same_neighbours = 変わらない近傍の割合
euclidean = ユークリッド距離
manhattan = マンハッタン距離
cosine = コサイン距離
point = 観測点
position = テキスト中の位置
text = テキスト
text_number = テキスト { $number }
label = ラベル
special = 特殊トークン
ordinary = その他のトークン
evidence = 根拠
kind = トークンの種類
hover =
    { $token }
    テキスト { $text }、位置 { $position }
trust_key = 各マップの下：T 信頼性、C 連続性、O 近傍の一致率、S シードによるばらつき
runs_first = ラベルによるシルエット係数（先頭のトークン）
runs_mean = ラベルによるシルエット係数（トークンの平均）
runs_change = ファインチューニングによる変化（コサイン距離）
runs_trust = UMAP の信頼性

## Alternative texts of figures

alt_separation = 折れ線グラフ。先頭のトークンとトークンの平均について、各観測点でのラベルによるシルエット係数を、ファインチューニングの前後で示す。
alt_close_up = 最後の観測点のマップ。モデルの状態ごとに一枚。トークンをテキストごとに色分けし、特殊トークンとラベルの根拠を輪で囲む。
alt_moved = 折れ線グラフ。ある観測点から次の観測点までにトークンが失う近傍の割合を、段階の種類とモデルの状態ごとに一本の線で示す。
alt_trust_curves = 折れ線グラフ。UMAP、t-SNE、PCA による各層の後のマップの信頼性、連続性、近傍の一致率、シードによるばらつき。
alt_shift = 折れ線グラフ。ファインチューニングによる各層の後のマップのずれと、シードによるマップの違い。
alt_change = 折れ線グラフ。各観測点での前後のベクトルのコサイン距離を、先頭のトークンと全トークンについて示す。
alt_maps = { $texts }のトークンを並べた { $method } の小さなマップ（全 { $count } 枚、単語埋め込みから最後の層まで）。点はトークン、色は位置、形はテキスト。各マップの下に信頼性の指標を記す。実験 { $experiment }、{ $state }。
alt_metric = 折れ線グラフ。別の距離で近傍を求めたときに変わらない近傍の割合を、各層の後について、距離とモデルの状態ごとに一本の線で示す。
alt_metric_maps = 同じテキストのトークンの、最後の観測点でのマップ。距離ごとに一枚。

## Published claims

A2_statement = 特徴の混合度合いの研究が可視化する特徴は、12 層のモデルで計 38 個である。
A2_published = { $maps } 個
A2_rule = 入力での観測点の数に、一層の観測点の数と層の数の積を足すと、研究の本文でもコードでも報告値になる

B28_statement = ファインチューニング後、感情分類モデルの特徴は終わりに近い観測点の二次元マップでクラスごとに分かれる。
B28_published = 研究が見ようとしたこと
B28_rule = フィードフォワード層の出力でのラベルのシルエット係数（トークンの平均、および [CLS]）が、最終層で第 1 層より、またファインチューニング後に前より、{ $structure } 以上高い（これを下回るとまとまりとはみなされにくい値）

needs_imdb_gpu = GPU での profiles/imdb-bert-base.yaml
case_points_in_text = 本文が挙げる観測点
case_points_in_code = コードが描く観測点
case_mean_last_first = トークンの平均、最終層と第 1 層の差
case_mean_after_before = トークンの平均、最終層、前後の差
case_cls_last_first = {"["}CLS]、最終層と第 1 層の差
case_cls_after_before = {"["}CLS]、最終層、前後の差
