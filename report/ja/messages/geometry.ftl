chapter_geometry = クエリとキーの幾何

## Words of figures and tables

before = モデルのまま
translated = 平行移動
after = 平行移動と尺度変換（閉形式）
joint = 同上（全ヘッド共通の c）
cosine = 角度（コサイン）
euclidean = 全次元の距離
plane = 平面上の距離
distance_taken = 距離
state = 状態
apart_before = 最も強い組（前）
apart_after = 最も強い組（後）
all_before = すべての組（前）
all_after = すべての組（後）
rank_before = 順位（前）
rank_after = 順位（後）
correlation = 順位相関
offset = 0 からの隔たり
choice = 選び方
scope = 単位
layer_scope = 層
head_scope = ヘッド
model_scope = モデル
centroid = 重心
norm-ratio = ノルム比
weighted = 重み付き
closed-form = 閉形式
c = c
pearson = 距離の二乗との相関
edge = 探索範囲の端
a = a
size = 相関の強さ
no_grid = 格子探索なし
layer_and_head = 第 { $layer } 層ヘッド { $head }
beside_range = { $value }（{ $range }）
seed = 再現研究の a と c
cosine_distance = コサイン距離
dot = 内積
all_pairs = すべての組
own_pairs = 自分自身との組
pair = 組
weight = 重み
place = 層.ヘッド
every_head = 全体の平均
distance_before = 距離（正規化前）
distance_seed = 再現研究
distance_after = 閉形式
closer_seed = 近づいたか（再現研究）
closer_after = 近づいたか（閉形式）
yes = はい
no = いいえ
kind = 種類
position = 位置
norm = 長さ
frequency = トークンの頻度
label = テキストのラベル
text = テキスト
part = 役割
special = 特殊トークン
evidence = 根拠語
other = その他
change_attention = 注意
change_features = 特徴ベクトル
change_weights = 重み行列
attention = 注意の各行
attention_alone = 同上、新しいクエリとキーだけによる分
layer_output = 層の出力（全トークン）
layer_output_first = 層の出力（先頭のトークン）
value = バリュー
distance = JS 距離
score_change = スコアの変化
side_query = クエリを通じた変化
side_key = キーを通じた変化
source_constant = バイアス
source_embedding_word = 単語埋め込み
source_embedding_position = 位置埋め込み
source_embedding_type = タイプ埋め込み
source_embedding_any = 埋め込み
source_head = 第 { $layer } 層の全ヘッド
source_network = 第 { $layer } 層の FFN
runs_correlation_before = 順位相関（前）
runs_correlation_after = 順位相関（後）
runs_plane_before = 平面上の順位（前）
runs_plane_after = 平面上の順位（後）
runs_norm_difference = クエリとキーのノルムの差

contrast_previous = 直前のトークンに最も注意
contrast_cls = 先頭のトークンに最も注意
contrast_relative_entropy = 最も一様な注意
contrast_previous_said = 直前のトークンに最も注意するヘッド（{ $head }）は、重みの { $value } をそれに与える
contrast_cls_said = 先頭のトークンに最も注意するヘッド（{ $head }）は、それに { $value } を与える
contrast_relative_entropy_said = 三つ目（{ $head }）は重みが最も一様なヘッドで、エントロピーは一様な注意の { $value } 倍である
sentences_joined = {"。"}

## Alternative texts of figures

