published_scores_totals = 公表された内訳を質問数で重み付き平均すると、完全一致 { $exact }、F1 { $f1 } となり、{ $outcome ->
    [hold] 丸め誤差を除いて、公表された全体の値と一致する
   *[differ] 公表された全体の値と最大 { $off } ポイント異なる
 }
