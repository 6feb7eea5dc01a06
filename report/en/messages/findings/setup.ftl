setup_lead = { $outcome ->
    [holds] Training succeeded
    [divided] Training succeeded in { $outcome_models }
    [fails] Training did not succeed
    [open] Whether training succeeded is open
   *[not_tested] { $untested ->
        [untrained] This run trains no model
       *[other] Whether training succeeded was not tested, since { $why }
    }
}{ $words ->
    [not_tested] {""}
   *[other] : a typical test accuracy is { $accuracy }, where counting words reaches { $counted }
}{ $answers ->
    [not_tested] {""}
   *[other] ; where there is an answer, it scores { $answered } F1, against 0 for answering nothing
}{ $with_accuracy ->
    [yes] {""}
   *[no] { $with_answered ->
        [yes] {""}
       *[no] { $with_told ->
            [yes] : a typical model tells { $told } of the words that it is asked for, where naming the most frequent one reaches { $frequent }
           *[no] {""}
        }
    }
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
