"""Renders the report with pandoc alone, from the sources that Quarto renders.

The pages are Quarto Markdown; where Quarto is not installed, this package makes the same site of
them: same pages, same numbers, same references. It knows the part of the dialect that the pages
use (`analysis.site.source.dialect`) and refuses the rest by name.
"""

from analysis.site.preview.site import render

__all__ = ["render"]
