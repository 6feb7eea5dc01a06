features_separation = { $outcome ->
    [holds] { $in_every_experiment }ファインチューニング後のテキストはラベルごとに分かれる。最後の観測点での先頭トークンのシルエット係数は、中央値で、ファインチューニング前の { $silhouette_pretrained } から後の { $silhouette_finetuned } に上がる
    [divided] ファインチューニング後にテキストがラベルごとに分かれるのは、{ $outcome_models }である。最後の観測点での先頭トークンのシルエット係数は、実験によって { $after_range } である
   *[fails] ファインチューニングの後も、テキストはラベルごとに分かれない。最後の観測点での先頭トークンのシルエット係数の中央値は、前が { $silhouette_pretrained }、後が { $silhouette_finetuned } である
}
    .question = ファインチューニングによってテキストがラベルごとに分かれるかどうか
    .values = 最後の観測点での先頭トークンのシルエット係数の中央値は、前が { $silhouette_pretrained }、後が { $silhouette_finetuned } である
features_separation_mean = { $outcome ->
    [holds] トークンの平均でも同じように分かれる（シルエット係数の中央値は { $after }）
    [divided] トークンの平均で分かれるのは、{ $outcome_models }である（シルエット係数は { $after_range }）
   *[fails] トークンの平均では分かれない（シルエット係数の中央値は { $after }）
}
    .question = トークンの平均で分かれるかどうか
    .values = シルエット係数の中央値は { $after } である
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
    [divided] 変化が層とともに大きくなるのは、{ $outcome_models }である。コサイン距離の中央値は第 1 層で { $first }、最後の層で { $last } である
   *[fails] 変化は、層が深くなっても大きくならない。コサイン距離の中央値は第 1 層で { $first }、最後の層で { $last } である
}
    .question = 変化が層とともに大きくなるかどうか
    .values = コサイン距離の中央値は第 1 層で { $first }、最後の層で { $last } である
