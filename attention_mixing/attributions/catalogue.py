"""The catalogue: every method that says what tokens draw on, or what a prediction owes to them.

An :class:`Attribution` gives a matrix, made in :mod:`.matrices`; an :class:`Explanation` gives
scores of tokens, made in :mod:`.of_prediction`. Readers ask the catalogue by property
(:func:`select`, :func:`explanations`, :func:`labels`); where one makes a choice of its own,
:func:`chosen` holds it against the catalogue. It knows what methods are, and computes nothing, so
that pages can ask it, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

from attention_mixing.settings.derived import JOINT, STREAMS
from attention_mixing.settings.measures import REMOVALS

if TYPE_CHECKING:
    from attention_mixing.capture.text import Text
    from attention_mixing.capture.token_scores import Rows

T = TypeVar("T")
Family = Literal["weights", "vectors", "gradients", "removal", "baseline"]
Estimand = Literal["effect", "provenance", "keys"]
"""What can be asked of a token: all that it does, what it brings, or what it does as a key."""
# What methods of a family are meant to tell. None is meant to tell what keys do alone.
MEANT: dict[Family, Estimand | None] = {
    "weights": "provenance",
    "vectors": "provenance",
    "gradients": "effect",
    "removal": "effect",
    "baseline": None,
}
# What is read of a matrix to score input tokens.
READ: tuple[Literal["cls", "max"], ...] = ("cls", "max")


@dataclass(frozen=True)
class Attribution:
    """A method that turns a text into a matrix, what each token draws on.

    Attributes
    ----------
    name
        Of the method, for good.
    family
        By what it weighs tokens: attention ``weights``, ``vectors``, or nothing (``baseline``).
    through
        How layers become the whole model: their ``product``, or the maximum ``flow``; None where
        they do not.
    whole
        Whether it is of the whole model unless it is asked for layers.
    scores_layers
        Whether the rows of its layers, too, are read as scores of tokens.
    beside
        Of another entry, by which what comes through all layers is divided.
    causal
        Whether it is defined for causal texts alone.
    needs_network
        Whether each layer needs a feed-forward network.
    runs_model
        Whether layers of the model are run again for every token.
    source
        Who proposed the method; empty for one of this project.
    """

    name: str
    family: Family
    through: Literal["product", "flow"] | None = "product"
    whole: bool = False
    scores_layers: bool = False
    beside: str | None = None
    causal: bool = False
    needs_network: bool = False
    runs_model: bool = False
    source: str = ""

    @property
    def estimand(self) -> Estimand | None:
        """What it is meant to tell; None of a baseline."""
        return MEANT[self.family]

    @property
    def usual_label(self) -> str:
        """The label of what its name usually means: followed through the layers where it can be."""
        return self.label(whole=self.through is not None)

    @property
    def scores_tokens(self) -> bool:
        """Whether its rows, followed through the layers, say what a prediction owes to tokens."""
        return self.through is not None and not self.causal and self.family != "baseline"

    def label(self, *, whole: bool) -> str:
        """Return the name under which the matrix of layers, or of the whole model, is written."""
        return f"{self.name}_rollout" if whole and not self.whole else self.name

    def defined(self, text: Text) -> bool:
        """Tell whether the method is defined for a text."""
        return self.lacking(text) is None

    def lacking(self, text: Text) -> str | None:
        """Say what a text lacks that the method needs; None if nothing."""
        if text.stream == JOINT:
            if self.causal or self.runs_model:
                return "it is of an encoder-decoder as a whole"
            lacking = (self.lacking(text.of(stream)) for stream in STREAMS)
            return next((reason for reason in lacking if reason), None)
        if text.stream == STREAMS[2] and (self.needs_network or self.runs_model):
            return "it is of what a text attends to in itself, and this is attention to a source"
        if self.needs_network and any(layer.network is None for layer in text.weights):
            return "not every layer of its model has a feed-forward network behind the attention"
        if self.causal and not (text.causal and len(text.tokens) > 1):
            return "it needs several tokens, each of which sees only itself and earlier ones"
        return None


@dataclass(frozen=True)
class Explanation:
    """A method that scores the tokens of a text by what a prediction owes to them.

    Attributes
    ----------
    name
        Of the method, for good.
    family
        By what it goes: attention ``weights``, ``vectors``, ``gradients``, what ``removal`` of
        tokens does, or nothing (``baseline``).
    of_pass
        Name of the pass through the model that it reads (:data:`.passes.PASSES`); None where a
        measure makes its scores otherwise.
    rows
        What is read of it (:attr:`.TokenScores.rows`).
    signed
        Whether it tells evidence for the class from evidence against it in one score; it is then
        read without its sign as well.
    against
        Whether it scores evidence against the class apart.
    in_texts
        Whether it is asked of captured texts; else of circuits alone.
    source
        Who proposed the method; empty for one of this project.
    """

    name: str
    family: Family
    of_pass: str | None = None
    rows: tuple[Rows, ...] = ("input",)
    signed: bool = False
    against: bool = False
    in_texts: bool = True
    source: str = ""

    @property
    def estimand(self) -> Estimand | None:
        """What it is meant to tell; None of a baseline."""
        return MEANT[self.family]

    @property
    def unsigned(self) -> str:
        """The label of the sizes of its scores."""
        return f"{self.name}_unsigned"

    @property
    def opposed(self) -> str:
        """The label of its scores of evidence against the class."""
        return f"{self.name}_against"


ENTRIES = (
    Attribution("raw", "weights", through=None, scores_layers=True),
    Attribution(
        "rollout",
        "weights",
        whole=True,
        source="Abnar and Zuidema (2020)",
    ),
    Attribution(
        "rollout_measured",
        "weights",
        whole=True,
        source="Kobayashi et al. (2021)",
    ),
    Attribution(
        "flow",
        "weights",
        through="flow",
        whole=True,
        source="Abnar and Zuidema (2020)",
    ),
    Attribution("flow_measured", "weights", through="flow", whole=True),
    Attribution("uniform", "baseline", whole=True),
    Attribution(
        "rollout_beside_uniform",
        "weights",
        whole=True,
        beside="uniform",
        causal=True,
    ),
    Attribution("rollout_without_first", "weights", whole=True, causal=True),
    Attribution("attn_w", "weights"),
    Attribution(
        "attn_n",
        "vectors",
        scores_layers=True,
        source="Kobayashi et al. (2020)",
    ),
    Attribution("attnres_n", "vectors", source="Kobayashi et al. (2021)"),
    Attribution(
        "attnresln_n",
        "vectors",
        scores_layers=True,
        source="Kobayashi et al. (2021)",
    ),
    Attribution(
        "globenc",
        "vectors",
        needs_network=True,
        source="Modarressi et al. (2022)",
    ),
    Attribution(
        "alti",
        "vectors",
        source="Ferrando et al. (2022)",
    ),
    Attribution(
        "value_zeroing",
        "vectors",
        scores_layers=True,
        runs_model=True,
        source="Mohebbi et al. (2023)",
    ),
)
# What removing a token does is a score itself, and as one the ceiling of all others: no method can
# agree with one way to remove tokens better than the other ways do.
LEFT_OUT: dict[str, str] = {removal: f"left_out_{removal}" for removal in REMOVALS}
RANDOM = "random"
EXPLANATIONS = (
    Explanation(
        "barrier_flow", "weights", in_texts=False, source="Azarkhalili and Libbrecht (2025)"
    ),
    Explanation(
        "gradient_norm",
        "gradients",
        "gradients",
        source="Simonyan et al. (2014)",
    ),
    Explanation(
        "gradient_x_input",
        "gradients",
        "gradients",
        signed=True,
        source="Shrikumar et al. (2017)",
    ),
    Explanation(
        "integrated_gradients",
        "gradients",
        "integrated_gradients",
        signed=True,
        source="Sundararajan et al. (2017)",
    ),
    Explanation(
        "attn_lrp", "gradients", of_pass="attn_lrp", signed=True, source="Achtibat et al. (2024)"
    ),
    Explanation(
        "expected_gradients", "gradients", signed=True, in_texts=False, source="Erion et al. (2021)"
    ),
    Explanation("alti_logit", "vectors", signed=True, source="Ferrando et al. (2023)"),
    Explanation(
        "decompx", "vectors", of_pass="decompx", signed=True, source="Modarressi et al. (2023)"
    ),
    Explanation(
        "relevance_sum",
        "gradients",
        "gradients",
        rows=(*READ, "from"),
        against=True,
        source="Chefer et al. (2021)",
    ),
    Explanation(
        "relevance_rollout",
        "gradients",
        "gradients",
        rows=(*READ, "from"),
        against=True,
        source="Chefer et al. (2021)",
    ),
    *(Explanation(name, "removal") for name in LEFT_OUT.values()),
    Explanation(RANDOM, "baseline"),
)
CATALOGUE: dict[str, Attribution] = {one.name: one for one in ENTRIES}
OF_PREDICTIONS: dict[str, Explanation] = {one.name: one for one in EXPLANATIONS}


def entry(name: str) -> Attribution:
    """Return an attribution by its name."""
    return CATALOGUE[name]


class Labelled(NamedTuple):
    """What is written under a label: a method, and how it is asked.

    Attributes
    ----------
    label
        Under which numbers of it are written.
    method
        An entry of the catalogue.
    rolled
        Whether a matrix is followed through the layers.
    sign
        Of scores: ``unsigned`` for their sizes, ``against`` for evidence against the class.
    """

    label: str
    method: Attribution | Explanation
    rolled: bool = False
    sign: Literal["", "unsigned", "against"] = ""

    @property
    def family(self) -> str:
        """That of the method; ``propagation`` where weights are followed through the layers."""
        family = self.method.family
        return "propagation" if self.rolled and family == "weights" else family

    @property
    def final(self) -> bool:
        """Whether it is held against what a whole model predicts."""
        if isinstance(self.method, Attribution):
            return self.method.scores_tokens if self.rolled else self.method.scores_layers
        return self.sign != "against" and self.method.in_texts


def labels() -> dict[str, Labelled]:
    """List all labels: attributions of layers and followed through them, scores and their sizes."""
    listed: list[Labelled] = []
    for one in CATALOGUE.values():
        if not one.whole:
            listed.append(Labelled(one.name, one))
        if one.through:
            listed.append(Labelled(one.label(whole=True), one, rolled=True))
    for other in OF_PREDICTIONS.values():
        listed.append(Labelled(other.name, other))
        if other.signed:
            listed.append(Labelled(other.unsigned, other, sign="unsigned"))
        if other.against:
            listed.append(Labelled(other.opposed, other, sign="against"))
    return {one.label: one for one in listed}


def chosen(*wanted: str) -> tuple[str, ...]:
    """Return these labels, a choice of a reader's own, held against the catalogue."""
    known = labels()
    for label in wanted:
        if label not in known:
            raise KeyError(f"{label} is no label of the catalogue")
    return wanted


def select(**wanted: object) -> list[Attribution]:
    """Choose the attributions whose attributes have these values, in the order of the catalogue."""
    return _having(CATALOGUE.values(), wanted)


def contributions() -> list[Attribution]:
    """Choose methods of what each layer adds up, which *mixing* measures rolled out.

    Value zeroing, which runs the model, is apart.
    """
    of_vectors = select(family="vectors", whole=False, runs_model=False)
    # Of the same sum, by weights alone.
    return [one for one in CATALOGUE.values() if one in of_vectors or one.name == "attn_w"]


def by_attention() -> list[Attribution]:
    """Choose methods that go by attention weights alone, or by nothing, as *propagation* does.

    Those of them that have a residual connection read its share from the settings.
    """
    there = contributions()
    return [
        one
        for family in ("weights", "baseline")
        for one in select(family=family)
        if one not in there
    ]


def explanations(**wanted: object) -> list[Explanation]:
    """Choose the explanations whose attributes have these values, in the order of the catalogue."""
    return _having(OF_PREDICTIONS.values(), wanted)


def _having(methods: Iterable[T], wanted: Mapping[str, object]) -> list[T]:
    return [
        one for one in methods if all(getattr(one, name) == value for name, value in wanted.items())
    ]
