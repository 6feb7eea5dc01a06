"""The stage summary: what rules, pages and DVC read, of made-up values of two experiments."""

import json
import shutil
from math import nan
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis import params
from analysis.errors import InputError
from analysis.measures import GROUPS, measures
from analysis.measures.definition import ALL
from analysis.measures.summary import summarise
from analysis.rules.contrasts import key
from analysis.rules.rule import Texts
from analysis.stages.summary import HEADLINES, defined, summary

NAMES = ("reviews", "sentences")  # trained, and not
TEXTS, LAYERS = 6, 4
ASKED = {"group": "vectors", "measure": "ratio", "where": {"of": "attn_w"}}
MADE = {  # group -> by, of, kind, measure
    "vectors": [
        ("mixing", "attn_w", "all", "ratio"),
        ("mixing", "attnresln_n", "all", "ratio"),
        ("propagation", "rollout", "", "mixing"),
        ("identity", "", "", "identifiability"),
    ],
    "queries-keys": [("geometry", "", "", "plane_after")],
    "heads": [],
    "explain": [],
    "focus": [("sentence", "", "", "share")],
}


@pytest.fixture(scope="module")
def loaded(root) -> params.Params:
    found = params.load(root / "params.yaml")
    experiments = {name: found.experiments[name] for name in NAMES}
    return found.model_copy(update={"experiments": experiments})


def made(name: str, group: str) -> pd.DataFrame:
    generator = np.random.default_rng(len(name + group))
    states = ("pretrained", "finetuned") if name == "reviews" else ("pretrained",)
    rows = [
        (by, variant, text, of, kind, measure, layer, 0, generator.random())
        for by, of, kind, measure in MADE[group]
        for variant in states
        for text in range(TEXTS)
        for layer in range(1, LAYERS + 1)
    ]
    names = ["by", "variant", "text", "of", "kind", "measure", "layer", "head", "value"]
    return pd.DataFrame(rows, columns=names)


def facts(name: str) -> dict[str, dict]:
    trained = name == "reviews"
    score = {"accuracy": 0.9} if trained else {}
    return {
        "corpus": {"corpus": {"texts": {"test": 9}}, "origin": {}, "samples": []},
        "train": {"evaluate": score},
        "capture": {"capture": {"examples": TEXTS}},
    }


@pytest.fixture
def workplace(loaded, tmp_path, monkeypatch) -> Path:
    """A run up to its measures, and one rule."""
    monkeypatch.chdir(tmp_path)
    for name in NAMES:
        for stage, content in facts(name).items():
            directory = Path("artifacts", name, stage)
            directory.mkdir(parents=True)
            (directory / "facts.json").write_text(json.dumps(content))
        for group, kinds in MADE.items():
            directory = Path("artifacts", name, group)
            (directory / "shown" / "toy").mkdir(parents=True)
            (directory / "shown" / "toy" / "pretrained.txt").write_text(f"{name} {group}")
            made(name, group).to_parquet(directory / "values.parquet", index=False)
            noted = {by: {"code": f"{by} code", "settings": {}} for by, *_ in kinds}
            (directory / "manifest.json").write_text(json.dumps({"measures": noted}))
    # The text in focus is of one experiment.
    shutil.rmtree("artifacts/reviews/focus")
    Path("artifacts/reviews/train/history.csv").write_text("step\n1\n")
    Path("report").mkdir()
    cases = [{"texts": ASKED}, {"name": "b", "texts": ASKED | {"minus": {"layers": "first"}}}]
    row = {"id": "mixing.ratio", "variants": ["pretrained", "finetuned"], "cases": cases}
    Path("report/rules.yaml").write_text(json.dumps([row]), encoding="utf-8")  # YAML as well
    return tmp_path


def read(*parts: str) -> dict:
    return json.loads(Path("results", *parts).read_text(encoding="utf-8"))


def curves(group: str) -> pd.DataFrame:
    return pd.read_parquet(Path("results", "summary", group, "curves.parquet"))


def test_every_group_has_the_curves_of_all_experiments(workplace, loaded):
    summary(loaded)
    for group in GROUPS:
        table = curves(group)
        expected = [
            summarise(made(name, group), measures(group), loaded.bootstrap)
            for name in (NAMES if group != "focus" else NAMES[1:])
        ]
        rows = pd.concat(expected, ignore_index=True)
        found = table.drop(columns=["experiment", "code"])
        pd.testing.assert_frame_equal(
            found, rows, check_dtype=False, check_categorical=False, rtol=1e-12
        )
        assert (table["code"].astype(str) == table["by"].astype(str) + " code").all()
    assert list(curves("vectors")["experiment"].unique()) == list(NAMES)


