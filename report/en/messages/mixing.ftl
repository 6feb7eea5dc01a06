chapter_mixing = Mixing

## Words of figures and tables

scope = scope
ratio = mixing ratio
ratio_beyond = mixing ratio, beyond attention
cls = first token
special = other special tokens
mask = [MASK]
text = ordinary tokens
all_tokens = all tokens
own = against its own input
alike = between tokens of a text
rank = effective rank
self_similarity = cosine to own input
identifiability = identifiable tokens
similarity = mean cosine between tokens
similarity_centred = the same, mean removed
effective_rank = effective rank of all tokens
cka = linear CKA
own_source = largest source is itself
relative_residual = relative residual
whole = whole model
without_ffn = without feed-forward networks
without_skip = without residual connections
attention_only = without both
margins = Where nothing was published to compare with, the margins are ours: a difference between shares counts if it is at least 2.5 percentage points, and two shares within 5 points of each other are called close
not_defined = not defined

## Alternative texts of figures

alt_scopes = Line charts of the mixing ratio over the layers, one column for each experiment. Above: attention weights, vectors, each without and with the residual connection, and with layer normalization. Below: the feed-forward network, its residual and the second normalization.
alt_kinds = Line charts of the mixing ratio of the attention block over the layers for the first token, other special tokens, [MASK] and ordinary tokens; one column for each experiment.
alt_cls = Line charts over the layers, one column for each experiment. Above: mixing ratio of the attention block for [CLS] and for ordinary tokens. Below: entropy of attention, of the [CLS] row and of all rows; before and after fine-tuning.
alt_maps = Heat maps of where the vector of each token comes from in the first and the last layer: by attention weights, by the norms of the vectors, and by ALTI.
alt_sources = Line charts over the layers of what rollout gives for each kind of contribution: mixing, share of tokens that are their own largest source, share on special tokens, distance between rows; one column for each experiment.
alt_zeroed = Line charts over the layers, one column for each experiment, of value zeroing in each layer and rolled out: share from other tokens, share of tokens whose largest source is themselves, distance between rows.
alt_remains = Line charts over the layers, one column for each experiment: cosine of a token to its own input and share of identifiable tokens; mean cosine between tokens, raw and with the mean removed; effective rank.
alt_cka = Heat maps of the similarity (linear CKA) of every layer to every other layer, one for each experiment and model state.
alt_collapse = Line charts over the layers of the relative residual, one column for each experiment: of the whole model, without feed-forward networks, without the residual connections around attention, and without both.

## Published claims

B8_statement = Within a layer, the more of the block is counted, the less is mixed: attention weights, vectors, weights with the residual, vectors with the residual, and layer normalization.
B8_published = Attn-W { $attn_w }, Attn-N { $attn_n }, AttnRes-W { $attnres_w }, AttnRes-N { $attnres_n }, AttnResLN-N { $attnresln_n }; BERT-tiny about { $tiny }
B8_rule = before fine-tuning, the mixing ratios of the five scopes, averaged over layers, fall in the published order; each step reaches a quarter of the published one on the same texts

B9_statement = Mixing falls with depth.
B9_published = rank correlation with depth { $trend }
B9_rule = the rank correlation of the mixing ratio AttnResLN-N with depth, computed per text, is negative and at least a quarter of the published value; the difference between last and first layer is shown beside it

B10_statement = In middle and deep layers a masked token is mixed more than tokens overall.
B10_published = { $masked_0 } to { $masked_1 } against { $others_0 } to { $others_1 }
B10_rule = the mixing ratio AttnResLN-N of [MASK] exceeds that of all tokens of the same text, averaged over the upper two thirds of the layers, by at least a quarter of the published difference

B19_statement = Representations of the tokens of a text grow more alike with depth.
B19_published = mean cosine { $cosine } (layers 0 to 12), in the results kept with the authors' code
B19_rule = the rank correlation of the mean cosine of two tokens with depth, computed per text, reaches a quarter of the value that the published curve has, for the vectors as they are and after removing the mean of all tokens

B20_statement = In deep layers about 30% of the tokens are not the main source of their own representation.
B20_published = about { $others }, so that { $own } are their own main source
B20_rule = the share of tokens that are their own largest source in the last layer, by ALTI rolled out, is { $own } to within { $about }

B30_statement = Attention alone makes the tokens of a text the same; residual connections prevent it.
B30_published = the output converges to a matrix of rank 1, doubly exponentially with depth; residual connections and feed-forward networks stop this
B30_rule = without residual connections and feed-forward networks, less than a tenth (ours) of the relative residual of the input is left after the last layer; with the residual connections put back, the relative residual is higher by at least a quarter of what was published, { $kept } against { $collapsed }

conditions_bert_wikipedia = BERT-base on Wikipedia (992 texts)
conditions_bert_sst2_trained = BERT-base fine-tuned on SST-2
conditions_mrpc = BERT-base on MRPC
needs_mrpc = BERT-base and MRPC from the hub
conditions_wiki_bio = BERT-base, ALBERT and XLNet on WikiBio
needs_wiki_bio = BERT-base and WikiBio from the hub
case_w_n = Attn-W minus Attn-N
case_n_resw = Attn-N minus AttnRes-W
case_resw_resn = AttnRes-W minus AttnRes-N
case_resn_ln = AttnRes-N minus AttnResLN-N
case_ln = AttnResLN-N itself
case_trend = rank correlation with depth
case_last_first = last minus first layer
case_as_they_are = as they are
case_without_mean = without the mean
case_alone = without both: last layer divided by the input
case_residual = last layer: without feed-forward networks minus without both
case_delayed = middle layer, without residual connections
means_relative_entropy = mean entropy of the rows of a map, divided by ln n
