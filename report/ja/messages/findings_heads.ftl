heads_lead = 注意マップの { $share_of_first } は{ $first }、{ $share_of_second } は{ $second }であり、{ $clusters ->
    [elbows] クラスタの数を示す肘はどの実験にもある
    [some_elbows] クラスタの数を示す肘は { $experiments } 件の実験のうち { $clear } 件にある
    [tight_hardly_elbow] マップはいくらかまとまるが、クラスタの数を示す肘はほとんどない（シルエット係数 { $silhouette }）
    [tight_no_elbow] マップはいくらかまとまるが、クラスタの数を示す肘はない（シルエット係数 { $silhouette }）
    [loose_hardly_elbow] クラスタといえるほどのまとまりはほとんどない（シルエット係数 { $silhouette }）
   *[loose_no_elbow] クラスタといえるほどのまとまりはない（シルエット係数 { $silhouette }）
 }
heads_lead_disabled = { $lead }。無効にすると成績が下がるヘッドは { $hurt }、損失が増えるヘッドは { $worse } である

heads_families = { $outcome ->
    [everywhere] 規則による分類では、どのモデルの状態でも「{ $top }」が最も多く、マップの { $share } を占める。次いで{ $named }である
   *[depends] 規則による分類で最も多い型は、モデルの状態によって異なる。マップの割合は{ $named }である
 }
heads_share_of_family = { $family }（{ $share }）

heads_heterogeneous = 不均一な型はマップの { $maps }（平均の記述子で分ければヘッドの { $heads }）を占め、BERT-base について報告された { $published } { $outcome ->
    [within] の範囲に収まる
    [below] を下回る
    [above] を上回る
   *[some] の範囲には、{ $states } 通りのモデルの状態のうち { $inside } 通りで収まる
 }

heads_moved = { $outcome ->
    [none] ファインチューニングによって別の型に移るヘッドは、モデルの { $heads } 個のうちに一つもない
   *[some] ファインチューニングによって別の型に移るヘッドは、モデルの { $heads } 個のうち { $moved } 個である。最も多いのは{ $before }から{ $after }への移動（{ $moves } 件のうち { $most } 件）である
 }。マップの多くが以前とは別のクラスタに属するヘッドは { $clusters } 個である
