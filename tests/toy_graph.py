"""A repository of eight stages, without parameters, for lanes to run in."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import yaml
from small_run import ROOT

# By stage, what it reads; each writes what it has read, and its name.
NEEDS = {
    "first": [],
    "a1": ["first"],
    "a2": ["a1"],
    "b1": ["first"],
    "b2": ["b1"],
    "b3": ["b1"],
    "joined": ["a2", "b2", "b3"],
    "last": ["joined"],
}
RUN = """
import sys
from analysis.pipeline import graph, lock, preloaded
from analysis.pipeline.lanes import Lanes, close
from analysis.pipeline.stage import only
from attention_mixing.errors import end_when_interrupted, told
from dvc.repo import Repo
end_when_interrupted()
with told(), only("repro") as held, preloaded.server(["dvc.cli"]):
    lock.mend()
    lanes = Lanes(graph.nodes(), {*Repo().status()}, held, cores=int(sys.argv[1]))
    code = lanes.run() or close(held)
print("ran", *lanes.ran)
sys.exit(code)
"""
# A stage: it says that it begins and when it is over, and can take long or fail.
STAGE = """
import os, pathlib, sys, time
name, *read = sys.argv[1:]
log = pathlib.Path("log")
note = lambda what: log.open("a").write(f"{what} {name}\\n")
note("begins")
print(f"words of {name}", flush=True)
if pathlib.Path(f"slow-{name}").exists():
    time.sleep(60)
time.sleep(float(os.environ.get("SECONDS", 0)))
if pathlib.Path(f"broken-{name}").exists():
    sys.exit(f"error: {name} is broken")
pathlib.Path("out").mkdir(exist_ok=True)
text = "".join(pathlib.Path("out", one).read_text() for one in read)
pathlib.Path("out", name).write_text(f"{text}{name} {pathlib.Path('edited').read_text()}")
note("ends")
"""


def made(directory: Path) -> Path:
    """Make the repository, in which no stage has run."""
    stages = {
        name: {
            "cmd": " ".join([sys.executable, "stage.py", name, *read]),
            "deps": ["stage.py", *(f"out/{one}" for one in read)]
            + (["edited"] if name in ("first", "b2") else []),
            "outs": [f"out/{name}"],
        }
        for name, read in NEEDS.items()
    }
    (directory / "dvc.yaml").write_text(yaml.safe_dump({"stages": stages}), encoding="utf-8")
    (directory / "stage.py").write_text(STAGE, encoding="utf-8")
    (directory / "edited").write_text("", encoding="utf-8")
    (directory / "log").touch()
    dvc(directory, "init", "--no-scm", "--quiet")
    return directory


def dvc(directory: Path, *arguments: str) -> str:
    return subprocess.check_output(["dvc", *arguments], cwd=directory, text=True)


def started(directory: Path, cores: int = 2, **environment: str) -> subprocess.Popen[str]:
    (directory / "log").write_text("")
    return subprocess.Popen(
        [sys.executable, "-c", RUN, str(cores)],
        cwd=directory,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(directory: Path, cores: int = 2, **environment: str) -> tuple[int, str, str]:
    process = started(directory, cores, **environment)
    said, errors = process.communicate(timeout=300)
    return process.returncode, said, errors


def written(directory: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in (directory / "out").iterdir()}


def log(directory: Path) -> list[str]:
    return (directory / "log").read_text().splitlines()


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def locked(directory: Path) -> dict:
    return yaml.safe_load((directory / "dvc.lock").read_text())["stages"]


def idle(directory: Path) -> bool:
    """Whether plain DVC, and a second run of lanes, find nothing to do."""
    said = dvc(directory, "repro")
    return "Running" not in said and finished(directory)[1].splitlines()[-1] == "ran"


def goes_on(toy: Path) -> None:
    """The next run needs no help."""
    for path in toy.glob("slow-*"):
        path.unlink()
    assert finished(toy)[0] == 0
    assert sorted(locked(toy)) == sorted(NEEDS)
    assert idle(toy)


def children(pid: int) -> list[int]:
    told = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True).stdout
    return [int(child) for child in told.split()]


def alive(pid: int) -> bool:
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True)
    return state.stdout.strip()[:1] not in ("", "Z")
