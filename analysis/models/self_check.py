"""Whether what is read out of a model is what the model itself computes.

Models are read by an attention function of this project and by hooks at places that their
configuration names. Neither is believed: every model is compared with its own forward pass when it
is loaded, whichever way it comes in, and once more on texts that are captured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import PreTrainedModel

from analysis.errors import InputError, first_line
from analysis.models.architecture import ACTIVATION_KEYS, modules, positions
from analysis.models.attention import AttentionCall, record_attention, using
from analysis.models.encode import Encoded, pad
from analysis.models.points import record_points

# Of the largest value of a layer. Float32 sums of a few hundred terms, in another order: a thousand
# times looser than one rounding.
TOLERANCE = 1e-4
# Tokens of the made-up texts that a model is tried on; of different lengths, to be padded.
PROBED = (9, 5)

_ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": functional.gelu,
    "gelu_new": partial(functional.gelu, approximate="tanh"),
    "relu": functional.relu,
}
_ADDED = (
    ("attention_norm", "input", "attention_output", "attention_block"),
    ("ffn_norm", "attention_block", "ffn_output", "layer_output"),
)


def require_own_values(model: PreTrainedModel, name: str) -> None:
    """Try a model on made-up texts, and refuse one that is not read as it computes.

    Parameters
    ----------
    model
        Of a known architecture, in float32 and evaluation mode, on any device. Left as it was.
    name
        What messages call it.

    Raises
    ------
    InputError
        If the model does not run, what is read differs from what it computes, or a value is not
        finite.
    """
    device = next(model.parameters()).device
    texts = _made_up(model.config.vocab_size, positions(model.config.to_dict()))
    try:
        found = deviations(model, texts, device=device)
    except Exception as error:  # each model breaks in its own way
        raise InputError(
            f"{name} cannot be read while it runs ({first_line(error)}); allowed: a model as "
            "from_pretrained loads it; load it again, or choose another."
        ) from None
    require_agreement(found, name)


def require_agreement(found: dict[str, float], name: str) -> None:
    """Refuse a model whose :func:`deviations` are more than rounding."""
    worst = np.max(list(found.values()))  # nan if one of them is
    if worst <= TOLERANCE:
        return
    if np.isfinite(worst):
        raise InputError(
            f"what is read out of {name} differs from the model's own values by {worst:.2g} of "
            f"their largest ({max(found, key=lambda what: found[what])}), more than "
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
        finite number. ``attention``: recorded weights, and softmax of the recorded Q Kᵀ · scaling,
        against the weights of the model's eager attention; ``output``: recorded context by the
        weights of the output projection against the recorded output of attention; ``layer``: what
        all other weights of a layer make of the recorded points before them, queries, keys and
        values, the feed-forward network and two normalised sums, against the recorded points;
        ``padding``: output of layers for a text in a padded batch against the same text alone;
        ``outcome``: what the model returns while it is recorded against what it returns by its own
        implementation of attention.
    """
    worst = dict.fromkeys(("attention", "output", "layer", "padding", "outcome"), 0.0)
    with torch.inference_mode():
        batch = _Reading(model, pad(encoded, model.config, device))
        for row, text in enumerate(encoded):
            alone = pad([text], model.config, device)
            single = _Reading(model, alone)
            with using(model, "eager"), _hooks_taken_back(model):
                eager = model(**alone, output_attentions=True).attentions
            tokens = len(text.input_ids)
            padded = [layer[row : row + 1, :tokens] for layer in batch.points["layer_output"]]
            compared = {
                "attention": [
                    pair
                    for call, own in zip(single.calls, eager, strict=True)
                    for pair in ((call.attention, own), (_weights(call), own))
                ],
                "output": _outputs(model, single),
                "layer": [
                    *_projections(model, single),
                    *_networks(model, single),
                    *_sums(model, single),
                ],
                "padding": list(zip(padded, single.points["layer_output"], strict=True)),
                "outcome": [(single.outcome, model(**alone)[0])],
            }
            for what, pairs in compared.items():
                for ours, theirs in pairs:
                    worst[what] = float(np.maximum(worst[what], _relative(ours, theirs)))
    return worst


