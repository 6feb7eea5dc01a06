"""The text, layer and head that are rebuilt, refused where a model does not have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.parameters.sections import AnatomySettings
from attention_mixing.errors import InputError
from attention_mixing.models.config import layers_and_heads
from attention_mixing.models.source import configuration, name_of
from attention_mixing.settings.sources import Model

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from attention_mixing.models.encode import Encoded


def require_shown(settings: AnatomySettings, model: Model) -> None:
    """Refuse a layer or head that a model does not have, with those that it has."""
    counts = layers_and_heads(configuration(model))
    for key, index, count in zip(
        ("layer", "head"), (settings.layer, settings.head), counts, strict=True
    ):
        if index > count:
            raise InputError(
                f"anatomy.{key} is {index} but {name_of(model)} has {key}s 1 to {count}; choose "
                "one of them."
            )


def encoded_text(
    settings: AnatomySettings, tokenizer: PreTrainedTokenizerBase, model: PreTrainedModel
) -> Encoded:
    """Tokenise the text that is rebuilt, refused if the model cannot read it."""
    from attention_mixing.models.dummy_inputs import most_tokens
    from attention_mixing.models.encode import encode_one

    try:
        return encode_one(settings.text, None, tokenizer, most_tokens(model))
    except InputError as error:
        raise InputError(f"anatomy.text: {error}") from error
