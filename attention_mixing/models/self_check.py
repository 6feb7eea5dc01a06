"""Whether what is read out of a model is what the model itself computes.

Models are read by an attention function of this project and by hooks at places that their structure
names. Neither is believed: every model is compared with its own forward pass when it is loaded,
whichever way it comes in, and once more on texts that are captured.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor
from transformers import PreTrainedModel

from attention_mixing.errors import InputError, first_line
from attention_mixing.models.attention import AttentionCall
from attention_mixing.models.batch import pad
from attention_mixing.models.components import apply_linear, linear
from attention_mixing.models.dummy_inputs import dummy_texts, read_anew
from attention_mixing.models.encode import Encoded
from attention_mixing.models.passes import Pass, made_by, read_passes, streams
from attention_mixing.models.structure import Layer, Structure

# Of the largest value of a layer. Float32 sums of a few hundred terms, in another order: a thousand
# times looser than one rounding.
TOLERANCE = 1e-4


def require_own_values(model: PreTrainedModel, name: str) -> None:
    """Try a model on made-up texts, and refuse one that is not read as it computes.

    It is refused if it does not run or is put together in a way that is not read, what is read
    differs from what it computes, or a value is not finite. The model, which messages call
    ``name``, is to be in float32 and evaluation mode, on any device, and is left as it was.
    """
    device = next(model.parameters()).device
    try:
        read_anew(model, name)
        differences = deviations(model, dummy_texts(model), device=device)
    except InputError:
        raise
    except Exception as error:  # each model breaks in its own way
        raise InputError(
            f"{name} cannot be read while it runs ({first_line(error)}); allowed: a model as "
            "from_pretrained loads it; load it again, or choose another."
        ) from None
    require_agreement(differences, name)


def require_agreement(differences: dict[str, float], name: str) -> None:
    """Refuse a model whose :func:`deviations` are more than rounding.

    That is, if one of them is larger than :data:`TOLERANCE`, or no finite number. Messages call the
    model ``name``.
    """
    worst = np.max(list(differences.values()))  # nan if one of them is
    if worst <= TOLERANCE:
        return
    if np.isfinite(worst):
        raise InputError(
            f"what is read out of {name} differs from the model's own values by {worst:.2g} of "
            f"their largest ({max(differences, key=lambda what: differences[what])}), more than "
            f"{TOLERANCE:g}: its architecture is not read correctly; choose another model and "
            "report this one."
        )
    raise InputError(
        f"{name} computes values that are not finite, even in float32; choose another model and "
        "report this one."
    )


def deviations(
    model: PreTrainedModel, encoded: Sequence[Encoded], *, device: torch.device
) -> dict[str, float]:
    """Compare what is read out of a model with what it computes itself, in float32.

    Parameters
    ----------
    model
        In evaluation mode. Left as it was.
    encoded
        Texts, of different lengths so that padding is tried too.
    device
        Where to compute.

    Returns
    -------
    dict
        Largest differences, as a share of the largest value of the layer; nan if a value is no
        finite number. ``attention``: recorded weights against the softmax of the recorded queries
        and keys, with the mask and what else the function was given; ``output``: values by recorded
        weights through the output projection against what that made; ``layer``: what the steps of a
        layer add to what enters it against what leaves it, and that against what enters the next;
        ``network``: of some tokens alone against what the feed-forward network makes of them among
        others; ``padding``: output of layers for a text in a padded batch against the same text
        alone; ``outcome``: what the model returns while it is recorded against what it returns by
        its own implementation of attention.
    """
    worst = dict.fromkeys(("attention", "output", "layer", "network", "padding", "outcome"), 0.0)
    with torch.inference_mode():
        together = _layer_outputs(model, pad(encoded, model.config, device))
        for row, text in enumerate(encoded):
            alone = pad([text], model.config, device)
            with read_passes(model) as read:
                outcome = model(**alone)[0]
                layer_outputs = [layer.left for layer in read.layers()]
                compared: dict[str, list[tuple[Tensor, Tensor]]] = {
                    "attention": [(call.weights, _weights(call)) for call in read.attention],
                    "output": list(_outputs(model, read)),
                    "layer": list(_layers(model, read)),
                    "padding": [
                        (batch[row : row + 1, : output.shape[1]], output)
                        for batch, output in zip(together, layer_outputs, strict=True)
                    ],
                }
                structure = read.structure
            compared["network"] = list(_networks(model, structure, layer_outputs))
            compared["outcome"] = [(outcome, model(**alone)[0])]
            for what, pairs in compared.items():
                for ours, theirs in pairs:
                    worst[what] = float(np.maximum(worst[what], _relative(ours, theirs)))
    return worst


def _layer_outputs(model: PreTrainedModel, batch: dict[str, Tensor]) -> list[Tensor]:
    """Output of every layer."""
    with read_passes(model) as read:
        model(**batch)
        return [layer.left for layer in read.layers()]


def _weights(call: AttentionCall) -> Tensor:
    """Softmax of the recorded queries and keys, written out."""
    options = call.options
    scaling = options.get("scaling")
    scores = call.query @ call.of_heads("key").transpose(-1, -2)
    scores = scores * (call.query.shape[-1] ** -0.5 if scaling is None else scaling)
    if (cap := options.get("softcap")) is not None:
        scores = cap * torch.tanh(scores / cap)
    if (bias := options.get("position_bias")) is not None:
        scores = scores + bias
    if call.mask is not None:
        scores = scores + call.mask[..., : scores.shape[-1]]
    sinks = options.get("s_aux")
    if sinks is None:
        return torch.softmax(scores, dim=-1)
    column = sinks.reshape(1, -1, 1, 1).expand(*scores.shape[:-1], 1)
    return torch.softmax(torch.cat([scores, column], dim=-1), dim=-1)[..., :-1]


def _outputs(model: PreTrainedModel, read: Pass) -> Iterator[tuple[Tensor, Tensor]]:
    """Pair values by weights, through the output projection, with what that made."""
    for layer, of_layer in zip(read.structure.layers, read.layers(), strict=True):
        for step, step_pass in zip(layer.steps, of_layer.steps, strict=True):
            if step_pass.call is None:
                continue
            call = step_pass.call
            context = (call.weights @ call.of_heads("value")).transpose(1, 2)
            yield context, call.context
            if not step.context and not step.gated:
                yield context.reshape(step_pass.given.shape), step_pass.given
            projection = linear(model.get_submodule(step.modules[-1]), step_pass.given.shape[-1])
            yield apply_linear(projection, step_pass.given), step_pass.made


def _layers(model: PreTrainedModel, read: Pass) -> Iterator[tuple[Tensor, Tensor]]:
    """Pair what the steps of a layer add up to with what leaves it, and that with the next."""
    before: tuple[Layer, Tensor] | None = None
    for layer, layer_pass in zip(read.structure.layers, read.layers(), strict=True):
        *_, (_, stream) = streams(model, layer, layer_pass)
        yield stream, layer_pass.left
        if before is not None and before[1].shape == layer_pass.entered.shape:
            # A decoder begins with words of its own.
            if (before[0].stream == "encoder") == (layer.stream == "encoder"):
                yield before[1], layer_pass.entered
        before = layer, layer_pass.left


def _networks(
    model: PreTrainedModel, structure: Structure, streams: list[Tensor]
) -> Iterator[tuple[Tensor, Tensor]]:
    """Pair what networks make of every other token alone with that among the others."""
    for layer, stream in zip(structure.layers, streams, strict=True):
        for step in layer.steps:
            if step.attention is None:
                yield made_by(model, step, stream[:, ::2]), made_by(model, step, stream)[:, ::2]


def _relative(ours: Tensor, theirs: Tensor) -> float:
    """Largest difference of two arrays by the largest value of the second."""
    difference = (ours - theirs).abs().max()
    # A part whose weights are all 0 gives 0, and is read as that.
    return float(difference / theirs.abs().max()) if difference != 0 else 0.0
