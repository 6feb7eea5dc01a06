"""Disabling heads in batches is the same as zeroing weights by hand, one text at a time."""

import copy

import numpy as np
import pandas as pd
import pytest
import torch
from families import FAMILIES, build, reading
from known_modules import modules, without
from made_inputs import asked
from scipy.special import log_softmax

from attention_mixing.models import head_ablation
from attention_mixing.models.dummy_inputs import LENGTHS, structure_of
from attention_mixing.models.encode import encode_questions
from attention_mixing.models.head_ablation import (
    _kept_below,
    ablate_heads,
    disabled,
    measure_answers,
    measure_classes,
)
from attention_mixing.models.predict import answer_logits, predict
from attention_mixing.settings.experiment import Length

CPU = {"device": torch.device("cpu")}
PREDICTED = CPU | {"precision": "float32"}
WIDE = {"initializer_range": 0.3, "num_labels": 3}  # attention that is not all uniform
LABELS = [0, 2, 1, 1, 0]
CLASSIFIER, ANSWERING = "ForSequenceClassification", "ForQuestionAnswering"
HEADS = [(layer, head) for layer in (1, 2) for head in (1, 2, 3, 4)]


@pytest.fixture(scope="module")
def classifier(make_model):
    return make_model("bert", CLASSIFIER, **WIDE)


@pytest.fixture(scope="module")
def answering(make_model):
    return make_model("bert", ANSWERING, initializer_range=0.3)


@pytest.fixture(scope="module")
def examples() -> pd.DataFrame:
    """Questions of which some need several windows, and one has no answer."""
    several = "the film was not very good, but the music was. a dull plot."
    none = "the actors brightly. bad! bad! bad! the brown capybara is sleeping now"
    return asked(
        ("was the film good", several, ["film"]),
        ("the plot", "a dull plot", ["dull plot"]),
        ("bad", none, []),
        ("the capybara", "the brown capybara is sleeping now", ["brown capybara"]),
    )


@pytest.fixture(scope="module")
def questions(examples, tokenizer):
    read = encode_questions(examples, tokenizer, Length(max_tokens=16, stride=4))
    assert [len(question.windows) > 1 for question in read] == [True, False, True, False]
    return read


@pytest.fixture(scope="module")
def in_one_window(encoded):
    """Each read in one window."""
    return [[one] for one in encoded]


class Seen(dict):
    """Keeps the logits that are measured: text -> one list of windows for each variant."""

    def __call__(self, text, logits):
        self.setdefault(text, []).append(logits)
        return float(text), float(len(self[text]))


def untouched(model) -> bool:
    return not any(
        module._forward_hooks or module._forward_pre_hooks or "forward" in vars(module)
        for module in model.modules()
    )


def count(model, name, layer):
    """Shapes of what a module of one layer is given from now on, and the handle to stop."""
    shapes = []
    module = modules(model, name)[layer - 1]
    return shapes, module.register_forward_pre_hook(lambda _, x: shapes.append(tuple(x[0].shape)))


@pytest.mark.parametrize("kind", ["bert", "distilbert", "roberta"])
def test_a_classifier_without_a_head_is_one_with_its_columns_zeroed(
    make_model, tokenizer, encoded, in_one_window, kind
):
    model, seen = make_model(kind, CLASSIFIER, **WIDE), Seen()
    measured = ablate_heads(model, in_one_window, seen, batch_size=2, **CPU)
    assert measured.shape == (9, 5, 2)
    np.testing.assert_array_equal(measured[..., 0], np.tile(np.arange(5), (9, 1)))
    np.testing.assert_array_equal(measured[..., 1], np.tile(np.arange(1, 10)[:, None], 5))
    models = [model, *(without(model, *place) for place in HEADS)]
    for variant, other in enumerate(models):
        expected = predict(other, encoded, batch_size=1, **PREDICTED)
        ours = np.concatenate([seen[text][variant] for text in range(5)])
        np.testing.assert_allclose(ours, expected, rtol=1e-5, atol=1e-5)
        if variant:
            plain = np.concatenate([seen[text][0] for text in range(5)])
            assert np.abs(ours - plain).max() > 1e-3
    assert untouched(model)


@pytest.mark.parametrize("batch_size", [1, 32])
def test_an_answering_model_without_a_head_is_one_with_its_columns_zeroed(
    answering, tokenizer, questions, batch_size
):
    model, seen = answering, Seen()
    texts = [question.windows for question in questions]
    ablate_heads(model, texts, seen, batch_size=batch_size, **CPU)
    models = [model, *(without(model, *place) for place in HEADS)]
    for variant, other in enumerate(models):
        expected = answer_logits(other, questions, batch_size=1, **PREDICTED)
        for text, windows in enumerate(expected):
            for ours, window in zip(seen[text][variant], windows, strict=True):
                np.testing.assert_allclose(ours, window, rtol=1e-5, atol=1e-5)
    assert untouched(model)


