faithfulness_best = By planted evidence (ROC-AUC), the best method { $evidence ->
    [gradient_norm] is the gradient norm
    [integrated_gradients] is integrated gradients
    [relevance_sum] is summed relevance
    [relevance_rollout] is rolled-out relevance
    [alti_rollout] is ALTI
    [globenc_rollout] is GlobEnc
    [raw] is raw attention
    [depends] depends on the experiment
    [none] is not known
   *[other] is one of the other methods
 }; by comprehensiveness, it { $comprehensiveness ->
    [gradient_norm] is the gradient norm
    [integrated_gradients] is integrated gradients
    [relevance_sum] is summed relevance
    [relevance_rollout] is rolled-out relevance
    [alti_rollout] is ALTI
    [globenc_rollout] is GlobEnc
    [raw] is raw attention
    [depends] depends on the experiment
    [none] is not known
   *[other] is one of the other methods
 }; by sufficiency, it { $sufficiency ->
    [gradient_norm] is the gradient norm
    [integrated_gradients] is integrated gradients
    [relevance_sum] is summed relevance
    [relevance_rollout] is rolled-out relevance
    [alti_rollout] is ALTI
    [globenc_rollout] is GlobEnc
    [raw] is raw attention
    [depends] depends on the experiment
    [none] is not known
   *[other] is one of the other methods
 }

faithfulness_solved = { $outcome ->
    [holds] In the experiment agreement, the gradient norm shares the first place: ALTI, GlobEnc and the rollout of AttnRes-N find the planted words as reliably, each with a ROC-AUC above 0.95
    [partly] In the experiment agreement, only some of the gradient norm, ALTI, GlobEnc and the rollout of AttnRes-N reach a ROC-AUC above 0.95
    [fails] In the experiment agreement, neither the gradient norm nor ALTI, GlobEnc or the rollout of AttnRes-N reaches a ROC-AUC of 0.95
    [open] In the experiment agreement, these texts do not decide whether the gradient norm, ALTI, GlobEnc and the rollout of AttnRes-N reach a ROC-AUC of 0.95
   *[not_tested] The experiment agreement is not part of this run
 }

faithfulness_chance = { $outcome ->
    [not_tested] No text of this run records its evidence, so no method can be compared with chance
   *[other] A method that knows nothing has an expected ROC-AUC of exactly one half
 }{ $graded ->
    [holds] . Raw attention, rollout, the vector-based methods, gradients and relevance exceed this wherever these texts suffice to decide
    [partly] . Raw attention, rollout, the vector-based methods, gradients and relevance exceed this in some cases, but not in all
    [fails] . Raw attention, rollout, the vector-based methods, gradients and relevance do not exceed this
    [open] . Whether raw attention, rollout, the vector-based methods, gradients and relevance exceed this remains mostly undecided with these texts
   *[not_tested] { "" }
 }{ $signed ->
    [holds] ; so does gradient × input, which is signed
    [partly] ; gradient × input, which is signed, does so in some experiments only
    [fails] ; gradient × input, which is signed, does not
    [open] ; for gradient × input, which is signed, these texts do not decide
   *[not_tested] { "" }
 }

faithfulness_flow = { $outcome ->
    [holds] Flow, in contrast, ranks the planted words below the others (ROC-AUC { $flow })
    [partly] Flow, in contrast, ranks the planted words below the others in some experiments (ROC-AUC { $flow_range })
    [fails] Flow does not rank the planted words below the others (ROC-AUC { $flow })
    [open] These texts do not decide whether flow ranks the planted words below the others (ROC-AUC { $flow })
   *[not_tested] The same holds for flow
 }

faithfulness_verdict = { $outcome ->
    [not_tested] No method could be compared with raw attention
   *[other] Compared with raw attention of the last layer, the gradient norm is { $gradient_norm ->
        [holds] better by every criterion wherever these texts suffice to decide
        [partly] better by some criteria or in some experiments only
        [fails] better by no criterion
       *[other] not demonstrably better or worse
     }; integrated gradients are { $integrated_gradients ->
        [holds] better by every criterion wherever these texts suffice to decide
        [partly] better by some criteria or in some experiments only
        [fails] better by no criterion
       *[other] not demonstrably better or worse
     }; ALTI is { $alti_rollout ->
        [holds] better by every criterion wherever these texts suffice to decide
        [partly] better by some criteria or in some experiments only
        [fails] better by no criterion
       *[other] not demonstrably better or worse
     }
 }

faithfulness_gradients = { $outcome ->
    [holds] The two leading gradient methods swap places: the gradient norm finds the planted words better, whereas integrated gradients are more comprehensive and more sufficient
    [partly] The two leading gradient methods swap places by some of the criteria only, of which the gradient norm should win the first and integrated gradients the others
    [fails] Between the two leading gradient methods, no such difference by criterion is found
    [open] These texts do not decide whether the gradient norm and integrated gradients swap places by criterion
   *[not_tested] The two gradient methods were not compared
 }

