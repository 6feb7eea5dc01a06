"""What measures are called on circuits beside their labels in the catalogue, and some circuits."""

BASELINES = ("uniform", "symbols", "identity")
"""They ask no model: all tokens alike, all but the beginning alike, or each for itself."""

OF_OTHERS = (
    *("previous", "uniform", "relay", "lookup", "two_hops", "loud_sink", "key_alone", "rescaling"),
)
"""Circuits in which the logits of a token depend on others."""

BY_KEYS = ("lookup", "two_hops", "key_alone")
"""Circuits in which tokens matter by their keys."""

SAME = {"attn_w": "raw"}
"""Labels under which a measure has the same weights as under another, which circuits know."""
