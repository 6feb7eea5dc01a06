"""The cache on disk: what goes in comes out, and what was damaged is noticed."""

import json
import shutil
from collections import namedtuple

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import load_file

from attention_mixing.capture.store import (
    AXES,
    Capture,
    captures,
    finetuned,
    predicted_bytes,
    require_space,
    write,
)
from attention_mixing.errors import InputError
from attention_mixing.models.weights import ModelWeights

SIZES = {"layers": 3, "heads": 2, "head_dim": 4, "model_dim": 8}
LENGTHS = {7: 5, 8: 3, 20: 6}  # example id -> tokens


def made_up(tokens, seed):
    """Random arrays of the right shapes, attention rows summing to 1."""
    sizes = {"layer": 3, "head": 2, "head_dim": 4, "model_dim": 8}
    sizes |= dict.fromkeys(("token", "query", "key"), tokens)
    rng = np.random.default_rng(seed)
    arrays = {
        name: rng.normal(size=[sizes[axis] for axis in axes]).astype(np.float32)
        for name, axes in AXES.items()
    }
    weights = np.exp(arrays["attention"])
    return arrays | {"attention": weights / weights.sum(axis=-1, keepdims=True)}


CAPTURED = {example: made_up(tokens, example) for example, tokens in LENGTHS.items()}


def examples():
    return pd.DataFrame(
        {
            "id": list(LENGTHS),
            "text": ["<b>a</b> | {{< x >}}", "b", "日本"],
            "label": pd.array([0, 1, None], "Int64"),
            "tokens": list(LENGTHS.values()),
        }
    )


def tokens():
    return pd.DataFrame(
        [
            {"example_id": example, "position": i, "token": f"t{example}-{i}"}
            for example, count in LENGTHS.items()
            for i in range(count)
        ]
    )


def write_cache(directory, captured=None, **changes):
    settings = {
        "dtype": "float32",
        "examples": examples,
        "tokens": tokens(),
        "model": {"name": "made-up", "sha256": {}},
        "weights": ModelWeights([], None),
    }
    write(directory, captured or CAPTURED.items(), **(settings | changes))


@pytest.fixture
def cache(tmp_path):
    write_cache(tmp_path / "cache")
    return tmp_path / "cache"


def test_what_was_written_is_read(cache):
    capture = Capture(cache)
    for example, arrays in CAPTURED.items():
        for name, expected in arrays.items():
            np.testing.assert_array_equal(capture.array(example, name), expected)
    pd.testing.assert_frame_equal(capture.examples, examples())
    pd.testing.assert_frame_equal(capture.tokens, tokens())
    assert capture.tokens_of(8)["token"].tolist() == ["t8-0", "t8-1", "t8-2"]


def test_the_manifest_names_what_was_done_to_attention(cache, tmp_path):
    assert "intervention" not in Capture(cache).manifest
    write_cache(tmp_path / "held", intervention="special tokens clamped")
    assert Capture(tmp_path / "held").manifest["intervention"] == "special tokens clamped"


def test_one_layer_can_be_read_alone(cache):
    capture = Capture(cache)
    for name in ("attention", "query", "context"):
        for layer in range(3):
            np.testing.assert_array_equal(
                capture.array(7, name, layer=layer), CAPTURED[7][name][layer]
            )


def test_memory_holds_one_text_at_a_time(tmp_path):
    """A text is on disk before the next is asked for."""

    def one_by_one():
        for before, text in enumerate(CAPTURED.items()):
            assert len(list((tmp_path / "cache").iterdir())) == before
            yield text

    write_cache(tmp_path / "cache", one_by_one())


def test_half_precision_is_as_near_as_it_can_be_and_as_large_as_predicted(tmp_path):
    write_cache(tmp_path / "cache", dtype="float16")
    stored = 0
    for path in (tmp_path / "cache").glob("*.safetensors"):
        stored += sum(array.nbytes for array in load_file(path).values())
    lengths = [dict.fromkeys(("token", "query", "key"), tokens) for tokens in LENGTHS.values()]
    assert stored == predicted_bytes("float16", lengths, **SIZES)
    for example, arrays in CAPTURED.items():
        for name, expected in arrays.items():
            read = Capture(tmp_path / "cache").array(example, name)
            assert read.dtype == np.float32
            np.testing.assert_array_equal(read, expected.astype(np.float16))


NONE, LARGE = r"no finite numbers.*precision: float", r"float16.*dtype: float32"


@pytest.mark.parametrize(("value", "said"), [(-np.inf, NONE), (np.nan, NONE), (-1e5, LARGE)])
def test_a_value_that_cannot_be_kept_is_refused(tmp_path, value, said):
    captured = [(7, CAPTURED[7] | {"value": np.full((3, 2, 5, 4), value, np.float32)})]
    with pytest.raises(InputError, match=f"value of text 7 .*{said}"):
        write_cache(tmp_path / "cache", captured, dtype="float16")


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("000008.safetensors", "flip"),
        ("tokens.parquet", "cut"),
        ("examples.parquet", "delete"),
        ("manifest.json", "cut"),
        ("manifest.json", "delete"),
    ],
)
def test_a_damaged_file_is_named(cache, name, damage):
    path = cache / name
    content = bytearray(path.read_bytes())
    if damage == "delete":
        path.unlink()
    elif damage == "flip":
        content[0] ^= 1
        path.write_bytes(content)
    else:
        path.write_bytes(content[: len(content) // 2])
    with pytest.raises(InputError, match=name.replace(".", r"\.")) as caught:
        Capture(cache)
    assert "make it anew" in str(caught.value)
    assert "\n" not in str(caught.value)


def without(key):
    return lambda manifest: {name: one for name, one in manifest.items() if name != key}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda manifest: manifest | {"schema": 2},
            "schema 2, and this code reads 5: each text",
        ),
        (lambda manifest: manifest | {"files": {}}, "000007.safetensors is missi"),
        (lambda manifest: [], r"manifest\.json is missing or corrupted; make it anew"),
        *((without(key), "missing or corrupted") for key in ("schema", "model", "files")),
    ],
)
def test_a_manifest_of_something_else_is_refused(cache, change, said):
    path = cache / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(change(manifest)), encoding="utf-8")
    with pytest.raises(InputError, match=said):
        Capture(cache)


def test_captures_are_those_that_there_are_of_a_seed(tmp_path):
    with pytest.raises(InputError, match="holds no capture"):
        captures(tmp_path, "0")
    tuned = {seed: finetuned(tmp_path, seed) for seed in ("0", "1")}
    for path in (*tuned.values(), tmp_path / "pretrained", tmp_path / "other"):
        path.mkdir(parents=True)
    for seed, path in tuned.items():
        found = captures(tmp_path, seed)
        assert list(found.items()) == [("pretrained", tmp_path / "pretrained"), ("finetuned", path)]
    assert list(captures(tmp_path, "2")) == ["pretrained"]


def test_too_little_disk_is_told_before_anything_is_written(tmp_path, monkeypatch):
    usage = namedtuple("usage", "total used free")(2**30, 2**30 - 10 * 2**20, 10 * 2**20)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    target = tmp_path / "deep" / "below" / "cache"
    with pytest.raises(InputError, match=r"needs 11 MiB but .* has 10 MiB free.*capture\.examples"):
        require_space(target, 11 * 2**20)
    require_space(target, 10 * 2**20)
    assert list(tmp_path.iterdir()) == []
