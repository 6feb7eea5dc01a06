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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from transformers import (
    MODEL_FOR_CAUSAL_LM_MAPPING,
    AutoModelForCausalLM,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)
from transformers.modeling_outputs import SequenceClassifierOutput

from attention_mixing.errors import InputError, quoted
from attention_mixing.models.batch import require_known
from attention_mixing.models.classification import SEQUENCE_HEAD
from attention_mixing.models.components import close
from attention_mixing.models.dummy_inputs import dummy_inputs
from attention_mixing.models.encode import BEFORE_WORD

# How far the choice may be from what the language model says, relative to its logits.
CLOSE = 1e-4
# By how much the last hidden state is enlarged to see whether the head is linear: what caps logits
# at 30 leaves those of a model that was not trained nearly as they are.
LARGE = 1e4
# How the names of classes end that choose among words, whatever the language model.
WORD_HEAD = f"NextWord{SEQUENCE_HEAD}"


@dataclass(frozen=True)
class LanguageHead:
    """What a language model makes of its last hidden state, beside a choice among some words.

    Attributes
    ----------
    output
        Its output embedding, not a copy.
    scale
        By which the logits are multiplied.
    words
        Tokens of the words that are chosen among.
    """

    output: nn.Module
    scale: float
    words: tuple[int, ...]

    def probabilities(self, hidden: Tensor) -> Tensor:
        """Return the probability of every token, ``[..., token]``, of a last hidden state."""
        device = next(self.output.parameters()).device
        logits = self.scale * self.output(hidden.to(device))
        return logits.double().softmax(dim=-1)


class NextWord(PreTrainedModel):
    """What chooses among words, once it is joined with a family (:func:`next_word_class`).

    It is the base of a language model with one linear map, ``score``, in the place of the head; its
    logits are those of the last token. Without ``model``, both are made as ``config`` says.

    Attributes
    ----------
    score
        From the last hidden state to a logit a word.
    language_head
        The head whose place ``score`` has taken; None where it is not at hand. It is no module of
        this model: it is not saved, trained or moved to a device with it.
    """

    score: nn.Linear
    language_head: LanguageHead | None = None

    def __init__(self, config: PreTrainedConfig, model: PreTrainedModel | None = None) -> None:
        super().__init__(config)
        model = AutoModelForCausalLM.from_config(config) if model is None else model
        output = model.get_output_embeddings()
        self.base_model_prefix, base = _base_of(model)
        setattr(self, self.base_model_prefix, base)
        with_bias = output.bias is not None
        self.score = nn.Linear(output.in_features, config.num_labels or 0, with_bias)
        self.post_init()

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor | None = None, **others: Any
    ) -> SequenceClassifierOutput:
        """Choose a word for each text: ``logits`` are ``[batch, word]``.

        Ids and mask are ``[batch, token]``, the mask 0 on padding; without one there is no padding.
        """
        hidden = self.base_model(input_ids=input_ids, attention_mask=attention_mask, **others)[0]
        logits = self.score(hidden)
        seen = torch.ones_like(input_ids) if attention_mask is None else attention_mask
        return SequenceClassifierOutput(logits=_of_last(logits, seen))

    @torch.inference_mode()
    def next_tokens(self, input_ids: Tensor, attention_mask: Tensor, **others: Any) -> Tensor:
        """Return the probability of every token to come next, ``[batch, token]``.

        It is that of the language model, and asks for its head; arguments are as in
        :meth:`forward`.
        """
        assert self.language_head is not None
        hidden = self.base_model(input_ids=input_ids, attention_mask=attention_mask, **others)[0]
        return self.language_head.probabilities(_of_last(hidden, attention_mask))


def _of_last(rows: Tensor, seen: Tensor) -> Tensor:
    """Choose the row of the last token of each text that is ``seen``, ``[batch, ...]``."""
    last = (seen * torch.arange(seen.shape[1], device=seen.device)).argmax(dim=-1)
    return rows[torch.arange(len(rows), device=rows.device), last]


def _base_of(model: PreTrainedModel) -> tuple[str, nn.Module]:
    """Return what makes the last hidden state, by its name: a language model but for its head."""
    if model.base_model is not model:
        return model.base_model_prefix, model.base_model
    # Llama 4 names a part as its base that it has only within a model of images.
    head = model.get_output_embeddings()
    ((name, base),) = ((name, part) for name, part in model.named_children() if part is not head)
    return name, base


