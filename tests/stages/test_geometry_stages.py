"""What the stages of queries and keys write: every number again, plainly, and texts too short."""

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from safetensors.numpy import load_file
from scipy.optimize import minimize_scalar
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr
from written import hashes

from analysis import params
from analysis.capture import store
from analysis.capture.store import Capture
from analysis.errors import InputError
from analysis.methods.attentionviz import attention_weights, translate_keys
from analysis.methods.projection import pca_map
from analysis.methods.trust import continuity, neighbour_ranks, trustworthiness
from analysis.params.sections import Pair
from analysis.stages import plane_maps
from analysis.stages.capture import capture as capture_stage
from analysis.stages.geometry import MEASURES, geometry
from analysis.stages.joint_maps import joint_maps
from analysis.stages.prepare import prepare
from analysis.stages.sentence import WAYS, write_sentence

ROOT = Path(__file__).parents[2]
EXPERIMENT = "reviews"
VARIANTS = ("pretrained", "finetuned")
TEXTS, LAYERS, HEADS, SHOWN = 5, 2, 2, 1
PAIR = {"query": "the", "keys": ["was", "[SEP]"]}
CHOICES = {"centroid", "norm-ratio", "weighted", "closed-form"}


@pytest.fixture(scope="module")
def measured(tmp_path_factory, tokenizer, make_model) -> Path:
    """A directory where two tiny models with random weights were measured and mapped."""
    import torch
    from transformers import AutoModel, AutoModelForSequenceClassification

    directory = tmp_path_factory.mktemp("measured")
    values = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    experiment = values["experiments"][EXPERIMENT]
    experiment["model"] = {"source": "local", "name": "tiny"}
    experiment["data"]["sizes"] = {"train": 4, "validation": 4, "test": 12}
    experiment["length"]["max_tokens"] = 40
    experiment["capture"] |= {"examples": TEXTS, "dtype": "float32"}
    values |= {
        "files": {"tiny": str(directory / "tiny-bert")},
        "device": "cpu",
        "experiments": {EXPERIMENT: experiment},
    }
    values["bootstrap"]["resamples"] = 100
    values["projection"]["examples"] = [0]
    values["geometry"] |= {"texts": 2, "lines": 7, "pair": PAIR}
    values["report"]["focus"] = {"experiment": EXPERIMENT, "example": SHOWN}
    (directory / "params.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")

    config = make_model("bert").config
    config.num_hidden_layers, config.num_attention_heads = LAYERS, HEADS
    # Wider than at the start of training: rows of attention that are not all uniform.
    config.initializer_range = 0.3
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        patch.setattr(plane_maps, "WORKERS", 1)
        for seed, automatic, path in (
            (0, AutoModel, "tiny-bert"),
            (1, AutoModelForSequenceClassification, f"artifacts/{EXPERIMENT}/model"),
        ):
            torch.manual_seed(seed)
            model = automatic.from_config(config)
            with torch.no_grad():
                for layer in model.base_model.encoder.layer:
                    # Without a bias, queries and keys would have no centroids to speak of.
                    layer.attention.self.query.bias.normal_(std=0.5)
                    layer.attention.self.key.bias.normal_(std=0.5)
            model.save_pretrained(path)
            tokenizer.save_pretrained(path)
        loaded = params.load()
        for stage in (prepare, capture_stage, geometry, joint_maps):
            stage(loaded, EXPERIMENT)
    return directory


@pytest.fixture
def workplace(measured, tmp_path, monkeypatch) -> Path:
    """A copy of it that a test may change, as the present directory."""
    directory = tmp_path / "workplace"
    shutil.copytree(measured, directory)
    monkeypatch.chdir(directory)
    monkeypatch.setattr(plane_maps, "WORKERS", 1)
    return directory


@pytest.fixture(scope="module")
def results(measured) -> Path:
    return measured / "results" / EXPERIMENT


@pytest.fixture(scope="module")
def table(results) -> pd.DataFrame:
    return pd.read_parquet(results / "geometry.parquet")


@pytest.fixture(scope="module")
def captures(measured) -> dict[str, Capture]:
    directory = measured / "artifacts" / EXPERIMENT / "capture"
    return {variant: Capture(directory / variant) for variant in VARIANTS}


@pytest.fixture(scope="module")
def spaces(measured) -> dict[str, dict[str, np.ndarray]]:
    directory = measured / "artifacts" / EXPERIMENT / "geometry"
    return {variant: load_file(directory / f"{variant}.safetensors") for variant in VARIANTS}


def vectors(capture: Capture) -> list[tuple[np.ndarray, np.ndarray]]:
    """Queries and keys of every text."""
    return [
        tuple(capture.array(example, kind).astype(float) for kind in ("query", "key"))
        for example in capture.examples["id"]
    ]


