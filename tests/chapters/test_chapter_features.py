"""Chapter *features*: curves along the forward pass, and maps small and large."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from analysis.chapters.features import feature_maps, figures
from analysis.prose.messages import words
from attention_mixing.methods.projection import POINT_SETS

SEED = POINT_SETS["seed38"]
STATES = ("pretrained", "finetuned")
W = words("en", "features")


def measured(points=SEED, layers=2, states=STATES, **columns):
    """Random rows of the summary at every point of a model, not in the order of the points."""
    places = [("word", 0), ("embedding", 0), *product(points, range(1, layers + 1)), ("query", 1)]
    names = ["experiment", "variant", "point", "layer", *columns]
    rows = [
        ("reviews", state, *place, *values)
        for state, place, values in product(states, reversed(places), product(*columns.values()))
    ]
    table = pd.DataFrame(rows, columns=names).assign(low=0.0, high=0.2)
    table["mean"] = np.random.default_rng(0).uniform(size=len(table))
    return figures.along(table, "point", points)


def trust_figures(**run):
    rows = measured(subject=figures.METHODS, quantity=(*figures.TRUST, "shift"), **run)
    return rows[(rows["quantity"] != "shift") | (rows["variant"] == "finetuned")]


def mapped(trust, texts=2, evidence=True):
    """Maps of the same five tokens a text, and the texts."""
    words_of_text = ["[CLS]", "a", "good", "longest", "tiny"]
    tokens = pd.DataFrame(
        {"example_id": 7 + text, "position": position, "token": token}
        | {"start": 2 * position, "end": 2 * position + 1, "is_special": token == "[CLS]"}
        | {"is_evidence": token == "good" if evidence else pd.NA}
        for text in range(texts)
        for position, token in enumerate(words_of_text)
    ).astype({"is_evidence": "boolean"})
    every = trust[trust["quantity"] == "overlap"].rename(columns={"subject": "method"})
    maps = every[["variant", "method", "point", "layer"]].merge(tokens, how="cross")
    x, y = np.random.default_rng(1).normal(size=(2, len(maps)))
    labels = [f"class {i % 2}" if evidence else "" for i in range(texts)]
    listed = pd.DataFrame({"example_id": range(7, 7 + texts), "text": "a good <longest> tiny text"})
    return feature_maps.with_trust(maps.assign(x=x, y=y), trust), listed.assign(label=labels)


def of_method(maps, variant, method):
    return maps[(maps["variant"] == variant) & (maps["method"] == method)]


def test_every_point_of_every_set_has_a_name_and_a_symbol():
    names = {"word", "embedding", *(point for points in POINT_SETS.values() for point in points)}
    assert names <= set(figures.POINT_SYMBOLS)
    assert all(words(language, "features")[name] for language in ("en", "ja") for name in names)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("run", "texts", "language"),
    [
        ({"layers": 13, "points": POINT_SETS["all62"]}, 9, "ja"),
        ({"layers": 1, "states": STATES[:1]}, 1, "en"),
    ],
    ids=["large", "small"],
)
def test_every_figure_can_be_drawn_of_runs_small_and_large(run, texts, language):
    w, trust, tuned = words(language, "features"), trust_figures(**run), "states" not in run
    maps, listed = mapped(trust, texts, evidence=tuned)
    drawn = [
        figures.trust_curves(trust, w),
        figures.moved_curves(measured(**run, facet=("",)), w),
        figures.separation_curves(measured(**run, facet=("first", "mean")), w),
        feature_maps.feature_maps(of_method(maps, "pretrained", "umap"), w),
        feature_maps.close_up(maps, listed, "reviews", w),
    ]
    if tuned:
        distances = measured(**run, facet=("all", "first")).query("variant == 'finetuned'")
        drawn += [figures.shift_curves(trust, w), figures.change_curves(distances, w)]
    for figure, data in drawn:
        assert figure.axes
        assert len(data)
    cells, _ = figures.trust_table(trust, w)
    assert len(cells) == len(figures.METHODS) * (1 + tuned)


# --- along the forward pass -----------------------------------------------------------------------


def test_rows_follow_the_forward_pass_of_each_experiment():
    rows = measured(POINT_SETS["all62"], 3, subject=["a"]).drop(columns="place")
    both = pd.concat([rows, rows.assign(experiment="other")]).sample(frac=1, random_state=0)
    placed = figures.along(both, "point", POINT_SETS["all62"])
    assert placed["experiment"].nunique() == 2
    assert (placed["experiment"] == placed["experiment"].shift()).sum() == len(placed) - 2
    for _, line in placed.groupby(["experiment", "variant"]):
        assert list(line["point"]) == ["word", "embedding", *POINT_SETS["all62"] * 3]
        assert list(line["layer"]) == [0] * 2 + [1] * 5 + [2] * 5 + [3] * 5
        assert list(line["place"]) == list(range(17))


@pytest.mark.parametrize("spreads", [(0.1, 0.3), (0.3, 0.1)])
def test_a_shift_is_held_against_the_larger_spread_of_its_own_map(spreads):
    trust = trust_figures()
    for state, spread in zip(STATES, spreads, strict=True):
        trust.loc[(trust["quantity"] == "spread") & (trust["variant"] == state), "mean"] = spread
    own = (
        (trust["variant"] == "finetuned")
        & (trust["point"] == "word")
        & (trust["subject"] == "umap")
    )
    trust.loc[own & (trust["quantity"] == "spread"), "mean"] = 0.9
    trust.loc[own & (trust["quantity"] == "shift"), "mean"] = 0.7
    _, data = figures.shift_curves(trust, W)
    assert len(data) == (trust["quantity"] == "shift").sum()
    planted = (data["point"] == "word") & (data["subject"] == "umap")
    assert data[planted][["spread_larger", "mean"]].to_numpy().tolist() == [[0.9, 0.7]]
    assert (data.loc[~planted, "spread_larger"] == 0.3).all()


@pytest.mark.parametrize(("measure", "worst"), [(name, name == "spread") for name in figures.TRUST])
def test_the_worst_is_the_largest_spread_and_the_smallest_of_all_else(measure, worst):
    trust = trust_figures()  # between 0 and 1
    at = (trust["quantity"] == measure) & (trust["subject"] == "umap") & (trust["point"] == "word")
    for value in (-1, 2):
        trust.loc[at & (trust["variant"] == "pretrained"), "mean"] = value
        _, data = figures.trust_table(trust, W)
        found = data.set_index(["quantity", "subject", "variant"])["worst"]
        assert (found[measure, "umap", "pretrained"] == value) == (worst == (value == 2))
        assert found.drop((measure, "umap", "pretrained")).between(0, 1).all()


# --- maps -----------------------------------------------------------------------------------------


def test_a_map_prints_its_own_trust_figures_and_one_without_a_seed_no_spread():
    trust = trust_figures()
    told = {"trustworthiness": 0.12, "continuity": 0.34, "overlap": 0.56, "spread": 0.05}
    for quantity, mean in told.items():
        trust.loc[(trust["quantity"] == quantity) & (trust["point"] == "word"), "mean"] = mean
    maps, _ = mapped(trust)
    for method, printed in (
        ("tsne", "T .12  C .34\nO .56  S .05"),
        ("pca", "T .12  C .34\nO .56"),
    ):
        figure, _ = feature_maps.feature_maps(of_method(maps, "finetuned", method), W)
        labels = [axis.get_xlabel() for axis in figure.axes if axis.get_xlabel()[:1] == "T"]
        assert len(labels) == 2 + 2 * 3  # two points before two layers of three
        assert labels.count(printed) == 1


def test_the_longest_token_of_each_text_is_followed():
    maps, _ = mapped(trust_figures(), texts=9)
    tokens = maps.iloc[: 9 * 5]
    chosen = feature_maps.followed(tokens)
    assert list(chosen["example_id"]) == [7, 8, 9]
    assert set(chosen["token"]) == {"longest"}
    assert feature_maps.followed(tokens[tokens["is_special"]]).empty


@pytest.mark.parametrize("evidence", [True, False])
def test_evidence_is_marked_in_the_text_and_nothing_else_is_markup(evidence):
    listed = feature_maps.texts_list(*mapped(trust_figures(), evidence=evidence))
    assert ("<mark>" in listed) == evidence
    assert "<longest>" not in listed
