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

# 図の代替テキスト
alt_ranking = 各手法が根拠の語を見つける ROC-AUC の点プロット。実験ごとに一列、手法は良い順。縦線はランダムな場合の水準（0.5）。
alt_text = 一つのテキストのトークンに沿ったヒートマップ。手法ごとに一行、手法が見るものごとにまとめる。最上段に根拠の語を示す。実験 { $experiment }。
alt_panel = 手法を行（見るものごとにまとめる）、尺度を列とする点プロット。根拠に対する ROC-AUC、三種類のブランクアウトおよび勾配との順位相関、包括性、十分性。印の形は実験を表す。
alt_layers = 生の注意重み、ロールアウト、アテンションフローと、ブランクアウトおよび勾配との順位相関を層に沿って示す折れ線グラフ。[CLS] の行と全行の最大値について。実験ごとに一列。
alt_start = 二つの関連度の規則の ROC-AUC を、数え始める層に沿って示す折れ線グラフ。予測クラスを支持する証拠と反する証拠。実験ごとに一列。
alt_agreement = 二つの手法の間の順位相関の平均を示すヒートマップ。実験ごとに一枚。負は青、0 は黒、正は赤。
