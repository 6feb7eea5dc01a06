"""Hold every attribution against what the model does without tokens or with others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attention_mixing.attributions.catalogue import (
    LEFT_OUT,
    RANDOM,
    READ,
    Attribution,
    Labelled,
    explanations,
    labels,
)
from attention_mixing.attributions.selections import PAIRED_WITH
from attention_mixing.capture.subset import choose
from attention_mixing.capture.text import Text
from attention_mixing.capture.token_scores import Rows, TokenScores
from attention_mixing.measures.engine.definition import (
    LAYER,
    SHARE,
    SIGNED,
    CapturedCorpus,
    Field,
    Given,
    Gives,
    Measure,
    OfCorpus,
    Values,
    each_of,
    gives,
)
from attention_mixing.measures.minimal_pairs import (
    AGREEMENT,
    DECIDES,
    TOP_WORD,
    ChangeableWords,
)
from attention_mixing.measures.removal import CHANGED as CHANGED_WORDS
from attention_mixing.measures.removal import Ask, asking, removable
from attention_mixing.methods.faithfulness import (
    DRAWS,
    comprehensiveness,
    evidence_auc,
    normalised,
    precision_at_one,
    rank_correlation,
    removal_order,
    removed_counts,
    sufficiency,
)
from attention_mixing.settings.derived import predicts
from attention_mixing.settings.measures import REMOVALS

GRADIENT = "gradient_norm"  # what "gradient" correlates with, as Abnar and Zuidema did
BLANK_OUT = tuple(f"blank_out_{removal}" for removal in REMOVALS)
TOP = tuple(f"top_{removal}" for removal in REMOVALS)
PLANTED = ("roc_auc", "average_precision", "precision_at_one")
# What is asked of words that the corpus knows how to change.
CHANGED = (AGREEMENT, TOP_WORD)
# What would hold a method against itself.
ITSELF: dict[str, tuple[str, ...]] = {GRADIENT: ("gradient",)} | {
    method: (f"blank_out_{removal}", f"top_{removal}") for removal, method in LEFT_OUT.items()
}
REMOVED = ("comprehensiveness", "sufficiency")
NORMALISED = "comprehensiveness_normalised"

Scores = NDArray[np.float32]


class StateScores(NamedTuple):
    """Scores of the tokens of a text, and by which state of the model.

    Attributes
    ----------
    variant, predicts
        Of the state, and whether it is the one that predicts.
    by
        Method, what is read of it, and the scores.
    """

    variant: str
    predicts: bool
    by: TokenScores

    @property
    def final(self) -> bool:
        """Whether the last scores are what the whole model that predicts is explained by."""
        return self.predicts and self.by.rows in ("cls", "input") and labels()[self.by.method].final


def faithfulness(corpus: CapturedCorpus, given: Given) -> OfCorpus:
    """Hold every attribution against removed and changed words, gradients and planted evidence.

    Of each method (``subject``), by what is read of it (``facet``, the rows of its
    :class:`attention_mixing.capture.token_scores.TokenScores`) and by layer: for each way to remove
    a token, Spearman correlation with blank-out, and whether the highest score is at the token that
    costs most (``top_``); the correlation with the ``gradient``'s norm; ``roc_auc``,
    ``average_precision`` and ``precision_at_one`` against planted evidence. Blank-out is asked of
    texts that react: where removing some token moves the probability by ``faithfulness.effect`` at
    least (``reacts``).

    Where a text has minimal pairs (:attr:`attention_mixing.corpora.corpus.Corpus.examples`), the
    same is asked of the words that they change: the correlation with what each change costs
    (``counterfactual``), and whether the highest score is at the word that costs most
    (``top_counterfactual``); a word scores as its highest token. ``evidence_decides`` and
    ``first_decides`` tell whether that word is evidence, and the first of those words.

    Kind ``final`` are the scores of the whole fine-tuned model, with their ``comprehensiveness``,
    also between the limits of the text (``comprehensiveness_normalised``), and ``sufficiency``,
    which ``random`` has as the mean of many random orders; ``correlation`` (``facet`` the other
    method) is that of two of them. Special tokens and [MASK] are neither scored nor removed, and no
    token is replaced by one that the tokenizer does not have. Shown: ``explained``, all final
    scores of the first text. Token scores of every way to remove tokens (:data:`LEFT_OUT`).
    """
    state, examples = corpus.states[-1], corpus.examples
    generator = np.random.default_rng(given.settings["faithfulness.seed"])
    zeroed = set(choose(state.examples, given.settings["propagation.value_zeroing"])["id"])
    ask = asking(corpus, given)
    texts = [state.text(text) for text in examples["id"]]
    answered = [dict(text.field("removal")) for text in texts]
    changed = [of_text.pop(CHANGED_WORDS, None) for of_text in answered]
    words = [None if of_text is None else ChangeableWords.of(of_text) for of_text in changed]
    chosen = [removable(text.tokens) for text in texts]
    # As the removals are listed, whatever order they were written in.
    blank_out: list[dict[str, NDArray[np.float64]]] = [
        {way: of_text[way] for way in REMOVALS if way in of_text} for of_text in answered
    ]
    attributions = [
        _attributions(
            [of_state.text(text) for of_state in corpus.states], text in zeroed, losses, generator
        )
        for text, losses in zip(examples["id"], blank_out, strict=True)
    ]
    removed = _removed(ask, given, examples, chosen, attributions, blank_out, generator)
    effect = given.settings["faithfulness.effect"]
    answers = list(map(Answers, chosen, blank_out, words, removed))
    for example, of_text, answer in zip(examples["id"], attributions, answers, strict=True):
        measured = _of_text(state.text(example), of_text, answer, effect)
        for variant, values in measured.items():
            yield variant, int(example), values
        yield state.variant, int(example), answer.token_scores(len(state.weights))
    first = state.text(examples["id"].iloc[0])
    table = _explained(first, attributions[0])
    yield state.variant, first.id, [Field("explained", table, shown=True)]


class Answers(NamedTuple):
    """What the model says of one text without some of its tokens, or with others.

    Attributes
    ----------
    removable
        Which tokens can be removed, ``[token]``.
    blank_out
        How a token is removed -> what the probability of the predicted class loses without each
        token, ``[token]``; nan for those that are not removed.
    words
        What the change of each word costs; None where the corpus knows of no changes.
    removed
        Measure -> method of a final score -> value.
    """

    removable: NDArray[np.bool_]
    blank_out: dict[str, NDArray[np.float64]]
    words: ChangeableWords | None
    removed: dict[str, dict[str, float]]

    def token_scores(self, layers: int) -> list[TokenScores]:
        """Give what removing each token costs as scores of tokens, not a number for the others."""
        return [
            TokenScores(LEFT_OUT[removal], "input", costs[None].astype(np.float32), layers)
            for removal, costs in self.blank_out.items()
        ]


def _attributions(
    texts: Sequence[Text],
    zeroed: bool,
    blank_out: dict[str, NDArray[np.float64]],
    generator: np.random.Generator,
) -> list[StateScores]:
    """Attributions of all measures for one text in every state, and what they are held against.

    ``zeroed`` tells whether value zeroing is measured of it; ``blank_out`` is as of
    :class:`Answers`. The generator is that of the random baseline.
    """
    tokens, layers = len(texts[-1].tokens), len(texts[-1].state.weights)
    # What a tokenizer has no token for has no scores, of any token.
    unknown = np.full(tokens, np.nan)
    beside = {LEFT_OUT[removal]: blank_out.get(removal, unknown) for removal in REMOVALS}
    beside[RANDOM] = generator.random(tokens)
    measures = ("propagation", "mixing", *(["value_zeroing"] if zeroed else []))
    attributions = []
    for text in texts:
        scores = [attributed for measure in measures for attributed in text.token_scores(measure)]
        predicts = text is texts[-1]
        if predicts:
            for measure in ("relevance", "alti_logit"):
                scores += text.token_scores(measure)
            # Without a sign as well, as what they are compared with has none.
            sizes = {one.name: one.unsigned for one in explanations(signed=True)}
            scores += [
                replace(
                    attributed, method=sizes[attributed.method], scores=np.abs(attributed.scores)
                )
                for attributed in scores
                if attributed.method in sizes
            ]
            for method, values in beside.items():
                scores.append(TokenScores(method, "input", values[None].astype(np.float32), layers))
        attributions += [StateScores(text.state.variant, predicts, by) for by in scores]
    return attributions


def _removed(
    ask: Ask,
    given: Given,
    examples: pd.DataFrame,
    removable: list[NDArray[np.bool_]],
    attributions: list[list[StateScores]],
    blank_out: list[dict[str, NDArray[np.float64]]],
    generator: np.random.Generator,
) -> list[dict[str, dict[str, float]]]:
    """Ask about every text without the top of each final score, and with nothing else.

    Beside them random orders, and what it costs to remove a token from the cheapest on: with the
    order from the dearest on, which is one of the scores, it sets the limits of the text.
    """
    settings = given.settings
    fractions, removal = settings["faithfulness.fractions"], settings["faithfulness.removal"]
    sets: list[list[Any]] = []
    for of_text, chosen, costs in zip(attributions, removable, blank_out, strict=True):
        counts = removed_counts(fractions, int(chosen.sum()))
        ties, *random_scores = generator.random((1 + DRAWS, len(chosen)), np.float32)
        removed: list[Any] = [[]]
        worst = -costs[removal]
        for scores in (*_final(of_text).values(), *random_scores, worst) if counts else ():
            ranking = ties if np.isnan(scores).all() else scores
            order = removal_order(ranking, chosen, ties)
            removed += [order[:count] for count in counts]
            removed += [order[count:] for count in counts]
        sets.append(removed)
    of_texts = []
    answered = ask(sets, removal)
    for of_text, prediction, answers in zip(
        attributions, examples["prediction"].astype(int), answered, strict=True
    ):
        full, *others = answers[:, prediction]
        methods = list(_final(of_text))
        orders = len(methods) + DRAWS + 1
        # [order, without or only, fraction], unless no fraction of the text is of tokens enough.
        probabilities = (
            np.reshape(others, (orders, 2, -1)) if others else np.full((orders, 2, 1), np.nan)
        )
        without, only = probabilities.transpose(1, 0, 2)
        before = np.full(orders, full)
        drops = comprehensiveness(before, without)
        of_orders = {
            "comprehensiveness": drops,
            NORMALISED: normalised(drops, settings["faithfulness.effect"]),
            "sufficiency": sufficiency(before, only),
        }
        for values in of_orders.values():
            values[methods.index(RANDOM)] = values[len(methods) : -1].mean()
            for method, scores in _final(of_text).items():
                if np.isnan(scores).all():
                    values[methods.index(method)] = np.nan
        of_texts.append(
            {
                measure: dict(zip(methods, values.tolist(), strict=False))
                for measure, values in of_orders.items()
            }
        )
    return of_texts


def _final(attributions: list[StateScores]) -> dict[str, Scores]:
    """Choose what the whole fine-tuned model is explained by: method -> scores ``[token]``."""
    final = (attribution.by for attribution in attributions if attribution.final)
    return {by.method: by.scores[-1] for by in final}


def _of_text(
    text: Text, attributions: list[StateScores], answers: Answers, effect: float
) -> dict[str, list[Values]]:
    """Values of one text in every state of the model."""
    values: dict[str, list[Values]] = {attribution.variant: [] for attribution in attributions}
    predicting = values[text.state.variant]
    removable = answers.removable
    losses = {removal: costs[removable] for removal, costs in answers.blank_out.items()}
    largest = {removal: np.abs(costs).max(initial=0) for removal, costs in losses.items()}
    reacting = {removal: losses[removal] for removal in losses if largest[removal] >= effect}
    for removal in losses:
        predicting.append(Values("reacts", float(removal in reacting), removal))
    evidence = text.tokens["is_evidence"][removable]
    words = answers.words if answers.words and answers.words.decide(effect) else None
    if words:
        planted = text.tokens["is_evidence"].fillna(False).to_numpy(bool)
        predicting += each_of(words.decides(planted))
    final = {method: scores[removable] for method, scores in _final(attributions).items()}
    for attribution in attributions:
        by = attribution.by
        scores = by.scores[:, removable]
        measured = _ranks(scores, reacting, evidence)
        undefined = np.full(len(scores), np.nan)
        measured |= words.ranks(by.scores) if words else dict.fromkeys(CHANGED, undefined)
        measured["gradient"] = rank_correlation(scores, final[GRADIENT])
        for quantity in ITSELF.get(by.method, ()):
            measured[quantity] = np.full(len(scores), np.nan)
        values[attribution.variant] += each_of(
            measured, subject=by.method, facet=by.rows, layer=by.first_layer
        )
        if attribution.final:
            whole = {quantity: by_layer[-1] for quantity, by_layer in measured.items()}
            predicting += each_of(whole, subject=by.method, facet="final")
    for measure, removed in answers.removed.items():
        predicting += [Values(measure, value, method, "final") for method, value in removed.items()]
    chosen = np.stack(list(final.values()))
    matrix = rank_correlation(chosen[:, None], chosen[None])
    for (row, method), (column, other) in product(enumerate(final), repeat=2):
        predicting.append(Values("correlation", matrix[row, column], method, other))
    return values


def _ranks(
    scores: Scores, reacting: Mapping[str, NDArray[np.float64]], evidence: pd.Series
) -> dict[str, NDArray[np.float64]]:
    """Rank measures of the attributions of one text by one method, ``[layer]`` each.

    ``reacting`` has what removing each token costs, where some token costs enough.
    """
    undefined = np.full(len(scores), np.nan)
    measured: dict[str, NDArray[np.float64]] = {}
    for removal in REMOVALS:
        agreement = top = undefined
        if removal in reacting:
            costs = reacting[removal]
            agreement = rank_correlation(scores, costs)
            top = precision_at_one(scores, costs == costs.max())
        measured |= {f"blank_out_{removal}": agreement, f"top_{removal}": top}
    of_planted = (undefined, undefined, undefined)
    if not evidence.isna().any():  # else a corpus without planted evidence
        planted = evidence.to_numpy(bool)
        of_planted = (*evidence_auc(scores, planted), precision_at_one(scores, planted))
    return measured | dict(zip(PLANTED, of_planted, strict=True))


def _explained(text: Text, attributions: list[StateScores]) -> pd.DataFrame:
    """All final scores of one text, a row a token and method."""
    columns = text.shown_tokens[["position", "token", "is_special", "is_evidence"]]
    return pd.concat(
        [
            columns.assign(method=method, score=values)
            for method, values in _final(attributions).items()
        ],
        ignore_index=True,
    )


def attribution_quantities() -> Iterator[Gives]:
    """Declare what is measured of the scores of every method, by what is read of it."""
    every = [one for one in labels().values() if one.final or one.sign == "against"]
    comes_in: dict[tuple[str, ...], tuple[str, ...]] = {
        rows: tuple(one.label for one in every if rows[0] in rows_of(one))
        for rows in (READ, ("from",), ("input",))
    }
    for rows, methods in (comes_in | {("final",): explaining()}).items():
        axes = () if rows == ("final",) else LAYER
        about = {"subject": methods, "facet": rows, "saturates": True}
        yield from gives((*BLANK_OUT, AGREEMENT, "gradient"), axes, SIGNED, **about)
        yield from gives((*TOP, TOP_WORD, *PLANTED), axes, SHARE, **about)


def explaining() -> tuple[str, ...]:
    """Labels of all by which what a whole model predicts is explained."""
    return tuple(one.label for one in labels().values() if one.final)


def rows_of(one: Labelled) -> tuple[Rows, ...]:
    """Name what is read of a method to score tokens."""
    return READ if isinstance(one.method, Attribution) else one.method.rows


MEASURES = (
    Measure(
        "faithfulness",
        faithfulness,
        kind="corpus",
        settings=(
            *("faithfulness.batch_size", "faithfulness.effect", "faithfulness.fractions"),
            *("faithfulness.removal", "faithfulness.seed", "propagation.value_zeroing"),
            *("device", "experiment.length", "experiment.task"),
        ),
        panel="faithfulness.examples",
        gives=lambda: (
            *attribution_quantities(),
            *gives(REMOVED, range=SIGNED, subject=explaining(), facet=("final",), saturates=True),
            Gives(NORMALISED, (), SHARE, explaining(), ("final",), saturates=True),
            Gives("correlation", (), SIGNED, explaining(), explaining(), saturates=True),
            Gives("reacts", (), SHARE, REMOVALS, saturates=True),
            *gives(DECIDES, range=SHARE, saturates=True),
        ),
        after=("propagation", "mixing", "value_zeroing", "relevance", "alti_logit", "removal"),
        defined=predicts,
        contrasts={"final": PAIRED_WITH},
    ),
)
