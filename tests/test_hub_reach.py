"""A hub that cannot be reached is one sentence, and is asked once."""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest
import yaml
from small_run import ROOT, small_parameters, write_parameters

COMMIT = "0123456789abcdef0123456789abcdef01234567"
MODEL = {"source": "hub", "name": "somebody/some-model", "revision": COMMIT}
DATA = {
    **{"source": "hub", "name": "somebody/some-data", "config": None, "revision": COMMIT},
    **{"train": "train", "test": "test", "text": "text", "label": "label", "seed": 0},
    **{"validation_fraction": 0.25, "limits": {"train": None, "test": None}},
}
PROFILE = yaml.safe_load((ROOT / "profiles" / "squad-bert-base.yaml").read_text(encoding="utf-8"))
QUESTIONS = {key: PROFILE["experiments"]["squad"][key] for key in ("data", "task", "length")}


@pytest.fixture
def attempts() -> Iterator[tuple[str, list]]:
    """Address of a hub that hangs up on everybody, and who called."""
    called: list = []

    def hang_up() -> None:
        while True:
            try:
                connection, caller = listening.accept()
            except OSError:  # closed: the test is over
                return
            called.append(caller)
            connection.close()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=hang_up, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", called
        listening.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize(
    ("changes", "command", "named"),
    [
        ({"model": MODEL}, "analysis check", "the hub model somebody/some-model"),
        ({"model": MODEL}, "analysis.stages.train reviews", "the hub model somebody/some-model"),
        ({"data": DATA}, "analysis check", "data.name is 'somebody/some-data'"),
        ({"data": DATA}, "analysis.stages.prepare reviews", "data.name is 'somebody/some-data'"),
        (QUESTIONS, "analysis.stages.prepare reviews", "data.name is 'rajpurkar/squad_v2'"),
    ],
)
def test_an_unreachable_hub_is_asked_once(tmp_path, attempts, changes, command, named):
    values = small_parameters()
    values["experiments"]["reviews"] |= changes
    write_parameters(tmp_path, values)
    address, called = attempts
    given = {"PYTHONPATH": str(ROOT), "HF_HOME": str(tmp_path / "hf"), "HF_ENDPOINT": address}
    inherited = {key: one for key, one in os.environ.items() if not key.startswith("HF_")}
    for more, why in (({}, address), ({"HF_HUB_OFFLINE": "1"}, "HF_HUB_OFFLINE is set")):
        done = subprocess.run(
            [sys.executable, "-m", *command.split()],
            cwd=tmp_path,
            env=inherited | given | more,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 2, done.stderr
        assert done.stderr.startswith(f"error: {named}")
        assert why in done.stderr
        assert done.stderr.count("\n") == 1
        assert not done.stdout
        assert len(called) == 1
