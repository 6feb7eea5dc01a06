"""The view that the explorer opens with shows a head that matters."""

from types import SimpleNamespace

import numpy as np

from analysis.site.explorer import MATTERS, ShownExperiment, _costly, _predicted
from attention_mixing.explorer import BOTH


def experiment(cost: float, changed: float) -> ShownExperiment:
    """One text of two tokens; head 1.2 has the numbers, and its second token moved."""
    before = np.full((1, 2, 2, 2), 0.5)
    after = before.copy()
    after[0, 1, 1] = [0.1, 0.9]
    states = {
        name: SimpleNamespace(text={"attention": attention})
        for name, attention in (("pretrained", before), ("finetuned", after))
    }
    numbers = {
        "distance": {"texts": 3, "states": {BOTH: [[0.0, changed]]}},
        "loss_change": {"texts": 3, "states": {"finetuned": [[0.0, cost]]}},
    }
    texts = {7: SimpleNamespace(states=states, stream="")}
    return ShownExperiment({"states": list(states)}, texts, numbers)


def test_of_heads_that_matter_it_is_the_one_that_changed_most():
    experiments = {
        "little": experiment(2 * MATTERS, 0.3),
        "much": experiment(2 * MATTERS, 0.6),
        "idle": experiment(MATTERS / 2, 0.9),
    }
    opening = _costly(experiments)
    assert opening["cost"] == 2 * MATTERS
    selection = {"e": "much", "t": 7, "l": 1, "h": 2, "q": 1, "k": 1}
    assert selection.items() <= opening["selection"].items()


def test_where_no_head_matters_there_is_none():
    assert _costly({"idle": experiment(MATTERS / 2, 0.9)}) is None


def test_a_word_is_told_with_those_that_it_was_chosen_among():
    text = SimpleNamespace(example={"prediction": 1.0, "probability": 0.53})
    said = {"label": "were", "probability": 0.53}
    assert _predicted(text, ["was", "were"], chosen=False) == said
    assert _predicted(text, ["was", "were"], chosen=True) == said | {"among": ["was", "were"]}
    none = SimpleNamespace(example={"prediction": np.nan})
    assert _predicted(none, ["was", "were"], chosen=True) is None
