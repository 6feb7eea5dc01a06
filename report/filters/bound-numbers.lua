-- The numbers of the paper, and what is said of them: []{n="NAME"} is a number (with {.interval, its
-- interval, too), [text]{when="..."} is said on conditions. A block that rests on one that does not
-- hold of this run says so. Where a kept run is missing, a page with blocks that stand alone
-- (.stands-alone) is left with these, and links to its sections lead there.

local paper

local function read(meta)
  paper = meta.paper
end

local function lacks()
  return paper and #paper.missing > 0
end

local function text(value)
  return pandoc.utils.stringify(value)
end

local function parts(attribute)
  local found = {}
  for part in (attribute or ""):gmatch("[^;]+") do
    table.insert(found, (part:gsub("^%s+", ""):gsub("%s+$", "")))
  end
  return found
end

local function broken(attribute)
  for _, part in ipairs(parts(attribute)) do
    for _, one in ipairs(paper and paper.broken or {}) do
      if text(one) == part then
        return true
      end
    end
  end
  return false
end

local function block(div)
  if not div.classes:includes("finding") then
    return nil
  end
  local differs = broken(div.attributes["rests-on"])
  div.attributes["rests-on"] = nil
  div:walk {
    Span = function(span)
      differs = differs or broken(span.attributes.when)
    end,
  }
  if differs then
    div.classes:insert("differs")
    div.content:insert(1, pandoc.Para { pandoc.Emph(text(paper.note)) })
  end
  return div
end

local function span(one)
  if one.attributes.when then
    return one.content
  end
  local name = one.attributes.n
  if not name then
    return nil
  end
  local number = paper and paper.numbers[name]
  if not number then
    if lacks() then
      return {} -- what it stands in is not shown
    end
    error("the paper has no number " .. name .. "; report/paper.yaml lists them")
  end
  local printed = text(number.text)
  if one.classes:includes("interval") then
    printed = printed .. "\u{a0}" .. text(number.interval)
  end
  if not FORMAT:match("html") then
    return pandoc.Str(printed)
  end
  local attributes = { class = "bound", title = text(number.title) }
  return pandoc.Span({ pandoc.Str(printed) }, attributes)
end

local function page(document)
  local alone = document.blocks:filter(function(one)
    return one.t == "Div" and one.classes:includes("stands-alone")
  end)
  if lacks() and #alone > 0 then
    local places = pandoc.List()
    document.blocks:walk {
      Header = function(header)
        places:insert(pandoc.Span({}, { id = header.identifier }))
      end,
    }
    if FORMAT:match("html") then
      alone:insert(pandoc.Plain(places))
    end
    document.blocks = alone
  end
  return document
end

return { { Meta = read }, { Pandoc = page }, { Div = block }, { Span = span } }
