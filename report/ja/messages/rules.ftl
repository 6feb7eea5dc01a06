A1_statement = SQuAD 2.0 での評価が出力した全体の値は、二つの部分の値から導かれる。
A1_published = { $questions_total } 問で完全一致 { $exact_total }、F1 { $f1_total }
A1_rule = 部分の値を問題数で重みづけた平均が、出力された全体の値と浮動小数の精度で一致する

A2_statement = 特徴の混合度合いの研究が可視化する特徴は、12 層のモデルで計 38 個である。
A2_published = { $maps } 個
A2_rule = 入力での点の数に、一層の点の数と層の数の積を足すと、研究の本文でもコードでも報告値になる

A3_statement = IMDB のテストデータの先頭 10%は、両クラスを含む検証データとして使える。
A3_published = コードが前提としている
A3_rule = 公開されたファイルの順で先頭 10%のテキストのうち、多い方のクラスが 60% に満たない

A4_statement = 残差接続の割合を 0.5 に固定すると、重みによる混合度合いは半分になる。
A4_published = { $code_weights } → { $code_residual }（コード）、{ $paper_weights } → { $paper_residual }（論文）、いずれも %
A4_rule = 重みによる値の半分が、報告値と印字された桁まで一致する。ここでのモデルでは、すべてのテキストで二つの比が 0.5 になる

A5_statement = ヘッドのキー全体を同じベクトルだけ平行移動しても注意重みは変わらず、クエリを c 倍、キーを 1/c 倍しても内積は変わらない。
A5_published = 厳密に成り立つ
A5_rule = 全ヘッド・全テキストで最大の変化が10⁻¹² に満たない（注意重みはそのまま、内積はベクトルの長さに対して）

A8_statement = ロールアウトの各行の和は 1 であり、第 1 層では、残差接続込みの注意、ロールアウト、フローが一致する。
A8_published = 厳密に成り立つ
A8_rule = 全テキストで最大のずれが10⁻⁹ に満たない

A9_statement = アテンションフローは全層の注意を反映する。
A9_published = 暗黙の前提
A9_rule = 最終層で、第 1 層だけで決まる上界に達する組が半数に満たない。[CLS]、その他の特殊トークン、通常のトークンから出るフローのそれぞれで判定する

A10_statement = クエリとキーを近づけるとき、尺度 c はほとんど効かない。
A10_published = 一文で観察された
A10_rule = 研究と同じくキーを移動してから尺度を変えるとき、内積とコサイン距離の相関の c による変動が、どの層でも10⁻⁹ に満たない（逆の順序での値を併記する）

A11_statement = どのヘッドにも最良の尺度 c がある。
A11_published = 最適値として述べられている
A11_rule = 重み付き相関で最良の c が探索範囲の端に来るヘッドがなく、まとめた相関の閉形式ではすべてのヘッドの最良の c が範囲の内側にある

A12_statement = ロールアウトは、各層がトークン自身に残す割合の積以上を、そのトークン自身に残す。
A12_published = 下界
A12_rule = 全テキスト・全トークンで最小の余裕が、丸めの範囲で 0 を下回らない

A13_statement = 注意マップは 1800 万枚であり、七つの主成分が保つ分散は 30% に満たない。
A13_published = { $maps } 枚、{ $below } 未満
A13_rule = 窓の数とヘッドの数の積が 1800 万台であり、列挙された割合の和が報告された上限に満たない

B1_statement = 生の注意重みは深い層でトークンを除いたときの影響と一致しなくなるが、ロールアウトとフローは深い層ほどよく一致する。
B1_published = 生 { $blank_out_raw }、ロールアウト { $blank_out_rollout }、フロー { $blank_out_flow }（第 1〜6 層）
B1_rule = {"["}CLS] の行とブランクアウト（[UNK]）との順位相関を、同じテキストの差で比べる。いずれの差も報告値の 25% 以上であること：生の重みは第 1 層から中ほどの層へ下がり、ロールアウトとフローは第 1 層から最終層へ上がり、上半分の層では両者が生の重みを上回る

