all_heads = all heads
one_head = head { $head } alone
query_of = query q of “{ $token }”
keys = keys k
product = q × k, by dimension
dot = q · k / √d
softmax = softmax
