"""What the stage of clusters writes: planted families found, every number again, and bad input."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from sklearn.cluster import AgglomerativeClustering
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler
from written import hashes

from analysis import params
from analysis.capture import store
from analysis.capture.store import Capture
from analysis.errors import InputError
from analysis.methods.clustering import SCIKIT_LEARN
from analysis.methods.head_distances import jensen_shannon_distances
from analysis.methods.head_families import FAMILIES, family, synthetic_heads
from analysis.methods.heads import DESCRIPTORS, SHAPE, descriptors, resized
from analysis.stages import clusters as clusters_module
from analysis.stages.clusters import clusters, curves

ROOT = Path(__file__).parents[2]
EXPERIMENT = "reviews"
VARIANTS = ("pretrained", "finetuned")
LAYERS, HEADS, TEXTS, CAPTURED, MORE = 3, 4, 16, 10, 2
# Families of the heads, layer by layer; the first head is of another after fine-tuning.
PLANTED = {
    "pretrained": [FAMILIES[i % 5] for i in range(LAYERS * HEADS)],
    "finetuned": ["block", *(FAMILIES[i % 5] for i in range(1, LAYERS * HEADS))],
}
HEAD = ["variant", "layer", "head"]
KEY = [*HEAD, "example_id", "window"]
SETTINGS = {
    "ks": [1, 2, 3, 4, 5, 6, 8, 10],
    "k": 5,
    "sample": 151,
    "smallest": 6,
    "resamples": 3,
    "engine": "scikit-learn",
    "workers": "none",
    "features": "descriptors",
}


def attention(variant: str, text: int, window: int) -> np.ndarray:
    """``[layer, head, query, key]`` of planted families."""
    tokens, seed = 18 + text % 5, 100 * text + 10 * window + VARIANTS.index(variant)
    maps = [
        synthetic_heads(name, tokens, 1, 0.1, seed=seed * 50 + head)[0]
        for head, name in enumerate(PLANTED[variant])
    ]
    return np.stack(maps).reshape(LAYERS, HEADS, tokens, tokens).astype(np.float32)


def write_heads(directory: Path, groups: int = 5) -> None:
    """As stage heads does: ``TEXTS`` texts, the last of which have a second window."""
    directory.mkdir(parents=True)
    places = [(text, 0) for text in range(TEXTS)] + [(TEXTS - 1 - i, 1) for i in range(MORE)]
    for variant in VARIANTS:
        tables = []
        for text, window in sorted(places):
            maps = attention(variant, text, window)
            layer, head = (axis.ravel() + 1 for axis in np.indices(maps.shape[:2]))
            values = descriptors(maps).reshape(-1, len(DESCRIPTORS)).astype(np.float32)
            images = resized(maps, 4).reshape(len(layer), -1).astype(np.float32)
            columns = {
                "example_id": np.full(len(layer), text),
                "window": np.full(len(layer), window, np.int16),
                "layer": layer.astype(np.int8),
                "head": head.astype(np.int8),
                "tokens": np.full(len(layer), maps.shape[-1], np.int16),
                **dict(zip(DESCRIPTORS, values.T, strict=True)),
                "family": pa.array(family(values)).dictionary_encode(),
                "image": pa.array(list(images), pa.list_(pa.float32())),
            }
            tables.append(pa.table(columns))
        whole = pa.concat_tables(tables)
        pq.write_table(
            whole, directory / f"{variant}.parquet", row_group_size=-(-len(whole) // groups)
        )


def write_capture(directory: Path) -> None:
    for variant in VARIANTS:
        maps = {text: attention(variant, text, 0) for text in range(CAPTURED)}
        lengths = {text: array.shape[-1] for text, array in maps.items()}
        store.write(
            directory / variant,
            ((text, {"attention": array}) for text, array in maps.items()),
            arrays=("attention",),
            dtype="float32",
            examples=lambda lengths=lengths: pd.DataFrame(
                {"id": list(lengths), "tokens": list(lengths.values())}
            ),
            tokens=pd.DataFrame(
                [
                    {"example_id": text, "position": at, "token": f"{text}-{at}"}
                    for text, length in lengths.items()
                    for at in range(length)
                ]
            ),
            model={},
        )


@pytest.fixture(scope="module")
def measured(tmp_path_factory) -> Path:
    directory = tmp_path_factory.mktemp("clustered")
    values = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    values["clusters"] |= SETTINGS
    (directory / "params.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    write_heads(directory / "artifacts" / EXPERIMENT / "heads")
    write_capture(directory / "artifacts" / EXPERIMENT / "capture")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        patch.setattr(clusters_module, "BLOCK", 60)
        clusters(params.load(), EXPERIMENT)
    return directory


@pytest.fixture
def workplace(measured, tmp_path, monkeypatch) -> Path:
    """A copy of it that a test may change, as the present directory."""
    directory = tmp_path / "workplace"
    shutil.copytree(measured, directory)
    monkeypatch.chdir(directory)
    monkeypatch.setattr(clusters_module, "BLOCK", 60)
    return directory


@pytest.fixture(scope="module")
def results(measured) -> Path:
    return measured / "results" / EXPERIMENT


@pytest.fixture(scope="module")
def summary(results) -> dict:
    return json.loads((results / "summaries" / "clusters.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def whole(measured) -> pd.DataFrame:
    """All maps of both variants."""
    tables = []
    for variant in VARIANTS:
        path = measured / "artifacts" / EXPERIMENT / "heads" / f"{variant}.parquet"
        tables.append(pd.read_parquet(path).assign(variant=variant))
    return pd.concat(tables, ignore_index=True).astype({"family": str})


@pytest.fixture(scope="module")
def reduced(whole) -> np.ndarray:
    """Principal components of all maps by scikit-learn, up to signs."""
    return PCA(5).fit_transform(standardised(whole))


def standardised(whole: pd.DataFrame) -> np.ndarray:
    return StandardScaler().fit_transform(whole[list(SHAPE)].to_numpy(float))


def changed(**clusters_settings) -> params.Params:
    loaded = params.load()
    settings = loaded.clusters.model_copy(update=clusters_settings)
    return loaded.model_copy(update={"clusters": settings})


def test_planted_families_are_found(results, summary):
    assert summary["agreement"]["family"]["agreement"] > 0.9
    assert summary["agreement"]["family"]["main"] > 0.95
    shares = pd.read_parquet(results / "cluster_heads.parquet")
    main = shares.loc[shares.groupby(HEAD)["share"].idxmax()]
    for variant in VARIANTS:
        found = main[main["variant"] == variant].sort_values(["layer", "head"])["cluster"]
        assert adjusted_rand_score(PLANTED[variant], found) == 1
    change = summary["before_and_after"]
    assert (change["heads"], change["changed"]) == (LAYERS * HEADS, 1)
    assert (change["most"][0]["layer"], change["most"][0]["head"]) == (1, 1)
    assert change["moved"] == pytest.approx(1 / (LAYERS * HEADS), rel=0.5)
    # Texts have nothing to do with it.
    text = summary["agreement"]["text"]
    assert text["classes"] == TEXTS
    assert text["agreement"] < max(0.02, text["chance"])
    assert summary["agreement"]["head"]["classes"] == LAYERS * HEADS


def test_the_sample_is_of_both_variants_and_each_map_once(results, whole):
    table = pd.read_parquet(results / "clusters.parquet")
    assert table.columns.tolist() == [
        "variant", "example_id", "window", "layer", "head", "family", "kmeans", "agglomerative",
        "hdbscan", "pca_x", "pca_y", "umap_x", "umap_y",
    ]  # fmt: skip
    assert table["variant"].value_counts().tolist() == [76, 75]
    assert not table.duplicated(KEY).any()
    both = table.merge(whole, on=KEY, how="left", suffixes=("", "_rule"))
    assert (both["family"] == both["family_rule"]).all()
    assert set(table["kmeans"]) == set(table["agglomerative"]) == {1, 2, 3, 4, 5}
    assert table["hdbscan"].min() >= 0
    assert np.isfinite(table[["umap_x", "umap_y"]]).all(axis=None)
    # All texts and windows are drawn from.
    assert table["window"].nunique() == 2
    assert table["example_id"].nunique() == TEXTS


def test_the_plane_is_that_of_all_maps(results, whole, reduced):
    table = pd.read_parquet(results / "clusters.parquet")
    where = table[KEY].merge(whole[KEY].reset_index(), on=KEY, how="left")["index"]
    for axis, column in enumerate(("pca_x", "pca_y")):
        expected = reduced[where, axis]
        sign = np.sign(expected @ table[column])
        np.testing.assert_allclose(table[column], sign * expected, atol=1e-5)


def test_shares_are_those_of_all_maps(results, summary, whole):
    shares = pd.read_parquet(results / "cluster_heads.parquet")
    assert len(shares) == 2 * LAYERS * HEADS * 5
    assert shares["variant"].drop_duplicates().tolist() == list(VARIANTS)
    assert shares.groupby(HEAD)["share"].sum().to_numpy() == pytest.approx(1)
    maps = TEXTS + MORE
    assert summary["maps"] == len(whole) == maps * 2 * LAYERS * HEADS
    assert summary["texts"] == TEXTS
    sizes = (shares.groupby("cluster")["share"].sum() * maps).tolist()
    assert summary["sizes"] == pytest.approx(sizes)
    # Tables add up to what single maps would give: each head's maps in proportion.
    table = shares.pivot(index=HEAD, columns="cluster", values="share")
    counts = (table * maps).round().astype(int).groupby("layer").sum()
    one, other = np.indices(counts.shape).reshape(2, -1)
    weights = counts.to_numpy().ravel()
    expected = adjusted_rand_score(np.repeat(one, weights), np.repeat(other, weights))
    assert summary["agreement"]["layer"]["agreement"] == pytest.approx(expected)
    main = counts.max(axis=1).sum() / counts.to_numpy().sum()
    assert summary["agreement"]["layer"]["main"] == pytest.approx(main)


def test_typical_maps_are_nearest_to_their_family(measured, results, whole, reduced):
    table = pd.read_parquet(results / "typical.parquet")
    assert set(table["kind"]) == {"cluster", "family"}
    assert set(table.loc[table["kind"] == "cluster", "name"]) == set("12345")
    assert not table.duplicated(["kind", "name", "layer", "head"]).any()
    directory = measured / "artifacts" / EXPERIMENT / "capture"
    captures = {variant: Capture(directory / variant) for variant in VARIANTS}
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


def test_distances_of_heads_are_of_what_they_attend_to(measured, results, summary):
    table = pd.read_parquet(results / "head_distances.parquet")
    assert table.columns.tolist() == ["variant", "layer", "head", "x", "y", "cluster", "main"]
    captures = [
        Capture(measured / "artifacts" / EXPERIMENT / "capture" / variant) for variant in VARIANTS
    ]
    few = np.linspace(0, CAPTURED - 1, 8).round().astype(int)
    far = jensen_shannon_distances(
        (np.concatenate([c.array(text, "attention") for c in captures]) for text in few), queries=16
    )
    assert summary["distances"]["texts"] == 8
    order = [
        (v, layer + 1, head + 1) for v in VARIANTS for layer, head in np.ndindex(LAYERS, HEADS)
    ]
    assert list(table[["variant", "layer", "head"]].itertuples(index=False, name=None)) == order
    # The plane never shows heads further apart than they are.
    plane = np.linalg.norm(
        table[["x", "y"]].to_numpy()[:, None] - table[["x", "y"]].to_numpy(), axis=2
    )
    assert (plane <= far + 1e-6).all()
    assert np.corrcoef(plane[far > 0], far[far > 0])[0, 1] > 0.5
    expected = adjusted_rand_score(table["cluster"], table["main"])
    assert summary["distances"]["agreement"] == pytest.approx(expected)
    # Ward's criterion asks for distances alone.
    squares = far**2
    centre = np.eye(len(far)) - 1 / len(far)
    values, vectors = np.linalg.eigh(-centre @ squares @ centre / 2)
    points = vectors * np.sqrt(np.maximum(values, 0))
    ward = AgglomerativeClustering(5).fit_predict(points)
    assert adjusted_rand_score(ward, table["cluster"]) == 1


def test_curves_and_headlines(results, summary):
    plot = pd.read_csv(results / "plots" / "clusters.csv")
    assert plot.columns.tolist() == [
        "method", "k", "distortion", "distortion_per_dimension", "silhouette", "calinski_harabasz",
        "stability", "stability_low", "stability_high", "agreement", "reference",
    ]  # fmt: skip
    kmeans = plot[plot["method"] == "kmeans"].set_index("k")
    ward = plot[plot["method"] == "agglomerative"].set_index("k")
    assert kmeans.index.tolist() == ward.index.tolist() == SETTINGS["ks"]
    assert (np.diff(kmeans["distortion"]) < 0).all()
    assert kmeans["distortion_per_dimension"].to_numpy() == pytest.approx(
        kmeans["distortion"] / 5, rel=1e-4
    )
    assert (
        0.95 * kmeans["silhouette"].max()
        < kmeans.loc[5, "silhouette"]
        > kmeans.loc[4, "silhouette"]
    )
    assert kmeans.loc[5, "agreement"] > 0.9
    assert kmeans.loc[2:, "stability"].notna().all()
    assert kmeans.loc[1, ["silhouette", "stability"]].isna().all()
    assert ward[["stability", "reference"]].isna().all(axis=None)
    assert (kmeans["stability_low"] <= kmeans["stability"])[1:].all()
    assert summary["stability"]["stability"] == pytest.approx(kmeans.loc[5, "stability"], rel=1e-4)
    # Diagonals have offsets and columns have numbers: families are clusters of clusters, whose
    # curve goes on falling, and five of them are no elbow.
    assert not summary["elbow"]["found"]
    assert summary["gap"]["ks"] == [1, 2, 3, 4, 5, 6]
    shares = summary["components"]["shares"]
    assert shares["descriptors"]["first"] == pytest.approx(1)
    assert shares["images"]["dimensions"] == 16
    assert 0 < shares["images"]["first"] < 1
    headlines = json.loads((results / "metrics" / "clusters.json").read_text(encoding="utf-8"))
    assert headlines["changed"] == {"heads": 12, "changed": 1, "agreement": pytest.approx(
        summary["before_and_after"]["agreement"])}  # fmt: skip
    assert headlines["agreement"]["distances"] == summary["distances"]["agreement"]


def test_clusters_far_apart_have_an_elbow_and_clouds_have_none():
    rng = np.random.default_rng(0)
    which = np.repeat(np.arange(4), 40)
    cloud = rng.normal(size=(160, 4))
    settings = params.load(ROOT / "params.yaml").clusters.model_copy(update={"resamples": 2})
    for rows, k in ((8 * np.eye(4)[which] + cloud, 4), (cloud, 1)):
        plot, judged = curves(rows, which.astype(str), settings, SCIKIT_LEARN)
        assert judged["elbow"]["found"] == (k > 1)
        assert judged["gap"]["k"] == k
        assert judged["gap"]["ks"] == [1, 2, 3, 4, 5, 6]
        kmeans = plot[plot["method"] == "kmeans"].set_index("k")
        # Without clusters, what the data have is what the references have.
        ratio = kmeans["distortion"] / kmeans["reference"]
        assert (ratio[4] / ratio[1] < 0.2) == (k > 1)
        if k > 1:
            assert judged["elbow"]["k"] == k
            for _, curve in plot.groupby("method"):
                assert curve.set_index("k")["agreement"].idxmax() == k
            assert kmeans["stability"].idxmax() == k


def test_components_are_those_of_scikit_learn(summary, whole):
    ratio = PCA(5).fit(standardised(whole)).explained_variance_ratio_
    assert summary["components"]["shares"]["descriptors"]["share"][:5] == pytest.approx(
        ratio.tolist()
    )
    assert summary["components"]["kept"] == pytest.approx(ratio.sum())


def test_workers_and_runs_give_the_same_bytes(workplace, monkeypatch):
    before = hashes(workplace)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    clusters(changed(workers="local"), EXPERIMENT)
    assert hashes(workplace) == before


def test_images_can_be_clustered_and_one_variant_will_do(workplace):
    (workplace / "artifacts" / EXPERIMENT / "heads" / "finetuned.parquet").unlink()
    shutil.rmtree(workplace / "artifacts" / EXPERIMENT / "capture" / "finetuned")
    clusters(changed(features="images", sample=60), EXPERIMENT)
    results = workplace / "results" / EXPERIMENT
    summary = json.loads((results / "summaries" / "clusters.json").read_text(encoding="utf-8"))
    assert list(summary["components"]["shares"]) == ["images"]
    assert summary["before_and_after"] is None
    assert set(pd.read_parquet(results / "clusters.parquet")["variant"]) == {"pretrained"}
    assert set(pd.read_parquet(results / "typical.parquet")["variant"]) == {"pretrained"}
    headlines = json.loads((results / "metrics" / "clusters.json").read_text(encoding="utf-8"))
    assert headlines["changed"] is None


def only(workplace: Path, change) -> None:
    """Change the tables of all variants."""
    for variant in VARIANTS:
        path = workplace / "artifacts" / EXPERIMENT / "heads" / f"{variant}.parquet"
        table = pd.read_parquet(path)
        change(table).to_parquet(path, index=False)


def refused(workplace: Path, message: str, **settings) -> None:
    before = hashes(workplace)
    with pytest.raises(InputError, match=message):
        clusters(changed(**settings), EXPERIMENT)
    assert hashes(workplace) == before


def test_fewer_maps_than_clusters(workplace):
    only(workplace, lambda table: table.head(3))
    refused(workplace, r"reviews has only 6 maps, too few for 10 clusters \(clusters\.ks\)")
    message = "reviews has only 4 maps, too few for 3 clusters .* need at least 6; leave"
    only(workplace, lambda table: table.head(2))
    refused(workplace, message, ks=(1, 2, 3), k=3)


def test_fewer_maps_than_the_sample_are_all_taken(workplace):
    only(workplace, lambda table: table.head(40))
    clusters(changed(), EXPERIMENT)
    assert len(pd.read_parquet(workplace / "results" / EXPERIMENT / "clusters.parquet")) == 80


def test_identical_maps(workplace):
    only(workplace, lambda table: table.assign(**dict.fromkeys(SHAPE, 0.1)))
    refused(workplace, r"clusters of reviews: all 432 maps are identical; there is nothing to clus")


def test_few_different_maps(workplace):
    def few(table):
        return table.assign(**{name: table.loc[table.index % 3, name].to_numpy() for name in SHAPE})

    only(workplace, few)
    refused(workplace, r"of 151 maps of reviews only 6 are different; leave large numbers out")


def test_settings_that_cannot_be(workplace, monkeypatch):
    monkeypatch.setitem(sys.modules, "cuml", None)
    refused(workplace, r"clusters\.engine is cuml, but it is not installed", engine="cuml")
    refused(workplace, r"clusters\.smallest is 152 but only 151 maps of reviews are", smallest=152)
    refused(workplace, "clusters of reviews: components is 8; of 432 maps with 7", components=8)
    monkeypatch.setattr("analysis.stages.clusters.SECONDS", 0.5)
    refused(
        workplace,
        r"clusters\.workers is tcp://127\.0\.0\.1:9, but no D",
        workers="tcp://127.0.0.1:9",
    )


def test_missing_maps_and_images(workplace):
    only(workplace, lambda table: table.drop(columns="image"))
    refused(
        workplace,
        r"clusters\.features is images but a table of .*heads has none; set",
        features="images",
    )
    clusters(changed(), EXPERIMENT)
    shutil.rmtree(workplace / "artifacts" / EXPERIMENT / "heads")
    refused(workplace, "heads holds no maps; make them with `dvc repro`")


def test_no_model_is_needed():
    code = "import sys, analysis.stages.clusters as c; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr
