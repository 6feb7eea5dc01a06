chapter_run = This run

## Words of figures and tables

answer_by_sink = mean weight of the strongest key
here_pretrained = here, before fine-tuning
here_finetuned = here, after it
paper = median of the paper
paper_value = paper
quantity = quantity
state = fine-tuning
pretrained = before
finetuned = after
here = here
number = number
layers = layers
heads = heads
captured = texts
score = test score
run_differing = { $n ->
    [one] The number that differs from the paper
   *[other] The { $n } numbers that differ from the paper; medians may read the same where single models differ
}

## What is said of the run

run_identity = { $extent ->
    [all] This is the committed run, “quick”: all its experiments have the committed parameters
    [some] Of the { $total } experiments of this run, { $own } { $own ->
        [one] has
       *[other] have
    } the parameters of the committed run, “quick”
   *[none] This run has experiments of its own: none has the parameters of the committed run, “quick”, so its numbers stand beside those of the paper and do not test them
}
run_mixing = { $tuned ->
    [none] No experiment of this run has a value of ALTI
    [yes] Through all layers, other tokens make up { $before } of a vector before fine-tuning and { $after } after it, by ALTI, which follows vectors{ $n ->
        [one] {""}
       *[other] {" "}(medians over { $n } experiments)
    }{ $argued ->
        [yes] . In the paper it is { $paper } and { $paper_after }
       *[no] {""}
    }
   *[no] Through all layers, other tokens make up { $before } of a vector by ALTI, which follows vectors{ $n ->
        [one] {""}
       *[other] {" "}(median over { $n } experiments)
    }{ $argued ->
        [yes] . In the paper it is { $paper } in models that are not fine-tuned
       *[no] {""}
    }
}
run_absent = { $n ->
    [0] This run has values of all main quantities of the paper.
   *[other] No experiment of this run has a value of { $quantities }, as the paper has.
}
run_decided = Without the kept runs, this run decides { $decided } of the { $total } published claims with something at stake{ $decided ->
    [0] {""}
   *[other] : { $counts }
}. { $untested } { $untested ->
    [one] asks
   *[other] ask
} for models or texts that it does not have, and { $open } { $open ->
    [one] remains
   *[other] remain
} open.

## Alternative texts of figures

alt_answers = For each measure a mark with an interval for every experiment of this run, hollow before fine-tuning and filled after it, and in grey the medians of the paper before and after, joined by a line: weights and vectors within a layer; rollout, rollout with measured residual, ALTI and the replacement of tokens through all layers.

## Columns of the downloads

column_answer = quantity, by its name in the code
column_state = before fine-tuning (pretrained) or after it
column_value = value in this run: the mean over the texts of an experiment, or the number as the paper takes it
column_low = lower end of the interval of the value
column_high = upper end of the interval of the value
column_paper = what it is in the paper
column_number = name of the number in report/paper.yaml
column_score = accuracy on the test split, or F1 of the answers
column_baseline = the same of always giving the most frequent answer, or none
column_captured = texts that were captured
column_layers = layers of the model
column_heads = heads of each layer
column_tokens = tokens of these texts
