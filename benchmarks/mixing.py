"""Mixing of one layer, beside its forward pass and beside the plain n x n x d definition."""

import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits
from transformers import BertConfig
from transformers.models.bert.modeling_bert import BertLayer

from attention_mixing.methods.layer import Norm, Residual
from attention_mixing.methods.mixing import SCOPES, AttentionBlock, transformed_values
from benchmarks.timing import compare

Array = NDArray[np.floating]

TOKENS, HEADS, WIDTH = 128, 12, 768


def main() -> None:
    """Print every comparison: float32, one thread on either side."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with threadpool_limits(1), torch.inference_mode():
            _compare()
    finally:
        torch.set_num_threads(threads)


def _compare() -> None:
    torch.manual_seed(0)
    config = BertConfig(hidden_size=WIDTH, num_attention_heads=HEADS, intermediate_size=4 * WIDTH)
    what = f"{TOKENS} tokens, {HEADS} heads of {WIDTH // HEADS}, float32, one thread"
    hidden = torch.randn(1, TOKENS, WIDTH)
    for implementation in ("eager", "sdpa"):
        config._attn_implementation = implementation
        layer = BertLayer(config).eval()
        arrays = _capture(layer, hidden)
        compare(
            f"Five ratios and the norm matrix of attnresln_n, f^h(x) included, against the forward "
            f"pass of a torch BertLayer, {implementation} attention; {what}",
            partial(measure, **arrays),
            partial(layer, hidden),
        )
    compare(
        f"The same against the plain definition in numpy, which builds every F_ij; {what}",
        lambda: measure(**arrays),
        lambda: plain(**arrays),
    )
    peaks = [_peak(partial(function, **arrays)) for function in (measure, plain)]
    print(
        f"The same: most memory held beyond the arguments; {what}\n"
        f"    {peaks[0] / 1e6:8.1f} MB against {peaks[1] / 1e6:8.1f} MB, ratio "
        f"{peaks[0] / peaks[1]:.3f} (one array n x n x d: {4e-6 * TOKENS**2 * WIDTH:.1f} MB)"
    )


def measure(
    attention: Array, value: Array, projection: Array, **rest: Any
) -> tuple[dict[str, Array], Array]:
    """All five ratios and the norm matrix after layer normalisation."""
    block = AttentionBlock(attention, value, projection, **rest)
    return {scope: block.ratio(scope) for scope in SCOPES}, block.norms("attnresln_n")


def plain(
    attention: Array,
    value: Array,
    projection: Array,
    inputs: Array,
    output_bias: Array,
    residual: Residual,
) -> Any:
    """Build the vectors of all pairs for the same, worked in place where that is possible."""
    norm = residual.after
    assert norm is not None  # of a post-norm block
    weight, _, eps, _ = norm
    transformed = transformed_values(value, projection)
    vectors = np.einsum("hij,hjd->ijd", attention, transformed, optimize=True)
    output = vectors.sum(axis=1)
    token = np.arange(len(vectors))
    own = attention.mean(axis=0)[token, token]
    ratios = {"attn_w": 1 - own, "attnres_w": (1 - own) / 2, "attn_n": _ratio(vectors)}
    vectors[token, token] += inputs
    ratios["attnres_n"] = _ratio(vectors)
    vectors -= vectors.mean(axis=-1, keepdims=True)
    vectors /= np.sqrt((output + output_bias + inputs).var(axis=-1) + eps)[:, None, None]
    vectors *= weight
    ratios["attnresln_n"] = _ratio(vectors)
    return ratios, np.linalg.norm(vectors, axis=-1)


def _ratio(vectors: np.ndarray) -> np.ndarray:
    own = np.einsum("iid->id", vectors)
    kept = np.linalg.norm(own, axis=-1)
    mixed = np.linalg.norm(vectors.sum(axis=1) - own, axis=-1)
    return mixed / (mixed + kept)


def _capture(layer: BertLayer, hidden: torch.Tensor) -> dict:
    """Work out the attention and values of a layer from its weights."""
    inner, output = layer.attention.self, layer.attention.output
    query, key, value = (
        linear(hidden)[0].unflatten(-1, (HEADS, -1)).transpose(0, 1)
        for linear in (inner.query, inner.key, inner.value)
    )
    attention = (query @ key.transpose(1, 2) * (WIDTH // HEADS) ** -0.5).softmax(-1)
    return {
        "attention": attention.numpy(),
        "value": value.contiguous().numpy(),
        "projection": output.dense.weight.numpy().T,
        "inputs": hidden[0].numpy(),
        "output_bias": output.dense.bias.numpy(),
        "residual": Residual(
            after=Norm(
                output.LayerNorm.weight.numpy(), output.LayerNorm.bias.numpy(), output.LayerNorm.eps
            )
        ),
    }


def _peak(function: Callable[[], object]) -> int:
    """Measure the most bytes that numpy holds at once while a function runs."""
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
