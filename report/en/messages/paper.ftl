chapter_paper = Paper

head = { $own ->
    [0] The paper rests on { $numbers } numbers of runs that are kept with the report; this run measured none of them with the same parameters.
   *[other] The paper rests on { $numbers } numbers of runs that are kept with the report. This run measured { $own } of them, or parts of them, with the same parameters, and { $differing ->
        [0] reproduces all of them.
       *[other] reproduces { $alike } within tolerance; { $differing } { $differing ->
            [one] differs
           *[other] differ
        }, as they do where training ends with other weights on another processor.
    }
}
head_missing = The paper rests on runs that are kept with the report, of which { $runs } { $n ->
    [one] is
   *[other] are
} not here.
differs_here = In this run, numbers that this paragraph rests on came out otherwise; its words are of the kept runs.
number_of = { $origin }; { $read }
number_read = { $own ->
    [own] measured in this run
    [differs] measured in this run, where it differs from the kept value
   *[kept] of a kept run
}; { $files }
of_several = { $take ->
    [lowest] lowest of
    [highest] highest of
   *[median] median of
} { $cases }

## Words of figures and tables

answer_pretrained = before fine-tuning
answer_finetuned = after
answer_model = a model
answer_by_weights = weights, within a layer
answer_by_vectors = vectors, within a layer
answer_by_rollout = rollout
answer_by_measured = rollout, measured residual
answer_by_alti = ALTI
answer_by_replacing = replacing tokens
asked_provenance = what is brought to a token
asked_effect = all that an output depends on
circuits_of = circuits of { $n }
found = found
nearly_found = if near misses count
baseline_identity = identity
baseline_symbols = all symbols
baseline = baselines
models_tuned = from the encoder as published
models_control = from the encoder trained on with masked words
sink_change = change of the mean weight of the strongest key
mixing_change = change of mixing by ALTI
number = number
value = value
of = of
file = read from

## Alternative texts of figures

alt_answers = For each measure a ring at the median share from other tokens before fine-tuning and a disc after it, joined by a line, with strokes for single models: weights and vectors within a layer; rollout, rollout with measured residual, ALTI and the replacement of tokens through all layers.
alt_found = Two panels with a row for each measure: a filled dot at the number of circuits in which it finds what it is meant to find, a hollow one if near misses count, and a dashed line at each of the two baselines. At the left what is brought to a token, at the right all that an output depends on.
alt_changes = A point for each fine-tuned model: across, the change of the mean weight of the strongest key of a head; upwards, the change of mixing by ALTI. All points lie above zero, at both sides of zero across.

## Columns of the downloads

column_set = models of the figure: tuned, from the encoder as published, or control
column_model = model, as RUN/EXPERIMENT
column_mixing = change of the share from other tokens by ALTI, last layer
column_sink = change of the mean weight of the strongest key of a head
column_number = name of the number in report/paper.yaml
column_own = whether this run measured it, or a part of it
column_differs = whether it is another there than the kept one, beyond tolerance
column_state = before fine-tuning (pretrained) or after it
column_answer = answer of the figure, by its name in the code
column_value = the number; in the figure of the front page, the share of a vector that comes from other tokens
