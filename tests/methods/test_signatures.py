"""What does not match the shapes, types and names of a signature is refused by it."""

import numpy as np
import pytest
from jaxtyping import TypeCheckError
from random_layers import layer

from analysis.methods import (
    answers,
    attention,
    attention_maps,
    attentionviz,
    bootstrap,
    calibration,
    change,
    faithfulness,
    flow,
    head_distances,
    heads,
    identity,
    mixing,
    projection,
    published_arithmetic,
    relevance,
    rollout,
    scaled_dot_product,
    separation,
    trust,
)

RESAMPLED = {"resamples": 5, "confidence": 0.95, "seed": 0}
RANKS, OTHER_RANKS = (np.tile(np.arange(tokens), (tokens, 1)) for tokens in (10, 11))
PLANE_OF_3_AXES = attentionviz.Plane(np.ones(8), np.ones((8, 3)), np.ones(2))


def ones(*shape):
    return np.ones(shape)


@pytest.mark.parametrize(
    "call",
    [
        lambda: answers.max_context(np.array([0, 3])),
        *(
            lambda of=shape: attention.head_mean(ones(*of) / of[-1])
            for shape in ((1, 2, 3), (2, 2), (1, 1, 1, 1, 1))
        ),
        lambda: attention.row_scores(np.eye(2), "mean"),
        lambda: attention_maps.largest_weight_kinds(np.eye(5), np.ones(2, bool)),
        lambda: attention_maps.later_weight(ones(2, 3)),
        lambda: attention_maps.mirrored_weight(ones(2, 3)),
        lambda: attentionviz.pair_moments(ones(3, 4, 8), ones(3, 3, 8)),
        lambda: attentionviz.scaled(ones(3, 4, 8), ones(3, 4, 8), ones(2)),
        lambda: attentionviz.project(ones(4, 8), PLANE_OF_3_AXES),
        lambda: bootstrap.paired_difference(ones(3), ones(4), **RESAMPLED),
        lambda: calibration.reliability(ones(2), np.ones(3, bool)),
        lambda: change.jensen_shannon(ones(2, 2), ones(2, 3)),
        lambda: change.relative_change(ones(2, 2), ones(2, 3)),
        lambda: change.cosine_distance(ones(2, 2), ones(2, 3)),
        lambda: faithfulness.rank_correlation(ones(3), ones(4)),
        lambda: flow.attention_flow(ones(1, 2, 3)),
        *(lambda of=shape: heads.resized(ones(*of), 4) for shape in ((3,), (2, 3))),
        lambda: head_distances.classical_mds(ones(2, 3)),
        lambda: head_distances.jensen_shannon_distances([ones(3)], queries=9),
        lambda: heads.descriptors(np.eye(3), cls=np.ones(4, bool)),
        lambda: heads.descriptors(np.eye(3), sep=np.array([2])),
        lambda: heads.kept_within(np.eye(3), np.ones(2, bool)),
        lambda: identity.self_similarity(ones(2, 3), ones(3, 2)),
        lambda: identity.identified(ones(4, 2, 3), ones(4, 3)),
        lambda: identity.Moments().add(ones(2, 3), ones(3, 3)),
        *(
            lambda change=change: mixing.AttentionBlock(**layer() | change)
            for change in (
                {"attention": ones(3, 7, 6)},
                {"attention": ones(2, 7, 7)},
                {"transformed": ones(3, 7)},
                {"inputs": ones(8, 7)},
                {"output_bias": ones(7)},
                {"layer_norm": (ones(7), 1e-12)},
            )
        ),
        lambda: mixing.transformed_values(ones(2, 3, 4), ones(9, 8)),
        lambda: projection.distances(ones(3), "euclidean"),
        lambda: published_arithmetic.dense_rank_correlation(ones(1, 3), ones(1, 4)),
        lambda: relevance.gradient_weighted(ones(1, 1, 1, 1), ones(1, 1, 3, 3)),
        lambda: rollout.with_residual(ones(2, 2, 3, 3) / 3, np.full(3, 0.5)),
        lambda: scaled_dot_product.scaled_scores(ones(5, 4), ones(5, 5)),
        lambda: separation.silhouettes(ones(3, 1), np.zeros(2, int), "euclidean"),
        lambda: trust.trustworthiness(RANKS, OTHER_RANKS, 3),
        lambda: trust.continuity(RANKS, OTHER_RANKS, 3),
        lambda: trust.neighbour_overlap(RANKS, OTHER_RANKS, 3),
    ],
)
def test_what_does_not_match_is_refused(call):
    with pytest.raises(TypeCheckError):
        call()
