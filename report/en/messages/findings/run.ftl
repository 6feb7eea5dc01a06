sure = { $tested ->
    [no] No model of this run was tested for it
   *[yes] { $what } { $counts }{ $texts ->
        [none] {""}
       *[other] , on { $texts }{ $models ->
            [one] {""}
           *[other] {" "}each
        }
    }
}
sure_part = { $of ->
    [one] { $held ->
        [0] no model
       *[other] the one model
    }
   *[other] { $held } of { $of } models
} { $part }{ $open ->
    [0] {""}
   *[other] {" "}({ $open } open)
}
sure_tuned = Found in
sure_tuned_alti = by ALTI
sure_tuned_sinks = by sinks
sure_weights = Weights are above vectors in
sure_weights_bare = without the residual connection
sure_through = Over ¾ in
sure_through_rolled = by lengths
sure_through_alti = by ALTI
sure_explained = Integrated gradients are better in
sure_explained_removed = when words are removed
run_tuned = { $alti ->
    [holds] Fine-tuning makes tokens mix more{ $sinks ->
        [holds] , and fewer heads have a sink
       *[other] {""}
    }
    [divided] Fine-tuning makes tokens mix more in { $alti_models }
    [fails] Fine-tuning does not make tokens mix more
    [open] Whether fine-tuning makes tokens mix more is open
   *[not_tested] Whether fine-tuning makes tokens mix more was not tested, since { $why }
}
run_weights = { $outcome ->
    [holds] Within a layer, attention weights overstate mixing
    [divided] Within a layer, attention weights overstate mixing in { $outcome_models }
   *[fails] Within a layer, attention weights do not overstate mixing
}
    .question = Whether attention weights overstate mixing within a layer
run_upper = { $outcome ->
    [holds] In the last two layers of the fine-tuned models, vectors exceed weights
    [divided] In the last two layers of the fine-tuned models, vectors exceed weights in { $outcome_models }
   *[fails] In the last two layers of the fine-tuned models, too, vectors do not exceed weights
}
    .question = Whether vectors exceed weights in the last two layers of fine-tuned models
run_through = { $outcome ->
    [holds] Through all layers, over ¾ of a vector is mixed
    [divided] Through all layers, over ¾ of a vector is mixed by both measures in { $outcome_models }
   *[fails] Even through all layers, a quarter of a vector or more remains the token's own
}
    .question = Whether over ¾ of a vector is mixed through all layers
run_rollout = { $outcome ->
    [holds] The amount of mixing that attention rollout reports hardly depends on what the model attends to
    [divided] In { $outcome_models }, the amount of mixing that attention rollout reports hardly depends on what the model attends to
   *[fails] The amount of mixing that attention rollout reports depends on what the model attends to
}
    .question = Whether the amount of mixing that attention rollout reports depends on what the model attends to
run_flow = { $even ->
    [holds] Attention flow gives all tokens nearly equal values
    [divided] Attention flow gives all tokens nearly equal values in { $even_models }
    [fails] Attention flow gives tokens different values
    [open] Whether attention flow gives tokens different values is open
   *[not_tested] Whether attention flow gives all tokens nearly equal values was not tested
}{ $inverted ->
    [holds] , and their small differences rank the evidence for a prediction below other words rather than above them
    [divided] , and in { $inverted_models } their differences rank the evidence for a prediction below other words rather than above them
    [fails] ; they do not rank the evidence for a prediction below other words
    [open] ; whether their differences invert the order of the evidence for a prediction is open
   *[not_tested] {""}
}
run_attentionviz = { $special ->
    [holds] The normalization of AttentionViz drives sinks away
    [divided] The normalization of AttentionViz drives sinks away by every distance in { $special_models }
    [fails] The normalization of AttentionViz does not drive sinks away
    [open] Whether the normalization of AttentionViz drives sinks away is open
   *[not_tested] Whether the normalization of AttentionViz drives sinks away was not tested, since { $why }
}
run_explained = { $outcome ->
    [holds] Gradients find what a prediction rests on better than attention does{ $outcome_source }
    [divided] Gradients find what a prediction rests on better than attention does in { $outcome_models }{ $outcome_source }
   *[fails] Gradients find what a prediction rests on no better than attention does{ $outcome_source }
}
    .question = Whether gradients find what a prediction rests on better than attention does
run_order = { $outcome ->
    [holds] { $evidence ->
        [not_tested] When words are removed, integrated gradients do better than the gradient norm
       *[other] When words are removed, the order of the two leading gradient methods is the opposite
    }
    [divided] When words are removed, the order of the two leading gradient methods changes in { $outcome_models }
   *[fails] When words are removed, the order of the two leading gradient methods is not shown to change
}
    .question = Whether the two leading gradient methods change places when words are removed
