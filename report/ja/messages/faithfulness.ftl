chapter_faithfulness = 忠実性

## Words of figures and tables

weights = 注意重み
propagation = 伝播
vectors = ベクトル
gradients = 勾配
removal = 除去
baselines = 基準
attn_w_rollout = ロールアウト（残差なし）
attn_n_rollout = Attn-N のロールアウト
attnres_n_rollout = AttnRes-N のロールアウト
attnresln_n_rollout = AttnResLN-N のロールアウト
rollout_measured = ロールアウト（実測の残差）
flow_measured = フロー（実測の残差）
globenc_rollout = GlobEnc
alti_rollout = ALTI
alti_logit = ALTI-Logit
gradient_norm = 勾配のノルム
gradient_x_input = 勾配 × 入力
integrated_gradients = 積分勾配
relevance_sum = 関連度（加算）
relevance_rollout = 関連度（ロールアウト）
blank_out_delete = ブランクアウト（削除）
blank_out_mask = ブランクアウト（[MASK]）
blank_out_unknown = ブランクアウト（[UNK]）
random = 乱数
uniform = 定数
roc_auc = ROC-AUC
comprehensiveness = 包括性
sufficiency = 十分性
gradient = 順位相関（勾配）
roc_auc_short =
    根拠
    ROC-AUC ↑
blank_out_delete_short =
    順位相関
    削除 ↑
blank_out_mask_short =
    順位相関
    {""}[MASK] ↑
blank_out_unknown_short =
    順位相関
    {""}[UNK] ↑
gradient_short =
    順位相関
    勾配 ↑
comprehensiveness_short =
    包括性 ↑
    {""}
sufficiency_short =
    十分性 ↓
    {""}
cls_blank_out =
    ブランクアウト
    {""}[CLS] の行
cls_gradient =
    勾配
    {""}[CLS] の行
max_blank_out =
    ブランクアウト
    最大値
max_gradient =
    勾配
    最大値
first = 数え始める層
for = クラスを支持する証拠
against = クラスに反する証拠
spearman = 順位相関の平均
fractions_comma = 、
undefined_texts = { $n ->
    [0] どの差も、すべてのテキストで定義される
   *[other] 差を定義できないテキストは最大で { $texts } 件である
 }
average_precision = 平均適合率
roc_auc_column = ROC-AUC
comprehensiveness_column = 包括性
undefined = 定義できないテキスト
published = 報告値
source = 出典
measured_against = 比較の相手
statement = 主張
order_holds = 同じ順序
order_partly = 一部は同じ順序
order_fails = 異なる順序
order_open = 決まらない
blank_out = ブランクアウト（[UNK]）
input_gradient = 勾配
late_rollout = 第 5 層では、ロールアウトのほうが生の注意重みより勾配と合う（行の最大値）
vectors_help = 勾配との一致は GlobEnc > AttnRes-N > Attn-N > 注意重み（いずれもロールアウト）
measured_helps = 勾配との一致は、ロールアウトの残差を実測したほうが固定より高い
alti_comprehensive = 包括性は ALTI > ロールアウト
alti_sufficient = 十分性は ALTI < ロールアウト（低いほうがよい）
evidence = 根拠
scaled = スコア（行ごとの最小から最大）
written = ロジットへの書き込み
attention = 注意
ffn = フィードフォワード層
bias = バイアス

## Alternative texts of figures

alt_ranking = 各手法が根拠の語を見つける ROC-AUC の点プロット。実験ごとに一列、手法は値の高い順。縦線はランダムな場合の水準（0.5）。
alt_text = 一つのテキストの各トークンのスコアを示すヒートマップ。手法ごとに一行とし、用いる情報の種類ごとにまとめる。最上段に根拠の語を示す。実験 { $experiment }。
alt_panel = 手法を行（用いる情報の種類ごとにまとめる）、尺度を列とする点プロット。根拠に対する ROC-AUC、三種類のブランクアウトおよび勾配との順位相関、包括性、十分性。印の形は実験を表す。
alt_layers = 生の注意重み、ロールアウト、アテンションフローと、ブランクアウトおよび勾配との順位相関を層ごとに示す折れ線グラフ。[CLS] の行と全行の最大値について。実験ごとに一列。
alt_written = 注意、フィードフォワード層、バイアスが予測クラスのロジットに書き込む量を層ごとに示す折れ線グラフ。実験ごとに一列。
alt_start = 二つの関連度の規則の ROC-AUC を、数え始める層ごとに示す折れ線グラフ。予測クラスを支持する証拠と反する証拠。実験ごとに一列。
alt_agreement = 二つの手法の間の順位相関の平均を示すヒートマップ。実験ごとに一枚。負は青、0 は黒、正は赤。

