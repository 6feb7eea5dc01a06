"""Circuits: small Transformers of which is known what depends on what, because we wrote them.

A circuit is written twice: as weights (:mod:`attention_mixing.circuits.by_hand`), and as a program
that says in Python what each layer does to what is known of a token. The program is the ground
truth; tests hold the weights against it by replacing every token by every other one.

Texts are six of four symbols, or as many as is said, each a letter and a digit, behind a beginning
that is never replaced. Most circuits are made so that what the vectors of an attention block are
made of does not tell what depends on what (``carried`` is false).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from attention_mixing.capture.one_text import RecordedText, read_text
from attention_mixing.circuits.by_hand import (
    BEGINNING,
    GAIN,
    LONGEST,
    NORMS,
    HandLayer,
    Head,
    Moves,
    Neuron,
    Norm,
    Reads,
    write_model,
)
from attention_mixing.circuits.parts import (
    AT_BEGINNING,
    AT_EARLIER,
    AT_PREVIOUS,
    BEFORE,
    BRING,
    DIGITS,
    EARLIER,
    ELSE_AT_BEGINNING,
    EVERYTHING,
    IS_BEGINNING,
    ONLY_SYMBOLS,
    PLACES,
    SAME_LETTER,
    SLOTS,
    SYMBOLS,
    TAKE_AWAY,
    layer_of,
    to_level,
)
from attention_mixing.errors import InputError, require

__all__ = ["CIRCUITS", "OF_PAIRS", "circuit", "draw_text"]

State = Mapping[str, Hashable]
"""What is known of a token: slot -> content."""
States = Sequence[State]
Step = Callable[[States], States]


@dataclass(frozen=True)
class Circuit:
    """A Transformer that was written by hand, and the program that says what it does.

    Attributes
    ----------
    name
        One of :data:`CIRCUITS` or :data:`OF_PAIRS`, or that of one that was drawn.
    layers
        Its weights, by slots.
    program
        For each layer, what it makes of the states of all tokens; of one that was drawn, nothing.
    readout
        Slots that the head reads, whose directions are its labels.
    answer
        Of a state, what the logits depend on; where a norm rescales them, more than the readout.
    carried
        Whether all that a token depends on is carried to it as a vector, and read.
    places
        Tokens that its texts have at most, the beginning among them.
    """

    name: str
    layers: tuple[HandLayer, ...]
    program: tuple[Step, ...]
    readout: tuple[str, ...]
    answer: tuple[str, ...]
    carried: bool
    places: int = PLACES

    def run(self, states: States) -> list[Hashable]:
        """Run the whole program, and give what the head says of each token, ``[token]``.

        ``states`` are those before the first layer.
        """
        for step in self.program:
            states = step(states)
        return [tuple(state.get(slot) for slot in self.answer) for state in states]

    def start(self, text: Sequence[str]) -> States:
        """Give what is known of the tokens of a text before the first layer.

        ``text`` is ``[symbol]``, without the beginning, and refused as by :func:`require_text`.
        """
        tokens = (BEGINNING, *require_text(text, self.places))
        return [{"token": token, "position": place} for place, token in enumerate(tokens)]


@dataclass(frozen=True)
class WrittenCircuit:
    """A circuit as a model of transformers.

    Attributes
    ----------
    circuit
        What was written.
    norm, seed, gain, norm_gains
        Where its layers normalise, of its bases, of the scores of its heads, and whether norms have
        gains and biases.
    model
        Which labels every token by the directions of ``circuit.readout``; in double precision.
    tokenizer
        Of texts such as ``"a0 b1 a1 a0 b0 b1"``.
    """

    circuit: Circuit
    norm: Norm
    seed: int
    gain: float
    norm_gains: bool
    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase

    @property
    def name(self) -> str:
        """Name of the circuit."""
        return self.circuit.name

    def capture(self, text: Sequence[str]) -> RecordedText:
        """Capture a text, as :func:`attention_mixing.capture.capture_text` does of any model.

        Parameters
        ----------
        text
            ``[symbol]``.

        Raises
        ------
        InputError
            As :func:`require_text`.
        """
        require_text(text, self.circuit.places)
        return read_text(" ".join(text), None, self.model, self.tokenizer)

    def draw_text(self, generator: np.random.Generator) -> list[str]:
        """Draw a text, as :func:`draw_text` does."""
        return draw_text(generator, self.circuit.places)


def circuit(
    name: str | Circuit,
    *,
    norm: Norm = "post",
    seed: int = 0,
    gain: float = GAIN,
    norm_gains: bool = False,
    places: int | None = None,
) -> WrittenCircuit:
    """Write a circuit as a model of transformers.

    Parameters
    ----------
    name
        One of :data:`CIRCUITS` or :data:`OF_PAIRS`, or a circuit, such as those of
        :func:`attention_mixing.circuits.drawn.draw_circuit`.
    norm
        Whether layers normalise the stream behind what they add (``post``), or what they read of it
        (``pre``).
    seed
        Of the basis of the residual stream, and of those of the heads.
    gain
        How much lower the score of a key that does not match is, or half of it where a head has
        something to fall back on. As it is, attention is all or nothing; with 10, a weight that
        should be zero is up to exp(-5), and the program is true but for so much.
    norm_gains
        Whether norms have gains and biases, which are drawn with the basis. The program is as true
        with them as without, for what reads the stream takes them back.
    places
        Tokens that texts have at most, the beginning among them; None for what the circuit says,
        7.

    Returns
    -------
    WrittenCircuit
        Model and tokenizer, with the program that says what they do.

    Raises
    ------
    InputError
        If there is no such circuit, or no such norm, the gain is not above 0, or texts cannot have
        so many tokens.
    """
    if isinstance(name, str):
        require(name, "circuits", [*CIRCUITS, *OF_PAIRS])
    require(norm, "norms", list(NORMS))
    if not gain > 0:
        raise InputError(f"gain is {gain}; allowed: numbers above 0; give one, such as {GAIN:g}.")
    written = (CIRCUITS | OF_PAIRS)[name] if isinstance(name, str) else name
    if places is not None:
        if not 2 <= places <= LONGEST:
            raise InputError(
                f"places is {places}; allowed: 2 to {LONGEST}; give one of these, the beginning "
                "counted."
            )
        written = replace(written, places=places)
    model, tokenizer = write_model(
        written.layers,
        slots=SLOTS | {"position": written.places},
        symbols=SYMBOLS,
        places=written.places,
        readout=written.readout,
        norm=norm,
        seed=seed,
        gain=gain,
        norm_gains=norm_gains,
    )
    return WrittenCircuit(written, norm, seed, gain, norm_gains, model, tokenizer)


def require_text(text: Sequence[str], places: int = PLACES) -> Sequence[str]:
    """Refuse what is no text of circuits: one of no symbols, too many, or others; else give it.

    ``places`` are those of the circuit.
    """
    for symbol in text:
        require(symbol, "symbols", SYMBOLS)
    if not 0 < len(text) < places:
        raise InputError(
            f"the text has {len(text)} symbols; allowed: 1 to {places - 1}; give so many."
        )
    return text


def draw_text(generator: np.random.Generator, places: int = PLACES) -> list[str]:
    """Draw a text, ``[symbol]``, every symbol as likely as another.

    Parameters
    ----------
    generator
        Of NumPy; it goes on.
    places
        Of the circuit; a text has one symbol less.
    """
    return [SYMBOLS[number] for number in generator.integers(len(SYMBOLS), size=places - 1)]


# --- what programs do -----------------------------------------------------------------------------


def _set(states: States, slot: str, content: Callable[[int], Hashable]) -> States:
    return [{**state, slot: content(place)} for place, state in enumerate(states)]


def _shares(contents: Iterable[Hashable]) -> Hashable:
    """Give the mean of one-hot vectors: which share each content has."""
    counts = Counter(contents)
    return frozenset((each, Fraction(n, counts.total())) for each, n in counts.items())


def _previous_token(states: States) -> States:
    return _set(states, "brought", lambda place: states[BEFORE[place]]["token"])


def _as_it_is(states: States) -> States:
    return states


def _of_letter(states: States, slot: str, letter: str) -> list[State]:
    """Choose the tokens in whose slot a symbol of a letter stands."""
    return [state for state in states if str(state.get(slot)).startswith(letter)]


# --- the circuits ---------------------------------------------------------------------------------


def _previous() -> Circuit:
    """Copy the previous token beside one's own."""
    head = Head((AT_PREVIOUS,), (BRING,))
    answer = ("token", "brought")
    return Circuit("previous", (layer_of(head),), (_previous_token,), answer, answer, carried=True)


