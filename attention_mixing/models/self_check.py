"""Whether what is read out of a model is what the model itself computes.

Models are read by an attention function of this project and by hooks at places that their structure
names. Neither is believed: every model is compared with its own forward pass when it is loaded,
whichever way it comes in, and once more on every batch of texts that is captured. Nor is it that a
text comes out of a batch as it does alone: where batches are padded, that is tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from attention_mixing.errors import InputError, first_line
from attention_mixing.models.attention import Around, AttentionCall, unchanged
from attention_mixing.models.batch import pad, pad_rows
from attention_mixing.models.components import apply_linear, linear
from attention_mixing.models.dummy_inputs import dummy_inputs, dummy_texts, read_anew, structure_of
from attention_mixing.models.encode import Encoded
from attention_mixing.models.passes import Pass, made_by, read_passes, streams
from attention_mixing.models.structure import Layer, Structure

# What to do where texts come out of a padded batch otherwise than alone.
ONE_BY_ONE = "read texts one by one (batch_size: 1), or lower length.max_tokens until none is"
# Of the largest value of a layer. Float32 sums of a few hundred terms, in another order: a thousand
# times looser than one rounding.
TOLERANCE = 1e-4
# Of the largest value of a stream: with the tolerance, some roundings of what is added to it, and
# of what a head tells by it.
ADDED = 1e-2


def require_own_values(model: PreTrainedModel, name: str) -> None:
    """Try a model on made-up texts, and refuse one that is not read as it computes.

    It is refused if it does not run or is put together in a way that is not read, what is read
    differs from what it computes, or a value is not finite. The model, which messages call
    ``name``, is to be in float32 and evaluation mode, on any device, and is left as it was.
    """
    try:
        read_anew(model, name)
        differences = deviations(model, dummy_texts(model), device=next(model.parameters()).device)
    except InputError:
        raise
    except Exception as error:  # each model breaks in its own way
        remedy = "allowed: a model that runs by itself; mend what that names, or choose another"
        if getattr(model.config, "pad_token_id", None) is None and _reads_alone(model):
            remedy = (
                "it reads a text alone and not two together, and has no padding token; state "
                "pad_token_id in its config.json"
            )
        raise InputError(
            f"{name} cannot be read while it runs ({first_line(error)}); {remedy}."
        ) from None
    require_agreement(differences, name)


def _reads_alone(model: PreTrainedModel) -> bool:
    try:
        with torch.inference_mode():
            model(**dummy_inputs(model)[0])
    except Exception:  # as above
        return False
    return True


def require_agreement(
    differences: dict[str, float], name: str, padded: str = "choose another model"
) -> None:
    """Refuse a model whose :func:`deviations` are more than rounding.

    That is, if one of them is larger than :data:`TOLERANCE`, or no finite number. Messages call the
    model ``name``, and say ``padded`` to do where texts come out otherwise for being padded.
    """
    worst = np.max(list(differences.values()))  # nan if one of them is
    if worst <= TOLERANCE:
        return
    if not np.isfinite(worst):
        raise InputError(
            f"{name} computes values that are not finite, even in float32; choose another model "
            "and report this one."
        )
    what = max(differences, key=lambda part: differences[part])
    if what == "padding":
        raise InputError(
            f"{name} computes other values for a text that is padded to a longer one than for the "
            f"text alone, by {worst:.2g} of their largest: what it computes depends on how far "
            f"texts are padded; {padded}."
        )
    if what == "network":
        raise InputError(
            f"{name} makes something else of a token among others than of that token alone, by "
            f"{worst:.2g} of the largest value: its feed-forward networks mix tokens beside "
            "attention, as experts do that take only so many of them; shorten the text, or choose "
            "another model."
        )
    raise InputError(
        f"what is read out of {name} differs from the model's own values by {worst:.2g} of "
        f"their largest ({what}), more than {TOLERANCE:g}: its architecture is not read "
        "correctly; choose another model and report this one."
    )


def require_unpadded(model: PreTrainedModel, rows: Sequence[Mapping[str, Any]]) -> None:
    """Refuse a batch whose shortest text, padded to its longest, comes out otherwise than alone.

    The model is to be in float32 and evaluation mode, on any device; ``rows`` are what it is given
    of each text (:func:`attention_mixing.models.batch.inputs`), and maybe what it is to tell.
    """
    shortest, longest = (choose(rows, key=_length) for choose in (min, max))
    if _length(shortest) == _length(longest):
        return
    device = next(model.parameters()).device
    with torch.inference_mode(), torch.autocast(device.type, enabled=False):
        alone, together = (
            _result(model(**pad_rows(batch, model.config, device)))
            for batch in ([shortest], [shortest, longest])
        )
    # A text that is left undecided has logits in which large parts cancel: held against both texts.
    both = together.flatten()[None]
    difference = _relative(Compared(_cut(together[:1], alone), alone, added_to=both))
    require_agreement({"padding": difference}, f"the model {type(model).__name__}", ONE_BY_ONE)


def _length(row: Mapping[str, Any]) -> int:
    """Count the tokens of a text, and of its target."""
    names = ("input_ids", "decoder_input_ids", "labels")
    return sum(len(row[name]) for name in names if name in row)


def deviations(
    model: PreTrainedModel,
    encoded: Sequence[Encoded],
    *,
    device: torch.device,
    around: Around = unchanged,
) -> dict[str, float]:
    """Compare what is read out of a model with what it computes itself, in float32.

    Parameters
    ----------
    model
        In evaluation mode. Left as it was.
    encoded
        Texts of one batch, of different lengths so that padding is tried too.
    device
        Where to compute.
    around
        Opens an intervention around the passes over a batch, both while it is recorded and while it
        is not. The softmax is compared with what the model made of it before.

    Returns
    -------
    dict
        Largest differences, as a share of the largest value of the layer; nan if a value is no
        finite number. ``attention``: recorded weights against the softmax of the recorded queries
        and keys, with the mask and what else the function was given; ``output``: values by recorded
        weights through the output projection against what that made; ``layer``: what the steps of a
        layer add to what enters it against what leaves it, and that against what enters the next;
        ``network``: of some tokens alone against what the feed-forward network makes of them among
        others; ``outcome``: what leaves layers, and what the model returns, while it is recorded
        against that by its own implementation of attention; ``padding``: the same by this of a text
        in the batch against the text alone.
    """
    worst = dict.fromkeys(("attention", "output", "layer", "network", "padding", "outcome"), 0.0)
    with torch.inference_mode():
        for part, pair in _pairs(model, encoded, device, around):
            worst[part] = float(np.maximum(worst[part], _relative(pair)))
    return worst


class Compared(NamedTuple):
    """Two arrays that are to be the same.

    Attributes
    ----------
    ours, theirs
        ``[text, ...]``.
    real
        Which tokens are of a text and are compared, ``[text, token]``; None for all.
    added_to
        What their size is judged by beside their own, ``[text, ...]``: the stream that they are
        added to or told by, or what is told of other texts; None for nothing else.
    """

    ours: Tensor
    theirs: Tensor
    real: Tensor | None = None
    added_to: Tensor | None = None


def _pairs(
    model: PreTrainedModel, encoded: Sequence[Encoded], device: torch.device, around: Around
) -> Iterator[tuple[str, Compared]]:
    """Pair what is read of a batch with what the model computes, for :func:`deviations`."""
    batch = pad(encoded, model.config, device)
    structure = structure_of(model)  # of its own, whatever is around a batch
    with around(batch), read_passes(model) as read:
        recorded = _result(model(**batch))
        real = {
            stream: _real([text.lengths(stream)["token"] for text in encoded], device)
            for stream in structure.streams
        }
        for part, pairs in (("attention", _weighted), ("output", _outputs), ("layer", _layers)):
            for stream, pair in pairs(model, read):
                yield part, pair._replace(real=real[stream])
        layers = list(zip(structure.layers, read.layers(), strict=True))
    for layer, of_layer in layers:
        for pair in _networks(model, layer, of_layer.left):
            yield "network", pair._replace(real=real[layer.stream][:, ::2])
    result, left = _own(model, structure, batch, around)
    # What leaves the layer of a decoder comes of its look at the source.
    whole = [
        (layer.stream, of_layer.left) for layer, of_layer in layers if layer.stream != "decoder"
    ]
    for (stream, ours), theirs in zip(whole, left, strict=True):
        yield "outcome", Compared(ours, theirs, real[stream])
    for row, text in enumerate(encoded):
        alone, left_alone = result, left
        if len(encoded) > 1:
            alone, left_alone = _own(model, structure, pad([text], model.config, device), around)
        in_batch = _cut(result[row : row + 1], alone)
        # A text that a classifier leaves undecided has logits in which large parts cancel.
        last = left_alone[-1]
        yield "outcome", Compared(_cut(recorded[row : row + 1], alone), in_batch, added_to=last)
        yield "padding", Compared(in_batch, alone, added_to=last)
        for ours, theirs in zip(left, left_alone, strict=True):
            yield "padding", Compared(_cut(ours[row : row + 1], theirs), theirs)


def _own(
    model: PreTrainedModel, structure: Structure, batch: dict[str, Tensor], around: Around
) -> tuple[Tensor, list[Tensor]]:
    """Run a model by its own implementation of attention: what it tells, and what leaves layers."""
    left: list[Tensor] = []

    def note(module: nn.Module, args: Any, output: Any) -> None:
        left.append(output if isinstance(output, Tensor) else output[0])

    with around(batch), ExitStack() as hooks:
        for path in {layer.path for layer in structure.layers}:
            hooks.enter_context(model.get_submodule(path).register_forward_hook(note))
        return _result(model(**batch)), left


def _result(output: Any) -> Tensor:
    """Take what a model tells, which a loss may stand before."""
    result: Tensor = output["logits"] if "logits" in output else output[0]
    return result


def _real(lengths: Sequence[int], device: torch.device) -> Tensor:
    """Tell which tokens of a padded batch are of a text, ``[text, token]``."""
    places = torch.arange(max(lengths), device=device)
    return places < torch.tensor(lengths, device=device)[:, None]


def _cut(padded: Tensor, like: Tensor) -> Tensor:
    """Cut a result for a padded text to that for the text alone."""
    return padded[tuple(map(slice, like.shape))]


Streams = Iterator[tuple[str, Compared]]
"""The stream that a pair is of, and the pair."""


def _weighted(model: PreTrainedModel, read: Pass) -> Streams:
    """Pair recorded weights with the softmax of what was recorded."""
    for stream in read.structure.streams:
        for call in read.calls(stream):
            own = call.unchanged or call  # an intervention changes what the softmax gave
            yield stream, Compared(own.weights.transpose(1, 2), _weights(own).transpose(1, 2))


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


def _outputs(model: PreTrainedModel, read: Pass) -> Streams:
    """Pair values by weights, through the output projection, with what that made."""
    for layer, of_layer in zip(read.structure.layers, read.layers(), strict=True):
        for step, step_pass in zip(layer.steps, of_layer.steps, strict=True):
            if step_pass.call is None:
                continue
            call = step_pass.call
            context = (call.weights @ call.of_heads("value")).transpose(1, 2)
            yield layer.stream, Compared(context, call.context)
            if not step.context and not step.gated:
                yield (
                    layer.stream,
                    Compared(context.reshape(step_pass.given.shape), step_pass.given),
                )
            projection = linear(model.get_submodule(step.modules[-1]), step_pass.given.shape[-1])
            made = apply_linear(projection, step_pass.given)
            yield layer.stream, Compared(made, step_pass.made, added_to=of_layer.entered)


def _layers(model: PreTrainedModel, read: Pass) -> Streams:
    """Pair what the steps of a layer add up to with what leaves it, and that with the next."""
    before: tuple[Layer, Tensor] | None = None
    for layer, layer_pass in zip(read.structure.layers, read.layers(), strict=True):
        *_, (_, stream) = streams(model, layer, layer_pass)
        yield layer.stream, Compared(stream, layer_pass.left)
        # A decoder begins with words of its own.
        if before is not None and (before[0].stream == "encoder") == (layer.stream == "encoder"):
            yield layer.stream, Compared(before[1], layer_pass.entered)
        before = layer, layer_pass.left


def _networks(model: PreTrainedModel, layer: Layer, stream: Tensor) -> Iterator[Compared]:
    """Pair what networks make of every other token alone with that among the others."""
    others = stream[:, ::2].contiguous()
    for step in layer.steps:
        if step.attention is None:
            alone, together = (made_by(model, step, rows) for rows in (others, stream))
            yield Compared(alone, together[:, ::2], added_to=others)


def _relative(pair: Compared) -> float:
    """Largest difference of two arrays by the largest value of the second's text.

    What is added to a stream, or told by it, by no less than :data:`ADDED` of the largest value of
    that: where large parts cancel, what is left of them is rounding.
    """
    ours, theirs, stream = (_without_padding(array, pair.real) for array in pair[:2] + pair[3:])
    assert ours is not None and theirs is not None
    difference, largest = _largest(ours - theirs), _largest(theirs)
    if stream is not None:
        largest = torch.maximum(largest, ADDED * _largest(stream))
    # A part whose weights are all 0 gives 0, and is read as that.
    return float((difference / torch.where(difference == 0, 1, largest)).max())


def _without_padding(array: Tensor | None, real: Tensor | None) -> Tensor | None:
    if array is None or real is None:
        return array
    return array.masked_fill(~real.reshape(*real.shape, *[1] * (array.ndim - 2)), 0)


def _largest(array: Tensor) -> Tensor:
    """Largest value of each text, ``[text]``."""
    return array.abs().flatten(1).amax(dim=1)
