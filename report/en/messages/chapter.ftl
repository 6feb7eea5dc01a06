data = data (CSV)
record = data (JSON)
drawing = figure (SVG)
code = code
function = Code that draws this figure
interactive = interactive map
rows = Show the { $rows } rows
