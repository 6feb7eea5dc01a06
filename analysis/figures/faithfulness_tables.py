"""Chapter *faithfulness*: its tables, and what papers print beside what is measured here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from IPython.display import HTML

from analysis.figures import published as printed
from analysis.figures.faithfulness import JUDGED, PAIRED_MEASURES
from analysis.figures.markup import escape
from analysis.figures.published import PublishedOrder
from analysis.figures.words import Words, nth_layer

PAIRED_WITH = ("raw", "rollout")


def evidence_table(data: pd.DataFrame, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """ROC-AUC and average precision of every method, by family."""
    cells: list[dict[str, str]] = []
    for method in JUDGED:
        row = {w["method"]: w[method]}
        for experiment in data["experiment"].unique():
            for measure in ("roc_auc", "average_precision"):
                one = _one(data, experiment=experiment, of=method, measure=measure)
                row[w["of"].format(whole=experiment, part=w[measure])] = _interval(one, "z.2f", w)
        cells.append(row)
    return pd.DataFrame(cells), data


def paired_table(data: pd.DataFrame, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Differences of every method to a few others on the same texts."""
    cells: list[dict[str, object]] = []
    for experiment, part in data.groupby("experiment", sort=False):
        # A column of its own would push the last one off the page.
        cells.append({w["method"]: HTML(f"<strong>{escape(experiment)}</strong>")})
        for method in [m for m in JUDGED if m != "uniform"]:
            own = part[part["of"] == method]
            row: dict[str, object] = {w["method"]: w[method]}
            for measure in [m for m in PAIRED_MEASURES if m in set(data["measure"])]:
                for other in PAIRED_WITH:
                    one = _one(own, measure=measure, minus=other)
                    name = f"{w[f'{measure}_column']} − {w[other]}"
                    # A method is not held against itself.
                    row[name] = "" if one is None else _difference(one, w)
            cells.append(row | {w["undefined"]: int(own["dropped"].max())})
    table = pd.DataFrame([dict.fromkeys(cells[-1], "") | row for row in cells])
    if not data["dropped"].any():
        table = table.drop(columns=w["undefined"])
    return table, data


def published_curves(layers: pd.DataFrame, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Correlations over the layers that Abnar and Zuidema printed, above ours."""
    tuned = layers[(layers["variant"] == "finetuned") & (layers["kind"] == "cls")]
    measures = {"blank_out": printed.BLANK_OUT, "input_gradient": "gradient"}
    rows: list[dict[str | int, str | float]] = []
    for (reference, method), values in printed.published_curves().items():
        about: dict[str | int, str | float] = {"measured_against": reference, "method": method}
        rows.append(about | {"source": w["published"]} | dict(enumerate(values, start=1)))
        same = (tuned["of"] == method) & (tuned["measure"] == measures[reference])
        for experiment, part in tuned[same].groupby("experiment", sort=False):
            ours = dict(zip(part["layer"], part["mean"], strict=True))
            rows.append(about | {"source": experiment} | ours)
    data = pd.DataFrame(rows)
    cells = data.copy()
    for key in ("measured_against", "method"):
        cells[key] = data[key].map(w)
    numbers = [column for column in data if isinstance(column, int)]
    for layer in numbers:
        # A model may have fewer layers than another.
        cells[layer] = ["" if np.isnan(value) else _number(value, "z.2f") for value in data[layer]]
    return cells.rename(columns=w | {layer: nth_layer(layer, w) for layer in numbers}), data


def published_orders(
    final: pd.DataFrame, layers: pd.DataFrame, w: Words
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rankings that papers report, beside ours and what the claim about each comes to."""
    cells: list[dict[str, str]] = []
    rows = []
    for order in printed.published_orders():
        row = {
            w["statement"]: w[order.statement],
            w["source"]: order.reference,
            w["published"]: ", ".join(_number(value, "z.2f") for value in order.values),
        }
        for experiment in final["experiment"].unique():
            values = [
                _ours(final, layers, order, experiment=experiment, of=method)
                for method in order.methods
            ]
            numbers = ", ".join(
                w["not_defined"] if np.isnan(value) else _number(value, "z.2f") for value in values
            )
            verdict = order.outcome(experiment)
            row[experiment] = (
                numbers
                if verdict == "not_tested"
                else w["of"].format(whole=numbers, part=w[f"order_{verdict}"])
            )
            about = {"statement": order.statement, "source": order.reference}
            rows += [
                about
                | {"experiment": experiment, "method": method}
                | {"published": published, "measured": value}
                for method, published, value in zip(
                    order.methods, order.values, values, strict=True
                )
            ]
        cells.append(row)
    return pd.DataFrame(cells), pd.DataFrame(rows)


def _ours(final: pd.DataFrame, layers: pd.DataFrame, order: PublishedOrder, **whose: str) -> float:
    if order.layer is None:
        one = _one(final, measure=order.measure, **whose)
    else:
        of_layer = {"variant": "finetuned", "kind": order.rows, "layer": order.layer}
        one = _one(layers, measure=order.measure, **of_layer, **whose)
    return float("nan") if one is None else float(one["mean"])


def _one(rows: pd.DataFrame, **where: Any) -> pd.Series | None:
    for column, value in where.items():
        rows = rows[rows[column] == value]
    return rows.iloc[0] if len(rows) else None


def _interval(row: pd.Series | None, form: str, w: Words) -> str:
    if row is None or np.isnan(row["mean"]):
        return w["not_defined"]
    mean, low, high = (_number(row[key], form) for key in ("mean", "low", "high"))
    return f"{mean}\u00a0[{low},\u00a0{high}]"


def _difference(row: pd.Series, w: Words) -> HTML:
    """Mean above its interval, bold where it stands out from all comparisons."""
    if np.isnan(row["mean"]):
        return HTML(w["not_defined"])
    mean, low, high = (_number(row[key], "+.2f") for key in ("mean", "low", "high"))
    shown = f"<strong>{mean}</strong>" if row["stands_out"] else mean
    return HTML(f"{shown}<br><small>[{low},\u00a0{high}]</small>")


def _number(value: float, form: str) -> str:
    # z: a value that rounds to zero has no sign of its own.
    return format(value, form).replace("-", "\u2212")
