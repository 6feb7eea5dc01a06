heads_families = { $largest ->
    [vertical] Vertical maps are the largest family in every model state, typically { $vertical } of all maps; another { $heterogeneous } are heterogeneous
    [heterogeneous] Heterogeneous maps are the largest family in every model state, typically { $heterogeneous } of all maps; another { $vertical } are vertical
    [none] No maps were sorted into families
   *[depends] Typically { $vertical } of the maps are vertical and { $heterogeneous } heterogeneous; which family is largest depends on the experiment and on fine-tuning
 }

heads_heterogeneous = { $outcome ->
    [holds] After fine-tuning, typically { $share } of the maps are heterogeneous, which is within the range published for BERT-base
    [partly] After fine-tuning, typically { $share } of the maps are heterogeneous ({ $share_range }), which is within the range published for BERT-base in some experiments only
    [fails] After fine-tuning, typically { $share } of the maps are heterogeneous, which is outside the range published for BERT-base
    [open] After fine-tuning, typically { $share } of the maps are heterogeneous; these texts do not decide whether that is within the range published for BERT-base
   *[not_tested] The published share of heterogeneous maps is of fine-tuned models, and no model was fine-tuned here
 }

heads_sink = { $most ->
    [cls] In every model state, [CLS] receives more attention than any other special token: typically { $cls } of the total, against { $sep } for [SEP]
    [sep] In every model state, [SEP] receives more attention than any other special token: typically { $sep } of the total, against { $cls } for [CLS]
    [none] No model of this run uses special tokens
   *[other] [CLS] typically receives { $cls } of the attention and [SEP] { $sep }; which special token receives most depends on the model state
 }. { $outcome ->
    [holds] The concentration on [SEP] that was published for the middle layers of BERT-base is found here too
    [partly] The concentration on [SEP] that was published for the middle layers of BERT-base is found here only in part
    [fails] The concentration on [SEP] that was published for the middle layers of BERT-base is not found here
    [open] These texts do not decide whether the middle layers concentrate on [SEP], as was published for BERT-base
   *[not_tested] The concentration on [SEP] that was published for the middle layers of BERT-base could not be tested
 }

heads_sinks = { $outcome ->
    [holds] Such sinks emerge in small models too: the first token is a sink of { $first } of the heads
    [partly] Such sinks emerge in some of the experiments: the first token is a sink of { $first } of the heads
    [fails] Hardly any head has its sink on the first token ({ $first })
    [open] Whether such sinks emerge in small models remains open: the first token is a sink of { $first } of the heads
   *[not_tested] Sinks were not measured
}, and some key is one of { $any }
heads_sep_self = { $outcome ->
    [holds] As published, [SEP] attends mostly to itself, with typically { $share } of its attention
    [partly] [SEP] gives typically { $share } of its attention to itself ({ $share_range }), more than half in some model states only
    [fails] [SEP] itself gives only { $share } of its attention to [SEP]; more than 90% was published
    [open] [SEP] gives typically { $share } of its attention to itself; these texts do not decide whether that is more than half
   *[not_tested] What [SEP] attends to could not be measured, because no model of this run uses it
 }

heads_neighbours = { $outcome ->
    [not_tested] How many heads follow the neighbouring tokens was not measured
   *[other] More than half of the attention goes to the previous token in { $previous } of the heads, and to the next token in { $next }
 }{ $outcome ->
    [holds] , in line with what was published for BERT-base
    [partly] , which only partly matches what was published for BERT-base
    [fails] , far fewer than published for BERT-base
    [open] ; a model with so few heads cannot tell this apart from the few per cent published for BERT-base
   *[not_tested] { "" }
 }

heads_uniform = { $outcome ->
    [holds] Attention in the last layer is almost uniform: its entropy is { $all } of the largest possible one, and { $cls } in the row of [CLS]
    [partly] Attention in the last layer is almost uniform in some model states only: its entropy ranges over { $all_range } of the largest possible one
    [fails] Attention in the last layer is far from uniform: its entropy is typically { $all } of the largest possible one, and { $cls } in the row of [CLS]
    [open] The entropy of the last layer is typically { $all } of the largest possible one; these texts do not decide whether that is almost uniform
   *[not_tested] How uniform the attention of the last layer is was not measured
 }

heads_elbow = { $outcome ->
    [holds] The distortion of the maps bends no more sharply than that of data without clusters, so there is no elbow from which to read a number of clusters
    [partly] In some experiments the distortion of the maps bends more sharply than that of data without clusters
    [fails] The distortion of the maps bends more sharply than that of data without clusters
    [open] So few reference data sets do not decide whether the distortion of the maps bends more sharply than that of data without clusters
   *[not_tested] Whether the distortion has an elbow was not tested
 }{ $sharp ->
    [holds] ; the bend ({ $bend }) is as sharp as well-separated clusters make it
    [partly] ; only in some experiments is the bend as sharp as well-separated clusters make it
    [fails] ; nowhere is the bend as sharp as well-separated clusters would make it ({ $bend_high } at most, where they give 0.2 and more)
   *[other] { "" }
 }

