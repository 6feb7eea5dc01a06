propagation_lead = { $outcome ->
    [holds] The amount of mixing that rollout reports follows from its assumptions: after the last layer it calls { $rollout } mixed, and would call as much mixed if attention were uniform
    [divided] In { $outcome_models }, the amount of mixing that rollout reports follows from its assumptions: it typically calls { $rollout } mixed after the last layer
   *[fails] The amount of mixing that rollout reports depends on what the model attends to: it calls { $rollout } mixed after the last layer
}
    .question = Whether the amount of mixing that rollout reports follows from its assumptions
    .values = it calls { $rollout } mixed after the last layer
propagation_even = { $outcome ->
    [holds] The normalized entropy of the mean over heads, averaged over rows and texts, is { $last } in the last layer, which is close to uniform ({ $first } in the first layer)
    [divided] The normalized entropy of the mean over heads, averaged over rows and texts, comes close to uniform in the last layer in { $outcome_models }: it is typically { $last } there, and { $first } in the first layer
   *[fails] The normalized entropy of the mean over heads, averaged over rows and texts, is { $last } in the last layer, which is not close to uniform ({ $first } in the first layer)
}
    .question = Whether the mean over heads is close to uniform in the last layer
    .values = its normalized entropy, averaged over rows and texts, is { $last } there, and { $first } in the first layer
propagation_halves = { $outcome ->
    [holds] On average over the layers it falls from { $raw } to { $residual }, exactly as the definition requires
   *[other] On average over the layers it goes from { $raw } to { $residual }
}
propagation_amount = { $outcome ->
    [holds] Rollout reports { $rollout } mixing after the last layer, as much as it would for uniform attention. This amount follows from the assumed residual, the number of layers and the length of the text, not from what the model attends to
    [divided] In { $outcome_models }, rollout reports as much mixing as it would for uniform attention: typically { $rollout } after the last layer, against { $uniform }
   *[fails] How much mixing rollout reports depends on what the model attends to: { $rollout } after the last layer, against { $uniform } for uniform attention
}
    .question = Whether rollout reports as much mixing as it would for uniform attention
    .values = it reports { $rollout } after the last layer, against { $uniform }
propagation_special = { $outcome ->
    [holds] Where the weight ends does depend on attention: { $rollout } of it lies on special tokens, against { $uniform } for uniform attention
    [divided] Where the weight ends does depend on attention: in { $outcome_models }, special tokens receive more of it than under uniform attention, typically { $rollout } against { $uniform }
   *[fails] Special tokens receive no more of the weight than under uniform attention: { $rollout } against { $uniform }
}
    .question = Whether special tokens receive more of the weight than under uniform attention
    .values = they receive { $rollout }, against { $uniform }
propagation_apart = { $outcome ->
    [holds] Rollout gives different tokens nearly the same row: after the last layer { $last } of a row's weight distinguishes it from the average row, after the first layer { $first }
    [divided] In { $outcome_models }, rollout gives different tokens nearly the same row: after the last layer typically { $last } of a row's weight distinguishes it from the average row, after the first layer { $first }
   *[fails] The rows that rollout gives different tokens remain distinct: after the last layer { $last } of a row's weight distinguishes it from the average row, after the first layer { $first }
}
    .question = Whether rollout gives different tokens distinct rows
    .values = after the last layer { $last } of a row's weight distinguishes it from the average row, after the first layer { $first }
propagation_measured = { $before ->
    [holds] With the measured residual, rollout reports less mixing{ $before_tuning } ({ $mixed_pretrained }): the fixed share blends tokens more than the vectors do
    [divided] With the measured residual, rollout reports less mixing{ $before_tuning } in { $before_models } ({ $mixed_pretrained })
    [fails] With the measured residual, rollout reports no less mixing{ $before_tuning } ({ $mixed_pretrained })
    [open] Whether rollout with the measured residual reports less mixing{ $before_tuning } remains open ({ $mixed_pretrained })
   *[not_tested] Whether rollout with the measured residual reports less mixing{ $before_tuning } was not tested
}{ $after ->
    [holds] . After fine-tuning it reports less ({ $mixed_finetuned })
    [divided] . After fine-tuning it reports { $mixed_finetuned }, which is less than with the fixed share in { $after_models }
    [fails] . After fine-tuning it reports no less than with the fixed share ({ $mixed_finetuned })
    [open] . Whether it reports less after fine-tuning remains open ({ $mixed_finetuned })
   *[not_tested] {""}
}
propagation_flat = { $outcome ->
    [holds] Flow sends nearly the same amount to every input token: the normalized entropy of its rows is { $flow }, that of rollout { $rollout }
    [divided] In { $outcome_models }, flow sends nearly the same amount to every input token: the normalized entropy of its rows is typically { $flow }, that of rollout { $rollout }
   *[fails] Flow distinguishes between input tokens: the normalized entropy of its rows is { $flow }, that of rollout { $rollout }
}
    .question = Whether flow sends nearly the same amount to every input token
    .values = the normalized entropy of its rows is { $flow }, that of rollout { $rollout }
