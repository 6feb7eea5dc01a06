mixing_lead = { $before ->
    [holds] Within a layer, vectors mix less than attention weights suggest:{ $before_tuning } { $vectors_pretrained } against { $weights_pretrained }, with the residual connection counted in both
    [divided] Within a layer, vectors mix less than attention weights suggest in { $before_models }:{ $before_tuning } typically { $vectors_pretrained } against { $weights_pretrained }, with the residual connection counted in both
    [fails] Within a layer, vectors mix no less than attention weights suggest:{ $before_tuning } { $vectors_pretrained } against { $weights_pretrained }, with the residual connection counted in both
    [open] Whether vectors within a layer mix less than attention weights suggest remains open:{ $before_tuning } { $vectors_pretrained } against { $weights_pretrained }, with the residual connection counted in both
   *[not_tested] Whether vectors within a layer mix less than attention weights suggest{ $before_tuning } was not tested
}{ $after ->
    [holds] . After fine-tuning they mix less in all models
    [divided] . After fine-tuning they mix less in { $after_models }
    [fails] . After fine-tuning they mix no less
    [open] . Whether they mix less after fine-tuning remains open
   *[not_tested] {""}
}
mixing_tuned = { $alti ->
    [holds] Fine-tuning makes tokens mix more: by ALTI, the share of a vector after the last layer that comes from other tokens rises from { $mixed_pretrained } to { $mixed_finetuned }
    [divided] Fine-tuning makes tokens mix more in { $alti_models }: by ALTI, the share of a vector after the last layer that comes from other tokens is typically { $mixed_pretrained } before it and { $mixed_finetuned } after it
    [fails] Fine-tuning does not make tokens mix more: by ALTI, the share of a vector after the last layer that comes from other tokens is { $mixed_pretrained } before it and { $mixed_finetuned } after it
    [open] Whether fine-tuning makes tokens mix more remains open: by ALTI, the share of a vector after the last layer that comes from other tokens is { $mixed_pretrained } before it and { $mixed_finetuned } after it
   *[not_tested] { $with_mixed ->
        [yes] By ALTI, the share of a vector after the last layer that comes from other tokens is { $mixed_pretrained } before fine-tuning and { $mixed_finetuned } after it; the difference was not tested, since { $why }
       *[no] Whether fine-tuning makes tokens mix more was not tested, since { $why }
    }
}{ $sinks ->
    [holds] . Fewer heads have an attention sink: { $heads_pretrained } of them before fine-tuning, { $heads_finetuned } after
    [divided] . In { $sinks_models }, fewer heads have an attention sink: typically { $heads_pretrained } of them before, { $heads_finetuned } after
    [fails] . No fewer heads have an attention sink: { $heads_pretrained } of them before, { $heads_finetuned } after
    [open] . Whether fewer heads have an attention sink remains open: { $heads_pretrained } of them before, { $heads_finetuned } after
   *[not_tested] {""}
}
mixing_within = { $bare ->
    [holds] Within a layer, vectors mix less than attention weights suggest, even if both leave the residual connection out: { $attn_n } against { $attn_w }
    [divided] Within a layer, vectors that leave the residual connection out mix less than attention weights suggest in { $bare_models }, typically { $attn_n } against { $attn_w }
    [fails] Within a layer, vectors that leave the residual connection out mix no less than attention weights suggest: { $attn_n } against { $attn_w }
    [open] Whether vectors within a layer mix less than attention weights suggest, both without the residual connection, remains open: { $attn_n } against { $attn_w }
   *[not_tested] Whether vectors mix less than attention weights without the residual connection was not tested
}{ $residual ->
    [holds] . With the residual connection in both, they mix less: { $attnres_n } against { $attnres_w }
    [divided] . With the residual connection in both, they mix less in { $residual_models }: typically { $attnres_n } against { $attnres_w }
    [fails] . With the residual connection in both, they mix no less: { $attnres_n } against { $attnres_w }
    [open] . With the residual connection in both, it remains open whether they mix less: { $attnres_n } against { $attnres_w }
   *[not_tested] {""}
}
mixing_upper = { $outcome ->
    [holds] In the last two layers of the fine-tuned models, mixing by vectors exceeds mixing by weights: { $vectors } against { $weights }
    [divided] In the last two layers of the fine-tuned models, mixing by vectors exceeds mixing by weights in { $outcome_models }: over the models, it is { $vectors_range } by vectors and { $weights_range } by weights
   *[fails] The last two layers of the fine-tuned models are no exception: mixing by vectors does not exceed mixing by weights there, with { $vectors } against { $weights }
}
    .question = Whether mixing by vectors exceeds mixing by weights in the last two layers of fine-tuned models
    .values = it is { $vectors } against { $weights }
