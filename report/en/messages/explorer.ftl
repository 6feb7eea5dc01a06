chapter_explorer = Explorer
layer_and_head = layer { $layer }, head { $head }
share = share of the row
notice_costly = After fine-tuning, { $experiment } depends most on { $place } (loss +{ $cost } without it, { $texts }): “{ $query }” gives { attended } { $after } of its attention, { $before } before
notice_previous = No head attends more to the token before than { $place } in the experiment { $experiment }: “{ $query }” gives { attended } { $after } of its attention
# The key, which may be the query itself, or another token that is written alike.
attended = { $key_is ->
    [itself] itself
    [alike] another “{ $key }”
   *[other] “{ $key }”
}
notice_single = The texts of the experiment { $experiment } have one token each, which reads nothing but itself
alt_opening = Heat map: what “{ $query }” draws on by every method, methods as rows, tokens as columns. Experiment { $experiment }, { $place }.
told = { $notice }.
