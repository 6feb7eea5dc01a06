weights = weights
propagation = propagation
vectors = vectors
gradients = gradients
removal = removal
baselines = baselines
attn_w_rollout = rollout without residual
attn_n_rollout = Attn-N rollout
attnres_n_rollout = AttnRes-N rollout
attnresln_n_rollout = AttnResLN-N rollout
rollout_measured = rollout (measured residual)
flow_measured = flow (measured residual)
globenc_rollout = GlobEnc
alti_rollout = ALTI
gradient_norm = gradient norm
gradient_x_input = gradient × input
integrated_gradients = integrated gradients
relevance_sum = summed relevance
relevance_rollout = rolled-out relevance
blank_out_delete = blank-out, deleted
blank_out_mask = blank-out, [MASK]
blank_out_unknown = blank-out, [UNK]
random = random
uniform = constant
roc_auc = ROC-AUC
comprehensiveness = comprehensiveness
sufficiency = sufficiency
gradient = Spearman, gradient
roc_auc_short =
    evidence
    ROC-AUC ↑
blank_out_delete_short =
    Spearman
    deleted ↑
blank_out_mask_short =
    Spearman
    {""}[MASK] ↑
blank_out_unknown_short =
    Spearman
    {""}[UNK] ↑
gradient_short =
    Spearman
    gradient ↑
comprehensiveness_short =
    compre-
    hensiveness ↑
sufficiency_short =
    sufficiency ↓
    {""}
cls_blank_out = blank-out, [CLS] row
cls_gradient = gradient, [CLS] row
max_blank_out = blank-out, maximum
max_gradient = gradient, maximum
first = first layer that counts
for = evidence for the class
against = evidence against it
spearman = mean Spearman correlation
fractions_comma = ,{" "}
undefined_texts = { $n ->
    [0] Every difference is defined for every text
    [one] A difference is undefined for at most one text
   *[other] A difference is undefined for at most { $texts } texts
 }

# Alternative texts of the figures
alt_ranking = Dot plots of the ROC-AUC with which each method finds the planted evidence, one column for each experiment, methods from best to worst, with the line of chance at one half.
alt_text = Heat strips over the tokens of one text, one row for each method, grouped by what the method looks at; the evidence is marked in the top row. Experiment { $experiment }.
alt_panel = Dot plots, methods as rows grouped by what they look at, measures as columns: ROC-AUC against evidence, Spearman correlation with three kinds of blank-out and with gradients, comprehensiveness, sufficiency; one marker for each experiment.
alt_layers = Line charts over the layers of the rank correlation of raw attention, rollout and flow with blank-out and with gradients, read off the row of [CLS] and off the maximum over all rows; one column for each experiment.
alt_start = Line charts of the ROC-AUC of two relevance rules over the first layer that counts, for evidence for and against the predicted class; one column for each experiment.
alt_agreement = Heat maps, one for each experiment, of the mean rank correlation between every two methods; blue below zero, black at zero, red above.
