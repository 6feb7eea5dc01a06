"""One page for one or several texts: what every head reads, and where a token's vector comes from.

The page (``page.html``) holds all that it shows and requests nothing, so it opens from a disk; its
words are in ``en.ftl`` and ``ja.ftl`` beside it.
"""

from __future__ import annotations

import base64
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from analysis.methods.extras import extra

with extra("models", __name__):
    import jinja2

import numpy as np
from numpy.typing import NDArray
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from analysis.capture.one_text import RecordedText, load, read_text
from analysis.errors import InputError
from analysis.figures.markup import in_line, visible
from analysis.figures.words import Words
from analysis.measures.blocks import blocks
from analysis.measures.mixing import MEASURED_SCOPE
from analysis.measures.propagation import spread_sources
from analysis.methods.attention import head_mean
from analysis.methods.flow import attention_flow
from analysis.methods.mixing import row_normalised
from analysis.methods.rollout import attention_rollout, with_residual
from analysis.models.ablation import ablate, possible
from analysis.models.encode import encode_one
from analysis.models.reading import most_tokens

HERE = Path(__file__).parent
LANGUAGES = ("en", "ja")
RESIDUAL = 0.5
# Flow from one token takes a time that grows with the square of their number. With so many weights
# in all, it takes a few seconds: all tokens of a text of up to 100, and three of one of 512.
FLOW_WEIGHTS = 1_000_000
BATCH = 32
LONG = 20  # seconds; what may take longer is announced


def explain(
    texts: Sequence[tuple[str, str | None]],
    model: str,
    leave_out: Callable[[int, InputError], None] | None = None,
    words: Sequence[str] = (),
) -> str:
    """Write the page.

    Parameters
    ----------
    texts
        Each alone, or with a second one that the model reads together with it.
    model
        As :func:`analysis.capture.one_text.capture_text` takes it, but by name.
    leave_out
        Called with the place of every text that the model cannot read, and with why; the page holds
        the others. None refuses the first.

    words
        As ``capture_text`` takes them: among which a language model is to choose.

    Returns
    -------
    str
        HTML.

    Raises
    ------
    InputError
        As ``capture_text`` does, if the model reads a text with its target, or if no text is left.
    """
    for given in texts:
        if not isinstance(given, tuple) or len(given) != 2:
            raise InputError(
                f"texts holds {given!r}; allowed: pairs of a text and a second one, or None for no "
                "second one; give [(text, None)]."
            )
    loaded = load(model, words)
    if loaded[0].config.is_encoder_decoder:
        raise InputError(
            f"{model} holds an encoder-decoder ({loaded[0].config.model_type}), which the page "
            "does not show; give an encoder or a decoder, or read the text and its target with "
            "capture_text."
        )
    kept = list(texts if leave_out is None else _readable(texts, *loaded, leave_out))
    if not kept:
        raise InputError(f"none of the {len(texts)} texts can be read by {model}; correct them.")
    said = {language: dict(_words(language)) for language in LANGUAGES}
    data = {
        "model": Path(model).name,
        "texts": [_explained(text, pair, loaded) for text, pair in kept],
        "words": said,
    }
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    template = environment.from_string((HERE / "page.html").read_text(encoding="utf-8"))
    return template.render(data=data, words=said, languages=LANGUAGES)


def _readable(
    texts: Sequence[tuple[str, str | None]],
    network: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    leave_out: Callable[[int, InputError], None],
) -> Iterator[tuple[str, str | None]]:
    """Give the texts that the model can read, and tell of the others."""
    for place, (text, pair) in enumerate(texts):
        try:
            encode_one(text, pair, tokenizer, most_tokens(network))
        except InputError as error:
            leave_out(place, error)
        else:
            yield text, pair


def _words(language: str) -> Words:
    words = Words(language)
    words.read(HERE / f"{language}.ftl")
    return words


def _explained(
    text: str, pair: str | None, loaded: tuple[PreTrainedModel, PreTrainedTokenizerBase]
) -> dict[str, Any]:
    """Give all that the page shows of one text."""
    recorded = read_text(text, pair, *loaded)
    attention = recorded["attention"]
    tokens = len(recorded.tokens)
    sources = spread_sources(tokens, FLOW_WEIGHTS // tokens**2)
    return {
        "text": in_line(recorded.example["text"]),
        "tokens": [visible(token) for token in recorded.shown_tokens["token"]],
        "layers": len(attention),
        "heads": attention.shape[1],
        "sources": sources.tolist(),
        "attention": _packed(attention),
        "rows": {name: _packed(rows) for name, rows in _rows(recorded, sources).items()},
        **_removal(recorded, *loaded),
    }


def _rows(text: RecordedText, sources: NDArray[np.int64]) -> dict[str, NDArray]:
    """Give ``[layer, query, key]`` of every method, for ``flow`` the rows of its sources."""
    raw = head_mean(text["attention"])
    mixed = with_residual(raw, RESIDUAL)
    flow = attention_flow(mixed, sources=sources, layers="all").values
    return {
        "raw": raw,
        "vectors": np.stack(
            [row_normalised(block.norms(MEASURED_SCOPE)) for block in blocks(text)]
        ),
        "rollout": attention_rollout(mixed),
        "flow": flow / flow.sum(axis=-1, keepdims=True),
    }


def _removal(
    text: RecordedText, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase
) -> dict[str, Any]:
    """Give by how much the probability of the predicted class falls without each token.

    The mask takes its place, or none where the tokenizer has none. Of a model that gives no
    probability, name the head that is left out, if it has one.
    """
    if "prediction" not in text.example:
        return {"removed": None, "prediction": None, "head": text.head_left_out}
    label = text.example["prediction"]
    removal = "mask" if "mask" in possible(tokenizer) else "delete"
    options: dict[str, Any] = {"removal": removal, "device": model.device, "batch_size": BATCH}

    def probabilities(variants: list[set[int]]) -> NDArray[np.float64]:
        return ablate(model, tokenizer, [text.encoded], [variants], **options)[0][:, label]

    places = np.flatnonzero(~text.special)
    started = time.monotonic()
    (probability,) = probabilities([set()])
    seconds = len(places) * (time.monotonic() - started)
    if seconds > LONG:
        sys.stderr.write(
            f"The prediction without each of {len(places)} tokens takes about "
            f"{seconds / 60:.1f} minutes.\n"
        )
    removed = np.zeros(len(text.tokens))
    removed[places] = probability - probabilities([{int(place)} for place in places])
    names = model.config.id2label or {}
    prediction = {"label": names.get(label, str(label)), "probability": float(probability)}
    prediction["removal"] = removal
    return {"removed": removed.round(5).tolist(), "prediction": prediction, "head": None}


def _packed(weights: NDArray) -> str:
    """Weights in [0, 1] as base64 of deflated bytes, ``round(255 sqrt(w))``, as the page reads."""
    bytes_ = np.round(255 * np.sqrt(np.clip(weights, 0, 1))).astype(np.uint8)
    return base64.b64encode(zlib.compress(bytes_.tobytes(), level=1)).decode("ascii")
