faithfulness_best = { $untested ->
    [tested] { $evidence ->
        [gradient_norm] 実験の平均では、勾配のノルムが、ラベルの根拠語をほかの語から最もよく区別する
        [none] 根拠を仕込んだ課題を習得したモデルはない
       *[other] 根拠語をほかの語からどれだけよく区別するかは、手法によって異なる
     }
   *[other] ラベルの根拠語を最もよく見つける手法は、{ $why }ため検証していない
 }
faithfulness_solved = { $outcome ->
    [holds] { $experiments } では、課題がほぼ解けている。勾配のノルム、ALTI、GlobEnc、AttnRes-N のロールアウトの ROC-AUC は、いずれも 0.95 を超える
    [not_tested] 今回の実行に、動詞の数の課題を習得したモデルはない
   *[other] { $experiments } では、勾配のノルム、ALTI、GlobEnc、AttnRes-N のロールアウトについての { $outcome_cases } 通りのうち、ROC-AUC が 0.95 を超えることを確認できたものは{ $outcome_held ->
        [0] ない
       *[other]  { $outcome_held } 通りである
     }
 }
faithfulness_zeroed = { $outcome ->
    [fails] { $experiments } では、バリューのゼロ化が根拠語を見つける程度は、生の注意重み、ノルム、ロールアウトを上回らない。ROC-AUC は { $zeroed_range }（生の注意重みでは { $raw_range }）である
   *[other] { $experiments } での根拠語に対する ROC-AUC は、バリューのゼロ化で { $zeroed_range }、生の注意重みで { $raw_range } である
 }
    .untested = バリューのゼロ化が生の注意重み、ノルム、ロールアウトよりも根拠語をよく見つけるかどうか
faithfulness_chance = { $graded ->
    [holds] 生の注意重み、残差込みのロールアウト、ベクトルに基づく手法、勾配のノルム、積分勾配、関連度の ROC-AUC は、いずれもランダムな場合の 0.5 を上回る
   *[other] 生の注意重み、残差込みのロールアウト、ベクトルに基づく手法、勾配のノルム、積分勾配、関連度と実験の組 { $graded_cases } 通りのうち、ROC-AUC がランダムな場合の 0.5 を上回ることを確認できたものは { $graded_held } 通りである
 }
    .untested = 根拠語をランダムな場合よりよく見つけるかどうか
faithfulness_beyond_random = { $outcome ->
    [holds] 生の注意重み、勾配のノルム、積分勾配、ALTI の包括性は、いずれも無作為な順序（{ $random_range }）を上回る
   *[other] 無作為な順序の包括性は { $random_range } である。生の注意重み、勾配のノルム、積分勾配、ALTI と実験の組 { $outcome_cases } 通りのうち、これを上回ることを確認できたものは { $outcome_held } 通りである
 }
    .untested = 生の注意重み、勾配のノルム、積分勾配、ALTI の包括性が無作為な順序を上回るかどうか
faithfulness_ceiling = それだけ効くトークンのあるテキストは、実験により { $reacts_range } である。そこでの、削除による順位と {"["}UNK] による順位の相関は { $ceiling_range } である
    .untested = トークンの順位が取り除き方によってどれだけ異なるか
faithfulness_flow = { $outcome ->
    [holds] フローは根拠語をほかの語より下位に置く（ROC-AUC { $flow_range }）
    [divided] フローが根拠語をほかの語より下位に置くのは、{ $outcome_models }である。ROC-AUC は、すべてのモデルを合わせて { $flow_range } である
   *[other] フローの根拠語に対する ROC-AUC は { $flow_range } である
 }
    .untested = フローが根拠語をどう順位づけるか
faithfulness_verdict = { $outcome ->
    [holds] 勾配のノルム、積分勾配、ALTI は、どの基準でも生の注意重みに勝る
   *[other] 勾配のノルム、積分勾配、ALTI を生の注意重みと比べた { $outcome_cases } 通りのうち、0.05 以上勝ることを確認できたものは { $outcome_held } 通りである
 }
    .untested = 勾配のノルム、積分勾配、ALTI が生の注意重みより予測をよく説明するかどうか
faithfulness_gradients = { $outcome ->
    [holds] { $evidence ->
        [not_tested] 包括性でも十分性でも、積分勾配は勾配のノルムに勝る
       *[other] 根拠語は勾配のノルムのほうがよく見つけ、包括性と十分性は積分勾配のほうがよい
     }
   *[other] 勾配のノルムと積分勾配の優劣は、基準によって変わりうる
 }
    .untested = 勾配のノルムと積分勾配の優劣が基準によって入れ替わるかどうか
