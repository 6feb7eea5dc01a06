"""Chapter *faithfulness*: its tables, and what papers print beside what is measured here."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from IPython.display import HTML

from analysis.figures import published as printed
from analysis.figures.faithfulness import EVIDENCE, JUDGED, PAIRED_MEASURES
from analysis.figures.phrases import written
from analysis.figures.results import predicting
from analysis.figures.tables import intervals
from analysis.figures.words import nth_layer
from attention_mixing.markup import escape
from attention_mixing.words import Words

PAIRED_WITH = ("raw", "rollout")


def evidence_table(data: pd.DataFrame, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """How every method finds the evidence: ROC-AUC and precision at 1, by family."""
    found = data.assign(cell=intervals(data)).set_index(["of", "experiment", "quantity"])["cell"]
    columns = product(data["experiment"].unique(), EVIDENCE)
    headed = {
        w["of"].format(whole=one, part=w[measure]): (one, measure) for one, measure in columns
    }
    rows = [
        {w["method"]: w[method]}
        | {head: found.get((method, *column), w["not_defined"]) for head, column in headed.items()}
        for method in JUDGED
    ]
    return pd.DataFrame(rows), data


def paired_table(data: pd.DataFrame, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Differences of every method to a few others on the same texts."""
    keys = ["experiment", "of", "quantity", "minus"]
    found = data.assign(cell=_differences(data, w)).set_index(keys)["cell"]
    dropped = data.groupby(["experiment", "of"])["dropped"].max()
    measures = [measure for measure in PAIRED_MEASURES if measure in set(data["quantity"])]
    rows: list[dict[str, object]] = []
    for experiment in data["experiment"].unique():
        # A column of its own would push the last one off the page.
        rows.append({w["method"]: HTML(f"<strong>{escape(experiment)}</strong>")})
        for method in JUDGED:
            row: dict[str, object] = {w["method"]: w[method]}
            for measure, other in product(measures, PAIRED_WITH):
                # A method is not held against itself.
                cell = found.get((experiment, method, measure, other), "")
                row[f"{w[f'{measure}_column']} − {w[other]}"] = cell
            rows.append(row | {w["undefined"]: dropped[experiment, method]})
    table = pd.DataFrame(rows, dtype=object).fillna("")
    return table if dropped.any() else table.drop(columns=w["undefined"]), data


def published_curves(layers: pd.DataFrame, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Correlations over the layers that Abnar and Zuidema printed, above ours."""
    tuned = predicting(layers[layers["kind"] == "cls"])
    measures = {"blank_out": printed.BLANK_OUT, "input_gradient": "gradient"}
    rows: list[dict[Any, Any]] = []
    for (reference, method), values in printed.published_curves().items():
        about = {"measured_against": reference, "method": method}
        rows.append(about | {"source": w["published"]} | dict(enumerate(values, start=1)))
        same = (tuned["of"] == method) & (tuned["quantity"] == measures[reference])
        for experiment, part in tuned[same].groupby("experiment", sort=False):
            ours = dict(zip(part["layer"], part["mean"], strict=True))
            rows.append(about | {"source": experiment} | ours)
    data = pd.DataFrame(rows)
    named = data[["measured_against", "method"]].map(w.__getitem__)
    # A model may have fewer layers than another.
    numbers = data.drop(columns=[*named, "source"]).map(written, form="z.2f", na_action="ignore")
    cells = named.join(data["source"]).join(numbers.fillna(""))
    return cells.rename(columns=w | {layer: nth_layer(layer, w) for layer in numbers}), data


def published_orders(
    final: pd.DataFrame, layers: pd.DataFrame, w: Words
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rankings that papers report, beside ours and what the claim about each comes to."""
    tuned = predicting(layers)
    keys = ["experiment", "quantity", "of"]
    of_model = final.set_index(keys)["mean"]
    of_layers = tuned.set_index([*keys, "kind", "layer"])["mean"]
    cells: list[dict[str, str]] = []
    rows = []
    for order in printed.published_orders():
        row = {
            w["statement"]: w[order.statement],
            w["source"]: order.reference,
            w["published"]: ", ".join(written(value, "z.2f") for value in order.values),
        }
        for experiment in final["experiment"].unique():
            values = []
            for method, printed_value in zip(order.methods, order.values, strict=True):
                key = experiment, order.measure, method
                of_layer = of_layers.get((*key, order.rows, order.layer), np.nan)
                value = of_model.get(key, np.nan) if order.layer is None else of_layer
                values.append(w["not_defined"] if np.isnan(value) else written(value, "z.2f"))
                about = {"statement": order.statement, "source": order.reference}
                about |= {"experiment": experiment, "method": method}
                rows.append(about | {"published": printed_value, "measured": value})
            row[experiment] = ", ".join(values)
            verdict = order.outcome(experiment)
            if verdict != "not_tested":
                row[experiment] = w["of"].format(whole=row[experiment], part=w[f"order_{verdict}"])
        cells.append(row)
    return pd.DataFrame(cells), pd.DataFrame(rows)


def _differences(data: pd.DataFrame, w: Words) -> list[HTML]:
    """Mean above its interval, bold where it stands out from all comparisons."""
    cells = []
    for row in data.itertuples():
        mean, low, high = (written(value, "+.2f") for value in (row.mean, row.low, row.high))
        shown = f"<strong>{mean}</strong>" if row.stands_out else mean
        cell = f"{shown}<br><small>[{low},\u00a0{high}]</small>"
        cells.append(HTML(w["not_defined"] if np.isnan(row.mean) else cell))
    return cells
