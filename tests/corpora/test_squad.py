"""SQuAD 2.0: both layouts come to one table, and one sentence for everything that is wrong."""

import copy
import json
from pathlib import Path

import pandas as pd
import pytest
import yaml
from refusals import refusal
from squad_articles import flat_rows

from attention_mixing.corpora import squad
from attention_mixing.errors import InputError

HERE = Path(__file__).parent
# Characters beyond the plane of 16 bits, an answer twice, plausible answers that are ignored.
GOOD = json.loads((HERE / "normans.json").read_text(encoding="utf-8"))
NORMANS = GOOD["data"][0]["paragraphs"][0]["context"]
FAULTS = yaml.safe_load((HERE / "squad_faults.yaml").read_text(encoding="utf-8"))


def parts(content):
    """Objects of the first paragraph, by the names that the faults have for them."""
    article = content["data"][0]
    paragraph = article["paragraphs"][0]
    question, second = paragraph["qas"]
    return {
        "article": article,
        "paragraph": paragraph,
        "question": question,
        "second": second,
        "answer": question["answers"][1],
    }


@pytest.fixture
def read(tmp_path):
    def read(content):
        path = tmp_path / "dev.json"
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return squad.read("data.test (dev.json)", path)

    return read


# --- what is read ---------------------------------------------------------------------------------


def test_questions_come_in_order_and_as_they_are(read):
    table = read(GOOD)
    assert tuple(table.columns) == squad.COLUMNS
    assert table["id"].tolist() == ["n1", "n2", "n3", "r1"]
    assert table["title"].tolist() == ["Normans"] * 3 + ["Rhine"]
    assert table["context"].tolist() == [NORMANS, NORMANS, "  Rollo ruled.\n", NORMANS]
    assert table["question"][2] == " Who ruled? "
    assert table["impossible"].tolist() == [False, True, False, False]
    assert table["impossible"].dtype == bool
    assert table["answers"].tolist()[:3] == [["France", "in France", "France"], [], ["Rollo"]]
    assert table["answer_starts"].tolist()[:3] == [[53, 50, 53], [], [2]]
    for row in table.itertuples():
        for text, start in zip(row.answers, row.answer_starts, strict=True):
            assert row.context[start : start + len(text)] == text


def test_the_flat_layout_gives_the_same_table(read):
    pd.testing.assert_frame_equal(squad.from_rows("hub", flat_rows(GOOD["data"])), read(GOOD))


def test_a_byte_order_mark_is_no_fault(read):
    assert len(read(b"\xef\xbb\xbf" + json.dumps(GOOD).encode())) == 4


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        # articles, paragraphs, questions, unanswerable, answers
        ("dev.json", (35, 1204, 11_873, 5945, 20_302)),
        ("train_subset.json", (10, 691, 4000, 348, 3652)),
    ],
)
def test_real_data(root, name, facts):
    path = root / "../shared/data/squad_v2" / name
    if not path.exists():
        pytest.skip(f"needs SQuAD 2.0 at ../shared/data/squad_v2/{name}")
    table = squad.read(f"data.test ({name})", path)
    assert facts == (
        table["title"].nunique(),
        table.groupby("title", sort=False)["context"].nunique().sum(),
        len(table),
        table["impossible"].sum(),
        table["answers"].str.len().sum(),
    )


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        (b'{"data": [\n  {"title": }]}', "that can be read (Expecting value: line 2 column 13"),
        (b"", "(Expecting value: line 1 column 1"),
        (b'{"data": "na\xefve"}', "line 1: not UTF-8 (byte 12 of the file)"),
        (b"[" * 100_000, "(maximum recursion depth exceeded while decoding a JSON array"),
        (b"9" * 5000, "value has 5000 digits); correct it there"),
        (b'{"data": [{"id": 1, "id": 2}]}', "(the key 'id' occurs 2 times in {'id': 2});"),
        (b"[1, 2]", "[1, 2], of type list, instead of an object"),
        (b"{}", "the key 'data' is missing (keys there: none)"),
        (b'{"data": []}', "holds no question; give it at least one"),
        (b'{"data": {}}', "data is {}, of type dict; it must be a valid list"),
    ],
)
def test_files_that_are_not_squad(read, raw, fault):
    said = refusal(read, raw)
    assert fault in said
    assert said.startswith("data.test (dev.json)")


