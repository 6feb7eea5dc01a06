A1_statement = The totals that an evaluation on SQuAD 2.0 printed follow from its two parts.
A1_published = exact match { $exact_total }, F1 { $f1_total } over { $questions_total } questions
A1_rule = the mean of the parts, weighted with their numbers of questions, is the printed total to the last digit of a float

A2_statement = The feature-mixing study looks at 38 features of a 12-layer model.
A2_published = { $maps } features
A2_rule = points at the input, and points of a layer times layers, are as many as published, by the text of the study and by its code

A3_statement = The first tenth of the IMDB test split can serve as a validation set of both classes.
A3_published = implied by the code
A3_rule = the larger class has less than 60 % of the first tenth of the test split, in the order of the published file

A4_statement = With a fixed residual of one half, the mixing by weights halves.
A4_published = { $code_weights } → { $code_residual } (code), { $paper_weights } → { $paper_residual } (paper), per cent
A4_rule = half of what the weights say is the published value, as far as it is printed; for the models here, the ratio of the two is one half in every text

A5_statement = Moving all keys of a head by one vector leaves its attention unchanged, and scaling queries by c and keys by 1/c leaves the dot products unchanged.
A5_published = exact
A5_rule = the largest change over all heads and texts is below a trillionth, of attention itself and of dot products relative to the lengths of their vectors

A8_statement = Rows of rollout sum to one, and in the first layer attention with residual, rollout and flow coincide.
A8_published = exact
A8_rule = the largest deviation over all texts is below a billionth

A9_statement = Attention flow reflects the attention of all layers.
A9_published = implied
A9_rule = in the last layer, fewer than half of the pairs attain the bound that layer 1 alone sets, for flow from [CLS], from other special tokens and from ordinary tokens

A10_statement = When queries and keys are brought together, the scale c hardly matters.
A10_published = observed on one sentence
A10_rule = in the study's order, keys first moved and then scaled, the correlation of dot product and cosine distance varies by less than a billionth over c in every layer; the other order is shown beside it

A11_statement = For every head there is a best scale c.
A11_published = described as an optimum
A11_rule = the best c of no head lies at an edge of the searched range (weighted correlation), and the closed form of the pooled correlation puts the best c of every head inside that range

A12_statement = Rollout keeps at least the product of what each layer keeps of a token on itself.
A12_published = a bound
A12_rule = over all texts and tokens, the smallest excess over the bound is not below 0, up to rounding

A13_statement = There were 18 million attention maps, and seven principal components kept less than 30 % of their variance.
A13_published = { $maps } maps; below { $below }
A13_rule = windows times heads make 18 whole millions, and the listed shares sum to less than the published bound

B1_statement = Raw attention stops agreeing with the effect of removing tokens in deeper layers, while rollout and flow agree better the deeper they reach.
B1_published = raw { $blank_out_raw }; rollout { $blank_out_rollout }; flow { $blank_out_flow } (layers 1 to 6)
B1_rule = rank correlation with blank-out ([UNK]) in the row of [CLS], differences on the same texts; each must reach a quarter of the published difference: raw falls from layer 1 to the middle layer, rollout and flow rise from layer 1 to the last, and both exceed raw over the upper half

B2_statement = The same holds for the agreement with input gradients.
B2_published = raw { $gradient_raw }; rollout { $gradient_rollout }; flow { $gradient_flow } (layers 1 to 6)
B2_rule = as B1, with the norm of the gradient in place of blank-out

B3_statement = In the middle layers, flow agrees with the effect of removing tokens better than rollout does.
B3_published = { $blank_out_flow_2 } against { $blank_out_rollout_2 } in layer 3 of 6; by gradients { $gradient_flow_2 } against { $gradient_rollout_2 }
B3_rule = flow minus rollout on the same texts in the middle layer, for blank-out ([UNK]), reaches a quarter of the published difference; the difference for gradients is shown beside it

B4_statement = The agreement of flow rises up to the middle layer and then stays the same.
B4_published = { $blank_out_flow_2 }, { $blank_out_flow_3 }, { $blank_out_flow_4 }, { $blank_out_flow_5 } in layers 3 to 6
B4_rule = from layer 1 to the middle layer the agreement rises by at least a quarter of the published rise, and from there to the last layer it changes by at most 0.05; beside it, the share of pairs whose flow is what layer 1 alone allows

