"""Language models: which word comes next, and why this one rather than others.

A language model that is asked to choose among a few words is a classifier: it reads the last token,
and the rows of its head are those that the output embedding has for these words. Taking their mean
from each changes no probability among them, and makes of every logit a contrast: what speaks for
one word and against the others, rather than for all that could stand there (Yin and Neubig 2022,
*Interpreting Language Models with Contrastive Explanations*, EMNLP). Of two words, it is half the
difference of their logits.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

import torch
from torch import nn
from transformers import (
    AutoModelForSequenceClassification,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from attention_mixing.errors import InputError, first_line
from attention_mixing.models.batch import require_known
from attention_mixing.models.components import close
from attention_mixing.models.dummy_inputs import dummy_inputs
from attention_mixing.models.encode import BEFORE_WORD

# How far the choice may be from what the language model says, relative to its logits.
CLOSE = 1e-4


def word_ids(tokenizer: PreTrainedTokenizerBase, words: Sequence[str]) -> list[int]:
    """Find the token of each word, as it follows another one.

    Parameters
    ----------
    tokenizer
        Of a language model.
    words
        At least two, each one token.

    Returns
    -------
    list of int
        ``[word]``.

    Raises
    ------
    InputError
        If there are fewer than two words; if one is several tokens, or none that the tokenizer
        knows; if two are the same; or if something stands behind the last word of a text, where the
        model would be read.
    """
    if isinstance(words, str) or len(words) < 2:
        raise InputError(
            f"words is {words!r}; allowed: two words or more, among which a language model is to "
            "choose; give several."
        )

    def ids(text: str, special: bool = False) -> list[int]:
        encoded = tokenizer(text, add_special_tokens=special, verbose=False)["input_ids"]
        return list(encoded)

    before = ids(words[0])
    if ids(words[0], special=True)[-1] != before[-1]:
        raise InputError(
            "the tokenizer puts a token of its own behind the last word of a text, from which no "
            "next word is read; choose a decoder, such as GPT-2."
        )
    words_of: dict[int, str] = {}
    for word in words:
        together = ids(f"{words[0]}{BEFORE_WORD}{word}")
        token = together[-1]
        if together[:-1] != before or token == tokenizer.unk_token_id:
            fault = "several tokens" if together[:-1] != before else "none that it knows"
            raise InputError(
                f"the word {word!r} is {fault} in the tokenizer of the model; allowed: words of "
                "one token each; choose others as labels."
            )
        if token in words_of:
            raise InputError(
                f"the words {words_of[token]!r} and {word!r} are one token in the tokenizer of the "
                "model; choose words that it tells apart."
            )
        words_of[token] = word
    return list(words_of)


def choosing(model: PreTrainedModel, ids: Sequence[int], words: Sequence[str]) -> PreTrainedModel:
    """Make a classifier of a language model: which of some words comes next.

    Parameters
    ----------
    model
        A language model, in evaluation mode and float32.
    ids, words
        Tokens of the words (:func:`word_ids`), and what they are called.

    Returns
    -------
    PreTrainedModel
        Its labels are the words, in their order.

    Raises
    ------
    InputError
        If the model is no language model or lacks a word, transformers has no such classifier, or
        its choice is not the model's.
    """
    name = type(model).__name__
    if model.get_output_embeddings() is None:
        raise InputError(
            f"the model is a {name}, which tells no words; allowed: a language model, such as "
            "GPT2LMHeadModel; load it with AutoModelForCausalLM."
        )
    require_known(ids, words, model.get_output_embeddings().weight.shape[0])
    config = copy.deepcopy(model.config)
    config.problem_type = "single_label_classification"
    config.id2label = dict(enumerate(words))
    config.label2id = {word: index for index, word in enumerate(words)}
    try:
        chooser: PreTrainedModel = AutoModelForSequenceClassification.from_config(config)
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"transformers has no classifier for the language model {name} ({first_line(error)}); "
            "choose another model."
        ) from None
    chooser.base_model.load_state_dict(model.base_model.state_dict())
    chooser.to(model.device).eval()  # type: ignore[arg-type]
    inside = {id(module) for module in chooser.base_model.modules()}
    heads = [layer for layer in chooser.modules() if isinstance(layer, nn.Linear)]
    (head,) = (layer for layer in heads if id(layer) not in inside)
    output = model.get_output_embeddings()
    with torch.no_grad():
        for chosen, whole in ((head.weight, output.weight), (head.bias, output.bias)):
            if chosen is not None and whole is not None:
                chosen.copy_(whole[list(ids)] - whole[list(ids)].mean(dim=0))
        arguments = dummy_inputs(model)[0]
        expected = model(**arguments).logits[:, -1, list(ids)]
        logits = chooser(**arguments).logits
    if not close(logits, expected - expected.mean(dim=-1, keepdim=True), CLOSE):
        raise InputError(
            f"the logits of {name} are not one linear map of its last hidden state, such as those "
            "that are capped or scaled, so that it cannot be asked to choose among words; choose "
            "another model."
        )
    return chooser