def strict_json(path: Path) -> dict:
    """Read JSON that has no NaN in it, nor Infinity."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{path.name} holds {constant}")

    return json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)


# --- every head -----------------------------------------------------------------------------------


def test_the_table_has_a_row_for_every_text_and_head(table, captures):
    keys = ["variant", "example_id", "layer", "head"]
    assert not table.duplicated(keys).any()
    ids = captures["pretrained"].examples["id"]
    expected = pd.MultiIndex.from_product([VARIANTS, ids, (1, 2), (1, 2)])
    assert set(table.set_index(keys).index) == set(expected)
    assert set(MEASURES) < set(table.columns)
    correlations = table[["correlation_before", "correlation_after"]]
    assert correlations.abs().le(1).all(axis=None)
    shares = table.filter(regex=r"^(cosine|euclidean|plane)_|^strongest_special$")
    assert len(shares.columns) == 9
    assert shares.ge(0).all(axis=None)
    assert shares.le(1).all(axis=None)
    assert (table["undefined"] == 0).all()


def plain_rank(distance: np.ndarray, strongest: np.ndarray) -> float:
    """Share of the other keys that are nearer than the strongest, mean over queries."""
    own = distance[np.arange(len(distance)), strongest]
    near = np.isclose(distance, own[:, None], rtol=1e-12, atol=0)
    nearer = ((distance < own[:, None]) & ~near).sum(axis=1) + (near.sum(axis=1) - 1) / 2
    return float(np.mean(nearer / (len(distance) - 1)))


def plain_plane(points: np.ndarray, drawn: list[np.ndarray]) -> list[np.ndarray]:
    """Project onto the first two principal axes of all points."""
    mean = points.mean(axis=0)
    *_, axes = np.linalg.svd(points - mean, full_matrices=False)
    return [(some - mean) @ axes[:2].T for some in drawn]


@pytest.mark.parametrize(("variant", "text", "layer", "head"), [(0, 1, 1, 2), (1, 3, 2, 1)])
def test_every_column_is_what_plain_code_gives(table, captures, variant, text, layer, head):
    variant = VARIANTS[variant]
    capture = captures[variant]
    pairs = [(q[layer - 1, head - 1], k[layer - 1, head - 1]) for q, k in vectors(capture)]
    every_query, every_key = (np.concatenate(kind) for kind in zip(*pairs, strict=True))
    shift = every_query.mean(axis=0) - every_key.mean(axis=0)
    query, key = pairs[text]
    example = int(capture.examples["id"].iloc[text])
    dot, strongest = query @ key.T, (query @ key.T).argmax(axis=1)

    def best_scale(heads: list[list[tuple[np.ndarray, np.ndarray]]]) -> float:
        dots = np.concatenate([(q @ k.T).ravel() for texts in heads for q, k in texts])

        def correlation(logarithm: float) -> float:
            c = np.exp(logarithm)
            far = [cdist(c * q, k / c, "sqeuclidean").ravel() for texts in heads for q, k in texts]
            return float(np.corrcoef(dots, np.concatenate(far))[0, 1])

        return float(np.exp(minimize_scalar(correlation, bounds=(-2, 2), method="bounded").x))

    def translated(place: tuple[int, int]) -> list[tuple[np.ndarray, np.ndarray]]:
        texts = [(q[place], k[place]) for q, k in vectors(capture)]
        queries, keys = (np.concatenate(kind) for kind in zip(*texts, strict=True))
        return [(q, k - keys.mean(axis=0) + queries.mean(axis=0)) for q, k in texts]

    c = best_scale([translated((layer - 1, head - 1))])
    joint = best_scale([translated(place) for place in np.ndindex(LAYERS, HEADS)])
    moved = key + shift
    after = query * c, moved / c
    plane_before = plain_plane(np.concatenate([every_query, every_key]), [query, key])
    plane_after = plain_plane(
        np.concatenate([every_query * c, (every_key + shift) / c]), list(after)
    )

    def spearman(keys: np.ndarray) -> float:
        far = cdist(query, keys, "cosine")
        return float(
            np.mean([spearmanr(d, f).statistic for d, f in zip(query @ keys.T, far, strict=True)])
        )

    def offset(dots: np.ndarray) -> float:
        return float((np.abs(dots.mean(axis=1)) / dots.std(axis=1)).mean())

    special = capture.tokens_of(example)["is_special"].to_numpy(bool)
    exact = {
        "correlation_before": spearman(key),
        "correlation_after": spearman(moved),
        "cosine_before": plain_rank(cdist(query, key, "cosine"), strongest),
        "cosine_after": plain_rank(cdist(query, moved, "cosine"), strongest),
        "euclidean_before": plain_rank(cdist(query, key), strongest),
        "euclidean_translated": plain_rank(cdist(query, moved), strongest),
        "norm_difference": float(
            np.linalg.norm(query, axis=1).mean() - np.linalg.norm(key, axis=1).mean()
        ),
        "offset_before": offset(dot),
        "offset_after": offset(query @ moved.T),
        "strongest_special": float(special[strongest].mean()),
        "plane_before": plain_rank(cdist(*plane_before), strongest),
        # By a scale that was searched, not solved for; ranks seldom notice the difference.
        "euclidean_after": plain_rank(cdist(*after), strongest),
        "euclidean_joint": plain_rank(cdist(query * joint, moved / joint), strongest),
        "plane_after": plain_rank(cdist(*plane_after), strongest),
    }
    assert set(exact) == set(MEASURES)
    rows = table.set_index(["variant", "example_id", "layer", "head"])
    found = rows.loc[(variant, example, layer, head)]
    for measure, value in exact.items():
        assert found[measure] == pytest.approx(value, abs=1e-9), measure


@pytest.mark.parametrize("variant", VARIANTS)
def test_shift_and_scale_are_those_of_all_texts(results, captures, spaces, variant):
    texts, space = vectors(captures[variant]), spaces[variant]
    for kind in ("shift", "scale"):
        assert space[kind].dtype == np.float64
    queries, keys = (np.concatenate(kind, axis=2) for kind in zip(*texts, strict=True))
    np.testing.assert_allclose(
        space["shift"], queries.mean(axis=2) - keys.mean(axis=2), rtol=0, atol=1e-12
    )
    moved = [(q, k + space["shift"][:, :, None]) for q, k in texts]

    def best(places: list[tuple[int, int]]) -> tuple[float, float]:
        chosen = [(q[place], k[place]) for q, k in moved for place in places]
        dots = np.concatenate([(q @ k.T).ravel() for q, k in chosen])

        def correlation(logarithm: float) -> float:
            c = np.exp(logarithm)
            far = np.concatenate([cdist(c * q, k / c, "sqeuclidean").ravel() for q, k in chosen])
            return float(np.corrcoef(dots, far)[0, 1])

        found = minimize_scalar(
            correlation, bounds=(-2, 2), method="bounded", options={"xatol": 1e-9}
        )
        return float(np.exp(found.x)), float(found.fun)

    every = list(np.ndindex(LAYERS, HEADS))
    for place in every:
        assert space["scale"][place] == pytest.approx(best([place])[0], abs=1e-6)
    scales = pd.read_parquet(results / "scales.parquet")
    closed = scales[(scales["variant"] == variant) & (scales["choice"] == "closed-form")]
    jointly = closed.set_index(["scope", "layer", "head"])[["c", "correlation"]]
    for layer in range(1, LAYERS + 1):
        places = [place for place in every if place[0] == layer - 1]
        assert tuple(jointly.loc[("layer", layer, 0)]) == pytest.approx(best(places), abs=1e-6)
    model = tuple(jointly.loc[("model", 0, 0)])
    assert model == pytest.approx(best(every), abs=1e-6)
    summary = strict_json(results / "summaries" / "geometry.json")[variant]["scale"]
    assert (summary["joint"], summary["joint_correlation"]) == pytest.approx(model)
    assert summary["median"] == pytest.approx(np.median(space["scale"]))


def test_what_must_not_change_does_not(results):
    for found in strict_json(results / "summaries" / "geometry.json").values():
        checks = found["checks"]
        assert 0 < checks["attention"] < 1e-6
        assert 0 < checks["softmax"] < 1e-12
        assert 0 < checks["dot"] < 1e-12
        assert 0 < checks["plane_share"] < 1
        assert found["searched"] == TEXTS
        assert found["undefined"] == 0


def test_no_choice_of_scale_beats_the_closed_form(results):
    scales = pd.read_parquet(results / "scales.parquet")
    heads = scales[scales["scope"] == "head"]
    assert set(heads["choice"]) == CHOICES
    keys = ["variant", "layer", "head"]
    by_choice = heads.pivot(index=keys, columns="choice", values="correlation")
    assert by_choice.index.equals(
        pd.MultiIndex.from_product([sorted(VARIANTS), (1, 2), (1, 2)], names=keys)
    )
    for choice in CHOICES:
        assert (by_choice["closed-form"] <= by_choice[choice] + 1e-12).all()
    others = scales[scales["scope"] != "head"]
    assert set(others["choice"]) == {"closed-form"}
    assert len(others) == len(VARIANTS) * (LAYERS + 1)
    assert (heads.loc[heads["choice"] == "centroid", "c"] == 1).all()
    assert not others["at_edge"].any()
    # The curves that are drawn pass through the point without scaling and above the optimum.
    drawn = pd.read_csv(results / "plots" / "scale.csv").set_index(keys)
    least = drawn.groupby(keys)["correlation"].min()
    assert (least >= by_choice["closed-form"] - 1e-6).all()
    unscaled = drawn[np.isclose(drawn["c"], 1)]["correlation"]
    np.testing.assert_allclose(unscaled.sort_index(), by_choice["centroid"], atol=1e-6)


def test_summaries_average_heads_then_texts(results, table):
    means = table.groupby(["variant", "example_id", "layer"])[list(MEASURES)].mean()
    expected = means.groupby(["variant", "layer"]).mean()
    drawn = pd.read_csv(results / "plots" / "geometry.csv")
    assert not drawn.duplicated(["variant", "measure", "layer"]).any()
    wide = drawn.pivot(index=["variant", "layer"], columns="measure", values="mean")
    np.testing.assert_allclose(wide[list(MEASURES)], expected, rtol=1e-5, atol=1e-9)
    metrics = strict_json(results / "metrics" / "geometry.json")
    for variant in VARIANTS:
        for measure in MEASURES:
            assert metrics[variant][measure] == pytest.approx(expected.loc[variant][measure].mean())
    heads = pd.read_csv(results / "plots" / "heads.csv")
    assert len(heads) == len(VARIANTS) * len(MEASURES) * LAYERS * HEADS


# --- one sentence ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sentence(results) -> dict[str, np.ndarray]:
    return load_file(results / "sentence" / "pretrained.safetensors")


@pytest.fixture(scope="module")
def pairs(results) -> pd.DataFrame:
    return pd.read_parquet(results / "sentence" / "pretrained-pairs.parquet")


@pytest.fixture(scope="module")
def shown(captures) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tokens, queries and keys of the text that the report shows."""
    capture = captures["pretrained"]
    example = int(capture.examples["id"].iloc[SHOWN])
    return (capture.tokens_of(example)["token"].to_numpy(), *vectors(capture)[SHOWN])


