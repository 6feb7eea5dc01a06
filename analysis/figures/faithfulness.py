"""Chapter *faithfulness*: which attribution says what the fine-tuned model's decision rests on."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis.figures.curves import curve_grid, dot_ranges
from analysis.figures.maps import map_grid, token_rows, write_cells
from analysis.figures.style import DIVERGING, INK, figure_style, method_colours
from analysis.fonts import drawable
from analysis.prose.phrases import counted, counted_span, extent, listed, spread, written
from analysis.results.explanations import (
    JUDGED,
    METHOD_FAMILIES,
    RELEVANCE_RULES,
    explained_texts,
    largest_loss,
)
from analysis.results.summary import of_states
from analysis.run_parameters import RunParameters
from attention_mixing.messages import Words
from attention_mixing.methods.faithfulness import DRAWS

KNOWING_NOTHING = {"roc_auc": 0.5}  # every other measure: 0
LAYERED = ("raw", "rollout", "rollout_measured", "flow", "flow_measured")
SIGN_COLOURS = {"for": "#0072B2", "against": "#D55E00"}
# What writes into the logit.
WRITER_COLOURS = {"attention": INK, "ffn": "#E69F00", "bias": "#56B4E9"}
# Of the matrix: from what is drawn most to what the model itself does, and chance.
COMPARED = (
    *("raw", "rollout", "flow", "attnresln_n_rollout", "globenc_rollout", "alti_rollout"),
    *("value_zeroing", "alti_logit", "gradient_norm", "gradient_x_input", "integrated_gradients"),
    *("relevance_sum", "left_out_delete", "left_out_mask", "random"),
)


def ranking(auc: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw how well every method finds the evidence, best on average first."""
    order = list(auc.groupby("of")["mean"].mean().sort_values(ascending=False).index)
    figure = dot_ranges(
        {experiment: (group, 0.5) for experiment, group in auc.groupby("experiment", sort=False)},
        {method: w[method] for method in order},
        row=0.175,
        size=5,
        w=w,
    )
    for axis in figure.axes:
        axis.set(xlim=(0, 1.02), xlabel=w["roc_auc"])
        axis.grid(axis="y")
    return figure, auc.sort_values("of", key=lambda of: of.map(order.index), kind="stable")


