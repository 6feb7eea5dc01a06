"""One text in memory, read out of a model of every family."""

import hashlib
import pickle

import numpy as np
import pytest
import torch
from families import build
from refusals import one_sentence, refusal
from tiny_experiment import save
from transformers import (
    AutoModel,
    AutoModelForCausalLM,
    AutoTokenizer,
    BertForSequenceClassification,
)

from attention_mixing.capture import capture_text
from attention_mixing.capture.gradients import gradients, integrated_gradients
from attention_mixing.capture.record import record
from attention_mixing.capture.reduce import reduce_maps
from attention_mixing.errors import InputError
from attention_mixing.measures import measure
from attention_mixing.models.attention import using
from attention_mixing.models.dummy_inputs import most_tokens
from attention_mixing.models.encode import encode_one
from attention_mixing.models.head_ablation import ablate_heads, measure_classes
from attention_mixing.models.predict import predict
from attention_mixing.models.token_ablation import ablate
from attention_mixing.models.user_models import accept

TEXT = "the brown capybara is sleeping now"


@pytest.mark.parametrize("kind", ["bert", "distilbert", "roberta", "xlm-roberta", "camembert"])
def test_attention_and_weights_are_those_of_the_model(make_model, tokenizer, kind):
    """The captured context, through the output projection as it was read, is the output."""
    model = make_model(kind)
    text = capture_text(TEXT, model=(model, tokenizer))
    ids = torch.tensor([tokenizer(TEXT)["input_ids"]])
    with torch.inference_mode(), using(model, "eager"):
        own = torch.cat(model(ids, output_attentions=True).attentions)
    np.testing.assert_allclose(text["attention"], own, atol=1e-5)
    for layer, weights in enumerate(text.weights):
        projected = text["context"][layer] @ weights.projection.weight + weights.projection.bias
        np.testing.assert_allclose(projected, text["attention_output"][layer], atol=1e-5)


@pytest.fixture(scope="module")
def classifier(make_model, tokenizer):
    return make_model("bert", "ForSequenceClassification"), tokenizer


def spelled(text) -> list[str]:
    rows = text.tokens[~text.special]
    return [text.example["text"][row.start : row.end] for row in rows.itertuples()]


def test_a_directory_holds_the_same_model(classifier, tmp_path):
    for one in classifier:
        one.save_pretrained(tmp_path)
    loaded, named = (capture_text(TEXT, model=model) for model in (classifier, tmp_path))
    np.testing.assert_array_equal(loaded["attention"], named["attention"])
    assert loaded.example.equals(named.example)
    assert "".join(spelled(named)) == TEXT.replace(" ", "")


def test_a_pair_is_one_text(classifier):
    text = capture_text("a dull plot", pair="bad!", model=classifier)
    assert spelled(text) == ["a", "dull", "plot", "bad", "!"]
    assert text.tokens["token"].tolist() == "[CLS] a dull plot [SEP] bad ! [SEP]".split()
    assert text["attention"].shape[-1] == 8


def test_a_classifier_predicts(classifier):
    model, tokenizer = classifier
    text = capture_text(TEXT, model=classifier)
    with torch.inference_mode():
        (logits,) = model(**tokenizer(TEXT, return_tensors="pt")).logits
    assert text.example["prediction"] == int(logits.argmax())
    assert text.example["probability"] == pytest.approx(float(logits.softmax(-1).max()), abs=1e-6)


@pytest.mark.parametrize(
    "head", ["ForMaskedLM", "ForTokenClassification", "ForMultipleChoice", "ForQuestionAnswering"]
)
@pytest.mark.parametrize("loaded", [True, False])
def test_a_head_that_does_not_classify_is_left_out_and_named(
    make_model, tokenizer, tmp_path, head, loaded
):
    model = make_model("bert", head)
    for part in (model, tokenizer):
        part.save_pretrained(tmp_path)
    text = capture_text(TEXT, model=(model, tokenizer) if loaded else tmp_path)
    assert text.head_left_out == f"Bert{head}"
    assert "prediction" not in text.example
    bare = capture_text(TEXT, model=(model.base_model, tokenizer))
    np.testing.assert_array_equal(text["layer_output"], bare["layer_output"])


