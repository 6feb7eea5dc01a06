"""What a GPU makes of the model's work: the same each time, what the CPU finds, and at what cost.

`make gpu-check` runs this on a GPU with the embedded model, and shows the table of what it costs.
Every other run has the CPU and a tiny model, so that the code of the parts is tested everywhere.
"""

import copy
import sys
import time
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
import torch
from families import build, layers_of_pass
from numpy.typing import NDArray
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from attention_mixing import corpora
from attention_mixing.capture.gradients import gradients, integrated_gradients
from attention_mixing.capture.record import record
from attention_mixing.models.batch import pad
from attention_mixing.models.device import deterministic, repeatable
from attention_mixing.models.encode import Encoded, encode_examples
from attention_mixing.models.finetune import finetune
from attention_mixing.models.head_ablation import ablate_heads, measure_classes
from attention_mixing.models.interventions import RunningModel
from attention_mixing.models.load import load_classifier
from attention_mixing.models.self_check import require_own_values
from attention_mixing.models.source import locate
from attention_mixing.models.token_ablation import ablate
from attention_mixing.models.tokenizer import load_tokenizer
from attention_mixing.models.training_rows import Row, training_rows
from attention_mixing.settings.experiment import Length, Train
from attention_mixing.settings.sources import EmbeddedModel, GeneratedData, SplitSizes

CPU = torch.device("cpu")
NO_GPU = f"PyTorch {torch.__version__} finds no CUDA GPU here"
GPU = (pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason=NO_GPU))
TRAINING = Train(
    epochs=1,
    batch_size=8,
    learning_rate=1e-4,
    weight_decay=0.01,
    warmup=0.1,
    dropout=0.1,
    evaluations=1,
    seeds=(0,),
)
BATCH = 32  # texts a pass
FEW = 8  # texts of the parts that need many passes for one

Values = dict[str, NDArray]
"""What a part computes, by name."""


