r"""Extractive question answering: long contexts in windows, the best span, the official scores.

A model reads a question and a context and gives every token two logits: that the answer starts
there, and that it ends there. "No answer" is the span from [CLS] to [CLS]. Three parts follow one
another: a context that is too long is read in overlapping windows (:func:`windows`); the logits of
all windows give one answer or none (:func:`best_span`); answers are scored as SQuAD 2.0 does
(:func:`squad_scores`).

Tokens of the context are counted from its first token, 0, without [CLS], question and [SEP].
A span of tokens is ``(first, last)``, both belonging to it; a span of characters is ``[start,
end)``, as everywhere else.

Rajpurkar, Zhang, Lopyrev and Liang (2016), *SQuAD: 100,000+ Questions*, EMNLP, section 6.1.
Rajpurkar, Jia and Liang (2018), *Know What You Don't Know*, ACL; its scorer, ``evaluate-v2.0.py``.
Devlin et al. (2019), *BERT*, NAACL, sections 4.2 and 4.3; its program, ``run_squad.py``.
"""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(a|an|the)\b")


# --- windows --------------------------------------------------------------------------------------


def windows(tokens: int, size: int, *, stride: int = 128) -> Integers:
    """Cut a context into overlapping windows.

    Parameters
    ----------
    tokens
        Tokens of the whole context.
    size
        Context tokens that fit beside the question: with 384 tokens in all and a question of q
        tokens, 384 - q - 3 for a model that reads [CLS] question [SEP] context [SEP].
    stride
        Tokens from the start of one window to the start of the next, as in ``run_squad.py`` (128).
        Neighbours overlap by ``size - stride``. What fast tokenizers call "stride" is that overlap,
        so that programs which say 384 / 128 need not mean the same windows. A stride beyond
        ``size`` counts as ``size``: no token is skipped.

    Returns
    -------
    NDArray[int64]
        ``[window, 2]``, first token and one past the last. The last window ends with the context
        and may be shorter than the others; all others are full.

    Raises
    ------
    ValueError
        If a number is below 1: there is nothing to read, or no room or no step to read it.

    Examples
    --------
    >>> windows(10, 6, stride=3).tolist()
    [[0, 6], [3, 9], [6, 10]]
    """
    for name, given in (("tokens", tokens), ("size", size), ("stride", stride)):
        if given < 1:
            raise ValueError(f"{name} is {given}; it must be at least 1")
    step = min(size, stride)
    count = 1 + max(0, math.ceil((tokens - size) / step))
    starts = step * np.arange(count, dtype=np.int64)
    return np.stack([starts, np.minimum(starts + size, tokens)], axis=1)


def max_context(windows: ArrayLike) -> Integers:
    """Say for every token which window holds it with most context around it.

    A window gives a token as much context as it has tokens on the poorer side; of windows that give
    the same, the longer one counts (one hundredth for each token of its length, as in
    ``run_squad.py``), then the first.

    Parameters
    ----------
    windows
        ``[window, 2]``, as :func:`windows` gives them.

    Returns
    -------
    NDArray[int64]
        ``[token]``, the index of the window.

    Raises
    ------
    ValueError
        If ``windows`` has another shape, holds an empty window or leaves a token out.
    """
    bounds = _windows(windows)
    token = np.arange(bounds[:, 1].max())
    left, right = token - bounds[:, :1], bounds[:, 1:] - 1 - token
    # In hundredths, so that equal scores are equal.
    score = 100 * np.minimum(left, right) + (bounds[:, 1:] - bounds[:, :1])
    return np.where((left >= 0) & (right >= 0), score, -1).argmax(axis=0)


def token_span(offsets: ArrayLike, start: int, end: int) -> tuple[int, int] | None:
    """Find the tokens that spell the characters from ``start`` to ``end``.

    Parameters
    ----------
    offsets
        ``[token, 2]``, first character of each context token and one past its last.
    start, end
        ``[start, end)`` in characters of the context: ``answer_start`` and ``answer_start`` plus
        the length of the answer.

    Returns
    -------
    tuple of int or None
        First and last token that hold a character of the span. They may spell more than it, where
        it starts or ends inside a token ("1900" in "1900s"). None if no token does, because the
        tokenizer drops these characters.

    Raises
    ------
    ValueError
        If ``offsets`` has another shape, or the span is empty or starts before the text.
    """
    spans = np.asarray(offsets)
    if spans.ndim != 2 or spans.shape[1] != 2:
        raise ValueError(f"offsets have shape {spans.shape}; they must be [token, 2]")
    if not 0 <= start < end:
        raise ValueError(f"the span is [{start}, {end}); it must hold a character of the text")
    inside = np.flatnonzero((spans[:, 0] < end) & (spans[:, 1] > start))
    return (int(inside[0]), int(inside[-1])) if len(inside) else None


