chapter_propagation = 注意の伝播

## Words of figures and tables

at_bound = 上界に達したフロー
cls = 先頭のトークンから
special = その他の特殊トークンから
text = 通常のトークンから
tight_flow = 上界（固定の残差）
tight_flow_measured = 上界（実測の残差）
effective_share = 長さの割合
effective_correlation = 相関係数
longer = トークン数がヘッドの次元を超えるテキスト
shorter = 超えないテキスト
margins = 判断の基準は本レポートで定めたもので、差が 5 ポイント以内の割合は等しい、平均との違いが重みの 10% に満たない行は区別できない、ヘッドの平均の正規化エントロピーが 0.9 を超えれば一様に近い、フローの行のものが 0.95 を超えればほとんど等しい値からなるとみなす
share_of_row = 行に占める割合
first_share = 先頭のトークンの割合
bound = マスクによる下限
source_share = 原文の割合
attnresln_n_rollout = AttnResLN-N のロールアウト
alti_rollout = ALTI+（ALTI のロールアウト）
step_told = 単語を予測する行
step_given = 単語を受け取る行
alignment_error = 誤り率
alignment_precision = 適合率
alignment_recall = 再現率
content_error = 内容語での誤り率
links_told = 最終層
links_content = 内容語だけ
links_given = 受け取る行
links_told_layers = 全層の平均
links_given_layers = 全層の平均、受け取る行
links_steps = { $better ->
    [told] ここで比べたのは最終層だけであり、そこでは逆に、注意重みの誤り率は予測する行のほうが低い。予測する行で { $told }、受け取る行で { $given } である
    [close] ここで比べたのは最終層だけであり、そこでは両者の区間が重なる。注意重みの誤り率は、予測する行で { $told }、受け取る行で { $given } である
   *[given] ここで比べた最終層でも、注意重みの誤り率は受け取る行のほうが低い。受け取る行で { $given }、予測する行で { $told } である
}
told_word = 行が予測する単語
source_word = 原文の単語
end_of_target = （終わり）

## Alternative texts of figures

alt_overview = 層ごとの折れ線グラフ。実験ごとに一列。固定の残差、実測の残差、一様な注意によるロールアウトの混合度合い、異なるトークンの行どうしの距離、通常のトークンから出るフローのうち上界に達したものの割合。
alt_lecture = クエリのトークンからキーのトークンへの注意重みの三つのヒートマップ。第 1 層の一つのヘッド、第 1 層のヘッド平均、最終層のヘッド平均。
alt_cls = 予測に使うトークンが読み取る重みの六つのヒートマップ（層 × トークン、目盛りは共通）。生の注意重み、残差接続込み、ロールアウト、フロー、後の二つは実測の残差でも。
alt_maps = 第 1 層、中間の層、最終層でのロールアウトとフローのヒートマップ（トークン × 入力トークン、目盛りは共通）。
alt_absorbed = デコーダーで先頭のトークンに由来する割合の折れ線グラフ（横軸は層）。生の注意重み、ロールアウト、一様な注意のロールアウト、マスクによる下限、一様な注意で割ったロールアウト、先頭のトークンを除いたロールアウト。実験ごとに一列。
alt_curves = 層ごとの混合度合い、正規化エントロピー、特殊トークンの割合、行どうしの距離の折れ線グラフ。生の注意重み、残差接続込み、二通りの残差でのロールアウトとフロー、一様な注意のロールアウトを実験ごとに並べる。
alt_tight = フローが上界に達する組の割合を層ごとに示す折れ線グラフ。始点のトークンの種類ごとに、固定の残差と実測の残差で示す。実験ごとに一列。
alt_shares = 訳文のトークンのうち原文に由来する割合の折れ線グラフ（横軸はデコーダーの層）。二通りの残差でのロールアウト、ノルムによる寄与と ALTI のロールアウト、フロー。実験ごとに一列。
alt_links = 手法ごとに、単語どうしの対応の誤り率を区間つきの点で示す。単語を予測する行と、単語を受け取る行で読み取る。線はランダムな対応の誤り率。
alt_pair = 最終層について、訳文の単語 × 原文の単語の六つのヒートマップ（目盛りは共通）。注意重み、ノルム、ALTI、ロールアウト、ALTI+、フロー。対応する単語の組を枠で囲む。
alt_effective = 層ごとの折れ線グラフ。実験ごとに一列。有効注意に残る行の長さの割合と、注意重みとの相関係数。トークン数がヘッドの次元を超えるテキストと、超えないテキストについて示す。

