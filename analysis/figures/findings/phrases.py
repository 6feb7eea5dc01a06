"""Parts of sentences: ranges of numbers, counted things, lists of names."""

from __future__ import annotations

from collections.abc import Sequence


def span(values: Sequence[float], form: str = ".0%") -> str:
    """Smallest to largest value, or the one value if both read the same."""
    low, high = format(min(values), form), format(max(values), form)
    # A dash right before a sign would be read as one with it.
    dash = " \u2013 " if high.startswith(("-", "+")) else "\u2013"
    return (low if low == high else f"{low}{dash}{high}").replace("-", "\u2212")


def listed(names: Sequence[str], language: str) -> str:
    """Join names as a sentence does."""
    if language == "ja":
        return "、".join(names)
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


# English noun, which takes an s, and Japanese with its counter.
COUNTED = {
    "case": ("case", "{} 事例"),
    "claim": ("claim", "{} 件の主張"),
    "experiment": ("experiment", "{} 件の実験"),
    "head": ("head", "{} 個のヘッド"),
    "layer": ("layer", "{} 層"),
    "map": ("map", "{} 枚のマップ"),
    "state": ("model state", "モデルの状態 {} 通り"),
    "step": ("step", "{} 分割"),
    "text": ("text", "{} 件のテキスト"),
    "token": ("token", "{} トークン"),
}


def counted(count: int, thing: str, language: str) -> str:
    """Say how many there are of a thing: one text, 1,200 texts.

    Parameters
    ----------
    count
        0 or more.
    thing
        Key of ``COUNTED``.
    language
        ``en`` or ``ja``.
    """
    noun, japanese = COUNTED[thing]
    if language == "ja":
        return japanese.format(f"{count:,}")
    return f"one {noun}" if count == 1 else f"{count:,} {noun}s"


def agreeing(counts: Sequence[int], singular: str, plural: str) -> str:
    """Choose the verb of a count, or of the range of several."""
    return singular if min(counts) == max(counts) == 1 else plural


def counted_span(counts: Sequence[int], thing: str, language: str) -> str:
    """As :func:`counted`, from the smallest to the largest number."""
    if min(counts) == max(counts):
        return counted(counts[0], thing, language)
    noun, japanese = COUNTED[thing]
    reach = span(counts, ",d")
    return japanese.format(reach) if language == "ja" else f"{reach} {noun}s"
