"""Chapter *faithfulness*: which attribution says what the fine-tuned model's decision rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis.figures import published
from analysis.figures.curves import curve_grid
from analysis.figures.findings import faithfulness as findings
from analysis.figures.findings.phrases import counted, counted_span, span
from analysis.figures.results import curves, metrics, summary
from analysis.figures.style import (
    DIVERGING,
    EXPERIMENT_MARKERS,
    INK,
    METHOD_COLOURS,
    MUTED,
    WIDTH,
    figure_style,
)
from analysis.figures.words import Words
from analysis.params import Params
from analysis.paths import result

BLANK_OUT = ("blank_out_delete", "blank_out_mask", "blank_out_unknown")
BASELINES = ("random", "uniform")
# What a method looks at. Removal is what the model does, not an attribution: it is only shown.
FAMILIES: dict[str, tuple[str, ...]] = {
    "weights": ("raw",),
    "propagation": ("attn_w_rollout", "rollout", "rollout_measured", "flow", "flow_measured"),
    "vectors": (
        "attn_n",
        "attnresln_n",
        "attn_n_rollout",
        "attnres_n_rollout",
        "attnresln_n_rollout",
        "globenc_rollout",
        "alti_rollout",
    ),
    "gradients": (
        "gradient_norm",
        "gradient_x_input",
        "integrated_gradients",
        "relevance_sum",
        "relevance_rollout",
    ),
    "removal": BLANK_OUT,
    "baselines": BASELINES,
}
JUDGED = tuple(m for family, ms in FAMILIES.items() if family != "removal" for m in ms)
MEASURES = ("roc_auc", *BLANK_OUT, "gradient", "comprehensiveness", "sufficiency")
KNOWING_NOTHING = {"roc_auc": 0.5}  # every other measure: 0
LAYERED = ("raw", "rollout", "rollout_measured", "flow", "flow_measured")
RULES = ("relevance_sum", "relevance_rollout")
SIGN_COLOURS = {"for": "#0072B2", "against": "#D55E00"}
PAIRED_MEASURES = ("roc_auc", "comprehensiveness")

OWN_WORDS = {
    "weights": ("weights", "注意重み"),
    "propagation": ("propagation", "伝播"),
    "vectors": ("vectors", "ベクトル"),
    "gradients": ("gradients", "勾配"),
    "removal": ("removal", "除去"),
    "baselines": ("baselines", "基準"),
    "attn_w_rollout": ("rollout without residual", "ロールアウト（残差なし）"),
    "attn_n_rollout": ("Attn-N rollout", "Attn-N のロールアウト"),
    "attnres_n_rollout": ("AttnRes-N rollout", "AttnRes-N のロールアウト"),
    "attnresln_n_rollout": ("AttnResLN-N rollout", "AttnResLN-N のロールアウト"),
    "rollout_measured": ("rollout (measured residual)", "ロールアウト（実測の残差）"),
    "flow_measured": ("flow (measured residual)", "フロー（実測の残差）"),
    "globenc_rollout": ("GlobEnc", "GlobEnc"),
    "alti_rollout": ("ALTI", "ALTI"),
    "gradient_norm": ("gradient norm", "勾配のノルム"),
    "gradient_x_input": ("gradient × input", "勾配 × 入力"),
    "integrated_gradients": ("integrated gradients", "積分勾配"),
    "relevance_sum": ("summed relevance", "関連度（加算）"),
    "relevance_rollout": ("rolled-out relevance", "関連度（ロールアウト）"),
    "blank_out_delete": ("blank-out, deleted", "ブランクアウト（削除）"),
    "blank_out_mask": ("blank-out, [MASK]", "ブランクアウト（[MASK]）"),
    "blank_out_unknown": ("blank-out, [UNK]", "ブランクアウト（[UNK]）"),
    "random": ("random", "乱数"),
    "uniform": ("constant", "定数"),
    "roc_auc": ("ROC-AUC", "ROC-AUC"),
    "comprehensiveness": ("comprehensiveness", "包括性"),
    "sufficiency": ("sufficiency", "十分性"),
    "gradient": ("Spearman, gradient", "順位相関（勾配）"),
    "roc_auc_short": ("evidence\nROC-AUC ↑", "根拠\nROC-AUC ↑"),
    "blank_out_delete_short": ("Spearman\ndeleted ↑", "順位相関\n削除 ↑"),
    "blank_out_mask_short": ("Spearman\n[MASK] ↑", "順位相関\n[MASK] ↑"),
    "blank_out_unknown_short": ("Spearman\n[UNK] ↑", "順位相関\n[UNK] ↑"),
    "gradient_short": ("Spearman\ngradient ↑", "順位相関\n勾配 ↑"),
    "comprehensiveness_short": ("compre-\nhensiveness ↑", "包括性 ↑\n"),
    "sufficiency_short": ("sufficiency ↓\n", "十分性 ↓\n"),
    "cls_blank_out": ("blank-out, [CLS] row", "ブランクアウト\n[CLS] の行"),
    "cls_gradient": ("gradient, [CLS] row", "勾配\n[CLS] の行"),
    "max_blank_out": ("blank-out, maximum", "ブランクアウト\n最大値"),
    "max_gradient": ("gradient, maximum", "勾配\n最大値"),
    "first": ("first layer that counts", "数え始める層"),
    "for": ("evidence for the class", "クラスを支持する証拠"),
    "against": ("evidence against it", "クラスに反する証拠"),
    "spearman": ("mean Spearman correlation", "順位相関の平均"),
}


@dataclass(frozen=True)
class Results:
    """What the stages found, of every experiment with a task.

    Attributes
    ----------
    final
        Scores of the whole fine-tuned model: ``experiment``, ``method``, ``measure``, ``mean``,
        ``low``, ``high``, ``texts``.
    layers
        All attributions: columns of ``plots/faithfulness.csv`` and ``experiment``.
    agreement, paired
        Likewise of ``plots/agreement.csv`` and ``plots/paired.csv``.
    blank_out
        The blank-out that curves are held against, e.g. ``blank_out_delete``.
    """

    final: pd.DataFrame
    layers: pd.DataFrame
    agreement: pd.DataFrame
    paired: pd.DataFrame
    blank_out: str

    @property
    def experiments(self) -> list[str]:
        """Names, in the order of the parameters."""
        return list(self.final["experiment"].unique())

    @property
    def marked(self) -> bool:
        """Whether any experiment knows the evidence of its texts."""
        return bool(self.of("roc_auc")["mean"].notna().any())

    @property
    def judged_by(self) -> tuple[str, ...]:
        """Measures by which methods are compared on the same texts."""
        return PAIRED_MEASURES if self.marked else PAIRED_MEASURES[1:]

    def of(self, measure: str) -> pd.DataFrame:
        """Take the final scores by one measure."""
        return self.final[self.final["measure"] == measure]

    def found(self, measure: str) -> findings.Found:
        """Give final values where defined: method -> experiment -> mean and interval."""
        table: dict[str, dict[str, dict[str, float]]] = {}
        for row in self.of(measure).dropna(subset=["mean"]).itertuples():
            values = {"mean": row.mean, "low": row.low, "high": row.high}
            table.setdefault(row.method, {})[row.experiment] = values
        return {method: table[method] for method in JUDGED if method in table}


def explained_experiments(params: Params) -> list[str]:
    """Names of the experiments whose models decide something."""
    return [name for name in params.experiments if summary(name, "faithfulness")["computed"]]


def read_results(params: Params) -> Results:
    """Read the tables of all experiments with a task."""
    rows = [
        {"experiment": name, "method": method, "measure": measure} | values
        for name in explained_experiments(params)
        for method, measures in summary(name, "faithfulness")["methods"].items()
        for measure, values in measures.items()
    ]
    final = pd.DataFrame(rows)
    final[["mean", "low", "high"]] = final[["mean", "low", "high"]].astype(float)
    layers, agreement, paired = (
        curves(params, table) for table in ("faithfulness", "agreement", "paired")
    )
    return Results(final, layers, agreement, paired, f"blank_out_{params.faithfulness.removal}")


# --- figures --------------------------------------------------------------------------------------


def ranking(results: Results, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw how well every method finds the evidence, best on average first."""
    data = results.of("roc_auc").dropna(subset=["mean"])
    order = list(data.groupby("method")["mean"].mean().sort_values(ascending=False).index)
    experiments = list(data["experiment"].unique())
    with figure_style():
        figure, axes = plt.subplots(
            1,
            len(experiments),
            figsize=(WIDTH, 0.8 + 0.175 * len(order)),
            sharey=True,
            squeeze=False,
        )
        for axis, experiment in zip(axes[0], experiments, strict=True):
            part = data[data["experiment"] == experiment].set_index("method")
            axis.axvline(0.5, color=MUTED, lw=1, zorder=0)
            for y, method in enumerate(order):
                _dot(axis, part.loc[method], y, method_colour(method), "o", 5)
            axis.set_xlim(0, 1.02)
            axis.set_title(experiment)
            axis.set_xlabel(w["roc_auc"])
            axis.grid(axis="both")
        axes[0, 0].set_yticks(range(len(order)), [w[method] for method in order], fontsize=7.5)
        axes[0, 0].set_ylim(len(order) - 0.4, -0.6)
    return figure, data.sort_values("method", key=lambda m: m.map(order.index), kind="stable")


