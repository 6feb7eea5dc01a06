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
cls = [CLS]
sep = [SEP]
special = other special tokens
punctuation = punctuation
sep_to_sep = from [SEP] to [SEP]
relative_entropy = entropy, all rows
cls_entropy = entropy, row of [CLS]
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
largest_at = largest at [CLS]
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

## Alternative texts of figures

alt_families = Stacked bars over the layers: share of the attention maps in each family by rule, one panel for each experiment and model state.
alt_attended = Line charts over the layers, one column for each experiment: share of attention on [CLS], [SEP], other special tokens and punctuation; what [SEP] gives to [SEP]; share on the previous token, the token itself and the next; entropy divided by ln n.
alt_quality = Line charts over the number of clusters, one column for each experiment: distortion, beside that of data without clusters; silhouette; Calinski–Harabasz index; stability; for k-means and agglomerative clusters.
alt_plane = Attention maps of experiment { $shown } as dots in the plane of PCA, above, and of UMAP, below; coloured by cluster, left, and by family, right.
alt_by_head = Heat maps of layers and heads of experiment { $shown }, one for each cluster and model state: share of the head's maps that are in the cluster.
alt_distances = Heads of experiment { $shown } as dots in a plane, near each other where they attend alike, one panel for each model state; coloured by layer, above, and by family, below.
alt_ablation = Heat maps of layers and heads, one column for each experiment with a task: change of the score, above, and of the loss, below, when the head is disabled; dots mark intervals that exclude 0 after correction for the number of heads.
alt_atlas = Table of small attention maps, layers by heads, of experiment { $experiment }, one table for each model state: the mean map of every head, framed in the colour of its family.
alt_typical = Attention maps of experiment { $experiment } nearest to the middle of each cluster, left, and of each family, right: one large, with the tokens of its text where they fit, and two small ones, each with its layer and head.
alt_sinks = Line charts over the layers, one column for each experiment: weight on the first token and on the key with the largest mean weight, averaged over queries and heads.
alt_massive = Line charts over the layers, one column for each experiment, of layer outputs and of the sums before the last layer normalization: largest magnitude of a coordinate, the same divided by the median magnitude, and share of texts in which it belongs to [CLS].

## Findings

heads_families = { $largest ->
    [vertical] Vertical maps are the largest family{ $in_every_state }, typically { $vertical } of all maps; { $heterogeneous } are heterogeneous
    [heterogeneous] Heterogeneous maps are the largest family{ $in_every_state }, typically { $heterogeneous } of all maps; { $vertical } are vertical
    [none] No maps were sorted into families
   *[depends] Typically { $vertical } of the maps are vertical and { $heterogeneous } heterogeneous; which family is largest depends on the experiment and on fine-tuning
 }
heads_heterogeneous = { $outcome ->
    [holds] After fine-tuning, typically { $share } of the maps are heterogeneous, which is within the range published for BERT-base, whichever cut-off is taken
    [partly] After fine-tuning, { $share_range } of the maps are heterogeneous; whether that is within the range published for BERT-base depends on the cut-off and the experiment
    [fails] After fine-tuning, typically { $share } of the maps are heterogeneous, which is outside the range published for BERT-base
    [open] After fine-tuning, typically { $share } of the maps are heterogeneous; these texts do not decide whether that is within the range published for BERT-base
   *[not_tested] Whether the share of heterogeneous maps is within the range published for fine-tuned models was not tested, since { $why }
 }
heads_sink = { $most ->
    [cls] [CLS] receives more attention than any other special token{ $in_every_state }: typically { $cls } of the total, against { $sep } for [SEP]
    [sep] [SEP] receives more attention than any other special token{ $in_every_state }: typically { $sep } of the total, against { $cls } for [CLS]
    [close] No special token stands out{ $in_every_state }: [CLS] typically receives { $cls } of the attention, and [SEP] { $sep }
    [none] No model of this run uses special tokens
   *[other] [CLS] typically receives { $cls } of the attention and [SEP] { $sep }; which special token receives most depends on the model state
 }. { $outcome ->
    [holds] The concentration on [SEP] that was published for the middle layers of BERT-base is found here too
    [partly] The concentration on [SEP] that was published for the middle layers of BERT-base is found here only in part
    [fails] The concentration on [SEP] that was published for the middle layers of BERT-base is not found here
    [open] These texts do not decide whether the middle layers concentrate on [SEP], as was published for BERT-base
   *[not_tested] Whether the middle layers concentrate on [SEP], as was published for BERT-base, was not tested, since { $why }
 }
