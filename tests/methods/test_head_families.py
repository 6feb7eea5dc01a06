"""Rules of the families: by hand, and on maps that were made to belong to one."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, confusion_matrix, f1_score
from sklearn.preprocessing import StandardScaler
from synthetic_heads import synthetic_heads

from attention_mixing.methods.clustering import cluster
from attention_mixing.methods.head_descriptors import DESCRIPTORS, SHAPE, descriptors
from attention_mixing.methods.head_families import FAMILIES, ROLES, family, roles

NOISE = 0.2
LENGTHS = (16, 32, 64, 128)


def given(**values):
    return [values.get(name, 0.0) for name in DESCRIPTORS]


@pytest.fixture(scope="module")
def planted():
    """Descriptors and families of 40 maps of each family and length."""
    found, names = [], []
    for tokens in LENGTHS:
        for name in FAMILIES:
            found.append(descriptors(synthetic_heads(name, tokens, 40, NOISE, seed=0)))
            names += [name] * 40
    return np.concatenate(found), np.array(names)


def test_rules_find_the_planted_families(planted):
    found, names = planted
    labels = family(found)
    assert f1_score(names, labels, average="macro") >= 0.95, confusion_matrix(names, labels)


@pytest.mark.parametrize("method", ["kmeans", "agglomerative"])
def test_clusters_are_the_planted_families(planted, method):
    found, names = planted
    shape = StandardScaler().fit_transform(found[:, [DESCRIPTORS.index(name) for name in SHAPE]])
    assert adjusted_rand_score(names, cluster(shape, method, len(FAMILIES))) >= 0.9


def test_family_by_hand():
    cases = {
        "vertical": [given(vertical=0.5), given(vertical=0.8, diagonal=0.14, block=0.1)],
        "diagonal": [given(diagonal=0.5, vertical=-0.2), given(diagonal=0.4, vertical=0.12)],
        "vertical+diagonal": [
            given(vertical=0.25, diagonal=0.25),
            given(vertical=0.8, diagonal=0.15),
        ],
        "block": [given(block=0.15), given(block=0.4, diagonal=0.2, vertical=0.35)],
        "heterogeneous": [
            given(),
            given(vertical=0.49),
            given(vertical=0.3, diagonal=0.19, block=0.2),
            given(diagonal=0.49),
            given(vertical=0.49, diagonal=-0.2),
            given(cls=0.9, entropy=4.0),
        ],
    }  # fmt: skip
    for name, rows in cases.items():
        assert family(np.array(rows)).tolist() == [name] * len(rows)
    assert family(np.zeros((6, 12, len(DESCRIPTORS)))).shape == (6, 12)


def test_the_more_a_pattern_has_to_hold_the_more_maps_have_none():
    rows = np.array([given(vertical=held) for held in (0.3, 0.45, 0.55, 0.7)])
    counts = [(family(rows, asked) == "heterogeneous").sum() for asked in (0.4, 0.5, 0.6)]
    assert counts == [1, 2, 3]


def test_roles_by_hand():
    assert ROLES == ("broad", "broad_relative", "previous", "next", "cls", "sep", "punctuation")
    above = {"previous": 0.51, "next": 0.51, "cls": 0.61, "sep": 0.61, "punctuation": 0.61}
    at = {"previous": 0.5, "next": 0.5, "cls": 0.6, "sep": 0.6, "punctuation": 0.6}
    rows = [
        given(entropy=3.81, relative_entropy=0.79, **above),
        given(entropy=3.8, relative_entropy=0.78, **at),
        given(next=0.7, self=0.9, special=1.0),
    ]
    alone = [role == "next" for role in ROLES]
    np.testing.assert_array_equal(roles(np.array(rows)), [[True] * 7, [False] * 7, alone])


@pytest.mark.parametrize("function", [family, roles])
def test_a_descriptor_that_is_not_finite_is_refused(function):
    with pytest.raises(ValueError, match="a descriptor is not finite"):
        function(np.array([given(self=np.nan)]))
