"""Answers of a model: logits of every window, spans of characters, learning where answers are."""

import itertools

import pytest
import torch
from made_inputs import SETTINGS, asked, tune, without_types

from attention_mixing.errors import InputError
from attention_mixing.methods.question_answering import Span
from attention_mixing.models.batch import pad
from attention_mixing.models.device import deterministic
from attention_mixing.models.encode import encode_questions
from attention_mixing.models.load import load_answering, load_finetuned
from attention_mixing.models.predict import answer_logits, answer_text, read_answer
from attention_mixing.models.training_rows import training_rows
from attention_mixing.settings.experiment import Length

LENGTH = Length(max_tokens=14, stride=4)
NOUNS = ("film", "plot", "actor")


def rows():
    """Ask for the adjective; every fourth context has none. An answer may stand at either end."""
    found = []
    for one, other in itertools.product(NOUNS, NOUNS):
        question, said = f"was the {one} good", f"but not the {other} and {one}"
        found.append((question, f"{said} , very dull", ["dull"]))
        found += [(question, f"{word} {said}", [word]) for word in ("bad", "bright")]
        found.append((question, f"the {one} {said}", []))
    return asked(*found)


@pytest.fixture(scope="module")
def questions(tokenizer):
    return encode_questions(rows(), tokenizer, Length(max_tokens=13, stride=1))


def ask(model, tokenizer, questions, batch_size):
    how = {"device": torch.device("cpu"), "precision": "float32", "batch_size": batch_size}
    return answer_logits(model, questions, **how)


@pytest.mark.parametrize("kind", ["bert", "distilbert"])
def test_every_window_gets_the_logits_it_has_alone(kind, make_model, tokenizer, questions):
    if kind != "bert":
        tokenizer = without_types(tokenizer)
    model = make_model(kind, "ForQuestionAnswering")
    answers = ask(model, tokenizer, questions, 7)
    assert len(answers) == len(questions)
    assert len({len(question.windows) for question in questions}) > 1
    for question, logits in zip(questions, answers, strict=True):
        for window, (start, end) in zip(question.windows, logits, strict=True):
            with torch.inference_mode():
                alone = model(**pad([window], model.config))
            assert start == pytest.approx(alone.start_logits[0].numpy(), abs=1e-5)
            assert end == pytest.approx(alone.end_logits[0].numpy(), abs=1e-5)


def test_an_answer_is_spelt_as_in_the_text(tokenizer):
    examples = rows()
    for text, question in zip(
        examples["text"], encode_questions(examples, tokenizer, LENGTH), strict=True
    ):
        start = len(text.split("\n")[0]) + 1
        last = len(question.offsets) - 1
        assert answer_text(text, question, Span(0, last, 0.0)) == text[start:]
        assert answer_text(text, question, Span(1, 1, 0.0)) == text[start:].split()[1]
        assert answer_text(text, question, None) == ""


def test_answers_are_learnt_and_windows_with_both_ends_right_are_counted(
    pretrained, tmp_path, tokenizer
):
    deterministic(SETTINGS["seeds"][0])
    model = load_answering(pretrained, new_head=True, dropout=0.0)
    examples = rows()
    questions = encode_questions(examples, tokenizer, LENGTH)
    windows = training_rows(examples, tokenizer, LENGTH, model.config)
    # Right at both ends only where there is no answer.
    half_right = [window | {"start_positions": 0} for window in windows]
    changes = {"epochs": 1, "evaluations": 1, "learning_rate": 5e-3, "dropout": 0.0}
    model, history = tune(
        model, windows * 8, windows + half_right, tmp_path / "checkpoints", **changes
    )
    unanswered = sum(window["end_positions"] == 0 for window in windows) / len(windows)
    assert 0 < unanswered < 1
    assert history["validation_accuracy"].item() == pytest.approx((1 + unanswered) / 2, abs=0.03)
    model.save_pretrained(tmp_path / "model")
    model = load_finetuned(tmp_path / "model", "question_answering")
    answers = ask(model, tokenizer, questions, 16)
    right = [
        answer_text(row.text, question, read_answer(question, logits).answer())
        == (row.answers or [""])[0]
        for row, question, logits in zip(examples.itertuples(), questions, answers, strict=True)
    ]
    assert sum(right) > 0.9 * len(right)


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("bert", ("hidden_dropout_prob", "attention_probs_dropout_prob")),
        ("distilbert", ("dropout", "attention_dropout", "qa_dropout")),
    ],
)
def test_dropout_is_that_of_the_whole_model(kind, names, make_model, tmp_path):
    make_model(kind).save_pretrained(tmp_path)
    model = load_answering(tmp_path, new_head=True, dropout=0.25)
    assert all(getattr(model.config, name) == 0.25 for name in names)
    rates = {module.p for module in model.modules() if isinstance(module, torch.nn.Dropout)}
    assert rates == {0.25}
    own = load_answering(tmp_path, new_head=True)
    assert all(getattr(own.config, name) == 0.1 for name in names)


def test_a_head_is_kept_and_made_up_only_where_that_is_asked_for(make_model, pretrained, tmp_path):
    with pytest.raises(InputError, match=r"lack qa_outputs\.bias"):
        load_answering(pretrained)
    made = make_model("bert", "ForQuestionAnswering")
    made.save_pretrained(tmp_path)
    for new_head in (False, True):
        kept = load_answering(tmp_path, new_head=new_head)
        assert torch.equal(kept.qa_outputs.weight, made.qa_outputs.weight)
