chapter_mixing = 混合度合い

## Words of figures and tables

ratio = 混合度合い
ratio_beyond = 混合度合い（注意ブロックの先まで）
cls = 先頭のトークン
special = その他の特殊トークン
mask = [MASK]
text = 通常のトークン
all_tokens = 全トークン
own = 自分の入力との比較
alike = 同じテキストのトークン間
rank = 実効ランク
self_similarity = 自分の入力とのコサイン類似度
identifiability = 識別可能なトークンの割合
similarity = トークン間の平均コサイン類似度
similarity_centred = 同上（平均を引く）
effective_rank = 全トークンの実効ランク
cka = 線形 CKA
own_source = 最大の寄与が自分自身から来る割合
relative_residual = 相対残差
whole = モデル全体
without_ffn = フィードフォワード層なし
without_skip = 残差接続なし
attention_only = どちらもなし
margins = 比べるべき報告値がない場合の基準は本レポートで定めた。割合の差は 2.5 ポイントから差とみなし、5 ポイント以内の割合は近いとみなす
not_defined = 定義されない
runs_weights = AttnRes-W（層の平均）
runs_vectors = AttnRes-N（層の平均）
runs_alti = ALTI（最終層の後）
runs_own = 最大の寄与が自分自身から来る割合（ALTI）
runs_dependence = 依存の測定値（最終層）

## Alternative texts of figures

alt_scopes = 層ごとの混合度合いの折れ線グラフ。上段は注意重みとベクトルについて、残差接続なし、あり、層正規化まで。下段はフィードフォワード層、その残差接続、二つ目の層正規化まで。
alt_kinds = 注意ブロックの混合度合いを、先頭のトークン、その他の特殊トークン、[MASK]、通常のトークンに分けて層ごとに示す折れ線グラフ。
alt_cls = 層ごとの折れ線グラフ。上段は [CLS] と通常のトークンの注意ブロックの混合度合い、下段は [CLS] の行と全行の注意のエントロピー。ファインチューニングの前と後を示す。
alt_maps = 第 1 層と最終層で、各トークンのベクトルがどのトークンに由来するかを示すヒートマップ。注意重み、ベクトルのノルム、ALTI による。
alt_sources = 寄与の種類ごとに、ロールアウトした結果の層ごとの折れ線グラフ。混合度合い、最大の寄与が自分自身から来るトークンの割合、特殊トークンの割合、行どうしの距離。
alt_zeroed = バリューのゼロ化について、各層の値とロールアウトした値を示す層ごとの折れ線グラフ。混合度合い、最大の寄与が自分自身から来るトークンの割合、行どうしの距離。
alt_remains = 層ごとの折れ線グラフ。自分の入力とのコサイン類似度、識別可能なトークンの割合、トークン間の平均コサイン類似度（そのままと平均を除いたもの）、実効ランク。
alt_cka = 層どうしの類似度（線形 CKA）のヒートマップ。モデルの状態ごとに一枚。
alt_collapse = 層ごとの相対残差の折れ線グラフ。モデル全体、フィードフォワード層なし、注意の残差接続なし、どちらもなし。

## シンクは必要か：図表の言葉

