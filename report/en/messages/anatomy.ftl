rebuilt = rebuilt by hand
off = deviation / largest
short_encoder-in-attention = encoder
short_decoder-in-attention = decoder
short_encoder_decoder-in-cross = cross-attention
