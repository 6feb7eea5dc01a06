heads_families = { $largest ->
    [vertical] Vertical maps are the largest family{ $in_every_state }, typically { $vertical } of all maps; { $heterogeneous } are heterogeneous
    [heterogeneous] Heterogeneous maps are the largest family{ $in_every_state }, typically { $heterogeneous } of all maps; { $vertical } are vertical
    [none] No maps were sorted into families
   *[depends] Typically { $vertical } of the maps are vertical and { $heterogeneous } heterogeneous; which family is largest depends on the experiment{ $and_tuning }
 }
heads_heterogeneous = { $outcome ->
    [holds] After fine-tuning, typically { $share } of the maps are heterogeneous, which is within the range published for BERT-base
    [divided] After fine-tuning, { $share_range } of the maps are heterogeneous, which is within the range published for BERT-base in { $outcome_models }
   *[fails] After fine-tuning, typically { $share } of the maps are heterogeneous, which is outside the range published for BERT-base
 }
    .question = Whether the share of heterogeneous maps after fine-tuning is within the range published for BERT-base
    .values = it is typically { $share }
heads_sink = { $most ->
    [cls] [CLS] receives more attention than any other special token{ $in_every_state }: typically { $cls } of the total, against { $sep } for [SEP]
    [sep] [SEP] receives more attention than any other special token{ $in_every_state }: typically { $sep } of the total, against { $cls } for [CLS]
    [close] No special token stands out{ $in_every_state }: [CLS] typically receives { $cls } of the attention, and [SEP] { $sep }
    [none] No text of this run holds [CLS] or [SEP]
   *[other] [CLS] typically receives { $cls } of the attention and [SEP] { $sep }; which special token receives most depends on the model state
 }. { $outcome ->
    [holds] The concentration on [SEP] that was published for the middle layers of BERT-base is found here too
    [divided] The concentration on [SEP] that was published for the middle layers of BERT-base is found throughout in { $outcome_models }
    [fails] The concentration on [SEP] that was published for the middle layers of BERT-base is not found here
    [open] These texts do not decide whether the middle layers concentrate on [SEP], as was published for BERT-base
   *[not_tested] Whether the middle layers concentrate on [SEP], as was published for BERT-base, was not tested, since { $why }
 }
heads_sinks = { $outcome ->
    [holds] Such sinks emerge here too, wherever these texts decide: the first token is a sink of { $first_range } of the heads, and some key is a sink of { $any_range }
    [divided] Such sinks emerge in { $outcome_models }: over all experiments, the first token is a sink of { $first_range } of the heads, and some key is a sink of { $any_range }
   *[fails] Hardly any head has its sink on the first token ({ $first }), and some key is a sink of { $any } of the heads
}
    .question = Whether such sinks emerge in the models here
    .values = the first token is a sink of { $first } of the heads, and some key is a sink of { $any }
heads_massive = { $massive ->
    [holds] The layer outputs of the models here have them as well: the largest coordinate is { $largest_high } ({ $largest_high_of }), and the ratio to the median at most { $ratio_high } ({ $ratio_high_of })
    [divided] The layer outputs have them as well in { $massive_models }: the largest coordinate is { $largest_high } ({ $largest_high_of }), and the ratio to the median at most { $ratio_high } ({ $ratio_high_of })
    [fails] No coordinate of the layer outputs here meets both conditions: the largest is { $largest_high } ({ $largest_high_of }), and the ratio to the median at most { $ratio_high } ({ $ratio_high_of })
    [open] Whether the layer outputs of the models here have them remains open: the largest coordinate is { $largest_high } ({ $largest_high_of }), and the ratio to the median at most { $ratio_high } ({ $ratio_high_of })
   *[not_tested] Whether the layer outputs of the models here have them was not tested
}{ $before_norm ->
    [holds] . Before the last normalization of a layer there are some, with magnitudes up to { $sum_high } and ratios up to { $sum_ratio_high }
    [divided] . Before the last normalization of a layer there are some in { $before_norm_models }, with magnitudes up to { $sum_high } and ratios up to { $sum_ratio_high }
    [fails] . Before the last normalization of a layer, magnitudes reach { $sum_high } ({ $sum_high_of }) and ratios { $sum_ratio_high } ({ $sum_ratio_high_of }), but no coordinate meets both conditions
    [open] . Whether there are some before the last normalization of a layer remains open: magnitudes reach { $sum_high } and ratios { $sum_ratio_high }
   *[not_tested] {""}
}{ $at_cls ->
    [holds] . The largest coordinate of a layer's output belongs to [CLS] in { $cls_range } of cases
    [divided] . In { $at_cls_models }, the largest coordinate of a layer's output mostly belongs to [CLS] (typically in { $cls } of cases)
    [fails] . The largest coordinate of a layer's output belongs to [CLS] in less than half of the cases ({ $cls })
    [open] . Whether the largest coordinate of a layer's output mostly belongs to [CLS] remains open ({ $cls } of cases)
   *[not_tested] {""}
}
heads_sep_self = { $outcome ->
    [holds] As published, [SEP] attends mostly to itself, with typically { $share } of its attention
    [divided] [SEP] gives typically { $share } of its attention to itself ({ $share_range }), more than half in { $outcome_models }
   *[fails] [SEP] gives only { $share } of its attention to itself; more than 90% was published
 }
    .question = Whether [SEP] gives more than half of its attention to itself
    .values = it typically gives { $share }
