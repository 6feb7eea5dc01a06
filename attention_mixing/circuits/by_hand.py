r"""Write the weights of a Transformer by hand, in a basis of the residual stream drawn at random.

The stream of a token is thought of as a few slots, such as ``token`` (which symbol it is, one of
several directions) and ``position``. A head reads a slot of the query and one of the key to find
where it attends, and moves what stands in a slot of the key into a slot of the query. Slots are
orthogonal subspaces, drawn anew for every seed: no coordinate of the stream means anything, as in a
model that was trained. All are orthogonal to the vector of ones, so that a layer norm without gain
takes no mean away and only divides by the length:

.. math:: \mathrm{LN}(x) = \sqrt{d}\, x / \lVert x \rVert

Embeddings have the length :math:`\sqrt{d}`, which layer norms leave as it is.
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
MODEL_DIM, FFN_DIM, POSITIONS = 32, 8, 32
# Length of each direction of an embedding, of a token and its position together sqrt(MODEL_DIM).
UNIT = float(np.sqrt(MODEL_DIM / 2))
GAIN = 80.0
"""A key that does not match gets exp(-80) of the weight of one that does, or exp(-40): nothing,
even in double precision."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Reads:
    """What adds to the score of a query and a key, before the softmax.

    Attributes
    ----------
    key
        Slot of the key.
    matrix
        ``[query, key]``, score of each direction of the query's slot with each of the key's;
        ``[1, key]`` where the score is of the key alone. In units of the gain.
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
class HandLayer:
    """A layer of attention and, if anything, of a feed-forward network.

    Attributes
    ----------
    heads
        As many as the other layers of the model have.
    network
        What the feed-forward network adds, if anything.
    length
        Of the stream that enters the layer, and of the one that enters its network, beside the
        length of the embeddings, if no norm divided them. A layer that reads through a norm has to
        add so much more than what it reads. Lengths matter only where sizes have to agree.
    """

    heads: tuple[Head, ...]
    network: Moves | None = None
    length: tuple[float, float] = (1.0, 1.0)


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

    Returns
    -------
    model, tokenizer
        The model, which labels tokens, in evaluation mode and double precision.
    """
    generator = np.random.default_rng(seed)
    drawn = _draw(slots, generator)
    labels = np.concatenate([drawn[slot] for slot in readout])
    make_config, make = CLASSES[norm]
    config = make_config(
        vocab_size=2 + len(symbols),
        hidden_size=MODEL_DIM,
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
        num_labels=len(labels),
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
    _write(weights, f"{embeddings}word_embeddings.weight", UNIT * drawn["token"], slice(1, None))
    _write(
        weights,
        f"{embeddings}position_embeddings.weight",
        UNIT * drawn["position"],
        slice(1, places + 1),
    )
    for number, layer in enumerate(layers):
        name = f"{base}.encoder.layer.{number}"
        entering, between = layer.length
        wider = (entering, between) if norm == "pre" else (1.0, 1.0)
        for head in range(len(layer.heads)):
            _write_head(weights, f"{name}.attention", layer, head, gain, wider[0], drawn, generator)
        if layer.network is not None:
            _write_network(weights, name, layer.network, wider[1], drawn)
    _write(weights, "classifier.weight", labels)
    model.load_state_dict(weights)
    return model, tokenizer_of(symbols, places)


def _draw(slots: Mapping[str, int], generator: np.random.Generator) -> dict[str, Array]:
    """Draw directions of slots, ``[direction, model_dim]`` each.

    They are orthonormal, and orthogonal to the vector of ones.
    """
    drawn = generator.standard_normal((MODEL_DIM, sum(slots.values())))
    basis, _ = np.linalg.qr(drawn - drawn.mean(axis=0))
    ends = np.cumsum([*slots.values()])[:-1]
    return dict(zip(slots, np.split(basis.T, ends), strict=True))


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


def _write_head(
    weights: dict[str, torch.Tensor],
    name: str,
    layer: HandLayer,
    number: int,
    gain: float,
    wider: float,
    drawn: Mapping[str, Array],
    generator: np.random.Generator,
) -> None:
    """Write a head of an attention, in a basis of its own."""
    head, head_dim = layer.heads[number], MODEL_DIM // len(layer.heads)
    rows = slice(number * head_dim, (number + 1) * head_dim)
    unit = UNIT / layer.length[0]  # length of a direction as the layer reads it
    query, key = np.zeros((2, head_dim, MODEL_DIM))
    bias, used = np.zeros(head_dim), 0
    for reads in head.reads:
        matrix = np.asarray(reads.matrix, np.float64)
        if reads.query is None:
            key[used] = matrix @ drawn[reads.key] / unit
            bias[used] = 1.0
            used += 1
        else:
            some = slice(used, used + matrix.shape[1])
            query[some] = matrix.T @ drawn[reads.query] / unit
            key[some] = drawn[reads.key] / unit
            used = some.stop
    value, output = np.zeros((2, head_dim, MODEL_DIM))
    used = 0
    for moves in head.moves:
        some = slice(used, used + len(drawn[moves.source]))
        value[some] = drawn[moves.source]
        output[some] = wider * np.asarray(moves.matrix, np.float64) @ drawn[moves.target]
        used = some.stop
    gain *= np.sqrt(head_dim)  # scores are divided by the root
    of_scores, of_values = (_orthogonal(head_dim, generator) for _ in range(2))
    _write(weights, f"{name}.self.query.weight", gain * of_scores @ query, rows)
    _write(weights, f"{name}.self.query.bias", gain * of_scores @ bias, rows)
    _write(weights, f"{name}.self.key.weight", of_scores @ key, rows)
    _write(weights, f"{name}.self.value.weight", of_values @ value, rows)
    _write(weights, f"{name}.output.dense.weight", (of_values @ output).T, columns=rows)


def _write_network(
    weights: dict[str, torch.Tensor],
    name: str,
    moves: Moves,
    wider: float,
    drawn: Mapping[str, Array],
) -> None:
    """Write the feed-forward network of a layer.

    Its neurons are shifted to where a ReLU is the identity, and the shift is taken back behind, so
    that no entry stands at the kink.
    """
    neurons = slice(len(drawn[moves.source]))
    written = wider * np.asarray(moves.matrix, np.float64) @ drawn[moves.target]
    shift = np.full(len(written), UNIT)
    _write(weights, f"{name}.intermediate.dense.weight", drawn[moves.source], neurons)
    _write(weights, f"{name}.intermediate.dense.bias", shift, neurons)
    _write(weights, f"{name}.output.dense.weight", written.T, columns=neurons)
    _write(weights, f"{name}.output.dense.bias", -shift @ written)


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