B2_statement = 入力の勾配との一致についても同じことがいえる。
B2_published = 生 { $gradient_raw }、ロールアウト { $gradient_rollout }、フロー { $gradient_flow }（第 1〜6 層）
B2_rule = B1 と同じ判定を、ブランクアウトの代わりに勾配のノルムで行う

B3_statement = 中ほどの層では、トークンを除いたときの影響と、ロールアウトよりもフローの方がよく一致する。
B3_published = 6 層中の第 3 層で { $blank_out_flow_2 } 対 { $blank_out_rollout_2 }、勾配では { $gradient_flow_2 } 対 { $gradient_rollout_2 }
B3_rule = 中ほどの層で、ブランクアウト（[UNK]）との順位相関のフローとロールアウトの差（同じテキスト）が、報告された差の 25% 以上である。勾配での差を併記する

B4_statement = フローの一致度は中ほどの層まで上がり、それより上では変わらない。
B4_published = 第 3〜6 層で { $blank_out_flow_2 }、{ $blank_out_flow_3 }、{ $blank_out_flow_4 }、{ $blank_out_flow_5 }
B4_rule = 第 1 層から中ほどの層までに報告された上昇の 25% 以上上がり、そこから最終層までの変化が 0.05 以内である。第 1 層だけで決まる上界に達する組の割合を併記する

B5_statement = 感情分類モデルの終わりに近い層では、ロールアウトの方が生の注意重みより入力の勾配と合う。
B5_published = 6 層中の第 { $layer } 層で { $rollout } 対 { $raw }
B5_rule = 深さ 5/6 の層で、全トークンの行の最大値と勾配のノルム（原論文は成分の和の絶対値）との順位相関の、ロールアウトと生の差（同じテキスト）が、報告された差の 25% 以上である

B6_statement = ロールアウトした手法は、層のより多くの部分を数えるほど勾配とよく一致する：GlobEnc、残差接続込みのベクトル、ベクトル、重みの順。
B6_published = 順に { $globenc }, { $residual }, { $vectors }, { $weights }
B6_rule = 隣り合う手法の、勾配のノルム（原論文は勾配 × 入力）との順位相関の差（同じテキスト）が、いずれも報告された差の 25% 以上である

B7_statement = 残差接続の割合を 0.5 に固定すると、重みのロールアウトは悪くなる。
B7_published = 固定した残差で { $fixed }、実測した残差で { $measured }
B7_rule = 勾配のノルム（原論文は勾配 × 入力）との順位相関が、実測した残差のロールアウトの方が固定したものより高く、差（同じテキスト）が報告値の 25% 以上である

B8_statement = 一つの層の中では、数える範囲を広げるほど混合度合いは小さくなる：注意重み、ベクトル、残差接続込みの重み、残差接続込みのベクトル、層正規化まで。
B8_published = Attn-W { $attn_w }、Attn-N { $attn_n }、AttnRes-W { $attnres_w }、AttnRes-N { $attnres_n }、AttnResLN-N { $attnresln_n }。BERT-tiny では約 { $tiny }
B8_rule = 五つの範囲の混合比（層の平均）が報告された順に下がり、各段の差（同じテキスト）が報告値の 25% 以上である

B9_statement = 混合度合いは深い層ほど小さい。
B9_published = 深さとの順位相関 { $trend }
B9_rule = テキストごとに求めた混合比 AttnResLN-N と深さの順位相関が負であり、報告値の 25% 以上の強さをもつ。最終層と第 1 層の差を併記する

B10_statement = 中ほどから深い層では、マスクされたトークンはトークン全体の平均より強く混ぜられる。
B10_published = { $masked_0 }〜{ $masked_1 } 対 { $others_0 }〜{ $others_1 }
B10_rule = 上側 2/3 の層の平均で、[MASK] の混合比 AttnResLN-N が同じテキストの全トークンの値を、報告された差の 25% 以上上回る

B11_statement = ALTI は包括性と十分性でロールアウトに勝る。
B11_published = 包括性 { $comprehensiveness_alti } 対 { $comprehensiveness_rollout }、十分性 { $sufficiency_alti } 対 { $sufficiency_rollout }（低い方がよい）
B11_rule = ALTI とロールアウトの差（同じテキスト）が報告値の 25% 以上である。包括性では正、十分性では負の向き

