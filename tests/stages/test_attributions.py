"""Tables that stages hand to stages: written a text at a time, read whole, checked."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from analysis.errors import InputError
from analysis.stages.attributions import RATIOS, SCHEMA, Attribution, of_layers, read, writing

TEXTS = pd.DataFrame({"id": [3, 8], "tokens": [4, 2]})


def matrices(tokens: int, layers: int = 3) -> np.ndarray:
    return np.random.default_rng(tokens).dirichlet(np.ones(tokens), size=(layers, tokens))


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "scores.parquet"
    with writing(path) as scores:
        for variant in ("pretrained", "finetuned"):
            for text in TEXTS.itertuples():
                scores.add(variant, text.id, of_layers("rollout", matrices(text.tokens)))
        scores.add("finetuned", 8, [Attribution("gradient", "input", 3, np.ones(2), target=1)])
    return path


def test_what_is_written_is_read(path):
    table = read(path, TEXTS)
    assert list(table.columns) == SCHEMA.names
    assert len(table) == 2 * 2 * 3 * 2 + 1
    for text in TEXTS.itertuples():
        expected = matrices(text.tokens)
        rows = table[(table["variant"] == "finetuned") & (table["example_id"] == text.id)]
        rows = rows[rows["method"] == "rollout"]
        assert rows["layer"].tolist() == [1, 1, 2, 2, 3, 3]
        assert set(rows["first"]) == {1}
        assert rows["target"].isna().all()
        for row in rows.itertuples():
            matrix = expected[row.layer - 1]
            scores = matrix[0] if row.rows == "cls" else matrix.max(axis=0)
            np.testing.assert_array_equal(row.scores, scores.astype(np.float32))
    last = table.iloc[-1]
    assert (last["method"], last["target"], last["layer"], last["first"]) == ("gradient", 1, 3, 1)


def test_scores_of_one_layer_begin_where_they_end():
    rows = list(of_layers("raw", matrices(4), single=True, target=0))
    assert [(row.first, row.layer) for row in rows] == [(n, n) for n in (1, 1, 2, 2, 3, 3)]
    assert {row.target for row in rows} == {0}
    assert {row.scores.dtype for row in rows} == {np.dtype(np.float32)}


def test_every_text_is_a_row_group_of_its_own(path):
    """So memory holds one text while a table is written, however many there are."""
    file = pq.ParquetFile(path)
    assert file.num_row_groups == 5
    groups = [file.read_row_group(n, ["example_id"])["example_id"] for n in range(5)]
    assert [set(group.to_pylist()) for group in groups] == [{3}, {8}, {3}, {8}, {8}]


def test_texts_are_written_when_they_are_added(tmp_path):
    path = tmp_path / "scores.parquet"
    with writing(path) as scores:
        sizes = []
        for text in range(4):
            scores.add("pretrained", text, of_layers("rollout", matrices(40, layers=12)))
            sizes.append(path.stat().st_size)
    assert sizes == sorted(set(sizes))


def test_a_table_without_texts_can_be_read(tmp_path):
    with writing(tmp_path / "empty.parquet"):
        pass
    table = read(tmp_path / "empty.parquet", TEXTS[:0])
    assert table.empty
    assert list(table.columns) == SCHEMA.names


def test_some_of_the_texts_are_enough(path):
    pd.testing.assert_frame_equal(read(path, TEXTS[1:]), read(path, TEXTS))


@pytest.mark.parametrize(
    "texts",
    [
        pd.DataFrame({"id": [3, 8, 9], "tokens": [4, 2, 2]}),
        pd.DataFrame({"id": [3, 8], "tokens": [4, 3]}),
    ],
    ids=["one more", "a longer one"],
)
def test_other_texts_are_told(path, texts):
    with pytest.raises(InputError, match=r"scores\.parquet is not of the texts .* `dvc repro`"):
        read(path, texts)


def test_another_table_is_told(path, tmp_path):
    with pytest.raises(InputError, match=r"scores\.parquet is missing, corrupted or another"):
        read(path, TEXTS, RATIOS)
    with pytest.raises(InputError, match=r"absent\.parquet is missing, corrupted or another"):
        read(tmp_path / "absent.parquet", TEXTS)


def test_measured_ratios_are_read_the_same_way(tmp_path):
    rows = [
        {"variant": "pretrained", "example_id": text.id, "layer": 1, "ratio": [0.5] * text.tokens}
        for text in TEXTS.itertuples()
    ]
    pq.write_table(pa.Table.from_pylist(rows, RATIOS), tmp_path / "ratios.parquet")
    table = read(tmp_path / "ratios.parquet", TEXTS, RATIOS)
    assert [len(ratio) for ratio in table["ratio"]] == [4, 2]
