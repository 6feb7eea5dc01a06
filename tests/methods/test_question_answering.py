"""Windows, spans and the official scores: by hand and by plain implementations."""

import itertools
import math
import string

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_mixing.methods.question_answering import (
    Span,
    answer_positions,
    best_span,
    exact_match,
    max_context,
    normalised_answer,
    question_scores,
    squad_scores,
    token_f1,
    token_span,
    windows,
)

# --- windows --------------------------------------------------------------------------------------


def plain_windows(tokens, size, stride):
    """Word by word: start again ``stride`` later until the end has been read."""
    found, start = [], 0
    while True:
        stop = min(start + size, tokens)
        found.append([start, stop])
        if stop == tokens:
            return found
        start += min(size, stride)


@given(st.integers(1, 300), st.integers(1, 60), st.integers(1, 80))
def test_windows_are_those_of_a_plain_implementation(tokens, size, stride):
    assert windows(tokens, size, stride=stride).tolist() == plain_windows(tokens, size, stride)


def test_the_window_with_most_context_by_hand():
    """The example of BERT's own program: "bought" has 4 and 0 in one window, 1 and 3 in another."""
    text = "the man went to the store and bought a gallon of milk".split()
    bounds = np.array([[0, 5], [3, 8], [6, 11], [9, 12]])
    assert text[slice(*bounds[1])] == "to the store and bought".split()
    owner = max_context(bounds)
    assert owner[text.index("bought")] == 2
    # "store" is in the middle of its window; "and" has 3 and 1 there, none on the left in the next.
    assert owner.tolist() == [0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3]
    # 100 tokens more in a window weigh as much as one token of context.
    assert max_context(np.array([[0, 200], [190, 290]]))[194:196].tolist() == [0, 0]


@given(st.integers(1, 200), st.integers(2, 60), st.integers(1, 60))
def test_most_context_by_its_definition(tokens, size, stride):
    bounds = windows(tokens, size, stride=stride)
    for token, owner in enumerate(max_context(bounds)):
        scores = {
            index: min(token - start, stop - 1 - token) * 100 + stop - start
            for index, (start, stop) in enumerate(bounds.tolist())
            if start <= token < stop
        }
        assert owner == max(scores, key=lambda index: (scores[index], -index))


def test_characters_become_tokens():
    #       In 1900s, the   cafe
    offsets = np.array([(0, 2), (3, 8), (8, 9), (10, 13), (14, 18)])
    assert token_span(offsets, 3, 9) == (1, 2)
    # Inside a token: the whole token.
    assert token_span(offsets, 3, 7) == (1, 1)
    assert token_span(offsets, 1, 11) == (0, 3)
    # Only blanks, and beyond the last token.
    assert token_span(offsets, 9, 10) is None
    assert token_span(offsets, 18, 20) is None
    # Tokens without characters spell nothing.
    assert token_span(np.array([(0, 0), (0, 3), (0, 0)]), 0, 3) == (1, 1)


def test_where_the_answer_lies_in_each_window():
    bounds = windows(10, 6, stride=2)  # 0-6, 2-8, 4-10
    none = [-1, -1]
    assert answer_positions(bounds, (4, 5)).tolist() == [[4, 5], [2, 3], [0, 1]]
    assert answer_positions(bounds, (3, 6)).tolist() == [none, [1, 4], none]
    assert answer_positions(bounds, (1, 8)).tolist() == [none] * 3
    assert answer_positions(bounds, (9, 9)).tolist() == [none, none, [5, 5]]
    assert answer_positions(bounds, None).tolist() == [none] * 3


# --- the best span --------------------------------------------------------------------------------


def plain_best_span(start, end, bounds, first, longest):
    """Of all spans that are allowed, by their definition, the best; of equal ones the first."""
    found = []
    owner = max_context(bounds)
    for window, (begin, stop) in enumerate(bounds):
        for a, b in itertools.product(range(begin, stop), repeat=2):
            if a <= b < a + longest and owner[a] == window:
                score = start[window][first + a - begin] + end[window][first + b - begin]
                found.append(Span(a, b, score))
    return min(found, key=lambda span: (-span.score, span.start, span.end))


FEW = st.integers(1, 12)


