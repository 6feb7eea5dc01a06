"""What the measuring stages write: relations that must hold whatever the model says."""

import json
import shutil
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from written import hashes

from analysis import params
from analysis.capture.store import Capture
from analysis.errors import InputError
from analysis.methods.projection import feature_points, pca_map, tsne_map, umap_map
from analysis.methods.separation import silhouettes
from analysis.methods.trust import neighbour_ranks, overlap_between, procrustes, trustworthiness
from analysis.stages.faithfulness import GRADIENT, KEYS, MEASURES, REMOVALS

ROOT = Path(__file__).parents[2]
EXPERIMENT = "reviews"
STAGES = ("mixing", "identity", "propagation", "relevance", "faithfulness", "projection")
RANKS = (*(f"blank_out_{removal}" for removal in REMOVALS), "gradient")


def small(directory: Path, **faithfulness) -> params.Params:
    """Parameters of one experiment with the tiny model, written to and read from a file."""
    values = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    experiment = values["experiments"][EXPERIMENT]
    experiment["model"] = {"source": "local", "name": "tiny"}
    experiment["data"]["sizes"] = {"train": 4, "validation": 4, "test": 12}
    experiment["length"]["max_tokens"] = 40
    experiment["capture"]["examples"] = 5
    values |= {
        "files": {"tiny": str(directory / "tiny-bert")},
        "device": "cpu",
        "experiments": {EXPERIMENT: experiment},
    }
    values["bootstrap"]["resamples"] = 100
    values["projection"] |= {"examples": [1, 0], "seeds": [5, 6]}
    values["geometry"]["texts"] = 2
    values["report"]["focus"] = {"experiment": EXPERIMENT, "example": 2}
    tiny = {"examples": 4, "steps": 4, "fractions": [0.1, 0.5], "batch_size": 8}
    values["faithfulness"] |= tiny | faithfulness
    path = directory / "params.yaml"
    path.write_text(yaml.safe_dump(values, sort_keys=False), encoding="utf-8")
    return params.load(path)


def stage(name: str) -> Callable:
    """Return the function behind a stage."""
    return getattr(import_module(f"analysis.stages.{name}"), name)


@pytest.fixture(scope="module")
def measured(tmp_path_factory, tokenizer, make_model) -> Path:
    """A directory where the measures of a tiny model with random weights were taken, untrained."""
    directory = tmp_path_factory.mktemp("measured")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        make_model("bert").save_pretrained("tiny-bert")
        tokenizer.save_pretrained("tiny-bert")
        values = small(directory)
        stage("prepare")(values, EXPERIMENT)
        # In the place of training: a head, and an encoder that is another one.
        model = Path("artifacts", EXPERIMENT, "model")
        make_model("bert", "ForSequenceClassification", seed=1, num_labels=2).save_pretrained(model)
        tokenizer.save_pretrained(model)
        for name in ("capture", *STAGES):
            stage(name)(values, EXPERIMENT)
    return directory


@pytest.fixture
def workplace(measured, tmp_path, monkeypatch) -> Path:
    """A copy of it that a test may change, as the present directory."""
    directory = tmp_path / "workplace"
    shutil.copytree(measured, directory)
    monkeypatch.chdir(directory)
    return directory


@pytest.fixture(scope="module")
def results(measured) -> Path:
    return measured / "results" / EXPERIMENT


@pytest.fixture(scope="module")
def panel(results) -> pd.DataFrame:
    return pd.read_parquet(results / "faithfulness.parquet")


@pytest.fixture(scope="module")
def capture(measured) -> Capture:
    return Capture(measured / "artifacts" / EXPERIMENT / "capture" / "finetuned")


# --- faithfulness ---------------------------------------------------------------------------------


def test_the_panel_counts_and_averages_what_is_defined(results, panel):
    drawn = pd.read_csv(results / "plots" / "faithfulness.csv")
    expected = panel.melt(["example_id", *KEYS], list(MEASURES), "measure")
    groups = expected.groupby([*KEYS, "measure"])["value"]
    expected = groups.agg(["mean", "count"]).reset_index()
    both = drawn.merge(expected, on=[*KEYS, "measure"], suffixes=("", "_expected"))
    assert len(both) == len(drawn) == len(expected)
    assert (both["texts"] == both["count"]).all()
    np.testing.assert_allclose(both["mean"], both["mean_expected"], rtol=1e-5, atol=1e-9)
    undefined = both["texts"] == 0
    assert undefined.any()
    assert both.loc[undefined, ["mean", "low", "high"]].isna().all(axis=None)
    rest = both[~undefined]
    assert (rest["low"] <= rest["mean"] + 1e-6).all()
    assert (rest["mean"] <= rest["high"] + 1e-6).all()