mixing_through = { $outcome ->
    [holds] Through all layers, the two come close: rollout of the vectors' lengths attributes { $vectors } of a token to other tokens, rollout of the weights { $weights }
    [divided] Through all layers, the two come close in { $outcome_models }: rollout of the vectors' lengths typically attributes { $vectors } of a token to other tokens, rollout of the weights { $weights }
   *[fails] Through all layers, rollout of the vectors' lengths and rollout of the weights differ: they attribute { $vectors } and { $weights } of a token to other tokens
}
    .question = Whether rollout of the vectors' lengths and rollout of the weights agree through all layers
    .values = they attribute { $vectors } and { $weights } of a token to other tokens
mixing_alti = { $before ->
    [holds] ALTI, which discounts contributions that cancel, attributes less to other tokens{ $before_tuning } ({ $mixed_pretrained })
    [divided] ALTI, which discounts contributions that cancel, attributes less to other tokens in { $before_models }{ $before_tuning } ({ $mixed_pretrained })
    [fails] ALTI, which discounts contributions that cancel, attributes no less to other tokens{ $before_tuning } ({ $mixed_pretrained })
    [open] Whether ALTI, which discounts contributions that cancel, attributes less to other tokens{ $before_tuning } remains open ({ $mixed_pretrained })
   *[not_tested] Whether ALTI attributes less to other tokens{ $before_tuning } was not tested
}{ $after ->
    [holds] ; after fine-tuning it attributes less than the weights ({ $mixed_finetuned })
    [divided] ; after fine-tuning it attributes less in { $after_models } ({ $mixed_finetuned })
    [fails] ; after fine-tuning it attributes no less than the weights ({ $mixed_finetuned })
    [open] ; after fine-tuning it remains open whether it attributes less ({ $mixed_finetuned })
   *[not_tested] {""}
}
mixing_cancel = { $outcome ->
    [holds] Rollout of lengths reports so much because it adds up contributions one by one, whereas the mixing ratio lets them cancel: already in the first layer, the sum of lengths puts mixing at { $lengths }, the ratio at { $ratio }. By ALTI it is { $alti } in that layer
    [divided] In { $outcome_models }, rollout of lengths reports more because it adds up contributions one by one, whereas the mixing ratio lets them cancel: in the first layer, the sum of lengths typically puts mixing at { $lengths }, the ratio at { $ratio }. By ALTI it is { $alti } in that layer
   *[fails] Cancellation between contributions does not explain what rollout of lengths reports: in the first layer, the sum of lengths puts mixing at { $lengths }, the ratio at { $ratio }. By ALTI it is { $alti } in that layer
}
    .question = Whether cancellation between contributions explains what rollout of lengths reports
    .values = in the first layer, the sum of their lengths puts mixing at { $lengths }, the ratio at { $ratio }. By ALTI it is { $alti } in that layer
mixing_order = { $outcome ->
    [holds] Every step from the weights to the whole block lowers the ratio{ $before_tuning }, in the published order
    [divided] Every step from the weights to the whole block lowers the ratio{ $before_tuning }, in the published order, in { $outcome_models }
   *[fails] The steps from the weights to the whole block do not lower the ratio{ $before_tuning } as published
}
    .question = Whether every step from the weights to the whole block lowers the ratio, as published,
mixing_depth = { $outcome ->
    [holds] Mixing{ $before_tuning } falls with depth, as reported for BERT-base (rank correlation { $correlation })
    [divided] Mixing{ $before_tuning } falls with depth, as reported for BERT-base, in { $outcome_models } (rank correlation { $correlation_range })
   *[fails] Mixing{ $before_tuning } does not fall with depth to the extent reported for BERT-base (rank correlation { $correlation_range })
}
    .question = Whether mixing{ $before_tuning } falls with depth, as reported for BERT-base,
    .values = the rank correlation is { $correlation_range }
