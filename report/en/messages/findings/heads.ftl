heads_families = { $largest ->
    [vertical] Vertical maps are the largest family{ $in_every_state }, typically { $vertical } of all maps; { $heterogeneous } are heterogeneous
    [heterogeneous] Heterogeneous maps are the largest family{ $in_every_state }, typically { $heterogeneous } of all maps; { $vertical } are vertical
    [none] No maps were sorted into families
   *[depends] Typically { $vertical } of the maps are vertical and { $heterogeneous } heterogeneous; which family is largest depends on the experiment{ $and_tuning }
 }
heads_heterogeneous = { $outcome ->
    [holds] After fine-tuning, typically { $share } of the maps are heterogeneous, which is within the range published for BERT-base
    [divided] After fine-tuning, { $share_range } of the maps are heterogeneous; whether that is within the range published for BERT-base depends on the experiment{ $outcome_models }
    [fails] After fine-tuning, typically { $share } of the maps are heterogeneous, which is outside the range published for BERT-base
    [open] After fine-tuning, typically { $share } of the maps are heterogeneous; these texts do not decide whether that is within the range published for BERT-base
   *[not_tested] Whether the share of heterogeneous maps is within the range published for fine-tuned models was not tested, since { $why }
 }
heads_sink = { $most ->
    [cls] [CLS] receives more attention than any other special token{ $in_every_state }: typically { $cls } of the total, against { $sep } for [SEP]
    [sep] [SEP] receives more attention than any other special token{ $in_every_state }: typically { $sep } of the total, against { $cls } for [CLS]
    [close] No special token stands out{ $in_every_state }: [CLS] typically receives { $cls } of the attention, and [SEP] { $sep }
    [none] No text of this run holds [CLS] or [SEP]
   *[other] [CLS] typically receives { $cls } of the attention and [SEP] { $sep }; which special token receives most depends on the model state
 }. { $outcome ->
    [holds] The concentration on [SEP] that was published for the middle layers of BERT-base is found here too
    [divided] The concentration on [SEP] that was published for the middle layers of BERT-base is found here only in part{ $outcome_models }
    [fails] The concentration on [SEP] that was published for the middle layers of BERT-base is not found here
    [open] These texts do not decide whether the middle layers concentrate on [SEP], as was published for BERT-base
   *[not_tested] Whether the middle layers concentrate on [SEP], as was published for BERT-base, was not tested, since { $why }
 }
heads_sinks = { $outcome ->
    [holds] Such sinks emerge in the models here too: the first token is a sink of { $first } of the heads, and some key is a sink of { $any }
    [divided] Such sinks emerge in some of the experiments: the first token is a sink of { $first } of the heads, and some key is a sink of { $any }{ $outcome_models }
    [fails] Hardly any head has its sink on the first token ({ $first }), and some key is a sink of { $any } of the heads
    [open] Whether such sinks emerge in the models here remains open: the first token is a sink of { $first } of the heads, and some key is a sink of { $any }
   *[not_tested] Whether such sinks emerge here was not tested, since { $why }
}
heads_massive = { $massive ->
    [holds] The layer outputs of the models here have them as well: the largest coordinate is { $largest }, and the largest ratio to the median { $ratio }
    [divided] The layer outputs of some model states here have them as well: the largest coordinate is { $largest }, and the largest ratio to the median { $ratio }{ $massive_models }
    [fails] The layer outputs of the models here have none: the largest coordinate is { $largest }, and the largest ratio to the median { $ratio }
    [open] Whether the layer outputs of the models here have them remains open: the largest coordinate is { $largest }, and the largest ratio to the median { $ratio }
   *[not_tested] Whether the layer outputs of the models here have them was not tested
}{ $before_norm ->
    [holds] . Before the last normalization of a layer there are some, with magnitudes up to { $sum } and ratios up to { $sum_ratio }
    [divided] . Before the last normalization of a layer, some model states have them, with magnitudes up to { $sum } and ratios up to { $sum_ratio }{ $before_norm_models }
    [fails] . Before the last normalization of a layer, magnitudes reach { $sum } and ratios { $sum_ratio }, but no coordinate meets both conditions
    [open] . Whether there are some before the last normalization of a layer remains open: magnitudes reach { $sum } and ratios { $sum_ratio }
   *[not_tested] {""}
}{ $at_cls ->
    [holds] . The largest coordinate of a layer's output belongs to [CLS] in { $cls_range } of cases
    [divided] . In some model states, the largest coordinate of a layer's output mostly belongs to [CLS] (typically in { $cls } of cases){ $at_cls_models }
    [fails] . The largest coordinate of a layer's output belongs to [CLS] in less than half of the cases ({ $cls })
    [open] . Whether the largest coordinate of a layer's output mostly belongs to [CLS] remains open ({ $cls } of cases)
   *[not_tested] {""}
}
heads_sep_self = { $outcome ->
    [holds] As published, [SEP] attends mostly to itself, with typically { $share } of its attention
    [divided] [SEP] gives typically { $share } of its attention to itself ({ $share_range }), more than half in some model states only{ $outcome_models }
    [fails] [SEP] gives only { $share } of its attention to itself; more than 90% was published
    [open] [SEP] gives typically { $share } of its attention to itself; these texts do not decide whether that is more than half
   *[not_tested] What [SEP] attends to was not tested, since { $why }
 }
