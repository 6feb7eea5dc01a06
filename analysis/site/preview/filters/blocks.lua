-- Callouts and tabsets; every other class of a div or span is refused by name.

local directory = pandoc.path.directory(PANDOC_SCRIPT_FILE)
local context = dofile(pandoc.path.join { directory, "..", "..", "source", "filters", "context.lua" })
local html = context.html

local function title_of(div)
  local first = div.content[1]
  if first and first.t == "Header" then
    div.content:remove(1)
    return first.content
  end
end

local function callout(div, kind)
  local word = context.callout_words[kind]
  local title = title_of(div)
  if title then
    -- The colour says what kind of callout it is; so must the text.
    title:insert(1, pandoc.Span(word, { class = "screen-reader-only" }))
  else
    title = pandoc.Inlines(word)
  end
  local collapsed = div.attributes.collapse == "true"
  local outer, header = "div", "div"
  if collapsed then
    outer, header = "details", "summary"
  end
  local blocks = pandoc.Blocks {
    html(('<%s class="callout callout-%s">'):format(outer, kind)),
    html(('<%s class="callout-header"><div class="callout-title-container">'):format(header)),
    pandoc.Plain(title),
    html(('</div></%s><div class="callout-body">'):format(header)),
  }
  blocks:extend(div.content)
  blocks:insert(html(("</div></%s>"):format(outer)))
  return blocks
end

-- Radio buttons keep one panel open, by mouse and by arrow keys, without a script.
local tabsets = 0

local function tabset(div)
  local level = div.content[1] and div.content[1].t == "Header" and div.content[1].level
  if not level then
    context.refuse("a .panel-tabset must begin with the heading of its first tab")
  end
  tabsets = tabsets + 1
  local blocks = pandoc.Blocks { html('<div class="tabs">') }
  local tab = 0
  for _, block in ipairs(div.content) do
    if block.t == "Header" and block.level == level then
      tab = tab + 1
      local id = ("tab-%d-%d"):format(tabsets, tab)
      blocks:extend {
        html((tab > 1 and "</div>" or "") ..
          ('<input type="radio" name="tabs-%d" id="%s"%s><label for="%s">'):format(
            tabsets, id, tab == 1 and " checked" or "", id)),
        pandoc.Plain(block.content),
        html('</label><div class="tab-panel">'),
      }
    else
      blocks:insert(block)
    end
  end
  blocks:insert(html("</div></div>"))
  return blocks
end

function Div(div)
  for _, class in ipairs(div.classes) do
    if not context.div_classes[class] then
      context.refuse("the preview does not know the div class .%s", class)
    end
  end
  local kind = (div.classes[1] or ""):match("^callout%-(%a+)$")
  if kind then
    return callout(div, kind)
  elseif div.classes[1] == "panel-tabset" then
    return tabset(div)
  end
end

function Span(span)
  for _, class in ipairs(span.classes) do
    if not context.span_classes[class] then
      context.refuse("the preview does not know the span class .%s", class)
    end
  end
end
