"""What the chapter *heads* reads of a run, with random numbers."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from made_summary import rows, write
from safetensors.numpy import save_file

from analysis import params
from analysis.figures import clusters, head_ablation
from analysis.figures.words import words
from analysis.methods.head_families import CUT_OFFS, FAMILIES
from analysis.methods.heads import DESCRIPTORS
from analysis.rules.judging import judge
from analysis.rules.quantities import Summary
from analysis.rules.rule import read

ROOT = Path(__file__).parents[2]
LANGUAGES = ("en", "ja")
KS = (1, 2, 3, 5, 6, 12)
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
    return words(language, "heads")


def write_run(
    directory, experiments, *, layers=3, heads_=4, k=5, tokens=6, sep=True, elbow=False, images=True
):
    """Write parameters and summary of a run in which every head made three maps."""
    rng = np.random.default_rng(0)
    shape = {"layer": range(1, layers + 1), "head": range(1, heads_ + 1)}
    described, disabled = [], []
    for name, task in experiments.items():
        states = ("pretrained", "finetuned")[: 1 + task]
        for variant in states:
            described += _heads({"experiment": name, "variant": variant}, shape, sep, rng)
        described += _clusters({"experiment": name, "by": "clusters"}, k, task, elbow, images)
        if task:
            disabled += _disabled({"experiment": name, "by": "head_ablation"}, shape, rng)
        shown = directory / "results" / "summary" / "heads" / "shown" / name
        _show(shown, states, shape, k, tokens, rng)
    # Of other measures, as the reference run has them.
    committed = pd.read_parquet(ROOT / "reference" / "summary.parquet")
    plain = committed[(committed["experiment"] == "sentences") & (committed["head"] == 0)]
    plain = plain.assign(**dict.fromkeys(("smallest", "largest", "p"), np.nan))
    everywhere = product(experiments, range(heads_ + 1))  # 0: of all heads
    vectors = [plain.assign(experiment=name, head=head) for name, head in everywhere]
    write(directory, "vectors", vectors)
    write(directory, "heads", described)
    write(directory, "explain", disabled)
    _write_parameters(directory, experiments, k)
    _write_findings(directory, experiments)


def _write_findings(directory, experiments):
    """Judge the chapter's rules; none of those that it shows reads texts."""
    results = directory / "results"
    (results / "summary" / "rules").mkdir()
    readings = json.dumps({name: {} for name in experiments})
    (results / "summary" / "rules" / "readings.json").write_text(readings, encoding="utf-8")
    (results / "summary" / "model").mkdir()
    (results / "summary" / "model" / "facts.json").write_text("{}", encoding="utf-8")
    rules = [rule for rule in read(ROOT / "report" / "rules.yaml") if rule.chapter == "heads"]
    asked = params.load(directory / "params.yaml").experiments
    found = [one for one in judge(rules, asked, Summary(results, 0.95)) if "claim" not in one]
    (results / "rules").mkdir()
    (results / "rules" / "heads.json").write_text(json.dumps(found), encoding="utf-8")


def _write_parameters(directory, experiments, k):
    values = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    kinds = {name: "reviews" if task else "sentences" for name, task in experiments.items()}
    values["experiments"] = {name: values["experiments"][kind] for name, kind in kinds.items()}
    values["geometry"]["nonlinear"] = "all"
    values["clusters"] |= {"ks": list(KS), "k": k}
    values["report"]["focus"] = {"experiment": next(iter(experiments)), "example": 0}
    (directory / "params.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")


def _random(table, rng, width=1.0):
    return table.assign(mean=rng.uniform(-width, width, len(table)))


def _heads(state, shape, sep, rng):
    state = state | {"by": "heads"}
    layers = [-1, *shape["layer"]]
    measured = {"measure": (*DESCRIPTORS, "cls_entropy", "sep_to_sep"), "layer": layers}
    shares = {"measure": "family_share", "of": FAMILIES, "mean": 1 / len(FAMILIES)}
    means = _random(rows(**state, **measured), rng)
    if not sep:  # as is written of what no text has
        means.loc[means["measure"] == "sep_to_sep", ["mean", "low", "high"]] = np.nan
    return [
        _random(rows(**state, **shape, measure=DESCRIPTORS), rng),
        means,
        rows(**state, **shares, layer=layers),
        rows(**state, measure="without_pattern", of=[str(one) for one in CUT_OFFS], mean=0.3),
        rows(**state, measure="heads", kind="family", of=FAMILIES),
        rows(**state, measure="maps", mean=3.0 * len(shape["layer"]) * len(shape["head"])),
    ]


