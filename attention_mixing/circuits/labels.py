"""What measures are called on circuits beside their labels in the catalogue."""

BASELINES = ("uniform", "symbols", "identity")
"""They ask no model: all tokens alike, all but the beginning alike, or each for itself."""

SAME = {"attn_w": "raw"}
"""Labels under which a measure has the same weights as under another, which circuits know."""