def panel(results: Results, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw every method by every measure; experiments are marker shapes."""
    data = results.final[results.final["measure"].isin(MEASURES)].dropna(subset=["mean"])
    places, ticks = _rows_by_family(w)
    experiments = results.experiments
    offsets = np.linspace(-0.17, 0.17, len(experiments)) if len(experiments) > 1 else [0.0]
    markers = [EXPERIMENT_MARKERS[i % len(EXPERIMENT_MARKERS)] for i in range(len(experiments))]
    measures = [m for m in MEASURES if m in set(data["measure"])]
    with figure_style():
        figure, axes = plt.subplots(
            1,
            len(measures),
            figsize=(WIDTH, 1.0 + 0.21 * len(ticks)),
            sharey=True,
            squeeze=False,
        )
        for axis, measure in zip(axes[0], measures, strict=True):
            axis.axvline(KNOWING_NOTHING.get(measure, 0), color=MUTED, lw=1, zorder=0)
            for offset, marker, experiment in zip(offsets, markers, experiments, strict=True):
                part = data[(data["measure"] == measure) & (data["experiment"] == experiment)]
                for row in part.itertuples():
                    colour = method_colour(row.method)
                    _dot(axis, row, places[row.method] + offset, colour, marker, 3.6)
            axis.set_title(w[f"{measure}_short"], fontsize=7)
            axis.xaxis.set_major_locator(MaxNLocator(2))
            axis.tick_params(axis="x", labelsize=6.5)
            axis.grid(axis="both")
        axes[0, 0].set_yticks([y for y, _, _ in ticks], [label for _, label, _ in ticks])
        for text, (_, _, heading) in zip(axes[0, 0].get_yticklabels(), ticks, strict=True):
            text.set_fontsize(7)
            text.set_color(MUTED if heading else INK)
        axes[0, 0].set_ylim(ticks[-1][0] + 0.7, -0.6)
        figure.legend(
            handles=[
                plt.Line2D([], [], color=INK, marker=marker, lw=0, ms=4, label=experiment)
                for marker, experiment in zip(markers, experiments, strict=True)
            ],
            loc="outside lower center",
            ncols=len(experiments),
        )
    return figure, data


def layer_curves(results: Results, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Rank correlations over the layers, by what they are compared with and by rows read."""
    table = results.layers[results.layers["method"].isin(LAYERED)]
    measures = {"blank_out": results.blank_out, "gradient": "gradient"}
    rows = {
        w[f"{kind}_{name}"]: table[(table["rows"] == kind) & (table["measure"] == measure)]
        for kind in ("cls", "max")
        for name, measure in measures.items()
    }
    figure = curve_grid(
        rows, colours={m: METHOD_COLOURS[m] for m in LAYERED}, w=w, limits=None, height=1.75
    )
    return figure, pd.concat(rows.values())


def start_curves(results: Results, w: Words) -> tuple[Figure, pd.DataFrame]:
    """ROC-AUC of both relevance rules over the first layer that counts."""
    data = pd.concat(_start(results, rule) for rule in RULES)
    figure = curve_grid(
        {f"{w[rule]}\n{w['roc_auc']}": data[data["rule"] == rule] for rule in RULES},
        colours=SIGN_COLOURS,
        w=w | {"layer": w["first"]},
        by="sign",
        height=1.6,
    )
    return figure, data


def agreement_maps(results: Results, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Mean correlation of every two methods, one map an experiment."""
    # Nothing correlates with a constant.
    methods = [method for method in JUDGED if method != "uniform"]
    experiments = results.experiments
    columns = min(2, len(experiments))
    rows = -(-len(experiments) // columns)
    with figure_style():
        side = (WIDTH - 1.6) / columns
        figure, axes = plt.subplots(
            rows,
            columns,
            figsize=(WIDTH, rows * (side + 0.3) + 2.1),
            sharex=True,
            sharey=True,
            squeeze=False,
        )
        for axis in axes.flat[len(experiments) :]:
            axis.axis("off")
        for axis, experiment in zip(axes.flat, experiments, strict=False):
            part = results.agreement[results.agreement["experiment"] == experiment]
            matrix = part.pivot(index="method", columns="other", values="mean")
            values = matrix.loc[methods, methods].to_numpy(float)
            image = axis.imshow(values, vmin=-1, vmax=1, cmap=DIVERGING)
            axis.set_title(experiment)
            axis.set_xticks(range(len(methods)), [w[m] for m in methods], rotation=90, fontsize=6.5)
            axis.set_yticks(range(len(methods)), [w[m] for m in methods], fontsize=6.5)
            axis.tick_params(length=0)
        figure.colorbar(
            image, ax=axes, location="bottom", shrink=0.5, aspect=40, label=w["spearman"]
        )
    return figure, results.agreement


# --- prose ----------------------------------------------------------------------------------------


def prose(params: Params, results: Results | None, w: Words, language: str) -> dict[str, str]:
    """Numbers and sentences of the page that this run has evidence for, by their names."""
    settings = params.faithfulness
    numbers = {
        "removal": w[f"blank_out_{settings.removal}"],
        "fractions": ("、" if language == "ja" else ", ").join(
            f"{fraction:.0%}" for fraction in settings.fractions
        ),
        "steps": counted(settings.steps, "step", language),
        "residual": f"{params.propagation.residual:.2g}",
        "confidence": f"{params.bootstrap.confidence:.0%}",
    }
    if results is None:
        return numbers
    numbers |= _explained(results, w, language)
    return numbers | (_marked(results, w, language) if results.marked else {})


def _explained(results: Results, w: Words, language: str) -> dict[str, str]:
    """Write what is said of the methods where a prediction can be explained."""
    relevance = [metrics(name, "relevance") for name in results.experiments]
    cls = results.layers[
        (results.layers["variant"] == "finetuned") & (results.layers["rows"] == "cls")
    ]
    blank = _lines(cls[cls["measure"] == published.BLANK_OUT])
    correlations = results.agreement[["method", "other", "mean"]]
    ranks = cls[cls["measure"].isin((results.blank_out, "gradient", "roc_auc"))]
    judged = [row for row in results.paired.itertuples() if row.measure in results.judged_by]
    examples = sorted(found["examples"] for found in relevance)
    return {
        "hopeless": findings.not_above(judged, "random", JUDGED, w, language),
        "verdict": findings.above(judged, "raw", JUDGED, w, language),
        "groups": findings.same_rankings(correlations, JUDGED, w, language),
        "rules": findings.two_rules(correlations, RULES, language),
        "depth": findings.depth_of_agreement(blank["raw"], blank["rollout"], language),
        "middle": findings.middle_layers(blank["flow"], blank["rollout"], language),
        "stuck": findings.stuck_flow(_lines(ranks.dropna(subset=["mean"])), language),
        "examples": counted_span(examples, "text", language),
        "error": span([r["completeness_error"]["mean"] for r in relevance], ".2f"),
        "error-largest": f"{max(r['completeness_error']['largest'] for r in relevance):.2f}",
        "margin": span([r["logit_margin"]["mean"] for r in relevance], ".1f"),
        "blank-out": _largest_losses(results.experiments),
        "dropped": findings.undefined(max(int(row.dropped) for row in judged), language),
    }


def _marked(results: Results, w: Words, language: str) -> dict[str, str]:
    """Write what is said of the methods where the evidence of the texts is known."""
    auc = results.found("roc_auc")
    starts = {
        sign: [
            list(line["mean"])
            for _, line in _start(results, "relevance_sum")
            .query("sign == @sign")
            .groupby("experiment", sort=False)
        ]
        for sign in SIGN_COLOURS
    }
    return {
        "lead": findings.evidence_lead(auc, w, language),
        "start": findings.start_layer(starts["for"], language),
        "sign": findings.sign(starts["for"], starts["against"], language),
        "random-auc": span([v["mean"] for v in auc["random"].values()], ".2f"),
    }


def method_colour(method: str) -> str:
    """Colour of a method; rolling out a kind of contribution keeps that of the kind."""
    kind = method if method in METHOD_COLOURS else method.removesuffix("_rollout")
    return METHOD_COLOURS[kind]


def _dot(axis, row, y: float, colour: str, marker: str, size: float) -> None:
    # A bar under the dot: mean and interval differ so much in width that neither hides the other.
    axis.plot([row.low, row.high], [y, y], color=colour, lw=1.1, solid_capstyle="butt")
    # Series.mean is a method; a row of either kind has the column by name.
    mean = row["mean"] if isinstance(row, pd.Series) else row.mean
    axis.plot(mean, y, marker, ms=size, color=colour, mec="none")


def _rows_by_family(w: Words) -> tuple[dict[str, int], list[tuple[int, str, bool]]]:
    """Height of every method, and tick, label and whether it is a heading of every row."""
    places: dict[str, int] = {}
    ticks: list[tuple[int, str, bool]] = []
    for family, methods in FAMILIES.items():
        if family == "removal":
            continue
        ticks.append((len(ticks), w[family], True))
        for method in methods:
            places[method] = len(ticks)
            ticks.append((len(ticks), w[method], False))
    return places, ticks


def _start(results: Results, rule: str) -> pd.DataFrame:
    """ROC-AUC over the first layer, for and against the class; ``layer`` is the first layer."""
    table = results.layers
    last = table["layer"] == table.groupby("experiment")["layer"].transform("max")
    chosen = last & (table["rows"] == "cls") & (table["measure"] == "roc_auc")
    frames = [
        table[chosen & (table["method"] == method)].assign(rule=rule, sign=sign)
        for sign, method in (("for", rule), ("against", f"{rule}_against"))
    ]
    data = pd.concat(frames)
    return data.assign(layer=data["first"]).sort_values("layer", kind="stable")


def _lines(table: pd.DataFrame) -> dict[str, dict[tuple[str, str], list[float]]]:
    """Means over the layers: method -> (experiment, measure) -> values from the first layer up."""
    lines: dict[str, dict[tuple[str, str], list[float]]] = {}
    whole = table[table["method"].isin(LAYERED)]
    for (method, *place), line in whole.groupby(["method", "experiment", "measure"], sort=False):
        lines.setdefault(method, {})[tuple(place)] = list(line.sort_values("layer")["mean"])
    return lines


def _largest_losses(experiments: Sequence[str]) -> str:
    """Largest probability that a single deleted token costs, in the text shown of each."""
    losses = []
    for experiment in experiments:
        table = pd.read_parquet(result(experiment, "explained.parquet"))
        losses.append(float(table.loc[table["method"] == "blank_out_delete", "score"].max()))
    return span(losses, ".3f")
