"""An encoder and its decoder as one graph: what a target token stems from, and which word it means.

Of a model that reads a source and a target. Layers are those of the decoder, with all of the
encoder below the first of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attention_mixing.capture.text import Text
from attention_mixing.measures.alignment import (
    ERRORS,
    STEPS,
    baseline_errors,
    known_links,
    link_errors,
)
from attention_mixing.measures.attention_blocks import Arrays, blocks, contributions
from attention_mixing.measures.definition import (
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
from attention_mixing.measures.mixing import MEASURED_SCOPE, rolled_out
from attention_mixing.measures.propagation import from_layer, require_layer
from attention_mixing.methods.attention import head_mean
from attention_mixing.methods.encoder_decoder import beside_target, joint_layers
from attention_mixing.methods.flow import attention_flow
from attention_mixing.methods.mixing import SCOPES
from attention_mixing.methods.rollout import measured_residual, with_residual
from attention_mixing.params.sections import Propagation

# Of the decoder's attention to the source, layer by layer; and from the input on.
SINGLE = ("raw", "attn_n", "attnresln_n", "alti")
ROLLED = ("rollout", "rollout_measured", "attnresln_n_rollout", "alti_rollout")
FLOW = "flow"
METHODS = (*SINGLE, *ROLLED, FLOW)


def two_streams(text: Text, given: Given) -> Measured:
    """Follow every target token back to source and target, and link words by what is found.

    ``source_share`` is the share of a target token that stems from the source, mean over the tokens
    of the target, of every method from the input on; ``source_ratio`` that by which the attention
    of the decoder to the source alone moves it, of every scope; ``source_special`` the weight of
    this attention on special tokens of the source; ``row_error`` how far sums of rows are from 1.

    Where it is known which words stand for each other, errors of links
    (:mod:`attention_mixing.methods.alignment`) of every method, and of the weights of every head,
    by the step at which a word is read (``kind``, :data:`STEPS`). A word that draws most from a
    special token has no link, as with Kobayashi et al. (2020). ``chance`` links words blindly, and
    ``diagonal`` those at the same place.
    """
    cross, source = text.of("cross"), len(text.of("encoder").tokens)
    matrices = followed(text, given.params.propagation)
    for block_scope in SCOPES:
        ratio = np.stack([block.ratio(block_scope) for block in blocks(cross)])
        yield Values("source_ratio", ratio.mean(axis=1), of=block_scope)
    special = text.of("encoder").special
    weights = cross["attention"].astype(np.float64)
    yield Values("source_special", weights[..., special].sum(axis=-1).mean(axis=-1))
    for method in (*ROLLED, FLOW):
        rows = matrices[method]
        yield Values("source_share", rows[..., :source].sum(axis=-1).mean(axis=-1), of=method)
    sums = max(np.nanmax(abs(matrices[method].sum(axis=-1) - 1)) for method in (*SINGLE, *ROLLED))
    yield Values("row_error", sums)
    if (links := known_links(text)) is None:
        return
    for method in METHODS:
        yield from link_errors(matrices[method][..., :source], links, of=method)
    yield from link_errors(weights, links, of="heads")
    yield from baseline_errors(links)


def followed(text: Text, settings: Propagation) -> Arrays:
    """Give what each target token draws from source and target, by every method.

    Parameters
    ----------
    text
        Of source and target.
    settings
        Residual share and first layer.

    Returns
    -------
    dict
        Method -> ``[layer, target, source and target]``, every row summing to 1: after each layer
        of the decoder, or in its attention to the source alone (:data:`SINGLE`). By ALTI, not a
        number where nothing brings a token nearer to what it becomes.
    """
    encoder, decoder, cross = (text.of(stream) for stream in ("encoder", "decoder", "cross"))
    streams = (encoder, decoder, cross)
    source = len(encoder.tokens)
    raw = [head_mean(stream["attention"]) for stream in (encoder, decoder)]
    raw.append(beside_target(head_mean(cross["attention"])))
    parts: dict[str, list[NDArray[np.float64]]] = {}
    start, share = settings.start_layer, settings.residual
    require_layer(start, min(len(encoder["attention"]), len(decoder["attention"])))
    parts["rollout"] = [
        *(with_residual(of_stream, share) for of_stream in raw[:2]),
        _crossed(raw[2], np.full(raw[2].shape[:2], share)),
    ]
    ratios = [
        np.stack([block.ratio(MEASURED_SCOPE) for block in blocks(stream)]).astype(np.float64)
        for stream in streams
    ]
    parts["rollout_measured"] = [
        *(
            with_residual(of_stream, measured_residual(of_stream, ratio))
            for of_stream, ratio in zip(raw[:2], ratios[:2], strict=True)
        ),
        _crossed(raw[2], 1 - ratios[2]),
    ]
    contributed = [contributions(stream) for stream in streams]
    for method in ("attnresln_n", "alti"):
        parts[f"{method}_rollout"] = [of_stream[method] for of_stream in contributed]
    matrices: Arrays = {"raw": raw[2]}
    matrices |= {method: contributed[2][method] for method in SINGLE[1:]}
    layers = {
        method: joint_layers(
            *(from_layer(start, layers_of_stream) for layers_of_stream in of_method)
        )
        for method, of_method in parts.items()
    }
    behind = len(raw[0]) + 1 + 2 * np.arange(len(raw[1]))  # behind each layer of the decoder
    for method, joint in layers.items():
        matrices[method] = rolled_out(joint)[behind, source:]
    targets = np.arange(source, matrices["raw"].shape[-1])
    flow = attention_flow(layers["rollout"], sources=targets, layers="all").values[behind]
    matrices[FLOW] = flow / flow.sum(axis=-1, keepdims=True)
    return matrices


def _crossed(weights: NDArray[np.float64], share: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mix attention to a source with the share that each target token keeps of itself."""
    mixed = (1 - share)[..., None] * weights
    targets = np.arange(weights.shape[1])
    mixed[:, targets, weights.shape[2] - weights.shape[1] + targets] += share
    return mixed


def shown_pair(corpus: CapturedCorpus, given: Given) -> OfCorpus:
    """Show one text: what its target draws from its source, by every method, and its tokens."""
    example = int(corpus.examples["id"].iloc[0])
    for state in corpus.states:
        text = state.text(example)
        source = len(text.of("encoder").tokens)
        fields: list[Any] = [
            Field(method, rows[..., :source].astype(np.float32), shown=True)
            for method, rows in followed(text, given.params.propagation).items()
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
            Gives("source_ratio", LAYER, SHARE, of=SCOPES),
            Gives("source_special", HEAD, SHARE),
            Gives("source_share", LAYER, SHARE, of=(*ROLLED, FLOW)),
            Gives("row_error", range=(0.0, None)),
            *gives(ERRORS, LAYER, SHARE, of=METHODS, kind=STEPS),
            *gives(ERRORS, HEAD, SHARE, of=("heads",), kind=STEPS),
            Gives("baseline_error", range=SHARE, of=("chance", "diagonal")),
        ),
        settings=("propagation.residual", "propagation.start_layer"),
        joint=True,
    ),
    Measure(
        "shown_pair",
        shown_pair,
        kind="corpus",
        settings=("propagation.residual", "propagation.start_layer"),
        first_seed=True,
        joint=True,
    ),
)
