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
from analysis.measures.change import INPUTS, MATRICES, MEASURES, POINTS
from analysis.measures.measure import ALL
from analysis.models.weights import read_layers
from analysis.stages import measure as stage
from analysis.stages.capture import capture as capture_stage
from analysis.stages.prepare import prepare

LAYERS, CHANGED, HEAD = 4, 2, 3  # of four layers the second is another, in one head's queries
TEXTS, HEADS = 5, 4
ATTENTION = ["divergence", "distance", "distance_alone"]
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
        ["kind", "text", "layer", "head", *ATTENTION]
    ]


@pytest.fixture(scope="module")
def features(values) -> pd.DataFrame:
    rows = values[(values["by"] == "change") & (values["of"] != "attention")]
    return by_measure(rows[rows["layer"] != ALL])


@pytest.fixture(scope="module")
def last(values) -> pd.DataFrame:
    """Shares of the last layers."""
    rows = values[values["measure"].str.endswith("_last") & (values["by"] == "change")]
    return rows.set_index(["of", "kind", "measure", "text"])["value"].sort_index()


@pytest.fixture(scope="module")
def captures(measured) -> list[Capture]:
    return [Capture(measured / CAPTURED / variant) for variant in VARIANTS]


def test_nothing_changed_below_the_changed_layer(attention, features):
    below = attention[attention["layer"] < CHANGED]
    assert len(below) == TEXTS * 2 * HEADS
    assert (below[ATTENTION] == 0).all(axis=None)
    below = features[features["layer"] < CHANGED]
    assert set(below["of"]) == set(POINTS)
    assert set(below["layer"]) == {0, 1}
    assert set(below[below["layer"] == 0]["of"]) == set(INPUTS)
    assert (below[FEATURES] == 0).all(axis=None)


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
    assert (above[FEATURES] > 0).all(axis=None)


def test_attention_is_compared_row_by_row(attention, captures):
    rows = attention[attention["layer"] == LAYERS].set_index(["text", "kind", "head"])
    for example in captures[0].examples["id"]:
        before, after = (c.array(example, "attention", LAYERS - 1).astype(float) for c in captures)
        distances = distance.jensenshannon(before, after, base=2, axis=-1)
        for head, expected in enumerate(distances, start=1):
            every, first = (rows.loc[(example, kind, head)] for kind in ("all", "first"))
            assert every["distance"] == pytest.approx(expected.mean(), rel=1e-6)
            assert every["divergence"] == pytest.approx((expected**2).mean(), rel=1e-6)
            assert first["distance"] == pytest.approx(expected[0], rel=1e-6)


@pytest.mark.parametrize("point", [point for point in POINTS if point not in INPUTS])
def test_features_are_compared_token_by_token(features, captures, point):
    rows = features[features["of"] == point].set_index(["text", "kind", "layer"])
    assert rows.index.is_unique
    example = int(captures[0].examples["id"].iloc[1])
    before, after = (c.array(example, point, LAYERS - 1).astype(float) for c in captures)
    if before.ndim == 3:  # of each head: join those of a token
        before, after = (np.concatenate(list(x), axis=-1) for x in (before, after))
    turned = [distance.cosine(*pair) for pair in zip(before, after, strict=True)]
    every, first = (rows.loc[(example, kind, LAYERS)] for kind in ("all", "first"))
    assert every["cosine_distance"] == pytest.approx(np.mean(turned), rel=1e-6)
    assert first["cosine_distance"] == pytest.approx(turned[0], rel=1e-6)
    for row, chosen in ((every, slice(None)), (first, 0)):
        lengths = [np.sqrt((x[chosen] ** 2).sum()) for x in (after - before, before)]
        assert row["relative_change"] == pytest.approx(lengths[0] / lengths[1], rel=1e-6)


def weights(values: pd.DataFrame) -> pd.DataFrame:
    rows = values[(values["of"].str.startswith("weights/")) & (values["layer"] != ALL)]
    assert (rows["text"] == ALL).all()
    return rows.assign(matrix=rows["of"].str.removeprefix("weights/"))


