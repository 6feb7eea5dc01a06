"""Texts read by one model, or by two, and the measures that the explorer shows."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from attention_mixing.attributions.catalogue import LEFT_OUT
from attention_mixing.attributions.through import ThroughLayers
from attention_mixing.capture.gradients import gradients
from attention_mixing.capture.one_text import RecordedText
from attention_mixing.errors import InputError, quoted
from attention_mixing.explain.marked import MarkedText, pairs_in, read_with, strongest_pair
from attention_mixing.explorer.content import ShownState, ShownText, telling_place
from attention_mixing.explorer.score import ShownScore, score_in_states
from attention_mixing.markup import visible
from attention_mixing.measures.engine.one_text import measure
from attention_mixing.models.dummy_inputs import most_tokens
from attention_mixing.models.encode import encode_one
from attention_mixing.models.next_word import NextWord
from attention_mixing.models.token_ablation import ablate, possible
from attention_mixing.models.user_models import Loaded
from attention_mixing.settings.derived import JOINT, STREAMS
from attention_mixing.settings.measures import Removal

# Flow from one token takes a time that grows with the square of their number. With so many weights
# in all, it takes a few seconds: all tokens of a text of up to 100, and three of one of 512.
FLOW_WEIGHTS = 1_000_000
# Tokens of a text at most whose dependence is measured, and of which a score is taken apart: the
# model reads it as often as four times their number, and as there are heads and networks below, so
# that a longer one would take minutes.
REPLACED = 64
BATCH = 32
LONG = 20  # seconds; what may take longer is announced


def names_of_models(models: Sequence[str]) -> list[str]:
    """Name models as the page does: by the last part of their paths that tells them apart.

    They are directories, or names of the hub.
    """
    if not all(isinstance(model, str | Path) for model in models):
        return list(map(str, models))  # which are refused when they are loaded
    paths = [Path(model).absolute() for model in models]  # a name on its own has a path too
    while len(paths) > 1 and len({path.name for path in paths}) == 1:
        paths = [path.parent for path in paths]
    return [path.name or model for path, model in zip(paths, models, strict=True)]


def readable_texts(
    texts: Sequence[tuple[str, str | None]],
    network: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    leave_out: Callable[[int, InputError], None] | None,
) -> Iterator[int]:
    """Give the places of the texts that a model can read, and tell of the others.

    Texts are alone, or with a second one. ``leave_out`` is called with the place of every other
    text, and with why; None gives the places of all.
    """
    for index, (text, second) in enumerate(texts):
        if leave_out is None:
            yield index  # and what cannot be read is refused where it is
            continue
        pair = None if network.config.is_encoder_decoder else second
        try:
            encode_one(text, pair, tokenizer, most_tokens(network))
        except InputError as error:
            leave_out(index, error)
        else:
            yield index


def read_by_all(
    text: str,
    second: str | None,
    models: dict[str, Loaded],
    marked: Sequence[MarkedText] = (),
    ranked: pd.DataFrame | None = None,
) -> list[ShownText]:
    """Read a text by every model; of an encoder-decoder, give each stream.

    ``second`` is read together with the text; of an encoder-decoder it is the target. A text is
    refused if a model cannot read it, or models make other tokens of it or differ in shape. Its
    pairs are those of the texts in ``marked`` that are the same, by which heads are ``ranked``.
    """
    read = {name: read_with(text, second, loaded) for name, loaded in models.items()}
    _require_alike(read)
    whole = next(iter(read.values()))
    shown = []
    for stream in STREAMS if whole.stream == JOINT else ("",):
        of_stream = {name: one.of(stream) if stream else one for name, one in read.items()}
        of_first = next(iter(of_stream.values()))
        pairs = pairs_in(of_first, text, second, marked, next(iter(models.values())))
        states = {name: _state(recorded, stream, *models[name]) for name, recorded in read.items()}
        unscored = ShownText(states, stream, pairs)
        place = (
            strongest_pair(pairs, stream, ranked)
            if pairs and ranked is not None
            else telling_place(unscored)
        )
        shown.append(replace(unscored, score=_score(of_stream, place) if place else None))
    return shown


def _score(
    texts: Mapping[str, RecordedText], place: tuple[int, int, int, int]
) -> ShownScore | None:
    """Take one score of a text apart in every model.

    None of a text that is too long for it, or whose key is hidden there.
    """
    first = next(iter(texts.values()))
    if max(first["attention"].shape[2:]) > REPLACED:
        return None
    layer, _, query, key = place
    if not all(text["visible"][layer, query, key] for text in texts.values()):
        return None
    return score_in_states(texts, *place)


def _require_alike(read: dict[str, RecordedText]) -> None:
    """Refuse two models of which a page could not show one beside the other."""
    (first, reference), *others = read.items()
    for name, compared in others:
        tokens = [list(text.tokens["token"]) for text in (reference, compared)]
        if tokens[0] != tokens[1]:
            raise InputError(
                f"{first} and {name} make other tokens of {quoted(reference.example['text'])} "
                f"({len(tokens[0])} and {len(tokens[1])} of them); compare models with the same "
                "tokenizer."
            )
        shapes = [
            {
                array: values.shape[:2]
                for array, values in text.arrays.items()
                if "attention" in array
            }
            for text in (reference, compared)
        ]
        if shapes[0] != shapes[1]:
            raise InputError(
                f"{first} and {name} have other layers and heads; compare models of the same shape."
            )


def _state(
    recorded: RecordedText,
    stream: str,
    network: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
) -> ShownState:
    """Measure one stream of a text."""
    if stream == STREAMS[2]:
        rows = measure(recorded, "rows_of_target").fields["rows_of_target"]
        rows |= _measured_rows(recorded, "measured_rows_of_target")
        return ShownState(recorded.of(stream), rows)
    text = recorded.of(stream) if stream else recorded
    settings = ThroughLayers(flow_sources=max(1, FLOW_WEIGHTS // len(text.tokens) ** 2))
    rows = measure(text, "rows", settings=settings).fields["rows"]
    rows |= _measured_rows(text, "measured_rows")
    prediction, predicted = _prediction(text, network, tokenizer)
    return ShownState(text, rows, prediction, predicted)


def _measured_rows(text: RecordedText, name: str) -> dict[str, NDArray]:
    """Measure what tokens depend on, where the text is not too long for it."""
    return measure(text, name).fields.get(name, {}) if len(text.tokens) <= REPLACED else {}


def _prediction(
    text: RecordedText, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase
) -> tuple[dict[str, NDArray], dict[str, Any] | None]:
    """Give what the prediction owes to each token: by its gradient, and by how much it falls.

    The mask takes the place of a token that is removed, or none where the tokenizer has none.
    """
    if "prediction" not in text.example:
        return {}, None
    label = int(text.example["prediction"])
    removal: Removal = "mask" if "mask" in possible(tokenizer, model.config) else "delete"
    options: dict[str, Any] = {"device": model.device, "batch_size": BATCH}

    def probabilities(variants: list[set[int]]) -> NDArray[np.float64]:
        return ablate(model, tokenizer, [text.encoded], [variants], removal=removal, **options)[0][
            :, label
        ]

    places = np.flatnonzero(~text.special)
    started = time.monotonic()
    (probability,) = probabilities([set()])
    seconds = len(places) * (time.monotonic() - started)
    if seconds > LONG:
        sys.stderr.write(
            f"The prediction without each of {len(places)} tokens takes about "
            f"{seconds / 60:.1f} minutes.\n"
        )
    removed = np.full(len(text.tokens), np.nan)
    removed[places] = probability - probabilities([{int(position)} for position in places])
    (slope,) = gradients(model, [text.encoded], targets=[label], **options)
    names: Mapping[Any, str] = model.config.id2label or {}
    predicted = {
        "label": names.get(label, str(label)),
        "probability": float(f"{probability:.4g}"),
        **_among_words(text, model),
    }
    return {"gradient_norm": slope.gradient_norm, LEFT_OUT[removal]: removed}, predicted


def _among_words(text: RecordedText, model: PreTrainedModel) -> dict[str, Any]:
    """Give the words that a model chooses among, and what a language model would say itself."""
    if not isinstance(model, NextWord):
        return {}
    words: dict[str, Any] = {"among": list((model.config.id2label or {}).values())}
    if text.next_tokens is None:
        return words
    table = text.next_tokens[["written", "probability"]]
    listed = [[visible(token), float(f"{odds:.4g}")] for token, odds in table.to_numpy().tolist()]
    return words | {"next": listed}