## Findings

faithfulness_best = { $untested ->
    [tested] 仕込んだ根拠に対する ROC-AUC の平均が最も高い手法は、{ $evidence ->
    [gradient_norm] 勾配のノルムである
    [integrated_gradients] 積分勾配である
    [relevance_sum] 関連度（加算）である
    [relevance_rollout] 関連度（ロールアウト）である
    [alti_rollout] ALTI である
    [alti_logit] ALTI-Logit である
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
    [relevance_sum] 関連度（加算）が最もよい
    [relevance_rollout] 関連度（ロールアウト）が最もよい
    [alti_rollout] ALTI が最もよい
    [alti_logit] ALTI-Logit が最もよい
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
    [relevance_sum] 関連度（加算）が最もよい
    [relevance_rollout] 関連度（ロールアウト）が最もよい
    [alti_rollout] ALTI が最もよい
    [alti_logit] ALTI-Logit が最もよい
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
    [holds] ただし、{ $experiments } では、勾配のノルムのほかに ALTI、GlobEnc、AttnRes-N のロールアウトも仕込んだ根拠を同じように見つけ、いずれも ROC-AUC が 0.95 を超える
    [partly] ただし、{ $experiments } では、勾配のノルム、ALTI、GlobEnc、AttnRes-N のロールアウトのうち、ROC-AUC が 0.95 を超えるのは一部だけである
    [fails] ただし、{ $experiments } では、勾配のノルムも、ALTI、GlobEnc、AttnRes-N のロールアウトも、ROC-AUC が 0.95 に届かない
    [open] ただし、{ $experiments } で勾配のノルム、ALTI、GlobEnc、AttnRes-N のロールアウトの ROC-AUC が 0.95 を超えるかどうかは、今回のテキストからは判断できない
   *[not_tested] 今回の実行に、動詞の数の課題を習得したモデルはない
 }
faithfulness_zeroed = { $outcome ->
    [holds] { $experiments } では、バリューのゼロ化は生の注意重み、ノルム、ロールアウトよりも仕込んだ根拠をよく見つける。ROC-AUC は { $zeroed }（生の注意重みでは { $raw }）である
    [partly] { $experiments } でバリューのゼロ化が仕込んだ根拠をよりよく見つけるのは、生の注意重み、ノルム、ロールアウトのうち一部と比べたときだけである。ROC-AUC は { $zeroed }（生の注意重みでは { $raw }）である
    [fails] { $experiments } では、バリューのゼロ化が生の注意重み、ノルム、ロールアウトよりも仕込んだ根拠をよく見つけることはない。ROC-AUC は { $zeroed }（生の注意重みでは { $raw }）である
    [open] { $experiments } で、バリューのゼロ化が生の注意重み、ノルム、ロールアウトよりも仕込んだ根拠をよく見つけるかどうかは、今回のテキストからは判断できない。ROC-AUC は { $zeroed }（生の注意重みでは { $raw }）である
   *[not_tested] 今回の実行には動詞の数の課題を習得したモデルがなく、仕込んだ根拠でバリューのゼロ化をほかの手法と比べることはできない
 }
faithfulness_chance = { $outcome ->
    [not_tested] 仕込んだ根拠をランダムな場合よりよく見つける手法があるかどうかは、{ $why }ため検証していない
   *[other] テキストの情報を使わない手法の ROC-AUC の期待値は、ちょうど 0.5 である
 }{ $graded ->
    [holds] 。生の注意重み、残差込みのロールアウト、ベクトルに基づく手法、勾配のノルム、積分勾配、関連度は、今回のテキストで判断できる限り、いずれもこれを上回る
    [partly] 。生の注意重み、残差込みのロールアウト、ベクトルに基づく手法、勾配のノルム、積分勾配、関連度がこれを上回るのは、一部の場合に限られる
    [fails] 。生の注意重み、残差込みのロールアウト、ベクトルに基づく手法、勾配のノルム、積分勾配、関連度は、いずれもこれを上回らない
    [open] 。生の注意重み、残差込みのロールアウト、ベクトルに基づく手法、勾配のノルム、積分勾配、関連度がこれを上回るかどうかは、今回のテキストではほとんど判断できない
   *[not_tested] { "" }
 }{ $signed ->
    [holds] 。符号付きの勾配 × 入力も同様である
    [partly] 。符号付きの勾配 × 入力がこれを上回るのは、一部の実験に限られる
    [fails] 。符号付きの勾配 × 入力は、これを上回らない
    [open] 。符号付きの勾配 × 入力については、今回のテキストからは判断できない
   *[not_tested] { "" }
 }
faithfulness_beyond_random = { $outcome ->
    [not_tested] 包括性が無作為な順序を上回る手法があるかどうかは、{ $why }ため検証していない
   *[other] 無作為な順序の包括性は平均で { $random } である{ $outcome ->
        [holds] 。生の注意重み、勾配のノルム、積分勾配、ALTI は、今回のテキストで判断できる限り、いずれもこれを上回る
        [partly] 。生の注意重み、勾配のノルム、積分勾配、ALTI がこれを上回るのは、一部の場合だけである
        [fails] 。生の注意重み、勾配のノルム、積分勾配、ALTI は、いずれもこれを上回らない
       *[other] 。生の注意重み、勾配のノルム、積分勾配、ALTI がこれを上回るかどうかは、今回のテキストではほとんど判断できない
    }
}
faithfulness_flow = { $outcome ->
    [holds] 一方、フローは仕込んだ根拠をほかの語より下位に置く（ROC-AUC { $flow }）
    [partly] 一方、フローは一部の実験で、仕込んだ根拠をほかの語より下位に置く（ROC-AUC { $flow_range }）
    [fails] フローが仕込んだ根拠をほかの語より下位に置くことはない（ROC-AUC { $flow }）
    [open] フローが仕込んだ根拠をほかの語より下位に置くかどうかは、今回のテキストからは判断できない（ROC-AUC { $flow }）
   *[not_tested] フローが仕込んだ根拠をほかの語より下位に置くかどうかは、{ $why }ため検証していない
 }
faithfulness_verdict = { $outcome ->
    [not_tested] 勾配のノルム、積分勾配、ALTI が生の注意重みより予測をよく説明するかどうかは、{ $why }ため検証していない
   *[other] 最終層の生の注意重みと比べた結果は次のとおりである。勾配のノルムは{ $gradient_norm ->
        [holds] 判断できる限り、測ったどの尺度でも勝り
        [partly] 一部の尺度または一部の実験でのみ勝り
        [fails] どの尺度でも勝らず
       *[other] 半分以上の場合で勝るかどうかが決まらず
     }、積分勾配は{ $integrated_gradients ->
        [holds] 判断できる限り、測ったどの尺度でも勝り
        [partly] 一部の尺度または一部の実験でのみ勝り
        [fails] どの尺度でも勝らず
       *[other] 半分以上の場合で勝るかどうかが決まらず
     }、ALTI は{ $alti_rollout ->
        [holds] 判断できる限り、測ったどの尺度でも勝る
        [partly] 一部の尺度または一部の実験でのみ勝る
        [fails] どの尺度でも勝らない
       *[other] 半分以上の場合で勝るかどうかが決まらない
     }
 }
faithfulness_gradients = { $outcome ->
    [holds] { $evidence ->
        [not_tested] 上位の二つの勾配の手法のうち、包括性と十分性は積分勾配のほうがよい。仕込んだ根拠はない
       *[other] 上位の二つの勾配の手法は、尺度によって優劣が入れ替わる。仕込んだ根拠は勾配のノルムのほうがよく見つけ、包括性と十分性は積分勾配のほうがよい
     }
    [partly] 仕込んだ根拠では勾配のノルムが、包括性と十分性では積分勾配が勝るという優劣の入れ替わりは、一部の尺度でのみ確認できる
    [fails] 上位の二つの勾配の手法の間で、尺度によって優劣が入れ替わることは確認できない
    [open] 勾配のノルムと積分勾配の優劣が尺度によって入れ替わるかどうかは、今回のテキストからは判断できない
   *[not_tested] 勾配のノルムと積分勾配の優劣が尺度によって入れ替わるかどうかは、{ $why }ため検証していない
 }
faithfulness_depth = { $outcome ->
    [holds] 報告された深さによる変化は、{ $experiments } でも見られる
    [partly] 報告された深さによる変化は、{ $experiments } では一部でのみ見られる
    [fails] 判断できる限り、報告された深さによる変化は{ $experiments } では見られない
    [open] 報告された深さによる変化が{ $experiments } でも見られるかどうかは、今回のテキストからは判断できない
   *[not_tested] 報告された深さによる変化は、{ $why }ため検証していない
 }{ $outcome ->
    [not_tested] { "" }
   *[other] 。生の注意重みの相関は、第 1 層で { $raw_first }、最終層で { $raw_last } である
 }
faithfulness_middle = { $outcome ->
    [holds] 報告どおり、中ほどの層ではフローのほうがロールアウトよりブランクアウトとよく一致する
    [partly] 中ほどの層でフローがロールアウトに勝るという報告は、一部でのみ成り立つ
    [fails] 中ほどの層でフローがロールアウトに勝るという報告は、ここでは成り立たない
    [open] 中ほどの層でフローがロールアウトに勝るかどうかは、今回のテキストからは判断できない
   *[not_tested] 中ほどの層でフローがロールアウトに勝るという報告は、{ $why }ため検証していない
 }
faithfulness_departs = { $outcome ->
    [holds] 順位は第 1 層のものから離れる。ブランクアウトとの順位相関は、全層を通したフローと第 1 層の生の注意重みとで 0.05 を超えて異なる
    [partly] 順位が第 1 層のものから離れるのは、一部の場合に限られる。そこでは、ブランクアウトとの順位相関が、全層を通したフローと第 1 層の生の注意重みとで 0.05 を超えて異なる
    [fails] 第 1 層より上の層は、順位にほとんど現れない。ブランクアウトとの順位相関は、全層を通したフローと第 1 層の生の注意重みとで 0.05 以内で等しい
    [open] ブランクアウトとの順位相関が、全層を通したフローと第 1 層の生の注意重みとで 0.05 以内で等しいかどうかは、今回のテキストからは判断できない
   *[not_tested] ブランクアウトとの順位相関が、全層を通したフローと第 1 層の生の注意重みとで等しいかどうかは、{ $why }ため検証していない
 }
faithfulness_start = { $outcome ->
    [holds] 中ほどの層から始めると、ROC-AUC は 0.05 を超えて高まる。ただし、層は評価に使うものとは別のテキストで選ばなければならない
    [partly] 中ほどの層から始めて ROC-AUC が 0.05 を超えて高まるのは、一部の実験に限られる。層を選ぶなら、評価に使うものとは別のテキストで選ばなければならない
    [fails] 中ほどの層から始めても、ROC-AUC は 0.05 も高まらない。したがって、入力から始めてよい
    [open] 中ほどの層から始めて ROC-AUC が高まるかどうかは、今回のテキストからは判断できない
   *[not_tested] 中ほどの層から始めて ROC-AUC が高まるかどうかは、{ $why }ため検証していない
 }
faithfulness_sign = { $outcome ->
    [holds] クラスに反する証拠は、支持する証拠と同じ語にある。仕込んだ根拠に対する ROC-AUC は、反する証拠で { $opposing }、支持する証拠で { $supporting } である。この勾配の符号では、両者は見かけほど分かれない
    [partly] 一部の実験では、クラスに反する証拠も仕込んだ根拠の語にある（ROC-AUC は実験により { $opposing_range }）
    [fails] クラスに反する証拠は仕込んだ根拠の語になく（ROC-AUC { $opposing }）、支持する証拠はそこにある（{ $supporting }）
    [open] クラスに反する証拠も仕込んだ根拠の語にあるかどうかは、今回のテキストからは判断できない（ROC-AUC { $opposing }）
   *[not_tested] クラスに反する証拠も仕込んだ根拠の語にあるかどうかは、{ $why }ため検証していない
 }
faithfulness_groups = { $outcome ->
    [holds] 次の三組の手法は順位がほぼ同じ（相関が 0.9 を超える）なので、それぞれ一つの手法として数える。(1) 関連度の二つの規則、(2) 最終層の Attn-N と AttnResLN-N、(3) GlobEnc と、AttnRes-N および AttnResLN-N のロールアウトである
    [partly] 互いに近い手法のうち、順位がほぼ同じ（相関が 0.9 を超える）なのは一部だけである
    [fails] 関連度の二つの規則のように互いに近い手法でも、順位の相関は 0.9 に届かない
    [open] 関連度の二つの規則のように互いに近い手法の順位がほぼ同じかどうかは、今回のテキストからは判断できない
   *[not_tested] 近い関係にある手法どうしで順位がよく似るかどうかは、{ $why }ため検証していない
 }
faithfulness_completeness = { $outcome ->
    [holds] 実際のずれは、中央値で { $error } である（二つのクラスのロジットの差は { $margin }）
    [partly] 実際のずれは、中央値で { $error } である（二つのクラスのロジットの差は { $margin }）。したがって、一部の実験では順位を信頼できない
    [fails] 実際のずれは、中央値で { $error } である（二つのクラスのロジットの差は { $margin }）。したがって、順位は信頼できない
    [open] 実際のずれは、中央値で { $error } である（二つのクラスのロジットの差は { $margin }）。ずれが 0.5 未満に収まるかどうかは、今回のテキストからは判断できない
   *[not_tested] 実際のずれの大きさは、{ $why }ため検証していない
 }
faithfulness_written = { $outcome ->
    [holds] ロジットのうち、最終層の注意が書き込む分は { $by_attention }、最終層のフィードフォワード層が書き込む分は { $by_ffn } であり、どちらも 25% を超える
    [partly] ロジットのうち、最終層の注意が書き込む分は { $by_attention }、最終層のフィードフォワード層が書き込む分は { $by_ffn } である。25% を超えることは、一部についてのみ確認できる
    [fails] ロジットのうち、最終層の注意が書き込む分は { $by_attention }、最終層のフィードフォワード層が書き込む分は { $by_ffn } にとどまる
    [open] ロジットのうち、最終層の注意が書き込む分は { $by_attention }、最終層のフィードフォワード層が書き込む分は { $by_ffn } である。どちらも 25% を超えるかどうかは、今回のテキストからは判断できない
   *[not_tested] 最終層の注意とフィードフォワード層が、それぞれロジットの 4 分の 1 を超える量を書き込むかどうかは、{ $why }ため検証していない
 }
faithfulness_traced = { $outcome ->
    [holds] ALTI-Logit によるトークンの順位は、ALTI とほぼ同じである（相関 { $alti }）
    [partly] ALTI-Logit によるトークンの順位が ALTI とほぼ同じなのは、一部の実験に限られる（相関 { $alti }）
    [fails] ALTI-Logit によるトークンの順位は、ALTI とは異なる（相関 { $alti }）
    [open] ALTI-Logit によるトークンの順位が ALTI とほぼ同じかどうかは、今回のテキストからは判断できない（相関 { $alti }）
   *[not_tested] ALTI-Logit によるトークンの順位が ALTI とほぼ同じかどうかは、{ $why }ため検証していない
 }
faithfulness_dense_ranks = { $outcome ->
    [holds] 同順位があっても、等しい値に同じ順位、次の値に次の順位を与える密な順位（dense rank）による相関の変化は 0.01 に満たない
    [partly] 等しい値に同じ順位、次の値に次の順位を与える密な順位（dense rank）を使うと、同順位が多い場合に相関が偏る
    [fails] 等しい値に同じ順位、次の値に次の順位を与える密な順位（dense rank）を使うと、同順位があるだけで相関が偏る
   *[other] 密な順位（dense rank）が相関に与える影響は、計算していない
 }

## Published claims

B1_statement = 生の注意重みは深い層でトークンを除いたときの影響と一致しなくなるが、ロールアウトとフローは深い層ほどよく一致する。
B1_published = 生 { $blank_out_raw }、ロールアウト { $blank_out_rollout }、フロー { $blank_out_flow }（第 1〜6 層）
B1_rule = {"["}CLS] の行とブランクアウト（[UNK]）との順位相関を、同じテキストの差で比べる。いずれの差も報告値の 25% 以上であること：生の重みは第 1 層から中ほどの層へ下がり、ロールアウトとフローは第 1 層から最終層へ上がり、上半分の層では両者が生の重みを上回る

