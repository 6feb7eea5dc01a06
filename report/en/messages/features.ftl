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

## Alternative texts of figures

alt_separation = Line charts, one for each experiment with labels: silhouette by label of the first token and of the mean of the tokens at every feature point, before and after fine-tuning.
alt_close_up = Maps of the last feature point, one for each model state: tokens coloured by text, with rings around special tokens and around the evidence for the label.
alt_moved = Line charts, one for each experiment: share of the nearest neighbours that a token loses from each feature point to the next, one line for each model state.
alt_trust_curves = Line charts, one column for each experiment: trustworthiness, continuity, neighbour overlap and spread over seeds of every map by UMAP, t-SNE and PCA.
alt_shift = Line charts, one column for each experiment that fine-tunes: how far fine-tuning moves each map, and how far maps of different seeds differ.
alt_change = Line charts, one for each experiment that fine-tunes: cosine distance between the vectors before and after fine-tuning at every feature point, of the first and of all tokens.
alt_maps = Small { $method } maps of the tokens of { $texts }, { $count } in all, from the word embedding to the last layer; dots are tokens, coloured by position, their shape shows the text; below each map its trust scores. Experiment { $experiment }, { $state }.
alt_metric = Line charts, one for each experiment: share of the nearest neighbours of a token that stay the same when they are found by another metric, at every feature point; one line for each metric and model state.
alt_metric_maps = Maps of the tokens of the same texts at the last feature point, one for each metric.

## Findings

features_separation = { $outcome ->
    [holds] Fine-tuning separates the texts by label{ $in_every_experiment }: at the last feature point the silhouette of the first token is typically { $after }, against { $before } before fine-tuning
    [partly] Fine-tuning separates the texts by label in some experiments but not in all: at the last feature point the silhouette of the first token ranges over { $after_range }
    [fails] Fine-tuning does not separate the texts by label: at the last feature point the silhouette of the first token is typically { $after }, against { $before } before fine-tuning
    [open] Whether fine-tuning separates the texts by label remains open: at the last feature point the silhouette of the first token is typically { $after }, against { $before } before fine-tuning
   *[not_tested] Whether fine-tuning separates the texts by label was not tested, since { $why }
}
features_separation_mean = { $outcome ->
    [holds] The mean of the tokens separates them as well, with a typical silhouette of { $after }
    [partly] The mean of the tokens separates them in some experiments only, with silhouettes of { $after_range }
    [fails] The mean of the tokens does not separate them (silhouette typically { $after })
    [open] For the mean of the tokens the question remains open (silhouette typically { $after })
   *[not_tested] For the mean of the tokens this was not tested
}
features_movement = { features_movement_most }; { features_movement_least }
features_movement_most = { $most ->
    [context] Neighbourhoods change most on the step into the context, where a token typically loses { $context } of its nearest neighbours
    [embedding] Neighbourhoods change most on the step from the word embedding to the embedding
    [attention_output] Neighbourhoods change most on the step into the attention output, where a token typically loses { $attention_output } of its nearest neighbours
    [attention_block] Neighbourhoods change most on the step into the output of the attention block
    [ffn_output] Neighbourhoods change most on the step into the FFN output
    [layer_output] Neighbourhoods change most on the step into the layer output
   *[depends] Which step changes neighbourhoods most depends on the experiment and the state of the model
}
features_movement_least = { $least ->
    [context] they change least on the step into the context
    [embedding] they change least on the step from the word embedding to the embedding
    [attention_output] they change least on the step into the attention output ({ $attention_output })
    [attention_block] they change least on the step into the output of the attention block
    [ffn_output] they change least on the step into the FFN output
    [layer_output] they change least on the step into the layer output
   *[depends] which step changes them least differs as well
}
features_trusted = { $best ->
    [umap] UMAP has the highest mean trustworthiness{ $in_every_state } ({ $umap } for a typical map, { $tsne } with t-SNE)
    [tsne] t-SNE has the highest mean trustworthiness{ $in_every_state } ({ $tsne } for a typical map, { $umap } with UMAP)
    [pca] PCA has the highest mean trustworthiness{ $in_every_state }
   *[depends] No method has the highest mean trustworthiness everywhere (typical map: UMAP { $umap }, t-SNE { $tsne })
}. The least trustworthy map by UMAP reaches { $umap_low }
features_stable = { $best ->
    [umap] Between seeds, maps by UMAP differ less than those by t-SNE{ $in_every_state }: the disparity is typically { $umap }, against { $tsne }
    [tsne] Between seeds, maps by t-SNE differ less than those by UMAP{ $in_every_state }: the disparity is typically { $tsne }, against { $umap }
   *[depends] Whether maps by UMAP or by t-SNE differ less between seeds depends on the experiment and the state of the model (typical disparity: { $umap } and { $tsne })
}
features_changed = { $outcome ->
    [holds] The change of the vectors grows with depth{ $in_every_experiment }: the cosine distance is typically { $first } in the first layer and { $last } in the last, where 1 is a right angle
    [partly] The change of the vectors grows with depth in some experiments but not in all: the cosine distance is typically { $first } in the first layer and { $last } in the last
    [fails] The change of the vectors does not grow with depth: the cosine distance is typically { $first } in the first layer and { $last } in the last
    [open] Whether the change of the vectors grows with depth remains open: the cosine distance is typically { $first } in the first layer and { $last } in the last
   *[not_tested] Whether the change of the vectors grows with depth was not tested, since { $why }
}

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
