propagation_lead = { $outcome ->
    [holds] ロールアウトが示す混合度合いは、計算の前提から決まる。最終層までに { $rollout } が混ざることになり、注意が一様であってもほぼ同じ値になる
    [divided] ロールアウトが示す混合度合いは、{ $outcome_models }で計算の前提から決まる。最終層までに混ざる割合の中央値は { $rollout } である
   *[fails] ロールアウトが示す混合度合いは、モデルがどこに注意を向けるかによって変わる。最終層までに { $rollout } が混ざることになる
}
    .question = ロールアウトが示す混合度合いが計算の前提から決まるかどうか
    .values = 最終層までに { $rollout } が混ざることになる
propagation_even = { $outcome ->
    [holds] ヘッドの平均の正規化エントロピー（行とテキストについての平均）は最終層で { $last } であり、一様に近い（第 1 層では { $first }）
    [divided] ヘッドの平均の正規化エントロピー（行とテキストについての平均）が最終層で一様に近くなるのは、{ $outcome_models }である。中央値は最終層で { $last }、第 1 層で { $first } である
   *[fails] ヘッドの平均の正規化エントロピー（行とテキストについての平均）は最終層で { $last } であり、一様に近いとはいえない（第 1 層では { $first }）
}
    .question = ヘッドの平均が最終層で一様に近いかどうか
    .values = その正規化エントロピー（行とテキストについての平均）は、最終層で { $last }、第 1 層で { $first } である
propagation_halves = { $outcome ->
    [holds] 混合度合いの層についての平均は、定義のとおり { $raw } から { $residual } になる
   *[other] 混合度合いの層についての平均は { $raw } から { $residual } になる
}
propagation_amount = { $outcome ->
    [holds] ロールアウトが示す混合度合いは最終層で { $rollout } であり、一様な注意の場合と変わらない。この値を決めるのは仮定した残差の割合、層の数、テキストの長さであって、モデルがどこに注意を向けるかではない
    [divided] { $outcome_models }では、ロールアウトが示す混合度合いは一様な注意の場合と変わらない（最終層での中央値は { $rollout }、一様な注意では { $uniform }）
   *[fails] ロールアウトが示す混合度合いは、モデルがどこに注意を向けるかによって変わる（最終層で { $rollout }、一様な注意では { $uniform }）
}
    .question = ロールアウトが示す混合度合いが一様な注意の場合と変わらないかどうか
    .values = 値は最終層で { $rollout }、一様な注意では { $uniform } である
propagation_special = { $outcome ->
    [holds] 一方、重みの行き先は注意による。特殊トークンに載る割合は { $rollout } であり、一様な注意の場合の { $uniform } より大きい
    [divided] 一方、重みの行き先は注意による。{ $outcome_models }では、特殊トークンに載る割合が一様な注意の場合より大きい（中央値は { $rollout } と { $uniform }）
   *[fails] 特殊トークンに載る割合は { $rollout } であり、一様な注意の場合の { $uniform } より大きくない
}
    .question = 特殊トークンに載る割合が一様な注意の場合より大きいかどうか
    .values = 割合は { $rollout }、一様な注意では { $uniform } である
propagation_apart = { $outcome ->
    [holds] ロールアウト行列の行は互いによく似ており、どのトークンの行かほとんど区別できない。行の平均との違いは、第 1 層では重みの { $first } あるが、最終層では { $last } しかない
    [divided] { $outcome_models }では、ロールアウト行列の行からトークンをほとんど区別できない。行の平均との違いの中央値は、第 1 層で重みの { $first }、最終層で { $last } である
   *[fails] ロールアウト行列の行からは、最終層でもトークンを区別できる。行の平均との違いは、第 1 層で重みの { $first }、最終層で { $last } である
}
    .question = ロールアウト行列の行からトークンを区別できるかどうか
    .values = 行の平均との違いは、第 1 層で重みの { $first }、最終層で { $last } である
