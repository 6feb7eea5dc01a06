"""Chapter *anatomy*: attention step by step for one text, and three architectures side by side."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from safetensors.numpy import load_file

from analysis.figures.maps import name_tokens, pairs
from analysis.figures.style import (
    CATEGORY_COLOURS,
    DIVERGING,
    EMPHASIS,
    MUTED,
    WIDTH,
    drawable,
    figure_style,
)
from analysis.figures.words import Words
from analysis.methods.scaled_dot_product import softmax_rows
from analysis.paths import result

Floats = NDArray[np.floating]

ARCHITECTURES = ("encoder", "decoder", "encoder_decoder")
# Attention of the small models -> what its queries and its keys are.
MAPS = {
    "encoder/attention": ("tokens", "tokens"),
    "decoder/attention": ("tokens", "tokens"),
    "encoder_decoder/encoder": ("source", "source"),
    "encoder_decoder/decoder": ("tokens", "tokens"),
    "encoder_decoder/cross": ("tokens", "source"),
}
# Those of them in which the three architectures differ.
SIGHTS = ("encoder/attention", "decoder/attention", "encoder_decoder/cross")
# What the strongest key of a query can be, in this order: a special token is not called a
# neighbour as well.
KINDS = ("special", "self", "previous", "next", "other")
NUMBERED = 12  # with more tokens than this there is no room for numbers in the cells

OWN_WORDS = {
    "input": ("input x", "入力 x"),
    "query_vectors": ("queries q", "クエリ q"),
    "key_vectors": ("keys k", "キー k"),
    "value_vectors": ("values v", "バリュー v"),
    "dimension": ("dimension", "次元"),
    "scores": ("scores s", "スコア s"),
    "weights": ("weights A", "注意重み A"),
    "unscaled": ("weights without √d", "√d で割らない重み"),
    "weight_of": ("weights of “{}”", "「{}」の重み"),
    "weighted": ("weight × value", "重み × バリュー"),
    "context_of": ("their sum, what “{}” reads", "その和：「{}」が読んだもの"),
    "context": ("all heads side by side", "全ヘッドを並べたもの"),
    "output": ("after the output projection", "出力射影の後"),
    "norms": ("lengths", "長さ"),
    "norm_input": ("input (residual)", "入力（残差）"),
    "norm_output": ("attention", "注意"),
    "rebuilt": ("rebuilt by hand", "手で組み立てたもの"),
    "off": ("deviation / largest", "差 ÷ 最大値"),
    "encoder": ("encoder", "エンコーダ"),
    "decoder": ("decoder", "デコーダ"),
    "encoder_decoder": ("encoder and decoder", "エンコーダ・デコーダ"),
    "encoder_decoder/encoder": ("both: encoder", "両方：エンコーダ"),
    "encoder_decoder/decoder": ("both: decoder", "両方：デコーダ"),
    "encoder_decoder/cross": ("both: cross-attention", "両方：交差注意"),
    "short_encoder/attention": ("encoder", "エンコーダ"),
    "short_decoder/attention": ("decoder", "デコーダ"),
    "short_encoder_decoder/cross": ("cross-attention", "交差注意"),
    "step": ("step", "段階"),
    "shape": ("shape", "形"),
    "compared": ("compared with the model's", "比べたモデルの値"),
    "deviation": ("largest deviation", "最大の差"),
    "largest": ("largest value", "最大の値"),
    "projections": ("projections", "射影"),
    "step_context": ("weighted sum", "加重和"),
    "step_output": ("output projection", "出力射影"),
    "step_block": ("residual, normalization", "残差と正規化"),
    "of_projections": ("outputs of its three linear layers", "三つの線形層の出力"),
    "of_scores": ("input of its softmax", "ソフトマックスの入力"),
    "of_weights": ("output of its softmax", "ソフトマックスの出力"),
    "of_context": ("input of its output projection", "出力射影の入力"),
    "of_output": ("output of its output projection", "出力射影の出力"),
    "of_block": ("output of its layer normalization", "層正規化の出力"),
    "architecture": ("model", "モデル"),
    "parameters": ("parameters", "パラメータ数"),
    "accuracy": ("rows written right", "正しく書けた列"),
    "leak": ("leak from later tokens", "後ろのトークンからの漏れ"),
    "future": ("weight on later tokens", "後ろのトークンへの重み"),
    "mirror": ("weight on the mirrored word", "鏡の位置の語への重み"),
    "side_encoder": ("its encoder", "そのエンコーダ"),
    "special": ("a special token", "特殊トークン"),
    "self": ("the token itself", "自分自身"),
    "previous": ("the previous token", "直前のトークン"),
    "next": ("the next token", "直後のトークン"),
    "other": ("another token", "その他のトークン"),
}


@dataclass(frozen=True)
class Anatomy:
    """What the stage ``anatomy`` wrote.

    Attributes
    ----------
    found
        ``results/anatomy.json``.
    arrays
        ``results/anatomy.safetensors``: of the text ``input``, ``context``, ``output``
        ``[layer, token, model_dim]``, ``query``, ``key``, ``value`` ``[layer, head, token,
        head_dim]``, ``scores``, ``attention`` ``[layer, head, query, key]``; of the small models
        those in :data:`MAPS`.
    """

    found: Mapping[str, Any]
    arrays: Mapping[str, Floats]

    @property
    def tokens(self) -> list[str]:
        """Of the text, as the figures can draw them."""
        return [drawable(token) for token in self.found["tokens"]]

    @property
    def place(self) -> tuple[int, int]:
        """Layer and head that are shown, counted from zero."""
        return self.found["layer"] - 1, self.found["head"] - 1

    def of_head(self, name: str) -> Floats:
        """One array of the head that is shown."""
        return self.arrays[name][self.place]

    @property
    def query(self) -> int:
        """Token whose weighted sum is shown: the one of the text that looks hardest elsewhere."""
        weights = self.of_head("attention").copy()
        np.fill_diagonal(weights, 0)
        inner = weights[1:-1].max(axis=1, initial=0)
        return int(inner.argmax()) + 1 if len(inner) else 0


def read_anatomy() -> Anatomy:
    """Read the results of the stage."""
    found = json.loads(result("anatomy.json").read_text(encoding="utf-8"))
    return Anatomy(found, load_file(result("anatomy.safetensors")))


# --- one text, step by step -----------------------------------------------------------------------


def projections(anatomy: Anatomy, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the vectors that enter the layer, and the queries, keys and values of the head."""
    layer, _ = anatomy.place
    panels = {
        "input": anatomy.arrays["input"][layer],
        **{f"{name}_vectors": anatomy.of_head(name) for name in ("query", "key", "value")},
    }
    with figure_style():
        figure, axes = plt.subplots(
            1,
            4,
            figsize=(WIDTH, _height(anatomy.tokens, 0.19) + 0.75),
            sharey=True,
            width_ratios=[2.2, 1, 1, 1],
        )
        for axis, (name, values) in zip(axes, panels.items(), strict=True):
            _strips(axis, values, w[name])
            axis.set_xlabel(w["dimension"], fontsize=7)
        name_tokens(axes[0].yaxis, anatomy.tokens)
    return figure, _long(panels, anatomy.tokens)


