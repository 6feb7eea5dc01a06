"""What a GPU makes of the model's work: the same each time, what the CPU finds, and at what cost.

Needs nothing but the environment: the embedded model, and texts from the grammar of reviews. Every
part runs twice on the GPU, where its bytes must be the same, and once on the CPU.
"""

from __future__ import annotations

import copy
import hashlib
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from analysis import corpora
from analysis.capture.gradients import gradients, integrated_gradients
from analysis.capture.record import record
from analysis.errors import InputError
from analysis.models.ablation import ablate
from analysis.models.device import deterministic, repeatable
from analysis.models.encode import Encoded, encode, pad
from analysis.models.finetune import classification_rows, finetune
from analysis.models.head_ablation import ablate_heads, measure_classes
from analysis.models.load import load_classifier, load_tokenizer
from analysis.params.sections import GeneratedData, Length, SplitSizes, Train

Values = dict[str, NDArray]
"""What a part computes, by name."""

CPU = torch.device("cpu")
DATA = GeneratedData(
    source="generated",
    grammar="reviews",
    sizes=SplitSizes(train=160, validation=40, test=32),
    seed=0,
)
LENGTH = Length(max_tokens=96, longer="truncate")
TRAINING = Train(
    epochs=1,
    batch_size=8,
    learning_rate=1e-4,
    weight_decay=0.01,
    warmup=0.1,
    dropout=0.1,
    evaluations=1,
    seed=0,
)
BATCH = 32  # texts a pass
FEW = 8  # texts of the parts that need many passes for one


@dataclass(frozen=True)
class Subject:
    """The model, and the texts that every part reads."""

    tokenizer: PreTrainedTokenizerBase
    classifier: PreTrainedModel
    rows: dict[str, list]
    encoded: list[Encoded]
    labels: list[int]

    @classmethod
    def read(cls, directory: Path, data: GeneratedData = DATA, length: Length = LENGTH) -> Subject:
        """Load a model with a new head, and lay out the texts.

        Parameters
        ----------
        directory
            Of the model.
        data, length
            Of the texts.
        """
        corpus = corpora.load(data, "classification")
        tokenizer = load_tokenizer(directory)
        deterministic(TRAINING.seed)  # the new head is drawn
        classifier = load_classifier(directory, corpus.label_names, TRAINING.dropout)
        encoded, labels = {}, {}
        for split in ("train", "validation", "test"):
            texts = corpus.examples[corpus.examples["split"] == split]
            encoded[split] = encode(texts["text"].tolist(), tokenizer, length)
            labels[split] = texts["label"].astype(int).tolist()
        rows = {
            split: classification_rows(encoded[split], labels[split], tokenizer)
            for split in ("train", "validation")
        }
        return cls(tokenizer, classifier, rows, encoded["test"], labels["test"])


# --- the parts ------------------------------------------------------------------------------------


def forward(subject: Subject, device: torch.device) -> Values:
    """Pass all texts through the model and do nothing else."""
    model = subject.classifier.to(device).eval()  # type: ignore[arg-type]
    with torch.inference_mode():
        output = model(**pad(subject.encoded, subject.tokenizer, device))
    return {"logits": output.logits.cpu().numpy()}


def training(subject: Subject, device: torch.device, *, dropout: bool) -> Values:
    """Fine-tune for an epoch; without dropout, whose random numbers differ between processors."""
    model = copy.deepcopy(subject.classifier)
    if not dropout:
        for module in model.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.0
    with tempfile.TemporaryDirectory() as checkpoints:
        tuned, history = finetune(
            model,
            subject.tokenizer,
            subject.rows["train"],
            subject.rows["validation"],
            TRAINING,
            device=device,
            precision="float32",
            checkpoints=Path(checkpoints),
            model_sha256={},
        )
    losses = history[["train_loss", "validation_loss"]].to_numpy()
    if not dropout:
        # Weights part where a gradient is all rounding, since Adam's step is as long there.
        return {"losses": losses}
    weights = {name: weight.cpu().numpy() for name, weight in tuned.state_dict().items()}
    return weights | {"losses": losses}


def capture(subject: Subject, device: torch.device, *, precision: str) -> Values:
    """Read every array of every text."""
    captured = record(
        subject.classifier,
        subject.tokenizer,
        subject.encoded,
        device=device,
        precision=precision,
        batch_size=BATCH,
    )
    arrays = list(captured)
    return {
        name: np.concatenate([values[name].ravel() for values, _ in arrays])
        for name in arrays[0][0]
    }


def slopes(subject: Subject, device: torch.device) -> Values:
    """Take gradients of the class scores, plain and integrated."""
    given = (subject.classifier, subject.tokenizer, subject.encoded[:FEW])
    options: dict[str, Any] = {
        "device": device,
        "targets": subject.labels[:FEW],
        "batch_size": BATCH,
    }
    plain = list(gradients(*given, **options))
    integrated = integrated_gradients(*given, steps=16, **options)
    return {
        "attention_gradient": np.concatenate([one.attention_gradient.ravel() for one in plain]),
        "gradient_x_input": np.concatenate([one.gradient_x_input for one in plain]),
        "integrated": np.concatenate([one.scores for one in integrated]),
    }


def removed_tokens(subject: Subject, device: torch.device) -> Values:
    """Delete every token of a few texts, one at a time."""
    few = subject.encoded[:FEW]
    sets = [
        [(), *((position,) for position, special in enumerate(text.is_special) if not special)]
        for text in few
    ]
    probabilities = ablate(
        subject.classifier,
        subject.tokenizer,
        [text.input_ids for text in few],
        sets,
        removal="delete",
        device=device,
        batch_size=BATCH,
    )
    return {"probabilities": np.concatenate([one.ravel() for one in probabilities])}