def test_what_pages_show_is_there_by_experiment(workplace, loaded):
    summary(loaded)
    for group in GROUPS:
        shown = Path("results", "summary", group, "shown")
        names = NAMES if group != "focus" else NAMES[1:]
        assert {path.name for path in shown.iterdir()} == set(names)
        for name in names:
            assert (shown / name / "toy" / "pretrained.txt").read_text() == f"{name} {group}"


def test_what_is_known_of_texts_and_training_comes_together(workplace, loaded):
    summary(loaded)
    found = read("summary", "model", "facts.json")
    for name in NAMES:
        assert found[name] == {k: v for part in facts(name).values() for k, v in part.items()}
    files = {path.name for path in Path("results/summary/model").iterdir()}
    assert files == {"facts.json", "reviews-history.csv"}


def test_quantities_of_rules_are_read_off_the_values_of_texts(workplace, loaded):
    summary(loaded)
    found = read("summary", "rules", "readings.json")
    quantity = key(Texts.model_validate(ASKED))
    against = key(Texts.model_validate(ASKED | {"minus": {"layers": "first"}}))
    for name in NAMES:
        states = {"pretrained", "finetuned"} if name == "reviews" else {"pretrained"}
        assert set(found[name]) == {quantity, against}
        assert states < set(found[name][quantity])
        values = made(name, "vectors").query("of == 'attn_w'")
        for variant in states:
            own = values[values["variant"] == variant].pivot(
                index="text", columns="layer", values="value"
            )
            mean, low, high, texts = found[name][quantity][variant]
            assert mean == pytest.approx(own.mean(axis=1).mean())
            assert low < mean < high
            assert texts == TEXTS
            difference = found[name][against][variant][0]
            assert difference == pytest.approx((own.mean(axis=1) - own[1]).mean())


def test_headlines_are_few_and_of_the_most_trained_state(workplace, loaded):
    summary(loaded)
    assert len(HEADLINES) + 2 <= 12  # with the number of texts and the score
    own = read("metrics", "reviews.json")
    assert set(own) == {
        *("texts", "score", "by_weights", "by_vectors", "rollout", "recognised", "plane_rank")
    }
    assert (own["texts"], own["score"]) == (TEXTS, 0.9)
    assert "score" not in read("metrics", "sentences.json")
    values = made("reviews", "vectors").query("variant == 'finetuned'")
    ratio = values[values["of"] == "attn_w"]["value"].mean()
    assert own["by_weights"] == pytest.approx(ratio)
    last = values[(values["of"] == "rollout") & (values["layer"] == LAYERS)]["value"].mean()
    assert own["rollout"] == pytest.approx(last)


def test_a_headline_that_is_not_defined_is_left_out(workplace, loaded):
    path = Path("artifacts/reviews/vectors/values.parquet")
    values = pd.read_parquet(path)
    values.loc[values["measure"] == "identifiability", "value"] = nan
    values.to_parquet(path, index=False)
    summary(loaded)
    assert "recognised" not in read("metrics", "reviews.json")
    rows = curves("vectors").query("measure == 'identifiability' and experiment == 'reviews'")
    assert rows["mean"].isna().all()
    assert (rows["texts"] == 0).all()
    assert defined(nan) is None
    assert defined(None) is None
    assert defined(np.float64(0)) == 0


def test_plots_have_a_line_for_each_state_and_method(workplace, loaded):
    summary(loaded)
    drawn = pd.read_csv("results/plots/mixing.csv")
    assert list(drawn.columns) == ["line", "layer", "mean", "low", "high"]
    states = ("reviews pretrained", "reviews finetuned", "sentences pretrained")
    lines = {f"{state} {of}" for state in states for of in ("attn_w", "attnresln_n")}
    assert set(drawn["line"]) == lines
    assert len(drawn) == len(lines) * LAYERS
    assert set(drawn["layer"]) == set(range(1, LAYERS + 1))
    assert ALL not in set(pd.read_csv("results/plots/propagation.csv")["layer"])


def test_the_same_values_give_the_same_bytes(workplace, loaded):
    def files():
        paths = (path for path in Path("results").rglob("*") if path.is_file())
        return {path: path.read_bytes() for path in paths}

    summary(loaded)
    before = files()
    summary(loaded)
    assert files() == before


@pytest.mark.parametrize("damage", ["missing", "corrupted"])
def test_values_that_cannot_be_read_leave_the_summary_as_it_was(workplace, loaded, damage):
    summary(loaded)
    before = curves("vectors")
    path = Path("artifacts/sentences/vectors/values.parquet")
    path.unlink()
    if damage == "corrupted":
        path.write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"sentences/vectors/values.parquet is missing or corrup"):
        summary(loaded)
    pd.testing.assert_frame_equal(curves("vectors"), before)
    assert not list(Path("results").glob(".*"))
