"""Choices among the methods of the catalogue that measures and pages share."""

from __future__ import annotations

from attention_mixing.attributions.catalogue import chosen, select

# Against which all explanations of a prediction are held.
PAIRED_WITH = chosen("raw", "rollout")
FLOWS = tuple(one.name for one in select(through="flow"))
# Rollout of causal attention beyond what the mask makes of it.
BEYOND_MASK = tuple(one.name for one in select(causal=True))
# Of which the share on the first token is told, of causal texts.
ABSORBED = (*chosen("raw", "rollout", "uniform"), *BEYOND_MASK)
# By which words of a source and its target are linked: in the decoder's attention to the source,
# layer by layer; from the input on; and by gradients.
LINKED_IN_LAYER = chosen("raw", "attn_n", "attnresln_n", "alti")
LINKED_FROM_INPUT = chosen(
    "rollout", "rollout_measured", "attnresln_n_rollout", "alti_rollout", "flow"
)
LINKED_BY_GRADIENTS = chosen("gradient_norm", "gradient_x_input")
