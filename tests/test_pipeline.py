"""Stages end to end, in a directory of their own: what they write, and the same each time."""

import json
import re
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from small_run import GRAPH, STAGES, TEXTS, small_parameters
from tiny_experiment import written

from analysis.__main__ import measure as take_one_measure
from analysis.parameters import Params
from analysis.stages.capture import capture
from analysis.stages.measure import alone
from attention_mixing.attributions.blocks import measured_ratio
from attention_mixing.capture.store import Capture, captures
from attention_mixing.capture.text import State
from attention_mixing.errors import InputError
from attention_mixing.measures import GROUPS, declared, measures
from attention_mixing.measures import STAGES as MEASURING
from attention_mixing.methods.attention import head_mean
from attention_mixing.methods.attention import mixing as mixed

LAYERS = 6
VARIANTS = (("films", "pretrained"), ("films", "finetuned"), ("own", "pretrained"))

pytestmark = pytest.mark.slow


def projection(params: Params, experiment: str) -> None:
    alone(params, experiment, "projection")


def propagation(params: Params, experiment: str) -> None:
    alone(params, experiment, "propagation")


def left(directory: Path) -> dict[str, bytes]:
    """What the experiments left; what is not of one lies beside their directories."""
    return written(directory / "artifacts")


@pytest.fixture(scope="module")
def first_left(finished) -> dict[str, bytes]:
    return left(finished)


def captured(directory: Path, experiment: str, variant: str) -> Capture:
    return Capture(captures(directory / "artifacts" / experiment / "capture", "0")[variant])


def stage_of(measure: str) -> str:
    """Stage that takes a measure."""
    return next(stage for stage in MEASURING if measure in {one.name for one in measures(stage)})


def values(directory: Path, experiment: str, by: str, **where) -> pd.DataFrame:
    """What a measure gave: a row a text, layer, ...; columns have the names of ``where``."""
    stage = stage_of(by)
    table = pd.read_parquet(directory / "artifacts" / experiment / stage / "0" / "values.parquet")
    chosen = table["measure"] == by
    for column, value in where.items():
        chosen &= table[column] == value
    return table[chosen]


def facts(directory: Path, experiment: str, stage: str) -> dict:
    path = directory / "artifacts" / experiment / stage / "facts.json"
    return json.loads(path.read_text(encoding="utf-8"))


def test_every_output_of_the_graph_is_there(finished, first_left):
    for stage in STAGES:
        (out,) = GRAPH[stage]["do"]["outs"]
        for experiment in ("films", "own"):
            assert (finished / out.replace("${key}", experiment)).exists()
    assert not [name for name in first_left if Path(name).name.startswith(".")]
    assert not list((finished / "checkpoints").glob("*"))


def test_a_second_run_gives_the_same_bytes(finished_twice, first_left):
    second = left(finished_twice[1])
    first = {name: value for name, value in first_left.items() if name.startswith("films/")}
    assert len(second) > 15
    assert second.keys() == first.keys()
    assert [name for name in second if second[name] != first[name]] == []


def test_texts_are_kept_character_for_character_and_tokens_point_at_theirs(finished):
    capture = captured(finished, "own", "pretrained")
    assert capture.examples["text"].tolist() == list(TEXTS)
    for row in capture.examples.itertuples():
        for token in capture.tokens_of(row.id).itertuples():
            if not token.is_special and token.token.isascii() and token.token[0] not in "[#":
                assert row.text[token.start : token.end].lower() == token.token


def test_cut_texts_are_counted(finished):
    assert facts(finished, "own", "capture")["capture"]["truncated"] == 2
    capture = captured(finished, "own", "pretrained")
    assert capture.examples["truncated"].tolist() == [True, False, True, False, False]


def test_the_capture_agrees_with_the_model(finished):
    found = facts(finished, "films", "capture")["capture"]
    for variant in ("pretrained", "finetuned"):
        assert max(found[variant]["deviation"].values()) < 1e-4


def test_captured_predictions_are_the_evaluated_ones(finished):
    capture = captured(finished, "films", "finetuned")
    predictions = pd.read_parquet(
        finished / "artifacts" / "films" / "train" / "0" / "predictions.parquet"
    )
    both = capture.examples.merge(predictions, on="id", suffixes=("", "_evaluated"))
    assert len(both) == 4
    assert (both["prediction"] == both["prediction_evaluated"]).all()
    assert (both["probability"] - both["probability_evaluated"]).abs().max() < 1e-5
    untrained = captured(finished, "films", "pretrained")
    assert untrained.examples["prediction"].isna().all()


# --- mixing, identity, propagation ----------------------------------------------------------------


