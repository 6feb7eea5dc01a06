"""Chapter *faithfulness*: which attribution says what the fine-tuned model's decision rests on."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from IPython.display import HTML
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis.figures.curves import curve_grid, dot_ranges
from analysis.figures.maps import map_grid, token_rows, write_cells
from analysis.figures.planes import dot_keys, legend_below
from analysis.figures.runs import RunsColumn
from analysis.figures.style import DIVERGING, FAMILY_COLOURS, INK, figure_style, method_colours
from analysis.figures.tables import intervals
from analysis.fonts import drawable
from analysis.prose.phrases import nth_layer, written
from analysis.results.claims import judged_claims, published
from analysis.results.explanations import (
    EVIDENCE,
    JUDGED,
    METHOD_FAMILIES,
    PAIRED_MEASURES,
    RELEVANCE_RULES,
)
from analysis.results.summary import BLANK_OUT, of_states, predicting
from analysis.rules.verdicts import case_outcome, together
from attention_mixing.attributions.catalogue import chosen
from attention_mixing.attributions.selections import PAIRED_WITH
from attention_mixing.markup import escape
from attention_mixing.messages import Words

KNOWING_NOTHING = {"roc_auc": 0.5}  # every other measure: 0
LAYERED = chosen("raw", "rollout", "rollout_measured", "flow", "flow_measured")
SIGN_COLOURS = {"for": "#0072B2", "against": "#D55E00"}
# What writes into the logit.
WRITER_COLOURS = {"attention": INK, "ffn": "#E69F00", "bias": "#56B4E9"}
# In front, one or two of a family; the others are in folds.
IN_FRONT = chosen("raw", "rollout", "flow", "alti_rollout", "gradient_norm", "integrated_gradients")
# Of the matrix: from what is drawn most to what the model itself does, and chance.
COMPARED = (
    *chosen("raw", "rollout", "flow", "attnresln_n_rollout", "globenc_rollout", "alti_rollout"),
    *chosen("value_zeroing", "alti_logit", "gradient_norm", "gradient_x_input"),
    *chosen("integrated_gradients", "relevance_sum", "left_out_delete", "left_out_mask", "random"),
)
OF_RUNS = tuple(
    RunsColumn(
        f"{method}_{quantity}",
        "faithfulness",
        {"quantity": quantity, "subject": method, "facet": "final"},
    )
    for quantity in ("roc_auc", "comprehensiveness")
    for method in chosen("raw", "alti_rollout", "integrated_gradients")
)
CHAPTER = "faithfulness"  # of all claims whose methods are ranked
_ABNAR = "Abnar & Zuidema (2020)"
_ALTI = "Ferrando et al. (2022)"
_GLOBENC = "Modarressi et al. (2022)"


def ranking(auc: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw how well every method finds the evidence, best on average first."""
    order = list(auc.groupby("subject")["mean"].mean().sort_values(ascending=False).index)
    figure = dot_ranges(
        {experiment: (group, 0.5) for experiment, group in auc.groupby("experiment", sort=False)},
        {method: w[method] for method in order},
        row=0.175 if len(order) > len(IN_FRONT) else 0.26,
        size=5,
        w=w,
    )
    with figure_style():
        families = [name for name, of in METHOD_FAMILIES.items() if not set(order).isdisjoint(of)]
        legend_below(figure, dot_keys({w[name]: FAMILY_COLOURS[name] for name in families}))
    for axis in figure.axes:
        axis.set(xlim=(0, 1.02), xlabel=w["roc_auc"])
        axis.grid(axis="y")
    return figure, auc.sort_values("subject", key=lambda of: of.map(order.index), kind="stable")


