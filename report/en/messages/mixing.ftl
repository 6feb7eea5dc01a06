scope = scope
ratio = mixing ratio
ratio_beyond = mixing ratio, beyond attention
cls = [CLS]
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
margins = Where nothing was published to compare with, the margins are ours: a difference between shares counts from 2.5 percentage points, and two shares within 5 points are called close

# Alternative texts of the figures
alt_scopes = Line charts of the mixing ratio over the layers, one column for each experiment. Above: attention weights, vectors, each without and with the residual connection, and with layer normalization. Below: the feed-forward network, its residual and the second normalization.
alt_kinds = Line charts of the mixing ratio of the attention block over the layers for [CLS], other special tokens, [MASK] and ordinary tokens; one column for each experiment.
alt_cls = Line charts over the layers, one column for each experiment. Above: mixing ratio of the attention block for [CLS] and for ordinary tokens. Below: entropy of attention, of the [CLS] row and of all rows; before and after fine-tuning.
alt_maps = Heat maps of where the vector of each token comes from in the first and the last layer: by attention weights, by the norms of the vectors, and by ALTI.
alt_sources = Line charts over the layers of what rollout gives for six kinds of contributions: mixing, share of tokens that are their own largest source, share on special tokens, distance between rows; one column for each experiment.
alt_remains = Line charts over the layers, one column for each experiment: cosine of a token to its own input and share of identifiable tokens; mean cosine between tokens, raw and with the mean removed; effective rank.
alt_cka = Heat maps of the similarity (linear CKA) of every layer to every other layer, one for each experiment and model state.
