"""Which of the prepared texts are taken."""

import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_mixing.capture.subset import choose


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=40), st.integers(1, 50))
def test_texts_are_chosen_as_evenly_over_the_labels_as_can_be(labels, count):
    examples = pd.DataFrame({"id": range(len(labels)), "label": pd.array(labels, "Int64")})
    chosen = choose(examples, count)
    assert len(chosen) == min(count, len(labels))
    assert chosen["id"].is_monotonic_increasing
    there, taken = examples["label"].value_counts(), chosen["label"].value_counts()
    most = taken.max()
    for label, available in there.items():
        # A label is short of the others only where it has no more texts.
        assert taken.get(label, 0) >= min(available, most - 1)
        first = examples.loc[examples["label"] == label, "id"].iloc[: taken.get(label, 0)]
        assert set(first) <= set(chosen["id"])


def test_texts_without_labels_are_taken_from_the_start():
    examples = pd.DataFrame({"id": [4, 5, 6], "label": pd.array([None] * 3, "Int64")})
    assert choose(examples, 2)["id"].tolist() == [4, 5]
    assert choose(examples, 9)["id"].tolist() == [4, 5, 6]
