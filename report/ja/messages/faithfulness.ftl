chapter_faithfulness = 忠実性

## Words of figures and tables

weights = 注意重み
propagation = 伝播
vectors = ベクトル
gradients = 勾配
removal = 除去（上限）
baseline = ベースライン
rollout_measured = ロールアウト（実測の残差）
flow_measured = フロー（実測の残差）
alti_logit_unsigned = ALTI-Logit（符号なし）
gradient_x_input_unsigned = 勾配 × 入力（符号なし）
integrated_gradients_unsigned = 積分勾配（符号なし）
attn_lrp_unsigned = AttnLRP（符号なし）
decompx_unsigned = DecompX（符号なし）
relevance_sum = 関連度（加算）
relevance_rollout = 関連度（ロールアウト）
left_out_delete = 除去そのもの（削除）
left_out_mask = 除去そのもの（[MASK]）
left_out_unknown = 除去そのもの（[UNK]）
random = 乱数
comprehensiveness = 包括性
comprehensiveness_normalised = テキストごとの限界のあいだに直した包括性
sufficiency = 十分性
blank_out_delete = ブランクアウト（削除）
blank_out_mask = ブランクアウト（[MASK]）
blank_out_unknown = ブランクアウト（[UNK]）
top_delete = スコア最大のトークンが損失最大（削除）
top_mask = スコア最大のトークンが損失最大（[MASK]）
top_unknown = スコア最大のトークンが損失最大（[UNK]）
reacts = いずれかのトークンの除去で確率が動くテキスト
gradient = 順位相関（勾配）
counterfactual = 変えられる語：変えたときの損失との順位相関
top_counterfactual = スコア最大の語が、変えたときの損失最大の語
evidence_decides = 変えたときの損失が最大の語が根拠であるテキスト
first_decides = 変えたときの損失が最大の語が、変えられる最初の語であるテキスト
top_counterfactual_short =
    損失最大の語を
    見つける割合 ↑
counterfactual_short =
    順位相関
    変えた語 ↑
roc_auc_short =
    根拠
    ROC-AUC ↑
precision_at_one_short =
    根拠
    1 位 ↑
blank_out_delete_short =
    順位相関
    削除 ↑
top_delete_short =
    損失最大
    削除 ↑
blank_out_mask_short =
    順位相関
    {""}[MASK] ↑
top_mask_short =
    損失最大
    {""}[MASK] ↑
blank_out_unknown_short =
    順位相関
    {""}[UNK] ↑
top_unknown_short =
    損失最大
    {""}[UNK] ↑
gradient_short =
    順位相関
    勾配 ↑
comprehensiveness_normalised_short =
    包括性
    限界比 ↑
sufficiency_short =
    十分性 ↓
    {""}
cls_blank_out =
    ブランクアウト
    読み出しトークンの行
cls_gradient =
    勾配
    読み出しトークンの行
max_blank_out =
    ブランクアウト
    最大値
max_gradient =
    勾配
    最大値
first = 数え始める層
for = クラスを支持する証拠
against = クラスに反する証拠
mean_of_texts = テキストについての平均
spearman = 順位相関の平均
fractions_comma = 、
undefined_texts = { $n ->
    [0] どの差も、すべてのテキストで定義される
   *[other] 差を定義できないテキストは最大で { $texts } 件である
 }
precision_at_one = precision@1
roc_auc_column = ROC-AUC
comprehensiveness_column = 包括性
undefined = 定義できないテキスト
published = 報告値
source = 出典
measured_against = 比較の相手
statement = 主張
order_holds = 同じ順序
order_partly = 一部は同じ順序
order_smaller = 同じ順序（差は小さい）
order_fails = 異なる順序
order_open = 判定保留
blank_out = ブランクアウト（[UNK]）
input_gradient = 勾配
late_rollout = 第 5 層では、ロールアウトのほうが生の注意重みより勾配と合う（行の最大値）
vectors_help = 勾配との一致は GlobEnc > AttnRes-N > Attn-N > 注意重み（いずれもロールアウト）
measured_helps = 勾配との一致は、ロールアウトの残差を実測したほうが固定より高い
alti_comprehensive = 包括性は ALTI > ロールアウト
alti_sufficient = 十分性は ALTI < ロールアウト（低いほうがよい）
evidence = 根拠
scaled = スコア（行の最大の絶対値を 1 とする）
written = ロジットへの書き込み
attention = 注意
ffn = フィードフォワード層
bias = バイアス
runs_raw_roc_auc = ROC-AUC（生の注意重み）
runs_alti_rollout_roc_auc = ROC-AUC（ALTI）
runs_integrated_gradients_roc_auc = ROC-AUC（積分勾配）
runs_raw_comprehensiveness = 包括性（生の注意重み）
runs_alti_rollout_comprehensiveness = 包括性（ALTI）
runs_integrated_gradients_comprehensiveness = 包括性（積分勾配）

