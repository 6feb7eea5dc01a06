"""Chapter *heads*: the numbers and sentences of its prose."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from analysis.figures.clusters import Clusters
from analysis.figures.findings import attended as of_attended
from analysis.figures.findings import clusters as of_clusters
from analysis.figures.findings import head_ablation as of_ablation
from analysis.figures.findings import heads as of_heads
from analysis.figures.findings import published_scores as of_scores
from analysis.figures.findings.phrases import counted
from analysis.figures.head_ablation import Ablation
from analysis.figures.heads import Results, moves, shown
from analysis.figures.published import published
from analysis.figures.words import Words
from analysis.methods.head_families import FAMILIES
from analysis.params import Params

SINKS = ("cls", "sep", "special")


def prose(
    results: Results,
    clusters: Clusters,
    ablation: Ablation,
    params: Params,
    w: Words,
    language: str,
) -> dict[str, str]:
    """Numbers and sentences of the page that this run has evidence for, by name."""
    states = {
        (name, variant): heads
        for (name, variant), heads in results.heads.groupby(["experiment", "variant"], sort=False)
    }
    shares: dict[of_heads.State, dict[str, float]] = {
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
        name: of_clusters.Elbow(*(one["elbow"][key] for key in of_clusters.Elbow._fields))
        for name, one in found.items()
    }
    quality = {
        name: of_clusters.Quality(one["quality"]["silhouette"], one["stability"]["stability"])
        for name, one in found.items()
    }
    changed = [one["before_and_after"] for one in found.values() if one["before_and_after"]]
    scores, losses = (_changes(ablation, measure) for measure in ("score", "loss"))
    perfect = [name for name, one in ablation.found.items() if one["score"]["baseline"] == 1]
    counts = results.counts
    maps = sum(one["maps"] * len(results.states(name)) for name, one in counts.items())
    numbers = {
        "confidence": f"{params.bootstrap.confidence:.0%}",
        "shown": shown(params),
        "maps": counted(maps, "map", language),
        "lead": of_heads.lead(shares, elbows, quality, scores, losses, w, language),
        "families": of_heads.families(shares, w, language),
        "heterogeneous": of_heads.heterogeneous(
            [values["heterogeneous"] for values in shares.values()], mixed, language
        ),
        "neighbours": of_attended.neighbours(neighbours, language),
        "sink": of_attended.sink(sinks, w, language),
        "sep-self": of_attended.sep_self(own, language),
        "uniform": of_attended.uniform(entropy, of_cls, language),
        "elbow": of_clusters.elbow(elbows, params.clusters.references, language),
        "gap": of_clusters.gap({name: one["gap"]["k"] for name, one in found.items()}, language),
        "quality": of_clusters.quality(quality, params.clusters.k, language),
        "agreement": of_clusters.agreement(
            {
                name: {key: value["agreement"] for key, value in one["agreement"].items()}
                for name, one in found.items()
            },
            {key: w[f"class_{key}"] for key in ("family", "layer", "head", "text")},
            language,
        ),
        "components": _components(clusters, language),
        "seed-maps": f"{published('A13')['windows'] * published('A13')['heads']:,}",
        "totals": of_scores.totals(language),
        "distances": of_clusters.distances(
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
    }
    if not ablation.found:
        return numbers
    return numbers | {
        "moved": of_heads.moved(_moves(results), [one["changed"] for one in changed], w, language),
        "ablation": of_ablation.ablation(scores, losses, perfect, language),
        "chance": of_ablation.chance(scores, losses, params.bootstrap.confidence, language),
    }


def _lines(attended: pd.DataFrame) -> dict[of_heads.State, dict[str, list[float]]]:
    """Measure -> means layer by layer, of every state; only what is defined."""
    lines: dict[of_heads.State, dict[str, list[float]]] = {}
    for row in attended.dropna(subset="mean").sort_values("layer", kind="stable").itertuples():
        state = lines.setdefault((row.experiment, row.variant), {})
        state.setdefault(row.measure, []).append(row.mean)
    return lines


def _components(clusters: Clusters, language: str) -> str:
    """Of maps as images, as published, where every experiment has them."""
    shares = {name: one["components"]["shares"] for name, one in clusters.found.items()}
    images = all("images" in one for one in shares.values())
    found = {name: one["images" if images else "descriptors"] for name, one in shares.items()}
    return of_clusters.components(
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


def _changes(ablation: Ablation, measure: str) -> dict[str, list[of_ablation.Change]]:
    columns = [f"{measure}_change{bound}" for bound in ("", "_low", "_high")]
    return {
        name: [
            of_ablation.Change(*row)
            for row in rows[["layer", "head", *columns]].itertuples(index=False, name=None)
        ]
        for name, rows in ablation.changes.groupby("experiment", sort=False)
        if name in ablation.found
    }
