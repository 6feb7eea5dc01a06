"""Chapter *heads*: figures, tables and numbers can be made of any run."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from made_summary import rows as made_rows
from matplotlib import pyplot as plt
from page_numbers import asked
from published_ledger import published_values  # noqa: F401
from random_head_tables import LANGUAGES, RUNS, vocabulary, write_run
from scipy.stats import norm

from analysis import params
from analysis.figures import clusters, head_ablation, heads, typical_maps
from analysis.figures.results import arrays, overall, states, trained
from analysis.figures.results import of_heads as rows_of_heads
from analysis.figures.style import svg
from analysis.methods import clustering
from analysis.methods.head_families import FAMILIES, ROLES, family, roles
from analysis.methods.heads import DESCRIPTORS
from analysis.rules.rule import read

REPORT = Path(__file__).parents[2] / "report"
NOTEBOOK = Path(heads.__file__).parents[1] / "notebooks" / "heads.py"
LABELS = re.findall(r"^# \| label: (\S+)", NOTEBOOK.read_text(encoding="utf-8"), re.M)


def changes(scores, losses):
    """Changes by disabling each head of one layer of an experiment; a head a mean."""
    rows = [
        ("a", measure, 1, head, mean, mean - 0.05, mean + 0.05)
        for measure, means in (("score_change", scores), ("loss_change", losses))
        for head, mean in enumerate(means, 1)
    ]
    columns = ["experiment", "measure", "layer", "head", "mean", "low", "high"]
    return pd.DataFrame(rows, columns=columns).assign(texts=20)


# --- what the page asks for -----------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_shows_every_cell_of_the_notebook(language):
    source = (REPORT / language / "heads.qmd").read_text(encoding="utf-8")
    assert sorted(re.findall(r"embed notebooks/heads\.ipynb#(\S+)", source)) == sorted(LABELS)


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Return ``made(**run)``, which makes a run in the present directory; gives its parameters."""

    def make(experiments, **options):
        write_run(tmp_path, experiments, **options)
        monkeypatch.chdir(tmp_path)
        return params.load()

    return make


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_every_run_gives_every_number_and_figure_of_the_page(run, language, made, tmp_path):
    made(**run)
    source = NOTEBOOK.read_text(encoding="utf-8")
    exec(
        source.replace('"en"', repr(language), 1).replace('directory = "."', ""), {"directory": "."}
    )
    numbers = json.loads(Path("numbers.json").read_text(encoding="utf-8"))
    trained = any(run["experiments"].values())
    assert asked("heads", language, trained=trained) <= set(numbers)
    assert all(numbers.values())
    assert not any(re.search(r"\bnan\b", value) for value in numbers.values())
    labels = set(LABELS) - (set() if trained else {"moves", "ablation", "ablation-table"})
    assert labels <= {path.stem for path in tmp_path.glob("*.csv")}
    for path in tmp_path.glob("*.svg"):
        assert path.read_text(encoding="utf-8").lstrip().startswith("<")
        assert len(pd.read_csv(path.with_suffix(".csv")))


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_tables_have_a_row_an_experiment_and_state(run, made):
    given = made(**run)
    w, described, tuned = vocabulary(), heads.described(), trained(given)
    cells, data = heads.roles_table(described, w)
    assert len(cells) == len(data) == len(given.experiments) + len(tuned)
    assert (data[list(FAMILIES)].sum(axis=1) == data["heads"]).all()
    assert all(w[role] in cells for role in ROLES)
    table, _ = clusters.agreement_table(overall("heads", by="clusters"), w)
    assert table[w["experiment"]].tolist() == list(given.experiments)
    disabled, plain = rows_of_heads("explain"), overall("explain")
    assert len(head_ablation.ablation_table(disabled, plain, 0.95, w)[0]) == len(tuned)
    cells, data = typical_maps.typical_texts(
        clusters.read(next(iter(given.experiments)), "typical"), w
    )
    assert len(cells) == len(data)
    moved = heads.moves(described)
    assert moved.empty == (not tuned)
    assert heads.moves_table(moved, w)[1]["heads"].sum() == len(moved)


