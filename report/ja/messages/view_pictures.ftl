all_heads = 全ヘッド
one_head = ヘッド { $head } だけ
query_of = 「{ $token }」のクエリ q
keys = キー k
product = q × k（次元ごと）
dot = q · k / √d
softmax = ソフトマックス
