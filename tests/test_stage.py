"""Whole artifacts or none, and one sentence for a mistake."""

import json
import math
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from analysis.stage import replacing, write_json

ROOT = Path(__file__).parents[1]
KEEP = """
import sys
from analysis.errors import InputError
from analysis.stage import run, write_json
from pathlib import Path

def work(params, name):
    {body}

run(work, "experiment")
"""


CHECK = """
import sys
from analysis.__main__ import main
sys.argv[1:] = ["check"]
main()
"""


def fill(path: Path, content: str, *, directory: bool) -> None:
    if directory:
        (path / "deep").mkdir(parents=True)
        (path / "deep" / "a").write_text(content)
        (path / "b").write_text(content)
    else:
        path.write_text(content)


def content(path: Path) -> set[str]:
    """What all files of an artifact hold."""
    files = [p for p in path.rglob("*") if p.is_file()] if path.is_dir() else [path]
    assert len(files) == (2 if path.is_dir() else 1)
    return {file.read_text() for file in files}


def names(directory: Path) -> list[str]:
    return [path.name for path in directory.iterdir()]


def python(
    code: str, *arguments: str, cwd: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
        capture_output=True,
        text=True,
    )


@pytest.fixture(params=[False, True], ids=["file", "directory"])
def directory(request) -> bool:
    return request.param


def test_a_new_artifact_appears_when_it_is_done(tmp_path, directory):
    target = tmp_path / "deep" / "below" / "artifact"
    with replacing(target) as new:
        fill(new, "new", directory=directory)
        assert not target.exists()
    assert content(target) == {"new"}
    assert names(target.parent) == ["artifact"]


