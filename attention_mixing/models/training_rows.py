"""What a model learns from, by its task: rows of what it is given, with what it is to tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from transformers import PreTrainedConfig, PreTrainedTokenizerBase

from attention_mixing.errors import InputError
from attention_mixing.models.batch import NOT_ASKED, inputs, require_known, target_vocabulary
from attention_mixing.models.encode import BEFORE_WORD, encode, encode_questions
from attention_mixing.models.token_ablation import possible
from attention_mixing.settings.experiment import Length

BLOCK = 1000  # questions that are encoded together; decides memory, not results
# Of the masked tokens that are asked for: as what they are shown (Devlin et al. 2019, section 3.1).
HIDDEN, REPLACED = 0.8, 0.1

Row = dict[str, Any]
"""One pass: ``input_ids``, ``attention_mask``, types where the model has them, and the target."""


def training_rows(
    examples: pd.DataFrame,
    tokenizer: PreTrainedTokenizerBase,
    length: Length,
    config: PreTrainedConfig,
) -> list[Row]:
    """Lay out texts with their labels, or all windows of questions with where the answer stands.

    A ``stride`` of ``length`` says that the texts are questions. One row a pass:
    :func:`attention_mixing.models.batch.inputs`, and ``labels`` or ``start_positions`` and
    ``end_positions``. Refusals are those of this, of :func:`attention_mixing.models.encode.encode`
    and of :func:`attention_mixing.models.encode.encode_questions`.
    """
    if length.stride is None:
        texts = encode(examples["text"].tolist(), tokenizer, length)
        return [
            {**inputs(text, config), "labels": int(label)}
            for text, label in zip(texts, examples["label"], strict=True)
        ]
    rows: list[Row] = []
    # Rows are a tenth of the size of what they are made from.
    for first in range(0, len(examples), BLOCK):
        for question in encode_questions(examples.iloc[first : first + BLOCK], tokenizer, length):
            rows += [
                {**inputs(window, config), "start_positions": start, "end_positions": end}
                for window, (start, end) in zip(
                    question.windows, question.positions.tolist(), strict=True
                )
            ]
    return rows


def next_word_rows(
    examples: pd.DataFrame,
    tokenizer: PreTrainedTokenizerBase,
    length: Length,
    config: PreTrainedConfig,
) -> list[Row]:
    """Lay out texts with what follows them, every token to be told from those before it.

    The examples have a ``continuation``, and ``length`` is that of both together. A row is
    :func:`attention_mixing.models.batch.inputs` and ``labels``, ``[token]`` each; refusals are
    those of :func:`attention_mixing.models.encode.encode`.
    """
    return [
        {**inputs(text, config), "labels": text.input_ids}
        for text in encode(whole_texts(examples), tokenizer, length)
    ]


def whole_texts(examples: pd.DataFrame) -> list[str]:
    """Join each ``text`` of rows of a corpus with the ``continuation`` that follows it."""
    pairs = zip(examples["text"], examples["continuation"], strict=True)
    return [f"{text}{BEFORE_WORD}{continuation}" for text, continuation in pairs]


def target_rows(
    examples: pd.DataFrame,
    tokenizer: PreTrainedTokenizerBase,
    length: Length,
    config: PreTrainedConfig,
) -> list[Row]:
    """Lay out texts with the tokens of their targets, each to be told from those before it.

    The examples have a ``target``, and ``length`` is that of texts, and of targets. A row is
    :func:`attention_mixing.models.batch.inputs` of the text, and ``labels``, ``[token]`` of the
    target, from which transformers makes what the decoder reads. Refused is what
    :func:`attention_mixing.models.encode.encode` refuses, a target that is longer than allowed
    while ``length.longer`` is ``refuse``, and one with a token that the model has not.
    """
    rows = []
    texts = encode(examples["text"].tolist(), tokenizer, length)
    for number, (text, target) in enumerate(zip(texts, examples["target"], strict=True)):
        labels = tokenizer(text_target=target, verbose=False)["input_ids"]
        names = tokenizer.convert_ids_to_tokens(labels)
        require_known(labels, names, target_vocabulary(config))
        if len(labels) > length.max_tokens and length.longer == "refuse":
            raise InputError(
                f"target {number} (counted from 0) has more than length.max_tokens = "
                f"{length.max_tokens} tokens and length.longer is refuse; raise max_tokens or set "
                "longer: truncate."
            )
        rows.append({**inputs(text, config), "labels": labels[: length.max_tokens]})
    return rows


def known_ids(tokenizer: PreTrainedTokenizerBase, config: PreTrainedConfig) -> NDArray[np.int64]:
    """Return the ids that both a vocabulary and a model have, in their order."""
    ids = {*tokenizer.get_vocab().values()}
    return np.array(sorted(token for token in ids if token < config.vocab_size), np.int64)


def masked_rows(
    texts: Sequence[str],
    tokenizer: PreTrainedTokenizerBase,
    config: PreTrainedConfig,
    *,
    max_tokens: int,
    masked: float,
    generator: np.random.Generator,
) -> list[Row]:
    """Lay out texts of which some tokens are asked for; special tokens never are.

    Of the tokens that are asked for, 80 % are shown as the mask, 10 % as a token drawn from those
    that vocabulary and model have, and 10 % as they are (Devlin et al. 2019, section 3.1). Every
    text is masked once, as it is there, so each epoch asks for the same.

    Parameters
    ----------
    texts
        Those of more than ``max_tokens`` tokens are cut.
    tokenizer, config
        Of the model; the tokenizer must have a mask.
    max_tokens
        Special tokens included.
    masked
        Share of the tokens of a text that are asked for, at least one token.
    generator
        Draws the tokens.

    Returns
    -------
    list of dict
        ``input_ids``, ``attention_mask``, types where the model has them, and ``labels``:
        ``[token]`` each; the label of a token that is not asked for is :data:`NOT_ASKED`.

    Raises
    ------
    InputError
        If the tokenizer has no mask, or as :func:`attention_mixing.models.encode.encode`.
    """
    if "mask" not in possible(tokenizer, config):
        raise InputError(
            "the model's tokenizer has no mask token, so that it cannot be trained with masked "
            "words; choose a model of the BERT family."
        )
    rows, known = [], known_ids(tokenizer, config)
    for text in encode(texts, tokenizer, Length(max_tokens=max_tokens, longer="truncate")):
        row, words = inputs(text, config), np.flatnonzero(~np.array(text.is_special))
        targets = generator.permutation(words)[: max(1, round(masked * len(words)))]
        ids, labels = np.array(text.input_ids), np.full(len(text.input_ids), NOT_ASKED)
        labels[targets] = ids[targets]
        chance = generator.random(len(targets))
        replacements = known[generator.integers(len(known), size=len(targets))]
        ids[targets] = np.select(
            [chance < HIDDEN, chance < HIDDEN + REPLACED],
            [tokenizer.mask_token_id, replacements],
            ids[targets],
        )
        rows.append(row | {"input_ids": ids.tolist(), "labels": labels.tolist()})
    return rows
