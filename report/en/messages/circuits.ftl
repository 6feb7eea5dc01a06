chapter_circuits = Ground truth

## Words of figures and tables

uniform = uniform (baseline)
symbols = all symbols alike (baseline)
identity = identity (baseline)
rollout_measured = rollout (measured residual)
flow_measured = flow (measured residual)
expected_gradients = expected gradients
barrier_flow = flow (log barrier)
left_out_unknown = leaving out: [UNK]
circuit_previous = copy
circuit_uniform = average
circuit_relay = relay
circuit_silent_sink = silent sink
circuit_cancelling_heads = cancelling heads
circuit_lookup = look-up
circuit_two_hops = two hops
circuit_loud_sink = loud sink
circuit_cancelling_layers = cancelling layers
circuit_key_alone = key alone
circuit_erasing_network = erasing network
circuit_unread = unread
circuit_rescaling = rescaling
circuit_and = and
circuit_or = or
circuit_redundant = redundant
circuit = circuit
does = what it does
layers_heads = layers × heads
depends = tokens depended on
others = mixing
carried = in vectors
yes = yes
no = no
provenance_roc_auc = what tokens bring: ROC-AUC, in hundredths (100: every token that brings something is above every other)
effect_roc_auc = all that tokens do: ROC-AUC, in hundredths (100: every token that is depended on is above every other)
effect_mixing_error = all that tokens do: 100 minus the error of the share of other tokens, in hundredths (100: right)
bars = { $same ->
    [yes] The measures in front find what they are meant to find in equally many circuits ({ $most_found } of { $most_of })
   *[no] Of the measures shown, what they are meant to find is found in most circuits by { $most } ({ $most_found } of { $most_of }), in fewest by { $fewest } ({ $fewest_found } of { $fewest_of })
}
circuits = circuits
bar_found = { $found } of { $of }
better_baseline = better baseline, which ignores the model
bars_provenance = what is brought to a token: circuits in which the measure finds it
bars_effect = all that an output depends on: circuits in which the measure finds it
unexpected_hit = found, not expected
unexpected_miss = expected, not found
truth = truth
by_layer = found through a layer by
by_model = found from symbols to logits by
why = mechanism
found_provenance = what tokens bring: found
found_effect = all that they do: found
found_keys = what they do as keys: found
amount_provenance = error of the amount brought
amount_effect = error of the amount of all
brought = tokens bringing something
keys = acting as keys
found_of = { $found } of { $of } ({ $nearly })
none = none
all = all
all_but = all but { $names }
measured_on = { $through ->
    [layer] { $name }, through a layer
   *[model] { $name }, whole model
}
expectation = expected
outcome = ROC-AUC
was_expected = to be found
was_not_expected = not to be found
reason = why it came out otherwise
on_circuits = circuits
on_evidence = planted evidence
on_changed = changed words
circuits_amount = error of the amount, circuits
models_amount = error of the amount, trained models
circuits_order = rank correlation, circuits
models_order = rank correlation, trained models
circuits_found = ROC-AUC, circuits
retrieval_found = ROC-AUC, retrieval
copying_found = ROC-AUC, copying
retrieval_order = rank correlation, retrieval
copying_order = rank correlation, copying
question = question
asked_of = circuits that test it
answered_by = measures that pass all of them
closest = remark
closest_baseline = { $all ->
    [yes] so does a baseline that ignores the model ({ $passed } of { $of })
   *[no] none passes more than a baseline that ignores the model ({ $passed } of { $of })
}
closest_measures = most are passed by { $measures } ({ $passed } of { $of }; baseline: { $baseline })
share = share
at_weight = relative weight ≤ { $weight }
gained = found with softer attention alone
lost = found with saturated attention alone
by_one = by one token alone
by_two = by two tokens together
by_more = by three or more
only_together = pairs that matter only together, for each symbol
true_total = truth: total effect
found_of_mean = { $found } of { $of } ({ $mean })
on_short = ROC-AUC: six symbols
on_longer = longer texts
without_gains = error of the amount brought: norms without gains
with_gains = with gains: mean (smallest to largest draw)
mean_and_ends = { $mean } ({ $smallest } to { $largest })
count_model = { $n ->
    [one] one model
   *[other] { $count } models
}
count_basis = { $n ->
    [one] one basis
   *[other] { $count } bases
}