def test_a_uniform_score_knows_nothing(panel, capture):
    uniform = panel[panel["method"] == "uniform"].set_index("example_id")
    assert len(uniform) == 4
    assert uniform[list(RANKS)].isna().all(axis=None)
    tokens = capture.tokens[~capture.tokens["is_special"]]
    share = tokens.groupby("example_id")["is_evidence"].mean().reindex(uniform.index)
    known = (share > 0) & (share < 1)
    assert known.any()
    assert (uniform.loc[known, "roc_auc"] == 0.5).all()
    assert uniform.loc[~known, "roc_auc"].isna().all()
    np.testing.assert_allclose(uniform.loc[known, "average_precision"], share[known])


def test_final_scores_are_those_of_the_whole_tuned_model(panel):
    final = panel[panel["final"]]
    assert set(final["variant"]) == {"finetuned"}
    assert set(final["layer"]) == {2}
    assert set(final["rows"]) == {"cls", "input"}
    assert not final.duplicated(["example_id", "method"]).any()
    assert {"raw", "rollout", "flow", "attn_n", "alti_rollout", GRADIENT} <= set(final["method"])
    assert not final["method"].str.endswith("_against").any()
    assert final[["comprehensiveness", "sufficiency"]].notna().all(axis=None)
    rest = panel[~panel["final"]]
    assert rest[["comprehensiveness", "sufficiency"]].isna().all(axis=None)


def test_no_score_is_held_against_itself(panel):
    own = panel["method"] == GRADIENT
    assert panel.loc[own, "gradient"].isna().all()
    assert panel.loc[panel["method"] == "gradient_x_input", "gradient"].notna().all()


def test_the_same_texts_are_judged_by_every_method(panel, capture):
    counts = panel.groupby("example_id").size()
    assert counts.nunique() == 1
    assert list(counts.index) == sorted(counts.index)
    labels = capture.examples.set_index("id")["label"][counts.index]
    assert sorted(labels.value_counts()) == [2, 2]


def test_removing_nothing_changes_nothing(workplace):
    stage("faithfulness")(small(workplace, fractions=[1.0]), EXPERIMENT)
    results = workplace / "results" / EXPERIMENT
    panel = pd.read_parquet(results / "faithfulness.parquet").query("final")
    # Every token is a top one: none is left to remove ...
    assert (panel["sufficiency"] == 0).all()
    # ... or none is kept, whatever the order.
    removed = panel.groupby("example_id")["comprehensiveness"]
    assert (removed.nunique() == 1).all()
    assert (removed.first() != 0).any()
    explained = pd.read_parquet(results / "explained.parquet")
    unknown = explained[(explained["token"] == "[UNK]") & ~explained["is_special"]]
    blank = unknown[unknown["method"] == "blank_out_unknown"]["score"]
    assert len(blank)
    assert (blank == 0).all()


@pytest.mark.parametrize("removal", REMOVALS)
def test_blank_out_is_what_the_model_says_without_the_token(measured, capture, results, removal):
    import torch

    from analysis.models.load import load_classifier, load_tokenizer

    directory = measured / "artifacts" / EXPERIMENT / "model"
    tokenizer, model = load_tokenizer(directory), load_classifier(directory)
    explained = pd.read_parquet(results / "explained.parquet")
    rows = explained[explained["method"] == f"blank_out_{removal}"]
    assert rows["text"].nunique() == 1
    ids = tokenizer.convert_tokens_to_ids(rows["token"].tolist())

    def probability(ids: list[int]) -> np.ndarray:
        with torch.no_grad():
            return model(input_ids=torch.tensor([ids])).logits.double().softmax(-1)[0].numpy()

    whole = probability(ids)
    example = capture.examples.iloc[0]
    assert example["text"] == rows["text"].iloc[0]
    assert example["probability"] == pytest.approx(whole.max(), abs=1e-6)
    for row in rows.itertuples():
        if row.is_special:
            assert np.isnan(row.score)
            continue
        filler = {"mask": [tokenizer.mask_token_id], "unknown": [tokenizer.unk_token_id]}
        left = ids[: row.position] + filler.get(removal, []) + ids[row.position + 1 :]
        drop = whole[whole.argmax()] - probability(left)[whole.argmax()]
        assert row.score == pytest.approx(drop, abs=1e-6)


