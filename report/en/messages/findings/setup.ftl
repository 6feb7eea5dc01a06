setup_lead = { $outcome ->
    [holds] Fine-tuning succeeded
    [divided] Fine-tuning succeeded in { $outcome_models }
    [fails] Fine-tuning did not succeed
    [open] Whether fine-tuning succeeded is open
   *[not_tested] { $untested ->
        [untrained] This run trains no model
       *[other] Whether fine-tuning succeeded was not tested, since { $why }
    }
}{ $words ->
    [not_tested] {""}
   *[other] : a typical test accuracy is { $accuracy }, where counting words reaches { $counted }
}{ $answers ->
    [not_tested] {""}
   *[other] ; where there is an answer, it scores { $answered } F1, against 0 for answering nothing
}
setup_isolated = { $apart ->
    [fails] Between the first layer and the last, ordinary tokens take up too little from other tokens for {"["}CLS] to stand apart
   *[other] { $isolated ->
        [fails] Between the first layer and the last, other tokens make up { $cls } of the vector of {"["}CLS], so the token is not isolated
       *[other] { $outcome ->
            [holds] Between the first layer and the last, {"["}CLS] is nearly isolated: other tokens make up { $cls } of its vector, against { $all } on average over all tokens
            [divided] In { $outcome_models }, {"["}CLS] is nearly isolated between the first layer and the last: other tokens make up { $cls } of its vector in a typical one
            [open] Whether {"["}CLS] is isolated between the first layer and the last is open
           *[not_tested] Whether {"["}CLS] is isolated was not measured
        }
    }
}