B5_statement = In a late layer of a sentiment model, rollout agrees with input gradients more than raw attention.
B5_published = { $rollout } against { $raw } in layer { $layer } of 6
B5_rule = correlation with the norm of the gradient (the paper uses the absolute sum of its components), rollout minus raw on the same texts, in the layer at five sixths of the depth, maximum over the rows of all tokens; a quarter of the published difference is required

B6_statement = Rolled out, a method agrees with gradients better the more of the layer it counts: GlobEnc > vectors with residual > vectors > weights.
B6_published = { $globenc }, { $residual }, { $vectors }, { $weights }
B6_rule = each method agrees with the norm of the gradient (the paper uses gradient × input) better than the next, by at least a quarter of the published difference on the same texts

B7_statement = Fixing the residual at one half hurts the rollout of weights.
B7_published = { $fixed } with the fixed residual, { $measured } with the measured one
B7_rule = rollout with the measured residual agrees with the norm of the gradient (the paper uses gradient × input) better than rollout with the fixed one, by at least a quarter of the published difference on the same texts

B8_statement = Within a layer, less is mixed the more of the block is counted: attention weights, vectors, weights with the residual, vectors with the residual, and layer normalization.
B8_published = Attn-W { $attn_w }, Attn-N { $attn_n }, AttnRes-W { $attnres_w }, AttnRes-N { $attnres_n }, AttnResLN-N { $attnresln_n }; BERT-tiny about { $tiny }
B8_rule = the mixing ratios of the five scopes, averaged over layers, fall in the published order; each step reaches a quarter of the published one on the same texts

B9_statement = Mixing falls with depth.
B9_published = rank correlation with depth { $trend }
B9_rule = the rank correlation of the mixing ratio AttnResLN-N with depth, computed per text, is negative and at least a quarter of the published value; the difference between last and first layer is shown beside it

B10_statement = In middle and deep layers a masked token is mixed more than tokens overall.
B10_published = { $masked_0 } to { $masked_1 } against { $others_0 } to { $others_1 }
B10_rule = the mixing ratio AttnResLN-N of [MASK] exceeds that of all tokens of the same text, averaged over the upper two thirds of the layers, by at least a quarter of the published difference

B11_statement = ALTI beats rollout in comprehensiveness and sufficiency.
B11_published = comprehensiveness { $comprehensiveness_alti } against { $comprehensiveness_rollout }; sufficiency { $sufficiency_alti } against { $sufficiency_rollout } (low is good)
B11_rule = ALTI minus rollout on the same texts reaches a quarter of the published difference: upwards in comprehensiveness, downwards in sufficiency

B13_statement = After its normalization, the dot product of a query and a key and their cosine distance correlate strongly and negatively.
B13_published = means { $bert } (BERT) and { $gpt2 } (GPT-2); one head { $head }
B13_rule = rank correlation of dot product and cosine distance after translation, averaged over queries and heads, is below { $strong }; beside it, the same for the untransformed vectors

B15_statement = Queries and keys differ in length.
B15_published = query minus key { $bert } (BERT), { $gpt2 } (GPT-2)
B15_rule = the mean length of queries minus that of keys, averaged over heads, differs from 0 in either direction by at least a quarter of the difference published for BERT

B16_statement = Some heads give more than half of their attention to the previous token, and some to the next.
B16_published = { $previous } and { $next } heads of { $heads }
B16_rule = the share of heads that do so, by their mean over texts, is at least a quarter of the published share, for the previous and for the next token; the interval treats the heads as a sample

B17_statement = In the middle layers more than half of the attention goes to [SEP], and [SEP] gives nearly all of its own to [SEP].
B17_published = above { $sep } in layers { $sep_layers_0 } to { $sep_layers_1 } of 12; above { $sep_to_sep }
B17_rule = shares of attention in the layers at that depth, averaged over heads, reach at least a quarter of the published ones; beside them, the share that goes to [CLS]

B18_statement = The attention of the last layer is almost uniform, and that of [CLS] evens out in the upper half.
B18_published = “almost uniform”; elsewhere, the last-layer entropy of [CLS] in BERT-base is { $cls_entropy } nats
B18_rule = the entropy of the mean over heads, divided by ln n, exceeds { $almost } in the last layer; that of [CLS] is higher in the upper half of the layers than in the lower by at least 0.1

