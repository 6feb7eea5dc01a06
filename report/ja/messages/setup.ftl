chapter_setup = 実験の設定

## Words of figures and tables

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
trained = 訓練データ中の答えなし
empty = 何も答えない場合
calibration_error = 較正誤差
no_such = 該当なし
bag_of_words = bag-of-words
majority = 多数派クラス
learned = 課題を習得したモデル
train = 訓練
validation = 検証
test = テスト
captured = 特徴を抽出した数
truncated = 切り詰めた数
tokens_per_word = トークン／語
unknown = 未知
altered = 改変
left_out = 脱落
source = テキストの出典
label = ラベル
text = テキスト
ideal = 確率 = 正解率
source_generated = 文法 { $grammar }（根拠を記録）
source_sentences = 本プロジェクトの自然文
source_texts = params.yaml に書かれたテキスト
source_files = 手元のファイル { $test }
source_hub = ハブのデータセット { $name }
source_squad-files = { source_files }
source_squad-hub = { source_hub }
first_tenth = 先頭の 10%
stratified_tenth = 層化抽出した 10%
place_in_file = クラス順に並んだファイルの中の位置
class_number = クラス { $number }
layers = 層数
heads = ヘッド数
drawn_stream = ストリーム
drawn_attention = 注意
drawn_source = 交差注意
drawn_heads = { $heads ->
   *[other] { $heads } ヘッド
}
drawn_groups = { $heads }／{ $groups } 群
drawn_plain = FFN
drawn_gated = ゲート付き FFN
drawn_other = FFN
drawn_norm_layer = 層正規化
drawn_norm_rms = RMS 正規化
drawn_read = 読み出しトークン
drawn_times = { $layers ->
   *[other] { $layers } 層
}
grouped = { $heads }（{ $groups } グループ）
dimension = 次元数
norms = 正規化の位置
norms_ = なし
norms_before = 前
norms_of_output = 加えるもの
norms_after = 和
norms_before_of_output = 前と、加えるもの
norms_before_after = 前と、和
norms_of_output_after = 加えるものと、和
norms_before_of_output_after = 前と、加えるものと、和
centring = 正規化の種類
norm_layer = 層
norm_rms = RMS
networks = フィードフォワード層
network_plain = 通常
network_gated = ゲート付き
network_other = その他
network_plain_beside = 通常（注意と並列）
network_gated_beside = ゲート付き（注意と並列）
network_other_beside = その他（注意と並列）
sight = 見える範囲
sight_all = すべて
sight_earlier = 前だけ
sight_window = 前後の一定範囲
sight_earlier_window = 前の一定範囲
sight_source = 原文の全体
read = 読み出す位置
read_first = 先頭
read_last = 末尾
between_kinds = {"／"}

## Alternative texts of figures

alt_drawing = 構造ごとに一つの層を描いた図。下から上へ向かうストリーム、その横の注意とフィードフォワード層と正規化、各トークンから見えるトークンのマップ、読み出しトークン。
alt_learning = 訓練ステップに対する訓練損失、検証損失、検証正解率の折れ線グラフ。学習した実験ごとに一列。
alt_calibration = 予測クラスの確率（10 区間）に対する正解率の散布図と対角線。点の面積はテキストの割合。
alt_split = クラス順に並んだファイルのテキストを表す二本の帯。前半が一方のクラス、後半が他方のクラスである。上の帯では、選ばれた 10% が先頭に固まり、すべて同じクラスに属する。下の帯では、両方のクラスに均等に散らばる。

## Sentences of the notebook

rate_of = { $rate }（{ $names }）
setup_trained = { $outcome ->
    [only] 今回の実行の実験
    [all] { $every }すべて
   *[some] 学習した実験（{ $total } 件中 { $n } 件）
}
setup_unlearned_model = { $experiment } では、{ $models ->
    [only] モデルが課題を習得していない
    [all] { $count } 個のモデルがいずれも課題を習得していない
   *[part] シード { $seeds } のモデルが課題を習得していないので、説明に関する数値には含めない
}（{ $score ->
    [accuracy] テストデータでの正解率は { $reached }、つねに最多のクラスと答えれば { $baseline }
    [written] テストデータの訳文の単語を予測する正解率は { $reached }、つねに最多の単語と答えれば { $baseline }
   *[answered] F1 は { $reached }、何も答えなければ { $baseline }
}）
setup_unlearned_next = { $list }。{ $next }
setup_unlearned = { $models }{ $which ->
    [none] {""}
   *[some] 。{ $excluded } の数値は示すが、予測を何が説明するか、どのヘッドが必要かについての結論には用いない。ファインチューニング後のモデルについてのほかの結論には含まれる
}

setup_unread = テキストの文字の一部が、モデルにそのまま渡っていない（{ $experiments }）。語彙にないか、トークナイザーが別の文字に変えるか取り除くためで、ここで得た結果は、表示されているテキストそのものについての結果ではない

## Published claims

A3_statement = IMDB のテストデータの先頭 10% は、両クラスを含む検証データとして使える。
A3_published = コードが前提としている
A3_rule = 公開されたファイルの順で先頭 10% のテキストに占める、多いほうのクラスの割合が 60% に満たない

B26_statement = BERT-base は IMDB のレビューを報告された正解率で分類する。
B26_published = { $tokens128 }（128 トークン）、{ $tokens384 }（384）、{ $tokens512_0 }〜{ $tokens512_1 }（512）
B26_rule = テストデータ全体での正解率が、同じ長さでの報告値から { $within } 以内にある

B27_statement = BERT-base は SQuAD 2.0 の質問に報告された成績で答える。
B27_published = 完全一致 { $exact }、F1 { $f1 }
B27_rule = 成績が報告値から 1 ポイント以内にある

conditions_squad = SQuAD 2.0 での BERT-base
needs_imdb = IMDB そのもの（profiles/imdb.yaml または profiles/imdb-bert-base.yaml）
needs_imdb_full = GPU での profiles/imdb-bert-base.yaml（学習・テストとも 25,000 テキスト、乱数シード三つ）
needs_squad_full = GPU での profiles/squad-bert-base.yaml（全質問を 2 エポック）
case_tokens128 = 128 トークン
case_tokens384 = 384 トークン
case_tokens512 = 512 トークン
case_other_accuracy = 正解率（モデルとテキスト数を問わない）
case_other_exact = 完全一致（モデルと質問数を問わない）
case_other_f1 = F1（モデルと質問数を問わない）

## Columns of the downloads

column_text = テキスト
