"""The tables of scores: each task has its own, and a baseline beside it."""

import itertools

import pandas as pd
import pytest

from analysis.chapters.setup import figures, prose, structures
from analysis.parameters import load
from analysis.paths import LANGUAGES
from analysis.prose.messages import words
from analysis.results import evidence
from analysis.rules.conditions import learned_seeds
from analysis.runs.parameters import RunParameters
from analysis.stages.parameters import SHOWN

ANSWERED = {
    **{"exact": 70.0, "f1": 72.25, "total": 30},
    **{"HasAns_exact": 65.0, "HasAns_f1": 68.375, "HasAns_total": 20},
    **{"NoAns_exact": 80.0, "NoAns_f1": 80.0, "NoAns_total": 10},
    **{"best_exact": 71.0, "best_exact_thresh": -0.5, "best_f1": 73.0, "best_f1_thresh": 1.25},
}
CLASSIFIED = {"accuracy": 0.9, "f1": 0.89, "loss": 0.3, "calibration_error": 0.05, "examples": 40}


SCORES = {"classification": CLASSIFIED, "question_answering": ANSWERED}


@pytest.fixture
def facts(at_root):
    """What is known of every experiment, where the chapter reads it."""
    corpus = {"bag_of_words_accuracy": 0.6, "majority_accuracy": 0.5}
    seeds = {"0": {"evaluate": CLASSIFIED}, "1": {"evaluate": CLASSIFIED | {"accuracy": 0.55}}}
    about = {"corpus": corpus, "seeds": seeds, "origin": {"train_unanswerable": "8.7 %"}}
    return {
        name: {"evaluate": dict(SCORES.get(experiment.task, {})), **about}
        for name, experiment in load().experiments.items()
    }


@pytest.fixture
def values(at_root) -> RunParameters:
    """As chapters read them."""
    return RunParameters.model_validate(load().model_dump(mode="json", include=SHOWN))


def test_each_task_has_its_own_table(values, facts):
    w = words("en", "setup")
    _, classified = figures.scores_table(facts, w)
    cells, answered = figures.answers_table(facts, w)
    tasks = {name: experiment.task for name, experiment in values.experiments.items()}
    assert {tasks[name] for name in classified["experiment"]} == {"classification"}
    assert {tasks[name] for name in answered["experiment"]} == {"question_answering"}
    assert answered["empty"].tolist() == pytest.approx([100 / 3])
    scores = "8.7 %, 70.0, 72.2, 65.0, 68.4, 80.0, 71.0 (−0.50), 73.0 (+1.25), 33.3"
    assert ", ".join(cells.iloc[0].tolist()[1:]) == scores


def test_names_are_written_as_they_are(facts):
    known = {"masked-words/reviews": facts["reviews"]}
    cells, _ = figures.scores_table(known, words("en", "setup"))
    assert cells["experiment"].tolist() == ["masked-words/reviews"]


def test_models_that_have_not_learned_their_task_are_counted(facts):
    _, data = figures.scores_table({"reviews": facts["reviews"]}, words("en", "setup"))
    assert data[["learned", "seeds"]].to_numpy().tolist() == [[1, 2]]


def failing(score, scores, **about):
    """What is known of an experiment of which each seed has a score, and all their mean."""
    told = {"total": 10, "NoAns_total": 5}
    seeds = {str(n): {"evaluate": {score: one} | told} for n, one in enumerate(scores)}
    known = {"corpus": {"majority_accuracy": 0.5}, "seeds": seeds}
    mean = {"evaluate": {score: sum(scores) / len(scores)} | told}
    return known | {"explained": learned_seeds(known) or list(seeds)} | mean | about


@pytest.mark.parametrize(
    ("score", "scores", "said", "excluded"),
    [
        ("accuracy", [0.9], "", False),
        (
            "accuracy",
            [0.52],
            "the model has not learned its task (test accuracy 52%, where naming the most frequent "
            "class reaches 50%)",
            True,
        ),
        (
            "f1",
            [53.0],
            "the model has not learned its task (F1 53.0, where answering nothing reaches 50.0)",
            True,
        ),
        ("accuracy", [0.5, 0.55], "none of the 2 models has learned its task", True),
        (
            "accuracy",
            [1.0, 0.5, 1.0],
            "the model of seed 1 has not learned the task, and no number on explanations is of it",
            False,
        ),
        (
            "accuracy",
            [0.62, 0.5, 0.45],
            "the models of seeds 1 and 2 have not learned the task, and no number on explanations "
            "is of them (test accuracy 45\u201350%, where",
            False,
        ),
    ],
)
def test_models_that_have_not_learned_their_task_are_named(score, scores, said, excluded):
    w = words("en", "setup")
    known = {"films": failing(score, scores), "fine": failing("accuracy", [0.8])}
    text = prose.unlearned(known, w)
    assert (said in text) if said else not text
    assert ("Numbers of films are shown, but no finding" in text) is excluded
    assert "fine" not in text.replace("fine-tuned", "")
    assert bool(prose.unlearned(known, words("ja", "setup"))) is bool(said)


@pytest.mark.parametrize(
    ("scores", "learned"), [([1.0, 0.5, 1.0], True), ([0.59, 0.5, 0.45], False)]
)
def test_a_task_is_learned_where_its_findings_are_tested(scores, learned, values, monkeypatch):
    """As the rules ask it: by seed."""
    nothing = pd.DataFrame({"mean": [], "asked": [], "experiment": [], "variant": []})
    for reader in ("curves", "mapped_texts", "overall", "table"):
        monkeypatch.setattr(evidence, reader, lambda *_, **__: nothing)
    monkeypatch.setattr(evidence, "other_runs", list)
    monkeypatch.setattr(evidence, "control_run", lambda: None)
    read = {"rendering": rendered()["rendering"], "structure": {"sight": ["all"]}}
    known = failing("accuracy", scores) | read
    monkeypatch.setattr(evidence, "facts", lambda _: known)
    films = {"reviews": values.experiments["reviews"]}
    shown = evidence.evidence(films, "reviews")
    assert (shown["learned-evidence"], shown["unlearned"]) == (learned, True)