@contextmanager
def _hooks_taken_back(model: PreTrainedModel) -> Iterator[None]:
    """Leave a model without the hooks that transformers sets where it is asked for attentions.

    It sets them once and for good, with a note beside them; with them, no model can be pickled.
    """
    before = [(part, {*vars(part)}, dict(part._forward_hooks)) for part in model.modules()]
    try:
        yield
    finally:
        for part, attributes, hooks in before:
            for note in vars(part).keys() - attributes:
                delattr(part, note)
            part._forward_hooks.clear()
            part._forward_hooks.update(hooks)


class _Reading:
    """What is read in one pass, layer by layer."""

    def __init__(self, model: PreTrainedModel, given: dict[str, Tensor]) -> None:
        with record_attention(model) as calls, record_points(model) as points:
            self.outcome: Tensor = model(**given)[0]
        self.calls: list[AttentionCall] = list(calls)
        self.points = points | {"input": [*points["embedding"], *points["layer_output"][:-1]]}


def _weights(call: AttentionCall) -> Tensor:
    scores = call.query @ call.key.transpose(-1, -2) * call.query.shape[-1] ** -0.5
    return torch.softmax(scores, dim=-1)


def _outputs(model: PreTrainedModel, reading: _Reading) -> list[tuple[Tensor, Tensor]]:
    layers = zip(
        modules(model, "attention_output"),
        reading.calls,
        reading.points["attention_output"],
        strict=True,
    )
    return [(_linear(call.context, projection), output) for projection, call, output in layers]


def _projections(model: PreTrainedModel, reading: _Reading) -> list[tuple[Tensor, Tensor]]:
    pairs = []
    for part in ("query", "key", "value"):
        layers = zip(modules(model, part), reading.points["input"], reading.calls, strict=True)
        for projection, inputs, call in layers:
            read = getattr(call, part).transpose(1, 2).flatten(2)  # [text, token, head * head_dim]
            pairs.append((read, _linear(inputs, projection)))
    return pairs


def _networks(model: PreTrainedModel, reading: _Reading) -> list[tuple[Tensor, Tensor]]:
    activation = _ACTIVATIONS[model.config.to_dict()[ACTIVATION_KEYS[model.config.model_type]]]
    layers = zip(
        *(modules(model, part) for part in ("ffn_input", "ffn_output")),
        *(reading.points[point] for point in ("attention_block", "ffn_output")),
        strict=True,
    )
    return [
        (written, _linear(activation(_linear(block, first)), second))
        for first, second, block, written in layers
    ]


def _sums(model: PreTrainedModel, reading: _Reading) -> list[tuple[Tensor, Tensor]]:
    pairs = []
    for norm, residual, added, after in _ADDED:
        points = (reading.points[point] for point in (residual, added, after))
        for module, kept, new, read in zip(modules(model, norm), *points, strict=True):
            total = kept + new
            weights = (module.weight, module.bias, module.eps)
            pairs.append((read, functional.layer_norm(total, total.shape[-1:], *weights)))
    return pairs


def _linear(inputs: Tensor, module: nn.Module) -> Tensor:
    """Apply the weights of a module, not the module, which may do more than they say."""
    return functional.linear(inputs, module.weight, module.bias)  # type: ignore[arg-type]


def _relative(ours: Tensor, theirs: Tensor) -> float:
    """Largest difference of two arrays by the largest value of the second."""
    difference = (ours - theirs).abs().max()
    # A part whose weights are all 0 gives 0, and is read as that.
    return float(difference / theirs.abs().max()) if difference != 0 else 0.0


def _made_up(vocabulary: int, most: int) -> list[Encoded]:
    """Two texts of tokens from all over a vocabulary, of at most so many."""
    texts = []
    for length in PROBED:
        count = min(length, most)
        ids = np.linspace(0, vocabulary - 1, count).round().astype(int).tolist()
        every = range(count)
        texts.append(
            Encoded(
                ids,
                types=[0 for _ in every],
                tokens=["" for _ in every],
                spans=[(0, 0) for _ in every],
                is_special=[False for _ in every],
                truncated=False,
            )
        )
    return texts
