setup_lead = { $outcome ->
    [holds] 今回学習したモデルは、いずれも課題を習得した
   *[other] 今回学習したモデルの成績を、ベースラインとともに以下に示す
}
    .untested = 学習が成功したかどうか
