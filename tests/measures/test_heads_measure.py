"""What is measured of heads: every number again from the captured attention, plainly."""

from contextlib import chdir
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import tiny_experiment as tiny
from safetensors.numpy import load_file

from attention_mixing.capture.store import Capture
from attention_mixing.errors import InputError
from attention_mixing.measures.engine.summary import summarise
from attention_mixing.measures.heads import MEASURED, token_groups
from attention_mixing.methods.head_descriptors import DESCRIPTORS, resized
from attention_mixing.methods.head_families import FAMILIES, family
from attention_mixing.methods.head_images import histograms
from attention_mixing.models.encode import encode
from attention_mixing.settings.experiment import Length

TEXTS, LAYERS, HEADS, SIDE = 5, 2, 4, 16
PLACE = ["example_id", "window", "layer", "head"]
GROUP = tiny.ARTIFACTS / "heads" / "0"


def take_heads(target, name=tiny.EXPERIMENT, files=None, **heads) -> pd.DataFrame:
    loaded = tiny.parameters(name, heads=heads, files=files or {})
    return tiny.take("heads", loaded, target, only=["heads"], name=name)


@pytest.fixture(scope="module")
def measured(copied) -> Path:
    with chdir(copied):
        take_heads(GROUP)
    return copied


def read_maps(directory: Path, variant: str = "pretrained") -> pd.DataFrame:
    return pd.read_parquet(directory / "maps" / f"{variant}.parquet")


@pytest.fixture(scope="module")
def maps(measured) -> dict[str, pd.DataFrame]:
    return {variant: read_maps(measured / GROUP, variant) for variant in tiny.VARIANTS}


@pytest.fixture(scope="module")
def values(measured) -> pd.DataFrame:
    return tiny.read(measured / GROUP)


def counted(values: pd.DataFrame) -> int:
    """Number of maps of the pretrained model."""
    return values.query("variant == 'pretrained' and quantity == 'maps'")["value"].item()


def attention_of(capture: Capture):
    """Attention, tokens and id of every text."""
    for example in capture.examples["id"]:
        attention = capture.array(example, "attention").astype(float)
        yield example, attention, capture.tokens_of(example)["token"].to_numpy()


def test_there_is_a_row_for_every_map_in_order(maps, captures, values):
    for variant, table in maps.items():
        assert len(table) == counted(values) == TEXTS * LAYERS * HEADS
        assert table[PLACE].equals(table[PLACE].sort_values(PLACE).reset_index(drop=True))
        assert not table[PLACE].duplicated().any()
        tokens = captures[variant].examples.set_index("id")["tokens"]
        assert (table["tokens"] == table["example_id"].map(tokens)).all()
        assert set(table["layer"]) == set(range(1, LAYERS + 1))
        assert set(table["head"]) == set(range(1, HEADS + 1))


@pytest.mark.parametrize("variant", tiny.VARIANTS)
def test_features_are_those_of_the_captured_attention(variant, maps, captures):
    for example, attention, tokens in attention_of(captures[variant]):
        rows = maps[variant][maps[variant]["example_id"] == example]
        sep = tokens == "[SEP]"
        # All others are found word by word in tests/methods/test_head_descriptors.py.
        groups = {"cls": tokens == "[CLS]", "sep": sep, "punctuation": np.isin(tokens, [*".,!"])}
        described = {
            "self": attention.diagonal(axis1=2, axis2=3).mean(axis=-1),
            "previous": attention.diagonal(-1, axis1=2, axis2=3).mean(axis=-1),
            "maximum": attention.max(axis=(2, 3)),
            **{name: attention[..., own].sum(-1).mean(-1) for name, own in groups.items()},
        }
        for name, expected in described.items():
            np.testing.assert_allclose(rows[name], expected.reshape(-1), atol=1e-5)
        first = attention[:, :, 0]
        entropy = -(first * np.log(first)).sum(axis=-1) / np.log(len(tokens))
        np.testing.assert_allclose(rows["cls_entropy"], entropy.reshape(-1), atol=1e-5)
        kept = attention[:, :, sep][..., sep].sum(axis=-1).mean(axis=-1)
        np.testing.assert_allclose(rows["sep_to_sep"], kept.reshape(-1), atol=1e-5)
        images = histograms(resized(attention, SIDE)).reshape(LAYERS * HEADS, -1)
        np.testing.assert_allclose(np.stack(rows["image"]), images, atol=1e-4)


