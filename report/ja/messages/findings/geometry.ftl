geometry_undefined = テキストが短すぎるか、ベクトルがどれもほぼ等しいため、ここでは測定できない
geometry_together = { $outcome ->
    [holds] AttentionViz の正規化は、クエリとキーの集まりを近づける。図に描かれる平面では、両者の平均距離が半径の { $before } 倍から { $after } 倍に縮まる
    [divided] AttentionViz の正規化がクエリとキーの集まりをどの距離でも近づけるのは、{ $outcome_models }である。図に描かれる平面での平均距離は、半径の { $before } 倍から { $after } 倍になる
   *[fails] AttentionViz の正規化は、クエリとキーの集まりを近づけない。図に描かれる平面での平均距離は、半径の { $before } 倍から { $after } 倍になる
}
    .question = AttentionViz の正規化がクエリとキーの集まりを近づけるかどうか
    .values = 図に描かれる平面での平均距離は、半径の { $before } 倍から { $after } 倍になる
geometry_nearer = { $cosine_distance ->
    [holds] クエリと、それが最も強く注意を向ける通常のトークンのキーも、角度では近づく。コサイン距離は { $before } から { $after } になる。{ geometry_nearer_plane }
    [divided] クエリと、それが最も強く注意を向ける通常のトークンのキーが角度で近づくのは、{ $cosine_distance_models }である（コサイン距離の中央値は前が { $before }、後が { $after }）。{ geometry_nearer_plane }
    [fails] クエリと、それが最も強く注意を向ける通常のトークンのキーは、角度では近づかない（コサイン距離の中央値は前が { $before }、後が { $after }）。{ geometry_nearer_plane }
    [open] クエリと、それが最も強く注意を向ける通常のトークンのキーが角度で近づくかどうかは判断できない（コサイン距離の中央値は前が { $before }、後が { $after }）。{ geometry_nearer_plane }
   *[not_tested] { geometry_undefined }
}
geometry_nearer_plane = { $plane_distance ->
    [holds] 平面の上でも同様である
    [divided] 平面の上で 10% 以上近づくのは、{ $plane_distance_models }である
    [fails] 平面の上では、10% 以上は近づかない
    [open] 平面については判断できない
   *[not_tested] 平面については検証していない
}
geometry_rank = { $special ->
    [holds] 順位では、正規化によってシンクが遠ざけられる。最も強いキーが特殊トークンの場合、その平面での順位は平均でキー全体の { $special_before } から { $special_after } に下がる（最も近いキーを 0%、ランダムなら 50%）
    [divided] 最も強いキーが特殊トークンの場合にその順位がどの距離でも下がるのは、{ $special_models }である。平面での順位は、正規化の前がキー全体の { $special_before }、後が { $special_after } である（最も近いキーを 0%、ランダムなら 50%）
    [fails] 最も強いキーが特殊トークンの場合も、その順位は下がらない。平面での順位は、正規化の前がキー全体の { $special_before }、後が { $special_after } である（最も近いキーを 0%、ランダムなら 50%）
    [open] 最も強いキーが特殊トークンの場合に、その順位が下がるかどうかは判断できない。平面での順位は、正規化の前がキー全体の { $special_before }、後が { $special_after } である（最も近いキーを 0%、ランダムなら 50%）
   *[not_tested] 最も強いキーが特殊トークンであるクエリが十分な長さのテキストにないため、その順位の変化は測定できない
}{ $ordinary ->
    [holds] 。最も強いキーが通常のトークンなら、順位は変わらない（前が { $before }、後が { $after }）
    [divided] 。最も強いキーが通常のトークンの場合に順位がどの距離でも変わらないのは、{ $ordinary_models }である（平面では前が { $before }、後が { $after }）
    [fails] 。最も強いキーが通常のトークンの場合も、順位は変わる（平面では前が { $before }、後が { $after }）
    [open] 。最も強いキーが通常のトークンの場合に順位が変わるかどうかは判断できない（平面では前が { $before }、後が { $after }）
   *[not_tested] {""}
}
geometry_full = { $euclidean_distance ->
    [holds] 全次元の距離でも、クエリと、それが最も強く注意を向ける通常のトークンのキーは近づく（半径の { $before } 倍から { $after } 倍）
    [divided] 全次元の距離で、クエリと、それが最も強く注意を向ける通常のトークンのキーが近づくのは、{ $euclidean_distance_models }である（中央値は前が半径の { $before } 倍、後が { $after } 倍）
    [fails] 全次元の距離では、クエリと、それが最も強く注意を向ける通常のトークンのキーは近づかない（中央値は前が半径の { $before } 倍、後が { $after } 倍）
    [open] 全次元の距離で、クエリと、それが最も強く注意を向ける通常のトークンのキーが近づくかどうかは判断できない（中央値は前が半径の { $before } 倍、後が { $after } 倍）
   *[not_tested] { geometry_undefined }
}
geometry_scaling = { $outcome ->
    [holds] 最も強いキーの順位（全次元の距離による）は、平行移動だけで { $before } から { $translated } に移り、閉形式による尺度変換がその一部を戻す
    [divided] 最も強いキーの順位（全次元の距離による）は、平行移動だけで { $before } から { $translated } に移る。閉形式による尺度変換がその一部を戻すのは、{ $outcome_models }である
   *[fails] 最も強いキーの順位（全次元の距離による）は、平行移動だけで { $before } から { $translated } に移り、閉形式による尺度変換ではほとんど変わらない
}
    .question = 平行移動の影響の一部を閉形式による尺度変換が戻すかどうか
    .values = 最も強いキーの順位（全次元の距離による）は、平行移動だけで { $before } から { $translated } に移る
