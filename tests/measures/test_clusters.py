"""What is measured of clusters: planted families found, every number again, and bad input."""

import shutil
import sys
from contextlib import chdir
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import tiny_experiment as tiny
from scipy.spatial.distance import cdist
from sklearn.cluster import AgglomerativeClustering
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler
from synthetic_heads import synthetic_heads

from attention_mixing.capture.store import Capture
from attention_mixing.capture.text import State
from attention_mixing.errors import InputError
from attention_mixing.measures import clusters as clusters_module
from attention_mixing.measures.clusters import agreements, curves
from attention_mixing.measures.engine.definition import Measure
from attention_mixing.methods.clustering import SCIKIT_LEARN
from attention_mixing.methods.head_descriptors import DESCRIPTORS, SHAPE, descriptors, resized
from attention_mixing.methods.head_distances import classical_mds, jensen_shannon_distances
from attention_mixing.methods.head_families import FAMILIES, family

LAYERS, HEADS, TEXTS, CAPTURED, MORE = 3, 4, 16, 10, 5
# Families of the heads, layer by layer; the first head is of another after fine-tuning.
PLANTED = {
    "pretrained": [FAMILIES[i % 5] for i in range(LAYERS * HEADS)],
    "finetuned": ["block", *(FAMILIES[i % 5] for i in range(1, LAYERS * HEADS))],
}
MAPS, CAPTURES, FOUND = Path("maps"), Path("capture"), Path("found")
HEAD = ["variant", "layer", "head"]
KEY = [*HEAD, "example_id", "window"]
SETTINGS = {
    "ks": [1, 2, 3, 4, 5, 6, 8, 10],
    "k": 5,
    "sample": 151,
    "smallest": 6,
    "resamples": 3,
    "engine": "scikit-learn",
}


def attention(variant: str, text: int, window: int = 0) -> np.ndarray:
    """``[layer, head, query, key]`` of planted families."""
    tokens, seed = 18 + text % 5, 100 * text + 10 * window + tiny.VARIANTS.index(variant)
    maps = [
        synthetic_heads(name, tokens, 1, 0.1, seed=seed * 50 + head)[0]
        for head, name in enumerate(PLANTED[variant])
    ]
    return np.stack(maps).reshape(LAYERS, HEADS, tokens, tokens).astype(np.float32)


def described(variant: str, text: int, window: int) -> pd.DataFrame:
    """Rows of one text, as the measure of heads writes them."""
    maps = attention(variant, text, window)
    layer, head = 1 + np.indices(maps.shape[:2]).reshape(2, -1)
    values = descriptors(maps).reshape(-1, len(DESCRIPTORS)).astype(np.float32)
    return pd.DataFrame(values, columns=DESCRIPTORS).assign(
        example_id=text,
        window=window,
        layer=layer,
        head=head,
        tokens=maps.shape[-1],
        family=family(values),
        image=list(resized(maps, 4).reshape(len(layer), -1).astype(np.float32)),
    )


def write(variant: str) -> None:
    """Maps of all texts, the first of which have a second window, and a capture of some."""
    places = [(text, 0) for text in range(TEXTS)] + [(text, 1) for text in range(MORE)]
    tables = [described(variant, *place) for place in sorted(places)]
    MAPS.mkdir(exist_ok=True)
    whole = pd.concat(tables, ignore_index=True)
    whole.to_parquet(MAPS / f"{variant}.parquet", index=False, row_group_size=90)
    maps = {text: {"attention": attention(variant, text)} for text in range(CAPTURED)}
    lengths = [one["attention"].shape[-1] for one in maps.values()]
    tokens = [
        {"example_id": text, "position": at, **dict.fromkeys(("token", "written"), f"{text}-{at}")}
        for text, length in enumerate(lengths)
        for at in range(length)
    ]
    tiny.write_capture(CAPTURES / variant, maps, tokens, tokens=lengths)


def maps_of_heads(corpus, given):
    """Leave what the measure of heads does: the tables of maps."""
    shutil.copytree(MAPS, corpus.directory / "maps")
    return ()


NAMED = ["subject", "facet", "clusters", "quantity"]


