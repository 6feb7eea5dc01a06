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
