claims_lead = { $outcome ->
    [none] 公表された { $total } の主張のうち、検証できたものはない
    [all] 公表された { $total } の主張をすべて検証できた。{ $counts } である
   *[some] 公表された { $total } の主張のうち { $tested } を検証できた。{ $counts } である
}
claims_lead_count = { $outcome ->
    [holds] 成り立つものが { $count }
    [partly] 一部だけ成り立つものが { $count }
    [fails] 成り立たないものが { $count }
   *[undecided] 決まらないものが { $count }
}
claims_conditions = { $outcome ->
    [none] 判定の決まった主張はない
    [same] 判定の決まった主張はすべて、公表時と同じ条件で検証したか、どのモデルにも当てはまるものである
    [other] 判定の決まった主張はすべて、公表時とは異なる条件で検証した
   *[both] 判定の決まった { $decided } の主張のうち、{ $same } は公表時と同じ条件で検証したか、どのモデルにも当てはまるものであり、{ $other } は異なる条件で検証した
}
claims_parts = { $outcome ->
    [none] 検証した主張はない
   *[some] そのまま成り立つものは、{ $parts } である
}
claims_part = { $part ->
    [structure] 計算と構造についての主張
   *[models] モデルの振る舞いについての主張
}では検証した { $tested } のうち { $held }
claims_failing_same = 公表時と同じ条件でも成り立たないのは { $same }
claims_failing_other = 異なる条件で成り立たないのは { $other }
claims_failing = { $outcome ->
    [none] 成り立たない主張はない
    [same] { claims_failing_same } である
    [other] { claims_failing_other } である
   *[both] { claims_failing_same }、{ claims_failing_other } である
}
claims_chance_intervals = { $confidence } の区間が { $intervals } あるので
claims_chance = { $outcome ->
    [no_interval] この実行の判定に、区間にもとづくものはない
    [hardly] { claims_chance_intervals }、あるべき値を外すものは平均して 1 に満たない
   *[some] { claims_chance_intervals }、あるべき値を外すものが平均して { $missed_shown } ほどあり、それがどれかは分からない
}
