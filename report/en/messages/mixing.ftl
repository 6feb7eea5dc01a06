chapter_mixing = Mixing

## Words of figures and tables

ratio = mixing ratio
ratio_beyond = mixing ratio, beyond attention
cls = first token
special = other special tokens
mask = [MASK]
text = ordinary tokens
all_tokens = all tokens
own = against its own input
alike = between tokens of a text
rank = effective rank
self_similarity = cosine to own input
identifiability = identifiable tokens
similarity = mean cosine between tokens
similarity_centred = the same, mean removed
effective_rank = effective rank of all tokens
cka = linear CKA
own_source = largest source is itself
relative_residual = relative residual
whole = whole model
without_ffn = without feed-forward networks
without_skip = without residual connections
attention_only = without both
margins = Where nothing was published to compare with, the margins are ours: a difference between shares counts from 2.5 percentage points on, and two shares within 5 points of each other are called close
not_defined = not defined
runs_weights = AttnRes-W, mean over layers
runs_vectors = AttnRes-N, mean over layers
runs_alti = ALTI, after the last layer
runs_own = largest source is itself (ALTI)
runs_dependence = measured dependence, last layer

## Alternative texts of figures

alt_scopes = Line charts of the mixing ratio over the layers. Above: attention weights, vectors, each without and with the residual connection, and with layer normalization. Below: the feed-forward network, its residual and the second normalization.
alt_kinds = Line charts of the mixing ratio of the attention block over the layers for the first token, other special tokens, [MASK] and ordinary tokens.
alt_cls = Line charts over the layers. Above: mixing ratio of the attention block for [CLS] and for ordinary tokens. Below: entropy of attention, of the [CLS] row and of all rows; before and after fine-tuning.
alt_maps = Heat maps of where the vector of each token comes from in the first and the last layer: by attention weights, by the norms of the vectors, and by ALTI.
alt_sources = Line charts over the layers of what rollout gives for each kind of contribution: mixing, share of tokens that are their own largest source, share on special tokens, distance between rows.
alt_zeroed = Line charts over the layers of value zeroing in each layer and rolled out: share from other tokens, share of tokens whose largest source is themselves, distance between rows.
alt_remains = Line charts over the layers: cosine of a token to its own input and share of identifiable tokens; mean cosine between tokens, raw and with the mean removed; effective rank.
alt_cka = Heat maps of the similarity (linear CKA) of every layer to every other layer, one for each model state.
alt_collapse = Line charts over the layers of the relative residual: of the whole model, without feed-forward networks, without the residual connections around attention, and without both.

## Are sinks needed: words

this_run = this run
corpus = corpus
corpus_agreement = the agreement grammar
corpus_decoder = the agreement grammar, decoder
corpus_imdb = film reviews
arm = while it is fine-tuned
arm_free = nothing is held
arm_clamped = special tokens held
arm_clamped_first = [CLS] alone held
arm_clamped_last = [SEP] alone held
arm_shuffled = special tokens held at another text's shares
arm_mean = special tokens held at mean shares
arm_placebo_move = comparison: ordinary tokens that move as far
arm_placebo_mass = comparison: ordinary tokens that weigh most
arm_zeroed = values of special tokens zeroed
arm_frozen_values = values and outputs not trained
arm_frozen_shares = not held in training; earlier shares when read
arm_released = special tokens held; released when read
arm_free_shares = not trained; given the shares of the free arm
rise = rise of dependence
removed = removed
following_removed = removed, following
beyond = above the clamp
accuracy_change = accuracy (points)
weights = weights
learning_rate = learning rate
read = read with
by_seed = rise, seed by seed
prediction = predicted
prediction_true = came true
prediction_false = false
prediction_open = open
prediction_not_measured = not measured
target_held = held at the text before a token is replaced
target_following = following the replaced text
of_a_seed = one seed
weights_pretrained = not fine-tuned
weights_free = free
weights_clamped = clamped
weights_clamped_first = [CLS] clamped
weights_clamped_last = [SEP] clamped
weights_shuffled = another text's shares
weights_mean = mean shares
weights_placebo_move = comparison, moves as far
weights_placebo_mass = comparison, weighs most
weights_zeroed = values zeroed
weights_frozen_values = values not trained
keys_special = special tokens
keys_first = [CLS]
keys_last = [SEP]
keys_move = ordinary tokens that move as far
keys_mass = ordinary tokens that weigh most
shares_pretrained = those before fine-tuning
shares_free = those of free fine-tuning
shares_other_text = those of another text
shares_mean = their means
way_free = nothing held
way_held = { $keys } held at { $shares }
way_following = { $keys } following { $shares }
way_zeroed = values of { $keys } zeroed
way_biased = scores of { $keys } { $bias }
count_seed = { $n ->
    [one] one seed
   *[other] { $count } seeds
}
outcome_supported = Supported on { $corpora }.
outcome_refuted = Refuted on { $corpora }.
outcome_open = Open on { $corpora }.
outcome_not_asked = Not asked of { $corpora }.
clamp_association = { $known ->
    [yes] Over { $n } fine-tunings of this run and the reference runs, the change of ALTI and that of the mean weight of the strongest key of a head have a rank correlation of { $rho }
   *[no] Too few models are fine-tuned here to tell how the two change together
}
clamp_rise = On { $corpus } ({ $seeds }), fine-tuning raises dependence from { $before } to { $after }, by { $rise }. { $measured ->
    [yes] Holding attention to special tokens removes { $removed } of that rise. { $compared ->
        [yes] Holding ordinary tokens that move as far removes { $ordinary }.
       *[no] {""}
    }
   *[no] {""}
}
clamp_free = Without the clamp, the mean attention to special tokens goes from { $sinks_before } to { $sinks_after }. Heads with a sink go from { $heads_before } to { $heads_after }.
clamp_held = The clamp removes { $removed } of the rise; where the shares follow the replaced text, { $following }; of the rise of log-odds, which have no ceiling, { $odds }. Accuracy is { $right }, and { $free_right } without the clamp.
clamp_frozen = Freely trained weights, read with the shares of before, lose { $removed } of the rise.
clamp_ordinary = { $arm }: { $removed } of the rise is lost, at an accuracy of { $right }.
alt_arms = Dots with intervals of the rise of dependence by fine-tuning, a row for each condition and a panel for each corpus; small dots are single seeds, open ones shares that follow the replaced text; upright lines stand at the rise of the free arm, dashed, and at what is left of it if as much is removed as the rule asks for.

