-- Runs after Quarto has rendered a project: takes out the scripts of Jupyter widgets.
--
-- Quarto loads RequireJS and jQuery from a CDN into every page that embeds a notebook cell with HTML
-- output, in case it is a widget. The report has no widgets, and fetches nothing from elsewhere.

for name in os.getenv("QUARTO_PROJECT_OUTPUT_FILES"):gmatch("[^\n]+") do
  if name:match("%.html$") then
    local file = assert(io.open(name))
    local page = file:read("a")
    file:close()
    page = page
      :gsub('<script src="https://cdn%.jsdelivr%.net/[^>]*></script>\n?', "")
      :gsub("<script type=\"application/javascript\">define%('jquery'[^\n]*</script>\n?", "")
    file = assert(io.open(name, "w"))
    file:write(page)
    file:close()
  end
end