B13_statement = 正規化の後では、クエリとキーの内積とコサイン距離は強い負の相関をもつ。
B13_published = 平均 { $bert }（BERT）、{ $gpt2 }（GPT-2）、一つのヘッドで { $head }
B13_rule = 平行移動後の内積とコサイン距離の順位相関（クエリとヘッドの平均）が { $strong } を下回る。変換前のベクトルでの値を併記する

B15_statement = クエリとキーは長さが異なる。
B15_published = クエリからキーを引いて { $bert }（BERT）、{ $gpt2 }（GPT-2）
B15_rule = クエリとキーの平均の長さの差（ヘッドの平均）が、どちらの向きでも、BERT での報告値の 25% 以上 0 から離れている

B16_statement = 注意の半分以上を直前のトークンに向けるヘッド、直後のトークンに向けるヘッドがある。
B16_published = { $heads } 個中それぞれ { $previous } 個と { $next } 個
B16_rule = テキストの平均でそうなるヘッドの割合が、直前・直後のどちらについても、報告された割合の 25% 以上である。区間はヘッドを標本とみなして求める

B17_statement = 中ほどの層では注意の半分以上が [SEP] に向かい、[SEP] 自身の注意はほとんどが [SEP] に向かう。
B17_published = 12 層中の第 { $sep_layers_0 }〜{ $sep_layers_1 } 層で { $sep } 超、[SEP] 自身は { $sep_to_sep } 超
B17_rule = 同じ深さの各層での注意の割合（ヘッドの平均）が報告値の 25% 以上である。[CLS] に向かう割合を併記する

B18_statement = 最終層の注意はほとんど一様であり、[CLS] の注意は上半分の層で均される。
B18_published = 「ほとんど一様」。別の報告では、BERT-base の最終層の [CLS] のエントロピーは { $cls_entropy } ナット
B18_rule = ヘッド平均のエントロピーを ln n で割った値が最終層で { $almost } を上回り、[CLS] の行では上半分の層の値が下半分を 0.1 以上上回る

B19_statement = 一つのテキストのトークンの表現は、深い層ほど似てくる。
B19_published = コサイン類似度の平均 { $cosine }（第 0〜12 層、著者のコードに添えられた結果）
B19_rule = テキストごとに求めた、二つのトークンのコサイン類似度の平均と深さの順位相関が、報告された曲線での値の 25% 以上である。ベクトルのままと、全トークンの平均を引いた後の両方で判定する

B20_statement = 深い層では、トークンの約 30% が、自分自身の表現の主な由来ではない。
B20_published = 約 { $others }（自分自身が主な由来であるものは { $own }）
B20_rule = ロールアウトした ALTI で、最終層で自分自身が最大の由来であるトークンの割合が { $own } から { $about } 以内にある

B21_statement = ファインチューニングが最も変えるのは最後の二層である。
B21_published = 図で示されている（一つの課題を除く）
B21_rule = 最後の二層の変化が、ほかの層より 25% 以上大きい：注意（分布の距離。そのままの場合と、入力を変えない場合）、層の出力、重み（いずれも相対的な変化）

B22_statement = 注意マップの 1/3 から半数以上は不均一な型である。
B22_published = 課題により { $share_0 }〜{ $share_1 }（学習したマップの分類器による）
B22_rule = 規則でほかのどの型にも属さないマップの割合が、報告された範囲にある

B23_statement = ヘッドを一つ無効にしても性能が下がることは少なく、上がることもある。
B23_published = 最大 { $gain } の上昇
B23_rule = ヘッドの数について補正した区間で成績が下がるヘッドが { $rarely } に満たず、上がるヘッドがその25%以上ある。一つのテキストの重みが、報告された最大の上昇を超えないこと

B24_statement = 注意マップの特徴についての k 平均法には、肘が現れない。
B24_published = 歪みは k = { $k_0 } で { $distortion_0 }、k = { $k_1 } で { $distortion_1 }
B24_rule = 歪みの曲線の最も鋭い折れ方が、クラスタのないデータより鋭くない（p が { $level } を上回る。区間は模擬データの数から求める）