@given(st.integers(1, 30), FEW, FEW, st.integers(1, 8), st.integers(0, 1000))
def test_the_best_span_is_that_of_all_pairs(tokens, size, stride, longest, seed):
    rng = np.random.default_rng(seed)
    bounds = windows(tokens, size, stride=stride)
    # Whole numbers, so that many scores are equal.
    start, end = rng.integers(-3, 4, size=(2, len(bounds), size + 5)).astype(float)
    reading = best_span([*start], [*end], bounds, first=2, longest=longest)
    assert reading.span == plain_best_span(start, end, bounds, 2, longest)
    assert reading.null_score == (start[:, 0] + end[:, 0]).min()
    assert reading.difference == reading.null_score - reading.span.score
    # The answer is preferred on a tie.
    assert reading.answer(reading.difference) is reading.span
    assert reading.answer(reading.difference - 0.5) is None


# --- the official scores --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The  cat,\t sat on\nthe mat!", "cat sat on mat"),
        ("vitamin A", "vitamin"),
        ("an a the an", ""),
        ("another theory", "another theory"),
        # Punctuation goes without leaving a blank, and goes first.
        (string.punctuation, ""),
        ("the-end", "theend"),
        ("3.14 $", "314"),
        # Punctuation beyond ASCII stays; the article beside it is a word.
        ("“The End”", "“ end”"),
        ("plan–a–plan", "plan– –plan"),
        # Lower case, not case folding; letters beyond ASCII are letters.
        ("STRAßE", "straße"),
        ("À la carte", "à la carte"),
        # White space of Unicode.
        ("New\u00a0York\u2003City", "new york city"),
    ],
)
def test_normalisation_as_published(text, expected):
    assert normalised_answer(text) == expected


def test_exact_match_and_f1_by_hand():
    assert exact_match("The Norse.", "norse") == 1
    assert exact_match("10th", "10th century") == 0
    # One of one and one of two.
    assert token_f1("10th", "10th century") == pytest.approx(2 / 3)
    # Two of three words: the second "new" has no partner.
    assert token_f1("new new york", "New York") == pytest.approx(2 * (2 / 3) * 1 / (2 / 3 + 1))
    assert token_f1("in Paris", "Rome") == 0
    assert token_f1("", "Rome") == token_f1("Rome", "") == 0
    assert token_f1("the", "") == 1
    assert token_f1("b a c", "c b") == 1


@pytest.mark.parametrize(
    ("prediction", "gold", "exact", "f1"),
    [
        # The best gold answer counts for each score.
        ("late 10th century", ["10th", "the late 10th century"], 1, 1.0),
        ("b c d", ["b", "b c x y", "c d"], 0, 0.8),
        # No answer is the empty text; normalisation may leave nothing of the prediction.
        ("", [], 1, 1.0),
        ("Rome", [], 0, 0.0),
        ("the", [], 1, 1.0),
        # A gold answer of which nothing is left does not count; alone, it is no answer.
        ("", ["The", "Rome"], 0, 0.0),
        ("", ["A"], 1, 1.0),
    ],
)
def test_scores_of_one_question(prediction, gold, exact, f1):
    assert question_scores(prediction, gold) == (exact, pytest.approx(f1))


GOLD = {
    "q1": ["Rome"],
    "q2": ["in 1066", "1066"],
    "q3": [],
    "q4": [],
    "q5": ["a big river"],
    "q6": [],
}
PREDICTIONS = {"q1": "Rome", "q2": "about 1066", "q3": "Paris", "q4": "", "q5": "", "q6": "x"}


def test_the_threshold_empties_predictions():
    no_answer = {"q1": 0.9, "q2": 0.1, "q3": 0.8, "q4": 0.5, "q5": 0.2, "q6": 0.4}
    at = {t: squad_scores(PREDICTIONS, GOLD, no_answer, threshold=t) for t in (1.0, 0.8, 0.6, -1.0)}
    # "Exceeds" is strict: 0.8 empties q1 alone, which was right.
    assert at[1]["HasAns_exact"] == pytest.approx(100 / 3)
    assert at[0.8]["HasAns_exact"] == 0
    assert at[0.8]["NoAns_exact"] == pytest.approx(100 / 3)
    assert at[0.6]["NoAns_exact"] == pytest.approx(200 / 3)
    assert at[-1]["exact"] == at[-1]["f1"] == 50
    assert at[-1]["NoAns_exact"] == 100


