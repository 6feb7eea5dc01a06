"""What every measure gives of models that never change: the fingerprint of the code behind it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from analysis.parameters import Params, load, located
from analysis.parameters.derived import case_name
from analysis.paths import FINGERPRINT, FINGERPRINT_PARAMS, artifact
from analysis.pipeline.stage import replacing, run, write_json
from analysis.runs.comparison import names
from analysis.stages.capture import capture
from analysis.stages.measure import measure
from analysis.stages.prepare import prepare
from analysis.stages.train import begin, choosing_words
from attention_mixing.artifacts import read_artifact
from attention_mixing.corpora import Corpus
from attention_mixing.measures import GROUPS, of_group, summarised
from attention_mixing.measures.engine.summary import summarise
from attention_mixing.models.source import inspect, locate
from attention_mixing.settings.derived import streams
from attention_mixing.settings.sources import EmbeddedModel

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

SEED = "0"
# Stages that are of the text of one experiment, or take the longest and are alike of all.
OF_ONE = ("focus", "projection")
# A BERT whose weights are wider than where training starts, so that no row of attention is uniform.
ENCODER: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": 128,
    "initializer_range": 0.2,
}
NOISE = 0.05  # standard deviation of what is added to every weight, gains and biases too


def fingerprint(_: Params) -> None:
    """Write ``results/fingerprint.parquet``: means and intervals of all measures, of fixed models.

    Models, texts and settings are those of ``reference/fingerprint.yaml``, whatever the run. A
    reference run keeps its own fingerprint: measures whose numbers are others in the present one
    would give other results today (:func:`analysis.runs.kept.stale`).
    """
    fixed = load(FINGERPRINT_PARAMS)
    with replacing(FINGERPRINT.absolute()) as target, tempfile.TemporaryDirectory() as scratch:
        with chdir(scratch):
            _make_encoder(fixed.files["encoder"])
            frames = [frame for name in fixed.experiments for frame in _taken(fixed, name)]
        table = pd.concat(frames, ignore_index=True)
        numbers = table[["mean", "low", "high"]].astype(np.float32)
        numbers.insert(0, "number", names(table))
        numbers.to_parquet(target, compression="zstd", index=False)


def _taken(fixed: Params, name: str) -> Iterator[pd.DataFrame]:
    """Take all measures of an experiment in the present directory, and summarise them."""
    prepare(fixed, name)
    _stand_in_for_training(fixed, name)
    capture(fixed, name)
    shown = name == fixed.report.focus.experiment
    for group in summarised():
        stages = [stage for stage in GROUPS[group] if shown or stage not in OF_ONE]
        for stage in stages:
            measure(fixed, name, stage)
        for stream in streams(fixed.experiments[name]) if stages else ():
            directories = [artifact(name, stage, SEED, stream) for stage in stages]
            values = [read_artifact(directory / "values.parquet") for directory in directories]
            means = summarise(
                [pd.concat(values, ignore_index=True)], of_group(group), fixed.bootstrap
            )
            means.insert(0, "experiment", case_name(name, stream))
            # As kept runs have them: what is of no text has no mean over heads.
            yield means[(means["head"] == 0) | (means["texts"] == 0)]


def _make_encoder(directory: str) -> None:
    """Write what stands for a pretrained model, with the tokenizer of the embedded one."""
    from transformers import BertConfig, BertModel

    from attention_mixing.models.device import deterministic
    from attention_mixing.models.tokenizer import load_tokenizer

    deterministic(int(SEED))
    tokenizer = load_tokenizer(locate(EmbeddedModel(source="embedded")).path)
    model = BertModel(BertConfig(vocab_size=len(tokenizer), **ENCODER))
    _save(_shaken(model.eval()), tokenizer, Path(directory))


def _stand_in_for_training(fixed: Params, name: str) -> None:
    """Write what the stage ``train`` does, of a model whose weights were all moved by chance."""
    from attention_mixing.models.device import deterministic

    experiment = located(fixed, name)
    assert experiment.train is not None
    deterministic(int(SEED))
    corpus = Corpus.read(artifact(name, "corpus"))
    model, tokenizer, _ = begin(experiment, experiment.train, corpus)
    _shaken(model)
    if experiment.task == "language_modelling":
        model = choosing_words(name, model, tokenizer)
    trained = artifact(name, "train", SEED, "model")
    _save(model, tokenizer, trained)
    facts = {SEED: {"sha256": inspect(trained, name=name).sha256}}
    write_json(artifact(name, "train", "facts.json"), {"seeds": facts})


def _shaken(model: PreTrainedModel) -> PreTrainedModel:
    """Add noise to every weight, in place."""
    import torch

    with torch.no_grad():
        for weights in model.parameters():
            weights.add_(torch.randn_like(weights), alpha=NOISE)
    return model


def _save(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, directory: Path) -> None:
    model.save_pretrained(directory)
    tokenizer.save_pretrained(directory)


if __name__ == "__main__":
    run(fingerprint)
