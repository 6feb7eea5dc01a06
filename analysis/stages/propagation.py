"""Follow attention through the layers: raw, with residual, rolled out, as a flow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from safetensors.numpy import save_file
from tqdm import tqdm

from analysis.capture.store import Capture, variants
from analysis.errors import InputError
from analysis.methods.attention import head_mean
from analysis.methods.flow import AttentionFlow, attention_flow
from analysis.methods.rollout import attention_rollout, measured_residual, with_residual
from analysis.params import Params
from analysis.paths import artifact, result
from analysis.stages.attributions import RATIOS, of_layers, read, writing
from analysis.stages.runner import replacing, run, write_json
from analysis.stages.summaries import (
    MATRIX_MEASURES,
    curves,
    matrix_measures,
    nested,
    text_shown,
)

Matrices = dict[str, NDArray[np.float64]]

# Methods that score tokens; the others are references for them.
SCORED = ("raw", "rollout", "rollout_measured", "flow", "flow_measured")
SOURCES = ("cls", "special", "text")


def propagation(params: Params, name: str) -> None:
    """Write measures a text and layer, curves with intervals, and the matrices of the text shown.

    ========================= =====================================================================
    ``raw``                   head mean of each layer
    ``residual``              with the residual as ``propagation.residual`` says
    ``rollout``, ``flow``     of that
    ``rollout_measured``, ``flow_measured``  with the residual share of every token measured instead
                              (stage ``mixing``)
    ``uniform``               rollout of attention that is uniform over the text: no model at all
    ========================= =====================================================================

    ``results/E/propagation.parquet`` holds a row for each variant, text, method and layer
    (1-based), a row of flow being divided by its sum; ``results/E/tight.parquet`` the share of
    pairs whose flow attains its upper bound, by kind of source. ``results/E/shown/`` has the
    matrices of the one text that the report shows, as ``VARIANT.safetensors`` with ``method`` ->
    ``[layer, query, key]`` and ``head``, the first head of the first layer, ``[query, key]``, and
    its tokens; matrices of other texts follow from the capture in no time, and would outgrow it.
    Flow starts from as many tokens as ``propagation.flow_sources`` says, the queries of its
    matrices (``sources``); in the text of ``report.focus`` from all.
    ``artifacts/E/propagation.parquet`` scores tokens (:mod:`analysis.stages.attributions`).
    ``summaries/propagation.json`` has, beside the curves in numbers, ``exact``: over all texts, the
    largest deviation of a sum of a row of rollout from 1 (``row_sum``), the largest difference of
    residual, rollout and flow in the first layer (``first_layer``), and how much more rollout keeps
    of a token on itself than the product of what its layers keep, the smallest of all tokens
    (``kept_rollout``, ``kept_rollout_measured``; never below 0, but for rounding).
    """
    start = params.propagation.start_layer
    rows: list[dict[str, Any]] = []
    tight: list[dict[str, Any]] = []
    exact: dict[str, dict[str, float]] = {}
    with (
        replacing(result(name, "shown")) as directory,
        replacing(artifact(name, "propagation.parquet")) as attributions,
        writing(attributions) as scores,
    ):
        directory.mkdir()
        for variant in variants(artifact(name, "capture")):
            capture = Capture(artifact(name, "capture", variant))
            shown = text_shown(params.report.focus, name, capture.examples)
            ratios = read(artifact(name, "mixing", "ratios.parquet"), capture.examples, RATIOS)
            measured = ratios[ratios["variant"] == variant].groupby("example_id")["ratio"]
            for example in tqdm(
                capture.examples["id"], f"propagation {variant}", disable=None, unit="text"
            ):
                tokens = capture.tokens_of(example)
                special = tokens["is_special"].to_numpy(bool)
                attention = capture.array(example, "attention")
                ratio = np.stack(measured.get_group(example).to_list())
                limit = params.propagation.flow_sources
                if example == shown and name == params.report.focus.experiment:
                    limit = None
                sources = _sources(len(tokens), limit)
                matrices, flows, layers = _propagate(params, attention, ratio, sources)
                _check(exact.setdefault(variant, {}), matrices, layers, sources, start)
                scores.add(
                    variant,
                    example,
                    (
                        row
                        for method in SCORED
                        for row in of_layers(method, matrices[method], single=method == "raw")
                    ),
                )
                text = {"variant": variant, "example_id": example}
                for method, matrix in matrices.items():
                    shares = matrix / matrix.sum(axis=-1, keepdims=True)
                    rows += [
                        text | {"method": method} | row
                        for row in matrix_measures(
                            shares, special, sources if method in flows else None
                        )
                    ]
                for method, flow in flows.items():
                    tight += [
                        text | {"method": method} | row
                        for row in _tight(flow, sources, special, start)
                    ]
                if example == shown:
                    kept = {method: m.astype(np.float32) for method, m in matrices.items()}
                    head = {"head": np.ascontiguousarray(attention[0, 0])}
                    save_file(
                        kept | head | {"sources": sources}, directory / f"{variant}.safetensors"
                    )
                    texts = capture.examples.set_index("id")["text"]
                    tokens.assign(text=texts[example]).to_parquet(
                        directory / "tokens.parquet", index=False
                    )
    _write(params, name, pd.DataFrame(rows), pd.DataFrame(tight), exact)


def _write(
    params: Params,
    name: str,
    table: pd.DataFrame,
    tight: pd.DataFrame,
    exact: dict[str, dict[str, float]],
) -> None:
    for file, content in (("propagation", table), ("tight", tight)):
        with replacing(result(name, f"{file}.parquet")) as path:
            content.to_parquet(path, index=False)
    by_method: dict[str, Any] = {
        "keys": ["variant", "method"],
        "measures": MATRIX_MEASURES,
        "bootstrap": params.bootstrap,
    }
    by_source: dict[str, Any] = {
        "keys": ["variant", "method", "source"],
        "measures": ["tight"],
        "bootstrap": params.bootstrap,
    }
    drawn = {"propagation": curves(table, **by_method), "tight": curves(tight, **by_source)}
    for file, content in drawn.items():
        with replacing(result(name, "plots", f"{file}.csv")) as path:
            content.to_csv(path, index=False, float_format="%.6g")
    methods, attained = nested(table, **by_method), nested(tight, **by_source)
    write_json(
        result(name, "summaries", "propagation.json"),
        {"methods": methods, "tight": attained, "exact": exact},
    )
    headlines = {
        variant: {
            **{f"{method}_mixing": values["mixing"]["last"] for method, values in found.items()},
            "rollout_row_distance": found["rollout"]["row_distance"]["last"],
            "flow_entropy": found["flow"]["entropy"]["last"],
            "flow_tight": {k: v["tight"]["last"] for k, v in attained[variant]["flow"].items()},
        }
        for variant, found in methods.items()
    }
    write_json(result(name, "metrics", "propagation.json"), headlines)


def _sources(tokens: int, limit: int | None) -> NDArray[np.int64]:
    """Choose the tokens that flow starts from: the first, the last, and evenly between."""
    count = tokens if limit is None else min(limit, tokens)
    return np.unique(np.linspace(0, tokens - 1, count).round().astype(np.int64))


def _propagate(
    params: Params, attention: NDArray, ratio: NDArray[np.float64], sources: NDArray[np.int64]
) -> tuple[Matrices, dict[str, AttentionFlow], Matrices]:
    """Matrices of every method, flows, and what is multiplied to each rollout, layer by layer."""
    settings = params.propagation
    start = settings.start_layer
    if start >= len(attention):
        raise InputError(
            f"propagation.start_layer is {start} but the model has {len(attention)} layers; choose "
            f"0 to {len(attention) - 1}."
        )
    raw = head_mean(attention)
    shares: dict[str, Any] = {"": settings.residual, "_measured": measured_residual(raw, ratio)}
    matrices = {"raw": raw, "residual": with_residual(raw, settings.residual)}
    flows, layers = {}, {}
    for suffix, share in shares.items():
        layers[f"rollout{suffix}"] = with_residual(raw, share)
        matrices[f"rollout{suffix}"] = attention_rollout(raw, residual=share, start_layer=start)
        # Layers below the start are left out of the graph: below, a token is its own input.
        flow = attention_flow(
            layers[f"rollout{suffix}"][start:], residual=None, sources=sources, layers="all"
        )
        flows[f"flow{suffix}"] = flow
        below = np.broadcast_to(np.eye(raw.shape[-1])[sources], (start, *flow.values.shape[1:]))
        matrices[f"flow{suffix}"] = np.concatenate([below, flow.values])
    uniform = np.full_like(raw, 1 / raw.shape[-1])
    matrices["uniform"] = attention_rollout(uniform, residual=settings.residual, start_layer=start)
    return matrices, flows, layers


def _check(
    exact: dict[str, float],
    matrices: Matrices,
    layers: Matrices,
    sources: NDArray[np.int64],
    start: int,
) -> None:
    """Widen what was found so far by how far one text is from what holds exactly."""
    sums, first = 0.0, 0.0
    for method, with_share in layers.items():
        rollout, flow = matrices[method], matrices[method.replace("rollout", "flow")]
        sums = max(sums, float(np.abs(rollout.sum(axis=-1) - 1).max()))
        first = max(
            first,
            float(np.abs(rollout[start] - with_share[start]).max()),
            float(np.abs(flow[start] - with_share[start][sources]).max()),
        )
        bound = np.diagonal(with_share[start:], axis1=1, axis2=2).prod(axis=0)
        kept = float((np.diagonal(rollout[-1]) - bound).min())
        exact[f"kept_{method}"] = min(exact.get(f"kept_{method}", np.inf), kept)
    exact["row_sum"] = max(exact.get("row_sum", 0.0), sums)
    exact["first_layer"] = max(exact.get("first_layer", 0.0), first)


def _tight(
    flow: AttentionFlow, sources: NDArray[np.int64], special: NDArray[np.bool_], start: int
) -> list[dict[str, Any]]:
    """Share of pairs that attain their upper bound, for each layer and kind of source."""
    first, other = sources == 0, special[sources]
    kinds = dict(zip(SOURCES, (first, other & ~first, ~other & ~first), strict=True))
    return [
        {"layer": layer, "source": kind, "tight": float(tight[rows].mean())}
        for layer, tight in enumerate(flow.tight, start=start + 1)
        for kind, rows in kinds.items()
        if rows.any()
    ]


if __name__ == "__main__":
    run("propagation", propagation, "experiment")
