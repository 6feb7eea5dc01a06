"""What the logit of a class depends on: gradients of attention and embeddings, and their integral.

Everything here runs in the precision of the model's weights, without autocast: a sum of thousands
of rounded products would say more about rounding than about the model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.hooks import RemovableHandle
from transformers import PreTrainedModel

from attention_mixing.errors import InputError
from attention_mixing.models.attention import record_attention
from attention_mixing.models.batch import input_names, inputs, pad
from attention_mixing.models.device import evaluating
from attention_mixing.models.encode import Encoded
from attention_mixing.models.self_check import require_unpadded

# Of a batch, with its padding, whatever its texts: what a gradient needs of BERT-base takes about a
# megabyte a token, and as much again for the attention of texts of 512.
TOKENS = 2048


@dataclass(frozen=True)
class Gradients:
    """Gradients of the logit of one class for one text, without padding.

    Attributes
    ----------
    logits
        ``[label]``.
    attention, attention_gradient
        ``[layer, head, query, key]``; the gradient is that of the logit of the class with respect
        to each weight, as if the weights of a row could change one by one.
    gradient_x_input
        ``[token]``, gradient with respect to the word embedding times the embedding, summed over
        its dimensions: signed.
    gradient_norm
        ``[token]``, Euclidean norm of the same gradient.
    """

    logits: NDArray[np.floating]
    attention: NDArray[np.floating]
    attention_gradient: NDArray[np.floating]
    gradient_x_input: NDArray[np.floating]
    gradient_norm: NDArray[np.floating]


@dataclass(frozen=True)
class IntegratedGradients:
    """Integrated gradients of the logit of one class for one text.

    Attributes
    ----------
    scores
        ``[token]``, signed; 0 for special tokens, which the baseline leaves as they are.
    completeness_error
        How far the sum of ``scores`` is from the logit of the text minus that of the baseline,
        absolute. The exact integral has none.
    """

    scores: NDArray[np.floating]
    completeness_error: float


def gradients(
    model: PreTrainedModel,
    encoded: Sequence[Encoded],
    *,
    device: torch.device,
    batch_size: int,
    targets: Sequence[int],
) -> Iterator[Gradients]:
    """Compute the gradients of one class for every text, in the order of ``encoded``.

    One pass forward and one back a batch: texts of a batch do not touch, so the gradient of the sum
    of their logits holds the gradient of each.

    Parameters
    ----------
    model
        With a classification head. Its weights and settings are left as they were.
    encoded, device
        As in :func:`attention_mixing.capture.record.record`.
    batch_size
        Texts of a batch, or fewer, so that it has no more than :data:`TOKENS`.
    targets
        ``[text]``, the class for each text.

    Yields
    ------
    Gradients
        Of each text.

    Raises
    ------
    InputError
        If a text comes out of a padded batch otherwise than alone.
    """
    words: list[Tensor] = []

    def as_leaf(embedding: Tensor) -> Tensor:
        words[:] = [embedding.detach().requires_grad_()]
        return words[0]

    with evaluating(model, device):
        for rows, batch, classes in batches(model, encoded, targets, device, batch_size):
            with replaced_embeddings(model, as_leaf), record_attention(model) as calls:
                logits = model(**batch).logits
                selected = logits.gather(1, classes[:, None]).sum()
                (embedding,), attention = words, [call.attention for call in calls]
                slope, *slopes = torch.autograd.grad(selected, [embedding, *attention])
            product = (slope * embedding.detach()).sum(dim=-1).cpu().numpy()
            norm = slope.norm(dim=-1).cpu().numpy()
            answers = logits.detach().cpu().numpy()
            weights, changes = (
                torch.stack([layer.detach().cpu() for layer in layers], dim=1).numpy()
                for layers in (attention, slopes)
            )
            for row, text in enumerate(rows):
                n = len(text.input_ids)
                yield Gradients(
                    answers[row],
                    weights[row, ..., :n, :n],
                    changes[row, ..., :n, :n],
                    product[row, :n],
                    norm[row, :n],
                )


def integrated_gradients(
    model: PreTrainedModel,
    encoded: Sequence[Encoded],
    *,
    device: torch.device,
    batch_size: int,
    steps: int,
    targets: Sequence[int],
) -> Iterator[IntegratedGradients]:
    r"""Integrate gradients from an empty text to every text, in the order of ``encoded``.

    .. math:: s_j = (x_j - b_j) \cdot \int_0^1 \nabla_{x_j} f(b + \alpha (x - b)) \, d\alpha

    Sundararajan, Taly and Yan (2017), *Axiomatic Attribution for Deep Networks*, ICML. ``x`` are
    the word embeddings; the baseline ``b`` has the embedding of the padding token in the place of
    every token of the text and keeps special tokens, as is usual for BERT. Positions stay as they
    are and nothing is masked. The integral is a Gauss-Legendre sum, by Captum.

    Parameters
    ----------
    model, encoded, device, targets
        As in :func:`gradients`.
    batch_size
        Steps that are computed together, or fewer, as in :func:`gradients`. Texts go one by one, so
        nothing is padded.
    steps
        Points of the sum. Judge them by ``completeness_error``.

    Yields
    ------
    IntegratedGradients
        Of each text.

    Raises
    ------
    InputError
        If the model has no padding token.
    """
    from captum.attr import IntegratedGradients as Captum  # which loads what it draws with

    padding = model.config.pad_token_id
    if padding is None:
        raise InputError(
            "integrated gradients start from a text of padding tokens, and the model "
            f"{model.name_or_path or type(model).__name__} has none (pad_token_id in its "
            "config.json); state it there, or choose another model."
        )
    table = model.get_input_embeddings()

    def logits(embedding: Tensor, *arguments: Tensor) -> Tensor:
        # The model still gets the ids: some count positions, or find the end of the text, by them.
        with replaced_embeddings(model, lambda _: embedding):
            return model(**dict(zip(names, arguments, strict=True))).logits

    names = input_names(model.config)
    with evaluating(model, device):
        for text, target in zip(encoded, targets, strict=True):
            batch = pad([text], model.config, device)
            ids = batch["input_ids"]
            special = torch.tensor([text.is_special], device=device)
            blank = torch.where(special, ids, padding)
            parts, difference = Captum(logits).attribute(
                table(ids).detach(),
                table(blank).detach(),
                target=target,
                additional_forward_args=tuple(batch[name] for name in names),
                n_steps=steps,
                method="gausslegendre",
                internal_batch_size=fitting_rows(batch_size, len(text.input_ids)),
                return_convergence_delta=True,
            )
            scores = parts[0].sum(dim=-1).detach().cpu().numpy()
            yield IntegratedGradients(scores, abs(float(difference)))


def gradients_of_targets(
    model: PreTrainedModel, encoded: Sequence[Encoded], *, device: torch.device
) -> Iterator[tuple[NDArray[np.floating], NDArray[np.floating]]]:
    """Compute the gradients of what tells each token of a target, in the order of ``encoded``.

    Of the gradient of the logit of the token that a row tells with respect to the embedding of a
    source token: its norm, and its product with that embedding, summed over dimensions,
    ``[target, source]`` each. Every token has a pass of its own, in one batch. The last row, of
    which no token is known, tells nothing and is 0.

    The texts have targets, and are as in :func:`attention_mixing.capture.record.record`. Weights
    and settings of the model, an encoder-decoder that tells words, are left as they were.
    """
    encoder = model.get_encoder()
    words: list[Tensor] = []

    def as_leaf(embedding: Tensor) -> Tensor:
        if not words:  # a decoder may look words up in the same table, after the encoder
            words.append(embedding.detach().requires_grad_())
            return words[0]
        return embedding

    with evaluating(model, device):
        for text in encoded:
            assert text.target is not None
            targets = text.target.input_ids[1:]
            rows = torch.arange(len(targets), device=device)
            batch = {
                name: values.expand(len(targets), -1)
                for name, values in pad([text], model.config, device).items()
            }
            words.clear()
            with replaced_embeddings(encoder, as_leaf):
                logits = model(**batch).logits
                chosen = logits[rows, rows, torch.tensor(targets, device=device)].sum()
                (slope,) = torch.autograd.grad(chosen, words)
            norm, product = slope.norm(dim=-1), (slope * words[0].detach()).sum(dim=-1)
            norms, products = (
                np.pad(values.cpu().numpy(), ((0, 1), (0, 0))) for values in (norm, product)
            )
            yield norms, products


def batches(
    model: PreTrainedModel,
    encoded: Sequence[Encoded],
    targets: Sequence[int],
    device: torch.device,
    batch_size: int,
) -> Iterator[tuple[Sequence[Encoded], dict[str, Tensor], Tensor]]:
    """Give texts in batches that fit (:data:`TOKENS`): the texts, the batch, a class for each.

    A text that comes out of its batch otherwise than alone is refused.
    """
    batch_size = fitting_rows(batch_size, max(len(text.input_ids) for text in encoded))
    for start in range(0, len(encoded), batch_size):
        rows = encoded[start : start + batch_size]
        require_unpadded(model, [inputs(text, model.config) for text in rows])
        classes = torch.tensor(targets[start : start + batch_size], device=device)
        yield rows, pad(rows, model.config, device), classes


def fitting_rows(batch_size: int, tokens: int) -> int:
    """Count rows of so many tokens that a batch may have."""
    return max(1, min(batch_size, TOKENS // tokens))


def replaced_embeddings(
    model: PreTrainedModel, change: Callable[[Tensor], Tensor]
) -> RemovableHandle:
    """Put what ``change`` makes of the word embeddings in their place inside the block."""
    table = model.get_input_embeddings()
    return table.register_forward_hook(lambda module, inputs, output: change(output))
