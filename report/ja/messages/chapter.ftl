data = データ (CSV)
record = データ (JSON)
drawing = 図 (SVG)
code = コード
function = この図を描くコード
interactive = 対話的な図
rows = 表を開く（{ $rows } 行）
