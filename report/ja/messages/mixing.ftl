chapter_mixing = 混合度合い

## Words of figures and tables

scope = 範囲
ratio = 混合比
ratio_beyond = 混合比（注意ブロックの先まで）
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
margins = 比べるべき報告値がない場合の基準は本レポートで定めたもので、割合の差は 2.5 ポイントから差とみなし、5 ポイント以内の割合は近いとみなす
not_defined = 定義されない

## Alternative texts of figures

alt_scopes = 層ごとの混合比の折れ線グラフ。実験ごとに一列。上段は注意重みとベクトルについて、残差接続なし、あり、層正規化まで。下段はフィードフォワード層、その残差接続、二つ目の層正規化まで。
alt_kinds = 注意ブロックの混合比を、先頭のトークン、その他の特殊トークン、[MASK]、通常のトークンに分けて層ごとに示す折れ線グラフ。実験ごとに一列。
alt_cls = 層ごとの折れ線グラフ。実験ごとに一列。上段は [CLS] と通常のトークンの注意ブロックの混合比、下段は [CLS] の行と全行の注意のエントロピー。ファインチューニングの前と後を示す。
alt_maps = 第 1 層と最終層で、各トークンのベクトルがどのトークンに由来するかを示すヒートマップ。注意重み、ベクトルのノルム、ALTI による。
alt_sources = 寄与の種類ごとに、ロールアウトした結果の層ごとの折れ線グラフ。混合度合い、最大の寄与が自分自身から来るトークンの割合、特殊トークンの割合、行どうしの距離。実験ごとに一列。
alt_zeroed = バリューのゼロ化について、各層の値とロールアウトした値を示す層ごとの折れ線グラフ。実験ごとに一列。混合度合い、最大の寄与が自分自身から来るトークンの割合、行どうしの距離。
alt_remains = 層ごとの折れ線グラフ。実験ごとに一列。自分の入力とのコサイン類似度、識別可能なトークンの割合、トークン間の平均コサイン類似度（そのままと平均を除いたもの）、実効ランク。
alt_cka = 層どうしの類似度（線形 CKA）のヒートマップ。実験とモデルの状態ごとに一枚。
alt_collapse = 層ごとの相対残差の折れ線グラフ。実験ごとに一列。モデル全体、フィードフォワード層なし、注意の残差接続なし、どちらもなし。

## Published claims

B8_statement = 一つの層の中では、数える範囲を広げるほど混合度合いは小さくなる：注意重み、ベクトル、残差接続込みの重み、残差接続込みのベクトル、層正規化まで。
B8_published = Attn-W { $attn_w }、Attn-N { $attn_n }、AttnRes-W { $attnres_w }、AttnRes-N { $attnres_n }、AttnResLN-N { $attnresln_n }。BERT-tiny では約 { $tiny }
B8_rule = ファインチューニングの前に、五つの範囲の混合比（層の平均）が報告された順に下がり、各段の差（同じテキスト）が報告値の 25% 以上である

B9_statement = 混合度合いは深い層ほど小さい。
B9_published = 深さとの順位相関 { $trend }
B9_rule = テキストごとに求めた混合比 AttnResLN-N と深さの順位相関が負であり、報告値の 25% 以上の強さをもつ。最終層と第 1 層の差を併記する

B10_statement = 中ほどから深い層では、マスクされたトークンはトークン全体の平均より強く混ぜられる。
B10_published = { $masked_0 }〜{ $masked_1 } 対 { $others_0 }〜{ $others_1 }
B10_rule = 上側 2/3 の層の平均で、[MASK] の混合比 AttnResLN-N が同じテキストの全トークンの値を、報告された差の 25% 以上上回る

B19_statement = 一つのテキストのトークンの表現は、深い層ほど似てくる。
B19_published = コサイン類似度の平均 { $cosine }（第 0〜12 層、著者のコードに添えられた結果）
B19_rule = テキストごとに求めた、二つのトークンのコサイン類似度の平均と深さの順位相関が、報告された曲線での値の 25% 以上である。ベクトルのままと、全トークンの平均を引いた後の両方で判定する

B20_statement = 深い層では、トークンの約 30% が、自分自身の表現の主な由来ではない。
B20_published = 約 { $others }（自分自身が主な由来であるものは { $own }）
B20_rule = ロールアウトした ALTI で、最終層で自分自身が最大の由来であるトークンの割合と { $own } との差が { $about } 以内である

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
