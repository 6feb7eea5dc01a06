"""What the abstract finds, in words that need neither the field nor the code.

Each function gives the statement that a finding opens with; the page puts its numbers beside it.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from analysis.figures.findings import faithfulness
from analysis.figures.findings.mixing import how_much_less
from analysis.figures.findings.propagation import amount_assumed, flows_are_flat
from analysis.figures.phrases import counted, counted_span, listed
from analysis.figures.words import Words

# A share of the heads that is called most of them.
MOST = 0.75
# Families of methods that look at nothing but attention weights.
ATTENTION = ("weights", "propagation")


def weights(raw: Sequence[float], vectors: Sequence[float], w: Words) -> str:
    """Hold the mixing that weights show against that of vectors, one value a model state each."""
    return w.say("index_weights", outcome=how_much_less(raw, vectors))


def in_short(raw: Sequence[float], vectors: Sequence[float], family: str | None, w: Words) -> str:
    """Say in one sentence what pictures of attention are worth.

    Parameters
    ----------
    raw, vectors
        As in :func:`weights`.
    family
        Of the best method of explanation (``figures.faithfulness.FAMILIES``); None where no text
        records what a prediction depends on.
    """
    less = "no" if how_much_less(raw, vectors) == "depends" else "yes"
    if family is None:
        return w.say("index_in_short", less=less, best="none")
    best = "attention" if family in ATTENTION else "other"
    return w.say("index_in_short", less=less, best=best, family=w[family])


def scope(names: Sequence[str], trained: bool, w: Words) -> str:
    """Say what the ranges on the front page range over.

    Parameters
    ----------
    names
        Of the experiments.
    trained
        Whether any of them fine-tunes its model.
    """
    outcome = ("one" if len(names) == 1 else "several") + ("_trained" if trained else "")
    count = counted(len(names), "experiment", w)
    return w.say("index_scope", outcome=outcome, names=listed(names, w), count=count)


def models(known: Sequence[tuple[str, int]], w: Words) -> str:
    """Name the models, each once, with their numbers of layers."""
    message = "index_one_model" if len(known) == 1 else "index_models_each"
    shown = [w.say(message, name=name, layers=str(layers)) for name, layers in known]
    if len(known) == 1:
        return shown[0]
    listing = w["index_models_between"].join(shown)
    return w.say("index_models", count=len(known), models=listing)


def rollout(found: Sequence[float], uniform: Sequence[float], w: Words) -> str:
    """Hold the mixing after the last layer against that of attention without any preference."""
    return w.say(
        "index_rollout", outcome="assumed" if amount_assumed(found, uniform) else "depends"
    )


def flow(entropies: Sequence[float], w: Words) -> str:
    """Say whether flow differs between input tokens, by the relative entropy of its rows."""
    return w.say("index_flow", outcome="flat" if flows_are_flat(entropies) else "differs")


def attentionviz(before: Sequence[float], after: Sequence[float], w: Words) -> str:
    """Say what the normalization does to strong pairs in the plane, one value a model state."""
    pairs = list(zip(before, after, strict=True))
    if all(a > b for b, a in pairs):
        return w.say("index_attentionviz", outcome="apart")
    together = all(a < b for b, a in pairs)
    return w.say("index_attentionviz", outcome="together" if together else "depends")


def heads(harmed: Sequence[float], w: Words) -> str:
    """Say whether single heads can be spared, by the share whose absence lowers the score."""
    return w.say("index_heads", outcome="spared" if max(harmed) <= 1 - MOST else "needed")


def explained(auc: pd.DataFrame, family: str, w: Words) -> str:
    """Say which method finds the words that a prediction depends on, and what it looks at.

    Parameters
    ----------
    auc
        ROC-AUC of every method (``of``), a row an experiment.
    family
        Of the best of them.
    """
    method = w[faithfulness.best_method(auc)]
    return w.say("index_explained", looks=w[f"looks_{family}"], method=method)


def explained_scope(texts: Sequence[int], w: Words) -> str:
    """Say how many experiments record the evidence, and how many texts of each were explained.

    Parameters
    ----------
    texts
        One number an experiment.
    """
    return w.say(
        "index_explained_scope",
        outcome="one" if len(texts) == 1 else "several",
        experiments=counted(len(texts), "experiment", w),
        texts=counted_span(texts, "text", w),
    )


def below_chance(auc: pd.DataFrame, w: Words) -> str:
    """Name the methods that rank the evidence worse than chance in every experiment."""
    methods = [w[method] for method in faithfulness.below_chance(auc)]
    if not methods:
        return w["index_none_below_chance"]
    return w.say("index_below_chance", methods=listed(methods, w))
