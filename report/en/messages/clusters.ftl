kmeans = k-means
agglomerative = agglomerative (Ward)
k = number of clusters k
distortion = distortion
silhouette = silhouette
calinski_harabasz =
    Calinski–
    Harabasz
stability = stability (ARI)
reference = data without clusters (mean)
elbow = bend beyond chance
cluster = cluster
by_cluster = { $plane }, by cluster
by_family = { $plane }, by family
by_layer = { $plane }, by layer
share_of_head = share of the head's maps
class_layer = layer
class_head = head
class_text = text
ari = ARI: { $agreement }
distances = distances
silhouette_at = silhouette (k = { $k })
stability_at = stability (k = { $k })
hdbscan = HDBSCAN: clusters
unassigned = unassigned
components = first seven components
