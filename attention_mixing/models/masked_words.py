"""Hide words of texts, for a model to learn what they were."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from transformers import PreTrainedConfig, PreTrainedTokenizerBase

from attention_mixing.errors import InputError
from attention_mixing.models.batch import NOT_ASKED, inputs
from attention_mixing.models.encode import encode
from attention_mixing.models.finetune import Row
from attention_mixing.params.sections import Length

# Of the tokens that are asked for: as what they are shown (Devlin et al. 2019, section 3.1).
HIDDEN, REPLACED = 0.8, 0.1


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

    Of the tokens that are asked for, 80 % are shown as the mask, 10 % as a token drawn from the
    vocabulary and 10 % as they are (Devlin et al. 2019, section 3.1). Every text is masked once, as
    it is there, so each epoch asks for the same.

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
    if tokenizer.mask_token_id is None:
        raise InputError(
            "the model's tokenizer has no mask token, so that it cannot be trained with masked "
            "words; choose a model of the BERT family."
        )
    rows = []
    for text in encode(texts, tokenizer, Length(max_tokens=max_tokens, longer="truncate")):
        row, words = inputs(text, config), np.flatnonzero(~np.array(text.is_special))
        targets = generator.permutation(words)[: max(1, round(masked * len(words)))]
        ids, labels = np.array(text.input_ids), np.full(len(text.input_ids), NOT_ASKED)
        labels[targets] = ids[targets]
        chance = generator.random(len(targets))
        replacements = generator.integers(len(tokenizer), size=len(targets))
        ids[targets] = np.select(
            [chance < HIDDEN, chance < HIDDEN + REPLACED],
            [tokenizer.mask_token_id, replacements],
            ids[targets],
        )
        rows.append(row | {"input_ids": ids.tolist(), "labels": labels.tolist()})
    return rows
