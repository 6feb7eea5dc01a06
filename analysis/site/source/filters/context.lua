-- What the filters know beside the text, how they refuse a page, and how labels are written.

local file = assert(io.open(os.getenv("FILTER_CONTEXT")))
local context = pandoc.json.decode(file:read("a"), false)
file:close()

-- One sentence instead of a stack trace.
function context.refuse(...)
  io.stderr:write(string.format(...), "\n")
  os.exit(2)
end

function context.html(text)
  return pandoc.RawBlock("html", text)
end

-- The kind that a label names, such as `fig` of fig-map; nothing where references have no word for it.
function context.kind_of(label)
  local kind = label:match("^(%a+)%-")
  return kind and context.reference_words[kind] and kind
end

-- Replaces every labelled formula, $$ ... $$ {#eq-label}, by what `write(formula, label)` returns.
function context.replace_equations(inlines, write)
  local replaced = pandoc.Inlines {}
  local i = 1
  while i <= #inlines do
    local after = inlines[i + 1] and inlines[i + 1].t == "Space" and i + 2 or i + 1
    local label = inlines[i].mathtype == "DisplayMath" and inlines[after]
      and inlines[after].t == "Str" and inlines[after].text:match("^{#(eq%-[%w-]+)}$")
    replaced:insert(label and write(inlines[i], label) or inlines[i])
    i = label and after + 1 or i + 1
  end
  return replaced
end

-- Takes label and caption off a listing; nothing where it has no label.
function context.take_caption(code)
  local label, caption = code.identifier, code.attributes["lst-cap"]
  if context.kind_of(label) == "lst" then
    if not caption then
      context.refuse("%s has no lst-cap", label)
    end
    code.identifier, code.attributes["lst-cap"] = "", nil
    return label, pandoc.utils.blocks_to_inlines(pandoc.read(caption, "markdown").blocks)
  end
end

return context
