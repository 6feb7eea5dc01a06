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
from attention_mixing.attributions.catalogue import chosen
from attention_mixing.attributions.through import ThroughLayers
from attention_mixing.circuits.by_hand import GAIN, NORMS, Norm
from attention_mixing.circuits.estimands import ESTIMANDS, FINDS
from attention_mixing.circuits.expected import expected
from attention_mixing.circuits.labels import BASELINES, BY_KEYS, OF_OTHERS
from attention_mixing.circuits.learned import TASKS, LearnedModel, learn, learned_truths
from attention_mixing.circuits.measures import (
    OTHER_TEXTS,
    STEPS,
    STEPS_EACH,
    layer_measures,
    model_measures,
)
from attention_mixing.circuits.pairs import every_output, pair_truth
from attention_mixing.circuits.programs import CIRCUITS, OF_PAIRS, WrittenCircuit, circuit
from attention_mixing.circuits.scores import (
    CircuitMeasure,
    Through,
    draw_texts,
    scored_on,
    scored_together,
)
from attention_mixing.circuits.truth import truths
from attention_mixing.methods.arrays import defined_mean
from attention_mixing.methods.bootstrap import mean_interval
from attention_mixing.methods.dependence import effect_shares
from attention_mixing.models.device import repeatable
from attention_mixing.settings.measures import Bootstrap

Measures = dict[Through, dict[str, CircuitMeasure]]
SCORED = ["through", "estimand", "circuit", "measure", "score"]
# A gain beside the full one, with which a weight that should be zero is up to exp(-5).
SOFTER = 10.0
# Others, where keys decide, on so many texts.
GRADED, TEXTS_GRADED = (20.0, 5.0, 2.0), 2
# What gains of norms bear on: measures that follow some norms and not others, where what is brought
# is read; and how often gains are drawn, each time with a basis.
OF_NORMS: dict[Through, tuple[str, ...]] = {
    "layer": chosen("attnres_n", "attnresln_n", "globenc"),
    "model": chosen("attnres_n_rollout", "attnresln_n_rollout", "globenc_rollout"),
}

BROUGHT, GAINS_DRAWN = ("previous", "uniform", "relay", "two_hops"), 6
# Tokens of longer texts, and what would take too long on them: integrals along paths.
LONGER = 25
INTEGRALS = chosen("integrated_gradients", "expected_gradients")
# Texts of each model that has learned a task.
TEXTS_LEARNED = 3


