chapter_geometry = Geometry

## Words of figures and tables

before = as the model has them
translated = translated
after = translated and scaled, closed form
joint = the same, one c for all heads
cosine = by angle
euclidean = in full dimension
plane = in the plane
distance_taken = distance
state = state
apart_before = strongest pair, before
apart_after = strongest pair, after
all_before = all pairs, before
all_after = all pairs, after
rank_before = rank, before
rank_after = rank, after
correlation = rank correlation
offset = offset from zero
choice = choice
scope = one c for each
layer_scope = layer
head_scope = head
model_scope = model
centroid = centroid
norm-ratio = norm ratio
weighted = weighted
closed-form = closed form
c = c
pearson = correlation with squared distance
edge = at the edge
a = a
size = strength of the correlation
no_grid = no grid searched
layer_and_head = layer { $layer }, head { $head }
beside_range = { $value } ({ $range })
seed = with the rebuild's a and c
cosine_distance = cosine distance
dot = dot product
all_pairs = all pairs
own_pairs = a token with itself
pair = pair
weight = weight
place = layer.head
every_head = mean over all
distance_before = distance before
distance_seed = rebuild
distance_after = closed form
closer_seed = closer, rebuild
closer_after = closer, closed form
yes = yes
no = no
kind = kind
position = position
norm = length
frequency = frequency of the token
label = label of the text
text = text
part = role
special = special
evidence = evidence
other = other
change_attention = attention
change_features = features
change_weights = weights
attention = rows of attention
attention_alone = the same with unchanged inputs
layer_output = layer output, all tokens
layer_output_first = layer output, first token
value = value
distance = Jensen–Shannon distance
score_change = change of the score
side_query = through the query
side_key = through the key
source_constant = biases
source_embedding_word = word embedding
source_embedding_position = position embedding
source_embedding_type = type embedding
source_embedding_any = embedding
source_head = heads of layer { $layer }
source_network = FFN of layer { $layer }
runs_correlation_before = correlation, before
runs_correlation_after = correlation, after
runs_plane_before = rank in the plane, before
runs_plane_after = rank in the plane, after
runs_norm_difference = norms, queries minus keys

contrast_previous = most on the previous token
contrast_cls = most on the first token
contrast_relative_entropy = most evenly
contrast_previous_said = The head that attends most to the previous token ({ $head }) gives it { $value } of its weight
contrast_cls_said = The one that attends most to the first token ({ $head }) gives that { $value }
contrast_relative_entropy_said = The third ({ $head }) spreads its weight most evenly, with { $value } of the entropy of uniform attention
sentences_joined = {". "}

## Alternative texts of figures

alt_contrast = Three maps of queries and keys, one for each of three heads that attend to quite different keys, with lines between their strongest pairs.
alt_close = Line charts over the layers: where the strongest key of a query stands among all keys, by angle, by distance in full dimension and in the plane, before and after translation and scaling.
alt_correlation = Line charts over the layers of the rank correlation between dot product and cosine distance, before and after translation, and of how far the dot products of a query lie from zero.
alt_heads = Heat maps of the rank correlation after translation, layers by heads, one for each model state.
alt_grid = Left, a heat map of the strength of the correlation over the constants a and c: rows differ, columns do not. Right, curves of the correlation with the squared distance over c, one per head, with a dot at the closed form.
alt_scatter = Scatter plots of dot product against cosine distance in the first layer, for all pairs and for each token with itself: as the model has them, with the constants of the rebuild, and with translation and closed form.
alt_plane = Queries and keys of { $place } in the plane, three ways, with lines from each query to its strongest key.
alt_plane_heads = Queries and keys of every layer and head in the plane as small panels, translated and scaled, with lines from each query to its strongest key.
alt_joint = Small maps of queries and keys by PCA, one panel for each layer and head.
alt_joint_first = Maps of the queries and keys of every head of the first two layers, large, with lines between the strongest pairs.
alt_joint_layouts = Two matrices of small maps of queries and keys, by UMAP and by t-SNE, one panel for each layer and head.
alt_joint_head = Maps of the queries and keys of { $place }, coloured by kind with lines for the strongest pairs, by position, length, frequency, text and role.
alt_change = Line charts over the layers: change of attention, of the features and of the weights that make queries, keys and values.
alt_change_heads = Heat maps of the distance between attention before and after fine-tuning, layers by heads.
alt_aligned = Two maps of the queries and keys of one head, before and after fine-tuning.
alt_score = Two bar charts, one for the query “{ $query }” and one for the key “{ $key }”, experiment { $experiment }, { $place }: how much the change of each source, embeddings, heads and networks of the layers below, has changed their score.
alt_joint_others = Small maps of queries and keys by PCA, experiment { $experiment }, one panel for each layer and head.

