"""Stages end to end, in a directory of their own: what they write, and the same each time."""

import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import load_file
from small_run import GRAPH, HOSTILE, STAGES, TEXTS, run_stage, small_parameters, write_parameters

from analysis.capture.store import Capture
from analysis.methods.attention import head_mean
from analysis.methods.attention import mixing as mixed
from analysis.methods.rollout import attention_rollout

LAYERS = 6
VARIANTS = (("reviews", "pretrained"), ("reviews", "finetuned"), ("own", "pretrained"))

pytestmark = pytest.mark.pipeline


def hashes(directory: Path) -> dict[str, str]:
    """Of what the experiments left; what is not of one lies beside their directories."""
    return {
        str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest()
        for part in ("artifacts", "results")
        for experiment in ("reviews", "own")
        for path in sorted((directory / part / experiment).rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def first_hashes(finished) -> dict[str, str]:
    return hashes(finished)


def captured(directory: Path, experiment: str, variant: str) -> Capture:
    return Capture(directory / "artifacts" / experiment / "capture" / variant)


def result(directory: Path, experiment: str, name: str) -> pd.DataFrame:
    return pd.read_parquet(directory / "results" / experiment / f"{name}.parquet")


def shown(directory: Path, experiment: str, variant: str, part: str = "shown") -> dict:
    path = directory / "results" / experiment / part / f"{variant}.safetensors"
    return {name: matrix.astype(float) for name, matrix in load_file(path).items()}


def metrics(directory: Path, experiment: str, stage: str, kind: str = "metrics") -> dict:
    path = directory / "results" / experiment / kind / f"{stage}.json"
    return json.loads(path.read_text(encoding="utf-8"))


def test_every_output_of_the_graph_is_there(finished, first_hashes):
    for stage in STAGES:
        do = GRAPH[stage]["do"]
        for out in (out for kind in ("outs", "metrics", "plots") for out in do.get(kind, [])):
            for experiment in ("reviews", "own"):
                assert (finished / next(iter(out)).replace("${key}", experiment)).exists()
    assert not [name for name in first_hashes if Path(name).name.startswith(".")]
    assert not list((finished / "checkpoints").glob("*"))


def test_a_second_run_gives_the_same_bytes(finished_twice, first_hashes):
    second = hashes(finished_twice[1])
    first = {name: value for name, value in first_hashes.items() if "/reviews/" in name}
    assert len(second) > 15
    assert second.keys() == first.keys()
    assert [name for name in second if second[name] != first[name]] == []


def test_texts_are_kept_character_for_character(finished):
    capture = captured(finished, "own", "pretrained")
    assert capture.examples["text"].tolist() == list(TEXTS)
    corpus = pd.read_parquet(finished / "artifacts" / "own" / "corpus" / "examples.parquet")
    assert corpus["text"].tolist() == list(TEXTS)
    shown = pd.read_parquet(finished / "results" / "own" / "shown" / "tokens.parquet")
    assert shown["text"].unique().tolist() == [HOSTILE]


def test_tokens_point_at_their_characters(finished):
    capture = captured(finished, "own", "pretrained")
    for row in capture.examples.itertuples():
        for token in capture.tokens_of(row.id).itertuples():
            if not token.is_special and token.token.isascii() and token.token[0] not in "[#":
                assert row.text[token.start : token.end].lower() == token.token


def test_cut_texts_are_counted(finished):
    assert metrics(finished, "own", "capture")["truncated"] == 2
    capture = captured(finished, "own", "pretrained")
    assert capture.examples["truncated"].tolist() == [True, False, True, False, False]


def test_the_capture_agrees_with_the_model(finished):
    found = metrics(finished, "reviews", "capture")
    for variant in ("pretrained", "finetuned"):
        assert max(found[variant]["deviation"].values()) < 1e-4


def test_evidence_reaches_the_tokens(finished):
    capture = captured(finished, "reviews", "finetuned")
    marked = capture.tokens.groupby("example_id")["is_evidence"].sum()
    assert (marked > 0).all()
    special = capture.tokens[capture.tokens["is_special"]]
    assert not special["is_evidence"].any()


def test_captured_predictions_are_the_evaluated_ones(finished):
    capture = captured(finished, "reviews", "finetuned")
    predictions = pd.read_parquet(finished / "artifacts" / "reviews" / "predictions.parquet")
    both = capture.examples.merge(predictions, on="id", suffixes=("", "_evaluated"))
    assert len(both) == 4
    assert (both["prediction"] == both["prediction_evaluated"]).all()
    assert (both["probability"] - both["probability_evaluated"]).abs().max() < 1e-5
    untrained = captured(finished, "reviews", "pretrained")
    assert untrained.examples["prediction"].isna().all()


# --- mixing, identity, propagation ----------------------------------------------------------------


@pytest.mark.parametrize("name", ["mixing", "sources", "identity", "propagation", "tight"])
def test_every_text_is_measured_to_a_finite_number(finished, name):
    """Also one of hostile characters, and one that is a single token between special ones."""
    assert len(captured(finished, "own", "pretrained").tokens_of(4)) == 3
    for experiment, variant in VARIANTS:
        table = result(finished, experiment, name).query("variant == @variant")
        assert set(table["example_id"]) == set(
            captured(finished, experiment, variant).examples["id"]
        )
        assert np.isfinite(table.select_dtypes("number")).all(axis=None)


def test_rollout_in_the_results_is_that_of_the_captured_attention(finished):
    capture = captured(finished, "own", "pretrained")
    table = result(finished, "own", "propagation")
    rollouts = {}
    for example in capture.examples["id"]:
        rollouts[example] = attention_rollout(capture.array(example, "attention"), residual=0.5)
        rows = table[(table["example_id"] == example) & (table["method"] == "rollout")]
        expected = mixed(rollouts[example]).mean(axis=1)
        np.testing.assert_allclose(rows.sort_values("layer")["mixing"], expected, atol=1e-12)
    stored = shown(finished, "own", "pretrained")
    np.testing.assert_allclose(stored["rollout"], rollouts[capture.examples["id"][0]], atol=1e-6)


@pytest.mark.parametrize(("experiment", "variant"), VARIANTS)
def test_residual_rollout_and_flow_are_the_same_after_one_layer(finished, experiment, variant):
    matrices = shown(finished, experiment, variant)
    for one, other in (
        *(("residual", "rollout"), ("residual", "flow"), ("rollout_measured", "flow_measured")),
    ):
        np.testing.assert_allclose(matrices[one][0], matrices[other][0], rtol=2e-7, atol=1e-12)
        assert abs(matrices[one][-1] - matrices[other][-1]).max() > 1e-3


@pytest.mark.parametrize(("experiment", "variant"), VARIANTS)
def test_rows_sum_to_one_but_for_flow(finished, experiment, variant):
    matrices = shown(finished, experiment, variant)
    assert set(matrices) == {
        *("raw", "residual", "rollout", "rollout_measured", "uniform", "flow", "flow_measured"),
        *("head", "sources"),
    }
    contributions = shown(finished, experiment, variant, "contributions")
    stored = matrices.pop("head")
    matrices.pop("sources")
    np.testing.assert_allclose(stored.sum(axis=-1), 1, atol=2e-3)  # in half precision
    for name, matrix in (matrices | contributions).items():
        assert matrix.shape[0] == LAYERS
        assert (matrix >= 0).all()
        if not name.startswith("flow"):
            np.testing.assert_allclose(matrix.sum(axis=-1), 1, atol=1e-5, err_msg=name)


@pytest.mark.parametrize(("experiment", "variant"), VARIANTS)
def test_flow_lies_between_rollout_and_its_upper_bound(finished, experiment, variant):
    """What rolls out is one of the flows; none is larger than what an end lets through."""
    matrices = shown(finished, experiment, variant)
    for suffix, first in (("", "residual"), ("_measured", "rollout_measured")):
        flow, rollout = matrices[f"flow{suffix}"], matrices[f"rollout{suffix}"]
        leaves, enters = 1.0, matrices[first][0].sum(axis=0)
        assert (flow <= np.minimum(leaves, enters) + 1e-6).all()
        assert (flow >= rollout - 1e-6).all()
    shares = result(finished, experiment, "tight")["tight"]
    assert shares.between(0, 1).all()


@pytest.mark.parametrize(("experiment", "variant"), VARIANTS)
def test_the_measured_residual_mixes_as_much_as_was_measured(finished, experiment, variant):
    capture = captured(finished, experiment, variant)
    ratios = pd.read_parquet(finished / "artifacts" / experiment / "mixing" / "ratios.parquet")
    ratios = ratios[ratios["variant"] == variant].set_index(["example_id", "layer"])["ratio"]
    assert len(ratios) == LAYERS * len(capture.examples)
    table = result(finished, experiment, "propagation").query(
        "variant == @variant and method == 'rollout_measured' and layer == 1"
    )
    measured = table.set_index("example_id")["mixing"]
    for example in capture.examples["id"]:
        # No residual at all is the most that attention can mix.
        most = mixed(head_mean(capture.array(example, "attention")))[0]
        expected = np.minimum(ratios[example, 1], most)
        assert measured[example] == pytest.approx(expected.mean(), abs=1e-12)
        if example == capture.examples["id"][0]:
            matrix = shown(finished, experiment, variant)["rollout_measured"][0]
            np.testing.assert_allclose(mixed(matrix), expected, atol=1e-6)


@pytest.mark.parametrize(("experiment", "variant"), VARIANTS)
def test_ratios_of_weights_are_those_of_propagation(finished, experiment, variant):
    """Two stages and two formulas: norms with every vector of length one, and matrices."""
    table = result(finished, experiment, "mixing").query("variant == @variant")
    assert table["ratio"].between(0, 1).all()
    wide = table.pivot(index=["example_id", "layer", "kind"], columns="scope", values="ratio")
    np.testing.assert_allclose(wide["attnres_w"], wide["attn_w"] / 2, rtol=1e-6)
    matrices = result(finished, experiment, "propagation").query("variant == @variant")
    matrices = matrices.pivot(index=["example_id", "layer"], columns="method", values="mixing")
    everything = wide.xs("all", level="kind")
    for scope, method in (("attn_w", "raw"), ("attnres_w", "residual")):
        np.testing.assert_allclose(everything[scope], matrices[method], rtol=1e-5)


@pytest.mark.parametrize(("experiment", "variant"), VARIANTS)
def test_kinds_of_tokens_make_up_the_text(finished, experiment, variant):
    capture = captured(finished, experiment, variant)
    table = result(finished, experiment, "mixing").query("variant == @variant")
    for example in capture.examples["id"]:
        tokens = capture.tokens_of(example)
        special = tokens["is_special"].to_numpy(bool)
        masks = int((tokens["token"] == "[MASK]").sum())
        counts = {"cls": 1, "special": special.sum() - 1, "mask": masks}
        counts["text"] = len(tokens) - sum(counts.values())
        rows = table[table["example_id"] == example]
        wide = rows.pivot(index=["layer", "scope"], columns="kind", values="ratio")
        assert set(wide) == {"all", *(kind for kind, count in counts.items() if count)}
        parts = sum(wide[kind] * count for kind, count in counts.items() if count)
        np.testing.assert_allclose(parts / len(tokens), wide["all"], rtol=1e-6)


@pytest.mark.parametrize(("experiment", "variant"), VARIANTS)
def test_tokens_begin_as_themselves(finished, experiment, variant):
    table = result(finished, experiment, "identity").query("variant == @variant")
    assert set(table["layer"]) == set(range(LAYERS + 1))
    np.testing.assert_allclose(table.query("layer == 0")["self_similarity"], 1, atol=1e-6)
    assert (table.query("layer == 0")["identifiability"] == 1).all()
    plots = finished / "results" / experiment / "plots"
    cka = pd.read_csv(plots / "cka.csv").query("variant == @variant")
    matrix = cka.pivot(index="layer", columns="other", values="cka").to_numpy()
    assert matrix.shape == (LAYERS + 1, LAYERS + 1)
    np.testing.assert_array_equal(matrix, matrix.T)
    np.testing.assert_allclose(np.diagonal(matrix), 1, rtol=1e-5)
    assert ((matrix > 0) & (matrix < 1 + 1e-5)).all()
    drawn = pd.read_csv(plots / "identity.csv").query("variant == @variant")
    ranks = drawn[drawn["measure"] == "effective_rank"]["mean"]
    tokens = len(captured(finished, experiment, variant).tokens)
    assert ranks.between(1, tokens - 1).all()


# --- relevance, faithfulness ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "rows"),
    [
        # Five methods, every layer in two ways.
        ("propagation.parquet", 5 * LAYERS * 2),
        ("mixing/attributions.parquet", 8 * LAYERS * 2),
        # Three of inputs; two rules for and against two classes, also from every later layer.
        ("relevance.parquet", 3 + 2 * 2 * 2 * (LAYERS * 2 + LAYERS - 1)),
    ],
)
def test_attributions_score_every_token_special_ones_too(finished, file, rows):
    keys = ["method", "rows", "first", "layer", "target"]
    for experiment, variant in VARIANTS:
        table = pd.read_parquet(finished / "artifacts" / experiment / file)
        table = table[table["variant"] == variant]
        capture = captured(finished, experiment, variant)
        expected = set(capture.examples["id"])
        if file == "relevance.parquet":
            assert table["example_id"].nunique() == (3 if variant == "finetuned" else 0)
            expected &= set(table["example_id"])
        assert set(table["example_id"]) == expected
        for example, part in table.groupby("example_id"):
            assert len(part) == rows
            assert not part.duplicated(keys).any()
            scores = np.stack(part["scores"].to_list())
            assert scores.shape == (rows, len(capture.tokens_of(example)))
            assert np.isfinite(scores).all()


def test_the_panel_says_for_how_many_texts_a_measure_is_defined(finished):
    drawn = pd.read_csv(finished / "results" / "reviews" / "plots" / "faithfulness.csv")
    drawn = drawn.set_index(["method", "measure"])
    assert set(drawn["texts"]) == {0, 3}
    assert (drawn["mean"].isna() == (drawn["texts"] == 0)).all()
    uniform = drawn.loc["uniform"]
    assert uniform.loc["roc_auc", "mean"] == 0.5
    assert uniform.loc["roc_auc", "texts"] == 3
    assert uniform.loc["blank_out_delete", "texts"] == 0
    defined = drawn.loc[["raw", "integrated_gradients", "alti_rollout"]]
    defined = defined[defined.index.get_level_values("measure") == "blank_out_mask"]
    assert (defined["texts"] == 3).all()
    found = metrics(finished, "reviews", "faithfulness", "summaries")
    assert found["computed"] is True
    assert found["methods"]["uniform"]["gradient"] == {
        **{"mean": None, "low": None, "high": None, "texts": 0}
    }


def test_without_a_task_tables_are_empty_and_metrics_say_so(finished):
    assert metrics(finished, "own", "relevance") == {"computed": False}
    assert metrics(finished, "own", "faithfulness") == {"computed": False, "roc_auc": {}}
    assert metrics(finished, "own", "head_ablation") == {"computed": False}
    for name in ("faithfulness", "explained", "head_ablation"):
        empty, full = (result(finished, experiment, name) for experiment in ("own", "reviews"))
        assert empty.empty
        assert len(full)
        assert list(empty.columns) == list(full.columns)
    for name in ("faithfulness", "agreement", "paired"):
        empty, full = (
            pd.read_csv(finished / "results" / experiment / "plots" / f"{name}.csv")
            for experiment in ("own", "reviews")
        )
        assert empty.empty
        assert len(full)
        assert list(empty.columns) == list(full.columns)
    tables = [
        pd.read_parquet(finished / "artifacts" / experiment / "relevance.parquet")
        for experiment in ("own", "reviews")
    ]
    assert tables[0].empty
    assert list(tables[0].columns) == list(tables[1].columns)


# --- heads ----------------------------------------------------------------------------------------


def test_heads_are_described_by_the_captured_attention(finished):
    """The stage runs the model anew and stores no map; the capture has them."""
    capture = captured(finished, "reviews", "finetuned")
    path = finished / "artifacts" / "reviews" / "heads" / "finetuned.parquet"
    maps = pd.read_parquet(path).set_index(["example_id", "layer", "head"])
    shared = sorted(set(capture.examples["id"]) & set(maps.index.get_level_values(0)))
    assert shared
    for example in shared:
        own = np.diagonal(capture.array(example, "attention"), axis1=2, axis2=3).mean(axis=-1)
        for layer, head in np.ndindex(own.shape):
            found = maps.loc[(example, layer + 1, head + 1), "self"]
            assert found == pytest.approx(own[layer, head], abs=1e-3)


def test_every_map_is_in_a_cluster_and_every_head_is_disabled(finished):
    for experiment, variant in VARIANTS:
        shares = result(finished, experiment, "cluster_heads")
        shares = shares[shares["variant"] == variant]
        assert shares.groupby(["layer", "head"])["share"].sum().to_numpy() == pytest.approx(1)
    changes = result(finished, "reviews", "head_ablation")
    maps = result(finished, "reviews", "heads")
    assert len(changes) == len(maps[maps["variant"] == "finetuned"])
    assert np.isfinite(changes.to_numpy(float)).all()


# --- maps -----------------------------------------------------------------------------------------


def test_thirty_eight_maps_for_twelve_layers_are_twenty_for_six(finished):
    table = result(finished, "own", "projection")
    assert table.groupby(["variant", "point", "layer"]).ngroups == 2 + 3 * LAYERS
    assert metrics(finished, "own", "projection")["pretrained"]["maps"] == 20


def test_maps_are_finite_and_their_trust_lies_between_none_and_all(finished):
    for experiment, variants in (("reviews", 2), ("own", 1)):
        table = result(finished, experiment, "projection")
        assert np.isfinite(table[["x", "y"]]).all(axis=None)
        trust = result(finished, experiment, "trust")
        assert len(trust) == variants * 3 * (2 + 3 * LAYERS)
        assert trust[["trustworthiness", "continuity", "overlap", "spread"]].notna().all(axis=None)
        shares = trust.drop(columns=["variant", "method", "point", "layer"])
        assert ((shares >= 0) & (shares <= 1) | shares.isna()).all(axis=None)


def test_texts_without_labels_are_not_separated(finished):
    empty, full = (result(finished, name, "separation") for name in ("own", "reviews"))
    assert empty.empty
    assert set(full["variant"]) == {"pretrained", "finetuned"}
    assert list(empty.columns) == list(full.columns)
    empty, full = (
        pd.read_csv(finished / "results" / name / "plots" / "separation.csv")
        for name in ("own", "reviews")
    )
    assert empty.empty
    assert list(empty.columns) == list(full.columns)
    assert "silhouette" not in metrics(finished, "own", "projection")["pretrained"]


# --- pages ----------------------------------------------------------------------------------------


def test_every_chapter_can_be_written_of_so_little(small_site):
    """Also where one experiment is all texts of a user, with nothing to train or to separate."""
    for language in ("en", "ja"):
        sources = (small_site.parent / "report" / language).glob("*.qmd")
        pages = {path.stem for path in (small_site / language).glob("*.html")}
        assert pages == {path.stem for path in sources}
    ledger = json.loads((small_site.parent / "ledger" / "claims.json").read_text(encoding="utf-8"))
    assert len(ledger["claims"]) >= 30


def test_what_has_evidence_is_shown(small_site):
    """Of all figures and tables only those of questions, and of pairs that no text holds, lack."""
    missing = set()
    for source in (small_site.parent / "report" / "en").glob("*.qmd"):
        labels = re.findall(r"\{#((?:fig|tbl)-[\w-]+)", source.read_text(encoding="utf-8"))
        page = (small_site / "en" / f"{source.stem}.html").read_text(encoding="utf-8")
        missing |= {label for label in labels if f'id="{label}"' not in page}
    assert missing == {"tbl-answers", "tbl-pairs"}


# --- mistakes -------------------------------------------------------------------------------------


@pytest.mark.parametrize("stage", STAGES)
def test_a_bad_parameter_leaves_everything_as_it_was(finished, first_hashes, stage):
    values = small_parameters()
    values["experiments"]["reviews"]["train"]["epochs"] = -1
    write_parameters(finished, values)
    done = run_stage(finished, stage, "reviews")
    write_parameters(finished, small_parameters())
    assert done.returncode == 2
    assert "experiments.reviews.train.epochs is -1" in done.stderr
    assert done.stderr.count("\n") == 1
    assert hashes(finished) == first_hashes


@pytest.mark.parametrize(
    ("stage", "key", "value", "said"),
    [
        ("prepare", "data", {"source": "texts", "texts": ["good", " "]}, "blank"),
        ("capture", "length", {"max_tokens": 40, "longer": "refuse"}, "longer is refuse"),
        ("capture", "length", {"max_tokens": 5000, "longer": "truncate"}, "at most 512"),
        ("projection", "projection", {"examples": [1]}, r"examples \[1\] of own have 4 tokens"),
        ("propagation", "propagation", {"start_layer": 6}, "start_layer is 6 .* 6 layers"),
        ("capture", "device", "cuda:7", "device is cuda:7"),
    ],
)
def test_what_a_stage_cannot_use_is_one_line(finished, first_hashes, stage, key, value, said):
    values = small_parameters()
    section = values if key in values else values["experiments"]["own"]
    if isinstance(value, dict) and "source" not in value:
        section[key] |= value
    else:
        section[key] = value
    write_parameters(finished, values)
    done = run_stage(finished, stage, "own")
    write_parameters(finished, small_parameters())
    assert done.returncode == 2, done.stderr
    assert pd.Series([done.stderr]).str.contains(said).all(), done.stderr
    assert done.stderr.count("\n") == 1
    assert hashes(finished) == first_hashes


def test_a_damaged_cache_is_named_and_nothing_is_written(finished, first_hashes):
    shard = finished / "artifacts" / "own" / "capture" / "pretrained" / "shard-00000.safetensors"
    whole = shard.read_bytes()
    shard.write_bytes(whole[:-1])
    stages = ("mixing", "identity", "propagation", "projection")
    done = [run_stage(finished, stage, "own") for stage in stages]
    shard.write_bytes(whole)
    for one in done:
        assert one.returncode == 2
        assert "shard-00000.safetensors" in one.stderr
        assert one.stderr.count("\n") == 1
    assert hashes(finished) == first_hashes


@pytest.mark.parametrize(
    ("stage", "experiment", "artifact"),
    [
        ("propagation", "own", "mixing/ratios.parquet"),
        ("faithfulness", "reviews", "mixing/attributions.parquet"),
        ("faithfulness", "reviews", "propagation.parquet"),
        ("faithfulness", "reviews", "relevance.parquet"),
    ],
)
def test_a_damaged_or_missing_table_is_named(finished, first_hashes, stage, experiment, artifact):
    path = finished / "artifacts" / experiment / artifact
    whole = path.read_bytes()
    for damage in (lambda: path.write_bytes(whole[:-1]), path.unlink):
        damage()
        done = run_stage(finished, stage, experiment)
        path.write_bytes(whole)
        assert done.returncode == 2
        assert f"{artifact} is missing, corrupted" in done.stderr
        assert "dvc repro" in done.stderr
        assert done.stderr.count("\n") == 1
        assert hashes(finished) == first_hashes
