layer = Layer
head = Head
attention = Attention
detail = Layer { $layer }, head { $head }
open = { $view } (interactive)
alone = on a page of its own
head_view = BertViz, head view: { $text }
model_view = BertViz, model view: { $text }
neuron_view = BertViz, neuron view: { $text }
head_view_use = Left: the token that reads; right: the tokens it reads. One colour a head. Choose a layer; click a square to hide or show its head, double-click to show it alone; point at a token to see its lines only.
model_view_use = Every layer (row) and head (column) at once. Click one to enlarge it, click again to close it.
neuron_view_use = How a weight comes about. Choose a layer and a head; point at a token on the left to see its query, the product with every key, their sum and the softmax. Blue is positive, orange negative. The sign beside the token opens and closes the calculation.

# What the scripts of BertViz write on their drawings.
drawn_heads = Heads
drawn_layers = Layers
drawn_query = Query{" "}
drawn_key = Key{" "}
drawn_product = q × k (elementwise)
drawn_softmax = Softmax
drawn_none = No token selected
