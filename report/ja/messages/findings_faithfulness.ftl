faithfulness_best = 仕込んだ根拠に対する ROC-AUC が最も高い手法は、{ $evidence ->
    [gradient_norm] 勾配のノルムである
    [integrated_gradients] 積分勾配である
    [relevance_sum] 関連度（加算）である
    [relevance_rollout] 関連度（ロールアウト）である
    [alti_rollout] ALTIである
    [globenc_rollout] GlobEncである
    [raw] 生の注意重みである
    [depends] 実験によって異なる
    [none] わからない
   *[other] ほかの手法である
 }。包括性では、{ $comprehensiveness ->
    [gradient_norm] 勾配のノルムが最もよい
    [integrated_gradients] 積分勾配が最もよい
    [relevance_sum] 関連度（加算）が最もよい
    [relevance_rollout] 関連度（ロールアウト）が最もよい
    [alti_rollout] ALTIが最もよい
    [globenc_rollout] GlobEncが最もよい
    [raw] 生の注意重みが最もよい
    [depends] 最もよい手法は実験によって異なる
    [none] 最もよい手法はわからない
   *[other] ほかの手法が最もよい
 }。十分性では、{ $sufficiency ->
    [gradient_norm] 勾配のノルムが最もよい
    [integrated_gradients] 積分勾配が最もよい
    [relevance_sum] 関連度（加算）が最もよい
    [relevance_rollout] 関連度（ロールアウト）が最もよい
    [alti_rollout] ALTIが最もよい
    [globenc_rollout] GlobEncが最もよい
    [raw] 生の注意重みが最もよい
    [depends] 最もよい手法は実験によって異なる
    [none] 最もよい手法はわからない
   *[other] ほかの手法が最もよい
 }

faithfulness_solved = { $outcome ->
    [holds] ただし、agreement では、勾配のノルムのほかに ALTI、GlobEnc、AttnRes-N のロールアウトも仕込んだ根拠を同じように見つけ、いずれも ROC-AUC が 0.95 を超える
    [partly] ただし、agreement では、勾配のノルム、ALTI、GlobEnc、AttnRes-N のロールアウトのうち、ROC-AUC が 0.95 を超えるのは一部だけである
    [fails] ただし、agreement では、勾配のノルムも、ALTI、GlobEnc、AttnRes-N のロールアウトも、ROC-AUC が 0.95 に届かない
    [open] ただし、agreement で勾配のノルム、ALTI、GlobEnc、AttnRes-N のロールアウトの ROC-AUC が 0.95 を超えるかどうかは、ここのテキストからは判断できない
   *[not_tested] 今回の実行に agreement の実験は含まれない
 }

faithfulness_chance = { $outcome ->
    [not_tested] 今回のテキストには根拠が記録されていないので、どの手法も偶然と比べられない
   *[other] 何も知らない手法の ROC-AUC の期待値は、ちょうど 0.5 である
 }{ $graded ->
    [holds] 。生の注意重み、ロールアウト、ベクトルに基づく手法、勾配、関連度は、ここのテキストで判断できる限り、いずれもこれを上回る
    [partly] 。生の注意重み、ロールアウト、ベクトルに基づく手法、勾配、関連度がこれを上回るのは、一部の場合だけである
    [fails] 。生の注意重み、ロールアウト、ベクトルに基づく手法、勾配、関連度は、いずれもこれを上回らない
    [open] 。生の注意重み、ロールアウト、ベクトルに基づく手法、勾配、関連度がこれを上回るかどうかは、ここのテキストではほとんど判断できない
   *[not_tested] { "" }
 }{ $signed ->
    [holds] 。符号付きの勾配 × 入力も同様である
    [partly] 。符号付きの勾配 × 入力がこれを上回るのは、一部の実験だけである
    [fails] 。符号付きの勾配 × 入力は、これを上回らない
    [open] 。符号付きの勾配 × 入力については、ここのテキストからは判断できない
   *[not_tested] { "" }
 }

