faithfulness_evidence_lead = The words that carry the label are found best by { $best } (ROC-AUC { $best_auc }); raw attention of the last layer reaches { $raw }, rollout { $rollout }, flow { $flow }; { $failing ->
    [0] no method ranks them worse than chance in every experiment
    [one] { $below } ranks them worse than chance in every experiment
   *[other] { $below } rank them worse than chance in every experiment
}
faithfulness_not_above = { $failing ->
    [0] every method is above a random score by both measures in every experiment
   *[other] not above a random score, by one of the two measures in one experiment at least: { $names }; these should not be read as explanations
}
faithfulness_above = { $outcome ->
    [trusted] above raw attention of the last layer by one of the two measures in every experiment, and below it by neither in any, stands { $names }: for models and texts like these the first choice
   *[none] no method beats raw attention of the last layer outright, that is, by one of the two measures in every experiment and without losing by the other in any; above it in every experiment at finding the evidence: { $found }; at comprehensiveness: { $kept }
}
faithfulness_above_nobody = none
faithfulness_same_rankings = { $outcome ->
    [alike] nearly one ranking (above { $bound } in every experiment), and so one vote each: { $groups }
   *[different] no two methods rank the tokens nearly alike in every experiment
}
faithfulness_same_rankings_group = { $methods }
faithfulness_same_rankings_next = ;{" "}
faithfulness_two_rules = { $outcome ->
    [alike] here the two rules are practically one (mean rank correlation { $correlations }) and count as one vote
   *[different] here the two rules differ (mean rank correlation { $correlations })
}
faithfulness_depth = for raw attention the correlation with blank-out { $raw }, for rollout it { $rollout }
faithfulness_depth_of_method = { $outcome ->
    [rises] is higher in the last layer than in the first
    [falls] is lower in the last layer than in the first
   *[depends] has no common direction over the experiments
} ({ $first } in the first, { $last } in the last)
faithfulness_middle_layers = { $outcome ->
    [above] half-way up flow is above rollout in every experiment, as published ({ $least } to { $most })
    [nowhere] half-way up flow is above rollout in no experiment, though it was published to be (difference { $least } to { $most })
   *[depends] half-way up flow is not above rollout in every experiment, as it was published to be (difference { $least } to { $most })
}
faithfulness_stuck_flow = { $outcome ->
    [no_ranks] no ranking, as no text has two tokens to rank
    [equal] the means of flow are those of raw attention in the first layer to three decimals, whatever the depth: for [CLS], flow with the fixed residual ranks tokens as layer one does
    [near] no mean of flow differs by more than { $drift } from that of raw attention in the first layer, whatever the depth: for [CLS], flow with the fixed residual ranks tokens as layer one does
   *[departs] flow departs from the ranking of the first layer by up to { $drift }: here layers above the first do count
}
faithfulness_start_layer = { $outcome ->
    [nothing] starting above the input gains nothing and costs up to { $loss }: leave it at the input
    [little] starting above the input gains { $gain } at most and costs up to { $loss }: leave it at the input
   *[depends] starting above the input gains up to { $gain } and costs up to { $loss }, depending on layer and experiment: it has to be chosen, and on other texts than those it is judged by
}
faithfulness_sign = { $outcome ->
    [same_tokens] evidence against the class lies on the same tokens as evidence for it: it finds the planted words with a ROC-AUC of { $opposing }, against { $supporting }; the sign of a gradient tells these two apart less than it seems
   *[depends] evidence against the class does not lie on the planted words in every experiment (ROC-AUC { $opposing }, against { $supporting } for the evidence that supports it)
}
faithfulness_undefined = { $outcome ->
    [none] Every difference is defined for every text
   *[some] A difference is undefined for at most { $texts } texts
}