## Sentences of the notebook

named_circuit = “{ $name }”
lead = The tokens that bring something to a prediction are ranked correctly by { $best_provenance } in { $all_provenance ->
    [yes] all { $circuits }
   *[no] { $most_provenance } of { $circuits }
} circuits, small transformers whose weights were set by hand so that this is known. A baseline that ignores the model ranks them correctly in { $baseline_provenance }. All tokens that predictions depend on are ranked correctly by { $best_effect } in { $most_effect } circuits, by a baseline in { $baseline_effect }
blind = { $n ->
    [0] In each circuit, some measure ranks all that predictions depend on correctly
   *[other] In { $names }, no measure ranks all that predictions depend on correctly
}
layer = Through single layers, the tokens that bring something are ranked correctly by { $best_provenance } in { $most_provenance } of { $circuits } circuits, by a baseline in { $baseline_provenance }
layer_blind = { $n ->
    [0] In each circuit, some measure ranks all that a layer depends on correctly
   *[other] In { $names }, no measure ranks all that a layer depends on correctly
}
amount = { $through ->
    [layer] Through single layers
   *[model] Through the whole model
}, { $measure } has the smallest mean error, { $error }, against { $identity } for crediting every token with itself alone
amount_lengths = { $through ->
    [layer] Through single layers
   *[model] Through the whole model
}, the smallest mean error is then { $error } ({ $measure }), against { $identity } for crediting every token with itself alone. The error is at most { $within } in { $most } of { $of } circuits with { $by }, and in { $own } with this baseline
amount_raw = Raw attention errs by { $error } through a layer
basis = A change of basis moves no score by more than { $others }, except for ALTI and measures built on it, which move by up to { $coordinates }. ALTI adds up coordinates, and these depend on the basis
placement = { $n ->
    [0] The placement of the normalization decides in no case whether a measure finds what a circuit depends on
   *[other] In { $n } of { $of } pairs of measure and circuit, the measure finds what is depended on in only one placement of the normalization
}
beginning = { $n ->
    [0] Without the beginning, none of the { $of } outcomes that remain changes
   *[other] Without the beginning, { $n } of the { $of } outcomes that remain change, all in { $names }
}
saturation = In { $gained } of { $of } pairs of measure and circuit, the measure finds what is depended on with softer attention alone, { $lost ->
    [0] in none
   *[other] in { $lost }
} with saturated attention alone
begins_to_find = { $measure } (at most { $most } instead of { $before }, from { $weight } on)
graded = { $n ->
    [0] No measure that is meant to tell all that tokens do finds more of these { $of } circuits with softer attention
   *[other] With softer attention, more of these { $of } circuits are found by { $begun }
}{ $m ->
    [0] {""}
   *[other] . None of the circuits is found at any saturation by { $none }
}
longer = { $likeness ->
    [same] The order of { $n } measures stays largely the same (Spearman’s { $correlation })
   *[other] The rank correlation of the order of { $n } measures with that on six symbols is { $correlation }
}
norm_gains = { $through ->
    [layer] Through single layers, the errors of the three then differ by { $apart } on average (without gains by { $plain })
   *[model] Through the whole model, they differ by { $apart } (without gains by { $plain })
}. The smallest is most often that of { $nearest }, in { $n } of { $of } pairs of circuit and draw
norm_gains_both = { $layer }. { $model }
orders = In { $names }, two tokens together cause { $low } to { $high } of it beyond what each causes alone. In the circuits above, the largest such share is { $most }, in { $circuit }
pairs = Replaced one at a time, neither token has an effect. The two have { $low } to { $high } of the total effects. Of { $of } pairs of measure and circuit, { $none } give the two nothing, and { $above } give them more than their part among all symbols ({ $symbols })
variants = Integrated gradients find { $padding } of { $of } circuits if their paths begin at padding, and { $others } if they begin at other texts, as in expected gradients
wrong = { $n ->
    [0] All { $of } expectations were right
   *[other] { $n } of { $of } expectations were wrong
}
orders_evidence = { $likeness ->
    [alike] The order of measures on circuits agrees only in part with that by planted evidence (Spearman’s { $correlation }, { $n } measures)
   *[other] The rank correlation of the order of { $n } measures on circuits with that by planted evidence is { $correlation }
}. The measure that moves most is { $measure }, from place { $here } to place { $there }
orders_changed = { $likeness ->
    [unrelated] With the order by changed words it has almost nothing in common ({ $correlation })
   *[other] Its rank correlation with the order by changed words is { $correlation }
}. Here the measure that moves most is { $measure }, from place { $here } to place { $there }
beside_amount = { $likeness ->
    [alike] By the error of the amount, trained models and circuits order measures only partly alike (Spearman’s { $correlation } over { $n }, baselines included)
   *[other] By the error of the amount, the orders of measures on trained models and on circuits correlate at { $correlation } (Spearman, over { $n }, baselines included)
}{ $lost ->
    [0] {""}
   *[other] . On trained models, { $measure } drops most, from place { $here } to place { $there }
}
beside_order = { $likeness ->
    [alike] By rank correlation, too, the orders agree only in part ({ $correlation } over { $n })
   *[other] By rank correlation, the orders correlate at { $correlation } (over { $n })
}{ $lost ->
    [0] {""}
   *[other] . In this order, { $measure } drops most, from place { $here } to place { $there }
}
models_nearest = On trained models, { $measure } comes nearest to the amount that was measured, with an error of { $error } against { $baseline_error } for { $baseline }
learned_found = By ROC-AUC, the order of { $n } measures on the circuits correlates with that on models that learned retrieval at { $retrieval_correlation }, and on models that learned copying at { $copying_correlation } (Spearman). Models of one task that differ in the seed correlate at { $seeds } or more
learned_order = By rank correlation with the total effect, the order on the circuits correlates with that on retrieval at { $retrieval_correlation }, and on copying at { $copying_correlation }. Seeds correlate at { $seeds } or more
learned_brought = By rank correlation with what tokens bring, it correlates with that on retrieval at { $retrieval_correlation }, and on copying at { $copying_correlation }. Seeds correlate at { $seeds } or more
learned_identity = Crediting every token with itself alone has a higher rank correlation with the total effect than { $circuits } of { $n } measures on the circuits. On retrieval it is ahead of { $retrieval }, on copying of { $copying }

