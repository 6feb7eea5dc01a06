"""Chapter *geometry*: sentences follow the numbers, and the page has all that it asks for."""

import ast
import json
import re
import shutil
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from matplotlib import pyplot as plt
from page_numbers import asked, shown_source
from published_ledger import published_values  # noqa: F401

from analysis import params
from analysis.capture import store
from analysis.figures.findings import geometry as findings
from analysis.figures.geometry import STATE
from analysis.figures.interactive import PREFIX
from analysis.figures.words import words
from analysis.measures import GROUPS
from analysis.methods.attentionviz import attention_weights
from analysis.stages import summary
from analysis.stages.capture import capture as capture_stage
from analysis.stages.measure import measure
from analysis.stages.prepare import prepare

ROOT = Path(__file__).parents[2]
LANGUAGES = ("en", "ja")
WORDS = {language: words(language, "findings_geometry") for language in LANGUAGES}
LAYERS, HEADS = 2, 2
FOCUS = "own"


# --- sentences ------------------------------------------------------------------------------------


def several(**measures) -> pd.DataFrame:
    """Means of the pretrained states of experiments ``a``, ``b``, ..., one value each."""
    count = len(next(iter(measures.values())))
    index = pd.MultiIndex.from_product([list("abc"[:count]), ["pretrained"]], names=STATE)
    return pd.DataFrame(measures, index, dtype=float)


def check(text: str) -> str:
    assert text
    assert not re.search(r"\bnan\b|None|[{}]|\binf\b", text)
    assert not text.endswith((".", "。"))  # the page has it
    return text


CLOSE = {
    "cosine_before": (0.30, 0.31),
    "cosine_after": (0.40, 0.41),
    "plane_before": (0.50, 0.52),
}


@pytest.mark.parametrize(
    ("after", "en", "ja"),
    [
        ((0.60, 0.63), "it drives them apart", "むしろ引き離す"),
        ((0.40, 0.43), "brings strong pairs closer together:", "正規化は強い組を近づける。"),
        ((0.60, 0.43), "depends on the model", "モデルによる"),
    ],
)
def test_the_lead_says_where_strong_pairs_go(after, en, ja):
    states = several(**CLOSE, plane_after=after)
    said = {language: check(findings.lead(states, WORDS[language])) for language in LANGUAGES}
    assert en in said["en"]
    assert ja in said["ja"]
    low, high = sorted(after)
    for text in said.values():
        for numbers in ("30%–31%", "40%–41%", "50%–52%", f"{low:.0%}–{high:.0%}"):
            assert numbers in text


CORRELATED = {
    "correlation_before": (-0.95, -0.93),
    "correlation_after": (-0.81, -0.72),
    "offset_before": (0.5, 0.6),
    "offset_after": (1.5, 1.6),
}


def test_the_correlation_is_strong_only_if_it_is_in_every_state():
    said = findings.correlation(several(**CORRELATED), WORDS["en"])
    assert "is −0.95 – −0.93 before and −0.81 – −0.72 after translation" in check(said)
    assert "it is strong and negative in every model state" in said
    assert "translation makes it weaker" in said
    assert "from 0.5–0.6 to 1.5–1.6 standard deviations" in said
    said = check(findings.correlation(several(**CORRELATED), WORDS["ja"]))
    assert "どのモデルの状態でも強い負の相関である" in said
    assert "平行移動はそれを弱める" in said
    weak = CORRELATED | {"correlation_after": (-0.81, -0.69)}
    assert "It is not strong in every" in findings.correlation(several(**weak), WORDS["en"])
    assert "強いわけではない" in check(findings.correlation(several(**weak), WORDS["ja"]))
    # A strong correlation of the other sign is not what was promised.
    opposite = CORRELATED | {"correlation_before": (0.95, 0.93)}
    assert "It is not strong in every" in findings.correlation(several(**opposite), WORDS["en"])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "other", [{"correlation_after": (-0.99, -0.72)}, {"offset_after": (0.1, 1.6)}]
)
def test_the_offset_explains_only_what_it_goes_with_everywhere(language, other):
    said = check(findings.correlation(several(**CORRELATED | other), WORDS[language]))
    assert "weaker" not in said
    assert "弱める" not in said


