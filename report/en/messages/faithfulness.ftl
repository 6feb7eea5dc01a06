chapter_faithfulness = Faithfulness

## Words of figures and tables

weights = weights
propagation = propagation
vectors = vectors
gradients = gradients
removal = removal: the ceiling
baseline = baselines
rollout_measured = rollout (measured residual)
flow_measured = flow (measured residual)
alti_logit_unsigned = ALTI-Logit, unsigned
gradient_x_input_unsigned = gradient × input, unsigned
integrated_gradients_unsigned = integrated gradients, unsigned
attn_lrp_unsigned = AttnLRP, unsigned
decompx_unsigned = DecompX, unsigned
relevance_sum = summed relevance
relevance_rollout = rolled-out relevance
left_out_delete = leaving out: deleted
left_out_mask = leaving out: [MASK]
left_out_unknown = leaving out: [UNK]
random = random
comprehensiveness = comprehensiveness
comprehensiveness_normalised = comprehensiveness between the limits of a text
sufficiency = sufficiency
blank_out_delete = blank-out, deleted
blank_out_mask = blank-out, [MASK]
blank_out_unknown = blank-out, [UNK]
top_delete = highest score at the costliest token, deleted
top_mask = highest score at the costliest token, [MASK]
top_unknown = highest score at the costliest token, [UNK]
reacts = texts where removing some token moves the probability
gradient = Spearman, gradient
counterfactual = words that can be changed: Spearman, cost of the change
top_counterfactual = highest score at the word whose change costs most
evidence_decides = texts where the word whose change costs most is evidence
first_decides = texts where the word whose change costs most is the first that can be changed
top_counterfactual_short =
    costliest
    changed word ↑
counterfactual_short =
    Spearman
    changed words ↑
roc_auc_short =
    evidence
    ROC-AUC ↑
precision_at_one_short =
    evidence
    first ↑
blank_out_delete_short =
    Spearman
    deleted ↑
top_delete_short =
    costliest
    deleted ↑
blank_out_mask_short =
    Spearman
    {""}[MASK] ↑
top_mask_short =
    costliest
    {""}[MASK] ↑
blank_out_unknown_short =
    Spearman
    {""}[UNK] ↑
top_unknown_short =
    costliest
    {""}[UNK] ↑
gradient_short =
    Spearman
    gradient ↑
comprehensiveness_normalised_short =
    compr. between
    limits ↑
sufficiency_short =
    sufficiency ↓
    {""}
cls_blank_out = blank-out, readout row
cls_gradient = gradient, readout row
max_blank_out = blank-out, maximum
max_gradient = gradient, maximum
first = first layer included
for = evidence for the class
against = evidence against it
mean_of_texts = mean over texts
spearman = mean Spearman correlation
fractions_comma = ,{" "}
undefined_texts = { $n ->
    [0] Every difference is defined for every text
    [one] A difference is undefined for at most one text
   *[other] A difference is undefined for at most { $texts } texts
 }
precision_at_one = precision at 1
roc_auc_column = ROC-AUC
comprehensiveness_column = compr.
undefined = texts undefined
published = published
source = source
measured_against = compared with
statement = statement
order_holds = same order
order_partly = same order in part
order_smaller = same order, smaller differences
order_fails = different order
order_open = undecided
blank_out = blank-out, [UNK]
input_gradient = gradient
late_rollout = rollout agrees with gradients more than raw attention does, layer 5, maximum over rows
vectors_help = GlobEnc > AttnRes-N > Attn-N > weights, all rolled out, agreement with gradients
measured_helps = measured residual > fixed residual in rollout, agreement with gradients
alti_comprehensive = ALTI > rollout in comprehensiveness
alti_sufficient = ALTI < rollout in sufficiency (low is good)
evidence = evidence
scaled = score, divided by the largest of its row
written = written into the logit
attention = attention
ffn = feed-forward network
bias = biases
runs_raw_roc_auc = ROC-AUC, raw
runs_alti_rollout_roc_auc = ROC-AUC, ALTI
runs_integrated_gradients_roc_auc = ROC-AUC, integrated gradients
runs_raw_comprehensiveness = comprehensiveness, raw
runs_alti_rollout_comprehensiveness = comprehensiveness, ALTI
runs_integrated_gradients_comprehensiveness = comprehensiveness, integrated gradients

## Words that are changed, and what is ahead