def _clusters(of_all, k, task, elbow, images):
    def one(of, kind, **values):
        return [rows(**of_all, of=of, kind=kind, measure=m, mean=v) for m, v in values.items()]

    found = [*one("", "", k=k), *one("all", "", silhouette=0.3), *one("gap", "", k=np.nan)]
    for method in clusters.METHOD_COLOURS:
        for number in KS:
            apart = np.nan if number == 1 else 0.3
            figures = {"distortion": 1 / number, "silhouette": apart, "calinski_harabasz": apart}
            found += one(method, str(number), **figures)
    for number in KS:
        found += one("kmeans", str(number), reference=9.0)
        stable = {"stability": 0.5, "stability_low": 0.4, "stability_high": 0.6}
        found += one("kmeans", str(number), **stable if number > 1 else {})
    found += one("elbow", "", k=3, bend=0.2, p_value=0.05 if elbow else 0.6, found=elbow)
    found += one("hdbscan", "", clusters=2, unassigned=0.4)
    for kind in clusters.CLASSES:
        found += one("class", kind, agreement=0.2, chance=0.01)
    found += one("change", "", changed=3) if task else []
    found += one("distances", "", share=0.3)
    found += [*one("distances", "main", agreement=0.4), *one("distances", "layer", agreement=0.2)]
    for features in ("descriptors", *(["images"] if images else [])):
        found += one(features, "", dimensions=144, first_components=0.35)
        for number in range(1, 8):
            found += one(features, str(number), component_share=0.05)
    return [table.assign(variant="both") for table in found]


def _disabled(of_all, shape, rng):
    of_all = of_all | {"variant": "finetuned"}
    changes = _random(rows(**of_all, **shape, measure=list(head_ablation.CHANGES)), rng, 0.05)
    changes = changes.assign(low=changes["mean"] - 0.01, high=changes["mean"] + 0.01)
    return [changes, rows(**of_all, measure=("score", "loss"), mean=1.0)]


def _show(directory, states, shape, k, tokens, rng):
    for part in ("heads", "clusters"):
        (directory / part).mkdir(parents=True)
    sizes = [len(numbers) for numbers in shape.values()]
    for variant in states:
        thumbnails = rng.uniform(size=(*sizes, 256)).astype(np.float32)
        save_file({"thumbnails": thumbnails}, directory / "heads" / f"{variant}.safetensors")
    places = rows(variant=states, **shape)[["variant", *shape]]
    count = len(places)
    both = [f"{plane}_{axis}" for plane in clusters.PLANES for axis in "xy"]
    tables = {
        "sample": places.assign(
            family=rng.choice(FAMILIES, count), kmeans=1 + np.arange(count) % k
        ).assign(**{column: rng.uniform(size=count) for column in both}),
        "heads": rows(variant=states, **shape, cluster=range(1, k + 1), share=1 / k),
        "distances": places.assign(x=rng.uniform(size=count), y=rng.uniform(size=count)),
        "typical": pd.DataFrame(_typical(states, sizes, k, tokens, rng)),
    }
    for name, table in tables.items():
        table.drop(columns="experiment", errors="ignore").to_parquet(
            directory / "clusters" / f"both-{name}.parquet"
        )


def _typical(states, sizes, k, tokens, rng):
    # The last family has no map at all, the first has one.
    groups = [("cluster", str(c), 3) for c in range(1, k + 1)]
    groups += [("family", family, 1 + 2 * (i > 0)) for i, family in enumerate(FAMILIES[:-1])]
    text = ["[CLS]", "un", "##friendly", "<b>", "\u4e00", *["word"] * tokens][: tokens - 1]
    for kind, group, count in groups:
        for rank in range(1, count + 1):
            yield {"kind": kind, "name": group, "rank": rank, "variant": states[-1]} | {
                **{"example_id": 7, "layer": sizes[0], "head": sizes[1]},
                **{"tokens": [*text, "[SEP]"], "attention": rng.uniform(size=tokens**2)},
            }
