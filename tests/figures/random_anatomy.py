"""Random results of the stage *anatomy*, with the arithmetic of attention but of no model."""

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from scipy.special import softmax

from analysis.methods.scaled_dot_product import (
    joined_context,
    scaled_scores,
)

WORDS = ("cat", "dog", "owl")


def write_anatomy(
    directory: Path,
    *,
    tokens: tuple[str, ...] = ("[CLS]", "time", "flies", "[SEP]"),
    layers: int = 2,
    heads: int = 3,
    width: int = 4,
    layer: int = 1,
    head: int = 1,
) -> None:
    """Write ``anatomy.json`` and ``anatomy.safetensors`` as the stage does."""
    rng = np.random.default_rng(0)
    n, dimension = len(tokens), heads * width
    draw = rng.standard_normal
    arrays = {name: draw((layers, heads, n, width)) for name in ("query", "key", "value")}
    arrays["scores"] = scaled_scores(arrays["query"], arrays["key"])
    arrays["attention"] = softmax(arrays["scores"], axis=-1)
    arrays["context"] = np.stack(
        [joined_context(a, v) for a, v in zip(arrays["attention"], arrays["value"], strict=True)]
    )
    arrays |= {name: draw((layers, n, dimension)) for name in ("input", "output")}
    small, maps = small_models(rng)
    shapes = {"projections": [heads, n, width], "scores": [heads, n, n], "weights": [heads, n, n]}
    found = {
        "experiment": "sentences",
        "model": "random",
        "text": " ".join(tokens[1:-1]),
        "tokens": list(tokens),
        "layer": layer,
        "head": head,
        "heads": heads,
        "layers": layers,
        "dimension": dimension,
        "head_dimension": width,
        "steps": [
            {
                "step": step,
                "formula": "",
                "shape": shapes.get(step, [n, dimension]),
                "deviation": 1e-7,
                "largest": 2.0,
                "compared_with": "",
            }
            for step in ("projections", "scores", "weights", "context", "output", "block")
        ],
        "deviation": 5e-8,
        "added": 0.4,
        "strongest": {"special": 0.8, "self": 0.0, "previous": 0.1, "next": 0.1, "other": 0.0},
        "heads_apart": 0.4,
        "row_sum_deviation": 1e-7,
        "scaling": {
            "score_std_unscaled": 2.0,
            "score_std_scaled": 1.0,
            "largest_weight_unscaled": 0.8,
            "largest_weight_scaled": 0.5,
        },
        "small": small,
    }
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "anatomy.json").write_text(json.dumps(found), encoding="utf-8")
    contiguous = {k: np.ascontiguousarray(v, dtype=np.float32) for k, v in (arrays | maps).items()}
    save_file(contiguous, directory / "anatomy.safetensors")


def small_models(rng: np.random.Generator, layers: int = 1, heads: int = 2) -> tuple[dict, dict]:
    """Random attention of the three architectures: decoders see nothing above the diagonal."""
    row, back = list(WORDS), list(WORDS[::-1])
    length = len(row)
    lists = {
        "encoder": {"tokens": [*row, "[SEP]", *["[MASK]"] * length]},
        "decoder": {"tokens": [*row, "[SEP]", *back[:-1]]},
        "encoder_decoder": {"tokens": ["[SEP]", *back[:-1]], "source": row},
    }
    common = {"held_out": 10, "accuracy": 1.0, "read": row, "written": back, "mirror": 0.9}
    small = {
        name: {"architecture": name, "parameters": 1000, **common, **own, "leak": 0.0, "future": 0}
        for name, own in lists.items()
    }
    small["encoder"] |= {"leak": 3.0, "future": 0.4}
    small["encoder_decoder"] |= {"encoder_leak": 0.5, "encoder_future": 0.1}

    def attention(queries: int, keys: int) -> np.ndarray:
        return rng.standard_normal((layers, heads, queries, keys))

    def without_later(maps: np.ndarray) -> np.ndarray:
        return np.where(np.tri(*maps.shape[-2:], dtype=bool), maps, -np.inf)

    full, written = 2 * length + 1, 2 * length
    scores = {
        "encoder/attention": attention(full, full),
        "decoder/attention": without_later(attention(written, written)),
        "encoder_decoder/encoder": attention(length, length),
        "encoder_decoder/decoder": without_later(attention(length, length)),
        "encoder_decoder/cross": attention(length, length),
    }
    return small, {name: softmax(one, axis=-1) for name, one in scores.items()}
