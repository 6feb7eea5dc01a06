faithfulness_best = { $untested ->
    [tested] By planted evidence (ROC-AUC), the best method on average { $evidence ->
    [gradient_norm] is the gradient norm
    [integrated_gradients] is integrated gradients
    [attn_lrp] is AttnLRP
    [relevance_sum] is summed relevance
    [relevance_rollout] is rolled-out relevance
    [alti_rollout] is ALTI
    [alti_logit] is ALTI-Logit
    [decompx] is DecompX
    [value_zeroing] is value zeroing
    [value_zeroing_rollout] is value zeroing, rolled out
    [globenc_rollout] is GlobEnc
    [raw] is raw attention
    [depends] depends on the experiment
    [none] is not named, since no model with such evidence has learned its task
   *[other] is one of the other methods
 }; by comprehensiveness, it { $comprehensiveness ->
    [gradient_norm] is the gradient norm
    [integrated_gradients] is integrated gradients
    [attn_lrp] is AttnLRP
    [relevance_sum] is summed relevance
    [relevance_rollout] is rolled-out relevance
    [alti_rollout] is ALTI
    [alti_logit] is ALTI-Logit
    [decompx] is DecompX
    [value_zeroing] is value zeroing
    [value_zeroing_rollout] is value zeroing, rolled out
    [globenc_rollout] is GlobEnc
    [raw] is raw attention
    [depends] depends on the experiment
    [none] is not determined
   *[other] is one of the other methods
 }; by sufficiency, it { $sufficiency ->
    [gradient_norm] is the gradient norm
    [integrated_gradients] is integrated gradients
    [attn_lrp] is AttnLRP
    [relevance_sum] is summed relevance
    [relevance_rollout] is rolled-out relevance
    [alti_rollout] is ALTI
    [alti_logit] is ALTI-Logit
    [decompx] is DecompX
    [value_zeroing] is value zeroing
    [value_zeroing_rollout] is value zeroing, rolled out
    [globenc_rollout] is GlobEnc
    [raw] is raw attention
    [depends] depends on the experiment
    [none] is not determined
   *[other] is one of the other methods
 }
   *[other] Which method is best by planted evidence, comprehensiveness or sufficiency was not tested, since { $why }
 }
faithfulness_solved = { $outcome ->
    [holds] In { $experiments }, the gradient norm shares the first place: ALTI, GlobEnc and the rollout of AttnRes-N find the planted words, too, each with a ROC-AUC above 0.95
    [divided] In { $experiments }, the gradient norm, ALTI, GlobEnc and the rollout of AttnRes-N all reach a ROC-AUC above 0.95 in { $outcome_models }
    [fails] In { $experiments }, neither the gradient norm nor ALTI, GlobEnc or the rollout of AttnRes-N reaches a ROC-AUC of 0.95
    [open] In { $experiments }, these texts do not decide whether the gradient norm, ALTI, GlobEnc and the rollout of AttnRes-N reach a ROC-AUC of 0.95
   *[not_tested] No model of this run has learned to tell the number of a verb
 }
faithfulness_zeroed = { $outcome ->
    [holds] In { $experiments }, value zeroing finds the planted words better than raw attention, norms and rollout do, where these leave room: its ROC-AUC is { $zeroed_range }, that of raw attention { $raw_range }
    [divided] In { $experiments }, value zeroing finds the planted words better than raw attention, norms and rollout do in { $outcome_models }: its ROC-AUC is { $zeroed_range }, that of raw attention { $raw_range }
   *[fails] In { $experiments }, value zeroing finds the planted words no better than raw attention, norms and rollout do: its ROC-AUC is { $zeroed_range }, that of raw attention { $raw_range }
 }
    .question = Whether value zeroing finds the planted words better than raw attention, norms and rollout
    .values = in { $experiments }, its ROC-AUC is { $zeroed_range }, that of raw attention { $raw_range }
faithfulness_chance = { $outcome ->
    [not_tested] Whether a method finds the planted words better than chance was not tested, since { $why }
   *[other] A method that uses no information about the text has an expected ROC-AUC of exactly one half
 }{ $graded ->
    [holds] . Raw attention, rollout with the residual, the vector-based methods, the gradient norm, integrated gradients and relevance exceed this wherever these texts suffice to decide
    [divided] . Raw attention, rollout with the residual, the vector-based methods, the gradient norm, integrated gradients and relevance all exceed this in { $graded_models }
    [fails] . Raw attention, rollout with the residual, the vector-based methods, the gradient norm, integrated gradients and relevance do not exceed this
    [open] . Whether raw attention, rollout with the residual, the vector-based methods, the gradient norm, integrated gradients and relevance all exceed this is undecided; they are shown to in { $graded_held } of { $graded_cases } pairs of method and experiment
   *[not_tested] { "" }
 }{ $signed ->
    [holds] ; so does gradient × input, which is signed
    [divided] ; gradient × input, which is signed, does so in { $signed_models }
    [fails] ; gradient × input, which is signed, does not
    [open] ; for gradient × input, which is signed, these texts do not decide
   *[not_tested] { "" }
 }
