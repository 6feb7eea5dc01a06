-- Ends a page with links to the PDF that holds it and to the executed notebooks that it embeds, and
-- with how to cite the report. The
-- preview names page and notebooks; Quarto leaves the paths of these at what it embeds. It is refused
-- another format of a page: the text needs the browser or what `analysis/site/paper` does.

if not FORMAT:match("html") then
  if quarto then
    io.stderr:write(("error: the pages are rendered as html, and %s was asked for; the PDFs are "
      .. "paper.pdf and supplement.pdf beside the pages, which `make repro` makes.\n"):format(FORMAT))
    os.exit(2)
  end
  return {}
end

local function text(value)
  return pandoc.utils.stringify(value)
end

local function html(markup)
  return pandoc.RawBlock("html", markup)
end

local function of_quarto(doc)
  local known, names = {}, pandoc.List()
  doc:walk {
    Div = function(div)
      local path = div.attributes["notebook"]
      if path and not known[path] then
        known[path] = true
        names:insert("notebooks/" .. pandoc.path.filename(path))
      end
    end,
  }
  names:sort()
  return names
end

local function page_of(meta)
  return meta.page and text(meta.page)
    or pandoc.path.split_extension(pandoc.path.filename(quarto.doc.input_file))
end

local function item(words, links)
  local inlines = pandoc.List { pandoc.Strong { pandoc.Str(text(words)) } }
  for _, link in ipairs(links) do
    inlines:extend { pandoc.Space(), link }
  end
  return pandoc.Para(inlines)
end

function Pandoc(doc)
  local meta = doc.meta
  local names = meta.notebooks and meta.notebooks:map(text) or of_quarto(doc)
  local blocks = pandoc.List()
  local pdf = meta.has.pdf and meta.pdfs[page_of(meta)]
  if pdf then
    blocks:insert(item(meta["other-formats"].title, { pandoc.Link("PDF", text(pdf)) }))
  end
  if #names > 0 then
    blocks:insert(item(meta["other-formats"].notebooks, names:map(function(name)
      return pandoc.Link(pandoc.path.filename(name), name, "", { download = "" })
    end)))
  end
  blocks:extend {
    html(("<details><summary>%s</summary>"):format(text(meta["other-formats"].citing))),
    pandoc.Para(pandoc.Str(text(meta["cited-as"]))),
    html("</details>"),
  }
  doc.blocks:insert(pandoc.Div(blocks, { class = "other-formats" }))
  return doc
end
