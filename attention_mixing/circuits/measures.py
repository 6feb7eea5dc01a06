"""The measures of this library, as they are scored on circuits.

Those that explain one class are asked of every label of a token, and the scores of the labels are
joined by the root of the sum of their squares, as the lengths of vectors are.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import torch
from numpy.polynomial.legendre import leggauss
from numpy.typing import NDArray
from torch import Tensor
from torch.autograd.forward_ad import dual_level, make_dual, unpack_dual
from transformers import PreTrainedModel

from attention_mixing.attributions.alti_logit import written_terms
from attention_mixing.attributions.catalogue import Attribution, explanations, select
from attention_mixing.attributions.matrices import of_layers, of_model
from attention_mixing.attributions.through import ThroughLayers
from attention_mixing.attributions.vectors import alti
from attention_mixing.capture.decompx import Decomposer
from attention_mixing.capture.one_text import RecordedText
from attention_mixing.circuits.labels import BASELINES, SAME
from attention_mixing.circuits.scores import CircuitMeasure, ScoredModel, draw_texts
from attention_mixing.methods.alti_logit import alti_logit
from attention_mixing.methods.attention import head_mean
from attention_mixing.methods.barrier_flow import barrier_flow
from attention_mixing.methods.decompx import logit_parts
from attention_mixing.methods.layer import Classifier, Linear
from attention_mixing.methods.rollout import with_residual
from attention_mixing.models.components import norm
from attention_mixing.models.relevance_rules import RelevanceRules

Matrices = NDArray[np.float64]

# Points of the integral from a text of padding, and as many from other texts together.
STEPS, STEPS_EACH = 64, 4
OTHER_TEXTS, SEED_OF_OTHERS = 16, 1


# --- through each layer, [layer, query, token] ----------------------------------------------------


def _of_layers(one: Attribution) -> CircuitMeasure:
    return lambda text, written: of_layers(one, text, ThroughLayers()).values


def _with_half_residual(text: RecordedText, written: ScoredModel) -> Matrices:
    return with_residual(head_mean(text["attention"]), 0.5)  # of AttnRes-W, whatever rollout keeps


def _uniform(text: RecordedText, written: ScoredModel) -> Matrices:
    attention = head_mean(text["attention"])
    return np.full(attention.shape, 1 / attention.shape[-1])


def _identity(text: RecordedText, written: ScoredModel) -> Matrices:
    layers, tokens, _ = head_mean(text["attention"]).shape
    return np.broadcast_to(np.eye(tokens), (layers, tokens, tokens))


def _symbols(text: RecordedText, written: ScoredModel) -> Matrices:
    """Credit all tokens alike but the beginning, on which nothing depends."""
    matrices = _uniform(text, written)
    matrices[..., 0] = 0
    return matrices


_NO_MODEL = dict(zip(BASELINES, (_uniform, _symbols, _identity), strict=True))


def _of_texts() -> list[Attribution]:
    """List the attributions of texts that are not causal, as those of circuits are."""
    return [
        one for one in select(causal=False) if one.family != "baseline" and one.name not in SAME
    ]


def layer_measures() -> dict[str, CircuitMeasure]:
    """Return the measures of each layer: the attributions of the catalogue, then baselines."""
    raw, *others = (one for one in _of_texts() if not one.whole)
    return {
        raw.name: _of_layers(raw),
        "attnres_w": _with_half_residual,
        **{one.name: _of_layers(one) for one in others},
        **_NO_MODEL,
    }


# --- of the whole model, [query, token] -----------------------------------------------------------


def _last(measure: CircuitMeasure) -> CircuitMeasure:
    """Take a measure of the last layer for one of the model."""
    return lambda text, written: measure(text, written)[-1]


def _of_model(one: Attribution, settings: ThroughLayers) -> CircuitMeasure:
    return lambda text, written: of_model(one, text, settings).values[-1]


def _slopes(written: ScoredModel, embedded: Tensor) -> Tensor:
    """Differentiate logits by word embeddings, ``[text, query, label, token, model_dim]``.

    ``embedded`` is ``[text, token, model_dim]``; texts do not touch, so one pass back serves all of
    them.
    """
    model: Any = written.model
    embedded = embedded.detach().requires_grad_()
    logits = model(inputs_embeds=embedded).logits
    summed = logits.sum(dim=0).flatten()
    every = torch.eye(len(summed), dtype=summed.dtype)
    (slopes,) = torch.autograd.grad(summed, embedded, every, is_grads_batched=True)
    return slopes.transpose(0, 1).unflatten(1, logits.shape[1:])


def _slopes_at(text: RecordedText, written: ScoredModel) -> Tensor:
    """Slopes of the text itself, ``[query, label, token, model_dim]``, once for all measures."""
    return text.once("slopes", lambda: _slopes(written, _embedded(text, written))[0])


def _embedded(text: RecordedText, written: ScoredModel) -> Tensor:
    ids = torch.tensor([text.encoded.input_ids])
    return written.model.get_input_embeddings()(ids).detach()


def _gradient_norm(text: RecordedText, written: ScoredModel) -> Matrices:
    return _slopes_at(text, written).square().sum(dim=(1, 3)).sqrt().numpy()


def _gradient_x_input(text: RecordedText, written: ScoredModel) -> Matrices:
    products = _slopes_at(text, written) * _embedded(text, written)
    return _joined(products.sum(dim=-1))


def _integrated_gradients(text: RecordedText, written: ScoredModel) -> Matrices:
    """As :func:`attention_mixing.capture.gradients.integrated_gradients` has them."""
    embedded = _embedded(text, written)
    table: Any = written.model.get_input_embeddings()
    blank = embedded.clone()
    blank[:, 1:] = table.weight[written.model.config.pad_token_id].detach()
    return _joined(_integral(written, blank, embedded, STEPS))


def _expected_gradients(text: RecordedText, written: ScoredModel) -> Matrices:
    """Average the integrals from other texts (expected gradients, Erion et al. 2021)."""
    embedded = _embedded(text, written)
    symbols = embedded.shape[1] - 1
    others = draw_texts(OTHER_TEXTS, SEED_OF_OTHERS, written.draw_text)
    rows = [" ".join(other[:symbols]) for other in others]
    ids = written.tokenizer(rows, return_tensors="pt")["input_ids"]
    starts = written.model.get_input_embeddings()(ids).detach()
    return _joined(_integral(written, starts, embedded, STEPS_EACH))


def _integral(written: ScoredModel, starts: Tensor, end: Tensor, steps: int) -> Tensor:
    """Integrate slopes on the ways from some texts to another one, ``[query, label, token]``.

    ``starts`` are ``[text, token, model_dim]``, over whose texts the mean is taken, and ``end`` is
    ``[1, token, model_dim]``; ``steps`` counts points of the Gauss-Legendre rule on each way.
    """
    model: Any = written.model
    points, weights = (torch.from_numpy(values) for values in leggauss(steps))
    texts, tokens, _ = starts.shape
    change = end - starts
    ways = starts + (points[:, None, None, None] + 1) / 2 * change  # [step, text, token, model_dim]
    # Forward, along the change of one token at a time: there are far fewer of them than of logits.
    along = torch.eye(tokens)[:, None, :, None] * change  # [token, text, token, model_dim]
    shape = (tokens, steps, texts)
    at = ways.expand(*shape[:1], *ways.shape).flatten(0, 2)
    along = along[:, None].expand(*shape, *change.shape[1:]).flatten(0, 2)
    with torch.no_grad(), dual_level():
        slopes = unpack_dual(model(inputs_embeds=make_dual(at, along)).logits).tangent
    mean = torch.einsum("js...,s->j...", slopes.unflatten(0, shape).mean(dim=2), weights / 2)
    return mean.permute(1, 2, 0)


def _joined(scores: Tensor) -> Matrices:
    """Join the scores of the labels, from ``[query, label, token]``."""
    return scores.square().sum(dim=1).sqrt().numpy()


def _attn_lrp(text: RecordedText, written: ScoredModel) -> Matrices:
    """As :func:`attention_mixing.capture.attn_lrp.attn_lrp` has it, in one pass for all labels."""
    model: Any = written.model
    embedded = _embedded(text, written)
    tokens, labels = embedded.shape[1], model.config.num_labels
    # Texts do not touch: each is for one query and label.
    query, label = (torch.from_numpy(at.ravel()) for at in np.indices((tokens, labels)))
    words = embedded.expand(len(query), -1, -1).clone().requires_grad_()
    rules = RelevanceRules(model)
    with rules.applied():
        logits = model(inputs_embeds=words).logits
        slopes = rules.gradient(logits[torch.arange(len(query)), query, label].sum(), words)
    scores = (slopes * words.detach()).sum(dim=-1)  # [query and label, token]
    return _joined(scores.unflatten(0, (tokens, labels)))


def _barrier_flow(text: RecordedText, written: ScoredModel) -> Matrices:
    """Flow of plain attention from every token, whatever is predicted there."""
    attention = head_mean(text["attention"]).astype(np.float64)
    return np.stack([barrier_flow(attention, query).scores for query in range(len(text.tokens))])


def _left_out(text: RecordedText, written: ScoredModel) -> Matrices:
    """Put padding, whose embedding is zero, in the place of one symbol at a time."""
    model: Any = written.model
    embedded = _embedded(text, written)
    without = embedded.expand(embedded.shape[1], -1, -1).clone()  # [token that is left out, ...]
    places = torch.arange(1, embedded.shape[1])
    without[places, places] = 0
    with torch.inference_mode():
        change = model(inputs_embeds=without).logits - model(inputs_embeds=embedded).logits
    return change.norm(dim=-1).T.numpy()


def _head(written: ScoredModel) -> Classifier:
    """Give the head of a model, which labels every token."""
    model: Any = written.model
    weight = model.classifier.weight.detach().numpy().T
    output = Linear(weight, model.classifier.bias.detach().numpy())
    final = getattr(model.base_model, "LayerNorm", None)
    return Classifier(None if final is None else norm(final, len(weight)), None, None, output)


def _alti_logit(text: RecordedText, written: ScoredModel) -> Matrices:
    head = _head(written)
    nearer = alti(text)
    scores = np.full(nearer.shape[1:], np.nan)
    if np.isfinite(nearer).all():
        scores[:] = 0
        for query, label in np.ndindex(len(scores), len(head.output.bias)):
            terms, _ = written_terms(text, head, query=query, label=label)
            scores[query] += alti_logit(terms, nearer, query) ** 2
    return np.sqrt(scores)


@lru_cache(maxsize=1)  # texts come model by model
def _decomposer(model: PreTrainedModel) -> Decomposer:
    return Decomposer(model)


def _decompx(text: RecordedText, written: ScoredModel) -> Matrices:
    """As :func:`attention_mixing.capture.decompx.decompx` has it, of all tokens and labels."""
    parts = logit_parts(_decomposer(written.model).parts(text.encoded), _head(written))
    return _joined(torch.from_numpy(parts).permute(1, 2, 0))


# Explanations of the catalogue, asked of every label of every token, or of the token alone.
OF_LABELS: dict[str, CircuitMeasure] = {
    "barrier_flow": _barrier_flow,
    "gradient_norm": _gradient_norm,
    "gradient_x_input": _gradient_x_input,
    "integrated_gradients": _integrated_gradients,
    "attn_lrp": _attn_lrp,
    "expected_gradients": _expected_gradients,
    "alti_logit": _alti_logit,
    "decompx": _decompx,
    "left_out_unknown": _left_out,
}


def model_measures(settings: ThroughLayers = ThroughLayers()) -> dict[str, CircuitMeasure]:  # noqa: B008
    """Return the measures of the whole model, layers followed as the settings say.

    They are the attributions of the catalogue, its explanations that circuits are asked of
    (:data:`OF_LABELS`), then baselines.
    """
    methods = _of_texts()
    return {
        **{one.name: _last(_of_layers(one)) for one in methods if not one.through},
        **{one.label(whole=True): _of_model(one, settings) for one in methods if one.through},
        **{one.name: OF_LABELS[one.name] for one in explanations() if one.name in OF_LABELS},
        **{name: _last(measure) for name, measure in _NO_MODEL.items()},
    }
