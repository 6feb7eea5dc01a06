"""How much of the paper a run reproduces, and what of its words does not stand for that run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from analysis.argument.evidence import Evidence, OwnEvidence
from analysis.argument.numbers import PaperNumber, PaperNumbers, Read, Value, in_this_run
from analysis.argument.page import Said, holds, stands
from analysis.paths import ARGUMENT, result
from analysis.prose.phrases import written
from analysis.runs.comparison import compare
from attention_mixing.addresses import ALL
from attention_mixing.artifacts import read_artifact


def of_run(
    content: PaperNumbers,
    kept: Mapping[str, Read],
    here: Mapping[str, Read],
    evidence: OwnEvidence,
    pages: Sequence[Said],
) -> dict[str, Any]:
    """Say what the paper says, of what is kept and of this run.

    Parameters
    ----------
    content
        Which numbers the paper has.
    kept, here
        Those numbers as kept, and with this run in the place of its experiments.
    evidence
        Where ``here`` was read.
    pages
        What pages say, in all languages.

    Returns
    -------
    dict
        ``numbers``, by name: ``form``, ``take``, ``whole``, ``each`` (by RUN/EXPERIMENT) and
        ``files``, as read here; ``kept``, the ``whole`` of what is kept; ``own``, whether this run
        has measured it or a part of it, and ``differs``, whether it is another there than the kept
        one, beyond tolerance. ``broken``: conditions and outcomes that do not hold here.
        ``missing``: kept runs that are not there; none. ``here``: :func:`measured_here`.
    """
    numbers = {}
    for name, read in here.items():
        own = read.files != kept[name].files
        numbers[name] = {
            "form": read.form,
            "take": read.take,
            "whole": _written(read.whole),
            "each": {case: _written(value) for case, value in read.each.items()},
            "files": [*read.files],
            "kept": _written(kept[name].whole),
            "own": own,
            "differs": own and not _alike(content.numbers[name], kept[name], read),
        }
    outcomes = evidence.outcomes()
    conditions = {condition for page in pages for condition in page.conditions}
    rests = {outcome for page in pages for outcome in page.outcomes}
    broken = [condition for condition in conditions if not holds(condition, here)]
    broken += [outcome for outcome in rests if not stands(outcome, outcomes)]
    return {
        "numbers": numbers,
        "broken": sorted(broken),
        "missing": [],
        "here": measured_here(content),
    }


def without(content: PaperNumbers, missing: Sequence[str]) -> dict[str, Any]:
    """Give the same where kept runs are missing: of numbers, what this run has alone."""
    return {"numbers": {}, "broken": [], "missing": [*missing], "here": measured_here(content)}


def measured_here(content: PaperNumbers) -> dict[str, dict[str, Any]]:
    """Read what numbers of the paper are in the experiments of this run.

    Of a curve of a set that some experiment has: ``form``, and ``each``, by the experiment.
    """
    read = {name: (number, in_this_run(number)) for name, number in content.numbers.items()}
    return {
        name: {"form": number.form, "each": {case: _written(value) for case, value in each.items()}}
        for name, (number, each) in read.items()
        if each
    }


def read_argument() -> dict[str, Any]:
    """Read what the stage *argument* has written: :func:`of_run`."""
    return read_artifact(result(ARGUMENT.name), dict[str, Any])


def faults(kept: Mapping[str, Read], evidence: Evidence, page: Said) -> list[str]:
    """Say what a page claims that kept evidence does not bear out, and which numbers are not there.

    An author has to look at each.
    """
    outcomes = evidence.outcomes()
    missing = [name for name in page.numbers if name not in kept]
    untrue = [one for one in page.conditions if not holds(one, kept)]
    otherwise = [one for one in page.outcomes if not stands(one, outcomes)]
    return [
        *(f"{name} is no number of report/paper.yaml" for name in missing),
        *(f"{condition} does not hold of what is kept" for condition in untrue),
        *(f"{outcome} is not what came out" for outcome in otherwise),
    ]


def _alike(number: PaperNumber, kept: Read, here: Read) -> bool:
    """Tell whether all that a number is made of is the same, each within its tolerance."""
    if number.curve is None:
        return written(kept.whole.value, kept.form) == written(here.whole.value, here.form)
    name = f"{{}}/{_address(number)}"
    before, now = (
        {name.format(case.partition("/")[2]): value.value for case, value in read.each.items()}
        for read in (kept, here)
    )
    return bool(compare(before, now)["ok"].all())


def _address(number: PaperNumber) -> str:
    """Name the quantity of a curve as :func:`analysis.runs.comparison.names` does."""
    curve = number.curve
    if curve is None:
        return ""
    layer = ALL if curve.layer == "last" else curve.layer
    named = [curve.measure, curve.variant, curve.quantity, curve.subject, curve.facet, str(layer)]
    return ".".join(named) + (f".minus.{curve.minus}" if curve.minus else "")


def _written(value: Value) -> list[float | None]:
    return [None if math.isnan(end) else float(end) for end in value]
