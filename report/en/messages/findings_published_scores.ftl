published_scores_totals = weighted with the numbers of questions, the published parts give { $exact } exact and { $f1 } F1, { $outcome ->
    [hold] which are the published totals but for rounding
   *[differ] which differ from the published totals by up to { $off } points
 }