alt_contrast = 注意する先が大きく異なる三つのヘッドの、クエリとキーのマップ。最も強い対を線で結ぶ。
alt_close = 層ごとの折れ線グラフ。クエリが最も強く注意を向けるキーが全キーのうち何番目に近いかを、角度、全次元の距離、平面上の距離について、平行移動と尺度変換の前後で示す。
alt_correlation = 内積とコサイン距離の順位相関と、内積の 0 からの隔たりを、平行移動の前後について層ごとに示す折れ線グラフ。
alt_heads = 平行移動後の順位相関を層とヘッドについて示すヒートマップ。モデルの状態ごとに一枚。
alt_grid = 左は定数 a と c についての相関の強さのヒートマップで、行によって異なるが、列によっては変わらない。右は c に対する距離の二乗との相関をヘッドごとに示す曲線で、閉形式の位置に点がある。
alt_scatter = 第 1 層における内積とコサイン距離の散布図。すべての組と自分自身との組を、モデルのまま、再現研究の定数、平行移動と閉形式の三通りについて示す。
alt_plane = { $place }のクエリとキーを平面に描いた三枚の図。各クエリから最も強いキーへ線が引かれている。
alt_plane_heads = 平行移動と尺度変換の後の同じ図を、全層全ヘッドについて並べたもの。
alt_joint = クエリとキーの PCA による小さなマップを、層とヘッドごとに並べたもの。
alt_joint_first = 最初の二層の全ヘッドのクエリとキーのマップを大きく並べたもの。最も強い組を線で結ぶ。
alt_joint_layouts = クエリとキーの小さなマップを層とヘッドごとに並べたもの。上は UMAP、下は t-SNE。
alt_joint_head = { $place }のクエリとキーのマップ。種類（最も強い組を線で結ぶ）、位置、長さ、頻度、テキスト、役割で色分けしたもの。
alt_change = 層ごとの折れ線グラフ。注意、特徴ベクトル、クエリ・キー・バリューを作る重み行列の変化を示す。
alt_change_heads = ファインチューニング前後の注意分布の距離を層とヘッドについて示すヒートマップ。
alt_aligned = 一つのヘッドのクエリとキーのマップ二枚。ファインチューニングの前と後。
alt_score = 二つの棒グラフ。実験 { $experiment }、{ $place }のクエリ「{ $query }」とキー「{ $key }」について、下の層の埋め込み、ヘッド、フィードフォワード層の変化が、それぞれスコアをどれだけ変えたかを示す。
alt_joint_others = 実験 { $experiment } のクエリとキーの PCA による小さなマップを、層とヘッドごとに並べたもの。

## Sentences of the notebook

geometry_no_value = 定義できない値

geometry_lines = 一つのヘッドで最も強い { $lines } 組は、平均してクエリの { $share } に及ぶ。半数のヘッドでは、その重みはいずれも { $weight } 以上である
geometry_score = { $place }（実験 { $experiment }）では、「{ $query }」の「{ $key }」に対するスコアが、全キーの平均を基準としてファインチューニング前の { $before } から { $after } に{ $moved ->
    [raised] 上がる
   *[lowered] 下がる
}。この変化は、{ $side ->
    [query] 大部分がクエリを通じたものである（クエリ { $by_query }、キー { $by_key }）
    [key] 大部分がキーを通じたものである（キー { $by_key }、クエリ { $by_query }）
   *[both] クエリ（{ $by_query }）とキー（{ $by_key }）の両方を通じたものである
}
geometry_score_largest = 一つの由来として最も大きく効いたのは、{ $side ->
    [query] クエリ
   *[key] キー
}への{ $source }の変化である（{ $change }）
geometry_rebuild_edge = { $outcome ->
    [all] どの層でも、a は格子の端にある
    [some] 一部の層では、a は格子の端にある
   *[none] a が格子の端にある層はない
}

## Published claims

A5_statement = ヘッドのキー全体を同じベクトルだけ平行移動しても注意重みは変わらず、クエリを c 倍、キーを 1/c 倍しても内積は変わらない。
A5_published = 厳密に成り立つ
A5_rule = 全ヘッド・全テキストで最大の変化が 10⁻¹² に満たない（注意重みはそのまま、内積はベクトルの長さに対して）

A10_statement = クエリとキーを近づけるとき、尺度 c はほとんど効かない。
A10_published = 一文で観察された
A10_rule = 研究と同じくキーを移動してから尺度を変えるとき、内積とコサイン距離の相関の c による変動が、どの層でも 10⁻⁹ に満たない（逆の順序での値を併記する）

A11_statement = どのヘッドにも最良の尺度 c がある。
A11_published = 最適値として述べられている
A11_rule = 重み付き相関で最良の c が探索範囲の端に来るヘッドが 5%（本レポートの設定）以下で、まとめた相関の閉形式では 95% 以上のヘッドの最良の c が範囲の内側にある