propagation_order = { $outcome ->
    [holds] The order of its values is consistent, but inverted: where the evidence in a text is known, flow from the readout token ranks it below the other words (area under the ROC curve { $auc }; 0.5 is chance)
    [divided] The order of its values is inverted in { $outcome_models }: where the evidence in a text is known, flow from the readout token ranks it below the other words (area under the ROC curve { $auc_range } over all models; 0.5 is chance)
   *[fails] The order of its values is not inverted: where the evidence in a text is known, flow from the readout token does not rank it below the other words (area under the ROC curve { $auc }; 0.5 is chance)
}
    .question = Whether the order of its values is inverted
    .values = where the evidence in a text is known, flow from the readout token reaches an area under the ROC curve of { $auc } (0.5 is chance)
propagation_tight = { $from_text ->
    [holds] In the last layer, most pairs that start at an ordinary token stay below the bound: { $text } of them attain it
    [divided] In the last layer, most pairs that start at an ordinary token stay below the bound in { $from_text_models }: typically { $text } of them attain it
    [fails] In the last layer, most pairs that start at an ordinary token attain this bound ({ $text }), so that their flow reflects layer 1 alone
    [open] In the last layer, { $text } of the pairs that start at an ordinary token attain the bound; whether most of them do remains open
   *[not_tested] How many pairs attain the bound was not tested
}{ $from_text ->
    [not_tested] {""}
   *[other] { $with_cls ->
        [yes] . Of the pairs that start at [CLS], { $cls } attain it
       *[no] {""}
    }
}
propagation_rows = { $before ->
    [holds] The rows of rollout with the measured residual differ more{ $before_tuning } than with the fixed share, by { $distance_pretrained } of their weight from the average row
    [divided] The rows of rollout with the measured residual differ more{ $before_tuning } than with the fixed share in { $before_models }, typically by { $distance_pretrained } of their weight from the average row
    [fails] The rows of rollout with the measured residual differ no more{ $before_tuning } than with the fixed share, by { $distance_pretrained } of their weight from the average row
    [open] Whether the rows of rollout with the measured residual differ more{ $before_tuning } than with the fixed share remains open: they differ by { $distance_pretrained } of their weight from the average row
   *[not_tested] Whether the rows of rollout with the measured residual differ more{ $before_tuning } was not tested
}{ $after ->
    [holds] ; after fine-tuning they differ more, by { $distance_finetuned }
    [divided] ; after fine-tuning they differ more in { $after_models }, typically by { $distance_finetuned }
    [fails] ; after fine-tuning they differ no more than with the fixed share, by { $distance_finetuned }
    [open] ; whether they differ more after fine-tuning remains open ({ $distance_finetuned })
   *[not_tested] {""}
}
propagation_first_layer = { $outcome ->
    [holds] Ranked by the attention of the readout token in the first layer alone, the evidence has the same area under the ROC curve as by flow, to within 0.05 ({ $first })
    [divided] In { $outcome_models }, the evidence has the same area under the ROC curve, to within 0.05, by flow and by the attention of the readout token in the first layer alone ({ $first_range })
   *[fails] Ranked by the attention of the readout token in the first layer alone, the evidence has another area under the ROC curve than by flow ({ $first })
}
    .question = Whether the first layer alone ranks the evidence like flow
    .values = ranked by the attention of the readout token in that layer, the evidence has an area under the ROC curve of { $first }
propagation_departs = { $outcome ->
    [holds] The ranking departs from that of the first layer: flow from the readout token agrees with the effect of removing tokens more or less than raw attention of the first layer does, by over 0.05
    [divided] In { $outcome_models }, the ranking departs from that of the first layer: flow from the readout token agrees with the effect of removing tokens more or less than raw attention of the first layer does, by over 0.05
   *[fails] The layers above the first hardly show in the ranking: flow from the readout token agrees with the effect of removing tokens as far as raw attention of the first layer does, to within 0.05
}
    .question = Whether flow from the readout token agrees with the effect of removing tokens as far as raw attention of the first layer does, to within 0.05,
propagation_effective = { $outcome ->
    [holds] In texts with more tokens than a head has dimensions, effective attention keeps { $share } of the length of a row, and its correlation with the weights is { $correlation }
    [divided] In texts with more tokens than a head has dimensions, effective attention keeps most of the length of a row in { $outcome_models }, typically { $share }, and its correlation with the weights is { $correlation }
    [fails] In texts with more tokens than a head has dimensions, effective attention keeps less than half of the length of a row ({ $share }), and its correlation with the weights is { $correlation }
    [open] Whether effective attention keeps most of the length of a row in texts with more tokens than a head has dimensions remains open: it keeps { $share }, and its correlation with the weights is { $correlation }
   *[not_tested] No text of this run has more tokens than a head has dimensions, so effective attention equals the weights
}
propagation_absorbed = { $outcome ->
    [holds] After the last layer, rollout traces { $rollout_range } of the average vector back to the first token, which is what the mask alone does to within ten points: with uniform attention it is { $uniform_range }
    [divided] After the last layer, rollout typically traces { $rollout } of the average vector back to the first token; in { $outcome_models } the mask alone does the same ({ $uniform } with uniform attention)
   *[fails] After the last layer, rollout traces { $rollout } of the average vector back to the first token, which is not what the mask alone does: with uniform attention it is { $uniform }
}
    .question = Whether the mask alone explains how much rollout traces back to the first token
    .values = after the last layer it is { $rollout } of the average vector, and { $uniform } with uniform attention
