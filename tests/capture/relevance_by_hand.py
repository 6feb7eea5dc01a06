"""Two transformers written out in numpy, and relevance through them, one operation after another.

Nothing is differentiated: every operation passes on the relevance of what it made. Weights are
those of a model of ``transformers``, in float64.
"""

import numpy as np
from scipy.special import erf
from scipy.special import softmax as softmax_of

from attention_mixing.methods.attn_lrp import (
    epsilon_rule,
    matrix_product_rule,
    normalisation_rule,
    softmax_rule,
)
from attention_mixing.methods.layer import Linear, Norm, apply_norm


def gelu(numbers):
    return numbers * (1 + erf(numbers / np.sqrt(2))) / 2


def silu(numbers):
    return numbers / (1 + np.exp(-numbers))


def array(parameter):
    return parameter.detach().numpy()


def map_of(module):
    weight = array(module.weight).T
    return Linear(weight, np.zeros(weight.shape[1]) if module.bias is None else array(module.bias))


def layer_norm(module):
    return Norm(array(module.weight), array(module.bias), module.eps)


def rms_norm(module):
    weight = array(module.weight)
    return Norm(weight, np.zeros_like(weight), module.variance_epsilon, centring=False)


def applied(linear, rows):
    return rows @ linear.weight + linear.bias


def of_sum(relevance, *parts):
    """Divide the relevance of a sum among its parts."""
    return [part * relevance / sum(parts) for part in parts]


def into_heads(rows, heads):
    return rows.reshape(len(rows), heads, -1).swapaxes(0, 1)


def out_of_heads(arrays):
    return arrays.swapaxes(0, 1).reshape(arrays.shape[1], -1)


class Attention:
    """Attention of queries, keys and values of heads, ``[head, token, dim]``."""

    def __init__(self, query, key, value, hidden=None):
        self.value = value
        self.query, self.key = query / np.sqrt(query.shape[-1]), key.swapaxes(1, 2)
        self.scores = self.query @ self.key
        if hidden is not None:
            self.scores = np.where(hidden, -np.inf, self.scores)
        self.weights = softmax_of(self.scores, axis=-1)
        self.context = self.weights @ value

    def back(self, relevance):
        of_weights, of_value = matrix_product_rule(self.weights, self.value, relevance)
        of_scores = softmax_rule(self.scores, of_weights)
        of_query, of_key = matrix_product_rule(self.query, self.key, of_scores)
        return of_query, of_key.swapaxes(1, 2), of_value


# --- normalised after each step, with an activation between two maps: BERT ------------------------


def bert_relevance(model, ids, target):
    """Logit of a class of a BERT, and the relevance of each word."""
    base, heads = model.bert, model.config.num_attention_heads
    table = base.embeddings
    words = array(table.word_embeddings.weight)[ids]
    others = array(table.position_embeddings.weight)[: len(ids)]
    others = others + array(table.token_type_embeddings.weight)[0]
    first_norm = layer_norm(table.LayerNorm)
    rows = apply_norm(words + others, first_norm)
    layers = []
    for layer in base.encoder.layer:
        layers.append(BertLayer(layer, rows, heads))
        rows = layers[-1].left
    dense, head = map_of(base.pooler.dense), map_of(model.classifier)
    before = applied(dense, rows[:1])
    pooled = np.tanh(before)
    logits = applied(head, pooled)

    relevance = logits * (np.arange(logits.shape[1]) == target)
    relevance = epsilon_rule(pooled, head, relevance)
    of_first = epsilon_rule(rows[:1], dense, relevance)
    relevance = np.zeros_like(rows)
    relevance[:1] = of_first
    for layer in reversed(layers):
        relevance = layer.back(relevance)
    relevance = normalisation_rule(words + others, first_norm, relevance)
    return logits[0, target], of_sum(relevance, words, others)[0].sum(axis=1)


class BertLayer:
    def __init__(self, layer, rows, heads):
        self.rows, self.heads = rows, heads
        attention = layer.attention.self
        self.maps = [map_of(m) for m in (attention.query, attention.key, attention.value)]
        self.attention = Attention(*(into_heads(applied(m, rows), heads) for m in self.maps))
        self.context = out_of_heads(self.attention.context)
        self.projection = map_of(layer.attention.output.dense)
        self.attended = applied(self.projection, self.context)
        self.norms = [layer_norm(m.LayerNorm) for m in (layer.attention.output, layer.output)]
        self.middle = apply_norm(rows + self.attended, self.norms[0])
        self.into, self.out = map_of(layer.intermediate.dense), map_of(layer.output.dense)
        self.hidden = gelu(applied(self.into, self.middle))
        self.added = applied(self.out, self.hidden)
        self.left = apply_norm(self.middle + self.added, self.norms[1])

    def back(self, relevance):
        relevance = normalisation_rule(self.middle + self.added, self.norms[1], relevance)
        stayed, added = of_sum(relevance, self.middle, self.added)
        added = epsilon_rule(self.hidden, self.out, added)
        relevance = stayed + epsilon_rule(self.middle, self.into, added)
        relevance = normalisation_rule(self.rows + self.attended, self.norms[0], relevance)
        stayed, attended = of_sum(relevance, self.rows, self.attended)
        context = epsilon_rule(self.context, self.projection, attended)
        parts = self.attention.back(into_heads(context, self.heads))
        return stayed + sum(
            epsilon_rule(self.rows, linear, out_of_heads(part))
            for linear, part in zip(self.maps, parts, strict=True)
        )


