chapter = ページ
figures = 図と表
data = CSV
drawing = SVG
