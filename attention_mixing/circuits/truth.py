r"""What truly depends on what in a circuit: every token is replaced by every other one.

The inputs :math:`x_j` of a layer, or of the whole model, are exchanged one at a time for those that
the same place has in other texts :math:`t`, and the outputs :math:`y_i` are computed again. A token
:math:`i` depends on :math:`j` if any exchange changes its output, and to a share

.. math:: s_{ij} \propto \sum_c \mathrm{Var}_t\, y_{ic}(x_1, \dots, x_j^{(t)}, \dots, x_n)

of what all exchanges change together. The texts are the text itself and all that differ from it in
one symbol. The beginning is always the same: nothing depends on it but where a layer has written to
it before.

The variance that is left when all other inputs are fixed is that of total sensitivity indices
(Homma and Saltelli 1996, *Importance measures in global sensitivity analysis of nonlinear models*),
here of one text instead of the mean over texts.

That is the *total effect* of a token. It comes about in two ways, and a measure may be meant for
one of them: what stands at a token is brought to another (*provenance*), and what stands there
decides where others attend (*keys*). For provenance, :math:`y_i` is computed with the attention of
the text itself, and with the lengths by which its norms divide there, so that nothing but what is
brought can change it; for keys, with the inputs of the text, and the attention of what was
exchanged. What a norm does with a longer vector beside is in the total effect alone.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from transformers import PreTrainedModel

from attention_mixing.attributions.catalogue import Estimand
from attention_mixing.circuits.by_hand import GAIN
from attention_mixing.circuits.estimands import ESTIMANDS
from attention_mixing.circuits.parts import SYMBOLS
from attention_mixing.circuits.programs import (
    Circuit,
    State,
    States,
    WrittenCircuit,
    require_text,
)
from attention_mixing.errors import InputError, require
from attention_mixing.methods.dependence import dependence, effect_shares
from attention_mixing.models.attention import changed_attention, record_attention

__all__ = ["Truth", "Truths", "truths"]


# Of outputs, beside the length of the longest, or 1 where all are shorter: what is read may be
# nothing. Rounding in double precision is below 1e-12, and what a circuit does above 1e-2.
CHANGED = 1e-6


@dataclass(frozen=True)
class Truth:
    """What each token depends on.

    Attributes
    ----------
    depends
        ``[query, token]``, whether the output of a token changes with the input of another, in the
        way that is asked for; of a circuit with less than full gain, whether it is meant to.
    share
        ``[query, token]``, to which share; rows sum to 1, or are not numbers where nothing changes.
    """

    depends: NDArray[np.bool_]
    share: NDArray[np.float64]

    @property
    def mixing(self) -> NDArray[np.float64]:
        """Share of a token's output that is of other tokens, ``[query]``."""
        return dependence(self.share)


@dataclass(frozen=True)
class Truths:
    """What the tokens of one text depend on.

    Attributes
    ----------
    layers
        Through each layer alone: its output by what enters it.
    model
        Of the whole model: its logits by the symbols of the text.
    """

    layers: tuple[Truth, ...]
    model: Truth


def beside(text: Sequence[str]) -> list[list[str]]:
    """List a text, ``[symbol]``, and all texts that differ from it in one symbol, itself first."""
    texts = [list(text)]
    for place, present in enumerate(text):
        for symbol in SYMBOLS:
            if symbol != present:
                texts.append([*text[:place], symbol, *text[place + 1 :]])
    return texts


def depends_by_program(circuit: Circuit, text: Sequence[str]) -> list[NDArray[np.bool_]]:
    """Tell what depends on what by what a circuit is said to do.

    Of a text, ``[symbol]``, gives ``[query, token]`` through each layer, and last of the whole
    model.
    """
    first = entering = [circuit.start(other) for other in beside(text)]
    through = []
    for step in circuit.program:
        through.append(_changes(step, entering))
        entering = [step(states) for states in entering]
    return [*through, _changes(circuit.run, first)]


def _changes(
    run: Callable[[States], Sequence[Hashable | State]], inputs: Sequence[States]
) -> NDArray[np.bool_]:
    """Run with the input of each place exchanged; tell which outputs change, ``[query, token]``.

    ``run`` leads from the states of all tokens to what is known of each. Inputs are of several
    texts, those of the text itself first.
    """
    own = run(inputs[0])
    depends = np.zeros((len(own), len(own)), bool)
    for place in range(len(own)):
        for other in inputs:
            exchanged = [*inputs[0]]
            exchanged[place] = other[place]
            depends[:, place] |= [a != b for a, b in zip(run(exchanged), own, strict=True)]
    return depends


