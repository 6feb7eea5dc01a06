"""Stages that are killed at random, seeded moments: nothing is half-written, and all run again.

The fastest first, and all of them in turn.
"""

import json
import random
import shutil
import time
from pathlib import Path

import pytest
from processes import BY_HAND, KILLS, SAID, copied, files, hashes, ignored, started
from small_run import (
    GRAPH,
    of_all,
    of_experiments,
    otherwise_named,
    outputs,
    small_parameters,
    write_parameters,
)

pytestmark = BY_HAND
COMMANDS = of_experiments("films", "own") | of_all()
# What it writes has the times of the stages before it.
del COMMANDS["notebook-provenance"]


def finish(directory: Path, name: str) -> None:
    process = started(directory, name, COMMANDS[name])
    process.join()
    assert process.exitcode == 0, f"{name}: {(directory / SAID).read_text()}"


def kill(directory: Path, name: str, seconds: float) -> None:
    process = started(directory, name, COMMANDS[name])
    process.join(seconds)
    process.kill()
    process.join()


def written(name: str) -> list[str]:
    """Paths that a stage writes."""
    stage, _, key = name.partition("@")
    content = GRAPH[stage].get("do", GRAPH[stage])
    return [out.replace("${key}", key).replace("${item}", key) for out in outputs(content)]


@pytest.fixture(scope="module")
def whole(small_site) -> dict[str, str]:
    return hashes(small_site.parent)


def seconds(directory: Path, name: str) -> float:
    return json.loads((directory / "runs" / f"{name}.json").read_text())["seconds"]


@pytest.mark.parametrize("number", range(KILLS))
def test_a_killed_stage_leaves_nothing_half_written_and_runs_again(
    small_site, whole, tmp_path, number
):
    run = small_site.parent
    names = sorted(COMMANDS, key=lambda name: seconds(run, name))
    name = names[number % len(names)]
    chance = random.Random(number)
    directory = copied(run, tmp_path / "run")
    outs = [directory / out for out in written(name)]
    if chance.random() < 0.5:  # as DVC does before it runs a stage; by hand, nobody does
        for out in outs:
            shutil.rmtree(out)
    kill(directory, name, chance.uniform(0, seconds(run, name)))
    left = hashes(directory)
    assert left.items() <= whole.items()
    for out in written(name):
        own = {path for path in whole if path.startswith(f"{out}/")}
        assert own
        assert not own & left.keys() or own <= left.keys()
    others = {path for path in whole if not path.startswith(tuple(f"{o}/" for o in written(name)))}
    assert others <= left.keys()

    finish(directory, name)
    assert hashes(directory) == whole
    assert not [path for path in files(directory) if ignored(path)]


def test_a_training_that_is_killed_again_and_again_ends_like_any_other(finished, tmp_path):
    values = otherwise_named(small_parameters())
    values["experiments"]["films"]["train"]["evaluations"] = 5
    runs = [copied(finished, tmp_path / one) for one in ("undisturbed", "killed")]
    for directory in runs:
        shutil.rmtree(directory / "artifacts" / "films" / "train")
        (directory / "params.yaml").unlink()
        write_parameters(directory, values)
    undisturbed, killed = runs
    finish(undisturbed, "train@films")
    chance = random.Random(0)
    checkpoints = killed / "checkpoints" / "films"
    for number in (1, 3):
        process = started(killed, "train@films", COMMANDS["train@films"])
        while not list(checkpoints.glob(f"checkpoint-{number}/trainer_state.json")):
            assert process.is_alive()
            time.sleep(0.01)
        process.join(chance.uniform(0, 0.5))
        process.kill()
        process.join()
        assert not (killed / "artifacts" / "films" / "train").exists()
    finish(killed, "train@films")
    assert hashes(killed) == hashes(undisturbed)
    assert not list((killed / "checkpoints").iterdir())
