"""What fine-tuning changes, and where: attention, features and weights before and after."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import softmax
from tqdm import tqdm

from analysis.capture.store import Capture, variants
from analysis.errors import InputError
from analysis.methods.bootstrap import mean_interval
from analysis.methods.change import cosine_distance, jensen_shannon, relative_change
from analysis.methods.identity import Moments, linear_cka
from analysis.models.source import locate
from analysis.models.weights import LayerWeights, read_layers
from analysis.params import Bootstrap, Params, located
from analysis.paths import artifact, result
from analysis.stages.runner import replacing, run, write_json
from analysis.stages.summaries import curves, defined, nested

# Points without layers stand for layer 0; the others begin with layer 1.
INPUTS = ("word", "embedding")
POINTS = (
    *INPUTS,
    "query",
    "key",
    "value",
    "context",
    "attention_output",
    "attention_block",
    "ffn_output",
    "layer_output",
)
ATTENTION = ("divergence", "distance", "distance_alone")
FEATURES = ("cosine_distance", "relative_change")
TOKENS = {"all": slice(None), "first": slice(1)}
BY_COLUMN = ("query", "key", "value")  # weights whose columns belong to heads
BY_ROW = ("attention_output",)  # and whose rows do
MATRICES = (*BY_COLUMN, *BY_ROW, "ffn_input", "ffn_output")
LAST = 2  # layers at the top, whose share of all change is told
KEYS = ["point", "tokens"]
COLUMNS = {
    "attention": ("example_id", "tokens", "layer", "head", *ATTENTION),
    "features": ("example_id", "tokens", "point", "layer", *FEATURES),
    "weights": ("layer", "head", "matrix", "relative_change"),
}


def change(params: Params, name: str) -> None:
    """Write how far the fine-tuned model is from the pretrained one, on the same texts.

    Layers and heads are 1-based; ``tokens`` is *all*, the mean over the tokens of the text, or
    *first*, the one that the classifier reads.

    ``results/E/change_attention.parquet`` holds for each text, layer and head the Jensen-Shannon
    ``divergence`` of a row of attention, and its root, the ``distance``. A layer also changes
    because those below it did; ``distance_alone`` is what its own queries and keys make of the
    pretrained model's input.
    ``results/E/change_features.parquet`` holds for each text, point and layer (0 for the points
    below the first) the ``cosine_distance`` of a token and the ``relative_change`` of all tokens
    as one matrix; queries, keys and values are those of all heads side by side.
    ``results/E/change_weights.parquet`` holds the ``relative_change`` of the matrices of each
    layer: of the columns of a head (of its rows in ``attention_output``), and with no head of the
    whole matrix. Biases are left out: that of the keys moves no attention, and a vector beside a
    matrix would need a scale of its own.
    ``plots/change.csv`` has the means over texts; those of attention are over heads as well. Beside
    them is linear ``cka`` of the features before with those after, over all tokens of all texts:
    1 where the space was only turned, moved or scaled.
    ``change.json`` tells for each the layer that changed most, and which share of the change of all
    layers the last two hold, of each text first; ``even_share`` is theirs if all change alike.

    Without a fine-tuned model the tables are empty and the metrics say so.
    """
    experiment = located(params, name)
    tables = {table: pd.DataFrame(columns=list(columns)) for table, columns in COLUMNS.items()}
    drawn = curves(tables["features"], keys=KEYS, measures=FEATURES, bootstrap=params.bootstrap)
    summary: dict[str, Any] = {"computed": False}
    metrics = summary
    if "finetuned" in variants(artifact(name, "capture")):
        captures = [Capture(artifact(name, "capture", v)) for v in ("pretrained", "finetuned")]
        directories = locate(experiment.model).path, artifact(name, "model")
        weights = [read_layers(directory) for directory in directories]
        _require_same_texts(name, *captures)
        tables["attention"], tables["features"], cka = _texts(captures, weights)
        heads = int(tables["attention"]["head"].max())
        tables["weights"] = _weights(weights, heads)
        drawn, summary, metrics = _summarise(tables, cka, params.bootstrap)
    for table, content in tables.items():
        with replacing(result(name, f"change_{table}.parquet")) as path:
            content.to_parquet(path, index=False)
    with replacing(result(name, "plots", "change.csv")) as path:
        drawn.to_csv(path, index=False, float_format="%.6g")
    write_json(result(name, "summaries", "change.json"), summary)
    write_json(result(name, "metrics", "change.json"), metrics)


def _require_same_texts(name: str, before: Capture, after: Capture) -> None:
    shared = ["example_id", "position", "token"]
    same = before.examples["id"].equals(after.examples["id"])
    if not same or not before.tokens[shared].equals(after.tokens[shared]):
        directory = artifact(name, "capture")
        raise InputError(
            f"{directory}/pretrained and {directory}/finetuned are not of the same texts and "
            f"tokens; delete {directory} and run `dvc repro`."
        )


def _texts(
    captures: list[Capture], weights: list[list[LayerWeights]]
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Compare one text at a time: attention, features, and CKA over all of them."""
    attention: list[dict[str, Any]] = []
    features: list[dict[str, Any]] = []
    moments: dict[tuple[str, int], list[Moments]] = {}
    for example in tqdm(captures[0].examples["id"], "change", disable=None, unit="text"):
        text = {"example_id": int(example)}
        attention += [text | row for row in _attention(captures, weights, example)]
        for point in POINTS:
            old, new = (_features(capture, example, point) for capture in captures)
            place = text | {"point": point}
            first = 0 if point in INPUTS else 1
            for tokens, chosen in TOKENS.items():
                pair = old[:, chosen], new[:, chosen]
                measured = cosine_distance(*pair).mean(axis=-1), relative_change(*pair)
                features += [
                    place | {"tokens": tokens, "layer": layer} | values
                    for layer, values in enumerate(_by_place(FEATURES, measured), start=first)
                ]
            if point in ("embedding", "layer_output"):
                for layer, (one, other) in enumerate(zip(old, new, strict=True), start=first):
                    parts = moments.setdefault((point, layer), [Moments() for _ in range(3)])
                    for part, pair in zip(
                        parts, ((one, other), (one, one), (other, other)), strict=True
                    ):
                        part.add(*pair)
    cka = [
        {"point": point, "tokens": "all", "measure": "cka", "layer": layer}
        | {"mean": linear_cka(*parts)}
        for (point, layer), parts in moments.items()
    ]
    return (
        pd.DataFrame(attention, columns=list(COLUMNS["attention"])),
        pd.DataFrame(features, columns=list(COLUMNS["features"])),
        pd.DataFrame(cka),
    )


