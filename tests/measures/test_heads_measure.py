"""What is measured of heads: every number again from the captured attention, plainly."""

from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from safetensors.numpy import load_file
from taken import experiment_of, found, load, take
from tiny_experiment import read

from analysis import params
from analysis.capture.store import Capture
from analysis.errors import InputError
from analysis.measures.heads import MEASURED, token_groups
from analysis.measures.summary import summarise
from analysis.methods.head_families import FAMILIES, family
from analysis.methods.head_images import histograms
from analysis.methods.heads import DESCRIPTORS, descriptors, resized
from analysis.models.encode import encode
from analysis.params.sections import Length
from analysis.stages.capture import capture as capture_stage
from analysis.stages.prepare import prepare

TEXTS, LAYERS, HEADS, SIDE = 5, 2, 4, 16
VARIANTS = ("pretrained", "finetuned")
PLACE = ["example_id", "window", "layer", "head"]
REVIEWS = Path("artifacts/reviews/heads")


def values_of(kind, **heads):
    shown = {"examples": TEXTS, "batch_size": 2, "images": "hog", "side": SIDE} | heads
    return experiment_of(
        kind,
        capture={"examples": TEXTS, "dtype": "float32"},
        length={"stride": 8} if kind == "questions" else {},
        bootstrap={"resamples": 100},
        heads=shown,
    )


def save_models(make_model, tokenizer, kind):
    """Two models that differ; wider than at the start of training, so that no map is uniform."""
    task = "ForQuestionAnswering" if kind == "questions" else "ForSequenceClassification"
    for seed, head, path in (
        (0, None, "tiny-bert"),
        (1, task, f"artifacts/{kind}/train/model"),
    ):
        model = make_model("bert", head, seed=seed, initializer_range=0.4)
        model.save_pretrained(path)
        tokenizer.save_pretrained(path)


def run_heads(loaded, kind="reviews"):
    take(loaded, kind, "heads", "heads")


@pytest.fixture(scope="module")
def measured(tmp_path_factory, tokenizer, make_model):
    directory = tmp_path_factory.mktemp("measured")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        save_models(make_model, tokenizer, "reviews")
        loaded = load(values_of("reviews"))
        for stage in (prepare, capture_stage):
            stage(loaded, "reviews")
        run_heads(loaded)
    return directory


@pytest.fixture(scope="module")
def maps(measured):
    return {v: pd.read_parquet(measured / REVIEWS / "maps" / f"{v}.parquet") for v in VARIANTS}


@pytest.fixture(scope="module")
def captures(measured):
    directory = measured / "artifacts/reviews/capture"
    return {variant: Capture(directory / variant) for variant in VARIANTS}


@pytest.fixture(scope="module")
def values(measured):
    return read(measured / REVIEWS)


def counted(directory):
    """Number of maps of the pretrained model."""
    return read(directory).query("variant == 'pretrained' and measure == 'maps'")["value"].item()


def attention_of(capture):
    """Attention, tokens and id of every text."""
    for example in capture.examples["id"]:
        attention = capture.array(example, "attention").astype(float)
        yield example, attention, capture.tokens_of(example)["token"].to_numpy()


@pytest.mark.parametrize("variant", VARIANTS)
def test_there_is_a_row_for_every_map_in_order(variant, maps, captures):
    table = maps[variant]
    assert len(table) == TEXTS * LAYERS * HEADS
    assert table[PLACE].equals(table[PLACE].sort_values(PLACE).reset_index(drop=True))
    assert not table[PLACE].duplicated().any()
    tokens = captures[variant].examples.set_index("id")["tokens"]
    assert (table["tokens"] == table["example_id"].map(tokens)).all()
    assert set(table["layer"]) == set(range(1, LAYERS + 1))
    assert set(table["head"]) == set(range(1, HEADS + 1))


def test_a_row_group_is_a_text(measured):
    file = pq.ParquetFile(measured / REVIEWS / "maps" / "pretrained.parquet")
    groups = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
    assert groups == [LAYERS * HEADS] * TEXTS


