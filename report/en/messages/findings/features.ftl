features_separation = { $outcome ->
    [holds] Fine-tuning separates the texts by label{ $outcome_cases ->
        [1] {""}
       *[other] {" "}in { $outcome_held } of { $outcome_cases } experiments
    }: at the last feature point, the silhouette of the first token typically goes from { $silhouette_pretrained } to { $silhouette_finetuned }
    [divided] Fine-tuning separates the texts by label in { $outcome_models }: at the last feature point, the silhouette of the first token typically goes from { $silhouette_pretrained } to { $silhouette_finetuned }
   *[other] At the last feature point, the silhouette of the first token is typically { $silhouette_pretrained } before fine-tuning and { $silhouette_finetuned } after it
}
    .untested = Whether fine-tuning separates the texts by label
features_separation_mean = { $outcome ->
    [holds] The mean of the tokens separates the texts as well, with a silhouette of typically { $after } after fine-tuning
    [divided] The mean of the tokens separates them in { $outcome_models }, with a silhouette of typically { $after } after fine-tuning
   *[other] The silhouette of the mean of the tokens is typically { $after } after fine-tuning
}
    .untested = Whether the mean of the tokens separates the texts
features_movement = A token typically loses { $context_pretrained } of its nearest neighbours on the step into the context, and { $attention_output_pretrained } on the step to the attention output
features_trusted = Trustworthiness is typically { $umap_pretrained } by UMAP and { $tsne_pretrained } by t-SNE. The least trustworthy map by UMAP reaches { $umap_low }
features_stable = { $best ->
    [umap] Maps by UMAP are more stable than maps by t-SNE: between seeds, their disparity is typically { $umap_pretrained }, against { $tsne_pretrained }
   *[other] Between seeds, the disparity of maps is typically { $umap_pretrained } by UMAP and { $tsne_pretrained } by t-SNE
}
features_changed = { $outcome ->
    [holds] The change of the vectors grows with depth, from a cosine distance of { $first } in the first layer to { $last } in the last
   *[other] The cosine distance of the vectors before and after fine-tuning is { $first } in the first layer and { $last } in the last
}
    .untested = Whether the change of the vectors grows with depth