heads_sinks = { $outcome ->
    [holds] Such sinks emerge in the models here too: the first token is a sink of { $first } of the heads, and some key is a sink of { $any }
    [partly] Such sinks emerge in some of the experiments: the first token is a sink of { $first } of the heads, and some key is a sink of { $any }
    [fails] Hardly any head has its sink on the first token ({ $first }), and some key is a sink of { $any } of the heads
    [open] Whether such sinks emerge in the models here remains open: the first token is a sink of { $first } of the heads, and some key is a sink of { $any }
   *[not_tested] Whether such sinks emerge here was not tested, since { $why }
}
heads_massive = { $massive ->
    [holds] The layer outputs of the models here have them as well: the largest coordinate is { $largest }, and the largest ratio to the median { $ratio }
    [partly] The layer outputs of some model states here have them as well: the largest coordinate is { $largest }, and the largest ratio to the median { $ratio }
    [fails] The layer outputs of the models here have none: the largest coordinate is { $largest }, and the largest ratio to the median { $ratio }
    [open] Whether the layer outputs of the models here have them remains open: the largest coordinate is { $largest }, and the largest ratio to the median { $ratio }
   *[not_tested] Whether the layer outputs of the models here have them was not tested
}{ $before_norm ->
    [holds] . Before the last normalization of a layer there are some, with magnitudes up to { $sum } and ratios up to { $sum_ratio }
    [partly] . Before the last normalization of a layer, some model states have them, with magnitudes up to { $sum } and ratios up to { $sum_ratio }
    [fails] . Before the last normalization of a layer, magnitudes reach { $sum } and ratios { $sum_ratio }, but no coordinate meets both conditions
    [open] . Whether there are some before the last normalization of a layer remains open: magnitudes reach { $sum } and ratios { $sum_ratio }
   *[not_tested] {""}
}{ $at_cls ->
    [holds] . The largest coordinate of a layer's output belongs to [CLS] in { $cls_range } of cases
    [partly] . In some model states, the largest coordinate of a layer's output mostly belongs to [CLS] (typically in { $cls } of cases)
    [fails] . The largest coordinate of a layer's output belongs to [CLS] in less than half of the cases ({ $cls })
    [open] . Whether the largest coordinate of a layer's output mostly belongs to [CLS] remains open ({ $cls } of cases)
   *[not_tested] {""}
}
heads_sep_self = { $outcome ->
    [holds] As published, [SEP] attends mostly to itself, with typically { $share } of its attention
    [partly] [SEP] gives typically { $share } of its attention to itself ({ $share_range }), more than half in some model states only
    [fails] [SEP] gives only { $share } of its attention to itself; more than 90% was published
    [open] [SEP] gives typically { $share } of its attention to itself; these texts do not decide whether that is more than half
   *[not_tested] What [SEP] attends to was not tested, since { $why }
 }
heads_neighbours = { $outcome ->
    [not_tested] How many heads follow the neighbouring tokens was not tested, since { $why }
   *[other] More than half of the attention goes to the previous token in { $previous } of the heads, and to the next token in { $next }
 }{ $outcome ->
    [holds] , in line with what was published for BERT-base
    [partly] , which only partly matches what was published for BERT-base
    [fails] , far fewer than published for BERT-base
    [open] ; a model with so few heads cannot tell this apart from the few per cent published for BERT-base
   *[not_tested] { "" }
 }
heads_uniform = { $outcome ->
    [holds] Single heads are almost uniform in the last layer: their entropy is on average { $all } of the largest possible one, and { $cls } in the row of [CLS]
    [partly] Single heads are almost uniform in the last layer of some model states only: their mean entropy ranges over { $all_range } of the largest possible one
    [fails] Single heads are far from uniform in the last layer: their mean entropy is typically { $all } of the largest possible one, and { $cls } in the row of [CLS]
    [open] The mean entropy of single heads in the last layer is typically { $all } of the largest possible one; these texts do not decide whether that is almost uniform
   *[not_tested] How uniform the heads of the last layer are was not tested, since { $why }
 }
