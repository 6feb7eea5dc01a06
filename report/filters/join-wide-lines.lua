-- A line break between two wide characters is not a space.
--
-- Japanese is written without spaces, but Markdown turns the end of a source line into one. Pandoc's
-- own extension `east_asian_line_breaks` knows this and Quarto ignores it, so both renderers use
-- this filter. It removes a soft break between two wide East Asian characters, and one beside
-- full-width punctuation, whose glyph holds its own space.

-- Blocks of Unicode whose characters are set without spaces between them (UAX #11, W and F; Hangul
-- is wide too but separates its words by spaces).
local WIDE = {
  { 0x2E80, 0x303F }, -- radicals, CJK punctuation
  { 0x3040, 0x31FF }, -- kana, bopomofo, kanbun
  { 0x3200, 0x4DBF }, -- enclosed letters, extension A
  { 0x4E00, 0x9FFF }, -- unified ideographs
  { 0xF900, 0xFAFF }, -- compatibility ideographs
  { 0xFE30, 0xFE4F }, -- vertical and compatibility forms
  { 0xFF01, 0xFF60 }, -- full-width forms
  { 0xFFE0, 0xFFE6 }, -- full-width signs
  { 0x20000, 0x3FFFD }, -- supplementary ideographs
}

local PUNCTUATION = {
  { 0x3000, 0x303F }, -- 、 。 「 」 ...
  { 0xFF01, 0xFF0F }, -- ！ （ ） ， ． ...
  { 0xFF1A, 0xFF20 }, -- ： ； ？ ...
  { 0xFF3B, 0xFF40 },
  { 0xFF5B, 0xFF60 },
}

local function lies_in(ranges, codepoint)
  for _, range in ipairs(ranges) do
    if codepoint >= range[1] and codepoint <= range[2] then
      return true
    end
  end
  return false
end

-- What is seen before and after the break, also when it lies within emphasis or a link.
local function last_character(inline)
  local text = pandoc.utils.stringify(inline)
  return text == "" and 0 or utf8.codepoint(text, utf8.offset(text, -1))
end

local function first_character(inline)
  local text = pandoc.utils.stringify(inline)
  return text == "" and 0 or utf8.codepoint(text, 1)
end

local function is_no_space(before, after)
  return lies_in(WIDE, before) and lies_in(WIDE, after)
    or lies_in(PUNCTUATION, before)
    or lies_in(PUNCTUATION, after)
end

function Inlines(inlines)
  for i = #inlines - 1, 2, -1 do
    -- Two breaks in a row: Quarto has taken out the sentence between them.
    if inlines[i].t == "SoftBreak" and (inlines[i - 1].t == "SoftBreak"
      or is_no_space(last_character(inlines[i - 1]), first_character(inlines[i + 1]))) then
      inlines:remove(i)
    end
  end
  return inlines
end