def test_one_sentence_is_taken_three_ways(results, sentence, shown):
    tokens, query, key = shown
    n = len(tokens)
    dot = query @ key.swapaxes(-1, -2)
    assert sentence["attention"].shape == (LAYERS, HEADS, n, n)
    layers = pd.read_parquet(results / "sentence" / "pretrained-layers.parquet")
    assert list(layers["layer"]) == [1, 2]
    for way in WAYS:
        assert sentence[f"dot_{way}"].shape == sentence[f"cosine_{way}"].shape == dot.shape
        for kind in ("query", "key"):
            assert sentence[f"{kind}_{way}"].shape == (LAYERS, HEADS, n, 2)
    np.testing.assert_allclose(sentence["dot_before"], dot, rtol=1e-5, atol=1e-5)
    centroid = translate_keys(query, key)
    for layer, head in np.ndindex(LAYERS, HEADS):
        # Cosine distances do not notice the scale but for its sign, which turns both around.
        moved = key[layer, head] + layers["a"][layer]
        for way, keys in (("before", key[layer, head]), ("seed", moved)):
            np.testing.assert_allclose(
                sentence[f"cosine_{way}"][layer, head],
                cdist(query[layer, head], keys, "cosine"),
                atol=1e-6,
            )
        np.testing.assert_allclose(
            sentence["cosine_after"][layer, head],
            cdist(query[layer, head], centroid[layer, head], "cosine"),
            atol=1e-6,
        )
        np.testing.assert_allclose(
            sentence["dot_seed"][layer, head], query[layer, head] @ moved.T, rtol=1e-5, atol=1e-5
        )
    grid = pd.read_parquet(results / "sentence" / "pretrained-grid.parquet")
    assert len(grid) == LAYERS * 100
    own = np.einsum("hti,hti->ht", query[0], key[0]).ravel()
    far = [
        1
        - own.reshape(HEADS, n)[h]
        / np.linalg.norm(query[0, h], axis=1)
        / np.linalg.norm(key[0, h], axis=1)
        for h in range(HEADS)
    ]
    expected = np.corrcoef(own, np.concatenate(far))[0, 1]
    assert layers["own_before"][0] == pytest.approx(expected, abs=1e-9)
    best = grid[grid["layer"] == 1]["correlation"].abs().max()
    assert abs(layers["correlation"][0]) == pytest.approx(best, abs=1e-12)
    assert (layers["spread"] < 1e-12).all()
    assert (layers["translate_scale_spread"] < 1e-12).all()
    assert (layers["scale_translate_spread"] > 1e-3).all()


