"""Stages run side by side, whatever becomes of them."""

import os
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest
from small_run import ROOT
from toy_graph import (
    NEEDS,
    alive,
    children,
    dvc,
    finished,
    goes_on,
    idle,
    locked,
    log,
    made,
    started,
    until,
    written,
)

from analysis.pipeline import times, unchanged
from analysis.pipeline.graph import StageNode
from analysis.pipeline.lanes import Lanes, Running


@pytest.fixture
def toy(tmp_path) -> Path:
    return made(tmp_path)


@pytest.mark.slow
def test_lanes_write_what_dvc_writes_one_after_another(toy, tmp_path_factory):
    code, said, errors = finished(toy, SECONDS="1")
    assert (code, errors) == (0, "")
    assert sorted(locked(toy)) == sorted(NEEDS)
    assert [line.split()[1] for line in log(toy) if line.startswith("ends")][-2:] == [
        "joined",
        "last",
    ]
    beside = [first[:6] == second[:6] == "begins" for first, second in pairwise(log(toy))]
    assert any(beside)
    assert all(f"{name} | words of {name}\n" in said for name in NEEDS)
    assert sum(line.startswith("[") for line in said.splitlines()) == len(NEEDS)
    assert idle(toy)
    lanes, notes = written(toy), locked(toy)
    dvc(toy, "repro", "--force")
    assert (written(toy), locked(toy)) == (lanes, notes)


@pytest.mark.slow
def test_only_what_an_edit_reaches_is_asked_for(toy):
    finished(toy)
    (toy / "log").write_text("")
    (toy / "stage.py").touch()
    (toy / "edited").write_text("x")
    source = (toy / "stage.py").read_text()
    (toy / "stage.py").write_text(source.replace("{pathlib.Path('edited').read_text()}", ""))
    assert finished(toy)[0] == 0
    dvc(toy, "repro")
    (toy / "edited").write_text("y")  # what the two that read it write is as before
    code, said, _ = finished(toy)
    assert code == 0
    assert sorted(said.splitlines()[-1].split()[1:]) == ["b2", "first"]


@pytest.mark.slow
def test_a_stage_that_fails_is_told_last_and_the_others_end_theirs(toy):
    (toy / "broken-a1").touch()
    process = started(toy, SECONDS="1")
    said, errors = process.communicate(timeout=60)
    assert process.returncode == 255
    assert "words of a1\nerror: a1 is broken\n" in errors
    assert errors.splitlines()[-1] == "error: the stage a1 failed."
    assert "a1 |" not in said
    assert "ends b1" in log(toy)
    assert {"first", "b1"} <= {*locked(toy)} <= {"first", "b1", "b2", "b3"}
    (toy / "broken-a1").unlink()
    assert finished(toy)[0] == 0
    assert "begins b1" not in log(toy)
    assert idle(toy)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_ends_all_lanes_at_once(toy, number):
    for name in ("a1", "b1"):
        (toy / f"slow-{name}").touch()
    process = started(toy)
    until(lambda: {"begins a1", "begins b1"} <= {*log(toy)})
    began = time.monotonic()
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert time.monotonic() - began < 5
    assert process.returncode == 128 + number
    assert errors.startswith("interrupted: nothing half-written is kept")
    goes_on(toy)


@pytest.mark.slow
@pytest.mark.parametrize("whole", [False, True])
def test_a_lane_or_a_run_that_is_killed_takes_its_stages_along(toy, whole):
    for name in ("a1", "b1"):
        (toy / f"slow-{name}").touch()
    process = started(toy)
    until(lambda: {"begins a1", "begins b1"} <= {*log(toy)})
    lanes = children(*children(process.pid))
    stages = [stage for lane in lanes for stage in children(lane)]
    assert len(lanes) == len(stages) == 2
    os.kill(process.pid if whole else lanes[0], signal.SIGKILL)
    if not whole:
        until(lambda: not alive(stages[0]))
        assert alive(stages[1])  # the other ends its present stage
        os.kill(stages[1], signal.SIGKILL)
    until(lambda: not any(map(alive, [*lanes, *stages])))
    process.communicate(timeout=60)
    goes_on(toy)