B2_statement = 入力の勾配との一致についても同じことがいえる。
B2_published = 生 { $gradient_raw }、ロールアウト { $gradient_rollout }、フロー { $gradient_flow }（第 1〜6 層）
B2_rule = B1 と同じ判定を、ブランクアウトの代わりに勾配のノルムで行う

B3_statement = 中ほどの層では、トークンを除いたときの影響と、ロールアウトよりもフローのほうがよく一致する。
B3_published = 6 層中の第 3 層で { $blank_out_flow_2 } 対 { $blank_out_rollout_2 }、勾配では { $gradient_flow_2 } 対 { $gradient_rollout_2 }
B3_rule = 中ほどの層で、ブランクアウト（[UNK]）との順位相関のフローとロールアウトの差（同じテキスト）が、報告された差の 25% 以上である。勾配での差を併記する

B4_statement = フローの一致度は中ほどの層まで上がり、それより上では変わらない。
B4_published = 第 3〜6 層で { $blank_out_flow_2 }、{ $blank_out_flow_3 }、{ $blank_out_flow_4 }、{ $blank_out_flow_5 }
B4_rule = 第 1 層から中ほどの層までの上昇が報告値の 25% 以上であり、上昇した場合には、そこから最終層までの変化が 0.05 以内である。第 1 層だけで決まる上界に達する組の割合を併記する