def _uniform() -> Circuit:
    """Attend to all symbols alike, and bring their mean."""

    def program(states: States) -> States:
        mean = _shares(state["token"] for state in states[1:])
        return _set(states, "brought", lambda place: mean)

    head = Head((Reads("token", 1 - IS_BEGINNING),), (BRING,))
    answer = ("token", "brought")
    return Circuit("uniform", (layer_of(head),), (program,), answer, answer, carried=True)


def _lookup() -> Circuit:
    """Look a value up by key: bring the mean digit of all tokens of one's own letter.

    A token of another letter brings nothing; but it would, if it had the letter.
    """

    def program(states: States) -> States:
        def digits(place: int) -> Hashable:
            letter = str(states[place]["token"])[0]
            matching = _of_letter(states[1:], "token", letter)
            return _shares(str(state["token"])[1] for state in matching)

        return _set(states, "brought", digits)

    digit = Moves("token", "brought", np.pad(DIGITS, ((0, 0), (0, 3))))
    head = Head((Reads("token", SAME_LETTER, query="token"), ELSE_AT_BEGINNING), (digit,))
    answer = ("token", "brought")
    return Circuit("lookup", (layer_of(head),), (program,), answer, answer, carried=False)


def _two_hops() -> Circuit:
    """Tell what followed one's own letter elsewhere: an induction head.

    The first layer copies the previous token; the second attends to tokens whose previous one has
    the letter of the query, and brings them. The head of the model reads these alone.
    """

    def program(states: States) -> States:
        def followers(place: int) -> Hashable:
            letter = str(states[place]["token"])[0]
            matching = _of_letter(states, "brought", letter) if place else []
            return _shares(state["token"] for state in matching)

        return _set(states, "second", followers)

    first = layer_of(Head((AT_PREVIOUS,), (BRING,)))
    reads = (Reads("brought", SAME_LETTER, query="token"), ELSE_AT_BEGINNING)
    second = layer_of(Head(reads, (Moves("token", "second", ONLY_SYMBOLS),)), added=(1, 1))
    answer = ("second",)
    program_ = (_previous_token, program)
    return Circuit("two_hops", (first, second), program_, answer, answer, carried=False)


