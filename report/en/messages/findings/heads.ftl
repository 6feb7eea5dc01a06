heads_families = Typically { $vertical_pretrained } of the attention maps are vertical and { $heterogeneous_pretrained } heterogeneous{ $before_tuning }
heads_heterogeneous = { $outcome ->
    [holds] After fine-tuning, typically { $share } of the maps are heterogeneous, which is within the range published for BERT-base
   *[other] After fine-tuning, { $share_range } of the maps are heterogeneous
}
    .untested = The share of heterogeneous maps after fine-tuning
heads_sink = { $outcome ->
    [fails] Unlike in BERT-base, the middle layers do not concentrate on [SEP]: it typically receives { $sep_pretrained } of all attention{ $before_tuning }, and [CLS] { $cls_pretrained }
   *[other] [SEP] typically receives { $sep_pretrained } of all attention{ $before_tuning }, and [CLS] { $cls_pretrained }
}
    .untested = The attention to [SEP] in the middle layers
heads_sinks = { $outcome ->
    [holds] Such sinks emerge in every model here: the first token is a sink of { $first_range } of the heads
   *[other] The first token is a sink of typically { $first } of the heads
}
    .untested = The share of heads with a sink
heads_massive = { $massive ->
    [fails] No coordinate of a layer's output meets both conditions: the largest is { $largest_high } ({ $largest_high_of }), and the largest ratio { $ratio_high } ({ $ratio_high_of })
   *[other] In the outputs of the layers, the largest coordinate is { $largest_high } ({ $largest_high_of }), and the largest ratio { $ratio_high } ({ $ratio_high_of })
}{ $before_norm ->
    [fails] . Before the last normalization of a layer, magnitudes reach { $sum_high } and ratios { $sum_ratio_high }, again without meeting both
    [not_tested] {""}
   *[other] . Before the last normalization of a layer, magnitudes reach { $sum_high } and ratios { $sum_ratio_high }
}{ $at_cls ->
    [not_tested] {""}
   *[other] . In typically { $cls } of the texts, it is one of [CLS]
}
    .untested = The size of the largest coordinates
heads_sep_self = [SEP] gives typically { $share } of its own attention to itself; more than 90% was published for BERT-base
    .untested = The attention of [SEP] to itself
heads_neighbours = { $outcome ->
    [holds] As in BERT-base, some heads give more than half of their attention to a neighbouring token: { $previous } of the heads to the previous token{ $with_next ->
        [yes] , and { $next } to the next
       *[no] {""}
    }
   *[other] Typically { $previous } of the heads give more than half of their attention to the previous token{ $with_next ->
        [yes] , and { $next } to the next
       *[no] {""}
    }
}
    .untested = The attention to neighbouring tokens
heads_uniform = In the last layer, the mean entropy of single heads is typically { $all } of that of uniform attention
    .untested = The entropy of single heads in the last layer
heads_elbow = { $outcome ->
    [holds] Clustering the maps shows no elbow: the sharpest bend of the distortion is { $bend_high }, where well-separated clusters give at least 0.2
   *[other] The sharpest bend of the distortion of clustered maps is { $bend_high } ({ $bend_high_of }), where well-separated clusters give at least 0.2
}
    .untested = An elbow in the distortion of clustered maps
heads_gap = The gap statistic, another criterion, gives { $k_range } as the number of clusters, where 1 means none
    .untested = The gap statistic of the clusters
heads_quality = The silhouette of the clusters is typically { $silhouette }; values below 0.25 are commonly read as no structure{ $with_stability ->
    [yes] . Five clusters return in other samples of the maps with an ARI of at least { $stability_low } ({ $stability_low_of })
   *[no] {""}
}
    .untested = The quality of the clusters
heads_classes = The ARI of the clusters is typically { $layer } with layers and { $head } with heads. Because heads outnumber clusters, the latter stays low even where all maps of a head share one cluster
heads_components = { $outcome ->
    [holds] The shares that it lists agree with this: they sum to { $listed }
   *[other] The shares that it lists, however, sum to { $listed }
}{ $here ->
    [not_tested] {""}
   *[other] . For the maps of this run, as images, seven components hold typically { $ours }
}
    .untested = The sum of the shares that it lists
heads_distances = { $most ->
    [none] Heads were not grouped by these distances
   *[other] Groups of heads formed from these distances agree with the clusters of their maps by an ARI of typically { $cluster }, and with the layers by { $layer }
}
heads_carry = { $answers ->
    [holds] A few heads carry a model that answers questions: { $carry_range } of them cost more than ten points of F1 each when disabled alone{ $answers_source }. The most important head costs { $worst_low } points ({ $worst_low_of })
    [not_tested] No model that answers questions was tested, since { $why }
   *[other] In models that answer questions, { $carry_range } of the heads demonstrably cost more than ten points of F1 each when disabled alone{ $answers_source }. The most important head costs { $worst_low } points ({ $worst_low_of })
}{ $classes ->
    [fails] . In classifiers, no head costs ten points of accuracy{ $classes_source }; the most important one costs { $worst_class_low } ({ $worst_class_low_of })
    [not_tested] {""}
   *[other] . In classifiers, the most important head costs { $worst_class_low } points of accuracy{ $classes_source }, in { $worst_class_low_of }
}
    .untested = The cost of single heads in models that answer questions or classify
heads_next_words = { $outcome ->
    [holds] In models that predict the next word, single heads cost more than ten points of accuracy{ $outcome_source }; the most important one costs { $worst_low } ({ $worst_low_of })
   *[other] In models that predict the next word, the most important head costs { $worst_low } points of accuracy{ $outcome_source }, in { $worst_low_of }
}
    .untested = The cost of single heads in models that predict the next word
heads_loss = Disabling a single head demonstrably raises the loss by more than 0.01 nats for at most { $matters_high } of a model's heads ({ $matters_high_of })
    .untested = The effect of single heads on the loss
heads_spared = For typically { $spares } of the heads, a rise by more than 0.01 nats can be ruled out
    .untested = Which heads can be spared
heads_rises = A rise by more than 0.001 nats is found for at most { $rises_high } of the heads ({ $rises_high_of })
    .untested = A rise of the loss by more than 0.001 nats
heads_score = { $outcome ->
    [holds] As published, the score rarely falls and sometimes rises when a head is disabled: it demonstrably falls for at most { $falls_high } of the heads ({ $falls_high_of })
   *[other] The score demonstrably falls for at most { $falls_high } of the heads ({ $falls_high_of })
}
    .untested = The effect of single heads on the score
heads_totals = { $outcome ->
    [holds] The scores that the clustering study published for answerable and for unanswerable questions, weighted by the numbers of questions, give its published totals to the last digit
   *[fails] The scores that the clustering study published for answerable and for unanswerable questions, weighted by the numbers of questions, do not give its published totals
}
    .untested = The published totals of the clustering study