## Alternative texts of figures

alt_found = Bar charts of the number of circuits in which six measures of the whole model find what they are meant to find, what is brought to a token above and all that an output depends on below; a dashed line marks the better baseline.
alt_model = Three maps of circuits by measures of the whole model: ROC-AUC with which a measure tells the tokens that bring something, and those that are depended on, from the others; and how near its share of other tokens is to the true one. Frames mark outcomes that were not expected.
alt_layer = The same three maps for measures through a single layer.
alt_example = Maps of one text in some of the circuits, queries by tokens: what truly depends on what, and the shares of some measures and baselines.
alt_orders = Measures in columns, by mean ROC-AUC on the circuits at the left and by what is found in trained models at the right, planted evidence and changed words; the places of each measure are joined by lines.

## Columns of the downloads

column_through = through what dependence is asked: layer, each single one; model, from symbols to logits
column_circuit = circuit, by its name in the library
column_measure = measure, by its name in the library
column_score = roc_auc: of the tokens that are depended on among all; roc_auc_symbols: among all but the beginning; average_precision; total_variation and rank_correlation with the true shares; mixing_error: how far the share of other tokens is from the true one; mixing_error_lengths: from one that shares out standard deviations
column_mean = mean over texts, bases, placements of the normalization, and layers
column_low = lower end of the interval of the mean, by resampling texts
column_high = upper end of the interval of the mean
column_smallest = smallest value of a text, basis and placement
column_largest = largest value of a text, basis and placement
column_texts = texts in which the score is defined
column_expected = whether the measure was expected to find what is depended on; empty where nothing was expected
column_finds = whether the measure finds what is depended on
column_gain = gain of the scores of heads; with a high one, attention is all or nothing
column_plain = mean over circuits and texts, of circuits as they are: of gains, error of the amount brought; of longer texts, ROC-AUC
column_varied = the same of circuits that are varied; of gains, mean over draws
column_one = of the variance of the logits that other tokens have a part in, the share of single tokens; mean over symbols and texts, empty where there is none
column_two = share of two tokens together, beyond those of each
column_more = share of three tokens or more together
column_pairs = pairs of tokens that change the logits of a symbol when they are replaced together, and not one at a time
column_share = share of a row that goes to two tokens that matter only together; of the measure truth, that of their total effects
column_value = mean ROC-AUC of all that tokens do, over the same texts, basis and placements for all gains
column_found = circuits in which the measure finds what is asked
column_nearly = circuits in which it does with the lower bound for the ROC-AUC, which ties alone do not miss
column_of = circuits in which there is something to find
column_amount = mean over circuits of how far the share of other tokens is from the true one
column_order = mean over circuits of Spearman’s correlation with the true shares
column_estimand = what is asked: provenance, what tokens bring; effect, all that they do; keys, what they do as keys
column_meant = whether the measure is meant to tell it; empty of baselines
column_brought = tokens that bring something, mean over symbols, texts and placements
column_keys = tokens that have an effect as keys, mean over symbols, texts and placements
column_question = question, by its name in the code
column_passed = circuits that the measure passes
column_circuits = beside a question, circuits that test it; beside an order, mean ROC-AUC over the circuits
column_evidence = mean ROC-AUC over corpora with planted evidence
column_changed = how often the word is found whose change costs most, mean over corpora
column_circuits_amount = mean over circuits of how far the share of other tokens is from the true one, from symbols to logits
column_models_amount = mean over the models of the run of how far the share of other tokens is from the measured one, in the last layer
column_circuits_order = mean over circuits of Spearman’s correlation with the true shares
column_circuits_found = mean ROC-AUC over circuits, total effect
column_circuits_brought = mean rank correlation over circuits with the true shares of what tokens bring
column_retrieval_found = mean ROC-AUC over models that learned retrieval by key, total effect
column_retrieval_order = mean rank correlation over these models with the true shares, total effect
column_retrieval_brought = the same with the shares of what tokens bring
column_copying_found = mean ROC-AUC over models that learned copying, total effect
column_copying_order = mean rank correlation over these models with the true shares, total effect
column_copying_brought = the same with the shares of what tokens bring
column_models_order = mean over the models of the run of Spearman’s correlation with the measured shares, in the last layer; empty where a measure has no order in some model
column_layers = layers of the circuit
column_heads = heads of a layer
column_query = row of the token that draws on others, from 0; the beginning has none
column_query_token = that token
column_key = place of the token that is drawn on, from 0
column_key_token = that token
column_weight = share of it; of the measure truth, the true one
column_network = whether the circuit has a feed-forward network
column_carried = whether everything that is depended on is carried as a vector and read
column_tokens = tokens depended on, mean over symbols, texts and placements
column_mixing = true share of other tokens, mean over symbols, texts and placements

