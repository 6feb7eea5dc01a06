"""Encoder-decoders: what they learn of texts with targets, and how well they write these."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import torch
from transformers import PreTrainedConfig, PreTrainedTokenizerBase

from attention_mixing.errors import InputError
from attention_mixing.models.batch import NOT_ASKED, inputs, pad_rows
from attention_mixing.models.device import autocast, evaluating
from attention_mixing.models.encode import encode
from attention_mixing.models.load import load_translator
from attention_mixing.models.tokenizer import load_tokenizer
from attention_mixing.params.sections import Length

BATCH_SIZE = 64  # of passes; decides speed and memory, not results


def target_rows(
    examples: pd.DataFrame,
    tokenizer: PreTrainedTokenizerBase,
    length: Length,
    config: PreTrainedConfig,
) -> list[dict[str, Any]]:
    """Lay out texts with the tokens of their targets, each to be told from those before it.

    Parameters
    ----------
    examples
        Rows of a corpus, with a ``target``.
    tokenizer, config
        Of the model.
    length
        Of texts, and of targets.

    Returns
    -------
    list of dict
        :func:`attention_mixing.models.batch.inputs` of the text, and ``labels``, ``[token]`` of
        the target, from which transformers makes what the decoder reads.

    Raises
    ------
    InputError
        As :func:`attention_mixing.models.encode.encode`, or if a target is longer than allowed
        while ``length.longer`` is ``refuse``.
    """
    rows = []
    texts = encode(examples["text"].tolist(), tokenizer, length)
    for number, (text, target) in enumerate(zip(texts, examples["target"], strict=True)):
        labels = tokenizer(text_target=target, verbose=False)["input_ids"]
        if len(labels) > length.max_tokens and length.longer == "refuse":
            raise InputError(
                f"target {number} (counted from 0) has more than length.max_tokens = "
                f"{length.max_tokens} tokens and length.longer is refuse; raise max_tokens or set "
                "longer: truncate."
            )
        rows.append({**inputs(text, config), "labels": labels[: length.max_tokens]})
    return rows


def score_targets(
    directory: Path, test: pd.DataFrame, length: Length, *, device: torch.device, precision: str
) -> tuple[dict[str, Any], pd.DataFrame]:
    """Score an encoder-decoder on the targets of test texts.

    Parameters
    ----------
    directory
        Of the fine-tuned model.
    test
        Rows of a corpus, with ``id``, ``text`` and ``target``.
    length
        Of texts, and of targets.
    device, precision
        As in :func:`attention_mixing.models.predict.predict`.

    Returns
    -------
    metrics
        ``accuracy``, the share of the tokens of targets that are told from those before them;
        ``written``, the share of targets that are written token by token without a mistake, the
        most likely one always being taken.
    predictions
        ``id``, ``accuracy`` and ``written``.
    """
    tokenizer, model = load_tokenizer(directory), load_translator(directory)
    rows = target_rows(test, tokenizer, length, model.config)
    right, count, exact, scored = 0, 0, 0, []
    with evaluating(model, device), torch.inference_mode(), autocast(device, precision):
        for start in range(0, len(rows), BATCH_SIZE):
            batch = pad_rows(rows[start : start + BATCH_SIZE], model.config, device)
            labels = batch["labels"]
            predicted = model(**batch).logits.argmax(dim=-1)
            counted, hit = labels != NOT_ASKED, (predicted == labels) & (labels != NOT_ASKED)
            right, count = right + int(hit.sum()), count + int(counted.sum())
            del batch["labels"]
            written = model.generate(  # type: ignore[operator]
                **batch, do_sample=False, num_beams=1, max_new_tokens=length.max_tokens
            )
            texts = tokenizer.batch_decode(written, skip_special_tokens=True)
            for row, text in enumerate(texts):
                gold = labels[row][counted[row]]
                written_tokens = written[row][1 : 1 + len(gold)]
                exact += int(written_tokens.equal(gold))
                scored.append(
                    {"accuracy": float(hit[row].sum() / counted[row].sum()), "written": text}
                )
    predictions = pd.DataFrame(scored)
    predictions.insert(0, "id", test["id"])
    return {"accuracy": right / count, "written": exact / len(rows)}, predictions