propagation_measured = { $before ->
    [holds] { $before_tuning }実測の残差によるロールアウトの混合度合いは { $mixed_pretrained } と小さい。固定した割合では、ベクトルが実際に混ざる以上にトークンが混ざることになる
    [divided] { $before_tuning }{ $before_models }で、実測の残差によるロールアウトの混合度合いのほうが小さい（{ $mixed_pretrained }）
    [fails] { $before_tuning }実測の残差を用いてもロールアウトの混合度合いは小さくならない（{ $mixed_pretrained }）
    [open] { $before_tuning }実測の残差によるロールアウトの混合度合いのほうが小さいかどうかは判断できない（{ $mixed_pretrained }）
   *[not_tested] { $before_tuning }実測の残差によるロールアウトの混合の度合いがより小さいかどうかは検証していない
}{ $after ->
    [holds] 。ファインチューニング後は、固定の残差より小さい（{ $mixed_finetuned }）
    [divided] 。ファインチューニング後は { $mixed_finetuned } であり、固定の残差より小さいのは、{ $after_models }である
    [fails] 。ファインチューニング後は、固定の残差より小さくならない（{ $mixed_finetuned }）
    [open] 。ファインチューニング後に固定の残差より小さいかどうかは判断できない（{ $mixed_finetuned }）
   *[not_tested] {""}
}
propagation_flat = { $outcome ->
    [holds] アテンションフローの値は、どの入力トークンについてもほとんど等しい。行の正規化エントロピーは { $flow } である（ロールアウトでは { $rollout }）
    [divided] { $outcome_models }では、アテンションフローの値はどの入力トークンについてもほとんど等しい。行の正規化エントロピーの中央値は { $flow } である（ロールアウトでは { $rollout }）
   *[fails] アテンションフローの値は、入力トークンによって異なる。行の正規化エントロピーは { $flow } である（ロールアウトでは { $rollout }）
}
    .question = アテンションフローの値がどの入力トークンについてもほとんど等しいかどうか
    .values = 行の正規化エントロピーは { $flow } である（ロールアウトでは { $rollout }）
propagation_order = { $outcome ->
    [holds] 値の順序は一貫しているが、期待とは逆である。根拠語がわかっているテキストで、読み出しトークンから出るフローは、その単語をほかの単語より下位に並べる（ROC-AUC { $auc }、ランダムなら 0.5）
    [divided] { $outcome_models }では値の順序が逆である。根拠語がわかっているテキストで、読み出しトークンから出るフローは、その単語をほかの単語より下位に並べる（ROC-AUC はモデル全体で { $auc_range }、ランダムなら 0.5）
   *[fails] 値の順序は逆ではない。根拠語がわかっているテキストで、読み出しトークンから出るフローがその単語をほかの単語より下位に並べることはない（ROC-AUC { $auc }、ランダムなら 0.5）
}
    .question = 値の順序が逆かどうか
    .values = 根拠語がわかっているテキストでの、読み出しトークンから出るフローの ROC-AUC は { $auc } である（ランダムなら 0.5）
