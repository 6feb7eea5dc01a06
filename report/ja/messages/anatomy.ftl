rebuilt = 手で組み立てたもの
off = 差 ÷ 最大値
short_encoder-in-attention = エンコーダ
short_decoder-in-attention = デコーダ
short_encoder_decoder-in-cross = 交差注意
