"""What vectors of a model depend on, measured by replacing the tokens of its texts.

Every ordinary token is replaced in turn, special tokens stay. Of an encoder-decoder the tokens of a
source and then those of its target are replaced; vectors of its encoder depend on the first alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from tqdm import tqdm
from transformers import PreTrainedModel

from attention_mixing.errors import InputError
from attention_mixing.methods.dependence import Changes
from attention_mixing.models.batch import pad
from attention_mixing.models.device import evaluating
from attention_mixing.models.dummy_inputs import structure_of
from attention_mixing.models.encode import Encoded
from attention_mixing.models.replacements import Ids, Place, ordinary, replaced

__all__ = ["Dependence", "dependence", "passes"]

Batch = Mapping[str, Tensor]
Around = Callable[[Batch, Batch], AbstractContextManager[Any]]
"""Opens an intervention around a pass over texts with a token replaced; given the batch of these
and the text that they are made of, a batch of one."""


@dataclass(frozen=True)
class Dependence:
    """What the vectors of one text depend on.

    Attributes
    ----------
    tokens
        Positions of the tokens that are replaced, ``[token]``; those of a target are behind those
        of its source. The last of them are the queries: of a decoder the tokens of the target.
    layers
        Of what leaves each layer, ``[layer, query, token]``.
    every
        The same of all tokens of the stream, special ones too, ``[layer, position, token]``.
    logits
        Of the logits of each token, ``[query, token]``; None if the model gives none.
    prediction
        Of the logits of the text, ``[1, token]``, which have shares but no token of their own; None
        if the model gives none.
    """

    tokens: NDArray[np.int64]
    layers: Changes
    every: Changes
    logits: Changes | None = None
    prediction: Changes | None = None


def passes(replacements: Sequence[Ids]) -> int:
    """Count the texts that a model reads for :func:`dependence`, which is what it costs.

    Parameters
    ----------
    replacements
        ``[text][token, draw]``.

    Returns
    -------
    int
        One a text and one a replacement.
    """
    return sum(1 + ids.size for ids in replacements)


def dependence(
    model: PreTrainedModel,
    texts: Sequence[Encoded],
    replacements: Sequence[Ids],
    *,
    stream: str = "",
    device: torch.device,
    batch_size: int,
    around: Around = lambda replaced, original: nullcontext(),
) -> list[Dependence]:
    """Measure what vectors of a model depend on.

    Texts that a token is replaced in are as long as the text itself and read together, so nothing
    is padded. In the precision of the weights.

    Parameters
    ----------
    model
        Which the library can read. Left as it was.
    texts
        What it reads.
    replacements
        ``[text][token, draw]``, ids in the place of each ordinary token, as
        :mod:`attention_mixing.models.replacements` draws them.
    stream
        Whose vectors, of an encoder-decoder: ``encoder`` or ``decoder``; else empty.
    device
        Where to compute.
    batch_size
        Texts that are read together; all draws of a token are.
    around
        Opens an intervention around each pass. One that reads the texts of its first argument
        follows what is replaced, one that reads that of its second holds what was before.

    Returns
    -------
    list
        One a text.

    Raises
    ------
    InputError
        If the model is put together in a way that is not read, or replacements are not of the
        ordinary tokens of the texts.
    """
    paths = [layer.path for layer in structure_of(model).of(stream)]
    _require_of_texts(replacements, texts)
    places = [ordinary(text, stream) for text in texts]
    drawn = [ids[: len(of_text)] for ids, of_text in zip(replacements, places, strict=True)]
    measured = []
    with (
        evaluating(model, device),
        torch.inference_mode(),
        _what_leaves(model, paths) as left,
        tqdm(total=passes(drawn), desc="replace", disable=None, unit="text") as bar,
    ):

        def read(batch: Batch, original: Batch) -> dict[str, Tensor]:
            with around(batch, original):
                left.clear()
                output = model(**batch)
            bar.update(len(batch["input_ids"]))
            layers = {"layers": torch.stack(left, dim=1)}
            return layers if stream == "encoder" else layers | _logits(output)

        for text, ids, of_text in zip(texts, drawn, places, strict=True):
            original = pad([text], model.config, device)
            own = read(original, original)
            moments: dict[str, list[NDArray[np.float64]]] = {name: [] for name in own}
            draws = ids.shape[1]
            tokens = max(1, batch_size // draws)  # that are replaced in one batch
            for start in range(0, len(of_text), tokens):
                some = slice(start, start + tokens)
                vectors = read(replaced(original, of_text[some], ids[some]), original)
                for name, before in own.items():
                    moments[name].append(_moments(vectors[name] - before, draws))
            measured.append(_of_text(moments, of_text))
    return measured


def _require_of_texts(replacements: Sequence[Ids], texts: Sequence[Encoded]) -> None:
    for number, (ids, text) in enumerate(zip(replacements, texts, strict=True)):
        if ids.ndim != 2 or len(ids) != (count := len(ordinary(text))) or not ids.size:
            raise InputError(
                f"replacements of text {number} are {list(ids.shape)}; allowed: [{count}, draws], "
                "a row for each ordinary token and at least one draw; draw them of the same texts."
            )


@contextmanager
def _what_leaves(model: PreTrainedModel, paths: Sequence[str]) -> Iterator[list[Tensor]]:
    """Collect what leaves layers, ``[layer]`` of ``[text, token, model_dim]``, in every pass."""
    left: list[Tensor] = []

    def note(module: nn.Module, args: Any, output: Any) -> None:
        left.append(output if isinstance(output, Tensor) else output[0])

    with ExitStack() as hooks:
        for path in dict.fromkeys(paths):  # layers may share a module
            hooks.enter_context(model.get_submodule(path).register_forward_hook(note))
        yield left


def _logits(output: Any) -> dict[str, Tensor]:
    """Take logits out of what a model returns, if there are any.

    Of tokens ``logits``, ``[text, token, label]``; of a text ``prediction``, ``[text, label]``.
    """
    if "start_logits" in output:
        return {"logits": torch.stack([output.start_logits, output.end_logits], dim=-1)}
    if "logits" not in output:
        return {}
    return {"logits" if output.logits.ndim == 3 else "prediction": output.logits}


def _moments(change: Tensor, draws: int) -> NDArray[np.float64]:
    """Take both moments of changes, ``[token * draw, ..., component]``: ``[2, ..., token]``."""
    change = change.double().unflatten(0, (-1, draws))
    squared = change.square().sum(dim=-1).mean(dim=1)
    of_mean = change.mean(dim=1).square().sum(dim=-1)
    return torch.stack([squared, of_mean]).movedim(1, -1).cpu().numpy()


def _of_text(
    moments: Mapping[str, Sequence[NDArray[np.float64]]], places: Sequence[Place]
) -> Dependence:
    """Put what was measured of a text together; of queries, special tokens are left out."""
    queries = [position for name, position in places if name == places[-1][0]]
    changes = {name: np.concatenate(parts, axis=-1) for name, parts in moments.items()}
    if "prediction" in changes:
        changes["prediction"] = changes["prediction"][:, None]
    of_tokens = {name: of[..., queries, :] for name, of in changes.items() if name != "prediction"}
    return Dependence(
        np.array([position for _, position in places]),
        every=Changes(*changes["layers"]),
        **{name: Changes(*of) for name, of in (changes | of_tokens).items()},
    )
