at_bound = flow at its bound
cls = from [CLS]
special = from other special tokens
text = from ordinary tokens
tight_flow = tight, fixed residual
tight_flow_measured = tight, measured
margins = The margins are ours: shares within 5 percentage points are called equal, rows that differ from their average in less than a tenth of the weight nearly the same, and a relative entropy above 0.95 nearly even

# Alternative texts of the figures
alt_overview = Line charts over the layers, one column for each experiment: mixing by rollout with the fixed and with the measured residual and for uniform attention, the distance between the rows of different tokens, and the share of flows from ordinary tokens that are at their bound.
alt_lecture = Three heat maps of attention from each query token to each key token: one head of the first layer, the head mean of the first layer, the head mean of the last layer.
alt_cls = Six heat maps, layers by tokens, of what the [CLS] token reads: raw attention, with residual, rollout and flow, the latter two also with the measured residual.
alt_maps = Heat maps of rollout and of flow from each token to each input token after the first, a middle and the last layer.
alt_curves = Line charts over the layers of mixing, relative entropy, share on special tokens and distance between rows, for raw attention, attention with residual, rollout and flow with either residual, and the rollout of uniform attention; one column for each experiment.
alt_tight = Line charts over the layers of the share of pairs whose flow attains its upper bound, by kind of source token, with the fixed and with the measured residual; one column for each experiment.
