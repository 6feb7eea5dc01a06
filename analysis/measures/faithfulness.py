"""Hold every attribution against what the model does when tokens are removed, and the evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.capture.fields import TokenScores
from analysis.capture.text import Text
from analysis.measures.definition import (
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
    classified,
    each_of,
    gives,
)
from analysis.measures.finetuned import finetuned
from analysis.measures.mixing import MATRICES, SINGLE
from analysis.measures.propagation import SCORED
from analysis.measures.relevance import GRADIENTS, RULES
from analysis.methods.faithfulness import (
    DRAWS,
    comprehensiveness,
    evidence_auc,
    rank_correlation,
    removal_order,
    sufficiency,
    top_positions,
)
from analysis.models.ablation import Removal

REMOVALS: tuple[Removal, ...] = ("delete", "mask", "unknown")
GRADIENT = "gradient_norm"  # what "gradient" correlates with, as Abnar and Zuidema did
PAIRED_WITH = ("raw", "rollout")
# Methods whose matrices are read by rows, and those that score input tokens themselves.
AGAINST = tuple(f"{rule}_against" for rule in RULES)
BY_ROWS = (
    *(*SCORED, *SINGLE, *(f"{matrix}_rollout" for matrix in MATRICES)),
    *("value_zeroing", "value_zeroing_rollout", *RULES, *AGAINST),
)
BASELINES = ("random", "uniform")
AT_INPUT = (*GRADIENTS, "alti_logit", *BASELINES)
# By what the whole fine-tuned model is explained.
EXPLAINS = (*(method for method in BY_ROWS if method not in AGAINST), *AT_INPUT)
BLANK_OUT = tuple(f"blank_out_{removal}" for removal in REMOVALS)
REMOVED = ("comprehensiveness", "sufficiency")

Scores = NDArray[np.float32]


class Attribution(NamedTuple):
    """Scores of the tokens of a text, and by which state of the model.

    Attributes
    ----------
    variant
        Of the state.
    by
        Method, what is read of it, and the scores.
    """

    variant: str
    by: TokenScores

    @property
    def final(self) -> bool:
        """Whether the last scores are what the whole fine-tuned model is explained by."""
        explains = self.by.rows in ("cls", "input") and not self.by.method.endswith("_against")
        return self.variant == "finetuned" and explains


def faithfulness(corpus: CapturedCorpus, given: Given) -> OfCorpus:
    """Correlate every attribution with removed tokens, gradients and planted evidence.

    Of each method (``of``), by what is read of it (``kind``, the rows of
    :class:`analysis.capture.fields.TokenScores`) and layer: Spearman correlation with blank-out, by
    how a token is removed, and with the ``gradient``'s norm; ``roc_auc`` and ``average_precision``
    against planted evidence. Kind ``final`` are the
    scores of the whole fine-tuned model, with their ``comprehensiveness`` and ``sufficiency``;
    ``correlation`` (``kind`` the other method) is that of two of them. Shown: ``explained``, all
    final scores of the first text and what removing each token does. The method ``random`` has the
    mean ``comprehensiveness`` and ``sufficiency`` of many random orders.
    """
    settings = given.params.faithfulness
    state, examples = corpus.states[-1], corpus.examples
    generator = np.random.default_rng(settings.seed)
    zeroed = set(corpus.panel(given.params.propagation.value_zeroing)["id"])
    attributions = [
        _attributions([one.text(text) for one in corpus.states], text in zeroed, generator)
        for text in examples["id"]
    ]
    answers = _answers(corpus, given, examples, attributions, generator)
    for example, of_text, answer in zip(examples["id"], attributions, answers, strict=True):
        for variant, measured in _of_text(state.text(example), of_text, answer).items():
            yield variant, int(example), measured
    first = state.text(examples["id"].iloc[0])
    table = _explained(first, attributions[0], answers[0])
    yield state.variant, first.id, [Field("explained", table, shown=True)]


def _attributions(
    texts: Sequence[Text], zeroed: bool, generator: np.random.Generator
) -> list[Attribution]:
    """Attributions of all measures for one text in every state, and two baselines.

    Parameters
    ----------
    texts
        The text in every state.
    zeroed
        Whether value zeroing is measured of it.
    generator
        Of the random baseline.
    """
    tokens, layers = len(texts[-1].tokens), len(texts[-1].state.weights)
    baselines = {"random": generator.random(tokens), "uniform": np.ones(tokens)}
    measures = ("propagation", "mixing", *(["value_zeroing"] if zeroed else []))
    attributions = []
    for text in texts:
        scores = [one for measure in measures for one in text.token_scores(measure)]
        if text.state.variant == "finetuned":
            for measure in ("relevance", "alti_logit"):
                scores += text.token_scores(measure)
            for method, baseline in baselines.items():
                scores.append(
                    TokenScores(method, "input", baseline[None].astype(np.float32), layers)
                )
        attributions += [Attribution(text.state.variant, by) for by in scores]
    return attributions


class Answers(NamedTuple):
    """What the model says of one text without some of its tokens.

    Attributes
    ----------
    blank_out
        How a token is removed -> what the probability of the predicted class loses without each
        removable token, ``[token]``.
    removed
        Measure -> method of a final score -> value.
    """

    blank_out: dict[str, NDArray[np.float64]]
    removed: dict[str, dict[str, float]]


def _answers(
    corpus: CapturedCorpus,
    given: Given,
    examples: pd.DataFrame,
    attributions: list[list[Attribution]],
    generator: np.random.Generator,
) -> list[Answers]:
    """Ask about every text without each token, and without the top of each final score."""
    from analysis.models.ablation import ablate
    from analysis.models.encode import encode_examples

    settings, experiment = given.params.faithfulness, given.params.experiments[given.name]
    state = corpus.states[-1]
    model, tokenizer, device = finetuned(corpus, given)
    encoded = encode_examples(examples, tokenizer, experiment.length)
    removable = [~state.text(example).special for example in examples["id"]]
    answers = [Answers({}, {}) for _ in encoded]
    for removal in REMOVALS:
        sets: list[list[Any]] = []
        for of_text, chosen in zip(attributions, removable, strict=True):
            asked: list[Any] = [[], *([position] for position in np.flatnonzero(chosen))]
            if removal == settings.removal:
                drawn = generator.random((DRAWS, len(chosen)), np.float32)
                for scores in (*_final(of_text).values(), *drawn):
                    asked += _tops(scores, chosen, settings.fractions)
            sets.append(asked)
        probabilities = ablate(
            model,
            tokenizer,
            encoded,
            sets,
            removal=removal,
            device=device,
            batch_size=settings.batch_size,
        )
        for place, (prediction, told) in enumerate(
            zip(examples["prediction"].astype(int), probabilities, strict=True)
        ):
            full, *others = told[:, prediction]
            count = int(removable[place].sum())
            answers[place].blank_out[removal] = full - np.array(others[:count])
            if removal == settings.removal:
                methods = list(_final(attributions[place]))
                # [order, without or only, fraction], as _tops gives them.
                kept = np.reshape(others[count:], (len(methods) + DRAWS, 2, -1))
                for side, measure in enumerate((comprehensiveness, sufficiency)):
                    values = measure(np.full(len(kept), full), kept[:, side])
                    values[methods.index("random")] = values[len(methods) :].mean()
                    removed = dict(zip(methods, values, strict=False))
                    answers[place].removed[measure.__name__] = removed
    return answers


def _final(attributions: list[Attribution]) -> dict[str, Scores]:
    """Choose what the whole fine-tuned model is explained by: method -> scores ``[token]``."""
    final = (attribution.by for attribution in attributions if attribution.final)
    return {by.method: by.scores[-1] for by in final}


def _tops(
    scores: Scores, removable: NDArray[np.bool_], fractions: tuple[float, ...]
) -> Iterator[NDArray[np.intp]]:
    """Positions to remove: the top tokens for every fraction, then all others for every one."""
    tops = [top_positions(scores, removable, fraction) for fraction in fractions]
    yield from tops
    everything = removal_order(scores, removable)
    yield from (everything[len(top) :] for top in tops)


def _of_text(
    text: Text, attributions: list[Attribution], answers: Answers
) -> dict[str, list[Values]]:
    """Values of one text in every state of the model."""
    values: dict[str, list[Values]] = {one.variant: [] for one in attributions}
    predicting = values[text.state.variant]
    removable = ~text.special
    evidence = text.tokens["is_evidence"][removable]
    final = {method: scores[removable] for method, scores in _final(attributions).items()}
    for attribution in attributions:
        by = attribution.by
        scores = by.scores[:, removable]
        measured = _ranks(scores, answers, evidence)
        itself = by.method == GRADIENT
        gradient = (
            np.full(len(scores), np.nan) if itself else rank_correlation(scores, final[GRADIENT])
        )
        measured["gradient"] = gradient
        values[attribution.variant] += each_of(
            measured, of=by.method, kind=by.rows, layer=by.first_layer
        )
        if attribution.final:
            whole = {quantity: by_layer[-1] for quantity, by_layer in measured.items()}
            predicting += each_of(whole, of=by.method, kind="final")
    for measure, removed in answers.removed.items():
        predicting += [Values(measure, value, method, "final") for method, value in removed.items()]
    chosen = np.stack(list(final.values()))
    matrix = rank_correlation(chosen[:, None], chosen[None])
    for (row, method), (column, other) in product(enumerate(final), repeat=2):
        predicting.append(Values("correlation", matrix[row, column], method, other))
    return values


def _ranks(scores: Scores, answers: Answers, evidence: pd.Series) -> dict[str, NDArray[np.float64]]:
    """Rank measures of the attributions of one text by one method, ``[layer]`` each."""
    measured = {
        f"blank_out_{removal}": rank_correlation(scores, blank_out)
        for removal, blank_out in answers.blank_out.items()
    }
    if evidence.isna().any():  # a corpus without planted evidence
        roc_auc = precision = np.full(len(scores), np.nan)
    else:
        roc_auc, precision = evidence_auc(scores, evidence.to_numpy(bool))
    return measured | {"roc_auc": roc_auc, "average_precision": precision}


def _explained(text: Text, attributions: list[Attribution], answers: Answers) -> pd.DataFrame:
    """All final scores of one text and what removing each token does, a row a token and method."""
    scores: dict[str, NDArray] = {**_final(attributions)}
    for removal, blank_out in answers.blank_out.items():
        blank = np.full(len(text.tokens), np.nan)
        blank[~text.special] = blank_out
        scores[f"blank_out_{removal}"] = blank
    columns = text.tokens[["position", "token", "is_special", "is_evidence"]]
    return pd.concat(
        [columns.assign(method=method, score=values) for method, values in scores.items()],
        ignore_index=True,
    )


def attribution_quantities() -> Iterator[Gives]:
    """Declare what is measured of the scores of every method, by what is read of it."""
    comes_in = {
        ("cls", "max"): BY_ROWS,
        ("from",): (*RULES, *AGAINST),
        ("input",): AT_INPUT,
        ("final",): EXPLAINS,
    }
    for rows, methods in comes_in.items():
        axes = () if rows == ("final",) else LAYER
        about = {"of": methods, "kind": rows, "saturates": True}
        yield from gives((*BLANK_OUT, "gradient"), axes, SIGNED, **about)
        yield from gives(("roc_auc", "average_precision"), axes, SHARE, **about)


MEASURES = (
    Measure(
        "faithfulness",
        faithfulness,
        kind="corpus",
        settings=(
            "faithfulness",
            "propagation.value_zeroing",
            "device",
            "experiment.length",
            "experiment.task",
        ),
        panel="faithfulness.examples",
        gives=(
            *attribution_quantities(),
            *gives(REMOVED, range=SIGNED, of=EXPLAINS, kind=("final",), saturates=True),
            Gives("correlation", (), SIGNED, EXPLAINS, EXPLAINS, saturates=True),
        ),
        after=("propagation", "mixing", "value_zeroing", "relevance", "alti_logit"),
        defined=classified,
        contrasts={"final": PAIRED_WITH},
    ),
)