def disabled_heads(subject: Subject, device: torch.device) -> Values:
    """Disable every head, one at a time."""
    measured = ablate_heads(
        subject.classifier,
        subject.tokenizer,
        [[text] for text in subject.encoded[:FEW]],
        measure_classes(subject.labels[:FEW]),
        device=device,
        batch_size=BATCH,
    )
    return {"losses": measured[..., 0]}


# --- how they are held against each other ---------------------------------------------------------


class Part(NamedTuple):
    """Something that the pipeline does with a model.

    Attributes
    ----------
    name
        Row of the table.
    compute
        On a device.
    tolerance
        Largest difference from the CPU, as a share of the largest value of an array; None where
        nothing there is comparable.
    reference
        What the CPU computes in its place, if it is not the same.
    """

    name: str
    compute: Callable[[Subject, torch.device], Values]
    tolerance: float | None
    reference: Callable[[Subject, torch.device], Values] | None = None


# Another order of float32 sums moves these values by 2e-6 at most (on a CPU, two threads against
# one); TF32, which must stay off, moves them by 1e-3. A training carries its rounding from step to
# step. bfloat16 on the CPU is off by 1e-2.
PARTS = (
    Part("forward pass", forward, 1e-4),
    Part("training", partial(training, dropout=True), None),
    Part("training without dropout", partial(training, dropout=False), 1e-3),
    Part("capture, float32", partial(capture, precision="float32"), 1e-4),
    Part(
        "capture, bfloat16",
        partial(capture, precision="bfloat16"),
        5e-2,
        partial(capture, precision="float32"),
    ),
    Part("gradients", slopes, 1e-4),
    Part("removed tokens", removed_tokens, 1e-4),
    Part("disabled heads", disabled_heads, 1e-4),
)


@dataclass(frozen=True)
class Outcome:
    """What became of a part.

    Attributes
    ----------
    part
        The part.
    hashes
        Of both runs.
    difference
        From the CPU, as a share of the largest value of an array; None where nothing is comparable.
    seconds
        Of the second run, when kernels are loaded.
    memory
        Largest amount of the GPU's memory in use, MiB.
    """

    part: Part
    hashes: tuple[str, str]
    difference: float | None
    seconds: float
    memory: float

    @property
    def passed(self) -> bool:
        """Whether both runs agree, and with the CPU; nan does not."""
        if self.hashes[0] != self.hashes[1]:
            return False
        allowed = self.part.tolerance
        return self.difference is None or allowed is None or self.difference <= allowed


def require_gpu() -> torch.device:
    """Return the GPU that is checked.

    Raises
    ------
    InputError
        If PyTorch finds none.
    """
    if not torch.cuda.is_available():
        raise InputError(
            f"gpu-check needs a CUDA GPU, and PyTorch {torch.__version__} finds none here; run it "
            "on a machine that has one, with its driver. Nothing else needs a GPU."
        )
    return torch.device("cuda:0")


def check(
    subject: Subject, device: torch.device, parts: Sequence[Part] = PARTS
) -> Iterator[Outcome]:
    """Run every part, twice on ``device`` and once on the CPU."""
    for part in parts:
        repeatable()
        hashes = []
        for _ in range(2):
            if device.type == "cuda":
                torch.cuda.empty_cache()
                torch.cuda.reset_peak_memory_stats(device)
            start = time.perf_counter()
            values = part.compute(subject, device)
            seconds = time.perf_counter() - start
            hashes.append(_hash(values))
        peak = torch.cuda.max_memory_allocated(device) / 2**20 if device.type == "cuda" else 0.0
        difference = None
        if part.tolerance is not None:
            difference = _difference(values, (part.reference or part.compute)(subject, CPU))
        yield Outcome(part, (hashes[0], hashes[1]), difference, seconds, peak)


def _hash(values: Mapping[str, NDArray]) -> str:
    digest = hashlib.sha256()
    for name, array in sorted(values.items()):
        digest.update(f"{name} {array.dtype} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _difference(ours: Values, theirs: Values) -> float:
    """Largest difference of an array, as a share of its largest value; nan if one holds any."""
    shares = [np.abs(ours[name] - theirs[name]).max() / np.abs(theirs[name]).max() for name in ours]
    return float(np.max(shares))


def table(outcomes: Sequence[Outcome], device: torch.device) -> str:
    """Lay the outcomes out in Markdown, below what they were computed on and with."""
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else "CPU"
    cuda = f", CUDA {torch.version.cuda}" if torch.version.cuda else ""
    plain = outcomes[0]
    lines = [
        f"{name}, PyTorch {torch.__version__}{cuda}",
        "",
        "| part | seconds | by forward pass | memory, MiB | by forward pass | hash "
        "| twice the same | difference from the CPU | allowed | |",
        "|:--|--:|--:|--:|--:|:--|:--|--:|--:|:--|",
    ]
    for one in outcomes:
        difference, allowed = "not comparable", ""
        if one.difference is not None:
            difference, allowed = f"{one.difference:.1e}", f"{one.part.tolerance:.0e}"
        memory = one.memory / plain.memory if plain.memory else 1.0
        same = "yes" if one.hashes[0] == one.hashes[1] else "no"
        lines.append(
            f"| {one.part.name} | {one.seconds:.3f} | {one.seconds / plain.seconds:.1f} "
            f"| {one.memory:.0f} | {memory:.1f} | {one.hashes[1][:12]} | {same} | {difference} "
            f"| {allowed} | {'passed' if one.passed else 'FAILED'} |"
        )
    return "\n".join(lines)
