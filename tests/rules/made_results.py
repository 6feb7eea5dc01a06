"""Made-up results of two experiments, small enough to be checked by hand."""

import json
import shutil
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.paths import GROUP_OF
from analysis.pipeline.readings import readings
from analysis.pipeline.stage import write_json
from analysis.rules.rule import Rule, asked_of_texts
from analysis.rules.summary import NAMES, Summary
from attention_mixing.artifacts import MANIFEST
from attention_mixing.measures.engine.cube import KEY, by_text, of_all
from attention_mixing.schemas import SUMMARY
from attention_mixing.settings.measures import Bootstrap

BOOTSTRAP = Bootstrap(resamples=100, confidence=0.95, seed=0)
ALL, TEXTS, LAYERS = -1, 8, 6
GROUPS = {"mixing": "vectors", "heads": "heads", "faithfulness": "explain"}
FALLING = {"reviews": 0.02, "agreement": 0.01}  # by how much ratios fall a layer


def ratios(falling: float) -> pd.DataFrame:
    """Ratios that fall with depth by ``falling``, except in the last text, where they rise."""
    return pd.DataFrame(
        {
            "variant": variant,
            "subject": of,
            "quantity": "ratio",
            "text": text,
            "layer": layer,
            "value": (0.9 if of == "attn_w" else 0.3)
            + (falling if text == TEXTS - 1 else -falling) * layer
            + (0.01 if variant == "finetuned" else 0.0),
        }
        for variant in ("pretrained", "finetuned")
        for text in range(TEXTS)
        for layer in range(1, LAYERS + 1)
        for of in ("attn_w", "attn_n")
    )


def of_texts(quantity: str, values: list[float]) -> pd.DataFrame:
    """What a comparison of both states has: one value a text, under the later state."""
    found = {"variant": "finetuned", "subject": "", "quantity": quantity, "layer": ALL}
    return pd.DataFrame({"text": range(len(values)), "value": values}).assign(**found)


@cache
def cubes(falling: float):
    """Numbers of the texts of an experiment, by text and of all of them."""
    distance = of_texts("distance", [0.5] * TEXTS)
    before = of_texts("before", [0.0] * 4 + [0.25] * 4)
    values = pd.concat([ratios(falling), distance, before], ignore_index=True).assign(
        head=0, measure="mixing"
    )
    whole = values.assign(**{column: "" for column in KEY if column not in values})
    return by_text([whole]), of_all([whole])


def point(measure: str, quantity: str, mean: float, width: float | None = None, **more) -> dict:
    """Make a row of the summary, which has an interval if it is over texts."""
    around = {"low": np.nan, "high": np.nan, "texts": 0}
    if width is not None:
        around = {"low": mean - width, "high": mean + width, "texts": TEXTS}
    names = dict.fromkeys(NAMES, "") | {"variant": "pretrained"}
    place = {"group": GROUPS[measure], "layer": ALL, "head": 0, "mean": mean}
    names |= {"measure": measure, "quantity": quantity}
    return names | place | around | more


class Made:
    """Results that a test may change before they are summarised.

    ``points`` has rows of the summary and ``facts`` what is known, both by experiment, beside the
    numbers of texts.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.kept: list[Path] = []
        self.stale: dict[str, list[str]] = {}
        self.points, self.facts = {}, {}
        for name in FALLING:
            heads = zip(range(1, 5), (0.9, 0.6, 0.2, 0.1), strict=True)
            self.points[name] = [
                *(point("heads", "sep", mean, 0.1, layer=1, head=head) for head, mean in heads),
                *(point("heads", "curve", n / 10, 0.1, layer=n) for n in range(1, LAYERS)),
                point("heads", "curve", np.nan, np.nan, layer=LAYERS),
                point("heads", "score", 0.8, 0.1),
                point("heads", "undefined", np.nan, np.nan),
                point("heads", "p_value", 0.4, subject="elbow"),
                point("heads", "score", 0.2, 0.1, minus="other"),
            ]
            families = {"share": 0.4, "count": 12}
            self.facts[name] = {
                "score": 0.8,
                "undefined": None,
                "families": families,
                "capture": {"examples": TEXTS},
                "seeds": {},
            }

    def summary(self, *rules: Rule) -> Summary:
        """Write what the stage summary would write for some rules, and open it."""
        found = []
        for name, falling in FALLING.items():
            read = readings(asked_of_texts(rules), *cubes(falling), BOOTSTRAP, {})
            found.append(read.assign(group="vectors", experiment=name))
        facts = self.directory / "summary" / "model" / "facts.json"
        facts.parent.mkdir(parents=True, exist_ok=True)
        facts.write_text(json.dumps(self.facts), encoding="utf-8")
        rows = pd.DataFrame(
            row | {"experiment": name} for name, points in self.points.items() for row in points
        )
        write_json(self.directory / "summary" / GROUP_OF, GROUPS)
        for group in GROUPS.values():
            target = self.directory / "summary" / group
            target.mkdir(exist_ok=True)
            every = pd.concat([rows, *found])
            own = every[every["group"] == group].drop(columns="group")
            own.to_parquet(target / "curves.parquet")
            write_json(target / MANIFEST, {"schema": SUMMARY.version})
        return Summary(self.directory, BOOTSTRAP.confidence, self.kept, self.stale)

    def keep(self, run: str, *rules: Rule) -> None:
        """Make what there is a reference run, as :mod:`analysis.reference.keeping` keeps it."""
        self.summary(*rules)
        target = self.directory / "reference" / run
        target.mkdir(parents=True)
        shutil.copyfile(self.directory / "summary" / "model" / "facts.json", target / "facts.json")
        tables = [
            pd.read_parquet(self.directory / "summary" / group / "curves.parquet").assign(
                group=group
            )
            for group in GROUPS.values()
        ]
        pd.concat(tables).to_parquet(target / "summary.parquet")
        self.kept.append(target)
