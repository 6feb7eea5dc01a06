"""Chapter *faithfulness*: its tables, and what papers print beside what is measured here."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from IPython.display import HTML

from analysis.figures.tables import intervals
from analysis.prose.phrases import nth_layer, written
from analysis.results.claims import judged_claims, published
from analysis.results.explanations import EVIDENCE, JUDGED, PAIRED_MEASURES
from analysis.results.summary import BLANK_OUT, predicting
from analysis.rules.verdicts import case_outcome, together
from attention_mixing.markup import escape
from attention_mixing.messages import Words

PAIRED_WITH = ("raw", "rollout")
CHAPTER = "faithfulness"  # of all claims whose methods are ranked
_ABNAR = "Abnar & Zuidema (2020)"
_ALTI = "Ferrando et al. (2022)"
_GLOBENC = "Modarressi et al. (2022)"


def evidence_table(data: pd.DataFrame, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw up how every method finds the evidence: ROC-AUC and precision at 1, by family."""
    cells = data.assign(cell=intervals(data)).set_index(["of", "experiment", "quantity"])["cell"]
    columns = product(data["experiment"].unique(), EVIDENCE)
    headed = {
        w["of"].format(whole=experiment, part=w[measure]): (experiment, measure)
        for experiment, measure in columns
    }
    rows = [
        {w["method"]: w[method]}
        | {head: cells.get((method, *column), w["not_defined"]) for head, column in headed.items()}
        for method in JUDGED
    ]
    return pd.DataFrame(rows), data


def paired_table(data: pd.DataFrame, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Differences of every method to a few others on the same texts."""
    keys = ["experiment", "of", "quantity", "minus"]
    cells = data.assign(cell=_differences(data, w)).set_index(keys)["cell"]
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
                cell = cells.get((experiment, method, measure, other), "")
                row[f"{w[f'{measure}_column']} − {w[other]}"] = cell
            rows.append(row | {w["undefined"]: dropped[experiment, method]})
    table = pd.DataFrame(rows, dtype=object).fillna("")
    return table if dropped.any() else table.drop(columns=w["undefined"]), data


def curves_table(layers: pd.DataFrame, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Correlations over the layers that Abnar and Zuidema printed, above ours."""
    tuned = predicting(layers[layers["kind"] == "cls"])
    measures = {"blank_out": BLANK_OUT, "input_gradient": "gradient"}
    rows: list[dict[Any, Any]] = []
    for (reference, method), values in published_curves().items():
        about = {"measured_against": reference, "method": method}
        rows.append(about | {"source": w["published"]} | dict(enumerate(values, start=1)))
        same = (tuned["of"] == method) & (tuned["quantity"] == measures[reference])
        for experiment, group in tuned[same].groupby("experiment", sort=False):
            ours = dict(zip(group["layer"], group["mean"], strict=True))
            rows.append(about | {"source": experiment} | ours)
    data = pd.DataFrame(rows)
    named = data[["measured_against", "method"]].map(w.__getitem__)
    # A model may have fewer layers than another.
    numbers = data.drop(columns=[*named, "source"]).map(written, form="z.2f", na_action="ignore")
    cells = named.join(data["source"]).join(numbers.fillna(""))
    return cells.rename(columns=w | {layer: nth_layer(layer, w) for layer in numbers}), data


def orders_table(
    final: pd.DataFrame, layers: pd.DataFrame, w: Words
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rankings that papers report, beside ours and what the claim about each comes to."""
    tuned = predicting(layers)
    keys = ["experiment", "quantity", "of"]
    of_model = final.set_index(keys)["mean"]
    of_layers = tuned.set_index([*keys, "kind", "layer"])["mean"]
    cells: list[dict[str, str]] = []
    rows = []
    for order in published_orders():
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
        number = f"<strong>{mean}</strong>" if row.stands_out else mean
        cell = f"{number}<br><small>[{low},\u00a0{high}]</small>"
        cells.append(HTML(w["not_defined"] if np.isnan(row.mean) else cell))
    return cells


@dataclass(frozen=True)
class PublishedOrder:
    """A paper's ranking of methods by one measure, best first.

    Attributes
    ----------
    statement
        Key of the words.
    reference
        As a reader would name it.
    measure, methods
        What corresponds to it here.
    values
        As printed, in the order of ``methods``.
    claim, cases
        That judge it; no cases are all of the claim.
    layer
        1-based layer the values speak of; None for the whole model.
    rows
        Of that layer: ``cls``, or ``max`` over the rows of all tokens.
    """

    statement: str
    reference: str
    measure: str
    methods: tuple[str, ...]
    values: tuple[float, ...]
    claim: str
    cases: tuple[str, ...] = ()
    layer: int | None = None
    rows: str = "cls"

    def outcome(self, experiment: str) -> str:
        """Sum up the verdicts on the cases of its claim in an experiment."""
        cases = [
            case
            for case in judged_claims(CHAPTER)[self.claim]["cases"]
            if case["experiment"] == experiment and (not self.cases or case["case"] in self.cases)
        ]
        return together(case_outcome(case["holds"], smaller=case["smaller"]) for case in cases)


def published_curves() -> dict[tuple[str, str], list[float]]:
    """Agreement with blank-out and with input gradients over the layers: claims B1 and B2.

    By what it is measured against and method, a correlation a layer.
    """
    return {
        (reference, method): published(claim)[measure][method]
        for claim, measure, reference in (
            ("B1", "blank_out", "blank_out"),
            ("B2", "gradient", "input_gradient"),
        )
        for method in ("raw", "rollout", "flow")
    }


def published_orders() -> list[PublishedOrder]:
    """Rankings of methods: claims B5 to B7 and B11."""
    late, vectors, residual, alti = (published(claim) for claim in ("B5", "B6", "B7", "B11"))
    return [
        PublishedOrder(
            "late_rollout",
            _ABNAR,
            "gradient",
            ("rollout", "raw"),
            (late["rollout"], late["raw"]),
            "B5",
            layer=late["layer"],
            rows="max",
        ),
        PublishedOrder(
            "vectors_help",
            _GLOBENC,
            "gradient",
            ("globenc_rollout", "attnres_n_rollout", "attn_n_rollout", "attn_w_rollout"),
            tuple(vectors[name] for name in ("globenc", "residual", "vectors", "weights")),
            "B6",
        ),
        PublishedOrder(
            "measured_helps",
            _GLOBENC,
            "gradient",
            ("rollout_measured", "rollout"),
            (residual["measured"], residual["fixed"]),
            "B7",
        ),
        *(
            PublishedOrder(
                statement,
                _ALTI,
                measure,
                ("alti_rollout", "rollout"),
                (alti[measure]["alti"], alti[measure]["rollout"]),
                "B11",
                (measure,),
            )
            for statement, measure in (
                ("alti_comprehensive", "comprehensiveness"),
                ("alti_sufficient", "sufficiency"),
            )
        ),
    ]
