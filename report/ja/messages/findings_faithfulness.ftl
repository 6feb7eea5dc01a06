faithfulness_evidence_lead = ラベルの根拠となる語を最もよく見つけるのは{ $best }（ROC-AUC { $best_auc }）である。最終層の生の注意重みは { $raw }、ロールアウトは { $rollout }、フローは { $flow } にとどまる。{ $failing ->
    [0] どの実験でもランダムな順位付けを下回るという手法はない
   *[other] { $below }は、どの実験でもランダムな順位付けを下回る
}
faithfulness_not_above = { $failing ->
    [0] どの手法も、どの実験でも、二つの尺度の両方で乱数を上回る
   *[other] 少なくとも一つの実験の一つの尺度で乱数を上回るといえないのは、{ $names }である。これらを説明として読むべきではない
}
faithfulness_above = { $outcome ->
    [trusted] どの実験でも二つの尺度の一方で生の注意重みを上回り、どの実験のどちらの尺度でも下回らないのは、{ $names }である。ここのようなモデルとテキストには、まずこれを使うとよい
   *[none] どの実験でも二つの尺度の一方で最終層の生の注意重みを上回り、他方でもまったく下回らない手法はない。どの実験でも生の注意重みを上回る手法は、次のとおりである。根拠の発見：{ $found }。包括性：{ $kept }
}
faithfulness_above_nobody = なし
faithfulness_same_rankings = { $outcome ->
    [alike] どの実験でも順位がほぼ同じ（相関が { $bound } を超える）で、それぞれ一票と数えるべきものは、次の組である。{ $groups }
   *[different] どの実験でもほぼ同じ順位を付ける手法の組はない
}
faithfulness_same_rankings_group = ({ $number }) { $methods }
faithfulness_same_rankings_next = ；
faithfulness_two_rules = { $outcome ->
    [alike] 関連度の二つの規則は、ここでは事実上一つであり（順位相関の平均 { $correlations }）、一票として数える
   *[different] 関連度の二つの規則は、ここでは異なる（順位相関の平均 { $correlations }）
}
faithfulness_depth = ブランクアウトとの相関は、生の注意重みでは{ $raw }。ロールアウトでは{ $rollout }
faithfulness_depth_of_method = { $outcome ->
    [rises] 第 1 層より最終層で高い
    [falls] 第 1 層より最終層で低い
   *[depends] 実験に共通の傾向を示さない
}（第 1 層で { $first }、最終層で { $last }）
faithfulness_middle_layers = { $outcome ->
    [above] 中ほどの層では、報告どおり、どの実験でもフローがロールアウトを上回る（{ $least } から { $most }）
    [nowhere] 中ほどの層でフローがロールアウトを上回るという報告は、どの実験でも成り立たない（差は { $least } から { $most }）
   *[depends] 中ほどの層でフローがロールアウトを上回るという報告は、どの実験でも成り立つわけではない（差は { $least } から { $most }）
}
faithfulness_stuck_flow = { $outcome ->
    [no_ranks] 順位を付けられる二つのトークンを持つテキストがなく、順位は定まらない
    [equal] フローの平均は、どの深さでも、小数第三位まで、第 1 層の生の注意重みの平均に等しい。[CLS] については、残差を固定したフローは第 1 層の注意重みと同じ順位を付ける
    [near] フローの平均は、どの深さでも、第 1 層の生の注意重みの平均と { $drift } より大きくは違わない。[CLS] については、残差を固定したフローは第 1 層の注意重みと同じ順位を付ける
   *[departs] フローは第 1 層の順位から最大で { $drift } 離れる。ここでは上の層も効いている
}
faithfulness_start_layer = { $outcome ->
    [nothing] 入力より上の層から始めても、得るものはなく、失うものは最大で { $loss } である。入力から始めればよい
    [little] 入力より上の層から始めても、得るものは最大で { $gain }、失うものは最大で { $loss } である。入力から始めればよい
   *[depends] 入力より上の層から始めると、層と実験によって最大 { $gain } を得、最大 { $loss } を失う。選ぶ必要があるが、評価に使うものとは別のテキストで選ばなければならない
}
faithfulness_sign = { $outcome ->
    [same_tokens] クラスに反する証拠は、支持する証拠と同じトークンにある。反する証拠で根拠の語を探した ROC-AUC は { $opposing }、支持する証拠では { $supporting } である。勾配の符号は、見かけほど両者を分けていない
   *[depends] クラスに反する証拠が根拠の語にあるとは、すべての実験ではいえない（ROC-AUC { $opposing }、支持する証拠では { $supporting }）
}
faithfulness_undefined = { $outcome ->
    [none] どの差も、すべてのテキストで定義される
   *[some] 差を定義できないテキストは最大で { $texts } 件である
}