heads_neighbours = { $outcome ->
    [not_tested] How many heads follow the neighbouring tokens was not tested, since { $why }
   *[other] More than half of the attention goes to the previous token in { $previous } of the heads{ $with_next ->
        [yes] , and to the next token in { $next }
       *[no] {""}
    }
 }{ $outcome ->
    [holds] , so that there are such heads, as was published for BERT-base
    [divided] , so that there are such heads, as was published for BERT-base, in some of the cases only{ $outcome_models }
    [fails] , so that there is no such head, unlike in BERT-base
    [open] ; whether there are such heads, as was published for BERT-base, remains open
   *[not_tested] { "" }
 }
heads_uniform = { $outcome ->
    [holds] Single heads are almost uniform in the last layer: their entropy is on average { $all } of the largest possible one{ $with_cls ->
        [yes] , and { $cls } in the row of [CLS]
       *[no] {""}
    }
    [divided] Single heads are almost uniform in the last layer of some model states only: their mean entropy ranges over { $all_range } of the largest possible one{ $outcome_models }
    [fails] Single heads are far from uniform in the last layer: their mean entropy is typically { $all } of the largest possible one{ $with_cls ->
        [yes] , and { $cls } in the row of [CLS]
       *[no] {""}
    }
    [open] The mean entropy of single heads in the last layer is typically { $all } of the largest possible one; these texts do not decide whether that is almost uniform
   *[not_tested] How uniform the heads of the last layer are was not tested, since { $why }
 }
heads_elbow = { $outcome ->
    [holds] The distortion of the maps has no sharp bend ({ $bend_high } at most, where clusters that lie well apart give 0.2 and more), so there is no elbow from which to read a number of clusters
    [divided] The distortion of the maps has no sharp bend in some model states only; in the others it bends as sharply as clusters that lie well apart make it (by 0.2 and more){ $outcome_models }
    [fails] The distortion of the maps bends as sharply as clusters that lie well apart make it ({ $bend })
    [open] Whether the distortion of the maps has an elbow remains open
   *[not_tested] Whether the distortion has an elbow was not tested, since { $why }
 }
heads_gap = { $outcome ->
    [holds] The gap statistic, another criterion, does find clusters ({ $k_range } of them); the two criteria disagree
    [divided] The gap statistic, another criterion, finds { $k_high } clusters in some model states and none in others; in the former the two criteria disagree{ $outcome_models }
    [fails] The gap statistic, another criterion, finds no clusters either (k = 1)
    [not_tested] The gap statistic, another criterion, was not tested, since { $why }
   *[other] The gap statistic, another criterion, does not settle on a number of clusters
 }
heads_quality = { $tight ->
    [holds] The clusters shown have a silhouette of { $silhouette } and thus above 0.25, below which groups are not usually called clusters
    [divided] The clusters shown typically have a silhouette of { $silhouette }; it exceeds 0.25, below which groups are not usually called clusters, in some model states only{ $tight_models }
    [fails] The clusters shown have a silhouette of { $silhouette } and thus below 0.25, the value from which groups are usually called clusters
   *[other] The silhouette of the clusters was not measured
 }{ $stable ->
    [holds] ; five clusters return in other samples of maps (ARI { $stability })
    [divided] ; whether five clusters return in other samples of maps depends on the model state (ARI { $stability_range }){ $stable_models }
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
    [divided] ; the maps of this run, as images, agree with the text in some model states only ({ $ours_range }){ $here_models }
    [fails] ; for the maps of this run, as images, seven components hold { $ours }
   *[other] { "" }
 }
