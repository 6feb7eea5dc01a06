"""A hub that cannot be reached is one sentence, and is asked once."""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest
from data_sections import HUB, REVISION, SQUAD_HUB
from small_run import ROOT, small_parameters, write_parameters

pytestmark = pytest.mark.slow

MODEL = {"source": "hub", "name": "somebody/some-model", "revision": REVISION}
QUESTIONS = {
    "data": SQUAD_HUB,
    "task": "question_answering",
    "length": {"max_tokens": 96, "stride": 32},
}


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


@pytest.mark.parametrize("offline", [False, True], ids=["hub hangs up", "offline"])
@pytest.mark.parametrize(
    ("changes", "command", "named"),
    [
        (
            {"model": MODEL},
            "analysis check",
            "experiments.reviews: the hub model somebody/some-model",
        ),
        ({"data": HUB}, "analysis check", "experiments.reviews: data.name is 'stanfordnlp/imdb'"),
        (
            QUESTIONS,
            "analysis.stages prepare reviews",
            "experiments.reviews: data.name is 'rajpurkar/squad_v2'",
        ),
    ],
)
def test_an_unreachable_hub_is_asked_once(tmp_path, attempts, changes, command, named, offline):
    values = small_parameters()
    values["experiments"]["reviews"] |= changes
    write_parameters(tmp_path, values)
    address, called = attempts
    given = {"PYTHONPATH": str(ROOT), "HF_HOME": str(tmp_path / "hf"), "HF_ENDPOINT": address}
    inherited = {key: one for key, one in os.environ.items() if not key.startswith("HF_")}
    done = subprocess.run(
        [sys.executable, "-m", *command.split()],
        cwd=tmp_path,
        env=inherited | given | ({"HF_HUB_OFFLINE": "1"} if offline else {}),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith(f"error: {named}")
    assert ("HF_HUB_OFFLINE is set" if offline else address) in done.stderr
    assert ("; unset HF_HUB_OFFLINE, or" if offline else "; connect to the hub, or") in done.stderr
    assert "HF_HUB_OFFLINE=1" not in done.stderr
    assert done.stderr.count("\n") == 1
    assert not done.stdout
    assert len(called) == (0 if offline else 1)