def panel(data: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw every method by every measure; experiments are marker shapes."""
    measured = dict(list(data.groupby("quantity", sort=False)))
    figure = dot_ranges(
        {
            w[f"{measure}_short"]: (rows, KNOWING_NOTHING.get(str(measure), 0))
            for measure, rows in measured.items()
        },
        {
            name: w[name]
            for family, methods in METHOD_FAMILIES.items()
            for name in (family, *methods)
        },
        row=0.24,
        size=4,
        headings=tuple(METHOD_FAMILIES),
        marked=list(data["experiment"].unique()),
        w=w,
    )
    for axis in figure.axes:
        axis.xaxis.set_major_locator(MaxNLocator(2, steps=[1, 2, 5, 10]))
    return figure, data


def matrix(data: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw methods against corpora, one map a criterion, on one scale; higher is better in all."""
    panels: dict[str, pd.DataFrame] = {}
    corpora = sorted(data["corpus"].unique())
    for criterion, group in data.groupby("quantity", sort=False):
        table = group.pivot(index="of", columns="corpus", values="mean")
        panels[w[f"{criterion}_short"]] = (
            table.reindex(index=list(COMPARED), columns=corpora)
            .rename(index=w)
            .rename_axis(index=None, columns=None)
        )
    figure = map_grid(panels, w, bar=w["mean_of_texts"], vmin=0, vmax=1, aspect="auto")
    with figure_style():
        for axis in figure.axes[: len(panels)]:
            write_cells(axis, lambda value: written(100 * value, "z.0f"))
    return figure, data


def layer_curves(layers: pd.DataFrame, blank_out: str, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Rank correlations over the layers, by what they are compared with and by rows read."""
    measures = {"blank_out": blank_out, "gradient": "gradient"}
    rows = {
        w[f"{kind}_{name}"]: layers[(layers["kind"] == kind) & (layers["quantity"] == measure)]
        for kind in ("cls", "max")
        for name, measure in measures.items()
    }
    return curve_grid(rows, w, colours=method_colours(LAYERED), by="of", limits=None)


def written_curves(data: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw what the parts of every layer write into the logit of the predicted class."""
    rows = {w["written"]: data}
    return curve_grid(rows, w, colours=WRITER_COLOURS, by="of", limits=None, height=2.1)


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
        table = group.pivot(index="of", columns="kind", values="mean").loc[methods, methods]
        panels[experiment] = table.rename(index=w, columns=w).rename_axis(index=None, columns=None)
    bar = w["spearman"]
    return map_grid(panels, w, across=2, bar=bar, vmin=-1, vmax=1, cmap=DIVERGING), data


# --- prose ----------------------------------------------------------------------------------------


def settings(params: RunParameters, w: Words) -> dict[str, str]:
    """Write what every run is measured by."""
    parameters = params.faithfulness
    return {
        "removal": w[f"blank_out_{parameters.removal}"],
        "effect": f"{parameters.effect:.2g}",
        "fractions": w["fractions_comma"].join(
            f"{fraction:.0%}" for fraction in parameters.fractions
        ),
        "steps": counted(parameters.steps, "step", w),
        "draws": str(DRAWS),
        "residual": f"{params.propagation.residual:.2g}",
        "confidence": f"{params.bootstrap.confidence:.0%}",
    }


def explained(experiments: Sequence[str], differences: pd.DataFrame, w: Words) -> dict[str, str]:
    """Write what is said of the texts where predictions of the experiments can be explained.

    ``differences`` are as :func:`analysis.results.explanations.paired` gives them.
    """
    texts = sorted(explained_texts())
    losses = [largest_loss(experiment) for experiment in experiments]
    dropped = int(differences["dropped"].max())
    return {
        "examples": counted_span(texts, "text", w),
        "blank-out": spread(min(losses), max(losses), ".2g", w),
        "dropped": w.say("undefined_texts", n=dropped, texts=str(dropped)),
    }


def changed(scores: pd.DataFrame, deciding: pd.DataFrame, w: Words) -> dict[str, str]:
    """Write what changing words shows.

    ``scores`` are those of the whole models by :data:`analysis.results.explanations.CHANGED`, and
    ``deciding`` is as :func:`analysis.results.explanations.deciding_words` gives it.
    """
    rows = scores[scores["quantity"] == "top_counterfactual"]
    found = rows.pivot(index="experiment", columns="of", values="mean").reindex(columns=JUDGED)
    evidence = deciding["evidence_decides"].dropna()

    def ends(values: pd.Series) -> tuple[float, float]:
        return values.min(), values.max()

    removals = [name for name in METHOD_FAMILIES["removal"] if found[name].notna().any()]
    shares = [
        w.say("changed_by", removal=name, share=spread(*ends(found[name]), ".0%", w))
        for name in removals
    ]
    means = found.drop(columns=[*METHOD_FAMILIES["removal"], "random"]).mean()
    places = deciding["first_decides"]
    return {
        "changed-decides": w.say(
            "changed_decides",
            extent=extent(evidence == 1) if len(evidence) else "unasked",
            share=spread(*ends(evidence), ".0%", w),
            texts=counted(int(deciding["texts"].sum()), "text", w),
        ),
        "changed-removal": w.say(
            "changed_removal",
            extent=extent((found[removals].min() == 1).to_list()),
            shares=listed(shares, w),
        ),
        "changed-place": w.say(
            "changed_place",
            first=listed(list(places.index[places == 1]), w),
            later=listed(list(places.index[places == 0]), w),
            told="{}-{}".format(*("yes" if (places == end).any() else "no" for end in (1, 0))),
        ),
        "changed-best": w.say(
            "changed_best",
            n=len(found),
            texts=counted(int(rows.groupby("experiment")["texts"].max().sum()), "text", w),
            best=listed([w[method] for method in means.index[means == means.max()]], w),
            share=written(means.max(), ".0%"),
        ),
    }


def strips(experiment: str, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw one text of an experiment: methods as rows by family, tokens as columns."""
    rows = of_states("explain", "faithfulness", "explained", experiment)
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
    blocks = {
        w[family]: scaled.loc[list(methods)].rename(index=w)
        for family, methods in METHOD_FAMILIES.items()
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
