-- What the filters know beside the text, and how they refuse a page.

local file = assert(io.open(os.getenv("PREVIEW_CONTEXT")))
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

return context
