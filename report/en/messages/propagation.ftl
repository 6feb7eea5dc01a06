chapter_propagation = Propagation

## Words of figures and tables

at_bound = flow at its bound
cls = from the first token
special = from other special tokens
text = from ordinary tokens
tight_flow = tight, fixed residual
tight_flow_measured = tight, measured
effective_share = share of length
effective_correlation = correlation
longer = more tokens than dimensions
shorter = no more tokens than dimensions
margins = We set the margins ourselves. Shares within 5 percentage points count as equal. Rows count as nearly the same if less than a tenth of their weight distinguishes them from their average. A normalized entropy counts as close to uniform above 0.9 for the mean over heads, and as nearly even above 0.95 for flow
share_of_row = share of the row
first_share = share of the first token
bound = bound by the mask
source_share = share of the source
attnresln_n_rollout = AttnResLN-N, rollout
alti_rollout = ALTI+ (ALTI, rollout)
step_told = row that tells the word
step_given = row that is given the word
alignment_error = error rate
alignment_precision = precision
alignment_recall = recall
content_error = error rate over content words
links_told = last layer
links_content = content words
links_given = one row later
links_told_layers = all layers
links_given_layers = all layers, one row later
links_steps = { $better ->
    [told] In the last layer, the opposite holds: the error rate of the weights is { $told } where a word is told and { $given } one row later
    [close] In the last layer, the intervals of the two overlap: the error rate of the weights is { $told } where a word is told and { $given } one row later
   *[given] The same holds in the last layer: the error rate of the weights is { $given } one row later and { $told } where a word is told
}
told_word = word that the row tells
source_word = word of the source
end_of_target = (end)
runs_rollout = mixing, rollout
runs_uniform = mixing, rollout of uniform attention
runs_measured = mixing, rollout with measured residual
runs_rows = distance between rows, rollout
runs_tight = flow at its bound, from ordinary tokens

## Alternative texts of figures

alt_overview = Line charts over the layers: mixing by rollout with the fixed and with the measured residual and for uniform attention, the distance between the rows of different tokens, and the share of flows from ordinary tokens that are at their bound.
alt_lecture = Three heat maps of attention from each query token to each key token: one head of the first layer, the head mean of the first layer, the head mean of the last layer.
alt_cls = Six heat maps on one scale, layers by tokens, of what one token reads, the one that predictions are read from: raw attention, with residual, rollout and flow, the latter two also with the measured residual.
alt_maps = Heat maps on one scale of rollout and of flow from each token to each input token after the first, a middle and the last layer.
alt_absorbed = Line charts over the layers of the share that stems from the first token in decoders, by raw attention, rollout, rollout of uniform attention, the bound, rollout beside uniform attention and rollout without the first token.
alt_curves = Line charts over the layers of mixing, normalized entropy, share on special tokens and distance between rows, for raw attention, rollout and flow with either residual, and the rollout of uniform attention.
alt_tight = Line charts over the layers of the share of pairs whose flow attains its upper bound, by kind of source token, with the fixed and with the measured residual.
alt_shares = Line charts over the layers of the decoder of the share of a target token that stems from the source, by rollout with either residual, contributions by norms and by ALTI rolled out, and flow; one column for each experiment.
alt_links = Points with intervals: error rate of the links between words that each method gives, read at the row that tells a word and at the row that is given it, with the error rate of blind links as a line.
alt_pair = Six heat maps on one scale, words of the target by words of the source, in the last layer: attention weights, norms, ALTI, rollout, ALTI+ and flow; the words that stand for each other are framed.
alt_effective = Line charts over the layers: share of the length of a row of attention that effective attention keeps, and its correlation with the weights, for texts with more tokens than a head has dimensions and for the others.

## Published claims

A4_statement = With a fixed residual of one half, the mixing by weights halves.
A4_published = { $code_weights } → { $code_residual } (code), { $paper_weights } → { $paper_residual } (paper), per cent
A4_rule = half of what the weights say is the published value, to the digits printed; for the models here, the ratio of the two is one half in every text

A8_statement = Rows of rollout sum to one, and in the first layer attention with residual, rollout and flow coincide.
A8_published = exact
A8_rule = the largest deviation over all texts is below a billionth