@pytest.mark.parametrize(
    ("after", "en", "ja"),
    [
        ((0.5, 0.6), "saw this right", "観察は正しく"),
        ((0.2, 0.1), "do come closer", "たしかに近づく"),
        ((0.2, 0.6), "in some model states and not in others", "モデルの状態による"),
        ((0.3, 0.3), "in some model states and not in others", "モデルの状態による"),
    ],
)
def test_closeness_is_judged_by_before_and_after(after, en, ja):
    states = several(
        euclidean_before=(0.3, 0.3), euclidean_translated=(0.41, 0.42), euclidean_after=after
    )
    said = check(findings.close(states, WORDS["en"]))
    assert en in said
    assert "stands at 30% of the way before, 41%–42% after translation" in said
    said = check(findings.close(states, WORDS["ja"]))
    assert ja in said
    assert "41%–42%" in said


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_plane_is_compared_with_the_full_dimension(language):
    said = findings.plane(
        several(euclidean_after=(0.11, 0.12), plane_after=(0.6, 0.6)), WORDS[language]
    )
    assert "11%–12%" in check(said)
    assert "60%" in said
    assert said[0].islower() or language == "ja"  # goes on with a sentence of the page


def test_pairs_are_counted_by_what_becomes_of_their_distance():
    asked = pd.DataFrame(
        {
            "strongest": [True, False, False, True],
            "distance_before": [1.0, 1.0, 1.0, 1.0],
            "distance_seed": [0.5, 0.5, 1.5, 1.0],
            "distance_after": [1.5, 0.5, 1.5, 1.5],
        }
    )
    said = check(findings.pairs(asked, WORDS["en"]))
    assert said.startswith("Of 4 cases, a pair in a head each, 2 come closer")
    assert "and 1 with translation" in said
    assert said.endswith("of the 2 cases in which the key is the strongest of its query, 1 and 0")
    said = check(findings.pairs(asked, WORDS["ja"]))
    for numbers in ("4 件", "2 件", "1 件", "0 件"):
        assert numbers in said
    # Where a distance is not defined, nothing came closer.
    asked["distance_seed"] = np.nan
    assert "each, 0 come closer" in check(findings.pairs(asked, WORDS["en"]))


def tuned(*rows) -> pd.DataFrame:
    """Experiment, variant, correlation, plane and norm of some states."""
    columns = [*STATE, "correlation_after", "plane_after", "norm_difference"]
    return pd.DataFrame(rows, columns=columns).set_index(STATE)


def test_tuned_models_are_compared_with_their_own_origin():
    before = (-0.75, 0.25, 1.5)
    states = tuned(
        ("a", "pretrained", -0.5, 0.25, 1.5),  # says nothing of tuning
        ("b", "pretrained", *before),
        ("b", "finetuned", -0.25, 0.75, 2.5),
    )
    said = check(findings.tuned(states, WORDS["en"]))
    assert "from −0.75 to −0.25" in said
    assert "from 0.25 to 0.75" in said
    assert "by 2.50 where it was 1.50" in said
    said = check(findings.tuned(states, WORDS["ja"]))
    assert "−0.75 から −0.25" in said
    assert "1.50 から 2.50" in said


def shares(attention, layer_output, weights, alone=0.4, even=0.3) -> dict[str, float]:
    """What the last layers hold; the bounds of the first two are 0.05 away."""
    lows = {"attention_low": attention - 0.05, "layer_output_low": layer_output - 0.05}
    found = {"attention": attention, "layer_output": layer_output, "weights": weights}
    return found | lows | {"alone": alone, "even": even}


@pytest.mark.parametrize(
    ("found", "en", "ja"),
    [
        ([shares(0.5, 0.5, 0.5)], "as was reported, holds here", "報告のとおりである"),
        ([shares(0.3, 0.34, 0.3)], "does not hold here", "ここでは成り立たない"),
        (
            [shares(0.5, 0.5, 0.35)],
            "holds for attention and features, not for weights",
            "注意、特徴ベクトルについては成り立ち、重み行列については成り立たない",
        ),
        (
            [shares(0.5, 0.5, 0.5), shares(0.3, 0.5, 0.5)],
            "holds for features and weights, not for attention",
            "特徴ベクトル、重み行列については成り立ち、注意については成り立たない",
        ),
    ],
)
def test_the_last_layers_change_most_only_where_they_hold_more_than_their_share(found, en, ja):
    said = check(findings.change(pd.DataFrame(found), WORDS["en"]))
    assert en in said
    assert "where an even share is 30%" in said
    assert "the last two hold 40%" in said
    said = check(findings.change(pd.DataFrame(found), WORDS["ja"]))
    assert ja in said
    assert "40%" in said