def test_an_artifact_is_replaced_not_written_into(tmp_path, directory):
    target = tmp_path / "artifact"
    fill(target, "old", directory=directory)
    if directory:
        (target / "left over").write_text("old")
    with replacing(target) as new:
        fill(new, "new", directory=directory)
    assert content(target) == {"new"}
    assert names(tmp_path) == ["artifact"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_a_failure_leaves_the_earlier_artifact(tmp_path, directory, error):
    target = tmp_path / "artifact"
    fill(target, "old", directory=directory)
    with pytest.raises(error), replacing(target) as new:
        fill(new, "new", directory=directory)
        raise error
    assert content(target) == {"old"}
    assert names(tmp_path) == ["artifact"]


def test_a_link_into_a_cache_is_replaced_and_the_cache_is_not_touched(tmp_path):
    """DVC may link outputs to its cache: writing through such a link would spoil the cache."""
    (tmp_path / "cache").write_text("old")
    for name, link in (("hard", os.link), ("soft", os.symlink)):
        link(tmp_path / "cache", tmp_path / name)
        with replacing(tmp_path / name) as new:
            new.write_text("new")
        assert (tmp_path / name).read_text() == "new"
        assert not (tmp_path / name).is_symlink()
    assert (tmp_path / "cache").read_text() == "old"


def test_a_link_to_a_directory_is_replaced_too(tmp_path):
    fill(tmp_path / "cache", "old", directory=True)
    (tmp_path / "artifact").symlink_to(tmp_path / "cache", target_is_directory=True)
    with replacing(tmp_path / "artifact") as new:
        fill(new, "new", directory=True)
    assert content(tmp_path / "artifact") == {"new"}
    assert content(tmp_path / "cache") == {"old"}


def test_a_kill_leaves_the_earlier_artifact_and_the_next_run_cleans_up(tmp_path, directory):
    target = tmp_path / "artifact"
    fill(target, "old", directory=directory)
    killed = python(
        "import os, signal\n"
        "from pathlib import Path\n"
        "from analysis.stage import replacing\n"
        "with replacing(Path('artifact')) as new:\n"
        + ("    new.mkdir(); (new / 'b').write_text('ne')\n" if directory else "")
        + ("" if directory else "    new.write_text('ne')\n")
        + "    os.kill(os.getpid(), signal.SIGKILL)\n",
        cwd=tmp_path,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert content(target) == {"old"}
    with replacing(target) as new:
        assert not new.exists()
        fill(new, "new", directory=directory)
    assert content(target) == {"new"}
    assert names(tmp_path) == ["artifact"]


@pytest.mark.parametrize("renames", [1, 2])
def test_a_kill_while_it_is_put_in_place_loses_neither(tmp_path, monkeypatch, renames):
    """A directory takes two renames; whatever comes between, one whole artifact is left."""
    target = tmp_path / "artifact"
    fill(target, "old", directory=True)
    killed = python(
        "import os, signal\n"
        "from pathlib import Path\n"
        "from analysis.stage import replacing\n"
        f"left = [{renames}]\n"
        "def counted(own):\n"
        "    def rename(self, *a):\n"
        "        result = own(self, *a); left[0] -= 1\n"
        "        if not left[0]: os.kill(os.getpid(), signal.SIGKILL)\n"
        "        return result\n"
        "    return rename\n"
        "Path.rename, Path.replace = counted(Path.rename), counted(Path.replace)\n"
        "with replacing(Path('artifact')) as new:\n"
        "    (new / 'deep').mkdir(parents=True)\n"
        "    (new / 'deep' / 'a').write_text('new'); (new / 'b').write_text('new')\n",
        cwd=tmp_path,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    with pytest.raises(ValueError, match="bad parameter"), replacing(target):
        raise ValueError("bad parameter")
    assert content(target) == ({"old"} if renames == 1 else {"new"})


def test_json_is_stable_and_whole(tmp_path):
    path = tmp_path / "metrics.json"
    write_json(path, {"b": 1 / 3, "a": [1, 0.1 + 0.2, None, True], "日": "本"})
    text = path.read_text(encoding="utf-8")
    assert json.loads(text) == {"b": 0.3333333333, "a": [1, 0.3, None, True], "日": "本"}
    assert "日" in text
    assert text.endswith("}\n")
    for value in (math.nan, math.inf):
        with pytest.raises(ValueError, match="JSON compliant"):
            write_json(path, {"a": value})
    assert path.read_text(encoding="utf-8") == text


@pytest.fixture
def workplace(tmp_path) -> Path:
    shutil.copyfile(ROOT / "params.yaml", tmp_path / "params.yaml")
    return tmp_path


def test_a_stage_gets_the_parameters_and_its_key(workplace):
    body = "write_json(Path('out.json'), [name, params.experiments[name].task])"
    done = python(KEEP.format(body=body), "reviews", cwd=workplace)
    assert done.returncode == 0, done.stderr
    assert json.loads((workplace / "out.json").read_text()) == ["reviews", "classification"]
    assert done.stdout == done.stderr == ""


def test_time_and_host_go_to_a_file_of_their_own(workplace):
    done = python(KEEP.format(body="pass"), "reviews", cwd=workplace)
    assert done.returncode == 0, done.stderr
    assert not (workplace / "runs").exists()  # by hand it is no part of a run
    named = {"DVC_STAGE": "keep@reviews"}
    done = python(KEEP.format(body="pass"), "reviews", cwd=workplace, **named)
    assert done.returncode == 0, done.stderr
    note = json.loads((workplace / "runs" / "keep@reviews.json").read_text())
    assert {"started", "seconds", "platform", "cpu_count"} <= set(note)


def one_line(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    return done.stderr


def test_a_mistake_is_one_line_and_code_2(workplace):
    done = python(KEEP.format(body="raise InputError('too few texts')"), "reviews", cwd=workplace)
    assert one_line(done) == "error: too few texts\n"
    assert not (workplace / "runs").exists()


def test_an_unknown_experiment_is_named_with_those_that_there_are(workplace):
    text = one_line(python(KEEP.format(body="pass"), "review", cwd=workplace))
    assert "'review'" in text
    assert "sentences, reviews, agreement" in text


def test_parameters_are_checked_before_the_work(workplace):
    text = (workplace / "params.yaml").read_text(encoding="utf-8")
    (workplace / "params.yaml").write_text(text.replace("epochs: 2", "epochs: -1"))
    body = "Path('ran').touch()"
    assert "train.epochs is -1" in one_line(
        python(KEEP.format(body=body), "reviews", cwd=workplace)
    )
    assert not (workplace / "ran").exists()


def test_a_missing_parameter_file_says_where_to_run(tmp_path):
    text = one_line(python(KEEP.format(body="pass"), "reviews", cwd=tmp_path))
    assert "root of the repository" in text


def test_a_fault_of_the_program_keeps_its_traceback(workplace):
    done = python(KEEP.format(body="raise ZeroDivisionError"), "reviews", cwd=workplace)
    assert done.returncode == 1
    assert "ZeroDivisionError" in done.stderr


THREADS = """
import analysis.stages.measure, scipy.linalg, threadpoolctl, torch
from analysis.measures.workers import workers
def threads(_=None):
    import scipy.linalg
    blas = [one for one in threadpoolctl.threadpool_info() if one["user_api"] == "blas"]
    return len(blas), {one["num_threads"] for one in blas}
with workers(2) as each:
    print(threads(), torch.get_num_threads(), *each(threads, [0, 1], "threads"), sep="; ")
"""


def test_measures_multiply_matrices_on_one_thread():
    """Of SciPy's BLAS too, which is loaded later, and in workers; PyTorch keeps its threads."""
    ran = python(THREADS, cwd=ROOT, OMP_NUM_THREADS="2", OPENBLAS_NUM_THREADS="2")
    assert ran.stdout.strip().split("; ") == ["(2, {1})", "2", *["(2, {1})"] * 2], ran.stderr


@pytest.mark.parametrize("command", ["stages.keep", "check"])
def test_a_launcher_of_several_processes_is_refused(workplace, command):
    start = KEEP.format(body="raise AssertionError") if command == "stages.keep" else CHECK
    text = one_line(python(start, "sentences", cwd=workplace, WORLD_SIZE="2"))
    assert text.startswith("error: WORLD_SIZE is 2, but a stage is one process")
    assert "unset WORLD_SIZE" in text
