"""Ask a classifier, and score its answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.methods.calibration import expected_calibration_error, reliability
from analysis.models.device import autocast
from analysis.models.encode import Encoded, pad

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


def predict(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    encoded: Sequence[Encoded],
    *,
    device: torch.device,
    precision: str,
    batch_size: int,
) -> NDArray[np.float64]:
    """Class logits of every text, ``[example, label]``.

    Texts of similar length share a batch, so little is computed on padding; the order of the
    result is that of ``encoded``.
    """
    import torch
    from tqdm import tqdm

    model = model.to(device).eval()  # type: ignore[arg-type]
    order = np.argsort([len(e.input_ids) for e in encoded], kind="stable")
    logits = np.empty((len(encoded), model.config.num_labels))  # type: ignore[type-var]
    with torch.inference_mode(), autocast(device, precision):
        for start in tqdm(range(0, len(order), batch_size), "predict", disable=None, unit="batch"):
            rows = order[start : start + batch_size]
            batch = pad([encoded[row] for row in rows], tokenizer)
            output = model(**{name: torch.tensor(x, device=device) for name, x in batch.items()})
            logits[rows] = output.logits.double().cpu().numpy()
    return logits


def score(logits: NDArray[np.float64], labels: Sequence[int]) -> tuple[dict, pd.DataFrame]:
    """Metrics and one row of predictions a text.

    Returns
    -------
    metrics
        ``accuracy``, ``f1`` (macro average over classes), ``loss`` (mean cross-entropy, nats),
        ``calibration_error`` (expected, 10 bins), ``examples``.
    predictions
        ``label``, ``prediction``, ``probability`` (of the prediction), ``probability_K`` (of class
        K), ``loss``.
    """
    from scipy.special import log_softmax
    from sklearn.metrics import f1_score

    truth = np.asarray(labels)
    log_probability = log_softmax(logits, axis=1)
    prediction = logits.argmax(axis=1)
    frame = pd.DataFrame(
        {
            "label": truth,
            "prediction": prediction,
            "probability": np.exp(log_probability.max(axis=1)),
            "loss": -log_probability[np.arange(len(truth)), truth],
        }
    )
    for k in range(logits.shape[1]):
        frame[f"probability_{k}"] = np.exp(log_probability[:, k])
    bins = reliability(frame["probability"].to_numpy(), prediction == truth)
    metrics = {
        "accuracy": float((prediction == truth).mean()),
        "f1": float(f1_score(truth, prediction, average="macro")),
        "loss": float(frame["loss"].mean()),
        "calibration_error": expected_calibration_error(bins),
        "examples": len(truth),
    }
    return metrics, frame
