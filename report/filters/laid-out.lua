-- {{< laid-out FILE >}}: what a Markdown file says that is laid out beside the page. Quarto reads
-- what a page includes before it runs any script, which is too early for such a file.

return {
  ["laid-out"] = function(arguments)
    local directory = pandoc.path.directory(quarto.doc.input_file)
    local name = pandoc.path.join { directory, pandoc.utils.stringify(arguments[1]) }
    local file = io.open(name)
    if not file then
      io.stderr:write(("error: %s is not there; run `make repro` first.\n"):format(name))
      os.exit(2)
    end
    local text = file:read("a")
    file:close()
    return pandoc.read(text, "markdown").blocks
  end,
}
