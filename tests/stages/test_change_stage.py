"""What is told of the change between two models of which one layer is known to differ."""

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
import yaml
from safetensors.numpy import load_file, save_file
from scipy.spatial import distance

from analysis import params
from analysis.capture.store import Capture
from analysis.errors import InputError
from analysis.hashing import file_sha256
from analysis.models.weights import read_layers
from analysis.stages.capture import capture as capture_stage
from analysis.stages.change import ATTENTION, COLUMNS, FEATURES, MATRICES, POINTS, change
from analysis.stages.prepare import prepare

ROOT = Path(__file__).parents[2]
EXPERIMENT = "reviews"
LAYERS, CHANGED, HEAD = 4, 2, 3  # of four layers the second is another, in one head's queries


@pytest.fixture(scope="module")
def measured(tmp_path_factory, tokenizer, make_model) -> Path:
    """A directory where the change of a tiny model was measured, with all it was measured from."""
    from transformers import AutoModel, AutoModelForSequenceClassification

    directory = tmp_path_factory.mktemp("measured")
    values = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    experiment = values["experiments"][EXPERIMENT]
    experiment["model"] = {"source": "local", "name": "tiny"}
    experiment["data"]["sizes"] = {"train": 4, "validation": 4, "test": 12}
    experiment["length"]["max_tokens"] = 40
    experiment["capture"] |= {"examples": 5, "dtype": "float32"}
    values |= {
        "files": {"tiny": str(directory / "tiny-bert")},
        "device": "cpu",
        "experiments": {EXPERIMENT: experiment},
    }
    values["bootstrap"]["resamples"] = 100
    values["projection"]["examples"] = [0]
    values["geometry"]["texts"] = 2
    values["report"]["focus"] = {"experiment": EXPERIMENT, "example": 0}
    (directory / "params.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")

    config = make_model("bert").config
    config.num_hidden_layers = LAYERS
    # Wider than at the start of training: rows of attention that are not all uniform.
    config.initializer_range = 0.3
    torch.manual_seed(0)
    before = AutoModel.from_config(config)
    after = AutoModelForSequenceClassification.from_config(config)
    after.base_model.load_state_dict(before.state_dict(), strict=False)  # it has no pooler
    layer = after.base_model.encoder.layer[CHANGED - 1]
    with torch.no_grad():
        layer.attention.self.query.weight[(HEAD - 1) * 8 : HEAD * 8] *= 1.5
        layer.output.dense.weight += 0.1 * torch.randn_like(layer.output.dense.weight)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        for model, path in ((before, "tiny-bert"), (after, f"artifacts/{EXPERIMENT}/model")):
            model.save_pretrained(path)
            tokenizer.save_pretrained(path)
        loaded = params.load()
        for stage in (prepare, capture_stage, change):
            stage(loaded, EXPERIMENT)
    return directory


@pytest.fixture
def workplace(measured, tmp_path, monkeypatch) -> Path:
    """A copy of it that a test may change, as the present directory."""
    directory = tmp_path / "workplace"
    shutil.copytree(measured, directory)
    monkeypatch.chdir(directory)
    return directory


def table(directory: Path, name: str) -> pd.DataFrame:
    return pd.read_parquet(directory / "results" / EXPERIMENT / f"change_{name}.parquet")


def read(directory: Path, kind: str) -> dict:
    path = directory / "results" / EXPERIMENT / kind / "change.json"
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def attention(measured) -> pd.DataFrame:
    return table(measured, "attention")


@pytest.fixture(scope="module")
def features(measured) -> pd.DataFrame:
    return table(measured, "features")


@pytest.fixture(scope="module")
def captures(measured) -> list[Capture]:
    directory = measured / "artifacts" / EXPERIMENT / "capture"
    return [Capture(directory / variant) for variant in ("pretrained", "finetuned")]


def test_nothing_changed_below_the_changed_layer(attention, features):
    below = attention[attention["layer"] < CHANGED]
    assert len(below) == 5 * 2 * 4
    assert (below[list(ATTENTION)] == 0).all(axis=None)
    below = features[features["layer"] < CHANGED]
    assert set(below["point"]) == set(POINTS)
    assert set(below["layer"]) == {0, 1}
    assert (below[list(FEATURES)] == 0).all(axis=None)


def test_in_the_changed_layer_only_the_changed_head_attends_otherwise(attention):
    changed = attention[attention["layer"] == CHANGED]
    own = changed["head"] == HEAD
    assert (changed.loc[own, list(ATTENTION)] > 0).all(axis=None)
    assert (changed.loc[~own, list(ATTENTION)] == 0).all(axis=None)
    # Its input is the same: the change is that of its own weights.
    np.testing.assert_allclose(
        changed.loc[own, "distance_alone"], changed.loc[own, "distance"], rtol=1e-4
    )


