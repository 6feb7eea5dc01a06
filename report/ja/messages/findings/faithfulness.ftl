faithfulness_best = { $untested ->
    [tested] 仕込んだ根拠に対する ROC-AUC の平均が最も高い手法は、{ $evidence ->
    [gradient_norm] 勾配のノルムである
    [integrated_gradients] 積分勾配である
    [attn_lrp] AttnLRP である
    [relevance_sum] 関連度（加算）である
    [relevance_rollout] 関連度（ロールアウト）である
    [alti_rollout] ALTI である
    [alti_logit] ALTI-Logit である
    [decompx] DecompX である
    [value_zeroing] バリューのゼロ化である
    [value_zeroing_rollout] バリューのゼロ化のロールアウトである
    [globenc_rollout] GlobEnc である
    [raw] 生の注意重みである
    [depends] 実験によって異なる
    [none] 根拠を仕込んだ課題を習得したモデルがないため、定まらない
   *[other] ほかの手法である
 }。包括性の平均では、{ $comprehensiveness ->
    [gradient_norm] 勾配のノルムが最もよい
    [integrated_gradients] 積分勾配が最もよい
    [attn_lrp] AttnLRP が最もよい
    [relevance_sum] 関連度（加算）が最もよい
    [relevance_rollout] 関連度（ロールアウト）が最もよい
    [alti_rollout] ALTI が最もよい
    [alti_logit] ALTI-Logit が最もよい
    [decompx] DecompX が最もよい
    [value_zeroing] バリューのゼロ化が最もよい
    [value_zeroing_rollout] バリューのゼロ化のロールアウトが最もよい
    [globenc_rollout] GlobEnc が最もよい
    [raw] 生の注意重みが最もよい
    [depends] 最もよい手法は実験によって異なる
    [none] 最もよい手法は定まらない
   *[other] ほかの手法が最もよい
 }。十分性の平均では、{ $sufficiency ->
    [gradient_norm] 勾配のノルムが最もよい
    [integrated_gradients] 積分勾配が最もよい
    [attn_lrp] AttnLRP が最もよい
    [relevance_sum] 関連度（加算）が最もよい
    [relevance_rollout] 関連度（ロールアウト）が最もよい
    [alti_rollout] ALTI が最もよい
    [alti_logit] ALTI-Logit が最もよい
    [decompx] DecompX が最もよい
    [value_zeroing] バリューのゼロ化が最もよい
    [value_zeroing_rollout] バリューのゼロ化のロールアウトが最もよい
    [globenc_rollout] GlobEnc が最もよい
    [raw] 生の注意重みが最もよい
    [depends] 最もよい手法は実験によって異なる
    [none] 最もよい手法は定まらない
   *[other] ほかの手法が最もよい
 }
   *[other] 仕込んだ根拠、包括性、十分性のそれぞれで最もよい手法は、{ $why }ため検証していない
 }
faithfulness_solved = { $outcome ->
    [holds] { $experiments } では、勾配のノルムのほかに ALTI、GlobEnc、AttnRes-N のロールアウトも仕込んだ根拠を同じように見つけ、いずれも ROC-AUC が 0.95 を超える
    [divided] { $experiments } では、勾配のノルム、ALTI、GlobEnc、AttnRes-N のロールアウトの ROC-AUC がいずれも 0.95 を超えるのは、{ $outcome_models }である
    [fails] { $experiments } では、勾配のノルムも、ALTI、GlobEnc、AttnRes-N のロールアウトも、ROC-AUC が 0.95 に届かない
    [open] { $experiments } で勾配のノルム、ALTI、GlobEnc、AttnRes-N のロールアウトの ROC-AUC が 0.95 を超えるかどうかは、今回のテキストからは判断できない
   *[not_tested] 今回の実行に、動詞の数の課題を習得したモデルはない
 }
faithfulness_zeroed = { $outcome ->
    [holds] { $experiments } では、バリューのゼロ化は、改善の余地がある限り、生の注意重み、ノルム、ロールアウトよりも仕込んだ根拠をよく見つける。ROC-AUC は { $zeroed_range }（生の注意重みでは { $raw_range }）である
    [divided] { $experiments } で、バリューのゼロ化が生の注意重み、ノルム、ロールアウトのいずれよりも仕込んだ根拠をよく見つけるのは、{ $outcome_models }である。ROC-AUC は { $zeroed_range }（生の注意重みでは { $raw_range }）である
   *[fails] { $experiments } では、バリューのゼロ化が生の注意重み、ノルム、ロールアウトよりも仕込んだ根拠をよく見つけることはない。ROC-AUC は { $zeroed_range }（生の注意重みでは { $raw_range }）である
 }
    .question = バリューのゼロ化が生の注意重み、ノルム、ロールアウトよりも仕込んだ根拠をよく見つけるかどうか
    .values = { $experiments } での ROC-AUC は { $zeroed_range }（生の注意重みでは { $raw_range }）である
