"""What the explorer of the site shows, the view that it opens with, and addresses of views.

:mod:`analysis.site.explorer` chooses what is shown.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from IPython.display import HTML

from analysis.parameters.derived import case_name
from analysis.paths import EXPLORER, result
from analysis.runs.parameters import RunParameters
from attention_mixing.artifacts import read_artifact
from attention_mixing.markup import escape
from attention_mixing.settings.derived import STREAMS, streams

PAGE = "explorer.html"
# Links what is told of a head, of a case, layer and head: :func:`linked_head` of a run.
Linked = Callable[..., HTML | str]


def read_index() -> list[dict[str, Any]]:
    """Read which experiments the stage *explorer* shows.

    They are as :func:`attention_mixing.explorer.component` takes them; a stream also has ``cells``
    and ``columns``, what a selection can name in every text: name -> states that have it.
    """
    return read_artifact(result(EXPLORER.name, "index.json"), list[dict[str, Any]])


def read_shown() -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
    """Read what the stage *explorer* lists: experiments, and the view that it opens with.

    Experiments are those of :func:`read_index`. The view has its ``selection``, and the ``rule``,
    ``query``, ``tokens`` and ``rows`` that it is told by; it is None where no text may be shown.
    """
    index = read_index()
    opening = read_artifact(result(EXPLORER.name, "opening.json")) if index else None
    return index, opening


def unstated_licences() -> list[str]:
    """Name the experiments whose texts are shown though no licence is stated for them."""
    return read_artifact(result(EXPLORER.name, "unstated.json"), list[str])


def view(p: RunParameters, case: str, **selection: Any) -> str | None:
    """Write the address of a view; None where texts of the experiment may not be shown.

    ``case`` is an experiment, or a stream of one, as results name it; ``selection`` has the keys of
    ``selection.js``, and what is not named is chosen by the page.
    """
    name, stream = next(
        (name, stream)
        for name, experiment in p.written.items()
        for stream in streams(experiment)
        if case_name(name, stream) == case
    )
    if name not in read_artifact(result(EXPLORER.name, "shown.json"), list[str]):
        return None
    whole = {"e": name} | ({"x": stream} if stream in STREAMS else {}) | selection
    return f"{PAGE}#{urlencode(whole)}"


def linked_head(
    p: RunParameters, case: str, layer: int, head: int, text: str, **selection: Any
) -> HTML | str:
    """Link what is told of a head to its view, where there is one; layer and head from 1."""
    address = view(p, case, l=layer, h=head, **selection)
    return text if address is None else HTML(f'<a href="{escape(address)}">{escape(text)}</a>')
