"""What the chapter *circuits* says of scores: on circuits, and beside those on trained models."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations, product
from typing import Any

import numpy as np
import pandas as pd

from analysis.prose.phrases import listed, written
from analysis.results.circuits import (
    AMOUNT_WITHIN,
    BY_DEPENDENCE,
    IN_BOTH,
    LEARNED,
    OF_COORDINATES,
    TRAINED,
    BesideModels,
    CircuitResults,
    leak,
    places,
)
from attention_mixing.circuits.estimands import meant
from attention_mixing.circuits.labels import BASELINES
from attention_mixing.messages import Words
from attention_mixing.methods.faithfulness import rank_correlation

# Spearman's correlation of two orders from which on we call them so.
LIKENESS = {"same": 0.7, "alike": 0.3, "unrelated": -0.3}
# Shares of a row that differ by less are the same.
SAME_SHARE = 0.005


def circuit_names(results: CircuitResults, w: Words) -> dict[str, str]:
    """Names of the circuits in the words of a page."""
    return {name: w[f"circuit_{name}"] for name in results.circuits}


def quoted(circuits: Iterable[str], w: Words) -> str:
    """List circuits by their names, in quotation marks."""
    return listed([w.say("named_circuit", name=w[f"circuit_{one}"]) for one in circuits], w)


def sentences(results: CircuitResults, w: Words) -> dict[str, str]:
    """Write what the page says of the scores."""
    count = len(results.circuits)
    said: dict[str, str] = {}
    for through, name in (("model", "lead"), ("layer", "layer")):
        finds = results.finds(through)
        said[name] = w.say(name, circuits=count, **_best_as_meant(results, through, w))
        unseen = list(finds.index[~finds.any(axis=1)])
        blind = {"model": "blind", "layer": "layer_blind"}[through]
        said[blind.replace("_", "-")] = w.say(
            blind,
            n=len(unseen),
            names=quoted(unseen, w),
        )
    said |= _amounts(results, w)
    return said | {
        "basis": _basis(results, w),
        "placement": _placement(results, w),
        "beginning": _beginning(results, w),
        "saturation": _saturation(results, w),
        "leak": written(leak(results.record["gains"]["softer"]), ".1%"),
        "graded": _graded(results, w),
        "longer": _longer(results, w),
        "longer-symbols": str(results.record["longer"]),
        "norm-gains": _norm_gains(results, w),
        "orders": _orders(results, w),
        "pairs": _pairs(results, w),
        "variants": _variants(results, w),
        **{name.replace("_", "-"): str(count) for name, count in results.record["paths"].items()},
        "wrong": _wrong(results, w),
    }


def _best_as_meant(results: CircuitResults, through: str, w: Words) -> dict[str, str | int]:
    """Name the measures that find what they are meant to tell in most circuits, and count these.

    Under ``best_ESTIMAND``, ``most_ESTIMAND`` and ``baseline_ESTIMAND``; ``all_ESTIMAND`` says
    whether these are all circuits.
    """
    told: dict[str, str | int] = {}
    for estimand, rows in results.as_meant(through).groupby("estimand"):
        most = rows["found"].max()
        best = rows.index[rows["found"] == most]
        told[f"best_{estimand}"] = listed([w[measure] for measure in best], w)
        told[f"most_{estimand}"] = int(most)
        told[f"all_{estimand}"] = "yes" if most == len(results.circuits) else "no"
        told[f"baseline_{estimand}"] = int(rows["baseline"].max())
    return told


def _amounts(results: CircuitResults, w: Words) -> dict[str, str]:
    """Say which measure tells the amount of mixing best, beside telling none."""
    said = {}
    for through, of in product(("layer", "model"), ("", "_lengths")):
        errors = results.table(through, f"mixing_error{of}").mean()
        best = str(errors[results.judged(through)].idxmin())
        said[f"amount-{through}{of.replace('_', '-')}"] = w.say(
            f"amount{of}",
            through=through,
            measure=w[best],
            error=written(errors[best], ".2f"),
            identity=written(errors["identity"], ".2f"),
            **_within(results, through, f"mixing_error{of}", w),
        )
    raw = results.table("layer", "mixing_error")["raw"].mean()
    return said | {"amount-raw": w.say("amount_raw", error=written(raw, ".2f"))}


def _within(results: CircuitResults, through: str, score: str, w: Words) -> dict[str, str | int]:
    """Count the circuits whose amount is told within the bound, at most and by identity."""
    passed = (results.table(through, score) <= AMOUNT_WITHIN).sum()
    judged = passed[results.judged(through)]
    return {
        "within": written(AMOUNT_WITHIN, ".2f"),
        "most": int(judged.max()),
        "by": listed([w[measure] for measure in judged.index[judged == judged.max()]], w),
        "own": int(passed["identity"]),
        "of": len(results.circuits),
    }


def _basis(results: CircuitResults, w: Words) -> str:
    moved = results.moved_by_basis()
    of_coordinates = moved.index.isin(OF_COORDINATES)
    others, coordinates = moved[~of_coordinates].max(), moved[of_coordinates].max()
    return w.say("basis", others=written(others, ".0e"), coordinates=written(coordinates, ".2f"))


def _placement(results: CircuitResults, w: Words) -> str:
    pairs_scored = sum(results.finds(through).size for through in ("layer", "model"))
    return w.say("placement", n=results.found_in_one_placement(), of=pairs_scored)


def _beginning(results: CircuitResults, w: Words) -> str:
    changed = results.without_beginning()
    moved = set(changed[changed].index.get_level_values("circuit"))
    names = quoted([circuit for circuit in results.circuits if circuit in moved], w)
    return w.say("beginning", n=int(changed.sum()), of=len(changed), names=names)


def _saturation(results: CircuitResults, w: Words) -> str:
    """Say how many outcomes hang on how saturated attention is."""
    full, softer = results.finds("model"), results.finds_softer()
    gained, lost = (int((a & ~b).to_numpy().sum()) for a, b in permutations((softer, full)))
    return w.say("saturation", gained=gained, lost=lost, of=full.size)


def _graded(results: CircuitResults, w: Words) -> str:
    """Say which measures that are meant to tell the effect begin to find keys, and where."""
    data = results.graded()
    data = data[[meant(measure) == "effect" for measure in data["measure"]]]
    found = (data["value"] >= results.record["finds"]).groupby([data["measure"], data["gain"]])
    counts = found.sum().unstack("gain").sort_index(axis="columns", ascending=False)
    more = counts.gt(counts.iloc[:, 0], axis="index")
    none = [w[measure] for measure in counts.index[(counts == 0).all(axis="columns")]]
    begun = [
        w.say(
            "begins_to_find",
            measure=w[measure],
            before=int(counts.loc[measure].iloc[0]),
            most=int(counts.loc[measure].max()),
            weight=written(leak(float(more.loc[measure].idxmax())), ".0e"),
        )
        for measure in counts.index[more.any(axis="columns")]
    ]
    return w.say(
        "graded",
        of=data["circuit"].nunique(),
        begun=listed(begun, w),
        n=len(begun),
        none=listed(none, w),
        m=len(none),
    )


def _longer(results: CircuitResults, w: Words) -> str:
    """Say how far the order of measures is the same on longer texts."""
    table = results.longer().set_index("measure")
    judged = table.drop([*BASELINES])
    likeness = _likeness(float(rank_correlation(*judged.round(2).to_numpy().T)))
    return w.say("longer", n=len(judged), **likeness)


def _norm_gains(results: CircuitResults, w: Words) -> str:
    """Say how far measures that follow different norms are apart where these have gains."""
    table = results.with_norm_gains()
    judged = table.query("measure not in @BASELINES")
    said = {}
    for through, rows in judged.groupby("through", sort=False):
        plain, varied = (
            rows.pivot(index=["circuit", "seed"], columns="measure", values=column)
            for column in ("plain", "varied")
        )
        nearest = varied.idxmin(axis="columns").value_counts()
        said[str(through)] = w.say(
            "norm_gains",
            through=str(through),
            plain=written(np.ptp(plain, axis=1).mean(), ".2f"),
            apart=written(np.ptp(varied, axis=1).mean(), ".2f"),
            nearest=w[str(nearest.idxmax())],
            n=int(nearest.max()),
            of=len(varied),
        )
    return w.say("norm_gains_both", **said)


def _orders(results: CircuitResults, w: Words) -> str:
    """Say how much of what tokens do two do together."""
    two = results.orders_of_effect()["two"]
    apart = two.drop([*results.circuits])
    here = two[[*results.circuits]]
    return w.say(
        "orders",
        names=quoted(apart.index, w),
        low=written(apart.min(), ".0%"),
        high=written(apart.max(), ".0%"),
        circuit=quoted([str(here.idxmax())], w),
        most=written(here.max(), ".0%"),
    )


def _pairs(results: CircuitResults, w: Words) -> str:
    """Say what measures give two tokens that matter only together."""
    shares = results.given_to_pairs()
    judged = shares.loc[results.judged("model")]
    return w.say(
        "pairs",
        low=written(shares.loc["truth"].min(), ".0%"),
        high=written(shares.loc["truth"].max(), ".0%"),
        symbols=written(shares.loc["symbols"].mean(), ".0%"),
        above=int((judged > shares.loc["symbols"] + SAME_SHARE).to_numpy().sum()),
        none=int((judged < SAME_SHARE).to_numpy().sum()),
        of=judged.size,
    )


def _variants(results: CircuitResults, w: Words) -> str:
    """Say what integrated gradients find by where their paths begin."""
    found = results.finds("model").sum()
    return w.say(
        "variants",
        padding=int(found["integrated_gradients"]),
        others=int(found["expected_gradients"]),
        of=len(results.circuits),
    )


def _wrong(results: CircuitResults, w: Words) -> str:
    return w.say("wrong", n=len(results.surprises()), of=len(results.expectations()))


def order_sentences(data: pd.DataFrame, w: Words) -> dict[str, str]:
    """Say how far the order on circuits is that on trained models , as its figure shows them."""
    said = {f"orders-{column}": "" for column in TRAINED}
    placed = places(data[list(data.columns.drop("measure"))], "min").astype(int)
    for column in data.columns.drop(["measure", "circuits"]):
        here, there = (data[name].to_numpy() for name in ("circuits", column))
        correlation = float(rank_correlation(here, there))
        moved = (placed["circuits"] - placed[column]).abs().idxmax()
        said[f"orders-{column}"] = w.say(
            f"orders_{column}",
            **_likeness(correlation),
            n=len(data),
            measure=w[data.loc[moved, "measure"]],
            here=int(placed.loc[moved, "circuits"]),
            there=int(placed.loc[moved, column]),
        )
    return said


def model_sentences(found: BesideModels, w: Words) -> dict[str, str]:
    """Say how far the order of measures on circuits is that on models, as their table has them."""
    said: dict[str, str] = {}
    table = found.table.set_index("measure")
    for name in BY_DEPENDENCE:
        scores = table[[f"circuits_{name}", f"models_{name}"]].dropna()
        best = -scores if name == "amount" else scores  # an error is better the smaller it is
        here, there = (best[column].to_numpy() for column in best)
        placed = places(best, "min").astype(int)
        lost = placed.diff(axis="columns").iloc[:, -1]
        moved = str(lost.idxmax())
        said[f"models-{name}"] = w.say(
            f"beside_{name}",
            **_likeness(float(rank_correlation(here, there))),
            n=len(scores),
            lost=int(lost[moved]),
            measure=w[moved],
            here=int(placed.loc[moved].iloc[0]),
            there=int(placed.loc[moved].iloc[1]),
        )
    errors = table["models_amount"]
    judged = errors.drop([*IN_BOTH])
    baselines = errors[[*IN_BOTH]]
    nearest, baseline = str(judged.idxmin()), str(baselines.idxmin())
    said["models-nearest"] = w.say(
        "models_nearest",
        measure=w[nearest],
        error=written(errors[nearest], ".2f"),
        baseline=w[baseline],
        baseline_error=written(errors[baseline], ".2f"),
    )
    return said


def learned_sentences(results: CircuitResults, w: Words) -> dict[str, str]:
    """Say how far the order on circuits is that on models that have learned, as their table has it.

    Correlations are of the measures without baselines.
    """
    learned, table = results.learned, results.beside_learned().set_index("measure")
    judged = results.judged("model")
    said = {
        "learned-accuracy": written(learned.models["accuracy"].min(), ".1%"),
        "learned-on-task": written(learned.models["on_task"].mean(), ".0%"),
        "learned-models": str(len(learned.models)),
    }
    for asked in LEARNED:
        here, *there = (
            table.loc[judged, f"{of}_{asked}"].to_numpy() for of in ("circuits", *learned.tasks)
        )
        told: dict[str, str | int] = {"n": len(judged)}
        for task, scores in zip(learned.tasks, there, strict=True):
            told[f"{task}_correlation"] = _correlation(float(rank_correlation(here, scores)))
        agreement = _correlation(learned.agreement(asked, judged))
        said[f"learned-{asked}"] = w.say(f"learned_{asked}", seeds=agreement, **told)
    behind = {
        of: int((table.loc[judged, f"{of}_order"] < table.loc["identity", f"{of}_order"]).sum())
        for of in ("circuits", *learned.tasks)
    }
    return said | {"learned-identity": w.say("learned_identity", n=len(judged), **behind)}


def _likeness(correlation: float) -> dict[str, str]:
    """Say of a correlation of two orders how alike it makes them, in a word and as a number."""
    named = (name for name, least in LIKENESS.items() if correlation >= least)
    return {
        "likeness": next(named, "reversed"),
        "correlation": _correlation(correlation),
    }


def _correlation(value: float) -> str:
    return f"ρ = {written(value, 'z.2f')}"


def bars_sentence(data: pd.DataFrame, w: Words) -> str:
    """Name the measures that find what they are meant to in most and in fewest circuits.

    ``data`` has a row a measure: ``measure``, ``found`` and ``of``, a number of circuits.
    """
    shares = data["found"] / data["of"]
    ends = {"most": shares == shares.max(), "fewest": shares == shares.min()}
    about: dict[str, Any] = {"same": "yes" if shares.nunique() == 1 else "no"}
    for end, chosen in ends.items():
        rows = data[chosen]
        about |= {
            end: listed([w[measure] for measure in rows["measure"]], w),
            f"{end}_found": int(rows["found"].iloc[0]),
            f"{end}_of": int(rows["of"].iloc[0]),
        }
    return w.say("bars", **about)