class Subject(NamedTuple):
    """The model with a new head, what it trains on, and the texts of the test with their labels."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    rows: dict[str, list[Row]]
    encoded: list[Encoded]
    labels: list[int]


@pytest.fixture(scope="module", params=["cpu", pytest.param("cuda:0", marks=GPU)])
def device(request) -> torch.device:
    return torch.device(request.param)


@pytest.fixture(scope="module")
def subject(device, pretrained) -> Subject:
    path, longest, sizes = pretrained, 40, {"train": 16, "validation": 8, "test": 4}
    if device != CPU:
        path = locate(EmbeddedModel(source="embedded")).path
        longest, sizes = 96, {"train": 160, "validation": 40, "test": 32}
    data = GeneratedData(source="generated", grammar="reviews", sizes=SplitSizes(**sizes), seed=0)
    corpus = corpora.load(data, "classification")
    tokenizer = load_tokenizer(path)
    deterministic(TRAINING.seeds[0])  # the new head is drawn
    model = load_classifier(path, corpus.label_names, TRAINING.dropout)
    length = Length(max_tokens=longest, longer="truncate")
    rows = {
        split: training_rows(corpus.split(split), tokenizer, length, model.config)
        for split in ("train", "validation")
    }
    test = corpus.split("test")
    labels = test["label"].astype(int).tolist()
    return Subject(model, tokenizer, rows, encode_examples(test, tokenizer, length), labels)


@pytest.fixture(scope="module")
def costs(device):
    """What each part costs, written at the end, and seen where pytest captures nothing (`-s`)."""
    rows: list[dict[str, object]] = []
    yield rows
    name = "CPU" if device == CPU else torch.cuda.get_device_name(device)
    table = pd.DataFrame(rows)
    for column in ("seconds", "MiB"):
        ratio = table[column] / table[column].iloc[0]
        table.insert(table.columns.get_loc(column) + 1, f"{column} by {table['part'][0]}", ratio)
    version = f"PyTorch {torch.__version__}, CUDA {torch.version.cuda or 'none'}"
    shown = table.to_string(index=False, na_rep="", float_format="{:.4g}".format)
    sys.stdout.write(f"\n{name}, {version}\n\n{shown}\n")


# --- the parts ------------------------------------------------------------------------------------


def forward(subject: Subject, device: torch.device) -> Values:
    """Pass all texts through the model and do nothing else."""
    model = subject.model.to(device).eval()
    with torch.inference_mode():
        output = model(**pad(subject.encoded, model.config, device))
    return {"logits": output.logits.cpu().numpy()}


def training(subject: Subject, device: torch.device, *, dropout: bool) -> Values:
    """Fine-tune for an epoch; without dropout, whose random numbers differ between processors."""
    model = copy.deepcopy(subject.model)
    if not dropout:
        for module in model.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.0
    with TemporaryDirectory() as checkpoints:
        tuned, history = finetune(
            model,
            subject.rows["train"],
            subject.rows["validation"],
            TRAINING,
            seed=TRAINING.seeds[0],
            device=device,
            precision="float32",
            checkpoints=Path(checkpoints),
            model_sha256={},
        )
    losses = {"losses": history[["train_loss", "validation_loss"]].to_numpy()}
    if not dropout:
        # Weights part where a gradient is all rounding, since Adam's step is as long there.
        return losses
    return losses | {name: weight.cpu().numpy() for name, weight in tuned.state_dict().items()}


def capture(subject: Subject, device: torch.device, *, precision: str) -> Values:
    """Read every array of every text."""
    model, _, _, encoded, _ = subject
    how = {"device": device, "precision": precision, "batch_size": BATCH}
    arrays = [values for values, _ in record(model, encoded, **how)]
    return {name: np.concatenate([one[name].ravel() for one in arrays]) for name in arrays[0]}


def slopes(subject: Subject, device: torch.device) -> Values:
    """Take gradients of the class scores, plain and integrated."""
    model, _, _, encoded, labels = subject
    few = encoded[:FEW]
    how = {"device": device, "targets": labels[:FEW], "batch_size": BATCH}
    plain = list(gradients(model, few, **how))
    integrated = integrated_gradients(model, few, steps=16, **how)
    return {
        "attention_gradient": np.concatenate([one.attention_gradient.ravel() for one in plain]),
        "gradient_x_input": np.concatenate([one.gradient_x_input for one in plain]),
        "integrated": np.concatenate([one.scores for one in integrated]),
    }


def removed_tokens(subject: Subject, device: torch.device) -> Values:
    """Delete every token of a few texts, one at a time."""
    model, tokenizer, _, encoded, _ = subject
    few = encoded[:FEW]
    sets = [
        [(), *((position,) for position, special in enumerate(text.is_special) if not special)]
        for text in few
    ]
    how = {"removal": "delete", "device": device, "batch_size": BATCH}
    probabilities = ablate(model, tokenizer, few, sets, **how)
    return {"probabilities": np.concatenate([one.ravel() for one in probabilities])}


def disabled_heads(subject: Subject, device: torch.device) -> Values:
    """Disable every head, one at a time."""
    model, _, _, encoded, labels = subject
    few = [[text] for text in encoded[:FEW]]
    measure = measure_classes(labels[:FEW])
    measured = ablate_heads(model, few, measure, device=device, batch_size=BATCH)
    return {"losses": measured[..., 0]}


# --- how they are held against each other ---------------------------------------------------------

with_dropout, without_dropout = (partial(training, dropout=dropout) for dropout in (True, False))
single, half = (partial(capture, precision=precision) for precision in ("float32", "bfloat16"))

# What a device computes, what the CPU computes in its place, and the largest difference of the two,
# as a share of the largest value of an array; None where nothing there is comparable.
# Another order of float32 sums moves these values by 2e-6 at most (on a CPU, two threads against
# one); TF32, which must stay off, moves them by 1e-3. A training carries its rounding from step to
# step. bfloat16 on the CPU is off by 1e-2.
PARTS = {
    "forward pass": (forward, forward, 1e-4),
    "training": (with_dropout, None, None),
    "training without dropout": (without_dropout, without_dropout, 1e-3),
    "capture, float32": (single, single, 1e-4),
    "capture, bfloat16": (half, single, 5e-2),
    "gradients": (slopes, slopes, 1e-4),
    "removed tokens": (removed_tokens, removed_tokens, 1e-4),
    "disabled heads": (disabled_heads, disabled_heads, 1e-4),
}


@pytest.mark.parametrize("part", PARTS)
def test_a_part_is_the_same_twice_and_what_the_cpu_finds(subject, device, costs, part):
    compute, on_the_cpu, allowed = PARTS[part]
    repeatable()
    results = []
    for _ in range(2):  # the second is timed, when kernels are loaded
        if device != CPU:
            torch.cuda.init()  # there is no memory to measure before
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats(device)
        start = time.perf_counter()
        results.append(compute(subject, device))
        seconds = time.perf_counter() - start
    memory = np.nan if device == CPU else torch.cuda.max_memory_allocated(device) / 2**20
    first, found = results
    difference = None
    if on_the_cpu is not None:
        same = device == CPU and on_the_cpu is compute
        difference = largest_share_apart(found, first if same else on_the_cpu(subject, CPU))
    costs.append(
        {
            "part": part,
            "seconds": seconds,
            "MiB": memory,
            "difference from the CPU": difference,
            "allowed": allowed,
        }
    )
    assert first.keys() == found.keys()
    assert all(np.array_equal(first[name], found[name]) for name in found)
    assert difference is None or difference <= allowed  # nan is not
    assert compute is not half or difference > 0


def largest_share_apart(found: Values, expected: Values) -> float:
    """Largest difference of any array, as a share of its largest value; nan if one holds any."""
    assert found.keys() == expected.keys()
    return np.max(
        [
            np.abs(1.0 * found[name] - expected[name]).max() / np.abs(expected[name]).max()
            for name in found
        ]
    )


@pytest.mark.parametrize("name", ["bert", "llama", "gpt2", "gemma2", "mixtral"])
def test_structure_and_layers_run_again_are_those_of_the_cpu(device, name):
    """Of an encoder and of decoders."""
    model = build(name)
    here, there = RunningModel(model), RunningModel(copy.deepcopy(model).to(device))
    require_own_values(there.model, name)
    assert there.described() == here.described()
    _, layers, ids = layers_of_pass(model)
    entered = np.stack([layer.entered[0].numpy() for layer in layers])
    made = layers[1].steps[0].made.numpy()
    for work in (
        lambda of: of.rest(1, entered[1])(made),
        lambda of: of.shares(1, entered[1])(entered[:1]),
        lambda of: of.features(ids, 0 * ids, skip=False, feed_forward=True),
        lambda of: of.attention(ids, 0 * ids, entered),
    ):
        np.testing.assert_allclose(work(there), work(here), rtol=0, atol=1e-4)
