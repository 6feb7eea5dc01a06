"""One measure beside all others on circuits, as a table for a terminal.

``attention-mixing score`` prints it.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from attention_mixing.attributions.catalogue import Estimand
from attention_mixing.circuits.by_hand import NORMS
from attention_mixing.circuits.drawn import draw_circuit
from attention_mixing.circuits.estimands import FINDS, NEARLY, by_estimand
from attention_mixing.circuits.labels import BASELINES
from attention_mixing.circuits.measures import layer_measures, model_measures
from attention_mixing.circuits.programs import CIRCUITS, Circuit
from attention_mixing.circuits.scores import CircuitMeasure, Through, scored_together
from attention_mixing.errors import InputError, first_line, quoted

DRAWN = 20
"""Circuits that are drawn with one seed."""
TITLES: dict[Estimand, str] = {
    "provenance": "what tokens bring",
    "effect": "all that they do",
    "keys": "what they do as keys",
}


class Sample(NamedTuple):
    """On what measures are scored.

    Attributes
    ----------
    circuits
        Names or circuits.
    seeds
        Of the bases.
    texts
        Of each.
    """

    circuits: tuple[str | Circuit, ...]
    seeds: range
    texts: int

    @property
    def total(self) -> int:
        """Texts in all, in both placements of the norms."""
        return len(self.circuits) * len(NORMS) * len(self.seeds) * self.texts


def sample(*, quick: bool, drawn: int | None) -> Sample:
    """Choose on what to score: the circuits of the library, or some that are drawn.

    Parameters
    ----------
    quick
        One basis and one text of each, instead of two and four.
    drawn
        A seed, by which :data:`DRAWN` circuits are drawn that nobody has chosen
        (:mod:`attention_mixing.circuits.drawn`); None for those of the library.
    """
    circuits: tuple[str | Circuit, ...] = tuple(CIRCUITS)
    if drawn is not None:
        first = DRAWN * drawn
        circuits = tuple(draw_circuit(seed) for seed in range(first, first + DRAWN))
    return Sample(circuits, range(1 if quick else 2), 1 if quick else 4)


def load(name: str) -> CircuitMeasure:
    """Import a measure by ``MODULE:FUNCTION`` or ``FILE.py:FUNCTION``.

    Raises
    ------
    InputError
        If there is none, or it cannot be imported.
    """
    place, _, function = name.rpartition(":")
    example = "`score mymeasures:strongest_head`"
    if not place or not function:
        raise InputError(
            f"the measure is {quoted(name)}; allowed: MODULE:FUNCTION or FILE.py:FUNCTION; for "
            f"example {example}."
        )
    try:
        module = _imported(place)
    except Exception as error:  # whatever it does while it is imported
        raise InputError(
            f"{quoted(place)} cannot be imported ({first_line(error)}); allowed: a module that "
            f"Python finds from here, or a file of Python; for example {example}."
        ) from error
    measure = getattr(module, function, None)
    if not callable(measure):
        raise InputError(
            f"{quoted(place)} has no function {quoted(function)}; allowed: one that takes a text "
            "and its circuit, and gives [query, token]; correct the name."
        )
    return measure  # type: ignore[no-any-return]


def _imported(place: str) -> Any:
    if not place.endswith(".py"):
        sys.path.insert(0, "")  # as `python -m` does
        return importlib.import_module(place)
    spec = importlib.util.spec_from_file_location(Path(place).stem, place)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def beside_others(
    name: str, measure: CircuitMeasure, on: Sample, through: Through = "model"
) -> pd.DataFrame:
    """Score a measure, and all of the library on the same texts.

    Parameters
    ----------
    name
        Under which it stands in the table.
    measure
        As :func:`attention_mixing.circuits.scores.scored` takes it.
    on
        Circuits, bases and texts.
    through
        ``model``, or ``layer`` for each single one.

    Returns
    -------
    DataFrame
        As :func:`attention_mixing.circuits.estimands.by_estimand` has it, yours first, baselines
        last.

    Raises
    ------
    InputError
        If the measure gives arrays of another shape, or has the name of one of the library.
    """
    others = layer_measures() if through == "layer" else model_measures()
    if name in others:
        raise InputError(
            f"{quoted(name)} is what a measure of the library is called; give yours another name."
        )
    measures = {name: measure} | others
    scores = scored_together(
        {through: measures},
        circuits=on.circuits,
        norms=NORMS,
        seeds=on.seeds,
        texts=on.texts,
        text_seed=0,
    )
    keys = ["estimand", "measure", "circuit", "score"]
    means = scores.groupby(keys)["value"].mean().rename("mean").reset_index()
    return by_estimand(means, [*measures])


def written(table: pd.DataFrame) -> str:
    """Write the table of :func:`beside_others` for a terminal.

    What a measure is meant to tell is marked by a star.
    """
    names = [*dict.fromkeys(table["measure"])]
    width = max(len(name) for name in names)
    of_estimand = {one: table[table["estimand"] == one].set_index("measure") for one in TITLES}
    head = " " * width + "".join(f"  {title:>29}" for title in TITLES.values())
    under = " " * width + f"  {'found':>15}{'amount':>7}{'order':>7}" * len(TITLES)
    lines = [head, under]
    for number, name in enumerate(names):
        if name == BASELINES[0] or number == 1:
            lines.append("")
        cells = []
        for one in TITLES:
            row = of_estimand[one].loc[name]
            star = "*" if row["meant"] is True else ""
            found = f"{row['found']} ({row['nearly']}) of {row['of']}"
            numbers = "".join(
                f"{'–' if pd.isna(row[column]) else format(row[column], '.2f'):>7}"
                for column in ("amount", "order")
            )
            cells.append(f"  {star + found:>15}{numbers}")
        lines.append(f"{name:<{width}}" + "".join(cells))
    lines += [
        "",
        "found: circuits in which every token that counts stands above every other (ROC AUC of at",
        f"least {FINDS:g}, in brackets {NEARLY:g}); amount: error of the share of other tokens;",
        "order: rank correlation of the shares; *: what a measure is meant to tell.",
    ]
    return "\n".join(lines)
