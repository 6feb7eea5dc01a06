"""What is told of the change between two models of which one layer is known to differ."""

from contextlib import chdir
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import tiny_experiment as tiny
import torch
from safetensors.numpy import load_file, save_file
from scipy.spatial import distance

from analysis.stages.capture import capture as capture_stage
from analysis.stages.measure import states
from analysis.stages.prepare import prepare
from attention_mixing.addresses import ALL
from attention_mixing.capture.store import Capture
from attention_mixing.capture.store import captures as captures_of
from attention_mixing.errors import InputError
from attention_mixing.measures.change import BY_HEAD, MATRICES, POINTS
from attention_mixing.methods.projection import INPUT_POINTS
from attention_mixing.models.interventions import RunningModel
from attention_mixing.models.load import load_encoder

LAYERS, CHANGED, HEAD = 4, 2, 3  # of four layers the second is another, in one head's queries
TEXTS, HEADS = 5, 4
ATTENTION = ["distance", "distance_alone"]
FEATURES = ["cosine_distance", "relative_change"]


def take_change(target: Path) -> pd.DataFrame:
    return tiny.take("vectors", tiny.parameters(), target, only=["change", "weight_change"])


@pytest.fixture(scope="module")
def measured(tmp_path_factory, tokenizer, make_model) -> Path:
    """A directory where the change of a tiny model was measured, with all it was measured from."""
    from transformers import AutoModel, AutoModelForSequenceClassification

    config = make_model("bert").config
    config.num_hidden_layers = LAYERS
    # Wider than at the start of training: rows of attention that are not all uniform.
    config.initializer_range = 0.3
    before = AutoModel.from_config(config)
    for name, bias in before.named_parameters():
        if name.endswith(("query.bias", "key.bias")):  # 0 at the start of training
            torch.nn.init.normal_(bias)
    after = AutoModelForSequenceClassification.from_config(config)
    after.base_model.load_state_dict(before.state_dict(), strict=False)  # it has no pooler
    layer = after.base_model.encoder.layer[CHANGED - 1]
    with torch.no_grad():
        layer.attention.self.query.weight[(HEAD - 1) * 8 : HEAD * 8] *= 1.5
        layer.output.dense.weight += 0.1 * torch.randn_like(layer.output.dense.weight)
    directory = tmp_path_factory.mktemp("measured")
    with chdir(directory):
        tiny.save(before, tokenizer, "tiny-bert")
        tiny.save_trained(after, tokenizer)
        prepare(tiny.parameters(), tiny.EXPERIMENT)
        capture_stage(tiny.parameters(), tiny.EXPERIMENT)
        take_change(Path("found"))
    return directory


@pytest.fixture(scope="module")
def values(measured) -> pd.DataFrame:
    found = tiny.read(measured / "found")
    assert set(found["variant"]) == {"finetuned"}
    return found


def by_measure(values: pd.DataFrame) -> pd.DataFrame:
    """One column a measure."""
    place = ["subject", "facet", "text", "layer", "head"]
    return values.pivot(index=place, columns="quantity", values="value").reset_index()


@pytest.fixture(scope="module")
def attention(values) -> pd.DataFrame:
    return by_measure(values[(values["subject"] == "attention") & (values["head"] > 0)])


@pytest.fixture(scope="module")
def features(values) -> pd.DataFrame:
    return by_measure(values[(values["measure"] == "change") & (values["subject"] != "attention")])


@pytest.fixture(scope="module")
def captures(measured) -> list[Capture]:
    return [Capture(path) for path in captures_of(measured / tiny.CAPTURED, "0").values()]


def test_nothing_changed_below_the_changed_layer(attention, features):
    below = attention[attention["layer"] < CHANGED]
    assert len(below) == TEXTS * HEADS
    assert (below[ATTENTION] == 0).all(axis=None)
    below = features[features["layer"] < CHANGED]
    assert set(below["subject"]) == set(POINTS)
    assert set(below["layer"]) == {0, 1}
    assert set(below[below["layer"] == 0]["subject"]) == set(INPUT_POINTS)
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
    outputs = above["subject"] == "layer_output"
    assert (above[outputs]["relative_change"] > 0).all()
    assert above[~outputs]["relative_change"].isna().all()


def test_attention_is_compared_row_by_row(attention, captures):
    rows = attention[attention["layer"] == LAYERS].set_index(["text", "head"])
    for example in captures[0].examples["id"]:
        before, after = (c.array(example, "attention", LAYERS - 1).astype(float) for c in captures)
        expected = distance.jensenshannon(before, after, base=2, axis=-1).mean(axis=-1)
        np.testing.assert_allclose(rows.loc[example, "distance"], expected, rtol=1e-6)


def test_features_are_compared_token_by_token(features, captures):
    rows = features.set_index(["subject", "text", "facet", "layer"])
    assert rows.index.is_unique
    example = int(captures[0].examples["id"].iloc[1])
    for point in (point for point in POINTS if point not in INPUT_POINTS):
        before, after = (c.array(example, point, LAYERS - 1).astype(float) for c in captures)
        turned = [distance.cosine(*pair) for pair in zip(before, after, strict=True)]
        every, first = (rows.loc[(point, example, kind, LAYERS)] for kind in ("all", "first"))
        assert every["cosine_distance"] == pytest.approx(np.mean(turned), rel=1e-6)
        assert first["cosine_distance"] == pytest.approx(turned[0], rel=1e-6)
        for row, chosen in ((every, slice(None)), (first, 0)) if point == "layer_output" else ():
            lengths = [np.sqrt((x[chosen] ** 2).sum()) for x in (after - before, before)]
            assert row["relative_change"] == pytest.approx(lengths[0] / lengths[1], rel=1e-6)


def weights(values: pd.DataFrame) -> pd.DataFrame:
    rows = values[values["subject"].str.startswith("weights/")]
    assert (rows["text"] == ALL).all()
    return rows.assign(matrix=rows["subject"].str.removeprefix("weights/"))


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
    path = tiny.MODEL / "model.safetensors"
    tensors = load_file(path).items()
    save_file({k: x + generator.normal(size=x.shape).astype(x.dtype) for k, x in tensors}, path)
    tiny.note_trained()
    capture_stage(tiny.parameters(), tiny.EXPERIMENT)
    rows = weights(take_change(Path("again")))
    model = load_encoder(workplace / "tiny-bert")
    running = RunningModel(model)
    for layer in range(1, LAYERS + 1):
        before = running.matrices(layer - 1)
        for matrix in BY_HEAD:
            own = rows[(rows["layer"] == layer) & (rows["matrix"] == matrix)].set_index("head")
            squares = before[matrix].T.astype(float) ** 2
            share = squares.reshape(HEADS, -1).sum(axis=1) / squares.sum()
            parts = own["value"].drop(0).sort_index() ** 2
            assert own["value"][0] ** 2 == pytest.approx(parts.to_numpy() @ share, rel=1e-6)


def test_other_tokens_are_refused(workplace):
    asked = states(tiny.parameters(), tiny.EXPERIMENT, "vectors", "0")
    path = tiny.CAPTURED / "finetuned" / "0" / "tokens.parquet"
    tokens = pd.read_parquet(path)
    tokens.loc[3, "token"] = "another"
    tokens.to_parquet(path, index=False)
    chosen = tiny.found("vectors", "change")
    with pytest.raises(
        InputError, match=r"not of the same texts and tokens; delete .* and make it anew"
    ):
        tiny.take_of(chosen, tiny.parameters(), asked, Path("again"))
