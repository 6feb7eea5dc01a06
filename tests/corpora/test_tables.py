"""Local files: what is read, how it is split, and one sentence for everything that is wrong."""

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from data_sections import FILES
from hypothesis import example, given, settings
from hypothesis import strategies as st
from refusals import refused

from attention_mixing import corpora
from attention_mixing.corpora import local_files
from attention_mixing.settings.sources import FilesData

ODD_TEXTS = [
    "<br />HTML & entities &amp;",
    "$\\frac{a}{b}$ {{< include x.qmd >}} ```{r}```",
    ' "quoted", with commas\r\nand line ends\n',
    "NA",
    "null",
    "12",
    "  outer blanks  ",
    "1,5 stars, no more",
    'a\ttab "quoted"',
    "日本語 русский \u2028 e\u0301",
]

pytestmark = pytest.mark.usefixtures("here")


def section(train="train.csv", test="test.csv", label="label", limits=(None, None), **more):
    given = {"train": train and str(train), "test": str(test), "label": label}
    given["limits"] = dict(zip(("train", "test"), limits, strict=True))
    return FilesData(**(FILES | given | more))


def write(name, frame):
    match Path(name).suffix:
        case ".parquet":
            frame.to_parquet(name, index=False)
        case ".csv":
            frame.to_csv(name, index=False)
        case ".tsv":
            frame.to_csv(name, index=False, sep="\t")
        case ".jsonl":
            frame.to_json(name, orient="records", lines=True)


def frame(labels, prefix="text"):
    return pd.DataFrame({"text": [f"{prefix} {i}" for i in range(len(labels))], "label": labels})


@pytest.fixture(params=[".parquet", ".csv", ".tsv", ".jsonl"])
def suffix(request):
    return request.param


def written(train, test, suffix=".csv", **more):
    write(f"train{suffix}", train)
    write(f"test{suffix}", test)
    return section(f"train{suffix}", f"test{suffix}", **more)


def load_frames(*frames, task="classification", **more):
    return corpora.load(written(*frames, **more), task)


def message(*frames, **more):
    return refused(written(*frames, **more))


def texts_of(path):
    """Texts of one file without labels."""
    return corpora.load(section(None, path, None), "none").examples["text"].tolist()


# --- what is read ---------------------------------------------------------------------------------


@settings(max_examples=20, deadline=None)
@given(texts=st.lists(st.text().filter(str.strip), min_size=1))
@example(texts=ODD_TEXTS)
@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".tsv", ".jsonl"])
def test_any_text_survives(tmp_path_factory, suffix, texts):
    path = tmp_path_factory.mktemp("any") / f"test{suffix}"
    # pandas writes a lone carriage return without quotes, which is not a row of one field.
    if suffix in (".csv", ".tsv"):
        texts = [text.replace("\r", "\n") for text in texts]
    texts = [text for text in texts if text.strip()]
    write(path, pd.DataFrame({"text": texts, "other": 1.5}))
    assert texts_of(path) == texts


@pytest.mark.parametrize(
    ("labels", "names", "codes"),
    [
        ([0, 1, 1, 0], ("0", "1"), [0, 1, 1, 0]),
        ([2, 0, 1, 2, 0, 1], ("0", "1", "2"), [2, 0, 1, 2, 0, 1]),
        ([True, False, False, True], ("false", "true"), [1, 0, 0, 1]),
        (["pos", "neg", "neg", "pos"], ("neg", "pos"), [1, 0, 0, 1]),
        (["b", "10", "9", "b", "10", "9"], ("10", "9", "b"), [2, 0, 1, 2, 0, 1]),
    ],
)
def test_labels_become_codes(suffix, labels, names, codes):
    train, test = frame(labels), frame(labels, "test")
    corpus = load_frames(train, test, suffix=suffix)
    assert corpus.label_names == names
    read = corpus.examples.set_index("text")["label"].to_dict()
    assert read == dict(zip([*train["text"], *test["text"]], [*codes, *codes], strict=True))