B25_statement = 正規化によって、注意の強い組は互いに近づく。
B25_published = 多くのヘッドで報告された。再現研究では、一文・一層でほとんど観察されなかった
B25_rule = 正規化によって、クエリからそれにとって最も強いキーまでの距離（ベクトルの広がりの半径を単位とする。全ヘッドの平均）が 10% 以上縮まり、そのキーの順位（全キーを距離の順に並べ、0 が最も近く 1 が最も遠い）が 0.05 以上小さくなる。角度、全次元の距離、図に描かれる平面のそれぞれで判定する

B26_statement = BERT-base は IMDB のレビューを報告された正解率で分類する。
B26_published = { $tokens128 }（128 トークン）、{ $tokens384 }（384）、{ $tokens512_0 }〜{ $tokens512_1 }（512）
B26_rule = テストデータ全体での正解率が、同じ長さでの報告値から { $within } 以内にある

B27_statement = BERT-base は SQuAD 2.0 の質問に報告された成績で答える。
B27_published = 完全一致 { $exact }、F1 { $f1 }
B27_rule = 成績が報告値から 1 ポイント以内にある

B28_statement = ファインチューニング後、感情分類モデルの特徴は終わりに近い点の二次元マップでクラスごとに分かれる。
B28_published = 研究が見ようとしたこと
B28_rule = フィードフォワード層の出力でのラベルのシルエット係数（トークンの平均、および [CLS]）が、最終層で第 1 層より、またファインチューニング後に前より、{ $structure } 以上高い（これを下回れば群れとは呼びにくいとされる値）

B29_statement = アテンションシンクは小さなモデルにも現れる。クエリによらず先頭のトークンに大きな重みを与えるヘッドがある。
B29_published = 調べたすべてのモデルで報告された。シンクは、平均の重みが { $sink } を超えるキーである
B29_rule = 先頭のトークンが見えるクエリについて平均した重みが { $sink } を超えるヘッドの割合が 5%（本レポートの設定）以上である

# Conditions that values were published for
conditions_verb_number = Linzen らの文で学習し評価した 6 層の動詞の数のモデル（2,000 テキスト）
conditions_distilbert = SST-2 での DistilBERT（100 テキスト）
conditions_bert_sst2 = SST-2 での BERT-base
conditions_bert_wikipedia = Wikipedia での BERT-base（992 テキスト）
conditions_distilbert_sst2 = SST-2 での DistilBERT
conditions_attentionviz = 独自の文での BERT と GPT-2
conditions_clark = Wikipedia の 1,000 区間での BERT-base
conditions_lecture = 12 層のロシア語の感情分類モデルと一つの文
conditions_bert_sst2_trained = SST-2 でファインチューニングした BERT-base
conditions_mrpc = MRPC での BERT-base
conditions_glue = GLUE の課題での BERT-base
conditions_squad_maps = SQuAD 2.0 での BERT-base（ResNet-50 でマップを特徴化）
conditions_gu = Pile のテキストでの自己回帰型言語モデル
conditions_imdb = IMDB での BERT-base
conditions_squad = SQuAD 2.0 での BERT-base

# What a full test takes
needs_imdb = IMDB そのもの（profiles/imdb-minilm.yaml または profiles/imdb-bert-base.yaml）
needs_linzen = Linzen ら（2016）の文のファイル、同じ大きさのモデル、faithfulness.examples を 2,000 にすること
needs_distilbert = ハブの SST-2 と、それで学習した DistilBERT
needs_sst2 = ハブの SST-2 と、それで学習した BERT-base
needs_wikipedia = ハブの BERT-base と、Wikipedia のテキスト（ファイルまたはハブ）
needs_attentionviz = ハブの BERT-base と GPT-2、および 200 テキスト
needs_lecture = 講義のモデル（ハブ）と、その文のファイル
needs_mrpc = ハブの BERT-base と MRPC
needs_glue = ハブの BERT-base と GLUE の課題
needs_squad_gpu = GPU での profiles/squad-bert-base.yaml
needs_gu = ハブの GPT-2 と、Pile のテキストのファイル
needs_imdb_full = GPU での profiles/imdb-bert-base.yaml（学習・テストとも 25,000 テキスト、乱数シード三つ）
needs_squad_full = GPU での profiles/squad-bert-base.yaml（全質問を 2 エポック）
needs_imdb_gpu = GPU での profiles/imdb-bert-base.yaml

