"""What is found out before anything runs: parameters, files, models and texts that cannot be used.

``make repro`` asks before it starts DVC, and the first stage of the graph asks again, for ``dvc
repro``, ``dvc exp run`` and DVC's queue start without it.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import typer

from analysis.anatomy.chosen import encoded_text, require_shown
from analysis.lint.quantity_names import require_names
from analysis.parameters import (
    PARAMS_FILE,
    Params,
    load,
    located,
    located_corpus,
    located_images,
    located_texts,
)
from analysis.parameters.derived import case_name, mapped_texts
from analysis.parameters.file import read_mapping
from analysis.paths import ARMS, ENCODERS, KEPT_CIRCUITS, LOCK, WITHOUT_LOCK, artifact
from analysis.pipeline import lock
from analysis.pipeline.stage import (
    announce_left_out,
    existing_path,
    keyed,
    older,
    require_one_process,
)
from attention_mixing.errors import InputError, about
from attention_mixing.explorer.packed import predicted_bytes
from attention_mixing.methods.flow import predicted_seconds
from attention_mixing.models import source
from attention_mixing.models.config import layers_and_heads, positions, require_positions
from attention_mixing.models.device import resolve
from attention_mixing.models.vocabulary_coverage import MUCH, Rendering
from attention_mixing.settings.derived import (
    JOINT,
    TARGETS,
    feature_texts,
    model_states,
    predicts,
    streams,
)
from attention_mixing.settings.experiment import Experiment
from attention_mixing.settings.measures import Propagation
from attention_mixing.settings.sinks import SinkCorpus
from attention_mixing.settings.sources import (
    EmbeddedModel,
    HubModel,
    HubSplits,
    LocalModel,
    LocalSplits,
    TextsData,
    UntrainedModel,
)

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


_Read = TypeVar("_Read", Experiment, SinkCorpus)
# What DVC reads, and how it can go on where that is damaged; an empty text is by git.
PIPELINE = {Path("dvc.yaml"): "", LOCK: WITHOUT_LOCK}
HOUR = 3600  # seconds; a flow that may take longer is announced
LARGE = 100e6  # bytes; so are files of the explorer that may be larger


def check() -> None:
    """Check that DVC can begin, and :func:`require_runnable`.

    Raises
    ------
    InputError
        If ``params.yaml``, or a file that DVC reads, cannot be read, or as said there.
    """
    require_one_process()
    lock.mend()
    for path, restored in PIPELINE.items():
        if path.is_file():
            read_mapping(path, restored)
    require_runnable(load())


def require_runnable(values: Params) -> None:
    """Check that what parameters, rules and figures name is there and can be used.

    A model or text that a stage could not use is found before others have worked for hours, and
    before DVC has removed the output of a stage.

    Raises
    ------
    InputError
        On the first device, file, model, data set or text that cannot be used.
    """
    require_merged()
    require_names()
    require_kept_circuits(values)
    require_texts(values)
    values = before_training(values)
    if values.device not in ("auto", "cpu"):  # asking costs the start of torch
        resolve(values.device)
    for name in values.files:
        existing_path(values, name)
    for name, experiment in values.experiments.items():
        announce_left_out(values, name, experiment.captured_at_most[0])
        if isinstance(experiment.model, UntrainedModel):
            continue  # it is tried below
        with about(f"experiments.{name}"):
            config = source.configuration(located(values, name).model)
            require_positions(experiment.length, positions(config), f"experiments.{name}.")
            announce(values, name, *layers_and_heads(config))
    for name, corpus in values.sinks.corpora.items() if values.sinks else ():
        with about(key := f"sinks.corpora.{name}"):
            config = source.configuration(located_corpus(values, corpus).model)
            require_positions(corpus.length, positions(config), f"{key}.")
    try_out(values)
    require_shown(values.anatomy, located(values, values.report.focus.experiment).model)
    if isinstance(values.heads.images, HubModel):
        source.configuration(values.heads.images)
    for name, experiment in values.experiments.items():
        if isinstance(experiment.data, HubSplits):
            # pandas takes longer to start than all the rest
            from attention_mixing.corpora import hub

            with about(f"experiments.{name}"):
                hub.require(experiment.data)


def before_training(values: Params) -> Params:
    """Replace a model that an encoder is still to be trained to by the one that it starts from.

    Their architecture and tokenizer are the same.
    """
    starts = {
        name: values.encoders[Path(path).name].model
        for name, path in values.files.items()
        if Path(path).parent == ENCODERS and Path(path).name in values.encoders
        if not Path(path).exists()
    }
    experiments = {name: _before(one, starts) for name, one in values.experiments.items()}
    files = {name: path for name, path in values.files.items() if name not in starts}
    changed: dict[str, object] = {"experiments": experiments, "files": files}
    if values.sinks is not None:
        corpora = {name: _before(one, starts) for name, one in values.sinks.corpora.items()}
        changed["sinks"] = values.sinks.model_copy(update={"corpora": corpora})
    return values.model_copy(update=changed)


def _before(section: _Read, starts: Mapping[str, object]) -> _Read:
    model = section.model
    if not isinstance(model, LocalModel) or model.name not in starts:
        return section
    return section.model_copy(update={"model": starts[model.name]})


def require_kept_circuits(values: Params) -> None:
    """Refuse to show kept results on circuits where there are none."""
    if values.circuits and values.circuits.kept and not KEPT_CIRCUITS.is_dir():
        raise InputError(
            f"circuits.kept is true, but {KEPT_CIRCUITS}, which holds the results, is not there; "
            f"restore it with `git checkout HEAD {KEPT_CIRCUITS}`, or set circuits.kept to false."
        )


def require_texts(values: Params) -> None:
    """Read the local files of texts, unless what was made of them is newer, as ``make`` does."""
    for name, experiment in values.experiments.items():
        data = experiment.data
        if isinstance(data, LocalSplits):
            read = [
                existing_path(values, file) for file in (data.train, data.test) if file is not None
            ]
            if older(artifact(name, "corpus", "facts.json"), PARAMS_FILE, *read):
                # pandas takes longer to start than all the rest
                from attention_mixing import corpora

                with about(f"experiments.{name}"):
                    corpora.load(located(values, name).data, experiment.task)
    sinks = values.sinks
    seeds = sinks.seeds if sinks else ()
    for name, corpus in sinks.corpora.items() if sinks else ():
        made = [ARMS / name / str(seed) / "packages.json" for seed in seeds]
        if isinstance(corpus.data, LocalSplits) and any(older(one, PARAMS_FILE) for one in made):
            from attention_mixing import corpora

            with about(f"sinks.corpora.{name}"):
                corpora.load(located_corpus(values, corpus).data, "classification")
    for name, settings in values.encoders.items():
        text = existing_path(values, settings.texts)
        if older(ENCODERS / name / "training.json", PARAMS_FILE, text):
            from attention_mixing import corpora

            with about(f"encoders.{name}"):
                corpora.encoder_texts(located_texts(values, settings))


def require_merged() -> None:
    """Refuse files in which git has left conflict markers: pages would show them as text."""
    if not Path(".git").exists():
        return
    command = ["git", "grep", "-I", "--files-with-matches", "--extended-regexp", "^(<{7}|>{7}) "]
    try:
        names = subprocess.run(command, capture_output=True, encoding="utf-8").stdout.split("\n")
    except FileNotFoundError:  # no git, which is needed for conflicts
        return
    if named := ", ".join(filter(None, names)):
        raise InputError(
            f"git has left conflict markers in {named}; keep one of the versions at each of them, "
            "and run again."
        )


# --- what takes long, much room, or is not read ---------------------------------------------------


def announce(values: Params, name: str, layers: int, heads: int) -> None:
    """Say what of an experiment takes long, or much room in the site."""
    announce_flow(name, values.experiments[name], layers, values.propagation)
    announce_explorer(values, name, layers * heads)


def announce_explorer(values: Params, name: str, heads: int) -> None:
    """Say how large the files of the explorer may be, if that is much for a site."""
    if values.report.explorer is None or values.report.explorer.texts == "none":
        return
    experiment = values.experiments[name]
    captured, _ = experiment.captured_at_most
    tokens, texts = experiment.length.max_tokens, len(mapped_texts(values, captured))
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


# --- models and texts, tried: what a stage would find after hours ---------------------------------


def try_out(values: Params) -> None:
    """Try every model, as far as it is here, and tokenise texts of one's own.

    What a stage would find at its work, after others have worked for hours, is found before. The
    embedded model is known; what was trained since the parameters were written has been tried.
    """
    for name in values.experiments:
        experiment = located(values, name)
        with about(f"experiments.{name}"):
            if isinstance(experiment.model, UntrainedModel):
                if older(artifact(name, "train", "facts.json"), PARAMS_FILE):
                    _try_untrained(values, name, experiment, experiment.model)
            elif (directory := source.present(experiment.model)) is None:
                _try_configured(values, name, experiment)
            else:
                _try_present(values, name, experiment, directory)
    if isinstance(values.heads.images, LocalModel):
        from attention_mixing.measures.heads import image_features

        settings = {
            "heads.images": located_images(values),
            "heads.side": values.heads.side,
            "precision": values.precision,
        }
        image_features(settings, resolve("cpu"))


def _try_untrained(
    values: Params, name: str, experiment: Experiment, untrained: UntrainedModel
) -> None:
    """Try a model that is still to be made, with random weights."""
    from attention_mixing.models.untrained import try_untrained  # torch takes seconds to start

    model, tokenizer = try_untrained(untrained)
    _require_fit(name, experiment, model)
    _require_filler(values, tokenizer, model)
    announce(values, name, *layers_and_heads(model.config.to_dict()))


def _require_filler(
    values: Params, tokenizer: PreTrainedTokenizerBase, model: PreTrainedModel
) -> None:
    """Refuse a removal of which the tokenizer, or the model, has no token."""
    from attention_mixing.models.token_ablation import filler_of

    with keyed(["faithfulness.removal"]):
        filler_of(tokenizer, model.config, values.faithfulness.removal)


def _try_configured(values: Params, name: str, experiment: Experiment) -> None:
    """Try a model of which only the configuration is here: small, with random weights."""
    from attention_mixing.models.load import require_kind

    named = f"the model {source.name_of(experiment.model)}"
    model = require_kind(source.configured(experiment.model), named)
    _require_fit(name, experiment, model)
    _try_to_rebuild(values, name, experiment, model)


def _try_present(values: Params, name: str, experiment: Experiment, directory: Path) -> None:
    """Load a model that is here, with the head that it will have, and try texts of one's own.

    Not the embedded one, unless there are texts of one's own.
    """
    own_texts = isinstance(experiment.data, TextsData)
    if isinstance(experiment.model, EmbeddedModel) and not own_texts:
        return
    from attention_mixing.models.load import (
        load_answering,
        load_classifier,
        load_encoder,
        load_language_model,
        load_translator,
    )
    from attention_mixing.models.next_word import choosing
    from attention_mixing.models.tokenizer import load_tokenizer

    tokenizer = load_tokenizer(directory)
    source.locate(experiment.model)
    model = load_encoder(directory)
    _require_fit(name, experiment, model)
    if experiment.task == "classification":  # what its new head reads is tried as well
        load_classifier(directory, label_names=("0", "1"))
        _require_filler(values, tokenizer, model)
    elif experiment.task == "question_answering":
        load_answering(directory, new_head=True)
    elif experiment.task == "sequence_to_sequence":
        load_translator(directory)
    elif experiment.task == "language_modelling":
        choosing(load_language_model(directory), ids=(0, 1), words=("0", "1"))
        _require_filler(values, tokenizer, model)
    if name == values.report.focus.experiment:
        encoded_text(values.anatomy, tokenizer, model)
    _try_to_rebuild(values, name, experiment, model)
    if own_texts:
        _try_texts(values, name, experiment, model, tokenizer)


def _require_fit(name: str, experiment: Experiment, model: PreTrainedModel) -> None:
    """Refuse a model that reads no target, fewer tokens or no padding, where these are wanted."""
    from attention_mixing.models.dummy_inputs import most_tokens
    from attention_mixing.models.encode import require_targets

    require_targets(model.config, there=experiment.has_targets)
    require_positions(experiment.length, most_tokens(model), f"experiments.{name}.")
    if predicts(experiment) and getattr(model.config, "pad_token_id", None) is None:
        raise InputError(
            f"experiments.{name}.model has no pad_token_id in its config.json, and what explains a "
            "prediction starts from padding tokens; state it there, or choose another model."
        )


def _try_texts(
    values: Params,
    name: str,
    experiment: Experiment,
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
) -> None:
    """Tokenise texts of one's own, with their targets if they have any."""
    from attention_mixing import corpora  # pandas takes longer to start than all the rest
    from attention_mixing.models.batch import inputs
    from attention_mixing.models.encode import encode_examples
    from attention_mixing.models.interventions import RunningModel
    from attention_mixing.models.vocabulary_coverage import rendering

    examples = corpora.load(experiment.data, experiment.task).examples
    encoded = encode_examples(examples, tokenizer, experiment.length, model.config)
    for text in encoded:
        inputs(text, model.config)
    read = {"text": encoded, "target": [text.target for text in encoded if text.target is not None]}
    for stream in streams(experiment):
        if stream == JOINT:
            continue
        case, column = case_name(name, stream), "target" if stream in TARGETS else "text"
        structure = RunningModel(model, stream).described()
        lengths = [len(text.tokens) for text in read[column]]
        captured, _ = experiment.captured_at_most
        require_enough(values, case, lengths, captured, structure["layers"] * structure["heads"])
        announce_lost(case, rendering(examples[column].tolist(), read[column], tokenizer))


def _try_to_rebuild(
    values: Params, name: str, experiment: Experiment, model: PreTrainedModel
) -> None:
    """Rebuild the attention of a model that the page *Anatomy* is to show, of made-up tokens."""
    from attention_mixing.capture.reconstruction import rebuilt_attention
    from attention_mixing.models.dummy_inputs import dummy_texts

    if name == values.report.focus.experiment:
        rebuilt_attention(model, dummy_texts(model)[0], source.name_of(experiment.model))


def require_enough(values: Params, name: str, tokens: list[int], captured: int, heads: int) -> None:
    """Refuse texts of one's own that have too few tokens, or maps, for what is made of them.

    ``tokens`` of each text, of which so many are ``captured``, and ``heads`` of all layers.
    """
    from attention_mixing.measures.clusters import require_enough_maps
    from attention_mixing.measures.projection import require_enough_tokens

    mapped = feature_texts(values.projection.examples, captured)
    require_enough_tokens(mapped, name, sum(tokens[text] for text in mapped))
    maps = min(len(tokens), values.heads.examples or len(tokens)) * heads
    require_enough_maps(values.clusters, name, maps, min(maps, values.clusters.sample))