@pytest.mark.parametrize(
    "labels",
    [
        ["0", "1", "01"],
        ["000", "001", "00"],
        ["+1", "-1"],
        ["+1", "1"],
        ["True", "true", "False"],
        ["true", "False"],
        ["0", "1", "true"],
        ["01", "0.5"],
        [" 0", "0"],
        ["1e", "e1"],
        ["\u0661", "1"],  # a digit of Arabic script
    ],
)
def test_labels_that_are_written_differently_are_different_classes(suffix, labels):
    rows = [*labels, *labels]
    corpus = load_frames(frame(rows), frame(rows, "test"), suffix=suffix)
    assert corpus.label_names == tuple(sorted(labels))
    label = corpus.examples.set_index("text")["label"]
    found = [corpus.label_names[label[f"test {row}"]] for row in range(len(rows))]
    assert found == rows


@pytest.mark.parametrize("true, false", [("true", "false"), ("True", "False"), ("TRUE", "FALSE")])
def test_booleans_of_csv_are_those_of_parquet_however_they_are_written(true, false):
    rows = [true, false, false, true]
    assert load_frames(frame(rows), frame(rows, "test")).label_names == ("false", "true")


def test_one_way_to_read_labels_holds_of_both_files():
    train, test = frame(["0", "1", "01"] * 2), frame(["0", "1"], "test")
    assert load_frames(train, test).label_names == ("0", "01", "1")
    train, test = frame(["True", "False"] * 2), frame(["true", "false"], "test")
    assert "row 1: the label 'true' does not occur in data.train" in message(train, test)
    train, test = frame(["0", "1"] * 2), frame(["0", "1"], "test")
    write("train.csv", train)
    write("test.parquet", test)
    mixed = section("train.csv", "test.parquet")
    assert corpora.load(mixed, "classification").label_names == ("0", "1")


@pytest.mark.parametrize("words", [["True", "False"], ["7", "9"]])
def test_words_that_come_next_are_as_they_are_written(suffix, words):
    given = frame(words * 2), frame(words * 2, "test")
    corpus = load_frames(*given, suffix=suffix, task="language_modelling")
    assert corpus.label_names == tuple(sorted(words))
    assert set(corpus.examples["continuation"]) == set(words)


def test_a_byte_order_mark_is_not_part_of_the_header():
    Path("test.csv").write_bytes(b"\xef\xbb\xbftext\none\n")
    assert texts_of("test.csv") == ["one"]


def test_a_csv_text_may_be_a_book():
    book = "word " * 100_000
    write("test.csv", pd.DataFrame({"text": [book]}))
    assert texts_of("test.csv") == [book]


def test_without_a_task_only_the_test_file_is_needed_and_its_order_is_kept():
    texts = [f"text {i}" for i in range(20)]
    write("test.csv", pd.DataFrame({"text": texts}))
    corpus = corpora.load(section(None, label=None), "none")
    assert corpus.examples["text"].tolist() == texts
    assert set(corpus.examples["split"]) == {"test"}
    assert corpus.examples["label"].isna().all()
    assert corpus.label_names == ()
    drawn = corpora.load(section(None, label=None, limits=(None, 5)), "none")
    kept = [texts.index(text) for text in drawn.examples["text"]]
    assert len(kept) == 5
    assert kept == sorted(kept)


def test_origin_tells_file_size_hash_and_repeated_texts(tmp_path):
    train = pd.DataFrame({"text": ["a", "a", "b", "c", "c", "c"], "label": [0, 1, 0, 1, 0, 1]})
    test = pd.DataFrame({"text": ["c", "b", "d", "d"], "label": [0, 1, 0, 1]})
    corpus = load_frames(train, test)
    raw = (tmp_path / "train.csv").read_bytes()
    assert corpus.origin["train"] == "train.csv"
    assert corpus.origin["train_bytes"] == str(len(raw))
    assert corpus.origin["train_sha256"] == hashlib.sha256(raw).hexdigest()
    assert corpus.origin["duplicates"] == "4"
    assert corpus.origin["shared_between_splits"] == "2"
    assert len(corpus.examples) == len(train) + len(test)


