-- Runs after Quarto has rendered a project: makes its pages complete without a network and from a
-- disk, and lets the keyboard reach the text first.

-- Within Quarto's scripts error() shows a trace of the stack.
local function refuse(...)
  io.stderr:write("error: ", string.format(...), "\n")
  os.exit(2)
end

local function read(name)
  local file = assert(io.open(name))
  local text = file:read("a")
  file:close()
  return text
end

local function rewrite(name, change)
  local text = change(read(name))
  local file = assert(io.open(name, "w"))
  file:write(text)
  file:close()
end

-- A later Quarto may write something else: then there is nothing to replace, and that is no success.
local function replace(text, name, what, pattern, replacement)
  local changed, count = text:gsub(pattern, replacement)
  if count == 0 then
    refuse("%s: this Quarto writes no %s, which report/filters/quarto-local-only.lua looks for as %s",
      name, what, pattern)
  end
  return changed
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

-- Quarto keeps the choice between light and dark from no page to the next on a disk, where most
-- browsers would; its function is asked whether it cannot.
local KEPT = "try { return !window.localStorage; } catch { return true; }"

-- Where a page is rendered alone, the scripts may be those that the pages before it have left.
local function as_script(name, what, pattern, replacement)
  rewrite(name, function(text)
    if text:sub(1, 7) == "(() => " then
      return text
    end
    return "(() => {\n" .. replace(text, name, what, pattern, replacement) .. "\n})();\n"
  end)
end

-- Quarto puts what a filter adds before the text behind its bar of navigation.
local function skip_link_first(page, name)
  local link = page:match('<a class="skip%-link"[^\n]-</a>')
  if not link then
    refuse("%s has no link that skips the navigation; report/filters/quarto-html.lua adds it", name)
  end
  local from, to = page:find(link, 1, true)
  page = page:sub(1, from - 1) .. page:sub(to + 1)
  local body = select(2, page:find("<body[^>]*>"))
  return page:sub(1, body) .. link .. page:sub(body + 1)
end

-- Quarto leaves out the contents of a page where there is no room beside the text: there they stand
-- folded above it.
local function with_contents(page)
  local title, list = page:match('<nav id="TOC"[^>]*>%s*<h2[^>]*>(.-)</h2>%s*(<ul.-)</nav>')
  if not title then
    return page
  end
  local links = list:match("^.*</ul>"):gsub(' id="[^"]*"', ""):gsub(' data%-scroll%-target="[^"]*"', "")
    :gsub(' class="[^"]*"', "")
  local fold = ('<details class="contents"><summary>%s</summary>%s</details>'):format(title, links)
  local header = select(2, page:find('<header id="title%-block%-header".-</header>'))
  return page:sub(1, header) .. fold .. page:sub(header + 1)
end

-- The list of references is a fold, as that of the preview.
local APPENDIX = '(<section class="quarto%-appendix%-contents" role="doc%-bibliography"[^>]*>)'
  .. '<h2[^>]*>(.-)</h2>(<div id="refs".-)</section>'
local FOLD = '%1<details class="references"><summary>%2</summary>%3</details></section>'

local function with_references_folded(page, name)
  if not page:find('id="refs"', 1, true) then
    return page
  end
  return replace(page, name, "list of references", APPENDIX, FOLD)
end

-- Who shows a link to a page finds a picture by its whole address alone, which Quarto writes where
-- `site-url` is known.
local function without_relative_picture(page)
  return (page:gsub('<meta property="og:image[^"]*" content="[^"]*"[^>]*>\n?', function()
    if not page:find('<meta property="og:image" content="https?://') then
      return ""
    end
  end))
end

-- What a browser loads without being asked, and from where.
local LOADED = {
  audio = "src", embed = "src", iframe = "src", img = "src", link = "href", object = "data",
  script = "src", source = "src", video = "src",
}

local function refuse_elsewhere(page, name)
  for tag, attributes in page:gmatch("<(%a+)(%s[^>]*)>") do
    local attribute = LOADED[tag:lower()]
    local address = attribute and attributes:match("%s" .. attribute .. '="(%a*:?//[^"]*)"')
    -- These two name a page, and load none.
    local named = attributes:match('rel="canonical"') or attributes:match('rel="alternate"')
    if address and not named then
      refuse("%s loads %s; a page may load only what lies beside it", name, address)
    end
  end
end

local listed = os.getenv("QUARTO_PROJECT_OUTPUT_FILES")
  or read(os.getenv("QUARTO_USE_FILE_FOR_PROJECT_OUTPUT_FILES"))
for name in listed:gmatch("[^\n]+") do
  if name:match("%.html$") then
    rewrite(name, function(page)
      page = with_contents(skip_link_first(without_widgets(page), name))
      page = with_references_folded(page, name)
      page = replace(page, name, "scripts as modules", MODULES, SCRIPTS)
      page = replace(page, name, "question whether it is on a disk",
        "return window%.location%.protocol === 'file:';", KEPT)
      refuse_elsewhere(page, name)
      page = without_relative_picture(page)
      return page
    end)
  end
end

local libraries = os.getenv("QUARTO_PROJECT_OUTPUT_DIR") .. "/site_libs/quarto-html/"
as_script(libraries .. "tabsets/tabsets.js", "function to export",
  "export function init", "window.tabsets = { init };\nfunction init")
as_script(libraries .. "quarto.js", "module to import",
  '^import %* as tabsets from "[^"]*";', "const { tabsets } = window;")
-- The index of a search that the pages do not have.
os.remove(os.getenv("QUARTO_PROJECT_OUTPUT_DIR") .. "/search.json")
