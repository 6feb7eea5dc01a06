"""Which view of the explorer shows what a claim is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

from analysis.parameters.derived import case_name
from analysis.prose.claims import JudgedCase, JudgedClaim
from analysis.results.explorer import PAGE
from attention_mixing.settings.derived import STREAMS

# Quantity, ``subject`` and ``facet`` of what a rule reads -> number of heads that shows it, where
# that is not the mean of the quantity by its own name.
CELLS: Mapping[tuple[Any, ...], str] = {
    ("without_pattern", "0.5", None): "mean-family",
    ("score_change", None, None): "mean-loss_change",
    ("sink", None, "first"): "first",
    ("distance", "attention", "all"): "mean-distance",
}
# What a number of two states together, such as a change, is listed under.
BOTH_STATES = "both"
# Scope of a mixing -> the column with its weights.
SCOPES = {"attn_w": "raw"}
# What a quantity holds methods against begins with -> what its column begins with.
TRUTHS = {
    "gradient": "gradient_norm",
    "blank_out": "left_out",
    "comprehensiveness": "left_out",
    "sufficiency": "left_out",
}


class View(NamedTuple):
    """A view of the explorer.

    Attributes
    ----------
    address
        Of the page, with the selection.
    names
        What it shows, each a message of the explorer: of a number of heads, a column, a picture.
    """

    address: str
    names: tuple[str, ...]


def view_of_claim(claim: JudgedClaim, index: Sequence[Mapping[str, Any]]) -> View | None:
    """Choose the view that shows what a claim is about, in an experiment that it was tested in.

    ``index`` is that of :func:`read_index`. What a claim is about is what its first case reads.
    None where no experiment of this run shows it.
    """
    own = [case for case in claim.cases if case.run is None and case.variant is not None]
    for case in sorted(own, key=lambda case: not case.decides):
        for shown, stream in _of_case(case, index):
            selection, names = _showing(claim, stream, str(case.variant))
            if names:
                where = {"e": shown["name"], "x": stream["name"]}
                state = {"s": case.variant} if len(shown["states"]) > 1 else {}
                named = {key: one for key, one in (where | state | selection).items() if one}
                return View(f"{PAGE}#{urlencode(named)}", names)
    return None


def _of_case(
    case: JudgedCase, index: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Find experiment and stream that a case was measured in."""
    for shown in index:
        for stream in shown["streams"]:
            # What is measured of source and target together is named by the experiment alone.
            apart = stream["name"] if stream["name"] != STREAMS[-1] else ""
            if case_name(shown["name"], apart) == case.experiment:
                yield shown, stream


def _showing(
    claim: JudgedClaim, stream: Mapping[str, Any], state: str
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Choose what of a stream shows what a claim is about: letters of an address, and names."""
    first = claim.measured[0] if claim.measured else None
    if first is None:
        return {}, ()
    read = first.quantity, first.where.get("subject"), first.where.get("facet")
    cell = CELLS.get(read, f"mean-{first.quantity}")
    if (read in CELLS or not first.where) and {state, BOTH_STATES} & {
        *stream["cells"].get(cell, ())
    }:
        return {"c": cell}, (f"cell_{cell.removeprefix('mean-')}",)
    if first.group == "queries-keys" and "map" in stream:
        return {"v": "map"}, ("view_map",)
    if first.quantity == "silhouette" and stream.get("features"):
        return {"v": "features"}, ("view_features",)
    columns = [name for name, states in stream["columns"].items() if state in states]
    return _columns(claim, columns)


def _columns(claim: JudgedClaim, columns: Sequence[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Choose columns of rows: of the first method, the next one, and what they are held against."""
    first = claim.measured[0]
    of = [method["subject"] for method in claim.methods if method["quantity"] == first.quantity]
    named = [SCOPES.get(name, name) for name in of]
    if not named or named[0] not in columns:
        return {}, ()
    begins = [truth for name, truth in TRUTHS.items() if first.quantity.startswith(name)]
    against = [name for name in columns if begins and name.startswith(begins[0])]
    if begins and not against:
        return {}, ()
    chosen = [name for name in dict.fromkeys(named) if name in columns][:2]
    shown = [*chosen, *against[:1]]
    names = tuple(f"column_{name}" for name in shown)
    if len(chosen) == 1:
        return {"o": shown[-1]}, names
    return {"d": "~".join(chosen), "o": against[0] if against else "difference"}, names
