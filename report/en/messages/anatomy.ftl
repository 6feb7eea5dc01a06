rebuilt = rebuilt by hand
off = deviation / largest
short_encoder-in-attention = encoder
short_decoder-in-attention = decoder
short_encoder_decoder-in-cross = cross-attention

# Alternative texts of the figures
alt_overview = Heat map of one head rebuilt by hand; a dot for the deviation of each step, the largest at { $off } of the largest value; and three attention maps of small models: of an encoder, of a decoder, blank above the diagonal, and of cross-attention.
alt_projections = Four heat maps with a row for each token: the vector that enters the layer, and the query, key and value of one head.
alt_weights = Three matrices of queries by keys: scores in colours around zero, the weights that softmax makes of them, and the weights without the division.
alt_sum = Bars of one token's weights, the values of all tokens, the values multiplied by the weights, and below them their sum, one vector.
alt_block = Heat maps of what all heads read, side by side, and of its projection; bars compare its length with that of the vector it is added to, token by token.
alt_heads = Heat maps of the attention of every head of one layer, on one scale; a frame marks the head of the steps before.
alt_architectures = Heat maps of every head of the three small models while they write a row of words backwards. Decoders are blank above the diagonal, where their mask hides the keys.
alt_head_view = Two columns of the same tokens, joined by lines as opaque as the attention weights: every head of one layer in its own colour, and one head alone.
alt_model_view = A grid of thumbnails, layers by heads, each with the lines of its attention.
alt_neuron_view = Coloured strips: the query of one token, the keys of all tokens, their products by dimension, the sums, and bars of the softmax.
