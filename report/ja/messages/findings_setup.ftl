setup_trained = { $outcome ->
    [only] 今回の実行の実験
    [all] { $every }すべて
   *[some] 学習した実験（{ $total } 件中 { $n } 件）
}
setup_lead = { $outcome ->
    [holds] ファインチューニングしたモデルは、いずれも課題を習得した
    [partly] ファインチューニングしたモデルの一部は、課題を習得していない
    [fails] ファインチューニングしたモデルは、いずれも課題を習得していない
    [open] ファインチューニングしたモデルが課題を習得したかどうかは決まらない
   *[not_tested] 今回の実行ではモデルを学習しない
}{ $words ->
    [not_tested] {""}
   *[other] 。テストデータでの正解率は標準的に { $accuracy } で、単語の出現回数だけによる分類では { $counted } である
}{ $answers ->
    [not_tested] {""}
   *[other] 。質問応答の F1 は { $answered } で、何も答えなければ 0 になる
}
