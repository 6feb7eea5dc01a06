"""Measures of vectors: relations that must hold whatever the model says."""

import shutil
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import load_file
from tiny_experiment import CAPTURED, EXPERIMENT, VARIANTS, make, parameters, read, take

from analysis.capture.store import Capture
from analysis.errors import InputError
from analysis.methods.projection import feature_points, pca_map, tsne_map, umap_map
from analysis.methods.separation import silhouettes
from analysis.methods.trust import neighbour_overlap, neighbour_ranks, procrustes, trustworthiness
from analysis.stages.measure import measure

FOLLOWED = ("mixing", "propagation")
MAPPED = ("projection", "metrics", "separation")


@pytest.fixture(scope="module")
def measured(tmp_path_factory, tokenizer, make_model) -> Path:
    directory = tmp_path_factory.mktemp("measured")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        make(make_model, tokenizer)
        vectors = Path("artifacts", EXPERIMENT, "vectors")
        take("vectors", parameters(), vectors, only=(*FOLLOWED, *MAPPED))
    return directory


@pytest.fixture(scope="module")
def vectors(measured) -> Path:
    return measured / "artifacts" / EXPERIMENT / "vectors"


@pytest.fixture(scope="module")
def values(vectors) -> pd.DataFrame:
    return read(vectors)


@pytest.fixture(scope="module")
def captures(measured) -> dict[str, Capture]:
    return {variant: Capture(measured / CAPTURED / variant) for variant in VARIANTS}


# --- mixing and propagation -----------------------------------------------------------------------


def test_the_text_that_is_shown_is_the_one_asked_for_and_every_token_of_it_a_source(
    workplace, captures
):
    take("focus", parameters(), Path("focus"), only=("matrices",))
    for variant, capture in captures.items():
        shown = Path("focus", "shown", "matrices")
        tokens = pd.read_parquet(shown / f"{variant}-tokens.parquet")
        assert tokens["text"].unique().tolist() == [capture.examples["text"].iloc[2]]
        for matrix in load_file(shown / f"{variant}.safetensors").values():
            assert matrix.shape[-2:] == (len(tokens), len(tokens))


def test_rollout_from_a_layer_leaves_out_those_below(workplace):
    later = parameters(propagation={"start_layer": 1})
    take("focus", later, Path("focus"), only=("matrices",))
    shown = load_file(Path("focus", "shown", "matrices", "finetuned.safetensors"))
    for method in ("rollout", "flow", "rollout_measured", "flow_measured"):
        np.testing.assert_array_equal(shown[method][0], np.eye(len(shown[method][0])))
    for method in ("rollout", "flow"):
        np.testing.assert_allclose(shown[method][1], shown["residual"][1], rtol=2e-7)
    found = take("vectors", later, Path("again"), only=FOLLOWED)
    assert set(found.loc[found["measure"] == "tight", "layer"]) == {2}


def test_what_holds_exactly_of_propagation_is_held_against_every_text(values, captures):
    exact = values[(values["by"] == "propagation") & (values["layer"] == -1)]
    exact = exact.pivot(index=["variant", "text"], columns=["of", "measure"], values="value")
    assert len(exact) == 2 * 5
    for method in ("rollout", "rollout_measured"):
        assert (exact[method][["row_sum", "first_layer"]] < 1e-12).all(axis=None)
        assert (exact[method]["kept"] > -1e-12).all()
    for example in captures["finetuned"].examples["id"]:
        mean = captures["finetuned"].array(example, "attention").astype(float).mean(axis=1)
        first, second = (mean / mean.sum(axis=-1, keepdims=True) + np.eye(mean.shape[-1])) / 2
        excess = (np.diag(second @ first) - np.diag(first) * np.diag(second)).min()
        kept = exact.loc[("finetuned", example), ("rollout", "kept")]
        assert kept == pytest.approx(excess, rel=1e-3)


def test_flow_from_some_tokens_is_that_from_all(workplace, vectors, values):
    """Fewer sources leave out rows and change none."""
    fewer = parameters(propagation={"flow_sources": 2})
    some = take("vectors", fewer, Path("again"), only=FOLLOWED)
    for path in Path("again", "fields", "propagation").rglob("*.safetensors"):
        every = load_file(vectors / path.relative_to("again"))
        found = load_file(path)
        assert found.keys() == every.keys()
        for name, scores in found.items():
            if name.startswith("flow") and not name.endswith("/cls"):
                assert (scores <= every[name]).all()
            else:
                np.testing.assert_array_equal(scores, every[name])
    tight, before = (
        table[table["measure"] == "tight"].drop(columns="by") for table in (some, values)
    )
    # The first and the last token are special; no token of the text is a source.
    assert tight.groupby("kind")["text"].nunique().to_dict() == {"cls": 5, "special": 5}
    first = (rows[rows["kind"] == "cls"].reset_index(drop=True) for rows in (tight, before))
    pd.testing.assert_frame_equal(*first)


