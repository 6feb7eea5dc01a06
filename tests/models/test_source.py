"""Where models come from: hashes, missing and broken files, no network, no foreign code."""

import json
import shutil
from fnmatch import fnmatch

import pytest
import tiny_experiment as tiny
import torch
from huggingface_hub import constants
from json_files import rewrite
from made_inputs import changed
from refusals import refusal
from safetensors.torch import load_file, save_file

from attention_mixing import hub
from attention_mixing.capture import capture_text
from attention_mixing.errors import InputError
from attention_mixing.hashing import file_sha256
from attention_mixing.models import source
from attention_mixing.models.load import load_answering, load_classifier, load_encoder
from attention_mixing.models.tokenizer import load_tokenizer
from attention_mixing.settings.sources import EmbeddedModel, HubModel, LocalModel

EMBEDDED = EmbeddedModel(source="embedded")


def local(path):
    return source.locate(LocalModel(source="local", name=str(path)))


def capture_directory(path):
    return capture_text("a dull plot", model=path)


def test_the_embedded_model_is_the_one_that_is_named():
    files = source.locate(EMBEDDED)
    assert source.EMBEDDED_SHA256.items() <= files.sha256.items()
    assert files.revision == source.EMBEDDED_REVISION
    assert file_sha256(files.path / "model.safetensors") == files.sha256["model.safetensors"]


@pytest.fixture
def embedded_copy(tmp_path, monkeypatch):
    """Directory that is taken for the embedded model's."""
    copy = shutil.copytree(source.locate(EMBEDDED).path, tmp_path / "model")
    monkeypatch.setattr(source, "_embedded_directory", lambda: copy)
    return copy


@pytest.mark.parametrize("change", [None, -3])
def test_a_changed_or_missing_file_of_the_embedded_model_is_noticed(embedded_copy, change):
    path = embedded_copy / "tokenizer.json"
    content = bytearray(path.read_bytes())
    path.unlink()
    if change is not None:
        content[change] ^= 1
        path.write_bytes(content)
    with pytest.raises(InputError, match=r"tokenizer\.json has sha256 .*not the expected.*pip"):
        source.locate(EMBEDDED)


def test_a_local_directory_is_taken_and_hashed(model_directory):
    files = local(model_directory)
    assert files.name == "tiny-bert"
    decisive = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")
    assert files.sha256 == {name: file_sha256(model_directory / name) for name in decisive}


def test_a_model_that_was_described_is_found_again_unless_it_changed(model_directory):
    model = LocalModel(source="local", name=str(model_directory))
    described = json.loads(json.dumps(source.describe(source.locate(model), model)))
    assert source.find_again(described) == model_directory
    config = model_directory / "config.json"
    config.write_text(config.read_text(encoding="utf-8") + " ", encoding="utf-8")
    with pytest.raises(InputError, match="not the one that was captured"):
        source.find_again(described)


def test_what_is_no_model_directory_is_refused(tmp_path, model_directory):
    with pytest.raises(InputError, match=r"nowhere is no directory.*files"):
        local(tmp_path / "nowhere")
    (model_directory / "config.json").unlink()
    with pytest.raises(InputError, match=r"tiny-bert has no config\.json"):
        local(model_directory)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"position_embedding_type": "relative_key"}, "position_embedding_type 'relative_key', wh"),
        ({"add_cross_attention": True}, "has add_cross_attention True: it is the decoder"),
    ],
)
def test_what_a_model_computes_otherwise_is_refused(model_directory, changes, said):
    rewrite(model_directory, **changes)
    with pytest.raises(InputError, match=said):
        local(model_directory)


def test_code_of_its_own_is_told(model_directory):
    """As models have that call themselves BERT and compute positions otherwise."""
    rewrite(model_directory, auto_map={"AutoModel": "modeling_own.OwnModel"})
    for find in (local, lambda path: source.inspect(path, name="tuned")):
        with pytest.raises(InputError, match=r"names code of its own \(AutoModel in the auto_map"):
            find(model_directory)


@pytest.mark.parametrize("key", ["position_embedding_type", "pad_token_id"])
def test_what_a_configuration_leaves_open_is_not_refused(model_directory, key):
    rewrite(model_directory, **{key: None})
    local(model_directory)
    load_encoder(model_directory)


def test_only_files_that_are_loaded_count(model_directory):
    before = local(model_directory).sha256
    shutil.copy(model_directory / "model.safetensors", model_directory / "older.safetensors")
    assert local(model_directory).sha256 == before


def test_split_weights_count_with_their_index(tmp_path, make_model):
    make_model("bert").save_pretrained(tmp_path, max_shard_size="20KB")
    hashed = local(tmp_path).sha256
    assert "model.safetensors.index.json" in hashed
    assert sum(name.endswith(".safetensors") for name in hashed) > 1
    (tmp_path / "model.safetensors.index.json").unlink()
    said = r"holds model-00001-of-.*, but weights are loaded from model\.safetensors, or from"
    with pytest.raises(InputError, match=said):
        local(tmp_path)


