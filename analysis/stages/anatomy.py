"""Attention of one text rebuilt step by step, and three small models, one of each architecture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file

from analysis.packages import made_with
from analysis.paths import ANATOMY
from analysis.stage import replacing, run, write_json
from attention_mixing.errors import InputError
from attention_mixing.methods.attention_maps import (
    largest_weight_kinds,
    later_weight,
    mean_total_variation,
    mirrored_weight,
    row_sum_deviation,
)
from attention_mixing.methods.norm import apply_norm
from attention_mixing.methods.scaled_dot_product import (
    attention_layer,
    heads_of,
    relative_length,
    scaling_effect,
)
from attention_mixing.methods.weights import Linear
from attention_mixing.models.config import layers_and_heads
from attention_mixing.models.source import configuration, name_of
from attention_mixing.params import Params, located
from attention_mixing.params.sections import AnatomySettings, Model

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from analysis.small_models import SmallModel
    from attention_mixing.models.encode import Encoded
    from attention_mixing.models.weights import LayerWeights

Floats = NDArray[np.float64]
Arrays = dict[str, NDArray[np.float32]]

# Of the largest value of a step. Rounding in single precision stays far below it; attention of
# another kind (no scale, positions in the scores) is far above.
TOLERANCE = 1e-4

# Step -> the arrays of it that are compared with the model's.
STEPS = {
    "projections": ("query", "key", "value"),
    "scores": ("scores",),
    "weights": ("attention",),
    "context": ("context",),
    "output": ("output",),
    "block": ("block",),
}


def anatomy(params: Params) -> None:
    """Write ``results/anatomy``: ``anatomy.json`` and ``anatomy.safetensors``.

    The pretrained model of an experiment reads one text; each layer is rebuilt in float64 from what
    enters it and from its weights, and compared with the model at every step. Layers and heads are
    counted from 1. Beside it stand the small models of :mod:`analysis.small_models`.

    Raises
    ------
    InputError
        If the text is empty to the model or too long, the model has no such layer or head, or a
        step differs from the model's by more than ``TOLERANCE``.
    """
    rebuilt, arrays = _rebuild(params)
    small, maps = _small_models(params)
    with replacing(ANATOMY) as directory:
        directory.mkdir()
        contiguous = {n: np.ascontiguousarray(a) for n, a in (arrays | maps).items()}
        save_file(contiguous, directory / "anatomy.safetensors")
        write_json(directory / "anatomy.json", rebuilt | {"small": small})
        write_json(directory / "packages.json", made_with(Path(__file__)))


def require_shown(settings: AnatomySettings, model: Model) -> None:
    """Refuse a layer or head that a model does not have.

    Raises
    ------
    InputError
        With the layers or heads that it has.
    """
    counts = layers_and_heads(configuration(model))
    for key, index, count in zip(
        ("layer", "head"), (settings.layer, settings.head), counts, strict=True
    ):
        if index > count:
            raise InputError(
                f"anatomy.{key} is {index} but {name_of(model)} has {key}s 1 to {count}; choose "
                "one of them."
            )


def encoded_text(
    settings: AnatomySettings, tokenizer: PreTrainedTokenizerBase, model: PreTrainedModel
) -> Encoded:
    """Tokenise the text that is rebuilt.

    Raises
    ------
    InputError
        If the model cannot read it.
    """
    from attention_mixing.models.encode import encode_one
    from attention_mixing.models.probing import most_tokens

    try:
        return encode_one(settings.text, None, tokenizer, most_tokens(model))
    except InputError as error:
        raise InputError(f"anatomy.text: {error}") from error


def _rebuild(params: Params) -> tuple[dict[str, Any], Arrays]:
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


def rebuilt_attention(
    model: PreTrainedModel, encoded: Encoded, name: str
) -> tuple[dict[str, Floats], Arrays, NDArray[np.bool_], list[dict[str, Any]]]:
    """Rebuild the attention of every layer on a text, and compare each step with the model's.

    Parameters
    ----------
    model
        The bare model, in evaluation mode. Left as it was.
    encoded
        The text.
    name
        What messages call the model.

    Returns
    -------
    ours, theirs
        Step -> array of all layers.
    visible
        Which keys each query may see, ``[layer, query, key]``.
    compared
        How far each step is off.

    Raises
    ------
    InputError
        If a step differs by more than ``TOLERANCE``.
    """
    from attention_mixing.capture.steps import record_steps
    from attention_mixing.models.batch import pad
    from attention_mixing.models.layers import into_heads, weights_of

    recorded = record_steps(model, pad([encoded], model.config, model.device))
    theirs, visible = recorded.arrays, recorded.visible
    of_layers = zip(weights_of(model, name).layers, into_heads(model, name), strict=True)
    steps = [
        _layer({step: array[layer] for step, array in theirs.items()}, visible[layer], *weights)
        for layer, weights in enumerate(of_layers)
    ]
    common = [step for step in steps[0] if all(step in layer for layer in steps)]
    ours = {step: np.stack([layer[step] for layer in steps]) for step in common}
    return ours, theirs, visible, _compared(ours, theirs, visible, name)


def _layer(
    theirs: Arrays, visible: NDArray[np.bool_], weights: LayerWeights, into: list[Linear | None]
) -> dict[str, Floats]:
    """Rebuild the attention of one layer from what enters it.

    Queries, keys and values that are no linear map of what attention reads, such as those that are
    turned by their positions, are taken as the model has them, and not returned.
    """
    read = apply_norm(theirs["input"].astype(np.float64), weights.attention.before)
    heads = len(theirs["query"])
    rebuilt = {}
    for name, linear in zip(STEPS["projections"], into, strict=True):
        if linear is not None:
            groups = linear.weight.shape[1] // theirs[name].shape[-1]
            rebuilt[name] = heads_of(read, *linear, groups).repeat(heads // groups, axis=0)
    inner = {name: rebuilt.get(name, theirs[name]) for name in STEPS["projections"]}
    return rebuilt | attention_layer(
        theirs["input"],
        **inner,
        output=weights.projection,
        residual=weights.attention,
        visible=visible,
    )


def _compared(
    ours: dict[str, Floats], theirs: Arrays, visible: NDArray[np.bool_], model: str
) -> list[dict[str, Any]]:
    """Largest deviation of every step from the model, over all layers and heads."""
    if ours["scores"].shape != theirs["scores"].shape:
        raise InputError(
            f"the attention of {model} is not plain scaled dot-product attention: a part of it "
            "goes to no token; choose another model for report.focus.experiment."
        )
    pairs: dict[str, tuple[NDArray, NDArray]] = {name: (ours[name], theirs[name]) for name in ours}
    # What hides a key is the lowest number there is, or less.
    mask = visible[:, None]
    pairs["scores"] = np.where(mask, ours["scores"], 0), np.where(mask, theirs["scores"], 0)
    compared = []
    for step, arrays in STEPS.items():
        names = [name for name in arrays if name in ours]
        if not names:
            continue
        deviation = max(float(np.abs(np.subtract(*pairs[name])).max()) for name in names)
        largest = max(float(np.abs(pairs[name][1]).max()) for name in names)
        if not deviation <= TOLERANCE * largest:  # true for nan as well
            raise InputError(
                f"{step} rebuilt from the weights of {model} differ from the model's own by "
                f"{deviation:.2g}, more than {TOLERANCE:g} of their largest value: its attention "
                "is not plain scaled dot-product attention; choose another model for "
                "report.focus.experiment."
            )
        compared.append(
            {
                "step": step,
                "shape": list(ours[names[0]].shape[1:]),
                "deviation": deviation,
                "largest": largest,
            }
        )
    return compared


def _small_models(params: Params) -> tuple[dict[str, Any], Arrays]:
    """Train the three models, and read them while they write rows that they have not seen."""
    from analysis.small_models import KINDS, train_small

    summaries: dict[str, Any] = {}
    maps: Arrays = {}
    for kind in KINDS:
        small = train_small(kind, **params.anatomy.small.model_dump())
        attention = small.attention(small.held_out)
        maps |= {f"{kind}/{name}": of_rows[0] for name, of_rows in attention.items()}
        summaries[kind] = _summary(small, attention)
    return summaries, maps


def _summary(small: SmallModel, attention: Arrays) -> dict[str, Any]:
    from analysis.small_models import words

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
