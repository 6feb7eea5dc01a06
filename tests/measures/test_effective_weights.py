"""What measures take apart is what the model added up."""

import numpy as np
import pytest

from attention_mixing.attributions.blocks import blocks
from attention_mixing.capture import capture_text
from attention_mixing.measures.attention import effective_weights


@pytest.fixture(scope="module")
def text(make_model, tokenizer):
    whole = "the film was not very good, but the music was"  # longer than a head is wide
    return capture_text(whole, model=(make_model("bert"), tokenizer))


def test_rows_of_attention_sum_to_one_whatever_precision_they_were_stored_in(text):
    stored = text.unmeasured()
    half = text["attention"].astype(np.float16).astype(np.float32) * np.float32(1.01)
    stored.arrays = text.arrays | {"attention": half}
    for layer, block in enumerate(blocks(stored)):
        np.testing.assert_allclose(block.attention.sum(axis=-1), 1, atol=1e-6)
        np.testing.assert_allclose(block.attention, text["attention"][layer], atol=1e-3)


def test_the_layer_that_moves_most_says_how_far_what_is_removed_moves_the_output(text):
    def moved(*layers):
        some = text.unmeasured()
        some.arrays = {name: text[name][list(layers)] for name in ("attention", "value", "visible")}
        some.weights = [text.weights[layer] for layer in layers]
        found = {one.quantity: one.value for one in effective_weights(some, {})}
        return found["null_output"]

    alone = moved(0), moved(1)
    assert alone[0] != alone[1]
    assert moved(0, 1) == moved(1, 0) == max(alone)