def _relay() -> Circuit:
    """Gather all tokens at the beginning, and bring from there what was gathered to every token.

    In the first layer the beginning attends to all symbols and every symbol to itself, in the
    second all attend to the beginning: a sink that broadcasts.
    """

    def gather(states: States) -> States:
        mean = _shares(state["token"] for state in states[1:])
        return _set(states, "brought", lambda place: states[place]["token"] if place else mean)

    def broadcast(states: States) -> States:
        return _set(states, "second", lambda place: states[0]["brought"])

    places = np.eye(LONGEST)
    places[0] = np.arange(LONGEST) > 0
    gathering = Head(
        (Reads("position", places, query="position"),), (Moves("token", "brought", ONLY_SYMBOLS),)
    )
    broadcasting = Head((AT_BEGINNING,), (Moves("brought", "second", EVERYTHING),))
    answer = ("token", "second")
    layers = (layer_of(gathering), layer_of(broadcasting))
    return Circuit("relay", layers, (gather, broadcast), answer, answer, carried=True)


def _silent_sink() -> Circuit:
    """Attend to the beginning, whose value is zero: the head does nothing."""
    head = Head((AT_BEGINNING,), (Moves("token", "brought", ONLY_SYMBOLS),))
    answer = ("token", "brought")
    return Circuit("silent_sink", (layer_of(head),), (_as_it_is,), answer, answer, carried=True)


def _loud_sink() -> Circuit:
    """Copy the previous token, beside a head that brings one large vector from the beginning.

    The vector is always the same: no token depends on anything by it.
    """
    copying = Head((AT_PREVIOUS,), (BRING,))
    sink = Head((AT_BEGINNING,), (to_level(IS_BEGINNING, 10.0),))
    layers, answer = (layer_of(copying, sink),), ("token", "brought")
    return Circuit("loud_sink", layers, (_previous_token,), answer, answer, carried=False)


def _cancelling_heads() -> Circuit:
    """Copy the previous token in one head, and take it away again in another."""
    heads = (Head((AT_PREVIOUS,), (BRING,)), Head((AT_PREVIOUS,), (TAKE_AWAY,)))
    answer = ("token", "brought")
    layers = (layer_of(*heads),)
    return Circuit("cancelling_heads", layers, (_as_it_is,), answer, answer, carried=True)


def _cancelling_layers() -> Circuit:
    """Copy the previous token in one layer, and take it away again in the next."""

    def take_away(states: States) -> States:
        def left(place: int) -> Hashable:
            there = (states[place]["brought"], states[BEFORE[place]]["token"])
            return None if there[0] == there[1] else there

        return _set(states, "brought", left)

    layers = (
        layer_of(Head((AT_PREVIOUS,), (BRING,))),
        layer_of(Head((AT_PREVIOUS,), (TAKE_AWAY,)), added=(1, 0)),
    )
    answer = ("token", "brought")
    program = (_previous_token, take_away)
    return Circuit("cancelling_layers", layers, program, answer, answer, carried=False)


def _key_alone() -> Circuit:
    """Count by keys: attend to the beginning and to each digit 1, of which nothing is carried.

    The more digits 1 there are, the less is left of a vector that only the beginning brings.
    """

    def program(states: States) -> States:
        ones = sum(str(state["token"]).endswith("1") for state in states)
        return _set(states, "level", lambda place: Fraction(1, 1 + ones))

    head = Head((Reads("token", IS_BEGINNING + DIGITS[:, 1]),), (to_level(IS_BEGINNING, 1.0),))
    answer = ("token", "level")
    return Circuit("key_alone", (layer_of(head),), (program,), answer, answer, carried=False)