B5_statement = 感情分類モデルの終わりに近い層では、ロールアウトのほうが生の注意重みより入力の勾配と合う。
B5_published = 6 層中の第 { $layer } 層で { $rollout } 対 { $raw }
B5_rule = 深さ 5/6 の層で、全トークンの行の最大値と勾配のノルム（原論文は成分の和の絶対値）との順位相関の、ロールアウトと生の差（同じテキスト）が、報告された差の 25% 以上である

B6_statement = ロールアウトした手法は、層のより多くの部分を数えるほど勾配とよく一致する：GlobEnc、残差接続込みのベクトル、ベクトル、重みの順。
B6_published = 順に { $globenc }, { $residual }, { $vectors }, { $weights }
B6_rule = 隣り合う手法の、勾配のノルム（原論文は勾配 × 入力）との順位相関の差（同じテキスト）が、いずれも報告された差の 25% 以上である

B7_statement = 残差接続の割合を 0.5 に固定すると、重みのロールアウトは悪くなる。
B7_published = 固定した残差で { $fixed }、実測した残差で { $measured }
B7_rule = 勾配のノルム（原論文は勾配 × 入力）との順位相関が、実測した残差のロールアウトのほうが固定したものより高く、差（同じテキスト）が報告値の 25% 以上である

B11_statement = ALTI は包括性と十分性でロールアウトに勝る。
B11_published = 包括性 { $comprehensiveness_alti } 対 { $comprehensiveness_rollout }、十分性 { $sufficiency_alti } 対 { $sufficiency_rollout }（低いほうがよい）
B11_rule = ALTI とロールアウトの差（同じテキスト）が報告値の 25% 以上である。包括性では正、十分性では負の向き

