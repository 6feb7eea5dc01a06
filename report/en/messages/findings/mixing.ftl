mixing_lead = { $before ->
    [holds] Within a layer, vectors mix less than attention weights suggest:{ $before_tuning } other tokens make up { $vectors_pretrained } of a new vector, where weights, with the residual as one half, suggest { $weights_pretrained }
    [divided] Within a layer, vectors mix less than attention weights suggest in { $before_models }{ $before_tuning }: other tokens typically make up { $vectors_pretrained } of a new vector, where weights, with the residual as one half, suggest { $weights_pretrained }
   *[other] Within a layer, other tokens make up { $vectors_pretrained } of a new vector{ $before_tuning }, and { $weights_pretrained } by attention weights
}{ $after ->
    [holds] . After fine-tuning, vectors mix less than weights in each model
    [divided] . After fine-tuning, vectors mix less than weights in { $after_models }
   *[other] {""}
}
    .untested = Whether vectors within a layer mix less than attention weights suggest
mixing_tuned = { $alti ->
    [holds] Fine-tuning makes each model mix more: by ALTI, the share of a vector after the last layer that comes from other tokens typically rises from { $mixed_pretrained } to { $mixed_finetuned }
    [not_tested] { $with_mixed ->
        [yes] By ALTI, the share of a vector after the last layer that comes from other tokens is { $mixed_pretrained } before fine-tuning and { $mixed_finetuned } after it; the difference was not tested, since { $why }
       *[no] Whether fine-tuning makes tokens mix more was not tested, since { $why }
    }
   *[other] By ALTI, the share of a vector after the last layer that comes from other tokens is { $mixed_pretrained } before fine-tuning and { $mixed_finetuned } after it
}
    .untested = Whether fine-tuning makes tokens mix more
mixing_within = { $bare ->
    [holds] Where both leave the residual connection out, too, vectors mix less than weights:{ $before_tuning } { $attn_n_pretrained } against { $attn_w_pretrained }
   *[other] Where both leave the residual connection out, mixing is { $attn_n_pretrained } by vectors and { $attn_w_pretrained } by weights{ $before_tuning }
}
    .untested = Whether vectors mix less than attention weights without the residual connection
mixing_upper = { $outcome ->
    [divided] In the last two layers of the fine-tuned models, mixing by vectors exceeds mixing by weights in { $outcome_models }, and reaches { $vectors_high }
   *[other] In the last two layers of the fine-tuned models, mixing is { $vectors_range } by vectors and { $weights_range } by weights
}
    .untested = Whether mixing by vectors exceeds mixing by weights in the last two layers of fine-tuned models
mixing_through = { $outcome ->
    [holds] Rolled out through all layers, lengths hardly differ from weights: lengths attribute { $vectors } of a token to others, weights { $weights }
    [divided] Rolled out through all layers, lengths hardly differ from weights in { $outcome_models }: lengths typically attribute { $vectors } of a token to others, weights { $weights }
   *[other] Rolled out through all layers, lengths attribute { $vectors } of a token to others, and weights { $weights }
}
    .untested = Whether rollout of the vectors' lengths and rollout of the weights agree through all layers
mixing_alti = { $before ->
    [holds] ALTI, which discounts contributions that cancel, attributes less to other tokens{ $before_tuning }: { $mixed_pretrained }
   *[other] ALTI, which discounts contributions that cancel, attributes { $mixed_pretrained } to other tokens{ $before_tuning }
}
    .untested = Whether ALTI attributes less to other tokens than rollout does
mixing_cancel = { $outcome ->
    [holds] Rollout of lengths adds up contributions that the mixing ratio lets cancel: already in the first layer, mixing is { $lengths } by the sum of lengths and { $ratio } by the ratio
   *[other] In the first layer, mixing is { $lengths } by the sum of lengths and { $ratio } by the ratio
}
    .untested = Whether cancellation between contributions explains what rollout of lengths reports
mixing_order = { $outcome ->
    [holds] As published, every step from the weights to the whole block lowers the ratio{ $before_tuning }
    [divided] Every step from the weights to the whole block lowers the ratio{ $before_tuning }, in the published order, in { $outcome_models }
   *[other] The claim that was published is that every step from the weights to the whole block lowers the ratio
}
    .untested = Whether every step from the weights to the whole block lowers the ratio, as published,
mixing_depth = { $outcome ->
    [holds] Mixing{ $before_tuning } falls with depth, as reported for BERT-base (rank correlation { $correlation })
   *[other] The rank correlation of mixing with depth is { $correlation_range }{ $before_tuning } (reported for BERT-base: negative)
}
    .untested = Whether mixing falls with depth, as reported for BERT-base,
mixing_rise = { $outcome ->
    [holds] After fine-tuning, mixing rises with depth, from { $first } in the first layer to { $last } in the last
   *[other] After fine-tuning, mixing is { $first } in the first layer and { $last } in the last
}
    .untested = Whether mixing rises with depth after fine-tuning
