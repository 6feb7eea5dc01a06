"""What is measured of queries and keys: every number again, and texts too short."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
import tiny_experiment as tiny
from made_vectors import FIRST, HEAD_DIM, HEADS, LAYERS, captured, constant
from safetensors.numpy import load_file
from scipy.optimize import minimize_scalar
from scipy.spatial.distance import cdist
from scipy.stats import rankdata, spearmanr
from sklearn import manifold
from sklearn.decomposition import PCA

from attention_mixing.capture.text import State
from attention_mixing.errors import InputError
from attention_mixing.measures import geometry, joint_maps, sentence
from attention_mixing.measures.engine.summary import summarise
from attention_mixing.methods.attentionviz import translate_keys
from attention_mixing.methods.trust import procrustes

WAYS = ("before", "seed", "after")
VARIANTS = tiny.VARIANTS
HEAD = ["variant", "layer", "head"]
PLACES = list(np.ndindex(LAYERS, HEADS))
LENGTHS = (9, 12, 7, 10, 8)
SHOWN = FIRST + 1
PAIR = {"query": "the", "keys": ["was", "[SEP]"]}
OF_PAIRS = geometry.MEASURES[:2]
MAPPED = (*OF_PAIRS, *joint_maps.MEASURES)
CHOICES = {"centroid", "norm-ratio", "weighted", "closed-form"}
EXACT = ["attention", "softmax", "dot"]  # how far off is what holds exactly
CORRELATIONS = ["correlation_before", "correlation_after"]
RANKS = {
    *("cosine_before", "cosine_after", "plane_before", "plane_after"),
    *(f"euclidean_{way}" for way in ("before", "translated", "after", "joint")),
}


def take(directory: Path, measures, *states: State, **changed) -> pd.DataFrame:
    """Measure states -> values; every scale that is handed on is looked at."""
    settings = {"texts": 2, "lines": 7, "pair": PAIR, "nonlinear": [tiny.EXPERIMENT]} | changed
    loaded = tiny.parameters(geometry=settings, capture={"examples": 8})
    values = tiny.take_of(measures, loaded, states, directory)
    scales = values.query("quantity == 'c' and subject == 'closed-form'")["value"]
    assert (np.isfinite(scales) & (scales > 0)).all()
    return values


def by_head(values: pd.DataFrame) -> pd.DataFrame:
    """A row a text and head, a column a measure of each."""
    own = values[values["measure"] == "geometry"]
    return own.pivot(index=["variant", "text", "layer", "head"], columns="quantity", values="value")


def averaged(values: pd.DataFrame) -> pd.DataFrame:
    """Means over texts, by measure and layer."""
    rows = summarise([values], geometry.MEASURES, tiny.parameters().bootstrap)
    rows = rows[(rows["measure"] == "geometry") & (rows["head"] == 0)]
    return rows.set_index(["quantity", "layer"])


Vectors = list[tuple[np.ndarray, np.ndarray]]


class Measured(NamedTuple):
    directory: Path
    states: tuple[State, ...]
    values: pd.DataFrame
    table: pd.DataFrame

    def vectors(self, variant: str) -> Vectors:
        """Queries and keys of every text."""
        state = self.states[VARIANTS.index(variant)]
        texts = [state.text(one) for one in state.examples["id"]]
        return [(text["query"].astype(float), text["key"].astype(float)) for text in texts]

    def drawn(self, variant: str) -> list[np.ndarray]:
        """Queries and keys of the texts that are mapped, all tokens together."""
        return [
            np.concatenate(kind, axis=2) for kind in zip(*self.vectors(variant)[:2], strict=True)
        ]

    def brought(self, variant: str, place: tuple[int, int], step: str = "scaled") -> np.ndarray:
        """Those of one head, as they are, with keys translated, or both scaled as well."""
        query, key = (kind[place] for kind in self.drawn(variant))
        texts = zip(*self.vectors(variant), strict=True)
        every = [np.concatenate([side[place] for side in kind]) for kind in texts]
        shift = every[0].mean(axis=0) - every[1].mean(axis=0)
        if step != "scaled":
            return np.concatenate([query, key + (shift if step == "translated" else 0)])
        chosen = self.values.query(
            "variant == @variant and quantity == 'c' and subject == 'closed-form'"
        )
        scale = chosen.set_index(["layer", "head"])["value"][place[0] + 1, place[1] + 1]
        return np.concatenate([scale * query, (key + shift) / scale])


@pytest.fixture(scope="module")
def measured(tmp_path_factory) -> Measured:
    directory = tmp_path_factory.mktemp("measured")
    states = tuple(captured(directory, LENGTHS, variant=variant) for variant in VARIANTS)
    values = take(directory / "out", geometry.MEASURES + joint_maps.MEASURES, *states)
    return Measured(directory / "out", states, values, by_head(values))


# --- every head -----------------------------------------------------------------------------------


def translated(vectors: Vectors, place: tuple[int, int]) -> Vectors:
    """Those of one head, with keys moved to the queries."""
    texts = [(query[place], key[place]) for query, key in vectors]
    queries, keys = (np.concatenate(kind) for kind in zip(*texts, strict=True))
    return [(q, k - keys.mean(axis=0) + queries.mean(axis=0)) for q, k in texts]


def best_scale(pairs: Vectors) -> tuple[float, float]:
    """Search for the scale with the lowest correlation of dot product and squared distance."""
    dots = np.concatenate([(q @ k.T).ravel() for q, k in pairs])

    def correlation(logarithm: float) -> float:
        c = np.exp(logarithm)
        far = np.concatenate([cdist(c * q, k / c, "sqeuclidean").ravel() for q, k in pairs])
        return float(np.corrcoef(dots, far)[0, 1])

    found = minimize_scalar(correlation, bounds=(-2, 2), method="bounded", options={"xatol": 1e-9})
    return float(np.exp(found.x)), float(found.fun)


def nearer(far: np.ndarray, strongest: np.ndarray) -> np.ndarray:
    """Share of the other keys that are nearer to each query than its strongest key."""
    ranks = rankdata(far, axis=1)[np.arange(len(far)), strongest]
    return (ranks - 1) / (far.shape[1] - 1)


@pytest.mark.parametrize(
    ("variant", "text", "place"), [("pretrained", 1, (0, 1)), ("finetuned", 3, (1, 0))]
)
def test_every_value_is_found_again_by_scipy_and_scikit_learn(measured, variant, text, place):
    """With scales that are searched, not solved for."""
    vectors = measured.vectors(variant)
    every = [np.concatenate([pair[side][place] for pair in vectors]) for side in (0, 1)]
    shift = every[0].mean(axis=0) - every[1].mean(axis=0)
    query, key = (side[place] for side in vectors[text])
    dot, moved = query @ key.T, key + shift
    strongest = dot.argmax(axis=1)
    c, _ = best_scale(translated(vectors, place))
    joint, _ = best_scale([pair for one in PLACES for pair in translated(vectors, one)])
    after = query * c, moved / c
    planes = [
        PCA(2).fit(np.concatenate(pair)) for pair in (every, (every[0] * c, (every[1] + shift) / c))
    ]
    far = {
        "cosine_before": cdist(query, key, "cosine"),
        "cosine_after": cdist(*after, "cosine"),
        "euclidean_before": cdist(query, key),
        "euclidean_translated": cdist(query, moved),
        "euclidean_after": cdist(*after),
        "euclidean_joint": cdist(query * joint, moved / joint),
        "plane_before": cdist(*map(planes[0].transform, (query, key))),
        "plane_after": cdist(*map(planes[1].transform, after)),
    }
    special = measured.states[0].text(FIRST + text).special[strongest]
    dots = {"before": dot, "after": query @ moved.T}
    correlations = {"before": cdist(query, key, "cosine"), "after": cdist(query, moved, "cosine")}
    exact = {
        "strongest_special": special.mean(),
        "norm_difference": np.linalg.norm(query, axis=1).mean()
        - np.linalg.norm(key, axis=1).mean(),
    }
    for way, of_way in dots.items():
        rows = zip(of_way, correlations[way], strict=True)
        exact[f"correlation_{way}"] = np.mean([spearmanr(*row).statistic for row in rows])
        exact[f"offset_{way}"] = np.abs(of_way.mean(axis=1) / of_way.std(axis=1)).mean()
    queries_of = {"": special | True, "special_": special, "ordinary_": ~special}
    layer, head = place
    found = measured.table.loc[(variant, FIRST + text, layer + 1, head + 1)]
    for way, distances in far.items():
        ranks, to_strongest = nearer(distances, strongest), distances[range(len(dot)), strongest]
        # In any unit; that it is one that no common scale changes is seen below.
        unit = found[f"all_{way}"] / distances.mean()
        for kind, queries in queries_of.items():
            some = queries.any()
            exact[f"{kind}{way}"] = ranks[queries].mean() if some else np.nan
            apart = unit * to_strongest[queries].mean() if some else np.nan
            exact[f"{kind}apart_{way}"] = apart
    unseen = {"undefined", *EXACT, *(f"all_{way}" for way in far)}
    assert set(exact) == set(found.index) - unseen
    assert found[list(exact)].to_dict() == pytest.approx(exact, abs=1e-8, nan_ok=True)


TURN = np.linalg.qr(np.random.default_rng(0).normal(size=(HEAD_DIM, HEAD_DIM)))[0]


def turned(queries: list[np.ndarray], keys: list[np.ndarray]) -> None:
    for array in (*queries, *keys):
        array[...] = array @ TURN


def doubled(queries: list[np.ndarray], keys: list[np.ndarray]) -> None:
    for array in (*queries, *keys):
        array *= 2


def shifted(queries: list[np.ndarray], keys: list[np.ndarray]) -> None:
    for key in keys:
        key += np.arange(HEAD_DIM)


@pytest.mark.parametrize(
    ("change", "moved"),
    [(turned, "^$"), (doubled, "norm_difference"), (shifted, "_before|norm_difference")],
)
def test_neighbours_know_neither_axes_nor_unit_nor_where_the_keys_lie(
    measured, tmp_path, change, moved
):
    """Keys that were moved to the queries had no place of their own; attention has none either."""
    state = captured(tmp_path, LENGTHS, change)
    values = take(tmp_path / "out", geometry.MEASURES, state)
    before, after = measured.table.loc[["pretrained"]].drop(columns=EXACT), by_head(values)
    own = before.columns.str.contains(moved)
    kept = before.loc[:, ~own]
    np.testing.assert_allclose(after[kept.columns], kept, atol=1e-5)  # vectors are in float32
    for name in before.columns[own]:
        assert not np.allclose(after[name], before[name], equal_nan=True), name


def test_scales_are_those_of_all_texts(measured):
    vectors = measured.vectors("finetuned")
    values = measured.values.query("variant == 'finetuned' and subject == 'closed-form'")
    found = values.set_index(["layer", "head", "quantity"])["value"]

    def is_best(layer: int, head: int, places: list[tuple[int, int]]) -> None:
        expected = best_scale([pair for one in places for pair in translated(vectors, one)])
        measures = ["c", "correlation"]
        assert [found[layer, head, one] for one in measures] == pytest.approx(expected, abs=1e-6)

    for layer, head in PLACES:
        is_best(layer + 1, head + 1, [(layer, head)])
        is_best(layer + 1, 0, [place for place in PLACES if place[0] == layer])
    is_best(-1, 0, PLACES)


def test_every_text_and_head_has_values_and_what_must_not_change_does_not(measured):
    table, ids = measured.table, range(FIRST, FIRST + len(LENGTHS))
    assert set(table.index) == set(pd.MultiIndex.from_product([VARIANTS, ids, (1, 2), (1, 2)]))
    assert (table["undefined"] == 0).all()
    parted = table.columns.str.startswith(("special_", "ordinary_"))
    assert table.loc[:, ~parted].notna().all(axis=None)
    for check, largest in {"attention": 1e-6, "softmax": 1e-12, "dot": 1e-12}.items():
        assert 0 < table[check].max() < largest


def test_one_scale_for_the_model_costs_what_the_heads_lose(measured):
    for variant in VARIANTS:
        values = measured.values[measured.values["variant"] == variant]
        closed = values[
            (values["subject"] == "closed-form") & (values["quantity"] == "correlation")
        ]
        (of_model,) = closed.loc[closed["layer"] == -1, "value"]
        of_heads = closed.loc[closed["head"] > 0, "value"].mean()
        whole = values[(values["layer"] == -1) & (values["subject"] == "")].set_index("quantity")[
            "value"
        ]
        assert whole["joint_loss"] == pytest.approx(abs(of_heads) - abs(of_model), abs=1e-12)
        assert 0 < whole["plane_share"] < 1
        assert whole["searched"] == len(LENGTHS)


def test_no_choice_of_scale_beats_the_closed_form(measured):
    chosen = measured.values[measured.values["subject"].isin(CHOICES)]
    heads = chosen[chosen["head"] > 0].pivot(
        index=HEAD, columns=["quantity", "subject"], values="value"
    )
    assert len(heads) == len(VARIANTS) * LAYERS * HEADS
    correlation = heads["correlation"]
    assert set(correlation) == set(heads["c"]) == CHOICES
    assert set(heads["at_edge"]) == {"weighted"}
    assert correlation.ge(correlation["closed-form"] - 1e-12, axis=0).all(axis=None)
    assert set(chosen.loc[chosen["head"] == 0, "subject"]) == {"closed-form"}
    assert (heads["c", "centroid"] == 1).all()
    # The curves that are drawn pass through the point without scaling and above the optimum.
    for variant in VARIANTS:
        drawn = load_file(measured.directory / "shown" / "pairs" / f"{variant}.safetensors")
        own = correlation.loc[variant]
        curves = drawn["over_scales"].reshape(len(own), -1)
        assert (curves.min(axis=1) >= own["closed-form"] - 1e-6).all()
        unscaled = curves[:, np.isclose(drawn["c"], 1)]
        np.testing.assert_allclose(unscaled[:, 0], own["centroid"], atol=1e-6)


# --- one sentence ---------------------------------------------------------------------------------


class Sentence(NamedTuple):
    tokens: np.ndarray
    query: np.ndarray
    key: np.ndarray
    arrays: dict[str, np.ndarray]
    layers: pd.DataFrame
    directory: Path


def state_of(measured: Measured, text: int) -> State:
    state = measured.states[0]
    return State(state.variant, state.captured, state.model, only=(text,))


@pytest.fixture(scope="module")
def one(measured, tmp_path_factory) -> Sentence:
    state = state_of(measured, SHOWN)
    directory = tmp_path_factory.mktemp("sentence") / "out"
    values = take(directory, sentence.MEASURES, state)
    return Sentence(
        state.text(SHOWN).tokens["token"].to_numpy(),
        *measured.vectors("pretrained")[SHOWN - FIRST],
        load_file(directory / "shown" / "sentence" / "pretrained.safetensors"),
        values.pivot(index="layer", columns="quantity", values="value"),
        directory,
    )


def test_one_sentence_is_taken_three_ways(one):
    _, query, key, arrays, layers, directory = one
    grid = tiny.shown(directory, "sentence", "grid")
    dot = query @ key.swapaxes(-1, -2)
    assert list(layers.index) == [1, 2]
    np.testing.assert_allclose(arrays["dot_before"], dot, rtol=1e-5, atol=1e-5)
    # Cosine distances do not notice the scale but for its sign, which turns both around.
    moved = key + layers["a"].to_numpy()[:, None, None, None]
    ways = {"before": key, "seed": moved, "after": translate_keys(query, key)}
    for way, keys in ways.items():
        for place in PLACES:
            expected = cdist(query[place], keys[place], "cosine")
            np.testing.assert_allclose(arrays[f"cosine_{way}"][place], expected, atol=1e-6)
    expected = query @ moved.swapaxes(-1, -2)
    np.testing.assert_allclose(arrays["dot_seed"], expected, rtol=1e-5, atol=1e-5)
    assert len(grid) == LAYERS * 100
    best = grid[grid["layer"] == 1]["correlation"].abs().max()
    assert abs(layers["correlation"][1]) == pytest.approx(best, abs=1e-12)
    assert (layers["spread"] < 1e-12).all()
    assert (layers["scale_translate_spread"] > 1e-3).all()


def test_pairs_are_the_strongest_and_those_asked_for(one):
    tokens, query, key, arrays, _, directory = one
    pairs = tiny.shown(directory, "sentence", "pairs")
    asked = np.outer(tokens == PAIR["query"], np.isin(tokens, PAIR["keys"]))
    assert asked.any()
    strongest = (query @ key.swapaxes(-1, -2)).argmax(axis=-1)
    for layer, head in PLACES:
        rows = pairs[(pairs["layer"] == layer + 1) & (pairs["head"] == head + 1)]
        assert not rows.duplicated(["query", "key"]).any()
        found = set(rows.loc[rows["asked"], ["query", "key"]].itertuples(index=False, name=None))
        assert found == set(zip(*np.nonzero(asked), strict=True))
        first = rows[rows["strongest"]].sort_values("query")
        assert list(first["key"]) == list(strongest[layer, head])
        for way in WAYS:
            far = cdist(*(arrays[f"{kind}_{way}"][layer, head] for kind in ("query", "key")))
            expected = (far / far.mean())[rows["query"], rows["key"]]
            np.testing.assert_allclose(rows[f"distance_{way}"], expected, rtol=1e-4, atol=1e-6)
            assert (rows[f"distance_{way}"] > 0).all()
        weights = arrays["attention"][layer, head][rows["query"], rows["key"]]
        np.testing.assert_array_equal(rows["attention"], weights)
    assert (pairs["query_token"] == tokens[pairs["query"]]).all()
    assert (pairs["key_token"] == tokens[pairs["key"]]).all()


def test_no_pair_is_found_that_the_text_does_not_hold(measured, one, tmp_path):
    pair = {"query": "nowhere", "keys": ["was", "elsewhere"]}
    take(tmp_path, sentence.MEASURES, state_of(measured, SHOWN), pair=pair)
    pairs = tiny.shown(tmp_path, "sentence", "pairs")
    assert not pairs["asked"].any()
    assert len(pairs) == LAYERS * HEADS * len(one.tokens)


NONLINEAR = joint_maps.NONLINEAR

# --- maps -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def maps(measured) -> dict[tuple, np.ndarray]:
    frame = tiny.shown(measured.directory, "joint_maps", "maps")
    return {
        place: rows[["point", "x", "y", "norm"]].to_numpy(float)
        for place, rows in frame.groupby([*HEAD, "method"], sort=False)
    }


def test_points_are_the_queries_then_the_keys_of_the_first_texts(measured, maps):
    points = tiny.shown(measured.directory, "joint_maps", "points")
    before, points = (points[points["variant"] == variant] for variant in VARIANTS)
    assert before.drop(columns="variant").equals(points.drop(columns="variant"))
    state = measured.states[1]
    tokens = pd.concat([state.text(text).tokens for text in state.examples["id"][:2]])
    assert list(points["kind"]) == ["query"] * len(tokens) + ["key"] * len(tokens)
    for column in ("example_id", "position", "token", "is_special"):
        assert list(points[column]) == 2 * list(tokens[column])
    counts = state.capture.tokens["token"].value_counts()
    assert list(points["frequency"]) == list(counts[points["token"]])
    labels = state.examples.set_index("id")["label"]
    assert list(points["label"]) == list(labels[points["example_id"]])
    assert len(maps) == len(VARIANTS) * LAYERS * HEADS * len(joint_maps.LINEAR + NONLINEAR)
    for (variant, layer, head, _), rows in maps.items():
        assert list(rows[:, 0]) == list(range(len(points)))
        assert np.isfinite(rows).all()
        drawn = measured.drawn(variant)
        expected = [np.linalg.norm(kind[layer - 1, head - 1], axis=1) for kind in drawn]
        np.testing.assert_allclose(rows[:, 3], np.concatenate(expected), rtol=1e-6)


@pytest.mark.parametrize(
    ("method", "step"), [("pca_raw", "as_they_are"), ("pca_translated", "translated")]
)
def test_maps_by_pca_show_what_each_step_changes(measured, maps, method, step):
    """Distances on a map are those in the plane of the two largest principal components."""
    for layer, head in PLACES:
        place = maps[(VARIANTS[0], layer + 1, head + 1, method)][:, 1:3]
        plane = PCA(2).fit_transform(measured.brought(VARIANTS[0], (layer, head), step))
        np.testing.assert_allclose(cdist(place, place), cdist(plane, plane), atol=1e-4)


@pytest.mark.parametrize("method", ["pca", *NONLINEAR])
def test_tuned_maps_are_turned_onto_the_others_and_not_changed(measured, maps, method):
    trust = measured.values[(measured.values["measure"] == "joint_maps")]
    trust = trust[trust["subject"] == method].pivot(index=HEAD, columns="quantity", values="value")
    assert len(trust) == len(VARIANTS) * LAYERS * HEADS
    assert trust["shift"]["pretrained"].isna().all()
    assert trust["shift"]["finetuned"].between(0, 1).all()
    for layer, head in PLACES:
        place = (layer + 1, head + 1, method)
        first, second = (maps[(variant, *place)][:, 1:3] for variant in VARIANTS)
        # There is nothing left to turn.
        np.testing.assert_allclose(procrustes(second, first).rotation, np.eye(2), atol=1e-4)
        both = measured.brought("finetuned", (layer, head))
        if method == "pca":
            for found, variant in ((first, "pretrained"), (second, "finetuned")):
                plane = PCA(2).fit_transform(measured.brought(variant, (layer, head)))
                np.testing.assert_allclose(cdist(found, found), cdist(plane, plane), atol=1e-4)
        else:  # whose neighbours are by angle
            both = both / np.linalg.norm(both, axis=1, keepdims=True)
        # The figures were taken before the map was turned: neighbours are the same.
        found = trust.loc[("finetuned", layer + 1, head + 1)]
        for figure, pair in {
            "trustworthiness": (both, second),
            "continuity": (second, both),
        }.items():
            expected = manifold.trustworthiness(*pair, n_neighbors=5)
            assert found[figure] == pytest.approx(expected, abs=2e-4)


def test_lines_are_the_largest_weights_within_texts(measured):
    lines = tiny.shown(measured.directory, "joint_maps", "lines")
    points = tiny.shown(measured.directory, "joint_maps", "points").query("variant == 'pretrained'")
    assert (lines.groupby(HEAD).size() == 7).all()
    ends = [points.loc[lines[end]].reset_index(drop=True) for end in ("query", "key")]
    assert (ends[0]["kind"] == "query").all()
    assert (ends[1]["kind"] == "key").all()
    assert (ends[0]["example_id"] == ends[1]["example_id"]).all()
    for (variant, layer, head), rows in lines.groupby(HEAD):
        state = measured.states[VARIANTS.index(variant)]
        of_texts = {
            text: state.text(text)["attention"][layer - 1, head - 1]
            for text in state.examples["id"][:2]
        }
        every = np.sort(np.concatenate([weights.ravel() for weights in of_texts.values()]))[::-1]
        np.testing.assert_array_equal(rows["attention"], every[:7])
        for row in rows.itertuples():
            query, key = points.loc[row.query], points.loc[row.key]
            weights = of_texts[query["example_id"]]
            assert row.attention == weights[query["position"], key["position"]]


def test_only_what_is_asked_for_is_mapped_by_umap_and_tsne(measured, tmp_path):
    values = take(tmp_path, MAPPED, *measured.states, nonlinear=[])
    assert set(values[values["measure"] == "joint_maps"]["subject"]) == {*joint_maps.LINEAR}
    assert set(tiny.shown(tmp_path, "joint_maps", "maps")["method"]) == {*joint_maps.LINEAR}


# --- bad input ------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("error")
def test_short_texts_have_no_correlation_and_are_counted(tmp_path):
    state = captured(tmp_path, [1, 2, 12, 9])
    for text in state.examples["id"][:2]:  # the study's sentence may be any of them
        sentence_of = State(state.variant, state.captured, state.model, only=(int(text),))
        take(tmp_path / f"sentence-{text}", sentence.MEASURES, sentence_of)
    measures = geometry.MEASURES + joint_maps.MEASURES
    values = take(tmp_path / "out", measures, state, texts=4, nonlinear=[])
    table = by_head(values).droplevel("variant")
    alone, two, *long = state.examples["id"]
    assert table.loc[[alone, two], CORRELATIONS].isna().all(axis=None)
    assert table.loc[long, CORRELATIONS].notna().all(axis=None)
    undefined = table["undefined"].groupby("text").unique()
    assert [one.tolist() for one in undefined] == [[1], [2], [0], [0]]
    # A key alone has no neighbours; of two one is nearer.
    assert table.loc[[alone], [*RANKS, "offset_before"]].isna().all(axis=None)
    assert table.loc[[two], [*RANKS]].notna().all(axis=None)
    counts = averaged(values)["texts"]
    assert counts["correlation_after", 1] == 2
    assert counts["cosine_after", 1] == 3
    maps = tiny.shown(tmp_path / "out", "joint_maps", "maps")
    assert np.isfinite(maps[["x", "y"]]).all(axis=None)


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (2, r"the texts of reviews that geometry\.texts chooses have 2 tokens.*at least 3; choose"),
        ([0, 3], r"the texts of reviews that geometry\.texts chooses have 1 tokens.*at least 3"),
    ],
)
def test_texts_that_make_no_map_are_told_in_one_sentence(tmp_path, texts, said):
    state = captured(tmp_path, [1, 1, 12])
    with pytest.raises(InputError, match=said):
        take(tmp_path / "out", MAPPED, state, texts=texts)
    take(tmp_path / "more", MAPPED, state, texts=4, nonlinear=[])  # of which there are three


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("value", "kinds"), [(1.5, ("queries",)), (0, ("keys",)), (1.5, ("queries", "keys"))]
)
def test_vectors_that_are_all_the_same_are_counted_and_do_no_harm(tmp_path, value, kinds):
    lengths = [8, 12]
    state = captured(tmp_path, lengths, constant(value, kinds, slice(1)))
    measures = (*geometry.MEASURES, *joint_maps.MEASURES, *sentence.MEASURES)
    values = take(tmp_path / "out", measures, state, nonlinear=[])
    first, rest = (by_head(values).xs(layer, level="layer") for layer in (1, 2))
    one_query = kinds == ("queries",)  # many times, which has an order of keys
    if one_query:
        assert (first["undefined"] == 0).all()
    else:
        assert first["correlation_after"].isna().all()
        undefined = first["undefined"].groupby("text").unique()
        assert [one.tolist() for one in undefined] == [[length] for length in lengths]
    # Dot products that are all the same have no deviation for their mean to be measured in.
    assert first["offset_before"].isna().all() == (not one_query)
    assert rest.notna().all(axis=None)
    assert (rest["undefined"] == 0).all()
    pairs = tiny.shown(tmp_path / "out", "sentence", "pairs")
    second = pairs[pairs["layer"] == 2].filter(like="distance_")
    assert (second > 0).all(axis=None)
    assert len(second.columns) == 3
    maps = tiny.shown(tmp_path / "out", "joint_maps", "maps")
    assert np.isfinite(maps[["x", "y", "norm"]]).all(axis=None)
    if len(kinds) == 2:  # one place for all
        np.testing.assert_allclose(maps.loc[maps["layer"] == 1, ["x", "y"]], 0, atol=1e-6)


def test_vectors_without_a_direction_have_no_map_by_cosine(tmp_path):
    state = captured(tmp_path, [8, 12], constant(0, ("queries",), slice(1)))
    message = r"head 1 of layer 1 of reviews \(pretrained\) .* set geometry\.metric: euclidean"
    with pytest.raises(InputError, match=message):
        take(tmp_path / "out", MAPPED, state, metric="cosine")
    values = take(tmp_path / "plain", MAPPED, state, metric="euclidean", nonlinear="all")
    every = {*joint_maps.LINEAR, *NONLINEAR}
    assert set(values[values["measure"] == "joint_maps"]["subject"]) == every
    maps = tiny.shown(tmp_path / "plain", "joint_maps", "maps")
    assert np.isfinite(maps[["x", "y"]]).all(axis=None)