# --- figures --------------------------------------------------------------------------------------


def test_families_and_roles_are_those_of_the_mean_descriptors(made):
    made({"plain": False, "reviews": True})
    table = heads.described()
    assert len(table) == 3 * 12
    rows = rows_of_heads("heads", measure=DESCRIPTORS)
    for row in table.sample(5, random_state=0).itertuples():
        own = rows[(rows[heads.HEAD] == [getattr(row, key) for key in heads.HEAD]).all(axis=1)]
        means = own.set_index("measure")["mean"][list(DESCRIPTORS)].to_numpy()[None]
        assert row.family == family(means)[0]
        assert [getattr(row, role) for role in ROLES] == roles(means)[0].tolist()


def test_heads_that_change_family_are_told_apart(made):
    made({"reviews": True})
    table = heads.described()
    before, after = (
        table.loc[table["variant"] == v, "family"] for v in ("pretrained", "finetuned")
    )
    _, data = heads.moves_table(heads.moves(table), vocabulary())
    ways = data.loc[data.index.repeat(data["heads"]), ["before", "after"]]
    expected = sorted(zip(before, after, strict=True))
    assert sorted(ways.itertuples(index=False, name=None)) == expected
    assert (data["before"] != data["after"]).any()


def test_disabled_heads_are_counted_and_the_extremes_named():
    means = np.array([-0.2, 0.0, 0.1, 0.1])
    found = changes(means, -means)
    plain = made_rows(measure=("score", "loss"), mean=0.75, texts=20)
    cells, data = head_ablation.ablation_table(found, plain, 0.95, vocabulary())
    row = data.iloc[0]
    assert (row["heads"], row["texts"]) == (4, 20)
    assert row["seen"] == pytest.approx(0.05 * (norm.ppf(0.975) + norm.ppf(0.8)) / norm.ppf(0.975))
    # Had more than this share of all texts changed, one of twenty would have, at 97.5 %.
    assert (1 - row["unseen"]) ** 20 == pytest.approx(0.025)
    assert (row["hurt_score"], row["help_score"]) == (row["hurt_loss"], row["help_loss"]) == (1, 2)
    assert (row["worst"], row["best"]) == (-0.2, 0.1)
    w = vocabulary()
    assert cells[w["worst"]].tolist() == ["1.1: \u221220.0 [\u221225.0, \u221215.0]"]
    assert cells[w["best"]].tolist() == ["1.3 (+1): +10.0 [+5.0, +15.0]"]
    nothing = found.assign(mean=0.0)
    cells, _ = head_ablation.ablation_table(nothing, plain, 0.95, w)
    assert cells[w["worst"]].tolist() == cells[w["best"]].tolist() == [w["no_head"]]


def test_the_atlas_stays_small(made):
    made({"reviews": True}, layers=6, heads_=12)
    figure, _ = atlas("reviews")
    # Noise is the worst case: maps of a model are a third of it.
    assert len(svg(figure, "atlas")[0]) < 200_000
    plt.close(figure)


def atlas(name):
    thumbnails = {
        state: arrays("heads", "heads", name, state)["thumbnails"]
        for state in states("heads", "heads", name)
    }
    return heads.atlas(heads.described(), thumbnails, vocabulary())


def test_an_index_that_rounds_to_zero_has_no_sign(made):
    made({"plain": False})
    found = overall("heads", by="clusters")
    found.loc[found["kind"] == "text", "mean"] = -0.001
    w = vocabulary()
    cells, _ = clusters.agreement_table(found, w)
    assert cells[w["ari"].format(agreement=w["class_text"])].tolist() == ["0.00"]


def test_a_thumbnail_is_framed_in_the_colour_of_its_family(made):
    made({"plain": False}, layers=1, heads_=1)
    figure, data = atlas("plain")
    sheet = figure.axes[0].images[0].get_array()
    colour = heads.FAMILY_COLOURS[data["family"][0]]
    assert "#" + bytes(sheet[0, 0, :3]).hex() == colour.lower()
    assert sheet[-1, -1, 3] == 0  # the gap shows the page
    plt.close(figure)


