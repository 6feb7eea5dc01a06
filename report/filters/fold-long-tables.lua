-- A long table stands in a fold, as those of the notebooks do; on paper nothing is folded.

if not FORMAT:match("html") then
  return {}
end

local from, summary

local function read(meta)
  local long = meta["long-tables"]
  from = tonumber(pandoc.utils.stringify(long.from))
  summary = pandoc.utils.stringify(long.summary)
end

local function html(text)
  return pandoc.RawBlock("html", text)
end

local function fold(one)
  local rows = 0
  for _, body in ipairs(one.bodies) do
    rows = rows + #body.body
  end
  if rows < from then
    return nil
  end
  return {
    html('<details class="printed"><summary class="on-screen">'),
    pandoc.Plain((summary:gsub("{rows}", rows))),
    html("</summary>"),
    one,
    html("</details>"),
  }
end

return { { Meta = read }, { Table = fold } }
