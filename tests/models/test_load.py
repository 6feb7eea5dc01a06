"""What is loaded is what was saved, whatever lies beside it."""

import pytest
import torch
from refusals import refusal
from safetensors.torch import load_file, save_file
from torch import nn
from transformers import DebertaV2Config

from attention_mixing.errors import InputError
from attention_mixing.models import load as load_module
from attention_mixing.models.load import (
    load_answering,
    load_classifier,
    load_encoder,
    load_language_model,
    load_masked_words,
    require_kind,
)

HEADS = [
    "",
    *("ForMaskedLM", "ForPreTraining", "ForNextSentencePrediction", "ForSequenceClassification"),
    *("ForTokenClassification", "ForQuestionAnswering", "ForMultipleChoice"),
]


def add_tensors(directory, **tensors):
    """Add tensors to the weights of a model; dots of names are written as double underscores."""
    path = directory / "model.safetensors"
    named = {name.replace("__", "."): tensor for name, tensor in tensors.items()}
    save_file(load_file(path) | named, path, metadata={"format": "pt"})


# --- weights --------------------------------------------------------------------------------------


def test_weights_that_do_not_fit_into_memory_are_refused_before_they_are_read(
    tmp_path, make_model, monkeypatch
):
    """Half precision takes twice its size."""
    make_model("bert").half().save_pretrained(tmp_path)
    file = tmp_path / "model.safetensors"
    needed = 4 * sum(tensor.numel() for tensor in load_file(file).values())
    assert needed > 1.8 * file.stat().st_size - 20_000
    monkeypatch.setattr(load_module, "available_memory", lambda: needed)
    load_encoder(tmp_path)
    monkeypatch.setattr(load_module, "available_memory", lambda: needed - 1)
    said = refusal(load_encoder, tmp_path)
    assert "GiB in float32" in said and "GiB of memory are free" in said


@pytest.mark.parametrize(
    ("kind", "head"),
    [
        (kind, head)
        for kind in ("bert", "roberta", "distilbert")
        for head in HEADS
        if kind == "bert" or head != "ForNextSentencePrediction"  # others have none
    ],
)
def test_a_head_that_is_replaced_may_be_there(tmp_path, make_model, kind, head):
    make_model(kind, head).save_pretrained(tmp_path)
    for load in (load_encoder, load_masked_words):
        load(tmp_path)
    load_classifier(tmp_path, ("no", "yes"))
    load_answering(tmp_path, new_head=True)


@pytest.mark.parametrize(
    ("key", "shape"),
    [
        ("encoder__layer__0__attention__self__distance_embedding__weight", (79, 8)),
        ("encoder__layer__0__gate__weight", (4,)),
        ("gate__weight", (4,)),
        ("encoder__layer__2__output__dense__bias", (32,)),
        ("encoder__layer__0__attention__self__query__lora_A__weight", (2, 32)),
        ("base_model__model__encoder__layer__0__output__lora_B__weight", (2, 32)),
    ],
)
def test_weights_without_a_place_in_the_model_are_refused(model_directory, key, shape):
    add_tensors(model_directory, **{key: torch.zeros(shape)})
    said = refusal(load_encoder, model_directory)
    assert f"hold {key.replace('__', '.')} (1 in all), which BertModel of trans" in said
    assert "merge adapters and save it again, or choose another model" in said


@pytest.mark.parametrize(
    "key", ["crf.transitions", "linear.weight", "cls_projection_head.0.weight"]
)
def test_other_heads_beside_an_encoder_with_its_prefix_may_be_there(tmp_path, make_model, key):
    """Nothing beside ``bert.`` can change what the encoder computes."""
    make_model("bert", "ForMaskedLM").save_pretrained(tmp_path)
    add_tensors(tmp_path, **{key.replace(".", "__"): torch.zeros(2)})
    load_encoder(tmp_path)
    load_classifier(tmp_path, ("no", "yes"))
    add_tensors(tmp_path, base_model__model__bert__encoder__lora_A__weight=torch.zeros(2))
    assert "lora_A" in refusal(load_encoder, tmp_path)


def test_answers_are_learnt_by_an_encoder_of_however_many_classes(tmp_path, make_model):
    for kind in ("bert", "roberta", "distilbert"):
        model = make_model(kind, "ForSequenceClassification", num_labels=5)
        model.save_pretrained(tmp_path / kind)
        assert load_answering(tmp_path / kind, new_head=True).qa_outputs.out_features == 2


def test_what_is_returned_has_names_whatever_the_configuration_says(tmp_path, make_model):
    make_model("bert", return_dict=False).save_pretrained(tmp_path)
    assert load_encoder(tmp_path).config.return_dict


def test_a_tensor_beside_the_head_that_is_kept_is_refused(tmp_path, make_model):
    make_model("bert", "ForSequenceClassification").save_pretrained(tmp_path)
    load_classifier(tmp_path)
    add_tensors(tmp_path, classifier__gate__weight=torch.zeros(2))
    assert "classifier.gate.weight" in refusal(load_classifier, tmp_path)
    load_encoder(tmp_path)
    load_classifier(tmp_path, ("no", "yes"))


def test_numbers_of_positions_that_older_files_have_are_no_weights(model_directory):
    add_tensors(
        model_directory,
        embeddings__position_ids=torch.arange(40)[None],
        embeddings__token_type_ids=torch.zeros(1, 40, dtype=torch.long),
    )
    load_encoder(model_directory)


