"""Chapter *features*: figures can be made of any run."""

import re
from pathlib import Path

import pandas as pd
import pytest
from matplotlib import pyplot as plt
from random_features import LANGUAGES, RUNS, results, vocabulary

from analysis.figures import features
from analysis.methods.projection import POINT_SETS

REPORT = Path(__file__).parents[2] / "report"


# --- what the page asks for -----------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_shows_every_cell_of_the_notebook(language):
    source = (REPORT / language / "features.qmd").read_text(encoding="utf-8")
    notebook = Path(features.__file__).parents[1] / "notebooks" / "features.py"
    labels = re.findall(r"^# \| label: (\S+)", notebook.read_text(encoding="utf-8"), re.M)
    assert re.findall(r"embed notebooks/features\.ipynb#(\S+)", source) == labels


def test_every_point_of_every_set_has_a_name_and_a_symbol():
    names = {"word", "embedding", *(point for points in POINT_SETS.values() for point in points)}
    assert names <= set(features.POINT_SYMBOLS)
    assert all(w[name] for w in map(vocabulary, LANGUAGES) for name in names)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_every_figure_can_be_made_of_every_run(run, language):
    found, w = results(**run), vocabulary(language)
    drawn = [
        features.trust_curves(found.trust, w),
        *([features.separation_curves(found.silhouettes, w)] if run.get("labelled", True) else []),
        *(
            [features.shift_curves(found.trust, w), features.change_curves(found.distances, w)]
            if run.get("tuned", True)
            else []
        ),
    ]
    for figure, data in drawn:
        assert figure.axes
        assert len(data)
        plt.close(figure)
    cells, data = features.trust_table(found.trust, w)
    states = found.trust[["experiment", "variant"]].drop_duplicates()
    assert len(cells) == len(features.METHODS) * len(states)
    assert len(data) == len(features.TRUST) * len(cells)


def test_rows_follow_the_forward_pass_of_each_experiment():
    found = results(("one", "other"), tuned=("one", "other"), points="all62", layers=3)
    assert list(found.distances["experiment"].unique()) == ["one", "other"]
    for _, line in found.distances.groupby(["experiment", "kind"]):
        assert list(line["point"]) == ["word", "embedding", *POINT_SETS["all62"] * 3]
        assert list(line["layer"]) == [0] * 2 + [1] * 5 + [2] * 5 + [3] * 5
        assert list(line["place"]) == list(range(17))


def test_a_run_without_labels_or_a_second_state_has_no_rows_to_place():
    rows = pd.DataFrame({name: pd.Series(dtype=str) for name in ("experiment", "of")})
    rows = rows.assign(layer=pd.Series(dtype=int))
    assert features.along(rows, "of", POINT_SETS["seed38"]).empty


def test_a_shift_is_held_against_the_larger_spread_of_its_own_map():
    found = results(("reviews",))
    figure, data = features.shift_curves(found.trust, vocabulary())
    plt.close(figure)
    values = found.trust.set_index(["measure", "variant", "of", "point", "layer"])["mean"]
    assert len(data) == len(values.loc["shift"])
    for row in data.itertuples():
        key = (row.of, row.point, row.layer)
        spreads = [values[("spread", v, *key)] for v in ("pretrained", "finetuned")]
        assert row.spread_larger == max(spreads)
        assert row.mean == values[("shift", "finetuned", *key)]


def test_the_worst_spread_is_the_largest_of_all_maps():
    found = results(("reviews",))
    _, data = features.trust_table(found.trust, vocabulary())
    for measure, rows in data.groupby("measure"):
        maps = found.trust[found.trust["measure"] == measure].groupby(["of", "variant"])["mean"]
        worst = maps.max() if measure == "spread" else maps.min()
        assert rows.set_index(["of", "variant"])["worst"].to_dict() == worst.to_dict()
