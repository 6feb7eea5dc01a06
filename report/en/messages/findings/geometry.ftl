geometry_undefined = Texts are too short, or vectors too similar, for this distance to be measured
geometry_together = { $outcome ->
    [holds] The normalization of AttentionViz brings queries and keys closer together: in the plane that it draws, their mean distance falls from { $before_pretrained } to { $after_pretrained } radii
    [divided] The normalization of AttentionViz brings queries and keys closer together in { $outcome_models }: in the plane that it draws, their mean distance goes from { $before_pretrained } to { $after_pretrained } radii
   *[other] Under the normalization of AttentionViz, the mean distance of queries and keys in the plane that it draws goes from { $before_pretrained } to { $after_pretrained } radii
}
    .untested = Whether the normalization of AttentionViz brings queries and keys closer together
geometry_nearer = { $cosine_distance ->
    [holds] By angle, queries and their ordinary strongest keys move closer, from a cosine distance of { $before_pretrained } to { $after_pretrained }
    [divided] By angle, queries and their ordinary strongest keys move closer in { $cosine_distance_models }, typically from a cosine distance of { $before_pretrained } to { $after_pretrained }
   *[other] By angle, the distance of queries from their ordinary strongest keys goes from { $before_pretrained } to { $after_pretrained }
    [not_tested] { geometry_undefined }
}
geometry_rank = { $special ->
    [holds] Special tokens are driven away: where the strongest key of a query is that of a special token, its rank in the plane goes from { $special_before_pretrained } to { $special_after_pretrained } of the keys (0%: the nearest key, 50%: chance)
    [divided] Special tokens are driven away by every distance in { $special_models }: where the strongest key of a query is that of a special token, its rank in the plane goes from { $special_before_pretrained } to { $special_after_pretrained } of the keys (0%: the nearest key, 50%: chance)
    [not_tested] No query of a text that is long enough has the key of a special token as its strongest
   *[other] Where the strongest key of a query is that of a special token, its rank in the plane goes from { $special_before_pretrained } to { $special_after_pretrained } of the keys (0%: the nearest key, 50%: chance)
}{ $ordinary ->
    [holds] . An ordinary strongest key keeps its rank, at { $before_pretrained } before and { $after_pretrained } after
    [divided] . An ordinary strongest key keeps its rank by every distance in { $ordinary_models }; in the plane it goes from { $before_pretrained } to { $after_pretrained }
    [not_tested] {""}
   *[other] . The rank of an ordinary strongest key goes from { $before_pretrained } to { $after_pretrained }
}
geometry_full = { $euclidean_distance ->
    [holds] In full dimension they move closer as well, from { $before_pretrained } to { $after_pretrained } radii
    [divided] In full dimension they move closer in { $euclidean_distance_models }, typically from { $before_pretrained } to { $after_pretrained } radii
   *[other] In full dimension the distance goes from { $before_pretrained } to { $after_pretrained } radii
    [not_tested] { geometry_undefined }
}
geometry_scaling = { $outcome ->
    [holds] Translation alone takes the rank of a strongest key in full dimension from { $before_pretrained } to { $translated_pretrained }, and scaling by the closed form takes it part of the way back
    [divided] Translation alone takes the rank of a strongest key in full dimension from { $before_pretrained } to { $translated_pretrained }, and scaling by the closed form takes it part of the way back in { $outcome_models }
   *[other] With translation alone, the rank of a strongest key in full dimension is { $translated_pretrained }, and with scaling by the closed form { $after_pretrained }
}
    .untested = Whether scaling by the closed form takes back part of what translation does to the rank
geometry_plane = After the normalization, the rank of a strongest key in the plane is { $after_pretrained }, where chance is 50%
    .untested = Whether the rank of a strongest key in the plane is near chance after the normalization
geometry_variance = { $outcome ->
    [holds] The plane holds less than half of the variance of queries and keys ({ $share_pretrained }), too little to judge the normalization by it
    [divided] The plane holds less than half of the variance of queries and keys in { $outcome_models } (typically { $share_pretrained }), too little to judge the normalization by it there
   *[other] The plane holds { $share_pretrained } of the variance of queries and keys
}
    .untested = Whether the plane holds less than half of the variance of queries and keys
geometry_length = { $outcome ->
    [holds] Queries and keys differ in length: the mean length of queries minus that of keys is { $difference_pretrained }
    [divided] The mean length of queries minus that of keys ranges from { $difference_low } to { $difference_high }, and reaches a quarter of the published difference in { $outcome_models }
   *[other] The mean length of queries minus that of keys ranges from { $difference_low } to { $difference_high }
}
    .untested = Whether queries and keys differ in length
geometry_correlation = { $outcome ->
    [holds] After translation, the correlation is strong, typically { $after_pretrained }
    [divided] After translation, the correlation is strong in { $outcome_models }, and typically { $after_pretrained }
   *[other] After translation, the correlation is typically { $after_pretrained }
}
    .untested = Whether the correlation is strong after translation
geometry_weaker = { $outcome ->
    [holds] Before translation the correlation is stronger, typically { $before_pretrained }
    [divided] Before translation the correlation is stronger in { $outcome_models }, and typically { $before_pretrained }
   *[other] Before translation the correlation is typically { $before_pretrained }
}
    .untested = Whether the correlation is stronger before translation
geometry_offset = The mean dot product of a query lies { $before_pretrained } standard deviations from zero before translation, and { $after_pretrained } after it
    .untested = Whether translation moves the mean dot product of a query away from zero
geometry_special = For { $share_pretrained } of the queries, the strongest key is that of a special token
    .untested = Whether the strongest key of most queries is that of a special token
geometry_joint = { $outcome ->
    [holds] With one c for the whole model, the correlation of dot products and squared distances is weaker than with one c for each head, by { $loss_pretrained }
    [divided] With one c for the whole model, the correlation of dot products and squared distances is weaker than with one c for each head in { $outcome_models }, typically by { $loss_pretrained }
   *[other] The correlations of dot products and squared distances with one c for each head and with one for the whole model differ by { $loss_pretrained }
}
    .untested = Whether one c for the whole model weakens the correlation of dot products and squared distances
geometry_change = { $attention ->
    [holds] As reported, attention changes most in the last two layers, { $attention_ratio } times as much as in the others
    [divided] Attention changes most in the last two layers in { $attention_models }, typically { $attention_ratio } times as much as in the others
    [not_tested] This run has no value for the change of attention
   *[other] In the last two layers, attention changes { $attention_ratio } times as much as in the others
}{ $attention_alone ->
    [fails] . With unchanged inputs it does not, and changes { $alone_ratio } times as much there
    [not_tested] {""}
   *[other] . With unchanged inputs, it changes { $alone_ratio } times as much there
}{ $outputs ->
    [holds] . The outputs of layers also change most in the last two
   *[other] {""}
}{ $weights ->
    [fails] . The weights of the last two layers do not change most
   *[other] {""}
}
    .untested = Whether attention changes most in the last two layers
geometry_tuned = { $outcome ->
    [holds] Fine-tuning weakens the correlation after translation, typically from { $correlation_pretrained } to { $correlation_finetuned }
    [divided] Fine-tuning weakens the correlation after translation in { $outcome_models }, typically from { $correlation_pretrained } to { $correlation_finetuned }
   *[other] The correlation after translation is typically { $correlation_pretrained } before fine-tuning and { $correlation_finetuned } after it
}
    .untested = Whether fine-tuning weakens the correlation after translation
