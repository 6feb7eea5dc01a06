within = in one layer, mean over layers
through = after the last layer
answer_raw = attention weights
answer_residual =
    weights, residual connection
    counted as a share of { $share }
answer_vectors =
    vectors, with residual
    and normalization
answer_layer =
    vectors, whole layer
    with feed-forward block
answer_rollout = rollout
answer_uniform =
    rollout, had every token
    attended to all alike
answer_measured = rollout, residual measured
answer_distance =
    difference left between
    the rollouts of tokens
answer_identifiable =
    tokens that their own input
    still identifies
share = share
looks_weights = the attention of one layer as it is
looks_propagation = attention followed through the layers
looks_vectors = the size of the vectors passed on
looks_gradients = how the answer would change with a word

# Alternative texts of the figures
alt_answers = Dot chart of nine shares, a row each, with a dot for every experiment and model state: mixing in one layer by attention weights, with the residual counted, by vectors and through the whole layer; after the last layer, mixing by rollout, for uniform attention and with the measured residual, the difference left between tokens, and the tokens that can still be identified.
