-- Pandoc writes every table as a figure of Typst that cannot be broken over pages, centred, within
-- the figure that has the number. Quarto takes that off, and so does this filter; it runs last.

-- Without `citations`: those are words by now.
function Table(one)
  local written = pandoc.write(pandoc.Pandoc { one }, "typst-citations")
  local bare = written:match("^#figure%(%s*align%(center%)%[(.*)%]%s*, kind: table%s*%)%s*$")
  return bare and pandoc.RawBlock("typst", bare)
end