def weights(anatomy: Anatomy, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the scores of the head, their softmax, and the softmax without the scale."""
    scores = anatomy.of_head("scores")
    panels = {"scores": scores, "weights": softmax_rows(scores), "unscaled": unscaled(anatomy)}
    with figure_style():
        figure, axes = plt.subplots(1, 3, figsize=(WIDTH, WIDTH / 3 + 0.9), sharey=True)
        for axis, (name, values) in zip(axes, panels.items(), strict=True):
            if name == "scores":
                limit = float(np.abs(values).max()) or 1.0
                image = axis.imshow(values, cmap=DIVERGING, vmin=-limit, vmax=limit)
            else:
                image = axis.imshow(values, vmin=0, vmax=1)
            axis.set_title(w[name])
            axis.set_xlabel(w["key"])
            name_tokens(axis.xaxis, anatomy.tokens, rotation=90)
            figure.colorbar(image, ax=axis, location="bottom", shrink=0.85, aspect=30)
            _numbers(axis, values, image)
        axes[0].set_ylabel(w["query"])
        name_tokens(axes[0].yaxis, anatomy.tokens)
    return figure, _long(panels, anatomy.tokens)


def unscaled(anatomy: Anatomy) -> Floats:
    """Weights of the head that is shown if its scores were not divided by the root of d_h."""
    return softmax_rows(anatomy.of_head("scores") * np.sqrt(anatomy.found["head_dimension"]))


def weighted_sum(anatomy: Anatomy, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw what one token reads: weights, values, their products, and the sum."""
    query, tokens = anatomy.query, anatomy.tokens
    row, value = anatomy.of_head("attention")[query], anatomy.of_head("value")
    products = row[:, None] * value
    panels = {"value_vectors": value, "weighted": products}
    name = tokens[query]
    height = _height(tokens, 0.19)
    with figure_style():
        figure, axes = plt.subplots(
            2,
            3,
            figsize=(WIDTH, height + 1.15),
            width_ratios=[1, 1.8, 1.8],
            height_ratios=[height, 0.22],
        )
        bars = axes[0, 0]
        bars.barh(range(len(tokens)), row, height=0.7, color=CATEGORY_COLOURS[0])
        bars.set(ylim=(len(tokens) - 0.5, -0.5), xlim=(0, 1))
        bars.set_title(w["weight_of"].format(name))
        name_tokens(bars.yaxis, tokens)
        for axis, (panel, values) in zip(axes[0, 1:], panels.items(), strict=True):
            limit = _strips(axis, values, w[panel])
            axis.set_yticks([])
        for axis in axes[1, :2]:
            axis.set_axis_off()
        whole = products.sum(axis=0)[None]
        _strips(axes[1, 2], whole, w["context_of"].format(name), limit, bar=False)
        axes[1, 2].set_yticks([])
        axes[1, 2].set_xlabel(w["dimension"], fontsize=7)
    data = _long(panels, tokens)
    data["weight"] = np.take(row, data["position"])
    return figure, data


def block(anatomy: Anatomy, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw what all heads read, its projection, and how long it is beside the residual."""
    layer, _ = anatomy.place
    tokens = anatomy.tokens
    before, context, output = (anatomy.arrays[n][layer] for n in ("input", "context", "output"))
    with figure_style():
        figure, axes = plt.subplots(
            1,
            3,
            figsize=(WIDTH, _height(tokens, 0.22) + 0.75),
            width_ratios=[1.6, 1.6, 1],
        )
        _strips(axes[0], context, w["context"])
        width = anatomy.found["head_dimension"]
        for edge in range(width, context.shape[1], width):
            axes[0].axvline(edge - 0.5, color=MUTED, lw=0.6)
        _strips(axes[1], output, w["output"])
        for axis in axes[:2]:
            axis.set_xlabel(w["dimension"], fontsize=7)
        name_tokens(axes[0].yaxis, tokens)
        axes[1].set_yticks([])
        lengths = {"norm_input": before, "norm_output": output}
        for shift, (name, vectors), colour in zip(
            (-0.2, 0.2), lengths.items(), CATEGORY_COLOURS, strict=False
        ):
            norms = np.linalg.norm(vectors, axis=1)
            places = np.arange(len(tokens)) + shift
            axes[2].barh(places, norms, height=0.38, color=colour, label=w[name])
        axes[2].set(ylim=(len(tokens) - 0.5, -0.5), yticks=[])
        axes[2].set_title(w["norms"])
        axes[2].legend(
            loc="upper center", bbox_to_anchor=(0.5, -0.12), fontsize=7, handlelength=1.2
        )
    return figure, _long({"context": context, "output": output, "input": before}, tokens)


def residual_share(anatomy: Anatomy) -> float:
    """Length of attention's output divided by that of the residual, mean over tokens and layers."""
    output, before = (np.linalg.norm(anatomy.arrays[name], axis=-1) for name in ("output", "input"))
    return float((output / before).mean())


def head_maps(anatomy: Anatomy, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the weights of every head of the layer that is shown, on one scale."""
    layer, shown = anatomy.place
    maps = anatomy.arrays["attention"][layer]
    columns = min(6, len(maps))
    rows = -(-len(maps) // columns)
    with figure_style():
        side = WIDTH / columns
        figure, axes = plt.subplots(
            rows,
            columns,
            figsize=(WIDTH, rows * side * 0.95 + 0.45),
            sharex=True,
            sharey=True,
            squeeze=False,
        )
        for index, axis in enumerate(axes.flat):
            if index >= len(maps):
                axis.set_axis_off()
                continue
            image = axis.imshow(maps[index], vmin=0, vmax=1)
            axis.set_title(f"{w['head']} {index + 1}", fontsize=8)
            if index == shown:
                axis.spines[:].set(visible=True, color=EMPHASIS, linewidth=2)
            name_tokens(axis.xaxis, anatomy.tokens, rotation=90)
            name_tokens(axis.yaxis, anatomy.tokens)
        figure.colorbar(image, ax=axes, shrink=0.7, aspect=40)
    panels = {f"{w['head']} {index + 1}": one for index, one in enumerate(maps)}
    return figure, _long(panels, anatomy.tokens)


def strongest_keys(anatomy: Anatomy) -> dict[str, float]:
    """Count what the strongest key of a query is in the layer shown: shares of the queries."""
    maps = anatomy.arrays["attention"][anatomy.place[0]]
    tokens = maps.shape[-1]
    strongest = maps.argmax(axis=-1)
    step = strongest - np.arange(tokens)
    special = (strongest == 0) | (strongest == tokens - 1)
    kind = np.select([special, step == 0, step == -1, step == 1], KINDS[:-1], KINDS[-1])
    return {name: float((kind == name).mean()) for name in KINDS}


def heads_apart(anatomy: Anatomy) -> float:
    """Share of its weight that a query places otherwise in another head of the layer, on average.

    The total-variation distance of two rows, over all pairs of heads; 0 with one head.
    """
    maps = anatomy.arrays["attention"][anatomy.place[0]]
    distances = [np.abs(a - b).sum(axis=-1).mean() / 2 for a, b in combinations(maps, 2)]
    return float(np.mean(distances)) if distances else 0.0


def deviation_table(anatomy: Anatomy, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw up how far each step, rebuilt, is from the model's own."""
    steps = anatomy.found["steps"]
    cells = pd.DataFrame(
        {
            w["step"]: [w[_step_word(step["step"])] for step in steps],
            w["shape"]: ["\u00a0×\u00a0".join(map(str, step["shape"])) for step in steps],
            w["compared"]: [w[f"of_{step['step']}"] for step in steps],
            w["largest"]: [format(step["largest"], ".3g") for step in steps],
            w["deviation"]: [scientific(step["deviation"]) for step in steps],
        }
    )
    data = pd.DataFrame(steps).assign(shape=[" ".join(map(str, s["shape"])) for s in steps])
    return cells, data


def scientific(value: float) -> str:
    """Write a small number with two digits, and zero as what it is."""
    return format(value, ".1e").replace("-", "\u2212") if value else "0"


def _step_word(step: str) -> str:
    return f"step_{step}" if f"step_{step}" in OWN_WORDS else step


# --- three architectures --------------------------------------------------------------------------


def overview(anatomy: Anatomy, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw one head rebuilt, how far each step is off, and what a token of three models sees."""
    text = anatomy.tokens
    panels = {"rebuilt": (anatomy.of_head("attention"), text, text)}
    for name in SIGHTS:
        panels[name] = (anatomy.arrays[name][-1].mean(axis=0), *_axes_of(anatomy, name))
    with figure_style():
        figure, axes = plt.subplots(
            1, 5, figsize=(WIDTH, WIDTH / 5 + 0.75), width_ratios=[1, 0.75, 1.15, 1.15, 1]
        )
        _deviations(axes[1], anatomy.found["steps"], w)
        places = [axes[0], *axes[2:]]
        for axis, (name, (values, left, right)) in zip(places, panels.items(), strict=True):
            _map(axis, values, left, right)
            axis.set_title(w[f"short_{name}"] if "/" in name else w[name], fontsize=7.5)
    frames = [pairs(name, *panel) for name, panel in panels.items()]
    return figure, pd.concat(frames, ignore_index=True)


def _deviations(axis: Axes, steps: Sequence[Mapping[str, Any]], w: Words) -> None:
    """Draw each step's deviation as a share of its largest value, on a logarithmic scale."""
    shares = [step["deviation"] / step["largest"] for step in steps]
    axis.semilogx(shares, range(len(steps)), "o", ms=4, color=CATEGORY_COLOURS[0])
    axis.set_yticks(range(len(steps)), [w[_step_word(s["step"])] for s in steps], fontsize=6)
    axis.set_xlim(1e-9, 1)
    axis.set_xticks([1e-9, 1e-6, 1e-3, 1], ["10⁻⁹", "10⁻⁶", "10⁻³", "1"], fontsize=6)
    axis.minorticks_off()
    axis.set_ylim(len(steps) - 0.5, -0.5)
    axis.set_title(w["off"], fontsize=7.5)
    axis.grid(axis="x")
    axis.set_box_aspect(1.35)


def small_maps(anatomy: Anatomy, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the weights of every layer and head of the small models for the row that is shown."""
    layers, heads = anatomy.arrays["encoder/attention"].shape[:2]
    rows = layers * heads
    with figure_style():
        figure, axes = plt.subplots(
            rows,
            len(MAPS),
            figsize=(WIDTH, rows * (WIDTH / len(MAPS) + 0.35) + 0.2),
            squeeze=False,
        )
        frames = []
        for name, column in zip(MAPS, axes.T, strict=True):
            left, right = _axes_of(anatomy, name)
            for place, axis in enumerate(column):
                layer, head = divmod(place, heads)
                values = anatomy.arrays[name][layer, head]
                _map(axis, values, left, right)
                frames.append(pairs(f"{name} {layer + 1}.{head + 1}", values, left, right))
                if name == next(iter(MAPS)):
                    axis.set_ylabel(f"{w['layer']} {layer + 1}, {w['head']} {head + 1}", fontsize=7)
            column[0].set_title(w[name.removesuffix("/attention")], fontsize=7.5)
    return figure, pd.concat(frames, ignore_index=True)


def small_table(anatomy: Anatomy, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw up size, success and sight of the small models; one with both sides has two rows."""
    rows = []
    for name in ARCHITECTURES:
        small = anatomy.found["small"][name]
        common = {key: small[key] for key in ("parameters", "accuracy", "mirror")}
        rows.append({"architecture": name} | common | {k: small[k] for k in ("leak", "future")})
        if "encoder_leak" in small:
            sight = {key: small[f"encoder_{key}"] for key in ("leak", "future")}
            rows.append({"architecture": "side_encoder"} | sight)
    data = pd.DataFrame(rows)
    forms = {
        "architecture": lambda value: w[value],
        "parameters": lambda value: format(int(value), ","),
        "accuracy": lambda value: format(value, ".1%"),
        "mirror": lambda value: format(value, ".1%"),
        "leak": _few,
        "future": _few,
    }
    cells = pd.DataFrame(
        {
            w[column]: ["" if pd.isna(value) else form(value) for value in data[column]]
            for column, form in forms.items()
        }
    )
    return cells, data


def _few(value: float) -> str:
    return f"{value:.2f}" if value >= 0.005 else scientific(value)


def _axes_of(anatomy: Anatomy, name: str) -> tuple[list[str], list[str]]:
    small = anatomy.found["small"][name.split("/")[0]]
    left, right = ([drawable(token) for token in small[axis]] for axis in MAPS[name])
    return left, right


# --- parts ----------------------------------------------------------------------------------------


def _height(tokens: Sequence[str], row: float) -> float:
    return max(1.0, row * min(len(tokens), 40))


def _strips(
    axis: Axes, values: Floats, title: str, limit: float | None = None, *, bar: bool = True
) -> float:
    """Draw vectors as rows of colours around zero; return where the colours end.

    A few dimensions are far larger than all others: colours end at the largest hundredth.
    """
    limit = limit or float(np.quantile(np.abs(values), 0.99)) or 1.0
    image = axis.imshow(values, cmap=DIVERGING, vmin=-limit, vmax=limit, aspect="auto")
    axis.set_title(title)
    axis.tick_params(labelsize=7)
    if bar:
        colours = axis.figure.colorbar(
            image, ax=axis, location="right", aspect=12, pad=0.02, extend="both", extendfrac=0.06
        )
        colours.ax.tick_params(labelsize=6)
    return limit


def _numbers(axis: Axes, values: Floats, image: Any) -> None:
    """Write the values into the cells, if there is room."""
    if len(values) > NUMBERED:
        return
    for (row, column), value in np.ndenumerate(values):
        red, green, blue, _ = image.cmap(image.norm(value))
        light = 0.299 * red + 0.587 * green + 0.114 * blue > 0.5
        # Without the sum, what rounds to zero from below would keep its sign.
        text = f"{round(value, 1) + 0:.1f}" if values.min() < 0 else f"{value:.2f}"
        axis.text(
            column,
            row,
            text.replace("-", "\u2212"),
            ha="center",
            va="center",
            fontsize=6,
            color="black" if light else "white",
        )


def _map(axis: Axes, values: Floats, left: Sequence[str], right: Sequence[str]) -> None:
    """Draw attention, empty where a mask leaves no weight at all."""
    axis.imshow(np.ma.masked_equal(values, 0), vmin=0, vmax=1)
    size = 6 if max(len(left), len(right)) <= 8 else 4.8
    axis.set_xticks(range(len(right)), right, fontsize=size, rotation=90)
    axis.set_yticks(range(len(left)), left, fontsize=size)
    axis.tick_params(length=0, pad=2)


def _long(panels: Mapping[str, Floats], tokens: Sequence[str]) -> pd.DataFrame:
    """One row a cell: panel, token and its position, column (dimension or key), value."""
    frames = []
    for panel, values in panels.items():
        row, column = np.indices(values.shape)
        frames.append(
            pd.DataFrame(
                {
                    "panel": panel,
                    "position": row.ravel(),
                    "token": np.take(tokens, row.ravel()),
                    "column": column.ravel(),
                    "value": values.ravel(),
                }
            )
        )
    return pd.concat(frames, ignore_index=True)
