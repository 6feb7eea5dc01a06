"""The anatomy of one text: every step is held against the model; a mistake costs nothing."""

import json
from pathlib import Path

import numpy as np
import pytest
from refusals import one_sentence
from safetensors.numpy import load_file
from tiny_experiment import parameters, save

from analysis.anatomy.small_models import train_small
from analysis.parameters import Params
from analysis.stages.anatomy import anatomy
from attention_mixing.capture import reconstruction
from attention_mixing.capture.reconstruction import STEPS
from attention_mixing.errors import InputError

TEXT = "the brown capybara is sleeping now"
JSON, ARRAYS = (Path("results/anatomy", f"anatomy.{kind}") for kind in ("json", "safetensors"))


def asked(**changes) -> Params:
    """Parameters of the tiny model, which is in the present directory."""
    section = {"text": TEXT, "layer": 2, "head": 3, "small": {"steps": 3, "seed": 0}}
    return parameters(anatomy=section | changes)


@pytest.fixture(scope="module")
def written(tmp_path_factory, tokenizer, make_model):
    """Directory in which the stage ran once."""
    directory = tmp_path_factory.mktemp("anatomy")
    save(make_model("bert", initializer_range=0.3), tokenizer, directory / "tiny-bert")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        anatomy(asked())
    return directory


@pytest.fixture
def there(written, monkeypatch):
    monkeypatch.chdir(written)


@pytest.fixture(scope="module")
def summary(written):
    return json.loads((written / JSON).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def arrays(written):
    return load_file(written / ARRAYS)


def test_the_summary_names_what_was_read(summary):
    expected = {"model": "tiny-bert", "text": TEXT}
    expected |= {"layer": 2, "head": 3, "layers": 2, "heads": 4}
    expected |= {"dimension": 32, "head_dimension": 8}
    assert {key: summary[key] for key in expected} == expected
    text = ["the", "brown", "cap", "##y", "##bara", "is", "sleeping", "now"]
    assert summary["tokens"] == ["[CLS]", *text, "[SEP]"]


def test_every_step_is_compared_with_the_model(summary):
    assert [step["step"] for step in summary["steps"]] == list(STEPS)
    shapes = [[4, 10, 8], [4, 10, 10], [4, 10, 10], [10, 32], [10, 32], [10, 32]]
    assert [step["shape"] for step in summary["steps"]] == shapes
    for step in summary["steps"]:
        assert 0 < step["deviation"] < 1e-5
        assert step["largest"] > 0.1
    assert 0 < summary["row_sum_deviation"] < 1e-6  # the model's own rows, in float32


def test_only_an_encoder_reads_what_comes_later(summary, arrays):
    small = summary["small"]
    assert list(small) == ["encoder", "decoder", "encoder_decoder"]
    for kind, model in small.items():
        own = arrays[f"{kind}/decoder" if kind == "encoder_decoder" else f"{kind}/attention"]
        assert len(model["tokens"]) == own.shape[-1]
        assert (model["leak"] > 0) == (model["future"] > 0) == (kind == "encoder")
        assert (np.triu(own, k=1).sum() > 0) == (kind == "encoder")
        assert 0 < model["mirror"] < 1
        assert 0 <= model["accuracy"] <= 1
    both = small["encoder_decoder"]
    assert both["source"] == both["read"]
    assert len(both["read"]) == arrays["encoder_decoder/cross"].shape[-1] == 6
    assert both["encoder_leak"] > 0
    assert 0 < both["encoder_future"] < 1


def test_the_shares_of_the_small_models_are_those_of_the_maps(summary):
    """The summary is of all held-out rows, so the maps of one of them do not give it."""
    small = train_small("encoder", steps=3, seed=0)
    attention = small.attention(small.held_out)["attention"].astype(float)
    later = np.arange(13)[None, :] > np.arange(13)[:, None]
    found = summary["small"]["encoder"]
    assert found["held_out"] == len(attention)
    assert found["future"] == pytest.approx(np.where(later, attention, 0).sum(axis=-1).mean())
    mirrored = [attention[..., 7 + place, 5 - place].mean() for place in range(6)]
    assert found["mirror"] == pytest.approx(np.mean(mirrored))


def files():
    return [path.read_bytes() for path in (JSON, ARRAYS)]


@pytest.mark.usefixtures("there")
def test_the_same_parameters_give_the_same_files():
    before = files()
    anatomy(asked())
    assert files() == before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "the " * 50,
            "anatomy.text: the text has 52 tokens, .* takes at most 40; shorten",
        ),
        # In which the model knows no word.
        ("\u200b", "anatomy.text: the text .* has no token the model knows of; give one"),
    ],
)
@pytest.mark.usefixtures("there")
def test_a_text_that_the_model_cannot_read_is_told_and_nothing_is_lost(text, message):
    before = files()
    with pytest.raises(InputError, match=message) as error:
        anatomy(asked(text=text))
    one_sentence(error.value)
    assert files() == before


@pytest.mark.parametrize("step", ["value", "block"])
def test_attention_of_another_kind_is_refused(there, monkeypatch, step):
    recorded = reconstruction.record_steps

    def other(model, inputs):
        arrays, visible = recorded(model, inputs)
        return arrays | {step: arrays[step] * np.float32(1.001)}, visible

    monkeypatch.setattr(reconstruction, "record_steps", other)
    with pytest.raises(InputError, match="its attention is not plain scaled dot-product attention"):
        anatomy(asked())
