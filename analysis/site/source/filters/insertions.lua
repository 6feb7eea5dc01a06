-- Puts the values of shortcodes where their placeholders are: text as text, the output of a
-- notebook cell as it is; links to pages lead to what they are rendered to. Runs after the page was parsed, so no value is ever read as Markdown.

local directory = pandoc.path.directory(PANDOC_SCRIPT_FILE)
local context = dofile(pandoc.path.join { directory, "context.lua" })
local PLACEHOLDER = context.placeholder

local function fill(text)
  return (text:gsub(PLACEHOLDER, function(index)
    local value = context.insertions[tonumber(index) + 1]
    if type(value) ~= "string" then
      context.refuse("an embed must be a paragraph of its own")
    end
    return value
  end))
end

local function shown(outputs)
  local blocks = pandoc.Blocks {}
  for _, output in ipairs(outputs) do
    local kind, content = table.unpack(output)
    if kind == "markdown" or kind == "laid-out" then
      blocks:extend(pandoc.read(content, "markdown").blocks)
    else
      blocks:insert(pandoc.RawBlock(kind, content))
    end
  end
  return blocks
end

-- A paragraph that holds nothing but an embed becomes what the cell shows.
local function embed(paragraph)
  local only = #paragraph.content == 1 and paragraph.content[1]
  local index = only and only.t == "Str" and only.text:match("^" .. PLACEHOLDER .. "$")
  local value = index and context.insertions[tonumber(index) + 1]
  if type(value) == "table" then
    return shown(value)
  end
end

local function fill_text(element)
  element.text = fill(element.text)
  return element
end

local function refuse_raw(element)
  context.refuse("raw %s (%.40s) is not part of the dialect; write Markdown", element.format,
    element.text)
end

return {
  { RawBlock = refuse_raw, RawInline = refuse_raw },
  { Para = embed, Plain = embed },
  {
    Str = fill_text,
    Code = fill_text,
    CodeBlock = fill_text,
    Link = function(link)
      link.target = fill(link.target)
      local page, anchor = link.target:match("^([%w-]+)%.qmd(#?.*)$")
      if page then
        if not context.pages[page] then
          context.refuse("the link %s leads to no page of the report", link.target)
        end
        link.target = page .. ".html" .. anchor
      end
      return link
    end,
    Math = function(math)
      if math.text:find(PLACEHOLDER) then
        context.refuse("a shortcode within mathematics is left alone by Quarto; write it outside")
      end
    end,
  },
}
