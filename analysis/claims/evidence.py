"""Find the quantity of a case in the results of one experiment."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analysis.claims.arithmetic import FUNCTIONS
from analysis.claims.ledger import (
    Arithmetic,
    Case,
    Claim,
    Curve,
    Depth,
    Layers,
    Metric,
    Rows,
    Rule,
    Scalar,
    Selection,
    Texts,
    number,
)
from analysis.claims.verdicts import Range, Reading, holds
from analysis.errors import InputError
from analysis.methods.bootstrap import mean_interval
from analysis.methods.faithfulness import rank_correlation
from analysis.params import Bootstrap

# Names of a value, its bounds and what it is of, where a dictionary holds just these.
PLAIN = ("share", "mean")


class Found(NamedTuple):
    """What was read, and of which layer where a case has several."""

    reading: Reading
    layer: int | None = None


class Results:
    """Files below ``results/``, each read once."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._read: dict[Path, Any] = {}

    def parquet(self, path: Path) -> pd.DataFrame:
        """Read a table."""
        return self._once(path, pd.read_parquet)

    def csv(self, path: Path) -> pd.DataFrame:
        """Read the points of curves."""
        return self._once(path, pd.read_csv)

    def json(self, path: Path) -> Any:
        """Read metrics or a summary."""
        return self._once(path, lambda file: json.loads(file.read_text(encoding="utf-8")))

    def _once(self, path: Path, read: Callable[[Path], Any]) -> Any:
        if path not in self._read:
            self._read[path] = read(path)
        return self._read[path]


class Evidence:
    """The results of one experiment and variant.

    Parameters
    ----------
    results, name
        All results, and the experiment.
    variant
        ``pretrained`` or ``finetuned``, which rows must have and which fills ``{variant}`` in names
        and paths; None for results that do not tell the two apart.
    claim
        Who asks: its published values, and its name in messages.
    bootstrap
        How texts are resampled.
    """

    def __init__(
        self, results: Results, name: str, variant: str | None, claim: Claim, bootstrap: Bootstrap
    ) -> None:
        self._results, self._directory = results, results.directory / name
        self._variant = variant
        self._claim, self._bootstrap = claim, bootstrap

    def of(self, case: Case) -> list[Found]:
        """Read what a case asks for; nothing where nothing was measured.

        Raises
        ------
        InputError
            If there is no file, column or metric of the name that the case gives.
        """
        if case.when is not None:
            asked = self._metric(case.when.metric)
            ranges = allowed(case.when.rule, self._claim)
            if not asked or not _contains(asked[0].reading.value, ranges):
                return []
        if case.texts is not None:
            return self._texts(case.texts)
        if case.metric is not None:
            return self._metric(case.metric)
        if case.curve is not None:
            return self._curve(case.curve)
        assert case.rows is not None  # the ledger has checked that one is given
        return self._rows(case.rows)

    # --- the kinds --------------------------------------------------------------------------------

    def _texts(self, asked: Texts) -> list[Found]:
        others = [side.column for side in (asked.minus, asked.divided_by) if side and side.column]
        table = self._table(asked.table, asked.where, asked.column, "example_id", *others)
        values = self._by_text(table, asked, Selection())
        for other, combine in ((asked.minus, np.subtract), (asked.divided_by, np.divide)):
            if other is not None:
                values = combine(*values.align(self._by_text(table, asked, other), join="inner"))
        # A ratio to nothing is not defined.
        values = values.replace([np.inf, -np.inf], np.nan).dropna()
        if values.empty:
            return []
        if asked.over_texts != "mean":
            extreme = values.max() if asked.over_texts == "largest" else values.min()
            return [Found(Reading(float(extreme)))]
        mean, low, high, texts = mean_interval(
            values.to_numpy(float), **self._bootstrap.model_dump()
        )
        return [Found(Reading(float(mean), float(low), float(high), int(texts)))]

    def _by_text(self, table: pd.DataFrame, asked: Texts, other: Selection) -> pd.Series:
        """One value a text, by its id."""
        chosen = self._chosen(table, asked.where | other.where, asked.table)
        column = other.column or asked.column
        if "layer" not in chosen:
            return chosen.groupby("example_id")[column].mean()
        chosen = _at(chosen, other.layers or asked.layers, table)
        # Heads of a layer, where there are any, before layers.
        by_layer = chosen.groupby(["example_id", "layer"])[column].mean().unstack("layer")
        if asked.over_layers == "mean":
            # Other layers than those of the other side of a contrast would be another quantity.
            return by_layer.mean(axis="columns", skipna=False)
        depth = by_layer.columns.to_numpy(float)
        return pd.Series(rank_correlation(by_layer.to_numpy(float), depth), by_layer.index)

    def _metric(self, asked: Metric) -> list[Found]:
        path = self._path(f"{asked.file}.json")
        beside: Any = None
        value = self._results.json(path)
        for step in asked.path.format(variant=self._variant).split("."):
            if value is None:
                break
            if not isinstance(value, dict) or step not in value:
                held = ", ".join(value) if isinstance(value, dict) else ""
                raise InputError(
                    f"report/claims.yaml: claim {self._claim.id} reads {asked.path} of {path}, "
                    f"which has {held or 'no names'} in the place of {step}; correct the path."
                )
            beside, value = value, value[step]
        if value is None:  # nothing was measured
            return []
        if not isinstance(value, int | float):
            raise InputError(
                f"report/claims.yaml: claim {self._claim.id}: {asked.path} of {path} is not a "
                "number; name one within it."
            )
        prefix = "" if step in PLAIN else f"{step}_"
        low, high = beside.get(f"{prefix}low"), beside.get(f"{prefix}high")
        return [Found(Reading(float(value), low, high))]

    def _curve(self, asked: Curve) -> list[Found]:
        path = self._path(f"plots/{asked.file}.csv")
        table = self._results.csv(path)
        chosen = self._chosen(table, asked.where, f"plots/{asked.file}")
        if chosen.empty:
            return []
        chosen = _at(chosen, asked.layers, table)
        return [
            Found(Reading(point["mean"], point["low"], point["high"], point["texts"]), layer)
            for layer, point in chosen.set_index("layer").to_dict("index").items()
            if not math.isnan(point["mean"])
        ]

    def _rows(self, asked: Rows) -> list[Found]:
        table = self._table(asked.table, asked.where, asked.column)
        values = self._chosen(table, asked.where, asked.table)[asked.column].dropna()
        if values.empty:
            return []
        if asked.within is not None:
            ranges = allowed(asked.within, self._claim)
            return [Found(Reading(float(np.mean([_contains(v, ranges) for v in values]))))]
        return [Found(Reading(float(values.max() if asked.take == "largest" else values.min())))]

    # --- reading ----------------------------------------------------------------------------------

    def _path(self, file: str) -> Path:
        path = self._directory / file.format(variant=self._variant)
        if not path.exists():
            raise InputError(
                f"report/claims.yaml: claim {self._claim.id} reads {path}, which is not there; "
                "correct the name, or run the stage that writes it."
            )
        return path

    def _table(self, name: str, where: dict[str, Scalar], *columns: str) -> pd.DataFrame:
        path = self._path(f"{name}.parquet")
        table = self._results.parquet(path)
        missing = [column for column in (*where, *columns) if column not in table]
        if missing:
            raise InputError(
                f"report/claims.yaml: claim {self._claim.id} reads {missing[0]} of {path}, which "
                f"has {', '.join(table.columns)}; correct the name."
            )
        return table

    def _chosen(self, table: pd.DataFrame, where: dict[str, Scalar], name: str) -> pd.DataFrame:
        if table.empty:
            return table
        if self._variant is not None and "variant" in table:
            own: dict[str, Scalar] = {"variant": self._variant}
            where = own | where
        chosen = np.ones(len(table), bool)
        for column, value in where.items():
            if column not in table:
                raise InputError(
                    f"report/claims.yaml: claim {self._claim.id} asks for {column} in {name}, "
                    f"which has {', '.join(table.columns)}; correct the name."
                )
            chosen &= (table[column] == value).to_numpy(bool)
        return table[chosen]