# Parts of claims
case_exact_match = 完全一致
case_f1 = F1
case_questions = 問題数
case_points_in_text = 本文が挙げる点
case_points_in_code = コードが描く点
case_printed_by_code = コードの出力
case_printed_in_paper = 論文の表
case_largest_ratio = テキストについて最大の比
case_smallest_ratio = テキストについて最小の比
case_translated = 平行移動後の注意重み
case_scaled = 尺度変換後の内積
case_row_sums = 行の和
case_first_layer = 第 1 層
case_from_cls = {"["}CLS] から
case_from_special = その他の特殊トークンから
case_from_text = 通常のトークンから
case_moved_scaled = 移動してから尺度変換
case_scaled_moved = 尺度変換してから移動
case_at_edge = 重み付き相関で c が端に来るヘッド
case_inside = 閉形式で c が内側にあるヘッド
case_fixed_residual = 固定の残差
case_measured_residual = 実測の残差
case_windows_heads = 窓の数とヘッドの数の積
case_listed_shares = 列挙された割合の和
case_raw_middle_first = 生：中ほどの層と第 1 層の差
case_rollout_last_first = ロールアウト：最終層と第 1 層の差
case_flow_last_first = フロー：最終層と第 1 層の差
case_rollout_raw_upper = 上半分でのロールアウトと生の差
case_flow_raw_upper = 上半分でのフローと生の差
case_blank_out = ブランクアウト
case_gradient = 勾配
case_flow_last_middle = フロー：最終層と中ほどの層の差
case_flow_middle_first = フロー：中ほどの層と第 1 層の差
case_bound_cls = 上界に達する組（[CLS] から）
case_bound_text = 上界に達する組（通常のトークンから）
case_globenc_res = GlobEnc と AttnRes-N の差
case_res_vectors = AttnRes-N と Attn-N の差
case_vectors_weights = Attn-N と重みの差
case_w_n = Attn-W と Attn-N の差
case_n_resw = Attn-N と AttnRes-W の差
case_resw_resn = AttnRes-W と AttnRes-N の差
case_resn_ln = AttnRes-N と AttnResLN-N の差
case_ln = AttnResLN-N そのもの
case_trend = 深さとの順位相関
case_last_first = 最終層と第 1 層の差
case_comprehensiveness = 包括性
case_sufficiency = 十分性
case_after_translation = 平行移動後
case_before = 正規化前
case_previous = 直前のトークン
case_next = 直後のトークン
case_to_sep = {"["}SEP] へ
case_sep_to_sep = {"["}SEP] から [SEP] へ
case_to_cls = {"["}CLS] へ
case_all_rows = 最終層の全行
case_cls_upper_lower = {"["}CLS]：上半分と下半分の差
case_as_they_are = そのまま
case_without_mean = 平均を引いた後
case_attention = 注意
case_outputs = 層の出力
case_falls = 無効にすると成績が下がるヘッドの割合
case_rises = 無効にすると成績が上がるヘッドの割合
case_bend = 最も鋭い折れ方の p 値
case_cosine_distance = 角度での距離、後と前の比
case_euclidean_distance = 全次元での距離、後と前の比
case_plane_distance = 平面での距離、後と前の比
case_cosine = 角度での順位、後と前の差
case_euclidean = 全次元での順位、後と前の差
case_plane = 平面での順位、後と前の差
case_tokens128 = 128 トークン
case_tokens384 = 384 トークン
case_tokens512 = 512 トークン
case_mean_last_first = トークンの平均、最終層と第 1 層の差
case_mean_after_before = トークンの平均、最終層、前後の差
case_cls_last_first = {"["}CLS]、最終層と第 1 層の差
case_cls_after_before = {"["}CLS]、最終層、前後の差
case_attention_alone = 注意（入力を変えない場合）
case_weights = 重み

# Studies that are no papers
study_feature-mixing-study = 特徴の混合度合いの研究
study_clustering-study = クラスタリングの研究
study_rollout-lecture = アテンションロールアウトの講義
