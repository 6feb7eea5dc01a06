"""Whole artifacts or none, and one sentence for a mistake."""

import json
import math
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch
from safetensors.numpy import save_file

from analysis.chapters.provenance.figures import artifacts_table
from analysis.checks.runnable import check
from analysis.pipeline.stage import only, replacing, run, write_json
from attention_mixing.errors import InputError

ROOT = Path(__file__).parents[1]


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


@pytest.fixture(params=[False, True], ids=["file", "directory"])
def directory(request) -> bool:
    return request.param


def test_a_new_artifact_appears_when_it_is_done_and_replaces_the_earlier_one(tmp_path, directory):
    target = tmp_path / "deep" / "below" / "artifact"
    with replacing(target) as new:
        fill(new, "old", directory=directory)
        assert not target.exists()
    if directory:
        (target / "left over").write_text("old")
    with replacing(target) as new:
        fill(new, "new", directory=directory)
    assert content(target) == {"new"}
    assert names(target.parent) == ["artifact"]


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


def kill(work: Callable[[], None]) -> None:
    """Begin a work in another process, which is to kill itself at it."""
    process = get_context("fork").Process(target=work)
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL


def kill_amid(target: Path, *, directory: bool) -> None:
    """Let another process begin to replace an artifact, and kill itself at it."""

    def begin():
        with replacing(target) as new:
            fill(new, "half of the ne", directory=directory)
            os.kill(os.getpid(), signal.SIGKILL)

    kill(begin)


def test_a_kill_leaves_the_earlier_artifact_and_the_next_run_cleans_up(tmp_path, directory):
    target = tmp_path / "artifact"
    fill(target, "old", directory=directory)
    kill_amid(target, directory=directory)
    assert content(target) == {"old"}
    with replacing(target) as new:
        assert not new.exists()
        fill(new, "new", directory=directory)
    assert content(target) == {"new"}
    assert names(tmp_path) == ["artifact"]


def test_what_a_kill_leaves_is_nothing_to_dvc_and_pages(tmp_path, monkeypatch, directory):
    """Parameters that are set back call for no new run of the stage, which would clean up."""
    (tmp_path / ".dvc").mkdir()
    (tmp_path / ".dvc" / "config").write_text("[core]\n    no_scm = true\n")
    shutil.copy(ROOT / ".dvcignore", tmp_path)
    target = tmp_path / "artifacts" / "own" / "artifact"
    kill_amid(target, directory=directory)
    left = [str(path) for path in target.parent.rglob("*") if path.is_file()]
    assert left
    monkeypatch.chdir(tmp_path)
    assert artifacts_table(SimpleNamespace(experiments=["own"])).empty
    asked = [sys.executable, "-m", "dvc", "check-ignore", *left]
    ignored = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True)
    assert ignored.stdout.split() == left, ignored.stderr


@pytest.mark.parametrize("renames", [1, 2])
def test_a_kill_while_it_is_put_in_place_loses_neither(tmp_path, renames):
    """A directory takes two renames; whatever comes between, one whole artifact is left."""
    target = tmp_path / "artifact"
    fill(target, "old", directory=True)
    done = []

    def and_kill(rename):
        def renamed(*paths):
            rename(*paths)
            done.append(paths)
            if len(done) == renames:
                os.kill(os.getpid(), signal.SIGKILL)

        return renamed

    def begin():
        Path.rename, Path.replace = and_kill(Path.rename), and_kill(Path.replace)
        with replacing(target) as new:
            fill(new, "new", directory=True)

    kill(begin)
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
def start(here, monkeypatch, capsys):
    """Return ``start(work, *keys)``: the exit code of a stage, and what it prints."""
    shutil.copyfile(ROOT / "params.yaml", here / "params.yaml")
    monkeypatch.delenv("DVC_STAGE", raising=False)

    def started(work: Callable = nothing, *keys: str) -> tuple[int, str]:
        monkeypatch.setattr("sys.argv", ["stage", *(keys or ["reviews"])])
        code = 0
        try:
            run(work, "experiments")
        except SystemExit as end:
            code = end.code
        printed = capsys.readouterr()
        assert not printed.out
        return code, printed.err

    return started


def nothing(params, name):
    pass


def never(params, name):
    raise AssertionError("a stage began to work")


def one_line(ended: tuple[int, str]) -> str:
    """What is said of a mistake."""
    code, said = ended
    assert code == 2
    assert said.startswith("error: ")
    assert said.count("\n") == 1
    return said


def test_a_stage_gets_the_parameters_and_its_key(start):
    given = []
    ended = start(lambda params, name: given.append(params.experiments[name].task))
    assert ended == (0, "")
    assert given == ["classification"]