this_run = この実行
corpus = コーパス
corpus_agreement = 一致の文法
corpus_decoder = 一致の文法（小さなデコーダー）
corpus_imdb = 映画レビュー
arm = 学習中の条件
arm_free = 固定なし
arm_clamped = 特殊トークンを固定
arm_clamped_first = [CLS] だけを固定
arm_clamped_last = [SEP] だけを固定
arm_shuffled = 特殊トークンを別のテキストのシェアに固定
arm_mean = 特殊トークンを平均のシェアに固定
arm_placebo_move = 比較条件：同じだけ動く通常のトークンを固定
arm_placebo_mass = 比較条件：最も重い通常のトークンを固定
arm_zeroed = 特殊トークンのバリューをゼロにする
arm_frozen_values = バリューと出力を学習しない
arm_frozen_shares = 固定なしで学習、学習前のシェアで測定
arm_released = 固定して学習、固定なしで測定
arm_free_shares = 学習なし、学習後のシェアで測定
rise = 依存の増加
removed = 失われる割合
following_removed = 失われる割合（追従）
beyond = 固定の条件との差
accuracy_change = 正解率の差（ポイント）
weights = 重み
learning_rate = 学習率
read = 読むときの条件
by_seed = 増加（シードごと）
prediction = 予測
prediction_true = 的中
prediction_false = 外れ
prediction_open = 判定保留
prediction_not_measured = 測定なし
target_held = 置き換える前のテキストの割合に固定
target_following = 置き換えたテキストに追従
of_a_seed = 一つのシード
weights_pretrained = ファインチューニング前
weights_free = 自由
weights_clamped = 固定
weights_clamped_first = [CLS] を固定
weights_clamped_last = [SEP] を固定
weights_shuffled = 別のテキストの割合
weights_mean = 平均の割合
weights_placebo_move = 比較条件（同じだけ動く）
weights_placebo_mass = 比較条件（最も重い）
weights_zeroed = バリューをゼロ化
weights_frozen_values = バリューを学習しない
keys_special = 特殊トークン
keys_first = [CLS]
keys_last = [SEP]
keys_move = 同じだけ動く通常のトークン
keys_mass = 最も重い通常のトークン
shares_pretrained = ファインチューニング前の割合
shares_free = 自由な学習後の割合
shares_other_text = 別のテキストの割合
shares_mean = 平均の割合
way_free = 固定なし
way_held = { $keys }を{ $shares }に固定
way_following = { $keys }を{ $shares }に追従
way_zeroed = { $keys }のバリューをゼロ化
way_biased = { $keys }のスコアに { $bias }
count_seed = { $count } 個のシード
outcome_supported = { $corpora }では支持された。
outcome_refuted = { $corpora }では反証された。
outcome_open = { $corpora }では判定を保留する。
outcome_not_asked = { $corpora }では調べられない。
clamp_association = { $known ->
    [yes] この実行と参照実行の { $n } 件のファインチューニングについて、ALTI の変化と、各ヘッドで最も強いキーの平均の重みの変化との順位相関は { $rho } である
   *[no] ここでファインチューニングしたモデルは、両者がどう変わるかを比べるには少なすぎる
}
clamp_rise = { $corpus }（{ $seeds }）では、ファインチューニングによって依存が { $before } から { $after } へ増える。増加は { $rise } である。{ $measured ->
    [yes] 特殊トークンへの注意を固定すると、増加の { $removed } が失われる。{ $compared ->
        [yes] 同じだけ動く通常のトークンを代わりに固定すると、{ $ordinary } が失われる。
       *[no] {""}
    }
   *[no] {""}
}
clamp_free = 固定しない場合、特殊トークンへの注意の平均は { $sinks_before } から { $sinks_after } へ変わる。シンクをもつヘッドは { $heads_before } から { $heads_after } へ変わる。
clamp_held = 固定の条件では、増加の { $removed } が失われる。割合を置き換えたテキストに追従させると { $following }、上限のない対数オッズの増加では { $odds } である。正解率は { $right }、固定しなければ { $free_right } である。
clamp_frozen = 自由に学習した重みを学習前の割合で読むと、増加の { $removed } が失われる。
clamp_ordinary = { $arm }すると、増加の { $removed } が失われる。正解率は { $right } である。
alt_arms = ファインチューニングによる依存の増加とその区間を条件ごとに一行、コーパスごとに一つの図で示したもの。小さな点は一つのシード、白抜きの点は割合が置き換えたテキストに追従する場合。縦の破線は固定なしの値、縦の実線は規則の割合が失われた場合の値。

## Published claims

B8_statement = 一つの層の中では、数える範囲を広げるほど混合度合いは小さくなる：注意重み、ベクトル、残差接続込みの重み、残差接続込みのベクトル、層正規化まで。
B8_published = Attn-W { $attn_w }、Attn-N { $attn_n }、AttnRes-W { $attnres_w }、AttnRes-N { $attnres_n }、AttnResLN-N { $attnresln_n }。BERT-tiny では約 { $tiny }
B8_rule = ファインチューニングの前に、五つの範囲の混合比（層の平均）が報告された順に下がり、各段の差（同じテキスト）が報告値の 25% 以上である

B9_statement = 混合度合いは深い層ほど小さい。
B9_published = 深さとの順位相関 { $trend }
B9_rule = テキストごとに求めた混合比 AttnResLN-N と深さの順位相関が負であり、報告値の 25% 以上の強さをもつ。最終層と第 1 層の差を併記する

