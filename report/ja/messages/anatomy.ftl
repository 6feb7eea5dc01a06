chapter_anatomy = 注意機構の解剖

## Words of figures and tables

rebuilt = 計算し直した注意
off = 差 ÷ 最大値
short_encoder-in-attention = エンコーダー
short_decoder-in-attention = デコーダー
short_encoder_decoder-in-cross = 交差注意
part_source = トークン
part_before = これまでのトークン
part_attention =
    自己注意
    全トークンが見える
part_masked =
    マスク付き自己注意
    自分までが見える
part_cross =
    交差注意
    原文側が見える
part_feed_forward = フィードフォワード
part_vectors = トークンごとのベクトル
part_next = 次のトークン
layers_times = × 層数
input = 入力 x
query_vectors = クエリ q
key_vectors = キー k
value_vectors = バリュー v
dimension = 次元
scores = スコア s
weights = 注意重み A
unscaled = √d で割らない重み
weight_of = 「{ $token }」の重み
weighted = 重み × バリュー
context_of = その和：「{ $token }」が読んだもの
context = 全ヘッドを並べたもの
output = 出力射影の後
norms = 長さ
norm_input = 入力（残差）
norm_output = 注意
step = 段階
shape = 形
compared = 比べたモデルの値
deviation = 最大の差
largest = 最大の値
projections = 射影
step_context = 加重和
step_output = 出力射影
step_block = 残差と正規化
of_projections = 三つの線形層の出力
of_scores = ソフトマックスの入力
of_weights = ソフトマックスの出力
of_context = 出力射影の入力
of_output = 出力射影の出力
of_block = 層正規化の出力
all_heads = 全ヘッド
one_head = ヘッド { $head } だけ
query_of = 「{ $token }」のクエリ q
keys = キー k
product = q × k（次元ごと）
dot = q · k / √d
softmax = ソフトマックス
encoder = エンコーダー
decoder = デコーダー
encoder_decoder = エンコーダー・デコーダー
encoder_decoder-in-encoder = 両方：エンコーダー
encoder_decoder-in-decoder = 両方：デコーダー
encoder_decoder-in-cross = 両方：交差注意
architecture = モデル
parameters = パラメータ数
accuracy = 正しく書けた列
leak = 後ろのトークンからの漏れ
future = 後ろのトークンへの重み
mirror = 書くべき語への重み
side_encoder = そのエンコーダー

## Alternative texts of figures

alt_overview = 計算し直した一つのヘッドの注意のヒートマップ、段階ごとの差を示す点（最大のものは最大値の { $off }）、小さなモデルの三つの注意マップ。エンコーダー、対角線より上が斜線のデコーダー、交差注意の順に並ぶ。
alt_projections = トークンごとに一行の四つのヒートマップ。層に入るベクトルと、一つのヘッドのクエリ、キー、バリュー。
alt_weights = クエリ × キーの三つの行列。ゼロを中心に色分けしたスコア、そのソフトマックスである注意重み、割らないときの重み。
alt_sum = 一つのトークンの重みの棒グラフ、全トークンのバリュー、重みを掛けたバリュー、その下に和である一本のベクトル。
alt_block = 全ヘッドが読んだものを並べたヒートマップと、その射影。加えられる側のベクトルとの長さの比較をトークンごとの棒で示す。
alt_heads = 一つの層の全ヘッドの注意を同じ色の目盛りで示すヒートマップ。枠は、ここまでの各段階で取り上げたヘッド。
alt_architectures = 三つの小さなモデルが単語の列を逆向きに書くときの、全ヘッドのヒートマップ。デコーダーでは、マスクがキーを隠す対角線より上が斜線である。
alt_head_view = 同じトークンの二つの列を、注意重みに応じた濃さの線で結んだ図。一つの層の全ヘッドを色分けしたものと、一つのヘッドだけのもの。
alt_model_view = 層 × ヘッドに並べた小さな図。それぞれが注意の線を示す。
alt_neuron_view = 色の帯で、一つのトークンのクエリ、全トークンのキー、次元ごとの積、その和を示し、ソフトマックスを棒で示す。
alt_drawing = 三つの構成の模式図。エンコーダーは、トークン、全トークンが見える自己注意、フィードフォワード層、トークンごとのベクトルを順に重ねる。デコーダーは、これまでのトークン、マスク付き自己注意、フィードフォワード層、次のトークンを順に重ねる。エンコーダー・デコーダーは両者を並べ、デコーダーの交差注意がエンコーダーの出力を読む。
