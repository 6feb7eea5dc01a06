propagation_lead = { $outcome ->
    [holds] ロールアウトによれば最終層までに { $rollout } が混ざるが、これは一様な注意の場合とほぼ同じ値である
    [divided] ロールアウトが示す混合度合いは、{ $outcome_models }で一様な注意の場合とほぼ同じ値になる（最終層での中央値は { $rollout }）
   *[other] ロールアウトが示す混合度合いは、最終層で { $rollout } である
}
    .untested = ロールアウトが示す混合度合い
propagation_even = { $outcome ->
    [fails] ヘッドの平均は最終層で一様に近いとはいえず、正規化エントロピーは { $last } である
   *[other] ヘッドの平均の正規化エントロピーは、最終層で { $last } である
}。第 1 層では { $first } である
    .untested = ヘッドの平均が最終層で一様に近いかどうか
propagation_halves = { $outcome ->
    [holds] { $before_tuning }層について平均した混合度合いが、定義のとおり { $raw_pretrained } から { $residual_pretrained } になる
   *[other] { $before_tuning }層について平均した混合度合いが { $raw_pretrained } から { $residual_pretrained } になる
}
propagation_amount = ロールアウトが示す最終層の混合度合いは { $rollout } であり、一様な注意では { $uniform } になる
    .untested = ロールアウトが示す混合度合いと一様な注意の場合との差
propagation_special = { $outcome ->
    [holds] 一方、重みの行き先は注意によって決まり、特殊トークンに載る割合は { $rollout } である
    [divided] 一方、重みの行き先は、{ $outcome_models }で一様な注意と異なる。特殊トークンに載る割合の中央値は { $rollout } である
   *[other] 特殊トークンに載る割合は { $rollout } である
}。一様な注意では { $uniform } になる
    .untested = 特殊トークンに載る割合が一様な注意の場合より大きいかどうか
propagation_apart = { $outcome ->
    [holds] ロールアウト行列の行は互いによく似ており、最終層で行の平均と異なるのは重みの { $last } だけである
    [divided] ロールアウト行列の行は、{ $outcome_models }で互いにほとんど区別できない。最終層で行の平均と異なるのは、重みの { $last }（中央値）である
   *[other] ロールアウト行列の行は、最終層で重みの { $last } が行の平均と異なる
}
    .untested = ロールアウト行列の行からトークンを区別できるかどうか
propagation_measured = { $before ->
    [holds] { $before_tuning }実測の残差によるロールアウトの混合度合いが { $mixed_pretrained } であり、固定の残差によるものより小さい
    [divided] { $before_tuning }実測の残差によるロールアウトの混合度合いが、{ $before_models }で固定の残差によるものより小さい（中央値は { $mixed_pretrained }）
   *[other] { $before_tuning }実測の残差によるロールアウトの混合度合いは { $mixed_pretrained } である
}{ $after ->
    [not_tested] {""}
   *[other] 。ファインチューニング後は { $mixed_finetuned } である
}
    .untested = 実測の残差によるロールアウトの混合度合いがより小さいかどうか
propagation_flat = { $outcome ->
    [holds] フローの値は、どの入力トークンについてもほとんど等しい（行の正規化エントロピーは { $flow }）
    [divided] フローの値は、{ $outcome_models }で、どの入力トークンについてもほとんど等しい（行の正規化エントロピーの中央値は { $flow }）
   *[other] 行の正規化エントロピーは、フローで { $flow }、ロールアウトで { $rollout } である
}
    .untested = フローの値がどの入力トークンについてもほとんど等しいかどうか
propagation_order = { $outcome ->
    [holds] 読み出しトークンから出るフローは、根拠語をほかの単語より下位に並べる（ROC-AUC は { $auc }、ランダムなら 0.5）
    [divided] 読み出しトークンから出るフローは、{ $outcome_models }で、根拠語をほかの単語より下位に並べる（ROC-AUC はモデル全体で { $auc_range }、ランダムなら 0.5）
   *[other] 読み出しトークンから出るフローで根拠語を順位づけたときの ROC-AUC は { $auc } である（ランダムなら 0.5）
}
    .untested = 読み出しトークンから出るフローが根拠語を下位に並べるかどうか
propagation_tight = { $from_text ->
    [divided] 最終層で上界に達するのは、通常のトークンから出る組の { $text }（中央値）である。大半が上界に達しないのは、{ $from_text_models }である
    [fails] 最終層では、通常のトークンから出る組の { $text } が上界に達し、そのフローは第 1 層だけを反映する
   *[other] 最終層で上界に達するのは、通常のトークンから出る組の { $text } である
}{ $with_cls ->
    [yes] 。[CLS] から出る組のうち上界に達するのは { $cls } である
   *[no] {""}
}
    .untested = 上界に達する組の割合
propagation_rows = { $before ->
    [holds] { $before_tuning }行どうしの違いが固定の残差の場合より大きく、行の平均との違いは { $distance_pretrained } である
    [divided] { $before_tuning }行どうしの違いが、{ $before_models }で固定の残差の場合より大きい（行の平均との違いの中央値は { $distance_pretrained }）
   *[other] { $before_tuning }行の平均との違いは { $distance_pretrained } である
}{ $after ->
    [not_tested] {""}
   *[other] 。ファインチューニング後は { $distance_finetuned } になる
}
    .untested = 実測の残差を使うと行どうしの違いが大きくなるかどうか
propagation_first_layer = { $outcome ->
    [holds] 第 1 層の読み出しトークンの注意だけで順位づけても、ROC-AUC は 0.05 以内で等しい（{ $first }）
   *[other] 第 1 層の読み出しトークンの注意だけで順位づけると、ROC-AUC は { $first } になる
}
    .untested = 第 1 層だけでも根拠語の順位がフローと同じになるかどうか
propagation_departs = { $outcome ->
    [fails] 第 1 層より上の層は、順位にほとんど現れない。トークンを除いたときの影響との順位相関は、読み出しトークンから出るフローと第 1 層の生の注意重みとで 0.05 以内で等しい
   *[other] 読み出しトークンから出るフローと、トークンを除いたときの影響との順位相関は、生の注意重みのものと並べて示す
}
    .untested = 読み出しトークンから出るフローが、トークンを除いたときの影響と第 1 層の生の注意重みと同じだけ一致するかどうか
propagation_effective = { $outcome ->
    [not_tested] ここにはトークン数がヘッドの次元を超えるテキストがなく、有効注意は注意重みに等しい
   *[other] トークン数がヘッドの次元を超えるテキストでは、有効注意の行の長さは注意重みの { $share } である。両者の相関係数は { $correlation } である
}
propagation_absorbed = { $outcome ->
    [holds] ロールアウトによれば、最終層のベクトルの平均 { $rollout } が先頭のトークンに由来する。マスクだけで決まる一様な注意での値は { $uniform } であり、差は 10 ポイントに満たない
   *[other] ロールアウトによれば、最終層のベクトルの平均 { $rollout } が先頭のトークンに由来する。一様な注意では { $uniform } である
}
    .untested = 先頭のトークンに由来する割合
