"""Sets the whole report of one language as one PDF, with Typst.

The pages of the site become the chapters of one Markdown source (`assemble`), which Quarto, or
pandoc where there is no Quarto, turns into Typst by the same template (`typeset`).
"""

from report.paper.typeset import write_pdf

__all__ = ["write_pdf"]