@pytest.mark.parametrize(("holder", "change", "place", "said"), FAULTS["faults"])
def test_faults_name_article_and_question(read, holder, change, place, said):
    content = copy.deepcopy(GOOD)
    if isinstance(change, str):
        del parts(content)[holder][change]
    else:
        parts(content)[holder].update(change)
    text = refusal(read, content)
    assert text.startswith(f"data.test (dev.json), {FAULTS['places'][place]}: ")
    assert said in text


def questions(content):
    return [asked for one in content["data"] for part in one["paragraphs"] for asked in part["qas"]]


@pytest.mark.parametrize(
    ("changes", "end"),
    [
        ({0: {"id": 5}}, "it must be a valid string."),
        ({0: {"id": 5}, 3: {"answers": []}}, "valid string; 1 more question there has faults."),
        # Two faults of one question are counted once; a repeated id is a fault of the second.
        (
            {
                0: {"answers": []},
                1: {"id": 1, "question": 2},
                2: {"id": "n1"},
                3: {"is_impossible": True},
            },
            "go under plausible_answers); 3 more questions there have faults.",
        ),
    ],
)
def test_the_first_fault_is_told_and_all_questions_with_faults_are_counted(read, changes, end):
    content = copy.deepcopy(GOOD)
    for number, change in changes.items():
        questions(content)[number].update(change)
    text = refusal(read, content)
    assert text.startswith("data.test (dev.json), article 1 ('Normans'), paragraph 1, question 1")
    assert text.endswith(end)


def test_faults_of_the_layout_are_counted_too(read):
    content = copy.deepcopy(GOOD)
    for one in content["data"]:
        del one["title"]
    assert refusal(read, content).endswith("has it; 1 more fault of the layout follows.")


def test_a_file_of_squad_1_is_told_from_one_with_a_fault(read):
    content = copy.deepcopy(GOOD)
    for asked in questions(content):
        del asked["is_impossible"]
    assert refusal(read, content).startswith(
        "data.test (dev.json) is in the layout of SQuAD 1.1, as none of its questions (4) has the "
        "key 'is_impossible'; allowed: the layout of SQuAD 2.0"
    )


def test_an_offset_counted_in_utf16_is_refused(read):
    content = copy.deepcopy(GOOD)
    content["data"][1]["paragraphs"][0]["qas"][0]["answers"][1]["answer_start"] += 1
    with pytest.raises(InputError, match=r"article 2 \('Rhine'\).*count characters from 0"):
        read(content)


def test_long_values_are_cut_in_messages(read):
    content = copy.deepcopy(GOOD)
    content["data"][0]["paragraphs"][0]["qas"] = "x" * 10_000
    assert len(refusal(read, content)) < 250


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"answers": ["France"]}, "is not in the layout of rajpurkar/squad_v2; needed: id, title"),
        (
            {"answers": {"text": ["France"], "answer_start": []}},
            "answer 1: answer_start is None, of type NoneType; it must be a valid integer",
        ),
        ({"answers": {"text": [1], "answer_start": [1]}}, "answer 1: text is 1, of type int"),
        ({"answers": {"text": ["France"], "answer_start": [5]}}, "does not stand at its answer_s"),
        ({"id": "n1"}, "the id stands at row 1 ('Normans'), paragraph 1, question 1 ('n1')"),
    ],
)
def test_faults_of_rows_name_row_article_and_question(change, fault):
    rows = flat_rows(GOOD["data"])
    rows[1] |= change
    text = refusal(squad.from_rows, "data.test (split 'validation')", rows)
    assert text.startswith("data.test (split 'validation'), row 2")
    assert fault in text


def test_no_rows_are_refused():
    with pytest.raises(InputError, match=r"^hub holds no question"):
        squad.from_rows("hub", [])
