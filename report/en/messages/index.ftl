within = Within a layer
through = Through all layers
answer_weights = weights
answer_weights_residual =
    weights, residual
    as one half
answer_vectors =
    vectors, residual,
    normalization
answer_rolled_weights = weights
answer_rolled_vectors =
    vectors, residual,
    normalization
answer_alti = ALTI
the_text = the sentence
an_experiment = all texts
median = median
sure = { $outcome ->
    [holds] Holds in { $cases ->
        [one] the one case
       *[other] all { $cases } cases
    }
    [partly] Holds in { $held } of { $cases } cases
    [fails] { $cases ->
        [one] Does not hold in the one case
       *[other] Holds in none of { $cases } cases
    }
    [open] Open: { $cases ->
        [one] the one case is undecided
       *[other] { $held ->
            [0] none of { $cases } cases holds
            [one] one of { $cases } cases holds
           *[other] { $held } of { $cases } cases hold
        }
    }
   *[not_tested] Not tested in this run
}{ $sample ->
    [texts] { $cases ->
        [one] , { $texts }
       *[other] , { $texts } each
    }
   *[none] {""}
}

# Alternative texts of the figures
alt_answers = Six shares as bars, with a dot for every experiment and model state and a diamond for one sentence. Within a layer: mixing by attention weights, by weights with the residual connection as one half, and by vectors with residual connection and normalization. Through all layers: rollout of weights, rollout of vectors, and ALTI.