# --- how it is split ------------------------------------------------------------------------------


def test_validation_comes_from_train_in_the_proportions_of_the_labels():
    train, test = frame([0] * 80 + [1] * 40), frame([0] * 90 + [1] * 30, "test")
    corpus = load_frames(train, test)
    examples = corpus.examples
    parts = {name: part for name, part in examples.groupby("split")}
    assert parts["validation"]["label"].value_counts().to_dict() == {0: 20, 1: 10}
    assert set(parts["train"]["text"]) | set(parts["validation"]["text"]) == set(train["text"])
    assert set(parts["test"]["text"]) == set(test["text"])
    assert examples["text"].is_unique
    assert examples["split"].drop_duplicates().tolist() == ["train", "validation", "test"]
    assert examples["id"].tolist() == list(range(240))
    for part in parts.values():  # shuffled: the classes do not stand in blocks
        assert (part["label"].diff().abs() == 1).sum() > 2


def test_one_file_is_split_in_three_by_class():
    write("train.csv", frame([0] * 80 + [1] * 40))
    data = section().model_copy(update={"test": None, "test_fraction": 0.25})
    corpus = corpora.load(data, "classification")
    counts = corpus.examples.groupby(["split", "label"]).size().to_dict()
    assert counts == {
        ("test", 0): 20,
        ("test", 1): 10,
        ("train", 0): 45,
        ("train", 1): 22,
        ("validation", 0): 15,
        ("validation", 1): 8,
    }
    assert corpus.examples["text"].is_unique
    assert corpus.first_tenth == (12, 0)
    assert "test" not in corpus.origin


@pytest.mark.parametrize(
    ("fraction", "counts"), [(0.05, (1, 1, 1)), (0.25, (1, 1, 2)), (0.95, (1, 3, 7))]
)
def test_a_class_of_few_texts_has_one_at_least_on_either_side(fraction, counts):
    labels = [0] * 2 + [1] * 4 + [2] * 8
    examples = load_frames(frame(labels), frame([0, 1, 2]), validation_fraction=fraction).examples
    held_out = examples[examples["split"] == "validation"]
    assert held_out["label"].value_counts().to_dict() == dict(enumerate(counts))


def test_the_first_tenth_of_the_test_file_is_counted_as_it_comes():
    """Before it is shuffled and cut: a file that is sorted by class has one class there."""
    for labels, counts in (([0] * 20 + [1] * 20, (4, 0)), ([1, 0] * 20, (2, 2))):
        corpus = load_frames(frame([0, 1] * 2), frame(labels), limits=(None, 6))
        assert corpus.first_tenth == counts
    assert load_frames(frame([0, 1] * 2), frame([0, 1])).first_tenth == (0, 0)


def test_a_seed_repeats_and_another_seed_differs():
    train, test = frame([0, 1] * 50), frame([0, 1] * 20, "test")
    first, again, other = (
        load_frames(train, test, limits=(50, 10), seed=seed).examples for seed in (0, 0, 1)
    )
    pd.testing.assert_frame_equal(first, again)
    assert first["text"].tolist() != other["text"].tolist()


def test_the_test_texts_do_not_depend_on_the_train_file():
    test = frame([0, 1] * 20, "test")
    drawn = [
        load_frames(frame([0, 1] * size), test, limits=(limit, 10)).examples
        for size, limit in ((10, None), (50, 30))
    ]
    few, many = (part.loc[part["split"] == "test", "text"].tolist() for part in drawn)
    assert few == many


