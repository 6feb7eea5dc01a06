faithfulness_best = { $untested ->
    [tested] { $evidence ->
        [gradient_norm] On average over the experiments, the gradient norm separates the words that carry the label from the others better than any other method does
        [none] No model with planted evidence has learned its task
       *[other] Methods differ in how well they separate the words that carry the label from the others
     }
   *[other] Which method finds the words that carry the label best was not tested, since { $why }
 }
faithfulness_solved = { $outcome ->
    [holds] In { $experiments }, the task is nearly solved: the gradient norm, ALTI, GlobEnc and the rollout of AttnRes-N all exceed a ROC-AUC of 0.95
    [not_tested] No model of this run has learned to tell the number of a verb
   *[other] In { $experiments }, the texts suffice to show a ROC-AUC above 0.95 in { $outcome_held ->
        [0] none
       *[other] { $outcome_held }
     } of { $outcome_cases } cases (gradient norm, ALTI, GlobEnc and the rollout of AttnRes-N)
 }
faithfulness_zeroed = { $outcome ->
    [fails] In { $experiments }, value zeroing finds the planted words no better than raw attention, norms and rollout do: its ROC-AUC is { $zeroed_range }, that of raw attention { $raw_range }
   *[other] In { $experiments }, value zeroing finds the planted words with a ROC-AUC of { $zeroed_range }, raw attention with { $raw_range }
 }
    .untested = Whether value zeroing finds the planted words better than raw attention, norms and rollout
faithfulness_chance = { $graded ->
    [holds] Raw attention, rollout with the residual, the vector-based methods, the gradient norm, integrated gradients and relevance all exceed the ROC-AUC of chance, one half
   *[other] Raw attention, rollout with the residual, the vector-based methods, the gradient norm, integrated gradients and relevance are shown to exceed the ROC-AUC of chance, one half, in { $graded_held } of { $graded_cases } pairs of method and experiment
 }
    .untested = Whether methods find the planted words better than chance
faithfulness_beyond_random = { $outcome ->
    [holds] Raw attention, the gradient norm, integrated gradients and ALTI are all more comprehensive than random orders, which reach { $random_range }
   *[other] Random orders have a comprehensiveness of { $random_range }, which raw attention, the gradient norm, integrated gradients and ALTI are shown to exceed in { $outcome_held } of { $outcome_cases } pairs of method and experiment
 }
    .untested = Whether raw attention, the gradient norm, integrated gradients and ALTI are more comprehensive than random orders
faithfulness_ceiling = Some token matters that much in { $reacts_range } of the texts of an experiment. There, the ranks by deletion and by {"["}UNK] correlate with { $ceiling_range }
    .untested = How far the ways to remove a token rank tokens alike
faithfulness_flow = { $outcome ->
    [holds] Flow ranks the planted words below the others, with a ROC-AUC of { $flow_range }
    [divided] Flow ranks the planted words below the others in { $outcome_models }, with ROC-AUCs of { $flow_range } over all of them
   *[other] Flow finds the planted words with a ROC-AUC of { $flow_range }
 }
    .untested = How flow ranks the planted words
faithfulness_verdict = { $outcome ->
    [holds] The gradient norm, integrated gradients and ALTI are all ahead of raw attention, by every criterion
   *[other] In { $outcome_held } of { $outcome_cases } comparisons, the gradient norm, integrated gradients or ALTI is shown to be ahead of raw attention by at least 0.05
 }
    .untested = Whether the gradient norm, integrated gradients or ALTI explain a prediction better than raw attention does
faithfulness_gradients = { $outcome ->
    [holds] { $evidence ->
        [not_tested] Integrated gradients are more comprehensive and more sufficient than the gradient norm
       *[other] The gradient norm finds the planted words better, whereas integrated gradients are more comprehensive and more sufficient
     }
   *[other] The order of the gradient norm and integrated gradients can differ between criteria
 }
    .untested = Whether the gradient norm and integrated gradients swap places by criterion