def test_every_family_and_measure_has_a_colour_of_its_own():
    assert len(set(heads.FAMILY_COLOURS.values())) == len(FAMILIES)
    assert len(set(heads.ATTENDED_COLOURS.values())) == len(heads.ATTENDED_COLOURS)
    assert not set(clusters.CLUSTER_COLOURS) & set(heads.FAMILY_COLOURS.values())


@pytest.mark.parametrize("elbow", [True, False])
def test_an_elbow_is_marked_only_if_there_is_one(elbow, made):
    made({"plain": False}, elbow=elbow)
    figure, _ = clusters.quality_curves(overall("heads", by="clusters"), vocabulary())
    named = [text.get_text() for text in figure.legends[0].get_texts()]
    assert (vocabulary()["elbow"] in named) == elbow
    assert len(figure.axes[0].lines) == 3 + elbow
    plt.close(figure)


@pytest.mark.parametrize("more", [0, 1])
def test_tokens_are_named_only_where_they_fit(more, made):
    tokens = typical_maps.LABELLED + more
    made({"plain": False}, tokens=tokens)
    figure, _ = typical_maps.typical_maps(clusters.read("plain", "typical"), vocabulary())
    ticks = [len(axis.get_xticks()) for axis in figure.axes]
    assert (max(ticks) == tokens) == (not more)
    plt.close(figure)


def test_pieces_of_words_are_joined():
    assert typical_maps.readable(["[CLS]", "un", "##kind", "man"]) == "[CLS] unkind man"
    assert typical_maps.readable(["\u0120un", "kind", "\u0120man"]) == "unkind man"
    assert typical_maps.readable(["\u2581un", "kind", "\u2581man"]) == "unkind man"


def test_texts_are_listed_cluster_by_cluster_then_family_by_family(made):
    made({"plain": False}, k=12)
    cells, _ = typical_maps.typical_texts(clusters.read("plain", "typical"), vocabulary())
    groups = list(dict.fromkeys(cells["group"]))
    assert groups[:12] == [f"cluster {k}" for k in range(1, 13)]
    assert groups[12:] == [vocabulary()[family] for family in FAMILIES[:-1]]


def test_numbers_of_clusters_do_not_run_into_each_other():
    assert clusters._apart([1, 2, 3, 4, 5, 6, 8, 10, 12]) == [12, 8, 6, 5, 4, 3, 2, 1]
    assert clusters._apart([2]) == [2]


def test_the_shown_experiment_is_one_of_questions_if_there_is_one():
    given = params.load()
    experiments = given.experiments
    assert heads.shown(given) == next(
        (name for name, one in experiments.items() if one.task == "question_answering"),
        next(name for name, one in experiments.items() if one.train),
    )
    plain = {name: one for name, one in experiments.items() if one.task == "none"}
    alone = given.model_copy(update={"experiments": plain})
    assert heads.shown(alone) == given.report.focus.experiment


# --- what sentences rest on -----------------------------------------------------------------------


def test_clusters_that_lie_well_apart_bend_the_curve_as_much_as_is_asked():
    rng = np.random.default_rng(0)
    ks = np.arange(1, 9)
    corners = 8 * np.eye(6)[:5]
    blobs = np.repeat(corners, 30, axis=0) + rng.normal(size=(150, 6))
    cloud = rng.normal(size=(150, 6))
    bends = [
        clustering.elbow(ks, curve, np.tile(curve, (19, 1))).bend
        for rows in (blobs, cloud)
        for curve in [np.array([clustering.distortion(rows, int(k)) for k in ks])]
    ]
    (claim,) = (rule for rule in read(REPORT / "rules.yaml") if rule.id == "B24")
    assert bends[1] < claim.claim.values["sharp"] < bends[0]
