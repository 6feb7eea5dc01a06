"""What a page asks its notebook for."""

import re
from pathlib import Path

from report.preview.conditions import shown_parts

REPORT = Path(__file__).parents[2] / "report"


def shown_source(chapter: str, language: str, **has: bool) -> str:
    """Source of what a page shows.

    Parameters
    ----------
    chapter, language
        Of the page.
    has
        Conditions and whether they are met, such as ``trained=False``; all others are.
    """
    source = (REPORT / language / f"{chapter}.qmd").read_text(encoding="utf-8")
    met = {f"has.{name.replace('_', '-')}": value for name, value in has.items()}
    parts = shown_parts(source, lambda key: met.get(key, True))
    return "".join(source[start:end] for start, end in parts)


def asked(chapter: str, language: str, **has: bool) -> set[str]:
    """Names of the numbers of its own chapter that a page shows."""
    text = shown_source(chapter, language, **has)
    return set(re.findall(rf"\{{\{{<\s*var\s+{chapter}\.(\S+)", text))