def test_time_and_host_go_to_a_file_of_their_own(start, monkeypatch):
    assert start() == (0, "")
    assert not list(Path("runs").glob("*.json"))  # by hand it is no part of a run
    monkeypatch.setenv("DVC_STAGE", "keep@reviews")
    assert start() == (0, "")
    note = json.loads(Path("runs", "keep@reviews.json").read_text())
    assert {"started", "seconds", "platform", "cpu_count"} <= set(note)


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("too few texts", "experiments.reviews: too few texts"),
        ("experiments.reviews has few texts", "experiments.reviews has few texts"),  # is named
        ("the texts have no reviews", "experiments.reviews: the texts have no reviews"),
        ("the reviewsers are too few", "experiments.reviews: the reviewsers are too few"),
    ],
)
def test_a_mistake_is_one_line_and_code_2_and_no_part_of_a_run(start, monkeypatch, message, line):
    monkeypatch.setenv("DVC_STAGE", "keep@reviews")

    def mistaken(params, name):
        raise InputError(message)

    assert one_line(start(mistaken)) == f"error: {line}\n"
    assert not list(Path("runs").glob("*.json"))


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (lambda: 1 / 0, ZeroDivisionError),
        (lambda: Path("/not/of/the/project").read_text(), FileNotFoundError),
        (lambda: subprocess.run(["not-installed"]), FileNotFoundError),
    ],
)
def test_a_fault_of_the_program_keeps_its_traceback(start, fault, error):
    with pytest.raises(error):
        start(lambda params, name: fault())


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("notebook ../../etc", "'../../etc' is none of the chapters; allowed: advice, anatomy, "),
        ("measure reviews vector", "'vector' is none of the stages; allowed: vectors, "),
        ("input mine", "'mine' is none of the files; allowed: none; correct it"),
        ("parameters reviews", "the stage parameters is given reviews; allowed: nothing"),
        ("prepare", "the stage prepare is given nothing; allowed: one of the experiments"),
        ("prepared", "the stage is prepared; allowed: anatomy, "),
    ],
)
def test_keys_that_a_stage_does_not_have_are_told_with_those_that_it_has(command, said):
    stage, *keys = command.split()
    named = [sys.executable, "-m", "analysis.stages", stage, *keys]
    ended = subprocess.run(named, cwd=ROOT, capture_output=True, text=True)
    assert said in one_line((ended.returncode, ended.stderr))


def as_text(path: Path) -> None:
    path.write_text("x" * 10**5)


def as_parquet(path: Path) -> None:
    pd.DataFrame({"x": np.random.default_rng(0).normal(size=10**5)}).to_parquet(path)


def as_safetensors(path: Path) -> None:
    save_file({"x": np.zeros(10**5)}, path)


def as_torch(path: Path) -> None:
    import torch

    torch.save(torch.zeros(10**5), path)


@pytest.mark.parametrize("write", [as_text, as_parquet, as_safetensors, as_torch])
def test_a_file_for_which_there_is_no_room_is_one_line(start, write):
    """Where files may not be large; each library has an error of its own for it."""

    def work(params, name):
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        with replacing(Path("artifacts", name, "corpus")) as new:
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
            try:
                write(new)
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    text = one_line(start(work))
    assert text.startswith("error: artifacts/reviews/corpus cannot be written (")
    assert re.search(r"it takes more than the [\d,]+ MiB that are free there, .*; make room", text)
    assert not list(Path("artifacts", "reviews").iterdir())


@pytest.mark.parametrize(
    ("do", "said"),
    [
        (lambda: as_text(Path("/dev/full")), r"\. cannot be written \(No space left on device\)"),
        (lambda: as_text(Path("/sys/new")), r"/sys/new cannot be read or written \(.*\); allow it"),
        (lambda: Path("results/x.json").read_text(), r"results/x\.json is missing; run `dvc"),
        (lambda: np.empty(2**58), r"memory ran out \(Unable to allocate .*\); lower batch_size in"),
        (lambda: torch.empty(2**58), r"memory ran out \(.*allocate.*\); lower batch_size in"),
    ],
)
def test_what_the_system_refuses_is_one_line(start, do, said):
    assert re.search(said, one_line(start(lambda params, name: do())))


def test_parameters_are_checked_before_the_work(start):
    text = Path("params.yaml").read_text(encoding="utf-8")
    Path("params.yaml").write_text(text.replace("epochs: 2", "epochs: -1"))
    assert "train.epochs is -1" in one_line(start(never))
    Path("params.yaml").unlink()
    assert "root of the repository" in one_line(start(never))


