chapter_advice = Which measure for which question

## Words of figures and tables

question = Question
measure = Measure
advice = Advice, and the claim behind it
untested_here = not tested on circuits in this run
advice_aside = { $advice } { $aside }
layer_question = How much of a token's vector comes from other tokens in one layer?
through_question = How much comes from other tokens through all layers?
source_question = From which tokens does a representation come?
prediction_question = Which words does a prediction depend on?
near_question = Which tokens attend to each other?
near_measure = The attention weights themselves, with special tokens marked
near_truth = No circuit tests this: the attention itself is asked for, not what depends on it.
head_question = Is a head needed?
head_measure = The loss with the head disabled, on all test texts
head_truth = Not tested on circuits, where layers are scored and not single heads.
change_question = What does fine-tuning change?
change_measure = Change of attention with unchanged inputs, beside change of the weights
change_truth = No circuit tests this: their weights are set by hand, and none is fine-tuned.

## Sentences of the notebook

answer = { $outcome ->
    [baseline] { $through ->
        [layer] Replacing the vectors that enter the layer
       *[model] Replacing tokens
    }. No measure passes more of the { $circuits } circuits that test this than a baseline that asks no model ({ $baseline }).
    [all] Any: every measure passes all { $circuits } circuits that test this.
    [some] Passing all { $circuits } circuits that test this: { $measures }.
    [most] { $through ->
        [layer] Replacing the vectors that enter the layer
       *[model] Replacing tokens
    }. No measure passes all { $circuits } circuits that test this; most are passed by { $measures } ({ $passed }; a baseline that asks no model: { $baseline }).
   *[none] { $through ->
        [layer] Replacing the vectors that enter the layer
       *[model] Replacing tokens
    }. No measure passes any of the { $circuits } circuits that test this.
}

advice_B8 = { $outcome ->
    [holds] Do not read attention weights as amounts. Within a layer, the more of the block is counted, the less is mixed, at least before fine-tuning, so measure the vectors.
    [divided] The order of the measures is not the published one in every step, so state which parts of the block you count.
    [fails] The published order of the measures was not found here, so measure the vectors of your own model.
    [open] Whether counting more of the block lowers the mixing is open, so report weights and vectors side by side.
   *[not_tested] Whether counting more of the block lowers the mixing was not tested, since { $why }; report weights and vectors side by side.
}
advice_B9 = { $outcome ->
    [holds] Mixing falls with depth, so report it by layer.
    [divided] Mixing falls with depth in some models, so report it by layer.
    [fails] Mixing did not fall with depth as published; report it by layer rather than as one mean.
    [open] Whether mixing falls with depth is open; report it by layer.
   *[not_tested] Whether mixing falls with depth was not tested, since { $why }; report it by layer.
}
advice_B7 = { $outcome ->
    [holds] Do not fix the residual at one half when you roll out weights; measure it.
    [divided] A fixed residual harms the rollout in some cases; measure it once and compare.
    [fails] A fixed residual did the rollout no measurable harm; it is a convention all the same, so say that you used it.
    [open] Whether a fixed residual harms the rollout is open; report both.
   *[not_tested] Whether a fixed residual harms the rollout was not tested, since { $why }; report both.
}
advice_A9 = { $outcome ->
    [holds] Flow follows all layers; its values may be read as a summary of them.
    [divided] Do not read flow as a summary of all layers: for many tokens a single layer decides its value.
    [fails] Do not read flow as a summary of all layers: for most pairs of tokens a single layer decides its value.
    [open] Whether a single layer decides flow is open; check how many pairs reach the bound of one layer.
   *[not_tested] Whether a single layer decides flow was not tested, since { $why }; before using flow, check how many pairs reach the bound of one layer.
}
advice_B20 = { $outcome ->
    [holds] About 30% of the tokens of a deep layer draw most on another token, so a row labelled with a word is not always about that word.
    [divided] How many tokens of a deep layer draw most on another one differs between models and texts (published: about 30%); measure it before you label a row with its word.
    [fails] The share of tokens that draw most on another one is not the published 30%; measure it before you label a row with its word.
    [open] How many tokens draw most on another one is open; measure it before you label a row with its word.
   *[not_tested] How many tokens draw most on another one was not tested, since { $why }; measure it before you label a row with its word.
}
advice_B11 = { $outcome ->
    [holds] To rank tokens, prefer a decomposition of the vectors (ALTI) to rollout.
    [divided] A decomposition of the vectors (ALTI) ranks tokens better than rollout by some criteria or in some cases; compare both by removing words.
    [fails] A decomposition of the vectors (ALTI) ranked tokens no better than rollout; choose by a removal test, not by name.
    [open] Whether a decomposition of the vectors (ALTI) ranks tokens better than rollout is open; compare both by removing words.
   *[not_tested] Whether a decomposition of the vectors (ALTI) ranks tokens better than rollout was not tested, since { $why }; compare both by removing words.
}
advice_B1 = { $outcome ->
    [holds] Do not explain a prediction by raw attention of deep layers; follow it through the layers.
    [divided] Neither rollout nor flow explains a prediction wherever raw attention does not; check each by removing words.
    [fails] The advantage of rollout and flow over raw attention in deep layers was not found; check any of them by removing words.
    [open] Whether rollout and flow explain more than raw attention in deep layers is open; check any of them by removing words.
   *[not_tested] Whether rollout and flow explain more than raw attention in deep layers was not tested, since { $why }; check any of them by removing words.
}
advice_B3 = { $outcome ->
    [holds] In middle layers, flow agrees with the effect of removing words better than rollout; use it where its cost allows.
    [divided] Flow is better than rollout in some cases only, and it takes far longer; try it on a few texts first.
    [fails] Flow, which takes far longer, brought no gain over rollout.
    [open] Whether flow, which takes far longer, gains anything over rollout is open; try it on a few texts first.
   *[not_tested] Whether flow, which takes far longer, gains anything over rollout was not tested, since { $why }; try it on a few texts first.
}
advice_B25 = { $outcome ->
    [holds] In AttentionViz, a short distance may be read as strong attention.
    [divided] In AttentionViz, check a head before you read a short distance as strong attention.
    [fails] In AttentionViz, do not read a short distance as strong attention; draw the strongest pairs as lines.
    [open] Whether a short distance in AttentionViz means strong attention is open; draw the strongest pairs as lines.
   *[not_tested] Whether a short distance in AttentionViz means strong attention was not tested, since { $why }; draw the strongest pairs as lines.
}
advice_B23 = { $outcome ->
    [holds] A striking pattern does not make a head important; disable it before you build an argument on it.
    [divided] Some heads are missed and many are not; disable a head before you build an argument on it.
    [fails] Many heads are missed when they are disabled; leave none out of the picture without a test.
    [open] With these texts the effect of a single head on the score is open; measure the loss on many texts before you call a head important or superfluous.
   *[not_tested] The effect of disabling a single head was not tested, since { $why }; measure it before you call a head important or superfluous.
}
advice_B21 = { $outcome ->
    [holds] Attention as it stands changes most in the last two layers, which includes what the layers below pass on; keep the inputs of a layer fixed to see its own change.
    [divided] Whether the last two layers change most depends on what is compared; keep the inputs of a layer fixed to see its own change.
    [fails] The last two layers did not change most; show all layers.
    [open] Whether the last two layers change most is open; show all layers.
   *[not_tested] Whether the last two layers change most was not tested, since { $why }; show all layers.
}
