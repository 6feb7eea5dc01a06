features_separation = { $outcome ->
    [holds] Fine-tuning separates the texts by label{ $in_every_experiment }: at the last feature point the silhouette of the first token is typically { $silhouette_finetuned }, against { $silhouette_pretrained } before fine-tuning
    [divided] Fine-tuning separates the texts by label in { $outcome_models }: at the last feature point the silhouette of the first token ranges over { $after_range }
   *[fails] Fine-tuning does not separate the texts by label: at the last feature point the silhouette of the first token is typically { $silhouette_finetuned }, against { $silhouette_pretrained } before fine-tuning
}
    .question = Whether fine-tuning separates the texts by label
    .values = at the last feature point the silhouette of the first token is typically { $silhouette_finetuned }, against { $silhouette_pretrained } before fine-tuning
features_separation_mean = { $outcome ->
    [holds] The mean of the tokens separates the texts as well, with a typical silhouette of { $after }
    [divided] The mean of the tokens separates the texts in { $outcome_models }, with silhouettes of { $after_range }
   *[fails] The mean of the tokens does not separate the texts (silhouette typically { $after })
}
    .question = Whether the mean of the tokens separates the texts
    .values = its silhouette is typically { $after }
features_movement = { features_movement_most }; { features_movement_least }
features_movement_most = { $most ->
    [context] Neighbourhoods change most on the step into the context, where a token typically loses { $context } of its nearest neighbours
    [embedding] Neighbourhoods change most on the step from the word embedding to the embedding
    [attention_output] Neighbourhoods change most on the step into the attention output, where a token typically loses { $attention_output } of its nearest neighbours
    [attention_block] Neighbourhoods change most on the step into the output of the attention block
    [ffn_output] Neighbourhoods change most on the step into the FFN output
    [layer_output] Neighbourhoods change most on the step into the layer output
   *[depends] Which step changes neighbourhoods most depends on the experiment and the state of the model
}
features_movement_least = { $least ->
    [context] they change least on the step into the context
    [embedding] they change least on the step from the word embedding to the embedding
    [attention_output] they change least on the step into the attention output ({ $attention_output })
    [attention_block] they change least on the step into the output of the attention block
    [ffn_output] they change least on the step into the FFN output
    [layer_output] they change least on the step into the layer output
   *[depends] which step changes them least differs as well
}
features_trusted = { $best ->
    [umap] UMAP has the highest mean trustworthiness{ $in_every_state } ({ $umap } for a typical map, { $tsne } with t-SNE)
    [tsne] t-SNE has the highest mean trustworthiness{ $in_every_state } ({ $tsne } for a typical map, { $umap } with UMAP)
    [pca] PCA has the highest mean trustworthiness{ $in_every_state }
   *[depends] No method has the highest mean trustworthiness everywhere (typical map: UMAP { $umap }, t-SNE { $tsne })
}. The least trustworthy map by UMAP reaches { $umap_low }
features_stable = { $best ->
    [umap] Between seeds, maps by UMAP differ less than those by t-SNE{ $in_every_state }: the disparity is typically { $umap }, against { $tsne }
    [tsne] Between seeds, maps by t-SNE differ less than those by UMAP{ $in_every_state }: the disparity is typically { $tsne }, against { $umap }
   *[depends] Whether maps by UMAP or by t-SNE differ less between seeds depends on the experiment and the state of the model (typical disparity: { $umap } and { $tsne })
}
features_changed = { $outcome ->
    [holds] The change of the vectors grows with depth{ $in_every_experiment }: the cosine distance is typically { $first } in the first layer and { $last } in the last, where 1 is a right angle
    [divided] The change of the vectors grows with depth in { $outcome_models }: the cosine distance is typically { $first } in the first layer and { $last } in the last
   *[fails] The change of the vectors does not grow with depth: the cosine distance is typically { $first } in the first layer and { $last } in the last
}
    .question = Whether the change of the vectors grows with depth
    .values = the cosine distance is typically { $first } in the first layer and { $last } in the last