## Sentences of the notebook

geometry_no_value = an undefined value

geometry_lines = On average, the { $lines } strongest pairs of a head involve { $share } of its queries; in half of the heads, none of them has a weight below { $weight }
geometry_score = Fine-tuning { $moved ->
    [raised] raises
   *[lowered] lowers
} the score of “{ $query }” for “{ $key }” in { $place } (experiment { $experiment }), relative to its mean over all keys, from { $before } to { $after }; { $side ->
    [query] most of the change comes through the query ({ $by_query }; through the key { $by_key })
    [key] most of the change comes through the key ({ $by_key }; through the query { $by_query })
   *[both] it comes through both, the query ({ $by_query }) and the key ({ $by_key })
}
geometry_score_largest = The largest contribution, { $change }, comes from the { $source }, on the side of the { $side ->
    [query] query
   *[key] key
}
geometry_rebuild_edge = { $outcome ->
    [all] In every layer, its a lies at the end of the grid
    [some] In some layers, its a lies at the end of the grid
   *[none] In no layer does its a lie at the end of the grid
}

## Published claims

A5_statement = Moving all keys of a head by one vector leaves its attention unchanged, and scaling queries by c and keys by 1/c leaves the dot products unchanged.
A5_published = exact
A5_rule = the largest change over all heads and texts is below a trillionth, of attention itself and of dot products relative to the lengths of their vectors

A10_statement = When queries and keys are brought together, the scale c hardly matters.
A10_published = observed on one sentence
A10_rule = in the study's order, keys first moved and then scaled, the correlation of dot product and cosine distance varies by less than a billionth over c in every layer; the other order is shown beside it

A11_statement = For every head there is a best scale c.
A11_published = described as an optimum
A11_rule = for at most 5% of the heads (ours) does the best c lie at an edge of the searched range (weighted correlation), and the closed form of the pooled correlation puts the best c of at least 95% inside that range

B13_statement = After the normalization of AttentionViz, the dot product of a query and a key and their cosine distance correlate strongly and negatively.
B13_published = means { $bert } (BERT) and { $gpt2 } (GPT-2); one head { $head }
B13_rule = rank correlation of dot product and cosine distance after translation, averaged over queries and heads, is below { $strong } (each kind of model has its own published value); for comparison, the same for the untransformed vectors

B15_statement = Queries and keys differ in length.
B15_published = query minus key { $bert } (BERT), { $gpt2 } (GPT-2)
B15_rule = the mean length of queries minus that of keys, averaged over heads, differs from 0 in either direction by at least a quarter of the published difference: that of BERT for an encoder, that of GPT-2 for a decoder

B21_statement = Fine-tuning changes attention most in the last two layers.
B21_published = shown as a figure, for all tasks but one
B21_rule = attention changes at least a quarter more in the last two layers than in the others (distance of distributions): as the models compute it, and where the weights of each layer are given the inputs of before, so that only what the layer itself has changed counts

B25_statement = The normalization of AttentionViz brings pairs with high attention close to each other.
B25_published = found for many heads; the rebuild hardly observed it for one sentence and one layer
B25_rule = for queries whose strongest key is no special token, the normalization shrinks the distance to that key by at least a tenth (in radii of the vectors, means over all heads), and moves that key up by at least 0.05 in the order of all keys by distance (0 nearest, 1 farthest): by angle, in full dimension, and in the plane that is drawn