def truths(written: WrittenCircuit, text: Sequence[str], estimand: Estimand = "effect") -> Truths:
    """Tell what depends on what by running the model of a circuit with every token replaced.

    Parameters
    ----------
    written
        The circuit.
    text
        ``[symbol]``.
    estimand
        In which way: ``effect`` for all that changes, ``provenance`` for what is brought,
        ``keys`` for what attention does.

    Returns
    -------
    Truths
        Exact but for rounding in double precision. Of a circuit with less than full gain, in which
        every weight is above zero and all depends on all a little, ``depends`` is what the program
        says, and ``share`` what the model does.

    Raises
    ------
    InputError
        If it is no text of circuits, or there is no such estimand; and of a circuit with less than
        full gain, if no program tells what is asked.
    """
    require(estimand, "estimands", ESTIMANDS)
    if written.gain < GAIN and (estimand != "effect" or not written.circuit.program):
        raise InputError(
            f"the estimand is {estimand!r} of the circuit {written.circuit.name} with a gain of "
            f"{written.gain:g}; allowed: 'effect' of one with a program, or a gain of {GAIN:g}; "
            "choose one of them."
        )
    require_text(text, written.circuit.places)
    rows = [" ".join(other) for other in beside(text)]
    ids = written.tokenizer(rows, return_tensors="pt")["input_ids"]
    seen = exchanged(written.model, ids, estimand)
    if written.gain < GAIN:
        said = depends_by_program(written.circuit, text)
        seen = [replace(truth, depends=depends) for truth, depends in zip(seen, said, strict=True)]
    return Truths(tuple(seen[:-1]), seen[-1])


def exchanged(model: PreTrainedModel, ids: Tensor, estimand: Estimand) -> list[Truth]:
    """Exchange what the places of a text have for what they have in other texts, one at a time.

    Parameters
    ----------
    model
        Which labels tokens, of the families of :data:`CLASSES`.
    ids
        ``[text, token]``, of the text itself first.
    estimand
        As in :func:`truths`.

    Returns
    -------
    list of Truth
        Through each layer alone, and last of the whole model.
    """
    of_kind: Any = model
    base = of_kind.base_model
    layers = [*base.encoder.layer]

    def logits(hidden: Tensor) -> Tensor:
        for layer in layers:
            hidden = layer(hidden)
        return of_kind.classifier(base.LayerNorm(hidden) if hasattr(base, "LayerNorm") else hidden)

    with torch.inference_mode():
        embedded = entering = base.embeddings(ids)
        of_layers = []
        for layer in layers:
            of_layers.append(
                _exchanged(_by_estimand(estimand, model, layer, entering[:1]), entering)
            )
            entering = layer(entering)
        through = _by_estimand(estimand, model, logits, embedded[:1])
        return [*of_layers, _exchanged(through, embedded)]


Run = Callable[[Tensor], Tensor]
"""From ``[text, token, model_dim]`` to ``[text, token, output]``."""


def _by_estimand(estimand: Estimand, model: PreTrainedModel, run: Run, own: Tensor) -> Run:
    """Return what only an estimand changes in a run, which has the inputs of the text itself."""
    if estimand == "provenance":
        with record_attention(model) as of_own, _divisors(model) as divisors:
            run(own)

    def provenance(inputs: Tensor) -> Tensor:
        with _held(model, [call.weights for call in of_own]), _divisors(model, divisors):
            return run(inputs)

    def keys(inputs: Tensor) -> Tensor:
        with record_attention(model) as calls:
            run(inputs)
        with _held(model, [call.weights for call in calls]):
            return run(own.expand_as(inputs))

    ways: dict[Estimand, Run] = {"effect": run, "provenance": provenance, "keys": keys}
    return ways[estimand]


@contextmanager
def _held(model: PreTrainedModel, weights: Sequence[Tensor]) -> Iterator[None]:
    """Hold attention, in the order of its calls, ``[1 or text, head, query, key]`` each."""
    left = iter(weights)
    with changed_attention(
        model, lambda call: call.changed(weights=next(left).expand_as(call.attention))
    ):
        yield


@contextmanager
def _divisors(
    model: PreTrainedModel, held: Sequence[Tensor] | None = None
) -> Iterator[list[Tensor]]:
    """Note by what norms divide, in the order of their calls; or hold it at what was noted."""
    noted: list[Tensor] = []
    left = iter(held or ())

    def note(norm: nn.LayerNorm, args: tuple[Tensor], output: Tensor) -> Tensor:
        centred = args[0] - args[0].mean(dim=-1, keepdim=True)
        divisor = (centred.square().mean(dim=-1, keepdim=True) + norm.eps).sqrt()
        noted.append(divisor)
        if held is None:
            return output
        return centred / next(left) * norm.weight + norm.bias

    with ExitStack() as hooks:
        for module in model.modules():
            if isinstance(module, nn.LayerNorm):
                hooks.enter_context(module.register_forward_hook(note))
        yield noted


def _exchanged(run: Run, inputs: Tensor) -> Truth:
    """Run with the input of each place exchanged for those of other texts.

    Inputs of the text itself are first.
    """
    depends, variance = [], []
    for place in range(inputs.shape[1]):
        exchanged = inputs[:1].repeat(len(inputs), 1, 1)
        exchanged[:, place] = inputs[:, place]
        outputs = run(exchanged).numpy()
        change = np.linalg.norm(outputs - outputs[0], axis=-1).max(axis=0)
        depends.append(change > CHANGED * max(1, np.linalg.norm(outputs, axis=-1).max()))
        variance.append(np.where(depends[-1], outputs.var(axis=0).sum(axis=-1), 0.0))
    return Truth(np.stack(depends, axis=1), effect_shares(np.stack(variance, axis=1)))
