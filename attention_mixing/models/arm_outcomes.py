"""What a fine-tuned model depends on and predicts, text by text, under an intervention or without.

Tables have a row a number: ``text``, the place of the text among those that are read, ``quantity``,
``layer`` (from 1; 0 of what is of no layer) and ``value``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, kl_div

from attention_mixing.methods.arrays import defined_mean
from attention_mixing.methods.dependence import kept_among_neighbours
from attention_mixing.methods.shapley import shapley
from attention_mixing.models.batch import pad
from attention_mixing.models.clamping import shares, shares_of_passes
from attention_mixing.models.conditions import Condition, Reader
from attention_mixing.models.dependence import Batch, dependence
from attention_mixing.models.device import evaluating
from attention_mixing.models.encode import Encoded
from attention_mixing.models.mean_readout import MeanReadout
from attention_mixing.models.replacements import Ids
from attention_mixing.models.weight_roles import ROLES, exchanged

__all__ = ["depends", "path_of_sinks", "predictions", "predicts", "sink_shares"]

COLUMNS = ["text", "quantity", "layer", "value"]
LEAST = 1e-6  # of a share, and of what is left of it, in log-odds
Row = tuple[int, str, int, float]


def depends(
    model: MeanReadout,
    texts: Sequence[Encoded],
    replacements: Sequence[Ids],
    condition: Condition,
    reader: Reader,
    *,
    batch_size: int,
) -> pd.DataFrame:
    """Measure what ordinary tokens, and the prediction, depend on.

    Parameters
    ----------
    model
        What reads.
    texts, replacements
        As :func:`attention_mixing.models.dependence.dependence` takes them.
    condition, reader
        What is done meanwhile, and what opens it.
    batch_size
        Texts that are read together.

    Returns
    -------
    DataFrame
        ``dependence`` by layer: mean over ordinary tokens of the share of squared changes that
        comes from others; ``total_dependence``, the same of equation 10.1, where a token is itself
        as often as among neighbours of the text. ``prediction_change``, the sum over tokens of the
        squared changes of the logits, and ``prediction_tokens``, of how many tokens these would be
        if all had as much (1 over the sum of squared shares).
    """
    rows: list[Row] = []
    for number, (text, ids) in enumerate(zip(texts, replacements, strict=True)):

        def around(replaced: Batch, original: Batch, text: Encoded = text):  # type: ignore[no-untyped-def]
            return reader.opened(model, condition, [text], replaced, original)

        (found,) = dependence(
            model, [text], [ids], device=model.device, batch_size=batch_size, around=around
        )
        kept = {"dependence": 1.0, "total_dependence": kept_among_neighbours(*ids.shape)}
        for quantity, part in kept.items():
            by_layer = defined_mean(found.layers.dependence(part), axis=-1)
            rows += [(number, quantity, *at) for at in enumerate(by_layer.tolist(), 1)]
        assert found.prediction is not None  # a readout has logits of the text
        (of_tokens,) = found.prediction.shares()
        total = float(found.prediction.effects().sum())
        rows.append((number, "prediction_change", 0, total))
        rows.append((number, "prediction_tokens", 0, float(1 / np.square(of_tokens).sum())))
    return pd.DataFrame(rows, columns=COLUMNS)


@torch.inference_mode()
def predicts(
    model: MeanReadout,
    texts: Sequence[Encoded],
    labels: Sequence[int],
    condition: Condition,
    reader: Reader,
    *,
    free: Tensor,
    batch_size: int,
) -> pd.DataFrame:
    """Score what a model predicts, and what else may explain an effect.

    Parameters
    ----------
    model, texts, labels
        What reads, what is read, and what is right.
    condition, reader
        As in :func:`depends`.
    free
        :func:`predictions` of the freely fine-tuned model on the texts.
    batch_size
        Texts that are read together.

    Returns
    -------
    DataFrame
        ``right`` (0 or 1), ``loss``; ``divergence`` of the prediction from that of the freely
        fine-tuned model, in nats; ``length`` of the last vectors of ordinary tokens, their mean,
        and ``spread``, the standard deviation; ``sinks``, the mean attention of ordinary tokens to
        special ones.
    """
    found: dict[str, list[float]] = {}
    for read, batch, chosen in _batches(model, texts, batch_size):
        truth = torch.tensor([labels[place] for place in chosen], device=model.device)
        special = reader.keys("special", read, batch)
        with (
            reader.opened(model, condition, read, batch),
            shares_of_passes(model, special) as attended,
        ):
            output = model(**batch)
        ordinary = model.ordinary(batch["input_ids"], batch["attention_mask"])
        logits = output.logits.double()
        expected = free[chosen.start : chosen.stop]
        apart = kl_div(logits.log_softmax(dim=-1), expected, log_target=True, reduction="none")
        numbers = {
            "right": (logits.argmax(dim=-1) == truth).double(),
            "loss": cross_entropy(logits, truth, reduction="none"),
            "divergence": apart.sum(dim=-1),
        }
        lengths = [
            rows[kept]
            for rows, kept in zip(
                output.hidden_states[0].double().norm(dim=-1), ordinary, strict=True
            )
        ]
        numbers["length"] = torch.stack([one.mean() for one in lengths])
        numbers["spread"] = torch.stack([one.std(correction=0) for one in lengths])
        numbers["sinks"] = _of_ordinary(attended, ordinary).mean(dim=(1, 2))
        for quantity, values in numbers.items():
            found.setdefault(quantity, []).extend(values.tolist())
    rows = [
        (number, quantity, 0, value)
        for quantity, values in found.items()
        for number, value in enumerate(values)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


@torch.inference_mode()
def predictions(model: MeanReadout, texts: Sequence[Encoded], *, batch_size: int) -> Tensor:
    """Compute the log-probabilities of labels, ``[text, label]``, in nats, with nothing done."""
    logits = [model(**batch).logits for _, batch, _ in _batches(model, texts, batch_size)]
    return torch.cat(logits).double().log_softmax(dim=-1)


@torch.inference_mode()
def sink_shares(
    model: MeanReadout, texts: Sequence[Encoded], reader: Reader, *, batch_size: int
) -> pd.DataFrame:
    """Average the attention of ordinary tokens to special ones by head.

    Parameters
    ----------
    model, texts
        What reads, with nothing done to it, and what is read.
    reader, batch_size
        As in :func:`depends`.

    Returns
    -------
    DataFrame
        ``layer`` and ``head``, from 1, and ``value``, the mean over texts.
    """
    found = []
    for read, batch, _ in _batches(model, texts, batch_size):
        attended = shares(model, batch, reader.keys("special", read, batch))
        ordinary = model.ordinary(batch["input_ids"], batch["attention_mask"])
        found.append(_of_ordinary(attended, ordinary))
    by_head = torch.cat(found).mean(dim=0).cpu().numpy()
    rows = [(layer, head, value) for (layer, head), value in np.ndenumerate(by_head + 0.0)]
    table = pd.DataFrame(rows, columns=["layer", "head", "value"])
    return table.assign(layer=table["layer"] + 1, head=table["head"] + 1)


def path_of_sinks(
    pretrained: MeanReadout, tuned: MeanReadout, texts: Sequence[Encoded], reader: Reader
) -> pd.DataFrame:
    """Split the change of the log-odds of sinks among the weights that have changed.

    Weights of each part of a layer (:data:`attention_mixing.models.weight_roles.ROLES`) are
    exchanged in every layer, and what that does to the mean log-odds of the share of special
    tokens, over heads and ordinary tokens, is a mean over all orders of the parts
    (:func:`attention_mixing.methods.shapley.shapley`).

    Parameters
    ----------
    pretrained, tuned
        From what to what.
    texts
        What is read.
    reader
        Knows the special tokens.

    Returns
    -------
    DataFrame
        Rows of each part by layer, which sum to those of the quantity ``all``.
    """
    odds = []
    for subset in range(2 ** len(ROLES)):
        roles = [role for number, role in enumerate(ROLES) if subset >> number & 1]
        odds.append(_log_odds(exchanged(pretrained, tuned, roles), texts, reader))
    parts = dict(zip(ROLES, shapley(np.stack(odds)), strict=True))
    rows = [
        (text, quantity, layer + 1, float(value))
        for quantity, values in {**parts, "all": odds[-1] - odds[0]}.items()
        for (text, layer), value in np.ndenumerate(values)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


@torch.inference_mode()
def _log_odds(model: MeanReadout, texts: Sequence[Encoded], reader: Reader) -> np.ndarray:
    """Compute the mean log-odds of the share of special tokens, ``[text, layer]``."""
    found = []
    for (text,), batch, _ in _batches(model, texts, 1):
        attended = shares(model, batch, reader.keys("special", [text], batch))
        ordinary = model.ordinary(batch["input_ids"], batch["attention_mask"])[0]
        of_layers = torch.stack([one[0, :, ordinary, 0] for one in attended if one is not None])
        found.append(of_layers.double().clamp(LEAST, 1 - LEAST).logit().mean(dim=(1, 2)))
    return torch.stack(found).cpu().numpy()


def _of_ordinary(attended: Sequence[Tensor | None], ordinary: Tensor) -> Tensor:
    """Average shares over ordinary tokens, ``[text, layer, head]``."""
    every = torch.stack([one[..., 0] for one in attended if one is not None], dim=1).double()
    weights = ordinary[:, None, None].double()
    return (every * weights).sum(dim=-1) / weights.sum(dim=-1)


def _batches(
    model: MeanReadout, texts: Sequence[Encoded], batch_size: int
) -> Iterator[tuple[Sequence[Encoded], dict[str, Tensor], range]]:
    with evaluating(model, model.device):
        for start in range(0, len(texts), batch_size):
            chosen = range(start, min(start + batch_size, len(texts)))
            read = texts[start : start + batch_size]
            yield read, pad(read, model.config, model.device), chosen
