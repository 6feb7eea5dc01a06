"""What is loaded is what was saved, whatever lies beside it; what is given loaded is left alone."""

import copy

import numpy as np
import pytest
import torch
from refusals import one_sentence
from safetensors.torch import load_file, save_file
from torch import nn
from torch.nn.utils import prune
from transformers import DebertaV2Config

from attention_mixing.errors import InputError
from attention_mixing.models import load as load_module
from attention_mixing.models.layers import into_heads
from attention_mixing.models.load import (
    accept,
    load_answering,
    load_classifier,
    load_encoder,
    load_language_model,
    load_masked_words,
    require_kind,
)

CPU = torch.device("cpu")
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


def refusal(work, *given) -> str:
    with pytest.raises(InputError) as caught:
        work(*given)
    return one_sentence(caught.value)


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


def test_the_head_of_a_tagger_is_no_start_for_a_classifier(tmp_path, make_model):
    """It has the same name and, with as many labels, the same shape."""
    for kind in ("bert", "distilbert"):
        tagger = make_model(kind, "ForTokenClassification", num_labels=2)
        tagger.save_pretrained(tmp_path / kind)
        torch.manual_seed(1)
        model = load_classifier(tmp_path / kind, ("no", "yes"))
        assert (model.classifier.weight != tagger.classifier.weight).all()
        assert 0 < model.classifier.weight.std() < 0.1


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


# --- models that are loaded -----------------------------------------------------------------------


def same_numbers(model, tokenizer, expected):
    network, _ = accept(model, tokenizer, CPU)
    ids = torch.tensor([[2, 5, 7, 3]])
    with torch.inference_mode():
        torch.testing.assert_close(network(ids)[0], expected.eval()(ids)[0], rtol=1e-5, atol=1e-6)
    return network


def test_a_model_is_taken_as_it_is(make_model, tokenizer):
    model = make_model("bert")
    assert same_numbers(model, tokenizer, model) is model


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_another_precision_is_read_in_float32_and_left(make_model, tokenizer, dtype):
    model = make_model("bert").to(dtype)
    network = same_numbers(model, tokenizer, copy.deepcopy(model).float())
    assert {parameter.dtype for parameter in network.parameters()} == {torch.float32}
    assert {parameter.dtype for parameter in model.parameters()} == {dtype}


def test_chunks_and_training_are_left_as_they_are(make_model, tokenizer):
    model = make_model("bert", chunk_size_feed_forward=1).train()
    network = same_numbers(model, tokenizer, make_model("bert"))
    assert not network.training
    assert model.training
    assert model.encoder.layer[0].chunk_size_feed_forward == 1


def test_a_part_in_training_mode_is_left_so(make_model, tokenizer):
    model = make_model("bert")
    model.encoder.train()
    same_numbers(model, tokenizer, make_model("bert"))
    assert model.encoder.training


def test_tuples_are_read_by_name(make_model, tokenizer):
    model = make_model("bert")
    model.config.return_dict = False
    same_numbers(model, tokenizer, make_model("bert"))
    assert not model.config.return_dict


class Adapted(nn.Linear):
    """A linear layer as adapters put it in the place of a plain one."""


def adapted(model):
    query = model.encoder.layer[1].attention.self.query
    other = Adapted(query.in_features, query.out_features)
    other.load_state_dict(query.state_dict())
    model.encoder.layer[1].attention.self.query = other
    return model


class Wrapped(nn.Module):
    """A model as the adapters' library wraps it."""

    def merge_and_unload(self):
        raise NotImplementedError


def compiled_in_place(model):
    model.compile()
    return model


def pruned(model):
    prune.l1_unstructured(model.encoder.layer[0].attention.self.query, "weight", 0.5)
    return model


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda _: Wrapped(), "merge its adapter first, with merge_and_unload()"),
        (torch.compile, "give it as it was before torch.compile"),
        (nn.DataParallel, "DataParallel, which cannot be read from inside; allowed: a PreTrained"),
        (lambda model: model.to("meta"), "weights that are not in memory"),
        (compiled_in_place, "BertModel is compiled; give it as it was before compile()"),
    ],
)
def test_what_is_no_plain_model_is_refused(make_model, tokenizer, change, said):
    assert said in refusal(accept, change(make_model("bert")), tokenizer, CPU)


@pytest.mark.parametrize("change", [pruned, adapted])
def test_a_linear_layer_is_read_whatever_it_is_built_of(make_model, tokenizer, change):
    model, _ = accept(change(make_model("bert")), tokenizer, CPU)
    for layer, (query, _, _) in zip(model.encoder.layer, into_heads(model, "tiny"), strict=True):
        rows = torch.randn(3, 32)
        with torch.inference_mode():
            expected = layer.attention.self.query(rows).numpy()
        np.testing.assert_allclose(rows.numpy() @ query.weight + query.bias, expected, atol=1e-5)


def test_a_tokenizer_that_does_not_fit_is_refused(make_model, tokenizer):
    model = make_model("bert")
    assert "the tokenizer is a str; allowed" in refusal(accept, model, "bert-base-uncased", CPU)
    larger = copy.deepcopy(tokenizer)
    larger.add_tokens(["capybaras"])
    assert "knows 33 tokens but the model 32" in refusal(accept, model, larger, CPU)


def test_a_decoder_without_its_encoder_is_refused(make_model, tokenizer):
    crossing = make_model("bert", is_decoder=True, add_cross_attention=True)
    assert "has add_cross_attention True" in refusal(accept, crossing, tokenizer, CPU)


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
    with pytest.raises(InputError, match=r"an encoder-decoder \(t5\)") as refused:
        load(tmp_path)
    one_sentence(refused.value)