@settings(max_examples=25, deadline=None)
@given(
    counts=st.lists(st.integers(2, 60), min_size=2, max_size=5),
    share=st.floats(0, 1),
    seed=st.integers(0, 5),
)
def test_limits_keep_proportions(tmp_path_factory, counts, share, seed):
    path = tmp_path_factory.mktemp("limits") / "test.csv"
    labels = np.repeat(np.arange(len(counts)), counts)
    limit = max(len(counts), round(share * len(labels)))
    write(path, frame(labels))
    corpus = corpora.load(section(None, path, limits=(None, limit), seed=seed), "none")
    drawn = np.bincount(corpus.examples["label"].astype(int), minlength=len(counts))
    exact = np.array(counts) * limit / sum(counts)
    assert drawn.sum() == min(limit, sum(counts))
    assert (drawn >= 1).all()
    assert (drawn <= counts).all()
    if (exact >= 1).all():
        assert (np.abs(drawn - exact) < 1).all()
    assert corpus.examples["text"].is_unique


# --- what is refused ------------------------------------------------------------------------------

GOOD = [0, 1, 0, 1]


@pytest.mark.parametrize(
    ("test", "fault"),
    [
        ("nowhere.csv", "cannot be read (No such file or directory); paths are relative"),
        ("directory.csv", "cannot be read (Is a directory)"),
        ("test.txt", "has the suffix '.txt'; allowed: .parquet, .csv, .tsv, .jsonl"),
    ],
)
def test_paths_that_cannot_be_read(test, fault):
    write("train.csv", frame(GOOD))
    Path("directory.csv").mkdir()
    Path("test.txt").write_text("text")
    text = refused(section(test=test))
    assert fault in text
    assert text.startswith(f"data.test ({test}) ")


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("a.csv", b"text\nfine\nna\xefve\n", "line 3: not UTF-8 (byte 12 of the file)"),
        ("a.jsonl", b'{"text": "fine"}\n{"text": "na\xefve"}\n', "line 2: not UTF-8"),
        ("a.jsonl", b'{"text": "fine"}\n{"text": \n', "line 2: not JSON that can be read (E"),
        ("a.jsonl", b'{"text": "fine"}\n' + b"[" * 100_000, "line 2: not JSON that can be read (m"),
        ("a.jsonl", b'{"text": ' + b"9" * 5000 + b"}", "has 5000 digits); write one object"),
        ("a.jsonl", b'{"text": "a", "text": "b"}', "the key 'text' occurs 2 times in {'text': 'b'"),
        ("a.jsonl", b'{"text": "fine"}\n["list"]\n', "line 2: list, not an object"),
        ("a.jsonl", b'{"text": "fine"}\n{"txt": "x"}\n', "has no such (columns there: 'txt')"),
        ("a.jsonl", b'{"text": "fine"}\n{"text": "\\ud800"}\n', "row 2: the text holds half of a"),
        ("a.jsonl", b'{"text": 3}\n', "row 1: the text is 3, of type int; allowed: strings"),
        ("a.jsonl", b'{"text": null}\n', "row 1: the text is null"),
        ("a.jsonl", b"", "holds no rows"),
        ("a.csv", b"", "columns there: none"),
        ("a.csv", b"text\n", "holds no rows"),
        ("a.csv", b"text,x\na,b\nc,d,e\n", "line 3: 3 fields under a header of 2"),
        ("a.csv", b'text,x\n"a"b,c\n', "line 2: not well-formed CSV"),
        ("a.csv", b"text,text\na,b\n", "2 columns of that name"),
        (
            "a.tsv",
            b"text\tx\na\tb\nc\td\te\n",
            "3 fields under a header of 2; quote texts that hold tabs",
        ),
        ("a.tsv", b'text\tx\n"Oh," she said.\t1\n', "line 2: not well-formed TSV ("),
        ("a.tsv", b"text,x\na,b\n", "has no such (columns there: 'text,x')"),
        ("a.csv", b'text\nfine\n""\n', "row 2: the text is blank"),
        ("a.parquet", b"PAR1 but nothing more", "is not a readable parquet file"),
    ],
)
def test_contents_that_cannot_be_read(name, content, fault):
    Path(name).write_bytes(content)
    text = refused(section(None, name, None), "none")
    assert fault in text
    assert f"data.test ({name})" in text