faithfulness_flow = { $outcome ->
    [holds] 一方、フローは仕込んだ根拠をほかの語より下位に置く（ROC-AUC { $flow }）
    [partly] 一方、フローは一部の実験で、仕込んだ根拠をほかの語より下位に置く（ROC-AUC { $flow_range }）
    [fails] フローが仕込んだ根拠をほかの語より下位に置くことはない（ROC-AUC { $flow }）
    [open] フローが仕込んだ根拠をほかの語より下位に置くかどうかは、ここのテキストからは判断できない（ROC-AUC { $flow }）
   *[not_tested] フローも同様である
 }

faithfulness_verdict = { $outcome ->
    [not_tested] 生の注意重みと比べられる手法はない
   *[other] 最終層の生の注意重みと比べると、勾配のノルムは、{ $gradient_norm ->
        [holds] 判断できる限り、どの尺度でも勝る
        [partly] 一部の尺度または一部の実験でだけ勝る
        [fails] どの尺度でも勝らない
       *[other] 勝るとも劣るともいえない
     }。積分勾配は、{ $integrated_gradients ->
        [holds] 判断できる限り、どの尺度でも勝る
        [partly] 一部の尺度または一部の実験でだけ勝る
        [fails] どの尺度でも勝らない
       *[other] 勝るとも劣るともいえない
     }。ALTI は、{ $alti_rollout ->
        [holds] 判断できる限り、どの尺度でも勝る
        [partly] 一部の尺度または一部の実験でだけ勝る
        [fails] どの尺度でも勝らない
       *[other] 勝るとも劣るともいえない
     }
 }

faithfulness_gradients = { $outcome ->
    [holds] 上位の二つの勾配の手法は、尺度によって優劣が入れ替わる。仕込んだ根拠は勾配のノルムのほうがよく見つけ、包括性と十分性は積分勾配のほうがよい
    [partly] 仕込んだ根拠では勾配のノルムが、包括性と十分性では積分勾配が勝るという優劣の入れ替わりは、一部の尺度でだけ確認できる
    [fails] 上位の二つの勾配の手法の間で、尺度によって優劣が入れ替わることは確認できない
    [open] 勾配のノルムと積分勾配の優劣が尺度によって入れ替わるかどうかは、ここのテキストからは判断できない
   *[not_tested] 二つの勾配の手法は比べていない
 }

faithfulness_depth = { $outcome ->
    [holds] 報告された深さによる変化は、ここでも見られる
    [partly] 報告された深さによる変化は、ここでは一部でだけ見られる
    [fails] 報告された深さによる変化は、ここでは見られない
    [open] 報告された深さによる変化があるかどうかは、ここのテキストからは判断できない
   *[not_tested] 報告された深さによる変化は、検証できなかった
 }{ $outcome ->
    [not_tested] { "" }
   *[other] 。生の注意重みの相関は、第 1 層で { $raw_first }、最終層で { $raw_last } である
 }

faithfulness_middle = { $outcome ->
    [holds] 報告どおり、中ほどの層ではフローのほうがロールアウトよりブランクアウトとよく一致する
    [partly] 中ほどの層でフローがロールアウトに勝るという報告は、一部でだけ成り立つ
    [fails] 中ほどの層でフローがロールアウトに勝るという報告は、ここでは成り立たない
    [open] 中ほどの層でフローがロールアウトに勝るかどうかは、ここのテキストからは判断できない
   *[not_tested] 中ほどの層でフローがロールアウトに勝るという報告は、検証できなかった
 }

faithfulness_stuck = { $outcome ->
    [holds] 全層を通したフローとブランクアウトとの一致は、第 1 層の生の注意重みの場合と 0.05 以内で等しい。[CLS] については、上の層は順位に影響しない
    [partly] 全層を通したフローとブランクアウトとの一致が第 1 層の生の注意重みの場合と 0.05 以内で等しいのは、一部の実験だけである
    [fails] 全層を通したフローの順位は、第 1 層の順位から離れる。ここでは上の層も順位に影響する
    [open] 全層を通したフローの順位が第 1 層のままかどうかは、ここのテキストからは判断できない
   *[not_tested] フローの順位が第 1 層のままかどうかは、測れなかった
 }

