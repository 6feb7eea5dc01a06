"""One labelled matrix of a text, by any method of the catalogue, and the list of the methods."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attention_mixing.attributions.catalogue import CATALOGUE
from attention_mixing.attributions.matrices import of_layers, of_model
from attention_mixing.attributions.through import ThroughLayers
from attention_mixing.capture.text import Text
from attention_mixing.errors import InputError, quoted
from attention_mixing.settings.derived import JOINT, STREAMS


@dataclass(frozen=True, repr=False)
class LabelledMatrix:
    """What each token of a text draws on, by one method.

    Attributes
    ----------
    values
        ``[layer, query, key]``: of each layer, or from the input to behind each layer. Rows sum to
        1, but for flow, whose rows sum to more.
    queries, keys
        Tokens of the rows and of the columns.
    name, rolled
        The method, and whether it is followed through the layers.
    settings
        How it was followed.
    """

    values: NDArray[np.float64]
    queries: tuple[str, ...]
    keys: tuple[str, ...]
    name: str
    rolled: bool
    settings: ThroughLayers

    def frame(self, layer: int = -1) -> pd.DataFrame:
        """Return the matrix of a layer, counted from 0, with the tokens as its labels.

        Parameters
        ----------
        layer
            Counted from 0, or from the last one backwards.

        Returns
        -------
        pandas.DataFrame
            A row a query, a column a key.
        """
        return pd.DataFrame(self.values[layer], index=[*self.queries], columns=[*self.keys])

    def __repr__(self) -> str:  # noqa: D105
        layers, queries, keys = self.values.shape
        what = "through the layers" if self.rolled else "layer by layer"
        return f"<{self.name} {what}: {layers} layers, {queries} queries, {keys} keys>"


def attribution(
    text: Text,
    name: str,
    *,
    rolled: bool | None = None,
    settings: ThroughLayers = ThroughLayers(),  # noqa: B008 (it cannot be changed)
) -> LabelledMatrix:
    """Compute what each token of a text draws on, by one method.

    Parameters
    ----------
    text
        Of :func:`attention_mixing.capture.capture_text`; of an encoder-decoder also one of its
        streams.
    name
        Of a method (:func:`attributions`).
    rolled
        Whether layers are followed from the input on, or stand alone; None as the name is commonly
        meant: rollout and flow are followed, ALTI and the others stand alone.
    settings
        How they are followed.

    Raises
    ------
    InputError
        If there is no such method, or it is not defined for the text, or cannot be rolled out.

    Examples
    --------
    >>> from attention_mixing.capture import capture_text
    >>> text = capture_text("The film was not bad.")  # doctest: +SKIP
    >>> attribution(text, "alti", rolled=True).frame()  # doctest: +SKIP
    """
    if not isinstance(text, Text):
        raise InputError(
            f"text is of type {type(text).__name__}; allowed: what capture_text returns; give that "
            "instead."
        )
    if not isinstance(settings, ThroughLayers):
        raise InputError(
            f"settings are of type {type(settings).__name__}; allowed: ThroughLayers of "
            "attention_mixing.attributions.through; give that instead."
        )
    if name not in CATALOGUE:
        raise InputError(
            f"there is no attribution {quoted(name)}; allowed: {', '.join(CATALOGUE)}; name one of "
            "them."
        )
    method = CATALOGUE[name]
    if not method.defined(text):
        raise InputError(f"{name} is not defined for this text: {method.lacking(text)}.")
    whole = method.whole if rolled is None else rolled
    if whole and method.through is None:
        raise InputError(
            f"{name} has no residual connection and is not rolled out; use rollout, or leave out "
            "rolled=True."
        )
    if whole and text.stream == STREAMS[2]:
        raise InputError(
            f"{name} cannot be followed through attention to a source alone; give the whole text, "
            "which has it as one of its streams, or rolled=False."
        )
    matrix = (of_model if whole else of_layers)(method, text, settings)
    tokens = tuple(text.shown_tokens["token"])
    queries = tokens
    if text.stream in (JOINT, STREAMS[2]):
        source, queries = (tuple(text.of(stream).shown_tokens["token"]) for stream in STREAMS[:2])
        tokens = source + queries
    return LabelledMatrix(
        matrix.values, tuple(queries[at] for at in matrix.queries), tokens, name, whole, settings
    )


def attributions() -> pd.DataFrame:
    """List the methods of the catalogue.

    Returns
    -------
    pandas.DataFrame
        A row a method: ``family``; ``rolled``, whether its name means layers that are followed from
        the input on; ``can_be_rolled``; ``causal``, whether it needs a causal text; ``source``, who
        proposed it.
    """
    rows = [
        {
            "name": one.name,
            "family": one.family,
            "rolled": one.whole,
            "can_be_rolled": one.through is not None,
            "causal": one.causal,
            "source": one.source or "this project",
        }
        for one in CATALOGUE.values()
    ]
    return pd.DataFrame(rows).set_index("name")
