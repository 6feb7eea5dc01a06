chapter_explorer = エクスプローラ
layer_and_head = 第 { $layer } 層、ヘッド { $head }
share = 行の中の割合
notice_costly = ファインチューニング後の実験 { $experiment } では、{ $place }を無効にすると損失が最も増える（{ $texts }の平均で { $cost }）。「{ $query }」が{ attended }に向ける注意はファインチューニングで { $before } から { $after } になった
notice_previous = 実験 { $experiment } で直前のトークンに最も多くの注意を向けるのは{ $place }であり、「{ $query }」は{ attended }に { $after } を向ける
# キーはクエリ自身のことも、同じ表記の別のトークンのこともある。
attended = { $key_is ->
    [itself] 自分自身
    [alike] 別の「{ $key }」
   *[other] 「{ $key }」
}
notice_single = 実験 { $experiment } のテキストはどれも 1 トークンであり、自分自身しか読まない
alt_opening = ヒートマップ。「{ $query }」が何から作られるかを手法ごとに示す。行が手法、列がトークン。実験 { $experiment }、{ $place }。
told = { $notice }。
