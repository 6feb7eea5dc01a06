"""Chapter *features*: sentences follow their rules, and figures can be made of any run."""

import re
from pathlib import Path

import pandas as pd
import pytest
from matplotlib import pyplot as plt
from page_numbers import asked
from random_features import LANGUAGES, RUNS, results, vocabulary

from analysis import params
from analysis.figures import feature_prose, features
from analysis.figures.findings import features as findings
from analysis.methods.projection import POINT_SETS

REPORT = Path(__file__).parents[2] / "report"


def silhouettes(*layers, before=None, name="reviews"):
    """One experiment; a value a layer, the same at both of its points, with an interval of 0.1."""
    pretrained = [0.0] * len(layers) if before is None else before
    states = {"pretrained": pretrained, "finetuned": layers}
    rows = [
        (name, variant, point, layer, value, value - 0.05)
        for variant, values in states.items()
        for layer, value in enumerate(values)
        for point in ("context", "ffn_output")
    ]
    return pd.DataFrame(rows, columns=[*findings.STATE, "point", "layer", "mean", "low"])


def by_state(states):
    """A row a model state."""
    return pd.DataFrame(list(states.values()), pd.MultiIndex.from_tuples(states))


def together(*found):
    return pd.concat(found, ignore_index=True)


# --- what the page asks for -----------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_shows_every_cell_of_the_notebook(language):
    source = (REPORT / language / "features.qmd").read_text(encoding="utf-8")
    notebook = Path(features.__file__).parents[1] / "notebooks" / "features.py"
    labels = re.findall(r"^# \| label: (\S+)", notebook.read_text(encoding="utf-8"), re.M)
    assert re.findall(r"embed notebooks/features\.ipynb#(\S+)", source) == labels


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("known", [(), ("reviews",)], ids=["neither", "both"])
def test_every_run_gives_every_number_of_the_page(known, language, monkeypatch):
    counts = {"neighbors": 4.0, "overlap_by_chance": 4 / 9}
    monkeypatch.setattr(feature_prose, "value", lambda *_, measure, **__: counts[measure])
    found = results(("sentences", "reviews"), tuned=known, labelled=known)
    tokens = found.maps["sentences"].drop_duplicates(["example_id", "position"])
    rows = (found.trust, found.silhouettes, found.distances, tokens)
    numbers = feature_prose.prose(*rows, params.load(), vocabulary(language))
    has = dict.fromkeys(("trained", "classifier", "separation"), bool(known))
    assert asked("features", language, **has) <= set(numbers)
    assert all(numbers.values())


def test_every_point_of_every_set_has_a_name_and_a_symbol():
    names = {"word", "embedding", *(point for points in POINT_SETS.values() for point in points)}
    assert names <= set(features.POINT_SYMBOLS)
    assert all(w[name] for w in map(vocabulary, LANGUAGES) for name in names)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_every_figure_can_be_made_of_every_run(run, language):
    found, w = results(**run), vocabulary(language)
    drawn = [
        features.moved_curves(found.trust, w),
        features.trust_curves(found.trust, w),
        *([features.separation_curves(found.silhouettes, w)] if run.get("labelled", True) else []),
        *(
            [features.shift_curves(found.trust, w), features.change_curves(found.distances, w)]
            if run.get("tuned", True)
            else []
        ),
    ]
    for figure, data in drawn:
        assert figure.axes
        assert len(data)
        plt.close(figure)
    cells, data = features.trust_table(found.trust, w)
    states = found.trust[["experiment", "variant"]].drop_duplicates()
    assert len(cells) == len(features.METHODS) * len(states)
    assert len(data) == len(features.TRUST) * len(cells)


def test_rows_follow_the_forward_pass_of_each_experiment():
    found = results(("one", "other"), tuned=("one", "other"), points="all62", layers=3)
    assert list(found.distances["experiment"].unique()) == ["one", "other"]
    for _, line in found.distances.groupby(["experiment", "kind"]):
        assert list(line["point"]) == ["word", "embedding", *POINT_SETS["all62"] * 3]
        assert list(line["layer"]) == [0] * 2 + [1] * 5 + [2] * 5 + [3] * 5
        assert list(line["place"]) == list(range(17))


def test_a_run_without_labels_or_a_second_state_has_no_rows_to_place():
    rows = pd.DataFrame({name: pd.Series(dtype=str) for name in ("experiment", "of")})
    rows = rows.assign(layer=pd.Series(dtype=int))
    assert features.along(rows, "of", POINT_SETS["seed38"]).empty


