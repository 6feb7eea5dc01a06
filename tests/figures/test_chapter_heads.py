"""Chapter *heads*: sentences follow their rules, and figures can be made of any run."""

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

from analysis import params
from analysis.figures import clusters, head_ablation, head_prose, heads, published, typical_maps
from analysis.figures.findings import attended as of_attended
from analysis.figures.findings import clusters as of_clusters
from analysis.figures.findings import head_ablation as of_ablation
from analysis.figures.findings import heads as of_heads
from analysis.figures.findings.clusters import WELL_APART
from analysis.figures.results import arrays, overall, states, trained
from analysis.figures.results import of_heads as rows_of_heads
from analysis.figures.style import svg
from analysis.methods import clustering
from analysis.methods.head_families import FAMILIES, ROLES, family, roles
from analysis.methods.heads import DESCRIPTORS

REPORT = Path(__file__).parents[2] / "report"
NOTEBOOK = Path(heads.__file__).parents[1] / "notebooks" / "heads.py"
LABELS = re.findall(r"^# \| label: (\S+)", NOTEBOOK.read_text(encoding="utf-8"), re.M)
EN = vocabulary()
FEW = {"vertical": 0.6, "diagonal": 0.1, "heterogeneous": 0.3}
MANY = {"vertical": 0.2, "diagonal": 0.1, "heterogeneous": 0.7}
NONE = {"k": 4, "bend": 0.04, "p_value": 0.6, "found": False}
CLEAR = {"k": 5, "bend": 0.25, "p_value": 0.05, "found": True}
SLIGHT = CLEAR | {"k": 3, "bend": 0.06}


def changes(scores, losses, name="a", half=0.01):
    """Changes by disabling each head of one layer of an experiment; a head a mean."""
    rows = [
        (name, measure, 1, head, mean, mean - half, mean + half)
        for measure, means in (("score_change", scores), ("loss_change", losses))
        for head, mean in enumerate(means, 1)
    ]
    columns = ["experiment", "measure", "layer", "head", "mean", "low", "high"]
    return pd.DataFrame(rows, columns=columns)


def lines(*states):
    """Curves of model states; of each, measure -> means from the first layer up."""
    rows = [
        (place, "pretrained", measure, layer, mean)
        for place, curves in enumerate(states)
        for measure, means in curves.items()
        for layer, mean in enumerate(means, 1)
    ]
    return pd.DataFrame(rows, columns=["experiment", "variant", "measure", "layer", "mean"])


def each(**experiments):
    """A row an experiment."""
    return pd.DataFrame.from_dict(experiments, orient="index")


def ways(name, *moves):
    """Heads of an experiment, each with its family before and after."""
    return pd.DataFrame(moves, columns=["before", "after"]).assign(experiment=name)


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
    assert not any("nan" in value for value in numbers.values())
    labels = set(LABELS) - (set() if trained else {"moves", "ablation", "ablation-table"})
    assert labels <= {path.stem for path in tmp_path.glob("*.csv")}
    for path in tmp_path.glob("*.svg"):
        assert path.read_text(encoding="utf-8").lstrip().startswith("<")
        assert len(pd.read_csv(path.with_suffix(".csv")))


def test_numbers_count_maps_of_all_states(made):
    numbers = head_prose.prose(made({"plain": False, "reviews": True}), vocabulary())
    assert numbers["maps"] == f"{3 * 12 * 3} maps"
    assert numbers["seed-maps"] == "18,999,936"


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
    found = changes(means, -means, half=0.05)
    plain = made_rows(measure=("score", "loss"), mean=0.75, texts=20)
    cells, data = head_ablation.ablation_table(found, plain, 0.95, vocabulary())
    row = data.iloc[0]
    assert (row["heads"], row["texts"], row["expected"]) == (4, 20, pytest.approx(0.1))
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


def test_every_dot_of_the_planes_is_drawn(made):
    # More than matplotlib leaves alone when it simplifies paths.
    made({"plain": False}, layers=24, heads_=16)
    figure, _ = clusters.planes(clusters.read("plain", "sample"), vocabulary())
    body = svg(figure, "plane")[1]
    plt.close(figure)
    paths = re.findall(r'd="((?:M[^ ML]+ [^ ML]+L[^ ML]+ [^ ML]+)+)"', body)
    assert sum(path.count("M") for path in paths) >= 4 * 24 * 16


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


# --- sentences ------------------------------------------------------------------------------------


