chapter = page
figures = figures and tables
data = CSV
drawing = SVG