heads_gap = { $outcome ->
    [holds] The gap statistic, another criterion, does find clusters ({ $k_range } of them)
    [partly] The gap statistic, another criterion, finds { $k_high } clusters in some experiments and none in others
    [fails] The gap statistic, another criterion, finds no clusters either (k = 1)
   *[other] The gap statistic, another criterion, does not settle on a number of clusters
 }

heads_quality = { $tight ->
    [holds] With five clusters, the silhouette is { $silhouette } and thus above 0.25, below which groups are not usually called clusters
    [partly] With five clusters, the silhouette is typically { $silhouette }; it exceeds 0.25, below which groups are not usually called clusters, in some experiments only
    [fails] With five clusters, the silhouette is { $silhouette } and thus below 0.25, the value from which groups are usually called clusters
   *[other] The silhouette of the clusters was not measured
 }{ $stable ->
    [holds] ; the clusters return in other samples of maps (ARI { $stability })
    [partly] ; whether the clusters return in other samples of maps depends on the experiment (ARI { $stability_range })
    [fails] ; the clusters do not return reliably in other samples of maps (ARI { $stability })
   *[other] { "" }
 }

heads_classes = { $most ->
    [layer] The clusters correspond most to the layers of a model (ARI { $layer }), less to single heads ({ $head })
    [head] The clusters correspond most to the heads of a model (ARI { $head }), less to whole layers ({ $layer })
    [text] The clusters correspond most to the texts (ARI { $text }), less to the layers of a model ({ $layer })
    [none] The clusters were compared with nothing else
   *[depends] What the clusters correspond to most depends on the experiment: typically, the ARI is { $layer } with the layers and { $head } with the heads
 }

heads_components = { $outcome ->
    [holds] The shares that it lists do sum to less
    [not_tested] The shares that it lists were not added up
   *[other] The shares that it lists, however, sum to { $listed }
 }{ $here ->
    [holds] ; the maps of this run, as images, agree with that ({ $ours })
    [partly] ; the maps of this run, as images, agree with the text in some experiments only ({ $ours_range })
    [fails] ; for the maps of this run, as images, seven components hold { $ours }
   *[other] { "" }
 }

heads_distances = { $most ->
    [main] Groups of heads formed from these distances alone correspond to the clusters of their maps (ARI { $cluster }) more than to the layers ({ $layer }) in every experiment
    [layer] Groups of heads formed from these distances alone correspond to the layers (ARI { $layer }) more than to the clusters of their maps ({ $cluster }) in every experiment
    [none] Heads were not grouped by these distances
   *[depends] Groups of heads formed from these distances alone correspond to the clusters of their maps with an ARI of typically { $cluster }, and to the layers with { $layer }; which is closer depends on the experiment
 }

heads_loss = { $outcome ->
    [holds] Many heads matter on their own: disabling one demonstrably raises the loss by more than 0.01 nats for typically { $matters } of the heads
    [partly] How many heads matter on their own depends on the experiment: disabling one demonstrably raises the loss by more than 0.01 nats for { $matters_range } of the heads
    [fails] Disabling a single head demonstrably raises the loss by more than 0.01 nats for at most { $matters_high } of the heads
    [open] Disabling a single head demonstrably raises the loss by more than 0.01 nats for typically { $matters } of the heads, which may be few or many
   *[not_tested] No head was disabled
 }

heads_spared = { $outcome ->
    [holds] For most heads, typically { $spares }, the texts suffice to rule out such a rise
    [partly] The texts suffice to rule out such a rise for most heads in some experiments only ({ $spares_range } of the heads)
    [fails] The texts rule out such a rise for a minority of the heads only (typically { $spares })
    [open] The texts rule out such a rise for typically { $spares } of the heads; the others remain undecided
   *[not_tested] No such rise was ruled out
 }

heads_rises = { $outcome ->
    [not_tested] No loss was measured without a head
   *[other] A rise of any size, however small, is found for up to { $rises_high } of the heads
 }

heads_score = { $outcome ->
    [holds] The score itself changes as published: it rarely falls without a single head, and sometimes rises
    [partly] The score itself changes only partly as published: it falls for at most { $falls_high } of the heads
    [fails] The score itself does not change as published: it falls for typically { $falls } of the heads
    [open] For the score itself, the test is too coarse: a fall is found for at most { $falls_high } of the heads, but changes of the published size could not have been seen
   *[not_tested] The score without single heads was not measured
 }

heads_totals = { $outcome ->
    [holds] The published scores for answerable and unanswerable questions, weighted with the numbers of questions, give the published totals to the last digit
    [not_tested] The published totals were not recomputed
   *[other] The published scores for answerable and unanswerable questions, weighted with the numbers of questions, do not give the published totals
 }