def test_agreement_is_a_correlation_matrix(results, panel):
    table = pd.read_csv(results / "plots" / "agreement.csv")
    methods = panel.loc[panel["final"], "method"].unique()
    matrix = table.pivot(index="method", columns="other", values="mean")
    matrix = matrix.loc[methods, methods]
    assert len(table) == len(methods) ** 2
    np.testing.assert_array_equal(matrix, matrix.T)
    defined = matrix.drop(index="uniform", columns="uniform")
    np.testing.assert_allclose(np.diagonal(defined), 1, rtol=1e-6)
    assert defined.abs().max(axis=None) <= 1
    assert matrix.loc["uniform"].isna().all()
    assert (table.loc[table["method"] == "uniform", "texts"] == 0).all()


def test_paired_differences_are_of_the_same_texts(results, panel):
    paired = pd.read_csv(results / "plots" / "paired.csv").set_index(["measure", "method", "other"])
    final = panel[panel["final"]]
    for (measure, method, other), row in paired.iterrows():
        wide = final.pivot(index="example_id", columns="method", values=measure)
        differences = (wide[method] - wide[other]).dropna()
        assert row["texts"] == len(differences)
        assert row["dropped"] == len(wide) - len(differences)
        assert row["mean"] == pytest.approx(differences.mean(), rel=1e-5, abs=1e-9, nan_ok=True)
    assert set(paired.index.get_level_values("other")) == {"raw", "rollout", "random"}
    assert not [1 for _, method, other in paired.index if method == other]


def test_metrics_are_the_final_rows_of_the_curves(results):
    metrics = json.loads((results / "summaries" / "faithfulness.json").read_text(encoding="utf-8"))
    assert metrics["computed"] is True
    assert metrics["examples"] == 4
    drawn = pd.read_csv(results / "plots" / "faithfulness.csv")
    last = drawn[(drawn["variant"] == "finetuned") & (drawn["layer"] == 2) & (drawn["first"] == 1)]
    for method, measures in metrics["methods"].items():
        assert list(measures) == list(MEASURES)
        if method in ("raw", "attn_n", "attnresln_n"):
            continue
        rows = last[(last["method"] == method) & (last["rows"] != "max")].set_index("measure")
        for measure, summary in measures.items():
            assert summary["texts"] == rows.loc[measure, "texts"]
            if summary["texts"]:
                assert summary["mean"] == pytest.approx(rows.loc[measure, "mean"], rel=1e-5)
            else:
                assert summary["mean"] is None


# --- relevance ------------------------------------------------------------------------------------


def test_relevance_asks_about_every_class_and_from_every_layer(measured, capture):
    table = pd.read_parquet(measured / "artifacts" / EXPERIMENT / "relevance.parquet")
    predicted = capture.examples.set_index("id")["prediction"]
    inputs = table[table["rows"] == "input"]
    assert (inputs["target"] == inputs["example_id"].map(predicted)).all()
    rules = table[table["rows"] != "input"]
    assert set(rules["target"]) == {0, 1}
    counts = rules.groupby(["example_id", "method", "target"])[["first", "layer", "rows"]].agg(list)
    # Both layers in both ways, and the last one alone.
    assert set(map(tuple, counts["first"])) == {(1, 1, 1, 1, 2)}
    assert set(map(tuple, counts["layer"])) == {(1, 1, 2, 2, 2)}
    assert set(map(tuple, counts["rows"])) == {("cls", "max", "cls", "max", "cls")}
    sums = rules[rules["method"].str.startswith("relevance_rollout") & (rules["rows"] == "cls")]
    np.testing.assert_allclose(sums["scores"].map(np.sum), 1, atol=1e-5)


def test_the_baseline_of_integrated_gradients_keeps_special_tokens(measured, capture):
    table = pd.read_parquet(measured / "artifacts" / EXPERIMENT / "relevance.parquet")
    rows = table[table["method"] == "integrated_gradients"].set_index("example_id")
    for example, row in rows.iterrows():
        special = capture.tokens_of(example)["is_special"].to_numpy(bool)
        assert (row["scores"][special] == 0).all()
        assert (row["scores"][~special] != 0).any()