def test_pairs_are_the_strongest_and_those_asked_for(pairs, sentence, shown):
    tokens, query, key = shown
    asked = np.outer(tokens == PAIR["query"], np.isin(tokens, PAIR["keys"]))
    assert asked.any()
    strongest = (query @ key.swapaxes(-1, -2)).argmax(axis=-1)
    for layer, head in np.ndindex(LAYERS, HEADS):
        rows = pairs[(pairs["layer"] == layer + 1) & (pairs["head"] == head + 1)]
        assert not rows.duplicated(["query", "key"]).any()
        found = set(zip(*rows.loc[rows["asked"], ["query", "key"]].to_numpy().T, strict=True))
        assert found == set(zip(*np.nonzero(asked), strict=True))
        first = rows[rows["strongest"]].sort_values("query")
        assert list(first["key"]) == list(strongest[layer, head])
        for way in WAYS:
            far = cdist(*(sentence[f"{kind}_{way}"][layer, head] for kind in ("query", "key")))
            expected = (far / far.mean())[rows["query"], rows["key"]]
            np.testing.assert_allclose(rows[f"distance_{way}"], expected, rtol=1e-4, atol=1e-6)
            assert (rows[f"distance_{way}"] > 0).all()
        weights = sentence["attention"][layer, head][rows["query"], rows["key"]]
        np.testing.assert_array_equal(rows["attention"], weights)
    assert (pairs["query_token"] == tokens[pairs["query"]]).all()
    assert (pairs["key_token"] == tokens[pairs["key"]]).all()


