"""What is said of an experiment before it runs: what takes long, much room, or is not read."""

from __future__ import annotations

import typer

from attention_mixing.explorer.packed import predicted_bytes
from attention_mixing.methods.flow import predicted_seconds
from attention_mixing.models.vocabulary_coverage import MUCH, Rendering
from attention_mixing.params import Params
from attention_mixing.params.derived import mapped_texts, model_states
from attention_mixing.params.sections import Experiment, Propagation

HOUR = 3600  # seconds; a flow that may take longer is announced
LARGE = 100e6  # bytes; so are files of the explorer that may be larger


def announce(values: Params, name: str, layers: int, heads: int) -> None:
    """Say what of an experiment takes long, or much room in the site."""
    announce_flow(name, values.experiments[name], layers, values.propagation)
    announce_explorer(values, name, layers * heads)


def announce_explorer(values: Params, name: str, heads: int) -> None:
    """Say how large the files of the explorer may be, if that is much for a site."""
    if values.report.explorer is None or values.report.explorer.texts == "none":
        return
    experiment = values.experiments[name]
    tokens, texts = experiment.length.max_tokens, len(mapped_texts(values))
    states = len(model_states(experiment))
    size = texts * states * predicted_bytes(heads, tokens)
    if size > LARGE:
        typer.echo(
            f"{name}: the explorer of the site takes about {size / 1e6:.0f} MB for {heads} heads "
            f"and {texts} texts in each of {states} states, if all are {tokens} tokens long; fewer "
            "geometry.texts and projection.examples, or report.explorer.texts none, lower it."
        )


def announce_flow(name: str, experiment: Experiment, layers: int, settings: Propagation) -> None:
    """Say how long attention flow may take, if that is long: the one measure that can take days."""
    tokens, texts = experiment.length.max_tokens, experiment.capture.examples
    sources = min(settings.flow_sources or tokens, tokens)
    states = len(model_states(experiment))
    # With the residual of the parameters, and with the measured one.
    seconds = 2 * states * texts * predicted_seconds(layers, tokens, sources)
    if seconds > HOUR:
        typer.echo(
            f"{name}: attention flow from {sources} tokens of each of {texts} texts takes about "
            f"{seconds / HOUR:.1f} hours of one core, if all are {tokens} tokens long; "
            "propagation.flow_sources lowers it."
        )


def announce_lost(name: str, read: Rendering) -> None:
    """Say that a vocabulary is not one for these texts."""
    if read.lost > MUCH:
        shares = ", ".join(f"{what.replace('_', ' ')}: {n:.0%}" for what, n in read.shares.items())
        typer.echo(
            f"{name}: the model does not see {read.lost:.0%} of the characters of the texts as "
            f"they are ({shares}), so that what is found is not of these texts; choose a model for "
            "their language or script."
        )