@pytest.mark.parametrize(
    ("kind", "options", "target"),
    [
        ("modernbert", {}, None),  # a mean of tokens, and two maps with a norm in between
        ("modernbert", {"num_labels": 1}, None),
        ("t5", {}, "bad"),  # of the last token of a decoder
    ],
)
@pytest.mark.parametrize("loaded", [True, False])
def test_a_head_that_does_not_read_one_token_of_the_text_is_left_out_and_named(
    make_model, tokenizer, tmp_path, kind, options, target, loaded
):
    model = make_model(kind, "ForSequenceClassification", **options)
    for part in (model, tokenizer):
        part.save_pretrained(tmp_path)
    given = (model, tokenizer) if loaded else tmp_path
    text = capture_text(TEXT, model=given, target=target)
    assert text.head_left_out == type(model).__name__
    assert "prediction" not in text.example
    bare = capture_text(TEXT, model=(model.base_model, tokenizer), target=target)
    assert text.arrays.keys() == bare.arrays.keys()
    for name, array in text.arrays.items():
        np.testing.assert_array_equal(array, bare.arrays[name])


@pytest.mark.parametrize("problem", ["regression", None])
def test_one_number_is_no_class(make_model, tokenizer, problem):
    model = make_model("bert", "ForSequenceClassification", num_labels=1, problem_type=problem)
    text = capture_text(TEXT, model=(model, tokenizer))
    assert text.head_left_out == "BertForSequenceClassification"
    assert "probability" not in text.example


def test_a_subclass_of_a_classifier_classifies(make_model, tokenizer):
    class Sentiment(BertForSequenceClassification):
        pass

    model = make_model("bert", "ForSequenceClassification")
    model.__class__ = Sentiment
    assert "prediction" in capture_text(TEXT, model=(model, tokenizer)).example


def test_a_class_that_transformers_does_not_have_is_left_out(classifier, tmp_path):
    """What it makes of the weights, only its own code says."""
    for part in classifier:
        part.save_pretrained(tmp_path)
    file = tmp_path / "config.json"
    name = "BertForSequenceClassification"
    file.write_text(file.read_text(encoding="utf-8").replace(name, f"My{name}"), encoding="utf-8")
    text = capture_text(TEXT, model=tmp_path)
    assert text.head_left_out == f"My{name}"
    assert "prediction" not in text.example


def test_a_model_comes_with_its_tokenizer(make_model):
    with pytest.raises(
        InputError, match=r"model is of type BertModel; allowed.*give \(model, tokenizer"
    ):
        capture_text(TEXT, model=make_model("bert"))


def test_each_of_several_labels_has_its_own_probability(make_model, tokenizer):
    several = {"num_labels": 3, "problem_type": "multi_label_classification"}
    model = make_model("bert", "ForSequenceClassification", initializer_range=0.4, **several)
    text = capture_text(TEXT, model=(model, tokenizer))
    with torch.inference_mode():
        (logits,) = model(**tokenizer(TEXT, return_tensors="pt")).logits
    assert text.example["probability"] == pytest.approx(float(logits.sigmoid().max()), abs=1e-6)
    assert abs(float(logits.sigmoid().max() - logits.softmax(-1).max())) > 0.05
    assert text.head_left_out is None


def test_the_type_of_the_second_text_is_heeded(make_model, tokenizer):
    model = make_model("bert", "ForSequenceClassification", initializer_range=0.4)
    text = capture_text("a dull plot", pair="bad!", model=(model, tokenizer))
    given = tokenizer("a dull plot", "bad!", return_tensors="pt")
    with torch.inference_mode():
        own = model(**given, output_hidden_states=True)
    np.testing.assert_allclose(
        text["layer_output"], torch.cat(own.hidden_states[1:]), rtol=1e-5, atol=1e-6
    )
    assert given["token_type_ids"].any()


