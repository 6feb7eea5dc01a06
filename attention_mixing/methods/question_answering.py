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
from jaxtyping import Float, Int, Int64

from attention_mixing.methods.shapes import checked_shapes

_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(a|an|the)\b")


# --- windows --------------------------------------------------------------------------------------


def windows(tokens: int, size: int, *, stride: int) -> Int64[np.ndarray, "window 2"]:
    """Cut a context into overlapping windows: first token of each and one past its last.

    The last window ends with the context and may be shorter than the others; all others are full.

    Parameters
    ----------
    tokens
        Of the whole context.
    size
        Context tokens that fit beside the question: with 384 tokens in all and a question of q
        tokens, 384 - q - 3 for a model that reads [CLS] question [SEP] context [SEP].
    stride
        Tokens from the start of one window to the start of the next, 128 in ``run_squad.py``.
        Neighbours overlap by ``size - stride``. What fast tokenizers call "stride" is that overlap,
        so that programs which say 384 / 128 need not mean the same windows. A stride beyond
        ``size`` counts as ``size``: no token is skipped.

    Raises
    ------
    ValueError
        If a number is below 1: there is nothing to read, or no room or no step to read it.

    Examples
    --------
    >>> windows(10, 6, stride=3).tolist()
    [[0, 6], [3, 9], [6, 10]]
    """
    for name, value in (("tokens", tokens), ("size", size), ("stride", stride)):
        if value < 1:
            raise ValueError(f"{name} is {value}; it must be at least 1")
    step = min(size, stride)
    count = 1 + max(0, math.ceil((tokens - size) / step))
    starts = step * np.arange(count, dtype=np.int64)
    return np.stack([starts, np.minimum(starts + size, tokens)], axis=1)


@checked_shapes
def max_context(windows: Int[np.ndarray, "window 2"]) -> Int[np.ndarray, " token"]:
    """Say for every token which window holds it with most context around it.

    A window gives a token as much context as it has tokens on the poorer side; of windows that give
    the same, the longer one counts (one hundredth for each token of its length, as in
    ``run_squad.py``), then the first.

    Raises
    ------
    ValueError
        If the windows leave a token out.
    """
    token = np.arange(windows[:, 1].max())
    left, right = token - windows[:, :1], windows[:, 1:] - 1 - token
    # In hundredths, so that equal scores are equal.
    score = 100 * np.minimum(left, right) + (windows[:, 1:] - windows[:, :1])
    inside = (left >= 0) & (right >= 0)
    if not inside.any(axis=0).all():
        raise ValueError(f"windows are {windows.tolist()}; they must leave no token out")
    return np.where(inside, score, -1).argmax(axis=0)


@checked_shapes
def token_span(offsets: Int[np.ndarray, "token 2"], start: int, end: int) -> tuple[int, int] | None:
    """First and last token that hold one of the characters ``[start, end)`` of the context.

    ``offsets`` are those of its tokens, one past the last as well. The tokens may spell more than
    the span, where it starts or ends inside a token ("1900" in "1900s"). None if there is no such
    token, because the tokenizer drops these characters.

    Raises
    ------
    ValueError
        If the span is empty or starts before the text.
    """
    if not 0 <= start < end:
        raise ValueError(f"the span is [{start}, {end}); it must hold a character of the text")
    inside = np.flatnonzero((offsets[:, 0] < end) & (offsets[:, 1] > start))
    return (int(inside[0]), int(inside[-1])) if len(inside) else None