leading = { $extent ->
    [none] No model whose predictions are explained has learned its task
    [all] One method is ahead by every criterion on every corpus: { $best }
   *[other] No method is ahead by every criterion on every corpus. First place goes most often to { $best }, in { $led } of { $pairs } pairs of criterion and corpus
}
changed_decides = { $extent ->
    [unasked] All words that can be changed carry the label here
    [all] In every text in which words that carry the label and others can be changed ({ $texts }), the word whose change costs most carries the label
   *[other] The word whose change costs most carries the label in { $share } of the texts of an experiment ({ $texts } in all)
}
changed_removal = { $extent ->
    [all] Removing words one by one, { $ways }, always points at the same word
   *[other] Removing words one by one, { $ways }, points at the same word in { $share } of the texts of an experiment
}
changed_by = { $removal ->
    [left_out_delete] by deletion
    [left_out_mask] with {"["}MASK]
   *[left_out_unknown] with {"["}UNK]
}
changed_place = The word whose change costs most is the first of those that can be changed in { $share } of the texts of an experiment
changed_best = On average over the experiments ({ $texts } in all), it is found most often by { $best }, in { $share } of the texts

## Alternative texts of figures

alt_ranking = Dot plots of the ROC-AUC with which each method finds the planted evidence, one column for each experiment, methods from best to worst, with the line of chance at one half.
alt_text = Heat strips over the tokens of one text, one row for each method, grouped by what the method looks at; the evidence is marked in the top row. Experiment { $experiment }.
alt_panel = Dot plots, methods as rows grouped by what they look at, measures as columns: ROC-AUC and precision at 1 against evidence, Spearman correlation with blank-out and how often the highest score is at the costliest token, Spearman correlation with gradients, comprehensiveness between its limits, sufficiency; one marker for each experiment.
alt_changed = Dot plots, methods as rows grouped by what they look at: how often the highest score among the words that can be changed is at the word whose change costs most, and the rank correlation of scores and costs; one marker for each experiment.
alt_matrix = Three maps with methods as rows and corpora as columns: ROC-AUC against evidence, Spearman correlation with blank-out, and comprehensiveness between its limits; each cell gives the mean in hundredths.
alt_layers = Line charts over the layers of the rank correlation of raw attention, rollout and flow with blank-out and with gradients, read off the row of the readout token and off the maximum over all rows.
alt_written = Line charts over the layers of what attention, feed-forward networks and biases write into the logit of the predicted class.
alt_start = Line charts of the ROC-AUC of two relevance rules over the first layer included, for evidence for and against the predicted class.
alt_agreement = Heat maps of the mean rank correlation between every two methods; blue below zero, black at zero, red above.

## Published claims

B1_statement = Raw attention stops agreeing with the effect of removing tokens in deeper layers, while rollout and flow agree better the deeper they reach.
B1_published = raw { $blank_out_raw }; rollout { $blank_out_rollout }; flow { $blank_out_flow } (layers 1 to 6)
B1_rule = rank correlation with blank-out ([UNK]; texts in which some removal matters) in the row of the readout token ([CLS] in an encoder), differences on the same texts; each must reach a quarter of the published difference: raw falls from layer 1 to the middle layer, rollout and flow rise from layer 1 to the last, and both exceed raw over the upper half

B2_statement = Raw attention also stops agreeing with input gradients in deeper layers, while rollout and flow agree better the deeper they reach.
B2_published = raw { $gradient_raw }; rollout { $gradient_rollout }; flow { $gradient_flow } (layers 1 to 6)
B2_rule = as B1, with the norm of the gradient in place of blank-out

B3_statement = In the middle layers, flow agrees with the effect of removing tokens better than rollout does.
B3_published = { $blank_out_flow_2 } against { $blank_out_rollout_2 } in layer 3 of 6; by gradients { $gradient_flow_2 } against { $gradient_rollout_2 }
B3_rule = flow minus rollout on the same texts in the middle layer, for blank-out ([UNK]; texts in which some removal matters), reaches a quarter of the published difference; the difference for gradients is shown beside it

B4_statement = The agreement of flow with the effect of removing tokens rises up to the middle layer and then stays the same.
B4_published = { $blank_out_flow_2 }, { $blank_out_flow_3 }, { $blank_out_flow_4 }, { $blank_out_flow_5 } in layers 3 to 6
B4_rule = from layer 1 to the middle layer the agreement (blank-out, texts in which some removal matters) rises by at least a quarter of the published rise, and, where it rose, it changes by at most 0.05 from there to the last layer; for comparison, the share of pairs whose flow is what layer 1 alone allows

B5_statement = In a late layer of a sentiment model, rollout agrees with input gradients more than raw attention does.
B5_published = { $rollout } against { $raw } in layer { $layer } of 6
B5_rule = correlation with the norm of the gradient (the paper uses the absolute sum of its components), rollout minus raw on the same texts, in the layer at five sixths of the depth, maximum over the rows of all tokens; a quarter of the published difference is required

B6_statement = The more of the layer a method counts, the better its rollout agrees with gradients: GlobEnc > vectors with residual > vectors > weights.
B6_published = { $globenc }, { $residual }, { $vectors }, { $weights }
B6_rule = each method agrees with the norm of the gradient (the paper uses gradient × input) better than the next, by at least a quarter of the published difference on the same texts

