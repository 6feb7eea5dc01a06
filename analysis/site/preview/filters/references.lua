-- Numbers sections, figures, tables, equations and listings, and resolves references to them.
-- A page is a chapter of the report: its number comes first, as in the PDF.

local directory = pandoc.path.directory(PANDOC_SCRIPT_FILE)
local context = dofile(pandoc.path.join { directory, "..", "..", "source", "filters", "context.lua" })
local html, kind_of = context.html, context.kind_of
local NBSP = "\u{a0}"

local labels = {} -- label -> number, as text
local counts = {} -- kind -> last number
local cited = false

local function register(label, number)
  if labels[label] then
    context.refuse("the label %s is used twice", label)
  end
  labels[label] = number
  return number
end

local function next_number(label)
  local kind = kind_of(label)
  counts[kind] = (counts[kind] or 0) + 1
  return register(label, context.chapter .. "." .. counts[kind])
end

-- Sections -------------------------------------------------------------------------------------

local section, subsection = 0, 0

local function number_section(header)
  local number
  if header.classes:includes("unnumbered") then
    register(header.identifier, "")
    return nil
  end
  if header.level == 2 then
    section, subsection = section + 1, 0
    number = context.chapter .. "." .. section
  elseif header.level == 3 then
    subsection = subsection + 1
    number = context.chapter .. "." .. section .. "." .. subsection
  else
    context.refuse("sections are headings of level 2 and 3, not %d", header.level)
  end
  register(header.identifier, number)
  header.content:insert(1, pandoc.Space())
  header.content:insert(1, pandoc.Span(number, { class = "header-section-number" }))
  return header
end

-- Figures, tables, listings ----------------------------------------------------------------------

local function float(label, body, caption)
  local kind = kind_of(label)
  local number = next_number(label)
  local prefix = pandoc.Inlines(context.reference_words[kind] .. NBSP .. number .. ": ")
  local title = pandoc.Blocks {
    html("<figcaption>"), pandoc.Plain(prefix .. caption), html("</figcaption>"),
  }
  local content = pandoc.Blocks { html("<div>") } .. body .. { html("</div>") }
  local opening = html(
    ('<figure id="%s" class="quarto-float quarto-float-%s">'):format(label, kind))
  local parts = kind == "fig" and content .. title or title .. content
  return pandoc.Blocks { opening } .. parts .. { html("</figure>") }
end

local function number_div(div)
  local kind = kind_of(div.identifier)
  if kind == "fig" or kind == "tbl" then
    local caption = div.content[#div.content]
    if #div.content < 2 or caption.t ~= "Para" then
      context.refuse("%s must end with a paragraph, its caption", div.identifier)
    end
    div.content:remove()
    -- Nothing within a float is numbered on its own.
    return float(div.identifier, div.content, caption.content), false
  elseif div.identifier ~= "" then
    context.refuse("the div label %s begins with neither fig- nor tbl-", div.identifier)
  end
end

local function number_listing(code)
  local label, caption = context.take_caption(code)
  if label then
    return float(label, pandoc.Blocks { code }, caption), false
  end
end

-- Equations --------------------------------------------------------------------------------------

local function number_equation(formula, label)
  local number = pandoc.Span("(" .. next_number(label) .. ")", { class = "equation-number" })
  return pandoc.Span({ formula, number }, { id = label, class = "equation" })
end

-- References -----------------------------------------------------------------------------------

local function resolve(cite)
  local links = pandoc.Inlines {}
  for _, citation in ipairs(cite.citations) do
    local kind = kind_of(citation.id)
    if not kind then
      if not context.citation_keys[citation.id] then
        context.refuse("the bibliography has no %s", citation.id)
      end
      cited = true
    else
      local number = labels[citation.id]
      if not number then
        context.refuse("the reference @%s leads nowhere on this page", citation.id)
      end
      local text = context.reference_words[kind] .. NBSP .. number
      if citation.mode == "SuppressAuthor" then
        text = number
      end
      if #links > 0 then
        links:extend { pandoc.Str(","), pandoc.Space() }
      end
      links:insert(pandoc.Link(text, "#" .. citation.id, "", { class = "quarto-xref" }))
    end
  end
  if #links > 0 then
    return links
  end
end

-- Folded, as long lists would double a page; a link to an entry opens it (report/assets/folds.html).
local function add_bibliography(doc)
  if cited then
    doc.blocks:extend {
      html(('<details class="references"><summary>%s</summary>'):format(context.references_title)),
      pandoc.Div({}, { id = "refs" }),
      html("</details>"),
    }
    return doc
  end
end

return {
  {
    traverse = "topdown",
    Header = number_section,
    Div = number_div,
    CodeBlock = number_listing,
    Inlines = function(inlines)
      return context.replace_equations(inlines, number_equation)
    end,
  },
  { Cite = resolve },
  { Pandoc = add_bibliography },
}
