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