faithfulness_start = { $outcome ->
    [holds] 中ほどの層から始めると、ROC-AUC は 0.05 を超えて高まる。ただし、層は評価に使うものとは別のテキストで選ばなければならない
    [partly] 中ほどの層から始めて ROC-AUC が 0.05 を超えて高まるのは、一部の実験だけである。層を選ぶなら、評価に使うものとは別のテキストで選ばなければならない
    [fails] 中ほどの層から始めても、ROC-AUC は 0.05 も高まらない。したがって、入力から始めてよい
    [open] 中ほどの層から始めて ROC-AUC が高まるかどうかは、ここのテキストからは判断できない
   *[not_tested] どの層から始めるのがよいかは、測れなかった
 }

faithfulness_sign = { $outcome ->
    [holds] クラスに反する証拠は、支持する証拠と同じ語にある。仕込んだ根拠に対する ROC-AUC は、反する証拠で { $opposing }、支持する証拠で { $supporting } である。この勾配の符号は、見かけほど両者を分けていない
    [partly] 一部の実験では、クラスに反する証拠も仕込んだ根拠の語にある（ROC-AUC は実験により { $opposing_range }）
    [fails] クラスに反する証拠は仕込んだ根拠の語になく（ROC-AUC { $opposing }）、支持する証拠はそこにある（{ $supporting }）
    [open] クラスに反する証拠も仕込んだ根拠の語にあるかどうかは、ここのテキストからは判断できない（ROC-AUC { $opposing }）
   *[not_tested] クラスに反する証拠が仕込んだ根拠の語にあるかどうかは、測れなかった
 }

faithfulness_groups = { $outcome ->
    [holds] 次の三組の手法は順位がほぼ同じ（相関が 0.9 を超える）なので、それぞれ一票と数える。関連度の二つの規則、最終層の Attn-N と AttnResLN-N、そして AttnRes-N と AttnResLN-N のロールアウトと GlobEnc である
    [partly] 互いに近い手法のうち、順位がほぼ同じ（相関が 0.9 を超える）なのは一部だけである
    [fails] 関連度の二つの規則のように互いに近い手法でも、順位の相関は 0.9 に届かない
    [open] 関連度の二つの規則のように互いに近い手法の順位がほぼ同じかどうかは、ここのテキストからは判断できない
   *[not_tested] 手法どうしの順位の近さは、測れなかった
 }

faithfulness_completeness = { $outcome ->
    [holds] 実際のずれは、典型的には { $error } である（二つのクラスのロジットの差は { $margin }）
    [partly] 実際のずれは、典型的には { $error }である（二つのクラスのロジットの差は { $margin }）。したがって、一部の実験では順位を信頼できない
    [fails] 実際のずれは、典型的には { $error } である（二つのクラスのロジットの差は { $margin }）。したがって、順位は信頼できない
    [open] 実際のずれは、典型的には { $error } である（二つのクラスのロジットの差は { $margin }）。ずれが 0.5 未満に収まるかどうかは、ここのテキストからは判断できない
   *[not_tested] 実際のずれは、測れなかった
 }

faithfulness_dense_ranks = { $outcome ->
    [holds] 同順位があっても、等しい値に同じ順位、次の値に次の順位を与える密な順位（dense rank）による相関の変化は 0.01 に満たない
    [partly] 等しい値に同じ順位、次の値に次の順位を与える密な順位（dense rank）を使うと、同順位が多い場合に相関が偏る
    [fails] 等しい値に同じ順位、次の値に次の順位を与える密な順位（dense rank）を使うと、同順位があるだけで相関が偏る
   *[other] 密な順位（dense rank）が相関に与える影響は、計算していない
 }
