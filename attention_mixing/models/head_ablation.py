"""What a model says when one of its attention heads is disabled.

Michel, Levy and Neubig (2019), *Are Sixteen Heads Really Better than One?*, NeurIPS: the head's
part of the context, the input of the attention output projection, is set to zero. The bias of the
projection, the residual and all other heads stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from itertools import cycle
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from scipy.special import logsumexp
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle
from tqdm import tqdm
from transformers import PreTrainedModel

from attention_mixing.methods.question_answering import question_scores
from attention_mixing.models.batch import inputs, pad
from attention_mixing.models.classification import has_sequence_head
from attention_mixing.models.device import evaluating
from attention_mixing.models.dummy_inputs import structure_of
from attention_mixing.models.encode import Encoded, EncodedQuestion
from attention_mixing.models.layer_weights import weights_of
from attention_mixing.models.predict import answer_text, read_answer, unpadded_logits
from attention_mixing.models.self_check import require_unpadded

Measure = Callable[[int, list[NDArray[np.float64]]], tuple[float, float]]
"""Text and the logits of its windows -> loss and score."""


def all_heads(model: PreTrainedModel) -> list[tuple[int, int]]:
    """List layer and head of every head, both counted from 1, layer by layer."""
    layers = range(1, int(model.config.num_hidden_layers) + 1)
    return [(layer, 1 + head) for layer in layers for head in range(_heads(model))]


def ablate_heads(
    model: PreTrainedModel,
    texts: Sequence[Sequence[Encoded]],
    measure: Measure,
    *,
    device: torch.device,
    batch_size: int,
) -> NDArray[np.float64]:
    """Loss and score of every text, with nothing and with each head disabled.

    Texts of similar length share a batch. Layers below that of a head give what they gave with
    nothing disabled. Behind the attention of the last layer a classifier that reads the first token
    computes that alone. Always in the precision of the weights: what one head
    changes is often less than what bfloat16 rounds off.

    Parameters
    ----------
    model
        A classifier, or a model that answers questions. Left as it was.
    device
        As in :func:`attention_mixing.models.predict.predict`.
    texts
        ``[text][window]``, what the model reads of each text; a classifier reads one window.
    measure
        Called with the index of a text and the logits of its windows, without padding: ``[label]``,
        or ``[2, token]`` for the start and the end of an answer. Returns loss and score.
    batch_size
        Windows a pass; a text that has more is read in one pass of its own.

    Returns
    -------
    NDArray[float64]
        ``[variant, text, 2]``, loss and score; the variants are nothing disabled, then
        :func:`all_heads`.
    """
    batches = _batches(texts, batch_size)
    heads = all_heads(model)
    measured = np.empty((1 + len(heads), len(texts), 2))
    with (
        evaluating(model, device),
        torch.inference_mode(),
        _only_what_is_read(model),
        tqdm(total=len(batches) * len(measured), desc="heads", disable=None, unit="pass") as bar,
    ):
        for rows in batches:
            windows = [window for row in rows for window in texts[row]]
            require_unpadded(model, [inputs(window, model.config) for window in windows])
            batch = pad(windows, model.config, device)
            with _kept_below(model) as keep:
                for variant, head in enumerate([None, *heads]):
                    keep(kept := 0 if head is None else head[0] - 1)
                    with disabled(model, *head, kept=kept) if head else nullcontext():
                        output = model(**batch)
                    logits = iter(unpadded_logits(output, windows))
                    for row in rows:
                        measured[variant, row] = measure(row, [next(logits) for _ in texts[row]])
                    bar.update()
    return measured


def measure_classes(labels: Sequence[int]) -> Measure:
    """Measure a classifier: cross-entropy of the label in nats, and 1 if it is predicted, else 0.

    For :func:`ablate_heads`; ``labels`` are in the order of its texts.
    """

    def measure(text: int, logits: list[NDArray[np.float64]]) -> tuple[float, float]:
        (only,) = logits
        return _surprise(only, labels[text]), float(only.argmax() == labels[text])

    return measure


def measure_answers(examples: pd.DataFrame, questions: Sequence[EncodedQuestion]) -> Measure:
    """Measure answers: mean surprise at the gold span in nats, and the official F1, 0 to 1.

    The surprise is the negative log-likelihood of the first and of the last token of the gold span
    among the tokens of its window, in the mean of both and of all windows; a window without the
    whole answer should say "no answer". The F1 is that of the answer at threshold 0. For
    :func:`ablate_heads`; ``questions`` are the examples, encoded.
    """
    texts, answers = examples["text"].tolist(), [*map(list, examples["answers"])]

    def measure(text: int, logits: list[NDArray[np.float64]]) -> tuple[float, float]:
        question = questions[text]
        surprises = [
            _surprise(of_token, position)
            for window, gold in zip(logits, question.positions, strict=True)
            for of_token, position in zip(window, gold, strict=True)
        ]
        span = read_answer(question, logits).answer(threshold=0.0)
        answer = answer_text(texts[text], question, span)
        return float(np.mean(surprises)), question_scores(answer, answers[text])[1]

    return measure


def disabled(model: PreTrainedModel, layer: int, head: int, *, kept: int = 0) -> RemovableHandle:
    """Disable one head of :func:`all_heads` inside the block that the handle opens with ``with``.

    ``layer`` and ``head`` are counted from 1. The first ``kept`` layers are not computed. Behind
    the block the model is as it was.
    """
    paths = [of_layer.attention.modules[-1] for of_layer in structure_of(model).layers]
    projection = paths[layer - 1]
    # Layers may share a module, which every pass calls once for each of them.
    called = cycle(
        index + 1 for index, path in enumerate(paths) if path == projection and index >= kept
    )

    def without_head(module: nn.Module, inputs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        if next(called) != layer:
            return inputs
        context = inputs[0].clone()
        size = context.shape[-1] // _heads(model)
        context[..., (head - 1) * size : head * size] = 0
        return (context, *inputs[1:])

    return model.get_submodule(projection).register_forward_pre_hook(without_head)


def _batches(texts: Sequence[Sequence[Encoded]], batch_size: int) -> list[list[int]]:
    """Texts of each batch, shortest first; all windows of a text are in one batch."""
    longest = [max(len(window.input_ids) for window in windows) for windows in texts]
    batches: list[list[int]] = []
    room = 0
    for row in np.argsort(longest, kind="stable").tolist():
        if not batches or len(texts[row]) > room:
            batches.append([])
            room = batch_size
        batches[-1].append(row)
        room -= len(texts[row])
    return batches


def _only_what_is_read(model: PreTrainedModel) -> AbstractContextManager[Any]:
    """Let a classifier go on with the first token alone behind the attention of its last layer.

    Where that is the token that it reads; no token sees another behind the attention. Saves a
    quarter of a six-layer ablation.
    """
    after = [layer.attention.after for layer in structure_of(model).layers]
    if not has_sequence_head(model) or after[-1] is None or after[-1] in after[:-1]:
        return nullcontext()
    if weights_of(model).read != 0:
        return nullcontext()
    norm = model.get_submodule(after[-1])
    return norm.register_forward_pre_hook(lambda _, inputs: (inputs[0][:, :1], *inputs[1:]))


@contextmanager
def _kept_below(model: PreTrainedModel) -> Iterator[Callable[[int], None]]:
    """Keep the outputs of layers. Saves two fifths of what is left of a six-layer ablation.

    Before every pass, ``keep(layers)`` is told how many of the first layers are to give what they
    gave in the first pass.
    """
    paths = [layer.path for layer in structure_of(model).layers]
    outputs: dict[int, Any] = {}
    kept, calls = 0, iter(range(0))

    def keep(layers: int) -> None:
        nonlocal kept, calls
        kept, calls = layers, iter(range(len(paths)))

    def forward(compute: Callable[..., Any], *inputs: Any, **options: Any) -> Any:
        layer = next(calls)
        if layer < kept:
            return outputs[layer]
        output = compute(*inputs, **options)
        outputs.setdefault(layer, output)
        return output

    modules = [model.get_submodule(path) for path in dict.fromkeys(paths)]
    for module in modules:
        module.forward = partial(forward, module.forward)
    try:
        yield keep
    finally:
        for module in modules:
            del module.forward  # that of its class again


def _surprise(logits: NDArray[np.float64], right: int) -> float:
    """Negative log-likelihood in nats."""
    return float(logsumexp(logits) - logits[right])


def _heads(model: PreTrainedModel) -> int:
    return int(model.config.num_attention_heads)
