"""What every measure gives of models that never change is what the kept runs of this code have."""

import pandas as pd
import pytest

from analysis.paths import FINGERPRINT, QUICK, REFERENCE, ROOT
from analysis.runs.kept import measures_of, moved
from attention_mixing.measures import of_group, summarised

pytestmark = [pytest.mark.slow, pytest.mark.sampled]


def numbers(path) -> pd.DataFrame:
    return pd.read_parquet(path).set_index("number")


@pytest.fixture(scope="module")
def now(circuits) -> pd.DataFrame:
    return numbers(circuits / FINGERPRINT)


def test_every_measure_has_one(now):
    assert now.index.is_unique
    every = {one.name for group in summarised() for one in of_group(group) if one.declared}
    assert set(measures_of(now.index)) == every


def test_it_is_of_both_streams_and_of_models_fine_tuned_and_not(now):
    of = now.index.str.extract(r"^(?P<of>[^/]+)/(?P<measure>[^.]+)\.(?P<state>[^.]+)")
    states = of.groupby("of")["state"].agg(set)
    assert {"pretrained", "finetuned"} <= states["classes"] & states["answers"]
    assert {"classes", "answers", "words", "targets-encoder", "targets-decoder"} < {*states.index}


def test_no_number_of_the_reference_of_this_code_would_come_out_otherwise(now):
    """A change that is meant to move results is kept with them: ``make reference``."""
    kept = numbers(ROOT / REFERENCE / QUICK / FINGERPRINT.name)
    assert list(moved(kept, now)) == []
    assert set(kept.index) == set(now.index)
