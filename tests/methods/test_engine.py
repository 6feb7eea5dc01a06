"""Which engine is chosen, and what cuML is asked, with a stand-in: no GPU is needed."""

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from sklearn import cluster as sklearn_cluster

from analysis.methods import engine as engines
from analysis.methods.clustering import cluster
from analysis.methods.clustering_agreement import stability
from analysis.methods.clustering_blocks import centres, reduction
from analysis.methods.clustering_number import distortions, reference_distortions
from analysis.methods.engine import SCIKIT_LEARN, engine


@pytest.fixture
def without_cuml(monkeypatch):
    monkeypatch.setitem(sys.modules, "cuml", None)


@pytest.fixture
def cuml(monkeypatch):
    """Modules with the names of cuML and CuPy that compute on the processor and keep account."""
    asked = []

    def told(kind, work):
        """Keep account of what an estimator is made with; allow only what cuML's takes."""

        def make(**settings):
            asked.append((kind, settings))
            assert settings.pop("output_type") == "numpy"
            return work(**settings)

        return make

    class UMAP:
        def __init__(self, *, n_neighbors, min_dist, random_state):
            assert n_neighbors >= 2

        def fit_transform(self, rows):
            assert rows.dtype == np.float32
            return rows[:, :2] + 5

    modules = {name: ModuleType(name) for name in ("cuml", "cuml.cluster", "cuml.cluster.hdbscan")}
    modules |= {name: ModuleType(name) for name in ("cuml.manifold", "cupy")}
    modules["cuml.cluster"].KMeans = told("KMeans", sklearn_cluster.KMeans)
    modules["cuml.cluster.hdbscan"].HDBSCAN = told(
        "HDBSCAN", lambda **settings: sklearn_cluster.HDBSCAN(copy=True, **settings)
    )
    modules["cuml.manifold"].UMAP = told("UMAP", UMAP)
    modules["cupy"].cuda = SimpleNamespace(is_available=lambda: True)
    modules["cupy"].asarray = lambda rows: asked.append(("products", {})) or rows
    modules["cupy"].asnumpy = np.asarray
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    return asked


def rows():
    rng = np.random.default_rng(0)
    return np.repeat(np.eye(4), 20, axis=0) * 9 + rng.normal(size=(80, 4))


@pytest.mark.usefixtures("without_cuml")
def test_without_cuml_there_is_scikit_learn():
    assert engine("auto").name == engine("scikit-learn").name == "scikit-learn"
    with pytest.raises(ValueError, match=r"engine is cuml, but it is not installed.*set auto or"):
        engine("cuml")


def test_with_cuml_auto_takes_it(cuml):
    assert engine("auto").name == engine("cuml").name == "cuml"
    assert engine("scikit-learn").name == "scikit-learn"


@pytest.mark.usefixtures("cuml")
def test_without_a_gpu_cuml_is_not_taken(monkeypatch):
    monkeypatch.setattr(sys.modules["cupy"].cuda, "is_available", lambda: False)
    assert engine("auto").name == "scikit-learn"
    with pytest.raises(ValueError, match="engine is cuml, but there is no CUDA GPU; set auto"):
        engine("cuml")


def test_another_engine_is_refused():
    with pytest.raises(ValueError, match="engine is 'torch'; allowed: auto, scikit-learn, cuml"):
        engine("torch")


def test_cuml_is_asked_for_all_that_is_heavy(cuml):
    """With an engine that computes the same, everything is the same, and it was asked for it."""
    given, there = rows(), engine("cuml")
    ways = {
        "KMeans": [
            lambda engine: cluster(given, "kmeans", k=4, seed=1, engine=engine),
            lambda engine: distortions(given, [2, 3], engine=engine),
            lambda engine: reference_distortions(given, [2, 3], references=2, engine=engine),
            lambda engine: stability(given, 3, resamples=2, engine=engine),
            lambda engine: centres(
                [lambda: [given]], reduction([lambda: [given]], 2), 4, engine=engine
            ),
        ],
        "HDBSCAN": [lambda engine: cluster(given, "hdbscan", smallest=8, engine=engine)],
        "products": [lambda engine: reduction([lambda: [given]], 3, engine=engine).axes],
    }
    for kind, calls in ways.items():
        for call in calls:
            cuml.clear()
            np.testing.assert_array_equal(call(there), call(SCIKIT_LEARN))
            assert {name for name, _ in cuml} == {kind}


def test_umap_is_centred_and_takes_few_rows(cuml):
    layout = engine("cuml").umap(rows()[:5], neighbors=15, min_dist=0.1, seed=7)
    np.testing.assert_allclose(layout.mean(axis=0), 0, atol=1e-6)
    assert layout.dtype == np.float64
    settings = {"n_neighbors": 4, "min_dist": 0.1, "random_state": 7}
    assert cuml == [("UMAP", settings)]


def test_settings_of_cuml(cuml):
    given, there = rows(), engines.CuML()
    there.kmeans(given, 3, starts=2, seed=5)
    there.hdbscan(given, 6)
    assert cuml == [
        ("KMeans", {"n_clusters": 3, "n_init": 2, "random_state": 5}),
        ("HDBSCAN", {"min_cluster_size": 6}),
    ]