@checked_shapes
def answer_positions(
    windows: Int[np.ndarray, "window 2"], span: tuple[int, int] | None
) -> Int[np.ndarray, "window 2"]:
    """Say where each window holds the answer, for training.

    First and last token of the answer, of :func:`token_span`, counted from the window's own first
    token; (-1, -1) for a window that does not hold all of it, and where ``span`` is None, there
    being no answer. To train, add the position of the first context token in the model's input, and
    put [CLS] in the place of -1.

    Raises
    ------
    ValueError
        If the span does not lie in the context.
    """
    if span is None:
        return np.full(windows.shape, -1)
    first, last = span
    tokens = windows[:, 1].max()
    if not 0 <= first <= last < tokens:
        raise ValueError(
            f"the answer is the tokens {first} to {last}; the context has the tokens 0 to "
            f"{tokens - 1}"
        )
    whole = (windows[:, :1] <= first) & (last < windows[:, 1:])
    return np.where(whole, np.array(span) - windows[:, :1], -1)


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
    """

    start: int
    end: int
    score: float


@dataclass(frozen=True)
class AnswerReading:
    """What the logits of all windows of one question come to.

    Attributes
    ----------
    span
        The one of the highest score.
    null_score
        Lowest score of "no answer" over the windows: one window that sees an answer is enough.
    """

    span: Span
    null_score: float

    @property
    def difference(self) -> float:
        """Null score minus the score of the best span: the higher, the more likely no answer.

        The no-answer score that :func:`squad_scores` sweeps its thresholds over.
        """
        return self.null_score - self.span.score

    def answer(self, threshold: float = 0.0) -> Span | None:
        """Return the best span, or None for "no answer" if the difference exceeds ``threshold``."""
        return None if self.difference > threshold else self.span


@checked_shapes
def best_span(
    start_logits: Sequence[Float[np.ndarray, " _"]],
    end_logits: Sequence[Float[np.ndarray, " _"]],
    windows: Int[np.ndarray, "window 2"],
    *,
    first: int,
    longest: int = 30,
) -> AnswerReading:
    """Find the best span of a context, and how it compares with "no answer".

    As in ``run_squad.py``: a span lies in one window, is at most ``longest`` tokens long, ends no
    earlier than it starts, and is taken from the window that gives its first token most context
    (:func:`max_context`). Unlike there, every such span is looked at: ``run_squad.py`` pairs only
    the 20 highest start logits with the 20 highest end logits of the whole input, question and all,
    and may find no span at all. Of equal ones the first in the text counts, then the shortest.

    Parameters
    ----------
    start_logits, end_logits
        Of each window over the model's whole input, which starts with [CLS]. Padding at the end may
        stay.
    windows
        Of :func:`windows`; ``[[0, n]]`` for a context read at once.
    first
        Position of the first context token of every window in the model's input, q + 2 behind
        [CLS], q tokens of question and [SEP].
    longest
        Tokens that a span has at most.

    Raises
    ------
    ValueError
        If there are not as many logits as windows or a window's logits are too few, a logit that
        counts is not finite, ``longest`` is below 1, or as :func:`max_context`.
    """
    if longest < 1:
        raise ValueError(f"longest is {longest}; it must be at least 1")
    owner = max_context(windows)
    scores = np.full((len(owner), longest), -np.inf)  # [first token, length - 1]
    null_score = np.inf
    logits = zip(start_logits, end_logits, windows.tolist(), strict=True)
    for window, (starts, ends, (begin, stop)) in enumerate(logits):
        both = np.stack([starts, ends], dtype=np.float64)
        size = stop - begin
        context, null = both[:, first : first + size], float(both[:, 0].sum())
        if context.shape[1] < size or not (np.isfinite(null) and np.isfinite(context).all()):
            raise ValueError(
                f"logits of window {window} have shape {starts.shape}; they must reach over [CLS] "
                f"and {size} context tokens from {first} on and be finite there"
            )
        null_score = min(null_score, null)
        start, end = context
        owned = np.flatnonzero(owner == window)
        for extra in range(min(longest, size)):
            inside = owned[owned + extra < stop]
            scores[inside, extra] = start[inside - begin] + end[inside - begin + extra]
    token, extra = (int(index) for index in np.unravel_index(scores.argmax(), scores.shape))
    best = Span(token, token + extra, float(scores[token, extra]))
    return AnswerReading(best, null_score)


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
    """Return 1 if both are the same after :func:`normalised_answer`, else 0.

    Parameters
    ----------
    prediction, answer
        Texts as they are written; both are normalised.

    Returns
    -------
    int
        1 or 0.
    """
    return int(normalised_answer(prediction) == normalised_answer(answer))


def token_f1(prediction: str, answer: str) -> float:
    """Overlap of the words of both after :func:`normalised_answer`, each as often as it occurs.

    Harmonic mean of precision and recall. If nothing is left of one of them, 1 if nothing is left
    of either, else 0.

    Parameters
    ----------
    prediction, answer
        Texts as they are written; both are normalised.

    Returns
    -------
    float
        0 to 1.
    """
    predicted, reference = normalised_answer(prediction).split(), normalised_answer(answer).split()
    if not predicted or not reference:
        return float(predicted == reference)
    common = sum((Counter(predicted) & Counter(reference)).values())
    if not common:
        return 0.0
    precision, recall = common / len(predicted), common / len(reference)
    return 2 * precision * recall / (precision + recall)


def question_scores(prediction: str, answers: Sequence[str]) -> tuple[int, float]:
    """Exact match and F1 of one question, each against the answer that gives the most.

    The empty text is the prediction "no answer", and the right answer of an unanswerable question,
    which has no gold ``answers``. Those of which normalisation leaves nothing do not count.

    Parameters
    ----------
    prediction
        The text that was answered.
    answers
        Right answers, none of an unanswerable question.

    Returns
    -------
    exact, f1
        0 or 1, and 0 to 1.
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
) -> dict[str, float | int]:
    """Score predictions as ``evaluate-v2.0.py`` does, under its names.

    ``exact`` and ``f1`` in percent and ``total`` of all questions; ``HasAns_...`` of the answerable
    and ``NoAns_...`` of the unanswerable ones, where there are any; with ``no_answer`` also
    ``best_exact``, ``best_exact_thresh``, ``best_f1`` and ``best_f1_thresh``. Hugging
    Face's ``evaluate`` has these scores too, but downloads that script when it is asked for them.

    Parameters
    ----------
    predictions
        Question id to predicted text, empty for "no answer".
    gold
        Question id to the texts of its gold answers, none for an unanswerable question.
    no_answer
        Question id to a score that is the higher, the likelier the question has no answer: a
        probability, or :attr:`AnswerReading.difference`. For the best scores to mean what they say,
        ``predictions`` must then hold the best span of every question, empty for none.
    threshold
        A question whose ``no_answer`` exceeds it counts as predicted empty. The published default,
        1, is never exceeded by a probability; infinity says the same for scores of any scale.

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
    for name, mapping in (("predictions", predictions), ("no_answer", no_answer)):
        if mapping is not None and mapping.keys() != gold.keys():
            others = sorted(mapping.keys() ^ gold.keys())
            raise ValueError(f"only {name} or only gold has {others[:5]}; both must have the same")
    scores = {q: question_scores(predictions[q], answers) for q, answers in gold.items()}
    exact, f1 = ({q: float(both[index]) for q, both in scores.items()} for index in (0, 1))
    best: dict[str, float | int] = {}
    if no_answer is not None:
        if any(math.isnan(value) for value in no_answer.values()):
            raise ValueError("a value of no_answer is nan; all must be numbers")
        for name, of_question in (("exact", exact), ("f1", f1)):
            optimum = _best_threshold(predictions, of_question, gold, no_answer)
            best[f"best_{name}"], best[f"best_{name}_thresh"] = optimum
        for question, value in no_answer.items():
            if value > threshold:
                exact[question] = f1[question] = float(not gold[question])
    result: dict[str, float | int] = {}
    for prefix, kinds in (("", (True, False)), ("HasAns_", (True,)), ("NoAns_", (False,))):
        questions = [question for question, answers in gold.items() if bool(answers) in kinds]
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
    values = np.array(list(no_answer.values()), dtype=np.float64)
    change = np.array([scores[q] if gold[q] else -float(bool(predictions[q])) for q in no_answer])
    order = np.argsort(values, kind="stable")
    unanswerable = sum(not answers for answers in gold.values())
    sums = np.cumsum([unanswerable, *change[order]])
    best = sums.argmax()
    return float(100 * sums[best] / len(scores)), float([0.0, *values[order]][best])
