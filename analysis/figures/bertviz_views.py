"""BertViz on pages of its own: head view, model view and neuron view (Vig, 2019), no network.

The scripts are those of the installed package, unchanged. It shows them in a notebook, where
RequireJS fetches jQuery and d3 5 from elsewhere; here both lie beside the two sites, and d3 is the
version 3 that a package on PyPI holds. The page around a script, ``bertviz_views.html``, adds a
stand-in for RequireJS, the three names of d3 5 that the scripts call, no console, words in the
page's language, and colours that follow the report.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.figures import markup
from analysis.figures.words import words

# One colour a head (d3's own ten repeat after the tenth), in this order, again for layers.
COLOURS = (
    *("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#999933"),
    *("#D55E00", "#AA4499", "#44AA99", "#7570B3", "#A0614A", "#8b93a0"),
)
# Decimals: more than the opacity of a line can show.
_WEIGHT, _VECTOR = 4, 3

# What the scripts write on their drawings -> the word of the page.
_ON_DRAWING = {
    "Heads": "drawn_heads",
    "Layers": "drawn_layers",
    "Query ": "drawn_query",
    "Key ": "drawn_key",
    "q \u00d7 k (elementwise)": "drawn_product",
    "Softmax": "drawn_softmax",
    "No token selected": "drawn_none",
}
_PAGE = Path(__file__).with_suffix(".html")


@dataclass(frozen=True)
class Attention:
    """What a view shows.

    Attributes
    ----------
    weights
        ``[layer, head, query, key]``.
    left, right
        Tokens that read and that are read, ``[query]`` and ``[key]``.
    name
        In the list of attentions, where there are several; shown as it is.
    """

    weights: NDArray[np.floating]
    left: Sequence[str]
    right: Sequence[str]
    name: str | None = None

    def data(self) -> dict[str, Any]:
        """In BertViz's format."""
        return {
            "name": self.name,
            "attn": _rounded(self.weights, _WEIGHT),
            "left_text": list(self.left),
            "right_text": list(self.right),
        }


@dataclass(frozen=True)
class View:
    """A view as a page of its own.

    Attributes
    ----------
    page
        HTML.
    title
        As text.
    height
        That shows all of it at the width of the column, in CSS pixels.
    """

    page: str
    title: str
    height: int


def head_view(attentions: Sequence[Attention], layer: int, subject: str, language: str) -> View:
    """Draw one layer: the tokens in two columns, a line for every pair and head.

    Parameters
    ----------
    attentions
        The reader chooses one; all with the same number of layers and heads.
    layer
        Shown first, counted from one.
    subject
        What is shown, for the title, such as the text.
    language
        ``en`` or ``ja``.
    """
    layers, heads = attentions[0].weights.shape[:2]
    w = words(language, "anatomy")
    choices = [_select("layer", w["choose_layer"])]
    if len(attentions) > 1:
        names = [str(one.name) for one in attentions]
        choices.append(_select("filter", w["choose_attention"], names))
    params = {
        "attention": [one.data() for one in attentions],
        "layer": layer,
        "heads": None,
        "include_layers": list(range(1, layers + 1)),
    }
    tokens = max(max(len(one.left), len(one.right)) for one in attentions)
    width = max(340, 20 * heads)
    return _view("head_view", subject, language, params, choices, width, 30 + 22.5 * tokens)


def model_view(attention: Attention, subject: str, language: str) -> View:
    """Draw every layer and head as a thumbnail.

    Parameters
    ----------
    attention
        Of one kind.
    subject
        What is shown, for the title, such as the text.
    language
        ``en`` or ``ja``.
    """
    layers, heads = attention.weights.shape[:2]
    params = {
        "attention": [attention.data()],
        "include_layers": list(range(1, layers + 1)),
        "include_heads": list(range(1, heads + 1)),
        "total_heads": heads,
    }
    tokens = max(len(attention.left), len(attention.right))
    rows = 38 + layers * (tokens * 84 / heads + 10)
    return _view("model_view", subject, language, params, [], 970, max(rows, 55 + 18 * tokens))