def test_the_largest_family_is_named_only_if_it_is_largest_everywhere():
    text = of_heads.families(pd.DataFrame([FEW, FEW | {"vertical": 0.5}]), EN)
    assert text.startswith("The largest family by rule is vertical in every model state, with 50%–")
    assert "before heterogeneous (30%) and diagonal (10%)" in text
    text = of_heads.families(pd.DataFrame([FEW, MANY]), EN)
    assert text.startswith("Which family by rule is the largest depends")
    assert "heterogeneous (30%–70%)" in text


@pytest.mark.parametrize(
    ("maps", "said"),
    [
        ([0.35, 0.5], "which is within the 32%–61% published"),
        ([0.1, 0.2], "which is below the"),
        ([0.7, 0.8], "which is above the"),
        ([0.2, 0.5], "which in 1 of 2 model states is within the"),
    ],
)
def test_heterogeneous_maps_are_held_against_the_published_range(maps, said):
    assert said in of_heads.heterogeneous(maps, [0.4], EN)


def test_neighbours_are_counted():
    heads = pd.DataFrame({"experiment": np.repeat(["a", "b"], 72), "variant": "pretrained"})
    heads = heads.assign(previous=heads.index.isin([0, 72, 73]), next=False)
    text = of_attended.neighbours(heads, EN)
    assert "the token before in 1–2 of the 72 heads of a model and to the one after in 0" in text
    assert "4 and 5 of 144" in text
    text = of_attended.neighbours(heads.assign(previous=False), EN)
    assert text.startswith("No head gives more than half")


def test_the_sink_is_the_token_that_draws_most_over_all_layers():
    of_cls = {"cls": [0.1, 0.6, 0.7, 0.2, 0.6], "sep": [0.2] * 5}
    of_sep = {"cls": [0.1] * 5, "sep": [0.2, 0.4, 0.3, 0.2, 0.2]}
    text = of_attended.sink(lines(of_cls), EN)
    assert "is [CLS] in every model state, with up to 70%" in text
    assert "in every model state it draws more than half somewhere (layers 2–3 and 5)" in text
    text = of_attended.sink(lines(of_cls, of_sep), EN)
    assert "[CLS] in 1 (up to 70% in one layer) and [SEP] in 1 (up to 40% in one" in text
    assert "in 1 of 2 model states it draws more than half somewhere" in text
    text = of_attended.sink(lines(of_sep), EN)
    assert "nowhere is it more than half" in text
    assert "layers 6 to 10 of BERT-base" in text


def test_one_layer_is_named_as_one():
    assert of_attended._layers([3], EN) == "layer 3"
    assert of_attended._layers([1, 2, 3, 7], vocabulary("ja")) == "第 1–3、7 層"


def test_what_sep_gives_to_itself():
    low, high = {"sep_to_sep": [0.1, 0.3]}, {"sep_to_sep": [0.1, 0.95]}
    assert "has a [SEP]" in of_attended.sep_self(lines(), EN)
    text = of_attended.sep_self(lines(low), EN)
    assert "20% of its attention to [SEP] on average over layers and 30% in" in text
    assert "no layer reaches the published 90%" in text
    assert "in every model state" in of_attended.sep_self(lines(high), EN)
    assert "in 1 of 2 model states" in of_attended.sep_self(lines(low, high), EN)


def test_attention_is_almost_uniform_above_the_threshold():
    flat, steep, falling = (
        {"relative_entropy": line, "cls_entropy": [0.5, 0.7]}
        for line in ([0.5, 0.95], [0.5, 0.7], [0.8, 0.7])
    )
    text = of_attended.uniform(lines(flat), EN)
    assert text.startswith("Attention of the last layer is almost uniform in every model state:")
    text = of_attended.uniform(lines(steep), EN)
    assert text.startswith("Attention of the last layer is not almost uniform in any model state:")
    assert "that of the [CLS] row 0.50 and 0.70" in text
    text = of_attended.uniform(lines(falling), EN)
    assert "nor is the last layer the broadest everywhere" in text
    text = of_attended.uniform(lines(flat, steep), EN)
    assert "almost uniform in 1 of 2 model states" in text


