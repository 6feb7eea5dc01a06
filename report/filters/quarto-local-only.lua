-- Runs after Quarto has rendered a project: makes its pages complete without a network and from a
-- disk, and lets the keyboard reach the text first.

local function rewrite(name, change)
  local file = assert(io.open(name))
  local text = file:read("a")
  file:close()
  file = assert(io.open(name, "w"))
  file:write((change(text)))
  file:close()
end

-- Quarto loads RequireJS and jQuery from a CDN into every page that embeds a notebook cell with HTML
-- output, in case it is a widget. The report has no widgets, and fetches nothing from elsewhere.
local function without_widgets(page)
  return page
    :gsub('<script src="https://cdn%.jsdelivr%.net/[^>]*></script>\n?', "")
    :gsub("<script type=\"application/javascript\">define%('jquery'[^\n]*</script>\n?", "")
end

-- A page that is opened from a disk may load scripts but not modules. Quarto has two, of which one
-- imports the other: as scripts they run in the same order, and the first leaves its name behind.
local MODULES = '<script src="([^"]*)quarto%.js" type="module"></script>\n'
  .. '<script src="[^"]*tabsets%.js" type="module"></script>'
local SCRIPTS = '<script src="%1tabsets/tabsets.js" defer></script>\n'
  .. '<script src="%1quarto.js" defer></script>'

local function as_script(module)
  return "(() => {\n" .. module .. "\n})();\n"
end

local function tabsets_as_script(text)
  local module, exports = text:gsub("export function init", "window.tabsets = { init };\nfunction init")
  return exports == 0 and text or as_script(module)
end

local function quarto_as_script(text)
  local module, imports = text:gsub('^import %* as tabsets from "[^"]*";', "const { tabsets } = window;")
  return imports == 0 and text or as_script(module)
end

-- Quarto puts what a filter adds before the text behind its bar of navigation.
local function skip_link_first(page)
  local link = page:match('<a class="skip%-link"[^\n]-</a>')
  if not link then
    return page
  end
  local from, to = page:find(link, 1, true)
  page = page:sub(1, from - 1) .. page:sub(to + 1)
  local body = select(2, page:find("<body[^>]*>"))
  return page:sub(1, body) .. link .. page:sub(body + 1)
end

for name in os.getenv("QUARTO_PROJECT_OUTPUT_FILES"):gmatch("[^\n]+") do
  if name:match("%.html$") then
    rewrite(name, function(page)
      return skip_link_first(without_widgets(page):gsub(MODULES, SCRIPTS))
    end)
  end
end

local libraries = os.getenv("QUARTO_PROJECT_OUTPUT_DIR") .. "/site_libs/quarto-html/"
rewrite(libraries .. "tabsets/tabsets.js", tabsets_as_script)
rewrite(libraries .. "quarto.js", quarto_as_script)