faithfulness_depth = { $outcome ->
    [holds] The reported course over depth is found here
    [partly] The reported course over depth is found here only in part
    [fails] The reported course over depth is not found here
    [open] These texts do not decide whether the reported course over depth is found here
   *[not_tested] The reported course over depth could not be tested
 }{ $outcome ->
    [not_tested] { "" }
   *[other] : the correlation of raw attention goes from { $raw_first } in the first layer to { $raw_last } in the last
 }

faithfulness_middle = { $outcome ->
    [holds] As reported, flow agrees with blank-out better than rollout in the middle layer
    [partly] The reported advantage of flow over rollout in the middle layer is found only in part
    [fails] The reported advantage of flow over rollout in the middle layer is not found
    [open] These texts do not decide whether flow has the reported advantage over rollout in the middle layer
   *[not_tested] The reported advantage of flow over rollout in the middle layer could not be tested
 }

faithfulness_stuck = { $outcome ->
    [holds] Flow through all layers agrees with blank-out exactly as far as raw attention of the first layer does, to within 0.05: for [CLS], the layers above have no effect on the ranking
    [partly] Flow through all layers agrees with blank-out as far as raw attention of the first layer does, to within 0.05, in some experiments only
    [fails] Flow through all layers departs from the ranking of the first layer: here, the layers above do count
    [open] These texts do not decide whether flow through all layers still ranks tokens as the first layer does
   *[not_tested] Whether flow still ranks tokens as the first layer does could not be measured
 }

faithfulness_start = { $outcome ->
    [holds] Starting half-way up improves the ROC-AUC by more than 0.05; the layer then has to be chosen on texts other than those it is judged by
    [partly] Starting half-way up improves the ROC-AUC by more than 0.05 in some experiments only; the layer would have to be chosen on texts other than those it is judged by
    [fails] Starting half-way up does not improve the ROC-AUC by 0.05, so relevance may start at the input
    [open] These texts do not decide whether starting half-way up improves the ROC-AUC
   *[not_tested] Where relevance should start could not be measured
 }

faithfulness_sign = { $outcome ->
    [holds] Evidence against the class lies on the same words as evidence for it: it finds the planted words with a ROC-AUC of { $opposing }, where evidence for the class reaches { $supporting }. The sign of these gradients separates the two less than it appears to
    [partly] In some experiments, evidence against the class lies on the planted words as well, with a ROC-AUC of { $opposing_range } over the experiments
    [fails] Evidence against the class does not lie on the planted words (ROC-AUC { $opposing }), whereas evidence for it does ({ $supporting })
    [open] These texts do not decide whether evidence against the class lies on the planted words as well (ROC-AUC { $opposing })
   *[not_tested] Whether evidence against the class lies on the planted words could not be measured
 }

faithfulness_groups = { $outcome ->
    [holds] Three groups of methods rank tokens nearly alike (correlation above 0.9), so that each group counts as one vote: the two rules of relevance; Attn-N and AttnResLN-N of the last layer; and the rollouts of AttnRes-N and AttnResLN-N with GlobEnc
    [partly] Only some of the methods that are closely related rank tokens nearly alike (correlation above 0.9)
    [fails] Even methods that are closely related, such as the two rules of relevance, do not rank tokens alike (correlation below 0.9)
    [open] These texts do not decide whether closely related methods, such as the two rules of relevance, rank tokens alike
   *[not_tested] How far methods rank tokens alike could not be measured
 }

faithfulness_completeness = { $outcome ->
    [holds] The sum misses it by typically { $error }, where the logits of the two classes lie { $margin } apart
    [partly] The sum misses it by typically { $error }, where the logits of the two classes lie { $margin } apart: in some experiments, the ranks are not to be trusted
    [fails] The sum misses it by typically { $error }, where the logits of the two classes lie { $margin } apart; the ranks are therefore not to be trusted
    [open] The sum misses it by typically { $error }, where the logits of the two classes lie { $margin } apart; these texts do not decide whether the error stays below 0.5
   *[not_tested] By how much the sum misses it could not be measured
 }

faithfulness_dense_ranks = { $outcome ->
    [holds] With ties, giving equal values the same rank and the next value the next rank (dense ranks) changes the correlation by less than 0.01
    [partly] With many ties, giving equal values the same rank and the next value the next rank (dense ranks) biases the correlation noticeably; with few, it does not
    [fails] Giving equal values the same rank and the next value the next rank (dense ranks) biases the correlation as soon as there are ties
   *[other] What dense ranks do to the correlation was not computed
 }
