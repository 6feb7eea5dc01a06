"""Chapter *heads*: what figures and tables say of every head, in models small and large."""

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from made_summary import rows as made_rows
from made_summary import write
from matplotlib import pyplot as plt
from scipy.stats import norm

from analysis.chapters.heads import clusters, figures, head_ablation
from analysis.figures.svg import svg
from analysis.prose.messages import words
from analysis.results.summary import described_heads
from analysis.rules.rule import read
from attention_mixing.methods import clustering
from attention_mixing.methods.head_descriptors import DESCRIPTORS
from attention_mixing.methods.head_families import FAMILIES, ROLES

ROOT = Path(__file__).parents[2]
STATES = ("pretrained", "finetuned")
W = words("en", "heads")


def linked(case, layer, head, told, **selection):
    """Name a head where a page would link to it."""
    return f"{case} {layer}.{head} <{told}>"


# --- made-up heads --------------------------------------------------------------------------------


def places(layers, count):
    """Every head of both states of a model, a row each."""
    columns = {"experiment": ["a"], "variant": STATES}
    columns |= {"layer": range(1, layers + 1), "head": range(1, count + 1)}
    return pd.DataFrame(product(*columns.values()), columns=list(columns))


def in_families(table):
    """Give the rows families by turns."""
    return table.assign(family=[FAMILIES[i % len(FAMILIES)] for i in range(len(table))])


def noise(layers, count):
    """A thumbnail of every head of both states."""
    rng = np.random.default_rng(0)
    return {state: rng.uniform(size=(layers, count, 256)) for state in STATES}


def typical(tokens, ks=2):
    """Three maps of each cluster, and of every family but the last."""
    rng = np.random.default_rng(0)
    text = ["[CLS]", "un", "##friendly", "<b>", "\u4e00", *["word"] * tokens][: tokens - 1]
    names = [("cluster", str(k + 1)) for k in range(ks)] + [("family", f) for f in FAMILIES[:-1]]
    return pd.DataFrame(
        {"experiment": "a", "kind": kind, "name": name, "rank": rank}
        | {"variant": "finetuned", "layer": 1, "head": 1}
        | {"tokens": [*text, "[SEP]"], "attention": rng.uniform(size=tokens**2)}
        for kind, name in names
        for rank in (1, 2, 3)
    )


def of_numbers(elbow):
    """Rows of the summary about how many clusters there are."""
    found = {("elbow", 0, "k"): 3, ("elbow", 0, "found"): elbow}
    curves = dict.fromkeys(("distortion", "silhouette", "calinski_harabasz", "reference"), 2.0)
    curves |= {"stability": 0.5, "stability_low": 0.4, "stability_high": 0.6}
    for method, number, name in product(clusters.CLUSTERING_COLOURS, (1, 2, 3, 6), curves):
        found[method, number, name] = curves[name]
    table = pd.DataFrame(list(found), columns=["subject", "clusters", "quantity"])
    table = table.assign(facet="", mean=list(map(float, found.values())), experiment="a")
    return pd.concat(table.assign(variant=variant) for variant in ("pretrained", "finetuned"))


def changes(scores, losses, layers=1):
    """Changes by disabling each head of an experiment; a head a mean."""
    rows = [
        ("a", measure, layer, head, mean, mean - 0.05, mean + 0.05)
        for measure, means in (("score_change", scores), ("loss_change", losses))
        for layer in range(1, layers + 1)
        for head, mean in enumerate(means, 1)
    ]
    columns = ["experiment", "quantity", "layer", "head", "mean", "low", "high"]
    return pd.DataFrame(rows, columns=columns).assign(texts=20)


# --- figures --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("layers", "count"), [(1, 1), (24, 16)])
def test_every_figure_can_be_drawn_of_models_small_and_large(layers, count):
    table = in_families(places(layers, count))
    rng = np.random.default_rng(0)
    planes = [f"{plane}_{axis}" for plane in clusters.PLANES for axis in "xy"]
    sample = table.assign(**{name: rng.uniform(size=len(table)) for name in planes})
    shares = [table.assign(cluster=k, share=rng.uniform(size=len(table))) for k in (1, 2)]
    means = rng.uniform(-0.2, 0.2, size=(2, count))
    for draw, *given in (
        (figures.atlas, table, noise(layers, count)),
        (clusters.planes, sample.assign(kmeans=1 + table.index % 2)),
        (clusters.by_head, pd.concat(shares)),
        (
            clusters.head_planes,
            sample.rename(columns={"pca_x": "x", "pca_y": "y"})[[*figures.HEAD, "x", "y"]],
            table,
        ),
        (head_ablation.ablation_maps, changes(*means, layers), 0.95),
    ):
        figure, data = draw(*given, W)
        assert svg(figure, "figure").startswith("<svg")
        assert len(data)
        plt.close(figure)


def test_a_thumbnail_is_framed_in_the_colour_of_its_family():
    figure, data = figures.atlas(in_families(places(1, 1)), noise(1, 1), W)
    for axis, one in zip(figure.axes, data["family"], strict=True):
        sheet = axis.images[0].get_array()
        assert "#" + bytes(sheet[0, 0, :3]).hex() == figures.FAMILY_COLOURS[one].lower()
        assert sheet[-1, -1, 3] == 0  # the gap shows the page


def test_every_family_and_measure_has_a_colour_of_its_own():
    assert len(set(figures.FAMILY_COLOURS.values())) == len(FAMILIES)
    assert len(set(figures.ATTENDED_COLOURS.values())) == len(figures.ATTENDED_COLOURS)
    assert not set(clusters.CLUSTER_COLOURS) & set(figures.FAMILY_COLOURS.values())


