"""What the chapter *faithfulness* says of its settings and texts, and of words that are changed."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from analysis.prose.phrases import counted, counted_span, extent, listed, spread, written
from analysis.results.explanations import (
    JUDGED,
    METHOD_FAMILIES,
    explained_texts,
    largest_loss,
)
from analysis.runs.parameters import RunParameters
from attention_mixing.attributions.catalogue import chosen
from attention_mixing.messages import Words
from attention_mixing.methods.faithfulness import DRAWS


def settings(params: RunParameters, w: Words) -> dict[str, str]:
    """Write what every run is measured by."""
    parameters = params.faithfulness
    return {
        "removal": w[f"blank_out_{parameters.removal}"],
        "effect": f"{parameters.effect:.2g}",
        "fractions": w["fractions_comma"].join(
            f"{fraction:.0%}" for fraction in parameters.fractions
        ),
        "steps": counted(parameters.steps, "step", w),
        "draws": str(DRAWS),
        "residual": f"{params.propagation.residual:.2g}",
        "confidence": f"{params.bootstrap.confidence:.0%}",
    }


def explained(experiments: Sequence[str], differences: pd.DataFrame, w: Words) -> dict[str, str]:
    """Write what is said of the texts where predictions of the experiments can be explained.

    ``differences`` are as :func:`analysis.results.explanations.paired` gives them.
    """
    texts = sorted(explained_texts())
    losses = [largest_loss(experiment) for experiment in experiments]
    dropped = int(differences["dropped"].max())
    return {
        "examples": counted_span(texts, "text", w),
        "blank-out": spread(min(losses), max(losses), ".2g", w),
        "dropped": w.say("undefined_texts", n=dropped, texts=str(dropped)),
    }


def leading(scores: pd.DataFrame, methods: Sequence[str], w: Words) -> dict[str, str]:
    """Write which of some methods is ahead most often, over pairs of a criterion and a corpus.

    ``scores`` are as :func:`analysis.results.explanations.every_corpus` gives them, by criteria of
    which a higher value is better.
    """
    judged = [name for name in methods if name not in (*METHOD_FAMILIES["removal"], "random")]
    measured = scores[scores["subject"].isin(judged)].dropna(subset="mean")
    pairs = [rows for _, rows in measured.groupby(["quantity", "corpus"])]
    first = pd.Series(
        [name for rows in pairs for name in rows["subject"][rows["mean"] == rows["mean"].max()]],
        dtype=object,
    ).value_counts()
    most = int(first.max()) if len(first) else 0
    best = [w[method] for method in judged if first.get(method) == most]
    extent_of = "none" if not pairs else "all" if most == len(pairs) else "some"
    about = {"best": listed(best, w) if best else "", "led": most, "pairs": len(pairs)}
    return {"leading": w.say("leading", extent=extent_of, **about)}


def planted(auc: pd.DataFrame, w: Words) -> dict[str, str]:
    """Write how well two methods find the evidence, on average over the experiments."""
    means = auc.groupby("subject")["mean"].mean().dropna()
    return {
        f"auc-{method}": written(means[method], ".2f") if method in means else w["not_defined"]
        for method in chosen("gradient_norm", "raw")
    }


def changed(scores: pd.DataFrame, deciding: pd.DataFrame, w: Words) -> dict[str, str]:
    """Write what changing words shows.

    ``scores`` are those of the whole models by :data:`analysis.results.explanations.CHANGED`, and
    ``deciding`` is as :func:`analysis.results.explanations.deciding_words` gives it.
    """
    rows = scores[scores["quantity"] == "top_counterfactual"]
    found = rows.pivot(index="experiment", columns="subject", values="mean").reindex(columns=JUDGED)
    evidence = deciding["evidence_decides"].dropna()

    def ends(values: pd.Series) -> tuple[float, float]:
        return values.min(), values.max()

    removals = [name for name in METHOD_FAMILIES["removal"] if found[name].notna().any()]
    by_removal = found[removals].stack().dropna()
    means = found.drop(columns=[*METHOD_FAMILIES["removal"], "random"]).mean()
    places = deciding["first_decides"]
    return {
        "changed-decides": w.say(
            "changed_decides",
            extent=extent(evidence == 1) if len(evidence) else "unasked",
            share=spread(*ends(evidence), ".0%", w),
            texts=counted(int(deciding["texts"].sum()), "text", w),
        ),
        "changed-removal": w.say(
            "changed_removal",
            extent=extent(by_removal == 1),
            ways=listed([w.say("changed_by", removal=name) for name in removals], w),
            share=spread(*ends(by_removal), ".0%", w),
        ),
        "changed-place": w.say("changed_place", share=spread(*ends(places), ".0%", w)),
        "changed-best": w.say(
            "changed_best",
            texts=counted(int(rows.groupby("experiment")["texts"].max().sum()), "text", w),
            best=listed([w[method] for method in means.index[means == means.max()]], w),
            share=written(means.max(), ".0%"),
        ),
    }