B13_statement = 正規化の後では、クエリとキーの内積とコサイン距離は強い負の相関をもつ。
B13_published = 平均 { $bert }（BERT）、{ $gpt2 }（GPT-2）、一つのヘッドで { $head }
B13_rule = 平行移動後の内積とコサイン距離の順位相関（クエリとヘッドの平均）が { $strong } を下回る（報告値はモデルの種類ごとのもの）。変換前のベクトルでの値を併記する

B15_statement = クエリとキーは長さが異なる。
B15_published = クエリからキーを引いて { $bert }（BERT）、{ $gpt2 }（GPT-2）
B15_rule = クエリとキーの平均の長さの差（ヘッドの平均）が、どちらの向きでも、報告値（エンコーダーでは BERT、デコーダーでは GPT-2 のもの）の 25% 以上 0 から離れている

B21_statement = ファインチューニングが注意を最も変えるのは最後の二層である。
B21_published = 図で示されている（一つの課題を除く）
B21_rule = 最後の二層の注意の変化（分布の距離）が、ほかの層より 25% 以上大きい。モデルが計算するとおりの注意と、各層に以前と同じ入力を与えて層自体の変化だけを見た注意の両方で調べる

B25_statement = 正規化によって、注意の強い組は互いに近づく。
B25_published = 多くのヘッドで報告された。再現研究では、一文・一層でほとんど観察されなかった
B25_rule = 最も強く注意を向けるキーが特殊トークンでないクエリについて、正規化によって、そのキーまでの距離（ベクトルの広がりの半径を単位とする。全ヘッドの平均）が 10% 以上縮まり、そのキーの順位（全キーを距離の順に並べ、0 が最も近く 1 が最も遠い）が 0.05 以上小さくなる。角度、全次元の距離、図に描かれる平面のそれぞれで判定する

