-- One page of the site as a chapter of a document, or as all of it: labels that no other chapter has,
-- links that lead within the document, and nothing that needs a browser. Runs after the values of
-- shortcodes are in.

local directory = pandoc.path.directory(PANDOC_SCRIPT_FILE)
local context = dofile(pandoc.path.join { directory, "..", "source", "filters", "context.lua" })
local kind_of = context.kind_of

local function typst(text)
  return pandoc.RawBlock("typst", text)
end

-- The label of an anchor of a page; of the page itself, where there is no anchor.
local function label_of(page, anchor)
  if anchor == "" then
    return "sec-" .. page
  end
  local kind = kind_of(anchor)
  local label = kind and kind .. "-" .. page .. anchor:sub(#kind + 1) or page .. "-" .. anchor
  return context.aliases[label] or label
end

local function number_label(element)
  if element.identifier ~= "" then
    element.identifier = label_of(context.page, element.identifier)
    return element
  end
end

local function lead_within(link)
  local page, anchor = link.target:match("^([%w-]*)%.?h?t?m?l?#(.+)$")
  if not page then
    page, anchor = link.target:match("^([%w-]+)%.html$"), ""
  end
  if page then
    page = page == "" and context.page or page
    local label = label_of(page, anchor)
    if not context.labels[label] then
      context.refuse("the link %s leads nowhere", link.target)
    end
    if not context.within[page] then
      return link.content
    end
    link.target = "#" .. label
    return link
  elseif not link.target:match("^%a+:") then
    -- A file of the site: the paper may be read without it.
    return link.content
  end
end

local function refer(cite)
  local wide
  for _, citation in ipairs(cite.citations) do
    local kind = kind_of(citation.id)
    if kind then
      local label = label_of(context.page, citation.id)
      if not context.labels[label] then
        context.refuse("the reference @%s leads nowhere on this page", citation.id)
      end
      citation.id = label
      wide = wide or context.reference_words[kind]
    elseif not context.citation_keys[citation.id] then
      context.refuse("the bibliography has no %s", citation.id)
    end
  end
  if wide then
    -- What the filter that joins lines sees of a reference.
    cite.content = pandoc.Inlines(wide .. "\u{a0}1")
  end
  return cite
end

-- Pandoc writes two of TeX's spaces as whole ems in Typst, the negative one as -1, the thick one as 0,
-- and the name of an angle bracket of a given size as its letters.
local function write_evenly(math)
  math.text = math.text:gsub("\\!", ""):gsub("\\;", "\\:")
    :gsub("\\[bB]igg?l(\\langle)", "\\left%1"):gsub("\\[bB]igg?r(\\rangle)", "\\right%1")
  return math
end

-- Labels of equations are words to pandoc.
local function number_equation(word)
  local label = word.text:match("^{#(eq%-[%w-]+)}$")
  return label and pandoc.Str(("{#%s}"):format(label_of(context.page, label)))
end

-- What a tab holds follows its name; what is for the screen is not there.
local function unfold(div)
  if div.classes:includes("on-screen") then
    return typst("#omitted")
  end
  if div.classes:includes("panel-tabset") then
    local blocks = pandoc.Blocks {}
    for _, block in ipairs(div.content) do
      if block.t == "Header" then
        blocks:extend { typst("#tab["), pandoc.Plain(block.content), typst("]") }
      else
        blocks:insert(block)
      end
    end
    return blocks
  end
  div.attributes.collapse = nil
  return div
end

-- The title of the page, and what it says of itself, above its sections; both are those of the
-- document where the page is all of it. The number is that of the page on the site.
local function add_opening(doc)
  local first, label = doc.blocks[1], "sec-" .. context.page
  if first and first.t == "Header" and first.identifier == label then
    doc.blocks:remove(1)
  end
  local opening = pandoc.Blocks {}
  if context.title == "" then
    opening:insert(typst(("#counter(heading).update(%d)"):format(context.number)))
    opening:insert(typst(("#metadata(none)<%s>"):format(label)))
  else
    opening:insert(typst(("#counter(heading).update(%d)"):format(context.number - 1)))
    opening:insert(pandoc.Header(1, context.title, { id = label }))
    if context.description ~= "" then
      local words = pandoc.read(context.description, "markdown").blocks
      opening:extend { typst("#lead["), words[1], typst("]") }
    end
  end
  doc.blocks = opening .. doc.blocks
  return doc
end

return {
  { Div = unfold },
  {
    Header = number_label,
    Div = number_label,
    CodeBlock = number_label,
    Span = number_label,
    Link = lead_within,
    Cite = refer,
    Math = write_evenly,
    Str = number_equation,
  },
  { Pandoc = add_opening },
}