@pytest.mark.parametrize("variant", VARIANTS)
def test_features_are_those_of_the_captured_attention(variant, maps, captures):
    for example, attention, tokens in attention_of(captures[variant]):
        rows = maps[variant][maps[variant]["example_id"] == example]
        sep = tokens == "[SEP]"
        described = descriptors(
            attention,
            cls=tokens == "[CLS]",
            sep=sep,
            punctuation=np.isin(tokens, [".", ",", "!"]),
        ).reshape(-1, len(DESCRIPTORS))
        np.testing.assert_allclose(rows[list(DESCRIPTORS)], described, atol=1e-5)
        first = attention[:, :, 0]
        entropy = -(first * np.log(first)).sum(axis=-1) / np.log(len(tokens))
        np.testing.assert_allclose(rows["cls_entropy"], entropy.reshape(-1), atol=1e-5)
        kept = attention[:, :, sep][..., sep].sum(axis=-1).mean(axis=-1)
        np.testing.assert_allclose(rows["sep_to_sep"], kept.reshape(-1), atol=1e-5)
        images = histograms(resized(attention, SIDE)).reshape(LAYERS * HEADS, -1)
        np.testing.assert_allclose(np.stack(rows["image"]), images, atol=1e-4)


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_map_has_its_family(variant, maps):
    table = maps[variant]
    assert table["family"].tolist() == family(table[list(DESCRIPTORS)].to_numpy()).tolist()


@pytest.mark.parametrize("variant", VARIANTS)
def test_values_are_those_of_the_maps(variant, maps, values):
    own = values[(values["variant"] == variant) & (values["head"] > 0)]
    key = ["text", "layer", "head"]
    table = maps[variant].rename(columns={"example_id": "text"}).set_index(key).sort_index()
    wide = own[own["of"] == ""].pivot(index=key, columns="measure", values="value")
    np.testing.assert_allclose(wide.loc[table.index, list(MEASURED)], table[list(MEASURED)])
    shares = own[own["measure"] == "family_share"].pivot(index=key, columns="of", values="value")
    for name in FAMILIES:
        assert (shares.loc[table.index, name] == (table["family"] == name)).all()


@pytest.mark.parametrize("variant", VARIANTS)
def test_thumbnails_are_the_mean_of_the_maps_of_a_head(variant, captures, measured):
    shown = measured / REVIEWS / "shown" / "heads"
    images = [resized(attention, 16) for _, attention, _ in attention_of(captures[variant])]
    expected = np.mean(images, axis=0).reshape(LAYERS, HEADS, -1)
    thumbnails = load_file(shown / f"{variant}.safetensors")["thumbnails"]
    np.testing.assert_allclose(thumbnails, expected, atol=1e-4)


@pytest.mark.parametrize("variant", VARIANTS)
def test_heads_are_counted_by_the_mean_of_their_maps(variant, maps, values):
    counted = values.query("variant == @variant and measure == 'heads'").set_index("of")["value"]
    means = maps[variant].groupby(["layer", "head"])[list(DESCRIPTORS)].mean()
    names = family(means.to_numpy())
    assert counted.to_dict() == {name: (names == name).mean() for name in FAMILIES}


def test_maps_are_counted(measured):
    assert counted(measured / REVIEWS) == TEXTS * LAYERS * HEADS


def test_the_same_again_whatever_the_cores(workplace, monkeypatch):
    before = {path: path.read_bytes() for path in REVIEWS.rglob("*") if path.is_file()}
    monkeypatch.setattr(joblib, "cpu_count", lambda: 3)
    run_heads(params.load())
    assert {path: path.read_bytes() for path in before} == before


def test_texts_are_encoded_some_at_a_time(workplace, monkeypatch, maps):
    monkeypatch.setattr("analysis.measures.heads.ENCODED", 2)
    before = counted(REVIEWS)
    run_heads(params.load())
    for variant, expected in maps.items():
        table = pd.read_parquet(REVIEWS / "maps" / f"{variant}.parquet")
        pd.testing.assert_frame_equal(table.drop(columns="image"), expected.drop(columns="image"))
    assert counted(REVIEWS) == before


def test_without_images_all_else_is_the_same(workplace, maps):
    run_heads(load(values_of("reviews", images="none", examples=None)))
    table = pd.read_parquet(REVIEWS / "maps" / "pretrained.parquet")
    assert "image" not in table
    assert len(table) == 12 * LAYERS * HEADS  # all texts of the split
    rows = table[table["example_id"].isin(maps["pretrained"]["example_id"])]
    expected = maps["pretrained"].drop(columns="image")
    pd.testing.assert_frame_equal(rows.reset_index(drop=True), expected, atol=1e-5)


