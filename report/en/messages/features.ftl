chapter_features = Features

## Words of figures and tables

word = word embedding
embedding = embedding
context = context
attention_output = attention output
attention_block = attention block
ffn_output = FFN output
layer_output = layer output
place = { $point } of layer { $layer }
of_state = {" "}({ $experiment }, { $state })
spread = spread over seeds
forward = layer (0: input)
moved = neighbours lost
silhouette = silhouette by label
first = first token
mean_vector = mean of the tokens
all = all tokens
shift = shift by fine-tuning
spread_larger = spread over seeds, larger of the two
disparity = disparity, { $method }
cosine_distance =
    cosine distance
    before – after
correlation = correlation
chebyshev = Chebyshev
canberra = Canberra
the_metric = { $metric } distance
same_neighbours = same neighbours
euclidean = Euclidean
manhattan = Manhattan
cosine = cosine
point = feature point
position = position in the text
text = text
text_number = text { $number }
label = label
special = special token
ordinary = other token
evidence = evidence
kind = kind of token
hover =
    { $token }
    text { $text }, position { $position }
trust_key = below each map: T trustworthiness, C continuity, O neighbour overlap, S spread over seeds
runs_first = silhouette by label, first token
runs_mean = silhouette by label, mean of the tokens
runs_change = change by fine-tuning (cosine distance)
runs_trust = trustworthiness of UMAP

## Alternative texts of figures

alt_separation = Line charts: silhouette by label of the first token and of the mean of the tokens at every feature point, before and after fine-tuning.
alt_close_up = Maps of the last feature point, one for each model state: tokens coloured by text, with rings around special tokens and around the evidence for the label.
alt_moved = Line charts: share of the nearest neighbours that a token loses from each feature point to the next, one line for each kind of step and model state.
alt_trust_curves = Line charts: trustworthiness, continuity, neighbour overlap and spread over seeds of the maps after each layer by UMAP, t-SNE and PCA.
alt_shift = Line charts: how far fine-tuning moves the map after each layer, and how far maps of different seeds differ.
alt_change = Line charts: cosine distance between the vectors before and after fine-tuning at every feature point, of the first and of all tokens.
alt_maps = Small { $method } maps of the tokens of { $texts }, { $count } in all, from the word embedding to the last layer; dots are tokens, coloured by position, their shape shows the text; below each map its trust scores. Experiment { $experiment }, { $state }.
alt_metric = Line charts: share of the nearest neighbours of a token that stay the same when they are found by another metric, after each layer; one line for each metric and model state.
alt_metric_maps = Maps of the tokens of the same texts at the last feature point, one for each metric.

## Published claims

A2_statement = The feature-mixing study looks at 38 features of a 12-layer model.
A2_published = { $maps } features
A2_rule = the points at the input plus the points of a layer times the layers are as many as published, by the text of the study and by its code

B28_statement = After fine-tuning, the features of a sentiment model separate by class in the later maps.
B28_published = what the study set out to see
B28_rule = the silhouette of the labels at the output of the feed-forward network (mean of the tokens, and [CLS]) is higher in the last layer than in the first and higher than before fine-tuning, by at least { $structure }, the value below which a grouping is not considered structure

needs_imdb_gpu = profiles/imdb-bert-base.yaml on a GPU
case_points_in_text = points that the text names
case_points_in_code = points that the code draws
case_mean_last_first = mean of the tokens, last minus first layer
case_mean_after_before = mean of the tokens, last layer, after minus before
case_cls_last_first = {"["}CLS], last minus first layer
case_cls_after_before = {"["}CLS], last layer, after minus before