def test_arrays_can_be_changed_and_stay(classifier):
    text = capture_text(TEXT, model=classifier)
    text["attention"][:] = 0
    assert text["attention"].any()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "'' has no token the model knows of; give one with a word in it"),
        ("zebra quagga", "'zebra quagga' has no token the model knows of; give one with a word"),
        (
            ["a plot", "bad"],
            "text is of type list with 2 entries; allowed: one string; give several",
        ),
        (("a plot", "bad"), "text is of type tuple with 2 entries; allowed: one string"),
        (["a plot"], "text is of type list with 1 entries; allowed: one string"),
        ([], "text is of type list with 0 entries; allowed: one string"),
        (b"a plot", "text is of type bytes; allowed: one string; .*, and bytes decoded"),
        (3, "text is of type int; allowed: one string"),
        (None, "text is of type NoneType; allowed: one string"),
        ("a \ud800", "text is 'a .ud800', which is no Unicode"),
        ("the " * 50, "has 52 tokens, but the model takes at most 40; shorten"),
    ],
)
def test_texts_that_no_model_reads(classifier, text, said):
    with pytest.raises(InputError, match=said) as refused:
        capture_text(text, model=classifier)
    one_sentence(refused.value)


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        ("", "the pair '' has no token the model knows of"),
        ("zebra", "the pair 'zebra' has no token the model knows of"),
        (["bad"], "pair is of type list with 1 entries; allowed: one string"),
        (3, "pair is of type int; allowed: one string"),
    ],
)
def test_pairs_that_no_model_reads(classifier, pair, said):
    with pytest.raises(InputError, match=said):
        capture_text("a plot", pair=pair, model=classifier)


@pytest.mark.parametrize("device", ["gpu", "meta", None, "xla:9"])
def test_a_device_that_cannot_be_used(classifier, device):
    with pytest.raises(InputError, match=r"cannot be used here .*allowed: cpu") as refused:
        capture_text("a plot", model=classifier, device=device)
    one_sentence(refused.value)


def test_there_is_no_such_array(classifier):
    text = capture_text("a plot", model=classifier)
    for read in (lambda: text["attn"], lambda: text.layer("attn", 0)):
        with pytest.raises(
            InputError, match="no array 'attn' of a text; allowed: visible, mass, attention, query"
        ):
            read()


# --- the caller's model ---------------------------------------------------------------------------


def with_training(model):
    """Put a model in training mode, but for its embeddings, which are frozen too."""
    model.train()
    model.bert.embeddings.eval().requires_grad_(False)
    return model


def state_of(model) -> dict:
    return {
        "training": {name: part.training for name, part in model.named_modules()},
        "asked for": {name: weight.requires_grad for name, weight in model.named_parameters()},
        "gradients": [weight.grad for weight in model.parameters()],
        "values": hashlib.sha256(pickle.dumps(model)).hexdigest(),
        "attention": model.config._attn_implementation,
        "device": model.device,
        "hooks": [len(part._forward_hooks) for part in model.modules()],
    }


def use(model, tokenizer) -> dict:
    encoded = [encode_one(TEXT, None, tokenizer, most_tokens(model))]
    how = {"device": torch.device("cpu"), "batch_size": 2}
    exact = {"precision": "float32"}
    return {
        "capture_text": lambda: measure(capture_text(TEXT, model=(model, tokenizer))),
        "accept": lambda: accept(model, tokenizer, torch.device("cpu")),
        "record": lambda: list(record(model, encoded, **how, **exact)),
        "reduce_maps": lambda: list(
            reduce_maps(lambda *_: 0, model, encoded, threads=1, **how, **exact)
        ),
        "gradients": lambda: list(gradients(model, encoded, targets=[1], **how)),
        "integrated_gradients": lambda: list(
            integrated_gradients(model, encoded, targets=[1], steps=3, **how)
        ),
        "ablate": lambda: ablate(model, tokenizer, encoded, [[set()]], removal="mask", **how),
        "ablate_heads": lambda: ablate_heads(model, [encoded], measure_classes([1]), **how),
        "predict": lambda: predict(model, encoded, **how, **exact),
    }


@pytest.mark.parametrize(
    "name",
    [
        *("capture_text", "accept", "record", "reduce_maps", "gradients", "integrated_gradients"),
        *("ablate", "ablate_heads", "predict"),
    ],
)
@pytest.mark.parametrize("change", [with_training, lambda model: model.eval()])
def test_the_model_of_the_caller_is_left_as_it_was(make_model, tokenizer, name, change):
    """With hooks that transformers leaves behind, a model could not even be pickled."""
    model = change(make_model("bert", "ForSequenceClassification"))
    before = state_of(model)
    use(model, tokenizer)[name]()
    assert state_of(model) == before


# --- next words -----------------------------------------------------------------------------------

BEGINNING = "The keys near the cabinet"