def plain_best(scores, answered, has_answer, values):
    """For every cut of the sorted questions the sum over all of them, without running totals.

    As published: a cut may part questions of one value, a threshold of 0 says that none is
    answered, and an article alone, right where there is no answer, is taken for one.
    """
    order = sorted(range(len(values)), key=lambda i: values[i])
    candidates = [(sum(not has for has in has_answer), 0.0)]
    for cut in range(1, len(order) + 1):
        total = 0.0
        for place, i in enumerate(order):
            taken = place < cut
            if has_answer[i]:
                total += scores[i] if taken else 0
            else:
                total += 0 if taken and answered[i] else 1
        candidates.append((total, values[order[cut - 1]]))
    best = max(total for total, _ in candidates)
    return best, [at for total, at in candidates if total == pytest.approx(best, abs=1e-9)]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["", "b", "b c", "x", "the"]),
            # An article alone is nothing, but its question counts as answerable.
            st.sampled_from([[], ["b c"], ["The"]]),
            st.integers(-3, 3),
        ),
        min_size=1,
        max_size=25,
    )
)
def test_scores_are_means_of_all_and_of_each_part_and_the_sweep_is_that_of_plain_code(questions):
    gold = {str(i): answers for i, (_, answers, _) in enumerate(questions)}
    predictions = {str(i): text for i, (text, _, _) in enumerate(questions)}
    no_answer = {str(i): float(value) for i, (_, _, value) in enumerate(questions)}
    scores = squad_scores(predictions, gold, no_answer)
    has_answer = [bool(answers) for answers in gold.values()]
    parts = {
        "": list(gold),
        "HasAns_": [q for q in gold if gold[q]],
        "NoAns_": [q for q in gold if not gold[q]],
    }
    there = {f"{part}total": len(part_of) for part, part_of in parts.items() if part_of}
    assert {name: value for name, value in scores.items() if name.endswith("total")} == there
    answered = [bool(text) for text, _, _ in questions]
    values = list(no_answer.values())
    for name, place in (("exact", 0), ("f1", 1)):
        raw = {q: question_scores(predictions[q], gold[q])[place] for q in gold}
        for part, part_of in parts.items():
            mean = sum(raw[q] for q in part_of) / max(len(part_of), 1)
            assert scores.get(f"{part}{name}", 0) == pytest.approx(100 * mean)
        best, reached = plain_best(list(raw.values()), answered, has_answer, values)
        assert scores[f"best_{name}"] == pytest.approx(100 * best / len(questions))
        # Of equal cuts the first; sums of F1 in another order may differ in the last digit.
        allowed = reached[:1] if name == "exact" else reached
        assert scores[f"best_{name}_thresh"] in allowed


# --- what is refused ------------------------------------------------------------------------------

READ = {
    "start_logits": [np.zeros(6)],
    "end_logits": [np.zeros(6)],
    "windows": np.array([[0, 3]]),
    "first": 2,
}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: windows(5, 0, stride=1), "size is 0; it must be at least 1"),
        (
            lambda: max_context(np.array([[0, 3], [4, 6]])),
            r"windows are \[\[0, 3\], \[4, 6\]\]; .* no token",
        ),
        (lambda: token_span(np.array([[0, 3]]), 2, 2), r"the span is \[2, 2\)"),
        (
            lambda: answer_positions(READ["windows"], (2, 3)),
            "the answer is the tokens 2 to 3; .* 0 to 2",
        ),
        (lambda: best_span(**READ | {"longest": 0}), "longest is 0"),
        (lambda: best_span(**READ | {"first": 4}), r"window 0 have shape \(6,\); .* 3 context"),
        (lambda: best_span(**READ | {"end_logits": [np.full(6, np.inf)]}), "be finite there"),
        (lambda: squad_scores({}, {}), "gold holds no question"),
        (lambda: squad_scores({"q": "", "p": ""}, {"q": []}), r"only gold has \['p'\]"),
        (lambda: squad_scores({"q": ""}, {"q": []}, {}), r"only no_answer or .* \['q'\]"),
        (lambda: squad_scores({"q": ""}, {"q": []}, {"q": math.nan}), "no_answer is nan"),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
