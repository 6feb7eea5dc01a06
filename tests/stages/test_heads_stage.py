"""What the stage says of heads: every number again from the captured attention, plainly."""

import json
import shutil
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
import yaml

from analysis import params
from analysis.capture.store import Capture
from analysis.errors import InputError
from analysis.methods.bootstrap import mean_interval
from analysis.methods.head_families import FAMILIES, ROLES, family, roles
from analysis.methods.head_images import histograms
from analysis.methods.heads import DESCRIPTORS, descriptors, resized
from analysis.models.encode import encode
from analysis.params import Length
from analysis.stages.capture import capture as capture_stage
from analysis.stages.head_summaries import ATTENDED, SINKS
from analysis.stages.heads import heads, token_groups
from analysis.stages.prepare import prepare

ROOT = Path(__file__).parents[2]
TEXTS, LAYERS, HEADS, SIDE = 5, 2, 4, 16
VARIANTS = ("pretrained", "finetuned")
PLACE = ["example_id", "window", "layer", "head"]


def experiment_of(kind):
    values = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    experiment = values["experiments"][kind]
    experiment["model"] = {"source": "local", "name": "tiny"}
    experiment["capture"] |= {"examples": TEXTS, "dtype": "float32"}
    if kind != "sentences":
        experiment["data"]["sizes"] = {"train": 4, "validation": 4, "test": 12}
    experiment["length"]["max_tokens"] = 40
    if kind == "questions":
        experiment["length"]["stride"] = 8
    values |= {
        "files": {"tiny": "tiny-bert"},
        "device": "cpu",
        "experiments": {kind: experiment},
    }
    values["bootstrap"]["resamples"] = 100
    values["projection"]["examples"] = [0]
    values["geometry"]["texts"] = 2
    values["report"]["focus"] = {"experiment": kind, "example": 0}
    values["heads"] |= {"examples": TEXTS, "batch_size": 2, "images": "hog", "side": SIDE}
    return values


def load(values):
    Path("params.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    return params.load()


def save_models(make_model, tokenizer, kind):
    """Two models that differ; wider than at the start of training, so that no map is uniform."""
    for seed, head, path in (
        (0, None, "tiny-bert"),
        (1, "ForSequenceClassification", f"artifacts/{kind}/model"),
    ):
        model = make_model("bert", head, seed=seed, initializer_range=0.4)
        model.save_pretrained(path)
        tokenizer.save_pretrained(path)


@pytest.fixture(scope="module")
def measured(tmp_path_factory, tokenizer, make_model):
    directory = tmp_path_factory.mktemp("measured")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        save_models(make_model, tokenizer, "reviews")
        loaded = load(experiment_of("reviews"))
        for stage in (prepare, capture_stage, heads):
            stage(loaded, "reviews")
    return directory


@pytest.fixture(scope="module")
def maps(measured):
    directory = measured / "artifacts/reviews/heads"
    return {variant: pd.read_parquet(directory / f"{variant}.parquet") for variant in VARIANTS}


@pytest.fixture(scope="module")
def captures(measured):
    directory = measured / "artifacts/reviews/capture"
    return {variant: Capture(directory / variant) for variant in VARIANTS}


@pytest.fixture(scope="module")
def results(measured):
    return measured / "results/reviews"


@pytest.fixture(scope="module")
def summary(results):
    return strict_json(results / "summaries/heads.json")


@pytest.fixture
def workplace(measured, tmp_path, monkeypatch):
    directory = tmp_path / "workplace"
    shutil.copytree(measured, directory)
    monkeypatch.chdir(directory)
    return directory


def strict_json(path):
    """Read JSON that has no NaN in it, nor Infinity."""

    def refuse(constant):
        raise AssertionError(f"{path.name} holds {constant}")

    return json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)


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


def test_a_row_group_is_a_batch(measured):
    file = pq.ParquetFile(measured / "artifacts/reviews/heads/pretrained.parquet")
    groups = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
    assert groups == [2 * LAYERS * HEADS, 2 * LAYERS * HEADS, LAYERS * HEADS]


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
def test_heads_are_described_by_the_mean_of_their_maps(variant, maps, results):
    table = pd.read_parquet(results / "heads.parquet")
    table = table[table["variant"] == variant]
    assert len(table) == LAYERS * HEADS
    by_head = maps[variant].groupby(["layer", "head"])
    measures = [*DESCRIPTORS, "cls_entropy", "sep_to_sep"]
    means = by_head[measures].mean()
    assert list(zip(table["layer"], table["head"], strict=True)) == means.index.tolist()
    np.testing.assert_allclose(table[measures], means, atol=1e-6)
    assert table["family"].tolist() == family(table[list(DESCRIPTORS)].to_numpy()).tolist()
    found = table[[f"role_{role}" for role in ROLES]].to_numpy()
    np.testing.assert_array_equal(found, roles(table[list(DESCRIPTORS)].to_numpy()))
    for name in FAMILIES:
        share = by_head["family"].agg(lambda found, name=name: (found == name).mean())
        np.testing.assert_allclose(table[f"share_{name}"], share, atol=1e-12)


