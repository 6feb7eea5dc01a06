"""Models that are trained solve a task that says what their answers depend on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from attention_mixing.circuits import learned
from attention_mixing.circuits.estimands import ESTIMANDS
from attention_mixing.circuits.learned import TASKS, UNASKED, learn, learned_truths
from attention_mixing.circuits.measures import layer_measures, model_measures
from attention_mixing.circuits.scores import score, scored_on
from attention_mixing.errors import InputError

PAIRS = "b 2 d 0 c b d b".split()
SYMBOLS = "a c c b d a b d".split()
EVERY = [("retrieval", "post"), ("copying", "pre")]
ASKED = {"retrieval": range(5, 9), "copying": range(3, 9)}


@pytest.fixture(scope="module")
def models():
    return {name: learn(name, norm=norm) for name, norm in EVERY}


def right(task, text):
    return TASKS[task].answers(TASKS[task].numbers(text)[None])[0].tolist()


def test_answers_by_hand():
    none = 3
    assert right("retrieval", PAIRS) == [UNASKED] * 4 + [none, 2, 0, 2]
    copied = ["abcd".index(symbol) for symbol in SYMBOLS[:-2]]
    assert right("copying", SYMBOLS) == [UNASKED] * 2 + copied


def test_what_answers_depend_on_by_hand():
    """A query is answered by its key and the value behind; where no pair has it, by all keys."""
    depends = TASKS["retrieval"].depends(TASKS["retrieval"].numbers(PAIRS))
    assert not depends[:4].any()
    places = [set(row.nonzero()[0]) for row in depends[4:]]
    assert places == [{0, 2, 4}, {0, 1, 5}, {2, 3, 6}, {0, 1, 7}]
    copying = TASKS["copying"].depends(TASKS["copying"].numbers(SYMBOLS))
    np.testing.assert_array_equal(copying, np.eye(8, k=-2, dtype=bool))


@pytest.mark.parametrize("name", TASKS)
def test_replacements_are_texts_of_the_task_as_many_in_each_place(name):
    task = TASKS[name]
    for text in task.draw(np.random.default_rng(0), 20):
        first, *others = task.beside(text)
        np.testing.assert_array_equal(first, text)
        changed = np.array(others) != text
        assert (changed.sum(axis=1) == 1).all()
        assert (changed.sum(axis=0) == task.replacements).all()
        assert len(np.unique(others, axis=0)) == len(others)
        for other in others:
            task.numbers([task.symbols[number] for number in other])


@pytest.mark.parametrize(
    "text", ["b 2 b 0 c b d b", "2 b d 0 c b d b", "b 2 d 0 c b d", "b 2 d 0 c b d e", ""]
)
def test_what_is_no_text_of_the_task_is_refused(text):
    with pytest.raises(InputError, match="allowed: texts of the task retrieval, such as"):
        TASKS["retrieval"].numbers(text.split())


def test_a_seed_gives_the_same_weights_and_leaves_the_generator_of_torch_alone():
    short = {"copying": replace(TASKS["copying"], steps=60)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learned, "TASKS", short)
        patch.setattr(learned, "SOLVED", 0.0)
        state = torch.random.get_rng_state()
        first, again, other = (learn("copying", seed=seed) for seed in (0, 0, 1))
    assert torch.equal(state, torch.random.get_rng_state())
    weights, same, different = (each.model.classifier.weight for each in (first, again, other))
    assert torch.equal(weights, same)
    assert not torch.equal(weights, different)


def test_a_model_that_has_not_learned_is_refused(monkeypatch):
    monkeypatch.setattr(learned, "TASKS", {"copying": replace(TASKS["copying"], steps=2)})
    with pytest.raises(InputError, match=r"with the seed 0, the post-norm model answers \d.*99%"):
        learn("copying")


@pytest.mark.parametrize(("name", "norm"), EVERY)
def test_a_model_that_has_learned_depends_on_what_the_task_says(models, name, norm):
    model = models[name]
    assert model.accuracy >= 0.99
    text = model.draw_text(np.random.default_rng(3))
    truth = learned_truths(model, text).model
    asked = [*ASKED[name]]
    assert set(np.isfinite(truth.share).all(axis=1).nonzero()[0]) == set(asked)
    np.testing.assert_allclose(truth.share[asked].sum(axis=1), 1)
    np.testing.assert_array_equal(truth.share[asked, 0], 0)  # the beginning is never replaced
    assert (truth.share * truth.depends)[asked].sum(axis=1).mean() > 0.9
    # And the share itself finds what depends.
    assert score(np.nan_to_num(truth.share), truth)["roc_auc"] > 0.95


@pytest.mark.parametrize(("name", "norm"), EVERY)
def test_shares_are_those_of_the_logits_of_texts_that_differ_in_one_symbol(models, name, norm):
    """Read again with symbols replaced, without the layers taken apart."""
    model, task = models[name], TASKS[name]
    text = model.draw_text(np.random.default_rng(5))
    texts = task.beside(task.numbers(text))
    rows = [" ".join(task.symbols[number] for number in other) for other in texts]
    ids = model.tokenizer(rows, return_tensors="pt")["input_ids"]
    with torch.inference_mode():
        logits = model.model(input_ids=ids).logits.numpy()
    effects = np.zeros((ids.shape[1],) * 2)
    for place in range(1, ids.shape[1]):
        changed = (ids[:, place] != ids[0, place]).numpy()
        outputs = np.where(changed[:, None, None], logits, logits[0])
        effects[:, place] = outputs.var(axis=0).sum(axis=-1)
    asked = [*ASKED[name]]
    expected = effects[asked] / effects[asked].sum(axis=1, keepdims=True)
    share = learned_truths(model, text).model.share[asked]
    np.testing.assert_allclose(share, expected, rtol=0, atol=1e-9)


def test_measures_take_learned_models_as_they_take_circuits(models):
    measures = {"layer": layer_measures(), "model": model_measures()}
    table = scored_on(
        measures,
        models.values(),
        learned_truths,
        texts=1,
        text_seed=0,
        title="",
        total=len(models),
    )
    assert set(table["estimand"]) == set(ESTIMANDS)
    assert set(table["circuit"]) == set(models)
    model = table.query("through == 'model'")
    assert set(model["measure"]) == set(measures["model"])
    orders = model.query("score == 'rank_correlation' and measure != 'uniform'")
    assert orders["value"].notna().all()
    # The task says what answers depend on in all, not in which way, nor through which layer.
    auc = table.query("score == 'roc_auc'")
    told = (auc["through"] == "model") & (auc["estimand"] == "effect")
    np.testing.assert_array_equal(auc["value"].notna(), told)
