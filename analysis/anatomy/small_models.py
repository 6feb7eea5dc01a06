"""Three small Transformers that learn one task: an encoder, a decoder, and both together.

The task is to write a row of words backwards. All three are classes of ``transformers`` with one
layer and tens of thousands of weights, drawn and trained here, in seconds, on the processor.

=================== ============================ ===================================================
kind                class                        reads, and writes
=================== ============================ ===================================================
``encoder``         ``BertForMaskedLM``          the row, [SEP] and a [MASK] for every word of the
                                                 answer; fills all of them at once
``decoder``         ``GPT2LMHeadModel``          the row and [SEP]; goes on word by word
``encoder_decoder`` ``BartForConditional...``    the row in the encoder; the decoder begins with
                                                 [SEP] and goes on word by word, through
                                                 cross-attention
=================== ============================ ===================================================

The three designs: Devlin et al. (2019), *BERT*; Radford et al. (2018), *Improving Language
Understanding by Generative Pre-Training*; Vaswani et al. (2017), *Attention Is All You Need*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cross_entropy
from tqdm import tqdm
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    BertConfig,
    BertForMaskedLM,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedModel,
    get_linear_schedule_with_warmup,
)

from attention_mixing.models.device import deterministic

Rows = NDArray[np.int64]
"""Token ids, ``[row, place]``."""

KINDS = ("encoder", "decoder", "encoder_decoder")
SPECIAL = ("[PAD]", "[SEP]", "[MASK]")
WORDS = (
    *("apple", "bird", "cloud", "door", "egg", "fish", "garden", "house"),
    *("island", "jar", "king", "lamp", "moon", "nest", "ocean", "pen"),
)
VOCABULARY = (*SPECIAL, *WORDS)
LENGTH = 6
"""Words of a row, all different."""
HELD_OUT = 200
"""Rows that training never sees."""

_PAD, _SEP, _MASK = range(len(SPECIAL))
_FIRST = len(SPECIAL)
_LAYERS, _HEADS, _WIDTH, _FFN = 1, 2, 64, 128
# BERT's 0.02 is meant for widths of hundreds; with it, the third model learns nothing in 300 steps.
_INITIAL = 0.1
_BATCH, _LEARNING_RATE, _WARMUP = 64, 3e-3, 0.1


@dataclass(frozen=True)
class SmallModel:
    """A trained model and the rows that it was not trained on.

    Attributes
    ----------
    kind
        One of ``KINDS``.
    model
        In evaluation mode, with eager attention.
    held_out
        ``[row, place]``, ids in ``VOCABULARY``.
    """

    kind: str
    model: PreTrainedModel
    held_out: Rows

    def write(self, rows: Rows) -> Rows:
        """Let the model answer, always with the likeliest word: ``[row, place]``."""
        read = torch.as_tensor(rows)
        with _one_thread(), torch.inference_mode():
            written = read[:, :0]
            if self.kind == "encoder":
                return _answers(self.model, self.kind, read, written).argmax(-1).numpy()
            for _ in range(LENGTH):
                logits = self.model(**_inputs(self.kind, read, written)).logits
                written = torch.cat([written, logits[:, -1:].argmax(-1)], dim=1)
        return written.numpy()

    def accuracy(self) -> float:
        """Share of the held-out rows that are written backwards without a mistake."""
        right = self.write(self.held_out) == self.held_out[:, ::-1]
        return float(right.all(axis=1).mean())

    def tokens(self, row: Rows) -> dict[str, list[str]]:
        """Name the tokens that the model reads while it writes one row, ``[place]``.

        ``tokens`` are those of the side that writes; ``source`` those of the encoder, for a model
        that has both sides.
        """
        inputs = self._own_inputs(row[None])
        names = {"decoder_input_ids": "tokens", "input_ids": "tokens"}
        if self.kind == "encoder_decoder":
            names["input_ids"] = "source"
        return {names[key]: words(ids[0].numpy()) for key, ids in inputs.items()}

    def attention(self, rows: Rows) -> dict[str, NDArray[np.float32]]:
        """Attention maps while the model writes, ``[row, layer, head, query, key]`` each.

        ``attention``, or of a model with both sides ``encoder``, ``decoder`` and ``cross``, whose
        queries are the decoder's and whose keys the encoder's.
        """
        with _one_thread(), torch.inference_mode():
            output = self.model(**self._own_inputs(rows), output_attentions=True)
        if self.kind == "encoder_decoder":
            maps = {name: output[f"{name}_attentions"] for name in ("encoder", "decoder", "cross")}
        else:
            maps = {"attention": output.attentions}
        return {name: torch.stack(layers, dim=1).numpy() for name, layers in maps.items()}

    def leak(self) -> dict[str, float]:
        """Largest change of an earlier output when a later input token is changed.

        Every token of the held-out rows but the first is changed in turn. Outputs are the logits
        of the side that writes, or the vectors that the encoder of a model with both sides hands
        over: ``leak`` of the former, ``encoder_leak`` of the latter.
        """
        inputs = self._own_inputs(self.held_out)
        with _one_thread(), torch.inference_mode():
            if self.kind != "encoder_decoder":
                return {"leak": _leak(lambda x: self.model(x).logits, inputs["input_ids"])}
            source, target = inputs["input_ids"], inputs["decoder_input_ids"]
            encoder: Any = self.model.get_encoder()
            return {
                "leak": _leak(lambda x: self.model(source, decoder_input_ids=x).logits, target),
                "encoder_leak": _leak(lambda x: encoder(x).last_hidden_state, source),
            }

    def _own_inputs(self, rows: Rows) -> dict[str, Tensor]:
        """Lay out the pass in which the model writes the last word, after its own earlier ones.

        An encoder has only one pass.
        """
        written = torch.as_tensor(self.write(rows)[:, :-1])
        return _inputs(self.kind, torch.as_tensor(rows), written)


def train_small(kind: str, *, steps: int, seed: int) -> SmallModel:
    """Draw a small model and train it to write rows of words backwards.

    ``kind`` is one of ``KINDS``. Each of the ``steps`` of AdamW has 64 rows that are drawn anew;
    the learning rate rises and falls linearly. ``seed`` decides weights and rows: the same seed
    gives the same weights, bit for bit.
    """
    deterministic(seed)
    model = _draw(kind)
    training, held_out = draw_rows(steps * _BATCH, seed=seed)
    optimiser = torch.optim.AdamW(model.parameters(), lr=_LEARNING_RATE, weight_decay=0.0)
    rate = get_linear_schedule_with_warmup(optimiser, round(_WARMUP * steps), steps)
    model.train()
    with _one_thread():
        batches = torch.as_tensor(training).split(_BATCH)
        for rows in tqdm(batches, f"train {kind}", disable=None, unit="step"):
            answer = rows.flip(1)
            logits = _answers(model, kind, rows, answer[:, :-1])
            cross_entropy(logits.flatten(0, 1), answer.flatten()).backward()
            optimiser.step()
            optimiser.zero_grad()
            rate.step()
    return SmallModel(kind, model.eval(), held_out)


def draw_rows(training: int, *, seed: int) -> tuple[Rows, Rows]:
    """Draw rows to train on, and ``HELD_OUT`` others.

    Both are ``[row, place]``, ids of words; no row is in both.
    """
    rng = np.random.default_rng(seed)

    def draw(count: int) -> Rows:
        return _FIRST + rng.permuted(np.tile(np.arange(len(WORDS)), (count, 1)), axis=1)[:, :LENGTH]

    held_out, draws = draw(HELD_OUT), draw(training)
    as_number = len(VOCABULARY) ** np.arange(LENGTH)
    fresh = draws[~np.isin(draws @ as_number, held_out @ as_number)]
    # One of millions of rows is hardly ever drawn twice; others then take its place.
    return np.resize(fresh, draws.shape), held_out


def words(ids: Rows) -> list[str]:
    """Spell the tokens of one row."""
    return [VOCABULARY[token] for token in ids.tolist()]


def _draw(kind: str) -> PreTrainedModel:
    """Build a model with random weights, without dropout."""
    common: dict[str, Any] = {
        "vocab_size": len(VOCABULARY),
        "pad_token_id": _PAD,
        "bos_token_id": _SEP,
        "eos_token_id": _SEP,
        "hidden_size": _WIDTH,
        "num_hidden_layers": _LAYERS,
        "num_attention_heads": _HEADS,
        "use_cache": False,
        "attn_implementation": "eager",
    }
    if kind == "encoder":
        return BertForMaskedLM(
            BertConfig(
                **common,
                intermediate_size=_FFN,
                max_position_embeddings=2 * LENGTH + 1,
                hidden_dropout_prob=0.0,
                attention_probs_dropout_prob=0.0,
                initializer_range=_INITIAL,
            )
        )
    if kind == "decoder":
        return GPT2LMHeadModel(
            GPT2Config(
                **common,
                n_inner=_FFN,
                n_positions=2 * LENGTH,
                resid_pdrop=0.0,
                embd_pdrop=0.0,
                attn_pdrop=0.0,
                initializer_range=_INITIAL,
            )
        )
    return BartForConditionalGeneration(
        BartConfig(
            **common,
            decoder_layers=_LAYERS,
            decoder_attention_heads=_HEADS,
            encoder_ffn_dim=_FFN,
            decoder_ffn_dim=_FFN,
            max_position_embeddings=LENGTH,
            dropout=0.0,
            init_std=_INITIAL,
        )
    )


def _inputs(kind: str, rows: Tensor, written: Tensor) -> dict[str, Tensor]:
    """Lay out the rows, ``[row, place]``, and the words written so far."""
    separator = torch.full_like(rows[:, :1], _SEP)
    if kind == "encoder":
        return {"input_ids": torch.cat([rows, separator, torch.full_like(rows, _MASK)], dim=1)}
    if kind == "decoder":
        return {"input_ids": torch.cat([rows, separator, written], dim=1)}
    return {"input_ids": rows, "decoder_input_ids": torch.cat([separator, written], dim=1)}


def _answers(model: PreTrainedModel, kind: str, rows: Tensor, written: Tensor) -> Tensor:
    """Logits of the words of the answer, ``[row, place, word]``.

    An encoder has them at its [MASK], the others at [SEP] and at each word but the last.
    """
    return model(**_inputs(kind, rows, written)).logits[:, -LENGTH:]


def _leak(run: Callable[[Tensor], Tensor], ids: Tensor) -> float:
    """Change one token after the other and look at the outputs before it."""
    before = run(ids)
    largest = 0.0
    for place in range(1, ids.shape[1]):
        changed = ids.clone()
        # The next word of the vocabulary; the first one in the place of a special token.
        changed[:, place] = _FIRST + (ids[:, place] - _FIRST + 1).clamp(min=0) % len(WORDS)
        difference = (run(changed) - before)[:, :place].abs().max()
        largest = max(largest, float(difference))
    return largest


@contextmanager
def _one_thread() -> Iterator[None]:
    """Compute on one core inside the block.

    Sums come out the same to the last bit whatever the number of cores, and for matrices this small
    one is as fast as several.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
