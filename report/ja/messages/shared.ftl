layer = 層
nth_layer = 第 { $layer } 層
head = ヘッド
query = クエリ
key = キー
raw = 生の注意重み
residual = 残差接続込み
rollout = ロールアウト
rollout_measured = ロールアウト（実測の残差）
flow = フロー
flow_measured = フロー（実測の残差）
attn_w = Attn-W
attn_n = Attn-N
attnres_w = AttnRes-W
attnres_n = AttnRes-N
attnresln_n = AttnResLN-N
attnresln_ff_n = …と FF
attnresln_ffres_n = …と FF と残差
attnresln_ffresln_n = 層全体
globenc = GlobEnc
alti = ALTI
value_zeroing = バリューのゼロ化
value_zeroing_rollout = バリューのゼロ化のロールアウト
attn_w_rollout = ロールアウト（残差なし）
attn_n_rollout = Attn-N のロールアウト
attnres_n_rollout = AttnRes-N のロールアウト
attnresln_n_rollout = AttnResLN-N のロールアウト
globenc_rollout = GlobEnc
alti_rollout = ALTI
alti_logit = ALTI-Logit
gradient_norm = 勾配のノルム
gradient_x_input = 勾配 × 入力
integrated_gradients = 積分勾配
attn_lrp = AttnLRP
decompx = DecompX
roc_auc = ROC-AUC
umap = UMAP
tsne = t-SNE
pca = PCA
trustworthiness = 信頼性
continuity = 連続性
overlap = 近傍の一致率
pretrained = ファインチューニング前
finetuned = ファインチューニング後
one_seed = 各シード
experiment = 実験
model = モデル
method = 手法
variant = モデルの状態
tokens = トークン数
mean = 平均
mixing = 混合度合い
entropy = エントロピー / ln n
row_distance = 行どうしの距離
uniform = 一様な注意のロールアウト
rollout_beside_uniform = 一様な注意で割ったロールアウト
rollout_without_first = 先頭のトークンを除いたロールアウト
special_share = 特殊トークンの割合
of = { $whole }：{ $part }
beside = { $one }、{ $other }
not_defined = 定義できない
no_value = 値なし
nothing_above_zero = 全層で 0
at_most = 最大 { $value }
no_seed = シードなし
list_next = { $list }、{ $name }
list_last = { $list }、{ $name }
# 正解のわかる回路で、手法が何個を捉えるか。
recovers = { $measure } が { $n }（ベースラインは { $baseline }）
recovered = { $through ->
    [layer] 一つの層では、それぞれが表すはずのものについて、{ $circuits } 回路のうち { $measures } を捉える。
   *[model] モデル全体では、それぞれが表すはずのものについて、{ $circuits } 回路のうち { $measures } を捉える。
}
recovered_both = { $first }{ $second }
recovered_here = { $page }のうち、このページの手法が捉えるものは次のとおりである。
range = { $low }〜{ $high }
range_signed = { $low }〜{ $high }
count_case = { $count } 個の判定単位
count_experiment = { $count } 件の実験
# 数値を示した実験。
of_experiment = { $run ->
    [this] 実験 { $name }
   *[other] 参照実行 { $run } の実験 { $name }
}
# 参照実行で決まる所見の後に。
source_runs = （{ $own ->
    [yes] 今回の実行と
   *[no] {""}
}参照実行 { $runs } による）
in_experiments = 実験 { $names }
# 知見が当てはまる範囲。一つしかないとき、学習がないときは書かない。
in_every_experiment = { $n ->
    [1] { "" }
   *[other] どの実験でも、
}
in_every_state = { $n ->
    [1] { "" }
   *[other] どのモデルの状態でも
}
before_tuning = { $trained ->
    [no] { "" }
   *[yes] ファインチューニング前のモデルでは、
}
# 「実験」に続けて。
and_tuning = { $trained ->
    [no] { "" }
   *[yes] とファインチューニングの有無
}
models_before = { $trained ->
    [no] { "" }
   *[yes] ファインチューニング前のモデルでは、
}
count_head = { $count } 個のヘッド
count_map = { $count } 枚のマップ
count_state = モデルの状態 { $count } 通り
count_step = { $count } 分割
kept_run = { $run }：{ $date }、コミット { $commit }
runs_texts = テキスト数
finding_verdict = { $finding }。参照実行を合わせた場合、主張 { $claim } は{ $outcome ->
    [holds] 成り立つ
    [divided] モデルによって分かれる
    [partly] 一部だけ成り立つ
    [smaller] 向きは同じだが小さい
    [fails] 成り立たない
   *[open] 判定保留である
}
# モデルによって分かれることの後に置く。数えるのは、それを測ったモデルだけである。
in_models = { $of ->
    [0] 一部の場合
    [1] 一部の場合
   *[other] { $held ->
        [0] { $of } モデルのいずれかの、一部の条件
       *[other] { $of } モデル中 { $held } モデル
    }
}
finding_smaller = { $finding }。{ $extent ->
    [all] 向きはどのモデルでも報告どおりだが、効果の小さいモデルがある
   *[none] 向きは報告どおりだが、効果は小さい
}
# 数値の後には空白が続くので、半角の括弧を使う。
number_unlearned = { $number } (課題は未習得)
# 現れうるページの冒頭で、角括弧の意味を説明する。
number_states = { $before }→{ $after }
range_states = { $before } → { $after }
# 検証していない理由。「ため」に続く。
untested = { $reason ->
    [not_learned] 該当するモデルが課題を習得していない
    [undefined] 実行の結果にその値がない
    [untrained] 今回の実行ではモデルを学習させていない
   *[no_experiment] 今回の実行に該当する実験がない
}
# 所見の問い（メッセージの属性 `untested`）を検証していないとき。
finding_not_tested = { $question }は、{ $why }ため検証していない
comma = 、
colon = ：
stale = 現在のコードでは別の値になる
count_text = { $count } 件のテキスト
count_token = { $count } トークン
data = データ (CSV)
zipped = データ (CSV, ZIP)
record = データ (JSON)
drawing = 図 (SVG)
code = コード
repository = コード
columns = 列の説明
column_group = 尺度の群（パイプラインの段階）
column_experiment = 実験（params.yaml での名前）
column_variant = モデルの状態：pretrained はファインチューニング前、finetuned はファインチューニング後、both は両方
column_measure = 値を出した尺度
column_quantity = 測った量（個々の量は下の行）
column_subject = 数値が何についてのものか：手法、範囲、特徴を取り出す点、または重み行列（LAYER は別の層の番号）
column_facet = その中のどれか：トークンの種類、比べる相手の手法など、量の行に示す区分
column_kind = 行が何であるか（クエリかキー、クラスタか型など）
column_clusters = クラスタ数（クラスタのない量では 0）
column_layer = 層（1 から。0 は最初の層への入力、-1 は全層）
column_head = ヘッド（1 から。0 は全ヘッドの平均）
column_minus = テキストごとに引いた相手（引いていなければ空欄）
column_mean = テキストとシードにわたる平均
column_low = 平均の区間の下端（全テキストから一つ求める値では空欄）
column_high = 平均の区間の上端
column_texts = 値の定まるテキストの数（全テキストから一つ求める値では 0）
column_seeds = シードを変えて訓練したモデルの数
column_by_seed = シードごとの平均（シードが複数の場合）
column_smallest = テキストごとの値の最小
column_largest = テキストごとの値の最大
column_p = 差の p 値
column_reading = 規則が求める、テキストごとの値の差の名前。量そのものなら空
column_method = 手法（コードでの名前）
column_point = 観測点（コードでの名前）
column_place = 順伝播における観測点の順番。0 から数える
column_example_id = テキスト（データでの番号）
column_position = テキストにおけるトークンの位置。0 から数える
column_token = トークン
column_start = テキストにおけるトークンの最初の文字の位置。0 から数える
column_end = トークンの最後の文字の次の位置
column_is_special = 特殊トークンかどうか
column_is_evidence = ラベルの根拠となるトークンかどうか。根拠の印のないデータでは空
column_query = 注意を向けるトークンの位置。0 から数える
column_query_token = そのトークン
column_key = 注意を向けられるトークンの位置。0 から数える
column_key_token = そのトークン
column_weight = 注意重み
column_x = マップの第 1 座標
column_y = マップの第 2 座標
column_norm = ベクトルの長さ
column_trustworthiness = マップの信頼性（用語集）
column_continuity = マップの連続性（用語集）
column_overlap = マップで保たれる最近傍の割合
column_spread = シードの異なるマップのあいだのディスパリティの平均
function = この図を描くコード
explore = エクスプローラで見る
pca_raw = PCA（そのまま）
pca_translated = PCA（平行移動後）
sampled = テキスト数：{ $texts }。モデル数（シードの数）：{ $seeds }。
each = 各 { $count }
uncorrected = 表とそのデータの区間には、多重比較の補正をしていない。
all_methods = すべての手法
other_experiments = ほかの実験
rows = 表を開く（{ $rows } 行）
label = 本文を検索
found = 該当：{ $found } 件
without = すべての語を含む箇所はない。{ $words } を除いた検索：
quoted_word = 「{ $word }」
means_cls_entropy = 先頭行のエントロピーを ln n で割った値
means_similarity_centred = 全トークンの平均を除いた、トークン間の平均コサイン
means_own_source = 自分自身が最大の源であるトークンの割合
means_dependence = ベクトルの変化のうち、ほかのトークンの置き換えによるものの割合
means_without_pattern = パターンに注意のその割合以上を求めたとき、どのパターンにも属さないヘッドの割合
