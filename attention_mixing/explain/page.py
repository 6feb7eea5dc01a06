"""What was read of some texts: as one page that requests nothing, and in numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import jinja2
import numpy as np
import pandas as pd
from tqdm import tqdm

from attention_mixing import explorer
from attention_mixing.explain.marked import strongest_pair
from attention_mixing.explorer.columns import DEPENDENCE, METHODS
from attention_mixing.explorer.content import File, ShownText, joint_files_of_text, text_files
from attention_mixing.markup import in_line
from attention_mixing.measures.marked_pairs import DIRECTIONS
from attention_mixing.methods.projection import FEWEST_POINTS
from attention_mixing.settings.derived import STREAMS

HERE = Path(__file__).parent
LANGUAGES = ("en", "ja")
# Direction of marked pairs -> what the cells of the heads show (``pairs.js``).
CELLS = dict(zip(DIRECTIONS, ("pairs", "pairs_back", "pairs_before"), strict=True))


@dataclass(frozen=True, repr=False)
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
    heads
        Class of the head that is left out, of each model that has one.
    given
        Name of a model -> what was given for it, which the page shows.
    ranked
        Heads by their weight on marked pairs
        (:func:`attention_mixing.explain.marked.ranked`); None where none is marked.
    """

    name: str
    states: tuple[str, ...]
    texts: list[list[ShownText]]
    places: list[int]
    heads: dict[str, str]
    given: dict[str, str]
    ranked: pd.DataFrame | None = None

    def __repr__(self) -> str:  # noqa: D105
        read = f"{len(self.texts)} texts by {', '.join(self.states)}"
        return f"<Explained: {read}; page() and numbers() give it>"

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
            "models": self.given,
            "states": self.states,
            "streams": streams,
            "texts": [{"id": index, "title": title} for index, title in enumerate(titles)],
        }
        opened = next((text for text in self.texts[0] if text.pairs), self.texts[0][0])
        opening: dict[str, Any] = {
            "e": self.name,
            "x": opened.stream,
            "s": explorer.BOTH if len(self.states) > 1 else self.states[0],
        }
        if self.ranked is not None and opened.pairs:
            of_stream = self.ranked[self.ranked["stream"] == opened.stream]
            opening["c"] = CELLS[of_stream["direction"].iloc[0]]
            layer, head, query, key = strongest_pair(opened.pairs, opened.stream, self.ranked)
            opening |= {"l": layer + 1, "h": head + 1, "q": query, "k": key}
            if len(self.states) > 1 and of_stream["model"].iloc[0] == self.name:
                opening["b"] = "before"
        files = "\n".join(
            explorer.file_in_page(name, content)
            for index, of_text in enumerate(tqdm(self.texts, "write", disable=None, unit="text"))
            for text in of_text
            for name, content in self._files(text, index)
        )
        wordings = {language: explorer.said(language) for language in LANGUAGES}
        notes = {
            language: [
                words["page_of"].format(name=", ".join(self.given.values())),
                *(
                    words["left_out_head"].format(name=self.given[name], head=self.heads[name])
                    for name in self.heads
                ),
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
            for each method (:data:`attention_mixing.explorer.columns.METHODS`), ``dependence``,
            which is not a number where it was not measured, and ``head_H`` for the weights of each
            head. Where the model predicts, also ``prediction``, its
            ``probability``, and a column for each method by which it owes something to ``key``:
            ``gradient_norm``, and ``left_out_mask`` or ``left_out_delete``.
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

    def __repr__(self) -> str:  # noqa: D105
        return f"<a page of {len(self) // 1000} kB; a notebook shows it, str() is its HTML>"

    def _repr_html_(self) -> str:
        frame = f'srcdoc="{escape(self)}" width="100%" height="1150" frameborder="0"'
        return f"<iframe {frame}></iframe>"


def _numbers(text: ShownText, state: str) -> pd.DataFrame:
    """List the numbers of a text in one state."""
    queries, keys = (list(tokens["token"]) for tokens in text.tokens)
    measured = text.states[state]
    attention = measured.text["attention"]
    layers, heads, _, sources = attention.shape
    layer, query, key = np.indices((layers, len(queries), len(keys))).reshape(3, -1)
    table = pd.DataFrame({"layer": layer + 1, "query": query, "key": key})
    table["query_token"], table["key_token"] = np.take(queries, query), np.take(keys, key)
    for method in (*METHODS, DEPENDENCE):
        table[method] = measured.rows[method].ravel() if method in measured.rows else np.nan
    # Weights of cross-attention are on the source alone.
    table.loc[key >= sources, "raw"] = np.nan
    weights = np.full((layers, heads, len(queries), len(keys)), np.nan, np.float32)
    weights[..., :sources] = attention
    of_heads = {f"head_{head + 1}": weights[:, head].ravel() for head in range(heads)}
    table = table.assign(**of_heads)
    if measured.predicted is None:
        return table
    owed = {method: values[key] for method, values in measured.prediction.items()}
    label, probability = (measured.predicted[part] for part in ("label", "probability"))
    return table.assign(prediction=label, probability=probability, **owed)