def clusters(**settings) -> pd.Series:
    """Cluster the maps of the present directory; values by :data:`NAMED`."""
    loaded = tiny.parameters(clusters=SETTINGS | settings)
    states = [State(v, CAPTURES / v, Path()) for v in tiny.VARIANTS if (CAPTURES / v).is_dir()]
    shutil.rmtree(FOUND, ignore_errors=True)
    described = Measure("heads", maps_of_heads, kind="corpus")
    chosen = [described, *tiny.found("heads", "clusters")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clusters_module, "BLOCK", 60)
        return by_name(tiny.take_of(chosen, loaded, states, FOUND))


def by_name(table: pd.DataFrame, variant: str = "pretrained") -> pd.Series:
    """Values of a variant, and of both."""
    assert set(table["layer"]) == {-1}
    return table[table["variant"].isin([variant, "both"])].set_index(NAMED)["value"].sort_index()


def shown(name: str, directory: Path = FOUND) -> pd.DataFrame:
    return pd.read_parquet(directory / "shown" / "clusters" / f"both-{name}.parquet")


@pytest.fixture(scope="module")
def measured(tmp_path_factory) -> Path:
    directory = tmp_path_factory.mktemp("clustered")
    with chdir(directory):
        for variant in tiny.VARIANTS:
            write(variant)
        clusters()
    return directory


@pytest.fixture(scope="module")
def results(measured) -> Path:
    return measured / FOUND


@pytest.fixture(scope="module")
def value(results) -> pd.Series:
    return by_name(tiny.read(results))


@pytest.fixture(scope="module")
def after(results) -> pd.Series:
    return by_name(tiny.read(results), "finetuned")


@pytest.fixture(scope="module")
def whole(measured) -> pd.DataFrame:
    """All maps of both variants."""
    tables = [
        pd.read_parquet(measured / MAPS / f"{variant}.parquet").assign(variant=variant)
        for variant in tiny.VARIANTS
    ]
    return pd.concat(tables, ignore_index=True)


@pytest.fixture(scope="module")
def reduced(whole) -> np.ndarray:
    """Principal components of all maps by scikit-learn, up to signs."""
    return PCA(5).fit_transform(StandardScaler().fit_transform(whole[list(SHAPE)].to_numpy(float)))


def test_planted_families_are_found(results, value):
    assert value["class", "family", 0, "agreement"] > 0.9
    shares = shown("heads", results)
    main = shares.loc[shares.groupby(HEAD)["share"].idxmax()]
    for variant in tiny.VARIANTS:
        own = main[main["variant"] == variant].sort_values(["layer", "head"])["cluster"]
        assert adjusted_rand_score(PLANTED[variant], own) == 1
    assert value["change", "", 0, "changed"] == 1
    # Texts have nothing to do with it.
    text = value["class", "text", 0]
    assert text["agreement"] < max(0.02, text["chance"])


def test_the_sample_is_of_both_variants_and_lies_in_the_plane_of_all_maps(results, whole, reduced):
    table = shown("sample", results)
    assert table["variant"].value_counts().tolist() == [76, 75]
    assert not table.duplicated(KEY).any()
    both = table.merge(whole.reset_index(), on=KEY, how="left", suffixes=("", "_rule"))
    assert (both["family"] == both["family_rule"]).all()
    assert set(table["kmeans"]) == set(table["agglomerative"]) == {1, 2, 3, 4, 5}
    assert table["hdbscan"].min() >= 0
    assert np.isfinite(table[["umap_x", "umap_y"]]).all(axis=None)
    # All texts and windows are drawn from.
    assert table["window"].nunique() == 2
    assert table["example_id"].nunique() == TEXTS
    for axis, column in enumerate(("pca_x", "pca_y")):
        expected = reduced[both["index"], axis]
        sign = np.sign(expected @ table[column])
        np.testing.assert_allclose(table[column], sign * expected, atol=1e-5)


def test_shares_are_those_of_all_maps_and_agreement_is_of_each_variant(results, value, after):
    shares = shown("heads", results)
    assert len(shares) == 2 * LAYERS * HEADS * 5
    assert shares.groupby(HEAD)["share"].sum().to_numpy() == pytest.approx(1)
    maps = TEXTS + MORE
    # Tables add up to what single maps would give: each head's maps in proportion.
    for found, (_, of_state) in zip((after, value), shares.groupby("variant"), strict=True):
        table = of_state.pivot(index=HEAD, columns="cluster", values="share")
        counts = (table * maps).round().astype(int).groupby("layer").sum()
        one, other = np.indices(counts.shape).reshape(2, -1)
        weights = counts.to_numpy().ravel()
        expected = adjusted_rand_score(np.repeat(one, weights), np.repeat(other, weights))
        assert found["class", "layer", 0, "agreement"] == pytest.approx(expected)