def _attention(
    captures: list[Capture], weights: list[list[LayerWeights]], example: int
) -> Iterator[dict[str, Any]]:
    """Change of the rows of attention of one text, a layer at a time."""
    pretrained = captures[0]
    inputs = pretrained.array(example, "embedding")
    for layer, pair in enumerate(zip(*weights, strict=True)):
        before, after = (capture.array(example, "attention", layer) for capture in captures)
        divergence = jensen_shannon(before, after)  # [head, query]
        # Before too from the weights: what half precision stores differs a little.
        alone = jensen_shannon(*(_attention_of(inputs, own, len(before)) for own in pair))
        for tokens, chosen in TOKENS.items():
            rows = divergence[:, chosen], np.sqrt(divergence)[:, chosen], np.sqrt(alone)[:, chosen]
            measured = [values.mean(axis=-1) for values in rows]
            for head, values in enumerate(_by_place(ATTENTION, measured), start=1):
                yield {"tokens": tokens, "layer": layer + 1, "head": head} | values
        inputs = pretrained.array(example, "layer_output", layer)


def _attention_of(
    inputs: NDArray[np.float32], weights: LayerWeights, heads: int
) -> NDArray[np.float32]:
    """Attention that the queries and keys of a layer pay to its input, ``[head, query, key]``."""
    query, key = (
        (inputs @ linear.weight + linear.bias).reshape(len(inputs), heads, -1).swapaxes(0, 1)
        for linear in (weights.query, weights.key)
    )
    return softmax(query @ key.swapaxes(1, 2) / math.sqrt(query.shape[-1]), axis=-1)


def _by_place(
    measures: Sequence[str], values: Sequence[NDArray[np.float64]]
) -> list[dict[str, float]]:
    """Measures of every layer or head, one dictionary each."""
    return [
        dict(zip(measures, map(float, place), strict=True)) for place in zip(*values, strict=True)
    ]


def _features(capture: Capture, example: int, point: str) -> NDArray[np.float32]:
    """Vectors of one point, ``[layer, token, dim]``; those of heads side by side."""
    vectors = capture.array(example, point)
    if point in INPUTS:
        return vectors[None]
    if point in BY_COLUMN:
        layers, heads, tokens, head_dim = vectors.shape
        return vectors.swapaxes(1, 2).reshape(layers, tokens, heads * head_dim)
    return vectors