geometry_plane = { $outcome ->
    [holds] 正規化後の平面での最も強いキーの順位は、{ $in_every_state }ランダムな場合から 10 ポイント以内にある
    [divided] 正規化後の平面での最も強いキーの順位（中央値 { $after }）がランダムな場合から 10 ポイント以内にあるのは、{ $outcome_models }である
   *[fails] 正規化後の平面での最も強いキーの順位（中央値 { $after }）は、ランダムな場合から 10 ポイント以上離れている
}
    .question = 正規化後の平面での最も強いキーの順位がランダムな場合から 10 ポイント以内にあるかどうか
    .values = 中央値は { $after } である
geometry_variance = { $outcome ->
    [holds] 平面の二つの主成分が担うのは、{ $in_every_state }クエリとキーの分散の半分に満たない（中央値 { $share }）。したがって、平面は正規化の良し悪しを判断する根拠として不十分である
    [divided] 平面の二つの主成分が担う分散は、{ $outcome_models }でクエリとキーの分散の半分に満たない（中央値 { $share }）。そこでは、平面は正規化の良し悪しを判断する根拠として不十分である
   *[fails] 平面の二つの主成分は、クエリとキーの分散の半分以上を担う（中央値 { $share }）
}
    .question = 平面の二つの主成分がクエリとキーの分散の半分を担うかどうか
    .values = 担う割合の中央値は { $share } である
geometry_length = { $outcome ->
    [holds] クエリとキーの長さは、{ $in_every_state }異なる。クエリの平均の長さからキーの平均の長さを引いた差の中央値は { $difference } である
    [divided] クエリの平均の長さからキーの平均の長さを引いた差は、実験により { $difference_range } である。報告された差の 25% に達するのは、{ $outcome_models }である
   *[fails] クエリとキーの長さには、報告された差の 25% に達するほどの差がない。クエリの平均の長さからキーの平均の長さを引いた差の中央値は { $difference } である
}
    .question = クエリとキーの長さの差が、報告された差の 25% に達するかどうか
    .values = クエリの平均の長さからキーの平均の長さを引いた差の中央値は { $difference } である
geometry_correlation = { $outcome ->
    [holds] 平行移動後の相関は、{ $in_every_state }強い（中央値 { $after }）
    [divided] 平行移動後の相関が強いのは、{ $outcome_models }である（中央値 { $after }）
   *[fails] 平行移動後の相関は強くない（中央値 { $after }）
}
    .question = 平行移動後の相関が強いかどうか
    .values = 中央値は { $after } である
geometry_weaker = { $outcome ->
    [holds] ただし、{ $in_every_state }相関は平行移動の前のほうが強い（中央値 { $before }）
    [divided] 相関が平行移動の前のほうが強いのは、{ $outcome_models }である（中央値 { $before }）
   *[fails] 平行移動は、相関をほとんど弱めない（前の中央値は { $before }）
}
    .question = 平行移動が相関を弱めるかどうか
    .values = 前の中央値は { $before } である
geometry_offset = { $outcome ->
    [holds] { $in_every_state }内積の平均は 0 から離れ、その隔たりの中央値は標準偏差の { $before } 倍から { $after } 倍になる
    [divided] { $outcome_models }で、内積の平均は 0 から離れる。その隔たりの中央値は標準偏差の { $before } 倍から { $after } 倍になる
   *[fails] 内積の平均は、0 からほとんど離れない（隔たりの中央値は前が標準偏差の { $before } 倍、後が { $after } 倍）
}
    .question = 内積の平均が 0 から離れるかどうか
    .values = 隔たりの中央値は前が標準偏差の { $before } 倍、後が { $after } 倍である
