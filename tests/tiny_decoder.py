"""A tiny language model that knows the words of the agreement grammar."""

import pandas as pd
import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from attention_mixing.corpora import agreement
from attention_mixing.models.training_rows import whole_texts
from attention_mixing.models.untrained import untrained
from attention_mixing.settings.sources import GeneratedData, UntrainedModel

SMALL = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 48,
}


def described(type="llama", config=SMALL, vocabulary=400) -> UntrainedModel:
    return UntrainedModel(
        source="untrained", name="little", type=type, config=config, vocabulary=vocabulary
    )


def agreements() -> pd.DataFrame:
    """Texts of the grammar."""
    sizes = {"train": 60, "validation": 4, "test": 12}
    data = {"source": "generated", "grammar": "agreement", "sizes": sizes, "seed": 0}
    return agreement.load(GeneratedData.model_validate(data), "language_modelling").examples


def little() -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """The model, with random weights, and its tokenizer."""
    torch.manual_seed(0)
    return untrained(described(), whole_texts(agreements()))
