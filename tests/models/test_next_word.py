"""A language model that chooses among words is the model itself, and learns what comes next."""

import math
from functools import partial

import numpy as np
import pandas as pd
import pytest
import tiny_decoder
import torch
from families import FAMILIES, MORE, build
from tiny_decoder import SMALL, described
from tokenizers_made import of_bytes
from torch.nn import functional
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedTokenizerFast
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

from attention_mixing.capture.gradients import gradients
from attention_mixing.errors import InputError
from attention_mixing.models.classification import classifies
from attention_mixing.models.encode import encode
from attention_mixing.models.evaluation import perplexity
from attention_mixing.models.load import load_captured, load_finetuned
from attention_mixing.models.next_word import choosing, word_ids
from attention_mixing.models.token_ablation import possible
from attention_mixing.models.training_rows import next_word_rows, whole_texts
from attention_mixing.models.untrained import try_untrained, untrained
from attention_mixing.settings.experiment import Length

CPU = torch.device("cpu")
LENGTH = Length(max_tokens=40, longer="truncate")
WORDS = ("was", "were")


@pytest.fixture(scope="module")
def examples() -> pd.DataFrame:
    return tiny_decoder.agreements()


@pytest.fixture(scope="module")
def little():
    return tiny_decoder.little()


# --- choosing -------------------------------------------------------------------------------------

# Families of transformers' language models that are encoders when they are not told otherwise.
ENCODERS = ("bert", "roberta", "electra", "ernie", "data2vec-text")
CAPPED = {"gemma2": {"final_logit_softcapping": None}}
DECODERS = [
    family
    for family, (_, steps) in FAMILIES.items()
    if family in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES and steps.count("A") == 1
    if family not in ENCODERS
]


def language_model(family: str, **more):
    return build(family, "ForCausalLM", **CAPPED.get(family, {}) | more)


def padded_batch() -> dict[str, torch.Tensor]:
    """Two texts, the second of which has three tokens."""
    ids = torch.tensor([[1, 5, 17, 40, 33, 8, 90], [1, 60, 21, 0, 0, 0, 0]])
    mask = torch.ones_like(ids)
    mask[1, 3:] = 0
    return {"input_ids": ids, "attention_mask": mask}


@torch.inference_mode()
def logits_at_the_end(model, ids) -> torch.Tensor:
    """What a language model says of tokens behind each text of the batch."""
    logits = model(**padded_batch()).logits
    return torch.stack([logits[0, 6], logits[1, 2]])[:, ids]


@torch.inference_mode()
def choices(chooser) -> torch.Tensor:
    return chooser(**padded_batch()).logits


