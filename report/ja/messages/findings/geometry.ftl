geometry_undefined = テキストが短すぎるか、ベクトルがどれもほぼ等しいため、この距離は測定できない
geometry_together = { $outcome ->
    [holds] AttentionViz の正規化によって、クエリとキーの集まりは近づく。図に描かれる平面での平均距離は、半径の { $before_pretrained } 倍から { $after_pretrained } 倍に縮まる
    [divided] AttentionViz の正規化によって、{ $outcome_models }でクエリとキーの集まりが近づく。図に描かれる平面での平均距離は、半径の { $before_pretrained } 倍から { $after_pretrained } 倍になる
   *[other] AttentionViz の正規化によって、図に描かれる平面でのクエリとキーの平均距離は、半径の { $before_pretrained } 倍から { $after_pretrained } 倍になる
}
    .untested = AttentionViz の正規化によってクエリとキーの集まりが近づくかどうか
geometry_nearer = { $cosine_distance ->
    [holds] 最も強いキーが通常のトークンのものであれば、クエリとそのキーは、角度では近づく。コサイン距離は { $before_pretrained } から { $after_pretrained } になる
    [divided] 最も強いキーが通常のトークンのものであれば、クエリとそのキーは、{ $cosine_distance_models }で、角度で近づく。コサイン距離は { $before_pretrained } から { $after_pretrained } になる
   *[other] 最も強いキーが通常のトークンのものであるとき、クエリからそのキーまでのコサイン距離は、{ $before_pretrained } から { $after_pretrained } になる
    [not_tested] { geometry_undefined }
}
geometry_rank = { $special ->
    [holds] 一方、特殊トークンは遠ざけられる。最も強いキーが特殊トークンのものである場合、平面での順位は { $special_before_pretrained } から { $special_after_pretrained } に下がる（最も近いキーが 0%、ランダムなら 50%）
    [divided] 一方、{ $special_models }で、特殊トークンはどの距離でも遠ざけられる。最も強いキーが特殊トークンのものである場合、平面での順位は { $special_before_pretrained } から { $special_after_pretrained } になる（最も近いキーが 0%、ランダムなら 50%）
    [not_tested] 十分な長さのテキストには、最も強いキーが特殊トークンのものであるクエリがない
   *[other] 最も強いキーが特殊トークンのものである場合、平面での順位は { $special_before_pretrained } から { $special_after_pretrained } になる（最も近いキーが 0%、ランダムなら 50%）
}{ $ordinary ->
    [holds] 。通常のトークンのキーであれば、順位は変わらない（前が { $before_pretrained }、後が { $after_pretrained }）
    [divided] 。通常のトークンのキーであれば、{ $ordinary_models }で、どの距離でも順位は変わらない（平面では前が { $before_pretrained }、後が { $after_pretrained }）
    [not_tested] {""}
   *[other] 。通常のトークンのキーの順位は、前が { $before_pretrained }、後が { $after_pretrained } である
}
geometry_full = { $euclidean_distance ->
    [holds] 全次元の距離でも近づき、半径の { $before_pretrained } 倍から { $after_pretrained } 倍になる
    [divided] 全次元の距離でも、{ $euclidean_distance_models }で近づき、中央値は半径の { $before_pretrained } 倍から { $after_pretrained } 倍になる
   *[other] 全次元の距離は、半径の { $before_pretrained } 倍から { $after_pretrained } 倍になる
    [not_tested] { geometry_undefined }
}
geometry_scaling = { $outcome ->
    [holds] 全次元の距離による最も強いキーの順位は、平行移動だけで { $before_pretrained } から { $translated_pretrained } に下がり、閉形式による尺度変換でその一部が戻る
    [divided] 全次元の距離による最も強いキーの順位は、平行移動だけで { $before_pretrained } から { $translated_pretrained } になり、{ $outcome_models }では、閉形式による尺度変換でその一部が戻る
   *[other] 全次元の距離による最も強いキーの順位は、平行移動だけで { $translated_pretrained }、閉形式による尺度変換を加えると { $after_pretrained } になる
}
    .untested = 平行移動で変わった順位の一部が閉形式による尺度変換で戻るかどうか
geometry_plane = 正規化後の平面での最も強いキーの順位は { $after_pretrained } である（ランダムなら 50%）
    .untested = 正規化後の平面での最も強いキーの順位がランダムな場合に近いかどうか