def next_word_class(language_model: type[PreTrainedModel]) -> type[NextWord]:
    """Make the class that chooses among words by the base of a class of language models.

    It inherits what all classes of the family do, by which it is saved and loaded as they are.
    """
    *_, family, _ = (kind for kind in language_model.__mro__ if issubclass(kind, PreTrainedModel))
    name = family.__name__.removesuffix("PreTrainedModel")
    # What a family supports, transformers looks up in the file of its classes.
    return type(f"{name}{WORD_HEAD}", (NextWord, family), {"__module__": family.__module__})


class AutoModelForNextWord:
    """What loads a model that chooses among words, as the automatic classes of transformers do."""

    @staticmethod
    def from_pretrained(path: Path, *, config: PreTrainedConfig, **options: Any) -> Any:
        """Load it by the class of its configuration, with the options of transformers."""
        language_model: Any = MODEL_FOR_CAUSAL_LM_MAPPING[type(config)]
        kind = next_word_class(language_model)
        return kind.from_pretrained(path, config=config, **options)


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
            f"words is {quoted(words)}; allowed: two words or more, among which a language model "
            "is to choose; give several."
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
            remedy = "choose other words"
            if word != word.strip():
                remedy = "leave the blank out, for words are read as they follow one"
            raise InputError(
                f"the word {quoted(word)} is {fault} in the tokenizer of the model; allowed: words "
                f"of one token each; {remedy}."
            )
        if token in words_of:
            raise InputError(
                f"the words {quoted(words_of[token])} and {quoted(word)} are one token in the "
                "tokenizer of the model; choose words that it tells apart."
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
        Its labels are the words, in their order. It computes with the base of ``model``, of which
        it makes no copy, and knows the head of ``model`` (:class:`LanguageHead`).

    Raises
    ------
    InputError
        If the model is no language model or lacks a word, or its logits are no linear map of its
        last hidden state.
    """
    name = type(model).__name__
    output = model.get_output_embeddings()
    if output is None or model.config.is_encoder_decoder:
        fault = "tells no words" if output is None else "reads a text and its target"
        raise InputError(
            f"the model is a {name}, which {fault}; allowed: a language model of one text, such as "
            "GPT2LMHeadModel; load it with AutoModelForCausalLM."
        )
    require_known(ids, words, output.weight.shape[0])
    scale = _scale_of_logits(model)
    config = copy.deepcopy(model.config)
    config.problem_type = "single_label_classification"
    config.id2label = dict(enumerate(words))
    config.label2id = {word: index for index, word in enumerate(words)}
    with torch.device("meta"):  # where no weights are drawn, those of the base included
        chooser = next_word_class(type(model))(config, model)
    chooser.score.to_empty(device=model.device)
    with torch.no_grad():
        for chosen, whole in zip(chooser.score.parameters(), output.parameters(), strict=True):
            rows = whole[list(ids)]
            chosen.copy_((rows - rows.mean(dim=0)) * scale)
    chooser.language_head = LanguageHead(output, scale, tuple(ids))
    return chooser.eval()


@torch.no_grad()
def _scale_of_logits(model: PreTrainedModel) -> float:
    """Return by what a language model multiplies the logits that its output embedding makes.

    1 for most. A model that does something else to them, or to its last hidden state before, is
    refused.
    """
    output, arguments = model.get_output_embeddings(), dummy_inputs(model)[0]
    _, base = _base_of(model)
    hidden = base(**arguments)[0]
    scale = 1.0
    if linear := hidden.shape[-1] == output.in_features:
        made, said = (logits.double() for logits in (output(hidden), model(**arguments).logits))
        scale = float((made * said).sum() / made.square().sum())
        made_of_large = scale * output(LARGE * hidden)
        with output.register_forward_pre_hook(lambda _, inputs: (LARGE * inputs[0],)):
            of_large = model(**arguments).logits
        linear = close(scale * made, said, CLOSE) and close(made_of_large, of_large, CLOSE)
    if not linear:
        raise InputError(
            f"the logits of {type(model).__name__} are not one linear map of its last hidden "
            "state, such as those that are capped, so that it cannot be asked to choose among "
            "words; choose another model."
        )
    return scale