## Words that are changed, and what is ahead

leading = { $extent ->
    [none] 予測を説明するモデルのうち、課題を習得したものはない
    [all] どのコーパスのどの基準でも、最もよい手法は同じ（{ $best }）である
   *[other] どのコーパスのどの基準でも最もよいという手法はない。最上位になることが最も多い手法（{ $best }）は、基準とコーパスの組 { $pairs } 通りのうち { $led } 通りで最上位である
}
changed_decides = { $extent ->
    [unasked] ここでは、変えられる語のすべてがラベルの根拠である
    [all] ラベルの根拠もそうでない語も変えられるテキストのすべて（{ $texts }）で、変えたときの損失が最大の語はラベルの根拠である
   *[other] 変えたときの損失が最大の語がラベルの根拠であるテキストの割合は、実験により { $share } である（合わせて { $texts }）
}
changed_removal = { $extent ->
    [all] 語を一つずつ取り除いても（{ $ways }）、損失が最大の語はつねに同じである
   *[other] 語を一つずつ取り除いたとき（{ $ways }）も損失が最大の語が同じであるテキストの割合は、実験により { $share } である
}
changed_by = { $removal ->
    [left_out_delete] 削除
    [left_out_mask] {"["}MASK]
   *[left_out_unknown] {"["}UNK]
}
changed_place = 変えたときの損失が最大の語が、変えられる語のうち最初の語であるテキストの割合は、実験により { $share } である
changed_best = 実験の平均（合わせて { $texts }）で、この語を最もよく見つける手法（{ $best }）は、テキストの { $share } で見つける

## Alternative texts of figures

alt_ranking = 各手法が根拠語を見つける ROC-AUC の点プロット。実験ごとに一列、手法は値の高い順。縦線はランダムな場合の水準（0.5）。
alt_text = 一つのテキストの各トークンのスコアを示すヒートマップ。手法ごとに一行とし、用いる情報の種類ごとにまとめる。最上段に根拠語を示す。実験 { $experiment }。
alt_panel = 手法を行（用いる情報の種類ごとにまとめる）、尺度を列とする点プロット。根拠に対する ROC-AUC と precision@1、ブランクアウトとの順位相関、スコア最大のトークンが損失最大のトークンである割合、勾配との順位相関、限界のあいだでの包括性、十分性。印の形は実験を表す。
alt_changed = 手法を行（用いる情報の種類ごとにまとめる）とする点プロット。変えられる語のうちスコアが最大の語が、変えたときの損失も最大である割合と、スコアと損失の順位相関。印の形は実験を表す。
alt_matrix = 手法を行、コーパスを列とする三枚のマップ。根拠に対する ROC-AUC、ブランクアウトとの順位相関、限界のあいだでの包括性。各マスの数は平均の 100 倍。
alt_layers = 生の注意重み、ロールアウト、アテンションフローと、ブランクアウトおよび勾配との順位相関を層ごとに示す折れ線グラフ。読み出しトークンの行と全行の最大値について。
alt_written = 注意、フィードフォワード層、バイアスが予測クラスのロジットに書き込む量を層ごとに示す折れ線グラフ。
alt_start = 二つの関連度の規則の ROC-AUC を、数え始める層ごとに示す折れ線グラフ。予測クラスを支持する証拠と反する証拠。
alt_agreement = 二つの手法の間の順位相関の平均を示すヒートマップ。負は青、0 は黒、正は赤。

## Published claims

B1_statement = 生の注意重みは深い層でトークンを除いたときの影響と一致しなくなるが、ロールアウトとフローは深い層ほどよく一致する。
B1_published = 生 { $blank_out_raw }、ロールアウト { $blank_out_rollout }、フロー { $blank_out_flow }（第 1〜6 層）
B1_rule = 読み出しトークン（エンコーダーでは [CLS]）の行とブランクアウト（[UNK]、除去が効くテキストのみ）との順位相関を、同じテキストの差で比べる。いずれの差も報告値の 25% 以上であること：生の重みは第 1 層から中ほどの層へ下がり、ロールアウトとフローは第 1 層から最終層へ上がり、上半分の層では両者が生の重みを上回る