def rendered(**lost) -> dict:
    """What is known of texts of a hundred characters, of which some are lost."""
    counted = {"characters": 100, "unknown": 0, "altered": 0, "left_out": 0}
    read = counted | {"words": 20, "tokens": 30} | lost
    return {"capture": {"truncated": 2}, "rendering": read}


@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_a_model_does_not_see_of_its_texts_is_told(language):
    w = words(language, "setup")
    known = {"plain": rendered(altered=3), "other": rendered(unknown=7, altered=5, left_out=1)}
    cells, data = figures.rendering_table(known, w)
    assert data["tokens_per_word"].tolist() == [1.5, 1.5]
    assert cells[w["altered"]].tolist() == ["3%", "5%"]
    assert "13%" in prose.unread(known, w) and "plain" not in prose.unread(known, w)
    assert prose.unread({"plain": known["plain"]}, w) == ""


@pytest.mark.parametrize("language", ["en", "ja"])
def test_structures_are_told_in_words(language):
    """Whatever a model can be read as has a name."""
    structure = {
        **{"layers": 3, "heads": 8, "groups": 2, "dimension": 64, "head_dimension": 8},
        **{"norms": ["", "before+of_output"], "centring": [False, True]},
        **{"networks": ["gated", "other"], "beside": True},
        **{"sight": ["earlier", "earlier_window"], "read": "last"},
    }
    w = words(language, "setup")
    cells, data = figures.structures_table({"films": {"structure": structure}}, w)
    assert cells[w["heads"]].item() == w["grouped"].format(heads="8", groups=2)
    assert cells[w["sight"]].item().split(w["between_kinds"]) == [
        w["sight_earlier"],
        w["sight_earlier_window"],
    ]
    assert w["network_gated_beside"] in cells[w["networks"]].item()
    assert data["norms"].item() == " before+of_output"
    places = itertools.product(*([False, True] for _ in range(3)))
    for chosen in places:
        names = [
            n for n, there in zip(("before", "of_output", "after"), chosen, strict=True) if there
        ]
        assert w[f"norms_{'_'.join(names)}"]


def test_scores_without_unanswerable_questions(facts):
    for key in [key for key in ANSWERED if key.startswith("NoAns")]:
        del facts["questions"]["evaluate"][key]
    cells, data = figures.answers_table(facts, words("en", "setup"))
    assert cells["unanswerable"].tolist() == ["no such question"]
    assert cells["nothing answered"].tolist() == ["0.0"]
    assert data["NoAns_exact"].isna().all()


def test_no_learning_curve_leaves_its_panel(values):
    """All experiments share an axis, also with one whose loss is larger than that of the first."""
    names = [name for name, experiment in values.written.items() if experiment.train]
    history = pd.DataFrame(
        {"experiment": name, "step": [1, 2], "train_loss": loss, "validation_loss": loss}
        for name, loss in zip(names, (0.6, 0.4, 1.8, 0.5, 0.3), strict=True)
    ).explode("step", ignore_index=True)
    history = history.assign(validation_accuracy=0.5, seed=0)
    figure, _ = figures.learning_curves(history, values, words("en", "setup"))
    for axis in figure.axes:
        low, high = axis.get_ylim()
        drawn = [y for line in axis.lines if line.get_marker() == "o" for y in line.get_ydata()]
        assert drawn
        assert all(low <= y <= high for y in drawn)


def test_the_first_tenth_of_a_sorted_file_has_one_class_and_a_stratified_one_both():
    _, data = figures.sorted_split(words("en", "setup"))
    held = data.pivot(index="way", columns="class", values="texts")
    assert held.loc["first_tenth"].tolist() == [10, 0]
    assert held.loc["stratified_tenth"].tolist() == [5, 5]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_structure_is_drawn_once_with_the_experiments_that_have_it(language):
    """Within its panel, whatever stands where; equal structures share a drawing."""
    one = {"layers": 2, "heads": 4, "groups": 4, "norms": ["after"], "centring": [True]}
    one |= {"networks": ["plain"], "beside": False, "sight": ["all"], "read": "first"}
    known = {"first": one, "second": dict(one)}
    norms = ("before", "of_output", "before+of_output", "before+of_output+after")
    sights = ("earlier", "window", "earlier_window", "earlier")
    for place, (norm, sight) in enumerate(zip(norms, sights, strict=True)):
        more = {"norms": [norm], "sight": [sight, "all"], "groups": 2, "read": "last"}
        more |= {"beside": place == 0, "centring": [False], "networks": ["gated"]}
        known[f"other-{place}"] = one | more
    figure, data = structures.structures(known, words(language, "setup"))
    titles = [axis.get_title(loc="left") for axis in figure.axes if axis.get_title(loc="left")]
    assert titles == ["first, second", *(f"other-{place}" for place in range(4))]
    assert data["experiment"].tolist() == list(known)
    for axis in figure.axes[: len(titles)]:
        (left, right), (low, high) = axis.get_xlim(), axis.get_ylim()
        for line in axis.lines:
            x, y = line.get_data()
            assert left <= min(x) and max(x) <= right
            assert low <= min(y) and max(y) <= high
