attended_neighbours = { $outcome ->
    [none] No head gives more than half of its attention to the token before or after it
   *[some] More than half of the attention goes to the token before in { $previous } of the { $total } heads of a model and to the one after in { $following }
 }; { $published_previous } and { $published_next } of { $published_heads } were published for BERT-base

attended_sink = { $outcome ->
    [everywhere] The special token that draws most attention is { $named }
   *[depends] The special token that draws most attention depends on the model state: it is { $named } of { $states }
 }; { $half ->
    [none] nowhere is it more than half
    [all] in every model state it draws more than half somewhere ({ $layers })
   *[some] in { $reaching } of { $states } model states it draws more than half somewhere ({ $layers })
 }, and more than half was published for [SEP] in layers { $published_first } to { $published_last } of BERT-base
attended_sink_of = { $outcome ->
    [all] { $kind } in every model state, with up to { $peak } in one layer
   *[some] { $kind } in { $states } (up to { $peak } in one layer)
 }
attended_layers = { $count ->
    [one] layer
   *[other] layers
 } { $layers }

attended_no_sep = no model here has a [SEP]
attended_sep_self = [SEP] gives { $means } of its attention to [SEP] on average over layers and { $peaks } in the layer where it gives most; { $outcome ->
    [none] no layer reaches the published { $published }
    [all] some layer is above the published { $published } in every model state
   *[some] some layer is above the published { $published } in { $reached } of { $states } model states
 }

attended_uniform = { $outcome ->
    [all] Attention of the last layer is almost uniform in every model state
    [none] Attention of the last layer is not almost uniform in any model state
   *[some] Attention of the last layer is almost uniform in { $flat } of { $states } model states
 }{ $broadest ->
    [last] { "" }
   *[others] , nor is the last layer the broadest everywhere
 }: divided by ln n, entropy is { $first } in the first layer and { $last } in the last, that of the [CLS] row { $cls_first } and { $cls_last } (1 is uniform, { $uniform } counts as almost; { $published } nats were published for [CLS] in the last layer of BERT-base)