@pytest.mark.parametrize("variant", VARIANTS)
def test_thumbnails_are_the_mean_of_the_maps_of_a_head(variant, captures, results):
    table = pd.read_parquet(results / "heads.parquet")
    thumbnails = np.stack(table[table["variant"] == variant]["thumbnail"])
    images = [resized(attention, 16) for _, attention, _ in attention_of(captures[variant])]
    expected = np.mean(images, axis=0).reshape(LAYERS * HEADS, -1)
    np.testing.assert_allclose(thumbnails, expected, atol=1e-4)


def test_curves_are_means_over_texts_with_their_interval(maps, results):
    drawn = pd.read_csv(results / "plots/attended.csv")
    assert list(drawn.columns) == ["variant", "measure", "layer", "mean", "low", "high", "texts"]
    assert len(drawn) == len(VARIANTS) * len(ATTENDED) * LAYERS
    for row in drawn.itertuples():
        table = maps[row.variant]
        texts = table[table["layer"] == row.layer].groupby("example_id")[row.measure].mean()
        mean, low, high, count = mean_interval(
            texts.to_numpy(float), resamples=100, confidence=0.95, seed=0
        )
        np.testing.assert_allclose([row.mean, row.low, row.high], [mean, low, high], rtol=1e-4)
        assert row.texts == count == TEXTS


def test_shares_of_families_sum_to_one(maps, results):
    drawn = pd.read_csv(results / "plots/families.csv")
    assert list(drawn.columns) == ["variant", "family", "layer", "mean", "low", "high", "texts"]
    np.testing.assert_allclose(drawn.groupby(["variant", "layer"])["mean"].sum(), 1, atol=1e-5)
    for row in drawn.itertuples():
        table = maps[row.variant]
        share = (table[table["layer"] == row.layer]["family"] == row.family).mean()
        assert row.mean == pytest.approx(share, abs=1e-5)
        assert row.low <= row.mean <= row.high


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_summary_counts_heads_and_maps(variant, summary, maps, results):
    table = pd.read_parquet(results / "heads.parquet")
    table = table[table["variant"] == variant]
    found = summary[variant]
    assert sum(each["heads"]["count"] for each in found["families"].values()) == LAYERS * HEADS
    for name, each in found["families"].items():
        assert each["heads"]["count"] == (table["family"] == name).sum()
        assert each["heads"]["share"] == each["heads"]["count"] / (LAYERS * HEADS)
        assert each["maps"]["share"] == pytest.approx((maps[variant]["family"] == name).mean())
        assert each["maps"]["low"] <= each["maps"]["share"] <= each["maps"]["high"]
    for role, each in found["roles"].items():
        assert each["count"] == table[f"role_{role}"].sum()
    for position, each in found["positions"].items():
        assert each["heads"]["count"] == (table[position] > 0.5).sum()
        strongest = table.loc[table[position].idxmax()]
        expected = {"layer": strongest["layer"], "head": strongest["head"]}
        assert each["strongest"] == expected | {"share": pytest.approx(strongest[position])}
    by_layer = table.groupby("layer")[list(SINKS)].mean()
    assert [each["sink"] for each in found["sinks"]] == by_layer.idxmax(axis=1).tolist()
    shares = [each["share"] for each in found["sinks"]]
    np.testing.assert_allclose(shares, by_layer.max(axis=1), atol=1e-6)


def test_heads_that_change_family_are_told_apart(summary, results):
    table = pd.read_parquet(results / "heads.parquet")
    before, after = (table[table["variant"] == v]["family"].to_numpy() for v in VARIANTS)
    change = summary["change"]
    assert change["heads"]["count"] == (before != after).sum() > 0
    moves = [(m["from"], m["to"]) for m in change["moves"] for _ in range(m["heads"])]
    moved = before != after
    assert sorted(moves) == sorted(zip(before[moved], after[moved], strict=True))


def test_metrics_are_the_headlines_of_the_summary(summary, results):
    metrics = strict_json(results / "metrics/heads.json")
    assert metrics["maps"] == TEXTS * LAYERS * HEADS
    for variant in VARIANTS:
        mixed = summary[variant]["families"]["heterogeneous"]
        assert metrics[variant]["heterogeneous_maps"] == mixed["maps"]["share"]
        assert metrics[variant]["heterogeneous_heads"] == mixed["heads"]["share"]


def test_the_same_again_whatever_the_cores(workplace, monkeypatch):
    files = sorted(
        path
        for top in ("artifacts/reviews/heads", "results/reviews")
        for path in Path(top).rglob("*")
        if path.is_file() and "capture" not in path.name
    )
    before = {path: path.read_bytes() for path in files}
    monkeypatch.setattr(joblib, "cpu_count", lambda: 3)
    heads(params.load(), "reviews")
    assert {path: path.read_bytes() for path in files} == before