def test_a_head_that_says_nothing_changes_nothing_at_all(classifier, tokenizer, in_one_window):
    """To the last bit: rounding must not pass for an effect."""
    silent = copy.deepcopy(classifier)
    value = silent.base_model.encoder.layer[0].attention.self.value
    with torch.no_grad():
        value.weight[8:16] = 0
        value.bias[8:16] = 0
    measure = measure_classes(LABELS)
    measured = ablate_heads(silent, in_one_window, measure, batch_size=3, **CPU)
    changed = [
        place for place, row in zip(HEADS, measured[1:], strict=True) if (row != measured[0]).any()
    ]
    assert changed == [place for place in HEADS if place != (1, 2)]


@pytest.mark.parametrize(
    "family", [name for name, (_, steps) in FAMILIES.items() if steps.count("A") == 1]
)
def test_layers_below_a_head_are_kept_to_the_last_bit(family):
    """Whatever a layer hands on beside its output, and even where one module is all layers."""
    model = build(family)
    ids = torch.tensor([reading(9).input_ids])
    with torch.inference_mode():
        whole = []
        for layer in (1, 2, 3):
            with disabled(model, layer, 2):
                whole.append(model(ids)[0])
        with _kept_below(model) as keep:
            keep(0)
            model(ids)
            for layer in (3, 2, 1):
                keep(layer - 1)
                with disabled(model, layer, 2, kept=layer - 1):
                    assert torch.equal(model(ids)[0], whole[layer - 1])


@pytest.fixture
def untried(monkeypatch):
    """Without the passes that try whether padding moves a batch."""
    monkeypatch.setattr(head_ablation, "require_unpadded", lambda model, rows: None)


def test_what_no_head_reads_is_not_computed(
    classifier, answering, tokenizer, in_one_window, questions, untried
):
    windows = [question.windows for question in questions]
    for model, given, expected in (
        (classifier, in_one_window, (5, 1, 32)),
        (answering, windows, (sum(map(len, windows)), 16, 32)),
    ):
        structure_of(model)  # reads passes of its own
        shapes, handle = count(model, "ffn_input", 2)
        ablate_heads(model, given, Seen(), batch_size=32, **CPU)
        handle.remove()
        # Once, on a made-up text, it is seen what the head reads.
        assert set(shapes) - {(1, LENGTHS[0], 32)} == {expected}


def test_texts_of_similar_length_share_batches(answering, tokenizer, questions, untried):
    windows = [question.windows for question in questions]
    first, _, second, _ = counts = [len(one) for one in windows]
    short = max(len(windows[text][0].input_ids) for text in (1, 3))
    for batch_size, expected in (
        # The two short ones together, each long one alone though it has more windows than asked.
        (2, [(2, short), (first, 16), (second, 16)]),
        # One window too few for all.
        (sum(counts) - 1, [(2 + first, 16), (second, 16)]),
    ):
        structure_of(answering)
        shapes, handle = count(answering, "word", 1)
        ablate_heads(answering, windows, Seen(), batch_size=batch_size, **CPU)
        handle.remove()
        assert shapes[:: 1 + len(HEADS)] == expected


class Broken(Exception):
    """Raised on purpose."""


def test_nothing_is_left_behind_by_an_error_in_between(classifier, tokenizer, in_one_window):
    class BrokenAtLast(Seen):
        def __call__(self, text, logits):
            if len(self) == len(in_one_window):
                raise Broken
            return super().__call__(text, logits)

    with pytest.raises(Broken) as caught:
        ablate_heads(classifier, in_one_window, BrokenAtLast(), batch_size=5, **CPU)
    assert untouched(classifier)  # while the traceback still holds every frame
    assert caught.value is not None


def test_a_class_costs_its_surprise_and_scores_if_it_is_first():
    measure = measure_classes([1, 0])
    logits = np.log([0.2, 0.5, 0.3])
    assert measure(0, [logits]) == (pytest.approx(np.log(2)), 1.0)
    assert measure(1, [logits + 1000]) == (pytest.approx(np.log(5)), 0.0)


def test_answers_cost_the_surprise_at_the_gold_span_of_every_window(examples, questions):
    generator = np.random.default_rng(0)
    measure = measure_answers(examples, questions)
    for text, question in enumerate(questions):
        logits = [generator.normal(size=(2, len(w.input_ids))) for w in question.windows]
        by_hand = [
            -log_softmax(logits[window][place])[question.positions[window, place]]
            for window in range(len(logits))
            for place in (0, 1)
        ]
        loss, _ = measure(text, logits)
        assert loss == pytest.approx(np.mean(by_hand), rel=1e-12)


def planted(question, positions):
    """Logits that are high at a start and an end in each window; 0 is "no answer"."""
    logits = [np.zeros((2, len(window.input_ids))) for window in question.windows]
    for window, places in zip(logits, positions, strict=True):
        window[[0, 1], places] = 9 if any(places) else 5
    return logits


def test_answers_score_their_f1(examples, questions):
    measure = measure_answers(examples, questions)
    for text, question in enumerate(questions):
        assert measure(text, planted(question, question.positions))[1] == 1
        assert measure(text, planted(question, 0 * question.positions))[1] == (text == 2)
    # "a dull" for "dull plot": an article is nothing.
    first = questions[1].first
    assert measure(1, planted(questions[1], [(first, first + 1)]))[1] == pytest.approx(2 / 3)