def test_above_it_change_is_handed_on_and_not_made(attention, features):
    above = attention[attention["layer"] > CHANGED]
    assert (above["distance"] > 0).all()
    assert (above["distance_alone"] == 0).all()
    above = features[features["layer"] > CHANGED]
    assert (above[list(FEATURES)] > 0).all(axis=None)


def test_attention_is_compared_row_by_row(attention, captures):
    rows = attention[attention["layer"] == LAYERS].set_index(["example_id", "tokens", "head"])
    for example in captures[0].examples["id"]:
        before, after = (c.array(example, "attention", LAYERS - 1).astype(float) for c in captures)
        distances = distance.jensenshannon(before, after, base=2, axis=-1)
        for head, expected in enumerate(distances, start=1):
            every, first = (rows.loc[(example, tokens, head)] for tokens in ("all", "first"))
            assert every["distance"] == pytest.approx(expected.mean(), rel=1e-6)
            assert every["divergence"] == pytest.approx((expected**2).mean(), rel=1e-6)
            assert first["distance"] == pytest.approx(expected[0], rel=1e-6)


@pytest.mark.parametrize("point", [point for point in POINTS if point not in ("word", "embedding")])
def test_features_are_compared_token_by_token(features, captures, point):
    rows = features[features["point"] == point].set_index(["example_id", "tokens", "layer"])
    assert rows.index.is_unique
    example = int(captures[0].examples["id"].iloc[1])
    before, after = (c.array(example, point, LAYERS - 1).astype(float) for c in captures)
    if before.ndim == 3:  # of each head: join those of a token
        before, after = (np.concatenate(list(x), axis=-1) for x in (before, after))
    turned = [distance.cosine(*pair) for pair in zip(before, after, strict=True)]
    every, first = (rows.loc[(example, tokens, LAYERS)] for tokens in ("all", "first"))
    assert every["cosine_distance"] == pytest.approx(np.mean(turned), rel=1e-6)
    assert first["cosine_distance"] == pytest.approx(turned[0], rel=1e-6)
    for row, chosen in ((every, slice(None)), (first, 0)):
        lengths = [np.sqrt((x[chosen] ** 2).sum()) for x in (after - before, before)]
        assert row["relative_change"] == pytest.approx(lengths[0] / lengths[1], rel=1e-6)


def test_weights_changed_where_they_were_changed(measured):
    weights = table(measured, "weights")
    assert len(weights) == LAYERS * (len(MATRICES) + 4 * 4)
    place = [("query", HEAD), ("query", None), ("ffn_output", None)]
    moved = weights[weights["relative_change"] != 0].fillna({"head": 0})
    assert set(moved["layer"]) == {CHANGED}
    found = set(zip(moved["matrix"], moved["head"], strict=True))
    assert found == {(matrix, head or 0) for matrix, head in place}
    own = moved[moved["head"] == HEAD]["relative_change"].item()
    assert own == pytest.approx(0.5, rel=1e-6)


def test_changes_of_heads_add_up_to_that_of_the_matrix(workplace):
    """Against another model, in which everything differs."""
    generator = np.random.default_rng(0)
    path = workplace / "artifacts" / EXPERIMENT / "model" / "model.safetensors"
    tensors = load_file(path).items()
    save_file({k: x + generator.normal(size=x.shape).astype(x.dtype) for k, x in tensors}, path)
    change(params.load(), EXPERIMENT)
    weights = table(workplace, "weights")
    for layer, before in enumerate(read_layers(workplace / "tiny-bert"), start=1):
        for matrix in ("query", "key", "value", "attention_output"):
            rows = weights[(weights["layer"] == layer) & (weights["matrix"] == matrix)]
            squares = getattr(before, matrix).weight.astype(float) ** 2
            if matrix != "attention_output":
                squares = squares.T
            share = squares.reshape(4, -1).sum(axis=1) / squares.sum()
            parts = rows.dropna(subset="head").sort_values("head")["relative_change"] ** 2
            whole = rows[rows["head"].isna()]["relative_change"].item()
            assert whole**2 == pytest.approx(parts.to_numpy() @ share, rel=1e-6)


def test_cka_is_that_of_all_tokens_together(measured, captures):
    drawn = pd.read_csv(measured / "results" / EXPERIMENT / "plots" / "change.csv")
    cka = drawn[drawn["measure"] == "cka"].set_index("layer")
    assert list(cka.index) == list(range(LAYERS + 1))
    assert cka[["low", "high"]].isna().all(axis=None)
    np.testing.assert_allclose(cka["mean"][:CHANGED], 1, rtol=1e-6)
    for layer in range(CHANGED, LAYERS + 1):
        pair = [
            np.concatenate([c.array(e, "layer_output", layer - 1) for e in c.examples["id"]])
            for c in captures
        ]
        kernels = [np.cov(rows.astype(float), rowvar=False) for rows in pair]
        cross = np.cov(*(rows.astype(float) for rows in pair), rowvar=False)
        between = cross[: len(kernels[0]), len(kernels[0]) :]
        expected = np.sum(between**2) / np.prod([np.linalg.norm(kernel) for kernel in kernels])
        assert cka["mean"][layer] == pytest.approx(expected, rel=1e-5)
        assert 0 < cka["mean"][layer] < 1


