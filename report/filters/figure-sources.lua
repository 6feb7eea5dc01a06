-- What leads on from a figure, to its files and its code, stands after it: nothing parts a picture
-- from its caption.

if not FORMAT:match("html") then
  return {}
end

local function html(text)
  return pandoc.RawBlock("html", text)
end

function Div(div)
  if not div.identifier:match("^fig%-") then
    return nil
  end
  local blocks = pandoc.Blocks {}
  local figure = div:walk {
    RawBlock = function(raw)
      local picture, sources = raw.text:match('^(.-)(<p class="sources">.*)$')
      if sources then
        blocks:insert(html('<div class="figure-sources">' .. sources .. "</div>"))
        return html(picture)
      end
    end,
  }
  blocks:insert(1, figure)
  return blocks
end
