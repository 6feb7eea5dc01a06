setup_trained = { $outcome ->
    [only] the experiment of this run
    [all] all { $every }
   *[some] the { $n ->
        [one] one of { $every } that trains
       *[other] { $n } of { $every } that train
    } a model
}
setup_lead = { $outcome ->
    [holds] Every fine-tuned model has learned its task
    [partly] Not every fine-tuned model has learned its task
    [fails] No fine-tuned model has learned its task
    [open] Whether the fine-tuned models have learned their tasks is open
   *[not_tested] This run trains no model
}{ $words ->
    [not_tested] {""}
   *[other] : a typical test accuracy is { $accuracy }, where counting words reaches { $counted }
}{ $answers ->
    [not_tested] {""}
   *[other] ; answers to questions score { $answered } F1, where answering nothing scores 0
}
setup_isolated = { $outcome ->
    [holds] Between the first layer and the last, {"["}CLS] is nearly isolated: other tokens make up { $cls } of its vector, against { $all } on average over all tokens
    [partly] In some experiments, {"["}CLS] is nearly isolated between the first layer and the last: other tokens make up { $cls } of its vector in a typical one
    [fails] Between the first layer and the last, other tokens make up { $cls } of the vector of {"["}CLS], so it is not isolated
    [open] Whether {"["}CLS] is isolated between the first layer and the last is open
   *[not_tested] Whether {"["}CLS] is isolated was not measured
}