B7_statement = Fixing the residual at one half hurts the rollout of weights.
B7_published = { $fixed } with the fixed residual, { $measured } with the measured one
B7_rule = rollout with the measured residual agrees with the norm of the gradient (the paper uses gradient × input) better than rollout with the fixed one, by at least a quarter of the published difference on the same texts

B11_statement = ALTI beats rollout in comprehensiveness and sufficiency.
B11_published = comprehensiveness { $comprehensiveness_alti } against { $comprehensiveness_rollout }; sufficiency { $sufficiency_alti } against { $sufficiency_rollout } (low is good)
B11_rule = ALTI minus rollout on the same texts reaches a quarter of the published difference: upwards in comprehensiveness, as it is and normalised by what the best and the worst order of removal reach, and downwards in sufficiency

B31_statement = On agreement, value zeroing finds the words that matter better than other methods.
B31_published = superior to other analysis methods by linguistically informed rationales (no value is compared here)
B31_rule = not tested: the paper reads the row of the masked word, in a model with its head for masked words. The same differences of the ROC-AUC against planted evidence, for the row of {"["}CLS] in sentences of the grammar agreement, are shown beside

conditions_blimp = BERT-base, RoBERTa-base and ELECTRA on agreement sentences of BLiMP
B32_statement = ALTI-Logit is aligned with the words that decide a prediction better than gradient-based methods are.
B32_published = consistently better (no value is taken over)
B32_rule = ROC-AUC against the planted evidence, ALTI-Logit minus the gradient norm and minus gradient × input on the same texts, reaches a quarter of { $better } (ours); where the gradient norm is above { $perfect }, it leaves hardly any room, and neither is compared. The paper takes gradients of the difference of two logits, and their L1 norm; its perturbation-based baseline is not part of the test. The norm has no sign: the same differences without signs are shown beside

B39_statement = Of the tokens that a prediction depends on, AttnLRP finds more than gradients and attention do.
B39_published = more faithful than all methods it was compared with; only the direction is taken over
B39_rule = normalised comprehensiveness, AttnLRP minus gradient × input, minus integrated gradients and minus rollout on the same texts, reaches a quarter of { $better } (ours) for each of them. The ROC-AUC against the planted evidence, AttnLRP minus ALTI-Logit, is shown beside

conditions_verb_number = a 6-layer model of verb number, trained and tested on the sentences of Linzen et al. (2,000 texts)
conditions_distilbert = DistilBERT on SST-2 (100 texts)
conditions_bert_sst2 = BERT-base on SST-2
conditions_distilbert_sst2 = DistilBERT on SST-2
needs_blimp = the agreement sentences of BLiMP with their cue words, and BERT-base from the hub
conditions_contrastive = GPT-2, OPT and BLOOM on BLiMP, SVA and IOI
needs_linzen = the sentences of Linzen et al. (2016) as local files, a model of the same size, and faithfulness.examples of 2,000
needs_distilbert = SST-2 from the hub and DistilBERT on it
needs_contrastive = autoregressive language models on minimal pairs; the pipeline explains classifiers only
case_raw_middle_first = raw: middle minus first layer
case_rollout_last_first = rollout: last minus first layer
case_flow_last_first = flow: last minus first layer
case_rollout_raw_upper = rollout minus raw, upper half
case_flow_raw_upper = flow minus raw, upper half
case_blank_out = blank-out
case_gradient = gradient
case_flow_last_middle = flow: last minus middle layer
case_flow_middle_first = flow: middle minus first layer
case_bound_cls = pairs at the bound, from [CLS]
case_bound_text = pairs at the bound, from ordinary tokens
case_globenc_res = GlobEnc minus AttnRes-N
case_res_vectors = AttnRes-N minus Attn-N
case_vectors_weights = Attn-N minus weights
case_zeroed_raw = value zeroing minus raw attention
case_zeroed_norm = value zeroing minus AttnResLN-N
case_zeroed_rollout = rolled out: value zeroing minus rollout
case_zeroed_alti = rolled out: value zeroing minus ALTI
case_comprehensiveness = comprehensiveness
case_sufficiency = sufficiency
case_alti_logit_gradient_norm = ALTI-Logit minus gradient norm
case_alti_logit_gradient_x_input = ALTI-Logit minus gradient × input
case_unsigned_gradient_norm = ALTI-Logit, unsigned, minus gradient norm
case_unsigned_gradient_x_input = ALTI-Logit minus gradient × input, both unsigned
case_attn_lrp_gradient_x_input = AttnLRP minus gradient × input
case_attn_lrp_integrated_gradients = AttnLRP minus integrated gradients
case_attn_lrp_rollout = AttnLRP minus rollout
case_attn_lrp_alti_logit = AttnLRP minus ALTI-Logit, planted evidence
means_correlation = rank correlation of the scores of two methods (of, kind)
case_comprehensiveness_normalised = comprehensiveness, normalised