mixing_isolated = { $apart ->
    [fails] Between the first layer and the last, ordinary tokens take up too little from other tokens for [CLS] to stand apart
   *[other] { $outcome ->
        [holds] Between the first layer and the last, [CLS] is nearly isolated: { $cls } of its vector comes from other tokens, against { $text } for ordinary tokens
        [divided] Between the first layer and the last, [CLS] is nearly isolated in { $outcome_models }: typically { $cls } of its vector comes from other tokens, against { $text } for ordinary tokens
       *[other] Between the first layer and the last, { $cls } of the vector of [CLS] comes from other tokens, and { $text } for ordinary tokens
    }
}
    .untested = Whether [CLS] is isolated between the first layer and the last
mixing_mask = { $before ->
    [holds] [MASK] is mixed less than the ordinary tokens of its text{ $before_tuning }: its ratio is { $share_before } of theirs
   *[other] The ratio of [MASK] is { $share_before } of that of the ordinary tokens of its text{ $before_tuning }
}{ $lower ->
    [not_tested] {""}
   *[other] . After fine-tuning it is { $share_lower } in the lower half of the layers and { $share_upper } in the upper half
}
    .untested = Whether [MASK] is mixed less than ordinary tokens
mixing_whole = { $outcome ->
    [holds] Through the whole layer, the ratio stays close to that of the attention block: { $whole } against { $block }
    [divided] Through the whole layer, the ratio stays close to that of the attention block in { $outcome_models }: typically { $whole } against { $block }
   *[other] The ratio is { $whole } through the whole layer, and { $block } through the attention block
}
    .untested = Whether the ratio of the whole layer stays close to that of the attention block
mixing_special = { $outcome ->
    [holds] Special tokens receive large weights but contribute short vectors: rollout of the vectors (Attn-N) places less on special tokens than rollout of the weights, { $vectors } against { $weights }
    [divided] Special tokens receive large weights but contribute short vectors in { $outcome_models }: there, rollout of the vectors (Attn-N) places less on special tokens than rollout of the weights, typically { $vectors } against { $weights }
   *[other] Rollout of the vectors (Attn-N) places { $vectors } of the total on special tokens, and rollout of the weights { $weights }
}
    .untested = Whether rollout of the vectors (Attn-N) places less on special tokens than rollout of the weights
mixing_own = { $outcome ->
    [holds] By ALTI, { $alti_range } of the tokens{ $models_before } are their own largest source after the last layer, in line with the share published for BERT-base
   *[other] By ALTI, { $alti_range } of the tokens{ $models_before } are their own largest source after the last layer
}
    .untested = Whether the share of tokens that are their own largest source after the last layer agrees with the one published for BERT-base
mixing_identifiable = { $kept ->
    [holds] After the last layer, most tokens{ $models_before } are still nearest to their own input ({ $share_pretrained })
    [divided] After the last layer, most tokens{ $models_before } are still nearest to their own input in { $kept_models } (typically { $share_pretrained })
   *[other] After the last layer, { $share_pretrained } of the tokens{ $models_before } are nearest to their own input
}{ $lost ->
    [holds] . Fine-tuning lowers this share to { $after_range }
    [not_tested] {""}
   *[other] . After fine-tuning it is { $after_range }
}
    .untested = Whether most tokens are nearest to their own input after the last layer
mixing_alike = { $outcome ->
    [holds] Here they do grow more alike: the mean cosine rises from { $first_pretrained } at the input to { $last } after the last layer, and to { $centred } without the mean of all tokens
   *[other] Here the mean cosine goes from { $first_pretrained } at the input to { $last } after the last layer, and to { $centred } without the mean of all tokens
}
    .untested = Whether the tokens of a text grow more alike here
mixing_collapse = { $outcome ->
    [holds] Without both, the tokens of a text become the same: { $middle } of the norm is left after the middle layer. With the residual connections put back, { $kept } is left even after the last
    [divided] Without both, the tokens of a text become the same in { $outcome_models }: typically, { $middle } of the norm is left after the middle layer. With the residual connections put back, { $kept } is left after the last
   *[other] Without both, { $middle } of the norm is left after the middle layer. With the residual connections put back, { $kept } is left after the last
}
    .untested = Whether the residual connections keep the tokens of a text from becoming the same
mixing_zeroed = { $outcome ->
    [holds] What changes the output of a layer most is, for more than half of the tokens, the value of another: only { $own } are affected most by their own
    [divided] What changes the output of a layer most is, for more than half of the tokens, the value of another in { $outcome_models }: typically { $own } are affected most by their own
   *[other] Zeroed values affect { $own } of the tokens most if they are their own
}
    .untested = Whether the value of another token changes the output of a layer most
