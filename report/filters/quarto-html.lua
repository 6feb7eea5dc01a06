-- What only Quarto needs to look like the preview: the stylesheet of the paper, a link that skips
-- the navigation, what search engines ask of a page, equation numbers at the margin instead of
-- within the formula, and no path of the machine in the page. What is not found stops the rendering,
-- where Quarto alone warns and goes on.

quarto.doc.add_html_dependency {
  name = "paper",
  version = "1",
  stylesheets = { "../assets/paper.css" },
}

-- Quarto writes the number of an equation into its TeX as \qquad(4.1).
local function number_at_margin(span)
  local math = span.content[1]
  if span.identifier:match("^eq%-") and #span.content == 1 and math.t == "Math" then
    local formula, number = math.text:match("^(.-)%s*\\qquad(%([%d.]+%))$")
    if number then
      math.text = formula
      span.classes:insert("equation")
      span.content = { math, pandoc.Span(number, { class = "equation-number" }) }
      return span
    end
  end
end

local function without_path(div)
  if div.attributes["notebook"] then
    div.attributes["notebook"] = nil
    return div
  end
end

-- Within Quarto's filters error() only logs. The page is named as it lies in the repository.
local function refuse(...)
  local parts = pandoc.path.split(quarto.doc.input_file)
  local page = pandoc.path.join { table.unpack(parts, #parts - 2) }
  io.stderr:write("error: ", page, ": ", string.format(...), "\n")
  os.exit(1)
end

-- Quarto sets what it cannot resolve in bold: ?@fig-none, ?var:none, ?meta:none, ?env:NONE.
local function refuse_unresolved(strong)
  local text = pandoc.utils.stringify(strong)
  if text:match("^%?@%a+%-") or text:match("^%?%a+:") then
    refuse("%s leads nowhere", text:sub(2))
  end
end

local function refuse_uncited(doc)
  local known = {}
  for _, reference in ipairs(pandoc.utils.references(doc)) do
    known[reference.id] = true
  end
  doc:walk {
    Cite = function(cite)
      for _, citation in ipairs(cite.citations) do
        if not known[citation.id] then
          refuse("the bibliography has no %s", citation.id)
        end
      end
    end,
  }
end

local function text(value)
  return value and pandoc.utils.stringify(value)
end

local function quoted(value)
  return (value:gsub('[&<"]', { ["&"] = "&amp;", ["<"] = "&lt;", ['"'] = "&quot;" }))
end

-- The page in both languages, where the other can be linked to, and how to cite it: Quarto's
-- `google-scholar` would add all of the bibliography to every page.
local function describe(meta)
  local lines = pandoc.List()
  local function add(...)
    lines:insert(string.format(...))
  end
  local page = pandoc.path.split_extension(pandoc.path.filename(quarto.doc.input_file)) .. ".html"
  local root = text(meta["site-root"])
  for _, one in ipairs(meta.languages) do
    add('<link rel="alternate" hreflang="%s" href="%s/%s">', text(one.lang), text(one.directory), page)
  end
  if root then
    add('<link rel="canonical" href="%s/%s/%s">', root, text(meta.lang), page)
  end
  add('<meta name="citation_title" content="%s">', quoted(text(meta.title)))
  for _, author in ipairs((meta.author or pandoc.List()):map(text)) do
    add('<meta name="citation_author" content="%s">', quoted(author))
  end
  local date = text(meta["date-meta"] or meta.date)
  if date then
    add('<meta name="citation_publication_date" content="%s">', date)
  end
  add('<meta name="citation_language" content="%s">', text(meta.lang))
  quarto.doc.include_text("in-header", table.concat(lines, "\n"))
end

-- Quarto's own search fetches its index, which a page opened from a disk may not; the script of
-- assets/search.html moves this one into the bar.
local function add_skip_link_and_search(meta)
  local function word(value)
    return quoted(text(value))
  end
  quarto.doc.include_text("before-body",
    ('<a class="skip-link" href="#quarto-document-content">%s</a>'):format(word(meta["skip-link"])))
  local words = meta["search-words"]
  local label = word(words.label)
  quarto.doc.include_text("before-body",
    ('<search hidden data-found="%s" data-without="%s" data-quoted="%s">'
      .. '<input type="search" aria-label="%s" placeholder="%s"></search>'):format(
      word(words.found), word(words.without), word(words.quoted), label, label))
end

return {
  { Meta = describe },
  { Meta = add_skip_link_and_search, Pandoc = refuse_uncited },
  { Span = number_at_margin, Div = without_path, Strong = refuse_unresolved },
}