def test_no_pair_is_found_that_the_text_does_not_hold(captures, pairs, tmp_path):
    capture = captures["pretrained"]
    example = int(capture.examples["id"].iloc[SHOWN])
    for keys in (("elsewhere",), ("was", "elsewhere")):
        write_sentence(tmp_path, "p", capture, example, Pair(query="nowhere", keys=keys))
        found = pd.read_parquet(tmp_path / "p-pairs.parquet")
        assert not found["asked"].any()
        assert len(found) == pairs["strongest"].sum()


def test_the_same_bytes_twice(workplace):
    before = hashes(workplace)
    loaded = params.load()
    geometry(loaded, EXPERIMENT)
    joint_maps(loaded, EXPERIMENT)
    assert hashes(workplace) == before


# --- maps -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def maps(results) -> dict[tuple, np.ndarray]:
    frame = pd.read_parquet(results / "joint_maps.parquet")
    return {
        place: rows[["point", "x", "y", "norm"]].to_numpy(float)
        for place, rows in frame.groupby(["variant", "layer", "head", "method"], sort=False)
    }


@pytest.fixture(scope="module")
def mapped(captures) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Queries and keys of the texts that are drawn, all tokens together."""
    return {
        variant: tuple(
            np.concatenate(kind, axis=2) for kind in zip(*vectors(capture)[:2], strict=True)
        )
        for variant, capture in captures.items()
    }


def test_points_are_the_queries_then_the_keys_of_the_first_texts(results, captures, maps, mapped):
    points = pd.read_parquet(results / "joint_points.parquet")
    capture = captures["finetuned"]
    tokens = pd.concat([capture.tokens_of(example) for example in capture.examples["id"][:2]])
    assert list(points["kind"]) == ["query"] * len(tokens) + ["key"] * len(tokens)
    for column in ("example_id", "position", "token", "is_special"):
        assert list(points[column]) == 2 * list(tokens[column])
    counts = capture.tokens["token"].value_counts()
    assert list(points["frequency"]) == list(counts[points["token"]])
    labels = capture.examples.set_index("id")["label"]
    assert list(points["label"]) == list(labels[points["example_id"]])
    assert len(maps) == len(VARIANTS) * LAYERS * HEADS * 3
    for (variant, layer, head, _), rows in maps.items():
        assert list(rows[:, 0]) == list(range(len(points)))
        assert np.isfinite(rows).all()
        expected = [np.linalg.norm(kind[layer - 1, head - 1], axis=1) for kind in mapped[variant]]
        np.testing.assert_allclose(rows[:, 3], np.concatenate(expected), rtol=1e-6)


def normalised(mapped, spaces, variant: str, place: tuple[int, int]) -> np.ndarray:
    query, key = (kind[place] for kind in mapped[variant])
    shift, scale = (spaces[variant][kind][place] for kind in ("shift", "scale"))
    return np.concatenate([scale * query, (key + shift) / scale])


def test_pca_maps_are_of_the_translated_and_scaled_vectors(maps, mapped, spaces):
    for layer, head in np.ndindex(LAYERS, HEADS):
        both = normalised(mapped, spaces, "pretrained", (layer, head))
        found = maps["pretrained", layer + 1, head + 1, "pca"][:, 1:3]
        np.testing.assert_allclose(found, pca_map(both), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("method", ["pca", "umap", "tsne"])
def test_tuned_maps_are_turned_onto_the_others_and_not_changed(
    results, maps, mapped, spaces, method
):
    trust = pd.read_parquet(results / "joint_trust.parquet")
    trust = trust.set_index(["variant", "layer", "head", "method"])
    assert len(trust) == len(maps)
    for layer, head in np.ndindex(LAYERS, HEADS):
        place = (layer + 1, head + 1, method)
        first, second = (maps[(variant, *place)][:, 1:3] for variant in VARIANTS)
        shifts = [trust.loc[(variant, *place), "shift"] for variant in VARIANTS]
        assert np.isnan(shifts[0])
        assert 0 <= shifts[1] <= 1
        # No rotation nor mirror image of the second lies nearer to the first.
        apart = ((first - second) ** 2).sum()
        for angle in np.linspace(0, 2 * np.pi, 25):
            turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
            for mirrored in (turn, turn @ np.diag([1, -1])):
                assert apart <= ((first - second @ mirrored) ** 2).sum() * (1 + 1e-5)
        both = normalised(mapped, spaces, "finetuned", (layer, head))
        if method == "pca":
            unturned = pca_map(both)
            np.testing.assert_allclose(cdist(second, second), cdist(unturned, unturned), atol=1e-4)
        # The figures were taken before the map was turned: neighbours are the same.
        metric = "euclidean" if method == "pca" else "cosine"
        ranks, on_map = neighbour_ranks(both, metric), neighbour_ranks(second)
        figures = trust.loc[("finetuned", *place)]
        assert figures["trustworthiness"] == pytest.approx(
            trustworthiness(ranks, on_map, 5), abs=2e-4
        )
        assert figures["continuity"] == pytest.approx(continuity(ranks, on_map, 5), abs=2e-4)


def test_lines_are_the_largest_weights_within_texts(results, captures):
    lines = pd.read_parquet(results / "joint_lines.parquet")
    points = pd.read_parquet(results / "joint_points.parquet")
    assert (lines.groupby(["variant", "layer", "head"]).size() == 7).all()
    ends = [points.loc[lines[end]].reset_index(drop=True) for end in ("query", "key")]
    assert (ends[0]["kind"] == "query").all()
    assert (ends[1]["kind"] == "key").all()
    assert (ends[0]["example_id"] == ends[1]["example_id"]).all()
    for (variant, layer, head), rows in lines.groupby(["variant", "layer", "head"]):
        capture = captures[variant]
        of_texts = {
            example: capture.array(example, "attention", layer - 1)[head - 1]
            for example in capture.examples["id"][:2]
        }
        every = np.sort(np.concatenate([weights.ravel() for weights in of_texts.values()]))[::-1]
        np.testing.assert_array_equal(rows["attention"], every[:7])
        for row in rows.itertuples():
            query, key = points.loc[row.query], points.loc[row.key]
            weights = of_texts[query["example_id"]]
            assert row.attention == weights[query["position"], key["position"]]


def test_only_what_is_asked_for_is_mapped_by_umap_and_tsne(workplace):
    values = yaml.safe_load(Path("params.yaml").read_text(encoding="utf-8"))
    values["experiments"]["other"] = values["experiments"][EXPERIMENT]
    values["report"]["focus"] |= {"experiment": "other"}
    Path("params.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    joint_maps(params.load(), EXPERIMENT)
    results = workplace / "results" / EXPERIMENT
    for name in ("joint_maps", "joint_trust"):
        assert set(pd.read_parquet(results / f"{name}.parquet")["method"]) == {"pca"}
    assert set(strict_json(results / "metrics" / "joint_maps.json")["finetuned"]) == {"pca"}


def test_more_texts_than_captured_are_refused_and_nothing_is_written(workplace):
    loaded = params.load()
    beyond = loaded.geometry.model_copy(update={"texts": TEXTS + 1})
    before = hashes(workplace)
    with pytest.raises(InputError, match=r"geometry\.texts is 6 but reviews has only 5 captured"):
        joint_maps(loaded.model_copy(update={"geometry": beyond}), EXPERIMENT)
    assert hashes(workplace) == before


# --- bad input ------------------------------------------------------------------------------------

OWN = "sentences"
HEAD_DIM = 4


def captured(lengths: list[int], change=lambda queries, keys: None) -> Capture:
    """Capture of made-up vectors; ``change`` may alter the queries and keys of all texts."""
    rng = np.random.default_rng(0)
    shape = (LAYERS, HEADS)
    queries = [rng.normal(size=(*shape, n, HEAD_DIM)) + 0.5 for n in lengths]
    keys = [rng.normal(size=(*shape, n, HEAD_DIM)) for n in lengths]
    change(queries, keys)
    arrays = [
        {
            "query": query.astype(np.float32),
            "key": key.astype(np.float32),
            "attention": attention_weights(query, key, HEAD_DIM**-0.5).astype(np.float32),
        }
        for query, key in zip(queries, keys, strict=True)
    ]
    directory = Path("artifacts", OWN, "capture", "pretrained")
    tokens = [
        {
            "example_id": text,
            "position": position,
            "token": f"w{position}",
            "start": position,
            "end": position + 1,
            "word": position,
            "is_special": position == 0,
            "is_evidence": None,
        }
        for text, n in enumerate(lengths)
        for position in range(n)
    ]
    examples = pd.DataFrame({"id": range(len(lengths)), "tokens": lengths, "label": None})
    store.write(
        directory,
        enumerate(arrays),
        arrays=("query", "key", "attention"),
        dtype="float32",
        examples=lambda: examples,
        tokens=pd.DataFrame(tokens),
        model={},
    )
    return Capture(directory)


@pytest.fixture
def own(tmp_path, monkeypatch) -> params.Params:
    """Parameters of the project, in an empty directory; all texts of ``OWN`` are drawn."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(plane_maps, "WORKERS", 1)
    loaded = params.load(ROOT / "params.yaml")
    few = {"resamples": 100}
    return loaded.model_copy(update={"bootstrap": loaded.bootstrap.model_copy(update=few)})