def test_texts_are_encoded_some_at_a_time(workplace, monkeypatch, maps, summary):
    monkeypatch.setattr("analysis.stages.heads.ENCODED", 2)
    heads(params.load(), "reviews")
    for variant, before in maps.items():
        table = pd.read_parquet(f"artifacts/reviews/heads/{variant}.parquet")
        pd.testing.assert_frame_equal(table.drop(columns="image"), before.drop(columns="image"))
    again = strict_json(Path("results/reviews/summaries/heads.json"))
    assert again["windows"] == summary["windows"]


def test_without_images_all_else_is_the_same(workplace, maps):
    values = experiment_of("reviews")
    values["heads"] |= {"images": "none", "examples": None}
    heads(load(values), "reviews")
    table = pd.read_parquet("artifacts/reviews/heads/pretrained.parquet")
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
    values = experiment_of("reviews")
    values["files"]["eyes"] = "images"
    values["heads"]["images"] = {"source": "local", "name": "eyes"}
    heads(load(values), "reviews")
    model = ImageClassifier(
        inspect(Path("images"), name="images"),
        SIDE,
        device=torch.device("cpu"),
        precision="float32",
    )
    table = pd.read_parquet("artifacts/reviews/heads/finetuned.parquet")
    for example, attention, _ in attention_of(captures["finetuned"]):
        rows = table[table["example_id"] == example]
        seen = model.features(resized(attention, SIDE).reshape(-1, SIDE, SIDE))
        np.testing.assert_allclose(np.stack(rows["image"]), seen, atol=1e-4)
    said = strict_json(Path("results/reviews/summaries/heads.json"))["images"]
    assert said["features"] == 12
    assert "model.safetensors" in said["model"]["sha256"]


def test_a_text_counts_once_whatever_its_windows(tmp_path, monkeypatch, make_model, tokenizer):
    monkeypatch.chdir(tmp_path)
    save_models(make_model, tokenizer, "questions")
    loaded = load(experiment_of("questions"))
    prepare(loaded, "questions")
    heads(loaded, "questions")
    table = pd.read_parquet("artifacts/questions/heads/pretrained.parquet")
    windows = table.groupby("example_id")["window"].nunique()
    assert windows.max() > 1  # long contexts are read several times
    assert (table.groupby("example_id")["window"].max() + 1 == windows).all()
    summary = strict_json(Path("results/questions/summaries/heads.json"))
    assert summary["windows"] == windows.sum()
    assert summary["texts"] == TEXTS
    assert summary["maps"] == len(table)
    by_text = table.groupby(["layer", "head", "example_id"])["block"].mean()
    means = by_text.groupby(["layer", "head"]).mean()
    heads_table = pd.read_parquet("results/questions/heads.parquet")
    found = heads_table[heads_table["variant"] == "pretrained"]["block"]
    np.testing.assert_allclose(found, means, atol=1e-6)


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
    values = experiment_of("sentences")
    experiment = values["experiments"]["sentences"]
    experiment["data"] = {"source": "texts", "texts": texts}
    values["geometry"]["texts"] = 1
    loaded = load(values)
    prepare(loaded, "sentences")
    heads(loaded, "sentences")


def test_texts_that_are_too_short_are_left_out_and_counted(
    tmp_path, monkeypatch, make_model, bare_tokenizer
):
    monkeypatch.chdir(tmp_path)
    texts = ["a plot", "the film was dull", "bad", "the music , and the actor !"]
    run_texts(texts, make_model, bare_tokenizer)
    table = pd.read_parquet("artifacts/sentences/heads/pretrained.parquet")
    assert sorted(set(table["example_id"])) == [1, 3]
    metrics = strict_json(Path("results/sentences/metrics/heads.json"))
    assert (metrics["texts"], metrics["too_short"]) == (2, 2)
    # Nothing was fine-tuned, and there is no [SEP] to attend to.
    assert not Path("artifacts/sentences/heads/finetuned.parquet").exists()
    summary = strict_json(Path("results/sentences/summaries/heads.json"))
    assert summary["change"] is None
    assert summary["pretrained"]["attended"]["sep_to_sep"]["mean"] is None
    assert summary["pretrained"]["attended"]["punctuation"]["mean"] > 0
    assert table["sep_to_sep"].isna().all()


def test_nothing_but_short_texts_is_refused(tmp_path, monkeypatch, make_model, bare_tokenizer):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="fewer than 3 tokens"):
        run_texts(["bad", "a plot"], make_model, bare_tokenizer)
    assert not Path("artifacts/sentences/heads").exists()


def test_a_side_that_makes_no_cells_is_refused(workplace):
    values = experiment_of("reviews")
    values["heads"]["side"] = 30
    before = Path("artifacts/reviews/heads/pretrained.parquet").read_bytes()
    with pytest.raises(InputError, match=r"heads\.side is 30.*multiple of 4"):
        heads(load(values), "reviews")
    assert Path("artifacts/reviews/heads/pretrained.parquet").read_bytes() == before


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