## Published claims

B8_statement = Within a layer, the more of the block is counted, the less is mixed: attention weights, vectors, weights with the residual, vectors with the residual, and layer normalization.
B8_published = Attn-W { $attn_w }, Attn-N { $attn_n }, AttnRes-W { $attnres_w }, AttnRes-N { $attnres_n }, AttnResLN-N { $attnresln_n }; BERT-tiny about { $tiny }
B8_rule = before fine-tuning, the mixing ratios of the five scopes, averaged over layers, fall in the published order; each step reaches a quarter of the published one on the same texts

B9_statement = Mixing falls with depth.
B9_published = rank correlation with depth { $trend }
B9_rule = the rank correlation of the mixing ratio AttnResLN-N with depth, computed per text, is negative and at least a quarter of the published value; the difference between last and first layer is shown beside it

B10_statement = In middle and deep layers a masked token is mixed more than tokens overall.
B10_published = { $masked_0 } to { $masked_1 } against { $others_0 } to { $others_1 }
B10_rule = the mixing ratio AttnResLN-N of [MASK] exceeds that of all tokens of the same text, averaged over the upper two thirds of the layers, by at least a quarter of the published difference. Asked of models that were trained to tell masked words

B19_statement = Representations of the tokens of a text grow more alike with depth.
B19_published = mean cosine { $cosine } (layers 0 to 12), in the results kept with the authors' code
B19_rule = the rank correlation of the mean cosine of two tokens with depth, computed per text, reaches a quarter of the value that the published curve has, for the vectors as they are and after removing the mean of all tokens

B20_statement = In deep layers about 30% of the tokens are not the main source of their own representation.
B20_published = about { $others }, so that { $own } are their own main source
B20_rule = the share of tokens that are their own largest source in the last layer is { $own } to within { $about }: by ALTI rolled out, and by what the vectors depend on when tokens are replaced. The publication attributes by gradients, which is neither

B30_statement = Attention alone makes the tokens of a text the same; residual connections prevent it.
B30_published = the output converges to a matrix of rank 1, doubly exponentially with depth; residual connections and feed-forward networks stop this
B30_rule = without residual connections and feed-forward networks, less than a tenth (ours) of the relative residual of the input is left after the last layer; with the residual connections put back, the relative residual is higher by at least a quarter of what was published, { $kept } against { $collapsed }

conditions_bert_wikipedia = BERT-base on Wikipedia (992 texts)
conditions_bert_sst2_trained = BERT-base fine-tuned on SST-2
conditions_mrpc = BERT-base on MRPC
needs_mrpc = BERT-base and MRPC from the hub
conditions_wiki_bio = BERT-base, ALBERT and XLNet on WikiBio
needs_wiki_bio = BERT-base and WikiBio from the hub
case_w_n = Attn-W minus Attn-N
case_n_resw = Attn-N minus AttnRes-W
case_resw_resn = AttnRes-W minus AttnRes-N
case_resn_ln = AttnRes-N minus AttnResLN-N
case_ln = AttnResLN-N itself
case_trend = rank correlation with depth
case_last_first = last minus first layer
case_as_they_are = as they are
case_without_mean = without the mean
case_alone = without both: last layer divided by the input
case_residual = last layer: without feed-forward networks minus without both
case_delayed = middle layer, without residual connections
means_relative_entropy = mean entropy of the rows of a map, divided by ln n
case_by_alti = by ALTI
case_by_dependence = by replacing tokens
B36_statement = With layer normalization, attention without residual connections need not make the tokens of a text the same.
B36_published = the hypothesis that layer normalization plays no role is refuted by constructed examples; in pretrained models it helps; only the direction is taken over
B36_rule = without residual connections, but with normalization and feed-forward networks, more than { $left } (ours) of the relative residual of the input is left after the last layer
B37_statement = Attention to the first token keeps tokens apart: without it, a change of one token spreads further to the others.
B37_published = shown for models of up to 405 billion weights; only the direction is taken over
B37_rule = dependence on other tokens at the last layer, where nobody attends to the first token, minus dependence as it is, on the same texts and replacements, reaches a quarter of { $more } (ours)

## Columns of the downloads

column_prediction = prediction about the experiment on sinks, by its name
column_answer = whether the prediction came true; open where the intervals do not decide it
column_corpus = experiment whose texts were used
column_run = run that made the models