propagation_tight = { $from_text ->
    [holds] 最終層でも、通常のトークンから出る組の大半は上界に達しない。達するのは { $text } である
    [divided] 最終層で通常のトークンから出る組の大半が上界に達しないのは、{ $from_text_models }である。達する割合の中央値は { $text } である
    [fails] 最終層では、通常のトークンから出る組の大半（{ $text }）が上界に達し、そのフローは第 1 層だけを反映する
    [open] 最終層で上界に達するのは、通常のトークンから出る組の { $text } である。大半といえるかどうかは判断できない
   *[not_tested] 上界に達する組の割合は検証していない
}{ $from_text ->
    [not_tested] {""}
   *[other] { $with_cls ->
        [yes] 。[CLS] から出る組で上界に達するのは { $cls } である
       *[no] {""}
    }
}
propagation_rows = { $before ->
    [holds] 実測の残差を使うと、{ $before_tuning }行どうしの違いが固定の残差より大きく、行の平均との違いは { $distance_pretrained } である
    [divided] 実測の残差を使うと、{ $before_tuning }行どうしの違いが固定の残差より大きいのは、{ $before_models }である（行の平均との違いの中央値は { $distance_pretrained }）
    [fails] 実測の残差を使っても、{ $before_tuning }行どうしの違いは固定の残差より大きくない（行の平均との違いは { $distance_pretrained }）
    [open] 実測の残差を使ったとき、{ $before_tuning }行どうしの違いが固定の残差より大きいかどうかは判断できない（行の平均との違いは { $distance_pretrained }）
   *[not_tested] 実測の残差を使ったとき、{ $before_tuning }行どうしの違いがより大きいかどうかは検証していない
}{ $after ->
    [holds] 。ファインチューニング後は固定の残差より大きい（{ $distance_finetuned }）
    [divided] 。ファインチューニング後に固定の残差より大きいのは、{ $after_models }である（違いの中央値は { $distance_finetuned }）
    [fails] 。ファインチューニング後は固定の残差より大きくない（{ $distance_finetuned }）
    [open] 。ファインチューニング後については判断できない（{ $distance_finetuned }）
   *[not_tested] {""}
}
propagation_first_layer = { $outcome ->
    [holds] 第 1 層の読み出しトークンの注意だけで並べても、根拠語の ROC-AUC はフローと 0.05 以内で等しい（{ $first }）
    [divided] 第 1 層の読み出しトークンの注意だけで並べたときの ROC-AUC（{ $first_range }）がフローと 0.05 以内で等しいのは、{ $outcome_models }である
   *[fails] 第 1 層の読み出しトークンの注意だけで並べると、根拠語の ROC-AUC はフローと異なる（{ $first }）
}
    .question = 第 1 層だけでも根拠語の順位がフローと同じになるかどうか
    .values = 第 1 層の読み出しトークンの注意だけで並べると、根拠語の ROC-AUC は { $first } である
propagation_departs = { $outcome ->
    [holds] 順位は第 1 層のものから離れる。トークンを除いたときの影響との順位相関は、読み出しトークンから出るフローと第 1 層の生の注意重みとで 0.05 を超えて異なる
    [divided] 順位が第 1 層のものから離れるのは、{ $outcome_models }である。そこでは、トークンを除いたときの影響との順位相関が、読み出しトークンから出るフローと第 1 層の生の注意重みとで 0.05 を超えて異なる
   *[fails] 第 1 層より上の層は、順位にほとんど現れない。トークンを除いたときの影響との順位相関は、読み出しトークンから出るフローと第 1 層の生の注意重みとで 0.05 以内で等しい
}
    .question = トークンを除いたときの影響との順位相関が、読み出しトークンから出るフローと第 1 層の生の注意重みとで 0.05 以内で等しいかどうか
propagation_effective = { $outcome ->
    [holds] トークン数がヘッドの次元を超えるテキストでは、有効注意の行の長さは注意重みの { $share } であり、両者の相関係数は { $correlation } である
    [divided] トークン数がヘッドの次元を超えるテキストで、有効注意に行の長さの半分以上が残るのは、{ $outcome_models }である（中央値は { $share }、注意重みとの相関係数は { $correlation }）
    [fails] トークン数がヘッドの次元を超えるテキストでは、有効注意に残る行の長さは半分に満たない（{ $share }、注意重みとの相関係数は { $correlation }）
    [open] トークン数がヘッドの次元を超えるテキストで、有効注意に行の長さの半分以上が残るかどうかは判断できない（{ $share }、注意重みとの相関係数は { $correlation }）
   *[not_tested] ここにはトークン数がヘッドの次元を超えるテキストがなく、有効注意は注意重みに等しい
}
propagation_absorbed = { $outcome ->
    [holds] 最終層では、ロールアウトによるとベクトルの平均 { $rollout_range } が先頭のトークンに由来する。一様な注意でも { $uniform_range } であり、差は 10 ポイントに満たないので、この割合はほぼマスクだけで決まる
    [divided] 最終層では、ロールアウトによるとベクトルの { $rollout }（中央値）が先頭のトークンに由来する。この割合がマスクだけで決まるのは、{ $outcome_models }である（一様な注意では { $uniform }）
   *[fails] 最終層では、ロールアウトによるとベクトルの平均 { $rollout } が先頭のトークンに由来する。一様な注意では { $uniform } であり、この割合はマスクだけでは決まらない
}
    .question = 先頭のトークンに由来する割合がマスクだけで決まるかどうか
    .values = 最終層では、ロールアウトによるとベクトルの平均 { $rollout }、一様な注意では { $uniform } である