def drawing(loaded: params.Params, texts: int, focus: int = 0) -> params.Params:
    """Draw so many texts, and show one of them."""
    shown = loaded.report.focus.model_copy(update={"example": focus})
    return loaded.model_copy(
        update={
            "geometry": loaded.geometry.model_copy(update={"texts": texts}),
            "report": loaded.report.model_copy(update={"focus": shown}),
        }
    )


def elsewhere(loaded: params.Params) -> params.Params:
    """Show another experiment, so that ``OWN`` is mapped by PCA alone."""
    focus = loaded.report.focus.model_copy(update={"experiment": EXPERIMENT})
    report = loaded.report.model_copy(update={"focus": focus})
    return loaded.model_copy(update={"report": report})


def written() -> tuple[pd.DataFrame, dict]:
    """Table and summary of the stage; every JSON and every array that it wrote is checked."""
    results = Path("results", OWN)
    for path in results.rglob("*.json"):
        strict_json(path)
    space = load_file(Path("artifacts", OWN, "geometry", "pretrained.safetensors"))
    assert np.isfinite(space["shift"]).all()
    assert (np.isfinite(space["scale"]) & (space["scale"] > 0)).all()
    summary = strict_json(results / "summaries" / "geometry.json")["pretrained"]
    return pd.read_parquet(results / "geometry.parquet"), summary


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("focus", [0, 1, 2])
def test_short_texts_have_no_correlation_and_are_counted(own, focus):
    lengths = [1, 2, 12, 9]
    captured(lengths)
    geometry(drawing(own, 4, focus), OWN)
    table, summary = written()
    rows = table.set_index("example_id")
    correlations = ["correlation_before", "correlation_after"]
    assert rows.loc[[0, 1], correlations].isna().all(axis=None)
    assert rows.loc[[2, 3], correlations].notna().all(axis=None)
    assert (rows["undefined"] == np.array(lengths)[rows.index] * (rows.index < 2)).all()
    assert summary["undefined"] == 3 * LAYERS * HEADS
    # A key alone has no neighbours; of two one is nearer.
    ranks = ["cosine_before", "cosine_after", "euclidean_before", "euclidean_after", "plane_after"]
    assert rows.loc[0, ranks].isna().all(axis=None)
    assert rows.loc[1, ranks].notna().all(axis=None)
    assert rows.loc[0, "offset_before"].isna().all()
    drawn = pd.read_csv(Path("results", OWN, "plots", "geometry.csv"))
    counts = drawn.set_index(["measure", "layer"])["texts"]
    assert counts["correlation_after", 1] == 2
    assert counts["cosine_after", 1] == 3
    defined = rows.loc[[2, 3]].groupby("layer")["correlation_after"].mean()
    assert summary["correlation_after"]["mean"] == pytest.approx(defined.mean())
    joint_maps(drawing(own, 4, focus), OWN)
    maps = pd.read_parquet(Path("results", OWN, "joint_maps.parquet"))
    assert np.isfinite(maps[["x", "y"]]).all(axis=None)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("lengths", [[1], [2], [1, 1], [2, 1, 2]])
