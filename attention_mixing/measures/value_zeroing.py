"""How far a layer moves each token without the value of another, alone and rolled out."""

from __future__ import annotations

from attention_mixing.attributions.catalogue import entry
from attention_mixing.attributions.matrices import of_layers, of_model
from attention_mixing.attributions.of_prediction import of_rows
from attention_mixing.attributions.through import through_layers
from attention_mixing.capture.text import Text
from attention_mixing.measures.engine.definition import Given, Measure, Measured
from attention_mixing.measures.matrices import matrix_quantities, of_matrices

METHOD = entry("value_zeroing")
ROLLED_OUT = METHOD.label(whole=True)


def value_zeroing(text: Text, given: Given) -> Measured:
    """Measures of value zeroing layer by layer, and rolled out (``value_zeroing_rollout``).

    Token scores of both.
    """
    settings = through_layers(given.settings)
    layers = of_layers(METHOD, text, settings).values
    # As in the authors' code, without a residual.
    rolled = of_model(METHOD, text, settings).values
    yield from of_matrices(layers, text, subject=METHOD.name, seen=text.visible)
    yield from of_matrices(rolled, text, subject=ROLLED_OUT, seen=text.reached)
    for method, matrix in {METHOD.name: layers, ROLLED_OUT: rolled}.items():
        yield from of_rows(method, matrix, text.read)


MEASURES = (
    Measure(
        "value_zeroing",
        value_zeroing,
        gives=matrix_quantities((METHOD.name, ROLLED_OUT)),
        settings=("device", "propagation.start_layer"),
        panel="propagation.value_zeroing",
    ),
)
