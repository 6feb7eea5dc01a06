"""Malformed parameters, texts and models: one sentence, code 2, and every file as it was."""

import shutil
from pathlib import Path

import pytest
import yaml
from processes import BY_HAND, SAID, copied, files, hashes, ignored, started
from small_run import GRAPH, ROOT, small_parameters, write_parameters

pytestmark = BY_HAND

MISTAKES = yaml.safe_load((ROOT / "tests" / "mistakes.yaml").read_text(encoding="utf-8"))
CHECK = "python -m analysis check"
REMOVED = "removed"


def parameters() -> list[dict]:
    """Changes of the committed parameters, by dotted keys."""
    of_a_key = [{key: value} for key, value, *_ in MISTAKES["values"] + MISTAKES["shapes"]]
    return [
        *({key: 1} for key in MISTAKES["unknown"]),
        *({key: REMOVED} for key in MISTAKES["missing"]),
        *of_a_key,
        *(one["changes"] for one in MISTAKES["conflicts"]),
    ]


DEEP = b"[" * 100_000
YAML = (
    *(b"", b"\n", b"device: [", b"\tdevice: cpu", b"- device", b"device"),
    *(b"device: cpu\ndevice: cpu", b"\x00", b"device: \xff", b"&a [*a]", b"a: &a [b]\nc: *d"),
    *(b"!!python/name:os.system x", DEEP),
)
TEXTS = (
    *(("a.csv", b""), ("a.csv", b"text\n"), ("a.csv", b"txt\na\n"), ("a.csv", b'text\n""\n')),
    *(("a.csv", b'text\n"a"b\n'), ("a.csv", b"text\n\xef\n"), ("a.csv", b"text\na,b\n")),
    *(("a.jsonl", b""), ("a.jsonl", b'{"text": '), ("a.jsonl", b"[1]"), ("a.jsonl", b"null")),
    *(("a.jsonl", DEEP), ("a.jsonl", b'{"text": ' + b"9" * 5000 + b"}")),
    *(("a.jsonl", b'{"text": "\\ud800"}'), ("a.jsonl", b'{"text": "a", "text": "b"}')),
    *(("a.parquet", b"PAR1"), ("a.parquet", b""), ("a.txt", b"a text\n"), ("a", b"a text\n")),
)
CONFIGS = (
    *(b"", b"{", b"[]", b"null", DEEP, b"\xff", b"{}", b'{"model_type": "gpt2"}'),
    *(b'{"model_type": 3}', b'{"model_type": "bert", "num_attention_heads": 0}'),
)


@pytest.fixture(scope="module")
def committed() -> str:
    return (ROOT / "params.yaml").read_text(encoding="utf-8")


@pytest.fixture
def refused(finished, tmp_path):
    """Return ``refused(command)``: of a run in ``tmp_path / "run"``, whose files have changed."""
    directory = copied(finished, tmp_path / "run")
    (directory / "params.yaml").unlink()  # or it would be that of all

    def by(command: str) -> None:
        before = hashes(directory)
        process = started(directory, "", command)
        process.join()
        said = (directory / SAID).read_text(encoding="utf-8")
        assert process.exitcode == 2, said
        assert said.count("\n") == 1, said
        assert said.startswith("error: "), said
        assert hashes(directory) == before
        assert not [path for path in files(directory) if ignored(path)]

    return by


@pytest.mark.parametrize("changes", parameters(), ids=str)
def test_parameters(refused, tmp_path, committed, changes):
    values = yaml.safe_load(committed)
    for dotted, value in changes.items():
        section = values
        *parents, last = dotted.split(".")
        for parent in parents:
            section = section[parent]
        if value == REMOVED:
            del section[last]
        else:
            section[last] = value
    write_parameters(tmp_path / "run", values)
    refused(CHECK)


@pytest.mark.parametrize("content", YAML, ids=range(len(YAML)))
def test_what_is_no_yaml(refused, tmp_path, content):
    (tmp_path / "run" / "params.yaml").write_bytes(content)
    refused(CHECK)


@pytest.mark.parametrize(("name", "content"), TEXTS, ids=range(len(TEXTS)))
def test_texts(refused, tmp_path, name, content):
    values = small_parameters() | {"files": {"mine": name}}
    data = {"source": "files", "train": None, "test": "mine", "text": "text", "label": None}
    data |= {"validation_fraction": 0.5, "limits": {"train": None, "test": None}, "seed": 0}
    values["experiments"]["own"]["data"] = data
    write_parameters(tmp_path / "run", values)
    (tmp_path / "run" / name).write_bytes(content)
    refused(GRAPH["prepare"]["do"]["cmd"].replace("${key}", "own"))


def own_model(directory: Path) -> Path:
    """Give the run a model of its own, a copy of that of a finished training."""
    values = small_parameters() | {"files": {"mine": "mine"}}
    values["experiments"]["own"]["model"] = {"source": "local", "name": "mine"}
    write_parameters(directory, values)
    return shutil.copytree(directory / "artifacts/reviews/train/model", directory / "mine")


@pytest.mark.parametrize("content", CONFIGS, ids=range(len(CONFIGS)))
def test_configurations(refused, tmp_path, content):
    (own_model(tmp_path / "run") / "config.json").write_bytes(content)
    refused(CHECK)


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
@pytest.mark.parametrize("fault", ["missing", "empty", "cut"])
def test_models(refused, tmp_path, name, fault):
    path = own_model(tmp_path / "run") / name
    content = path.read_bytes()
    path.unlink()
    if fault != "missing":
        path.write_bytes(content[: len(content) // 2] if fault == "cut" else b"")
    refused(GRAPH["capture"]["do"]["cmd"].replace("${key}", "own"))


@pytest.mark.parametrize("fault", ["missing", "empty", "cut", "flipped"])
def test_artifacts(refused, tmp_path, fault):
    """Given to the stage that reads them, as nobody does but by hand."""
    directory = tmp_path / "run"
    write_parameters(directory, small_parameters())
    path = directory / "artifacts/own/capture/pretrained/000000.safetensors"
    content = path.read_bytes()
    path.unlink()
    if fault != "missing":
        middle = len(content) // 2
        flipped = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
        path.write_bytes({"empty": b"", "cut": content[:middle], "flipped": flipped}[fault])
    refused(GRAPH["vectors"]["do"]["cmd"].replace("${key}", "own"))
