"""Reads the pages, for whatever renders them.

The pages are Quarto Markdown, of which `dialect` lists the part that is known here. A `Project` has
the configuration of one language, a `Page` its text and the values of its shortcodes; `convert`
runs pandoc on them.
"""