def _erasing_network() -> Circuit:
    """Copy the previous token, and let the feed-forward network take it away."""
    head = Head((AT_PREVIOUS,), (BRING,))
    erase = Moves("brought", "brought", -EVERYTHING)
    layers = (layer_of(head, network=erase, added=(0, 1)),)
    answer = ("token", "brought")
    return Circuit("erasing_network", layers, (_as_it_is,), answer, answer, carried=False)


def _unread() -> Circuit:
    """Copy the previous token into a slot that the head of the model does not read."""
    head = Head((AT_PREVIOUS,), (BRING,))
    answer = ("token",)
    return Circuit("unread", (layer_of(head),), (_previous_token,), answer, answer, carried=False)


def _rescaling() -> Circuit:
    """Bring a long vector where the previous token has a digit 1, so that a norm shrinks the rest.

    The head does not read the vector. What it reads, one's own token, has another length by it.
    """

    def program(states: States) -> States:
        def level(place: int) -> Hashable:
            return str(states[BEFORE[place]]["token"]).endswith("1")

        return _set(states, "level", level)

    head = Head((AT_PREVIOUS,), (to_level(DIGITS[:, 1], 3.0),))
    answer = ("token", "level")
    return Circuit("rescaling", (layer_of(head),), (program,), ("token",), answer, carried=False)


CIRCUITS: dict[str, Circuit] = {
    circuit.name: circuit
    for circuit in (
        *(_previous(), _uniform(), _relay(), _silent_sink(), _cancelling_heads()),
        *(_lookup(), _two_hops(), _loud_sink(), _cancelling_layers(), _key_alone()),
        *(_erasing_network(), _unread(), _rescaling()),
    )
}
"""Those first whose vectors carry what tokens depend on."""


# --- circuits of pairs ----------------------------------------------------------------------------


def _of_two_digits(
    name: str, digit: int, adds: float, level: Callable[[bool, bool], bool]
) -> Circuit:
    """Bring the digits of the two tokens before, and let a neuron fire where both are the digit.

    ``level`` tells from whether each of the two is 1 what is answered, which the neuron adds.
    """

    def program(states: States) -> States:
        def ones(place: int) -> list[bool]:
            return [str(states[at[place]]["token"]).endswith("1") for at in (BEFORE, EARLIER)]

        states = _set(states, "brought", lambda place: ones(place)[0])
        states = _set(states, "second", lambda place: ones(place)[1])
        return _set(states, "level", lambda place: level(*ones(place)))

    digits = np.pad(DIGITS, ((0, 0), (0, 3)))
    heads = (
        Head((AT_PREVIOUS,), (Moves("token", "brought", digits),)),
        Head((AT_EARLIER,), (Moves("token", "second", digits),)),
    )
    counted = np.eye(5)[digit]
    # Above the threshold by one half where both are the digit.
    neuron = Neuron({"brought": counted, "second": counted}, 1.5, "level", [2 * adds])
    layers, answer = (layer_of(*heads, network=neuron, added=(0, 2)),), ("token", "level")
    return Circuit(name, layers, (program,), answer, answer, carried=False)


def _and() -> Circuit:
    """Tell whether both tokens before have a digit 1."""
    return _of_two_digits("and", 1, 1.0, lambda one, other: one and other)


def _or() -> Circuit:
    """Tell whether one of the two tokens before has a digit 1: something is taken if none has."""
    return _of_two_digits("or", 0, -1.0, lambda one, other: one or other)


def _redundant() -> Circuit:
    """Attend to those of the two tokens before that have a digit 1, and bring from there the digit.

    Where both have, one of them is as good as both.
    """

    def program(states: States) -> States:
        def level(place: int) -> Hashable:
            before = (states[at[place]]["token"] for at in (BEFORE, EARLIER))
            return any(str(token).endswith("1") for token in before)

        return _set(states, "level", level)

    places = np.eye(LONGEST)
    before = Reads("position", np.maximum(places[BEFORE], places[EARLIER]), query="position")
    # Both, or the beginning: one alone is not enough.
    reads = (before, Reads("token", DIGITS[:, 1]), Reads("token", 1.5 * IS_BEGINNING))
    head = Head(reads, (to_level(DIGITS[:, 1], 1.0),))
    answer = ("token", "level")
    return Circuit("redundant", (layer_of(head),), (program,), answer, answer, carried=False)


OF_PAIRS: dict[str, Circuit] = {circuit.name: circuit for circuit in (_and(), _or(), _redundant())}
"""Those in which two tokens together do what neither does alone
(:mod:`attention_mixing.circuits.pairs`)."""