faithfulness_beyond_random = By comprehensiveness, random orders have a mean of { $random_range }{ $outcome ->
    [holds] ; raw attention, the gradient norm, integrated gradients and ALTI exceed it wherever these texts suffice to decide
    [divided] ; raw attention, the gradient norm, integrated gradients and ALTI all exceed it in { $outcome_models }
   *[fails] ; raw attention, the gradient norm, integrated gradients and ALTI do not exceed it
}
    .question = Whether raw attention, the gradient norm, integrated gradients and ALTI are more comprehensive than random orders
    .values = random orders have a mean of { $random_range }, and in { $outcome_held } of { $outcome_cases } pairs of method and experiment the method is shown to exceed it
faithfulness_ceiling = { $outcome ->
    [holds] In { $reacts } of the texts, some token matters that much. Ways to remove a token rank tokens nearly alike: by deletion and by {"["}UNK], the ranks correlate with { $ceiling }
    [divided] In { $reacts } of the texts, some token matters that much. Ways to remove a token rank tokens nearly alike in { $outcome_models }: by deletion and by {"["}UNK], the ranks typically correlate with { $ceiling }
   *[fails] In { $reacts } of the texts, some token matters that much. Ways to remove a token do not rank tokens alike: by deletion and by {"["}UNK], the ranks correlate with { $ceiling }, the best that a method can be expected to reach
 }
    .question = Whether ways to remove a token rank tokens nearly alike
    .values = in { $reacts_range } of the texts, some token matters that much; by deletion and by {"["}UNK], the ranks correlate with { $ceiling_range }
faithfulness_flow = { $outcome ->
    [holds] Flow, in contrast, ranks the planted words below the others (ROC-AUC { $flow })
    [divided] Flow, in contrast, ranks the planted words below the others in { $outcome_models } (ROC-AUC { $flow_range })
   *[fails] Flow does not rank the planted words below the others (ROC-AUC { $flow })
 }
    .question = Whether flow ranks the planted words below the others
    .values = its ROC-AUC is { $flow }
faithfulness_verdict = { $outcome ->
    [not_tested] Whether the gradient norm, integrated gradients or ALTI explain a prediction better than raw attention does was not tested, since { $why }
   *[other] Compared with raw attention of the last layer, the gradient norm is { $gradient_norm ->
        [holds] better by every criterion measured wherever these texts suffice to decide
        [divided] better by every criterion in { $gradient_norm_models }
        [fails] better by no criterion
       *[other] undecided in half of the cases or more
     }; integrated gradients are { $integrated_gradients ->
        [holds] better by every criterion measured wherever these texts suffice to decide
        [divided] better by every criterion in { $integrated_gradients_models }
        [fails] better by no criterion
       *[other] undecided in half of the cases or more
     }; ALTI is { $alti_rollout ->
        [holds] better by every criterion measured wherever these texts suffice to decide
        [divided] better by every criterion in { $alti_rollout_models }
        [fails] better by no criterion
       *[other] undecided in half of the cases or more
     }
 }
faithfulness_gradients = { $outcome ->
    [holds] { $evidence ->
        [not_tested] Of the two leading gradient methods, integrated gradients are more comprehensive and more sufficient; there are no planted words to find
       *[other] The two leading gradient methods swap places: the gradient norm finds the planted words better, whereas integrated gradients are more comprehensive and more sufficient
     }
    [divided] The two leading gradient methods swap places by every criterion in { $outcome_models }, where the gradient norm finds the planted words better and integrated gradients are more comprehensive and more sufficient
   *[fails] Between the two leading gradient methods, no such difference by criterion is found
 }
    .question = Whether the gradient norm and integrated gradients swap places by criterion
faithfulness_depth = { $outcome ->
    [holds] In { $experiments }, the reported trend over depth is found
    [divided] In { $experiments }, all of the reported trend over depth is found in { $outcome_models }
   *[fails] In { $experiments }, wherever these texts decide, the reported trend over depth is not found
 }: the correlation of raw attention is { $raw_first_range } in the first layer and { $raw_last_range } in the last
    .question = Whether the reported trend over depth is found
    .values = in { $experiments }, the correlation of raw attention is { $raw_first_range } in the first layer and { $raw_last_range } in the last
faithfulness_middle = { $outcome ->
    [holds] As reported, flow agrees with blank-out better than rollout in the middle layer
    [divided] As reported, flow agrees with blank-out better than rollout in the middle layer in { $outcome_models }
   *[fails] The reported advantage of flow over rollout in the middle layer is not found
 }
    .question = Whether flow has the reported advantage over rollout in the middle layer
faithfulness_departs = { $outcome ->
    [holds] The ranking departs from that of the first layer: the agreement of flow through all layers with blank-out differs from that of raw attention of the first layer by more than 0.05
    [divided] In { $outcome_models }, the ranking departs from that of the first layer: there, the agreement of flow through all layers with blank-out differs from that of raw attention of the first layer by more than 0.05
   *[fails] The layers above the first hardly show in the ranking: flow through all layers agrees with blank-out as far as raw attention of the first layer does, to within 0.05
 }
    .question = Whether flow through all layers agrees with blank-out as far as raw attention of the first layer does, to within 0.05,
