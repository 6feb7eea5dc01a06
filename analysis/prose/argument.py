"""What is said of the numbers of the paper: how each is printed, what it is of, and the head."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.prose.messages import words
from analysis.prose.phrases import listed, written
from attention_mixing.messages import Words


def shown(number: Mapping[str, Any]) -> str:
    """Print a number as the paper does."""
    value = number["whole"][0]
    return written(int(value) if number["form"] == "d" else value, number["form"])


def interval(value: list[float | None], form: str) -> str:
    """Print an interval; empty where there is none."""
    if value[1] is None or value[2] is None:
        return ""
    return f"[{written(value[1], form)}, {written(value[2], form)}]"


def origin(number: Mapping[str, Any], w: Words) -> str:
    """Say of which experiments a number is, with the interval or the value of each."""
    form, each = number["form"], number["each"]
    if len(each) > 1:
        cases = [f"{case} {written(value[0], form)}" for case, value in each.items()]
        return w.say("of_several", take=number["take"], cases=", ".join(cases))
    of = ", ".join(each)
    return " ".join(part for part in (of, interval(number["whole"], form)) if part)


def title(number: Mapping[str, Any], w: Words) -> str:
    """Say what a number is when it is pointed at."""
    own = "differs" if number["differs"] else "own" if number["own"] else "kept"
    read = w.say("number_read", own=own, files=", ".join(number["files"]))
    of = origin(number, w)
    return w.say("number_of", origin=of, read=read) if of else read


def head(argument: Mapping[str, Any], w: Words) -> str:
    """Say how many of the numbers that this run measures itself it reproduces, and which not."""
    if argument["missing"]:
        return w.say(
            "head_missing", n=len(argument["missing"]), runs=listed(argument["missing"], w)
        )
    own = {name: number for name, number in argument["numbers"].items() if number["own"]}
    differing = [name for name, number in own.items() if number["differs"]]
    return w.say(
        "head",
        numbers=len(argument["numbers"]),
        own=len(own),
        alike=len(own) - len(differing),
        differing=len(differing),
    )


def settings(argument: Mapping[str, Any], language: str) -> dict[str, Any]:
    """Tell the filter of the pages (``report/filters/bound-numbers.lua``) what to print.

    Of each number its ``text``, ``interval`` and ``title``; which conditions and outcomes are
    ``broken``, and the ``note`` of a block that rests on one of these.
    """
    w = words(language, "paper")
    return {
        "numbers": {
            name: {
                "text": shown(number),
                "interval": interval(number["whole"], number["form"]),
                "title": title(number, w),
            }
            for name, number in argument["numbers"].items()
        },
        "broken": argument["broken"],
        "missing": argument["missing"],
        "note": w["differs_here"],
    }