# --- mixing and propagation -----------------------------------------------------------------------


def test_the_focus_is_the_text_that_is_shown(results, capture):
    from safetensors.numpy import load_file

    tokens = pd.read_parquet(results / "shown" / "tokens.parquet")
    assert tokens["text"].unique().tolist() == [capture.examples["text"].iloc[2]]
    for part in ("shown", "contributions"):
        for matrix in load_file(results / part / "finetuned.safetensors").values():
            assert matrix.shape[-1] == len(tokens)  # sources too: flow starts from every token


def test_rollout_from_a_layer_leaves_out_those_below(workplace):
    from safetensors.numpy import load_file

    values = small(workplace)
    later = values.propagation.model_copy(update={"start_layer": 1})
    stage("propagation")(values.model_copy(update={"propagation": later}), EXPERIMENT)
    shown = load_file(workplace / "results" / EXPERIMENT / "shown" / "finetuned.safetensors")
    for method in ("rollout", "flow", "rollout_measured", "flow_measured"):
        np.testing.assert_array_equal(shown[method][0], np.eye(len(shown[method][0])))
    for method in ("rollout", "flow"):
        np.testing.assert_allclose(shown[method][1], shown["residual"][1], rtol=2e-7)
    tight = pd.read_parquet(workplace / "results" / EXPERIMENT / "tight.parquet")
    assert set(tight["layer"]) == {2}


def test_what_holds_exactly_of_propagation_is_held_against_every_text(results, capture):
    exact = json.loads((results / "summaries" / "propagation.json").read_text())["exact"]
    assert set(exact) == {"pretrained", "finetuned"}
    for found in exact.values():
        assert found["row_sum"] < 1e-12
        assert found["first_layer"] < 1e-12
        assert found["kept_rollout_measured"] > -1e-12
    excess = []
    for example in capture.examples["id"]:
        mean = capture.array(example, "attention").astype(float).mean(axis=1)
        first, second = (mean / mean.sum(axis=-1, keepdims=True) + np.eye(mean.shape[-1])) / 2
        excess.append((np.diag(second @ first) - np.diag(first) * np.diag(second)).min())
    assert exact["finetuned"]["kept_rollout"] == pytest.approx(min(excess), rel=1e-3)


def test_flow_from_some_tokens_is_that_from_all(workplace):
    """But for the text that is shown, fewer sources leave out rows and change none."""
    table = workplace / "artifacts" / EXPERIMENT / "propagation.parquet"
    results = workplace / "results" / EXPERIMENT
    every = pd.read_parquet(table), pd.read_parquet(results / "tight.parquet")
    values = small(workplace)
    fewer = values.propagation.model_copy(update={"flow_sources": 2})
    stage("propagation")(values.model_copy(update={"propagation": fewer}), EXPERIMENT)
    some = pd.read_parquet(table), pd.read_parquet(results / "tight.parquet")
    columns = [name for name in every[0].columns if name != "scores"]
    pd.testing.assert_frame_equal(some[0][columns], every[0][columns])
    flow = every[0]["method"].str.startswith("flow")
    exact = ~flow | (every[0]["rows"] == "cls")
    for one, other in zip(some[0].loc[exact, "scores"], every[0].loc[exact, "scores"], strict=True):
        np.testing.assert_array_equal(one, other)
    rest = zip(some[0].loc[~exact, "scores"], every[0].loc[~exact, "scores"], strict=True)
    assert all((one <= other).all() for one, other in rest)
    # The first and the last token are special; the text is a source only in the one shown.
    assert some[1].groupby("source")["example_id"].nunique().to_dict() == {
        "cls": 5,
        "special": 5,
        "text": 1,
    }
    first = (
        frame[frame["source"] == "cls"].reset_index(drop=True) for frame in (some[1], every[1])
    )
    pd.testing.assert_frame_equal(*first)


# --- projection -----------------------------------------------------------------------------------

MAP = ["variant", "method", "point", "layer"]
PLACES = [
    ("word", 0),
    ("embedding", 0),
    *((p, layer) for layer in (1, 2) for p in ("context", "attention_output", "ffn_output")),
]


