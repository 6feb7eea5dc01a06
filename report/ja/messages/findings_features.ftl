features_noted = { $name }（{ $note }）
features_movement = { $outcome ->
    [depends] 順伝播のどの段階で近傍が最も入れ替わるかは、モデルによって異なる。実験とモデルの状態 { $states } 通りのうちの数で示せば、{ $steps }に至る段階である
    [most_and_least] 近傍が最も入れ替わるのは{ $most }に至る段階で、トークンは近傍の { $most_lost } を失う。最も変わらないのは{ $least }に至る段階（{ $least_lost }）である
   *[most] 近傍が最も入れ替わるのは{ $most }に至る段階で、トークンは近傍の { $most_lost } を失う
}
features_largest_step = 近傍を最も多く失う一段の行き先は、{ $places }である
features_largest_step_place = { $last ->
    [noted] { $whose }では{ $place }（{ $lost }）
   *[name] { $whose } では{ $place }（{ $lost }）
}
features_separation = { $outcome ->
    [untuned] ファインチューニングをしたモデルがないので、それによってクラスが分かれるかは判断できない。事前学習のみのモデルの最後のシルエット係数は { $before } で、{ $experiments } 件の実験のうち { $apart } 件でクラスが分かれている
    [everywhere] ファインチューニングの後、テキストはクラスごとに分かれる。分かれ始めるのは、{ $where }である（{ features_separation_silhouettes }）
    [somewhere] ファインチューニングによってテキストがクラスごとに分かれるのは { $apart } であり、{ $others } では分かれない（{ features_separation_silhouettes }）
   *[nowhere] どの実験でも、ファインチューニングによってテキストがクラスごとに分かれることはない（{ features_separation_silhouettes }）
}
features_separation_silhouettes = 最後の点のシルエット係数は前が { $before }、後が { $after }
features_separation_from = { $experiments } では第 { $layer } 層
features_trusted = { $outcome ->
    [everywhere] 近傍を最もよく保つのは、どの実験、どのモデルの状態でも { $best } である（信頼性の平均は { $means }）
   *[depends] どこでも最も信頼できる描き方はない（信頼性の平均は { $means }）
}
features_shifted = { $outcome ->
    [all] ファインチューニングによるずれがシードによるばらつきを超えるマップは、{ $counts }である
   *[some] ファインチューニングによるずれがシードによるばらつきを超えるマップは、{ $counts }である。ほかのマップの違いは、ファインチューニングについて何も語らない
}
features_shifted_maps = { $method } では { $maps } 枚のうち { $beyond } 枚
features_changed = { $outcome ->
    [deeper] ベクトルそのものの向きの変化（コサイン距離）は、層が深くなるほど大きく、入力で { $start }、最大は { $most } である（{ $where }）
   *[other] ベクトルそのものの向きの変化（コサイン距離）は、入力で { $start }、最大は { $most } である（{ $where }）
}
features_changed_everywhere = { $place }
features_changed_in = { $experiment } では{ $place }
