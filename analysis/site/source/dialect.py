"""The part of Quarto's Markdown that the pages use and that is known here, beside shortcodes."""

CALLOUTS = frozenset({"caution", "important", "note", "tip", "warning"})

# The front page at a glance: what was measured, findings, and a picture beside them; a finding of
# the paper, whose words are held against its numbers, and one that differs from this run (so marked
# by filters/bound-numbers.lua); what is left of it without a kept run; what its PDF does not have.
DIV_CLASSES = frozenset(
    {"panel-tabset", "basis", "glance", "findings", "finding", "differs"}
    | {"stands-alone", "on-screen"}
    | {f"callout-{kind}" for kind in CALLOUTS}
)

# How sure a finding is; a word of the paper that belongs to a definition, a number
# with its interval, and what a filter makes of it (bound-numbers.lua).
SPAN_CLASSES = frozenset({"sure", "term", "interval", "bound"})

# Of divs and spans that are shown under a condition (`conditions`).
CONDITIONAL = "content-visible"

# What a label may begin with, and the key under `language:` that holds its word in references.
REFERENCES = {
    "fig": "crossref-fig-title",
    "tbl": "crossref-tbl-title",
    "eq": "crossref-eq-prefix",
    "sec": "crossref-sec-prefix",
    "lst": "crossref-lst-title",
}

# Number of the chapter: Quarto counts on every page anew, and the preview by the sidebar.
CHAPTER = "number-offset"

# Of a page that is as wide as the window, beside the list of pages, and has no contents of its own:
# `page-layout: full` and `toc: false`.
LAYOUT, CONTENTS = "page-layout", "toc"

FRONT_MATTER = frozenset({"title", "description", CHAPTER, LAYOUT, CONTENTS})