@pytest.fixture(scope="module")
def features(measured) -> dict[tuple[str, str, int], np.ndarray]:
    """Features of the tokens on the maps, of every variant and point."""
    found: dict[tuple[str, str, int], list] = {}
    for variant in ("pretrained", "finetuned"):
        capture = Capture(measured / "artifacts" / EXPERIMENT / "capture" / variant)
        for example in capture.examples["id"].iloc[[1, 0]]:
            arrays = {name: capture.array(example, name) for name, _ in PLACES}
            for place, rows in feature_points(arrays, "seed38").items():
                found.setdefault((variant, *place), []).append(rows)
    return {place: np.concatenate(texts) for place, texts in found.items()}


@pytest.fixture(scope="module")
def maps(results) -> dict[tuple, np.ndarray]:
    """Written layouts, ``[token, 2]``."""
    table = pd.read_parquet(results / "projection.parquet")
    return {key: part[["x", "y"]].to_numpy() for key, part in table.groupby(MAP, sort=False)}


def test_every_method_maps_every_point_of_every_variant(results, maps, capture):
    expected = [
        (variant, method, *place)
        for variant in ("pretrained", "finetuned")
        for method in ("umap", "tsne", "pca")
        for place in PLACES
    ]
    assert sorted(maps) == sorted(expected)
    trust = pd.read_parquet(results / "trust.parquet")
    assert sorted(trust[MAP].itertuples(index=False, name=None)) == sorted(expected)
    tokens = pd.concat([capture.tokens_of(e) for e in capture.examples["id"].iloc[[1, 0]]])
    table = pd.read_parquet(results / "projection.parquet")
    for _, part in table.groupby(MAP):
        for column in ("example_id", "position", "token", "start", "end", "is_evidence"):
            np.testing.assert_array_equal(part[column], tokens[column])
    assert table["x"].dtype == table["y"].dtype == np.float32
    mapped = pd.read_parquet(results / "mapped.parquet")
    texts = capture.examples.iloc[[1, 0]].rename(columns={"id": "example_id"})
    for column in mapped:
        np.testing.assert_array_equal(mapped[column], texts[column])


def test_maps_are_those_of_the_first_seed_but_for_turning(features, maps):
    options = {"metric": "euclidean", "seed": 5}
    draw = {
        "umap": lambda rows: umap_map(rows, **options, neighbors=15, min_dist=0.1),
        "tsne": lambda rows: tsne_map(rows, **options, perplexity=15.0),
        "pca": pca_map,
    }
    for method, drawn in draw.items():
        for place in (("pretrained", "word", 0), ("finetuned", "context", 2)):
            written = maps[place[0], method, *place[1:]]
            expected = drawn(features[place])
            assert procrustes(written, expected).disparity < 1e-12
            np.testing.assert_allclose(np.linalg.norm(written), np.linalg.norm(expected), rtol=1e-5)


def test_maps_lie_as_close_as_turning_brings_them(maps):
    """To the map before, or to the pretrained one of the same point: there is nothing to turn."""
    for (variant, method, *place), layout in maps.items():
        before = PLACES.index(tuple(place)) - 1
        if variant == "finetuned":
            onto = maps["pretrained", method, *place]
        elif before >= 0:
            onto = maps[variant, method, *PLACES[before]]
        else:
            continue
        np.testing.assert_allclose(procrustes(layout, onto).rotation, np.eye(2), atol=1e-4)


def test_trust_is_that_of_the_written_maps(results, features, maps):
    trust = pd.read_parquet(results / "trust.parquet").set_index(MAP)
    for (variant, method, *place), layout in maps.items():
        row, rows = trust.loc[(variant, method, *place)], features[variant, *place]
        ranks, on_map = neighbour_ranks(rows), neighbour_ranks(layout)
        expected = {
            "trustworthiness": trustworthiness(ranks, on_map, 5),
            "continuity": trustworthiness(on_map, ranks, 5),
            "overlap": overlap_between(rows, layout, k=5, metric="euclidean").mean(),
        }
        if variant == "finetuned":
            onto = maps["pretrained", method, *place]
            expected["shift"] = procrustes(layout, onto).disparity
        if place[0] != "word":
            earlier = features[variant, *PLACES[PLACES.index(tuple(place)) - 1]]
            kept = overlap_between(earlier, rows, k=5, metric="euclidean").mean()
            expected["moved"] = 1 - kept
        for figure, value in expected.items():
            assert row[figure] == pytest.approx(value, abs=1e-5), (figure, variant, method, place)
        assert np.isnan(row["shift"]) == (variant == "pretrained")
        assert np.isnan(row["moved"]) == (place[0] == "word")
    spread = trust["spread"].groupby("method").agg(["min", "max"])
    assert spread.loc["pca"].tolist() == [0, 0]
    assert (spread.loc[["umap", "tsne"], "min"] > 0).all()
    assert (spread["max"] <= 1).all()