def test_a_shift_is_held_against_the_larger_spread_of_its_own_map():
    found = results(("reviews",))
    figure, data = features.shift_curves(found.trust, vocabulary())
    plt.close(figure)
    values = found.trust.set_index(["measure", "variant", "of", "point", "layer"])["mean"]
    assert len(data) == len(values.loc["shift"])
    for row in data.itertuples():
        key = (row.of, row.point, row.layer)
        spreads = [values[("spread", v, *key)] for v in ("pretrained", "finetuned")]
        assert row.spread_larger == max(spreads)
        assert row.mean == values[("shift", "finetuned", *key)]


def test_the_worst_spread_is_the_largest_of_all_maps():
    found = results(("reviews",))
    _, data = features.trust_table(found.trust, vocabulary())
    for measure, rows in data.groupby("measure"):
        maps = found.trust[found.trust["measure"] == measure].groupby(["of", "variant"])["mean"]
        worst = maps.max() if measure == "spread" else maps.min()
        assert rows.set_index(["of", "variant"])["worst"].to_dict() == worst.to_dict()


# --- sentences ------------------------------------------------------------------------------------


def test_movement_names_the_step_that_all_states_agree_on():
    w = vocabulary()
    moved = {
        ("a", "pretrained"): {"context": 0.7, "attention_output": 0.2, "ffn_output": 0.6},
        ("b", "pretrained"): {"context": 0.8, "attention_output": 0.1, "ffn_output": 0.6},
    }
    text = findings.movement(by_state(moved), w)
    assert "into the context, where a token loses 70%–80%" in text
    assert "least on the step into the attention output (10%–20%)" in text
    assert "文脈ベクトル" in findings.movement(by_state(moved), vocabulary("ja"))
    # No common minimum: only the maximum is named.
    split = moved | {
        ("c", "pretrained"): {"context": 0.9, "attention_output": 0.3, "ffn_output": 0}
    }
    assert "least" not in findings.movement(by_state(split), w)
    other = moved | {("c", "pretrained"): {"context": 0.1, "attention_output": 0, "ffn_output": 1}}
    text = findings.movement(by_state(other), w)
    assert "depends on the model" in text
    assert "context (2) and FFN output (1) of 3" in text
    assert "モデルによって異なる" in findings.movement(by_state(other), vocabulary("ja"))


def test_movement_over_one_kind_of_step_has_no_least():
    text = findings.movement(by_state({("a", "pretrained"): {"embedding": 0.5}}), vocabulary())
    assert "50%" in text
    assert "least" not in text


def test_the_largest_step_names_a_state_only_where_states_differ():
    w = vocabulary()
    here, there = (
        {("context", 1): 0.9, ("ffn_output", 1): 0.1},
        {("context", 1): 0.1, ("word", 0): 1},
    )
    steps = {("a", "pretrained"): here, ("a", "finetuned"): here, ("b", "pretrained"): here}
    text = findings.largest_step(by_state(steps), w)
    assert "the context of layer 1 in a and b (90%)" in text
    steps |= {("b", "finetuned"): there}
    text = findings.largest_step(by_state(steps), w)
    assert "in a and b (pretrained) (90%) and the word embedding in b (fine-tuned) (100%)" in text
    text = findings.largest_step(by_state(steps), vocabulary("ja"))
    assert "a、b（事前学習のみ）では第 1 層の文脈ベクトル（90%）" in text


def test_texts_are_separated_from_where_no_later_interval_reaches_the_threshold():
    def start(*layers):
        return findings.separated_from(silhouettes(*layers).query("variant == 'finetuned'"))

    assert start(0.0, 0.5, 0.1, 0.4, 0.6) == 3
    # The interval decides, not the mean.
    assert start(0.0, 0.28) is None
    assert start(0.0, 0.31) == 1
    one_point_short = silhouettes(0.5, 0.5)
    one_point_short.loc[one_point_short.index[-2], "low"] = 0.1
    assert findings.separated_from(one_point_short) is None