# --- maps -----------------------------------------------------------------------------------------

METHODS = ("umap", "tsne", "pca")
PLACES = [
    ("word", 0),
    ("embedding", 0),
    *((p, layer) for layer in (1, 2) for p in ("context", "attention_output", "ffn_output")),
]


@pytest.fixture(scope="module")
def features(captures) -> dict[tuple[str, str, int], np.ndarray]:
    """Features of the tokens on the maps, of every variant and point."""
    found: dict[tuple[str, str, int], list] = {}
    for variant, capture in captures.items():
        for example in capture.examples["id"].iloc[[1, 0]]:
            arrays = {name: capture.array(example, name) for name, _ in PLACES}
            for place, rows in feature_points(arrays, "seed38").items():
                found.setdefault((variant, *place), []).append(rows)
    return {place: np.concatenate(texts) for place, texts in found.items()}


def read_maps(directory: Path) -> dict[tuple, pd.DataFrame]:
    """Written maps: variant, method, point and layer -> a row a token."""
    found = {}
    for variant in VARIANTS:
        table = pd.read_parquet(directory / "shown" / "projection" / f"{variant}-maps.parquet")
        for key, part in table.groupby(["method", "point", "layer"], sort=False):
            found[variant, *key] = part.reset_index(drop=True)
    return found


@pytest.fixture(scope="module")
def tables(vectors) -> dict[tuple, pd.DataFrame]:
    return read_maps(vectors)


@pytest.fixture(scope="module")
def maps(tables) -> dict[tuple, np.ndarray]:
    """Written layouts, ``[token, 2]``."""
    return {key: part[["x", "y"]].to_numpy() for key, part in tables.items()}


@pytest.fixture(scope="module")
def trust(values) -> pd.DataFrame:
    """A row a map and a column a figure."""
    rows = values[(values["by"] == "projection") & values["of"].isin(METHODS)]
    columns = ["variant", "of", "kind", "layer"]
    return rows.pivot(index=columns, columns="measure", values="value")


def test_every_method_maps_every_point_of_every_variant(vectors, tables, trust, captures):
    expected = [(variant, m, *place) for variant, m, place in product(VARIANTS, METHODS, PLACES)]
    assert sorted(tables) == sorted(trust.index) == sorted(expected)
    texts = captures["finetuned"].examples.iloc[[1, 0]].rename(columns={"id": "example_id"})
    tokens = pd.concat([captures["finetuned"].tokens_of(one) for one in texts["example_id"]])
    for part in tables.values():
        for column in ("example_id", "position", "token", "start", "end", "is_evidence"):
            np.testing.assert_array_equal(part[column], tokens[column])
        assert part["x"].dtype == part["y"].dtype == np.float32
    shown = pd.read_parquet(vectors / "shown" / "projection" / "finetuned-texts.parquet")
    for column in shown:
        np.testing.assert_array_equal(shown[column], texts[column])


def test_maps_are_those_of_the_first_seed_but_for_turning(features, maps):
    options = {"metric": "euclidean", "seed": 5}
    draw = {
        "umap": lambda rows: umap_map(rows, **options, neighbors=15, min_dist=0.1),
        "tsne": lambda rows: tsne_map(rows, **options, perplexity=15.0),
        "pca": pca_map,
    }
    for method, drawn in draw.items():
        for variant, *place in (("pretrained", "word", 0), ("finetuned", "context", 2)):
            written, expected = maps[variant, method, *place], drawn(features[variant, *place])
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


def test_trust_is_that_of_the_written_maps(values, trust, features, maps):
    moved = values[values["measure"] == "moved"].set_index(["variant", "kind", "layer"])["value"]
    assert len(moved) == 2 * (len(PLACES) - 1)
    for (variant, method, *place), layout in maps.items():
        row, rows = trust.loc[(variant, method, *place)], features[variant, *place]
        ranks, on_map = neighbour_ranks(rows), neighbour_ranks(layout)
        expected = {
            "trustworthiness": trustworthiness(ranks, on_map, 5),
            "continuity": trustworthiness(on_map, ranks, 5),
            "overlap": neighbour_overlap(ranks, on_map, 5).mean(),
        }
        if variant == "finetuned":
            onto = maps["pretrained", method, *place]
            expected["shift"] = procrustes(layout, onto).disparity
        for figure, value in expected.items():
            assert row[figure] == pytest.approx(value, abs=1e-5), (figure, variant, method, place)
        assert np.isnan(row["shift"]) == (variant == "pretrained")
        if place[0] != "word":
            earlier = features[variant, *PLACES[PLACES.index(tuple(place)) - 1]]
            kept = neighbour_overlap(neighbour_ranks(earlier), ranks, 5).mean()
            assert moved[variant, *place] == pytest.approx(1 - kept, abs=1e-9)
    spread = trust["spread"].groupby("of").agg(["min", "max"])
    assert spread.loc["pca"].tolist() == [0, 0]
    assert (spread.loc[["umap", "tsne"], "min"] > 0).all()
    assert (spread["max"] <= 1).all()


