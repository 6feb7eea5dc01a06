"""Tables of the chapter *heads* as the stages write them, with random numbers."""

import numpy as np
import pandas as pd

from analysis.figures import clusters, head_ablation, heads, typical_maps
from analysis.figures.words import words
from analysis.methods.head_families import FAMILIES, ROLES
from analysis.methods.heads import DESCRIPTORS

LANGUAGES = ("en", "ja")
MEASURES = ("relative_entropy", "cls_entropy", "distance", "sep_to_sep", *heads.TO_POSITIONS)
# Everything that changes what there is to draw: experiment -> whether it has a task.
RUNS = {
    "both": {"experiments": {"plain": False, "reviews": True}, "k": 2},
    "no task, no [SEP]": {"experiments": {"plain": False}, "k": 2, "sep": False},
    "large": {"experiments": {"a": True}, "layers": 24, "heads_": 16, "k": 6, "tokens": 40},
    "one head": {"experiments": {"plain": False}, "layers": 1, "heads_": 1, "k": 2},
    "elbow, no images": {
        "experiments": {"a": True, "b": True, "c": False},
        "k": 2,
        "elbow": True,
        "images": False,
    },
}


def vocabulary(language="en"):
    own = (module.OWN_WORDS for module in (heads, clusters, typical_maps, head_ablation))
    return words(language, **{name: said for each in own for name, said in each.items()})


def tables(
    experiments,
    *,
    layers=3,
    heads_=4,
    k=5,
    tokens=6,
    sep=True,
    elbow=False,
    images=True,
):
    """Build what :mod:`analysis.figures` reads: heads, clusters and ablation."""
    rng = np.random.default_rng(0)
    states = [
        (name, variant)
        for name, task in experiments.items()
        for variant in ("pretrained", *(["finetuned"] if task else []))
    ]
    places = [(layer + 1, head + 1) for layer in range(layers) for head in range(heads_)]
    rows = [
        {"experiment": name, "variant": variant, "layer": layer, "head": head}
        for name, variant in states
        for layer, head in places
    ]
    results = heads.Results(
        _heads(rows, rng),
        _curves(states, layers, FAMILIES, "family", rng),
        _attended(states, layers, sep, rng),
        {name: {"maps": 3 * len(places), "texts": 3} for name in experiments},
    )
    found = clusters.Clusters(
        pd.concat([_quality(name, rng) for name in experiments], ignore_index=True),
        _sample(states, places, k, rng),
        pd.DataFrame([row | {"cluster": c, "share": 1 / k} for row in rows for c in _up_to(k)]),
        _typical(states, places, k, tokens, rng),
        pd.DataFrame([row | _random(rng, "x", "y") for row in rows]),
        {name: _found(task, k, elbow, images) for name, task in experiments.items()},
    )
    tasks = [name for name, task in experiments.items() if task]
    ablation = head_ablation.Ablation(
        _changes(tasks, places, rng),
        {name: _ablated(len(places)) for name in tasks},
    )
    return results, found, ablation


def _up_to(k):
    return range(1, k + 1)


def _random(rng, *names):
    return {name: float(rng.uniform()) for name in names}


def _heads(rows, rng):
    return pd.DataFrame(
        [
            row
            | _random(rng, *DESCRIPTORS, "cls_entropy", "sep_to_sep")
            | {"family": str(rng.choice(FAMILIES))}
            | {f"role_{role}": bool(rng.integers(2)) for role in ROLES}
            | dict.fromkeys((f"share_{family}" for family in FAMILIES), 1 / len(FAMILIES))
            | {"thumbnail": rng.uniform(size=256).astype(np.float32)}
            for row in rows
        ]
    )


def _curves(states, layers, names, column, rng):
    return pd.DataFrame(
        [
            {"experiment": name, "variant": variant, column: one, "layer": layer}
            | {"mean": 1 / len(FAMILIES), "low": 0.1, "high": 0.3, "texts": 3}
            for name, variant in states
            for one in names
            for layer in range(1, layers + 1)
        ]
    ).assign(mean=lambda table: table["mean"] + rng.uniform(0, 1e-6, len(table)))


