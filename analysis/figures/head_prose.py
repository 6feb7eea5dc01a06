"""Chapter *heads*: the numbers and sentences of its prose."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from analysis.figures.clusters import Clusters
from analysis.figures.findings import heads as findings
from analysis.figures.head_ablation import Ablation
from analysis.figures.heads import FAMILIES, Results, moves, shown
from analysis.figures.published import PUBLISHED_HEADS, PUBLISHED_WINDOWS
from analysis.figures.words import Words
from analysis.params import Params

SINKS = ("cls", "sep", "special")
NUMBERS = (
    "confidence",
    "shown",
    "maps",
    "texts",
    "lead",
    "families",
    "heterogeneous",
    "neighbours",
    "sink",
    "sep-self",
    "uniform",
    "elbow",
    "gap",
    "quality",
    "agreement",
    "components",
    "seed-maps",
    "totals",
    "distances",
    "moved",
    "ablation",
    "chance",
)


def prose(
    results: Results,
    clusters: Clusters,
    ablation: Ablation,
    params: Params,
    w: Words,
    language: str,
) -> dict[str, str]:
    """Every number and sentence of the page, by name."""
    states = {
        (name, variant): heads
        for (name, variant), heads in results.heads.groupby(["experiment", "variant"], sort=False)
    }
    shares: dict[findings.State, dict[str, float]] = {
        state: {family: float(heads[f"share_{family}"].mean()) for family in FAMILIES}
        for state, heads in states.items()
    }
    mixed = [float((heads["family"] == "heterogeneous").mean()) for heads in states.values()]
    neighbours = {
        state: (int(heads["role_previous"].sum()), int(heads["role_next"].sum()), len(heads))
        for state, heads in states.items()
    }
    lines = _lines(results.attended)
    sinks = {
        state: {kind: of_state[kind] for kind in SINKS if kind in of_state}
        for state, of_state in lines.items()
    }
    entropy, of_cls = (
        {state: of_state[kind] for state, of_state in lines.items()}
        for kind in ("relative_entropy", "cls_entropy")
    )
    own = {state: one["sep_to_sep"] for state, one in lines.items() if "sep_to_sep" in one}
    found = clusters.found
    elbows = {
        name: findings.Elbow(*(one["elbow"][key] for key in findings.Elbow._fields))
        for name, one in found.items()
    }
    quality = {
        name: findings.Quality(one["quality"]["silhouette"], one["stability"]["stability"])
        for name, one in found.items()
    }
    changed = [one["before_and_after"] for one in found.values() if one["before_and_after"]]
    scores, losses = (_changes(ablation, measure) for measure in ("score", "loss"))
    perfect = [name for name, one in ablation.found.items() if one["score"]["baseline"] == 1]
    counts = results.counts
    maps = sum(one["maps"] * len(results.states(name)) for name, one in counts.items())
    numbers = (
        f"{params.bootstrap.confidence:.0%}",
        shown(params),
        f"{maps:,}",
        f"{sum(one['texts'] for one in counts.values()):,}",
        findings.lead(shares, elbows, quality, scores, losses, w, language),
        findings.families(shares, w, language),
        findings.heterogeneous(
            [values["heterogeneous"] for values in shares.values()], mixed, language
        ),
        findings.neighbours(neighbours, language),
        findings.sink(sinks, w, language),
        findings.sep_self(own, language),
        findings.uniform(entropy, of_cls, language),
        findings.elbow(elbows, params.clusters.references, language),
        findings.gap({name: one["gap"]["k"] for name, one in found.items()}, language),
        findings.quality(quality, params.clusters.k, language),
        findings.agreement(
            {
                name: {key: value["agreement"] for key, value in one["agreement"].items()}
                for name, one in found.items()
            },
            {key: w[f"class_{key}"] for key in ("family", "layer", "head", "text")},
            language,
        ),
        _components(clusters, language),
        f"{PUBLISHED_WINDOWS * PUBLISHED_HEADS:,}",
        findings.totals(language),
        findings.distances(
            {
                name: {
                    "cluster": one["distances"]["agreement"],
                    "layer": one["distances"]["layer"],
                    "share": one["distances"]["share"],
                }
                for name, one in found.items()
            },
            language,
        ),
        findings.moved(_moves(results), [one["changed"] for one in changed], w, language),
        findings.ablation(scores, losses, perfect, w, language),
        findings.chance(scores, losses, params.bootstrap.confidence, w, language),
    )
    return dict(zip(NUMBERS, numbers, strict=True))


def _lines(attended: pd.DataFrame) -> dict[findings.State, dict[str, list[float]]]:
    """Measure -> means layer by layer, of every state; only what is defined."""
    lines: dict[findings.State, dict[str, list[float]]] = {}
    for row in attended.dropna(subset="mean").sort_values("layer", kind="stable").itertuples():
        state = lines.setdefault((row.experiment, row.variant), {})
        state.setdefault(row.measure, []).append(row.mean)
    return lines


def _components(clusters: Clusters, language: str) -> str:
    """Of maps as images, as published, where every experiment has them."""
    shares = {name: one["components"]["shares"] for name, one in clusters.found.items()}
    images = all("images" in one for one in shares.values())
    found = {name: one["images" if images else "descriptors"] for name, one in shares.items()}
    return findings.components(
        {name: one["share"] for name, one in found.items()},
        [one["dimensions"] for one in found.values()],
        images,
        language,
    )


def _moves(results: Results) -> Mapping[str, Mapping[tuple[str, str], int]]:
    counts: dict[str, dict[tuple[str, str], int]] = {}
    for row in moves(results).itertuples():
        ways = counts.setdefault(row.experiment, {})
        ways[row.before, row.after] = ways.get((row.before, row.after), 0) + 1
    return counts


def _changes(ablation: Ablation, measure: str) -> dict[str, list[findings.Change]]:
    columns = [f"{measure}_change{bound}" for bound in ("", "_low", "_high")]
    return {
        name: [
            findings.Change(*row)
            for row in rows[["layer", "head", *columns]].itertuples(index=False, name=None)
        ]
        for name, rows in ablation.changes.groupby("experiment", sort=False)
        if name in ablation.found
    }