geometry_variance = { $outcome ->
    [holds] 平面に現れるのはクエリとキーの分散の半分に満たないので（{ $share_pretrained }）、平面だけでは正規化の効果を判断できない
    [divided] { $outcome_models }では、平面に現れるのはクエリとキーの分散の半分に満たないので（中央値 { $share_pretrained }）、平面だけでは正規化の効果を判断できない
   *[other] 平面に現れるのは、クエリとキーの分散の { $share_pretrained } である
}
    .untested = 平面に現れるのがクエリとキーの分散の半分に満たないかどうか
geometry_length = { $outcome ->
    [holds] クエリとキーは長さが異なる。クエリの平均の長さからキーの平均の長さを引いた差は { $difference_pretrained } である
    [divided] クエリの平均の長さからキーの平均の長さを引いた差は、最小で { $difference_low }、最大で { $difference_high } であり、報告された差の 25% に達するのは { $outcome_models }である
   *[other] クエリの平均の長さからキーの平均の長さを引いた差は、最小で { $difference_low }、最大で { $difference_high } である
}
    .untested = クエリとキーの長さが異なるかどうか
geometry_correlation = { $outcome ->
    [holds] 平行移動後の相関は強い（中央値 { $after_pretrained }）
    [divided] 平行移動後の相関は、{ $outcome_models }で強い（中央値 { $after_pretrained }）
   *[other] 平行移動後の相関の中央値は { $after_pretrained } である
}
    .untested = 平行移動後の相関が強いかどうか
geometry_weaker = { $outcome ->
    [holds] 平行移動の前の相関は、これより強い（中央値 { $before_pretrained }）
    [divided] { $outcome_models }では、平行移動の前の相関のほうが強い（中央値 { $before_pretrained }）
   *[other] 平行移動の前の相関の中央値は { $before_pretrained } である
}
    .untested = 平行移動の前の相関のほうが強いかどうか
geometry_offset = クエリの内積の平均の 0 からの隔たりは、平行移動の前が標準偏差の { $before_pretrained } 倍、後が { $after_pretrained } 倍である
    .untested = 平行移動によって内積の平均が 0 から離れるかどうか
geometry_special = クエリの { $share_pretrained } では、最も強いキーが特殊トークンのものである
    .untested = 大半のクエリで最も強いキーが特殊トークンのものであるかどうか
geometry_joint = { $outcome ->
    [holds] モデル全体で一つの c を使うと、内積と距離の二乗の相関は、ヘッドごとに選ぶ場合より { $loss_pretrained } 弱い
    [divided] モデル全体で一つの c を使うと、内積と距離の二乗の相関は、{ $outcome_models }で、ヘッドごとに選ぶ場合より弱い（差の中央値 { $loss_pretrained }）
   *[other] ヘッドごとに c を選ぶ場合と、モデル全体で一つの c を使う場合とでは、内積と距離の二乗の相関の差は { $loss_pretrained } である
}
    .untested = モデル全体で一つの c を使うと内積と距離の二乗の相関が弱まるかどうか
geometry_change = { $attention ->
    [holds] 報告どおり、注意は最後の二層で最も大きく変わり、変化はほかの層の { $attention_ratio } 倍である
    [divided] 注意は、{ $attention_models }で、最後の二層で最も大きく変わる。変化の中央値は、ほかの層の { $attention_ratio } 倍である
    [not_tested] 注意の変化については、今回の実行に値がない
   *[other] 最後の二層での注意の変化は、ほかの層の { $attention_ratio } 倍である
}{ $attention_alone ->
    [fails] 。しかし、層の入力を変えずに求めると、最も大きく変わるのは最後の二層ではなく、変化はほかの層の { $alone_ratio } 倍である
    [not_tested] {""}
   *[other] 。層の入力を変えずに求めた変化は、ほかの層の { $alone_ratio } 倍である
}{ $outputs ->
    [holds] 。層の出力も、最後の二層で最も大きく変わる
   *[other] {""}
}{ $weights ->
    [fails] 。一方、重み行列が最も大きく変わるのは最後の二層ではない
   *[other] {""}
}
    .untested = 注意が最後の二層で最も大きく変わるかどうか
geometry_tuned = { $outcome ->
    [holds] ファインチューニングによって、平行移動後の相関は弱まる（中央値は { $correlation_pretrained } から { $correlation_finetuned }）
    [divided] ファインチューニングによって、{ $outcome_models }で、平行移動後の相関が弱まる（中央値は { $correlation_pretrained } から { $correlation_finetuned }）
   *[other] 平行移動後の相関の中央値は、ファインチューニングの前が { $correlation_pretrained }、後が { $correlation_finetuned } である
}
    .untested = ファインチューニングによって平行移動後の相関が弱まるかどうか