# --- normalised before each step, gated, with rotated queries and shared keys: Llama --------------


def llama_relevance(model, ids, target):
    """Logit of a class of a Llama, read from the last token, and the relevance of each word."""
    base = model.model
    words = array(base.embed_tokens.weight)[ids]
    rows, layers = words, []
    for layer in base.layers:
        # Frequencies as the model has rounded them.
        layers.append(LlamaLayer(layer, rows, model.config, array(base.rotary_emb.inv_freq)))
        rows = layers[-1].left
    last_norm, head = rms_norm(base.norm), map_of(model.score)
    normed = apply_norm(rows, last_norm)
    logits = applied(head, normed)

    relevance = np.zeros_like(logits)
    relevance[-1, target] = logits[-1, target]
    relevance = epsilon_rule(normed, head, relevance)
    relevance = normalisation_rule(rows, last_norm, relevance)
    for layer in reversed(layers):
        relevance = layer.back(relevance)
    return logits[-1, target], relevance.sum(axis=1)


def rotation(angles):
    """By which a query is multiplied, ``[dim, dim]``, whose pairs are turned by these angles."""
    cosine, sine = np.diag(np.cos(angles)), np.diag(np.sin(angles))
    return np.block([[cosine, sine], [-sine, cosine]])


class LlamaLayer:
    def __init__(self, layer, rows, config, frequencies):
        self.rows, self.heads = rows, config.num_attention_heads
        self.groups = config.num_key_value_heads
        self.norms = [rms_norm(m) for m in (layer.input_layernorm, layer.post_attention_layernorm)]
        self.read = apply_norm(rows, self.norms[0])
        attention = layer.self_attn
        self.maps = [map_of(m) for m in (attention.q_proj, attention.k_proj, attention.v_proj)]
        query, key, value = (
            into_heads(applied(linear, self.read), count)
            for linear, count in zip(self.maps, (self.heads, self.groups, self.groups), strict=True)
        )
        self.turns = [rotation(place * frequencies) for place in range(len(rows))]
        self.unturned = query, key
        query, key = (np.einsum("htd,tde->hte", part, self.turns) for part in (query, key))
        shared = self.heads // self.groups
        key, value = (np.repeat(part, shared, axis=0) for part in (key, value))
        ahead = np.triu(np.ones((len(rows), len(rows)), bool), 1)
        self.attention = Attention(query, key, value, ahead)
        self.context = out_of_heads(self.attention.context)
        self.projection = map_of(attention.o_proj)
        self.attended = applied(self.projection, self.context)
        self.middle = rows + self.attended
        self.read_again = apply_norm(self.middle, self.norms[1])
        network = layer.mlp
        self.gate, self.up = map_of(network.gate_proj), map_of(network.up_proj)
        self.down = map_of(network.down_proj)
        passed = silu(applied(self.gate, self.read_again))
        self.hidden = passed * applied(self.up, self.read_again)
        self.added = applied(self.down, self.hidden)
        self.left = self.middle + self.added

    def back(self, relevance):
        stayed, added = of_sum(relevance, self.middle, self.added)
        half = epsilon_rule(self.hidden, self.down, added) / 2
        added = sum(epsilon_rule(self.read_again, linear, half) for linear in (self.gate, self.up))
        relevance = stayed + normalisation_rule(self.middle, self.norms[1], added)
        stayed, attended = of_sum(relevance, self.rows, self.attended)
        context = epsilon_rule(self.context, self.projection, attended)
        query, key, value = self.attention.back(into_heads(context, self.heads))
        key, value = (
            part.reshape(self.groups, -1, *part.shape[1:]).sum(axis=1) for part in (key, value)
        )
        query, key = (
            self.turned_back(*parts) for parts in zip(self.unturned, (query, key), strict=True)
        )
        of_read = sum(
            epsilon_rule(self.read, linear, out_of_heads(part))
            for linear, part in zip(self.maps, (query, key, value), strict=True)
        )
        return stayed + normalisation_rule(self.rows, self.norms[0], of_read)

    def turned_back(self, rows, relevance):
        """Relevance before the rotation of each token, a linear map."""
        nothing = np.zeros(rows.shape[-1])
        turned = [
            epsilon_rule(rows[:, place], Linear(turn, nothing), relevance[:, place])
            for place, turn in enumerate(self.turns)
        ]
        return np.stack(turned, axis=1)