def test_an_elbow_is_where_chance_does_not_bend_as_much():
    text = of_clusters.elbow(each(a=NONE, b=NONE | {"p_value": 0.3}), 19, EN)
    assert "no elbow to choose k by" in text
    assert "p ≥ 0.30" in text
    assert "0.673 at k = 5 to 0.617 at k = 55" in text
    text = of_clusters.elbow(each(a=CLEAR, b=NONE), 19, EN)
    assert "in a at k = 5 (p = 0.05, bend 0.25) and nowhere else" in text
    assert "19 such data sets allow no p below 0.05" in text
    assert "nowhere else" not in of_clusters.elbow(each(a=CLEAR), 99, EN)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ({"a": CLEAR, "b": NONE}, ", as much as clusters that lie well apart, which bend"),
        ({"a": SLIGHT, "b": SLIGHT, "c": NONE}, ", but hardly: clusters that lie well apart bend"),
        ({"a": SLIGHT, "b": CLEAR}, "; only in b does it bend as much as with clusters that lie"),
    ],
)
def test_an_elbow_is_held_against_that_of_clusters_that_lie_well_apart(found, said):
    text = of_clusters.elbow(each(**found), 19, EN)
    assert said in text
    assert " by 0.2 and" in text
    for name, one in found.items():
        at = f"{name} at k = {one['k']} (p = 0.05, bend {one['bend']:.2f})"
        assert (at in text) == one["found"]
    everywhere = all(one["found"] for one in found.values())
    assert ("nowhere else" in text) == (not everywhere)


def test_an_elbow_is_clear_only_if_it_is_found_and_bends_enough():
    at = CLEAR | {"bend": WELL_APART}
    found = each(at=at, slight=SLIGHT, chance=at | {"found": False})
    assert of_clusters.clear(found).tolist() == [True, False, False]


def test_clusters_that_lie_well_apart_bend_the_curve_as_much_as_is_asked():
    rng = np.random.default_rng(0)
    ks = np.arange(1, 9)
    corners = 8 * np.eye(6)[:5]
    blobs = np.repeat(corners, 30, axis=0) + rng.normal(size=(150, 6))
    cloud = rng.normal(size=(150, 6))
    bends = [
        clustering.elbow(ks, curve, np.tile(curve, (19, 1))).bend
        for curve in (clustering.distortions(rows, ks) for rows in (blobs, cloud))
    ]
    assert bends[1] < WELL_APART < bends[0]


def test_the_gap_may_settle_on_no_number():
    text = of_clusters.gap(pd.Series({"a": np.nan, "b": 1, "c": 3, "d": 3}), EN)
    assert "grows to the end of the range in a" in text
    assert "says in b that there are no clusters (k = 1)" in text
    assert "settles on k = 3 in c and d" in text


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ([(0.3, 0.9)], ("above the 0.25 below which groups are hardly groups;", "so they come ba")),
        ([(0.1, 0.5)], ("below the 0.25 from which on", "so they hardly come back")),
        ([(0.1, 0.5), (0.3, 0.9)], ("groups in 1 of 2 experiments", "(at least 0.8) in 1 of 2")),
    ],
)
def test_quality_is_judged_by_customary_thresholds(found, said):
    text = of_clusters.quality(pd.DataFrame(found, columns=["silhouette", "stability"]), 5, EN)
    assert all(part in text for part in said)


def test_clusters_are_said_to_go_along_with_what_they_agree_with_most():
    one = {"family": 0.5, "text": 0.01}
    text = of_clusters.agreement(each(a=one), EN)
    assert text.startswith("Clusters go along most with the family (ARI: family 0.50 and text 0.01")
    assert "hardly with the text" in text
    text = of_clusters.agreement(each(a=one, b={"family": 0.2, "text": 0.3}), EN)
    assert text.startswith("What clusters go along with most depends on the experiment")
    assert "hardly" not in text


def test_published_components_do_not_sum_to_what_the_text_says():
    assert sum(published.published("A13")["components"]) == pytest.approx(0.36)
    shares, dimensions = pd.DataFrame([[0.1] * 9, [0.05] * 9]), pd.Series([144, 144])
    text = of_clusters.components(shares, dimensions, True, EN)
    assert "sum to 36.0%, which is not the “less than 30%” of the text" in text
    assert "the first 7 of maps as images here (144 dimensions) sum to 35.0%–70.0%" in text
    assert "the descriptors" in of_clusters.components(shares, dimensions, False, EN)


