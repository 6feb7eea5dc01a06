geometry_undefined = This cannot be measured here, because the texts are too short or the vectors too similar
geometry_together = { $outcome ->
    [holds] The normalization of AttentionViz brings queries and keys together: in the plane that it draws, their mean distance shrinks from { $before } to { $after } radii
    [divided] The normalization of AttentionViz brings queries and keys together by every distance in { $outcome_models }: in the plane that it draws, their mean distance goes from { $before } to { $after } radii
   *[fails] The normalization of AttentionViz does not bring queries and keys together: in the plane that it draws, their mean distance goes from { $before } to { $after } radii
}
    .question = Whether the normalization of AttentionViz brings queries and keys together
    .values = in the plane that it draws, their mean distance goes from { $before } to { $after } radii
geometry_nearer = { $cosine_distance ->
    [holds] A query and its strongest key, if that is an ordinary one, move closer by angle, from a cosine distance of { $before } to { $after }; { geometry_nearer_plane }
    [divided] A query and its strongest key, if that is an ordinary one, move closer by angle in { $cosine_distance_models } (typical cosine distance: { $before } before, { $after } after); { geometry_nearer_plane }
    [fails] A query and its strongest key, if that is an ordinary one, do not move closer by angle (typical cosine distance: { $before } before, { $after } after); { geometry_nearer_plane }
    [open] Whether a query and an ordinary strongest key move closer by angle remains open (typical cosine distance: { $before } before, { $after } after); { geometry_nearer_plane }
   *[not_tested] { geometry_undefined }
}
geometry_nearer_plane = { $plane_distance ->
    [holds] in the plane they do so too
    [divided] in the plane they do so by a tenth or more in { $plane_distance_models }
    [fails] in the plane they do not do so by a tenth or more
    [open] for the plane the question remains open
   *[not_tested] for the plane this is not tested
}
geometry_rank = { $special ->
    [holds] By rank, the normalization drives sinks away: where the strongest key is a special token, its mean rank in the plane grows from { $special_before } to { $special_after } of the keys (0% the nearest key, 50% chance)
    [divided] By rank, a strongest key that is a special token is driven away by every distance in { $special_models }: in the plane, its mean rank is { $special_before } of the keys before the normalization and { $special_after } after it (0% the nearest key, 50% chance)
    [fails] By rank, a strongest key that is a special token is not driven away: in the plane, its mean rank is { $special_before } of the keys before the normalization and { $special_after } after it (0% the nearest key, 50% chance)
    [open] Whether a strongest key that is a special token is driven away remains open: in the plane, its mean rank is { $special_before } of the keys before the normalization and { $special_after } after it (0% the nearest key, 50% chance)
   *[not_tested] Where a strongest key that is a special token goes by rank cannot be told here, because no query of a text long enough has one
}{ $ordinary ->
    [holds] . An ordinary strongest key keeps its rank, { $before } before and { $after } after
    [divided] . An ordinary strongest key keeps its rank by every distance in { $ordinary_models }: in the plane it is { $before } before and { $after } after
    [fails] . An ordinary strongest key does not keep its rank: in the plane it is { $before } before and { $after } after
    [open] . Whether an ordinary strongest key keeps its rank remains open: in the plane it is { $before } before and { $after } after
   *[not_tested] {""}
}
geometry_full = { $euclidean_distance ->
    [holds] In full dimension, too, a query and an ordinary strongest key move closer, from { $before } to { $after } radii
    [divided] In full dimension, a query and an ordinary strongest key move closer in { $euclidean_distance_models } (typically { $before } radii before, { $after } after)
    [fails] In full dimension, a query and an ordinary strongest key do not move closer (typically { $before } radii before, { $after } after)
    [open] Whether a query and an ordinary strongest key move closer in full dimension remains open (typically { $before } radii before, { $after } after)
   *[not_tested] { geometry_undefined }
}
geometry_scaling = { $outcome ->
    [holds] Translation alone moves the rank of the strongest key by distance in full dimension from { $before } to { $translated }, and scaling by the closed form takes back part of this
    [divided] Translation alone moves the rank of the strongest key by distance in full dimension from { $before } to { $translated }, and scaling by the closed form takes back part of this in { $outcome_models }
   *[fails] Translation alone moves the rank of the strongest key by distance in full dimension from { $before } to { $translated }, and scaling by the closed form hardly changes it
}
    .question = Whether scaling by the closed form takes back part of what translation does
    .values = translation alone moves the rank of the strongest key by distance in full dimension from { $before } to { $translated }
geometry_plane = { $outcome ->
    [holds] After the normalization, the rank of the strongest key in the plane is within 10 points of chance{ $in_every_state }
    [divided] After the normalization, the rank of the strongest key in the plane is within 10 points of chance in { $outcome_models } (typically { $after })
   *[fails] After the normalization, the rank of the strongest key in the plane is more than 10 points from chance (typically { $after })
}
    .question = Whether the rank of the strongest key in the plane is within 10 points of chance after the normalization
    .values = it is typically { $after }
geometry_variance = { $outcome ->
    [holds] The two components of the plane hold less than half of the variance of queries and keys{ $in_every_state } (typically { $share }), so the plane is a poor basis for judging the normalization
    [divided] The two components of the plane hold less than half of the variance of queries and keys in { $outcome_models } (typically { $share }), where the plane is a poor basis for judging the normalization
   *[fails] The two components of the plane hold more than half of the variance of queries and keys (typically { $share })
}
    .question = Whether the two components of the plane hold half of the variance of queries and keys
    .values = they typically hold { $share }
