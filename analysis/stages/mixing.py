"""How much of a token's vector comes from other tokens, by the norms of what is added up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from safetensors.numpy import save_file
from tqdm import tqdm

from analysis.capture.store import Capture, variants
from analysis.methods.alti import alti
from analysis.methods.mixing import SCOPES, AttentionBlock, row_normalised, transformed_values
from analysis.methods.rollout import attention_rollout
from analysis.methods.whole_layer import (
    FEED_FORWARD_SCOPES,
    FeedForward,
    feed_forward_ratios,
    globenc,
)
from analysis.models.source import locate
from analysis.models.weights import LayerWeights, read_layers
from analysis.params import Params, located
from analysis.paths import artifact, result
from analysis.stages.attributions import RATIOS, of_layers, writing
from analysis.stages.runner import replacing, run, write_json
from analysis.stages.summaries import (
    MATRIX_MEASURES,
    curves,
    matrix_measures,
    nested,
    text_shown,
)

# The measured residual of the propagation stage: the whole attention block.
MEASURED_SCOPE = "attnresln_n"
# The weights with half a residual are rolled out by the propagation stage.
MATRICES = ("attn_w", "attn_n", "attnres_n", "attnresln_n", "globenc", "alti")
# Matrices that score tokens layer by layer as well as rolled out.
SINGLE = ("attn_n", "attnresln_n")
MASKS = ("[MASK]", "<mask>")


def mixing(params: Params, name: str) -> None:
    """Write mixing ratios of every scope, and what rollout makes of each contribution matrix.

    ``results/E/mixing.parquet`` holds the mean ratio for each variant, text, layer (1-based), scope
    and kind of token; ``results/E/sources.parquet`` measures of the rolled-out matrices;
    ``results/E/contributions/VARIANT.safetensors`` the matrices of the one text that the report
    shows, ``[layer, query, key]``, rows summing to 1. ``artifacts/E/mixing/ratios.parquet`` is the
    measured ratio of every token, ``artifacts/E/mixing/attributions.parquet`` scores tokens
    (:mod:`analysis.stages.attributions`).
    """
    experiment = located(params, name)
    ratios: list[dict[str, Any]] = []
    sources: list[dict[str, Any]] = []
    with (
        replacing(artifact(name, "mixing")) as directory,
        replacing(result(name, "contributions")) as contributions,
    ):
        directory.mkdir()
        contributions.mkdir()
        with (
            writing(directory / "attributions.parquet") as scores,
            pq.ParquetWriter(directory / "ratios.parquet", RATIOS) as measured,
        ):
            for variant in variants(artifact(name, "capture")):
                capture = Capture(artifact(name, "capture", variant))
                shown = text_shown(params.report.focus, name, capture.examples)
                tuned = variant == "finetuned"
                layers = read_layers(
                    artifact(name, "model") if tuned else locate(experiment.model).path
                )
                for example in tqdm(
                    capture.examples["id"], f"mixing {variant}", disable=None, unit="text"
                ):
                    tokens = capture.tokens_of(example)
                    special = tokens["is_special"].to_numpy(bool)
                    text = {"variant": variant, "example_id": int(example)}
                    ratio, matrices = _measure(capture, example, layers)
                    ratios += [text | row for row in _by_kind(ratio, _kinds(tokens))]
                    rows = [
                        text | {"layer": layer, "ratio": values}
                        for layer, values in enumerate(ratio[MEASURED_SCOPE], start=1)
                    ]
                    measured.write_table(pa.Table.from_pylist(rows, RATIOS))
                    rolled = {m: attention_rollout(x, residual=0) for m, x in matrices.items()}
                    sources += [
                        text | {"method": method} | row
                        for method, matrix in rolled.items()
                        for row in matrix_measures(matrix, special)
                    ]
                    scores.add(variant, example, _scores(matrices, rolled))
                    if example == shown:
                        kept = {method: m.astype(np.float32) for method, m in matrices.items()}
                        save_file(kept, contributions / f"{variant}.safetensors")
    _write(params, name, pd.DataFrame(ratios), pd.DataFrame(sources))


def _write(params: Params, name: str, ratios: pd.DataFrame, sources: pd.DataFrame) -> None:
    for file, content in (("mixing", ratios), ("sources", sources)):
        with replacing(result(name, f"{file}.parquet")) as path:
            content.to_parquet(path, index=False)
    by_scope: dict[str, Any] = {
        "keys": ["variant", "scope", "kind"],
        "measures": ["ratio"],
        "bootstrap": params.bootstrap,
    }
    by_method: dict[str, Any] = {
        "keys": ["variant", "method"],
        "measures": MATRIX_MEASURES,
        "bootstrap": params.bootstrap,
    }
    drawn = {"mixing": curves(ratios, **by_scope), "sources": curves(sources, **by_method)}
    for file, content in drawn.items():
        with replacing(result(name, "plots", f"{file}.csv")) as path:
            content.to_csv(path, index=False, float_format="%.6g")
    summary = {"ratio": nested(ratios, **by_scope), "rollout": nested(sources, **by_method)}
    write_json(result(name, "summaries", "mixing.json"), summary)
    write_json(
        result(name, "metrics", "mixing.json"),
        {
            variant: {scope: kinds["all"]["ratio"]["mean"] for scope, kinds in by_kind.items()}
            for variant, by_kind in summary["ratio"].items()
        },
    )


def _measure(
    capture: Capture, example: int, layers: list[LayerWeights]
) -> tuple[dict[str, NDArray[np.float64]], dict[str, NDArray[np.float64]]]:
    """Ratios ``[layer, token]`` of every scope, matrices ``[layer, query, key]`` of every kind."""
    attention = capture.array(example, "attention")
    # Half-precision storage moves the sums of the rows.
    attention /= attention.sum(axis=-1, keepdims=True)
    value = capture.array(example, "value")
    block_output = capture.array(example, "attention_block")
    ffn_output = capture.array(example, "ffn_output")
    layer_output = capture.array(example, "layer_output")
    inputs = np.concatenate([capture.array(example, "embedding")[None], layer_output[:-1]])
    ratios: dict[str, list] = {scope: [] for scope in (*SCOPES, *FEED_FORWARD_SCOPES)}
    matrices: dict[str, list] = {kind: [] for kind in MATRICES}
    for layer, weights in enumerate(layers):
        block = AttentionBlock(
            attention[layer],
            transformed_values(value[layer], weights.attention_output.weight),
            inputs=inputs[layer],
            output_bias=weights.attention_output.bias,
            layer_norm=(weights.attention_norm.weight, weights.attention_norm.eps),
        )
        for scope in SCOPES:
            ratios[scope].append(block.ratio(scope))
            if scope in MATRICES:
                matrices[scope].append(row_normalised(block.norms(scope)))
        network = FeedForward(
            weight_in=weights.ffn_input.weight,
            bias_in=weights.ffn_input.bias,
            weight_out=weights.ffn_output.weight,
            activation=weights.activation,
            layer_norm=(weights.ffn_norm.weight, weights.ffn_norm.eps),
        )
        beyond = feed_forward_ratios(block, network, block_output=block_output[layer])
        for scope, ratio in beyond.items():
            ratios[scope].append(ratio)
        norms = globenc(
            block,
            second_layer_norm=network.layer_norm,
            second_input=block_output[layer] + ffn_output[layer],
        )
        matrices["globenc"].append(row_normalised(norms))
        matrices["alti"].append(alti(block, block_output[layer]))
    return (
        {scope: np.array(rows, np.float64) for scope, rows in ratios.items()},
        {kind: np.array(rows, np.float64) for kind, rows in matrices.items()},
    )


def _scores(
    matrices: dict[str, NDArray[np.float64]], rolled: dict[str, NDArray[np.float64]]
) -> Iterator:
    for method in SINGLE:
        yield from of_layers(method, matrices[method], single=True)
    for method, matrix in rolled.items():
        yield from of_layers(f"{method}_rollout", matrix)


def _kinds(tokens: pd.DataFrame) -> dict[str, NDArray[np.bool_]]:
    """Tokens of each kind: all, the first, other special ones, the mask, other text."""
    special = tokens["is_special"].to_numpy(bool)
    mask = tokens["token"].isin(MASKS).to_numpy()
    first = np.arange(len(tokens)) == 0
    return {
        "all": np.ones(len(tokens), bool),
        "cls": first,
        "special": special & ~first,
        "mask": mask & ~special,
        "text": ~special & ~mask & ~first,
    }


def _by_kind(
    ratios: dict[str, NDArray[np.float64]], kinds: dict[str, NDArray[np.bool_]]
) -> Iterator[dict[str, Any]]:
    for scope, values in ratios.items():
        for layer, of_tokens in enumerate(values, start=1):
            for kind, chosen in kinds.items():
                if chosen.any():
                    mean = float(of_tokens[chosen].mean())
                    yield {"layer": layer, "scope": scope, "kind": kind, "ratio": mean}


if __name__ == "__main__":
    run("mixing", mixing, "experiment")