def test_typical_maps_are_nearest_to_their_family(measured, results, whole, reduced):
    table = shown("typical", results)
    assert set(table["kind"]) == {"cluster", "family"}
    assert set(table.loc[table["kind"] == "cluster", "name"]) == set("12345")
    assert not table.duplicated(["kind", "name", "layer", "head"]).any()
    captures = {variant: Capture(measured / CAPTURES / variant) for variant in tiny.VARIANTS}
    for row in table.itertuples():
        capture = captures[row.variant]
        expected = capture.array(row.example_id, "attention")[row.layer - 1, row.head - 1]
        np.testing.assert_array_equal(row.attention, expected.ravel())
        assert list(row.tokens) == list(capture.tokens_of(row.example_id)["token"])
    at_hand = (whole["example_id"] < CAPTURED) & (whole["window"] == 0)
    for name, rows in table[table["kind"] == "family"].groupby("name"):
        assert rows["rank"].tolist() == [1, 2, 3][: len(rows)]
        members = whole["family"] == name
        middle = reduced[members].mean(axis=0)
        far = pd.Series(((reduced - middle) ** 2).sum(axis=1))[members & at_hand].sort_values()
        expected = whole.loc[far.index].drop_duplicates(["layer", "head"]).head(3)
        columns = ["variant", "example_id", "layer", "head"]
        assert rows[columns].to_numpy().tolist() == expected[columns].to_numpy().tolist()


def test_distances_of_heads_are_of_what_they_attend_to(measured, results, value):
    table = shown("distances", results)
    captures = [Capture(measured / CAPTURES / variant) for variant in tiny.VARIANTS]
    few = np.linspace(0, CAPTURED - 1, 8).round().astype(int)
    far = jensen_shannon_distances(
        (np.concatenate([c.array(text, "attention") for c in captures]) for text in few), queries=16
    )
    order = list(product(tiny.VARIANTS, range(1, LAYERS + 1), range(1, HEADS + 1)))
    assert list(table[HEAD].itertuples(index=False, name=None)) == order
    # The plane never shows heads further apart than they are.
    plane = cdist(table[["x", "y"]], table[["x", "y"]])
    assert (plane <= far + 1e-6).all()
    assert np.corrcoef(plane[far > 0], far[far > 0])[0, 1] > 0.5
    before = table[table["variant"] == "pretrained"]
    expected = adjusted_rand_score(before["cluster"], before["main"])
    assert value["distances", "main", 0, "agreement"] == pytest.approx(expected)
    # Ward's criterion asks for distances alone.
    ward = AgglomerativeClustering(5).fit_predict(classical_mds(far).coordinates)
    assert adjusted_rand_score(ward, table["cluster"]) == 1


def of_numbers(value: pd.Series, method: str) -> pd.DataFrame:
    """Quality over the number of clusters."""
    table = value.sort_index()[method, ""].unstack()
    return table[table.index > 0].sort_index()


def test_quality_over_the_number_of_clusters(value):
    kmeans, ward = (of_numbers(value, method) for method in ("kmeans", "agglomerative"))
    assert kmeans.index.tolist() == ward.index.tolist() == SETTINGS["ks"]
    assert (np.diff(kmeans["distortion"]) < 0).all()
    per_dimension = kmeans["distortion_per_dimension"]
    np.testing.assert_allclose(per_dimension, kmeans["distortion"] / 5)
    tight = kmeans["silhouette"]
    assert 0.95 * tight.max() < tight[5] > tight[4]
    assert kmeans.loc[5, "agreement"] > 0.9
    assert kmeans.loc[2:, "stability"].notna().all()
    assert kmeans.loc[1, ["silhouette", "stability"]].isna().all()
    assert not {"stability", "reference"} & set(ward)
    assert (kmeans["stability_low"] <= kmeans["stability"])[1:].all()
    # Diagonals have offsets and columns have numbers: families are clusters of clusters, whose
    # curve goes on falling, and five of them are no elbow.
    assert not value["elbow", "", 0, "found"]
    assert value["descriptors", "", 0, "first_components"] == pytest.approx(1)
    assert value["images", "", 0, "dimensions"] == 16


def one_by_one(work, items, title):
    return map(work, items)