mixing_rise = { $outcome ->
    [holds] After fine-tuning, mixing rises, from { $first } in the first layer to { $last } in the last
    [divided] After fine-tuning, mixing rises in { $outcome_models }, typically from { $first } in the first layer to { $last } in the last
   *[fails] After fine-tuning, mixing does not rise: it is { $first } in the first layer and { $last } in the last
}
    .question = Whether mixing rises after fine-tuning
    .values = it is { $first } in the first layer and { $last } in the last
mixing_isolated = { $apart ->
    [fails] Between the first layer and the last, ordinary tokens take up too little from other tokens for [CLS] to stand apart
   *[other] { $isolated ->
        [fails] Between the first layer and the last, [CLS] is not isolated: { $cls } of its vector comes from other tokens, against { $text } for ordinary tokens
       *[other] { $outcome ->
            [holds] Between the first layer and the last, [CLS] is nearly isolated: { $cls } of its vector comes from other tokens, against { $text } for ordinary tokens
            [divided] Between the first layer and the last, [CLS] is nearly isolated in { $outcome_models }: typically { $cls } of its vector comes from other tokens, against { $text } for ordinary tokens
            [open] Whether [CLS] is isolated between the first layer and the last remains open: { $cls } of its vector comes from other tokens, against { $text } for ordinary tokens
           *[not_tested] Whether [CLS] is isolated was not measured
        }
    }
}
mixing_mask = { $before ->
    [holds] [MASK] is mixed less{ $before_tuning } than the ordinary tokens of its text: its ratio is { $share_before } of theirs
    [divided] [MASK] is mixed less{ $before_tuning } than the ordinary tokens of its text in { $before_models }: its ratio is typically { $share_before } of theirs
    [fails] [MASK] is mixed no less{ $before_tuning } than the ordinary tokens of its text: its ratio is { $share_before } of theirs
    [open] Too few texts hold a [MASK] to tell whether it is mixed less than ordinary tokens{ $before_tuning }
   *[not_tested] [MASK] is compared with ordinary tokens where every text holds one, which no experiment of this run has
}{ $lower ->
    [holds] . After fine-tuning it is mixed less in the lower half of the layers ({ $share_lower })
    [divided] . After fine-tuning it is mixed less in the lower half of the layers in { $lower_models } ({ $share_lower })
    [fails] . After fine-tuning it is mixed no less in the lower half of the layers ({ $share_lower })
    [open] . After fine-tuning the lower half of the layers leaves this open ({ $share_lower })
   *[not_tested] {""}
}{ $upper ->
    [holds] , and in the upper half [MASK] and ordinary tokens are mixed alike ({ $share_upper })
    [divided] , and in the upper half [MASK] and ordinary tokens are mixed alike in { $upper_models } ({ $share_upper })
    [fails] , and in the upper half [MASK] and ordinary tokens are mixed to different extents ({ $share_upper })
    [open] , and for the upper half it remains open whether [MASK] and ordinary tokens are mixed alike ({ $share_upper })
   *[not_tested] {""}
}
mixing_whole = { $outcome ->
    [holds] Through the whole layer, second residual connection and second normalization included, the ratio stays close to that of the attention block: { $whole } against { $block }
    [divided] Through the whole layer, second residual connection and second normalization included, the ratio stays close to that of the attention block in { $outcome_models }: typically { $whole } against { $block }
   *[fails] Through the whole layer, second residual connection and second normalization included, the ratio departs from that of the attention block: { $whole } against { $block }
}
    .question = Whether the ratio of the whole layer, second residual connection and second normalization included, stays close to that of the attention block
    .values = it is { $whole } against { $block }
mixing_special = { $outcome ->
    [holds] Rollout of the weights places { $weights } of the total on special tokens, rollout of the vectors (Attn-N) { $vectors }: special tokens receive large weights but contribute short vectors
    [divided] Rollout of the vectors (Attn-N) places less on special tokens than rollout of the weights in { $outcome_models }: typically { $vectors } of the total against { $weights }
   *[fails] Rollout of the vectors (Attn-N) places no less on special tokens than rollout of the weights: { $vectors } of the total against { $weights }
}
    .question = Whether rollout of the vectors (Attn-N) places less on special tokens than rollout of the weights
    .values = it places { $vectors } of the total on them, against { $weights }
