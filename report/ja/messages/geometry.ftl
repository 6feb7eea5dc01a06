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
evidence = 根拠の語
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

## Alternative texts of figures

alt_close = 層ごとの折れ線グラフ。実験ごとに一列。クエリが最も強く注意を向けるキーが全キーのうち何番目に近いかを、角度、全次元の距離、平面上の距離について、平行移動と尺度変換の前後で示す。
alt_correlation = 内積とコサイン距離の順位相関と、内積の 0 からの隔たりを、平行移動の前後について層ごとに示す折れ線グラフ。
alt_heads = 平行移動後の順位相関を層とヘッドについて示すヒートマップ。実験とモデルの状態ごとに一枚。
alt_grid = 左は定数 a と c についての相関の強さのヒートマップで、行によって異なるが、列によっては変わらない。右は c に対する距離の二乗との相関をヘッドごとに示す曲線で、閉形式の位置に点がある。
alt_scatter = 第 1 層における内積とコサイン距離の散布図。すべての組と自分自身との組を、モデルのまま、再現研究の定数、平行移動と閉形式の三通りについて示す。
alt_plane = { $place }のクエリとキーを平面に描いた三枚の図。各クエリから最も強いキーへ線が引かれている。
alt_plane_heads = 平行移動と尺度変換の後の同じ図を、全層全ヘッドについて並べたもの。
alt_joint = クエリとキーの PCA による小さなマップを、層とヘッドごとに並べたもの。
alt_joint_first = 最初の二層の全ヘッドのクエリとキーのマップを大きく並べたもの。最も強い組を線で結ぶ。
alt_joint_layouts = クエリとキーの小さなマップを層とヘッドごとに並べたもの。上は UMAP、下は t-SNE。
alt_joint_head = { $place }のクエリとキーのマップ。種類（最も強い組を線で結ぶ）、位置、長さ、頻度、テキスト、役割で色分けしたもの。
alt_change = 層ごとの折れ線グラフ。ファインチューニングした実験ごとに一列。注意、特徴ベクトル、クエリ・キー・バリューを作る重み行列の変化を示す。
alt_change_heads = ファインチューニング前後の注意分布の距離を層とヘッドについて示すヒートマップ。
alt_aligned = 一つのヘッドのクエリとキーのマップ二枚。ファインチューニングの前と後。
alt_joint_others = 実験 { $experiment } のクエリとキーの PCA による小さなマップを、層とヘッドごとに並べたもの。

## Findings