B10_statement = 中ほどから深い層では、マスクされたトークンはトークン全体の平均より強く混ぜられる。
B10_published = { $masked_0 }〜{ $masked_1 } 対 { $others_0 }〜{ $others_1 }
B10_rule = 上側 2/3 の層の平均で、[MASK] の混合比 AttnResLN-N が同じテキストの全トークンの値を、報告された差の 25% 以上上回る。マスクされた語を当てるように学習したモデルだけで調べる

B19_statement = 一つのテキストのトークンの表現は、深い層ほど似てくる。
B19_published = コサイン類似度の平均 { $cosine }（第 0〜12 層、著者のコードに添えられた結果）
B19_rule = テキストごとに求めた、二つのトークンのコサイン類似度の平均と深さの順位相関が、報告された曲線での値の 25% 以上である。ベクトルのままと、全トークンの平均を引いた後の両方で判定する

B20_statement = 深い層では、トークンの約 30% が、自分自身の表現の主な由来ではない。
B20_published = 約 { $others }（自分自身が主な由来であるものは { $own }）
B20_rule = 最終層で自分自身が最大の由来であるトークンの割合と { $own } との差が { $about } 以内である。ロールアウトした ALTI による由来と、トークンを置き換えて測った依存の両方で調べる。原論文は勾配による帰属を用いており、そのどちらでもない

B30_statement = 注意だけではテキストのトークンが互いに等しくなり、残差接続がそれを防ぐ。
B30_published = 出力は、深さについて二重指数的にランク 1 の行列に収束し、残差接続とフィードフォワード層がこれを止める
B30_rule = 残差接続とフィードフォワード層を取り除くと、最終層の後の相対残差が入力の 10%（本レポートの設定）に満たない。残差接続を戻すと、相対残差の差が報告（{ $kept } と { $collapsed }）の 25% 以上になる

conditions_bert_wikipedia = Wikipedia での BERT-base（992 テキスト）
conditions_bert_sst2_trained = SST-2 でファインチューニングした BERT-base
conditions_mrpc = MRPC での BERT-base
needs_mrpc = ハブの BERT-base と MRPC
conditions_wiki_bio = WikiBio での BERT-base、ALBERT、XLNet
needs_wiki_bio = ハブの BERT-base と WikiBio
case_w_n = Attn-W と Attn-N の差
case_n_resw = Attn-N と AttnRes-W の差
case_resw_resn = AttnRes-W と AttnRes-N の差
case_resn_ln = AttnRes-N と AttnResLN-N の差
case_ln = AttnResLN-N そのもの
case_trend = 深さとの順位相関
case_last_first = 最終層と第 1 層の差
case_as_they_are = そのまま
case_without_mean = 平均を引いた後
case_alone = どちらもなし：最終層の値を入力の値で割ったもの
case_residual = 最終層：フィードフォワード層なしと、どちらもなしの差
case_delayed = 中央の層、残差接続なし
means_relative_entropy = 注意マップの各行のエントロピーの平均を ln n で割った値
case_by_alti = ALTI による
case_by_dependence = トークンの置き換えによる
B36_statement = 層正規化があれば、残差接続のない注意でも、テキストのトークンが互いに等しくなるとは限らない。
B36_published = 層正規化は関与しないという仮説が、反例の構成によって否定された。事前学習済みモデルでも効果がある（ここでは向きだけを採る）
B36_rule = 残差接続を取り除き、正規化とフィードフォワード層を残したとき、最終層の後の相対残差が入力の { $left }（本レポートの設定）を超える
B37_statement = 先頭のトークンへの注意は、トークンどうしの混合を抑えている。それがなければ、一つのトークンの変化がほかのトークンにより広く伝わる。
B37_published = 最大 4050 億パラメータのモデルで示された（ここでは向きだけを採る）
B37_rule = どのトークンも先頭のトークンを参照しないときの、最終層でのほかのトークンへの依存から、そのままの依存を引いた差（同じテキスト、同じ置き換え）が { $more }（本レポートの設定）の 25% 以上である

## Columns of the downloads

column_prediction = シンクの実験についての予測の名前
column_answer = 予測が当たったか。区間から決まらないものは open
column_corpus = テキストを用いた実験
column_run = モデルを作った実行
