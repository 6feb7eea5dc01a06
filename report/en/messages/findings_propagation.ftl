propagation_lead = { $outcome ->
    [assumptions] Rollout says more about its own assumptions than about the model
    [amount_assumed] How much rollout mixes follows from its assumptions; whom it mixes does not
    [tokens_alike] How much rollout mixes depends on the model, but it hardly tells tokens apart
   *[model] Rollout reports the model, in how much it mixes and in whom
}: after the last layer it calls { $rollout } mixed, and would call { $uniform } mixed had every token attended to all alike; the rows of different tokens are { $distance } apart; of the flows that start at a token of the text, { $bound } are at a bound that no layer above the first can move
propagation_amount = { $outcome ->
    [same] the two differ by less than { $points } percentage points: how much rollout mixes is decided by the assumed residual and the number of layers, not by what the model attends to
   *[differs] the two differ by up to { $points } percentage points: how much rollout mixes depends on what the model attends to as well
}
propagation_apart = { $outcome ->
    [none] a row of rollout says next to nothing about its own token
    [all] a row of rollout still tells its token from others
   *[some] whether a row of rollout tells its token from others depends on the experiment
}
propagation_flat = { $outcome ->
    [flat] a token sends almost the same flow to every input token
   *[differs] the flows of a token to the input tokens differ
}
propagation_tight = { $text } of the pairs that start at a token of the text attain it, { $cls } of those that start at [CLS]{ $outcome ->
    [mostly] : for the former, flow reports the first layer and nothing else
   *[other] {""}
}
propagation_measured = { $outcome ->
    [less] with the measured residual rollout mixes { $found } instead of { $fixed }: the share that is usually assumed washes out more than the model does
   *[other] with the measured residual rollout mixes { $found }, with the fixed one { $fixed }
}
