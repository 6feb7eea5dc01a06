"""The explorer of any text and model, without the pipeline: one page, and its numbers.

The page (``page.html``) holds all that it shows and requests nothing, so it opens from a disk.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from attention_mixing.methods.extras import extra

with extra("models", __name__):
    import jinja2

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from attention_mixing import explorer
from attention_mixing.capture.gradients import gradients
from attention_mixing.capture.one_text import RecordedText, read_text
from attention_mixing.errors import InputError
from attention_mixing.explorer.content import (
    File,
    ShownState,
    ShownText,
    joint_files_of_text,
    text_files,
)
from attention_mixing.markup import in_line
from attention_mixing.measures import measure
from attention_mixing.measures.of_text import PROPAGATION
from attention_mixing.measures.rows import METHODS
from attention_mixing.methods.projection import FEWEST_POINTS
from attention_mixing.models.accepted import load_named
from attention_mixing.models.encode import encode_one
from attention_mixing.models.probing import most_tokens
from attention_mixing.models.source import EMBEDDED_NAME
from attention_mixing.models.token_ablation import Removal, ablate, possible
from attention_mixing.params.states import JOINT, STREAMS

__all__ = ["Explained", "Framed", "explain", "show"]

HERE = Path(__file__).parent
LANGUAGES = ("en", "ja")
# Flow from one token takes a time that grows with the square of their number. With so many weights
# in all, it takes a few seconds: all tokens of a text of up to 100, and three of one of 512.
FLOW_WEIGHTS = 1_000_000
BATCH = 32
LONG = 20  # seconds; what may take longer is announced

Loaded = tuple[PreTrainedModel, PreTrainedTokenizerBase]


@dataclass(frozen=True)
class Explained:
    """What was read of some texts by one model, or by two.

    Attributes
    ----------
    name
        Of the first model.
    states
        Names of the models.
    texts
        Of every text that could be read, each of its streams.
    places
        Of these among the texts that were given, from 1.
    head
        Class of the head that the first model has and that gives no probabilities, or None.
    """

    name: str
    states: tuple[str, ...]
    texts: list[list[ShownText]]
    places: list[int]
    head: str | None

    def page(self) -> str:
        """Write the page, HTML."""
        streams = [
            {
                "name": text.stream,
                "layers": len(text.first["attention"]),
                "heads": text.first["attention"].shape[1],
                "numbers": False,
                "map": "alone" if text.stream != STREAMS[2] and self._can_be_mapped else "",
            }
            for text in self.texts[0]
        ]
        titles = [
            in_line(str(of_text[0].first.example["text"]))[: explorer.TITLE]
            for of_text in self.texts
        ]
        listed = {
            "name": self.name,
            "models": True,
            "states": self.states,
            "streams": streams,
            "texts": [{"id": index, "title": title} for index, title in enumerate(titles)],
        }
        opening = {
            "e": self.name,
            "x": streams[0]["name"],
            "l": streams[0]["layers"],
            "s": explorer.BOTH if len(self.states) > 1 else self.states[0],
        }
        files = "\n".join(
            explorer.in_page(content, name)
            for index, of_text in enumerate(self.texts)
            for text in of_text
            for name, content in self._files(text, index)
        )
        wordings = {language: explorer.said(language) for language in LANGUAGES}
        notes = {
            language: [
                words["page_of"].format(name=", ".join(self.states)),
                *([words["left_out_head"].format(head=self.head)] if self.head else []),
            ]
            for language, words in wordings.items()
        }
        environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
        template = environment.from_string((HERE / "page.html").read_text(encoding="utf-8"))
        return template.render(
            languages={language: words["language"] for language, words in wordings.items()},
            title=wordings["en"]["title"],
            notes=notes,
            titles={language: words["title"] for language, words in wordings.items()},
            style=(explorer.HERE / explorer.STYLE).read_text(encoding="utf-8"),
            component=explorer.component([listed], opening, *LANGUAGES),
            files=files,
            scripts=[
                (explorer.HERE / script).read_text(encoding="utf-8") for script in explorer.SCRIPTS
            ],
        )

    def _files(self, text: ShownText, index: int) -> Iterator[File]:
        name = "/".join(filter(None, (self.name, text.stream, f"text-{index}")))
        yield from text_files(name, text)
        if text.stream != STREAMS[2] and self._can_be_mapped:
            yield from joint_files_of_text(name, index, text)

    @property
    def _can_be_mapped(self) -> bool:
        """Whether every text has queries and keys enough for a map."""
        texts = (text.first for of_text in self.texts for text in of_text)
        return all(2 * len(text.tokens) >= FEWEST_POINTS for text in texts)

    def numbers(self) -> pd.DataFrame:
        """List what every token draws on: a row for each layer, query and key.

        Returns
        -------
        DataFrame
            ``text`` (its place among those given, from 1), ``model``, ``stream``, ``layer`` and the
            tokens ``query`` and ``key`` by their places (from 0) and as they are shown; a column
            for each method (:mod:`attention_mixing.measures.rows`), and ``head_H`` for the weights
            of each head.
        """
        tables = [
            _numbers(text, state).assign(text=number, model=state, stream=text.stream)
            for number, of_text in zip(self.places, self.texts, strict=True)
            for text in of_text
            for state in self.states
        ]
        first = ["text", "model", "stream"]
        table = pd.concat(tables, ignore_index=True)
        return table[[*first, *(column for column in table if column not in first)]]


class Framed(str):
    """HTML of a page that a notebook shows in a frame of its own."""

    def _repr_html_(self) -> str:
        frame = f'srcdoc="{escape(self)}" width="100%" height="1150" frameborder="0"'
        return f"<iframe {frame}></iframe>"


def show(
    text: str,
    second: str | None = None,
    *,
    model: str = EMBEDDED_NAME,
    compare: str | None = None,
    words: Sequence[str] = (),
) -> Framed:
    """Show one text in a notebook; arguments are those of :func:`explain`."""
    return Framed(explain([(text, second)], model, compare=compare, words=words).page())


def explain(
    texts: Sequence[tuple[str, str | None]],
    model: str,
    leave_out: Callable[[int, InputError], None] | None = None,
    words: Sequence[str] = (),
    compare: str | None = None,
) -> Explained:
    """Read texts, and take the measures that the explorer shows.

    Parameters
    ----------
    texts
        Each alone, or with a second one that the model reads together with it; an encoder-decoder
        needs one, its target.
    model
        As :func:`attention_mixing.capture.one_text.capture_text` takes it, but by name.
    leave_out
        Called with the place of every text that the model cannot read, and with why; the page holds
        the others. None refuses the first.
    words
        As ``capture_text`` takes them: among which a language model is to choose.
    compare
        A second model of the same layers and heads, with a tokenizer that makes the same tokens.

    Returns
    -------
    Explained
        Every text that could be read, in all its streams, by every model.

    Raises
    ------
    InputError
        As ``capture_text`` does, if no text is left, or if the two models cannot be compared.
    """
    for entry in texts:
        if not isinstance(entry, tuple) or len(entry) != 2:
            raise InputError(
                f"texts holds {entry!r}; allowed: pairs of a text and a second one, or None for no "
                "second one; give [(text, None)]."
            )
    models = [model] if compare is None else [model, compare]
    directories = [Path(name).resolve() for name in models if isinstance(name, str | Path)]
    if len({*directories}) < len(directories):
        raise InputError(f"{model} is compared with itself; name another model to compare with.")
    if len(models) > 1 and explorer.BOTH in _names(models):
        raise InputError(
            f"one of {model} and {compare} is named {explorer.BOTH}, as the page names the two "
            "together; rename its directory."
        )
    loaded = {
        name: load_named(directory, words)
        for name, directory in zip(_names(models), models, strict=True)
    }
    first = next(iter(loaded.values()))
    if first[0].config.is_encoder_decoder and any(second is None for _, second in texts):
        raise InputError(
            f"{model} is an encoder-decoder, which reads a text and its target, and a text is "
            "given without one; give (text, target), or --pair TARGET on the command line."
        )
    readable = list(_readable(texts, *first, leave_out))
    if not readable:
        raise InputError(f"none of the {len(texts)} texts can be read by {model}; correct them.")
    explained = [_explained(*texts[index], loaded) for index in readable]
    recorded = next(iter(explained[0][0].states.values())).text
    assert isinstance(recorded, RecordedText)
    places = [index + 1 for index in readable]
    return Explained(next(iter(loaded)), tuple(loaded), explained, places, recorded.head_left_out)


def _names(models: Sequence[str]) -> list[str]:
    """Name models as the page does: by the last part of their paths that tells them apart."""
    if not all(isinstance(model, str | Path) for model in models):
        return list(map(str, models))  # which are refused when they are loaded
    paths = [Path(model).absolute() for model in models]  # a name on its own has a path too
    while len(paths) > 1 and len({path.name for path in paths}) == 1:
        paths = [path.parent for path in paths]
    return [path.name or model for path, model in zip(paths, models, strict=True)]


def _readable(
    texts: Sequence[tuple[str, str | None]],
    network: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    leave_out: Callable[[int, InputError], None] | None,
) -> Iterator[int]:
    """Give the places of the texts that the model can read, and tell of the others."""
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


def _explained(text: str, second: str | None, models: dict[str, Loaded]) -> list[ShownText]:
    """Read a text by every model; of an encoder-decoder, give each stream."""
    read = {}
    for name, (network, tokenizer) in models.items():
        two = network.config.is_encoder_decoder
        pair, target = (None, second) if two else (second, None)
        read[name] = read_text(text, pair, network, tokenizer, target)
    _require_alike(read)
    whole = next(iter(read.values()))
    streams = STREAMS if whole.stream == JOINT else ("",)
    return [
        ShownText(
            {name: _state(recorded, stream, *models[name]) for name, recorded in read.items()},
            stream,
        )
        for stream in streams
    ]


def _require_alike(read: dict[str, RecordedText]) -> None:
    """Refuse two models of which a page could not show one beside the other."""
    (first, reference), *others = read.items()
    for name, compared in others:
        tokens = [list(text.tokens["token"]) for text in (reference, compared)]
        if tokens[0] != tokens[1]:
            raise InputError(
                f"{first} and {name} make other tokens of {reference.example['text']!r} "
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
        return ShownState(recorded.of(stream), rows)
    text = recorded.of(stream) if stream else recorded
    settings = PROPAGATION.model_copy(
        update={"flow_sources": max(1, FLOW_WEIGHTS // len(text.tokens) ** 2)}
    )
    rows = measure(text, "rows", propagation=settings).fields["rows"]
    prediction, predicted = _prediction(text, network, tokenizer)
    return ShownState(text, rows, prediction, predicted)


def _prediction(
    text: RecordedText, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase
) -> tuple[dict[str, NDArray], dict[str, Any] | None]:
    """Give what the prediction owes to each token: by its gradient, and by how much it falls.

    The mask takes the place of a token that is removed, or none where the tokenizer has none.
    """
    if "prediction" not in text.example:
        return {}, None
    label = int(text.example["prediction"])
    removal: Removal = "mask" if "mask" in possible(tokenizer) else "delete"
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
    predicted = {"label": names.get(label, str(label)), "probability": float(f"{probability:.4g}")}
    return {"gradient_norm": slope.gradient_norm, f"left_out_{removal}": removed}, predicted


def _numbers(text: ShownText, state: str) -> pd.DataFrame:
    """List the numbers of a text in one state."""
    queries, keys = (list(tokens["token"]) for tokens in text.tokens)
    measured = text.states[state]
    attention = measured.text["attention"]
    layers, heads, _, sources = attention.shape
    layer, query, key = np.indices((layers, len(queries), len(keys))).reshape(3, -1)
    table = pd.DataFrame({"layer": layer + 1, "query": query, "key": key})
    table["query_token"], table["key_token"] = np.take(queries, query), np.take(keys, key)
    for method in METHODS:
        table[method] = measured.rows[method].ravel()
    weights = np.full((layers, heads, len(queries), len(keys)), np.nan, np.float32)
    weights[..., :sources] = attention
    of_heads = {f"head_{head + 1}": weights[:, head].ravel() for head in range(heads)}
    return table.assign(**of_heads)