def test_curves_average_the_tables(measured, attention, features):
    drawn = pd.read_csv(measured / "results" / EXPERIMENT / "plots" / "change.csv")
    drawn = drawn.set_index(["point", "tokens", "measure", "layer"])
    assert drawn.index.is_unique
    attention = attention.assign(point="attention")
    for frame, measures in ((attention, ATTENTION), (features, FEATURES)):
        long = frame.melt(["point", "tokens", "layer"], list(measures), "measure")
        expected = long.groupby(["point", "tokens", "measure", "layer"])["value"].mean()
        found = drawn["mean"].reindex(expected.index)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-12)


def test_the_share_of_the_last_layers_is_that_of_each_text(measured, attention, features):
    metrics, summary = read(measured, "metrics"), read(measured, "summaries")
    assert metrics["even_share"] == 2 / LAYERS
    layer_output = features[features["point"] == "layer_output"]
    for part, frame, measure in (
        ("attention", attention, "distance"),
        ("layer_output", layer_output, "relative_change"),
    ):
        every = frame[frame["tokens"] == "all"]
        values = every.pivot_table(index="example_id", columns="layer", values=measure)
        share = (values[LAYERS] + values[LAYERS - 1]) / values.sum(axis=1)
        found = metrics[part]
        assert 0 < found["last_two_low"] <= found["last_two"] <= found["last_two_high"] < 1
        assert found["last_two"] == pytest.approx(share.mean())
        assert found["largest_layer"] == values.mean().idxmax()
        assert found["last"] == pytest.approx(values[LAYERS].mean())
        assert found == {key: summary["features"][part]["all"][measure][key] for key in found}
    # All change was made in the second layer.
    for part in ("attention_alone", "weights"):
        assert metrics[part]["largest_layer"] == CHANGED
        assert metrics[part]["last_two"] == 0


def test_the_same_model_twice_has_not_changed_at_all(workplace):
    directory = workplace / "artifacts" / EXPERIMENT
    for new, old in (
        (directory / "model", workplace / "tiny-bert"),
        (directory / "capture" / "finetuned", directory / "capture" / "pretrained"),
    ):
        shutil.rmtree(new)
        shutil.copytree(old, new)
    change(params.load(), EXPERIMENT)
    for name, measures in (
        ("attention", ATTENTION),
        ("features", FEATURES),
        ("weights", ["relative_change"]),
    ):
        assert (table(workplace, name)[list(measures)] == 0).all(axis=None)
    metrics = read(workplace, "metrics")
    assert metrics["cka"] == {"first": 1, "last": 1}
    for part in ("attention", "attention_alone", "layer_output", "weights"):
        assert metrics[part]["last"] == 0
        assert metrics[part]["largest_layer"] is None
        assert metrics[part]["last_two"] is None


def test_without_fine_tuning_there_is_nothing_to_tell(workplace):
    directory = workplace / "artifacts" / EXPERIMENT
    shutil.rmtree(directory / "capture" / "finetuned")
    shutil.rmtree(directory / "model")
    change(params.load(), EXPERIMENT)
    for name, columns in COLUMNS.items():
        empty = table(workplace, name)
        assert empty.empty
        assert tuple(empty.columns) == columns
    assert read(workplace, "metrics") == read(workplace, "summaries") == {"computed": False}
    drawn = pd.read_csv(workplace / "results" / EXPERIMENT / "plots" / "change.csv")
    assert drawn.empty
    assert {"point", "tokens", "measure", "layer", "mean", "low", "high"} <= set(drawn.columns)


@pytest.mark.parametrize("column", ["token", "example_id"])
def test_other_texts_are_refused_and_nothing_is_written(workplace, column):
    directory = workplace / "artifacts" / EXPERIMENT / "capture" / "finetuned"
    path = directory / "tokens.parquet"
    tokens = pd.read_parquet(path)
    tokens.loc[3, column] = {"token": "another", "example_id": 10**5}[column]
    tokens.to_parquet(path, index=False)
    manifest = json.loads((directory / "manifest.json").read_text(encoding="utf-8"))
    manifest["tables"][path.name] = file_sha256(path)
    (directory / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    results = workplace / "results" / EXPERIMENT
    before = {file: file.stat().st_mtime_ns for file in results.rglob("*change*")}
    with pytest.raises(InputError, match=r"not of the same texts and tokens; delete .*dvc repro"):
        change(params.load(), EXPERIMENT)
    assert {file: file.stat().st_mtime_ns for file in results.rglob("*change*")} == before
