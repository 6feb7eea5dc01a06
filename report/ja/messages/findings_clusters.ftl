clusters_elbow = { $outcome ->
    [none] どの実験でも、歪みの曲線は、クラスタのないデータで生じる以上には曲がらない（p { $relation } { $p }）。k を選ぶ根拠となる肘はない
    [none_clear] { clusters_elbow_found }が、曲がりはわずかである。互いによく離れたクラスタであれば、曲がりは { $well_apart } 以上になる
    [all_clear] { clusters_elbow_found }。その曲がりは、互いによく離れたクラスタで生じる { $well_apart } 以上に達する
   *[some_clear] { clusters_elbow_found }。互いによく離れたクラスタで生じる { $well_apart } 以上の曲がりに達するのは、{ $clear } だけである
 }。公表された曲線（k = { $published_few } で { $published_high }、k = { $published_many } で { $published_low }）には肘がないとされていた
clusters_elbow_found = 歪みの曲線は、{ $where ->
    [everywhere] { $named }では、
   *[only] { $named }でのみ、
 }クラスタのないデータで生じる以上に曲がる（そのようなデータ { $references } 組では p は { $least } より小さくならない）
clusters_elbow_of = { $experiment }（k = { $k }、p = { $p }、曲がり { $bend }）

clusters_gap = { $place ->
    [first] クラスタの数を別の基準で選ぶギャップ統計量は、
   *[later] 。
 }{ $outcome ->
    [grows] { $experiments } では範囲の端まで増え続けて数が定まらない
    [no_clusters] { $experiments } ではクラスタがないこと（k = 1）を示す
   *[settles] { $experiments } では k = { $k } を選ぶ
 }

clusters_quality = k = { $k } でのシルエット係数は { $silhouette } で、{ $tight ->
    [all] 構造があるといえる目安の { $structure } に達する
    [none] 構造があるといえる目安の { $structure } に届かない
   *[some] 構造があるといえる目安の { $structure } に達するのは { $experiments } 件の実験のうち { $number_tight } 件である
 }。別の標本との一致（ARI）は { $stability } で、{ $stable ->
    [all] クラスタは別の標本でも再現する
    [none] クラスタは別の標本ではよく再現しない
   *[some] クラスタが別の標本でも再現するのは { $experiments } 件の実験のうち { $number_stable } 件である
 }

clusters_agreement = { $outcome ->
    [everywhere] クラスタが最もよく対応するのは{ $most }である（ARI：{ $named }）
   *[depends] クラスタが何に最もよく対応するかは、実験によって異なる（ARI：{ $named }）
 }
clusters_unrelated = { $said }。{ $named }とはほとんど関係がない

clusters_components = 公表された { $count } 成分の和は { $total } であり、本文にいう「{ $below } 未満」{ $outcome ->
    [holds] である
   *[fails] ではない
 }。ここでの{ $features ->
    [images] 画像としてのマップの特徴量
   *[descriptors] 記述子
 }（{ $dimensions } 次元）では、{ $count } 成分の和は { $ours } である

clusters_distances = 特徴量を使わずに注意の分布だけからヘッドを分けた群は、マップの属するクラスタと ARI { $cluster }、層と ARI { $layer } で一致し、{ $outcome ->
    [all] どの実験でも、層よりクラスタによく対応する
    [none] どの実験でも、クラスタより層によく対応する
   *[some] { $experiments } 件の実験のうち { $closer } 件では、層よりクラスタによく対応する
 }。平面に表れるのは距離の二乗の { $share } である