faithfulness_chance = { $outcome ->
    [not_tested] 仕込んだ根拠をランダムな場合よりよく見つける手法があるかどうかは、{ $why }ため検証していない
   *[other] テキストの情報を使わない手法の ROC-AUC の期待値は、ちょうど 0.5 である
 }{ $graded ->
    [holds] 。生の注意重み、残差込みのロールアウト、ベクトルに基づく手法、勾配のノルム、積分勾配、関連度は、今回のテキストで判断できる限り、いずれもこれを上回る
    [divided] 。生の注意重み、残差込みのロールアウト、ベクトルに基づく手法、勾配のノルム、積分勾配、関連度がいずれもこれを上回るのは、{ $graded_models }である
    [fails] 。生の注意重み、残差込みのロールアウト、ベクトルに基づく手法、勾配のノルム、積分勾配、関連度は、いずれもこれを上回らない
    [open] 。生の注意重み、残差込みのロールアウト、ベクトルに基づく手法、勾配のノルム、積分勾配、関連度がいずれもこれを上回るかどうかは、今回のテキストからは判断できない。手法と実験の組 { $graded_cases } のうち、上回ることを確認できたのは { $graded_held } である
   *[not_tested] { "" }
 }{ $signed ->
    [holds] 。符号付きの勾配 × 入力も同様である
    [divided] 。符号付きの勾配 × 入力がこれを上回るのは、{ $signed_models }である
    [fails] 。符号付きの勾配 × 入力は、これを上回らない
    [open] 。符号付きの勾配 × 入力については、今回のテキストからは判断できない
   *[not_tested] { "" }
 }
faithfulness_beyond_random = 無作為な順序の包括性は平均で { $random_range } である{ $outcome ->
    [holds] 。生の注意重み、勾配のノルム、積分勾配、ALTI は、今回のテキストで判断できる限り、いずれもこれを上回る
    [divided] 。生の注意重み、勾配のノルム、積分勾配、ALTI がいずれもこれを上回るのは、{ $outcome_models }である
   *[fails] 。生の注意重み、勾配のノルム、積分勾配、ALTI は、いずれもこれを上回らない
}
    .question = 生の注意重み、勾配のノルム、積分勾配、ALTI の包括性が無作為な順序を上回るかどうか
    .values = 無作為な順序の包括性は平均で { $random_range } であり、手法と実験の組 { $outcome_cases } 個のうち { $outcome_held } 個で、これを上回ることを確認できる
faithfulness_ceiling = { $outcome ->
    [holds] それだけ効くトークンのあるテキストは { $reacts } である。どの取り除き方でも順位はほぼ同じになる。削除による順位と {"["}UNK] による順位の相関は { $ceiling } である
    [divided] それだけ効くトークンのあるテキストは { $reacts } である。取り除き方によらず順位がほぼ同じになるのは { $outcome_models }であり、削除による順位と {"["}UNK] による順位の相関は中央値で { $ceiling } である
   *[fails] それだけ効くトークンのあるテキストは { $reacts } である。順位は取り除き方によって異なり、削除による順位と {"["}UNK] による順位の相関は { $ceiling } にとどまる。どの手法でも、これを超える一致は望めない
 }
    .question = どの取り除き方でも順位がほぼ同じになるかどうか
    .values = それだけ効くトークンのあるテキストは { $reacts_range } であり、削除による順位と {"["}UNK] による順位の相関は { $ceiling_range } である
faithfulness_flow = { $outcome ->
    [holds] 一方、フローは仕込んだ根拠をほかの語より下位に置く（ROC-AUC { $flow }）
    [divided] 一方、フローは { $outcome_models }で、仕込んだ根拠をほかの語より下位に置く（ROC-AUC { $flow_range }）
   *[fails] フローが仕込んだ根拠をほかの語より下位に置くことはない（ROC-AUC { $flow }）
 }
    .question = フローが仕込んだ根拠をほかの語より下位に置くかどうか
    .values = フローの ROC-AUC は { $flow } である
