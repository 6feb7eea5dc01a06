head_ablation_counts = { $heads } 個のヘッドのうち、無効にしたときに区間が 0 を含まずに成績が下がるものは { $hurt_score } 個、上がるものは { $help_score } 個である。{ $worst }、{ $best }（報告された上昇は最大 { $published } ポイント）{ $full ->
    [none] { "" }
   *[some] 。{ $perfect } ではどのヘッドも無効にしなければ満点なので、上がる余地がない
 }。より細かな尺度である損失では、悪くなるものが { $hurt_loss } 個、良くなるものが { $help_loss } 個である
head_ablation_extreme = { $way ->
    [fall] 低下
   *[rise] 上昇
 }{ $outcome ->
    [none] したヘッドはない
   *[some] は最大 { $points } ポイント（{ $experiment } のヘッド { $head }）
 }

head_ablation_chance = { $confidence } の区間をこれだけ調べれば、偶然だけでも、両側にそれぞれ { $expected } 個程度のヘッドで区間が 0 を外れる。{ $outcome ->
    [none] その { $times } 倍を超える例はどこにもない
   *[more] その { $times } 倍を超えるのは、{ $named }である
 }
head_ablation_beyond_chance = { $kind ->
    [hurt_score] { $experiments } で無効にすると成績が下がるヘッド
    [help_score] { $experiments } で無効にすると成績が上がるヘッド
    [hurt_loss] { $experiments } で無効にすると損失が増えるヘッド
   *[help_loss] { $experiments } で無効にすると損失が減るヘッド
 }
head_ablation_and = { $one }、{ $other }