def test_separation_is_supported_only_if_it_is_new_and_late():
    w = vocabulary()
    found = silhouettes(0.0, 0.1, 0.6)
    text = findings.separation(found, w)
    assert text.startswith("Fine-tuning separates the texts by class, from layer 2 on in reviews")
    assert "0.00 before, 0.60 after" in text
    both = together(found, silhouettes(0.0, 0.5, 0.7, name="agreement"))
    assert "layer 2 on in reviews and layer 1 on in agreement" in findings.separation(both, w)
    both = together(found, silhouettes(0.0, 0.1, 0.6, name="agreement"))
    assert "from layer 2 on in reviews and agreement" in findings.separation(both, w)
    nowhere = "does not separate the texts by class in any"
    assert nowhere in findings.separation(silhouettes(0.0, 0.1, 0.2), w)
    # Apart before already, or from the input on: not the work of fine-tuning, not late.
    assert nowhere in findings.separation(silhouettes(0.0, 0.6, before=[0.0, 0.6]), w)
    assert nowhere in findings.separation(silhouettes(0.6, 0.6), w)
    some = together(found, silhouettes(0.0, 0.0, 0.0, name="agreement"))
    text = findings.separation(some, w)
    assert "in reviews and not in agreement" in text
    # Labels of the user's own, and nothing trained.
    untrained = found.query("variant == 'finetuned'").assign(variant="pretrained")
    assert "No model was fine-tuned" in findings.separation(untrained, w)


def test_the_most_trustworthy_method_must_be_so_everywhere():
    w = vocabulary()
    means = pd.DataFrame({"umap": [0.8, 0.9], "tsne": [0.9, 0.95]})
    text = findings.trusted(means, w)
    assert text.startswith("t-SNE keeps neighbours best")
    assert "UMAP 0.80–0.90 and t-SNE 0.90–0.95" in text
    assert findings.trusted(means.assign(umap=[0.8, 1.0]), w).startswith("no kind of map")


def shifted_maps(**beyond):
    """Of each method, maps that shift beyond the spread of 0.5, and maps that do not."""
    rows = [
        (method, shift, 0.5)
        for method, (more, less) in beyond.items()
        for shift in [0.6] * more + [0.4] * less
    ]
    return pd.DataFrame(rows, columns=["of", "mean", "spread_larger"])


def test_shifts_within_the_spread_are_said_to_say_nothing():
    w = vocabulary()
    text = findings.shifted(shifted_maps(umap=(3, 5), tsne=(4, 0)), w)
    assert "3 of 8 UMAP maps and 4 of 4 t-SNE maps" in text
    assert "says nothing" in text
    assert "says nothing" not in findings.shifted(shifted_maps(umap=(4, 0)), w)


def turned(**experiments):
    """Cosine distances of experiments, in the order of the forward pass."""
    places = [("word", 0), ("context", 1), ("ffn_output", 1), ("context", 2)]
    return pd.DataFrame(experiments, pd.MultiIndex.from_tuples(places)).T


def test_change_is_said_to_grow_with_depth_only_if_it_does():
    w = vocabulary()
    text = findings.changed(turned(a=[0.0, 0.2, 0.1, 0.4]), w)
    assert "layer by layer further" in text
    assert "0.00 at the input and of up to 0.40, at the context of layer 2" in text
    text = findings.changed(turned(a=[0.0, 0.2, 0.1, 0.4], b=[0.0, 0.2, 0.1, 0.1]), w)
    assert "layer by layer" not in text
    assert "the context of layer 2 (a) and the context of layer 1 (b)" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_has_both_languages(language):
    """Every branch again: what English says, Japanese says with Japanese words."""
    w = vocabulary(language)
    found = silhouettes(0.0, 0.1, 0.6)
    none = silhouettes(0.0, 0.0, 0.0, name="agreement")
    steps = {("a", "pretrained"): {("context", 1): 0.9}}
    sentences = [
        *(findings.separation(one, w) for one in (found, none, together(found, none))),
        findings.largest_step(by_state(steps), w),
        findings.trusted(pd.DataFrame({"umap": [0.8, 0.9], "tsne": [0.9, 0.7]}), w),
        findings.trusted(pd.DataFrame({"umap": [0.8, 0.9]}), w),
        *(findings.shifted(shifted_maps(umap=(n, 4 - n)), w) for n in (0, 4)),
        findings.changed(turned(a=[0.1, 0.2, 0.2, 0.2]), w),
        findings.changed(turned(a=[0.3, 0.2, 0.2, 0.2]), w),
    ]
    for sentence in sentences:
        assert bool(re.search(r"[ぁ-ん]", sentence)) == (language == "ja")
        assert not sentence.endswith((".", "。"))
