kmeans = k-means
agglomerative = 凝集型（Ward 法）
k = クラスタ数 k
distortion = 歪み
silhouette = シルエット係数
calinski_harabasz =
    カリンスキー・
    ハラバシュ
stability = 安定性（ARI）
reference = クラスタのないデータ（平均）
elbow = 偶然を超える曲がり
cluster = クラスタ
by_cluster = { $plane }、クラスタ別
by_family = { $plane }、型別
by_layer = { $plane }、層別
share_of_head = ヘッドのマップに占める割合
class_layer = 層
class_head = ヘッド
class_text = テキスト
ari = ARI：{ $agreement }
distances = 距離
silhouette_at = シルエット係数（k = { $k }）
stability_at = 安定性（k = { $k }）
hdbscan = HDBSCAN：クラスタ数
unassigned = 未割り当て
components = 第 7 主成分まで