faithfulness_depth = { $outcome ->
    [fails] 報告された深さによる変化は、{ $experiments } では見られない。生の注意重みとブランクアウトの相関は、第 1 層で { $raw_first_range }、最終層で { $raw_last_range } である
   *[other] { $experiments } での生の注意重みとブランクアウトの相関は、第 1 層で { $raw_first_range }、最終層で { $raw_last_range } である
 }
    .untested = 報告された深さによる変化が見られるかどうか
faithfulness_middle = { $outcome ->
    [fails] 中ほどの層でフローがロールアウトに勝るという報告は、ここでは成り立たない
   *[other] 中ほどの層で、フローのほうがロールアウトよりブランクアウトとよく一致することを確認できたモデルは、{ $outcome_cases } モデル中{ $outcome_held ->
        [0] にない
       *[other]  { $outcome_held } モデルである
     }
 }
    .untested = 報告どおり、中ほどの層でフローがロールアウトに勝るかどうか
faithfulness_departs = { $outcome ->
    [fails] 第 1 層より上の層は、順位にほとんど現れない。ブランクアウトとの順位相関は、全層を通したフローと第 1 層の生の注意重みとで、0.05 以内で等しい
   *[other] 全層を通したフローと第 1 層の生の注意重みとで、ブランクアウトとの順位相関が 0.05 を超えて異なることを確認できたものは、モデルの状態 { $outcome_cases } 通りのうち{ $outcome_held ->
        [0] にない
       *[other]  { $outcome_held } 通りである
     }
 }
    .untested = 全層を通したフローと第 1 層の生の注意重みが、同じ程度にブランクアウトと一致するかどうか
faithfulness_start = { $outcome ->
    [fails] 中ほどの層から始めても、ROC-AUC は 0.05 も高まらない。したがって、入力から始めてよい
   *[other] 中ほどの層から始めて ROC-AUC が 0.05 を超えて高まることを確認できたモデルは、{ $outcome_cases } モデル中{ $outcome_held ->
        [0] にない
       *[other]  { $outcome_held } モデルである
     }
 }
    .untested = 中ほどの層から始めて ROC-AUC が 0.05 を超えて高まるかどうか
faithfulness_sign = { $outcome ->
    [holds] クラスに反する証拠は、支持する証拠と同じ語にある。根拠語に対する ROC-AUC は、反する証拠で { $opposing_range }、支持する証拠で { $supporting_range } である
   *[other] 根拠語に対する ROC-AUC は、クラスに反する証拠で { $opposing_range }、支持する証拠で { $supporting_range } である
 }
    .untested = クラスに反する証拠も根拠語にあるかどうか
faithfulness_groups = { $outcome ->
    [holds] { $experiments } では、次の三組の手法の順位がほぼ同じ（相関が 0.9 を超える）なので、それぞれ一つの手法として数える。関連度の二つの規則、最終層の Attn-N と AttnResLN-N、GlobEnc と AttnRes-N および AttnResLN-N のロールアウトの三組である
   *[other] 関連度の二つの規則のように互いに近い手法を比べた { $outcome_cases } 通りのうち、順位がほぼ同じ（相関が 0.9 を超える）であることを確認できたものは { $outcome_held } 通りである
 }
    .untested = 関連度の二つの規則のように互いに近い手法の順位がほぼ同じかどうか
faithfulness_completeness = { $experiments } では、実際のずれは中央値で { $error } である（二つのクラスのロジットの差は { $margin }）{ $with_elsewhere ->
    [yes] 。次の単語を予測するモデルでは、ずれは { $elsewhere_range } である
   *[no] {""}
 }
    .untested = 実際にどれだけ等しいか
faithfulness_written = { $experiments } では、ロジットのうち、最終層の注意が { $by_attention }、最終層のフィードフォワード層が { $by_ffn } を書き込む
    .untested = 最終層の注意とフィードフォワード層がロジットのどれだけを書き込むか
faithfulness_traced = { $experiments } での ALTI-Logit と ALTI によるトークンの順位の相関は { $alti_range } である{ $with_elsewhere ->
    [yes] 。次の単語を予測するモデルでは { $elsewhere_range } である
   *[no] {""}
 }
    .untested = ALTI-Logit によるトークンの順位が ALTI とどれだけ同じか
faithfulness_dense_ranks = { $outcome ->
    [fails] 等しい値に同じ順位、次の値に次の順位を与える密な順位（dense rank）を使うと、同順位があるだけで相関が偏る
   *[other] 等しい値に同じ順位、次の値に次の順位を与えるものを密な順位（dense rank）という
 }
    .untested = 密な順位（dense rank）を使うと相関が偏るかどうか