def test_metrics_are_compared_at_every_point_and_the_map_of_ours_is_the_one_that_is_shown(
    vectors, values, features, maps
):
    rows = values[values["by"] == "metrics"]
    assert len(rows) == 2 * len(features)  # two metrics beside the Euclidean one
    for row in rows.itertuples():
        own, other = (
            neighbour_ranks(features[row.variant, row.kind, row.layer], metric)
            for metric in ("euclidean", row.of)
        )
        k = min(5, (len(own) - 1) // 2)
        same = ((own <= k) & (other <= k) & (own > 0)).sum() / (k * len(own))
        np.testing.assert_allclose(row.value, same)
    variant, point, layer = list(features)[-1]
    shown = pd.read_parquet(vectors / "shown" / "metrics" / f"{variant}-maps.parquet")
    ours = shown[shown["metric"] == "euclidean"][["x", "y"]].to_numpy()
    disparity = procrustes(ours, maps[variant, "umap", point, layer]).disparity
    assert disparity == pytest.approx(0, abs=1e-6)


def test_separation_is_of_every_text_and_needs_no_map(values, captures):
    found = values[values["by"] == "separation"]
    assert len(found) == 2 * len(PLACES) * 2 * 5
    last = found[(found["of"] == "ffn_output") & (found["layer"] == 2)]
    for variant, capture in captures.items():
        texts = [capture.array(example, "ffn_output", 1) for example in capture.examples["id"]]
        labels = capture.examples["label"].to_numpy(int)
        for kind, rows in (
            ("first", [rows[0] for rows in texts]),
            ("mean", [rows.mean(axis=0) for rows in texts]),
        ):
            own = last[(last["variant"] == variant) & (last["kind"] == kind)]
            assert own["text"].tolist() == capture.examples["id"].tolist()
            expected = silhouettes(np.stack(rows), labels, "euclidean")
            np.testing.assert_array_equal(own["value"], expected)


def test_nothing_depends_on_the_number_of_processes(workplace, vectors, values):
    again = take("vectors", parameters(), Path("again"), only=(*FOLLOWED, *MAPPED), processes=2)
    pd.testing.assert_frame_equal(again, values)
    for key, part in read_maps(Path("again")).items():
        pd.testing.assert_frame_equal(part, read_maps(vectors)[key])


def test_all_points_of_the_code_are_mapped_in_their_order(workplace):
    wanted = parameters(projection={"points": "all62", "metric": "cosine"})
    found = take("vectors", wanted, Path("again"), only=MAPPED)
    trust = found[(found["by"] == "projection") & found["of"].isin(METHODS)]
    figures = trust[trust["measure"] == "overlap"].groupby(["variant", "of"])
    assert figures.size().unique().tolist() == [2 + 5 * 2]
    points = list(trust["kind"].unique())
    assert list(found.loc[found["by"] == "separation", "of"].unique()) == points
    assert points[-1] == "layer_output"


# --- bad input ------------------------------------------------------------------------------------


def refused(group: str, **sections: dict) -> str:
    """Measure, which has to be refused; return the sentence.

    The split may hold fewer texts than ``capture.examples`` asks for: here 5 of 8.
    """
    with pytest.raises(InputError) as caught:
        measure(parameters(capture={"examples": 8}, **sections), EXPERIMENT, group)
    artifacts = Path("artifacts", EXPERIMENT)
    assert sorted(path.name for path in artifacts.iterdir() if path.name != "capture") == [
        "corpus",
        "train",
        "vectors",
    ]
    text = str(caught.value)
    assert "\n" not in text
    assert text.endswith(".")
    return text


@pytest.mark.parametrize("group", ["vectors", "focus"])
def test_a_missing_capture_is_named_and_nothing_is_written(workplace, group):
    shutil.rmtree(CAPTURED)
    text = refused(group)
    assert str(CAPTURED) in text
    assert "holds no" in text
    assert "dvc repro" in text


def test_a_focus_beyond_the_captured_texts_is_told(workplace):
    text = refused("focus", report={"focus": {"experiment": EXPERIMENT, "example": 5}})
    assert text.startswith("report.focus.example is 5")
    assert "only 5 captured texts" in text


def test_a_text_to_map_beyond_the_captured_ones_is_told(workplace):
    text = refused("vectors", projection={"examples": [0, 5]})
    assert text.startswith("projection.examples names 5")
    assert "only 5 captured texts" in text
