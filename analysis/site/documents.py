"""The PDFs of a language, and which pages of the site each of them holds."""

from collections.abc import Sequence

PAPER, SUPPLEMENT = "paper.pdf", "supplement.pdf"
PDFS = (PAPER, SUPPLEMENT)
"""Names of the PDFs, which lie beside the pages."""


def documents(pages: Sequence[str]) -> dict[str, list[str]]:
    """Return the pages of each PDF, of all pages of the site in the order of the sidebar.

    The paper is a page alone. The supplement has the others, but not the front page, which only
    leads to them.
    """
    others = [page for page in pages if page not in {"index", "paper"}]
    return {PAPER: ["paper"], SUPPLEMENT: others}