def test_heads_lie_by_cluster_or_by_layer():
    near, far = (
        {"cluster": 0.4, "layer": 0.1, "share": 0.3},
        {"cluster": 0.1, "layer": 0.2, "share": 0.4},
    )
    text = of_clusters.distances(each(a=near), EN)
    assert "an ARI of 0.40 and with the layer with 0.10" in text
    assert "with the clusters more than with the layer in every experiment" in text
    assert "with the layer more than with the clusters" in of_clusters.distances(each(a=far), EN)
    text = of_clusters.distances(each(a=near, b=far), EN)
    assert "in 1 of 2 experiments; the plane shows 30%–40%" in text


def test_moves_are_counted_over_experiments():
    stay, go = ("vertical", "vertical"), ("heterogeneous", "vertical")
    both = [ways("a", *[stay] * 9, go), ways("b", *[stay] * 7, *[go] * 3)]
    text = of_heads.moved(pd.concat(both, ignore_index=True), [2, 4], EN)
    assert "moves 1–3 of the 10 heads of a model" in text
    assert "from heterogeneous to vertical (4 of 4 moves); 2–4 have most" in text
    text = of_heads.moved(ways("a", *[stay] * 9), [0], EN)
    assert text.startswith("Fine-tuning moves none of the 9 heads")


def test_ablation_counts_what_leaves_out_zero_and_names_the_extremes():
    one = changes([-0.05, 0.005, 0.02], [0.05, 0.05, -0.05])
    found = pd.concat([one, changes([-0.005, 0.0, 0.0], [0.0] * 3, "b")])
    text = of_ablation.ablation(found, [], EN)
    assert "Of 3 heads, 0–1 lower the score when disabled and 0–1 raise it" in text
    assert "largest loss is −5.0 points (head 1.1 of a)" in text
    assert "largest gain +2.0 points (head 1.3 of a)" in text
    assert "+1.2 points were published" in text
    assert "0–2 make it worse and 0–1 better" in text
    assert "perfect" not in text
    text = of_ablation.ablation(changes([0.0] * 2, [0.0] * 2), ["a"], EN)
    assert "the largest loss is none, the largest gain none" in text
    assert "in a the score is perfect with all heads and cannot rise" in text


def test_more_heads_than_by_chance():
    quiet, loud, falling = ([change] * 3 + [0.0] * 37 for change in (0.0, 0.1, -0.1))
    text = of_ablation.chance(changes(quiet, quiet), 0.95, EN)
    assert "with so many intervals at 95%, about 1.0 heads on either side" in text
    assert "nowhere are there more than 2 times as many" in text
    text = of_ablation.chance(changes(quiet, loud), 0.95, EN)
    assert text.endswith("2 times as many heads that make the loss function worse in a")
    text = of_ablation.chance(changes(falling, falling), 0.95, EN)
    assert "heads that lower the score when disabled in a and heads that make it" in text
    assert "heads that raise it" in of_ablation.chance(changes(loud, quiet), 0.95, EN)


def test_the_lead_says_whether_there_are_clusters():
    shares, no_head = pd.DataFrame([FEW]), changes([], [])
    loose, tight = (pd.DataFrame({"silhouette": [value]}) for value in (0.1, 0.4))
    text = of_heads.lead(shares, each(a=NONE), loose, no_head, EN)
    assert text == (
        "60% of the attention maps are vertical and 30% heterogeneous; "
        "they form no clusters to speak of (silhouette 0.10)"
    )
    text = of_heads.lead(shares, each(a=NONE), tight, no_head, EN)
    assert "they gather somewhat, but no elbow tells a number of clusters" in text
    text = of_heads.lead(shares, each(a=CLEAR), tight, no_head, EN)
    assert "in every experiment" in text
    text = of_heads.lead(shares, each(a=SLIGHT, b=NONE), tight, no_head, EN)
    assert "gather somewhat, but there is hardly an elbow to tell a number of clusters" in text
    text = of_heads.lead(shares, each(a=SLIGHT), loose, no_head, EN)
    assert text.endswith("they form hardly any clusters (silhouette 0.10)")
    text = of_heads.lead(shares, each(a=SLIGHT, b=CLEAR), tight, no_head, EN)
    assert "an elbow tells the number of their clusters in 1 of 2 experiments" in text
    both = each(a=CLEAR, b=NONE)
    text = of_heads.lead(shares, both, tight, changes([-0.1, 0.0], [0.1, 0.1]), EN)
    assert "in 1 of 2 experiments" in text
    assert text.endswith("for 50% of the heads, and the loss rises for 100%")
