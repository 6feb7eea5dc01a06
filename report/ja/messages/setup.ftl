step = ステップ
loss = 損失
accuracy = 正解率
train_loss = 訓練損失
validation_loss = 検証損失
validation_accuracy = 検証正解率
confidence = 予測クラスの確率
f1 = F1
exact = 完全一致
HasAns_exact = 答えあり：完全一致
HasAns_f1 = 答えあり：F1
NoAns_exact = 答えなし
best_exact = 最良の完全一致（しきい値）
best_f1 = 最良の F1（しきい値）
empty = 何も答えない場合
calibration_error = 較正誤差
no_such = 該当なし
bag_of_words = bag-of-words
majority = 多数派クラス
train = 訓練
validation = 検証
test = テスト
captured = 特徴を抽出した数
truncated = 切り詰めた数
source = テキストの出典
label = ラベル
text = テキスト
ideal = 確率 = 正解率
generated = 文法 { $grammar }（根拠を記録）
sentences = 本プロジェクトの自然文
texts_given = params.yaml に書かれたテキスト
files = 手元のファイル { $file }
hub = ハブのデータセット { $name }

# 図の代替テキスト
alt_learning = 訓練ステップに対する訓練損失、検証損失、検証正解率の折れ線グラフ。学習した実験ごとに一列。
alt_calibration = 予測クラスの確率（10 区間）に対する正解率の散布図と対角線。点の面積はテキストの割合。
