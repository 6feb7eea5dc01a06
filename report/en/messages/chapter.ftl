data = data (CSV)
record = data (JSON)
drawing = figure (SVG)
code = code
interactive = interactive map
rows = Show the { $rows } rows
