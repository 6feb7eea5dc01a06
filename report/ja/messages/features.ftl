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

## Alternative texts of figures

alt_separation = ラベルのある実験ごとの折れ線グラフ。先頭のトークンとトークンの平均について、各観測点でのラベルによるシルエット係数を、ファインチューニングの前後で示す。
alt_close_up = 最後の観測点のマップ。モデルの状態ごとに一枚。トークンをテキストごとに色分けし、特殊トークンとラベルの根拠を輪で囲む。
alt_moved = 実験ごとの折れ線グラフ。ある観測点から次の観測点までにトークンが失う近傍の割合を、モデルの状態ごとに一本の線で示す。
alt_trust_curves = 実験ごとに一列の折れ線グラフ。UMAP、t-SNE、PCA による各マップの信頼性、連続性、近傍の一致率、シードによるばらつき。
alt_shift = ファインチューニングをする実験ごとに一列の折れ線グラフ。ファインチューニングによる各マップのずれと、シードによるマップの違い。
alt_change = ファインチューニングをする実験ごとの折れ線グラフ。各観測点での前後のベクトルのコサイン距離を、先頭のトークンと全トークンについて示す。
alt_maps = { $texts }のトークンを並べた { $method } の小さなマップ（全 { $count } 枚、単語埋め込みから最後の層まで）。点はトークン、色は位置、形はテキスト。各マップの下に信頼性の指標を記す。実験 { $experiment }、{ $state }。
alt_metric = 実験ごとの折れ線グラフ。別の距離で近傍を求めたときに変わらない近傍の割合を、各観測点について、距離とモデルの状態ごとに一本の線で示す。
alt_metric_maps = 同じテキストのトークンの、最後の観測点でのマップ。距離ごとに一枚。

## Findings

features_separation = { $outcome ->
    [holds] { $in_every_experiment }ファインチューニング後のテキストはラベルごとに分かれる。最後の観測点での先頭トークンのシルエット係数は、中央値で、ファインチューニング前の { $before } から後の { $after } に上がる
    [partly] ファインチューニング後にテキストがラベルごとに分かれるのは、一部の実験に限られる。最後の観測点での先頭トークンのシルエット係数は、実験によって { $after_range } である
    [fails] ファインチューニングの後も、テキストはラベルごとに分かれない。最後の観測点での先頭トークンのシルエット係数の中央値は、前が { $before }、後が { $after } である
    [open] ファインチューニングによってテキストがラベルごとに分かれるかどうかは、判断できない。最後の観測点での先頭トークンのシルエット係数の中央値は、前が { $before }、後が { $after } である
   *[not_tested] ファインチューニングによってテキストがラベルごとに分かれるかどうかは、{ $why }ため検証していない
}
features_separation_mean = { $outcome ->
    [holds] トークンの平均でも同じように分かれる（シルエット係数の中央値は { $after }）
    [partly] トークンの平均で分かれるのは一部の実験に限られる（シルエット係数は { $after_range }）
    [fails] トークンの平均では分かれない（シルエット係数の中央値は { $after }）
    [open] トークンの平均で分かれるかどうかは判断できない（シルエット係数の中央値は { $after }）
   *[not_tested] トークンの平均については検証していない
}
features_movement = { features_movement_most }。{ features_movement_least }
features_movement_most = { $most ->
    [context] 近傍が最も入れ替わるのは文脈ベクトルに至る段階であり、トークンは近傍の約 { $context } を失う
    [embedding] 近傍が最も入れ替わるのは、単語埋め込みから埋め込みに至る段階である
    [attention_output] 近傍が最も入れ替わるのは注意の出力に至る段階であり、トークンは近傍の約 { $attention_output } を失う
    [attention_block] 近傍が最も入れ替わるのは、注意ブロックに至る段階である
    [ffn_output] 近傍が最も入れ替わるのは、FFN の出力に至る段階である
    [layer_output] 近傍が最も入れ替わるのは、層の出力に至る段階である
   *[depends] 近傍が最も入れ替わる段階は、実験とモデルの状態によって異なる
}
features_movement_least = { $least ->
    [context] 入れ替わりが最も少ないのは、文脈ベクトルに至る段階である
    [embedding] 入れ替わりが最も少ないのは、単語埋め込みから埋め込みに至る段階である
    [attention_output] 入れ替わりが最も少ないのは、注意の出力に至る段階である（約 { $attention_output }）
    [attention_block] 入れ替わりが最も少ないのは、注意ブロックに至る段階である
    [ffn_output] 入れ替わりが最も少ないのは、FFN の出力に至る段階である
    [layer_output] 入れ替わりが最も少ないのは、層の出力に至る段階である
   *[depends] 入れ替わりが最も少ない段階も、一定しない
}
features_trusted = { $best ->
    [umap] { $in_every_state }信頼性の平均が最も高いのは UMAP である（中央値は { $umap }、t-SNE では { $tsne }）
    [tsne] { $in_every_state }信頼性の平均が最も高いのは t-SNE である（中央値は { $tsne }、UMAP では { $umap }）
    [pca] { $in_every_state }信頼性の平均が最も高いのは PCA である
   *[depends] 信頼性の平均が最も高い手法は、実験とモデルの状態によって異なる（中央値は UMAP で { $umap }、t-SNE で { $tsne }）
}。UMAP のマップの信頼性は、最も低いもので { $umap_low } である
features_stable = { $best ->
    [umap] { $in_every_state }シードによる違いは UMAP のほうが t-SNE より小さい。不一致度の中央値は { $umap } と { $tsne } である
    [tsne] { $in_every_state }シードによる違いは t-SNE のほうが UMAP より小さい。不一致度の中央値は { $tsne } と { $umap } である
   *[depends] シードによる違いが UMAP と t-SNE のどちらで小さいかは、実験とモデルの状態によって異なる（不一致度の中央値は { $umap } と { $tsne }）
}
features_changed = { $outcome ->
    [holds] { $in_every_experiment }変化は層が深くなるほど大きい。コサイン距離の中央値は第 1 層で { $first }、最後の層で { $last } である（1 は直交を意味する）
    [partly] 変化が層とともに大きくなるのは、一部の実験に限られる。コサイン距離の中央値は第 1 層で { $first }、最後の層で { $last } である
    [fails] 変化は、層が深くなっても大きくならない。コサイン距離の中央値は第 1 層で { $first }、最後の層で { $last } である
    [open] 変化が層とともに大きくなるかどうかは判断できない。コサイン距離の中央値は第 1 層で { $first }、最後の層で { $last } である
   *[not_tested] 変化が層とともに大きくなるかどうかは、{ $why }ため検証していない
}

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