def panel(data: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw every method by every measure; experiments are marker shapes."""
    measured = dict(list(data.groupby("quantity", sort=False)))
    drawn = set(data["subject"])
    families = {
        family: [method for method in methods if method in drawn]
        for family, methods in METHOD_FAMILIES.items()
    }
    families = {family: methods for family, methods in families.items() if methods}
    figure = dot_ranges(
        {
            w[f"{measure}_short"]: (rows, KNOWING_NOTHING.get(str(measure), 0))
            for measure, rows in measured.items()
        },
        {name: w[name] for family, methods in families.items() for name in (family, *methods)},
        row=0.24,
        size=4,
        headings=tuple(families),
        marked=list(data["experiment"].unique()),
        w=w,
    )
    for axis in figure.axes:
        axis.xaxis.set_major_locator(MaxNLocator(2, steps=[1, 2, 5, 10]))
    return figure, data


def main_panel(data: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the methods in front as :func:`panel`; the data have all methods."""
    figure, _ = panel(data[data["subject"].isin(IN_FRONT)], w)
    return figure, data


def matrix(data: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw methods against corpora, one map a criterion, on one scale; higher is better in all.

    A map has the corpora for which its criterion was measured.
    """
    panels: dict[str, pd.DataFrame] = {}
    drawn = set(data["subject"])
    methods = [method for method in COMPARED if method in drawn]
    for criterion, group in data.groupby("quantity", sort=False):
        table = group.pivot(index="subject", columns="corpus", values="mean")
        panels[w[f"{criterion}_short"]] = (
            table.reindex(index=methods)
            .dropna(axis="columns", how="all")
            .rename(index=w)
            .rename_axis(index=None, columns=None)
        )
    height = 0.3 * len(methods) + 2.4  # of the rows, and of what stands above and below them
    bar = w["mean_of_texts"]
    figure = map_grid(panels, w, bar=bar, height=height, vmin=0, vmax=1, aspect="auto")
    with figure_style():
        for axis in figure.axes[: len(panels)]:
            write_cells(axis, lambda value: written(100 * value, "z.0f"))
    return figure, data


def layer_curves(layers: pd.DataFrame, blank_out: str, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Rank correlations over the layers, by what they are compared with and by rows read."""
    measures = {"blank_out": blank_out, "gradient": "gradient"}
    rows = {
        w[f"{kind}_{name}"]: layers[(layers["facet"] == kind) & (layers["quantity"] == measure)]
        for kind in ("cls", "max")
        for name, measure in measures.items()
    }
    return curve_grid(rows, w, colours=method_colours(LAYERED), by="subject", limits=None)


def written_curves(data: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw what the parts of every layer write into the logit of the predicted class."""
    rows = {w["written"]: data}
    return curve_grid(rows, w, colours=WRITER_COLOURS, by="subject", limits=None, height=2.1)


def start_curves(data: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """ROC-AUC of both relevance rules over the first layer that counts."""
    rows = {f"{w[rule]}\n{w['roc_auc']}": data[data["rule"] == rule] for rule in RELEVANCE_RULES}
    named = w | {"layer": w["first"]}
    return curve_grid(rows, named, colours=SIGN_COLOURS, by="sign", height=1.6)


def agreement_maps(data: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Mean correlation of every two methods, one map an experiment."""
    methods = list(JUDGED)
    panels = {}
    for experiment, group in data.groupby("experiment", sort=False):
        table = group.pivot(index="subject", columns="facet", values="mean").loc[methods, methods]
        panels[experiment] = table.rename(index=w, columns=w).rename_axis(index=None, columns=None)
    bar = w["spearman"]
    return map_grid(panels, w, across=2, bar=bar, vmin=-1, vmax=1, cmap=DIVERGING), data


def strips(experiment: str, methods: Collection[str], w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw one text of an experiment: ``methods`` as rows by family, tokens as columns."""
    rows = of_states("faithfulness", "explained", experiment)
    # Special tokens are never judged; [CLS] would outshine every other.
    rows = rows[~rows["is_special"].astype(bool)]
    scores = rows.pivot(index="method", columns="position", values="score").astype(float)
    largest = scores.abs().max(axis=1)
    # Zero is the same in all rows, so that scores which hardly differ look as if they did not.
    scaled = scores.div(largest.where(largest > 0, 1), axis=0)
    positions = rows.drop_duplicates("position").sort_values("position")
    tokens = [drawable(token) for token in positions["token"]]
    marked = positions["is_evidence"].eq(True).fillna(False).to_numpy(bool)
    scaled.columns = pd.Index(tokens)
    families = {
        family: [method for method in members if method in methods]
        for family, members in METHOD_FAMILIES.items()
    }
    blocks = {
        w[family]: scaled.loc[shown].rename(index=w) for family, shown in families.items() if shown
    }
    if marked.any():
        blocks = {"": pd.DataFrame([marked], [w["evidence"]], tokens)} | blocks
    colours = {"cmap": DIVERGING, "vmin": -1, "vmax": 1}
    figure = token_rows(blocks, gap=0.24, margin=0.55, bar=w["scaled"], **colours)
    named = figure.axes[len(blocks) - 1].get_xticklabels()
    for name, is_evidence in zip(named, marked, strict=False):
        name.set_fontweight("bold" if is_evidence else "normal")
    columns = ["position", "token", "is_evidence", "method", "score"]
    return figure, rows[columns].assign(experiment=experiment)


def evidence_table(data: pd.DataFrame, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw up how every method finds the evidence: ROC-AUC and precision at 1, by family."""
    cells = data.assign(cell=intervals(data)).set_index(["subject", "experiment", "quantity"])[
        "cell"
    ]
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
    keys = ["experiment", "subject", "quantity", "minus"]
    cells = data.assign(cell=_differences(data, w)).set_index(keys)["cell"]
    dropped = data.groupby(["experiment", "subject"])["dropped"].max()
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
    tuned = predicting(layers[layers["facet"] == "cls"])
    measures = {"blank_out": BLANK_OUT, "input_gradient": "gradient"}
    rows: list[dict[Any, Any]] = []
    for (reference, method), values in published_curves().items():
        about = {"measured_against": reference, "method": method}
        rows.append(about | {"source": w["published"]} | dict(enumerate(values, start=1)))
        same = (tuned["subject"] == method) & (tuned["quantity"] == measures[reference])
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
    keys = ["experiment", "quantity", "subject"]
    of_model = final.set_index(keys)["mean"]
    of_layers = tuned.set_index([*keys, "facet", "layer"])["mean"]
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
        for method in chosen("raw", "rollout", "flow")
    }


def published_orders() -> list[PublishedOrder]:
    """Rankings of methods: claims B5 to B7 and B11."""
    late, vectors, residual, alti = (published(claim) for claim in ("B5", "B6", "B7", "B11"))
    return [
        PublishedOrder(
            "late_rollout",
            _ABNAR,
            "gradient",
            chosen("rollout", "raw"),
            (late["rollout"], late["raw"]),
            "B5",
            layer=late["layer"],
            rows="max",
        ),
        PublishedOrder(
            "vectors_help",
            _GLOBENC,
            "gradient",
            chosen("globenc_rollout", "attnres_n_rollout", "attn_n_rollout", "attn_w_rollout"),
            tuple(vectors[name] for name in ("globenc", "residual", "vectors", "weights")),
            "B6",
        ),
        PublishedOrder(
            "measured_helps",
            _GLOBENC,
            "gradient",
            chosen("rollout_measured", "rollout"),
            (residual["measured"], residual["fixed"]),
            "B7",
        ),
        *(
            PublishedOrder(
                statement,
                _ALTI,
                measure,
                chosen("alti_rollout", "rollout"),
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
