anatomy_lead = { $exact ->
    [holds] Attention rebuilt by hand agrees with the model at every step, to within rounding
   *[other] Attention rebuilt by hand differs from the model by more than rounding
}{ $decoder ->
    [holds] { $encoder ->
        [holds] . When a later token changes, the earlier outputs of an encoder move, but those of a decoder do not
       *[other] . When a later token changes, the earlier outputs of neither the small encoder nor the small decoder move
    }
   *[other] . The mask of the small decoder leaks: when a later token changes, earlier outputs move by up to { $decoder_leak }
}
anatomy_exactness = { $exact ->
    [holds] The largest deviation is { $deviation } of the largest value of its step, as expected of sums in single precision; the equations above describe the model completely
   *[fails] The largest deviation is { $deviation } of the largest value of its step, more than rounding in single precision explains; the model may compute some steps in lower precision
}
anatomy_scale = { $outcome ->
    [holds] For this text, the division lowers the standard deviation of the scores from { $before } to { $after }. Without it, the largest weight of a row would be { $sharp } instead of { $soft }
   *[other] For this text, the division lowers the standard deviation of the scores from { $before } to { $after }, with no clear effect on the weights
}
anatomy_heads_differ = { $outcome ->
    [holds] two heads place, on average, { $apart } of the weight of a query on different keys, although for { $special } of the queries the strongest key is a special token
   *[other] heads differ little: on average, two of them place only { $apart } of the weight of a query on different keys
}
anatomy_learned = { $outcome ->
    [holds] All three write at least 95% of unseen rows without a mistake, so the task can be learned under each of the three restrictions
   *[other] Not all of them learned the task in the steps given, so some maps show a model that is still learning
}
anatomy_mirror = { $outcome ->
    [holds] The line along the antidiagonal is the alignment that the task asks for: each model puts most of its weight on the word that it has to write, the encoder { $encoder_mirror }
   *[other] Not all of the models put most of their weight on the word that they have to write
}
anatomy_residual = { $outcome ->
    [holds] Drawings of attention leave out the residual, which is the longer part here: over all layers and tokens of this text, the vector that attention adds is on average { $added } as long as the vector it is added to
   *[other] Over all layers and tokens of this text, the vector that attention adds is on average { $added } as long as the vector it is added to
}
anatomy_leak = { $encoder ->
    [holds] When a later token is replaced, earlier logits of the encoder move by up to { $encoder_leak }
   *[other] When a later token is replaced, earlier logits of the encoder hardly move
}, and { $decoder ->
    [holds] those of the decoder stay the same
   *[other] those of the decoder move by up to { $decoder_leak }
}