faithfulness_verdict = { $outcome ->
    [not_tested] 勾配のノルム、積分勾配、ALTI が生の注意重みより予測をよく説明するかどうかは、{ $why }ため検証していない
   *[other] 最終層の生の注意重みと比べた結果は次のとおりである。勾配のノルムは{ $gradient_norm ->
        [holds] 判断できる限り、測ったどの尺度でも勝り
        [divided] { $gradient_norm_models }でどの尺度でも勝り
        [fails] どの尺度でも勝らず
       *[other] 半分以上の場合で勝るかどうかが決まらず
     }、積分勾配は{ $integrated_gradients ->
        [holds] 判断できる限り、測ったどの尺度でも勝り
        [divided] { $integrated_gradients_models }でどの尺度でも勝り
        [fails] どの尺度でも勝らず
       *[other] 半分以上の場合で勝るかどうかが決まらず
     }、ALTI は{ $alti_rollout ->
        [holds] 判断できる限り、測ったどの尺度でも勝る
        [divided] { $alti_rollout_models }でどの尺度でも勝る
        [fails] どの尺度でも勝らない
       *[other] 半分以上の場合で勝るかどうかを判断できない
     }
 }
faithfulness_gradients = { $outcome ->
    [holds] { $evidence ->
        [not_tested] 上位の二つの勾配の手法のうち、包括性と十分性は積分勾配のほうがよい。仕込んだ根拠はない
       *[other] 上位の二つの勾配の手法は、尺度によって優劣が入れ替わる。仕込んだ根拠は勾配のノルムのほうがよく見つけ、包括性と十分性は積分勾配のほうがよい
     }
    [divided] 仕込んだ根拠では勾配のノルムが、包括性と十分性では積分勾配が勝るという優劣の入れ替わりは、{ $outcome_models }ですべて確認できる
   *[fails] 上位の二つの勾配の手法の間で、尺度によって優劣が入れ替わることは確認できない
 }
    .question = 勾配のノルムと積分勾配の優劣が尺度によって入れ替わるかどうか
faithfulness_depth = { $outcome ->
    [holds] 報告された深さによる変化は、{ $experiments } でも見られる
    [divided] 報告された深さによる変化がすべて見られるのは、{ $experiments } では { $outcome_models }である
   *[fails] 判断できる限り、報告された深さによる変化は{ $experiments } では見られない
 }。生の注意重みの相関は、第 1 層で { $raw_first_range }、最終層で { $raw_last_range } である
    .question = 報告された深さによる変化が見られるかどうか
    .values = { $experiments } での生の注意重みの相関は、第 1 層で { $raw_first_range }、最終層で { $raw_last_range } である
faithfulness_middle = { $outcome ->
    [holds] 報告どおり、中ほどの層ではフローのほうがロールアウトよりブランクアウトとよく一致する
    [divided] 報告どおり、中ほどの層でフローのほうがロールアウトよりブランクアウトとよく一致するのは、{ $outcome_models }である
   *[fails] 中ほどの層でフローがロールアウトに勝るという報告は、ここでは成り立たない
 }
    .question = 報告どおり、中ほどの層でフローがロールアウトに勝るかどうか
faithfulness_departs = { $outcome ->
    [holds] 順位は第 1 層のものから離れる。ブランクアウトとの順位相関は、全層を通したフローと第 1 層の生の注意重みとで 0.05 を超えて異なる
    [divided] 順位が第 1 層のものから離れるのは、{ $outcome_models }である。そこでは、ブランクアウトとの順位相関が、全層を通したフローと第 1 層の生の注意重みとで 0.05 を超えて異なる
   *[fails] 第 1 層より上の層は、順位にほとんど現れない。ブランクアウトとの順位相関は、全層を通したフローと第 1 層の生の注意重みとで 0.05 以内で等しい
 }
    .question = ブランクアウトとの順位相関が、全層を通したフローと第 1 層の生の注意重みとで 0.05 以内で等しいかどうか
faithfulness_start = { $outcome ->
    [holds] 中ほどの層から始めると、ROC-AUC は 0.05 を超えて高まる。ただし、層は評価に使うものとは別のテキストで選ばなければならない
    [divided] 中ほどの層から始めて ROC-AUC が 0.05 を超えて高まるのは、{ $outcome_models }である。層を選ぶなら、評価に使うものとは別のテキストで選ばなければならない
   *[fails] 中ほどの層から始めても、ROC-AUC は 0.05 も高まらない。したがって、入力から始めてよい
 }
    .question = 中ほどの層から始めて ROC-AUC が 0.05 を超えて高まるかどうか
faithfulness_sign = { $outcome ->
    [holds] クラスに反する証拠は、支持する証拠と同じ語にある。仕込んだ根拠に対する ROC-AUC は、反する証拠で { $opposing }、支持する証拠で { $supporting } である。この勾配の符号では、両者は見かけほど分かれない
    [divided] { $outcome_models }では、クラスに反する証拠も仕込んだ根拠語にある（ROC-AUC は実験により { $opposing_range }）
   *[fails] クラスに反する証拠は仕込んだ根拠語になく（ROC-AUC { $opposing }）、支持する証拠はそこにある（{ $supporting }）
 }
    .question = クラスに反する証拠も仕込んだ根拠語にあるかどうか
    .values = 反する証拠の ROC-AUC は { $opposing_range } である