@pytest.mark.parametrize("variant", tiny.VARIANTS)
def test_values_are_those_of_the_maps(variant, maps, values):
    own = values[(values["variant"] == variant) & (values["head"] > 0)]
    key = ["text", "layer", "head"]
    table = maps[variant].rename(columns={"example_id": "text"}).set_index(key).sort_index()
    wide = own[own["subject"] == ""].pivot(index=key, columns="quantity", values="value")
    np.testing.assert_allclose(wide.loc[table.index, list(MEASURED)], table[list(MEASURED)])
    assert table["family"].tolist() == family(table[list(DESCRIPTORS)].to_numpy()).tolist()
    shares = own[own["quantity"] == "family_share"].pivot(
        index=key, columns="subject", values="value"
    )
    for name in FAMILIES:
        assert (shares.loc[table.index, name] == (table["family"] == name)).all()


@pytest.mark.parametrize("variant", tiny.VARIANTS)
def test_thumbnails_and_families_of_heads_are_those_of_the_mean_of_their_maps(
    variant, captures, maps, values, measured
):
    images = [resized(attention, 16) for _, attention, _ in attention_of(captures[variant])]
    expected = np.mean(images, axis=0).reshape(LAYERS, HEADS, -1)
    thumbnails = load_file(measured / GROUP / "shown" / "heads" / f"{variant}.safetensors")
    np.testing.assert_allclose(thumbnails["thumbnails"], expected, atol=1e-4)
    shares = values.query("variant == @variant and quantity == 'heads'").set_index("subject")[
        "value"
    ]
    means = maps[variant].groupby(["layer", "head"])[list(DESCRIPTORS)].mean()
    names = family(means.to_numpy())
    assert shares.to_dict() == {name: (names == name).mean() for name in FAMILIES}


def test_of_all_texts_some_at_a_time_and_without_images_all_else_is_the_same(
    workplace, monkeypatch, maps
):
    monkeypatch.setattr("attention_mixing.measures.heads.ENCODED", 5)
    values = take_heads(Path("again"), images="none", examples=None)
    table = read_maps(Path("again"))
    assert "image" not in table
    assert len(table) == counted(values) == 12 * LAYERS * HEADS  # all texts of the split
    rows = table[table["example_id"].isin(maps["pretrained"]["example_id"])]
    expected = maps["pretrained"].drop(columns="image")
    pd.testing.assert_frame_equal(rows.reset_index(drop=True), expected, atol=1e-5)


def test_maps_are_shown_to_an_image_model(workplace, captures):
    import torch
    import transformers

    from attention_mixing.models.image_classifier import ImageClassifier
    from attention_mixing.models.source import inspect

    torch.manual_seed(0)
    config = transformers.ResNetConfig(embedding_size=8, hidden_sizes=[8, 12], depths=[1, 1])
    transformers.ResNetForImageClassification(config).save_pretrained("images")
    Path("images/preprocessor_config.json").write_text(
        '{"image_mean": [0.5, 0.5, 0.5], "image_std": [0.2, 0.2, 0.2]}', encoding="utf-8"
    )
    files, eyes = {"eyes": "images"}, {"source": "local", "name": "eyes"}
    take_heads(Path("again"), files=files, images=eyes)
    files = inspect(Path("images"), name="images", images=True)
    model = ImageClassifier(files, SIDE, device=torch.device("cpu"), precision="float32")
    table = read_maps(Path("again"), "finetuned")
    for example, attention, _ in attention_of(captures["finetuned"]):
        rows = table[table["example_id"] == example]
        seen = model.features(resized(attention, SIDE).reshape(-1, SIDE, SIDE))
        np.testing.assert_allclose(np.stack(rows["image"]), seen, atol=1e-4)


