r"""Score measures by what they recover of circuits.

A measure of a text is a matrix of what each token (query) draws on (token), of each layer or of the
whole model. Rows of symbols are held against the truth (:mod:`attention_mixing.circuits.truth`),
those of the beginning are not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, product
from typing import Literal, Protocol, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from tqdm import tqdm
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from attention_mixing.attributions.catalogue import Estimand
from attention_mixing.capture.one_text import RecordedText
from attention_mixing.circuits.by_hand import GAIN, NORMS, Norm
from attention_mixing.circuits.estimands import ESTIMANDS
from attention_mixing.circuits.parts import PLACES
from attention_mixing.circuits.programs import CIRCUITS, Circuit, circuit, draw_text
from attention_mixing.circuits.truth import Truth, Truths, truths
from attention_mixing.errors import InputError, quoted, require
from attention_mixing.methods.arrays import defined_mean
from attention_mixing.methods.dependence import beside_truth, effect_shares, with_ties
from attention_mixing.methods.faithfulness import evidence_auc

__all__ = ["SCORES", "score", "scored"]

Matrix = NDArray[np.floating]
Through = Literal["layer", "model"]


class ScoredModel(Protocol):
    """A model that measures are scored on: a circuit, or one that has learned a task.

    It labels every token; of either is known where its layers normalise, the seed it was made by,
    and its texts, ``[symbol]``.
    """

    @property
    def name(self) -> str: ...
    @property
    def norm(self) -> Norm: ...
    @property
    def seed(self) -> int: ...
    @property
    def model(self) -> PreTrainedModel: ...
    @property
    def tokenizer(self) -> PreTrainedTokenizerBase: ...
    def capture(self, text: Sequence[str]) -> RecordedText:
        """Capture a text, ``[symbol]``."""

    def draw_text(self, generator: np.random.Generator) -> list[str]:
        """Draw a text, ``[symbol]``, from a generator that goes on."""


AnyModel = TypeVar("AnyModel", bound=ScoredModel)
CircuitMeasure = Callable[[RecordedText, ScoredModel], Matrix]
"""From a captured text and its circuit to ``[layer, query, token]``, or ``[query, token]``."""

SCORES = (
    *("roc_auc", "roc_auc_symbols", "average_precision"),
    *("total_variation", "rank_correlation", "mixing_error", "mixing_error_lengths"),
)


def score(matrices: Matrix, truth: Truth) -> dict[str, NDArray[np.float64]]:
    r"""Hold matrices against the truth.

    Parameters
    ----------
    matrices
        ``[..., query, token]``. Signs are left out, and rows divided by their sums.
    truth
        Of the same text.

    Returns
    -------
    dict
        ``[...]`` each: means over the rows of symbols that have a score; nan where none has.
        ``roc_auc`` and ``average_precision`` of the tokens that are depended on among all, and
        ``roc_auc_symbols`` among all but the beginning, on which nothing depends; and those of
        :func:`attention_mixing.methods.dependence.beside_truth`.
    """
    depends, share = truth.depends[1:], truth.share[1:]
    # Not a number where nothing is drawn on.
    shares = effect_shares(np.abs(np.asarray(matrices, np.float64))[..., 1:, :])
    ranked = with_ties(shares)
    # Of each query, over all matrices.
    by_query = [evidence_auc(ranked[..., i, :], depended) for i, depended in enumerate(depends)]
    symbols = [evidence_auc(ranked[..., i, 1:], depended[1:]) for i, depended in enumerate(depends)]
    by_row = {
        "roc_auc": np.stack([auc for auc, _ in by_query], axis=-1),
        "roc_auc_symbols": np.stack([auc for auc, _ in symbols], axis=-1),
        "average_precision": np.stack([precision for _, precision in by_query], axis=-1),
        **beside_truth(shares, share),
    }
    return {name: np.asarray(defined_mean(values, axis=-1)) for name, values in by_row.items()}


def scored(
    measures: Mapping[str, CircuitMeasure],
    *,
    through: Through,
    estimand: Estimand = "effect",
    circuits: Iterable[str | Circuit] = tuple(CIRCUITS),
    norms: Iterable[Norm] = NORMS,
    seeds: Iterable[int] = range(3),
    gain: float = GAIN,
    norm_gains: bool = False,
    places: int = PLACES,
    texts: int = 4,
    text_seed: int = 0,
) -> pd.DataFrame:
    """Score measures on circuits, in several bases and on several texts.

    With all measures of the library this takes minutes. A terminal shows how far it is and how long
    the rest will take; fewer circuits, norms, seeds, texts or measures make it shorter, each in
    proportion.

    Parameters
    ----------
    measures
        Name -> measure. Through layers it gives ``[layer, query, token]``, of the whole model
        ``[query, token]``.
    through
        ``layer``: each layer by what enters it; ``model``: logits by symbols.
    estimand
        What they are held against: ``effect``, ``provenance`` or ``keys``
        (:func:`attention_mixing.circuits.truth.truths`).
    circuits, norms
        Of :data:`CIRCUITS`, or such as were drawn, and where layers normalise.
    seeds
        Of the bases.
    gain
        Of the scores of heads: with less, attention is less than all or nothing
        (:func:`attention_mixing.circuits.programs.circuit`).
    norm_gains
        Whether norms have gains and biases.
    places
        Tokens of a text, the beginning among them.
    texts
        How many are drawn; the same for all.
    text_seed
        Of the texts.

    Returns
    -------
    DataFrame
        ``circuit, norm, seed, text, layer, measure, score, value``; ``layer`` is 0 of the model.

    Raises
    ------
    InputError
        If a matrix has another shape, or there is no such circuit, norm, estimand or ``through``;
        and as :func:`attention_mixing.circuits.truth.truths` of less than full gain.
    """
    require(through, "ways", ["layer", "model"])
    table = scored_together(
        {through: measures},
        estimands=[estimand],
        circuits=circuits,
        norms=norms,
        seeds=seeds,
        gain=gain,
        norm_gains=norm_gains,
        places=places,
        texts=texts,
        text_seed=text_seed,
    )
    return table.drop(columns=["through", "estimand"])


def scored_together(
    measures: Mapping[Through, Mapping[str, CircuitMeasure]],
    *,
    estimands: Iterable[Estimand] = ESTIMANDS,
    circuits: Iterable[str | Circuit] = tuple(CIRCUITS),
    norms: Iterable[Norm],
    seeds: Iterable[int],
    gain: float = GAIN,
    norm_gains: bool = False,
    places: int = PLACES,
    texts: int,
    text_seed: int,
    title: str = "score circuits",
) -> pd.DataFrame:
    """Score measures through layers and of the model as :func:`scored` does, on texts taken once.

    The table is that of :func:`scored`, with ``through`` and ``estimand`` first. A terminal shows
    how far it is, under the ``title``, and how long the rest will take.
    """
    chosen = [*product(circuits, norms, seeds)]
    write = partial(circuit, gain=gain, norm_gains=norm_gains, places=places)
    return scored_on(
        measures,
        (write(name, norm=norm, seed=seed) for name, norm, seed in chosen),
        truths,
        estimands=estimands,
        texts=texts,
        text_seed=text_seed,
        title=title,
        total=len(chosen),
    )


def scored_on(
    measures: Mapping[Through, Mapping[str, CircuitMeasure]],
    models: Iterable[AnyModel],
    known: Callable[[AnyModel, list[str], Estimand], Truths],
    *,
    estimands: Iterable[Estimand] = ESTIMANDS,
    texts: int,
    text_seed: int,
    title: str,
    total: int,
) -> pd.DataFrame:
    """Score measures on models as :func:`scored_together` does on circuits.

    ``known`` tells what depends on what, such as :func:`attention_mixing.circuits.truth.truths`;
    ``total`` counts the models, which are made when they are scored.
    """
    rows: dict[str, list[tuple[object, ...]]] = {through: [] for through in measures}
    estimands = [*estimands]
    with tqdm(desc=title, total=total * texts, disable=None, unit="text") as bar:
        for model in models:
            of_model = model.name, model.norm, model.seed
            for number, text in enumerate(draw_texts(texts, text_seed, model.draw_text)):
                true = {estimand: known(model, text, estimand) for estimand in estimands}
                for (through, estimand), *row in _of_text(measures, true, model, text):
                    rows[through].append((through, estimand, *of_model, number, *row))
                bar.update()
    columns = ["circuit", "norm", "seed", "text", "layer", "measure", "score", "value"]
    return pd.DataFrame([*chain(*rows.values())], columns=["through", "estimand", *columns])


def _of_text(
    measures: Mapping[Through, Mapping[str, CircuitMeasure]],
    true: Mapping[Estimand, Truths],
    model: ScoredModel,
    text: list[str],
) -> Iterator[tuple[tuple[Through, Estimand], int, str, str, float]]:
    """Score measures on one text: ``(through, estimand), layer, measure, score, value``."""
    captured = model.capture(text)
    for through, named in measures.items():
        targets = {
            estimand: of.layers if through == "layer" else (of.model,)
            for estimand, of in true.items()
        }
        of_measures = {}
        for measure, work in named.items():
            matrices = np.asarray(work(captured, model))
            if through == "model":
                matrices = matrices[None]
            _require_shape(matrices, targets[next(iter(targets))], measure, through)
            of_measures[measure] = matrices
        # [layer, measure, query, token]
        stacked = np.stack([*of_measures.values()], axis=1)
        for estimand, of_layers in targets.items():
            for layer, (matrices, truth) in enumerate(
                zip(stacked, of_layers, strict=True), 1 if through == "layer" else 0
            ):
                for kind, values in score(matrices, truth).items():
                    for measure, value in zip(of_measures, values, strict=True):
                        yield (through, estimand), layer, measure, kind, value


def draw_texts(
    count: int, seed: int, draw: Callable[[np.random.Generator], list[str]] = draw_text
) -> list[list[str]]:
    """Draw the texts that measures are scored on, ``[text][symbol]``."""
    generator = np.random.default_rng(seed)
    return [draw(generator) for _ in range(count)]


def _require_shape(
    matrices: Matrix, targets: tuple[Truth, ...], measure: str, through: Through
) -> None:
    allowed = (len(targets), *targets[0].depends.shape)
    if matrices.shape != allowed:
        skipped = 0 if through == "layer" else 1
        raise InputError(
            f"the measure {quoted(measure)} gives an array of shape {matrices.shape[skipped:]}; "
            f"allowed through={quoted(through)}: {allowed[skipped:]}; give a row a query, a column "
            "a token."
        )
