"""Attention of one text rebuilt step by step, and three small models, one of each architecture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file

from analysis.anatomy.chosen import encoded_text, require_shown
from analysis.parameters import Params, located
from analysis.paths import ANATOMY
from analysis.pipeline.packages import made_with
from analysis.pipeline.stage import replacing, run, write_json
from attention_mixing.methods.attention import (
    largest_weight_kinds,
    later_weight,
    mean_total_variation,
    mirrored_weight,
    row_sum_deviation,
)
from attention_mixing.methods.scaled_dot_product import (
    relative_length,
    scaling_effect,
)

if TYPE_CHECKING:
    from analysis.anatomy.small_models import SmallModel

Arrays = dict[str, NDArray[np.float32]]


def anatomy(params: Params) -> None:
    """Write ``results/anatomy``: ``anatomy.json`` and ``anatomy.safetensors``.

    The pretrained model of an experiment reads one text; each layer is rebuilt in float64 from what
    enters it and from its weights, and compared with the model at every step. Layers and heads are
    counted from 1. Beside it stand the small models of :mod:`analysis.anatomy.small_models`.

    Raises
    ------
    InputError
        If the text is empty to the model or too long, the model has no such layer or head, or a
        step differs from the model's by more than rounding.
    """
    rebuilt, arrays = _rebuild(params)
    small, maps = _small_models(params)
    with replacing(ANATOMY) as directory:
        directory.mkdir()
        contiguous = {n: np.ascontiguousarray(a) for n, a in (arrays | maps).items()}
        save_file(contiguous, directory / "anatomy.safetensors")
        write_json(directory / "anatomy.json", rebuilt | {"small": small})
        write_json(directory / "packages.json", made_with(Path(__file__)))


def _rebuild(params: Params) -> tuple[dict[str, Any], Arrays]:
    from attention_mixing.capture.reconstruction import STEPS, rebuilt_attention
    from attention_mixing.models.device import repeatable, resolve
    from attention_mixing.models.load import load_encoder
    from attention_mixing.models.source import locate
    from attention_mixing.models.tokenizer import load_tokenizer

    settings = params.anatomy
    device = resolve(params.device)
    repeatable()
    name = params.report.focus.experiment
    experiment = located(params, name)
    require_shown(settings, experiment.model)
    files = locate(experiment.model)
    tokenizer = load_tokenizer(files.path)
    model = load_encoder(files.path).to(device)  # type: ignore[arg-type]
    encoded = encoded_text(settings, tokenizer, model)
    ours, theirs, visible, compared = rebuilt_attention(model, encoded, files.name)
    layers, heads, _, head_dimension = theirs["query"].shape
    maps = ours["attention"][settings.layer - 1]
    summary = {
        "model": files.name,
        "text": settings.text,
        "tokens": encoded.tokens,
        "layer": settings.layer,
        "head": settings.head,
        "heads": heads,
        "layers": layers,
        "dimension": theirs["input"].shape[-1],
        "head_dimension": head_dimension,
        "steps": compared,
        "deviation": max(step["deviation"] / step["largest"] for step in compared),
        "row_sum_deviation": row_sum_deviation(theirs["attention"]),
        "scaling": scaling_effect(ours["scores"], head_dimension),
        # Of attention's output, in lengths of what it is added to.
        "added": relative_length(ours["output"], theirs["input"]),
        # Of the layer that is shown: the kinds of the strongest keys, and how much heads differ.
        "strongest": largest_weight_kinds(maps, np.array(encoded.is_special)),
        "heads_apart": mean_total_variation(maps),
    }
    # The block is compared only: nothing draws it.
    shown: dict[str, NDArray] = {name: theirs[name] for name in ("input", *STEPS["projections"])}
    shown |= {name: ours[name] for name in ours if name != "block"}
    shown["scores"] = np.where(visible[:, None], ours["scores"], np.nan)
    return summary, {name: array.astype(np.float32) for name, array in shown.items()}


def _small_models(params: Params) -> tuple[dict[str, Any], Arrays]:
    """Train the three models, and read them while they write rows that they have not seen."""
    from analysis.anatomy.small_models import KINDS, train_small

    summaries: dict[str, Any] = {}
    maps: Arrays = {}
    for kind in KINDS:
        small = train_small(kind, **params.anatomy.small.model_dump())
        attention = small.attention(small.held_out)
        maps |= {f"{kind}/{name}": of_rows[0] for name, of_rows in attention.items()}
        summaries[kind] = _summary(small, attention)
    return summaries, maps


def _summary(small: SmallModel, attention: Arrays) -> dict[str, Any]:
    from analysis.anatomy.small_models import words

    row = small.held_out[0]
    self_attention = attention["decoder" if "decoder" in attention else "attention"]
    summary: dict[str, Any] = {
        "parameters": small.model.num_parameters(),
        "held_out": len(small.held_out),
        "accuracy": small.accuracy(),
        **small.tokens(row),
        "read": words(row),
        **small.leak(),
        "future": later_weight(self_attention),
    }
    if "encoder" in attention:
        summary["encoder_future"] = later_weight(attention["encoder"])
    # Keys of the row come first, in cross-attention there are no others; the last queries write.
    length = len(row)
    reading = attention.get("cross", self_attention)[..., -length:, :length]
    return summary | {"mirror": mirrored_weight(reading)}


if __name__ == "__main__":
    run(anatomy)
