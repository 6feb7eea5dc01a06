index_weights = { $outcome ->
    [far_less] 実際に混ざる量は、注意重みが示す量の半分に満たない
    [less] 実際に混ざる量は、注意重みが示す量より少ない
   *[depends] 実際に混ざる量が、注意重みの示す量より少ないとは限らない
}
index_in_short = 要するに、{ $less ->
    [yes] 注意重みは混ざる量を大きく見せる
   *[no] 注意重みがいつも混ざる量を大きく見せるわけではない
}{ $best ->
    [none] {""}
    [attention] 。答えの拠り所を最もよく示すのは、{ $family }である
   *[other] 。答えの拠り所を最もよく示すのは、注意ではなく{ $family }である
}
index_scope = { $outcome ->
    [one] 数値はすべて、今回の実行のただ一つの実験（{ $names }、学習は行わない）のテキストについての平均である
    [one_trained] 以下の範囲は、今回の実行のただ一つの実験（{ $names }）について、課題を学習する前と後の結果にわたる
    [several] 以下の範囲は、異なるテキストによる { $count }（{ $names }）について、結果の最小から最大までである
   *[several_trained] 以下の範囲は、異なるテキストによる { $count }（{ $names }）について、課題を学習する前と後の結果の最小から最大までである
}
index_one_model = { $layers } 層のモデル一つ（{ $name }）
index_models = { $count } 個のモデル（{ $models }）
index_models_each = { $name }、{ $layers } 層
index_models_between = ；
index_rollout = { $outcome ->
    [assumed] アテンションロールアウトの示す混合度合いは、どこに注意が向いてもほとんど変わらない
   *[depends] アテンションロールアウトの示す混合度合いは、どこに注意が向くかによって変わる
}
index_flow = { $outcome ->
    [flat] アテンションフローの値はどの単語でもほぼ同じで、単語をほとんど区別しない
   *[differs] アテンションフローの値は単語によって異なる
}
index_attentionviz = { $outcome ->
    [apart] AttentionViz の正規化は、強く注意を向ける相手をかえって遠ざける
    [together] AttentionViz の正規化は、強く注意を向ける相手を近づける
   *[depends] AttentionViz の正規化が、強く注意を向ける相手を近づけるかどうかはモデルによる
}
index_heads = { $outcome ->
    [spared] 大半のヘッドは、一つだけなら止めても成績が下がらない
   *[needed] 一つ止めるだけで成績の下がるヘッドが少なくない
}
index_explained = 予測の拠り所を平均して最もよく示すのは、{ $looks }（{ $method }）である
index_explained_scope = { $outcome ->
    [one] { $experiments }、{ $texts }
   *[several] { $experiments }、各 { $texts }
}
index_none_below_chance = どの実験でもランダムな順位付けを下回るという手法はない
index_below_chance = { $methods }は、どの実験でもランダムな順位付けを下回る
