chapter_advice = Which measure for which question

## Words of figures and tables

question = Question
measure = Measure
advice = Advice, and the claim behind it
untested_here = not tested on circuits in this run
advice_aside = { $advice } { $aside }
asked_layer_amount = In one layer
asked_model_amount = Through the model
asked_layer_source = In one layer
asked_model_source = Through the model
asked_prediction = By whatever mechanism
asked_keys = Through keys, which steer attention
layer_question = How much of a token's vector comes from other tokens in one layer?
through_question = How much comes from other tokens through all layers?
source_question = From which tokens does a representation come?
prediction_question = Which words does a prediction depend on?
near_question = Which tokens attend to each other?
near_measure = The attention weights themselves, with special tokens marked
near_truth = No circuit tests this, as the attention itself is asked for.
head_question = Is a head needed?
head_measure = The loss with the head disabled, on all test texts
head_truth = No circuit tests this, as layers are scored there.
change_question = What does fine-tuning change?
change_measure = Change of attention with unchanged inputs, beside change of the weights
change_truth = No circuit tests this, as none is fine-tuned.

## Sentences of the notebook

answer = { $outcome ->
    [baseline] { $through ->
        [layer] Replacing the vectors that enter the layer
       *[model] Replacing tokens
    }. No measure passes more circuits than a baseline ({ $baseline } of { $circuits }).
    [all] Any measure: all pass all { $circuits } circuits.
    [some] { $measures } (all { $circuits } circuits).
    [most] { $through ->
        [layer] Replacing the vectors that enter the layer
       *[model] Replacing tokens
    }. Most circuits are passed by { $measures } ({ $passed } of { $circuits }; a baseline: { $baseline }).
   *[none] { $through ->
        [layer] Replacing the vectors that enter the layer
       *[model] Replacing tokens
    }. No measure passes any of the { $circuits } circuits.
}

advice_B8 = { $outcome ->
    [holds] Do not read attention weights as amounts: before fine-tuning, the more of the block is counted, the less is mixed. Measure the vectors.
   *[other] Do not read attention weights as amounts. Measure the vectors, and state which parts of the block you count.
}
advice_B9 = { $outcome ->
    [holds] Mixing falls with depth, so report it by layer.
   *[other] Report mixing by layer, not as one mean.
}
advice_B7 = { $outcome ->
    [holds] Measure the residual when you roll out weights: fixed at one half, it harms the rollout.
   *[other] A residual of one half is a convention. Measure it once and compare.
}
advice_A9 = { $outcome ->
    [holds] Flow follows all layers, and its values may be read as a summary of them.
    [divided] Do not read flow as a summary of all layers: for many tokens a single layer decides its value.
   *[other] Before you use flow, check for how many pairs of tokens a single layer decides its value.
}
advice_B20 = { $outcome ->
    [holds] About 30% of the tokens of a deep layer draw most on another token, so a row labelled with a word is not always about that word.
   *[other] Before you label a row of a deep layer with its word, measure how many tokens draw most on another one.
}
advice_B11 = { $outcome ->
    [holds] To rank tokens, prefer a decomposition of the vectors (ALTI) to rollout.
   *[other] Compare a decomposition of the vectors (ALTI) and rollout by removing words.
}
advice_B1 = { $outcome ->
    [holds] Do not explain a prediction by raw attention of deep layers; follow it through the layers.
   *[other] Check rollout and flow by removing words, as you would raw attention.
}
advice_B3 = { $outcome ->
    [holds] In middle layers, flow agrees with the effect of removing words better than rollout; use it where its cost allows.
    [fails] Flow takes far longer than rollout and brought no gain over it.
   *[other] Flow takes far longer than rollout, so try it on a few texts first.
}
advice_B25 = { $outcome ->
    [holds] In AttentionViz, a short distance may be read as strong attention.
   *[other] In AttentionViz, check a head before you read a short distance as strong attention.
}
advice_B23 = { $outcome ->
    [holds] A striking pattern does not make a head important; disable it before you build an argument on it.
    [fails] Many heads are missed when they are disabled; leave none out of the picture without a test.
   *[other] Before you call a head important or superfluous, disable it and measure the loss on many texts.
}
advice_B21 = { $outcome ->
    [holds] Attention as it stands changes most in the last two layers, which includes what the layers below pass on; keep the inputs of a layer fixed to see its own change.
   *[other] Keep the inputs of a layer fixed to see its own change, and show all layers.
}