@pytest.mark.parametrize("alone", [True, False])
def test_an_adapter_is_told(model_directory, alone):
    (model_directory / "adapter_config.json").write_text("{}", encoding="utf-8")
    if alone:
        (model_directory / "config.json").unlink()
    said = f"adapter .* {'and no model' if alone else 'beside the model'}; .*merge_and_unload"
    with pytest.raises(InputError, match=said):
        local(model_directory)


@pytest.mark.parametrize(
    "name", ["/no/such/dir", "./missing", "../missing", "~/missing", "a/b/c", ""]
)
def test_a_path_is_no_hub_id(name):
    with pytest.raises(InputError, match=f"the model {name!r} is no directory here; allowed:"):
        source.directory_of(name)


def test_pickled_weights_are_never_loaded(model_directory):
    (model_directory / "model.safetensors").unlink()
    torch.save({}, model_directory / "pytorch_model.bin")
    with pytest.raises(InputError, match="pickled weights are never loaded"):
        local(model_directory)


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("model.safetensors", b""),
        ("model.safetensors", b"\x10" + bytes(40)),
        ("config.json", b"{"),
        ("config.json", b"[]"),
        ("config.json", b'{"model_type": "no-such-model"}'),
    ],
)
def test_a_broken_model_is_one_sentence(model_directory, file, content):
    (model_directory / file).write_bytes(content)
    with pytest.raises(InputError, match=r"no model could be loaded from .*tiny-bert"):
        load_encoder(model_directory)


@pytest.mark.parametrize(
    "changes",
    [
        {"num_attention_heads": 0},  # ZeroDivisionError
        {"num_attention_heads": "4"},  # a class of its own
        {"pad_token_id": 10**6},  # AssertionError
        {"quantization_config": {"quant_method": "gptq", "bits": 4}},  # ImportError
        {"id2label": 5},  # AttributeError
        {"vocab_size": 0},  # IndexError
    ],
)
def test_a_configuration_that_breaks_the_library_is_one_sentence(model_directory, changes):
    rewrite(model_directory, **changes)
    said = refusal(load_encoder, model_directory)
    assert f"no model could be loaded from {model_directory} (" in said


def test_a_configuration_that_cannot_be_read_is_one_sentence_for_a_text_too(model_directory):
    rewrite(model_directory, id2label=5)
    with pytest.raises(InputError, match=r"must hold a config\.json of a known architecture"):
        capture_directory(model_directory)


@pytest.mark.parametrize("damage", [float("nan"), float("inf")])
@pytest.mark.parametrize("load", [load_encoder, load_classifier, load_answering, capture_directory])
def test_weights_that_are_no_finite_numbers_are_refused(
    tmp_path, make_model, tokenizer, load, damage
):
    head = {load_classifier: "ForSequenceClassification", load_answering: "ForQuestionAnswering"}
    model = make_model("bert", head.get(load))
    key = "encoder.layer.1.output.dense.weight"
    with torch.no_grad():
        model.base_model.get_parameter(key)[0, 0] = damage
    tiny.save(model, tokenizer, tmp_path)
    assert f"{key} that are not finite; copy the model again" in refusal(load, tmp_path)


def test_a_broken_or_missing_tokenizer_is_one_sentence(model_directory):
    (model_directory / "tokenizer.json").write_text('{"version"', encoding="utf-8")
    with pytest.raises(InputError, match="no tokenizer could be loaded"):
        load_tokenizer(model_directory)
    for file in ("tokenizer.json", "tokenizer_config.json", "vocab.txt"):
        (model_directory / file).unlink(missing_ok=True)
    with pytest.raises(InputError, match="holds no tokenizer"):
        load_tokenizer(model_directory)
    (model_directory / "sentencepiece.bpe.model").write_bytes(b"no model")
    rewrite(model_directory, model_type="camembert")
    said = r"no tokenizer could be loaded .*SentencePiece model says, save_pretrained writes into"
    with pytest.raises(InputError, match=said):
        load_tokenizer(model_directory)


def test_weights_that_lack_a_layer_are_refused(model_directory):
    """A model that is part chance must not pass for the one that was named."""
    path = model_directory / "model.safetensors"
    weights = load_file(path)
    kept = {name: tensor for name, tensor in weights.items() if "layer.1.output" not in name}
    save_file(kept, path, metadata={"format": "pt"})
    with pytest.raises(InputError, match=r"layer\.1\.output"):
        load_classifier(model_directory, ("no", "yes"))


def test_weights_of_another_size_are_refused(model_directory):
    rewrite(model_directory, intermediate_size=128)
    said = r"tiny-bert lack encoder\.layer\.0\..* or have it in another size \(6 in all\)"
    with pytest.raises(InputError, match=said):
        load_encoder(model_directory)