B19_statement = Representations of the tokens of a text grow more alike with depth.
B19_published = mean cosine { $cosine } (layers 0 to 12), in the results kept with the authors' code
B19_rule = the rank correlation of the mean cosine of two tokens with depth, computed per text, reaches a quarter of the value that the published curve has, for the vectors as they are and after removing the mean of all tokens

B20_statement = In deep layers about 30 % of the tokens are not the main source of their own representation.
B20_published = about { $others }, so that { $own } are their own main source
B20_rule = the share of tokens that are their own largest source in the last layer, by ALTI rolled out, is { $own } to within { $about }

B21_statement = Fine-tuning changes the last two layers most.
B21_published = shown as a figure, for all tasks but one
B21_rule = the last two layers change at least a quarter more than the others: attention (distance of distributions) as it stands and with unchanged inputs, outputs of the layers and weights (relative change)

B22_statement = A third to more than half of the attention maps are heterogeneous.
B22_published = { $share_0 } to { $share_1 }, depending on the task, as a trained classifier of maps sees them
B22_rule = the share of maps that no other family claims by rule lies in the published range

B23_statement = Disabling a single head rarely hurts, and sometimes helps.
B23_published = gains of up to { $gain }
B23_rule = the score falls, by an interval corrected for the number of heads, for fewer than { $rarely } of the heads, and rises for at least a quarter of that share; one text may weigh no more than the largest published gain

B24_statement = k-means on features of attention maps shows no elbow.
B24_published = distortion { $distortion_0 } at k = { $k_0 }, { $distortion_1 } at k = { $k_1 }
B24_rule = the sharpest bend of the distortion is no sharper than in data without clusters (p above { $level }; its interval comes from the number of simulated data sets)

B25_statement = Normalization brings pairs with high attention close to each other.
B25_published = found for many heads; the rebuild hardly observed it for one sentence and one layer
B25_rule = the normalization shrinks the distance of a query to its strongest key by at least a tenth (in radii of the vectors, means over all heads), and moves that key up by at least 0.05 in the order of all keys by distance (0 nearest, 1 farthest): by angle, in full dimension, and in the plane that is drawn

B26_statement = BERT-base classifies the reviews of IMDB with the published accuracy.
B26_published = { $tokens128 } (128 tokens), { $tokens384 } (384), { $tokens512_0 } to { $tokens512_1 } (512)
B26_rule = accuracy on the whole test split is the published one of the same length to within { $within }

B27_statement = BERT-base answers the questions of SQuAD 2.0 with the published scores.
B27_published = exact match { $exact }, F1 { $f1 }
B27_rule = the scores are the published ones to within a point

B28_statement = After fine-tuning, the features of a sentiment model separate by class in the later maps.
B28_published = what the study set out to see
B28_rule = the silhouette of the labels at the output of the feed-forward block (mean of the tokens, and [CLS]) is higher in the last layer than in the first and higher than before fine-tuning, by at least { $structure }, the value below which groups are hardly groups

B29_statement = Attention sinks emerge in small models too: some heads give the first token a large weight whatever the query.
B29_published = found in every model tested; a sink is a mean weight above { $sink }
B29_rule = the share of heads whose mean weight on the first token, over the queries that see it, exceeds { $sink } is at least 5% (ours)

# Conditions that values were published for
conditions_verb_number = a 6-layer model of verb number, trained and tested on the sentences of Linzen et al. (2,000 texts)
conditions_distilbert = DistilBERT on SST-2 (100 texts)
conditions_bert_sst2 = BERT-base on SST-2
conditions_bert_wikipedia = BERT-base on Wikipedia (992 texts)
conditions_distilbert_sst2 = DistilBERT on SST-2
conditions_attentionviz = BERT and GPT-2 on sentences of their own
conditions_clark = BERT-base on Wikipedia (1,000 segments)
conditions_lecture = a Russian sentiment model with 12 layers and one sentence
conditions_bert_sst2_trained = BERT-base fine-tuned on SST-2
conditions_mrpc = BERT-base on MRPC
conditions_glue = BERT-base on tasks of GLUE
conditions_squad_maps = BERT-base on SQuAD 2.0, maps seen by ResNet-50
conditions_gu = autoregressive language models on texts of the Pile
conditions_imdb = BERT-base on IMDB
conditions_squad = BERT-base on SQuAD 2.0

