"""What is told of the change between two models of which one layer is known to differ."""

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from safetensors.numpy import load_file, save_file
from scipy.spatial import distance
from tiny_experiment import CAPTURED, EXPERIMENT, VARIANTS, parameters, read

from analysis.capture.store import Capture
from analysis.errors import InputError
from analysis.hashing import file_sha256
from analysis.measures.change import BY_HEAD, MATRICES, MEASURES, POINTS
from analysis.measures.definition import ALL
from analysis.methods.projection import INPUT_POINTS
from analysis.models.weights import read_layers
from analysis.stages import measure as stage
from analysis.stages.capture import capture as capture_stage
from analysis.stages.prepare import prepare

LAYERS, CHANGED, HEAD = 4, 2, 3  # of four layers the second is another, in one head's queries
TEXTS, HEADS = 5, 4
ATTENTION = ["distance", "distance_alone"]
FEATURES = ["cosine_distance", "relative_change"]
GROUP = Path("artifacts", EXPERIMENT, "vectors")
MODEL = Path("artifacts", EXPERIMENT, "train", "model")


def given(**changes):
    return parameters(capture={"dtype": "float32"}, **changes)


@pytest.fixture(scope="module", autouse=True)
def only_change():
    """Of the group of measures these alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stage, "measures", lambda group: list(MEASURES))
        yield


@pytest.fixture(scope="module")
def measured(tmp_path_factory, tokenizer, make_model, only_change) -> Path:
    """A directory where the change of a tiny model was measured, with all it was measured from."""
    from transformers import AutoModel, AutoModelForSequenceClassification

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
    directory = tmp_path_factory.mktemp("measured")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        for model, path in ((before, "tiny-bert"), (after, MODEL)):
            model.save_pretrained(path)
            tokenizer.save_pretrained(path)
        prepare(given(), EXPERIMENT)
        capture_stage(given(), EXPERIMENT)
        stage.measure(given(), EXPERIMENT, "vectors")
    return directory


def by_measure(values: pd.DataFrame) -> pd.DataFrame:
    """One column a measure."""
    place = ["of", "kind", "text", "layer", "head"]
    return values.pivot(index=place, columns="measure", values="value").reset_index()


@pytest.fixture(scope="module")
def values(measured) -> pd.DataFrame:
    found = read(measured / GROUP)
    assert set(found["variant"]) == {"finetuned"}
    return found


@pytest.fixture(scope="module")
def attention(values) -> pd.DataFrame:
    return by_measure(values[(values["of"] == "attention") & (values["head"] > 0)])[
        ["text", "layer", "head", *ATTENTION]
    ]


@pytest.fixture(scope="module")
def features(values) -> pd.DataFrame:
    rows = values[(values["by"] == "change") & (values["of"] != "attention")]
    return by_measure(rows)


@pytest.fixture(scope="module")
def captures(measured) -> list[Capture]:
    return [Capture(measured / CAPTURED / variant) for variant in VARIANTS]


def test_nothing_changed_below_the_changed_layer(attention, features):
    below = attention[attention["layer"] < CHANGED]
    assert len(below) == TEXTS * HEADS
    assert (below[ATTENTION] == 0).all(axis=None)
    below = features[features["layer"] < CHANGED]
    assert set(below["of"]) == set(POINTS)
    assert set(below["layer"]) == {0, 1}
    assert set(below[below["layer"] == 0]["of"]) == set(INPUT_POINTS)
    assert (below[FEATURES].fillna(0) == 0).all(axis=None)


def test_in_the_changed_layer_only_the_changed_head_attends_otherwise(attention):
    changed = attention[attention["layer"] == CHANGED]
    own = changed["head"] == HEAD
    assert (changed.loc[own, ATTENTION] > 0).all(axis=None)
    assert (changed.loc[~own, ATTENTION] == 0).all(axis=None)
    # Its input is the same: the change is that of its own weights.
    np.testing.assert_allclose(
        changed.loc[own, "distance_alone"], changed.loc[own, "distance"], rtol=1e-4
    )


def test_above_it_change_is_handed_on_and_not_made(attention, features):
    above = attention[attention["layer"] > CHANGED]
    assert (above["distance"] > 0).all()
    assert (above["distance_alone"] == 0).all()
    above = features[features["layer"] > CHANGED]
    assert (above["cosine_distance"] > 0).all()
    outputs = above["of"] == "layer_output"
    assert (above[outputs]["relative_change"] > 0).all()
    assert above[~outputs]["relative_change"].isna().all()


def test_attention_is_compared_row_by_row(attention, captures):
    rows = attention[attention["layer"] == LAYERS].set_index(["text", "head"])
    for example in captures[0].examples["id"]:
        before, after = (c.array(example, "attention", LAYERS - 1).astype(float) for c in captures)
        distances = distance.jensenshannon(before, after, base=2, axis=-1)
        for head, expected in enumerate(distances, start=1):
            assert rows.loc[(example, head), "distance"] == pytest.approx(expected.mean(), rel=1e-6)


@pytest.mark.parametrize("point", [point for point in POINTS if point not in INPUT_POINTS])
def test_features_are_compared_token_by_token(features, captures, point):
    rows = features[features["of"] == point].set_index(["text", "kind", "layer"])
    assert rows.index.is_unique
    example = int(captures[0].examples["id"].iloc[1])
    before, after = (c.array(example, point, LAYERS - 1).astype(float) for c in captures)
    turned = [distance.cosine(*pair) for pair in zip(before, after, strict=True)]
    every, first = (rows.loc[(example, kind, LAYERS)] for kind in ("all", "first"))
    assert every["cosine_distance"] == pytest.approx(np.mean(turned), rel=1e-6)
    assert first["cosine_distance"] == pytest.approx(turned[0], rel=1e-6)
    for row, chosen in ((every, slice(None)), (first, 0)) if point == "layer_output" else ():
        lengths = [np.sqrt((x[chosen] ** 2).sum()) for x in (after - before, before)]
        assert row["relative_change"] == pytest.approx(lengths[0] / lengths[1], rel=1e-6)


def weights(values: pd.DataFrame) -> pd.DataFrame:
    rows = values[values["of"].str.startswith("weights/")]
    assert (rows["text"] == ALL).all()
    return rows.assign(matrix=rows["of"].str.removeprefix("weights/"))


def test_weights_changed_where_they_were_changed(values):
    rows = weights(values)
    assert len(rows) == LAYERS * (len(MATRICES) + len(BY_HEAD) * HEADS)
    moved = rows[rows["value"] != 0]
    assert set(moved["layer"]) == {CHANGED}
    found = set(zip(moved["matrix"], moved["head"], strict=True))
    assert found == {("query", HEAD), ("query", 0), ("ffn_output", 0)}
    own = moved[moved["head"] == HEAD]["value"].item()
    assert own == pytest.approx(0.5, rel=1e-6)


def test_changes_of_heads_add_up_to_that_of_the_matrix(workplace):
    """Against another model, in which everything differs."""
    generator = np.random.default_rng(0)
    path = MODEL / "model.safetensors"
    tensors = load_file(path).items()
    save_file({k: x + generator.normal(size=x.shape).astype(x.dtype) for k, x in tensors}, path)
    capture_stage(given(), EXPERIMENT)
    stage.measure(given(), EXPERIMENT, "vectors")
    rows = weights(read(GROUP))
    for layer, before in enumerate(read_layers(workplace / "tiny-bert"), start=1):
        for matrix in BY_HEAD:
            own = rows[(rows["layer"] == layer) & (rows["matrix"] == matrix)].set_index("head")
            squares = getattr(before, matrix).weight.T.astype(float) ** 2
            share = squares.reshape(HEADS, -1).sum(axis=1) / squares.sum()
            parts = own["value"].drop(0).sort_index() ** 2
            assert own["value"][0] ** 2 == pytest.approx(parts.to_numpy() @ share, rel=1e-6)


def test_the_same_model_twice_has_not_changed_at_all(workplace):
    for new, old in (
        (MODEL, Path("tiny-bert")),
        (CAPTURED / "finetuned", CAPTURED / "pretrained"),
    ):
        shutil.rmtree(new)
        shutil.copytree(old, new)
    stage.measure(given(), EXPERIMENT, "vectors")
    values = read(GROUP)
    assert (values["value"] == 0).all()
    assert {*ATTENTION, *FEATURES} == set(values["measure"])


def test_without_fine_tuning_there_is_nothing_to_tell(workplace):
    shutil.rmtree(CAPTURED / "finetuned")
    shutil.rmtree(MODEL)
    untrained = given()
    experiment = untrained.experiments[EXPERIMENT].model_copy(update={"train": None})
    untrained = untrained.model_copy(update={"experiments": {EXPERIMENT: experiment}})
    stage.measure(untrained, EXPERIMENT, "vectors")
    assert read(GROUP).empty
    assert json.loads((GROUP / "manifest.json").read_text())["measures"] == {}


@pytest.mark.parametrize("column", ["token", "example_id"])
def test_other_texts_are_refused_and_nothing_is_written(workplace, column):
    path = CAPTURED / "finetuned" / "tokens.parquet"
    tokens = pd.read_parquet(path)
    tokens.loc[3, column] = {"token": "another", "example_id": 10**5}[column]
    tokens.to_parquet(path, index=False)
    manifest = json.loads((path.parent / "manifest.json").read_text(encoding="utf-8"))
    manifest["files"][path.name] = file_sha256(path)
    (path.parent / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    before = times()
    with pytest.raises(InputError, match=r"not of the same texts and tokens; delete .*dvc repro"):
        stage.measure(given(), EXPERIMENT, "vectors")
    assert times() == before


def times() -> dict[Path, int]:
    files = (path for path in GROUP.parent.rglob("*") if path.is_file())
    return {file: file.stat().st_mtime_ns for file in files}