heads_distances = { $most ->
    [main] Groups of heads formed from these distances alone are nearer to the clusters of their maps (ARI { $cluster }; chance gives 0) than to the layers ({ $layer }){ $in_every_state }
    [layer] Groups of heads formed from these distances alone are nearer to the layers (ARI { $layer }; chance gives 0) than to the clusters of their maps ({ $cluster }){ $in_every_state }
    [close] Groups of heads formed from these distances alone are about as near to the clusters of their maps (ARI { $cluster }; chance gives 0) as to the layers ({ $layer }){ $in_every_state }
    [none] Heads were not grouped by these distances
   *[depends] Groups of heads formed from these distances alone correspond to the clusters of their maps with an ARI of typically { $cluster }, and to the layers with { $layer }; which is closer depends on the experiment{ $and_tuning }
 }
heads_carry = { $answers ->
    [holds] A model that answers questions hangs on a few heads{ $answers_source }: { $carry_range } of them cost more than ten points of F1 each when disabled alone, the most important one { $worst_low } ({ $worst_low_of })
    [divided] Some models that answer questions hang on a few heads{ $answers_source }: { $carry_range } of them cost more than ten points of F1 each when disabled alone, the most important one { $worst_low } ({ $worst_low_of }){ $answers_models }
    [fails] No head of a model that answers questions costs ten points of F1 when it alone is disabled{ $answers_source }; the most important one costs { $worst_low } of 100 points of F1 ({ $worst_low_of })
    [open] Whether a model that answers questions hangs on single heads remains open{ $answers_source }; the most important one costs { $worst_low } of 100 points of F1 ({ $worst_low_of })
   *[not_tested] Whether a model that answers questions hangs on single heads was not tested, since { $why }
}{ $classes ->
    [holds] . In classifiers, too, single heads cost more than ten points of accuracy{ $classes_source }, at most { $worst_class_low } ({ $worst_class_low_of })
    [divided] . In some classifiers, too, single heads cost more than ten points of accuracy{ $classes_source }, at most { $worst_class_low } ({ $worst_class_low_of }){ $classes_models }
    [fails] . In classifiers no head costs ten points of accuracy{ $classes_source }: the most important one costs { $worst_class_low } ({ $worst_class_low_of })
    [open] . Whether single heads of classifiers cost ten points of accuracy remains open{ $classes_source }; the most important one costs { $worst_class_low } ({ $worst_class_low_of })
   *[not_tested] {""}
}
heads_next_words = { $outcome ->
    [holds] In models that predict the next word, single heads cost more than ten points of accuracy{ $outcome_source }, at most { $worst_low } ({ $worst_low_of })
    [divided] In some models that predict the next word, single heads cost more than ten points of accuracy{ $outcome_source }, at most { $worst_low } ({ $worst_low_of }){ $outcome_models }
    [fails] In models that predict the next word, no head costs ten points of accuracy{ $outcome_source }: the most important one costs { $worst_low } ({ $worst_low_of })
    [open] Whether single heads of models that predict the next word cost ten points of accuracy remains open{ $outcome_source }; the most important one costs { $worst_low } ({ $worst_low_of })
   *[not_tested] Whether single heads of models that predict the next word cost ten points of accuracy was not tested, since { $why }
}
heads_loss = { $outcome ->
    [holds] Many heads matter on their own: disabling one demonstrably raises the loss by more than 0.01 nats for typically { $matters } of the heads
    [divided] How many heads matter on their own depends on the experiment: disabling one demonstrably raises the loss by more than 0.01 nats for { $matters_range } of the heads{ $outcome_models }
    [fails] Few heads matter on their own: disabling one demonstrably raises the loss by more than 0.01 nats for { $matters_range } of the heads
    [open] Disabling a single head demonstrably raises the loss by more than 0.01 nats for { $matters_range } of the heads; for some of the others these texts do not decide, so the true share may be larger
   *[not_tested] Whether many heads matter on their own was not tested, since { $why }
 }
heads_spared = { $outcome ->
    [holds] For most heads, typically { $spares }, the texts suffice to rule out such a rise
    [divided] The texts suffice to rule out such a rise for most heads only in some experiments ({ $spares_range } of the heads){ $outcome_models }
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
    [divided] The score itself changes only partly as published: it falls for { $falls_range } of the heads{ $outcome_models }
    [fails] The score itself does not change as published: it falls for typically { $falls } of the heads
    [open] For the score itself, the test is too coarse: a fall is found for { $falls_range } of the heads, but changes of the published size could not have been seen
   *[not_tested] Whether the score changes as published was not tested, since { $why }
 }
heads_totals = { $outcome ->
    [holds] The published scores for answerable and unanswerable questions, weighted by the numbers of questions, give the published totals to the last digit
    [not_tested] The published totals were not recomputed
   *[other] The published scores for answerable and unanswerable questions, weighted by the numbers of questions, do not give the published totals
 }