mixing_own = { $outcome ->
    [holds] By ALTI, { $alti_range } of the tokens{ $models_before } are still their own largest source after the last layer, in line with the share published for BERT-base
    [divided] By ALTI, { $alti_range } of the tokens{ $models_before } are still their own largest source after the last layer, which agrees with the share published for BERT-base in { $outcome_models }
   *[fails] By ALTI, { $alti_range } of the tokens{ $models_before } are still their own largest source after the last layer, which disagrees with the share published for BERT-base wherever these texts decide
}
    .question = Whether the share of tokens that are still their own largest source after the last layer agrees with the one published for BERT-base
    .values = by ALTI, this is true of { $alti_range } of the tokens{ $models_before }
mixing_identifiable = { $kept ->
    [holds] After the last layer, most tokens{ $models_before } are still nearest to their own input ({ $share_pretrained })
    [divided] After the last layer, most tokens{ $models_before } are still nearest to their own input in { $kept_models } ({ $share_pretrained })
    [fails] After the last layer, most tokens{ $models_before } are no longer nearest to their own input ({ $share_pretrained } are)
    [open] Whether most tokens{ $models_before } are still nearest to their own input after the last layer remains open ({ $share_pretrained })
   *[not_tested] Whether tokens are still nearest to their own input after the last layer was not tested
}{ $lost ->
    [holds] . Fine-tuning lowers this share to { $after_range }
    [divided] . Fine-tuning lowers this share in { $lost_models }, to { $after_low } at the lowest
    [fails] . Fine-tuning does not lower this share ({ $after })
    [open] . Whether fine-tuning lowers this share remains open ({ $after })
   *[not_tested] {""}
}
mixing_alike = { $outcome ->
    [holds] Here they do: the mean cosine between two tokens of a text rises from { $first } to { $last }. After removing the mean of all tokens it still rises, to { $centred }
    [divided] Here they do in { $outcome_models }: the mean cosine between two tokens of a text goes from { $first } to { $last }. After removing the mean of all tokens it ends at { $centred }
   *[fails] Here they do not: the mean cosine between two tokens of a text goes from { $first } to { $last }. After removing the mean of all tokens it ends at { $centred }
}
    .question = Whether the tokens of a text grow more alike here
    .values = the mean cosine between two tokens of a text goes from { $first } to { $last }. After removing the mean of all tokens it ends at { $centred }
mixing_collapse = { $outcome ->
    [holds] Without both, the tokens of a text become the same: { $middle } of the norm is left after the middle layer. With the residual connections put back, { $kept } is left even after the last
    [divided] Without both, the tokens of a text become the same in { $outcome_models }, where the residual connections prevent it: typically, { $middle } of the norm is left after the middle layer. With the residual connections put back, it is { $kept } after the last
   *[fails] Without both, the tokens of a text do not become the same, or the residual connections do not prevent it: { $middle } of the norm is left after the middle layer. With the residual connections put back, it is { $kept } after the last
}
    .question = Whether the residual connections keep the tokens of a text from becoming the same
    .values = without both, { $middle } of the norm is left after the middle layer. With the residual connections put back, it is { $kept } after the last
mixing_zeroed = { $outcome ->
    [holds] By value zeroing, what changes the output of a layer most is, for more than half of the tokens, the value of another: only { $own } are affected most by their own value, and on average { $others } of a row belongs to other tokens
    [divided] By value zeroing, the value of another token changes the output of a layer most in { $outcome_models }; typically { $own } of the tokens are affected most by their own value, and { $others } of a row belongs to other tokens
   *[fails] By value zeroing, at least half of the tokens are affected most by their own value ({ $own }); { $others } of a row belongs to other tokens
}
    .question = Whether the value of another token changes the output of a layer most
    .values = by value zeroing, { $own } of the tokens are affected most by their own value, and { $others } of a row belongs to other tokens