def answer_positions(windows: ArrayLike, span: tuple[int, int] | None) -> Integers:
    """Say where each window holds the answer, for training.

    Parameters
    ----------
    windows
        ``[window, 2]``, as :func:`windows` gives them.
    span
        First and last token of the answer, from :func:`token_span`; None if there is no answer.

    Returns
    -------
    NDArray[int64]
        ``[window, 2]``, first and last token of the answer counted from the window's own first
        token; (-1, -1) for a window that does not hold all of it. To train, add the position of the
        first context token in the model's input, and put [CLS] in the place of -1.

    Raises
    ------
    ValueError
        As :func:`max_context`, and if the span does not lie in the context.
    """
    bounds = _windows(windows)
    if span is None:
        return np.full(bounds.shape, -1)
    first, last = span
    if not 0 <= first <= last < bounds[:, 1].max():
        raise ValueError(
            f"the answer is the tokens {first} to {last}; the context has the tokens 0 to "
            f"{bounds[:, 1].max() - 1}"
        )
    whole = (bounds[:, :1] <= first) & (last < bounds[:, 1:])
    return np.where(whole, np.array([first, last]) - bounds[:, :1], -1)


# --- the best span --------------------------------------------------------------------------------


class Span(NamedTuple):
    """A possible answer.

    Attributes
    ----------
    start, end
        First and last token, counted in the whole context. Its text is
        ``context[offsets[start][0] : offsets[end][1]]``.
    score
        Start logit of the first token plus end logit of the last.
    window
        The window whose logits these are.
    """

    start: int
    end: int
    score: float
    window: int


@dataclass(frozen=True)
class Reading:
    """What the logits of all windows of one question come to.

    Attributes
    ----------
    spans
        The highest spans, best first; at least one.
    null_score
        Lowest score of "no answer" over the windows: one window that sees an answer is enough.
    """

    spans: tuple[Span, ...]
    null_score: float

    @property
    def difference(self) -> float:
        """Null score minus the score of the best span: the higher, the more likely no answer.

        The no-answer score that :func:`squad_scores` sweeps its thresholds over.
        """
        return self.null_score - self.spans[0].score

    def answer(self, threshold: float = 0.0) -> Span | None:
        """Return the best span, or None for "no answer" if the difference exceeds ``threshold``."""
        return None if self.difference > threshold else self.spans[0]


def best_span(
    start_logits: Sequence[ArrayLike],
    end_logits: Sequence[ArrayLike],
    windows: ArrayLike,
    *,
    first: int,
    cls: int = 0,
    longest: int = 30,
    keep: int = 20,
) -> Reading:
    """Find the best spans of a context, and how they compare with "no answer".

    As in ``run_squad.py``: a span lies in one window, is at most ``longest`` tokens long, ends no
    earlier than it starts, and is taken from the window that gives its first token most context
    (:func:`max_context`). Unlike there, every such span is looked at: ``run_squad.py`` pairs only
    the 20 highest start logits with the 20 highest end logits of the whole input, question and all,
    and may find no span at all. Spans that spell the same text are not merged.

    Parameters
    ----------
    start_logits, end_logits
        One ``[token]`` for each window, over the model's whole input. Padding at the end may stay.
    windows
        ``[window, 2]``, as :func:`windows` gives them; ``[[0, n]]`` for a context read at once.
    first
        Position of the first context token of every window in the model's input, q + 2 behind
        [CLS], q tokens of question and [SEP].
    cls
        Position of [CLS] in the model's input.
    longest
        Most tokens of an answer.
    keep
        Spans to return at most.

    Returns
    -------
    Reading
        Spans of equal score are in the order of the text, the shorter first.

    Raises
    ------
    ValueError
        If there are not as many logits as windows or a window's logits are too few, a logit that
        counts is not finite, ``longest`` or ``keep`` is below 1, or as :func:`max_context`.
    """
    bounds = _windows(windows)
    if longest < 1 or keep < 1:
        raise ValueError(f"longest is {longest} and keep is {keep}; both must be at least 1")
    if not len(start_logits) == len(end_logits) == len(bounds):
        raise ValueError(
            f"there are start logits of {len(start_logits)} and end logits of {len(end_logits)} "
            f"windows; there are {len(bounds)} windows"
        )
    owner = max_context(bounds)
    scores = np.full((len(owner), longest), -np.inf)  # [first token, length - 1]
    null_scores = []
    for window, (begin, stop) in enumerate(bounds):
        size = int(stop - begin)
        null_start, start = _logits("start", start_logits[window], window, cls, first, size)
        null_end, end = _logits("end", end_logits[window], window, cls, first, size)
        null_scores.append(null_start + null_end)
        own = np.flatnonzero(owner == window)
        for extra in range(min(longest, size)):
            inside = own[own + extra < stop]
            scores[inside, extra] = start[inside - begin] + end[inside - begin + extra]
    ranked = np.argsort(-scores, axis=None, kind="stable")[:keep]
    spans = [
        Span(int(token), int(token + extra), float(scores[token, extra]), int(owner[token]))
        for token, extra in zip(*np.unravel_index(ranked, scores.shape), strict=True)
        if scores[token, extra] > -np.inf
    ]
    return Reading(tuple(spans), min(null_scores))


