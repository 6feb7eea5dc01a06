"""Compile what numba compiles when an environment is made: ``python -m ...methods.precompile``.

Else each of several processes that begin together does so by itself, in half a minute.
"""

import numpy as np

from attention_mixing.methods.flow import attention_flow
from attention_mixing.methods.head_descriptors import descriptors
from attention_mixing.methods.projection import umap_map


def compile_all() -> None:
    """Compile what flow, maps and descriptors of heads need; it is kept on disk."""
    features = np.random.default_rng(0).normal(size=(16, 4))
    umap_map(features, metric="cosine", neighbors=4, min_dist=0.1, seed=0)
    uniform = np.full((2, 4, 4), 1 / 4)
    attention_flow(uniform)
    descriptors(uniform)


if __name__ == "__main__":
    compile_all()
