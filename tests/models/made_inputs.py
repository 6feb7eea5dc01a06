"""Tokenizers, questions and trainings that tests of several modules make."""

import copy

import pandas as pd
import torch

from attention_mixing.models.finetune import finetune
from attention_mixing.settings.experiment import Train

SETTINGS = {
    "epochs": 2,
    "batch_size": 8,
    "learning_rate": 1e-2,
    "weight_decay": 0.01,
    "warmup": 0.1,
    "dropout": 0.1,
    "evaluations": 2,
    "seeds": [7],
}


def changed(tokenizer, **attributes):
    """Return a copy with other attributes."""
    other = copy.deepcopy(tokenizer)
    for name, value in attributes.items():
        setattr(other, name, value)
    return other


def without_types(tokenizer):
    """Return it as DistilBERT's and RoBERTa's are: models that know no token types."""
    return changed(tokenizer, model_input_names=["input_ids", "attention_mask"])


def asked(*rows):
    """Examples of a corpus of questions: rows are question, context and the answers in it."""
    found = []
    for question, context, answers in rows:
        start = len(question) + 1
        found.append(
            {
                "question_id": f"q{len(found)}",
                "text": f"{question}\n{context}",
                "context_start": start,
                "answers": list(answers),
                "answer_starts": [start + context.index(answer) for answer in answers],
            }
        )
    return pd.DataFrame(found).astype({"context_start": "Int64"})


def tune(model, rows, held_out, checkpoints, *, seed=7, precision="float32", **changes):
    """Fine-tune on the processor; ``changes`` are of SETTINGS."""
    return finetune(
        model,
        rows,
        held_out,
        Train(**(SETTINGS | changes)),
        seed=seed,
        device=torch.device("cpu"),
        precision=precision,
        checkpoints=checkpoints,
        model_sha256={"model.safetensors": "0" * 64},
    )