B31_statement = 主語と動詞の数の一致を問う課題では、バリューのゼロ化が、ほかの手法よりも手がかりの単語をよく見つける。
B31_published = 言語学的な根拠による評価で、ほかの分析手法を上回る（数値は比較しない）
B31_rule = 文法 agreement の文に仕込んだ根拠に対する ROC-AUC が 0.05（本レポートの設定）以上高い。最終層のバリューのゼロ化は同じ層の生の注意重みおよび AttnResLN-N と、バリューのゼロ化のロールアウトは注意重みのロールアウトと比べる。ALTI との差も併せて示す。読むのは {"["}CLS] の行であり、原論文では隠した単語の行である

conditions_blimp = BLiMP の文法的な一致の文での BERT-base、RoBERTa-base、ELECTRA
B32_statement = ALTI-Logit は、勾配に基づく手法よりも、予測を決める語とよく一致する。
B32_published = 一貫して優れる（値は引用しない）
B32_rule = 仕込んだ根拠に対する ROC-AUC について、ALTI-Logit から勾配のノルムを引いた差と、勾配 × 入力を引いた差（同じテキスト）が、いずれも { $better }（本レポートの設定）の 25% 以上である。ROC-AUC が { $perfect } を超える比較対象には改善の余地がほとんどないので除く。原論文の勾配は二つのロジットの差についてのもので、ノルムは L1 である。原論文にある摂動に基づく比較対象は検証に含めない

