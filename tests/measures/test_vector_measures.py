"""Measures of vectors: relations that must hold whatever the model says."""

from contextlib import chdir
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import tiny_experiment as tiny
from refusals import refusal
from safetensors.numpy import load_file

from analysis.stages.measure import measure, states
from attention_mixing.capture.token_scores import read_fields
from attention_mixing.methods.projection import feature_points, pca_map, tsne_map, umap_map
from attention_mixing.methods.separation import silhouettes
from attention_mixing.methods.trust import (
    neighbour_overlap,
    neighbour_ranks,
    procrustes,
    trustworthiness,
)

FOLLOWED = ("mixing", "propagation")
VECTORS = tiny.ARTIFACTS / "vectors" / "0"
MAPPED = ("projection", "metrics", "separation")


@pytest.fixture(scope="module")
def measured(copied) -> Path:
    beyond = {"examples": [1, 0, 7]}  # of five captured texts
    with chdir(copied):
        tiny.take("vectors", tiny.parameters(projection=beyond), VECTORS, only=(*FOLLOWED, *MAPPED))
    return copied


@pytest.fixture(scope="module")
def vectors(measured) -> Path:
    return measured / VECTORS


@pytest.fixture(scope="module")
def values(vectors) -> pd.DataFrame:
    return tiny.read(vectors)


# --- mixing and propagation -----------------------------------------------------------------------


def test_rollout_from_a_layer_leaves_out_those_below_for_every_token_of_the_text_asked_for(
    workplace, captures
):
    later = tiny.parameters(propagation={"start_layer": 1})
    tiny.take("focus", later, Path("focus"), only=("matrices",))
    matrices = load_file(Path("focus", "shown", "matrices", "finetuned.safetensors"))
    tokens = tiny.shown(Path("focus"), "matrices", "tokens").query("variant == 'finetuned'")
    assert tokens["text"].unique() == captures["finetuned"].examples["text"].iloc[2]
    for method in ("rollout", "flow", "rollout_measured", "flow_measured"):
        np.testing.assert_array_equal(matrices[method][0], np.eye(len(tokens)))
    for method in ("rollout", "flow"):
        np.testing.assert_allclose(matrices[method][1], matrices["residual"][1], rtol=2e-7)
    found = tiny.take("vectors", later, Path("again"), only=FOLLOWED)
    assert set(found.loc[found["quantity"] == "tight", "layer"]) == {2}


def test_what_holds_exactly_of_propagation_is_held_against_every_text(values, captures):
    exact = values[(values["measure"] == "propagation") & (values["layer"] == -1)]
    exact = exact.pivot(index=["variant", "text"], columns=["subject", "quantity"], values="value")
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
    fewer = tiny.parameters(propagation={"flow_sources": 2})
    some = tiny.take("vectors", fewer, Path("again"), only=FOLLOWED)
    for path in Path("again", "fields", "propagation").rglob("*.safetensors"):
        written = [
            read_fields(one).token_scores for one in (path, vectors / path.relative_to("again"))
        ]
        for scored, every in zip(*written, strict=True):
            assert (scored.method, scored.rows) == (every.method, every.rows)
            if scored.method.startswith("flow") and scored.rows != "cls":
                assert (scored.scores <= every.scores).all()
            else:
                np.testing.assert_array_equal(scored.scores, every.scores)
    tight, before = (
        table[table["quantity"] == "tight"].drop(columns="measure") for table in (some, values)
    )
    # The first and the last token are special; no token of the text is a source.
    assert tight.groupby("facet")["text"].nunique().to_dict() == {"cls": 5, "special": 5}
    first = (rows[rows["facet"] == "cls"].reset_index(drop=True) for rows in (tight, before))
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


@pytest.fixture(scope="module")
def tables(vectors) -> dict[tuple, pd.DataFrame]:
    """Written maps: variant, method, point and layer -> a row a token."""
    where = ["variant", "method", "point", "layer"]
    groups = tiny.shown(vectors, "projection", "maps").groupby(where, sort=False)
    return {key: part.reset_index(drop=True) for key, part in groups}


@pytest.fixture(scope="module")
def maps(tables) -> dict[tuple, np.ndarray]:
    """Written layouts, ``[token, 2]``."""
    return {key: part[["x", "y"]].to_numpy() for key, part in tables.items()}


@pytest.fixture(scope="module")
def trust(values) -> pd.DataFrame:
    """A row a map and a column a figure."""
    rows = values[(values["measure"] == "projection") & values["subject"].isin(METHODS)]
    columns = ["variant", "subject", "facet", "layer"]
    return rows.pivot(index=columns, columns="quantity", values="value")


def test_every_method_maps_every_point_of_every_variant(vectors, tables, trust, captures):
    expected = [
        (variant, m, *place) for variant, m, place in product(tiny.VARIANTS, METHODS, PLACES)
    ]
    assert sorted(tables) == sorted(trust.index) == sorted(expected)
    capture = captures["finetuned"]
    texts = capture.examples.iloc[[1, 0]].rename(columns={"id": "example_id"})
    tokens = pd.concat([capture.tokens_of(one) for one in texts["example_id"]])
    tokens["token"] = tokens["written"]  # of [UNK], what it stands for
    for part in tables.values():
        for column in ("example_id", "position", "token", "start", "end", "is_evidence"):
            np.testing.assert_array_equal(part[column], tokens[column])
    # Also before fine-tuning: that model predicts nothing.
    told = tiny.shown(vectors, "projection", "texts").drop(columns="variant")
    for column in told:
        np.testing.assert_array_equal(told[column], [*texts[column]] * 2)


