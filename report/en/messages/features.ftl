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
spread_larger = spread over seeds, larger of both
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

# Alternative texts of the figures
alt_separation = Line charts, one for each experiment with labels: silhouette by label of the first token and of the mean of the tokens at every feature point, before and after fine-tuning.
alt_close_up = Maps of the last feature point, one for each model state: tokens coloured by text, with rings around special tokens and around the evidence for the label.
alt_moved = Line charts, one for each experiment: share of the nearest neighbours that a token loses from each feature point to the next, one line for each model state.
alt_trust_curves = Line charts, one column for each experiment: trustworthiness, continuity, neighbour overlap and spread over seeds of every map by UMAP, t-SNE and PCA.
alt_shift = Line charts, one column for each experiment that fine-tunes: how far each map moves by fine-tuning, and how far maps of different seeds differ.
alt_change = Line charts, one for each experiment that fine-tunes: cosine distance between the vectors before and after fine-tuning at every feature point, of the first and of all tokens.
alt_maps = Small { $method } maps of the tokens of { $texts }, { $count } in all, from the word embedding to the last layer; dots are tokens, coloured by position, their shape tells the text; below each map its trust figures. Experiment { $experiment }, { $state }.
alt_metric = Line charts, one for each experiment: share of the nearest neighbours of a token that stay the same when they are found by another metric, at every feature point; one line for each metric and model state.
alt_metric_maps = Maps of the tokens of the same texts at the last feature point, one for each metric.