@pytest.mark.parametrize("elbow", [True, False])
def test_an_elbow_is_marked_only_if_there_is_one(elbow):
    figure, _ = clusters.quality_curves(of_numbers(elbow), W)
    named = [text.get_text() for text in figure.legends[0].get_texts()]
    assert (W["elbow"] in named) == elbow
    assert len(figure.axes[0].lines) == 2 * (3 + elbow)


@pytest.mark.parametrize("more", [0, 1])
def test_tokens_are_named_only_where_they_fit(more):
    tokens = clusters.LABELLED + more
    figure, _ = clusters.typical_maps(typical(tokens), W)
    ticks = [len(axis.get_xticks()) for axis in figure.axes]
    assert (max(ticks) == tokens) == (not more)


# --- tables ---------------------------------------------------------------------------------------


# A head of the first layer each: what its maps hold, and what it is therefore.
PLANTED = {
    "vertical": ({"vertical": 0.8}, []),
    "diagonal": ({"diagonal": 0.8, "previous": 0.7}, ["previous"]),
    "heterogeneous": ({"cls": 0.9}, ["cls"]),
}


def test_families_and_roles_are_those_of_the_descriptors_in_whatever_order(here):
    rows = made_rows(
        experiment=["a", "b"], measure="heads", layer=1, head=[1, 2, 3], quantity=DESCRIPTORS
    )
    held = [planted for planted, _ in PLANTED.values()]
    numbers = zip(rows["head"], rows["quantity"], strict=True)
    rows["mean"] = [held[head - 1].get(quantity, 0.0) for head, quantity in numbers]
    rows = rows.sample(frac=1, random_state=0).sort_values("experiment", kind="stable")
    write(here, "heads", [rows])
    table = described_heads().sort_values(["experiment", "head"])
    assert table["family"].tolist() == 2 * list(PLANTED)
    played = [[role for role in ROLES if row[role]] for _, row in table.iterrows()]
    assert played == 2 * [played_by for _, played_by in PLANTED.values()]
    _, counted = figures.roles_table(table, W)
    assert counted[["experiment", "heads"]].to_numpy().tolist() == [["a", 3], ["b", 3]]
    assert (counted[list(PLANTED)] == 1).all(axis=None)
    assert (counted[list(FAMILIES)].sum(axis=1) == 3).all()


def test_heads_that_change_family_are_told_apart():
    before = ["vertical", "vertical", "heterogeneous", "vertical"]
    after = ["vertical", "heterogeneous", "vertical", "heterogeneous"]
    table = places(2, 2).assign(family=before + after)
    _, data = figures.moves_table(figures.moves(table), W)
    ways = {(row.before, row.after): row.heads for row in data.itertuples()}
    assert ways == {
        ("vertical", "vertical"): 1,
        ("vertical", "heterogeneous"): 2,
        ("heterogeneous", "vertical"): 1,
    }
    assert figures.moves(table[table["variant"] == "pretrained"]).empty


def test_disabled_heads_are_counted_and_the_extremes_named():
    means = np.array([-0.2, 0.0, 0.1, 0.1])
    found = changes(means, -means)
    plain = made_rows(quantity=("score", "loss"), mean=0.75, texts=20)
    cells, data = head_ablation.ablation_table(found, plain, 0.95, linked, W)
    row = data.iloc[0]
    assert (row["heads"], row["texts"]) == (4, 20)
    assert row["seen"] == pytest.approx(0.05 * (norm.ppf(0.975) + norm.ppf(0.8)) / norm.ppf(0.975))
    # Had more than this share of all texts changed, one of twenty would have, at 97.5 %.
    assert (1 - row["unseen"]) ** 20 == pytest.approx(0.025)
    assert (row["hurt_score"], row["help_score"]) == (row["hurt_loss"], row["help_loss"]) == (1, 2)
    assert (row["worst"], row["best"]) == (-0.2, 0.1)
    assert cells[W["worst"]].tolist() == [
        "a 1.1 <1.1: \u221220.0\u00a0[\u221225.0,\u00a0\u221215.0]>"
    ]
    assert cells[W["best"]].tolist() == ["a 1.3 <1.3 (+1): +10.0\u00a0[+5.0,\u00a0+15.0]>"]
    nothing = found.assign(mean=0.0)
    cells, _ = head_ablation.ablation_table(nothing, plain, 0.95, linked, W)
    assert cells[W["worst"]].tolist() == cells[W["best"]].tolist() == [W["no_head"]]


def test_pieces_of_words_are_joined():
    assert clusters.readable(["[CLS]", "un", "##kind", "man"]) == "[CLS] unkind man"
    assert clusters.readable(["\u0120un", "kind", "\u0120man"]) == "unkind man"
    assert clusters.readable(["\u0120un", "kind", "\u010a", "man"]) == "unkind man"
    assert clusters.readable(["\u2581un", "kind", "\u2581man"]) == "unkind man"


def test_texts_are_listed_cluster_by_cluster_then_family_by_family():
    cells, _ = clusters.typical_texts(typical(6, ks=12), linked, W)
    groups = list(dict.fromkeys(cells["group"]))
    assert groups[:12] == [f"cluster {k}" for k in range(1, 13)]
    assert groups[12:] == [W[family] for family in FAMILIES[:-1]]


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
    (claim,) = (rule for rule in read(ROOT / "report" / "rules.yaml") if rule.id == "B24")
    assert bends[1] < claim.claim.values["sharp"] < bends[0]