def _attended(states, layers, sep, rng):
    table = _curves(states, layers, (*heads.TO_TOKENS, *MEASURES), "measure", rng)
    if not sep:
        # As the stage writes what no text has.
        table.loc[table["measure"] == "sep_to_sep", ["mean", "low", "high"]] = np.nan
    return table


def _quality(name, rng):
    figures = ("distortion", "silhouette", "calinski_harabasz")
    return pd.DataFrame(
        [
            {"experiment": name, "method": method, "k": k}
            | _random(rng, *figures)
            | ({"silhouette": np.nan, "calinski_harabasz": np.nan} if k == 1 else {})
            | (
                {"stability": 0.5, "stability_low": 0.4, "stability_high": 0.6, "reference": 9.0}
                if method == "kmeans" and k > 1
                else {}
            )
            for method in clusters.METHOD_COLOURS
            for k in (1, 2, 3, 5, 10, 12)
        ]
    )


def _sample(states, places, k, rng):
    coordinates = [f"{plane}_{axis}" for plane in clusters.PLANES for axis in "xy"]
    return pd.DataFrame(
        [
            {"experiment": name, "variant": variant, "layer": layer, "head": head}
            | {"family": str(rng.choice(FAMILIES)), "kmeans": int(rng.integers(k)) + 1}
            | _random(rng, *coordinates)
            for name, variant in states
            for layer, head in places
        ]
    )


def _typical(states, places, k, tokens, rng):
    # The last family has no map at all, the first has one.
    groups = [("cluster", str(c), 3) for c in _up_to(k)]
    groups += [("family", family, 1 + 2 * (i > 0)) for i, family in enumerate(FAMILIES[:-1])]
    text = ["[CLS]", "un", "##friendly", "<b>", "\u4e00", *["word"] * tokens][: tokens - 1]
    return pd.DataFrame(
        [
            {"experiment": name, "variant": variant, "kind": kind, "name": group, "rank": rank + 1}
            | {"example_id": 7, "layer": places[0][0], "head": places[-1][1]}
            | {"tokens": [*text, "[SEP]"], "attention": rng.uniform(size=tokens**2)}
            for name, variant in dict(states).items()
            for kind, group, count in groups
            for rank in range(count)
        ]
    )


def _found(task, k, elbow, images):
    shares = {"descriptors": {"dimensions": 7, "share": [1 / 7] * 7, "first": 1.0}}
    if images:
        shares["images"] = {"dimensions": 144, "share": [0.05] * 7, "first": 0.35}
    return {
        "k": k,
        "components": {"shares": shares},
        "elbow": {"k": 3, "bend": 0.2, "p_value": 0.05 if elbow else 0.6, "found": elbow},
        "gap": {"k": None},
        "quality": {"silhouette": 0.3},
        "stability": {"stability": 0.7, "stability_low": 0.5, "stability_high": 0.9},
        "hdbscan": {"clusters": 2, "unassigned": 0.4},
        "agreement": {
            name: {"agreement": 0.2, "chance": 0.01} for name in ("family", "layer", "head", "text")
        },
        "before_and_after": {"heads": 12, "changed": 3} if task else None,
        "distances": {"agreement": 0.4, "layer": 0.2, "share": 0.3},
    }


def _changes(tasks, places, rng):
    columns = [f"{change}{bound}" for change in head_ablation.CHANGES for bound in BOUNDS]
    rows = []
    for name in tasks:
        for layer, head in places:
            row = {"experiment": name, "layer": layer, "head": head}
            for change in head_ablation.CHANGES:
                mean = float(rng.normal(0, 0.02))
                values = (mean, mean - 0.01, mean + 0.01)
                row |= {f"{change}{b}": v for b, v in zip(BOUNDS, values, strict=True)}
            rows.append(row)
    return pd.DataFrame(rows, columns=["experiment", "layer", "head", *columns])


BOUNDS = ("", "_low", "_high")


def _ablated(heads_):
    extreme = {"heads": 2, "layer": 1, "head": 1, "change": -0.1, "low": -0.2, "high": 0.0}
    return {
        "examples": 32,
        "heads": heads_,
        "expected_by_chance": 0.05 * heads_,
        "score": {"baseline": 1.0, "hurt": 1, "help": 0, "worst": extreme, "best": None},
        "loss": {"baseline": 0.2, "hurt": 2, "help": 1},
    }