def test_separation_is_of_every_text_and_needs_no_map(measured, results):
    table = pd.read_parquet(results / "separation.parquet")
    assert len(table) == 2 * len(PLACES) * 2 * 5
    for variant in ("pretrained", "finetuned"):
        capture = Capture(measured / "artifacts" / EXPERIMENT / "capture" / variant)
        texts = [capture.array(example, "ffn_output", 1) for example in capture.examples["id"]]
        for vector, values in (
            ("first", [rows[0] for rows in texts]),
            ("mean", [rows.mean(axis=0) for rows in texts]),
        ):
            found = table[
                (table["variant"] == variant)
                & (table["point"] == "ffn_output")
                & (table["layer"] == 2)
                & (table["vector"] == vector)
            ]
            assert found["example_id"].tolist() == capture.examples["id"].tolist()
            labels = capture.examples["label"].to_numpy(int)
            expected = silhouettes(np.stack(values), labels, "euclidean")
            np.testing.assert_array_equal(found["silhouette"], expected)
    drawn = pd.read_csv(results / "plots" / "separation.csv")
    keys = ["variant", "point", "vector", "layer"]
    means = table.groupby(keys)["silhouette"].agg(["mean", "count"])
    both = drawn.set_index(keys).join(means.add_suffix("_expected"))
    assert len(both) == len(means)
    np.testing.assert_allclose(both["mean"], both["mean_expected"], rtol=1e-5)
    assert (both["texts"] == both["count_expected"]).all()


def test_headlines_of_the_maps_are_means_of_the_tables(results):
    trust = pd.read_parquet(results / "trust.parquet")
    means = trust.groupby(["variant", "method"]).mean(numeric_only=True)
    separation = pd.read_parquet(results / "separation.parquet")
    found, whole = (
        json.loads((results / kind / "projection.json").read_text(encoding="utf-8"))
        for kind in ("metrics", "summaries")
    )
    for variant in ("pretrained", "finetuned"):
        assert found[variant]["maps"] == len(PLACES)
        for method in ("umap", "tsne", "pca"):
            for figure, value in found[variant][method].items():
                assert value == pytest.approx(means.loc[(variant, method), figure], abs=1e-9)
                summary = whole[variant][method][figure]
                assert summary["mean"] == value
                rows = trust[(trust["variant"] == variant) & (trust["method"] == method)]
                worst = rows[figure].max() if figure == "spread" else rows[figure].min()
                assert summary["worst"] == pytest.approx(worst, abs=1e-9)
                at = rows[(rows["point"] == summary["point"]) & (rows["layer"] == summary["layer"])]
                assert at[figure].tolist() == [worst]
        last = separation[
            (separation["variant"] == variant)
            & (separation["point"] == "ffn_output")
            & (separation["layer"] == 2)
            & (separation["vector"] == "first")
        ]
        mean = last["silhouette"].mean()
        assert found[variant]["silhouette"] == pytest.approx(mean, abs=1e-9)


def test_maps_do_not_depend_on_the_number_of_processes(workplace, monkeypatch):
    before = hashes(workplace)
    monkeypatch.setattr("analysis.stages.plane_maps.WORKERS", 1)
    stage("projection")(small(workplace), EXPERIMENT)
    assert hashes(workplace) == before


def test_all_points_of_the_code_are_mapped_in_their_order(workplace):
    values = small(workplace)
    wanted = values.projection.model_copy(update={"points": "all62", "metric": "cosine"})
    stage("projection")(values.model_copy(update={"projection": wanted}), EXPERIMENT)
    trust = pd.read_parquet(workplace / "results" / EXPERIMENT / "trust.parquet")
    assert trust.groupby(["variant", "method"]).size().unique().tolist() == [2 + 5 * 2]
    separation = pd.read_parquet(workplace / "results" / EXPERIMENT / "separation.parquet")
    assert list(separation["point"].unique()) == list(trust["point"].unique())
    assert list(trust["point"].unique())[-1] == "layer_output"


# --- bad input ------------------------------------------------------------------------------------


