"""Sets the whole report of one language as one PDF, with Typst.

The pages of the site become the chapters of one document (`assemble`), which pandoc turns into
Typst by a template (`typeset`).
"""

from analysis.site.paper.typeset import write_pdf

__all__ = ["write_pdf"]