conditions_attentionviz = BERT and GPT-2 on sentences of their own
needs_attentionviz = BERT-base and GPT-2 from the hub, and 200 texts
case_translated = attention after translation
case_scaled = dot products after scaling
case_moved_scaled = moved, then scaled
case_scaled_moved = scaled, then moved
case_at_edge = weighted correlation: heads with c at an edge
case_inside = closed form: heads with c inside
case_after_translation = after translation
case_after_translation_decoder = after translation, in a decoder
case_encoder = in an encoder
case_decoder = in a decoder
case_before = before
case_attention = attention
case_cosine_distance = distance by angle, after / before
case_euclidean_distance = distance in full dimension, after / before
case_plane_distance = distance in the plane, after / before
case_cosine = rank by angle, after minus before
case_euclidean = rank in full dimension, after minus before
case_plane = rank in the plane, after minus before
# What the columns of downloads hold, where a label is too short to say it.
means_correlation_before = Spearman correlation of dot product and cosine distance, vectors as the model has them; mean over queries
means_correlation_after = Spearman correlation of dot product and cosine distance, keys translated; mean over queries
means_undefined = queries of the text for which the correlation is not defined
means_norm_difference = mean length of the queries less that of the keys
means_offset_before = distance of the dot products of a query from 0, in their standard deviations, vectors as the model has them
means_offset_after = distance of the dot products of a query from 0, in their standard deviations, keys translated
means_strongest_special = share of queries whose strongest key is a special token
means_attention = largest deviation of attention recomputed from stored queries and keys
means_softmax = largest deviation of attention after translation of the keys
means_dot = largest deviation of the dot products after scaling, relative to the largest of the head
means_c = scale c that multiplies queries and divides keys
means_correlation = correlation of dot product and squared distance at that c
means_joint_loss = by how much the correlation is weaker with one c for the model than with one a head
means_plane_share = share of the variance in the principal plane
means_at_edge = 1 where the search for c ended at an end of its range
means_searched = texts that the search looks at
means_translate_scale_spread = how far c moves the correlation if keys are translated first
means_scale_translate_spread = how far c moves the correlation if both are scaled first
means_shift = disparity between the maps before and after fine-tuning
means_distance = Jensen–Shannon distance of the attention before and after fine-tuning
means_distance_alone = the same distance where only the queries and keys of the layer differ
means_cosine_before = place of the strongest key among all keys by cosine distance, 0 nearest to 1 farthest; vectors as the model has them
means_apart_cosine_before = cosine distance of the strongest key; vectors as the model has them
means_all_cosine_before = cosine distance, mean over all pairs; vectors as the model has them
means_cosine_after = place of the strongest key among all keys by cosine distance, 0 nearest to 1 farthest; keys translated, both scaled by the c of the head
means_apart_cosine_after = cosine distance of the strongest key; keys translated, both scaled by the c of the head
means_all_cosine_after = cosine distance, mean over all pairs; keys translated, both scaled by the c of the head
means_euclidean_before = place of the strongest key among all keys by Euclidean distance, 0 nearest to 1 farthest; vectors as the model has them
means_apart_euclidean_before = Euclidean distance of the strongest key; vectors as the model has them
means_all_euclidean_before = Euclidean distance, mean over all pairs; vectors as the model has them
means_euclidean_translated = place of the strongest key among all keys by Euclidean distance, 0 nearest to 1 farthest; keys translated
means_apart_euclidean_translated = Euclidean distance of the strongest key; keys translated
means_all_euclidean_translated = Euclidean distance, mean over all pairs; keys translated
means_euclidean_after = place of the strongest key among all keys by Euclidean distance, 0 nearest to 1 farthest; keys translated, both scaled by the c of the head
means_apart_euclidean_after = Euclidean distance of the strongest key; keys translated, both scaled by the c of the head
means_all_euclidean_after = Euclidean distance, mean over all pairs; keys translated, both scaled by the c of the head
means_euclidean_joint = place of the strongest key among all keys by Euclidean distance, 0 nearest to 1 farthest; keys translated, both scaled by one c for the model
means_apart_euclidean_joint = Euclidean distance of the strongest key; keys translated, both scaled by one c for the model
means_all_euclidean_joint = Euclidean distance, mean over all pairs; keys translated, both scaled by one c for the model
means_plane_before = place of the strongest key among all keys by distance in the plane of two principal components, 0 nearest to 1 farthest; vectors as the model has them
means_apart_plane_before = distance in the plane of two principal components of the strongest key; vectors as the model has them
means_all_plane_before = distance in the plane of two principal components, mean over all pairs; vectors as the model has them
means_plane_after = place of the strongest key among all keys by distance in the plane of two principal components, 0 nearest to 1 farthest; keys translated, both scaled by the c of the head
means_apart_plane_after = distance in the plane of two principal components of the strongest key; keys translated, both scaled by the c of the head
means_all_plane_after = distance in the plane of two principal components, mean over all pairs; keys translated, both scaled by the c of the head
means_side = whether the source wrote to the vector of the query or of the key
means_embedding = of an embedding: word, position or type; empty where that is not known, and of other sources
means_source = what wrote to the vector: an embedding, the heads or the feed-forward network of a layer below, or biases
means_change = what the change of the source has done to the score, relative to its mean over all keys
means_relative_change = change of the weights by fine-tuning, relative to their norm before
case_attention_alone = attention with unchanged inputs

## Columns of the downloads

column_text = number of the text among those of the map