def test_a_launcher_of_several_processes_is_refused(start, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    text = one_line(start(never))
    assert text.startswith("error: WORLD_SIZE is 2, but all stages other than train are one ")
    assert "unset WORLD_SIZE" in text
    with pytest.raises(InputError, match="WORLD_SIZE is 2"):
        check()


@pytest.mark.parametrize(
    ("rank", "processes", "notes"), [("0", "2", True), ("1", "2", False), ("1", "", True)]
)
def test_of_processes_that_work_together_the_first_alone_leaves_notes(
    start, monkeypatch, rank, processes, notes
):
    given = {"WORLD_SIZE": processes, "RANK": rank, "DVC_STAGE": "stage@reviews"}
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    worked = []
    monkeypatch.setattr("sys.argv", ["stage", "reviews"])
    run(lambda params, name: worked.append(name), "experiments", together=True)
    assert worked == ["reviews"]
    left = {path.name for path in Path("runs").glob("*")}
    assert left == ({"stage-reviews.lock", "stage@reviews.json"} if notes else set())


@pytest.mark.parametrize("command", ["analysis.stages train reviews", "analysis check"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_is_one_line(tmp_path, command, number):
    """While a command waits for its parameters, of a pipe that nobody has written to."""
    os.mkfifo(tmp_path / "params.yaml")
    waiting = subprocess.Popen(
        [sys.executable, "-m", *command.split()],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
        # What a shell starts in the background ignores it, and so do its children.
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    )
    with (tmp_path / "params.yaml").open("w"):  # until it reads
        waiting.send_signal(number)
        _, said = waiting.communicate()
    assert waiting.returncode == 128 + number
    assert said.startswith("interrupted: ")
    assert said.count("\n") == 1
    assert names(tmp_path) == ["params.yaml"]


def test_a_stage_waits_for_the_workers_of_one_that_was_killed(start):
    """They hold its lock as long as they live."""
    context = get_context("fork")
    begun = context.Event()

    def work():
        with only("stage-reviews"):
            begun.set()
            time.sleep(0.5)

    worker = context.Process(target=work)
    worker.start()
    begun.wait()
    assert start() == (0, "")
    worker.join()


def test_a_stage_that_runs_already_is_not_begun_again(start):
    """As after a kill of `dvc repro` alone."""
    with only("stage-reviews"):
        text = one_line(start(never))
        assert f"stage-reviews runs already, as process {os.getpid()}; wait for its end" in text
        assert start(nothing, "sentences") == (0, "")
    assert start() == (0, "")


def test_a_killed_stage_can_begin_again(start):
    def begin():
        with only("stage-reviews"):
            os.kill(os.getpid(), signal.SIGKILL)

    kill(begin)
    assert start() == (0, "")


ORPHAN = """
import os, signal, subprocess, sys, time
from pathlib import Path
from analysis.pipeline.stage import run
if "DVC_STAGE" in os.environ:
    sys.argv[0] = "orphan"
    run(lambda params: (Path("begun").touch(), time.sleep(600)))
command = [sys.executable, "-c", Path("orphan.py").read_text()]
subprocess.Popen(command, env=os.environ | {"DVC_STAGE": "orphan"})
while not Path("begun").exists():
    time.sleep(0.01)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_stage_ends_with_the_dvc_that_runs_it(tmp_path, monkeypatch):
    """It holds its output open, which is read to its end."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "params.yaml", tmp_path)
    (tmp_path / "orphan.py").write_text(ORPHAN)
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "orphan.py"]
    subprocess.run(command, env=environment, stdout=subprocess.PIPE, timeout=120)
    assert Path("begun").exists()
    with only("orphan"):  # nobody has it
        assert not Path("runs", "orphan.json").exists()


THREADS = """
import analysis.stages.measure, scipy.linalg, threadpoolctl, torch
from attention_mixing.workers import workers
def threads(_=None):
    import scipy.linalg
    blas = [one for one in threadpoolctl.threadpool_info() if one["user_api"] == "blas"]
    return len(blas), {one["num_threads"] for one in blas}
with workers(2) as each:
    print(threads(), torch.get_num_threads(), *each(threads, [0, 1], "threads"), sep="; ")
"""


def test_stages_compute_on_one_thread_whatever_the_environment_says():
    """In SciPy's BLAS too, which is loaded later, and in workers."""
    # Dask leaves the third at 1 in a process that has started workers.
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    threads = dict.fromkeys(names, "2")
    command = [sys.executable, "-c", THREADS]
    ran = subprocess.run(
        command, cwd=ROOT, env=os.environ | threads, capture_output=True, text=True
    )
    assert ran.stdout.strip().split("; ") == ["(2, {1})", "1", *["(2, {1})"] * 2], ran.stderr