def test_a_language_model_predicts_one_of_the_words(decoder):
    model = AutoModelForCausalLM.from_pretrained(decoder).eval()
    tokenizer = AutoTokenizer.from_pretrained(decoder)
    words = ("was", "were")
    ids = tokenizer.convert_tokens_to_ids(words)
    with torch.inference_mode():
        logits = model(**tokenizer(BEGINNING, return_tensors="pt")).logits[0, -1, ids].double()
    for given in (decoder, (model, tokenizer)):
        text = capture_text(BEGINNING, model=given, words=words)
        assert text.example["prediction"] == int(logits.argmax())
        odds = logits.softmax(-1).max().item()
        assert text.example["probability"] == pytest.approx(odds, abs=1e-6)
        assert text.head_left_out is None
    alone = capture_text(BEGINNING, model=(model, tokenizer))
    assert alone.head_left_out == "LlamaForCausalLM"
    assert alone.next_tokens is None
    np.testing.assert_allclose(alone["attention"], text["attention"], atol=1e-6)


@pytest.mark.parametrize("family", ["llama", "granite", "phi"])  # the last with a constant a word
def test_the_likeliest_tokens_stand_beside_the_words(family, decoder, tmp_path):
    """As the language model has them, its tokens without a name included."""
    tokenizer = AutoTokenizer.from_pretrained(decoder)
    model = build(family, "ForCausalLM", vocab_size=len(tokenizer) + 3)
    with torch.no_grad():  # so that the last one is likely
        model.get_output_embeddings().weight[-1] *= 20
    save(model, tokenizer, tmp_path)
    words = ("was", "were")
    asked = tokenizer.convert_tokens_to_ids(words)
    with torch.inference_mode():
        logits = model(**tokenizer(BEGINNING, return_tensors="pt")).logits[0, -1].double()
    odds = logits.softmax(-1)
    likeliest = odds.argsort(descending=True).tolist()
    expected = likeliest[:5] + [token for token in likeliest[5:] if token in asked]
    for given in (tmp_path, (model, tokenizer)):
        table = capture_text(BEGINNING, model=given, words=words).next_tokens
        assert table["id"].tolist() == expected
        np.testing.assert_allclose(table["probability"], odds[expected], rtol=1e-4)
        for token, written in zip(table["id"], table["written"], strict=True):
            assert written == (tokenizer.convert_ids_to_tokens(token) or str(token)).lstrip("Ġ▁")


@pytest.mark.parametrize("family", ["llama", "granite", "phi"])  # the last with a constant a word
def test_what_chooses_is_read_from_where_it_is_saved(family, decoder, tmp_path):
    tokenizer = AutoTokenizer.from_pretrained(decoder)
    model = build(family, "ForCausalLM", vocab_size=len(tokenizer))
    words = ("was", "were")
    text = capture_text(BEGINNING, model=(model, tokenizer), words=words)
    save(text.network.model, tokenizer, tmp_path)
    again = capture_text(BEGINNING, model=tmp_path)
    assert again.head_left_out is None
    for key in ("prediction", "probability"):
        assert again.example[key] == text.example[key]
    assert text.network.model.base_model is model.base_model  # and its head is still there


@pytest.mark.parametrize("words", [("was",), "was", ["were"]])
def test_one_word_is_no_choice(decoder, words):
    with pytest.raises(InputError, match="allowed: two words or more"):
        capture_text(BEGINNING, model=decoder, words=words)


def test_a_model_without_its_head_tells_no_next_word(decoder):
    tokenizer = AutoTokenizer.from_pretrained(decoder)
    model = AutoModel.from_pretrained(decoder)
    with pytest.raises(InputError, match="is a LlamaModel, which tells no words"):
        capture_text(BEGINNING, model=(model, tokenizer), words=("was", "were"))


def test_the_text_itself_is_tried(tokenizer):
    """Experts that take ten tokens leave out others of a long text; short ones do not show it."""
    model = build("switch_transformers", expert_capacity=10)
    read = capture_text(TEXT, target="the film", model=(model, tokenizer))
    assert read.of("cross")["attention"].shape[1:] == (4, 4, 10)
    said = refusal(capture_text, f"{TEXT} " * 4, target="the film", model=(model, tokenizer))
    assert "its feed-forward networks mix tokens beside attention, as experts do" in said
    assert "shorten the text" in said
