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
