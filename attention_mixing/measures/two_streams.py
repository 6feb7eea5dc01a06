"""An encoder and its decoder as one graph: what a target token stems from, and which word it means.

Of a model that reads a source and a target. Layers are those of the decoder, with all of the
encoder below the first of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from attention_mixing.attributions.blocks import blocks
from attention_mixing.attributions.matrices import Matrix, labelled
from attention_mixing.attributions.selections import FLOWS, LINKED_FROM_INPUT, LINKED_IN_LAYER
from attention_mixing.attributions.through import SETTINGS, ThroughLayers, through_layers
from attention_mixing.capture.text import Text
from attention_mixing.measures.alignment import (
    ERRORS,
    STEPS,
    baseline_errors,
    known_links,
    link_errors,
)
from attention_mixing.measures.engine.definition import (
    HEAD,
    LAYER,
    SHARE,
    CapturedCorpus,
    Field,
    Given,
    Gives,
    Measure,
    Measured,
    OfCorpus,
    Values,
    gives,
)
from attention_mixing.methods.mixing import SCOPES

METHODS = (*LINKED_IN_LAYER, *LINKED_FROM_INPUT)


def two_streams(text: Text, given: Given) -> Measured:
    """Follow every target token back to source and target, and link words by what is found.

    ``source_share`` is the share of a target token that stems from the source, mean over the tokens
    of the target, of every method from the input on; ``source_ratio`` that by which the attention
    of the decoder to the source alone moves it, of every scope; ``source_special`` the weight of
    this attention on special tokens of the source; ``row_error`` how far sums of rows are from 1.

    Where it is known which words stand for each other, errors of links
    (:mod:`attention_mixing.methods.alignment`) of every method, and of the weights of every head,
    by the step at which a word is read (``facet``, :data:`STEPS`). A word that draws most from a
    special token has no link, as with Kobayashi et al. (2020). ``chance`` links words blindly, and
    ``diagonal`` those at the same place.
    """
    cross, source = text.of("cross"), len(text.of("encoder").tokens)
    matrices = followed(text, through_layers(given.settings))
    for block_scope in SCOPES:
        ratio = np.stack([block.ratio(block_scope) for block in blocks(cross)])
        yield Values("source_ratio", ratio.mean(axis=1), subject=block_scope)
    special = text.of("encoder").special
    weights = cross["attention"].astype(np.float64)
    yield Values("source_special", weights[..., special].sum(axis=-1).mean(axis=-1))
    for method in LINKED_FROM_INPUT:
        rows = matrices[method].shares
        yield Values("source_share", rows[..., :source].sum(axis=-1).mean(axis=-1), subject=method)
    sums = [matrices[method].values.sum(axis=-1) for method in METHODS if method not in FLOWS]
    yield Values("row_error", max(np.nanmax(abs(of_method - 1)) for of_method in sums))
    if (links := known_links(text)) is None:
        return
    for method in METHODS:
        yield from link_errors(matrices[method].shares[..., :source], links, subject=method)
    yield from link_errors(weights, links, subject="heads")
    yield from baseline_errors(links)


def followed(text: Text, settings: ThroughLayers) -> dict[str, Matrix]:
    """Return what each target token draws from source and target, by every method.

    Parameters
    ----------
    text
        Of source and target.
    settings
        Residual share and first layer; flow is followed from every token.

    Returns
    -------
    dict
        Method -> matrix, ``[layer, target, source and target]``: after each layer of the decoder,
        or in its attention to the source alone (:data:`LINKED_IN_LAYER`).
    """
    return {method: labelled(method, text, settings) for method in METHODS}


def shown_pair(corpus: CapturedCorpus, given: Given) -> OfCorpus:
    """Show one text: what its target draws from its source, by every method, and its tokens."""
    example = int(corpus.examples["id"].iloc[0])
    for state in corpus.states:
        text = state.text(example)
        source = len(text.of("encoder").tokens)
        fields: list[Any] = [
            Field(method, matrix.shares[..., :source].astype(np.float32), shown=True)
            for method, matrix in followed(text, through_layers(given.settings)).items()
        ]
        columns = ["position", "token", "start", "end", "is_special", "is_target"]
        tokens = text.shown_tokens[columns]
        texts = text.example[["text", "target"]].to_frame().T
        links = text.example["alignment"]
        link_table = pd.DataFrame(
            [] if links is None else [*links],
            columns=["target_start", "target_end", "source_start", "source_end", "sure"],
        )
        tables = {"tokens": tokens, "texts": texts, "links": link_table}
        fields += [Field(name, table, shown=True) for name, table in tables.items()]
        yield state.variant, example, fields


MEASURES = (
    Measure(
        "two_streams",
        two_streams,
        gives=(
            Gives("source_ratio", LAYER, SHARE, subject=SCOPES),
            Gives("source_special", HEAD, SHARE),
            Gives("source_share", LAYER, SHARE, subject=LINKED_FROM_INPUT),
            Gives("row_error", range=(0.0, None)),
            *gives(ERRORS, LAYER, SHARE, subject=METHODS, facet=STEPS),
            *gives(ERRORS, HEAD, SHARE, subject=("heads",), facet=STEPS),
            Gives("baseline_error", range=SHARE, subject=("chance", "diagonal")),
        ),
        settings=SETTINGS[:2],
        joint=True,
    ),
    Measure(
        "shown_pair",
        shown_pair,
        kind="corpus",
        settings=SETTINGS[:2],
        first_seed=True,
        joint=True,
    ),
)
