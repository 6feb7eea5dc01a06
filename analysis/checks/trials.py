"""Models and texts, tried before anything runs: what a stage would find after hours."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from analysis.checks.announcements import announce, announce_lost
from analysis.paths import artifact
from analysis.stage import older
from analysis.stages.anatomy import encoded_text
from attention_mixing.errors import about
from attention_mixing.models import source
from attention_mixing.models.config import layers_and_heads, require_positions
from attention_mixing.models.device import resolve
from attention_mixing.params import PARAMS_FILE, Params, located
from attention_mixing.params.derived import JOINT, TARGETS, case_name, streams
from attention_mixing.params.sections import (
    EmbeddedModel,
    Experiment,
    LocalModel,
    TextsData,
    UntrainedModel,
)

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


def try_out(values: Params) -> None:
    """Try every model, as far as it is here, and tokenise texts of one's own.

    What a stage would find at its work, after others have worked for hours, is found before. The
    embedded model is known; what was trained since the parameters were written has been tried.
    """
    for name in values.experiments:
        experiment = located(values, name)
        if isinstance(experiment.model, UntrainedModel):
            if older(artifact(name, "train", "facts.json"), PARAMS_FILE):
                _try_untrained(values, name, experiment, experiment.model)
        elif (directory := source.present(experiment.model)) is None:
            _try_configured(values, name, experiment)
        else:
            _try_present(values, name, experiment, directory)
    if isinstance(values.heads.images, LocalModel):
        from attention_mixing.measures.heads import image_features

        image_features(values, resolve("cpu"))


def _try_untrained(
    values: Params, name: str, experiment: Experiment, untrained: UntrainedModel
) -> None:
    """Try a model that is still to be made, with random weights."""
    from attention_mixing.models.dummy_inputs import most_tokens
    from attention_mixing.models.encode import require_targets
    from attention_mixing.models.token_ablation import filler_of
    from attention_mixing.models.untrained import try_untrained

    with about(f"experiments.{name}"):
        model, tokenizer = try_untrained(untrained)
        require_targets(model.config, there=experiment.has_targets)
        require_positions(experiment.length, most_tokens(model))
        filler_of(tokenizer, values.faithfulness.removal)
    announce(values, name, *layers_and_heads(model.config.to_dict()))


def _try_configured(values: Params, name: str, experiment: Experiment) -> None:
    """Try a model of which only the configuration is here: small, with random weights."""
    from attention_mixing.models.dummy_inputs import most_tokens
    from attention_mixing.models.encode import require_targets  # torch takes seconds to start
    from attention_mixing.models.load import require_kind

    named = f"the model {source.name_of(experiment.model)}"
    model = require_kind(source.configured(experiment.model), named)
    with about(f"experiments.{name}"):
        require_targets(model.config, there=experiment.has_targets)
    require_positions(experiment.length, most_tokens(model), f"experiments.{name}.")
    _try_to_rebuild(values, name, experiment, model)


def _try_present(values: Params, name: str, experiment: Experiment, directory: Path) -> None:
    """Load a model that is here, with the head that it will have, and try texts of one's own.

    Not the embedded one, unless there are texts of one's own.
    """
    own_texts = isinstance(experiment.data, TextsData)
    if isinstance(experiment.model, EmbeddedModel) and not own_texts:
        return
    from attention_mixing.models.dummy_inputs import most_tokens
    from attention_mixing.models.encode import require_targets  # torch takes seconds to start
    from attention_mixing.models.load import (
        load_answering,
        load_classifier,
        load_encoder,
        load_language_model,
        load_translator,
    )
    from attention_mixing.models.next_word import choosing
    from attention_mixing.models.token_ablation import filler_of
    from attention_mixing.models.tokenizer import load_tokenizer

    tokenizer = load_tokenizer(directory)
    source.locate(experiment.model)
    model = load_encoder(directory)
    with about(f"experiments.{name}"):
        require_targets(model.config, there=experiment.has_targets)
    require_positions(experiment.length, most_tokens(model), f"experiments.{name}.")
    if experiment.task == "classification":  # what its new head reads is tried as well
        load_classifier(directory, label_names=("0", "1"))
        filler_of(tokenizer, values.faithfulness.removal)
    elif experiment.task == "question_answering":
        load_answering(directory, new_head=True)
    elif experiment.task == "sequence_to_sequence":
        load_translator(directory)
    elif experiment.task == "language_modelling":
        choosing(load_language_model(directory), ids=(0, 1), words=("0", "1"))
        filler_of(tokenizer, values.faithfulness.removal)
    if name == values.report.focus.experiment:
        encoded_text(values.anatomy, tokenizer, model)
    _try_to_rebuild(values, name, experiment, model)
    if own_texts:
        _try_texts(values, name, experiment, model, tokenizer)


def _try_texts(
    values: Params,
    name: str,
    experiment: Experiment,
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
) -> None:
    """Tokenise texts of one's own, with their targets if they have any."""
    from attention_mixing import corpora  # pandas takes longer to start than all the rest
    from attention_mixing.models.encode import encode_examples
    from attention_mixing.models.interventions import RunningModel
    from attention_mixing.models.vocabulary_coverage import rendering

    with about(f"experiments.{name}"):
        examples = corpora.load(experiment.data, experiment.task).examples
        encoded = encode_examples(examples, tokenizer, experiment.length, model.config)
    read = {"text": encoded, "target": [text.target for text in encoded if text.target is not None]}
    for stream in streams(experiment):
        if stream == JOINT:
            continue
        case, column = case_name(name, stream), "target" if stream in TARGETS else "text"
        structure = RunningModel(model, stream).described()
        lengths = [len(text.tokens) for text in read[column]]
        require_enough(values, case, lengths, structure["layers"] * structure["heads"])
        announce_lost(case, rendering(examples[column].tolist(), read[column], tokenizer))


def _try_to_rebuild(
    values: Params, name: str, experiment: Experiment, model: PreTrainedModel
) -> None:
    """Rebuild the attention of a model that the page *Anatomy* is to show, of made-up tokens."""
    from attention_mixing.capture.reconstruction import rebuilt_attention
    from attention_mixing.models.dummy_inputs import dummy_texts

    if name == values.report.focus.experiment:
        rebuilt_attention(model, dummy_texts(model)[0], source.name_of(experiment.model))


def require_enough(values: Params, name: str, tokens: list[int], heads: int) -> None:
    """Refuse texts of one's own that have too few tokens, or maps, for what is made of them.

    ``tokens`` of each text, and ``heads`` of all layers.
    """
    from attention_mixing.measures.clusters import require_enough_maps
    from attention_mixing.measures.projection import require_enough_tokens

    mapped = sum(tokens[text] for text in values.projection.examples)
    require_enough_tokens(values.projection, name, mapped)
    maps = min(len(tokens), values.heads.examples or len(tokens)) * heads
    require_enough_maps(values.clusters, name, maps, min(maps, values.clusters.sample))
