"""Fine-tuning repeats bit for bit, and goes on after an interruption as if there had been none."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import torch
from made_inputs import SETTINGS, tune
from transformers import Trainer, TrainerCallback
from transformers.training_args import ParallelMode

from attention_mixing.errors import InputError
from attention_mixing.models.device import deterministic
from attention_mixing.models.finetune import FINGERPRINT, OnOneDevice
from attention_mixing.models.load import load_classifier
from attention_mixing.models.tokenizer import load_tokenizer
from attention_mixing.models.training_rows import training_rows
from attention_mixing.settings.experiment import Length

ADJECTIVES = ("dull", "bad", "bright", "good")
NOUNS = ("film", "plot", "actor", "music")
# 32 texts for training, 16 for validation; the label is whether the adjective is a kind one.
ROWS = [
    (f"the {noun} {verb} {adjective}", int(adjective in ("bright", "good")))
    for noun in NOUNS
    for verb in ("was", "is")
    for adjective in ADJECTIVES
]
HELD_OUT = [
    (f"a {adjective} {noun}", int(adjective in ("bright", "good")))
    for noun in NOUNS
    for adjective in ADJECTIVES
]


class Interrupted(Exception):
    """Stands for a machine that goes down."""


def run(pretrained: Path, checkpoints: Path, rows=ROWS, held_out=HELD_OUT, seed=7, **changes):
    """Do what the train stage does, with the tiny model."""
    tokenizer = load_tokenizer(pretrained)
    deterministic(SETTINGS["seeds"][0])
    model = load_classifier(pretrained, ("poor", "fine"), (SETTINGS | changes)["dropout"])

    def encoded(rows):
        if not rows:
            return []
        examples = pd.DataFrame(rows, columns=["text", "label"])
        return training_rows(
            examples, tokenizer, Length(max_tokens=16, longer="truncate"), model.config
        )

    rows, held_out = encoded(rows), encoded(held_out)
    model, history = tune(model, rows, held_out, checkpoints, seed=seed, **changes)
    return model.state_dict(), history


@pytest.fixture(scope="module")
def finished_at(tmp_path_factory) -> Path:
    """Where the checkpoints of ``uninterrupted`` are."""
    return tmp_path_factory.mktemp("uninterrupted")


@pytest.fixture(scope="module")
def uninterrupted(pretrained, finished_at):
    return run(pretrained, finished_at)


def assert_same(result, expected):
    (weights, history), (expected_weights, expected_history) = result, expected
    assert weights.keys() == expected_weights.keys()
    for name, tensor in weights.items():
        assert torch.equal(tensor, expected_weights[name]), name
    pd.testing.assert_frame_equal(history, expected_history, check_exact=True)


@pytest.fixture(scope="module")
def stopped(pretrained, tmp_path_factory) -> Path:
    """Checkpoints of a run that stopped right after it saved its second one, of four; moved."""
    directory = tmp_path_factory.mktemp("stopped")

    class Stop(TrainerCallback):
        def on_save(self, args, state, control, **_):
            if state.global_step == 4:
                raise Interrupted

    begin = Trainer.train

    def train(self, *args, **options):
        self.add_callback(Stop())
        return begin(self, *args, **options)

    with pytest.MonkeyPatch.context() as patch, pytest.raises(Interrupted):
        patch.setattr(Trainer, "train", train)
        run(pretrained, directory / "checkpoints")
    return (directory / "checkpoints").rename(directory / "elsewhere")


@pytest.fixture
def interrupted(stopped, tmp_path) -> Path:
    """The same, to be changed."""
    return shutil.copytree(stopped, tmp_path / "checkpoints")


def resumed_from(pretrained: Path, checkpoints: Path, **changes) -> str | None:
    """Name of the checkpoint from which training would go on; None for a fresh start."""
    begun = []

    def train(self, resume_from_checkpoint=None):
        begun.append(resume_from_checkpoint and Path(resume_from_checkpoint).name)
        raise Interrupted

    with pytest.MonkeyPatch.context() as patch, pytest.raises(Interrupted):
        patch.setattr(Trainer, "train", train)
        run(pretrained, checkpoints, **changes)
    return begun[0]


@pytest.mark.parametrize("step", [2, 4])  # within an epoch, and at the end of one
def test_an_interrupted_run_ends_like_any_other(pretrained, uninterrupted, interrupted, step):
    if step == 2:
        shutil.rmtree(interrupted / "checkpoint-4")
    torch.rand(17)  # what was drawn before does not matter
    assert resumed_from(pretrained, interrupted) == f"checkpoint-{step}"
    assert_same(run(pretrained, interrupted), uninterrupted)


def test_a_finished_run_is_not_trained_again(pretrained, uninterrupted, finished_at):
    assert resumed_from(pretrained, finished_at) == "checkpoint-8"
    assert_same(run(pretrained, finished_at), uninterrupted)


@pytest.mark.parametrize(
    "changes",
    [{"learning_rate": 1e-3}, {"epochs": 1}, {"rows": ROWS[:-8]}, {"held_out": ROWS}],
    ids=lambda changes: next(iter(changes)),
)
def test_checkpoints_of_another_run_are_not_used(pretrained, interrupted, changes):
    assert resumed_from(pretrained, interrupted, **changes) is None
    assert [path.name for path in interrupted.iterdir()] == [FINGERPRINT]


@pytest.mark.parametrize("state", [None, '{"epoch": 1.0, "lo', ""])
def test_a_checkpoint_that_was_cut_off_is_ignored(pretrained, interrupted, state):
    """Its state is written last."""
    file = interrupted / "checkpoint-4" / "trainer_state.json"
    file.unlink() if state is None else file.write_text(state)
    assert resumed_from(pretrained, interrupted) == "checkpoint-2"


@pytest.mark.parametrize("text", ["", '{"data": "', "[]"])
def test_a_note_that_was_cut_off_begins_anew(pretrained, interrupted, text):
    (interrupted / FINGERPRINT).write_text(text)
    assert resumed_from(pretrained, interrupted) is None


def test_the_note_tells_what_decides_the_result(stopped):
    note = json.loads((stopped / FINGERPRINT).read_text())
    (seed,) = SETTINGS["seeds"]
    assert note["train"] | {"seeds": [seed]} == SETTINGS | {"seed": seed}
    assert {"data", "model", "precision", "versions"} <= set(note)
    assert "torch" in note["versions"]
    assert os.sep not in json.dumps(note["model"])


def test_another_seed_gives_other_weights(pretrained, uninterrupted, tmp_path):
    """Even with the same new head."""
    weights, _ = run(pretrained, tmp_path, seed=8)
    assert any(not torch.equal(tensor, uninterrupted[0][name]) for name, tensor in weights.items())


def test_history_has_a_row_an_evaluation(uninterrupted):
    _, history = uninterrupted
    assert history["step"].tolist() == [2, 4, 6, 8]
    assert history["epoch"].tolist() == [0.5, 1.0, 1.5, 2.0]
    assert history.notna().all(axis=None)


def test_the_best_evaluation_is_returned_not_the_last(pretrained, tmp_path):
    """Where all that is learnt harms, the weights of the first evaluation are the best ones."""
    turned = [(text, 1 - label) for text, label in HELD_OUT]
    weights, history = run(pretrained, tmp_path, held_out=turned)
    best = history.loc[history["validation_loss"].idxmin()]
    assert best["step"] < history["step"].iloc[-1]
    model = load_classifier(pretrained, ("poor", "fine"), 0.1)
    model.load_state_dict(weights)
    tokenizer = load_tokenizer(pretrained)
    texts, labels = zip(*turned, strict=True)
    with torch.inference_mode():
        batch = tokenizer(list(texts), return_tensors="pt", padding=True)
        output = model.eval()(**batch, labels=torch.tensor(labels))
    assert float(output.loss) == pytest.approx(best["validation_loss"], rel=1e-4)
    right = output.logits.argmax(dim=1) == torch.tensor(labels)
    assert float(right.float().mean()) == pytest.approx(best["validation_accuracy"])


@pytest.mark.parametrize(
    ("changes", "steps", "epochs"),
    [
        # More evaluations than steps: one a step.
        ({"rows": ROWS[:16], "epochs": 1, "evaluations": 100}, [1, 2], [0.5, 1.0]),
        # Seven steps and two evaluations an epoch: the middle, rounded up, and the end.
        ({"rows": ROWS[:28], "batch_size": 4}, [4, 7, 11, 14], [0.5714, 1.0, 1.5714, 2.0]),
    ],
)
def test_the_last_evaluation_of_an_epoch_is_its_end(pretrained, tmp_path, changes, steps, epochs):
    _, history = run(pretrained, tmp_path, **changes)
    assert history["step"].tolist() == steps
    assert history["epoch"].tolist() == epochs


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"learning_rate": 1e30, "epochs": 1}, r"diverged .*learning_rate 1e\+30; lower it"),
        ({"rows": []}, "one of them is empty"),
        ({"held_out": []}, "one of them is empty"),
        ({"precision": "float16"}, "precision is float16 but device is cpu"),
    ],
)
def test_what_cannot_be_trained_is_told(pretrained, tmp_path, changes, message):
    with pytest.raises(InputError, match=message):
        run(pretrained, tmp_path, **changes)


@pytest.mark.parametrize(("device", "used"), [("cuda:1", 1), ("cpu", 0)])
def test_one_device_is_trained_on_however_many_there_are(device, used, tmp_path, monkeypatch):
    """Sixteen GPUs are only said to be there: what Trainer would do is in its arguments."""
    current = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 16)
    monkeypatch.setattr(torch.cuda, "set_device", current.append)
    arguments = OnOneDevice(
        only=device,
        use_cpu=device == "cpu",
        output_dir=str(tmp_path),
        per_device_train_batch_size=8,
        per_device_eval_batch_size=16,
    )
    assert arguments.device == torch.device(device)
    assert arguments.n_gpu == used
    assert (arguments.train_batch_size, arguments.eval_batch_size) == (8, 16)
    assert arguments.parallel_mode == ParallelMode.NOT_PARALLEL
    # accelerate moves batches to the current GPU.
    assert current[-1:] == ([torch.device(device)] if used else [])


SEVERAL = """
import os, sys
from pathlib import Path
sys.path[:0] = sys.argv[1:3]
from test_finetune import run
_, history = run(Path("model"), Path("together"), dropout=0.0)
history.to_csv(f"{os.environ['RANK']}.csv", index=False)
"""


@pytest.mark.slow
def test_two_processes_train_as_one_does(pretrained, here):
    """The same batches in the same order; dropout apart, whose random numbers each draws itself."""
    shutil.copytree(pretrained, "model")
    config = json.loads(Path("model/config.json").read_text())
    config |= {"hidden_dropout_prob": 0, "attention_probs_dropout_prob": 0}
    Path("model/config.json").write_text(json.dumps(config))
    Path("several.py").write_text(SEVERAL)
    here = Path(__file__).parent
    launcher = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2"]
    launched = [*launcher, "several.py", str(here), str(here.parent)]
    subprocess.run(launched, check=True, env=os.environ | {"PYTHONPATH": str(here.parents[1])})
    _, alone = run(Path("model"), Path("alone"), dropout=0.0)
    for process in (0, 1):
        pd.testing.assert_frame_equal(pd.read_csv(f"{process}.csv"), alone, rtol=1e-5)
    notes = {path.name for path in Path("together").iterdir()}
    assert notes == {path.name for path in Path("alone").iterdir()}


def test_a_batch_that_processes_cannot_share_is_refused(pretrained, tmp_path, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "3")
    with pytest.raises(InputError, match="batch_size is 8, which 3 processes cannot share"):
        run(pretrained, tmp_path / "checkpoints")