B2_statement = 生の注意重みは、入力の勾配とも深い層で一致しなくなるが、ロールアウトとフローは深い層ほどよく一致する。
B2_published = 生 { $gradient_raw }、ロールアウト { $gradient_rollout }、フロー { $gradient_flow }（第 1〜6 層）
B2_rule = B1 と同じ判定を、ブランクアウトの代わりに勾配のノルムで行う

B3_statement = 中ほどの層では、トークンを除いたときの影響と、ロールアウトよりもフローのほうがよく一致する。
B3_published = 6 層中の第 3 層で { $blank_out_flow_2 } 対 { $blank_out_rollout_2 }、勾配では { $gradient_flow_2 } 対 { $gradient_rollout_2 }
B3_rule = 中ほどの層で、ブランクアウト（[UNK]、除去が効くテキストのみ）との順位相関のフローとロールアウトの差（同じテキスト）が、報告された差の 25% 以上である。勾配での差を併記する

B4_statement = フローの一致度は中ほどの層まで上がり、それより上では変わらない。
B4_published = 第 3〜6 層で { $blank_out_flow_2 }、{ $blank_out_flow_3 }、{ $blank_out_flow_4 }、{ $blank_out_flow_5 }
B4_rule = ブランクアウト（除去が効くテキストのみ）との一致について、第 1 層から中ほどの層までの上昇が報告値の 25% 以上であり、上昇した場合には、そこから最終層までの変化が 0.05 以内である。第 1 層だけで決まる上界に達する組の割合を併記する

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
B11_rule = ALTI とロールアウトの差（同じテキスト）が報告値の 25% 以上である。包括性（そのままの値と、最良と最悪の除去順で正規化した値）では正、十分性では負の向き

B31_statement = 主語と動詞の数の一致を問う課題では、バリューのゼロ化が、ほかの手法よりも手がかりの単語をよく見つける。
B31_published = 言語学的な根拠による評価で、ほかの分析手法を上回る（数値は比較しない）
B31_rule = 検証していない。原論文では、隠した単語を予測する層をもつモデルで、隠した単語の行を読むためである。文法 agreement の文に仕込んだ根拠に対する ROC-AUC の差を {"["}CLS] の行について求め、参考として示す

conditions_blimp = BLiMP の文法的な一致の文での BERT-base、RoBERTa-base、ELECTRA
B32_statement = ALTI-Logit は、勾配に基づく手法よりも、予測を決める語とよく一致する。
B32_published = 一貫して優れる（値は引用しない）
B32_rule = 仕込んだ根拠に対する ROC-AUC について、ALTI-Logit から勾配のノルムを引いた差と、勾配 × 入力を引いた差（同じテキスト）が、いずれも { $better }（本レポートの設定）の 25% 以上である。勾配のノルムの ROC-AUC が { $perfect } を超えるモデルには改善の余地がほとんどないので、どちらとも比べない。原論文の勾配は二つのロジットの差についてのもので、ノルムは L1 である。原論文にある摂動に基づく比較対象は検証に含めない。ノルムには符号がないので、符号を除いた差も併記する

B39_statement = AttnLRP は、予測が依存するトークンを、勾配や注意重みよりもよく見つける。
B39_published = 比較したどの手法よりも忠実である（ここでは向きだけを採る）
B39_rule = 正規化した包括性について、AttnLRP から勾配 × 入力、積分勾配、ロールアウトを引いた差（同じテキスト）が、いずれも { $better }（本レポートの設定）の 25% 以上である。仕込んだ根拠に対する ROC-AUC について、AttnLRP から ALTI-Logit を引いた差も併記する

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
case_unsigned_gradient_norm = ALTI-Logit（符号なし）と勾配のノルムの差
case_unsigned_gradient_x_input = ALTI-Logit と勾配 × 入力の差（どちらも符号なし）
case_attn_lrp_gradient_x_input = AttnLRP と勾配 × 入力の差
case_attn_lrp_integrated_gradients = AttnLRP と積分勾配の差
case_attn_lrp_rollout = AttnLRP とロールアウトの差
case_attn_lrp_alti_logit = AttnLRP と ALTI-Logit の差（仕込んだ根拠）
means_correlation = 二つの手法（of と kind）のスコアの順位相関
case_comprehensiveness_normalised = 正規化した包括性
