claims_lead = { $outcome ->
    [none] モデルについての { $total } 件の既報の主張のうち、検証できたものはない
    [all] モデルについての { $total } 件の既報の主張をすべて検証した。{ $counts }である
   *[some] モデルについての { $total } 件の既報の主張のうち、{ $tested } 件を検証した。{ $counts }である
}
claims_lead_count = { $outcome ->
    [holds] 成り立つものが { $count } 件
    [partly] 一部成り立つものが { $count } 件
    [fails] 成り立たないものが { $count } 件
   *[open] 決まらないものが { $count } 件
}
claims_kinds = { $algebra_outcome ->
    [untested] 代数的に正しい主張は確認していない
    [all] このほか、代数的に正しい { $algebra } 件を別に数え、丸め誤差の範囲ですべて確認した
    [none] このほか、代数的に正しいはずの主張は、一つも確認できなかった
   *[some] このほか、代数的に正しいはずの { $algebra } 件のうち { $algebra_held } 件を確認した
}。{ $arithmetic_outcome ->
    [untested] 報告された数値の計算は確かめていない
    [all] 報告された数値の計算は、{ $arithmetic } 件すべてで整合する
    [none] 報告された数値の計算で、整合するものはなかった
   *[some] 報告された数値の計算は、{ $arithmetic } 件のうち { $arithmetic_held } 件で整合する
}
claims_conditions = { $outcome ->
    [none] 判定できた主張はない
    [same] 判定した主張は、すべて原論文と同じ条件で検証したか、どのモデルにも当てはまる主張である
    [other] 判定した主張は、すべて原論文と異なる条件で検証した
   *[both] 判定した主張のうち { $same } 件は、原論文と同じ条件で検証したか、どのモデルにも当てはまる主張であり、{ $other } 件は異なる条件で検証した
}
