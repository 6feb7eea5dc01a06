"""The stage summary: what rules, pages and DVC read, of made-up values of two experiments."""

import json
import shutil
from math import nan
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tiny_experiment import written

from analysis.parameters import Params, load
from analysis.paths import artifact
from analysis.rules.selection import Texts, curve_rows
from analysis.stages.summary import HEADLINES, explained, summary
from attention_mixing.addresses import ALL
from attention_mixing.errors import InputError
from attention_mixing.measures import GROUPS, measures, summarised
from attention_mixing.schemas import MEASURED

STATES = {"reviews": ("pretrained", "finetuned"), "sentences": ("pretrained",)}
SEEDS = {"reviews": ("4", "5"), "sentences": ("0",)}
FOCUS = "sentences"
TEXTS, LAYERS = 6, 4
ASKED = {"measure": "mixing", "quantity": "ratio", "where": {"subject": "attn_w"}}
AGAINST = ASKED | {"minus": {"layers": "first"}}
MADE = {  # group -> by, of, kind, measure, in the order of their stages
    "vectors": [
        ("mixing", "attn_w", "all", "ratio"),
        ("mixing", "attnresln_n", "all", "ratio"),
        ("identity", "", "", "identifiability"),
        ("propagation", "rollout", "", "mixing"),
    ],
    "queries-keys": [("geometry", "", "", "plane_after")],
    "heads": [],
    # Which are held against each other, text by text.
    "explain": [("faithfulness", of, "final", "roc_auc") for of in ("raw", "rollout")],
    "focus": [("sentence", "", "", "share")],
}
KEY = ["variant", "subject", "quantity", "layer"]
AT = ["experiment", "reading", "variant"]


def made(name: str, group: str) -> pd.DataFrame:
    """Values of texts; in reviews, tokens cannot be recognised."""
    generator = np.random.default_rng(len(name + group))
    rows = [
        (by, variant, text, of, kind, measure, 0, layer, 0, generator.random())
        for by, of, kind, measure in MADE[group]
        for variant in STATES[name]
        for text in range(TEXTS)
        for layer in range(1, LAYERS + 1)
    ]
    names = [
        "measure",
        "variant",
        "text",
        "subject",
        "facet",
        "quantity",
        "clusters",
        "layer",
        "head",
    ]
    names += ["value"]
    values = pd.DataFrame(rows, columns=names).astype({"value": float})
    if name == "reviews":
        values.loc[values["quantity"] == "identifiability", "value"] = nan
    return values.assign(clusters=0)


def facts(name: str) -> dict[str, dict]:
    return {
        "corpus": {
            "corpus": {"texts": {"test": 9}, "majority_accuracy": 0.5},
            "origin": {},
            "samples": [],
        },
        "train": {
            "evaluate": {"accuracy": 0.9} if name == "reviews" else {},
            "seeds": {
                seed: {"evaluate": {"accuracy": 0.9}} for seed in SEEDS[name] if name == "reviews"
            },
        },
        "capture": {"capture": {"examples": TEXTS}},
    }


def shown_in(group: str) -> list[str]:
    """Experiments of which a group was measured; the text in focus is of one."""
    return [FOCUS] if group == "focus" else list(STATES)


@pytest.fixture(scope="module")
def loaded(root) -> Params:
    found = load(root / "params.yaml")
    experiments = {name: found.experiments[name] for name in STATES}
    few = found.bootstrap.model_copy(update={"resamples": 100})
    return found.model_copy(update={"experiments": experiments, "bootstrap": few})