def test_clusters_far_apart_have_an_elbow_and_clouds_have_none():
    rng = np.random.default_rng(0)
    which = np.repeat(np.arange(4), 40)
    cloud = rng.normal(size=(160, 4))
    settings = tiny.parameters(clusters={"resamples": 2, "ks": [1, 2, 3, 4, 5, 6]}).clusters
    for rows, k in ((8 * np.eye(4)[which] + cloud, 4), (cloud, 1)):
        given = curves(rows, which.astype(str), settings, SCIKIT_LEARN, one_by_one, "")
        value = pd.Series(
            {
                (one.subject, one.facet, one.clusters, one.quantity): float(one.value)
                for one in given
            }
        )
        assert value["elbow", "", 0, "found"] == (k > 1)
        assert value["gap", "", 0, "k"] == k
        kmeans = of_numbers(value, "kmeans")
        # Without clusters, what the data have is what the references have.
        ratio = kmeans["distortion"] / kmeans["reference"]
        assert (ratio[4] / ratio[1] < 0.2) == (k > 1)
        if k > 1:
            assert value["elbow", "", 0, "k"] == k
            for curve in (kmeans, of_numbers(value, "agglomerative")):
                assert curve["agreement"].idxmax() == k
            assert kmeans["stability"].idxmax() == k


def test_components_are_those_of_scikit_learn(value, after, whole):
    for variant, found in (("pretrained", value), ("finetuned", after)):
        own = np.stack(whole.loc[whole["variant"] == variant, "image"])
        ratio = PCA(7).fit(StandardScaler().fit_transform(own.astype(float)))
        expected = ratio.explained_variance_ratio_.sum()
        assert found["images", "", 0, "first_components"] == pytest.approx(expected)


def test_images_can_be_clustered_and_one_variant_will_do(workplace):
    (MAPS / "finetuned.parquet").unlink()
    shutil.rmtree(CAPTURES / "finetuned")
    of = set(clusters(features="images", sample=60, ks=[1, 2, 5]).index.get_level_values("subject"))
    assert "images" in of
    assert not of & {"descriptors", "change"}
    for name in ("sample", "typical"):
        assert set(shown(name)["variant"]) == {"pretrained"}


def only(change) -> None:
    """Change the tables of all variants."""
    for path in MAPS.iterdir():
        change(pd.read_parquet(path)).to_parquet(path, index=False)


def few(maps: int):
    return lambda table: table.head(maps)


def of_three_kinds(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(**{name: table.loc[table.index % 3, name].to_numpy() for name in SHAPE})


def identical(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(**dict.fromkeys(SHAPE, 0.1))


@pytest.mark.parametrize(
    ("change", "settings", "message"),
    [
        (few(3), {}, r"has only 3 maps of a model, too few for 10 clusters \(clusters\.ks\)"),
        (
            few(2),
            {"ks": [1, 2, 3], "k": 3},
            "has only 2 maps of a model, .* need at least 6; leave",
        ),
        (identical, {}, r"clusters of reviews: all 504 maps .*; there is nothing to clus"),
        (
            of_three_kinds,
            {},
            "of 76 maps of a model of reviews only 3 are different; leave",
        ),
        (None, {"engine": "cuml"}, r"clusters\.engine is cuml, but it is not installed"),
        (
            None,
            {"smallest": 77},
            r"clusters\.smallest is 77 but only 76 maps of a model of reviews",
        ),
    ],
)
def test_what_cannot_be_clustered_is_told(workplace, monkeypatch, change, settings, message):
    monkeypatch.setitem(sys.modules, "cuml", None)
    if change:
        only(change)
    with pytest.raises(InputError, match=message):
        clusters(**settings)


def test_fewer_maps_than_the_sample_are_all_taken_and_images_may_be_missing(workplace):
    only(lambda table: table.head(40).drop(columns="image"))
    value = clusters(ks=[1, 2, 5])
    assert len(shown("sample")) == 80
    assert "images" not in value.index.get_level_values("subject")


def test_with_one_class_there_is_nothing_to_agree_with():
    """SciPy draws wrong tables of one row, by which chance was 2 of at most 1."""
    places = np.arange(60)
    columns = {"family": "vertical", "layer": 1, "head": 1, "example_id": places, "cluster": 1}
    maps = pd.DataFrame(columns).assign(cluster=places % 3)
    found = {(one.quantity, one.facet): one.value for one in agreements(maps, seed=0)}
    for kind in ("family", "layer", "head"):
        assert found["agreement", kind] == found["chance", kind] == 0
