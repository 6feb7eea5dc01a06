r"""Write the weights of a Transformer by hand, in a basis of the residual stream drawn at random.

The stream of a token is thought of as a few slots, such as ``token`` (which symbol it is, one of
several directions) and ``position``. A head reads a slot of the query and one of the key to find
where it attends, and moves what stands in a slot of the key into a slot of the query. Slots are
orthogonal subspaces, drawn anew for every seed: no coordinate of the stream means anything, as in a
model that was trained. All are orthogonal to the vector of ones, so that a layer norm without gain
takes no mean away and only divides by the length:

.. math:: \mathrm{LN}(x) = \sqrt{d}\, x / \lVert x \rVert

Embeddings have the length :math:`\sqrt{d}`, which layer norms leave as it is.

Norms may have gains and biases instead, as those of trained models: one gain for each slot, whose
directions then lie in coordinates of their own, and a bias in coordinates that no slot has. Such a
norm stretches slots and divides by another length, but takes nothing of one slot into another. What
reads a slot divides by what it was stretched by, and what adds to one multiplies, so that the model
does what it does without gains.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import (
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaForTokenClassification,
    RobertaPreLayerNormConfig,
    RobertaPreLayerNormForTokenClassification,
)

Norm = Literal["post", "pre"]
"""Whether layers normalise the stream behind what they add (as BERT), or what they read of it."""

NORMS: tuple[Norm, ...] = get_args(Norm)
CLASSES: dict[Norm, tuple[Callable[..., PreTrainedConfig], type[PreTrainedModel]]] = {
    "post": (RobertaConfig, RobertaForTokenClassification),
    "pre": (RobertaPreLayerNormConfig, RobertaPreLayerNormForTokenClassification),
}
BEGINNING, PADDING = "<s>", "<pad>"
# The dimension of a model is the least multiple of this that has room for its slots.
MODEL_DIM, FFN_DIM, POSITIONS = 32, 8, 32
LONGEST = POSITIONS - 1
"""Tokens that a text can have, the beginning among them; the first position is that of padding."""
GAIN = 80.0
"""A key that does not match gets exp(-80) of the weight of one that does, or exp(-40): nothing,
even in double precision."""
STRETCH = 2.0
"""The largest gain of norms that have gains; the smallest is one divided by it."""
# Norms of a layer: of its attention, and of its network.
LAYER_NORMS: dict[Norm, tuple[str, str]] = {
    "post": ("attention.output.LayerNorm", "output.LayerNorm"),
    "pre": ("attention.LayerNorm", "intermediate.LayerNorm"),
}

Array = NDArray[np.float64]
BySlot = Mapping[str, float]


@dataclass(frozen=True)
class Reads:
    """What adds to the score of a query and a key, before the softmax.

    Attributes
    ----------
    key
        Slot of the key.
    matrix
        ``[query, key]``, score of each direction of the query's slot with each of the key's;
        ``[1, key]`` where the score is of the key alone. In units of the gain. Of positions that a
        model does not have, rows and columns are left out.
    query
        Slot of the query; None where the score is of the key alone.
    """

    key: str
    matrix: ArrayLike
    query: str | None = None


@dataclass(frozen=True)
class Moves:
    """What is taken from one slot and added to another.

    Attributes
    ----------
    source, target
        Slots.
    matrix
        ``[source, target]``, what each direction of the one becomes in the other.
    """

    source: str
    target: str
    matrix: ArrayLike


@dataclass(frozen=True)
class Head:
    """A head: where it attends, and what it moves from there.

    Attributes
    ----------
    reads
        Their sum is the score; without any, attention is uniform.
    moves
        From the key to the query.
    """

    reads: tuple[Reads, ...]
    moves: tuple[Moves, ...]


@dataclass(frozen=True)
class Neuron:
    """A neuron, which adds to a slot so much as what it reads is above a threshold.

    Attributes
    ----------
    reads
        Slot -> how much each of its directions counts, ``[direction]``.
    above
        The threshold, in lengths of a direction of an embedding.
    target, adds
        A slot, and what is added to each of its directions for one such length above the threshold.
    """

    reads: Mapping[str, ArrayLike]
    above: float
    target: str
    adds: ArrayLike


@dataclass(frozen=True)
class HandLayer:
    """A layer of attention and, if anything, of a feed-forward network.

    Attributes
    ----------
    heads
        As many as the other layers of the model have.
    network
        What the feed-forward network adds, if anything: a linear map, or what a neuron does.
    length
        Of the stream that enters the layer, and of the one that enters its network, beside the
        length of the embeddings, if no norm divided them. A layer that reads through a norm has to
        add so much more than what it reads. Lengths matter only where sizes have to agree.
    """

    heads: tuple[Head, ...]
    network: Moves | Neuron | None = None
    length: tuple[float, float] = (1.0, 1.0)


@dataclass(frozen=True)
class _Stream:
    """The stream where a block of a layer, attention or network, reads it and adds to it.

    Attributes
    ----------
    drawn
        Directions of each slot, ``[direction, model_dim]``.
    length
        As :class:`HandLayer` has it.
    read, added
        By what each slot is stretched as it is read, and where something is added to it.
    """

    drawn: Mapping[str, Array]
    length: float
    read: BySlot
    added: BySlot

    @property
    def model_dim(self) -> int:
        """Dimension of the stream."""
        return int(self.drawn["token"].shape[1])

    def unit(self, slot: str) -> float:
        """Return the length of a direction of a slot as it is read."""
        return _unit(self.model_dim) / self.length * self.read[slot]

    def written(self, moves: Moves) -> Array:
        """Return what is added for each direction of the source as it is read."""
        size = self.added[moves.target] / self.read[moves.source]
        return size * np.asarray(moves.matrix, np.float64) @ self.drawn[moves.target]


def write_model(
    layers: Sequence[HandLayer],
    *,
    slots: Mapping[str, int],
    symbols: Sequence[str],
    places: int,
    readout: Sequence[str],
    norm: Norm,
    seed: int,
    gain: float,
    norm_gains: bool,
) -> tuple[PreTrainedModel, PreTrainedTokenizerFast]:
    """Write a model by hand, and its tokenizer.

    Parameters
    ----------
    layers
        The lowest first.
    slots
        Slot -> how many directions it has; ``token`` has one for the beginning and one for each
        symbol, ``position`` one for each place.
    symbols
        What a text is made of, with a space between.
    places
        Tokens of a text, with the one at its beginning.
    readout
        Slots whose directions are the labels of the head, in this order.
    norm
        Where layers normalise.
    seed
        Of the basis of the stream, and of that of each head.
    gain
        Of the scores of all heads.
    norm_gains
        Whether norms have gains and biases, which are drawn; but for that of the embeddings where
        layers normalise what they read.

    Returns
    -------
    model, tokenizer
        The model, which labels tokens, in evaluation mode and double precision.
    """
    generator = np.random.default_rng(seed)
    model_dim = _model_dim(slots)
    drawn = (_draw_apart if norm_gains else _draw)(slots, model_dim, generator)
    make_config, make = CLASSES[norm]
    config = make_config(
        vocab_size=2 + len(symbols),
        hidden_size=model_dim,
        num_hidden_layers=len(layers),
        num_attention_heads=len(layers[0].heads),
        intermediate_size=FFN_DIM,
        hidden_act="relu",
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        max_position_embeddings=POSITIONS,
        type_vocab_size=1,
        layer_norm_eps=1e-20,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=None,
        num_labels=sum(slots[slot] for slot in readout),
        attn_implementation="eager",
    )
    model = make(config).double().eval()
    # Gains of norms are 1, all else is 0 until it is written.
    weights = {
        name: torch.full_like(value, float("LayerNorm.weight" in name))
        for name, value in model.state_dict().items()
    }
    base = model.base_model_prefix
    embeddings = f"{base}.embeddings."
    # Row 0 of either table is that of padding.
    for slot, table, end in (("token", "word", None), ("position", "position", places + 1)):
        embedded = _unit(model_dim) * drawn[slot]
        _write(weights, f"{embeddings}{table}_embeddings.weight", embedded, slice(1, end))
    ones: BySlot = dict.fromkeys(slots, 1.0)

    def gains_of(name: str) -> BySlot:
        return _write_norm(weights, name, drawn, generator) if norm_gains else ones

    behind = f"{embeddings}LayerNorm"  # the norm behind which the stream is
    stretched = gains_of(behind) if norm == "post" else ones
    for number, layer in enumerate(layers):
        name = f"{base}.encoder.layer.{number}"
        for part, length in enumerate(layer.length):
            of_part = f"{name}.{LAYER_NORMS[norm][part]}"
            if norm == "pre":
                stream = _Stream(drawn, length, gains_of(of_part), dict.fromkeys(slots, length))
            else:
                if norm_gains:
                    stretched = _lengthened(stretched, length, model, weights, drawn, behind)
                stream = _Stream(drawn, length, stretched, stretched)
            if part == 0:
                _write_heads(weights, f"{name}.attention", layer.heads, gain, stream, generator)
            elif isinstance(layer.network, Neuron):
                _write_neuron(weights, name, layer.network, stream)
            elif layer.network is not None:
                _write_network(weights, name, layer.network, stream)
            if norm == "post":
                behind, gains = of_part, gains_of(of_part)
                stretched = {slot: stretched[slot] * gains[slot] for slot in slots}
    if norm == "pre":
        stretched = gains_of(f"{base}.LayerNorm")
    labels = np.concatenate([drawn[slot] / stretched[slot] for slot in readout])
    _write(weights, "classifier.weight", labels)
    model.load_state_dict(weights)
    return model, tokenizer_of(symbols, places)


def _model_dim(slots: Mapping[str, int]) -> int:
    """Return the dimension in which slots have room, also apart from one another with a bias."""
    needed = sum(slots.values()) + len(slots) + 2
    return MODEL_DIM * -(-needed // MODEL_DIM)


def _unit(model_dim: int) -> float:
    """Return the length of a direction of an embedding, with which two have that of a norm."""
    return float(np.sqrt(model_dim / 2))


def _draw(
    slots: Mapping[str, int], model_dim: int, generator: np.random.Generator
) -> dict[str, Array]:
    """Draw directions of slots, ``[direction, model_dim]`` each.

    They are orthonormal, and orthogonal to the vector of ones.
    """
    drawn = generator.standard_normal((model_dim, sum(slots.values())))
    basis, _ = np.linalg.qr(drawn - drawn.mean(axis=0))
    ends = np.cumsum([*slots.values()])[:-1]
    return dict(zip(slots, np.split(basis.T, ends), strict=True))


def _draw_apart(
    slots: Mapping[str, int], model_dim: int, generator: np.random.Generator
) -> dict[str, Array]:
    """Draw directions of slots as :func:`_draw`, each slot in coordinates of its own.

    Some coordinates are left. The sum over those of a slot is 0 in each of its directions.
    """
    coordinates = generator.permutation(model_dim)
    ends = np.cumsum([count + 1 for count in slots.values()])  # one is lost to the vector of ones
    drawn = {}
    for (slot, count), own in zip(slots.items(), np.split(coordinates, ends)[:-1], strict=True):
        random = generator.standard_normal((count + 1, count))
        drawn[slot] = np.zeros((count, model_dim))
        drawn[slot][:, own] = np.linalg.qr(random - random.mean(axis=0))[0].T
    return drawn


def _write_norm(
    weights: dict[str, torch.Tensor],
    name: str,
    drawn: Mapping[str, Array],
    generator: np.random.Generator,
) -> BySlot:
    """Draw gains and a bias of a norm, and write them; return the gain of each slot.

    The bias has half the length of an embedding, and a mean of 0.
    """
    of_slots = {slot: directions.any(axis=0) for slot, directions in drawn.items()}
    gains = dict(zip(drawn, STRETCH ** generator.uniform(-1, 1, len(drawn)), strict=True))
    rest = ~np.any([*of_slots.values()], axis=0)
    bias = np.where(rest, generator.standard_normal(len(rest)), 0.0)
    bias[rest] -= bias[rest].mean()
    bias *= np.sqrt(len(rest)) / 2 / np.linalg.norm(bias)
    gain = np.where(rest, STRETCH ** generator.uniform(-1, 1), 0.0)
    gain += sum(gains[slot] * own for slot, own in of_slots.items())
    _write(weights, f"{name}.weight", gain)
    _write(weights, f"{name}.bias", bias)
    return gains


def _lengthened(
    stretched: BySlot,
    length: float,
    model: PreTrainedModel,
    weights: dict[str, torch.Tensor],
    drawn: Mapping[str, Array],
    behind: str,
) -> BySlot:
    """Correct by what slots are stretched for the lengths that norms have divided by.

    Among one another slots are stretched as the gains say. All together depend on what norms
    divided by, which is read off the model as it is written so far, by what a token has kept of its
    symbol behind the last of them.
    """
    model.load_state_dict(weights)
    outputs: list[torch.Tensor] = []
    handle = model.get_submodule(behind).register_forward_hook(
        lambda *call: outputs.append(call[2])
    )
    with torch.inference_mode():
        model(torch.tensor([[1, 2]]))  # the beginning and a symbol
    handle.remove()
    kept = np.linalg.norm(drawn["token"] @ outputs[0][0, 1].numpy())
    unit = _unit(drawn["token"].shape[1])
    factor = float(kept) / (unit / length * stretched["token"])
    return {slot: factor * of_slot for slot, of_slot in stretched.items()}


def _write(
    weights: dict[str, torch.Tensor],
    name: str,
    block: Array,
    rows: slice = slice(None),
    columns: slice = slice(None),
) -> None:
    """Write a block into a parameter: rows of a matrix and columns, or entries of a vector."""
    place = (rows, columns)[: block.ndim]
    weights[name][place] = torch.from_numpy(np.ascontiguousarray(block))


def _write_heads(
    weights: dict[str, torch.Tensor],
    name: str,
    heads: Sequence[Head],
    gain: float,
    stream: _Stream,
    generator: np.random.Generator,
) -> None:
    """Write the heads of an attention, each in a basis of its own."""
    drawn, model_dim = stream.drawn, stream.model_dim
    head_dim = model_dim // len(heads)
    for number, head in enumerate(heads):
        rows = slice(number * head_dim, (number + 1) * head_dim)
        query, key = np.zeros((2, head_dim, model_dim))
        bias, used = np.zeros(head_dim), 0
        for reads in head.reads:
            matrix = np.asarray(reads.matrix, np.float64)
            if reads.query is None:
                key[used] = matrix @ drawn[reads.key] / stream.unit(reads.key)
                bias[used] = 1.0
                used += 1
            else:
                # Of positions, those that there are.
                matrix = matrix[: len(drawn[reads.query]), : len(drawn[reads.key])]
                some = slice(used, used + matrix.shape[1])
                query[some] = matrix.T @ drawn[reads.query] / stream.unit(reads.query)
                key[some] = drawn[reads.key] / stream.unit(reads.key)
                used = some.stop
        value, output = np.zeros((2, head_dim, model_dim))
        used = 0
        for moves in head.moves:
            some = slice(used, used + len(drawn[moves.source]))
            value[some] = drawn[moves.source]
            output[some] = stream.written(moves)
            used = some.stop
        scale = gain * np.sqrt(head_dim)  # scores are divided by the root
        of_scores, of_values = (_orthogonal(head_dim, generator) for _ in range(2))
        _write(weights, f"{name}.self.query.weight", scale * of_scores @ query, rows)
        _write(weights, f"{name}.self.query.bias", scale * of_scores @ bias, rows)
        _write(weights, f"{name}.self.key.weight", of_scores @ key, rows)
        _write(weights, f"{name}.self.value.weight", of_values @ value, rows)
        _write(weights, f"{name}.output.dense.weight", (of_values @ output).T, columns=rows)


def _write_network(
    weights: dict[str, torch.Tensor], name: str, moves: Moves, stream: _Stream
) -> None:
    """Write the feed-forward network of a layer.

    Its neurons are shifted to where a ReLU is the identity, and the shift is taken back behind, so
    that no entry stands at the kink.
    """
    directions, written = stream.drawn[moves.source], stream.written(moves)
    neurons = slice(len(directions))
    shift = np.full(len(directions), _unit(stream.model_dim) * stream.read[moves.source])
    _write(weights, f"{name}.intermediate.dense.weight", directions, neurons)
    _write(weights, f"{name}.intermediate.dense.bias", shift, neurons)
    _write(weights, f"{name}.output.dense.weight", written.T, columns=neurons)
    _write(weights, f"{name}.output.dense.bias", -shift @ written)


def _write_neuron(
    weights: dict[str, torch.Tensor], name: str, neuron: Neuron, stream: _Stream
) -> None:
    """Write a feed-forward network of one neuron."""
    read = [
        np.asarray(counts, np.float64) @ stream.drawn[slot] / stream.unit(slot)
        for slot, counts in neuron.reads.items()
    ]
    size = _unit(stream.model_dim) / stream.length * stream.added[neuron.target]
    added = size * np.asarray(neuron.adds, np.float64) @ stream.drawn[neuron.target]
    only = slice(1)
    _write(weights, f"{name}.intermediate.dense.weight", np.sum(read, axis=0)[None], only)
    _write(weights, f"{name}.intermediate.dense.bias", np.array([-neuron.above]), only)
    _write(weights, f"{name}.output.dense.weight", added[:, None], columns=only)


def _orthogonal(size: int, generator: np.random.Generator) -> Array:
    return np.linalg.qr(generator.standard_normal((size, size)))[0]


def tokenizer_of(symbols: Sequence[str], places: int) -> PreTrainedTokenizerFast:
    """Make the tokenizer of texts of symbols, with a space between, of at most so many tokens."""
    vocabulary = {word: number for number, word in enumerate((PADDING, BEGINNING, *symbols))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=PADDING))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{BEGINNING} $A", special_tokens=[(BEGINNING, vocabulary[BEGINNING])]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PADDING,
        bos_token=BEGINNING,
        cls_token=BEGINNING,
        model_max_length=places,
    )
