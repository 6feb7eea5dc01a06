-- Quarto's Markdown as Typst: figures, tables and listings with captions, labelled equations,
-- references, callouts. Typst counts.

local directory = pandoc.path.directory(PANDOC_SCRIPT_FILE)
local context = dofile(pandoc.path.join { directory, "..", "source", "filters", "context.lua" })
local kind_of = context.kind_of

local function typst(...)
  return pandoc.RawBlock("typst", string.format(...))
end

local function float(label, content, caption)
  local kind = kind_of(label)
  local blocks = pandoc.Blocks { typst("#figure([") }
  blocks:extend(content)
  blocks:extend {
    typst("], caption: figure.caption(["),
    pandoc.Plain(caption),
    typst(']), kind: "%s", supplement: [%s]) <%s>', kind, context.reference_words[kind], label),
  }
  return blocks
end

local function write_div(div)
  if kind_of(div.identifier) then
    local caption = div.content:remove()
    return float(div.identifier, div.content, caption.content)
  end
  local kind = (div.classes[1] or ""):match("^callout%-(%a+)$")
  if kind then
    local title = pandoc.Inlines(context.callout_words[kind])
    if div.content[1].t == "Header" then
      title = div.content:remove(1).content
    end
    local blocks = pandoc.Blocks {
      typst('#callout("%s", [', kind), pandoc.Plain(title), typst("], ["),
    }
    blocks:extend(div.content)
    blocks:insert(typst("])"))
    return blocks
  end
end

local function write_listing(code)
  local label, caption = context.take_caption(code)
  if label then
    return float(label, { code }, caption)
  end
end

local function write_equation(formula, label)
  local written = pandoc.write(pandoc.Pandoc { pandoc.Plain { formula } }, "typst")
  return pandoc.RawInline("typst",
    ("#math.equation(block: true, numbering: equation-numbering, [%s])<%s>"):format(
      written:gsub("%s+$", ""), label))
end

local function write_equations(inlines)
  return context.replace_equations(inlines, write_equation)
end

local function write_references(cite)
  local references = pandoc.Inlines {}
  for _, citation in ipairs(cite.citations) do
    local kind = kind_of(citation.id)
    if kind then
      if #references > 0 then
        references:extend { pandoc.Str(","), pandoc.Space() }
      end
      local word = citation.mode == "SuppressAuthor" and "" or context.reference_words[kind]
      references:insert(pandoc.RawInline("typst",
        ("#ref(<%s>, supplement: [%s])"):format(citation.id, word)))
    end
  end
  if #references > 0 then
    return references
  end
end

return {
  { Inlines = write_equations },
  { Div = write_div, CodeBlock = write_listing, Cite = write_references },
}