def test_every_text_is_measured_to_a_finite_number(finished):
    """Also one of hostile characters, and one that is a single token between special ones."""
    assert len(captured(finished, "own", "pretrained").tokens_of(4)) == 3
    for experiment, variant in VARIANTS:
        texts = set(captured(finished, experiment, variant).examples["id"])
        for name in ("mixing", "identity", "propagation"):
            found = values(finished, experiment, name, variant=variant)
            assert set(found["text"]) == texts
            assert np.isfinite(found["value"]).all()


@pytest.mark.parametrize("group", GROUPS)
def test_every_value_lies_in_the_range_that_its_measure_declares(finished, group):
    ranges: dict[tuple[str, str], list] = {}
    for quantity in declared(group):
        ranges.setdefault((quantity["measure"], quantity["quantity"]), []).append(quantity["range"])
    artifacts = finished / "artifacts"
    for path in chain.from_iterable(
        artifacts.glob(f"*/{stage}/*/values.parquet") for stage in GROUPS[group]
    ):
        table = pd.read_parquet(path).dropna(subset="value")
        for name, found in table.groupby(["measure", "quantity"], observed=True)["value"]:
            smallest, largest = zip(*ranges[name], strict=True)
            assert None in smallest or found.min() >= min(smallest) - 1e-6, name
            assert None in largest or found.max() <= max(largest) + 1e-6, name


def test_every_seed_is_trained_and_measured_and_the_summary_is_of_all(small_site):
    """What is of the pretrained model alone is measured once."""
    run = small_site.parent
    of_seeds = [
        pd.read_parquet(run / "artifacts" / "films" / "vectors" / seed / "values.parquet")
        for seed in ("0", "1")
    ]
    asked = "measure == 'mixing' and quantity == 'ratio' and subject == 'attn_w' and facet == 'all'"
    chosen = [one.query(asked) for one in of_seeds]
    assert [set(one["variant"]) for one in chosen] == [{"pretrained", "finetuned"}, {"finetuned"}]
    means = [one.query("variant == 'finetuned'")["value"].mean() for one in chosen]
    assert means[0] != means[1]
    curves = pd.read_parquet(run / "results" / "summary" / "vectors" / "curves.parquet")
    row = curves.query(f"{asked} and experiment == 'films' and variant == 'finetuned'")
    row = row.query("layer == -1").iloc[0]
    assert row["seeds"] == 2
    np.testing.assert_allclose(row["by_seed"], means)
    assert row["mean"] == pytest.approx(np.mean(means))
    known = facts(run, "films", "train")
    accuracies = [one["evaluate"]["accuracy"] for one in known["seeds"].values()]
    assert known["evaluate"]["accuracy"] == pytest.approx(np.mean(accuracies))
    assert known["seeds"]["0"]["sha256"] != known["seeds"]["1"]["sha256"]


@pytest.mark.parametrize(("experiment", "variant"), VARIANTS)
def test_the_measured_residual_mixes_as_much_as_was_measured(finished, experiment, variant):
    capture = captured(finished, experiment, variant)
    where = {"variant": variant, "subject": "rollout_measured", "quantity": "mixing", "layer": 1}
    measured = values(finished, experiment, "propagation", **where).set_index("text")["value"]
    model = finished / "artifacts" / experiment / "train"
    state = State(variant, capture.directory, model)
    for example in capture.examples["id"]:
        ratio = measured_ratio(state.text(int(example)))
        assert ratio.shape == (LAYERS, len(capture.tokens_of(example)))
        # No residual at all is the most that attention can mix.
        most = mixed(head_mean(capture.array(example, "attention")))[0]
        expected = np.minimum(ratio[0], most)
        assert measured[example] == pytest.approx(expected.mean(), abs=1e-12)


@pytest.mark.parametrize(("experiment", "variant"), VARIANTS)
def test_ratios_of_weights_are_those_of_propagation(finished, experiment, variant):
    """Two measures and two formulas: norms with every vector of length one, and matrices."""
    ratios = values(finished, experiment, "mixing", variant=variant, quantity="ratio")
    assert ratios["value"].between(0, 1).all()
    wide = ratios.pivot(index=["text", "layer", "facet"], columns="subject", values="value")
    np.testing.assert_allclose(wide["attnres_w"], wide["attn_w"] / 2, rtol=1e-6)
    found = values(finished, experiment, "propagation", variant=variant, quantity="mixing")
    found = found.pivot(index=["text", "layer"], columns="subject", values="value")
    everything = wide.xs("all", level="facet")
    for scope, method in (("attn_w", "raw"), ("attnres_w", "residual")):
        np.testing.assert_allclose(everything[scope], found[method], rtol=1e-5)