def test_maps_are_shown_to_an_image_model(workplace, captures):
    import torch
    import transformers

    from analysis.models.image_classifier import ImageClassifier
    from analysis.models.source import inspect

    torch.manual_seed(0)
    config = transformers.ResNetConfig(embedding_size=8, hidden_sizes=[8, 12], depths=[1, 1])
    transformers.ResNetForImageClassification(config).save_pretrained("images")
    Path("images/preprocessor_config.json").write_text(
        '{"image_mean": [0.5, 0.5, 0.5], "image_std": [0.2, 0.2, 0.2]}', encoding="utf-8"
    )
    values = values_of("reviews", images={"source": "local", "name": "eyes"})
    values["files"]["eyes"] = "images"
    run_heads(load(values))
    model = ImageClassifier(
        inspect(Path("images"), name="images"),
        SIDE,
        device=torch.device("cpu"),
        precision="float32",
    )
    table = pd.read_parquet(REVIEWS / "maps" / "finetuned.parquet")
    for example, attention, _ in attention_of(captures["finetuned"]):
        rows = table[table["example_id"] == example]
        seen = model.features(resized(attention, SIDE).reshape(-1, SIDE, SIDE))
        np.testing.assert_allclose(np.stack(rows["image"]), seen, atol=1e-4)


def test_a_text_counts_once_whatever_its_windows(tmp_path, monkeypatch, make_model, tokenizer):
    monkeypatch.chdir(tmp_path)
    save_models(make_model, tokenizer, "questions")
    loaded = load(values_of("questions"))
    prepare(loaded, "questions")
    capture_stage(loaded, "questions")
    run_heads(loaded, "questions")
    directory = Path("artifacts/questions/heads")
    table = pd.read_parquet(directory / "maps" / "pretrained.parquet")
    windows = table.groupby("example_id")["window"].nunique()
    assert windows.max() > 1  # long contexts are read several times
    assert (table.groupby("example_id")["window"].max() + 1 == windows).all()
    assert len(windows) == TEXTS
    assert counted(directory) == len(table)
    key = ["text", "layer", "head"]
    by_text = table.rename(columns={"example_id": "text"}).groupby(key)["block"].mean()
    own = read(directory).query("variant == 'pretrained' and measure == 'block'")
    np.testing.assert_allclose(own.set_index(key)["value"].sort_index(), by_text, atol=1e-6)


@pytest.fixture
def bare_tokenizer(tokenizer):
    """Adds no special token, so that a text may be of one token."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    plain = Tokenizer(models.WordLevel(tokenizer.get_vocab(), unk_token="[UNK]"))
    plain.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(
        tokenizer_object=plain, unk_token="[UNK]", pad_token="[PAD]", model_max_length=40
    )


def run_texts(texts, make_model, tokenizer):
    save_models(make_model, tokenizer, "sentences")
    values = values_of("sentences")
    experiment = values["experiments"]["sentences"]
    experiment["data"] = {"source": "texts", "texts": texts}
    values["geometry"]["texts"] = 1
    loaded = load(values)
    prepare(loaded, "sentences")
    capture_stage(loaded, "sentences")
    run_heads(loaded, "sentences")


def test_texts_that_are_too_short_are_left_out(tmp_path, monkeypatch, make_model, bare_tokenizer):
    monkeypatch.chdir(tmp_path)
    texts = ["a plot", "the film was dull", "bad", "the music , and the actor !"]
    run_texts(texts, make_model, bare_tokenizer)
    table = pd.read_parquet("artifacts/sentences/heads/maps/pretrained.parquet")
    assert sorted(set(table["example_id"])) == [1, 3]
    assert counted(Path("artifacts/sentences/heads")) == len(table)
    # Nothing was fine-tuned, and there is no [SEP] to attend to.
    table_of = summarise(
        read(Path("artifacts/sentences/heads")), [found("heads", "heads")], params.load().bootstrap
    )
    assert set(table_of["variant"]) == {"pretrained"}
    means = table_of.query("layer == -1 and head == 0").set_index("measure")["mean"]
    assert np.isnan(means["sep_to_sep"])
    assert means["punctuation"] > 0
    assert table["sep_to_sep"].isna().all()


def test_nothing_but_short_texts_is_refused(tmp_path, monkeypatch, make_model, bare_tokenizer):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="fewer than 3 tokens"):
        run_texts(["bad", "a plot"], make_model, bare_tokenizer)
    assert not Path("artifacts/sentences/heads").exists()


def test_a_side_that_makes_no_cells_is_refused(workplace):
    with pytest.raises(InputError, match=r"heads\.side is 30.*multiple of 4"):
        run_heads(load(values_of("reviews", side=30)))
    assert (REVIEWS / "maps" / "pretrained.parquet").is_file()  # that of before


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
    written = "".join(text[start:end].strip() for start, end in marks)
    assert set(written) == set("“”,%…")