def test_maps_are_those_of_the_first_seed_but_for_turning(features, maps):
    options = {"metric": "euclidean", "seed": 5}
    rows = features["finetuned", "context", 2]
    drawn = {
        "umap": umap_map(rows, **options, neighbors=15, min_dist=0.1),
        "tsne": tsne_map(rows, **options, perplexity=15.0),
        "pca": pca_map(rows),
    }
    for method, expected in drawn.items():
        found = maps["finetuned", method, "context", 2]
        assert procrustes(found, expected).disparity < 1e-12
        np.testing.assert_allclose(np.linalg.norm(found), np.linalg.norm(expected), rtol=1e-5)


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
    moved = values[values["quantity"] == "moved"].set_index(["variant", "facet", "layer"])["value"]
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
    spread = trust["spread"].groupby("subject").agg(["min", "max"])
    assert spread.loc["pca"].tolist() == [0, 0]
    assert (spread.loc[["umap", "tsne"], "min"] > 0).all()
    assert (spread["max"] <= 1).all()


def test_metrics_are_compared_at_every_point_and_the_map_of_ours_is_the_one_that_is_shown(
    vectors, values, features, maps
):
    rows = values[values["measure"] == "metrics"]
    assert len(rows) == 2 * len(features)  # two metrics beside the Euclidean one
    for row in rows.itertuples():
        own, other = (
            neighbour_ranks(features[row.variant, row.facet, row.layer], metric)
            for metric in ("euclidean", row.subject)
        )
        np.testing.assert_allclose(row.value, neighbour_overlap(own, other, 5).mean())
    variant, point, layer = list(features)[-1]
    ours = tiny.shown(vectors, "metrics", "maps").query(
        "variant == @variant and metric == 'euclidean'"
    )
    fit = procrustes(ours[["x", "y"]].to_numpy(), maps[variant, "umap", point, layer])
    assert fit.disparity == pytest.approx(0, abs=1e-6)


def test_separation_is_of_every_text_and_needs_no_map(values, captures):
    found = values[values["measure"] == "separation"]
    assert len(found) == 2 * len(PLACES) * 2 * 5
    last = found[(found["subject"] == "ffn_output") & (found["layer"] == 2)]
    for variant, capture in captures.items():
        texts = [capture.array(example, "ffn_output", 1) for example in capture.examples["id"]]
        labels = capture.examples["label"].to_numpy(int)
        for kind, rows in (
            ("first", [rows[0] for rows in texts]),
            ("mean", [rows.mean(axis=0) for rows in texts]),
        ):
            own = last[(last["variant"] == variant) & (last["facet"] == kind)]
            assert own["text"].tolist() == capture.examples["id"].tolist()
            expected = silhouettes(np.stack(rows), labels, "euclidean")
            np.testing.assert_array_equal(own["value"], expected)


def test_all_points_of_the_code_are_measured_in_their_order(workplace):
    wanted = tiny.parameters(projection={"points": "all62", "metric": "cosine"})
    found = tiny.take("vectors", wanted, Path("again"), only=("separation",))
    assert len(found[found["text"] == found["text"].iloc[0]]) == 2 * 2 * (2 + 5 * 2)
    points = list(found["subject"].unique())
    assert points[:2] == ["word", "embedding"]
    assert points[-1] == "layer_output"


# --- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("group", "changed", "said"),
    [
        (
            "focus",
            {"report": {"focus": {"experiment": tiny.EXPERIMENT, "example": 5}}},
            "report.focus.example asks for text 5 but reviews has only 5 captured texts; ",
        ),
        (
            "projection",
            {"projection": {"examples": [5, 6]}},
            "projection.examples is [5, 6] but reviews has only 5 captured texts; ",
        ),
    ],
)
def test_a_text_beyond_the_captured_ones_is_told_and_nothing_is_written(
    workplace, group, changed, said
):
    """The split may hold fewer texts than ``capture.examples`` asks for: here 5 of 8."""
    before = tiny.written(tiny.ARTIFACTS)
    values = tiny.parameters(capture={"examples": 8}, **changed)
    assert refusal(measure, values, tiny.EXPERIMENT, group).startswith(said)
    assert tiny.written(tiny.ARTIFACTS) == before


def test_rows_are_of_the_texts_on_maps_that_there_are(workplace, captures, capsys):
    shown = {"projection": {"examples": [1, 7]}, "geometry": {"texts": [4, 9]}}
    ids = captures["finetuned"].examples["id"]
    for state in states(tiny.parameters(**shown), tiny.EXPERIMENT, "rows", "0"):
        assert state.only == (ids[1], ids[4])
    assert capsys.readouterr().out.splitlines() == [
        f"reviews: {key} names {text}, but only 5 texts are captured (the first is 0); the maps of "
        "this experiment are without."
        for key, text in (("projection.examples", 7), ("geometry.texts", 9))
    ]
