features_separation = { $outcome ->
    [holds] ファインチューニングによって、{ $outcome_cases ->
        [1] {""}
       *[other] { $outcome_cases } 実験中 { $outcome_held } 実験で、
    }テキストはラベルごとに分かれる。最後の観測点での先頭トークンのシルエット係数の中央値は、{ $silhouette_pretrained } から { $silhouette_finetuned } になる
    [divided] ファインチューニングによって、{ $outcome_models }で、テキストはラベルごとに分かれる。最後の観測点での先頭トークンのシルエット係数の中央値は、{ $silhouette_pretrained } から { $silhouette_finetuned } になる
   *[other] 最後の観測点での先頭トークンのシルエット係数の中央値は、ファインチューニングの前が { $silhouette_pretrained }、後が { $silhouette_finetuned } である
}
    .untested = ファインチューニングによってテキストがラベルごとに分かれるかどうか
features_separation_mean = { $outcome ->
    [holds] トークンの平均でも同様に分かれる（ファインチューニング後のシルエット係数の中央値 { $after }）
    [divided] トークンの平均では、{ $outcome_models }で分かれる（ファインチューニング後のシルエット係数の中央値 { $after }）
   *[other] トークンの平均のシルエット係数は、ファインチューニング後の中央値で { $after } である
}
    .untested = トークンの平均でテキストが分かれるかどうか
features_movement = トークンが失う近傍の割合の中央値は、文脈ベクトルに至る段階で { $context_pretrained }、そこから注意の出力に至る段階で { $attention_output_pretrained } である
features_trusted = 信頼性の中央値は、UMAP で { $umap_pretrained }、t-SNE で { $tsne_pretrained } である。UMAP のマップでは、最も低いもので { $umap_low } である
features_stable = { $best ->
    [umap] マップは、t-SNE より UMAP のほうが安定している。シードの違いによる不一致度の中央値は、UMAP で { $umap_pretrained }、t-SNE で { $tsne_pretrained } である
   *[other] シードの違いによるマップの不一致度の中央値は、UMAP で { $umap_pretrained }、t-SNE で { $tsne_pretrained } である
}
features_changed = { $outcome ->
    [holds] 変化は深い層ほど大きく、コサイン距離は第 1 層で { $first }、最後の層で { $last } である
   *[other] ファインチューニング前後のベクトルのコサイン距離は、第 1 層で { $first }、最後の層で { $last } である
}
    .untested = ベクトルの変化が深い層ほど大きいかどうか
