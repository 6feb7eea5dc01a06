"""Follow attention through the layers: raw, with residual, rolled out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from safetensors.numpy import save_file

from analysis.capture.store import Capture, variants
from analysis.errors import InputError
from analysis.methods.attention import entropy, head_mean, mixing
from analysis.methods.bootstrap import mean_interval
from analysis.methods.rollout import attention_rollout, row_distance, with_residual
from analysis.params import Params
from analysis.paths import artifact, result
from analysis.stages.runner import replacing, run, write_json

MEASURES = ("mixing", "entropy", "cls_entropy", "special_share", "row_distance")


def propagation(params: Params, name: str) -> None:
    """Write measures a text and layer, curves with intervals, and the matrices of the text shown.

    ``results/E/propagation.parquet`` holds a row for each variant, text, method and layer
    (1-based); ``results/E/shown/`` the matrices of the one text that the report shows, as
    ``VARIANT.safetensors`` with ``method`` -> ``[layer, query, key]`` and ``head``, the first head
    of the first layer, ``[query, key]``, and its tokens. Matrices of other texts follow from the
    capture in no time, and would outgrow it if they were kept.

    Methods are ``raw``, ``residual``, ``rollout``, and ``uniform``: the rollout of attention that
    is uniform over the text, which no model was asked for.
    """
    rows: list[dict[str, Any]] = []
    focus = params.report.focus
    shown = focus.example if name == focus.experiment else 0
    with replacing(result(name, "shown")) as directory:
        directory.mkdir()
        for variant in variants(artifact(name, "capture")):
            capture = Capture(artifact(name, "capture", variant))
            if shown >= len(capture.examples):
                raise InputError(
                    f"report.focus.example is {shown} but {name} has only {len(capture.examples)} "
                    "captured texts; choose an earlier one (the first is 0) or capture more."
                )
            for index, example in enumerate(capture.examples["id"]):
                tokens = capture.tokens_of(example)
                special = tokens["is_special"].to_numpy(bool)
                attention = capture.array(example, "attention")
                matrices = _propagate(params, attention)
                if index == shown:
                    kept = {method: m.astype(np.float32) for method, m in matrices.items()}
                    head = {"head": np.ascontiguousarray(attention[0, 0])}
                    save_file(kept | head, directory / f"{variant}.safetensors")
                    tokens.assign(text=capture.examples["text"].iloc[index]).to_parquet(
                        directory / "tokens.parquet", index=False
                    )
                for method, matrix in matrices.items():
                    rows += [
                        {"variant": variant, "example_id": example, "method": method} | row
                        for row in _measure(matrix, special)
                    ]
    table = pd.DataFrame(rows)
    with replacing(result(name, "propagation.parquet")) as path:
        table.to_parquet(path, index=False)
    curves = _curves(params, table)
    with replacing(result(name, "plots", "propagation.csv")) as path:
        curves.to_csv(path, index=False, float_format="%.6g")
    write_json(result(name, "metrics", "propagation.json"), _summary(curves))


def _propagate(params: Params, attention: NDArray) -> dict[str, NDArray[np.float64]]:
    settings = params.propagation
    if settings.start_layer >= len(attention):
        raise InputError(
            f"propagation.start_layer is {settings.start_layer} but the model has {len(attention)} "
            f"layers; choose 0 to {len(attention) - 1}."
        )
    raw = head_mean(attention)
    uniform = np.full_like(raw, 1 / raw.shape[-1])
    rollout, baseline = (
        attention_rollout(x, residual=settings.residual, start_layer=settings.start_layer)
        for x in (attention, uniform)
    )
    return {
        "raw": raw,
        "residual": with_residual(attention, settings.residual),
        "rollout": rollout,
        "uniform": baseline,
    }


def _measure(matrix: NDArray[np.float64], special: NDArray[np.bool_]) -> list[dict[str, float]]:
    """Summarise ``[layer, query, key]`` by one row a layer: means over the tokens of the text."""
    nats = math.log(matrix.shape[-1])
    rows = entropy(matrix) / nats if nats else np.zeros(matrix.shape[:2])
    return [
        {
            "layer": layer + 1,
            "mixing": float(mixing(matrix[layer]).mean()),
            "entropy": float(rows[layer].mean()),
            "cls_entropy": float(rows[layer, 0]),
            "special_share": float(matrix[layer][:, special].sum(axis=1).mean()),
            "row_distance": float(row_distance(matrix[layer])),
        }
        for layer in range(len(matrix))
    ]


def _curves(params: Params, table: pd.DataFrame) -> pd.DataFrame:
    """Mean over texts with bootstrap interval, for each variant, method, measure and layer."""
    frames = []
    for (variant, method), part in table.groupby(["variant", "method"], sort=False):
        for measure in MEASURES:
            values = part.pivot(index="example_id", columns="layer", values=measure)
            mean, low, high = mean_interval(values, **params.bootstrap.model_dump())
            frames.append(
                pd.DataFrame(
                    {
                        "variant": variant,
                        "method": method,
                        "measure": measure,
                        "layer": values.columns,
                        "mean": mean,
                        "low": low,
                        "high": high,
                    }
                )
            )
    return pd.concat(frames, ignore_index=True)


def _summary(curves: pd.DataFrame) -> dict[str, Any]:
    """First layer, last layer and mean over layers of every curve."""
    summary: dict[str, Any] = {}
    for (variant, method, measure), curve in curves.groupby(
        ["variant", "method", "measure"], sort=False
    ):
        summary.setdefault(variant, {}).setdefault(method, {})[measure] = {
            "first": float(curve["mean"].iloc[0]),
            "last": float(curve["mean"].iloc[-1]),
            "last_low": float(curve["low"].iloc[-1]),
            "last_high": float(curve["high"].iloc[-1]),
            "mean": float(curve["mean"].mean()),
        }
    return summary


if __name__ == "__main__":
    run("propagation", propagation, "experiment")