def circuits(params: Params) -> None:
    """Write ``results/circuits``, or copy them where ``circuits.kept`` is true.

    ``scores.parquet``
        Every score of every measure, text, basis and placement of the norms
        (:func:`attention_mixing.circuits.scores.scored_together`).
    ``means.parquet``
        Its means, with an interval over texts and bases, what was ``expected``, and whether the
        measure ``finds`` what is asked; see :func:`means`.
    ``variations.parquet``
        The scores of circuits that are varied (:func:`_variations`), by ``variation``.
    ``pairs.parquet``
        The share that measures give to two tokens that matter only together, and what their total
        effect is (:func:`_pairs`).
    ``learned.parquet``
        The scores of the measures of the whole model on models that have learned a task
        (:mod:`attention_mixing.circuits.learned`), with seeds of training in the place of bases.
    ``learned_models.parquet``
        ``task, norm, seed``; ``accuracy``, of answers; and ``on_task``, which share of the total
        effect is of the tokens that the task says matter, mean over rows and texts.
    ``circuits.json``
        What circuits are made of, on how many tokens of a text theirs depend, and how many bring
        them something; and how much of what they do is done by tokens alone, and by two together.
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
        for name in ("variations", "learned", "learned_models"):
            _joined(directory, name)
        shares, orders = _pairs(measures["model"], settings)
        shares.to_parquet(directory / "pairs.parquet", index=False)
        means(scores, params.bootstrap).to_parquet(directory / "means.parquet", index=False)
        record, arrays = _example(measures, settings)
        write_json(directory / "circuits.json", record | {"orders": orders})
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
    score = partial(scored_together, norms=[norm], text_seed=settings.seed)
    scores = score(
        measures,
        seeds=settings.bases,
        texts=settings.texts,
        title=f"score circuits ({norm}-norm)",
    )
    scores.to_parquet(directory / f"scores-{norm}.parquet", index=False)
    varied = [
        score(**options, title=f"... again, {name} ({norm}-norm)").assign(variation=name)
        for name, options in _variations(measures, settings, norm).items()
    ]
    pd.concat(varied).to_parquet(directory / f"variations-{norm}.parquet", index=False)
    trained = [learn(task, norm=norm, seed=seed) for task in TASKS for seed in settings.bases]
    learned = scored_on(
        {"model": measures["model"]},
        trained,
        learned_truths,
        texts=min(TEXTS_LEARNED, settings.texts),
        text_seed=settings.seed,
        title=f"... on trained models ({norm}-norm)",
        total=len(trained),
    )
    learned.to_parquet(directory / f"learned-{norm}.parquet", index=False)
    about = pd.DataFrame([_about_learned(model, settings) for model in trained])
    about.to_parquet(directory / f"learned_models-{norm}.parquet", index=False)


def _variations(
    measures: Measures, settings: CircuitSettings, norm: Norm
) -> dict[str, dict[str, Any]]:
    """Name what is varied, with what :func:`scored_together` is asked then.

    ``softer``
        Attention is less than all or nothing: measures of the whole model, in the first basis.
    ``gain_20``, ``gain_5``, ``gain_2``
        The same where keys decide, on a few texts.
    ``norm_gains``
        Norms have gains and biases, which those of pre-norm models cannot show: what reads behind
        them takes them back, and nothing else is behind them.
    ``longer``
        Texts of 24 symbols, where others are depended on, after each sum.
    """
    of_model = {"measures": {"model": measures["model"]}, "estimands": ["effect"]}
    first = settings.bases[:1]
    varied: dict[str, dict[str, Any]] = {
        "softer": {**of_model, "seeds": first, "gain": SOFTER, "texts": settings.texts}
    }
    for gain in GRADED:
        varied[f"gain_{gain:g}"] = {
            **of_model,
            "circuits": BY_KEYS,
            "seeds": first,
            "gain": gain,
            "texts": min(TEXTS_GRADED, settings.texts),
        }
    if norm == "post":
        varied["norm_gains"] = {
            "measures": {
                through: {name: of[name] for name in (*OF_NORMS[through], *BASELINES)}
                for through, of in measures.items()
            },
            "estimands": ["provenance"],
            "circuits": BROUGHT,
            "seeds": range(settings.bases[0], settings.bases[0] + GAINS_DRAWN),
            "norm_gains": True,
            "texts": 1,
        }
        short = {name: of for name, of in measures["model"].items() if name not in INTEGRALS}
        varied["longer"] = {
            **of_model,
            "measures": {"model": short},
            "circuits": OF_OTHERS,
            "seeds": first,
            "places": LONGER,
            "texts": 1,
        }
    return varied


def _pairs(
    measures: dict[str, CircuitMeasure], settings: CircuitSettings
) -> tuple[pd.DataFrame, dict[str, dict[str, float | None]]]:
    """Hold measures against what two tokens do together, in the first basis, after each sum.

    Returns
    -------
    shares
        ``circuit, text, measure, value``: of circuits of pairs, the share of a row that goes to two
        tokens which change the output together and neither alone, mean over such rows; of the
        measure ``truth``, that of their totals.
    orders
        Circuit -> of the variance that other tokens have a part in, the share of ``one`` alone, of
        ``two`` and of ``more``, means over symbols and texts; None where they have no part. And how
        many pairs matter only together, ``pairs``, for each symbol.
    """
    texts = draw_texts(settings.texts, settings.seed)
    shares, orders = [], {}
    for name in (*OF_PAIRS, *CIRCUITS):
        written = circuit(name, seed=settings.bases[0])
        outputs = every_output(written)
        true = [pair_truth(outputs, text) for text in texts]
        mean = defined_mean(np.concatenate([of.orders()[1:] for of in true]), axis=0)
        counted = [of.only_together[1:].sum(axis=(1, 2)) / 2 for of in true]
        orders[name] = {
            order: None if np.isnan(share) else float(share)
            for order, share in zip(("one", "two", "more"), mean, strict=True)
        } | {"pairs": float(np.mean(counted))}
        for number, (text, of) in enumerate(zip(texts, true, strict=True)):
            where = of.only_together.any(axis=-1)
            if name not in OF_PAIRS or not where.any():
                continue
            captured = written.capture(text)
            matrices = {label: work(captured, written) for label, work in measures.items()}
            for label, matrix in {"truth": of.total, **matrices}.items():
                rows = effect_shares(np.abs(np.asarray(matrix, np.float64)))
                given = np.where(where, rows, 0).sum(axis=-1)[where.any(axis=-1)]
                shares.append((name, number, label, float(defined_mean(given))))
    return pd.DataFrame(shares, columns=["circuit", "text", "measure", "value"]), orders


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
        "gains": {
            "scores": GAIN,
            "softer": SOFTER,
            **{f"gain_{gain:g}": gain for gain in GRADED},
        },
        "longer": LONGER - 1,
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
    texts = draw_texts(min(TEXTS_LEARNED, settings.texts), settings.seed, model.draw_text)
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
