"""Chapter *geometry*: what fine-tuning changes, layer by layer and head by head."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from analysis.figures.curves import curve_grid
from analysis.figures.geometry import head_maps
from analysis.figures.results import trained
from analysis.figures.words import Words
from analysis.params import Params
from analysis.paths import result

COLOURS = {
    "attention": "#D55E00",
    "attention_alone": "#E69F00",
    "layer_output": "#0072B2",
    "layer_output_first": "#56B4E9",
    "query": "#009E73",
    "key": "#CC79A7",
    "value": "#999933",
}
OWN_WORDS = {
    "change_attention": ("attention", "注意"),
    "change_features": ("features", "特徴ベクトル"),
    "change_weights": ("weights", "重み行列"),
    "attention": ("rows of attention", "注意の各行"),
    "attention_alone": (
        "the same from the new queries and keys alone",
        "同上、新しいクエリとキーだけによる分",
    ),
    "layer_output": ("layer output, all tokens", "層の出力（全トークン）"),
    "layer_output_first": ("layer output, first token", "層の出力（先頭のトークン）"),
    "value": ("value", "バリュー"),
    "distance": ("Jensen–Shannon distance", "JS 距離"),
}


def change_curves(params: Params, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Distance of attention, of features and of weights before and after, over the layers."""
    curves = pd.concat(
        [_curves(name).assign(experiment=name, variant="finetuned") for name in trained(params)],
        ignore_index=True,
    )
    rows = {
        w[f"change_{part}"]: curves[curves["part"] == part]
        for part in ("attention", "features", "weights")
    }
    figure = curve_grid(
        rows, colours=COLOURS, w=w, by="what", limits=None, height=1.5, legend_columns=2
    )
    return figure, curves


def _curves(name: str) -> pd.DataFrame:
    table = pd.read_csv(result(name, "plots", "change.csv"))

    def pick(point: str, tokens: str, measure: str, part: str, what: str) -> pd.DataFrame:
        chosen = (
            (table["point"] == point) & (table["tokens"] == tokens) & (table["measure"] == measure)
        )
        return table[chosen].assign(part=part, what=what)

    weights = pd.read_parquet(result(name, "change_weights.parquet"))
    weights = weights[weights["matrix"].isin(["query", "key", "value"]) & weights["head"].notna()]
    by_matrix = weights.groupby(["matrix", "layer"], sort=False)["relative_change"]
    means = by_matrix.agg(mean="mean", low="min", high="max").reset_index()
    return pd.concat(
        [
            pick("attention", "all", "distance", "attention", "attention"),
            pick("attention", "all", "distance_alone", "attention", "attention_alone"),
            pick("layer_output", "all", "relative_change", "features", "layer_output"),
            pick("layer_output", "first", "relative_change", "features", "layer_output_first"),
            means.rename(columns={"matrix": "what"}).assign(part="weights"),
        ],
        ignore_index=True,
    )


def changed_heads(params: Params) -> pd.DataFrame:
    """Mean distance of attention over texts, a row an experiment and head."""
    frames = []
    for name in trained(params):
        table = pd.read_parquet(result(name, "change_attention.parquet"))
        means = table[table["tokens"] == "all"].groupby(["layer", "head"])["distance"].mean()
        frames.append(means.reset_index().assign(experiment=name, variant="finetuned"))
    return pd.concat(frames, ignore_index=True)


def change_heads(params: Params, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw which heads attend otherwise than before."""
    table = changed_heads(params)
    return head_maps(table, "distance", w["distance"], w), table


def most_changed(params: Params) -> tuple[int, int]:
    """Layer and head, 1-based, whose attention changed most in the first fine-tuned experiment."""
    table = changed_heads(params)
    first = table[table["experiment"] == table["experiment"].iloc[0]]
    row = first.loc[first["distance"].idxmax()]
    return int(row["layer"]), int(row["head"])
