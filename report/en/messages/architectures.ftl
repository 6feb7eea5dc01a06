part_source = tokens
part_before = tokens so far
part_attention =
    self-attention
    sees all tokens
part_masked =
    masked self-attention
    sees itself and before
part_cross =
    cross-attention
    sees the source
part_feed_forward = feed-forward
part_vectors = one vector a token
part_next = next token
layers_times = × layers
alt_drawing = Diagram of three stacks. An encoder: tokens, self-attention that sees all tokens, feed-forward network, one vector a token. A decoder: the tokens so far, self-attention with a mask, feed-forward network, the next token. Encoder and decoder: the same two, joined by a cross-attention in the decoder that reads from the encoder.