def test_parquet_texts_that_are_null_bytes_or_not_utf8():
    offsets = pa.py_buffer(np.array([0, 4, 6], "int32"))
    broken = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"fine\xff\xfe")])
    for column, fault in (
        (broken, "is not UTF-8 (Column 0: In chunk 0: Invalid: Invalid UTF8 sequence at"),
        (pa.array(["fine", None]), "row 2: the text is null"),
        (pa.array([b"bytes"]), "row 1: the text is b'bytes', of type bytes"),
        (pa.array([], pa.string()), "holds no rows"),
    ):
        pq.write_table(pa.table({"text": column}), "test.parquet")
        assert fault in refused(section(None, "test.parquet", None), "none")


def test_more_rows_than_memory_holds_are_refused_before_they_are_read(suffix, monkeypatch):
    """No matter how few of them a limit draws."""
    many = pd.DataFrame({"text": [" "] * 12})  # which is a fault of its own
    monkeypatch.setattr(local_files, "ROWS", 10)
    write(f"test{suffix}", many)
    said = refused(section(None, f"test{suffix}", None, limits=(None, 2)), "none")
    assert re.search(rf"^data.test \(test{suffix}\) has 1[23] rows; allowed: at most 10, as", said)


def test_a_column_that_is_not_of_labels_has_too_many_classes():
    said = message(frame([f"id {i}" for i in range(501)]), frame(["id 0"]))
    assert said.startswith("data.train (train.csv) holds 501 classes, the first 'id 0'; allowed: ")
    assert "at most 500; name the column of the labels under data.label" in said


def test_missing_columns_name_those_that_exist(suffix):
    for key in ("text", "label"):
        text = message(frame(GOOD), frame(GOOD), suffix, **{key: "review"})
        assert text.startswith(f"data.{key} is 'review', but data.train (train{suffix})")
        assert "no such (columns there: 'text', 'label')" in text


@pytest.mark.parametrize(
    ("train", "test", "fault"),
    [
        (GOOD, [0, None], "data.test (test.jsonl), row 2: the label is null"),
        (GOOD, [True, False], "data.test (test.jsonl), row 1: the label True is of type bool"),
        ([0, 1, -1], [0, 1], "(train.jsonl), row 3: the label is -1, and a number below 0 ma"),
        ([0.0, 1.0], [0, 1], "row 1: the label is 0.0, of type float; allowed: integers 0..K-1"),
        (["a", " "], ["a"], "data.train (train.jsonl), row 2: the label is blank"),
        ([0, 2, 0, 2], [0, 2], "data.train (train.jsonl) holds the labels 0, 2; allowed: 0..K-1"),
        (GOOD, [0, 1, 2], "data.test (test.jsonl), row 3: the label 2 does not occur in data.t"),
        ([0, 0, 0], [0, 0], "data.train (train.jsonl) holds one class only, 0"),
        (GOOD, [1, 1], "data.test (test.jsonl) holds one class only, 1"),
        ([0, 0, 1], [0, 1], "data.train gives 1 text of the class '1'"),
    ],
)
def test_labels_that_cannot_be_used(train, test, fault):
    given = (frame(pd.Series(labels, dtype="object")) for labels in (train, test))
    text = message(*given, ".jsonl")
    assert fault in text
    assert "hub" not in text


def test_csv_labels_that_cannot_be_used():
    assert "row 1: the label is 0.5, of type float" in message(frame([0.5, 1.0]), frame(GOOD))
    assert "row 1: the label is inf, of type" in message(frame(["9" * 5000, "0"]), frame(GOOD))
    assert "row 2: the label is null" in message(frame(["a", "", "b"]), frame(["a", "b"]))


def test_a_test_file_may_lack_a_class_and_without_a_task_one_is_enough():
    corpus = load_frames(frame([0, 1, 2] * 3), frame([0, 2] * 4), limits=(None, 5))
    assert corpus.label_names == ("0", "1", "2")
    assert (corpus.examples["split"] == "test").sum() == 5
    one = load_frames(frame([0, 0, 0, 0]), frame([0, 0], "test"), task="none")
    assert one.label_names == ("0",)


