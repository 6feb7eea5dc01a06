word = word embedding
embedding = embedding
context = context
attention_output = attention output
attention_block = attention block
ffn_output = FFN output
layer_output = layer output
place = { $point } of layer { $layer }
of_state = {" "}({ $experiment }, { $state })
spread = spread over seeds
forward = layer (0: input)
moved = neighbours lost
silhouette = silhouette by label
first = first token
mean_vector = mean of the tokens
all = all tokens
shift = shift by fine-tuning
spread_larger = spread over seeds, larger of both
disparity = disparity, { $method }
cosine_distance =
    cosine distance
    before – after