## What circuits do

does_previous = copies the previous token beside the token itself
does_uniform = attends to all symbols alike and brings their mean
does_relay = gathers all tokens at the beginning, and brings them from there to every token
does_silent_sink = attends to the beginning, whose value is zero: the head does nothing
does_cancelling_heads = copies the previous token in one head and subtracts it in another
does_lookup = brings the mean digit of all tokens that have the letter of the query
does_two_hops = tells which tokens follow those that have the letter of the query (an induction head)
does_loud_sink = copies the previous token, beside a head that brings one long constant vector
does_cancelling_layers = copies the previous token in one layer and subtracts it in the next
does_key_alone = counts digits 1: each takes weight from a vector that the beginning brings
does_erasing_network = copies the previous token, which the feed-forward network subtracts
does_unread = copies the previous token into a direction that the classifier does not read
does_rescaling = brings a long vector where the previous token has a digit 1; only normalization passes its effect on

## Why measures miss them

why_previous = The residual connection alone keeps the token itself. A measure that leaves this connection out cannot see it.
why_uniform = All weights are right. ALTI adds up coordinates, whose signs are chance for so small a contribution, and counts a negative sum as zero.
why_relay = The beginning passes on what it has gathered, but its own vector is the same in all texts. Whatever keeps a share for the residual connection credits that vector too.
why_silent_sink = All weight goes to a vector of length zero, which the weights do not show. Without a residual connection, a measure shares out what rounding leaves of nothing.
why_cancelling_heads = Weights of two heads add up, while the vectors that they bring cancel. To see it, a measure has to add up the vectors, and to have a residual connection beside them; without one it shares out what rounding leaves.
why_lookup = A token of another letter brings nothing, but would if it had the letter: the output depends on its key. Decompositions see only what is brought, and a saturated softmax has no slope.
why_two_hops = As in the look-up, the keys decide, here those that the first layer has written.
why_loud_sink = Nothing depends on the longest vector, since it never changes. Norms credit it all the same.
why_cancelling_layers = A share of a layer is never negative, so a product of layers counts the subtraction as a second copy.
why_key_alone = Nothing of the counted tokens is carried anywhere. What changes with them is a weight on another token.
why_erasing_network = What attention has brought is gone after the feed-forward network. A measure of attention can at most have the order right, where the token's own vector is the longer one.
why_unread = What is copied stays in the residual stream. Only a measure that starts at the logits can know that nothing reads it; others can have the order right, where the token's own vector is the longer one.
why_rescaling = The long vector is not read; it shrinks what is read. Where the previous token has a digit 0, nothing is brought, although a digit 1 would have changed everything.