def test_limits_that_leave_too_few_of_a_class():
    text = message(frame([0, 1, 2] * 3), frame([0, 1, 2]), limits=(None, 2))
    assert text.startswith("data.limits.test is 2, but there are 3 classes")
    text = message(frame(GOOD), frame(GOOD), limits=(2, None))
    assert text.startswith("data.train gives 1 text of the class '0'")


def test_neither_torch_nor_transformers_nor_datasets_is_imported():
    script = (
        "import sys; from attention_mixing import corpora;"
        "from attention_mixing.settings.sources import *;"
        "corpora.load(SentencesData(source='sentences'), 'none');"
        "print({'torch', 'transformers', 'datasets', 'sklearn'} & set(sys.modules))"
    )
    command, environment = [sys.executable, "-c", script], {"PYTHONPATH": ":".join(sys.path)}
    loaded = subprocess.check_output(command, env=environment, text=True)
    assert loaded == "set()\n"


# --- evidence -------------------------------------------------------------------------------------

MARKED = pd.DataFrame(
    {
        "text": ["a dull plot", "very good", "bad!", "日本語 good"] * 3,
        "label": [0, 1, 0, 1] * 3,
        "rationale": [[[2, 6]], [[0, 4], [5, 9]], None, []] * 3,
    }
)


def marked(suffix: str, **cells) -> FilesData:
    """Write files with evidence, some of whose test cells are others, and name its column."""
    test = MARKED.copy()
    for row, cell in cells.items():
        test.at[int(row.removeprefix("row_")) - 1, "rationale"] = cell
    files = {"train": MARKED, "test": test}
    for name, table in files.items():
        if suffix in (".csv", ".tsv"):
            spelled = [
                one if one is None or isinstance(one, str) else json.dumps(one)
                for one in table["rationale"]
            ]
            table = table.assign(rationale=spelled)
        write(f"{name}{suffix}", table)
    return section(f"train{suffix}", f"test{suffix}", evidence="rationale")


def test_spans_that_carry_the_label_stay_with_their_texts(suffix):
    examples = corpora.load(marked(suffix), "classification").examples
    assert set(examples["split"]) == {"train", "validation", "test"}
    expected = dict(zip(MARKED["text"], MARKED["rationale"], strict=True))
    for row in examples.itertuples():
        assert row.evidence == expected[row.text]


def test_texts_without_labels_may_have_evidence(suffix):
    data = marked(suffix).model_copy(update={"train": None, "label": None})
    examples = corpora.load(data, "none").examples
    assert examples["evidence"].tolist() == MARKED["rationale"].tolist()


@pytest.mark.parametrize(
    "cell",
    [
        "dull",
        [[2, 60]],
        [[6, 2]],
        [[2, 2]],
        [[-1, 2]],
        [2, 6],
        [[2, 6, 7]],
        [[2.5, 6]],
        [[True, 2]],
        {"start": 2},
    ],
)
def test_spans_that_are_none_of_the_text_are_refused(cell):
    data = marked(".jsonl", row_1=cell)
    assert re.fullmatch(
        r"data.test \(test.jsonl\), row 1: the evidence is .*; allowed: null or a list of "
        r"\[start, end\) in characters of the text, 0 to 11; correct the row\.",
        refused(data),
    )


@pytest.mark.parametrize("cell", ["dull", "[[2, 60]]", "[[2, 6]", "0.5"])
def test_spans_in_csv_are_json(cell):
    assert ", row 2: the evidence is " in refused(marked(".csv", row_2=cell))


def test_a_column_of_evidence_that_is_not_there_is_named():
    write("train.csv", frame([0, 1]))
    write("test.csv", frame([0, 1]))
    data = section(evidence="rationale")
    assert refused(data).startswith("data.evidence is 'rationale', but data.train")
