r"""Small models that learn a task which fixes what their answers depend on.

Circuits that are written by hand are saturated, and what they read is orthogonal. Here models of
the same families, with gains and biases of norms and a network in each layer, are trained instead.
Two tasks say of every text which symbols its answers depend on:

``retrieval``
    By key, as in ``b 2 d 0 c b d b``: two pairs of a key and a value, then four queries. The
    answer at a query is the value behind the same key, or that there is none.
``copying``
    By place, as in ``a c c b d a b d``: the answer is the symbol two places before.

The truth is found as in circuits (:mod:`attention_mixing.circuits.truth`), by replacing one symbol
at a time, so that the text stays one of the task, and that equally often in every place: keys of
pairs by keys that no pair has, values by values, queries by keys. In a model that was trained every
token depends on every other one a little. So ``depends`` is what the task says: where a replacement
changes the right answer; ``share`` is what the model does. Only rows that are asked for an answer
have either.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import cross_entropy
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from attention_mixing.attributions.catalogue import Estimand
from attention_mixing.capture.one_text import RecordedText, read_text
from attention_mixing.circuits.by_hand import (
    BEGINNING,
    CLASSES,
    MODEL_DIM,
    NORMS,
    PADDING,
    Norm,
    tokenizer_of,
)
from attention_mixing.circuits.estimands import ESTIMANDS
from attention_mixing.circuits.truth import Truths, exchanged
from attention_mixing.errors import InputError, quoted, require

__all__ = ["TASKS", "LearnedModel", "Task", "learn", "learned_truths"]

Numbers = NDArray[np.int64]

UNASKED = -100
"""Of a place without an answer, as the cross-entropy of torch has it."""
SPECIAL = (PADDING, BEGINNING)  # before the symbols in the vocabulary
LAYERS, HEADS, FFN_DIM = 2, 4, 2 * MODEL_DIM
# With smaller weights at the start, looking keys up takes ten times the steps to be learned.
INITIAL = 0.3
BATCH, LEARNING_RATE, WARMING_UP = 64, 0.01, 0.1
FRESH, SOLVED = 1000, 0.99
"""Texts on which a model is tested, and the share of their answers that have to be right."""


@dataclass(frozen=True)
class Task:
    """What a model learns.

    Attributes
    ----------
    name
        One of :data:`TASKS`.
    symbols
        What texts are made of; elsewhere they are numbers, ``[text, place]``.
    kinds
        Those that may stand in each place, one as likely as another.
    different
        Places of the same kind no two of which hold the same symbol.
    labels
        How many answers there are.
    answers
        The number of the right answer in each place of texts, or :data:`UNASKED`.
    replacements
        How many symbols replace that of a place.
    steps
        Of training.
    """

    name: str
    symbols: tuple[str, ...]
    kinds: tuple[range, ...]
    different: tuple[int, ...]
    labels: int
    answers: Callable[[Numbers], Numbers]
    replacements: int
    steps: int

    def draw(self, generator: np.random.Generator, texts: int) -> Numbers:
        """Draw so many texts, ``[text, place]``; the generator goes on."""
        drawn = [generator.integers(kind.start, kind.stop, size=texts) for kind in self.kinds]
        numbers = np.stack(drawn, axis=1)
        for first in self.different[:1]:
            orders = generator.permuted(np.tile(self.kinds[first], (texts, 1)), axis=1)
            numbers[:, self.different] = orders[:, : len(self.different)]
        return numbers

    def numbers(self, text: Sequence[str]) -> Numbers:
        """Return the numbers of the symbols of a text, ``[symbol]``, as ``[place]``.

        Raises
        ------
        InputError
            If it is no text of the task.
        """
        numbers = [self.symbols.index(symbol) for symbol in text if symbol in self.symbols]
        fits = len(numbers) == len(text) == len(self.kinds) and all(
            number in kind and number not in self._taken(numbers, place)
            for place, (number, kind) in enumerate(zip(numbers, self.kinds, strict=True))
        )
        if not fits:
            example = self.draw(np.random.default_rng(0), 1)[0]
            raise InputError(
                f"the text is {quoted(' '.join(text))}; allowed: texts of the task {self.name}, "
                f"such as {quoted(' '.join(self.symbols[number] for number in example))}; give one."
            )
        return np.array(numbers)

    def _taken(self, text: Sequence[int] | Numbers, place: int) -> list[int]:
        """List the symbols that may not stand in a place, for they stand in another one."""
        others = self.different if place in self.different else ()
        return [int(text[other]) for other in others if other != place]

    def beside(self, text: Numbers) -> Numbers:
        """List a text, ``[place]``, and some that differ in one place, ``[text, place]``.

        The text itself is first, and each place is another in as many texts.
        """
        generator = np.random.default_rng(0)  # the same for all that is asked of a text
        texts = [text]
        for place, kind in enumerate(self.kinds):
            others = np.setdiff1d(kind, [text[place], *self._taken(text, place)])
            for symbol in generator.choice(others, self.replacements, replace=False):
                texts.append(text.copy())
                texts[-1][place] = symbol
        return np.stack(texts)

    def depends(self, text: Numbers) -> NDArray[np.bool_]:
        """Tell which right answers another symbol in a place changes, ``[place, place]``."""
        texts = self.beside(text)
        changed = self.answers(texts) != self.answers(texts[:1])
        depends = np.zeros((len(text), len(text)), bool)
        for place in range(len(text)):
            depends[:, place] = changed[texts[:, place] != text[place]].any(axis=0)
        return depends


@dataclass(frozen=True)
class LearnedModel:
    """A model that has learned a task; measures take it as they take a circuit.

    Attributes
    ----------
    task
        What it has learned.
    norm, seed
        Where its layers normalise; of its weights at the start, and of the texts it has seen.
    model
        Which labels every token by an answer; in double precision.
    tokenizer
        Of texts such as ``"a c c b d a b d"``.
    accuracy
        Share of right answers on texts that are drawn anew.
    """

    task: Task
    norm: Norm
    seed: int
    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    accuracy: float

    @property
    def name(self) -> str:
        """Name of the task."""
        return self.task.name

    def capture(self, text: Sequence[str]) -> RecordedText:
        """Capture a text, as :func:`attention_mixing.capture.capture_text` does of any model.

        Parameters
        ----------
        text
            ``[symbol]``.

        Raises
        ------
        InputError
            If it is no text of the task.
        """
        self.task.numbers(text)
        return read_text(" ".join(text), None, self.model, self.tokenizer)

    def draw_text(self, generator: np.random.Generator) -> list[str]:
        """Draw a text of the task, ``[symbol]``; the generator goes on."""
        (text,) = self.task.draw(generator, 1)
        return [self.task.symbols[number] for number in text]


def learn(name: str, *, norm: Norm = "post", seed: int = 0) -> LearnedModel:
    """Train a model to a task.

    On one thread it takes a few seconds, and a seed gives the same weights each time.

    Parameters
    ----------
    name
        Of the task, one of :data:`TASKS`.
    norm
        Whether layers normalise the stream behind what they add (``post``), or what they read of it
        (``pre``).
    seed
        Of the weights at the start, and of the texts.

    Returns
    -------
    LearnedModel
        With how many of its answers are right.

    Raises
    ------
    InputError
        If there is no such task, or no such norm, or fewer than ``SOLVED`` of the answers are
        right.
    """
    require(name, "tasks", list(TASKS))
    require(norm, "norms", list(NORMS))
    task = TASKS[name]
    generator = np.random.default_rng(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = _untrained(task, norm, places=1 + len(task.kinds))
    _train(model, task, generator)
    fresh = task.draw(generator, FRESH)
    answers = task.answers(fresh)
    with torch.inference_mode():
        said = model(input_ids=_ids(fresh)).logits[:, 1:].argmax(dim=-1).numpy()
    accuracy = float((said == answers)[answers != UNASKED].mean())
    if accuracy < SOLVED:
        raise InputError(
            f"with the seed {seed}, the {norm}-norm model answers {accuracy:.1%} of new texts of "
            f"{name} right; needed: {SOLVED:.0%}; choose another seed."
        )
    tokenizer = tokenizer_of(task.symbols, 1 + len(task.kinds))
    return LearnedModel(task, norm, seed, model, tokenizer, accuracy)


def _untrained(task: Task, norm: Norm, places: int) -> PreTrainedModel:
    make_config, make = CLASSES[norm]
    config = make_config(
        vocab_size=len(SPECIAL) + len(task.symbols),
        hidden_size=MODEL_DIM,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        intermediate_size=FFN_DIM,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        max_position_embeddings=1 + places,  # the first is that of padding
        type_vocab_size=1,
        pad_token_id=SPECIAL.index(PADDING),
        bos_token_id=SPECIAL.index(BEGINNING),
        eos_token_id=None,
        initializer_range=INITIAL,
        num_labels=task.labels,
        attn_implementation="eager",
    )
    return make(config).double().eval()


def _train(model: Any, task: Task, generator: np.random.Generator) -> None:
    optimizer = torch.optim.AdamW(model.parameters(), LEARNING_RATE, fused=True)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, LEARNING_RATE, total_steps=task.steps, pct_start=WARMING_UP
    )
    for _ in range(task.steps):
        texts = task.draw(generator, BATCH)
        logits = model(input_ids=_ids(texts)).logits[:, 1:]
        loss = cross_entropy(logits.flatten(0, 1), torch.from_numpy(task.answers(texts)).flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()


def _ids(texts: Numbers) -> torch.Tensor:
    """Put the beginning before texts, ``[text, place]``: what the model reads."""
    return torch.from_numpy(
        np.pad(texts + len(SPECIAL), ((0, 0), (1, 0)), constant_values=SPECIAL.index(BEGINNING))
    )


def learned_truths(
    learned: LearnedModel, text: Sequence[str], estimand: Estimand = "effect"
) -> Truths:
    """Tell what depends on what by running a model that was trained with symbols replaced.

    Parameters
    ----------
    learned
        The model.
    text
        ``[symbol]``.
    estimand
        In which way, as :func:`attention_mixing.circuits.truth.truths` has it.

    Returns
    -------
    Truths
        Of the model, ``depends`` is what the task says of the total effect, and ``share`` what the
        model does, in the rows that are asked. A task says nothing of single layers, or of the way
        in which its answers come about: there, nothing ``depends``.

    Raises
    ------
    InputError
        If it is no text of the task, or there is no such estimand.
    """
    require(estimand, "estimands", ESTIMANDS)
    task, numbers = learned.task, learned.task.numbers(text)
    *layers, model = exchanged(learned.model, _ids(task.beside(numbers)), estimand)
    unknown = np.zeros_like(model.depends)
    asked = np.pad(task.answers(numbers[None])[0] != UNASKED, (1, 0))
    depends = np.pad(task.depends(numbers), (1, 0)) if estimand == "effect" else unknown
    share = np.where(asked[:, None], model.share, np.nan)
    return Truths(
        tuple(replace(truth, depends=unknown) for truth in layers),
        replace(model, depends=depends, share=share),
    )


# --- the tasks ------------------------------------------------------------------------------------

KEYS, VALUES = range(4), range(4, 7)
PAIRS, QUERIES = 2, 4
OF_KEYS, OF_VALUES = slice(0, 2 * PAIRS, 2), slice(1, 2 * PAIRS, 2)
OF_QUERIES = slice(2 * PAIRS, None)
COPIED, BACK, LENGTH = range(4), 2, 8


def _values_behind(texts: Numbers) -> Numbers:
    """Answer queries; the last label says that no pair has the key."""
    same = texts[:, OF_QUERIES, None] == texts[:, None, OF_KEYS]  # [text, query, pair]
    values = (same * (texts[:, None, OF_VALUES] - VALUES.start)).sum(axis=-1)
    answers = np.full(texts.shape, UNASKED)
    answers[:, OF_QUERIES] = np.where(same.any(axis=-1), values, len(VALUES))
    return answers


def _symbols_before(texts: Numbers) -> Numbers:
    return np.pad(texts[:, :-BACK], ((0, 0), (BACK, 0)), constant_values=UNASKED)


TASKS: dict[str, Task] = {
    "retrieval": Task(
        name="retrieval",
        symbols=("a", "b", "c", "d", "0", "1", "2"),
        kinds=(KEYS, VALUES) * PAIRS + (KEYS,) * QUERIES,
        different=tuple(range(0, 2 * PAIRS, 2)),
        labels=len(VALUES) + 1,
        answers=_values_behind,
        replacements=2,
        steps=300,
    ),
    "copying": Task(
        name="copying",
        symbols=("a", "b", "c", "d"),
        kinds=(COPIED,) * LENGTH,
        different=(),
        labels=len(COPIED),
        answers=_symbols_before,
        replacements=3,
        steps=100,
    ),
}
