"""A measure of each kind, in a module of their own, which worker processes import."""

import numpy as np
import pandas as pd

from attention_mixing.addresses import ALL
from attention_mixing.measures.engine.definition import (
    HEAD,
    LAYER,
    Field,
    Gives,
    Measure,
    Values,
    gives,
)


def toy(text, given):
    attention = text["attention"]
    yield Values("first", attention[..., 0].mean(axis=-1), subject="key")
    yield Values("largest", attention.max(axis=(1, 2, 3)))
    yield Values("tokens", len(text.tokens), facet="all")
    yield Values("none", np.nan, layer=2)
    yield Field("row", attention[:, 0, 0])


class Total:
    """Sum of all words, which depends on the order of additions in its last digits."""

    def __init__(self, given):
        self.texts, self.sum = [], np.zeros(4, np.float32)

    def add(self, text):
        self.texts.append(text.id)
        self.sum += text["word"].sum(axis=0)

    def merge(self, other):
        self.texts += other.texts
        self.sum += other.sum

    def result(self):
        return self

    def measured(self):
        yield Values("sum", self.sum.sum())
        yield Field("sum", self.sum, shown=True)


def reader(text, given):
    yield Values("read", float(text.field("toy")["row"].sum()))
    yield Values("share", text["word"].sum() / given["total"].sum.sum())


def pair(before, after, given):
    assert before.id == after.id
    yield Values("moved", float(np.abs(after["word"] - before["word"]).mean()), layer=0)


def largest(item):
    state, text = item
    return text, float(state.text(text)["word"].max())


def of_all(corpus, given):
    for state in corpus.states:
        assert given["total"][state.variant].texts == list(state.examples["id"])
        for text, value in corpus.each(
            largest, [(state, text) for text in state.examples["id"]], "toy"
        ):
            yield state.variant, text, [Values("largest_word", value)]
        points = pd.DataFrame({"x": [1.0, 2.0], "name": ["a", "日本"]})
        found = Values("texts", len(state.examples)), Field("points", points, shown=True)
        yield state.variant, ALL, found


TOYS = (
    Measure(
        "toy",
        toy,
        (
            Gives("first", HEAD, subject=("key",)),
            Gives("largest", LAYER),
            Gives("tokens", facet=("all",)),
            Gives("none", LAYER),
        ),
        settings=("bootstrap.seed", "experiment.length"),
    ),
    Measure("total", Total, gives(["sum"]), kind="accumulator"),
    Measure("reader", reader, gives(["read", "share"]), after=("toy", "total")),
    Measure("pair", pair, gives(["moved"], LAYER), kind="pair"),
    Measure("of_all", of_all, gives(["largest_word", "texts"]), kind="corpus", after=("total",)),
)