faithfulness_groups = { $outcome ->
    [holds] { $experiments } では、次の三組の手法は順位がほぼ同じ（相関が 0.9 を超える）なので、それぞれ一つの手法として数える。(1) 関連度の二つの規則、(2) 最終層の Attn-N と AttnResLN-N、(3) GlobEnc と、AttnRes-N および AttnResLN-N のロールアウトである
    [divided] 互いに近い手法の順位がいずれもほぼ同じ（相関が 0.9 を超える）なのは、{ $outcome_models }である
   *[fails] 関連度の二つの規則のように互いに近い手法でも、順位の相関は 0.9 に届かない
 }
    .question = 関連度の二つの規則のように互いに近い手法の順位がほぼ同じかどうか
faithfulness_completeness = { $outcome ->
    [holds] { $experiments } では、実際のずれは中央値で { $error } である（二つのクラスのロジットの差は { $margin }）
    [divided] { $experiments } では、実際のずれは中央値で { $error } である（二つのクラスのロジットの差は { $margin }）。ずれが 0.5 未満に収まり、順位を信頼できるのは、{ $outcome_models }である
    [fails] { $experiments } では、実際のずれは中央値で { $error } である（二つのクラスのロジットの差は { $margin }）。したがって、順位は信頼できない
    [open] { $experiments } では、実際のずれは中央値で { $error } である（二つのクラスのロジットの差は { $margin }）。ずれが 0.5 未満に収まるかどうかは、今回のテキストからは判断できない
   *[not_tested] 実際のずれの大きさは、{ $why }ため検証していない
 }{ $with_elsewhere ->
    [yes] 。この判定に含まれない、次の単語を予測するモデルでは、ずれは { $elsewhere_range } である
   *[no] {""}
 }
faithfulness_written = { $outcome ->
    [holds] { $experiments } では、ロジットのうち、最終層の注意が書き込む分は { $by_attention }、最終層のフィードフォワード層が書き込む分は { $by_ffn } であり、どちらも 25% を超える
    [divided] { $experiments } では、ロジットのうち、最終層の注意が書き込む分は { $by_attention }、最終層のフィードフォワード層が書き込む分は { $by_ffn } である。どちらも 25% を超えることを確認できるのは、{ $outcome_models }である
   *[fails] { $experiments } では、ロジットのうち、最終層の注意が書き込む分は { $by_attention }、最終層のフィードフォワード層が書き込む分は { $by_ffn } にとどまる
 }
    .question = 最終層の注意とフィードフォワード層が、それぞれロジットの 25% を超える分を書き込むかどうか
    .values = { $experiments } では、注意が書き込む分は { $by_attention }、フィードフォワード層が書き込む分は { $by_ffn } である
faithfulness_traced = { $outcome ->
    [holds] { $experiments } では、ALTI-Logit によるトークンの順位は、ALTI とほぼ同じである（相関 { $alti_range }）
    [divided] { $experiments } のうち、ALTI-Logit によるトークンの順位が ALTI とほぼ同じなのは、{ $outcome_models }である（相関 { $alti_range }）
    [fails] { $experiments } では、ALTI-Logit によるトークンの順位は、ALTI とは異なる（相関 { $alti_range }）
    [open] { $experiments } で ALTI-Logit によるトークンの順位が ALTI とほぼ同じかどうかは、今回のテキストからは判断できない（相関 { $alti_range }）
   *[not_tested] ALTI-Logit によるトークンの順位が ALTI とほぼ同じかどうかは、{ $why }ため検証していない
 }{ $with_elsewhere ->
    [yes] 。この判定に含まれない、次の単語を予測するモデルでは、相関は { $elsewhere_range } である
   *[no] {""}
 }
faithfulness_dense_ranks = { $outcome ->
    [holds] 同順位があっても、等しい値に同じ順位、次の値に次の順位を与える密な順位（dense rank）による相関の変化は 0.01 に満たない
    [divided] 等しい値に同じ順位、次の値に次の順位を与える密な順位（dense rank）を使うと、同順位が多い場合に相関が偏る
   *[fails] 等しい値に同じ順位、次の値に次の順位を与える密な順位（dense rank）を使うと、同順位があるだけで相関が偏る
 }
    .question = 等しい値に同じ順位、次の値に次の順位を与える密な順位（dense rank）を使うと相関が偏るかどうか
