"""Take single measures in the present directory, and read what they give."""

from pathlib import Path

import pandas as pd

from analysis.measures import measures
from analysis.measures.measure import Measure
from analysis.measures.runner import run
from analysis.measures.workers import workers
from analysis.params import Params
from analysis.paths import artifact
from analysis.stage import replacing
from analysis.stages.measure import states


def found(group: str, name: str) -> Measure:
    return next(one for one in measures(group) if one.name == name)


def take(loaded: Params, experiment: str, group: str, name: str) -> None:
    """As its stage does, but one measure of the group alone."""
    with replacing(artifact(experiment, group)) as directory, workers(1) as each:
        directory.mkdir()
        asked = states(loaded, experiment, group)
        run([found(group, name)], loaded, experiment, asked, directory, each)


def read(directory: Path) -> pd.DataFrame:
    """Read all values, a row a number."""
    table = pd.read_parquet(directory / "values.parquet")
    return table.astype({name: str for name in ("by", "variant", "of", "kind", "measure")})
