anatomy_lead = Attention rebuilt by hand agrees with the model's own at every step, to { $off } of the largest value; { $outcome ->
    [apart] what sets encoder and decoder apart is what a token may see: when a later token changes, an encoder's earlier outputs move (by up to { $encoder } here), a decoder's not at all
    [alike] in none of the small models does an earlier output depend on a later token, not even where it may
   *[leaks] the mask of the small decoder does not hold: when a later token changes, its earlier outputs move by up to { $decoder }
}
anatomy_exactness = { $outcome ->
    [rounding] The deviations, at most { $off } of the largest value of their step, are what single precision leaves of a sum: the equations above are what the model does, with nothing left out
   *[more] The deviations reach { $off } of the largest value of their step, more than rounding in single precision explains: the model may compute something in fewer digits
}
anatomy_scale = in the mean over all heads, the scores of this text have a standard deviation of { $before } before and { $after } after the division; { $outcome ->
    [hardly] on the weights this has hardly an effect: the largest of a row is { $soft } with it and { $sharp } without
    [alone] without it, the largest weight of a row would be { $sharp } instead of { $soft }, which leaves hardly anything for the other keys
   *[sharper] without it, the largest weight of a row would be { $sharp } instead of { $soft }
}
anatomy_heads = over the queries of all its heads, the strongest key is { $keys }; two heads place { $apart } of a query's weight differently, on average
anatomy_heads_key = { $kind ->
    [special] a special token
    [self] the token itself
    [previous] the previous token
    [next] the next token
   *[other] another token
} for { $share }
anatomy_learned = { $outcome ->
    [all] All three write { $shares } of { $rows } rows that they have not seen backwards without a mistake: the task can be learned with any of the three kinds of sight
   *[some] Of { $rows } rows that they have not seen they write { $shares } backwards without a mistake; in the steps given, { $missed } did not learn the task, and { $count ->
        [one] its maps show a model that is
       *[other] their maps show models that are
    } still learning
}
anatomy_learned_encoder = the encoder
anatomy_learned_decoder = the decoder
anatomy_learned_encoder_decoder = the model with both sides
anatomy_mirror = { $outcome ->
    [every] The line against the diagonal is this task's alignment: { $shares } of the weight of a token that writes lies on the word that is due
   *[some] The word that is due gets { $shares } of the weight of a token that writes, so not all of these models read it in a single step
}
anatomy_residual = { $outcome ->
    [longer] The residual, which a drawing of attention leaves out, is the longer part here: over all layers and tokens of this text, what attention adds is on average { $length } as long as what it is added to
   *[shorter] What attention adds is the longer part here: over all layers and tokens of this text, it is on average { $length } as long as what it is added to
}
anatomy_leak = The encoder's earlier logits { $encoder_outcome ->
    [moves] move by up to { $encoder }
   *[stays] do not move at all
}, the decoder's { $decoder_outcome ->
    [moves] move by up to { $decoder }
   *[stays] do not move at all
}