heads_neighbours = { $outcome ->
    [not_tested] How many heads follow the neighbouring tokens was not tested, since { $why }
   *[other] More than half of the attention goes to the previous token in { $previous } of the heads{ $with_next ->
        [yes] , and to the next token in { $next }
       *[no] {""}
    }
 }{ $outcome ->
    [holds] , so that there are such heads, as was published for BERT-base
    [divided] ; there are such heads, as was published for BERT-base, in { $outcome_models }
    [fails] , so that there is no such head, unlike in BERT-base
    [open] ; whether there are such heads, as was published for BERT-base, remains open
   *[not_tested] { "" }
 }
heads_uniform = { $outcome ->
    [holds] Single heads are almost uniform in the last layer: their entropy is on average { $all } of the largest possible one{ $with_cls ->
        [yes] , and { $cls } in the row of [CLS]
       *[no] {""}
    }
    [divided] Single heads are almost uniform in the last layer in { $outcome_models }: their mean entropy ranges over { $all_range } of the largest possible one
   *[fails] Single heads are far from uniform in the last layer: their mean entropy is typically { $all } of the largest possible one{ $with_cls ->
        [yes] , and { $cls } in the row of [CLS]
       *[no] {""}
    }
 }
    .question = Whether single heads are almost uniform in the last layer
    .values = their mean entropy is typically { $all } of the largest possible one
heads_elbow = { $outcome ->
    [holds] The distortion of the maps has no sharp bend ({ $bend_high } at most, where clusters that lie well apart give 0.2 and more), so there is no elbow from which to read a number of clusters
    [divided] The distortion of the maps has no sharp bend in { $outcome_models }; in the others it bends as sharply as clusters that lie well apart make it (by 0.2 and more)
   *[fails] The distortion of the maps bends as sharply as clusters that lie well apart make it ({ $bend })
 }
    .question = Whether the distortion of the maps has an elbow
heads_gap = { $outcome ->
    [holds] The gap statistic, another criterion, does find clusters ({ $k_range } of them); the two criteria disagree
    [divided] The gap statistic, another criterion, finds clusters in { $outcome_models } (k over all models: { $k_range }, where 1 means none); where it does, the two criteria disagree
   *[fails] The gap statistic, another criterion, finds no clusters either (k = 1)
 }
    .question = Whether the gap statistic, another criterion, finds clusters
