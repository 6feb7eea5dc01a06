"""Sets pages of the site as one PDF, with Typst: the paper, or the supplement to it.

The pages become the chapters of one document (`assemble`), which pandoc turns into Typst by a
template (`typeset`).
"""

from analysis.site.paper.typeset import write_pdf

__all__ = ["write_pdf"]