def test_nothing_but_short_texts_leaves_undefined_what_is(own, lengths):
    captured(lengths)
    geometry(drawing(own, len(lengths)), OWN)
    table, summary = written()
    assert table[["correlation_before", "correlation_after"]].isna().all(axis=None)
    assert summary["undefined"] == sum(lengths) * LAYERS * HEADS
    assert summary["correlation_after"]["mean"] is None
    drawn = pd.read_csv(Path("results", OWN, "plots", "geometry.csv"))
    undefined = drawn[drawn["measure"] == "correlation_after"]
    assert (undefined["texts"] == 0).all()
    assert undefined[["mean", "low", "high"]].isna().all(axis=None)


def test_texts_too_short_for_a_map_are_told_in_one_sentence(own):
    captured([1, 1, 12])
    geometry(drawing(own, 2), OWN)
    message = (
        r"first 2 texts of sentences have 2 tokens together.*at least 3; raise geometry\.texts"
    )
    with pytest.raises(InputError, match=message):
        joint_maps(drawing(own, 2), OWN)
    assert not Path("results", OWN, "joint_maps.parquet").exists()
    joint_maps(drawing(own, 3), OWN)


def all_zero(arrays: list[np.ndarray]) -> None:
    """As with zero weights and no bias in the projection of the first layer."""
    for array in arrays:
        array[0] = 0