def test_weights_changed_where_they_were_changed(values):
    rows = weights(values)
    assert len(rows) == LAYERS * (len(MATRICES) + 4 * HEADS)
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
        for matrix in ("query", "key", "value", "attention_output"):
            own = rows[(rows["layer"] == layer) & (rows["matrix"] == matrix)].set_index("head")
            squares = getattr(before, matrix).weight.astype(float) ** 2
            if matrix != "attention_output":
                squares = squares.T
            share = squares.reshape(HEADS, -1).sum(axis=1) / squares.sum()
            parts = own["value"].drop(0).sort_index() ** 2
            assert own["value"][0] ** 2 == pytest.approx(parts.to_numpy() @ share, rel=1e-6)


def test_cka_is_that_of_all_tokens_together(values, captures):
    rows = values[values["measure"] == "cka"]
    assert (rows["text"] == ALL).all()
    cka = rows.set_index("layer")["value"]
    assert list(cka.index) == list(range(LAYERS + 1))
    np.testing.assert_allclose(cka[:CHANGED], 1, rtol=1e-6)
    for layer in range(CHANGED, LAYERS + 1):
        pair = [
            np.concatenate([c.array(e, "layer_output", layer - 1) for e in c.examples["id"]])
            for c in captures
        ]
        kernels = [np.cov(rows.astype(float), rowvar=False) for rows in pair]
        cross = np.cov(*(rows.astype(float) for rows in pair), rowvar=False)
        between = cross[: len(kernels[0]), len(kernels[0]) :]
        expected = np.sum(between**2) / np.prod([np.linalg.norm(kernel) for kernel in kernels])
        assert cka[layer] == pytest.approx(expected, rel=1e-5)
        assert 0 < cka[layer] < 1


def test_the_share_of_the_last_layers_is_that_of_each_text(attention, features, last):
    for of, frame in [("attention", attention), *features.groupby("of")]:
        if of in INPUTS:
            assert of not in last.index
            continue
        for kind in ("all", "first"):
            for measure in ATTENTION if of == "attention" else FEATURES:
                own = frame[frame["kind"] == kind]
                by_layer = own.pivot_table(measure, "text", "layer")
                share = (by_layer[LAYERS] + by_layer[LAYERS - 1]) / by_layer.sum(axis=1)
                found = last[of, kind, f"{measure}_last"]
                np.testing.assert_allclose(found.reindex(share.index), share, rtol=1e-9)
                assert ((found == 0) if measure == "distance_alone" else (found > 0)).all()
                # Keys and values of the changed layer are of the input that did not change.
                whole = of in ("attention", "layer_output")
                assert (found < 1).all() if whole else (found <= 1).all()


def test_the_share_of_the_last_layers_in_the_change_of_weights(values):
    shares = values[(values["by"] == "weight_change") & (values["layer"] == ALL)]
    shares = shares[shares["measure"] == "relative_change_last"].set_index("of")["value"]
    assert set(shares.index) == {f"weights/{matrix}" for matrix in MATRICES}
    moved = [f"weights/{matrix}" for matrix in ("query", "ffn_output")]
    assert (shares[moved] == 0).all()
    assert shares.drop(moved).isna().all()


def test_the_same_model_twice_has_not_changed_at_all(workplace):
    for new, old in (
        (MODEL, Path("tiny-bert")),
        (CAPTURED / "finetuned", CAPTURED / "pretrained"),
    ):
        shutil.rmtree(new)
        shutil.copytree(old, new)
    stage.measure(given(), EXPERIMENT, "vectors")
    values = read(GROUP)
    share = values["measure"].str.endswith("_last")
    assert values[share]["value"].isna().all()
    cka = values["measure"] == "cka"
    np.testing.assert_allclose(values[cka]["value"], 1, rtol=1e-10)
    assert (values[~share & ~cka]["value"] == 0).all()
    assert {*ATTENTION, *FEATURES, "cka"} < set(values["measure"])


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
    manifest["tables"][path.name] = file_sha256(path)
    (path.parent / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    before = times()
    with pytest.raises(InputError, match=r"not of the same texts and tokens; delete .*dvc repro"):
        stage.measure(given(), EXPERIMENT, "vectors")
    assert times() == before


def times() -> dict[Path, int]:
    files = (path for path in GROUP.parent.rglob("*") if path.is_file())
    return {file: file.stat().st_mtime_ns for file in files}
