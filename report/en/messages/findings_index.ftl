index_weights = { $outcome ->
    [far_less] Less than half as much is mixed as the weights say
    [less] Less is mixed than the weights say
   *[depends] Not in every case is less mixed than the weights say
}
index_in_short = In short: { $less ->
    [yes] attention weights overstate how much is mixed
   *[no] attention weights do not in every case overstate how much is mixed
}{ $best ->
    [none] {""}
    [attention] , { $less ->
        [yes] but
       *[no] and
    } what an answer depends on is shown best by { $family }
   *[other] , { $less ->
        [yes] and
       *[no] but
    } what an answer depends on is shown best by { $family }, not by attention
}
index_scope = { $outcome ->
    [one] Every number is a mean over the texts of the one experiment of this run ({ $names }), which trains nothing
    [one_trained] Ranges reach over the two results of the one experiment of this run ({ $names }), before and after training on its task
    [several] Ranges reach from the smallest to the largest result of { $count } on different texts ({ $names })
   *[several_trained] Ranges reach from the smallest to the largest result of { $count } on different texts ({ $names }), before and after training on a task
}
index_one_model = one model of { $layers } layers ({ $name })
index_models = { $count } models ({ $models })
index_models_each = { $name }, { $layers } layers
index_models_between = ;{" "}
index_rollout = { $outcome ->
    [assumed] How much mixing attention rollout reports hardly depends on what is attended to
   *[depends] How much mixing attention rollout reports depends on what is attended to
}
index_flow = { $outcome ->
    [flat] Attention flow gives all words nearly equal values, and so hardly tells them apart
   *[differs] Attention flow gives words different values
}
index_attentionviz = { $outcome ->
    [apart] The normalization of AttentionViz moves apart the words that attend to each other most
    [together] The normalization of AttentionViz brings together the words that attend to each other most
   *[depends] The normalization of AttentionViz brings together the words that attend to each other most in some models only
}
index_heads = { $outcome ->
    [spared] Most attention heads can be switched off, one at a time
   *[needed] Many attention heads are needed even one at a time
}
index_explained = What a prediction depends on is shown best, on average, by { $looks } ({ $method })
index_explained_scope = { $outcome ->
    [one] { $experiments }, { $texts }
   *[several] { $experiments }, { $texts } each
}
index_none_below_chance = no method does worse than guessing in every experiment
index_below_chance = { $methods } did worse than guessing in every experiment
