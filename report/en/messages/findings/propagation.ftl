propagation_lead = { $outcome ->
    [holds] Rollout calls { $rollout } of a token mixed after the last layer, as much as if attention were uniform
    [divided] Rollout reports as much mixing in { $outcome_models } as it would for uniform attention, typically { $rollout } after the last layer
   *[other] Rollout calls { $rollout } of a token mixed after the last layer
}
    .untested = How much mixing rollout reports
propagation_even = { $outcome ->
    [fails] The mean over heads is not close to uniform in the last layer, where its normalized entropy is { $last }
   *[other] The normalized entropy of the mean over heads is { $last } in the last layer
}. In the first layer, it is { $first }
    .untested = Whether the mean over heads is close to uniform in the last layer
propagation_halves = { $outcome ->
    [holds] On average over the layers, it falls from { $raw_pretrained } to { $residual_pretrained }{ $before_tuning }, exactly as the definition requires
   *[other] On average over the layers, it goes from { $raw_pretrained } to { $residual_pretrained }{ $before_tuning }
}
propagation_amount = Rollout reports { $rollout } mixing after the last layer, and { $uniform } for uniform attention
    .untested = Whether rollout reports as much mixing as it would for uniform attention
propagation_special = { $outcome ->
    [holds] Where the weight ends does depend on attention: special tokens receive { $rollout } of it
    [divided] Where the weight ends does depend on attention in { $outcome_models }: special tokens typically receive { $rollout } of it
   *[other] Special tokens receive { $rollout } of the weight
}. Under uniform attention, they would receive { $uniform }
    .untested = Whether special tokens receive more of the weight than under uniform attention
propagation_apart = { $outcome ->
    [holds] Rollout gives different tokens nearly the same row: after the last layer, { $last } of a row's weight distinguishes it from the average row
    [divided] Rollout gives different tokens nearly the same row in { $outcome_models }: after the last layer, { $last } of a row's weight typically distinguishes it from the average row
   *[other] After the last layer, { $last } of the weight of a row of rollout distinguishes it from the average row
}
    .untested = Whether rollout gives different tokens distinct rows
propagation_measured = { $before ->
    [holds] With the measured residual, rollout reports { $mixed_pretrained } mixing{ $before_tuning }, less than with the fixed share
    [divided] With the measured residual, rollout reports less mixing than with the fixed share in { $before_models }{ $before_tuning }, typically { $mixed_pretrained }
   *[other] With the measured residual, rollout reports { $mixed_pretrained } mixing{ $before_tuning }
}{ $after ->
    [not_tested] {""}
   *[other] . After fine-tuning, it reports { $mixed_finetuned }
}
    .untested = Whether rollout with the measured residual reports less mixing
propagation_flat = { $outcome ->
    [holds] Flow sends nearly the same amount to every input token: the normalized entropy of its rows is { $flow }
    [divided] Flow sends nearly the same amount to every input token in { $outcome_models }: the normalized entropy of its rows is typically { $flow }
   *[other] The normalized entropy of a row is { $flow } by flow and { $rollout } by rollout
}
    .untested = Whether flow sends nearly the same amount to every input token
propagation_order = { $outcome ->
    [holds] Flow from the readout token ranks planted evidence below the other words, with a ROC-AUC of { $auc } (0.5 is chance)
    [divided] Flow from the readout token ranks planted evidence below the other words in { $outcome_models } (ROC-AUC over all models { $auc_range }; 0.5 is chance)
   *[other] Flow from the readout token ranks planted evidence with a ROC-AUC of { $auc } (0.5 is chance)
}
    .untested = Whether flow from the readout token ranks planted evidence below the other words
propagation_tight = { $from_text ->
    [divided] In the last layer, typically { $text } of the pairs that start at an ordinary token attain the bound. Most stay below it in { $from_text_models }
    [fails] In the last layer, { $text } of the pairs that start at an ordinary token attain the bound, so that their flow reflects layer 1 alone
   *[other] In the last layer, { $text } of the pairs that start at an ordinary token attain the bound
}{ $with_cls ->
    [yes] . Of the pairs that start at [CLS], { $cls } attain it
   *[no] {""}
}
    .untested = How many pairs attain the bound
propagation_rows = { $before ->
    [holds] Its rows differ more from each other{ $before_tuning }: { $distance_pretrained } of their weight distinguishes them from the average row
    [divided] Its rows differ more from each other in { $before_models }{ $before_tuning }: typically, { $distance_pretrained } of their weight distinguishes them from the average row
   *[other] By it, { $distance_pretrained } of the weight of its rows distinguishes them from the average row{ $before_tuning }
}{ $after ->
    [not_tested] {""}
   *[other] . After fine-tuning, this share is { $distance_finetuned }
}
    .untested = Whether the rows of rollout differ more with the measured residual
propagation_first_layer = { $outcome ->
    [holds] Ranked by the attention of the readout token in the first layer alone, the evidence has the same ROC-AUC to within 0.05 ({ $first })
   *[other] Ranked by the attention of the readout token in the first layer alone, the evidence has a ROC-AUC of { $first }
}
    .untested = Whether the first layer alone ranks the evidence like flow
propagation_departs = { $outcome ->
    [fails] The layers above the first hardly show in the ranking: flow from the readout token agrees with the effect of removing tokens as far as raw attention of the first layer does, to within 0.05
   *[other] The agreement of flow from the readout token with the effect of removing tokens is reported beside that of raw attention
}
    .untested = Whether flow from the readout token agrees with the effect of removing tokens as far as raw attention of the first layer does
propagation_effective = { $outcome ->
    [not_tested] No text of this run has more tokens than a head has dimensions, so effective attention equals the weights
   *[other] In texts with more tokens than a head has dimensions, effective attention keeps { $share } of the length of a row. Its correlation with the weights is { $correlation }
}
propagation_absorbed = { $outcome ->
    [holds] After the last layer, rollout traces { $rollout } of the average vector back to the first token. The mask alone does the same to within ten points: with uniform attention, it is { $uniform }
   *[other] After the last layer, rollout traces { $rollout } of the average vector back to the first token. With uniform attention, it is { $uniform }
}
    .untested = How much rollout traces back to the first token