@pytest.mark.parametrize("language", LANGUAGES)
def test_change_is_told_where_there_is_some(language):
    def said(*found: dict[str, float]) -> str:
        return check(findings.change(pd.DataFrame(found), WORDS[language]))

    nothing = shares(np.nan, np.nan, np.nan, alone=np.nan)
    assert said() != said(nothing)
    # One that changes nothing takes no part in what is said of the other.
    one = shares(0.5, 0.5, 0.5)
    assert said(nothing, one) == said(one)
    # Values may be tuned alone, which no attention notices by itself.
    assert "40%" not in said(shares(0.5, 0.5, 0.5, alone=np.nan))


def scales(single: tuple, joint: tuple) -> pd.DataFrame:
    return several(correlation_single=single, correlation_joint=joint)


def test_one_scale_for_all_costs_what_the_numbers_say():
    states = scales((-0.9, -0.8), (-0.6, -0.6))
    said = check(findings.joint_scale(states, WORDS["en"]))
    assert "gives −0.60 where one c a head gives −0.90 – −0.80" in said
    assert "no common scale" in said
    assert "共通の尺度はない" in check(findings.joint_scale(states, WORDS["ja"]))
    states = scales((-0.9, -0.9), (-0.6, -0.95))
    assert "nothing is lost" in check(findings.joint_scale(states, WORDS["en"]))
    assert "失うものはない" in check(findings.joint_scale(states, WORDS["ja"]))


@pytest.mark.parametrize("language", LANGUAGES)
def test_lines_of_all_queries_leave_none_to_draw(language):
    some = findings.lines([29, 29, 28], 29, [0.1, 0.9, 0.3], WORDS[language])
    every = findings.lines([29, 29, 29], 29, [0.1, 0.9, 0.3], WORDS[language])
    rest = {"en": "would draw the rest", "ja": "一本引けば"}[language]
    assert rest in some and rest not in every
    assert "0.30" in every


@pytest.mark.parametrize("language", LANGUAGES)
def test_lines_come_from_some_of_the_queries(language):
    said = check(findings.lines([10, 20, 30], 64, [0.11, 0.93, 0.35], WORDS[language]))
    for numbers in ("20", "64", "0.35"):
        assert numbers in said


ENDS = ("before", "after")
NEEDED = {
    "lead": [f"{d}_{way}" for d in ("cosine", "plane") for way in ENDS],
    "correlation": [f"{m}_{way}" for m in ("correlation", "offset") for way in ENDS],
    "close": [f"euclidean_{way}" for way in (*ENDS, "translated")],
    "plane": ["euclidean_after", "plane_after"],
}


@pytest.mark.parametrize(("name", "language"), list(product(NEEDED, LANGUAGES)))
def test_what_is_undefined_is_not_talked_about(name, language):
    say, measures, w = getattr(findings, name), NEEDED[name], WORDS[language]
    whole = several(**{measure: (0.25,) for measure in measures})
    for missing in measures:
        part = several(**{m: (np.nan if m == missing else 0.75,) for m in measures})
        assert "75%" not in check(say(part, w))
        assert say(pd.concat([whole, part]), w) == say(whole, w)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_scale_or_a_tuned_state_that_is_undefined_is_left_out(language):
    assert "0.90" not in check(findings.joint_scale(scales((-0.9,), (np.nan,)), WORDS[language]))
    states = tuned(*(("a", variant, np.nan, 0.25, 1.5) for variant in ("pretrained", "finetuned")))
    assert "0.25" not in check(findings.tuned(states, WORDS[language]))


def test_a_span_of_nothing_is_a_dash():
    assert findings.defined_span([np.nan, np.nan], WORDS["en"]) == "an undefined value"
    assert findings.defined_span([0.25, np.nan, 0.5], WORDS["en"]) == "25%–50%"
    assert findings.defined_span([-0.5], WORDS["en"], ".2f") == "−0.50"


