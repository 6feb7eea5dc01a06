geometry_undefined = this cannot be measured here: the texts are too short or the vectors too much alike
geometry_undefined_sentence = This cannot be measured here: the texts are too short or the vectors too much alike
geometry_no_value = an undefined value
geometry_noted = { $name } ({ $note })
geometry_lead = { $outcome ->
    [farther] The normalization does not bring strong pairs together here; it drives them apart: { geometry_lead_places }
    [closer] The normalization brings strong pairs closer together: { geometry_lead_places }
   *[depends] Whether the normalization brings strong pairs closer together depends on the model: { geometry_lead_places }
}
geometry_lead_places = ordered by angle, the key that a query attends to most stands { $angle } of the way from the nearest key to the farthest, and { $angle_translated } after translation; in the plane that is drawn it stands at { $before } before and { $after } after, where half the way would be chance
geometry_correlation = { $outcome ->
    [strong] { geometry_correlation_means }. On average over heads it is strong and negative in every model state
   *[not_strong] { geometry_correlation_means }. It is not strong in every model state
}
geometry_correlation_means = Averaged over heads, the correlation is { $before } before and { $after } after translation; published means are { $published }
geometry_correlation_weaker = { geometry_correlation }. But translation makes it weaker. It adds one number to all dot products of a query, which softmax cannot see; their mean moves from { $offset_before } to { $offset_after } standard deviations away from zero. An angle divides each of them by the length of its key, and the farther from zero, the more it is these lengths that decide the order
geometry_close = { $outcome ->
    [farther] { geometry_close_places }. The rebuild saw this right: that pairs with high attention come close is hardly to be observed, with many texts and all heads no more than with one sentence. They were close before
    [closer] { geometry_close_places }. So pairs with high attention do come closer, which one sentence had not shown
   *[depends] { geometry_close_places }. So pairs with high attention come closer in some model states and not in others
}
geometry_close_places = By distance in full dimension the strongest key stands at { $before } of the way before, { $translated } after translation, and { $after } once the closed form has chosen c
geometry_plane = after the normalization the strongest key stands at { $drawn } of the way in the plane and at { $full } in full dimension
geometry_pairs = { $by_rebuild ->
    [one] Of { $cases } cases, a pair in a head each, { $by_rebuild } comes closer with the constants of the rebuild and { $by_closed_form } with translation and closed form
   *[other] Of { $cases } cases, a pair in a head each, { $by_rebuild } come closer with the constants of the rebuild and { $by_closed_form } with translation and closed form
}
geometry_pairs_strongest = { $strongest ->
    [one] { geometry_pairs }; of the one case in which the key is the strongest of its query, { $strongest_by_rebuild } and { $strongest_by_closed_form }
   *[other] { geometry_pairs }; of the { $grouped } cases in which the key is the strongest of its query, { $strongest_by_rebuild } and { $strongest_by_closed_form }
}
geometry_tuned = the correlation after translation goes from { $correlation_pretrained } to { $correlation_finetuned }, the place of the strongest key in the plane from { $plane_pretrained } to { $plane_finetuned }, and queries are longer than keys by { $norm_finetuned } where it was { $norm_pretrained }
geometry_change = { $outcome ->
    [untuned] No experiment fine-tunes a model
    [unchanged] Fine-tuning changes nothing here, and no layer has a share of it
    [holds] { geometry_change_shares } That fine-tuning changes the last two layers most, as was reported, holds here. { geometry_change_alone }
    [fails] { geometry_change_shares } That fine-tuning changes the last two layers most does not hold here. { geometry_change_alone }
   *[depends] { geometry_change_shares } That fine-tuning changes the last two layers most, as was reported, holds for { $holds }, not for { $fails }. { geometry_change_alone }
}
geometry_change_shares = Of all change, the last two layers hold { $shares }, where an even share is { $even }.
geometry_change_alone = What a layer inherits from below is part of it: of the change of attention that a layer's own new queries and keys make, the last two hold { $alone }
geometry_changed_attention = attention
geometry_changed_layer_output = features
geometry_changed_weights = weights
geometry_joint_scale = { $outcome ->
    [costs] One c for all heads of all layers gives { $joint } where one c a head gives { $single }: the lengths of different heads have no common scale
   *[free] One c for all heads of all layers gives { $joint } where one c a head gives { $single }: nothing is lost by it
}
geometry_lines = { $outcome ->
    [all] The strongest pairs of a head come from all of its { $tokens } queries, and have weights of { $weight } and more in half of the heads
   *[some] The strongest pairs of a head come from { $queries } of its { $tokens } queries on average and have weights of { $weight } and more in half of the heads; one line a query would draw the rest as well, down to weights that are as good as even
}
geometry_rebuild_edge = { $outcome ->
    [none] no layer
    [only] the only layer
    [all] all { $layers }
   *[some] { $edge } of { $layers }
}