def _weights(weights: list[list[LayerWeights]], heads: int) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    for layer, pair in enumerate(zip(*weights, strict=True), start=1):
        for matrix in MATRICES:
            old, new = (getattr(variant, matrix).weight for variant in pair)
            place = {"layer": layer, "matrix": matrix}
            rows.append(place | {"head": None, "relative_change": float(relative_change(old, new))})
            if matrix in BY_COLUMN:
                old, new = old.T, new.T
            if matrix in BY_COLUMN + BY_ROW:
                of_heads = relative_change(*(np.stack(np.split(of, heads)) for of in (old, new)))
                rows += [
                    place | {"head": head, "relative_change": float(value)}
                    for head, value in enumerate(of_heads, start=1)
                ]
    return pd.DataFrame(rows, columns=list(COLUMNS["weights"])).astype({"head": "Int64"})


def _summarise(
    tables: dict[str, pd.DataFrame], cka: pd.DataFrame, bootstrap: Bootstrap
) -> tuple[pd.DataFrame, dict[str, Any], dict[str, Any]]:
    """Curves, the numbers behind them, and headlines."""
    over_heads = tables["attention"].groupby(["example_id", "tokens", "layer"], sort=False)
    attention = over_heads[list(ATTENTION)].mean().reset_index().assign(point="attention")
    texts = int(attention["example_id"].nunique())
    drawn: list[pd.DataFrame] = []
    changes: dict[str, Any] = {}
    for table, measures in ((attention, ATTENTION), (tables["features"], FEATURES)):
        settings: dict[str, Any] = {"keys": KEYS, "measures": measures, "bootstrap": bootstrap}
        drawn.append(curves(table, **settings))
        changes |= nested(table, **settings)
        layered = table[table["layer"] > 0]
        for (point, tokens), rows in layered.groupby(KEYS, sort=False):
            for measure in measures:
                values = rows.pivot(index="example_id", columns="layer", values=measure)
                changes[point][tokens][measure] |= _place(values.to_numpy(), bootstrap)
    drawn.append(cka.assign(low=np.nan, high=np.nan, texts=texts))
    weights = _of_weights(tables["weights"])
    layers = int(attention["layer"].max())
    facts = {"computed": True, "texts": texts, "even_share": min(LAST, layers) / layers}
    alike = {"first": defined(cka["mean"].iloc[0]), "last": defined(cka["mean"].iloc[-1])}
    summary = {"features": changes, "weights": weights, "cka": alike}
    headlines = {
        "attention": changes["attention"]["all"]["distance"],
        "attention_alone": changes["attention"]["all"]["distance_alone"],
        "layer_output": changes["layer_output"]["all"]["relative_change"],
        "weights": weights["all"],
    }
    kept = ("first", "last", "largest_layer", "last_two", "last_two_low", "last_two_high")
    metrics = {
        part: {key: numbers[key] for key in kept if key in numbers}
        for part, numbers in headlines.items()
    }
    return pd.concat(drawn), facts | summary, facts | metrics | {"cka": alike}


def _of_weights(table: pd.DataFrame) -> dict[str, Any]:
    """Both ends and the place of the change of every whole matrix, and of their mean."""
    whole = table[table["head"].isna()]
    wide = whole.pivot(index="layer", columns="matrix", values="relative_change")[list(MATRICES)]
    return {
        matrix: {
            "first": defined(values.iloc[0]),
            "last": defined(values.iloc[-1]),
            "largest_layer": _largest(values.to_numpy()),
            "last_two": defined(float(_share(values.to_numpy()))),
        }
        for matrix, values in wide.assign(all=wide.mean(axis=1)).items()
    }


def _place(values: NDArray[np.float64], bootstrap: Bootstrap) -> dict[str, Any]:
    """Tell where the change lies, given that of ``[text, layer]``."""
    share = mean_interval(_share(values), **bootstrap.model_dump())
    return {
        "largest_layer": _largest(values.mean(axis=0)),
        "last_two": defined(float(share.mean)),
        "last_two_low": defined(float(share.low)),
        "last_two_high": defined(float(share.high)),
    }


def _share(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share that the last layers have of the sum over all, ``[..., layer]`` -> ``[...]``."""
    total = values.sum(axis=-1)
    last = values[..., -LAST:].sum(axis=-1)
    return np.divide(last, total, out=np.full_like(total, np.nan), where=total > 0)


def _largest(values: NDArray[np.float64]) -> int | None:
    """Tell which layer, 1-based, changed most; None where nothing did."""
    return int(np.nanargmax(values)) + 1 if np.nansum(values) > 0 else None


if __name__ == "__main__":
    run("change", change, "experiment")
