"""Compiled functions where nothing can be kept: an installation and a home that are read-only."""

import os
import subprocess
import sys

import pytest

# What a path below a file cannot be for anybody, also for root.
READ_ONLY = {
    "HOME": os.devnull,
    "XDG_CACHE_HOME": os.devnull,
    "NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator,UserWideCacheLocator",
}
BLOCKS = """
import numpy as np
import attention_mixing.methods.maximum_flow
from attention_mixing.methods.contiguous_blocks import best_splits

rows = np.full((1, 4, 4), 0.25)
print(best_splits(rows, rows.mean(axis=1)).item())
"""
MAP = """
import numpy as np
from attention_mixing.methods.projection import umap_map

features = np.random.default_rng(0).normal(size=(12, 3))
layout = umap_map(features, metric="euclidean", neighbors=5, min_dist=0.1, seed=0)
print(layout.shape)
"""
# After compile_all: every way that a function is called by texts of a run.
ALL = """
import os
from pathlib import Path

import numpy as np
from attention_mixing.methods.precompile import compile_all
from attention_mixing.methods.flow import attention_flow
from attention_mixing.methods.head_descriptors import descriptors
from attention_mixing.methods.projection import umap_map

kept = Path(os.environ["NUMBA_CACHE_DIR"])

compile_all()
before = sorted(kept.rglob("*.nbc"))
for layers, sources in (("last", None), ("all", None), ("last", np.array([1])), ("all", [0, 2])):
    sources = sources if sources is None else np.asarray(sources, np.int32)
    attention_flow(np.full((3, 5, 5), 0.2, np.float32), sources=sources, layers=layers)
features = np.cos(np.arange(320, dtype=np.float32)).reshape(40, 8)
umap_map(features, metric="cosine", neighbors=9, min_dist=0.4, seed=1)
descriptors(np.full((2, 3, 6, 6), 1 / 6, np.float32), np.ones((6, 6), bool))
print(len(before) > 40, sorted(kept.rglob("*.nbc")) == before)
"""


def ran(code, scratch):
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    environment |= READ_ONLY | {"TMPDIR": str(scratch)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_functions_are_compiled_where_they_cannot_be_kept(tmp_path):
    assert ran(BLOCKS, tmp_path) == "0.0"  # uniform rows have no blocks


@pytest.mark.slow
def test_maps_are_drawn_where_umap_cannot_keep_its_functions(tmp_path):
    assert ran(MAP, tmp_path) == "(12, 2)"
    assert not list(tmp_path.glob("numba-*"))


@pytest.mark.slow
def test_what_is_compiled_once_is_compiled_no_more(tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", ALL]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.stdout.strip() == "True True", done.stderr


def test_other_faults_of_the_cache_are_told():
    command = [sys.executable, "-c", BLOCKS]
    environment = os.environ | {"NUMBA_CACHE_LOCATOR_CLASSES": "NoSuchLocator"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert "Unknown cache locator class: 'NoSuchLocator'" in done.stderr