def test_a_text_counts_once_whatever_its_windows(captured_questions, monkeypatch, tmp_path):
    monkeypatch.chdir(captured_questions)
    values = take_heads(tmp_path / "heads", "questions")
    table = read_maps(tmp_path / "heads")
    windows = table.groupby("example_id")["window"].nunique()
    assert windows.max() > 1  # long contexts are read several times
    assert (table.groupby("example_id")["window"].max() + 1 == windows).all()
    assert len(windows) == TEXTS
    assert counted(values) == len(table)
    key = ["text", "layer", "head"]
    by_text = table.rename(columns={"example_id": "text"}).groupby(key)["block"].mean()
    own = values.query("variant == 'pretrained' and quantity == 'block'")
    np.testing.assert_allclose(own.set_index(key)["value"].sort_index(), by_text, atol=1e-6)


@pytest.fixture
def heads_of_texts(make_model, tokenizer, here):
    """Return a function that measures a user's texts, to which no special token is added."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    plain = Tokenizer(models.WordLevel(tokenizer.get_vocab(), unk_token="[UNK]"))
    plain.pre_tokenizer = pre_tokenizers.Whitespace()
    bare = PreTrainedTokenizerFast(
        tokenizer_object=plain, unk_token="[UNK]", pad_token="[PAD]", model_max_length=40
    )

    def of_texts(*texts: str) -> pd.DataFrame:
        own = {"source": "texts", "texts": list(texts)}
        tiny.make(make_model, bare, tiny.parameters("sentences", data=own), "sentences")
        return take_heads(Path("heads"), "sentences")

    return of_texts


def test_texts_that_are_too_short_are_left_out(heads_of_texts):
    values = heads_of_texts("a plot", "the film was", "bad", "the music , and the actor !")
    table = read_maps(Path("heads"))
    assert set(table["example_id"]) == {1, 3}
    assert counted(values) == len(table)
    # There is no [SEP] to attend to.
    assert table["sep_to_sep"].isna().all()
    bootstrap = tiny.parameters().bootstrap
    summary = summarise([values], tiny.found("heads", "heads"), bootstrap)
    means = summary.query("layer == -1 and head == 0").set_index("quantity")["mean"]
    assert np.isnan(means["sep_to_sep"])
    assert means["punctuation"] > 0


def test_nothing_but_short_texts_is_refused(heads_of_texts):
    with pytest.raises(InputError, match="fewer than 3 tokens"):
        heads_of_texts("bad", "a plot", "dull")


def test_groups_of_tokens_in_bert(tokenizer):
    text = "the [MASK] , was bad !"
    encoded = encode([text], tokenizer, Length(max_tokens=40, longer="refuse"))[0]
    groups = token_groups(text, encoded, tokenizer)
    named = {name: [encoded.tokens[i] for i in np.flatnonzero(x)] for name, x in groups.items()}
    assert named == {
        "cls": ["[CLS]"],
        "sep": ["[SEP]"],
        "special": ["[MASK]"],
        "punctuation": [",", "!"],
    }


def test_groups_of_tokens_in_a_byte_level_vocabulary():
    from tokenizers import ByteLevelBPETokenizer
    from transformers import RobertaTokenizerFast

    text = "bad “plot”, 50 % … a+b"
    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator([text] * 3, vocab_size=400, special_tokens=["<s>", "<pad>", "</s>"])
    trained.add_special_tokens(["<unk>", "<mask>"])
    tokenizer = RobertaTokenizerFast(tokenizer_object=trained._tokenizer, model_max_length=40)
    encoded = encode([text], tokenizer, Length(max_tokens=40, longer="refuse"))[0]
    groups = token_groups(text, encoded, tokenizer)
    assert [encoded.tokens[i] for i in np.flatnonzero(groups["cls"])] == ["<s>"]
    assert [encoded.tokens[i] for i in np.flatnonzero(groups["sep"])] == ["</s>"]
    assert not groups["special"].any()
    marks = [encoded.spans[i] for i in np.flatnonzero(groups["punctuation"])]
    assert set("".join(text[start:end].strip() for start, end in marks)) == set("“”,%…")