geometry_length = { $outcome ->
    [holds] Queries and keys differ in length{ $in_every_state }: the mean length of queries minus that of keys is typically { $difference }
    [divided] The mean length of queries minus that of keys is { $difference_range } over the experiments; it reaches a quarter of the published difference in { $outcome_models }
   *[fails] Queries and keys hardly differ in length, by less than a quarter of the published difference: the mean length of queries minus that of keys is typically { $difference }
}
    .question = Whether the lengths of queries and keys differ by a quarter of the published difference
    .values = the mean length of queries minus that of keys is typically { $difference }
geometry_correlation = { $outcome ->
    [holds] After translation the correlation is strong{ $in_every_state } (typically { $after })
    [divided] After translation the correlation is strong in { $outcome_models } (typically { $after })
   *[fails] After translation the correlation is not strong (typically { $after })
}
    .question = Whether the correlation is strong after translation
    .values = it is typically { $after }
geometry_weaker = { $outcome ->
    [holds] Before translation the correlation is stronger{ $in_every_state } (typically { $before })
    [divided] Before translation the correlation is stronger in { $outcome_models } (typically { $before })
   *[fails] Before translation the correlation is hardly stronger (typically { $before })
}
    .question = Whether the correlation is stronger before translation
    .values = it is typically { $before } there
geometry_offset = { $outcome ->
    [holds] Their mean moves away from zero{ $in_every_state }, typically from { $before } to { $after } standard deviations
    [divided] Their mean moves away from zero in { $outcome_models }, typically from { $before } to { $after } standard deviations
   *[fails] Their mean hardly moves away from zero (typically { $before } standard deviations before, { $after } after)
}
    .question = Whether their mean moves away from zero
    .values = it typically lies { $before } standard deviations from it before and { $after } after
geometry_special = { $outcome ->
    [holds] For more than half of the queries the strongest key is that of a special token{ $in_every_state } (typically { $share })
    [divided] In { $outcome_models }, the strongest key of more than half of the queries is that of a special token (typically { $share })
   *[fails] For fewer than half of the queries the strongest key is that of a special token (typically { $share })
}
    .question = Whether the strongest key of more than half of the queries is that of a special token
    .values = typically, it is for { $share } of them
geometry_joint = { $outcome ->
    [holds] With one c for the model, the correlation of dot product and squared distance over the pairs of all heads together is weaker, typically by { $loss }, than within heads that each have a c of their own. Part of this may come not from c but from putting heads together whose distances lie in different ranges
    [divided] With one c for the model, the correlation of dot product and squared distance over the pairs of all heads together is in { $outcome_models } weaker than within heads that each have a c of their own, typically by { $loss }
   *[fails] With one c for the model, the correlation of dot product and squared distance over the pairs of all heads together is less than 0.05 weaker than within heads that each have a c of their own
}
    .question = Whether one c for the model weakens the correlation of dot product and squared distance
geometry_change = { $outcome ->
    [holds] As reported, attention changes most in the last two layers; other measures need not agree: { geometry_change_parts }
    [divided] As reported, attention changes most in the last two layers in { $outcome_models }; other measures need not agree: { geometry_change_parts }
   *[fails] Attention does not change most in the last two layers, although this was reported: { geometry_change_parts }
}
    .question = Whether attention changes most in the last two layers, as reported,
    .values = { geometry_change_parts }
geometry_change_parts = { geometry_change_attention }; { geometry_change_alone }; outputs of the layers, { geometry_change_outputs }; weights, { geometry_change_weights }
geometry_change_attention = { $attention ->
    [holds] attention as it stands, yes (typically { $attention_ratio } times the change of the other layers)
    [divided] attention as it stands, in { $attention_models } (typically { $attention_ratio } times the change of the other layers)
    [fails] attention as it stands, no (typically { $attention_ratio } times the change of the other layers)
    [open] attention as it stands, open (typically { $attention_ratio } times the change of the other layers)
   *[not_tested] attention as it stands, not tested
}
geometry_change_alone = { $attention_alone ->
    [holds] attention with unchanged inputs, yes (typically { $alone_ratio } times)
    [divided] attention with unchanged inputs, in { $attention_alone_models } (typically { $alone_ratio } times)
    [fails] attention with unchanged inputs, no (typically { $alone_ratio } times)
    [open] attention with unchanged inputs, open (typically { $alone_ratio } times)
   *[not_tested] attention with unchanged inputs, not tested
}
geometry_change_outputs = { $outputs ->
    [holds] yes
    [divided] in { $outputs_models }
    [fails] no
    [open] open
   *[not_tested] not tested
}
geometry_change_weights = { $weights ->
    [holds] yes
    [divided] in { $weights_models }
    [fails] no
    [open] open
   *[not_tested] not tested
}
geometry_tuned = { $outcome ->
    [holds] Fine-tuning weakens the correlation after translation{ $in_every_experiment }, typically from { $correlation_pretrained } to { $correlation_finetuned }
    [divided] Fine-tuning weakens the correlation after translation in { $outcome_models } (typically { $correlation_pretrained } before, { $correlation_finetuned } after)
   *[fails] Fine-tuning does not weaken the correlation after translation noticeably (typically { $correlation_pretrained } before, { $correlation_finetuned } after)
}
    .question = Whether fine-tuning weakens the correlation after translation
    .values = it is typically { $correlation_pretrained } before fine-tuning and { $correlation_finetuned } after it
