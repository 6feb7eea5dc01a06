chapter_anatomy = Anatomy

## Words of figures and tables

rebuilt = rebuilt by hand
off = deviation / largest
short_encoder-in-attention = encoder
short_decoder-in-attention = decoder
short_encoder_decoder-in-cross = cross-attention
part_source = tokens
part_before = tokens so far
part_attention =
    self-attention
    sees all tokens
part_masked =
    masked self-attention
    sees up to itself
part_cross =
    cross-attention
    sees the source
part_feed_forward = feed-forward
part_vectors = one vector per token
part_next = next token
layers_times = × layers
input = input x
query_vectors = queries q
key_vectors = keys k
value_vectors = values v
dimension = dimension
scores = scores s
weights = weights A
unscaled = weights without √d
weight_of = weights of “{ $token }”
weighted = weight × value
context_of = their sum, what “{ $token }” reads
context = all heads side by side
output = after the output projection
norms = lengths
norm_input = input (residual)
norm_output = attention
step = step
shape = shape
compared = compared with, in the model
deviation = largest deviation
largest = largest value
projections = projections
step_context = weighted sum
step_output = output projection
step_block = residual, normalization
of_projections = outputs of the three linear layers
of_scores = input of the softmax
of_weights = output of the softmax
of_context = input of the output projection
of_output = output of the output projection
of_block = output of the layer normalization
all_heads = all heads
one_head = head { $head } alone
query_of = query q of “{ $token }”
keys = keys k
product = q × k, by dimension
dot = q · k / √d
softmax = softmax
encoder = encoder
decoder = decoder
encoder_decoder = encoder and decoder
encoder_decoder-in-encoder = both: encoder
encoder_decoder-in-decoder = both: decoder
encoder_decoder-in-cross = both: cross
architecture = model
parameters = parameters
accuracy = rows written right
leak = leak from later tokens
future = weight on later tokens
mirror = weight on the mirrored word
side_encoder = its encoder

## Alternative texts of figures

alt_overview = Heat map of one head rebuilt by hand; a dot for the deviation of each step, the largest at { $off } of the largest value; and three attention maps of small models: of an encoder, of a decoder, hatched above the diagonal, and of cross-attention.
alt_projections = Four heat maps with a row for each token: the vector that enters the layer, and the query, key and value of one head.
alt_weights = Three matrices of queries by keys: scores in colours around zero, the weights that softmax makes of them, and the weights without the division.
alt_sum = Bars of one token's weights, the values of all tokens, the values multiplied by the weights, and below them their sum, one vector.
alt_block = Heat maps of what all heads read, side by side, and of its projection; bars compare its length with that of the vector it is added to, token by token.
alt_heads = Heat maps of the attention of every head of one layer, on one scale; a frame marks the head of the steps before.
alt_architectures = Heat maps of every head of the three small models while they write a row of words backwards. Decoders are hatched above the diagonal, where their mask hides the keys.
alt_head_view = Two columns of the same tokens, joined by lines as opaque as the attention weights: every head of one layer in its own colour, and one head alone.
alt_model_view = A grid of thumbnails, layers by heads, each with the lines of its attention.
alt_neuron_view = Coloured strips: the query of one token, the keys of all tokens, their products by dimension, the sums, and bars of the softmax.
alt_drawing = Diagram of three stacks. An encoder: tokens, self-attention that sees all tokens, feed-forward network, one vector per token. A decoder: the tokens so far, self-attention with a mask, feed-forward network, the next token. Encoder and decoder: the same two, joined by a cross-attention in the decoder that reads from the encoder.