# What a full test takes
needs_imdb = IMDB itself: profiles/imdb-minilm.yaml or profiles/imdb-bert-base.yaml
needs_linzen = the sentences of Linzen et al. (2016) as local files, a model of the same size, and faithfulness.examples of 2,000
needs_distilbert = SST-2 from the hub and DistilBERT on it
needs_sst2 = SST-2 from the hub and BERT-base on it
needs_wikipedia = BERT-base from the hub on texts of Wikipedia, as local files or from the hub
needs_attentionviz = BERT-base and GPT-2 from the hub, and 200 texts
needs_lecture = the lecture's model from the hub, with its sentences as local files
needs_mrpc = BERT-base and MRPC from the hub
needs_glue = BERT-base and tasks of GLUE from the hub
needs_squad_gpu = profiles/squad-bert-base.yaml on a GPU
needs_gu = GPT-2 from the hub, on texts of the Pile as local files
needs_imdb_full = profiles/imdb-bert-base.yaml on a GPU, all 25,000 texts of either split, three seeds
needs_squad_full = profiles/squad-bert-base.yaml on a GPU, two epochs of all questions
needs_imdb_gpu = profiles/imdb-bert-base.yaml on a GPU

# Parts of claims
case_exact_match = exact match
case_f1 = F1
case_questions = number of questions
case_points_in_text = points that the text names
case_points_in_code = points that the code draws
case_printed_by_code = as the code prints it
case_printed_in_paper = as the paper prints it
case_largest_ratio = largest ratio over texts
case_smallest_ratio = smallest ratio over texts
case_translated = attention after translation
case_scaled = dot products after scaling
case_row_sums = sums of rows
case_first_layer = first layer
case_from_cls = from [CLS]
case_from_special = from other special tokens
case_from_text = from ordinary tokens
case_moved_scaled = moved, then scaled
case_scaled_moved = scaled, then moved
case_at_edge = weighted correlation: heads with c at an edge
case_inside = closed form: heads with c inside
case_fixed_residual = fixed residual
case_measured_residual = measured residual
case_windows_heads = windows times heads
case_listed_shares = sum of the listed shares
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
case_w_n = Attn-W minus Attn-N
case_n_resw = Attn-N minus AttnRes-W
case_resw_resn = AttnRes-W minus AttnRes-N
case_resn_ln = AttnRes-N minus AttnResLN-N
case_ln = AttnResLN-N itself
case_trend = rank correlation with depth
case_last_first = last minus first layer
case_comprehensiveness = comprehensiveness
case_sufficiency = sufficiency
case_after_translation = after translation
case_before = before
case_previous = previous token
case_next = next token
case_to_sep = to [SEP]
case_sep_to_sep = from [SEP] to [SEP]
case_to_cls = to [CLS]
case_all_rows = all rows, last layer
case_cls_upper_lower = {"["}CLS], upper half minus lower
case_as_they_are = as they are
case_without_mean = without the mean
case_attention = attention
case_outputs = outputs of the layers
case_falls = share of the heads without which the score falls
case_rises = share of the heads without which it rises
case_bend = p of the sharpest bend
case_cosine_distance = distance by angle, after / before
case_euclidean_distance = distance in full dimension, after / before
case_plane_distance = distance in the plane, after / before
case_cosine = rank by angle, after minus before
case_euclidean = rank in full dimension, after minus before
case_plane = rank in the plane, after minus before
case_tokens128 = 128 tokens
case_tokens384 = 384 tokens
case_tokens512 = 512 tokens
case_mean_last_first = mean of the tokens, last minus first layer
case_mean_after_before = mean of the tokens, last layer, after minus before
case_cls_last_first = {"["}CLS], last minus first layer
case_cls_after_before = {"["}CLS], last layer, after minus before
case_attention_alone = attention, with unchanged inputs
case_weights = weights

# Studies that are no papers
study_feature-mixing-study = the feature-mixing study
study_clustering-study = the clustering study
study_rollout-lecture = the lecture on attention rollout