faithfulness_start = { $outcome ->
    [holds] Starting halfway up improves the ROC-AUC by more than 0.05; the layer then has to be chosen on texts other than those on which it is judged
    [divided] Starting halfway up improves the ROC-AUC by more than 0.05 in { $outcome_models }; the layer would have to be chosen on texts other than those on which it is judged
   *[fails] Starting halfway up does not improve the ROC-AUC by as much as 0.05, so relevance may start at the input
 }
    .question = Whether starting halfway up improves the ROC-AUC by more than 0.05
faithfulness_sign = { $outcome ->
    [holds] Evidence against the class lies on the same words as evidence for it: it finds the planted words with a ROC-AUC of { $opposing }, where evidence for the class reaches { $supporting }. The sign of these gradients separates the two less than it appears to
    [divided] In { $outcome_models }, evidence against the class lies on the planted words as well, with a ROC-AUC of { $opposing_range } over the experiments
   *[fails] Evidence against the class does not lie on the planted words (ROC-AUC { $opposing }), whereas evidence for it does ({ $supporting })
 }
    .question = Whether evidence against the class lies on the planted words as well
    .values = its ROC-AUC is { $opposing_range }
faithfulness_groups = { $outcome ->
    [holds] In { $experiments }, three groups of methods rank tokens nearly alike (correlation above 0.9), so that each group counts as one vote: the two rules of relevance; Attn-N and AttnResLN-N of the last layer; and the rollouts of AttnRes-N and AttnResLN-N with GlobEnc
    [divided] All methods that are closely related rank tokens nearly alike (correlation above 0.9) in { $outcome_models }
   *[fails] Even methods that are closely related, such as the two rules of relevance, do not rank tokens alike (correlation below 0.9)
 }
    .question = Whether closely related methods, such as the two rules of relevance, rank tokens alike
faithfulness_completeness = { $outcome ->
    [holds] In { $experiments }, the sum typically misses it by { $error }, where the logits of the two classes lie { $margin } apart
    [divided] In { $experiments }, the sum typically misses it by { $error }, where the logits of the two classes lie { $margin } apart; it stays below 0.5, so that the ranks can be trusted, in { $outcome_models }
    [fails] In { $experiments }, the sum typically misses it by { $error }, where the logits of the two classes lie { $margin } apart; the ranks are therefore not to be trusted
    [open] In { $experiments }, the sum typically misses it by { $error }, where the logits of the two classes lie { $margin } apart; these texts do not decide whether the error stays below 0.5
   *[not_tested] How closely it does so here was not tested, since { $why }
 }{ $with_elsewhere ->
    [yes] . In models that predict the next word, which this does not judge, it misses by { $elsewhere_range }
   *[no] {""}
 }
faithfulness_written = { $outcome ->
    [holds] In { $experiments }, attention of the last layer writes { $by_attention } of the logit and its feed-forward network { $by_ffn }, each more than a quarter
    [divided] In { $experiments }, attention of the last layer writes { $by_attention } of the logit and its feed-forward network { $by_ffn }; each is shown to be more than a quarter in { $outcome_models }
   *[fails] In { $experiments }, attention of the last layer writes only { $by_attention } of the logit and its feed-forward network { $by_ffn }
 }
    .question = Whether attention and the feed-forward network of the last layer each write more than a quarter of the logit
    .values = in { $experiments }, attention writes { $by_attention } of it, the feed-forward network { $by_ffn }
faithfulness_traced = { $outcome ->
    [holds] In { $experiments }, ALTI-Logit ranks tokens nearly as ALTI does (correlation { $alti_range })
    [divided] Of { $experiments }, in { $outcome_models }, ALTI-Logit ranks tokens nearly as ALTI does (correlation { $alti_range })
    [fails] In { $experiments }, ALTI-Logit does not rank tokens as ALTI does (correlation { $alti_range })
    [open] The texts of { $experiments } do not decide whether ALTI-Logit ranks tokens nearly as ALTI does (correlation { $alti_range })
   *[not_tested] Whether ALTI-Logit ranks tokens nearly as ALTI does was not tested, since { $why }
 }{ $with_elsewhere ->
    [yes] . In models that predict the next word, which this does not judge, the correlation is { $elsewhere_range }
   *[no] {""}
 }
faithfulness_dense_ranks = { $outcome ->
    [holds] With ties, giving equal values the same rank and the next value the next rank (dense ranks) changes the correlation by less than 0.01
    [divided] With many ties, giving equal values the same rank and the next value the next rank (dense ranks) biases the correlation noticeably; with few, it does not
   *[fails] Giving equal values the same rank and the next value the next rank (dense ranks) biases the correlation as soon as there are ties
 }
    .question = Whether giving equal values the same rank and the next value the next rank (dense ranks) biases the correlation
