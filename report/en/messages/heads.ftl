chapter_heads = Heads

## Words of figures and tables

vertical = vertical
diagonal = diagonal
vertical-plus-diagonal = vertical + diagonal
block = block
heterogeneous = heterogeneous
broad = broad, as published
broad_relative = broad, for the length
previous = previous token
self = the token itself
next = next token
cls = first token
sep = [SEP]
special = other special tokens
punctuation = punctuation
sep_to_sep = from [SEP] to [SEP]
relative_entropy = entropy, all rows
cls_entropy = entropy, row of the readout token
to_tokens = share on tokens
to_positions = share by position
from_sep = share of [SEP]
share_of_maps = share of maps
heads = heads
before = before
after = after
family = family
sink = mean weight on a key
first = first token
any = strongest key
layer_output = layer output
before_norm = before the last layer normalization
largest = largest magnitude
largest_over_median = largest / median
largest_at = largest at the first token
kmeans = k-means
agglomerative = agglomerative (Ward)
k = number of clusters k
distortion = distortion
silhouette = silhouette
calinski_harabasz =
    Calinski–
    Harabasz
stability = stability (ARI)
reference = data without clusters (mean)
elbow = bend beyond chance
cluster = cluster
by_cluster = { $plane }, by cluster
by_family = { $plane }, by family
by_layer = { $plane }, by layer
share_of_head = share of the head's maps
class_layer = layer
class_head = head
class_text = text
ari = ARI: { $agreement }
distances = distances
silhouette_at = silhouette (k = { $k })
stability_at = stability (k = { $k })
hdbscan = HDBSCAN: clusters
unassigned = unassigned
components = first seven components
read = text, as the model reads it
group = group
score_change = change of the score (points)
loss_change = change of the loss
score_change_harm = points of the score lost
loss_change_harm = nats added to the loss
beyond = corrected interval excludes 0
texts = texts
baseline_score = score (%)
baseline_loss = loss
hurt_score = score falls
help_score = score rises
hurt_loss = loss rises
help_loss = loss falls
worst = worst
best = best
no_head = no head
seen = smallest loss change seen (median head)
unseen = score: texts that may change unseen
runs_first = mean weight on the first token
runs_any = mean weight on the strongest key
runs_sep = share on [SEP]
runs_entropy = entropy, last layer
runs_without = heterogeneous heads

## Alternative texts of figures

alt_families = Stacked bars over the layers: share of the attention maps in each family by rule, one panel for each model state.
alt_attended = Line charts over the layers: share of attention on the first token, [SEP], other special tokens and punctuation; what [SEP] gives to [SEP]; share on the previous token, the token itself and the next; entropy divided by ln n.
alt_quality = Line charts over the number of clusters: distortion, beside that of data without clusters; silhouette; Calinski–Harabasz index; stability; for k-means and agglomerative clusters.
alt_plane = Attention maps of experiment { $shown } as dots in the plane of PCA, above, and of UMAP, below; coloured by cluster, left, and by family, right.
alt_by_head = Heat maps of layers and heads of experiment { $shown }, one for each cluster and model state: share of the head's maps that are in the cluster.
alt_distances = Heads of experiment { $shown } as dots in a plane, near each other where they attend alike, one panel for each model state; coloured by layer, above, and by family, below.
alt_ablation = Heat maps of layers and heads, one column for each experiment with a task: points of the score lost, above, and nats added to the loss, below, when the head is disabled; dots mark intervals that exclude 0 after correction for the number of heads.
alt_atlas = Table of small attention maps, layers by heads, of experiment { $experiment }, one table for each model state: the mean map of every head, framed in the colour of its family.
alt_typical = Attention maps of experiment { $experiment } nearest to the middle of each cluster, left, and of each family, right: one large, with the tokens of its text where they fit, and two small ones, each with its layer and head.
alt_sinks = Line charts over the layers: weight on the first token and on the key with the largest mean weight, averaged over queries and heads.
alt_massive = Line charts over the layers of layer outputs and of the sums before the last layer normalization: largest magnitude of a coordinate, the same divided by the median magnitude, and share of texts in which it belongs to the first token.

## Sentences of the notebook