@pytest.mark.slow
def test_half_a_lock_file_is_replaced_by_the_last_whole_one(toy):
    finished(toy)
    whole = (toy / "dvc.lock").read_text()
    for half in ("", whole[: len(whole) // 2], whole[:-3]):
        (toy / "dvc.lock").write_text(half)
        code = "from analysis.pipeline import lock; print(len(lock.outputs()))"
        told = subprocess.check_output(
            [sys.executable, "-c", code], cwd=toy, env=os.environ | {"PYTHONPATH": str(ROOT)}
        )
        assert int(told) == len(NEEDS)
        assert (toy / "dvc.lock").read_text() == whole


def test_the_longest_path_and_what_is_left_of_it():
    seconds = {name: 1.0 for name in NEEDS} | {"b2": 5.0, "a2": 4.0}
    assert times.longest_path(NEEDS, seconds) == ["first", "b1", "b2", "joined", "last"]
    rest = times.to_the_end(NEEDS, seconds)
    assert (rest["first"], rest["a2"], rest["last"]) == (9, 6, 1)


def test_stages_without_a_note_are_expected_to_take_as_long_as_others_of_their_kind():
    taken = {"train@a": 4, "train@b": 6}
    expected = times.expected(["train@a", "train@c", "site"], taken)
    assert expected == {"train@a": 4, "train@c": 5, "site": times.UNKNOWN}
    told = times.summary({"train@a": [], "train@b": ["train@a"], "site": ["train@b"]}, taken, taken)
    assert "Stages took 10 s together: train 10 s." in told
    assert (
        "The longest path, 10 s, which more cores do not shorten: train@a 4 s, train@b 6 s" in told
    )


def test_durations_are_read_at_a_glance():
    assert [times.said(n) for n in (0.2, 59.4, 59.6, 106)] == ["0 s", "59 s", "1:00", "1:46"]


MEASURE = "python -m analysis.stages measure own {}"


@pytest.fixture
def planned(tmp_path, monkeypatch):
    """Return ``planned(stages, cores, ...)``: what runs at a time, until all have run.

    Of every moment, the cores that each stage was given.
    """
    monkeypatch.chdir(tmp_path)

    def plan(nodes: dict[str, StageNode], cores: int, memory: int = 10**6, **options):
        lanes = Lanes(nodes, {*nodes}, held=0, cores=cores, **options)
        lanes.memory = memory

        def start(name, cores, memory):
            lanes.running[name] = Running(None, None, cores, memory)

        monkeypatch.setattr(lanes, "_start", start)
        moments = []
        while lanes.waiting or lanes.running:
            lanes._begin()
            moments.append({name: one.cores for name, one in lanes.running.items()})
            first = next(iter(lanes.running))
            del lanes.running[first]
            lanes.changed.add(first)
        return moments

    return plan


def node(command: str = "", *needs: str, params: tuple[str, ...] = ()) -> StageNode:
    return StageNode(command, frozenset(params), (), (), frozenset(needs))


MANY = {
    "train": node(),
    **{name: node(MEASURE.format(name), "train") for name in ("vectors", "heads", "rows")},
    "faithfulness": node(MEASURE.format("faithfulness"), "vectors"),
    "summary": node("", "faithfulness", "heads", "rows"),
}


@pytest.mark.parametrize("workers", [None, 1, 2, 5])
@pytest.mark.parametrize("cores", [1, 2, 4, 8])
def test_stages_and_their_workers_share_the_cores(planned, cores, workers):
    moments = planned(MANY, cores, workers=workers)
    assert all(sum(moment.values()) <= cores for moment in moments)
    ran = dict.fromkeys(name for moment in moments for name in moment)
    assert {*ran} == {*MANY}
    for name in MANY:
        assert not any(name in moment and MANY[name].needs & {*moment} for moment in moments)
    if workers is None:  # none is idle while a measure could use it
        together = next(moment for moment in moments if "heads" in moment)
        assert sum(together.values()) >= min(cores, 6) - cores % len(together)


def test_stages_that_do_not_fit_into_memory_wait(planned, tmp_path):
    (tmp_path / "runs").mkdir()
    apart = {name: node() for name in "abcd"}
    for name in apart:
        (tmp_path / "runs" / f"{name}.json").write_text('{"seconds": 1, "peak_memory_mib": 600}')
    assert max(map(len, planned(apart, 4, memory=2000))) == 3
    assert max(map(len, planned(apart, 4, memory=100))) == 1  # one runs in any case
    assert max(map(len, planned(apart, 4))) == 4


def test_stages_on_one_accelerator_run_one_at_a_time(planned):
    nodes = {name: node(params=("device",)) for name in "abc"} | {"d": node(), "e": node()}
    assert max(map(len, planned(nodes, 8))) == 5
    for moment in planned(nodes, 8, accelerated=lambda: True):
        assert len({*moment} & {*"abc"}) <= 1
    assert max(map(len, planned(nodes, 8, accelerated=lambda: True))) == 3


def test_a_run_that_has_nothing_to_do_is_known_by_sizes_and_times(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deep" / "below").mkdir(parents=True)
    files = [tmp_path / "deep" / "below" / "a", tmp_path / "params.yaml"]
    for file in files:
        file.write_text("1")
    assert not unchanged.unchanged()
    unchanged.note(["deep", "absent"])
    assert unchanged.unchanged()
    (tmp_path / "deep" / "__pycache__").mkdir()
    (tmp_path / "deep" / "__pycache__" / "a.pyc").touch()
    assert unchanged.unchanged()
    for edit in (
        lambda: files[0].write_text("2"),
        lambda: files[1].write_text("1 "),
        lambda: (tmp_path / "deep" / "b").touch(),
        lambda: files[0].unlink(),
        lambda: (tmp_path / "absent").touch(),
        lambda: monkeypatch.setattr(unchanged, "installed", lambda package: "0"),
        lambda: unchanged.NOTE.write_text("half"),
    ):
        unchanged.note(["deep", "absent"])
        assert unchanged.unchanged()
        edit()
        assert not unchanged.unchanged()
