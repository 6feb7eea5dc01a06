"""What the explorer says of every token, a method a column: leave one out here, and it is gone."""

from __future__ import annotations

from attention_mixing.attributions.catalogue import chosen

# Of one layer; from the input of the model to the layer; and what a prediction owes to the token,
# beside what removing it does. Beside the methods of the first two stands what is measured by
# replacing tokens.
IN_LAYER = chosen("raw", "attnresln_n", "alti")
FROM_INPUT = chosen("rollout", "alti_rollout", "flow")
METHODS = (*IN_LAYER, *FROM_INPUT)
DEPENDENCE = "dependence"
OF_PREDICTION = chosen("gradient_norm", "integrated_gradients", "alti_logit", "decompx")