A9_statement = Attention flow reflects the attention of all layers.
A9_published = implied
A9_rule = in the last layer, fewer than half of the pairs attain the bound that layer 1 alone sets, for flow from ordinary and from special tokens; for [CLS], to which another bound applies, the agreement of flow with blank-out (texts in which some removal matters) differs from that of raw attention of layer 1 by at least a quarter of { $ranked }

A12_statement = Rollout keeps of a token at least the product of what the single layers keep of it.
A12_published = a bound
A12_rule = over all texts and tokens, the smallest excess over the bound is not below 0, up to rounding

A14_statement = In texts with more tokens than a head has dimensions, attention weights cannot be identified from the output of the head.
A14_published = exact
A14_rule = in every such text and head, the left null space of the values has at least one dimension; what lies in it moves no output by more than a billionth of the largest entry

B18_statement = The attention of the last layer is almost uniform, and that of [CLS] evens out in the upper half.
B18_published = “almost uniform”; elsewhere, the last-layer entropy of [CLS] in BERT-base is { $cls_entropy } nats
B18_rule = the entropy of the mean over heads, divided by ln n, exceeds { $almost } in the last layer; that of [CLS] is higher in the upper half of the layers than in the lower by at least 0.1

B33_statement = In a translator's attention to the source, the norms of the weighted vectors link words better than the weights do.
B33_published = alignment error rate of { $norms_told } by norms against { $weights_told } by weights where a word is told, of { $norms_given } against { $weights_given } one row later (means over layers and five models)
B33_rule = the alignment error rate of the weights minus that of the norms on the same texts, averaged over layers, reaches a quarter of the published difference, both at the row of the decoder that tells a word and at the row that is given it. Only models that have learned to translate are asked, and only where the weights of the last layer leave an error of more than { $improved } on content words: else there is nothing that norms could improve
conditions_europarl = five Transformers from German to English, trained on Europarl (508 pairs)
conditions_lecture = a Russian sentiment model with 12 layers and one sentence
needs_lecture = the lecture's model from the hub, with its sentences as local files
case_norms_told = where the word is told: error rate of weights minus that of norms
case_norms_given = one row later: error rate of weights minus that of norms
case_printed_by_code = as the code prints it
case_printed_in_paper = as the paper prints it
case_largest_ratio = largest ratio over texts
case_smallest_ratio = smallest ratio over texts
case_row_sums = sums of rows
case_first_layer = first layer
case_from_cls = from the first token
case_ranking_cls = from [CLS], agreement with blank-out: flow minus raw attention of layer 1
case_from_special = from other special tokens
case_from_text = from ordinary tokens
case_fixed_residual = fixed residual
case_measured_residual = measured residual
case_all_rows = all rows, last layer
case_null_space = fewest dimensions of the null space
case_unseen = largest change of the output
case_cls_upper_lower = {"["}CLS], upper half minus lower
study_rollout-lecture = the lecture on attention rollout
means_tight = share of pairs whose flow attains its upper bound
case_attention_alone_first = attention alone, share of the first token
case_residual_first = with measured residual, less attention alone
case_residual_closer = nearer to measured dependence by
conditions_large = language models with billions of weights
needs_large = large language models from the hub, on texts as local files, with a GPU
B34_statement = Tokens that get most of the attention bring little: vectors give special tokens a much smaller share than weights do.
B34_published = value states of such tokens are significantly smaller; only the direction is taken over
B34_rule = followed through the layers, the share of special tokens by norms of transformed vectors minus that by weights, on the same texts, reaches a quarter of { $drained } (ours)
B35_statement = Under a causal mask, rollout of attention alone collapses on the first token; with the residual connections it does not, and comes nearer to what tokens depend on.
B35_published = the collapse is proved for attention alone and infinite depth, and does not occur with residual connections; with them the predicted profiles match measured influence; only directions are taken over
B35_rule = in the last layer, rollout of attention alone gives the first token more than { $most }; with measured residual it gives it less by a quarter of { $prevented } or more, and the rank correlation of its rows with what was measured by replacing tokens is higher by a quarter of { $closer } or more (bounds ours)
