heads_lead = { $share_of_first } of the attention maps are { $first } and { $share_of_second } { $second }; { $clusters ->
    [elbows] an elbow tells the number of their clusters in every experiment
    [some_elbows] an elbow tells the number of their clusters in { $clear } of { $experiments } experiments
    [tight_hardly_elbow] they gather somewhat, but there is hardly an elbow to tell a number of clusters (silhouette { $silhouette })
    [tight_no_elbow] they gather somewhat, but no elbow tells a number of clusters (silhouette { $silhouette })
    [loose_hardly_elbow] they form hardly any clusters (silhouette { $silhouette })
   *[loose_no_elbow] they form no clusters to speak of (silhouette { $silhouette })
 }
heads_lead_disabled = { $lead }; the score falls without one head for { $hurt } of the heads, and the loss rises for { $worse }

heads_families = { $outcome ->
    [everywhere] The largest family by rule is { $top } in every model state, with { $share } of the maps, before { $named }
   *[depends] Which family by rule is the largest depends on the model state; shares of maps: { $named }
 }
heads_share_of_family = { $family } ({ $share })

heads_heterogeneous = they make up { $maps } of the maps ({ $heads } of the heads, by their mean), { $outcome ->
    [within] which is within
    [below] which is below
    [above] which is above
   *[some] which in { $inside } of { $states } model states is within
 } the { $published } published for BERT-base

heads_moved = { $outcome ->
    [none] Fine-tuning moves none of the { $heads } heads of a model to another family
   *[some] Fine-tuning moves { $moved } of the { $heads } heads of a model to another family, most often from { $before } to { $after } ({ $most } of { $moves } moves)
 }; { $clusters } { $have ->
    [one] has most of its maps
   *[other] have most of their maps
 } in another cluster than before
