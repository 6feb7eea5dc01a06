data = データ (CSV)
record = データ (JSON)
drawing = 図 (SVG)
code = コード
interactive = 対話的な図
