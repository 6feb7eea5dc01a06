"""Corpora of questions, wherever they are from: splits, spans of the text, what the origin says."""

import pandas as pd
import pytest
from data_sections import SQUAD_FILES, SQUAD_HUB
from refusals import refused
from squad_articles import ANSWERED, ARTICLES, flat_rows, write

from attention_mixing import corpora
from attention_mixing.settings.sources import GeneratedData, SquadFilesData, SquadHubData

TASK = "question_answering"
pytestmark = pytest.mark.usefixtures("own_cache")


def files(directory, articles=ARTICLES, **more):
    """A section that names files in the published layout below ``directory``."""
    return SquadFilesData(**(SQUAD_FILES | write(directory, articles) | more))


def hub(directory, **more):
    """A local directory in the layout of a hub data set."""
    import datasets

    path = directory / "squad"
    path.mkdir(exist_ok=True)
    for split, content in ARTICLES.items():
        datasets.Dataset.from_list(flat_rows(content)).to_parquet(path / f"{split}.parquet")
    return SquadHubData(**(SQUAD_HUB | {"name": str(path)} | more))


def generated(directory):
    sizes = {"train": 60, "validation": 12, "test": 30}
    return GeneratedData(source="generated", grammar="questions", sizes=sizes, seed=0)


def load(data):
    return corpora.load(data, TASK)


def titles(corpus, split):
    part = corpus.examples[corpus.examples["split"] == split]
    return {key.rpartition("-")[0] for key in part["question_id"]}


@pytest.mark.parametrize("source", [generated, files, hub])
def test_every_source_gives_the_same_shape_and_tells_its_origin(source, tmp_path):
    corpus = load(source(tmp_path))
    examples = corpus.examples
    assert corpus.label_names == ("answerable", "unanswerable")
    assert examples["split"].drop_duplicates().tolist() == ["train", "validation", "test"]
    assert examples["id"].tolist() == list(range(len(examples)))
    assert examples["question_id"].is_unique
    for row in examples.itertuples():
        assert row.text[row.context_start - 1] == "\n"
        assert "\n" not in row.text[: row.context_start - 1]
        assert row.label == (not row.answers)
        assert (row.evidence == []) == (not row.answers)
        for answer, start in zip(row.answers, row.answer_starts, strict=True):
            assert row.text.startswith(answer, start)
            assert start >= row.context_start
            assert any(a <= start and start + len(answer) <= b for a, b in row.evidence)
    for split, part in examples.groupby("split"):
        assert corpus.origin[f"{split}_questions"] == str(len(part))
        share = 100 * part["label"].astype(int).mean()
        assert corpus.origin[f"{split}_unanswerable"] == f"{share:.1f} %"
    assert all(isinstance(value, str) for value in corpus.origin.values())


def test_what_is_written_reads_the_same(tmp_path):
    """As between the stages: parquet has lists and nulls of its own."""
    examples = load(files(tmp_path)).examples
    examples.to_parquet(tmp_path / "examples.parquet", index=False)
    read = pd.read_parquet(tmp_path / "examples.parquet")
    assert read["context_start"].tolist() == examples["context_start"].tolist()
    for column in ("answers", "answer_starts"):
        assert [list(values) for values in read[column]] == examples[column].tolist()


def test_files_and_hub_give_the_same_questions(tmp_path):
    one, other = load(files(tmp_path)).examples, load(hub(tmp_path)).examples
    pd.testing.assert_frame_equal(one, other)


def test_answers_that_touch_are_one_piece_of_evidence(tmp_path):
    examples = load(files(tmp_path)).examples
    row = next(examples[examples["label"] == 0].itertuples())
    marked = [row.text[start:end] for start, end in row.evidence]
    place = row.question_id.rpartition("-")[2]
    assert marked == [f"Été {place} or", "say"]


@pytest.mark.parametrize(("fraction", "articles"), [(0.01, 1), (0.25, 3), (0.99, 11)])
def test_validation_has_whole_articles_of_train(fraction, articles, tmp_path):
    corpus = load(files(tmp_path, validation_fraction=fraction))
    train, validation, test = (titles(corpus, split) for split in ("train", "validation", "test"))
    assert not train & validation
    assert train | validation == {f"train-{article}" for article in range(12)}
    assert len(validation) == articles
    assert test == {f"test-{article}" for article in range(3)}


def test_without_a_test_part_whole_articles_of_train_are_set_aside(tmp_path):
    corpus = load(files(tmp_path, test=None, test_fraction=0.25))
    train, validation, test = (titles(corpus, split) for split in ("train", "validation", "test"))
    assert (len(train), len(validation), len(test)) == (7, 2, 3)
    assert train | validation | test == {f"train-{article}" for article in range(12)}
    assert "test_sha256" not in corpus.origin


def test_limits_keep_the_share_of_unanswerable_questions(tmp_path):
    corpus = load(files(tmp_path, limits={"train": 60, "test": 10}))
    counts = corpus.examples.assign(test=corpus.examples["split"] == "test")
    counts = counts.groupby(["test", "label"]).size().to_dict()
    assert counts == {(False, 0): 48, (False, 1): 12, (True, 0): 7, (True, 1): 3}


def test_questions_are_shuffled(tmp_path):
    for _, part in load(files(tmp_path)).examples.groupby("split"):
        numbers = [tuple(map(int, key.split("-")[1:])) for key in part["question_id"]]
        assert numbers != sorted(numbers)


def test_questions_of_one_kind_only_are_drawn_too(tmp_path):
    corpus = load(files(tmp_path, ANSWERED, limits={"train": 20, "test": 5}))
    assert corpus.origin["test_unanswerable"] == "0.0 %"
    assert (corpus.examples["split"] == "test").sum() == 5


def test_one_article_cannot_be_split(tmp_path):
    text = refused(files(tmp_path, ARTICLES | {"train": ARTICLES["train"][3:4]}), TASK)
    assert text.startswith("data.train gives questions of one article only, 'train 3'")


def test_faults_name_the_split_and_the_file(tmp_path):
    data = files(tmp_path)
    (tmp_path / "test.json").write_text('{"data": [')
    assert refused(data, TASK).startswith(f"data.test ({tmp_path}/test.json) is not JSON")
    (tmp_path / "test.json").unlink()
    assert f"data.test ({tmp_path}/test.json) cannot be read" in refused(data, TASK)
