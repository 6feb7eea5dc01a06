"""The hash of a measure changes with what it computes, and with nothing else."""

from pathlib import Path

import pytest

from analysis.paths import ROOT
from analysis.pipeline import provenance, source_code
from analysis.pipeline.source_code import without_comments, without_names
from attention_mixing.measures import STAGES, measures

EVERY = [measure for stage in STAGES for measure in measures(stage)]
LIBRARY = ROOT / "attention_mixing"


def forget() -> None:
    for cached in (provenance._hashed, source_code.imported, source_code.tree):
        cached.cache_clear()


# What reads the catalogue of attributions, of which one file has all entries.
OF_MATRICES = {
    *("mixing", "propagation", "value_zeroing", "two_streams", "shown_pair", "rows"),
    *("rows_of_target", "matrices", "faithfulness"),
}


def codes() -> dict[str, str]:
    """Hashes of all measures, of the files as they are now."""
    forget()
    return {measure.name: provenance.code(measure) for measure in EVERY}


@pytest.fixture(scope="module")
def before() -> dict[str, str]:
    return codes()


@pytest.fixture
def changed(before, monkeypatch):
    """Return a function that edits a file for whoever reads it, and says which hashes change."""
    read = Path.read_text

    def edit(file: str, old: str, new: str) -> set[str]:
        path = LIBRARY / file
        assert old in read(path)

        def edited(self, *args, **kwargs):
            text = read(self, *args, **kwargs)
            return text.replace(old, new) if self == path else text

        monkeypatch.setattr(Path, "read_text", edited)
        after = codes()
        return {name for name in before if after[name] != before[name]}

    yield edit
    monkeypatch.undo()
    forget()


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("methods/attention.py", "weights must be finite, >= 0", "weights have to be finite"),
        ("attributions/through.py", "but the model has", "and the model only has"),
        ("measures/attention.py", '"""Weight on a key', '"""Attention to a key'),
        ("settings/measures.py", "min_length=1, strict=False", "min_length=2, strict=False"),
        ("workers.py", "SECONDS = 5", "SECONDS = 9"),
        ("measures/engine/runner.py", "CHUNK = 4", "CHUNK = 5"),
        ("models/config.py", '"n_layers"', '"nn_layers"'),
        ("measures/alti_logit.py", "defined=predicts,", "first_seed=True,"),
    ],
)
def test_what_computes_nothing_leaves_every_hash(changed, file, old, new):
    assert changed(file, old, new) == set()


@pytest.mark.parametrize(
    ("file", "old", "new", "measured"),
    [
        ("methods/value_zeroing.py", "axis=-1", "axis=-2", OF_MATRICES),
        ("methods/change.py", "axis=-1", "axis=-2", {"change", "weight_change", "clusters"}),
        (
            "measures/geometry.py",
            "np.geomspace(0.5, 2, 9)",
            "np.geomspace(0.5, 2, 8)",
            {
                *("centroids", "pairs", "geometry", "scale_order", "scale_choices"),
                *("joint_maps", "sentence"),
            },
        ),
        (
            "capture/gradients.py",
            "steps",
            "stairs",
            {"relevance", "faithfulness", "target_gradients"},
        ),
        ("capture/reduce.py", "batch_size", "size", {"heads", "clusters"}),
        (
            "models/token_ablation.py",
            "np.delete(rows",
            "np.insert(rows",
            {"faithfulness", "removal"},
        ),
        ("models/head_ablation.py", "batch_size", "size", {"head_ablation"}),
        (
            "models/feed_forward.py",
            "POINTS = 48",
            "POINTS = 24",
            {
                *OF_MATRICES,
                *("token_moments", "identity", "rank_collapse"),
                *("massive_activations", "change", "weight_change"),
                # By measures/model, which loads as capture/network does.
                *("relevance", "removal", "head_ablation", "target_gradients"),
            },
        ),
    ],
)
def test_what_computes_changes_the_hashes_of_those_that_use_it(changed, file, old, new, measured):
    assert changed(file, old, new) == measured


def test_where_in_the_project_a_name_is_imported_from_says_nothing():
    source = (
        "import numpy as np\n"
        "from attention_mixing.methods.a import (\n    half,\n)\n"
        "if TYPE_CHECKING:\n    from attention_mixing.models.a import Model\n"
        "double = np.add(half, half)\n"
    )
    moved = source.replace(".a import", ".b.c import").replace("(\n    half,\n)", "half")
    assert without_comments(without_names(source)) == without_comments(without_names(moved))
    other = source.replace("import numpy", "import cupy")
    assert without_comments(without_names(source)) != without_comments(without_names(other))


def test_a_raise_says_nothing_and_a_table_of_measures_is_left_out():
    source = (
        "def half(x):\n"
        "    if x < 0:\n"
        "        raise ValueError(\n"
        '            f"日本 {x}"\n'
        "        ) from None\n"
        "    try:\n"
        "        return x / 2\n"
        "    except TypeError:\n"
        "        raise\n"
        "MEASURES = (\n"
        '    Measure("half", half),\n'
        ")\n"
        "LAST = 1\n"
    )
    lines = [line.rstrip() for line in without_names(source).split("\n") if line.strip()]
    assert lines == [
        *("def half(x):", "    if x < 0:", "        raise", "    try:", "        return x / 2"),
        *("    except TypeError:", "        raise", "LAST = 1"),
    ]