conditions_verb_number = Linzen らの文で学習・評価した、動詞の数を予測する 6 層のモデル（2,000 テキスト）
conditions_distilbert = SST-2 での DistilBERT（100 テキスト）
conditions_bert_sst2 = SST-2 での BERT-base
conditions_distilbert_sst2 = SST-2 での DistilBERT
needs_blimp = 手がかりの単語を付した BLiMP の文法的な一致の文と、ハブの BERT-base
conditions_contrastive = BLiMP、SVA、IOI での GPT-2、OPT、BLOOM
needs_linzen = Linzen ら（2016）の文のファイル、同じ大きさのモデル、faithfulness.examples を 2,000 にすること
needs_distilbert = ハブの SST-2 と、それで学習した DistilBERT
needs_contrastive = 最小対（minimal pair）で評価する自己回帰言語モデル（パイプラインが説明するのは分類器だけである）
case_raw_middle_first = 生の注意重み：中ほどの層と第 1 層の差
case_rollout_last_first = ロールアウト：最終層と第 1 層の差
case_flow_last_first = フロー：最終層と第 1 層の差
case_rollout_raw_upper = 上半分の層でのロールアウトと生の注意重みの差
case_flow_raw_upper = 上半分の層でのフローと生の注意重みの差
case_blank_out = ブランクアウト
case_gradient = 勾配
case_flow_last_middle = フロー：最終層と中ほどの層の差
case_flow_middle_first = フロー：中ほどの層と第 1 層の差
case_bound_cls = 上界に達する組（[CLS] から）
case_bound_text = 上界に達する組（通常のトークンから）
case_globenc_res = GlobEnc と AttnRes-N の差
case_res_vectors = AttnRes-N と Attn-N の差
case_vectors_weights = Attn-N と重みの差
case_zeroed_raw = バリューのゼロ化と生の注意重みの差
case_zeroed_norm = バリューのゼロ化と AttnResLN-N の差
case_zeroed_rollout = ロールアウト：バリューのゼロ化と注意重みの差
case_zeroed_alti = ロールアウト：バリューのゼロ化と ALTI の差
case_comprehensiveness = 包括性
case_sufficiency = 十分性
case_alti_logit_gradient_norm = ALTI-Logit と勾配のノルムの差
case_alti_logit_gradient_x_input = ALTI-Logit と勾配 × 入力の差
means_correlation = 二つの手法（of と kind）のスコアの順位相関