def computed(asked: Arithmetic, claim: Claim) -> Found:
    """Compute what a claim of arithmetic asks for."""
    given = {
        name: [number(one, claim) for one in value]
        if isinstance(value, list)
        else number(value, claim)
        for name, value in asked.given.items()
    }
    return Found(Reading(float(FUNCTIONS[asked.function](**given))))


def allowed(rule: Rule, claim: Claim) -> Range:
    """Put numbers in the place of what a rule names."""
    if rule.near is not None and rule.within is not None:
        middle, around = number(rule.near, claim), number(rule.within, claim)
        return Range(middle - around, middle + around)
    if rule.differs_from is not None:
        other = number(rule.differs_from, claim)
        return Range(other, other, inside=False)
    low = -math.inf if rule.above is None else number(rule.above, claim)
    high = math.inf if rule.below is None else number(rule.below, claim)
    return Range(low, high)


def files(claim: Claim) -> list[str]:
    """Files that a claim reads, of every experiment it is asked of."""
    found = []
    for case in claim.test.cases if claim.test else ():
        for part, folder, suffix in (
            (case.texts and case.texts.table, "", "parquet"),
            (case.rows and case.rows.table, "", "parquet"),
            (case.metric and case.metric.file, "", "json"),
            (case.curve and case.curve.file, "plots/", "csv"),
        ):
            if part:
                found.append(f"results/{{experiment}}/{folder}{part}.{suffix}")
    return list(dict.fromkeys(found))


def _contains(value: Any, ranges: Range) -> bool:
    return bool(holds(Reading(value), ranges))


def _at(rows: pd.DataFrame, layers: Layers, table: pd.DataFrame) -> pd.DataFrame:
    """Rows of some layers; the depth of the model is that of the whole table."""
    depth = int(table["layer"].max())
    layer = rows["layer"]
    if isinstance(layers, Depth):
        position = layer * layers.of
        return rows[(position >= layers.start * depth) & (position <= layers.end * depth)]
    match layers:
        case "first":
            return rows[layer == layer.min()]
        case "middle":
            return rows[layer == (depth + 1) // 2]
        case "last":
            return rows[layer == depth]
        case "last_two":
            return rows[layer > depth - 2]
        case "all_but_last_two":
            return rows[layer <= depth - 2]
        case _:
            return rows