@pytest.mark.parametrize("family", [*DECODERS, *MORE])
@pytest.mark.parametrize("words", [("was", "were"), ("is", "are", "be")])
def test_logits_are_contrasts_of_those_of_the_language_model(family, words):
    model = language_model(family)
    ids = list(range(7, 7 + len(words)))
    chooser = choosing(model, ids, words)
    said, told = logits_at_the_end(model, ids), choices(chooser)
    expected = said - said.mean(dim=-1, keepdim=True)
    torch.testing.assert_close(told, expected, rtol=1e-5, atol=1e-6)
    assert expected.abs().min() > 1e-4  # which are no rounding
    assert classifies(chooser)
    assert chooser.config.id2label == dict(enumerate(words))
    if len(words) == 2:  # half of what Yin and Neubig explain
        half = (said[:, 0] - said[:, 1]) / 2
        torch.testing.assert_close(told[:, 0], half, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("family", [*DECODERS, *MORE])
def test_what_comes_next_by_itself_is_what_the_language_model_says(family):
    model = language_model(family)
    logits = logits_at_the_end(model, slice(None))
    chooser = choosing(model, (7, 8), WORDS)
    told = chooser.next_tokens(**padded_batch())
    torch.testing.assert_close(told, logits.double().softmax(-1), rtol=1e-4, atol=1e-9)
    assert chooser.language_head.output is model.get_output_embeddings()  # no copy
    held = {name.split(".")[0] for name in chooser.state_dict()}
    assert held == {chooser.base_model_prefix, "score"}


@pytest.mark.parametrize("family", [*DECODERS, *MORE])
def test_what_chooses_is_saved_and_loaded(family, tmp_path):
    model = language_model(family)
    chooser = choosing(model, (7, 8), WORDS)
    chooser.save_pretrained(tmp_path)
    again = load_finetuned(tmp_path, "language_modelling")
    torch.testing.assert_close(choices(again), choices(chooser), rtol=1e-5, atol=1e-6)
    assert type(again.base_model) is type(chooser.base_model)
    assert classifies(again)
    assert again.config.id2label == {0: "was", 1: "were"}
    assert again.language_head is None  # which is not saved
    for loaded, before in ((again, chooser), (load_captured(tmp_path), chooser.base_model)):
        tensors = loaded.state_dict()
        assert tensors.keys() == before.state_dict().keys()
        assert all(tensors[name].equal(tensor) for name, tensor in before.state_dict().items())


def test_the_base_is_that_of_the_language_model():
    model = language_model("llama")
    assert choosing(model, (7, 8), WORDS).base_model is model.base_model


def test_the_last_token_is_read_whatever_its_id():
    """Some tokenizers pad with a token that ends texts, or that stands for unknown words."""
    model = language_model("llama")
    ids = torch.tensor([[1, 5, 17, 0]])
    with torch.inference_mode():
        said = model(input_ids=ids).logits[0, -1, [7, 8]]
        for mask in ({}, {"attention_mask": torch.ones_like(ids)}):
            told = choosing(model, (7, 8), WORDS)(input_ids=ids, **mask).logits[0]
            torch.testing.assert_close(told, said - said.mean(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("family", "factor"), [("granite", {"logits_scaling": 8.0}), ("cohere", {"logit_scale": 0.5})]
)
def test_the_head_has_the_factor_of_the_logits(family, factor):
    model = language_model(family, **factor)
    rows = model.get_output_embeddings().weight[[7, 8]]
    (scale,) = factor.values()
    scale = 1 / scale if family == "granite" else scale
    head = choosing(model, (7, 8), WORDS).score.weight
    torch.testing.assert_close(head, scale * (rows - rows.mean(dim=0)), rtol=1e-6, atol=0)


def test_what_is_explained_is_one_word_against_the_other(little):
    """Gradients of the choice are half of those of the difference of two logits of the model."""
    model, tokenizer = little
    ids = word_ids(tokenizer, WORDS)
    (text,) = encode(["The keys to the old cabinet"], tokenizer, LENGTH)
    (of_choice,) = gradients(
        choosing(model, ids, WORDS), [text], device=CPU, batch_size=1, targets=[1]
    )
    embedding = model.get_input_embeddings()(torch.tensor([text.input_ids]))
    embedding = embedding.detach().requires_grad_()
    logits = model(inputs_embeds=embedding).logits[0, -1]
    (slope,) = torch.autograd.grad(logits[ids[1]] - logits[ids[0]], embedding)
    expected = (slope * embedding).sum(-1)[0].detach().numpy() / 2
    np.testing.assert_allclose(of_choice.gradient_x_input, expected, rtol=1e-3, atol=1e-7)


@pytest.mark.parametrize("cap", [0.01, 30.0])
def test_logits_that_are_capped_are_refused(cap):
    """Though a cap of 30 changes nothing about the logits of a model that was just drawn."""
    torch.manual_seed(0)
    config = AutoConfig.for_model("gemma2", **FAMILIES["gemma2"][0], final_logit_softcapping=cap)
    model = AutoModelForCausalLM.from_config(config).eval()
    with pytest.raises(InputError, match="are not one linear map of its last hidden state"):
        choosing(model, (7, 8), WORDS)


@pytest.mark.parametrize("family", ENCODERS)
def test_heads_of_several_maps_are_refused(family):
    with pytest.raises(InputError, match="are not one linear map of its last hidden state"):
        choosing(build(family, "ForCausalLM"), (7, 8), WORDS)


def test_a_word_that_the_model_lacks_is_refused():
    """One that was only added to the tokenizer."""
    model = language_model("llama")
    beyond = model.config.vocab_size
    with pytest.raises(InputError, match=f"of the id {beyond}, but the model has those up to"):
        choosing(model, (7, beyond), WORDS)


def test_an_encoder_decoder_chooses_no_words():
    with pytest.raises(InputError, match="which reads a text and its target; allowed: a language"):
        choosing(build("t5", "ForSeq2SeqLM"), (7, 8), WORDS)


# --- words ----------------------------------------------------------------------------------------


def test_words_are_the_tokens_that_follow_a_text(little, examples):
    _, tokenizer = little
    ids = word_ids(tokenizer, WORDS)
    for one in examples.itertuples():
        before, after = (
            tokenizer(text)["input_ids"]
            for text in (one.text, *whole_texts(examples.loc[[one.id]]))
        )
        assert after[: len(before)] == before
        assert after[len(before)] == ids[one.label]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("was", "wasn't"), 'the word "wasn\'t" is several tokens'),
        (("was", "werewolf"), "the word 'werewolf' is none that it knows"),
        (("was", "是"), "the word '是' is none that it knows"),
        (("was", "WAS"), "the words 'was' and 'WAS' are one token"),
        (("was", "w" * 20_000), "www'... (20,000 characters) is none that it knows"),
    ],
    ids=["pieces", "unknown", "script", "case", "long"],
)
def test_what_is_no_token_of_its_own_cannot_be_chosen(little, words, said):
    with pytest.raises(InputError) as error:
        word_ids(little[1], words)
    assert said in str(error.value)


@pytest.mark.parametrize("word", [" cat", "cat "])
def test_a_word_with_a_blank_is_told_to_go_without_it(word):
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=of_bytes(("<|endoftext|>",), prefix=False))
    assert len(word_ids(tokenizer, ("the", "cat"))) == 2
    with pytest.raises(InputError) as error:
        word_ids(tokenizer, ("the", word))
    assert f"the word {word!r} is several tokens" in str(error.value)
    assert str(error.value).endswith(
        "; leave the blank out, for words are read as they follow one."
    )