faithfulness_depth = { $outcome ->
    [fails] In { $experiments }, the reported trend over depth is not found: the correlation of raw attention with blank-out is { $raw_first_range } in the first layer and { $raw_last_range } in the last
   *[other] In { $experiments }, the correlation of raw attention with blank-out is { $raw_first_range } in the first layer and { $raw_last_range } in the last
 }
    .untested = Whether the reported trend over depth is found
faithfulness_middle = { $outcome ->
    [fails] The reported advantage of flow over rollout in the middle layer is not found
   *[other] In the middle layer, flow is shown to agree with blank-out better than rollout in { $outcome_held ->
        [0] none
       *[other] { $outcome_held }
     } of the { $outcome_cases } models
 }
    .untested = Whether flow has the reported advantage over rollout in the middle layer
faithfulness_departs = { $outcome ->
    [fails] The layers above the first hardly show in the ranking: flow through all layers agrees with blank-out as raw attention of the first layer does, to within 0.05
   *[other] Flow through all layers and raw attention of the first layer are shown to differ in their agreement with blank-out, by more than 0.05, in { $outcome_held ->
        [0] none
       *[other] { $outcome_held }
     } of the { $outcome_cases } states of models
 }
    .untested = Whether flow through all layers agrees with blank-out as far as raw attention of the first layer does
faithfulness_start = { $outcome ->
    [fails] Starting halfway up does not raise the ROC-AUC by as much as 0.05, so relevance may start at the input
   *[other] Starting halfway up is shown to raise the ROC-AUC by more than 0.05 in { $outcome_held ->
        [0] none
       *[other] { $outcome_held }
     } of the { $outcome_cases } models
 }
    .untested = Whether starting halfway up raises the ROC-AUC by more than 0.05
faithfulness_sign = { $outcome ->
    [holds] Evidence against the class lies on the same words as evidence for it: the former finds the planted words with a ROC-AUC of { $opposing_range }, the latter with { $supporting_range }
   *[other] Evidence against the class finds the planted words with a ROC-AUC of { $opposing_range }, evidence for it with { $supporting_range }
 }
    .untested = Whether evidence against the class lies on the planted words as well
faithfulness_groups = { $outcome ->
    [holds] In { $experiments }, three groups of methods rank tokens nearly alike (correlation above 0.9), so each counts as one vote: the two rules of relevance, Attn-N with AttnResLN-N in the last layer, and GlobEnc with the rollouts of AttnRes-N and AttnResLN-N
   *[other] Closely related methods, such as the two rules of relevance, are shown to rank tokens nearly alike (correlation above 0.9) in { $outcome_held } of { $outcome_cases } comparisons
 }
    .untested = Whether closely related methods, such as the two rules of relevance, rank tokens alike
faithfulness_completeness = In { $experiments }, the sum typically misses it by { $error }, where the logits of the two classes lie { $margin } apart{ $with_elsewhere ->
    [yes] . In models that predict the next word, it misses by { $elsewhere_range }
   *[no] {""}
 }
    .untested = How closely it does so here
faithfulness_written = In { $experiments }, attention of the last layer writes { $by_attention } of the logit and its feed-forward network { $by_ffn }
    .untested = How much of the logit attention and the feed-forward network of the last layer write
faithfulness_traced = In { $experiments }, the ranks of tokens by ALTI-Logit and by ALTI correlate with { $alti_range }{ $with_elsewhere ->
    [yes] , in models that predict the next word with { $elsewhere_range }
   *[no] {""}
 }
    .untested = How far ALTI-Logit ranks tokens as ALTI does
faithfulness_dense_ranks = { $outcome ->
    [fails] Dense ranks, which give equal values the same rank and the next value the next one, bias the correlation as soon as there are ties
   *[other] Dense ranks give equal values the same rank and the next value the next one
 }
    .untested = Whether dense ranks bias the correlation