def refused(workplace: Path, name: str) -> str:
    """Run a stage that has to refuse; return its sentence."""
    before = hashes(workplace)
    with pytest.raises(InputError) as caught:
        stage(name)(params.load(workplace / "params.yaml"), EXPERIMENT)
    assert hashes(workplace) == before
    text = str(caught.value)
    assert "\n" not in text
    assert text.endswith(".")
    assert "dvc repro" in text
    return text


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-50])


def scrambled(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-300:-8] = bytes(255 - byte for byte in content[-300:-8])
    path.write_bytes(content)


def another(path: Path) -> None:
    pd.DataFrame({"variant": ["finetuned"]}).to_parquet(path)


@pytest.mark.parametrize("damage", [Path.unlink, emptied, cut, scrambled, another])
@pytest.mark.parametrize(
    ("name", "artifact"),
    [
        ("propagation", "mixing/ratios.parquet"),
        ("faithfulness", "mixing/attributions.parquet"),
        ("faithfulness", "propagation.parquet"),
        ("faithfulness", "relevance.parquet"),
    ],
)
def test_a_damaged_table_is_named_and_nothing_is_written(workplace, name, artifact, damage):
    damage(workplace / "artifacts" / EXPERIMENT / artifact)
    assert f"artifacts/{EXPERIMENT}/{artifact} is missing, corrupted" in refused(workplace, name)


@pytest.mark.parametrize("damage", [Path.unlink, emptied, cut, scrambled])
@pytest.mark.parametrize("file", ["examples.parquet", "labels.json"])
def test_a_damaged_corpus_is_named_and_nothing_is_written(workplace, file, damage):
    path = workplace / "artifacts" / EXPERIMENT / "corpus" / file
    if file == "labels.json" and damage is scrambled:
        path.write_bytes(b"\xff\xfe{")
    else:
        damage(path)
    assert f"artifacts/{EXPERIMENT}/corpus is missing or corrupted" in refused(workplace, "capture")


@pytest.mark.parametrize(
    "name", ["mixing", "identity", "propagation", "relevance", "faithfulness", "projection"]
)
def test_a_missing_capture_is_named_and_nothing_is_written(workplace, name):
    shutil.rmtree(workplace / "artifacts" / EXPERIMENT / "capture")
    text = refused(workplace, name)
    assert f"artifacts/{EXPERIMENT}/capture" in text
    assert "holds no" in text


def test_tables_of_other_texts_are_refused(workplace):
    """Someone ran the capture by hand after editing its section, and then a later stage."""
    values = params.load(workplace / "params.yaml")
    longer = values.experiments[EXPERIMENT].model_dump(mode="json")
    longer["capture"]["examples"] = 8
    experiment = type(values.experiments[EXPERIMENT]).model_validate(longer)
    later = values.model_copy(update={"experiments": {EXPERIMENT: experiment}})
    stage("capture")(later, EXPERIMENT)
    assert "ratios.parquet is not of the texts" in refused(workplace, "propagation")
    longer["length"]["max_tokens"] = 12
    longer["capture"]["examples"] = 5
    experiment = type(values.experiments[EXPERIMENT]).model_validate(longer)
    stage("capture")(
        values.model_copy(update={"experiments": {EXPERIMENT: experiment}}), EXPERIMENT
    )
    assert "propagation.parquet is not of the texts" in refused(workplace, "faithfulness")


@pytest.mark.parametrize("name", ["mixing", "propagation"])
def test_a_focus_beyond_the_captured_texts_is_told_by_each_stage_that_shows_it(workplace, name):
    """The split may hold fewer texts than ``capture.examples`` asks for."""
    values = small(workplace)
    focus = values.report.focus.model_copy(update={"example": 5})
    report = values.report.model_copy(update={"focus": focus})
    before = hashes(workplace)
    with pytest.raises(InputError, match=r"report\.focus\.example is 5 .* only 5 captured texts"):
        stage(name)(values.model_copy(update={"report": report}), EXPERIMENT)
    assert hashes(workplace) == before


def test_a_text_to_map_beyond_the_captured_ones_is_told(workplace):
    values = small(workplace)
    beyond = values.projection.model_copy(update={"examples": (0, 5)})
    before = hashes(workplace)
    with pytest.raises(InputError, match=r"projection\.examples names 5 .* only 5 captured texts"):
        stage("projection")(values.model_copy(update={"projection": beyond}), EXPERIMENT)
    assert hashes(workplace) == before