@pytest.mark.parametrize(("experiment", "variant"), VARIANTS)
def test_kinds_of_tokens_make_up_the_text(finished, experiment, variant):
    capture = captured(finished, experiment, variant)
    ratios = values(finished, experiment, "mixing", variant=variant, quantity="ratio")
    for example in capture.examples["id"]:
        tokens = capture.tokens_of(example)
        special = tokens["is_special"].to_numpy(bool)
        masks = int((tokens["token"] == "[MASK]").sum())
        counts = {"cls": 1, "special": special.sum() - 1, "mask": masks}
        counts["text"] = len(tokens) - sum(counts.values())
        rows = ratios[ratios["text"] == example]
        wide = rows.pivot(index=["layer", "subject"], columns="facet", values="value")
        assert set(wide) == {"all", *(kind for kind, count in counts.items() if count)}
        parts = sum(wide[kind] * count for kind, count in counts.items() if count)
        np.testing.assert_allclose(parts / len(tokens), wide["all"], rtol=1e-6)


@pytest.mark.parametrize(("experiment", "variant"), VARIANTS)
def test_tokens_begin_as_themselves(finished, experiment, variant):
    found = values(finished, experiment, "identity", variant=variant)
    assert set(found["layer"]) == set(range(LAYERS + 1))
    first = found[found["layer"] == 0].pivot(index="text", columns="quantity", values="value")
    np.testing.assert_allclose(first["self_similarity"], 1, atol=1e-6)
    assert (first["identifiability"] == 1).all()
    moments = values(finished, experiment, "token_moments", variant=variant)
    cka = moments[moments["quantity"] == "cka"].astype({"subject": str}).astype({"subject": int})
    matrix = cka.pivot(index="layer", columns="subject", values="value").to_numpy()
    assert matrix.shape == (LAYERS + 1, LAYERS + 1)
    np.testing.assert_array_equal(matrix, matrix.T)
    np.testing.assert_allclose(np.diagonal(matrix), 1, rtol=1e-5)
    assert ((matrix > 0) & (matrix < 1 + 1e-5)).all()
    ranks = moments[moments["quantity"] == "effective_rank"]["value"]
    tokens = len(captured(finished, experiment, variant).tokens)
    assert ranks.between(1, tokens - 1).all()


def test_without_a_task_nothing_is_explained_and_without_labels_nothing_separated(finished):
    for by in ("relevance", "faithfulness", "head_ablation", "separation"):
        assert len(values(finished, "films", by))
        assert values(finished, "own", by).empty


# --- pages ----------------------------------------------------------------------------------------


def test_every_chapter_can_be_written_of_so_little(small_site):
    """Also where one experiment is all texts of a user, with nothing to train or to separate."""
    for language in ("en", "ja"):
        sources = (small_site.parent / "report" / language).glob("*.qmd")
        pages = {path.stem for path in (small_site / language).glob("*.html")}
        assert pages == {path.stem for path in sources}
    ledger = json.loads(
        (small_site.parent / "results" / "rules" / "claims.json").read_text(encoding="utf-8")
    )
    assert len(ledger) >= 30


def test_what_has_evidence_is_shown(small_site):
    """What is missing is of questions, of pairs no text holds, and of models that have learned.

    So is what fine-tuning changed of the score that the explorer opens with.
    """
    missing = set()
    for source in (small_site.parent / "report" / "en").glob("*.qmd"):
        labels = re.findall(r"\{#((?:fig|tbl)-[\w-]+)", source.read_text(encoding="utf-8"))
        page = (small_site / "en" / f"{source.stem}.html").read_text(encoding="utf-8")
        missing |= {label for label in labels if f'id="{label}"' not in page}
    assert missing == {"tbl-answers", "tbl-pairs", "fig-orders", "fig-score"}


# --- mistakes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("section", "changes", "work", "said"),
    [
        ("length", {"max_tokens": 5000}, capture, "at most 512"),
        ("projection", {"examples": [1]}, projection, r"examples \[1\] of own have 4 tokens"),
        ("propagation", {"start_layer": 6}, propagation, "start_layer is 6 .* 6 layers"),
    ],
)
def test_what_a_stage_cannot_use_is_told(
    finished, first_left, monkeypatch, section, changes, work, said
):
    values = small_parameters()
    del values["schema"]
    (values if section in values else values["experiments"]["own"])[section] |= changes
    monkeypatch.chdir(finished)
    with pytest.raises(InputError, match=said):
        work(Params.model_validate(values), "own")
    assert left(finished) == first_left


def test_one_measure_is_taken_by_its_name_and_nothing_is_written(
    finished, first_left, monkeypatch, capsys
):
    monkeypatch.chdir(finished)
    take_one_measure("identity", "own")
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    first = values(finished, "own", "identity", quantity="self_similarity", layer=1)
    (shown,) = (row[3] for row in rows if row[1:3] == ["self_similarity", "1"])
    assert float(shown) == pytest.approx(first["value"].mean(), rel=1e-3)
    with pytest.raises(InputError, match="'entropy' is none of the measures; allowed: mixing, "):
        take_one_measure("entropy", "own")
    assert left(finished) == first_left