# --- the official scores --------------------------------------------------------------------------


def normalised_answer(text: str) -> str:
    r"""Lower-case an answer and remove punctuation, articles and superfluous white space.

    In this order, and literally so: punctuation is that of ASCII, deleted without a blank in its
    place ("U.S.A." becomes "usa", "3-2" becomes "32"), while dashes, quotation marks and signs
    beyond ASCII stay. Articles are "a", "an" and "the" as whole words in the sense of ``\b`` for
    Unicode text, which sees a word end at every character that is neither letter, digit nor
    underscore ("the–end" becomes "–end"); "vitamin A" becomes "vitamin". White space is that of
    Unicode.

    Examples
    --------
    >>> normalised_answer("  The U.S. Army,  a force ")
    'us army force'
    """
    return " ".join(_ARTICLE.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


def exact_match(prediction: str, answer: str) -> int:
    """Return 1 if both are the same after :func:`normalised_answer`, else 0."""
    return int(normalised_answer(prediction) == normalised_answer(answer))


def token_f1(prediction: str, answer: str) -> float:
    """Overlap of the words of both after :func:`normalised_answer`, each as often as it occurs.

    Returns
    -------
    float
        Harmonic mean of precision and recall, 0 to 1. If nothing is left of one of them, 1 if
        nothing is left of either, else 0.
    """
    predicted, wanted = normalised_answer(prediction).split(), normalised_answer(answer).split()
    if not predicted or not wanted:
        return float(predicted == wanted)
    common = sum((Counter(predicted) & Counter(wanted)).values())
    if not common:
        return 0.0
    precision, recall = common / len(predicted), common / len(wanted)
    return 2 * precision * recall / (precision + recall)


def question_scores(prediction: str, answers: Sequence[str]) -> tuple[int, float]:
    """Exact match and F1 of one question, each against the answer that gives the most.

    Parameters
    ----------
    prediction
        The text of the predicted answer; empty for "no answer".
    answers
        The gold answers; empty for an unanswerable question, whose right answer is the empty text.
        Gold answers of which normalisation leaves nothing do not count.

    Returns
    -------
    exact : int
        0 or 1.
    f1 : float
        0 to 1.
    """
    allowed = [answer for answer in answers if normalised_answer(answer)] or [""]
    return (
        max(exact_match(prediction, answer) for answer in allowed),
        max(token_f1(prediction, answer) for answer in allowed),
    )


def squad_scores(
    predictions: Mapping[str, str],
    gold: Mapping[str, Sequence[str]],
    no_answer: Mapping[str, float] | None = None,
    *,
    threshold: float = math.inf,
) -> dict[str, float]:
    """Score predictions as ``evaluate-v2.0.py`` does.

    Parameters
    ----------
    predictions
        Question id to predicted text, empty for "no answer".
    gold
        Question id to the texts of its gold answers, none for an unanswerable question.
    no_answer
        Question id to a score that is the higher, the likelier the question has no answer: a
        probability, or :attr:`Reading.difference`. For the best scores to mean what they say,
        ``predictions`` must then hold the best span of every question, empty for none.
    threshold
        A question whose ``no_answer`` exceeds it counts as predicted empty. The published default,
        1, is never exceeded by a probability; infinity says the same for scores of any scale.

    Returns
    -------
    dict
        In the official names. ``exact`` and ``f1`` in percent and ``total`` of all questions;
        ``HasAns_...`` of the answerable and ``NoAns_...`` of the unanswerable ones, where there are
        any; with ``no_answer`` also ``best_exact``, ``best_exact_thresh``, ``best_f1`` and
        ``best_f1_thresh``.

    Raises
    ------
    ValueError
        If there are no questions, the three do not speak of the same questions, or a value of
        ``no_answer`` is not a number.

    Notes
    -----
    The best thresholds are swept as published. Questions are sorted by ``no_answer``, those of
    equal value in the order given. At first all count as empty, which is right for the unanswerable
    ones. Then one after the other takes its prediction: an answerable question adds its score, an
    unanswerable one takes 1 away unless its prediction is empty. The best sum counts, the first if
    there are several, with the value of the question just taken as its threshold, 0 before any.
    Three things follow from this definition. The sweep may stop between questions of equal value,
    where no threshold can, so that with ties the best scores depend on the order and may be out of
    reach. A threshold of 0 may stand for "none answered", also where values below 0 exist. And an
    unanswerable question whose prediction is only an article or punctuation scores 1 outside the
    sweep but takes 1 away in it.
    """
    if not gold:
        raise ValueError("gold holds no question; there is nothing to score")
    _same_questions("predictions", predictions, gold)
    scores = {
        question: question_scores(predictions[question], answers)
        for question, answers in gold.items()
    }
    exact = {question: float(score) for question, (score, _) in scores.items()}
    f1 = {question: score for question, (_, score) in scores.items()}
    best: dict[str, float] = {}
    if no_answer is not None:
        _same_questions("no_answer", no_answer, gold)
        for question, value in no_answer.items():
            if math.isnan(value):
                raise ValueError(f"no_answer of {question!r} is {value}; it must be a number")
        for name, of_question in (("exact", exact), ("f1", f1)):
            found = _best_threshold(predictions, of_question, gold, no_answer)
            best[f"best_{name}"], best[f"best_{name}_thresh"] = found
        for question, value in no_answer.items():
            if value > threshold:
                exact[question] = f1[question] = float(not gold[question])
    answerable = [question for question, answers in gold.items() if answers]
    unanswerable = [question for question, answers in gold.items() if not answers]
    parts = {"": list(gold), "HasAns_": answerable, "NoAns_": unanswerable}
    result: dict[str, float] = {}
    for prefix, questions in parts.items():
        if questions:
            total = len(questions)
            result[f"{prefix}exact"] = 100 * sum(exact[question] for question in questions) / total
            result[f"{prefix}f1"] = 100 * sum(f1[question] for question in questions) / total
            result[f"{prefix}total"] = total
    return result | best


def _best_threshold(
    predictions: Mapping[str, str],
    scores: Mapping[str, float],
    gold: Mapping[str, Sequence[str]],
    no_answer: Mapping[str, float],
) -> tuple[float, float]:
    questions = list(no_answer)
    values = np.array([no_answer[question] for question in questions], dtype=np.float64)
    change = np.array([scores[q] if gold[q] else -float(bool(predictions[q])) for q in questions])
    order = np.argsort(values, kind="stable")
    unanswerable = sum(not answers for answers in gold.values())
    sums = np.cumsum(np.concatenate([[unanswerable], change[order]]))
    best = int(sums.argmax())
    reached = float(values[order[best - 1]]) if best else 0.0
    return 100 * float(sums[best]) / len(scores), reached


def _same_questions(
    name: str, given: Mapping[str, object], gold: Mapping[str, Sequence[str]]
) -> None:
    for question in gold:
        if question not in given:
            raise ValueError(f"{name} has no entry for the question {question!r} of gold")
    for question in given:
        if question not in gold:
            raise ValueError(f"{name} has an entry {question!r}, which is no question of gold")


def _windows(given: ArrayLike) -> Integers:
    bounds = np.asarray(given)
    if bounds.ndim != 2 or bounds.shape[1] != 2 or not len(bounds):
        raise ValueError(
            f"windows have shape {bounds.shape}; they must be [window, 2], one or more"
        )
    starts, stops = bounds[:, 0], bounds[:, 1]
    if (
        starts[0] != 0
        or (starts >= stops).any()
        or (starts[1:] > stops[:-1]).any()
        or (np.diff(bounds, axis=0) < 0).any()
    ):
        raise ValueError(
            f"windows are {bounds.tolist()}; they must start at token 0, hold a token each, follow "
            "one another and leave no token out"
        )
    return bounds.astype(np.int64)


def _logits(
    name: str, given: ArrayLike, window: int, cls: int, first: int, size: int
) -> tuple[float, Floats]:
    """Return the logit of [CLS] and those of the context."""
    logits = np.asarray(given, dtype=np.float64)
    if logits.ndim != 1 or len(logits) < max(first + size, cls + 1) or first < 0 or cls < 0:
        raise ValueError(
            f"{name} logits of window {window} have shape {logits.shape}; they must be [token] and "
            f"reach over [CLS] at {cls} and {size} context tokens from {first} on"
        )
    context = logits[first : first + size]
    if not (np.isfinite(context).all() and np.isfinite(logits[cls])):
        raise ValueError(
            f"{name} logits of window {window} hold a value for [CLS] or the context that is not "
            "finite"
        )
    return float(logits[cls]), context