geometry_special = { $outcome ->
    [holds] { $in_every_state }半数を超えるクエリで、最も強いキーは特殊トークンのものである（中央値 { $share }）
    [divided] { $outcome_models }では、半数を超えるクエリで、最も強いキーが特殊トークンのものである（中央値 { $share }）
   *[fails] 最も強いキーが特殊トークンのものであるクエリは、半数に満たない（中央値 { $share }）
}
    .question = 最も強いキーが特殊トークンのものであるクエリが半数を超えるかどうか
    .values = その割合の中央値は { $share } である
geometry_joint = { $outcome ->
    [holds] モデル全体で一つの c を使い、全ヘッドの組をまとめて求めた内積と距離の二乗の相関は、ヘッドごとに c を選んでヘッドの中で求めた相関より弱い（差の中央値 { $loss }）。ただし、差の一部は、c ではなく、距離の範囲が異なるヘッドをまとめたことによる可能性がある
    [divided] モデル全体で一つの c を使い、全ヘッドの組をまとめて求めた内積と距離の二乗の相関は、{ $outcome_models }で、ヘッドごとに c を選んだ場合より弱い（差の中央値 { $loss }）
   *[fails] モデル全体で一つの c を使い、全ヘッドの組をまとめて求めた内積と距離の二乗の相関は、ヘッドごとに c を選んだ場合と比べて 0.05 も弱まらない
}
    .question = モデル全体で一つの c を使うと内積と距離の二乗の相関が弱まるかどうか
geometry_change = { $outcome ->
    [holds] 注意が最も大きく変わるのは、報告どおり最後の二層である。ほかの測り方でも同じとは限らない。{ geometry_change_parts }
    [divided] 注意が最も大きく変わるのが、報告どおり最後の二層であるのは、{ $outcome_models }である。ほかの測り方でも同じとは限らない。{ geometry_change_parts }
   *[fails] 報告と異なり、注意が最も大きく変わるのは最後の二層ではない。{ geometry_change_parts }
}
    .question = 注意が最も大きく変わるのが、報告どおり最後の二層かどうか
    .values = { geometry_change_parts }
geometry_change_parts = { geometry_change_attention }。{ geometry_change_alone }。{ geometry_change_outputs }。{ geometry_change_weights }
geometry_change_attention = { $attention ->
    [holds] そのままの注意では成り立つ（最後の二層の変化の中央値は、ほかの層の { $attention_ratio } 倍）
    [divided] そのままの注意では { $attention_models }で成り立つ（最後の二層の変化の中央値は、ほかの層の { $attention_ratio } 倍）
    [fails] そのままの注意では成り立たない（最後の二層の変化の中央値は、ほかの層の { $attention_ratio } 倍）
    [open] そのままの注意では判断できない（最後の二層の変化の中央値は、ほかの層の { $attention_ratio } 倍）
   *[not_tested] そのままの注意については検証していない
}
geometry_change_alone = { $attention_alone ->
    [holds] 層の入力を変えずに求めた注意では成り立つ（同じく { $alone_ratio } 倍）
    [divided] 層の入力を変えずに求めた注意では { $attention_alone_models }で成り立つ（同じく { $alone_ratio } 倍）
    [fails] 層の入力を変えずに求めた注意では成り立たない（同じく { $alone_ratio } 倍）
    [open] 層の入力を変えずに求めた注意では判断できない（同じく { $alone_ratio } 倍）
   *[not_tested] 層の入力を変えずに求めた注意については検証していない
}
geometry_change_outputs = { $outputs ->
    [holds] 層の出力では成り立つ
    [divided] 層の出力では { $outputs_models }で成り立つ
    [fails] 層の出力では成り立たない
    [open] 層の出力では判断できない
   *[not_tested] 層の出力については検証していない
}
geometry_change_weights = { $weights ->
    [holds] 重み行列では成り立つ
    [divided] 重み行列では { $weights_models }で成り立つ
    [fails] 重み行列では成り立たない
    [open] 重み行列では判断できない
   *[not_tested] 重み行列については検証していない
}
geometry_tuned = { $outcome ->
    [holds] { $in_every_experiment }ファインチューニングは平行移動後の相関を弱める（中央値は { $correlation_pretrained } から { $correlation_finetuned }）
    [divided] ファインチューニングが平行移動後の相関を弱めるのは、{ $outcome_models }である（中央値は前が { $correlation_pretrained }、後が { $correlation_finetuned }）
   *[fails] ファインチューニングは、平行移動後の相関をほとんど弱めない（中央値は前が { $correlation_pretrained }、後が { $correlation_finetuned }）
}
    .question = ファインチューニングが平行移動後の相関を弱めるかどうか
    .values = 相関の中央値は、ファインチューニングの前が { $correlation_pretrained }、後が { $correlation_finetuned } である