heads_quality = { $tight ->
    [holds] The clusters shown have a silhouette of { $silhouette } and thus above 0.25, below which groups are not usually called clusters
    [divided] The clusters shown have silhouettes of { $silhouette_range }; they exceed 0.25, below which groups are not usually called clusters, in { $tight_models }
    [fails] The clusters shown have a silhouette of { $silhouette } and thus below 0.25, the value from which groups are usually called clusters
   *[other] The silhouette of the clusters was not measured
 }{ $stable ->
    [holds] ; five clusters return in other samples of maps (ARI { $stability })
    [divided] ; five clusters return in other samples of maps in { $stable_models } (ARI { $stability_range })
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
    [divided] ; the maps of this run, as images, agree with the text in { $here_models } ({ $ours_range })
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
    [divided] A model that answers questions hangs on a few heads in { $answers_models }{ $answers_source }: { $carry_range } of them cost more than ten points of F1 each when disabled alone, the most important one { $worst_low } ({ $worst_low_of })
    [fails] No head of a model that answers questions costs ten points of F1 when it alone is disabled{ $answers_source }; the most important one costs { $worst_low } of 100 points of F1 ({ $worst_low_of })
    [open] Whether a model that answers questions hangs on single heads remains open{ $answers_source }; the most important one costs { $worst_low } of 100 points of F1 ({ $worst_low_of })
   *[not_tested] Whether a model that answers questions hangs on single heads was not tested, since { $why }
}{ $classes ->
    [holds] . In classifiers, too, single heads cost more than ten points of accuracy{ $classes_source }, at most { $worst_class_low } ({ $worst_class_low_of })
    [divided] . In classifiers, too, single heads cost more than ten points of accuracy in { $classes_models }{ $classes_source }, at most { $worst_class_low } ({ $worst_class_low_of })
    [fails] . In classifiers no head costs ten points of accuracy{ $classes_source }: the most important one costs { $worst_class_low } ({ $worst_class_low_of })
    [open] . Whether single heads of classifiers cost ten points of accuracy remains open{ $classes_source }; the most important one costs { $worst_class_low } ({ $worst_class_low_of })
   *[not_tested] {""}
}
heads_next_words = { $outcome ->
    [holds] In models that predict the next word, single heads cost more than ten points of accuracy{ $outcome_source }, at most { $worst_low } ({ $worst_low_of })
    [divided] Of the models that predict the next word, single heads cost more than ten points of accuracy in { $outcome_models }{ $outcome_source }, at most { $worst_low } ({ $worst_low_of })
   *[fails] In models that predict the next word, no head costs ten points of accuracy{ $outcome_source }: the most important one costs { $worst_low } ({ $worst_low_of })
}
    .question = Whether single heads of models that predict the next word cost ten points of accuracy
    .values = the most important one costs { $worst_low } ({ $worst_low_of })
heads_loss = { $outcome ->
    [holds] Many heads matter on their own: disabling one demonstrably raises the loss by more than 0.01 nats for typically { $matters } of the heads
    [divided] Many heads matter on their own in { $outcome_models }: disabling one demonstrably raises the loss by more than 0.01 nats for { $matters_range } of the heads
   *[fails] Few heads matter on their own: disabling one demonstrably raises the loss by more than 0.01 nats for at most { $matters_high } of the heads ({ $matters_high_of })
 }
    .question = Whether many heads matter on their own
    .values = disabling one demonstrably raises the loss by more than 0.01 nats for at most { $matters_high } of the heads ({ $matters_high_of }), but the true share may be larger
heads_spared = { $outcome ->
    [holds] For most heads, typically { $spares }, the texts suffice to rule out such a rise
    [divided] The texts suffice to rule out such a rise for most heads in { $outcome_models } ({ $spares_range } of the heads)
    [fails] The texts rule out such a rise for a minority of the heads only (typically { $spares })
    [open] The texts rule out such a rise for typically { $spares } of the heads; the others remain undecided
   *[not_tested] Nor was it tested whether most heads can be spared
 }
heads_rises = A smaller rise of the loss, of more than 0.001 nats, is found for at most { $rises_high } of the heads ({ $rises_high_of })
    .question = Whether the loss rises by more than 0.001 nats for many heads
    .values = such a rise is found for at most { $rises_high } of them ({ $rises_high_of })
heads_score = { $outcome ->
    [holds] The score itself changes as published: when a single head is disabled, it rarely falls and sometimes rises
    [divided] The score itself changes as published in { $outcome_models }: it falls for at most { $falls_high } of the heads ({ $falls_high_of })
   *[fails] The score itself does not change as published: it falls for typically { $falls } of the heads
 }
    .question = Whether the score itself changes as published
    .values = a fall is found for at most { $falls_high } of the heads ({ $falls_high_of }), but changes of the published size could not have been seen
heads_totals = { $outcome ->
    [holds] The scores that the clustering study published for answerable and unanswerable questions, weighted by the numbers of questions, give its totals to the last digit
   *[fails] The published scores for answerable and unanswerable questions, weighted by the numbers of questions, do not give the published totals
 }
    .question = Whether the scores published for answerable and unanswerable questions, weighted by the numbers of questions, give the published totals