# --- the whole page -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def results(tmp_path_factory, tokenizer, make_model, texts) -> Path:
    """Results of a user's own texts, and of an experiment that fine-tunes; tiny models."""
    import torch
    from transformers import AutoModel, AutoModelForSequenceClassification

    directory = tmp_path_factory.mktemp("results")
    values = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    own, reviews = values["experiments"]["sentences"], values["experiments"]["reviews"]
    own["data"] = {"source": "texts", "texts": [*texts, "Yes"]}
    own["capture"]["examples"] = reviews["capture"]["examples"] = 4
    reviews["data"]["sizes"] = {"train": 4, "validation": 4, "test": 8}
    for experiment in (own, reviews):
        experiment["model"] = {"source": "local", "name": "tiny"}
        experiment["length"]["max_tokens"] = 40
    values |= {
        "files": {"tiny": str(directory / "tiny-bert")},
        "device": "cpu",
        "workers": 1,
        "experiments": {FOCUS: own, "reviews": reviews},
    }
    values["bootstrap"]["resamples"] = 100
    values["projection"]["examples"] = [0]
    values["geometry"] |= {"texts": 2, "lines": 5, "nonlinear": [FOCUS]}
    values["report"]["focus"] = {"experiment": FOCUS, "example": 0}
    (directory / "params.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    config = make_model("bert").config
    config.num_hidden_layers, config.num_attention_heads = LAYERS, HEADS
    config.initializer_range = 0.3
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        for automatic, path in (
            (AutoModel, "tiny-bert"),
            (AutoModelForSequenceClassification, "artifacts/reviews/train/model"),
        ):
            torch.manual_seed(len(path))
            automatic.from_config(config).save_pretrained(path)
            tokenizer.save_pretrained(path)
        loaded = params.load()
        for name in ("own", "reviews"):
            prepare(loaded, name)
            capture_stage(loaded, name)
        summarised(patch, loaded, {"vectors": ("mixing", "change"), **MEASURED})
    return directory


MEASURED = {"queries-keys": GROUPS["queries-keys"], "focus": GROUPS["focus"]}


def summarised(patch: pytest.MonkeyPatch, loaded: params.Params, groups: dict) -> None:
    """Measure and summarise these subjects alone."""
    for group, subjects in groups.items():
        patch.setitem(GROUPS, group, subjects)
        names = [FOCUS] if group == "focus" else list(loaded.experiments)
        for name in names:
            measure(loaded, name, group)
        target = Path("results", "summary", group)
        target.mkdir(parents=True)
        summary._group(loaded, group, names, target)
    facts = {name: {"capture": {"examples": 4}} for name in loaded.experiments}
    Path("results/summary/model").mkdir()
    Path("results/summary/model/facts.json").write_text(json.dumps(facts))


def executed(language: str, directory: Path) -> dict[str, str]:
    """Run the notebook in the present directory -> what each labelled cell shows."""
    source = (ROOT / "analysis" / "notebooks" / "geometry.py").read_text(encoding="utf-8")
    given = {
        'language = "en"': f"language = {language!r}",
        'directory = "."': f"directory = {str(directory)!r}",
    }
    for default, value in given.items():
        assert source.count(default) == 1
        source = source.replace(default, value)
    names: dict = {}
    shown = {}
    for cell in re.split(r"^# %%.*\n", source, flags=re.MULTILINE):
        code = ast.parse(cell).body
        last = code.pop() if code and isinstance(code[-1], ast.Expr) else None
        exec(compile(ast.Module(code, []), "geometry.py", "exec"), names)
        value = (
            eval(compile(ast.Expression(last.value), "geometry.py", "eval"), names)
            if last
            else None
        )
        label = re.search(r"^# \| label: (\S+)$", cell, flags=re.MULTILINE)
        if label:
            shown[label[1]] = value.data
    assert not plt.get_fignums()
    return shown


def embedded(language: str, **has: bool) -> set[str]:
    """Labels of the cells that the page shows."""
    source = shown_source("geometry", language, **has)
    return set(re.findall(r"\{\{<\s*embed\s+notebooks/geometry\.ipynb#(\S+)", source))


def complete(language: str, directory: Path, **has: bool) -> tuple[dict[str, str], dict[str, str]]:
    """Run the notebook and look at all that it leaves -> cells and numbers."""
    shown = executed(language, directory)
    assert embedded(language) <= set(shown)
    assert all(shown[label] for label in embedded(language, **has))
    numbers = json.loads((directory / "numbers.json").read_text(encoding="utf-8"))
    assert asked("geometry", language, **has) <= set(numbers)
    for name, text in numbers.items():
        assert text, name
        assert not re.search(r"\bnan\b|None|[{}]|\binf\b", text), name
    for table in directory.glob("*.csv"):
        pd.read_csv(table)
    for script in directory.glob("*.map.js"):
        text = script.read_text(encoding="utf-8")
        assert text.startswith(PREFIX)
        json.loads(text.removeprefix(PREFIX).removesuffix(";\n"))
    return shown, numbers


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_has_all_that_it_asks_for(results, tmp_path, monkeypatch, language):
    monkeypatch.chdir(results)
    shown, numbers = complete(language, tmp_path)
    figures = {path.stem for path in tmp_path.glob("*.svg")}
    assert figures == {label for label in shown if "<svg" in shown[label]} - {"joint-others"} | {
        "joint-reviews"
    }
    tables = embedded(language) - figures - {"text", "joint-others"}
    assert tables == {"scales", "pairs", "joint-trust"}
    for name in figures | tables:
        assert len(pd.read_csv(tmp_path / f"{name}.csv")), name
    assert {path.name for path in tmp_path.glob("*.map.js")} == {
        "joint.map.js",
        "joint-reviews.map.js",
    }
    assert numbers["states"] == {"en": "3 model states", "ja": "モデルの状態 3 通り"}[language]
    assert numbers["captured"] == {"en": "8 texts", "ja": "8 件のテキスト"}[language]
    # The text shown has the words of the pair, as pieces: one pair a piece in every head.
    assert f"{3 * LAYERS * HEADS}" in numbers["pairs"]
    assert numbers["undefined"] == "0"


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_fine_tuning_the_page_is_as_complete(results, tmp_path, monkeypatch, language):
    values = yaml.safe_load((results / "params.yaml").read_text(encoding="utf-8"))
    del values["experiments"]["reviews"]
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    shutil.copytree(results / "results", tmp_path / "results")
    for path in (tmp_path / "results").rglob("curves.parquet"):
        pd.read_parquet(path).query("experiment == 'own'").to_parquet(path)
    files = tmp_path / "files"
    files.mkdir()
    monkeypatch.chdir(tmp_path)
    shown, numbers = complete(language, files, trained=False, several_experiments=False)
    assert not any(shown[label] for label in ("change", "change-heads", "aligned"))
    assert not {"change", "tuned"} & set(numbers)
    assert numbers["states"] == {"en": "one model state", "ja": "モデルの状態 1 通り"}[language]


@pytest.mark.parametrize("case", ["short", "constant"])
def test_what_is_undefined_is_said_to_be_on_the_page(results, tmp_path, monkeypatch, case):
    """Texts of one and two tokens, or a model whose queries and keys say nothing."""
    monkeypatch.chdir(tmp_path)
    values = yaml.safe_load((results / "params.yaml").read_text(encoding="utf-8"))
    del values["experiments"]["reviews"]
    values["geometry"] |= {"texts": 4, "metric": "euclidean"}
    Path("params.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    lengths = [1, 2, 1, 2] if case == "short" else [5, 6, 5, 6]
    rng = np.random.default_rng(0)
    arrays = []
    for length in lengths:
        query, key = rng.normal(size=(2, LAYERS, HEADS, length, 4))
        if case == "constant":
            query[:] = 0
        weights = attention_weights(query, key, 0.5)
        kept = {"query": query, "key": key, "attention": weights}
        arrays.append({name: array.astype(np.float32) for name, array in kept.items()})
    tokens = [
        {"example_id": text, "position": position, "token": "w"}
        | {"is_special": False, "is_evidence": None}
        for text, length in enumerate(lengths)
        for position in range(length)
    ]
    store.write(
        Path("artifacts", "own", "capture", "pretrained"),
        enumerate(arrays),
        dtype="float32",
        examples=lambda: pd.DataFrame({"id": range(4), "tokens": lengths, "label": None}),
        tokens=pd.DataFrame(tokens),
        model={},
    )
    summarised(monkeypatch, params.load(), MEASURED | {"focus": ("sentence",)})
    shown_tokens = Path("results/summary/focus/shown/own/matrices/pretrained-tokens.parquet")
    shown_tokens.parent.mkdir()
    pd.DataFrame(tokens[: lengths[0]]).to_parquet(shown_tokens)
    Path("files").mkdir()
    missing = ("trained", "several_experiments", "distances", "asked_pairs")
    shown, numbers = complete("en", Path("files"), **dict.fromkeys(missing, False))
    assert not any(re.search("(^|[ >])\u2013($|[ <])", text) for text in numbers.values())
    assert "cannot be measured here" in numbers["correlation"]
    assert "nan" not in shown["scales"]
    assert int(numbers["undefined"]) == sum(lengths) * LAYERS * HEADS
