data = データ (CSV)
record = データ (JSON)
drawing = 図 (SVG)
code = コード
interactive = 対話的に見る
rows = 表を開く（{ $rows } 行）