heads_elbow = { $outcome ->
    [holds] The distortion of the maps has no sharp bend ({ $bend_high } at most, where clusters that lie well apart give 0.2 and more), so there is no elbow from which to read a number of clusters
    [partly] Only in some experiments does the distortion of the maps bend as sharply as clusters that lie well apart make it (by 0.2 and more)
    [fails] The distortion of the maps bends as sharply as clusters that lie well apart make it ({ $bend })
    [open] Whether the distortion of the maps has an elbow remains open
   *[not_tested] Whether the distortion has an elbow was not tested, since { $why }
 }
heads_gap = { $outcome ->
    [holds] The gap statistic, another criterion, does find clusters ({ $k_range } of them); the two criteria disagree
    [partly] The gap statistic, another criterion, finds { $k_high } clusters in some experiments and none in others; in the former the two criteria disagree
    [fails] The gap statistic, another criterion, finds no clusters either (k = 1)
    [not_tested] The gap statistic, another criterion, was not tested, since { $why }
   *[other] The gap statistic, another criterion, does not settle on a number of clusters
 }
heads_quality = { $tight ->
    [holds] The clusters shown have a silhouette of { $silhouette } and thus above 0.25, below which groups are not usually called clusters
    [partly] The clusters shown typically have a silhouette of { $silhouette }; it exceeds 0.25, below which groups are not usually called clusters, in some experiments only
    [fails] The clusters shown have a silhouette of { $silhouette } and thus below 0.25, the value from which groups are usually called clusters
   *[other] The silhouette of the clusters was not measured
 }{ $stable ->
    [holds] ; five clusters return in other samples of maps (ARI { $stability })
    [partly] ; whether five clusters return in other samples of maps depends on the experiment (ARI { $stability_range })
    [fails] ; five clusters do not return reliably in other samples of maps (ARI { $stability })
   *[other] { "" }
 }
heads_classes = Typically, the ARI of the clusters is { $layer } with layers and { $head } with heads. The two cannot be compared: a model has many heads and few clusters, so the index with heads stays low even where all maps of a head are in one cluster
heads_components = { $outcome ->
    [holds] The shares that it lists do sum to less than that
    [not_tested] The shares that it lists were not added up
   *[other] The shares that it lists, however, sum to { $listed }
 }{ $here ->
    [holds] ; the maps of this run, as images, agree with that ({ $ours })
    [partly] ; the maps of this run, as images, agree with the text in some experiments only ({ $ours_range })
    [fails] ; for the maps of this run, as images, seven components hold { $ours }
   *[other] { "" }
 }
heads_distances = { $most ->
    [main] Groups of heads formed from these distances alone are nearer to the clusters of their maps (ARI { $cluster }; chance gives 0) than to the layers ({ $layer }){ $in_every_experiment }
    [layer] Groups of heads formed from these distances alone are nearer to the layers (ARI { $layer }; chance gives 0) than to the clusters of their maps ({ $cluster }){ $in_every_experiment }
    [close] Groups of heads formed from these distances alone are about as near to the clusters of their maps (ARI { $cluster }; chance gives 0) as to the layers ({ $layer }){ $in_every_experiment }
    [none] Heads were not grouped by these distances
   *[depends] Groups of heads formed from these distances alone correspond to the clusters of their maps with an ARI of typically { $cluster }, and to the layers with { $layer }; which is closer depends on the experiment
 }