def test_a_tokenizer_that_ends_texts_reads_no_next_word(tokenizer):
    with pytest.raises(InputError, match="puts a token of its own behind the last word"):
        word_ids(tokenizer, ("film", "plot"))


# --- learning -------------------------------------------------------------------------------------


def test_every_token_is_asked_for_but_padding(little, examples):
    model, tokenizer = little
    rows = next_word_rows(examples, tokenizer, LENGTH, model.config)
    for row, text in zip(rows, whole_texts(examples), strict=True):
        assert row["labels"] == row["input_ids"] == tokenizer(text)["input_ids"]
        assert row["input_ids"][0] == tokenizer.bos_token_id


def test_perplexity_is_that_of_every_token_by_those_before_it(little, examples, tmp_path):
    model, tokenizer = little
    for part in (model, tokenizer):
        part.save_pretrained(tmp_path)
    found = perplexity(tmp_path, examples, LENGTH, device=CPU, precision="float32")
    surprises = []
    for text in whole_texts(examples):
        ids = torch.tensor([tokenizer(text)["input_ids"]])
        with torch.inference_mode():
            logits = model(input_ids=ids).logits[0, :-1]
        surprises += functional.cross_entropy(logits, ids[0, 1:], reduction="none").tolist()
    assert found == pytest.approx(math.exp(np.mean(surprises)), rel=1e-5)


# --- from nothing ---------------------------------------------------------------------------------


def test_a_seed_draws_the_same_model_again(examples):
    def weights(seed: int) -> torch.Tensor:
        torch.manual_seed(seed)
        model, _ = untrained(described(), whole_texts(examples))
        return torch.cat([one.flatten() for one in model.parameters()])

    assert weights(0).equal(weights(0))
    assert not weights(0).equal(weights(1))


def test_the_same_texts_make_the_same_tokenizer(examples):
    """Some trainers of the library make another vocabulary each time."""
    texts = whole_texts(examples)
    made = {untrained(described(), texts)[1].backend_tokenizer.to_str() for _ in range(4)}
    assert len(made) == 1


def test_the_vocabulary_is_of_the_most_frequent_words(examples):
    texts = whole_texts(examples)
    _, tokenizer = untrained(described(vocabulary=64), texts)
    assert len(tokenizer) == 64
    counts = pd.Series(
        " ".join(texts).lower().replace(".", " .").replace(",", " ,").split()
    ).value_counts()
    known = set(tokenizer.get_vocab())
    least = min(counts[word] for word in known if word in counts)
    assert all(word in known for word in counts.index[counts > least])


def test_the_tokenizer_knows_the_words_and_puts_one_token_first(little, examples):
    model, tokenizer = little
    ids = [tokenizer(text)["input_ids"] for text in whole_texts(examples)]
    assert all(one.count(tokenizer.bos_token_id) == 1 for one in ids)
    assert tokenizer.unk_token_id not in {token for one in ids for token in one}
    assert len(tokenizer) == model.config.vocab_size <= 400
    assert (model.config.pad_token_id, model.config.bos_token_id) == (0, 1)


def test_dropout_is_that_of_the_whole_model(examples):
    make = partial(untrained, described("gpt2", {"n_embd": 32, "n_layer": 1, "n_head": 2}))
    texts = whole_texts(examples)
    config = make(texts, 0.25)[0].config
    assert (config.resid_pdrop, config.embd_pdrop, config.attn_pdrop) == (0.25, 0.25, 0.25)
    assert make(texts)[0].config.resid_pdrop == 0.1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"type": "lama"}, "model.type is 'lama', which transformers does not know"),
        ({"config": SMALL | {"layers": 2}}, "'layers' is none of the keys of a configuration"),
        ({"config": SMALL | {"hidden_size": 30}}, "type llama (The hidden size (30) is not a"),
        (
            {"type": "vit", "config": {}},
            "model.type is 'vit', of which transformers has no language model; allowed: the",
        ),
        (
            {"type": "gemma2", "config": SMALL | {"head_dim": 8}},
            "the logits of Gemma2ForCausalLM are not one linear map of its last hidden state",
        ),
        (
            {"type": "mamba", "config": {}},
            "attention is not computed through the attention interface of transformers",
        ),
    ],
)
def test_what_is_no_decoder_is_refused_before_training(changes, said):
    with pytest.raises(InputError) as error:
        try_untrained(described(**changes))
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_what_is_not_installed_is_named_as_the_reason(monkeypatch):
    def needing(config):
        raise ImportError("GPT2 requires the timm library but it was not found")

    monkeypatch.setattr(AutoModelForCausalLM, "from_config", needing)
    with pytest.raises(InputError, match=r"the timm library .* install it, or"):
        try_untrained(described("gpt2", {}))


def test_a_decoder_is_tried_as_it_will_be():
    drawn, tokenizer = try_untrained(described())
    assert drawn.config.num_hidden_layers == 2
    assert possible(tokenizer, drawn.config) == ["delete", "unknown"]
