"""What a pretrained image classifier sees in images of one channel."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from attention_mixing.errors import InputError
from attention_mixing.models.device import autocast
from attention_mixing.models.load import load_image_classifier
from attention_mixing.models.source import ModelFiles

PREPROCESSING = "preprocessor_config.json"
IMAGES = 64  # of a pass


class ImageClassifier:
    """A pretrained classifier of photographs, asked for what it sees rather than what it says.

    The features of an image are what its classification head reads: of a ResNet the mean over the
    last feature map, of a vision transformer the first token. Images are taken as they are, in
    their own size; only their values are brought to the scale that the model was trained with.

    Parameters
    ----------
    files
        Model directory, with the ``preprocessor_config.json`` that every image model has.
    side
        Pixels a side of the images.
    device, precision
        As in :func:`attention_mixing.models.predict.predict`.

    Raises
    ------
    InputError
        If the directory holds no image classifier, does not say how it wants its images, or the
        model cannot read images of this size.
    """

    def __init__(
        self, files: ModelFiles, side: int, *, device: torch.device, precision: str
    ) -> None:
        self._model = load_image_classifier(files.path).to(device)  # type: ignore[arg-type]
        self._device, self._precision = device, precision
        self._scale, mean, deviation = _preprocessing(files.path)
        self._mean, self._deviation = (
            torch.tensor(x, device=device).view(-1, 1, 1) for x in (mean, deviation)
        )
        self._lock = Lock()  # the device has room for one caller at a time
        if not isinstance(getattr(self._model, "classifier", None), torch.nn.Module):
            raise InputError(
                f"heads.images names {files.name}, an image classifier without the usual head "
                "(classifier); choose one such as microsoft/resnet-50."
            )
        self._model.classifier = torch.nn.Identity()
        try:
            self.size = self.features(np.zeros((1, side, side))).shape[1]
        except (ValueError, RuntimeError) as error:
            raise InputError(
                f"heads.side is {side} but {files.name} reads no images of that size "
                f"({str(error).splitlines()[0]}); set heads.side to the one it was trained with"
                f"{_trained_side(files.path)}."
            ) from None

    def features(self, images: ArrayLike) -> NDArray[np.float32]:
        """Compute the features of images of one channel, ``[image, feature]``.

        Images are ``[image, row, column]``, from 0 to 1.
        """
        pixels = torch.from_numpy(np.asarray(images, dtype=np.float32)[:, None])
        features = []
        with self._lock, torch.inference_mode(), autocast(self._device, self._precision):
            for batch in pixels.split(IMAGES):
                scaled = (batch.to(self._device) * self._scale - self._mean) / self._deviation
                output = self._model(scaled).logits
                features.append(output.flatten(1).float().cpu().numpy())
        return np.concatenate(features)


def _preprocessing(path: Path) -> tuple[float, list[float], list[float]]:
    """Factor of values from 0 to 1, and mean and standard deviation of each channel after it."""
    settings = _read(path)
    # transformers scales and normalises unless it is told not to.
    factor = settings.get("rescale_factor", 1 / 255) if settings.get("do_rescale", True) else 1
    mean, deviation = settings.get("image_mean"), settings.get("image_std")
    if not settings.get("do_normalize", True):
        return 255 * factor, [0.0] * 3, [1.0] * 3
    if not isinstance(mean, list) or not isinstance(deviation, list):
        raise InputError(
            f"{path / PREPROCESSING} names no image_mean and image_std; allowed: the file that "
            "comes with a pretrained image classifier; copy the model again, with it."
        )
    return 255 * factor, mean, deviation


def _trained_side(path: Path) -> str:
    size = _read(path).get("size")
    side = size.get("height", size.get("shortest_edge")) if isinstance(size, dict) else size
    return f", {side}" if side else ""


def _read(path: Path) -> dict[str, Any]:
    try:
        settings = json.loads((path / PREPROCESSING).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        settings = None
    if not isinstance(settings, dict):
        raise InputError(
            f"the image model directory {path} has no readable {PREPROCESSING}; allowed: a "
            "pretrained image classifier with the file that says how it wants its images; copy the "
            "model again, with it."
        )
    return settings