def all_equal(arrays: list[np.ndarray]) -> None:
    """As with zero weights and a bias."""
    for array in arrays:
        array[0] = 1.5


CONSTANT = {
    "queries zero": lambda queries, keys: all_zero(queries),
    "queries equal": lambda queries, keys: all_equal(queries),
    "keys zero": lambda queries, keys: all_zero(keys),
    "keys equal": lambda queries, keys: all_equal(keys),
    "both zero": lambda queries, keys: all_zero(queries + keys),
    "both equal": lambda queries, keys: all_equal(queries + keys),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("case", CONSTANT)
def test_vectors_that_are_all_the_same_are_counted_and_do_no_harm(own, case):
    lengths = [8, 12]
    captured(lengths, CONSTANT[case])
    geometry(drawing(own, 2), OWN)
    table, summary = written()
    constant = table[table["layer"] == 1]
    if case == "queries equal":  # one query many times has an order of keys
        assert (constant["undefined"] == 0).all()
    else:
        assert constant["correlation_after"].isna().all()
        assert (constant["undefined"] == np.array(lengths)[constant["example_id"]]).all()
    # Dot products that are all the same have no deviation for their mean to be measured in.
    assert constant["offset_before"].isna().all() == (case != "queries equal")
    rest = table[table["layer"] == 2]
    assert rest[list(MEASURES)].notna().all(axis=None)
    assert (rest["undefined"] == 0).all()
    assert summary["undefined"] == table["undefined"].sum()
    assert summary["correlation_after"]["last"] is not None
    pairs = pd.read_parquet(Path("results", OWN, "sentence", "pretrained-pairs.parquet"))
    second = pairs[pairs["layer"] == 2].filter(like="distance_")
    assert (second > 0).all(axis=None)
    assert len(second.columns) == 3
    joint_maps(elsewhere(drawing(own, 2)), OWN)
    maps = pd.read_parquet(Path("results", OWN, "joint_maps.parquet"))
    assert np.isfinite(maps[["x", "y", "norm"]]).all(axis=None)
    if "both" in case:  # one place for all
        first = maps.loc[maps["layer"] == 1, ["x", "y"]]
        np.testing.assert_allclose(first, 0, atol=1e-6)


def test_vectors_without_a_direction_have_no_map_by_cosine(own):
    captured([8, 12], CONSTANT["queries zero"])
    loaded = drawing(own, 2)
    geometry(loaded, OWN)
    message = r"head 1 of layer 1 of sentences \(pretrained\) .* set geometry\.metric: euclidean"
    with pytest.raises(InputError, match=message):
        joint_maps(loaded, OWN)
    assert not Path("results", OWN, "joint_maps.parquet").exists()
    plain = loaded.geometry.model_copy(update={"metric": "euclidean"})
    joint_maps(loaded.model_copy(update={"geometry": plain}), OWN)
    maps = pd.read_parquet(Path("results", OWN, "joint_maps.parquet"))
    assert set(maps["method"]) == {"pca", "umap", "tsne"}
    assert np.isfinite(maps[["x", "y"]]).all(axis=None)


@pytest.mark.filterwarnings("error")
def test_a_model_of_nothing_but_equal_vectors_has_no_geometry(own):
    def everything(queries: list[np.ndarray], keys: list[np.ndarray]) -> None:
        for array in queries + keys:
            array[:] = 0

    captured([5, 6], everything)
    geometry(drawing(own, 2), OWN)
    table, summary = written()
    assert table["correlation_after"].isna().all()
    assert summary["undefined"] == 11 * LAYERS * HEADS
    assert summary["scale"]["correlation"] is None
