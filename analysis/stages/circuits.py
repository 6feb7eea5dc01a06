"""What truly depends on what in Transformers written by hand, and which measures find it."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from safetensors.numpy import save_file

from analysis.parameters import Params
from analysis.parameters.sections import CircuitSettings
from analysis.paths import CIRCUITS as DIRECTORY
from analysis.paths import KEPT_CIRCUITS
from analysis.pipeline.packages import made_with
from analysis.pipeline.processes import forked
from analysis.pipeline.stage import replacing, run, write_json
from attention_mixing.attributions.through import ThroughLayers
from attention_mixing.circuits.by_hand import GAIN, NORMS, Norm
from attention_mixing.circuits.estimands import ESTIMANDS, FINDS
from attention_mixing.circuits.expected import expected
from attention_mixing.circuits.learned import TASKS, LearnedModel, learn, learned_truths
from attention_mixing.circuits.measures import (
    OTHER_TEXTS,
    STEPS,
    STEPS_EACH,
    layer_measures,
    model_measures,
)
from attention_mixing.circuits.programs import CIRCUITS, WrittenCircuit, circuit
from attention_mixing.circuits.scores import (
    CircuitMeasure,
    Through,
    draw_texts,
    scored_on,
    scored_together,
)
from attention_mixing.circuits.truth import truths
from attention_mixing.methods.bootstrap import mean_interval
from attention_mixing.models.device import repeatable
from attention_mixing.settings.measures import Bootstrap

Measures = dict[Through, dict[str, CircuitMeasure]]
SCORED = ["through", "estimand", "circuit", "measure", "score"]
# A gain beside the full one, with which a weight that should be zero is up to exp(-5).
SOFTER = 10.0


def circuits(params: Params) -> None:
    """Write ``results/circuits``, or copy them where ``circuits.kept`` is true.

    ``scores.parquet``
        Every score of every measure, text, basis and placement of the norms
        (:func:`attention_mixing.circuits.scores.scored_together`).
    ``means.parquet``
        Its means, with an interval over texts and bases, what was ``expected``, and whether the
        measure ``finds`` what is asked; see :func:`means`.
    ``softer.parquet``
        The scores of the measures of the whole model in the first basis, held against the total
        effect, where attention is less than all or nothing.
    ``learned.parquet``
        The scores of the measures of the whole model on models that have learned a task
        (:mod:`attention_mixing.circuits.learned`), with seeds of training in the place of bases.
    ``learned_models.parquet``
        ``task, norm, seed``; ``accuracy``, of answers; and ``on_task``, which share of the total
        effect is of the tokens that the task says matter, mean over rows and texts.
    ``circuits.json``
        What circuits are made of, on how many tokens of a text theirs depend, and how many bring
        them something.
    ``example.safetensors``
        Of the first text in the first basis, normalised behind what layers add: ``CIRCUIT/truth``
        and ``CIRCUIT/MEASURE``, ``[query, token]``, rows summing to 1.
    ``kept.json``
        Of those that were kept, when and of which commit; no such file where they are of this run.
    """
    settings = params.circuits
    assert settings is not None  # a run has them, if it is none of those that were kept before
    if settings.kept:
        with replacing(DIRECTORY) as directory:
            shutil.copytree(KEPT_CIRCUITS, directory)
        return
    measures: Measures = {
        "layer": layer_measures(),
        "model": model_measures(ThroughLayers(params.propagation.residual)),
    }
    repeatable()
    with replacing(DIRECTORY) as directory:
        directory.mkdir()
        # A process for each placement of the norms.
        forked(partial(_score, measures, settings, directory), NORMS)
        scores = _joined(directory, "scores")
        for name in ("softer", "learned", "learned_models"):
            _joined(directory, name)
        means(scores, params.bootstrap).to_parquet(directory / "means.parquet", index=False)
        record, arrays = _example(measures, settings)
        write_json(directory / "circuits.json", record)
        save_file(arrays, directory / "example.safetensors")
        write_json(directory / "packages.json", made_with(Path(__file__)))


def means(scores: pd.DataFrame, bootstrap: Bootstrap) -> pd.DataFrame:
    """Average scores, and hold them against what was expected.

    Parameters
    ----------
    scores
        As ``scores.parquet`` has them.
    bootstrap
        How texts are resampled, and bases where there are ten or more, as seeds of training are
        (:mod:`attention_mixing.methods.bootstrap`). Scores are means over placements and layers.

    Returns
    -------
    DataFrame
        ``through, estimand, circuit, measure, score, mean, low, high``; ``smallest`` and
        ``largest`` of the texts, bases and placements; ``texts`` that have the score;
        ``expected``, whether the measure was expected to find what is depended on (the total
        effect), and ``finds``, whether it finds what is asked.
    """
    single = scores.groupby([*SCORED, "norm", "seed", "text"], sort=False)["value"].mean()
    grouped = single.groupby(SCORED, sort=False)
    ends = grouped.agg(smallest="min", largest="max")
    by_basis = single.groupby([*SCORED, "seed", "text"]).mean().unstack(["seed", "text"])
    bases, texts = (by_basis.columns.unique(name) for name in ("seed", "text"))
    ordered = by_basis.loc[ends.index, pd.MultiIndex.from_product([bases, texts])]
    interval = mean_interval(
        ordered.to_numpy().T.reshape(len(bases), len(texts), len(ends)),
        resamples=bootstrap.resamples,
        confidence=bootstrap.confidence,
        seed=bootstrap.seed,
    )
    table = ends.assign(**interval._asdict())[
        ["mean", "low", "high", "smallest", "largest", "texts"]
    ].reset_index()
    auc = table[table["score"] == "roc_auc"]
    finds = auc[SCORED[:-1]].assign(finds=auc["mean"] >= FINDS)
    of_effect = expected().assign(estimand="effect")
    return table.merge(of_effect, how="left").merge(finds, how="left")


def _score(measures: Measures, settings: CircuitSettings, directory: Path, norm: Norm) -> None:
    score = partial(scored_together, norms=[norm], texts=settings.texts, text_seed=settings.seed)
    scores = score(measures, seeds=settings.bases, title=f"score circuits ({norm}-norm)")
    scores.to_parquet(directory / f"scores-{norm}.parquet", index=False)
    softer = score(
        {"model": measures["model"]},
        estimands=["effect"],
        seeds=settings.bases[:1],
        gain=SOFTER,
        title=f"... again, softer ({norm}-norm)",
    )
    softer.to_parquet(directory / f"softer-{norm}.parquet", index=False)
    trained = [learn(task, norm=norm, seed=seed) for task in TASKS for seed in settings.bases]
    learned = scored_on(
        {"model": measures["model"]},
        trained,
        learned_truths,
        texts=settings.texts,
        text_seed=settings.seed,
        title=f"... on trained models ({norm}-norm)",
        total=len(trained),
    )
    learned.to_parquet(directory / f"learned-{norm}.parquet", index=False)
    about = pd.DataFrame([_about_learned(model, settings) for model in trained])
    about.to_parquet(directory / f"learned_models-{norm}.parquet", index=False)


def _joined(directory: Path, name: str) -> pd.DataFrame:
    """Join the tables of the placements in one file."""
    parts = [directory / f"{name}-{norm}.parquet" for norm in NORMS]
    table = pd.concat(map(pd.read_parquet, parts), ignore_index=True)
    for part in parts:
        part.unlink()
    table.to_parquet(directory / f"{name}.parquet", index=False)
    return table


def _example(
    measures: Measures, settings: CircuitSettings
) -> tuple[dict[str, Any], dict[str, NDArray[np.float64]]]:
    texts = draw_texts(settings.texts, settings.seed)
    of_circuits, arrays = {}, {}
    for name in CIRCUITS:
        written = circuit(name, seed=settings.bases[0])
        placed = [circuit(name, norm=norm, seed=settings.bases[0]) for norm in NORMS]
        of_circuits[name] = _about(placed, texts)
        captured = written.capture(texts[0])
        arrays[f"{name}/truth"] = truths(written, texts[0]).model.share
        for measure, work in measures["model"].items():
            matrix = np.abs(np.asarray(work(captured, written), np.float64))
            with np.errstate(invalid="ignore"):
                arrays[f"{name}/{measure}"] = matrix / matrix.sum(axis=-1, keepdims=True)
    record = {
        "tokens": captured.tokens["token"].tolist(),
        "finds": FINDS,
        "gains": {"scores": GAIN, "softer": SOFTER},
        "paths": {"steps": STEPS, "other_texts": OTHER_TEXTS, "steps_each": STEPS_EACH},
        "measures": {through: [*measures] for through, measures in measures.items()},
        "circuits": of_circuits,
    }
    return record, {name: np.ascontiguousarray(array) for name, array in arrays.items()}


def _about(placed: list[WrittenCircuit], texts: list[list[str]]) -> dict[str, Any]:
    """Tell what a circuit is made of, and what its symbols depend on.

    Means over its placements of norms, and over texts.
    """
    models = {
        estimand: [truths(written, text, estimand).model for written in placed for text in texts]
        for estimand in ESTIMANDS
    }
    counts = {
        estimand: float(np.mean([model.depends[1:].sum(axis=1) for model in of_estimand]))
        for estimand, of_estimand in models.items()
    }
    written, *_ = placed
    layers = written.circuit.layers
    return {
        "layers": len(layers),
        "heads": len(layers[0].heads),
        "network": any(layer.network is not None for layer in layers),
        "carried": written.circuit.carried,
        "tokens": counts["effect"],
        "brought": counts["provenance"],
        "keys": counts["keys"],
        "mixing": float(np.mean([model.mixing[1:] for model in models["effect"]])),
    }


def _about_learned(model: LearnedModel, settings: CircuitSettings) -> dict[str, Any]:
    """Tell how well a model has learned its task, and how much it depends on what that says."""
    texts = draw_texts(settings.texts, settings.seed, model.draw_text)
    truths_of_texts = [learned_truths(model, text).model for text in texts]
    on_task = [(true.share * true.depends).sum(axis=-1) for true in truths_of_texts]
    return {
        "task": model.name,
        "norm": model.norm,
        "seed": model.seed,
        "accuracy": model.accuracy,
        "on_task": float(np.nanmean(on_task)),  # of the rows that are asked
    }


if __name__ == "__main__":
    run(circuits)