geometry_undefined = テキストが短すぎるか、ベクトルがどれもほぼ等しいため、ここでは測定できない
geometry_no_value = 定義できない値
geometry_together = { $outcome ->
    [holds] AttentionViz の正規化は、クエリとキーの集まりを近づける。図に描かれる平面では、両者の平均距離が半径の { $before } 倍から { $after } 倍に縮まる
    [partly] AttentionViz の正規化がクエリとキーの集まりを近づけるかどうかは、距離の種類やモデルの状態による。図に描かれる平面での平均距離は、半径の { $before } 倍から { $after } 倍になる
    [fails] AttentionViz の正規化は、クエリとキーの集まりを近づけない。図に描かれる平面での平均距離は、半径の { $before } 倍から { $after } 倍になる
    [open] AttentionViz の正規化がクエリとキーの集まりを近づけるかどうかは判断できない。図に描かれる平面での平均距離は、半径の { $before } 倍から { $after } 倍になる
   *[not_tested] { geometry_undefined }
}
geometry_nearer = { $cosine_distance ->
    [holds] クエリと、それが最も強く注意を向けるキーも、角度では近づく。コサイン距離は { $before } から { $after } になる。{ geometry_nearer_plane }
    [partly] クエリと、それが最も強く注意を向けるキーが角度で近づくのは、一部のモデルの状態に限られる（コサイン距離の中央値は前が { $before }、後が { $after }）。{ geometry_nearer_plane }
    [fails] クエリと、それが最も強く注意を向けるキーは、角度では近づかない（コサイン距離の中央値は前が { $before }、後が { $after }）。{ geometry_nearer_plane }
    [open] クエリと、それが最も強く注意を向けるキーが角度で近づくかどうかは判断できない（コサイン距離の中央値は前が { $before }、後が { $after }）。{ geometry_nearer_plane }
   *[not_tested] { geometry_undefined }
}
geometry_nearer_plane = { $plane_distance ->
    [holds] 平面の上でも同様である
    [partly] 平面の上で 10% 以上近づくのは、一部のモデルの状態に限られる
    [fails] 平面の上では、10% 以上は近づかない
    [open] 平面については判断できない
   *[not_tested] 平面については検証していない
}
geometry_rank = { $outcome ->
    [holds] 一方、ほかのキーはそれ以上に近づくため、最も強いキーの順位は下がる。平面上の距離の順で、最も近いキーを 0%、最も遠いキーを 100% とすると、正規化の前の { $before } から後の { $after } に移る（ランダムなら 50%）
    [partly] 最も強いキーの順位が下がるかどうかは、距離の種類やモデルの状態による。平面上の距離の順で、最も近いキーを 0%、最も遠いキーを 100% とすると、正規化の前は { $before }、後は { $after } である（ランダムなら 50%）
    [fails] 最も強いキーの順位は下がらない。平面上の距離の順で、最も近いキーを 0%、最も遠いキーを 100% とすると、正規化の前は { $before }、後は { $after } である（ランダムなら 50%）
    [open] 最も強いキーの順位が下がるかどうかは判断できない。平面上の距離の順で、最も近いキーを 0%、最も遠いキーを 100% とすると、正規化の前は { $before }、後は { $after } である（ランダムなら 50%）
   *[not_tested] { geometry_undefined }
}
geometry_full = { $euclidean_distance ->
    [holds] 全次元の距離でも、クエリと、それが最も強く注意を向けるキーは近づく（半径の { $before } 倍から { $after } 倍）
    [partly] 全次元の距離で、クエリと、それが最も強く注意を向けるキーが近づくのは、一部のモデルの状態に限られる（中央値は前が半径の { $before } 倍、後が { $after } 倍）
    [fails] 全次元の距離では、クエリと、それが最も強く注意を向けるキーは近づかない（中央値は前が半径の { $before } 倍、後が { $after } 倍）
    [open] 全次元の距離で、クエリと、それが最も強く注意を向けるキーが近づくかどうかは判断できない（中央値は前が半径の { $before } 倍、後が { $after } 倍）
   *[not_tested] { geometry_undefined }
}
geometry_scaling = { $outcome ->
    [holds] 最も強いキーの順位（全次元の距離による）は、平行移動だけで { $before } から { $translated } に移り、閉形式による尺度変換がその一部を戻す
    [partly] 最も強いキーの順位（全次元の距離による）は、平行移動だけで { $before } から { $translated } に移る。閉形式による尺度変換がその一部を戻すのは、一部のモデルの状態に限られる
    [fails] 最も強いキーの順位（全次元の距離による）は、平行移動だけで { $before } から { $translated } に移り、閉形式による尺度変換ではほとんど変わらない
    [open] 最も強いキーの順位（全次元の距離による）は、平行移動だけで { $before } から { $translated } に移る。閉形式による尺度変換がその一部を戻すかどうかは判断できない
   *[not_tested] { geometry_undefined }
}
geometry_plane = { $outcome ->
    [holds] 正規化後の平面での最も強いキーの順位は、{ $in_every_state }ランダムな場合から 10 ポイント以内にある
    [partly] 正規化後の平面での最も強いキーの順位（中央値 { $after }）がランダムな場合から 10 ポイント以内にあるのは、一部のモデルの状態に限られる
    [fails] 正規化後の平面での最も強いキーの順位（中央値 { $after }）は、ランダムな場合から 10 ポイント以上離れている
    [open] 正規化後の平面での最も強いキーの順位（中央値 { $after }）がランダムな場合から 10 ポイント以内にあるかどうかは判断できない
   *[not_tested] { geometry_undefined }
}
geometry_variance = { $outcome ->
    [holds] 平面の二つの主成分が担うのは、{ $in_every_state }クエリとキーの分散の半分に満たない（中央値 { $share }）。したがって、平面は正規化の良し悪しを判断する根拠として不十分である
    [partly] 平面の二つの主成分が担う分散は、一部のモデルの状態でクエリとキーの分散の半分に満たない（中央値 { $share }）。そこでは、平面は正規化の良し悪しを判断する根拠として不十分である
    [fails] 平面の二つの主成分は、クエリとキーの分散の半分以上を担う（中央値 { $share }）
    [open] 平面の二つの主成分がクエリとキーの分散の半分を担うかどうかは判断できない（中央値 { $share }）
   *[not_tested] { geometry_undefined }
}
geometry_length = { $outcome ->
    [holds] クエリとキーの長さは、{ $in_every_state }異なる。クエリの平均の長さからキーの平均の長さを引いた差の中央値は { $difference } である
    [partly] クエリとキーの長さが異なるのは、一部のモデルの状態に限られる。クエリの平均の長さからキーの平均の長さを引いた差の中央値は { $difference } である（範囲は { $difference_range }）
    [fails] クエリとキーの長さには、ほとんど差がない。クエリの平均の長さからキーの平均の長さを引いた差の中央値は { $difference } である
    [open] クエリとキーの長さが異なるかどうかは判断できない。クエリの平均の長さからキーの平均の長さを引いた差の中央値は { $difference } である
   *[not_tested] { geometry_undefined }
}
geometry_correlation = { $outcome ->
    [holds] 平行移動後の相関は、{ $in_every_state }強い（中央値 { $after }）
    [partly] 平行移動後の相関が強いのは、一部のモデルの状態に限られる（中央値 { $after }）
    [fails] 平行移動後の相関は強くない（中央値 { $after }）
    [open] 平行移動後の相関が強いかどうかは判断できない（中央値 { $after }）
   *[not_tested] { geometry_undefined }
}
geometry_weaker = { $outcome ->
    [holds] ただし、{ $in_every_state }相関は平行移動の前のほうが強い（中央値 { $before }）
    [partly] 相関が平行移動の前のほうが強いのは、一部のモデルの状態に限られる（中央値 { $before }）
    [fails] 平行移動は、相関をほとんど弱めない（前の中央値は { $before }）
    [open] 平行移動が相関を弱めるかどうかは、判断できない（前の中央値は { $before }）
   *[not_tested] { geometry_undefined }
}
geometry_offset = { $outcome ->
    [holds] { $in_every_state }内積の平均は 0 から離れ、その隔たりの中央値は標準偏差の { $before } 倍から { $after } 倍になる
    [partly] 一部のモデルの状態で、内積の平均は 0 から離れる。その隔たりの中央値は標準偏差の { $before } 倍から { $after } 倍になる
    [fails] 内積の平均は、0 からほとんど離れない（隔たりの中央値は前が標準偏差の { $before } 倍、後が { $after } 倍）
    [open] 内積の平均が 0 から離れるかどうかは判断できない（隔たりの中央値は前が標準偏差の { $before } 倍、後が { $after } 倍）
   *[not_tested] { geometry_undefined }
}
geometry_special = { $outcome ->
    [holds] { $in_every_state }半数を超えるクエリで、最も強いキーは特殊トークンのものである（中央値 { $share }）
    [partly] 一部のモデルの状態では、半数を超えるクエリで、最も強いキーが特殊トークンのものである（中央値 { $share }）
    [fails] 最も強いキーが特殊トークンのものであるクエリは、半数に満たない（中央値 { $share }）
    [open] 最も強いキーが特殊トークンのものであるクエリが半数を超えるかどうかは判断できない（中央値 { $share }）
   *[not_tested] { geometry_undefined }
}
geometry_joint = { $outcome ->
    [holds] モデル全体で一つの c を使い、全ヘッドの組をまとめて求めた内積と距離の二乗の相関は、ヘッドごとに c を選んでヘッドの中で求めた相関より弱い（差の中央値 { $loss }）。ただし、差の一部は、c ではなく、距離の範囲が異なるヘッドをまとめたことによる可能性がある
    [partly] モデル全体で一つの c を使い、全ヘッドの組をまとめて求めた内積と距離の二乗の相関は、一部のモデルの状態で、ヘッドごとに c を選んだ場合より弱い（差の中央値 { $loss }）
    [fails] モデル全体で一つの c を使い、全ヘッドの組をまとめて求めた内積と距離の二乗の相関は、ヘッドごとに c を選んだ場合と比べて 0.05 も弱まらない
    [open] モデル全体で一つの c を使うと相関が弱まるかどうかは決まらない
   *[not_tested] { geometry_undefined }
}
geometry_change = { $outcome ->
    [holds] 最後の二層が最も大きく変わるという既報の主張は、四つの測り方のすべてで成り立つ。すなわち、{ geometry_change_parts }
    [partly] 最後の二層が最も大きく変わるという既報の主張が成り立つかどうかは、測り方によって異なる。{ geometry_change_parts }
    [fails] 最後の二層が最も大きく変わるという既報の主張は、四つの測り方のどれでも成り立たない。すなわち、{ geometry_change_parts }
    [open] 最後の二層が最も大きく変わるという既報の主張が成り立つかどうかは判断できない。{ geometry_change_parts }
   *[not_tested] 最後の二層が最も大きく変わるという既報の主張は、{ $why }ため検証していない
}
geometry_change_parts = { geometry_change_attention }。{ geometry_change_alone }。{ geometry_change_outputs }。{ geometry_change_weights }
geometry_change_attention = { $attention ->
    [holds] そのままの注意では成り立つ（最後の二層の変化の中央値は、ほかの層の { $attention_ratio } 倍）
    [partly] そのままの注意では一部の実験で成り立つ（最後の二層の変化の中央値は、ほかの層の { $attention_ratio } 倍）
    [fails] そのままの注意では成り立たない（最後の二層の変化の中央値は、ほかの層の { $attention_ratio } 倍）
    [open] そのままの注意では判断できない（最後の二層の変化の中央値は、ほかの層の { $attention_ratio } 倍）
   *[not_tested] そのままの注意については検証していない
}
geometry_change_alone = { $attention_alone ->
    [holds] 層の入力を変えずに求めた注意では成り立つ（同じく { $alone_ratio } 倍）
    [partly] 層の入力を変えずに求めた注意では一部の実験で成り立つ（同じく { $alone_ratio } 倍）
    [fails] 層の入力を変えずに求めた注意では成り立たない（同じく { $alone_ratio } 倍）
    [open] 層の入力を変えずに求めた注意では判断できない（同じく { $alone_ratio } 倍）
   *[not_tested] 層の入力を変えずに求めた注意については検証していない
}
geometry_change_outputs = { $outputs ->
    [holds] 層の出力では成り立つ
    [partly] 層の出力では一部の実験で成り立つ
    [fails] 層の出力では成り立たない
    [open] 層の出力では判断できない
   *[not_tested] 層の出力については検証していない
}
geometry_change_weights = { $weights ->
    [holds] 重み行列では成り立つ
    [partly] 重み行列では一部の実験で成り立つ
    [fails] 重み行列では成り立たない
    [open] 重み行列では判断できない
   *[not_tested] 重み行列については検証していない
}
geometry_tuned = { $outcome ->
    [holds] { $in_every_experiment }ファインチューニングは平行移動後の相関を弱める（中央値は { $before } から { $after }）
    [partly] ファインチューニングが平行移動後の相関を弱めるのは、一部の実験に限られる（中央値は前が { $before }、後が { $after }）
    [fails] ファインチューニングは、平行移動後の相関をほとんど弱めない（中央値は前が { $before }、後が { $after }）
    [open] ファインチューニングが平行移動後の相関を弱めるかどうかは判断できない（中央値は前が { $before }、後が { $after }）
   *[not_tested] ファインチューニングによって移動後の相関が弱まるかどうかは、{ $why }ため検証していない
}
geometry_lines = 一つのヘッドで最も強い { $lines } 組は、平均してクエリの { $share } に及ぶ。半数のヘッドでは、その重みはいずれも { $weight } 以上である
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
B13_rule = 平行移動後の内積とコサイン距離の順位相関（クエリとヘッドの平均）が { $strong } を下回る。変換前のベクトルでの値を併記する