heads_moved = { $moved ->
    [0] No head of a fine-tuned model changes its family
    [one] Of the { $heads } heads in all fine-tuned models together, one changes its family: { $there } from heterogeneous to vertical, and { $back } from vertical to heterogeneous
   *[other] Of the { $heads } heads in all fine-tuned models together, { $moved } change their family: { $there } from heterogeneous to vertical, and { $back } from vertical to heterogeneous
}
heads_reclustered = { $most ->
    [0] No head has most of its maps in a different cluster from before
    [one] At most one head of a model has most of its maps in a different cluster from before
   *[other] In each model, { $reclustered } heads have most of their maps in a different cluster from before
}
heads_loss = { $outcome ->
    [holds] Many heads matter on their own: disabling one demonstrably raises the loss by more than 0.01 nats for typically { $matters } of the heads
    [partly] How many heads matter on their own depends on the experiment: disabling one demonstrably raises the loss by more than 0.01 nats for { $matters_range } of the heads
    [fails] Few heads matter on their own: disabling one demonstrably raises the loss by more than 0.01 nats for { $matters_range } of the heads
    [open] Disabling a single head demonstrably raises the loss by more than 0.01 nats for { $matters_range } of the heads; for some of the others these texts do not decide, so the true share may be larger
   *[not_tested] Whether many heads matter on their own was not tested, since { $why }
 }
heads_spared = { $outcome ->
    [holds] For most heads, typically { $spares }, the texts suffice to rule out such a rise
    [partly] The texts suffice to rule out such a rise for most heads only in some experiments ({ $spares_range } of the heads)
    [fails] The texts rule out such a rise for a minority of the heads only (typically { $spares })
    [open] The texts rule out such a rise for typically { $spares } of the heads; the others remain undecided
   *[not_tested] Nor was it tested whether most heads can be spared
 }
heads_rises = { $outcome ->
    [not_tested] Whether the loss rises by more than 0.001 nats for many heads was not tested, since { $why }
   *[other] A smaller rise of the loss, of more than 0.001 nats, is found for { $rises_range } of the heads
 }
heads_score = { $outcome ->
    [holds] The score itself changes as published: when a single head is disabled, it rarely falls and sometimes rises
    [partly] The score itself changes only partly as published: it falls for { $falls_range } of the heads
    [fails] The score itself does not change as published: it falls for typically { $falls } of the heads
    [open] For the score itself, the test is too coarse: a fall is found for { $falls_range } of the heads, but changes of the published size could not have been seen
   *[not_tested] Whether the score changes as published was not tested, since { $why }
 }
heads_totals = { $outcome ->
    [holds] The published scores for answerable and unanswerable questions, weighted by the numbers of questions, give the published totals to the last digit
    [not_tested] The published totals were not recomputed
   *[other] The published scores for answerable and unanswerable questions, weighted by the numbers of questions, do not give the published totals
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
B16_rule = the share of heads that do so, by their mean over texts, is at least a quarter of the published share, for the previous and for the next token; the interval treats the heads as a sample

B17_statement = In the middle layers more than half of the attention goes to [SEP], and [SEP] gives nearly all of its own attention to itself.
B17_published = above { $sep } in layers { $sep_layers_0 } to { $sep_layers_1 } of 12; above { $sep_to_sep }
B17_rule = shares of attention in the layers at that depth, averaged over heads, exceed { $most } to [SEP] and { $nearly_all } from [SEP] to itself (ours); for comparison, the share that goes to [CLS]

B22_statement = A third to more than half of the attention maps are heterogeneous.
B22_published = { $share_0 } to { $share_1 }, depending on the task, as a trained classifier of maps sees them
B22_rule = the share of maps without a pattern lies in the published range, whether a pattern has to hold half of the attention, 40% or 60% of it

B23_statement = Disabling a single head rarely hurts, and sometimes helps.
B23_published = gains of up to { $gain }
B23_rule = the score falls, by an interval corrected for the number of heads, for fewer than { $rarely } of the heads, and rises for at least a quarter of that share; one text may weigh no more than the largest published gain

B24_statement = k-means on features of attention maps shows no elbow.
B24_published = distortion { $distortion_0 } at k = { $k_0 }, { $distortion_1 } at k = { $k_1 }
B24_rule = the sharpest bend of the distortion is below { $sharp }, which clusters that lie well apart exceed; beside it, p against data without clusters

B29_statement = Attention sinks emerge in small models too: some heads give the first token a large weight whatever the query.
B29_published = found in every model tested; a sink is a mean weight above { $sink }
B29_rule = the share of heads whose mean weight on the first token, over the queries that see it, exceeds { $sink } is at least 5% (ours)

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
case_stricter = cut-off 60%
case_looser = cut-off 40%
case_half = cut-off 50%
means_family_share = share of the maps that are of the family
