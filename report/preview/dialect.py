"""The part of Quarto's Markdown that the pages use and the preview knows."""

SHORTCODES = frozenset({"embed", "env", "meta", "var"})

CALLOUTS = frozenset({"caution", "important", "note", "tip", "warning"})

DIV_CLASSES = frozenset({"panel-tabset"} | {f"callout-{kind}" for kind in CALLOUTS})

SPAN_CLASSES: frozenset[str] = frozenset()

# What a label may begin with, and the key under `language:` that holds its word in references.
REFERENCES = {
    "fig": "crossref-fig-title",
    "tbl": "crossref-tbl-title",
    "eq": "crossref-eq-prefix",
    "sec": "crossref-sec-prefix",
    "lst": "crossref-lst-title",
}

# Entries of the glossary: linked as glossary.qmd#term-NAME, never numbered.
ANCHORS = frozenset({"term"})

FRONT_MATTER = frozenset({"title", "description"})