heads_normalizing = { $outcome ->
    [all] { $n ->
        [one] The model here normalizes
       *[other] The models here normalize
    }
   *[some] Of the models here, { $models } { $n ->
        [one] normalizes
       *[other] normalize
    }
} after each residual connection
heads_moved = { $moved ->
    [0] No head of a fine-tuned model changes its family
   *[other] Of the { $heads } heads of fine-tuned models, { $moved } { $moved ->
        [one] changes its family
       *[other] change their family
    }. Among them, { $there } { $there ->
        [one] goes
       *[other] go
    } from heterogeneous to vertical and { $back } the other way
}
heads_reclustered = { $most ->
    [0] No head has most of its maps in another cluster than before
    [one] At most one head of a model has most of its maps in another cluster than before
   *[other] In each model, { $reclustered } heads have most of their maps in another cluster than before
}

## Published claims

A1_statement = The totals that an evaluation on SQuAD 2.0 printed follow from the scores of its two parts.
A1_published = exact match { $exact_total }, F1 { $f1_total } over { $questions_total } questions
A1_rule = the mean of the parts, weighted by their numbers of questions, is the printed total to the last digit of a float

A13_statement = There were 18 million attention maps, and seven principal components kept less than 30% of their variance.
A13_published = { $maps } maps; below { $below }
A13_rule = windows times heads make 18 million, rounded down, and the listed shares sum to less than the published bound

B16_statement = Some heads give more than half of their attention to the previous token, and some to the next.
B16_published = { $previous } and { $next } heads of { $heads }
B16_rule = at least one head does so, for the previous and for the next token: its whole interval over texts, corrected for the number of heads, lies above a half

B17_statement = In the middle layers more than half of the attention goes to [SEP], and [SEP] gives nearly all of its own attention to itself.
B17_published = above { $sep } in layers { $sep_layers_0 } to { $sep_layers_1 } of 12; above { $sep_to_sep }
B17_rule = shares of attention in the layers at that depth, averaged over heads, exceed { $most } to [SEP] and { $nearly_all } from [SEP] to itself (ours); for comparison, the share that goes to [CLS]

B22_statement = A third to more than half of the attention maps are heterogeneous.
B22_published = { $share_0 } to { $share_1 }, depending on the task, as a trained classifier of maps sees them
B22_rule = the share of maps without a pattern, which has to hold half of the attention (ours), lies in the published range

B23_statement = Disabling a single head rarely hurts, and sometimes helps.
B23_published = gains of up to { $gain }
B23_rule = the score falls, by an interval corrected for the number of heads, for fewer than { $rarely } of the heads, and rises for at least a quarter of that share; one text may weigh no more than the largest published gain

B24_statement = k-means on features of attention maps shows no elbow.
B24_published = distortion { $distortion_0 } at k = { $k_0 }, { $distortion_1 } at k = { $k_1 }
B24_rule = the sharpest bend of the distortion is below { $sharp }, which clusters that lie well apart exceed; beside it, p against data without clusters

B29_statement = Attention sinks emerge in small models too: some heads give the first token, {"["}CLS] in an encoder, a large weight whatever the query.
B29_published = found in every model tested; a sink is a mean weight above { $sink }
B29_rule = the share of heads whose mean weight on the first token, over the queries that see it, exceeds that of uniform attention by more than { $sink } is at least 5% (ours). Uniform attention alone reaches the published bound in a decoder that reads eight tokens, since its early queries see little else

conditions_clark = BERT-base on Wikipedia (1,000 segments)
conditions_squad_maps = BERT-base on SQuAD 2.0, maps seen by ResNet-50
conditions_gu = autoregressive language models on texts of the Pile
needs_squad_gpu = profiles/squad-bert-base.yaml on a GPU
needs_gu = GPT-2 from the hub, on texts of the Pile as local files
case_questions = number of questions
case_windows_heads = windows times heads
case_listed_shares = sum of the listed shares
case_previous = previous token
case_next = next token
case_to_sep = to [SEP]
case_sep_to_sep = from [SEP] to [SEP]
case_to_cls = to [CLS]
case_falls = share of the heads without which the score falls
case_rises = share of the heads without which it rises
case_bend = sharpest bend
case_chance = p of the sharpest bend
means_family_share = share of the maps that are of the family
B38_statement = In the middle layers, the largest activation of a text sits at its first token.
B38_published = found in all models tested; only the direction is taken over
B38_rule = in the middle layer, the largest coordinate of a text is that of the first token, {"["}CLS] in an encoder, in more than { $most } of the texts (ours). Only models whose texts all begin with a special token are asked

## Columns of the downloads

column_text = the text, as the model reads it
