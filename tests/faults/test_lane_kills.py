"""A run of lanes that is killed: whole, in a lane or in a stage. The next run needs no help."""

import os
import random
import signal
import time
from contextlib import suppress

import pytest
from processes import BY_HAND, KILLS
from toy_graph import children, dvc, goes_on, made, started, written

pytestmark = BY_HAND


@pytest.mark.parametrize("seed", range(KILLS // 10))
def test_kills_of_runs_lanes_and_stages_lose_nothing(tmp_path, seed):
    """Ten times at a random moment, with another edit each time."""
    toy = made(tmp_path)
    chance = random.Random(seed)
    for turn in range(10):
        (toy / "edited").write_text(f"{seed} {turn}")
        process = started(toy, cores=chance.choice([1, 2, 4]), SECONDS="0.3")
        time.sleep(chance.uniform(0.5, 8))
        server = children(process.pid)
        lanes = [lane for one in server for lane in children(one)]
        stages = [stage for lane in lanes for stage in children(lane)]
        choices = [
            [process.pid],
            lanes,
            stages,
            lanes[:1],
            server,
            [process.pid, *lanes],
            [*lanes, *stages],
        ]
        killed = chance.choice([some for some in choices if some])
        number = chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
        for pid in killed:
            with suppress(ProcessLookupError):
                os.kill(pid, number)
        process.communicate(timeout=300)
        if chance.random() < 0.1:
            goes_on(toy)
    goes_on(toy)
    lanes = written(toy)
    dvc(toy, "repro", "--force")
    assert written(toy) == lanes