## Why expectations were wrong, by way, circuit and measure

wrong_layer_rescaling_attnres_w = Right by chance: weights point at the previous token whether or not it brings anything.
wrong_model_relay_gradient_x_input = Slopes do credit the beginning, but its slope has no component along its embedding, because the embeddings are normalized: the product is zero.
wrong_model_lookup_integrated_gradients = The path starts where the softmax is not saturated, but it leads from padding to this text. A token of another letter does no more than padding along all of it; what another symbol in its place would do lies on no such path.
wrong_model_two_hops_integrated_gradients = As in the look-up: the path from padding never meets the symbol that would have matched.
wrong_model_loud_sink_gradient_norm = The long vector acts only through the length that normalization divides by. To first order, a change of the symbols that are read moves the logits more.
wrong_model_key_alone_integrated_gradients = Digits 1 are found. A digit 0 adds as little as padding does, so the path from padding has nothing to say about it, although a digit 1 in its place would count.
wrong_model_erasing_network_alti_logit = ALTI-Logit traces to tokens what attention writes, but not what a feed-forward network writes. So it reports the copy and not its removal.
unexplained = not explained yet

## Questions

question_layer_amount = How much of the output of a layer do other tokens bring, as a share of variance?
question_model_amount = How much of a prediction do other tokens bring, through all layers, as a share of variance?
question_layer_source = Which tokens bring something to the output of a layer?
question_model_source = Which tokens bring something to a prediction?
question_prediction = Which tokens does a prediction depend on, by whatever mechanism?
question_effect = Does attention to a token change the output of the layer?
question_survival = Does what attention brings reach the prediction, or is it removed or left unread on the way?
question_keys = Which tokens matter through their keys, by steering the attention to others?
