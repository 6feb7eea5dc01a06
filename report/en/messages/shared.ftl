layer = layer
nth_layer = layer { $layer }
head = head
query = query
key = key
raw = raw attention
residual = with residual
rollout = rollout
rollout_measured = rollout, measured residual
flow = flow
flow_measured = flow, measured residual
attn_w = Attn-W
attn_n = Attn-N
attnres_w = AttnRes-W
attnres_n = AttnRes-N
attnresln_n = AttnResLN-N
attnresln_ff_n = … and FF
attnresln_ffres_n = … and FF, residual
attnresln_ffresln_n = whole layer
globenc = GlobEnc
alti = ALTI
value_zeroing = value zeroing
value_zeroing_rollout = value-zeroing rollout
attn_w_rollout = rollout without residual
attn_n_rollout = Attn-N rollout
attnres_n_rollout = AttnRes-N rollout
attnresln_n_rollout = AttnResLN-N rollout
globenc_rollout = GlobEnc
alti_rollout = ALTI
alti_logit = ALTI-Logit
gradient_norm = gradient norm
gradient_x_input = gradient × input
integrated_gradients = integrated gradients
attn_lrp = AttnLRP
decompx = DecompX
roc_auc = ROC-AUC
umap = UMAP
tsne = t-SNE
pca = PCA
trustworthiness = trustworthiness
continuity = continuity
overlap = neighbour overlap
pretrained = not fine-tuned
finetuned = fine-tuned
one_seed = one seed
experiment = experiment
model = model
method = method
variant = model state
tokens = tokens
mean = mean
mixing = mixing
entropy = entropy / ln n
row_distance = distance between rows
uniform = rollout of uniform attention
rollout_beside_uniform = rollout beside uniform
rollout_without_first = rollout without the first token
special_share = share on special tokens
of = { $whole }: { $part }
beside = { $one }, { $other }
not_defined = undefined
no_value = no value
nothing_above_zero = 0 in all layers
at_most = at most { $value }
no_seed = no seed
list_next = { $list }, { $name }
list_last = { $list } and { $name }
# What a measure recovers where the truth is known; what follows the first has no verb.
recovers = { $first ->
    [yes] { $measure } recovers { $n ->
        [0] none
       *[other] { $n }
    }
   *[no] { $measure } { $n ->
        [0] none
       *[other] { $n }
    }
} (a baseline { $baseline })
recovered = { $through ->
    [layer] Through single layers, asked what each is meant to tell, { $measures } of { $circuits } circuits.
   *[model] Through the whole model, asked what each is meant to tell, { $measures } of { $circuits } circuits.
}
recovered_both = { $first } { $second }
recovered_here = { $page } tells what the measures of this page recover.
range = { $low }–{ $high }
# Before a sign, a dash needs room.
range_signed = { $low } to { $high }
count_case = { $n ->
    [one] one case
   *[other] { $count } cases
}
count_experiment = { $n ->
    [one] one experiment
   *[other] { $count } experiments
}
# The experiment that a number is of.
of_experiment = { $run ->
    [this] { $name }
   *[other] { $name } of the reference run { $run }
}
# Behind what reference runs decide.
source_runs = {" "}(in { $own ->
    [yes] this run and{" "}
   *[no] {""}
}the reference { $n ->
    [one] run
   *[other] runs
} { $runs })
in_experiments = { $n ->
    [one] the experiment { $names }
   *[other] the experiments { $names }
}
# What a finding says of all that it was measured in; nothing where there is one, or no training.
in_every_experiment = { $n ->
    [1] { "" }
   *[other] { " " }in every experiment
}
in_every_state = { $n ->
    [1] { "" }
   *[other] { " " }in every model state
}
before_tuning = { $trained ->
    [no] { "" }
   *[yes] { " " }before fine-tuning
}
# After what depends on the experiment.
and_tuning = { $trained ->
    [no] { "" }
   *[yes] { " " }and on fine-tuning
}
models_before = { $trained ->
    [no] { "" }
   *[yes] { " " }of the models before fine-tuning
}
count_head = { $n ->
    [one] one head
   *[other] { $count } heads
}
count_map = { $n ->
    [one] one map
   *[other] { $count } maps
}
count_state = { $n ->
    [one] one model state
   *[other] { $count } model states
}
count_step = { $n ->
    [one] one step
   *[other] { $count } steps
}
kept_run = { $run }: { $date }, commit { $commit }
runs_texts = texts
finding_verdict = { $finding }; with the reference runs, claim { $claim } { $outcome ->
    [holds] holds
    [divided] is divided
    [partly] holds in part
    [smaller] has the published sign, but is smaller
    [fails] fails
   *[open] is open
}
# In how many models something holds that does not hold in all. Of one model, its cases differ.
in_models = { $of ->
    [0] some cases
    [1] some cases
   *[other] { $held ->
        [0] none of { $of } models as a whole
       *[other] { $held } of { $of } models
    }
}
finding_smaller = { $finding }; { $extent ->
    [all] the published sign is there in all models, but not everywhere as large
   *[none] the published sign is there, but the effect is smaller
}
number_unlearned = { $number } (task not learned)
# Explained on every page that may have one: the paragraph after its first heading.
number_states = { $before }→{ $after }
range_states = { $before } → { $after }
# Why something was not tested, after "since".
untested = { $reason ->
    [not_learned] no model concerned has learned its task
    [undefined] the results of the run have no value for it
    [untrained] this run trains no model
   *[no_experiment] this run has no experiment of that kind
}
# Of what a finding asks, the attribute `untested` of its message, where it was not tested.
finding_not_tested = { $question } was not tested, since { $why }
comma = ,{" "}
colon = :{" "}
stale = Today's code would give another number
count_text = { $n ->
    [one] one text
   *[other] { $count } texts
}
count_token = { $n ->
    [one] one token
   *[other] { $count } tokens
}
data = data (CSV)
zipped = data (CSV, ZIP)
record = data (JSON)
drawing = figure (SVG)
code = code
repository = Code
columns = columns
column_group = group of measures, a stage of the pipeline
column_experiment = experiment, as named in params.yaml
column_variant = state of the model: pretrained (before fine-tuning), finetuned (after), both
column_measure = measure that gave the number
column_quantity = what was measured; the quantities are explained below
column_subject = what the number is about: a method, scope, feature point or weight matrix; LAYER stands for the number of another layer
column_facet = which of it: a kind of token, a method that it is compared with, or another division named in the row of the quantity
column_kind = what the row is, such as a query or a key, a cluster or a family
column_clusters = number of clusters; 0 where there are none
column_layer = layer, counted from 1; 0 is the input of the first, -1 all together
column_head = head, counted from 1; 0 is the mean over heads
column_minus = what was subtracted, text by text; empty where nothing was
column_mean = mean over texts and seeds
column_low = lower end of the interval of the mean; empty for a number of all texts together
column_high = upper end of the interval of the mean
column_texts = texts for which the value is defined; 0 for a number of all texts together
column_seeds = models trained with different seeds
column_by_seed = mean of each seed, where there are several
column_smallest = smallest value of a text
column_largest = largest value of a text
column_p = p of a difference
column_reading = name of a difference between values of a text that a rule asks for; empty for a quantity itself
column_method = method, by its name in the code
column_point = feature point, by its name in the code
column_place = place of the feature point in the forward pass, from 0
column_example_id = text, by its number in the data
column_position = position of the token in its text, from 0
column_token = token
column_start = first character of the token in its text, from 0
column_end = character after the last one of the token
column_is_special = whether the token is a special one
column_is_evidence = whether the token is evidence for the label; empty where the data mark none
column_query = position of the token that attends, from 0
column_query_token = that token
column_key = position of the token that is attended to, from 0
column_key_token = that token
column_weight = attention weight
column_x = first coordinate on a map
column_y = second coordinate on a map
column_norm = length of the vector
column_trustworthiness = trustworthiness of the map (glossary)
column_continuity = continuity of the map (glossary)
column_overlap = share of the nearest neighbours that are the same on the map
column_spread = mean disparity between maps from different seeds
function = Code that draws this figure
explore = explore
pca_raw = PCA, as they are
pca_translated = PCA, translated
sampled = Texts: { $texts }. Models (seeds): { $seeds }.
each = { $count } each
uncorrected = { " " }Intervals, in the table or in its data, are not corrected for their number.
all_methods = All methods
other_experiments = The other experiments
rows = Show the { $rows } rows
label = Search the report
found = Found: { $found }
without = Nothing on these pages has all of these words. Without { $words }:
quoted_word = “{ $word }”
means_cls_entropy = entropy of the first row, divided by ln n
means_similarity_centred = mean cosine between tokens, without the mean of all tokens
means_own_source = share of tokens that are their own largest source
means_dependence = share of what changes a vector that other tokens account for
means_without_pattern = share of heads in no pattern, were a pattern to hold that part of the attention