conditions_attentionviz = 独自の文での BERT と GPT-2
needs_attentionviz = ハブの BERT-base と GPT-2、および 200 テキスト
case_translated = 平行移動後の注意重み
case_scaled = 尺度変換後の内積
case_moved_scaled = 移動してから尺度変換
case_scaled_moved = 尺度変換してから移動
case_at_edge = 重み付き相関で c が端に来るヘッド
case_inside = 閉形式で c が内側にあるヘッド
case_after_translation = 平行移動後
case_after_translation_decoder = 平行移動後（デコーダー）
case_encoder = エンコーダー
case_decoder = デコーダー
case_before = 正規化前
case_attention = 注意
case_cosine_distance = 角度での距離、後と前の比
case_euclidean_distance = 全次元での距離、後と前の比
case_plane_distance = 平面での距離、後と前の比
case_cosine = 角度での順位、後と前の差
case_euclidean = 全次元での順位、後と前の差
case_plane = 平面での順位、後と前の差
# ダウンロードの列の内容（見出しでは短すぎるもの）
means_correlation_before = 内積とコサイン距離のスピアマン相関（モデルのベクトルのまま、クエリにわたる平均）
means_correlation_after = 内積とコサイン距離のスピアマン相関（キーを平行移動、クエリにわたる平均）
means_undefined = テキスト中で相関の定まらないクエリの数
means_norm_difference = クエリの長さの平均からキーの長さの平均を引いた値
means_offset_before = クエリごとの内積の平均の 0 からの隔たり（標準偏差を単位とする、モデルのベクトルのまま）
means_offset_after = クエリごとの内積の平均の 0 からの隔たり（標準偏差を単位とする、キーを平行移動）
means_strongest_special = 最も強いキーが特殊トークンであるクエリの割合
means_attention = 保存したクエリとキーから計算し直した注意の、最大のずれ
means_softmax = キーの平行移動による注意の最大のずれ
means_dot = 拡大縮小による内積の最大のずれ（ヘッドの最大値に対する比）
means_c = クエリに掛け、キーを割る倍率 c
means_correlation = その c での、内積と二乗距離の相関
means_joint_loss = ヘッドごとの c の代わりにモデル全体で一つの c を使うと、相関がどれだけ弱まるか
means_plane_share = 主平面に収まる分散の割合
means_at_edge = c の探索が範囲の端で終わったところで 1
means_searched = 探索に使うテキストの数
means_translate_scale_spread = 先にキーを平行移動する場合に c が相関を動かす幅
means_scale_translate_spread = 先に拡大縮小する場合に c が相関を動かす幅
means_shift = ファインチューニングの前後の地図の隔たり
means_distance = ファインチューニングの前後の注意のイェンセン・シャノン距離
means_distance_alone = その層のクエリとキーだけが異なる場合の同じ距離
means_cosine_before = コサイン距離で並べた全キー中の最も強いキーの位置（0 が最近、1 が最遠。モデルのベクトルのまま）
means_apart_cosine_before = 最も強いキーまでのコサイン距離（モデルのベクトルのまま）
means_all_cosine_before = すべての組にわたるコサイン距離の平均（モデルのベクトルのまま）
means_cosine_after = コサイン距離で並べた全キー中の最も強いキーの位置（0 が最近、1 が最遠。キーを平行移動し、ヘッドごとの c で拡大縮小）
means_apart_cosine_after = 最も強いキーまでのコサイン距離（キーを平行移動し、ヘッドごとの c で拡大縮小）
means_all_cosine_after = すべての組にわたるコサイン距離の平均（キーを平行移動し、ヘッドごとの c で拡大縮小）
means_euclidean_before = ユークリッド距離で並べた全キー中の最も強いキーの位置（0 が最近、1 が最遠。モデルのベクトルのまま）
means_apart_euclidean_before = 最も強いキーまでのユークリッド距離（モデルのベクトルのまま）
means_all_euclidean_before = すべての組にわたるユークリッド距離の平均（モデルのベクトルのまま）
means_euclidean_translated = ユークリッド距離で並べた全キー中の最も強いキーの位置（0 が最近、1 が最遠。キーを平行移動）
means_apart_euclidean_translated = 最も強いキーまでのユークリッド距離（キーを平行移動）
means_all_euclidean_translated = すべての組にわたるユークリッド距離の平均（キーを平行移動）
means_euclidean_after = ユークリッド距離で並べた全キー中の最も強いキーの位置（0 が最近、1 が最遠。キーを平行移動し、ヘッドごとの c で拡大縮小）
means_apart_euclidean_after = 最も強いキーまでのユークリッド距離（キーを平行移動し、ヘッドごとの c で拡大縮小）
means_all_euclidean_after = すべての組にわたるユークリッド距離の平均（キーを平行移動し、ヘッドごとの c で拡大縮小）
means_euclidean_joint = ユークリッド距離で並べた全キー中の最も強いキーの位置（0 が最近、1 が最遠。キーを平行移動し、モデル全体で一つの c で拡大縮小）
means_apart_euclidean_joint = 最も強いキーまでのユークリッド距離（キーを平行移動し、モデル全体で一つの c で拡大縮小）
means_all_euclidean_joint = すべての組にわたるユークリッド距離の平均（キーを平行移動し、モデル全体で一つの c で拡大縮小）
means_plane_before = 二つの主成分の平面での距離で並べた全キー中の最も強いキーの位置（0 が最近、1 が最遠。モデルのベクトルのまま）
means_apart_plane_before = 最も強いキーまでの二つの主成分の平面での距離（モデルのベクトルのまま）
means_all_plane_before = すべての組にわたる二つの主成分の平面での距離の平均（モデルのベクトルのまま）
means_plane_after = 二つの主成分の平面での距離で並べた全キー中の最も強いキーの位置（0 が最近、1 が最遠。キーを平行移動し、ヘッドごとの c で拡大縮小）
means_apart_plane_after = 最も強いキーまでの二つの主成分の平面での距離（キーを平行移動し、ヘッドごとの c で拡大縮小）
means_all_plane_after = すべての組にわたる二つの主成分の平面での距離の平均（キーを平行移動し、ヘッドごとの c で拡大縮小）
means_side = 由来がクエリとキーのどちらのベクトルに書き込んだものか
means_embedding = 埋め込みの種類（word、position、type）。わからない場合と埋め込みでない場合は空
means_source = ベクトルに書き込んだもの（埋め込み、下の層のヘッドまたはフィードフォワード層、バイアス）
means_change = その由来の変化によるスコアの変化（全キーの平均を基準とする）
means_relative_change = ファインチューニングによる重みの変化（ファインチューニング前のノルムに対する比）
case_attention_alone = 入力を変えないときの注意

## Columns of the downloads

column_text = マップに示すテキストの番号
