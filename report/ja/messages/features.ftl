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
spread_larger = シードによるばらつき（大きい方）
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

# 図の代替テキスト
alt_separation = ラベルのある実験ごとの折れ線グラフ。先頭のトークンとトークンの平均について、各点でのラベルによるシルエット係数を、ファインチューニングの前後で示す。
alt_close_up = 最後の点のマップ。モデルの状態ごとに一枚。トークンをテキストごとに色分けし、特殊トークンとラベルの根拠を輪で囲む。
alt_moved = 実験ごとの折れ線グラフ。ある点から次の点までにトークンが失う近傍の割合を、モデルの状態ごとに一本の線で示す。
alt_trust_curves = 実験ごとに一列の折れ線グラフ。UMAP、t-SNE、PCA による各マップの信頼性、連続性、近傍の一致率、シードによるばらつき。
alt_shift = ファインチューニングをする実験ごとに一列の折れ線グラフ。ファインチューニングによる各マップのずれと、シードによるマップの違い。
alt_change = ファインチューニングをする実験ごとの折れ線グラフ。各点での前後のベクトルのコサイン距離を、先頭のトークンと全トークンについて示す。
alt_maps = { $texts }のトークンを並べた { $method } の小さなマップ（全 { $count } 枚、単語埋め込みから最後の層まで）。点はトークン、色は位置、形はテキスト。各マップの下に信頼性の指標を記す。実験 { $experiment }、{ $state }。
alt_metric = 実験ごとの折れ線グラフ。別の距離で近傍を求めたときに変わらない近傍の割合を、各点について、距離とモデルの状態ごとに一本の線で示す。
alt_metric_maps = 同じテキストのトークンの、最後の点でのマップ。距離ごとに一枚。