B15_statement = クエリとキーは長さが異なる。
B15_published = クエリからキーを引いて { $bert }（BERT）、{ $gpt2 }（GPT-2）
B15_rule = クエリとキーの平均の長さの差（ヘッドの平均）が、どちらの向きでも、BERT での報告値の 25% 以上 0 から離れている

B21_statement = ファインチューニングが最も変えるのは最後の二層である。
B21_published = 図で示されている（一つの課題を除く）
B21_rule = 最後の二層の変化が、ほかの層より 25% 以上大きい：注意（分布の距離。そのままの場合と、入力を変えない場合）、層の出力、重み（いずれも相対的な変化）

B25_statement = 正規化によって、注意の強い組は互いに近づく。
B25_published = 多くのヘッドで報告された。再現研究では、一文・一層でほとんど観察されなかった
B25_rule = 正規化によって、クエリから、それが最も強く注意を向けるキーまでの距離（ベクトルの広がりの半径を単位とする。全ヘッドの平均）が 10% 以上縮まり、そのキーの順位（全キーを距離の順に並べ、0 が最も近く 1 が最も遠い）が 0.05 以上小さくなる。角度、全次元の距離、図に描かれる平面のそれぞれで判定する

conditions_attentionviz = 独自の文での BERT と GPT-2
needs_attentionviz = ハブの BERT-base と GPT-2、および 200 テキスト
case_translated = 平行移動後の注意重み
case_scaled = 尺度変換後の内積
case_moved_scaled = 移動してから尺度変換
case_scaled_moved = 尺度変換してから移動
case_at_edge = 重み付き相関で c が端に来るヘッド
case_inside = 閉形式で c が内側にあるヘッド
case_after_translation = 平行移動後
case_before = 正規化前
case_attention = 注意
case_outputs = 層の出力
case_cosine_distance = 角度での距離、後と前の比
case_euclidean_distance = 全次元での距離、後と前の比
case_plane_distance = 平面での距離、後と前の比
case_cosine = 角度での順位、後と前の差
case_euclidean = 全次元での順位、後と前の差
case_plane = 平面での順位、後と前の差
case_attention_alone = 注意（入力を変えない場合）
case_weights = 重み
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
means_relative_change = ファインチューニングによる重みの変化（ファインチューニング前のノルムに対する比）