def neuron_view(
    attention: Attention,
    queries: NDArray[np.floating],
    keys: NDArray[np.floating],
    layer: int,
    head: int,
    query: int,
    subject: str,
    language: str,
) -> View:
    """Draw how the weights of one head come from its queries and keys.

    Parameters
    ----------
    attention
        Of one kind, of a model in which every token may read every token.
    queries, keys
        ``[layer, head, token, dimension]``.
    layer, head
        Shown first, counted from one.
    query
        The token whose calculation is shown first, counted from zero.
    subject
        What is shown, for the title, such as the text.
    language
        ``en`` or ``ja``.
    """
    w = words(language, "anatomy")
    params = {
        "attention": {
            "all": attention.data()
            | {"queries": _rounded(queries, _VECTOR), "keys": _rounded(keys, _VECTOR)}
        },
        "default_filter": "all",
        "bidirectional": True,
        "layer": layer - 1,
        "head": head - 1,
    }
    choices = [_select("layer", w["choose_layer"]), _select("att_head", w["choose_head"])]
    height = 100 + 26 * len(attention.right)
    return _view("neuron_view", subject, language, params, choices, 1020, height, query)


def fold(view: View, address: str, language: str) -> str:
    """Open a view inside the page, and link to it.

    Parameters
    ----------
    view
        Already written to a file.
    address
        Of that file, from the page.
    language
        ``en`` or ``ja``.
    """
    title, w = markup.escape(view.title), words(language, "anatomy")
    # Browsers load a lazy frame within a closed fold all the same.
    load = "const frame = this.querySelector('iframe'); frame.src ||= frame.dataset.src"
    summary = w["open_view"].format(view=title)
    return (
        f'<details class="view" ontoggle="{load}"><summary>{summary}</summary>'
        f'<iframe data-src="{address}" title="{title}" height="{view.height}"></iframe>'
        f'</details><p class="sources"><a href="{address}">{w["alone"]}</a></p>'
    )


def _rounded(values: NDArray[np.floating], decimals: int) -> list[Any]:
    rounded: list[Any] = np.round(values.astype(float), decimals).tolist()
    return rounded


def _select(name: str, label: str, options: Sequence[str] = ()) -> str:
    items = "".join(f'<option value="{i}">{escape(o)}</option>' for i, o in enumerate(options))
    return f'<label for="{name}">{escape(label)}</label><select id="{name}">{items}</select>'


def _view(
    name: str,
    subject: str,
    language: str,
    params: dict[str, Any],
    choices: Sequence[str],
    width: int,
    drawn: float,
    query: int | None = None,
) -> View:
    w = words(language, "anatomy")
    # The model view gives layer 1 the second of ten colours.
    colours = (COLOURS[9], *COLOURS[:9]) if name == "model_view" else COLOURS
    given = {
        "params": {"default_filter": "0", "root_div_id": "view"} | params,
        "colours": colours,
        "width": width,
        "words": {drawn: w[word] for drawn, word in _ON_DRAWING.items() if w[word] != drawn},
        "detail": w["detail"],
        "query": query,
    }
    # ASCII alone, and no "<" that could end the script.
    data = json.dumps(given, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    # The scripts of two views are templates: this name is where their parameters go.
    script = (files("bertviz") / f"{name}.js").read_text(encoding="utf-8")
    script = script.replace("PYTHON_PARAMS", "window.bertviz_params")
    title = w[name].format(text=subject)
    page = Template(_PAGE.read_text(encoding="utf-8")).substitute(
        language=language,
        title=escape(title),
        use=escape(w[f"{name}_use"]),
        width=width,
        choices="".join(choices),
        given=data,
        name=name,
        script=script,
    )
    # Made smaller by the script to the width of the column; and heading, the lines of the
    # introduction, choices and margins.
    smaller = min(1.0, 680 / width)
    return View(page, title, round(drawn * smaller + 150 + (40 if choices else 0)))