## Published claims

A4_statement = 残差接続の割合を 0.5 に固定すると、重みによる混合度合いは半分になる。
A4_published = { $code_weights } → { $code_residual }（コード）、{ $paper_weights } → { $paper_residual }（論文）、いずれも %
A4_rule = 重みによる値の半分が、報告値と印字された桁まで一致する。ここでのモデルでは、すべてのテキストで二つの比が 0.5 になる

A8_statement = ロールアウトの各行の和は 1 であり、第 1 層では、残差接続込みの注意、ロールアウト、フローが一致する。
A8_published = 厳密に成り立つ
A8_rule = 全テキストで最大のずれが 10⁻⁹ に満たない

A9_statement = アテンションフローは全層の注意を反映する。
A9_published = 暗黙の前提
A9_rule = 最終層で、通常のトークンと特殊トークンから出るフローについて、第 1 層だけで決まる上界に達する組が半数に満たない。別の上界がある [CLS] については、ブランクアウト（除去が効くテキストのみ）との順位相関が、第 1 層の生の注意重みのそれと { $ranked } の 4 分の 1 以上異なる

A12_statement = ロールアウトは、各層がトークン自身に残す割合の積以上を、そのトークン自身に残す。
A12_published = 下界
A12_rule = 全テキスト・全トークンで最小の余裕が、丸めの範囲で 0 を下回らない

A14_statement = トークン数がヘッドの次元を超えるテキストでは、ヘッドの出力から注意重みを一意に決められない。
A14_published = 厳密に成り立つ
A14_rule = 該当するすべてのテキストとヘッドで、バリューの左零空間の次元が 1 以上である。そこに含まれる成分を除いても、出力は最大の成分の 10⁻⁹ を超えて動かない

B18_statement = 最終層の注意はほとんど一様であり、[CLS] の注意は上半分の層で均等に近づく。
B18_published = 「ほとんど一様」。別の報告では、BERT-base の最終層の [CLS] のエントロピーは { $cls_entropy } ナット
B18_rule = ヘッド平均のエントロピーを ln n で割った値が最終層で { $almost } を上回り、[CLS] の行では上半分の層の値が下半分を 0.1 以上上回る

B33_statement = 翻訳モデルが原文に向ける注意では、重みを掛けたベクトルのノルムのほうが、重みよりも単語を正しく対応させる。
B33_published = アラインメント誤り率は、単語を予測する行ではノルムが { $norms_told }、重みが { $weights_told }。単語を受け取る行では { $norms_given } と { $weights_given }（層と五つのモデルの平均）
B33_rule = 注意重みのアラインメント誤り率から、同じテキストでのノルムの誤り率を引いた差（層の平均）が、デコーダーの単語を予測する行でも、受け取る行でも、報告された差の 25% 以上である。翻訳を学習できたモデルだけで調べる
conditions_europarl = Europarl で学習した五つの独英翻訳 Transformer（508 対）
conditions_lecture = 12 層のロシア語の感情分類モデルと一つの文
needs_lecture = 講義のモデル（ハブ）と、その文のファイル
case_norms_told = 単語を予測する行：誤り率の差（注意重み − ノルム）
case_norms_given = 単語を受け取る行：誤り率の差（注意重み − ノルム）
case_printed_by_code = コードの出力
case_printed_in_paper = 論文の表
case_largest_ratio = テキストについて最大の比
case_smallest_ratio = テキストについて最小の比
case_row_sums = 行の和
case_first_layer = 第 1 層
case_from_cls = {"["}CLS] から
case_ranking_cls = {"["}CLS] からのフローと第 1 層の生の注意重みの、ブランクアウトとの一致の差
case_from_special = その他の特殊トークンから
case_from_text = 通常のトークンから
case_fixed_residual = 固定の残差
case_measured_residual = 実測の残差
case_all_rows = 最終層の全行
case_null_space = 零空間の最小の次元
case_unseen = 出力の最大の変化
case_cls_upper_lower = {"["}CLS]：上半分と下半分の差
study_rollout-lecture = アテンションロールアウトの講義
means_tight = フローが上界に達する組の割合