def test_a_new_head_has_the_classes_of_the_corpus(model_directory):
    model = load_classifier(model_directory, ("poor", "fair", "fine"), 0.3)
    assert model.config.id2label == {0: "poor", 1: "fair", 2: "fine"}
    assert model.config.num_labels == 3
    assert model.classifier.out_features == 3
    assert model.dropout.p == 0.3
    assert not model.training


@pytest.mark.parametrize("kind", ["bert", "roberta", "distilbert"])
def test_dropout_before_the_head_is_what_was_asked_for(tmp_path, make_model, kind):
    make_model(kind).save_pretrained(tmp_path)
    model = load_classifier(tmp_path, ("no", "yes"), 0.35)
    head = model.classifier.dropout if kind == "roberta" else model.dropout
    assert head.p == 0.35


def test_a_directory_with_a_head_for_other_classes_gets_a_new_one(tmp_path, make_model):
    make_model("bert", "ForSequenceClassification", num_labels=5).save_pretrained(tmp_path)
    assert load_classifier(tmp_path, ("no", "yes"), 0.1).classifier.out_features == 2


def test_the_head_that_was_saved_comes_back(tmp_path, make_model):
    saved = make_model("bert", "ForSequenceClassification", num_labels=3)
    saved.save_pretrained(tmp_path)
    loaded = load_classifier(tmp_path)
    for name, tensor in saved.state_dict().items():
        assert torch.equal(loaded.state_dict()[name], tensor)


def test_half_precision_weights_are_computed_with_in_float32(tmp_path, make_model):
    make_model("bert").half().save_pretrained(tmp_path)
    assert {p.dtype for p in load_encoder(tmp_path).parameters()} == {torch.float32}


@pytest.mark.parametrize("kind", ["bert", "distilbert"])
def test_positions_of_the_model_bound_its_tokens(tmp_path, tokenizer, make_model, kind):
    make_model(kind).save_pretrained(tmp_path)
    changed(tokenizer, model_max_length=10**30).save_pretrained(tmp_path)
    assert load_tokenizer(tmp_path).model_max_length == 40


def test_code_in_a_model_directory_is_never_run(tmp_path, model_directory):
    """A directory that names its own classes is loaded without them, or not at all."""
    for kind in ("modeling", "configuration", "tokenization"):
        (model_directory / f"{kind}_own.py").write_text(
            f"import pathlib\npathlib.Path({str(tmp_path / 'ran')!r}).touch()\n"
            "class Own: pass\nOwnModel = OwnConfig = OwnTokenizer = Own\n",
            encoding="utf-8",
        )
    own = {
        "AutoConfig": "configuration_own.OwnConfig",
        "AutoModel": "modeling_own.OwnModel",
        "AutoModelForSequenceClassification": "modeling_own.OwnModel",
        "AutoTokenizer": ["tokenization_own.OwnTokenizer", "tokenization_own.OwnTokenizer"],
    }
    for name, changes in (
        ("config.json", {"auto_map": own, "model_type": "own"}),
        ("tokenizer_config.json", {"auto_map": own, "tokenizer_class": "OwnTokenizer"}),
        ("config.json", {"auto_map": own, "model_type": "bert"}),
    ):
        rewrite(model_directory, name, **changes)
        for load in (load_tokenizer, load_encoder, load_classifier):
            try:
                load(local(model_directory).path)
            except InputError:
                pass
        assert not (tmp_path / "ran").exists()


@pytest.fixture
def offline(tmp_path, monkeypatch):
    """Cache of the hub, which cannot be reached."""
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    hub.unreachable.cache_clear()
    yield tmp_path / "hub"
    hub.unreachable.cache_clear()


def hub_model(name, revision="1" * 40):
    return HubModel(source="hub", name=name, revision=revision)


def test_a_hub_model_without_network_says_how_to_get_it(offline):
    said = "hub model bert-base-uncased at revision 111.*; unset HF_HUB_OFFLINE, .*source: local"
    with pytest.raises(InputError, match=said):
        source.locate(hub_model("bert-base-uncased"))


def test_a_hub_model_in_the_cache_needs_no_network(offline, pretrained):
    snapshot = offline / "models--someone--tiny" / "snapshots" / ("1" * 40)
    shutil.copytree(pretrained, snapshot)
    assert source.locate(hub_model("someone/tiny")).path == snapshot


def test_patterns_of_the_hub_leave_out_code_and_pickles():
    for unwanted in ("pytorch_model.bin", "modeling_own.py", "weights.pkl", "model.pt", "tf.h5"):
        assert not any(fnmatch(unwanted, pattern) for pattern in source.HUB_PATTERNS)
    weights = ("model.safetensors", "model-00001-of-2.safetensors", source.WEIGHTS_INDEX)
    for wanted in (*source.TOKENIZER_FILES, "config.json", *weights):
        assert any(fnmatch(wanted, pattern) for pattern in source.HUB_PATTERNS)


def test_a_hub_name_that_cannot_be_one_is_one_sentence(offline):
    with pytest.raises(InputError, match="a/b/c d"):
        source.locate(hub_model("a/b/c d"))