@pytest.mark.parametrize("load", [load_encoder, load_language_model])
@pytest.mark.parametrize("head", ["", "ForCausalLM"])
def test_the_masks_of_older_files_are_no_weights(tmp_path, make_model, head, load):
    """Of GPT-2, whose files have them with and without the name of the model before."""
    make_model("gpt2", head).save_pretrained(tmp_path)
    prefix = "transformer__" if head else ""
    names = [f"{prefix}h__{layer}__attn__masked_bias" for layer in range(2)]
    add_tensors(tmp_path, **{name: torch.tensor(-1e4) for name in names})
    load(tmp_path)
    add_tensors(tmp_path, **{names[1]: torch.tensor(1.0)})
    assert "h.1.attn.masked_bias (1 in all)" in refusal(load, tmp_path)


def test_numbers_of_positions_that_are_others_are_refused(tmp_path, make_model):
    """Older versions computed with what the file says."""
    make_model("gpt2").save_pretrained(tmp_path)
    add_tensors(tmp_path, h__0__attn__position_ids=torch.arange(40))
    load_encoder(tmp_path)
    add_tensors(tmp_path, h__0__attn__position_ids=torch.arange(40) + 1)
    assert "position_ids (1 in all)" in refusal(load_encoder, tmp_path)


def test_the_head_of_a_tagger_is_no_start_for_a_classifier(tmp_path, make_model):
    """It has the same name and, with as many labels, the same shape."""
    for kind, head in {"bert": "classifier", "distilbert": "classifier", "llama": "score"}.items():
        tagger = make_model(kind, "ForTokenClassification", num_labels=2, pad_token_id=0)
        tagger.save_pretrained(tmp_path / kind)
        torch.manual_seed(1)
        model = load_classifier(tmp_path / kind, ("no", "yes"))
        drawn, before = (one.get_submodule(head).weight for one in (model, tagger))
        assert (drawn != before).all()
        assert 0 < drawn.std() < 0.1


def test_a_language_model_is_a_start_for_a_classifier(tmp_path, make_model):
    language_model = make_model("llama", "ForCausalLM", pad_token_id=0)
    language_model.save_pretrained(tmp_path)
    model = load_classifier(tmp_path, ("poor", "fair", "fine"))
    assert model.score.out_features == 3
    for name, tensor in language_model.base_model.state_dict().items():
        assert model.base_model.state_dict()[name].equal(tensor)


@pytest.mark.parametrize(
    ("load", "kind", "automatic"),
    [
        (load_language_model, "distilbert", "AutoModelForCausalLM"),
        (load_masked_words, "gpt2", "AutoModelForMaskedLM"),
    ],
)
def test_a_model_that_transformers_has_not_with_such_a_head_is_named_as_that(
    tmp_path, make_model, load, kind, automatic
):
    make_model(kind).save_pretrained(tmp_path)
    said = refusal(load, tmp_path)
    assert (
        f"holds a model of type {kind}, of which transformers has no class for {automatic}" in said
    )
    assert "choose another model" in said


@pytest.mark.parametrize(
    "problem", ["regression", "multi_label_classification", "single_label_classification"]
)
def test_a_new_head_is_for_one_label_of_several_whatever_was_before(tmp_path, make_model, problem):
    labels = 1 if problem == "regression" else 2
    model = make_model("bert", "ForSequenceClassification", num_labels=labels, problem_type=problem)
    model.save_pretrained(tmp_path)
    model = load_classifier(tmp_path, ("no", "yes"))
    assert model.config.problem_type == "single_label_classification"
    ids = torch.tensor([[2, 5, 3]])
    loss = model(ids, labels=torch.tensor([1])).loss
    expected = nn.functional.cross_entropy(model(ids).logits, torch.tensor([1]))
    assert loss.item() == pytest.approx(expected.item())


def test_a_feed_forward_network_in_chunks_is_read_whole(tmp_path, make_model):
    make_model("bert", chunk_size_feed_forward=1).save_pretrained(tmp_path)
    model = load_encoder(tmp_path)
    assert {layer.chunk_size_feed_forward for layer in model.encoder.layer} == {0}


@pytest.mark.parametrize("layers", [1, 30])
def test_a_model_is_judged_by_its_configuration(make_model, tmp_path, layers):
    """As a hub model whose weights are still to be fetched."""
    config = make_model("bert").config
    config.num_hidden_layers = layers
    config.save_pretrained(tmp_path / "bert")
    require_kind(tmp_path / "bert", "tiny")
    make_model("gpt2").config.save_pretrained(tmp_path / "gpt2")
    require_kind(tmp_path / "gpt2", "tiny")
    sizes = {"hidden_size": 32, "num_attention_heads": 4, "intermediate_size": 64}
    DebertaV2Config(num_hidden_layers=layers, **sizes).save_pretrained(tmp_path / "deberta")
    with pytest.raises(InputError, match="not computed through the attention interface"):
        require_kind(tmp_path / "deberta", "tiny")


@pytest.mark.parametrize(
    "load", [load_masked_words, load_language_model, load_classifier, load_answering]
)
def test_an_encoder_decoder_is_loaded_with_no_head_of_one_text(tmp_path, make_model, load):
    make_model("t5").save_pretrained(tmp_path)
    assert "an encoder-decoder (t5)" in refusal(load, tmp_path)
