clusters_elbow = { $outcome ->
    [none] In no experiment does the distortion bend more than data without clusters make it bend (p { $relation } { $p }): there is no elbow to choose k by
    [none_clear] { clusters_elbow_found }, but hardly: clusters that lie well apart bend the curve by { $well_apart } and more
    [all_clear] { clusters_elbow_found }, as much as clusters that lie well apart, which bend the curve by { $well_apart } and more
   *[some_clear] { clusters_elbow_found }; only in { $clear } does it bend as much as with clusters that lie well apart, by { $well_apart } and more
 }; the curve that was published, from { $published_high } at k = { $published_few } to { $published_low } at k = { $published_many }, was said to have no elbow
clusters_elbow_found = The distortion bends more than data without clusters make it bend in { $where ->
    [everywhere] { $named }
   *[only] { $named } and nowhere else
 } ({ $references } such data sets allow no p below { $least })
clusters_elbow_of = { $experiment } at k = { $k } (p = { $p }, bend { $bend })

clusters_gap = { $place ->
    [first] the gap statistic
   *[later] ; it
 } { $outcome ->
    [grows] grows to the end of the range in { $experiments }, so that no number is settled
    [no_clusters] says in { $experiments } that there are no clusters (k = 1)
   *[settles] settles on k = { $k } in { $experiments }
 }

clusters_quality = At k = { $k } the silhouette is { $silhouette }, { $tight ->
    [all] above the { $structure } below which groups are hardly groups
    [none] below the { $structure } from which on groups are groups
   *[some] above the { $structure } below which groups are hardly groups in { $number_tight } of { $experiments } experiments
 }; on other samples clusters agree with an ARI of { $stability }, { $stable ->
    [all] so they come back
    [none] so they hardly come back
   *[some] so they come back (at least { $stable_from }) in { $number_stable } of { $experiments } experiments
 }

clusters_agreement = { $outcome ->
    [everywhere] Clusters go along most with the { $most } (ARI: { $named })
   *[depends] What clusters go along with most depends on the experiment (ARI: { $named })
 }
clusters_unrelated = { $said }, and hardly with the { $named }

clusters_components = the { $count } components that were published sum to { $total }, which { $outcome ->
    [holds] is
   *[fails] is not
 } the “less than { $below }” of the text; the first { $count } of { $features ->
    [images] maps as images
   *[descriptors] the descriptors
 } here ({ $dimensions } dimensions) sum to { $ours }

clusters_distances = Groups of heads made from their distributions of attention alone, without any features, go along with the clusters of their maps with an ARI of { $cluster } and with the layer with { $layer }, { $outcome ->
    [all] with the clusters more than with the layer in every experiment
    [none] with the layer more than with the clusters in every experiment
   *[some] with the clusters more than with the layer in { $closer } of { $experiments } experiments
 }; the plane shows { $share } of the squared distances