@pytest.fixture(scope="module")
def run(loaded, tmp_path_factory) -> Path:
    """A run up to its summary, with what a rule asks."""
    place = tmp_path_factory.mktemp("summary")
    for name in STATES:
        for stage, content in facts(name).items():
            directory = place / "artifacts" / name / stage
            directory.mkdir(parents=True)
            (directory / "facts.json").write_text(json.dumps(content))
        for group in summarised():
            if name not in shown_in(group):
                continue
            for seed in SEEDS[name]:
                values = made(name, group)
                for stage in GROUPS[group]:
                    directory = place / "artifacts" / name / stage / seed
                    directory.mkdir(parents=True)
                    taken = {measure.name for measure in measures(stage)}
                    of_stage = values[values["measure"].isin(taken)]
                    of_stage.to_parquet(directory / "values.parquet", index=False)
                    manifest = {"schema": MEASURED.version}
                    (directory / "manifest.json").write_text(json.dumps(manifest))
                (directory / "shown" / "toy").mkdir(parents=True)
                (directory / "shown" / "toy" / "pretrained.txt").write_text(f"{name} {group}")
    for seed in SEEDS["reviews"]:
        directory = place / "artifacts" / "reviews" / "train" / seed
        directory.mkdir()
        (directory / "history.csv").write_text("step\n1\n")
    (place / "results" / "parameters").mkdir(parents=True)
    asked = json.dumps([ASKED, AGAINST])
    (place / "results" / "parameters" / "asked.json").write_text(asked, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        summary(loaded)
    return place


@pytest.fixture
def copied(run, tmp_path, monkeypatch) -> Path:
    """The same, to be changed."""
    place = shutil.copytree(run, tmp_path / "copied")
    monkeypatch.chdir(place)
    return place


def read(run: Path, *parts: str) -> dict:
    return json.loads(run.joinpath("results", *parts).read_text(encoding="utf-8"))


def test_every_group_has_the_curves_of_all_experiments(run):
    for group in summarised():
        table = pd.read_parquet(run / "results" / "summary" / group / "curves.parquet")
        rows = [made(name, group).assign(experiment=name) for name in shown_in(group)]
        expected = pd.concat(rows).groupby(["experiment", *KEY])["value"].agg(["mean", "count"])
        alone = table[(table["layer"] != ALL) & curve_rows(table)]
        found = alone.astype(dict.fromkeys(("experiment", *KEY[:3]), str))
        found = found.set_index(["experiment", *KEY]).loc[expected.index]
        assert len(found) == len(expected) == len(alone)
        np.testing.assert_allclose(found["mean"].to_numpy(float), expected["mean"])
        assert (found["texts"] == expected["count"]).all()
        some = found.dropna(subset="mean")
        assert ((some["low"] < some["mean"]) & (some["mean"] < some["high"])).all()


def test_what_pages_show_is_there_by_experiment(run):
    for group in summarised():
        target = run / "results" / "summary" / group
        assert {path.name for path in (target / "shown").iterdir()} == set(shown_in(group))
        for name in shown_in(group):
            text = (target / "shown" / name / "toy" / "pretrained.txt").read_text()
            assert text == f"{name} {group}"
        focus = pd.read_parquet(target / "focus.parquet").query(f"layer != {ALL}")
        expected = made(FOCUS, group).query("text == 0")["value"]
        np.testing.assert_array_equal(focus["value"], expected)


def test_what_is_known_of_texts_and_training_comes_together(run):
    found = read(run, "summary", "model", "facts.json")
    for name in STATES:
        known = {k: v for part in facts(name).values() for k, v in part.items()}
        assert found[name] == known | {"explained": list(known["seeds"])}
    names = {path.name for path in (run / "results/summary/model").iterdir()}
    assert names == {"facts.json", "reviews-history.csv"}
    history = pd.read_csv(run / "results/summary/model/reviews-history.csv")
    assert history.to_dict("list") == {"step": [1, 1], "seed": [4, 5]}


def test_what_explains_is_of_models_that_have_learned_unless_none_has(run, monkeypatch):
    monkeypatch.chdir(run)
    path = artifact("reviews", "train", "facts.json")
    before = path.read_text(encoding="utf-8")
    try:
        for able, chosen in ((("5",), ["5"]), ((), ["4", "5"]), (("4", "5"), ["4", "5"])):
            known = json.loads(before)
            for seed, one in known["seeds"].items():
                one["evaluate"]["accuracy"] = 0.9 if seed in able else 0.59
            path.write_text(json.dumps(known), encoding="utf-8")
            assert explained("reviews") == chosen
    finally:
        path.write_text(before, encoding="utf-8")


def test_quantities_of_rules_are_read_off_the_values_of_texts(run):
    table = pd.read_parquet(run / "results" / "summary" / "vectors" / "curves.parquet")
    found = table[table["reading"] != ""].astype(dict.fromkeys(AT, str)).set_index(AT)
    assert (found[["measure", "subject", "facet", "quantity", "minus"]] == "").all(axis=None)
    quantity, against = (Texts.model_validate(asked).name for asked in (ASKED, AGAINST))
    for name, states in STATES.items():
        own = found.loc[name]
        assert set(own.index.unique("reading")) == {quantity, against}
        assert set(own.loc[quantity].index) == set(states)
        values = made(name, "vectors").query("subject == 'attn_w'")
        for variant in states:
            own = values[values["variant"] == variant].pivot(
                index="text", columns="layer", values="value"
            )
            numbers = ["mean", "low", "high", "texts"]
            mean, low, high, texts = found.loc[(name, quantity, variant), numbers]
            assert mean == pytest.approx(own.mean(axis=1).mean())
            assert low < mean < high
            assert texts == TEXTS
            difference = found.loc[(name, against, variant), "mean"]
            assert difference == pytest.approx((own.mean(axis=1) - own[1]).mean())


def test_headlines_are_few_defined_and_of_the_most_trained_state(run):
    assert len(HEADLINES) + 2 <= 12  # with the number of texts and the score
    headlines = read(run, "metrics.json")
    own, other = (headlines[name] for name in STATES)
    of_curves = {"by_weights", "by_vectors", "rollout", "plane_rank", "evidence"}
    assert set(own) == {"texts", "score", *of_curves}
    assert set(other) == {"texts", "recognised", *of_curves}
    assert (own["texts"], own["score"]) == (TEXTS, 0.9)
    values = made("reviews", "vectors").query("variant == 'finetuned'")
    ratio = values[values["subject"] == "attn_w"]["value"].mean()
    assert own["by_weights"] == pytest.approx(ratio)
    roc = made("reviews", "explain").query("subject == 'rollout' and variant == 'finetuned'")[
        "value"
    ]
    assert own["evidence"] == pytest.approx(roc.mean())
    last = values[(values["subject"] == "rollout") & (values["layer"] == LAYERS)]["value"].mean()
    assert own["rollout"] == pytest.approx(last)


def test_plots_have_a_line_for_each_state_and_method(run):
    drawn = pd.read_csv(run / "results/plots/mixing.csv")
    of = ("attn_w", "attnresln_n")
    lines = {f"{name} {s} {one}" for name, states in STATES.items() for s in states for one in of}
    assert set(drawn["line"]) == lines
    assert len(drawn) == len(lines) * LAYERS
    for file in ("mixing", "propagation"):
        layers = pd.read_csv(run / f"results/plots/{file}.csv")["layer"]
        assert set(layers) == set(range(1, LAYERS + 1))


def test_the_same_values_give_the_same_bytes(run, copied, loaded):
    summary(loaded)
    assert written(copied / "results") == written(run / "results")


@pytest.mark.parametrize("content", [None, b"PAR1"])
def test_values_that_cannot_be_read_leave_the_summary_as_it_was(run, copied, loaded, content):
    path = copied / "artifacts/sentences/vectors/0/values.parquet"
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(
        InputError, match=r"sentences/vectors/0/values.parquet is missing or corrup"
    ):
        summary(loaded)
    assert written(copied / "results") == written(run / "results")
