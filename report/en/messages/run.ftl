chapter_run = This run

## Words of figures and tables

within = Within a layer
through = Through all layers
answer_weights = weights
answer_weights_residual =
    weights, residual
    as one half
answer_vectors_residual = vectors, residual
answer_vectors =
    vectors, residual,
    normalization
answer_rolled_weights =
    weights,
    rolled out
answer_rolled_vectors =
    vectors, residual,
    normalization
answer_alti = ALTI
the_text = the sentence
an_experiment = an experiment
median = median
arrow = {" "}→{" "}

quantity = quantity
paper = paper, median
beside_by_weights = attention to other tokens, a layer
beside_by_vectors = vectors from other tokens, a layer
beside_by_rollout = rollout
beside_by_measured = rollout, measured residual
beside_by_alti = ALTI
beside_by_depends = dependence, by replacing tokens
beside_by_sink = mean weight of the strongest key

basis = { $n ->
    [one] { $both ->
        [0] Means over the texts of one experiment with { $models }
       *[other] Medians over one experiment with { $models }, before and after fine-tuning
    }
   *[other] { $both ->
        [0] Medians over { $experiments } with { $models }{ $halves ->
            [0] {""}
           *[other] {" "}(one of them as encoder and decoder)
        }
       *[other] Of { $experiments } with { $models }{ $halves ->
            [0] {""}
           *[other] {" "}(one of them as encoder and decoder)
        }, medians over the { $both } that fine-tune a model, before and after
    }
}

## Alternative texts of figures

alt_answers = Seven shares, each with a dot for every experiment, the medians before and after fine-tuning joined by a line, and a diamond for one sentence. Within a layer: mixing by attention weights, by weights with the residual connection as one half, by vectors with residual connection, and by vectors with residual connection and normalization. Through all layers: rollout of weights, rollout of vectors, and ALTI.

## Columns of the downloads

column_answer = answer that the figure draws in one row, by its name in the code
column_text = value of the same for the text that the figure shows, before fine-tuning
