"""The glossary has an entry for every measure and for every method of the catalogue."""

import re
from pathlib import Path

import pytest

from analysis.prose.messages import words
from attention_mixing.attributions.catalogue import labels
from attention_mixing.circuits.measures import layer_measures, model_measures
from attention_mixing.measures import STAGES, measures

REPORT = Path(__file__).parents[2] / "report"
# Measure -> the terms that say what it measures.
TERMS = {
    "mixing": ("mixing", "mixing-ratio", "entropy"),
    "sinks": ("sink",),
    "effective_attention": ("effective-attention",),
    "value_zeroing": ("value-zeroing",),
    "token_moments": ("cka", "effective-rank"),
    "identity": ("identifiability", "anisotropy"),
    "rank_collapse": ("rank-collapse",),
    "massive_activations": ("massive-activation",),
    "change": ("change", "jensen-shannon"),
    "weight_change": ("change",),
    "dependence": ("sensitivity", "total-variation"),
    "joint_dependence": ("sensitivity",),
    "propagation": ("rollout", "flow", "tight-pair"),
    "two_streams": ("alignment-error", "alti-plus"),
    "shown_pair": ("flow",),
    "projection": ("umap", "trustworthiness", "overlap", "disparity"),
    "metrics": ("cosine",),
    "separation": ("silhouette",),
    "centroids": ("normalization",),
    "pairs": ("normalization", "spearman"),
    "geometry": ("normalization", "cosine"),
    "scale_order": ("normalization",),
    "scale_choices": ("normalization",),
    "joint_maps": ("joint-map",),
    "heads": ("family", "entropy", "sink"),
    "clusters": ("k-means", "hdbscan", "cluster-quality", "adjusted-rand-index"),
    "relevance": ("gradient", "integrated-gradients", "relevance"),
    "alti_logit": ("alti-logit",),
    "removal": ("blank-out", "leaving-out"),
    "head_ablation": ("ablation",),
    "target_gradients": ("gradient", "alignment-error"),
    "faithfulness": ("roc-auc", "precision", "comprehensiveness", "minimal-pair"),
    "matrices": ("attention-map",),
    "sentence": ("normalization", "spearman"),
    "rows": ("attribution",),
    "rows_of_target": ("attribution",),
    "measured_rows": ("sensitivity",),
    "measured_rows_of_target": ("sensitivity",),
}
# What measures of circuits are compared with: none is a method.
BESIDE = {"symbols", "identity", "lengths", "uniform"}


@pytest.fixture(params=["en", "ja"])
def entries(request):
    """Terms of a glossary by their ids."""
    text = (REPORT / request.param / "glossary.qmd").read_text(encoding="utf-8")
    listed = re.findall(r"^\[(.*?)\]\{#term-([\w-]+)\}.*\n: \S", text, re.MULTILINE)
    found = {name: term.replace("\\", "").lower() for term, name in listed}
    return request.param, found


def test_every_measure_has_a_term(entries):
    _, found = entries
    assert TERMS.keys() == {measure.name for stage in STAGES for measure in measures(stage)}
    assert {term for terms in TERMS.values() for term in terms} <= found.keys()


def test_every_method_is_named_by_a_term(entries):
    language, found = entries
    w = words(language, "propagation") | words(language, "faithfulness")
    w |= words(language, "circuits")
    # What is asked of circuits alone is among their measures.
    asked = {
        one.label
        for one in labels().values()
        if one.sign != "against" and getattr(one.method, "in_texts", True)
    }
    asked |= {*layer_measures(), *model_measures()}
    missing = {
        label
        for label in asked - BESIDE
        if not any(set(said(w[label])) & set(said(term)) for term in named(found.values()))
    }
    assert missing == set()


def named(terms):
    """Every name in the headings of a glossary."""
    for term in terms:
        yield term
        yield from re.split(r", |[、（）()]| and |と", term)


def said(name: str) -> list[str]:
    """The name as a heading may have it: whole, or without what is in brackets or behind."""
    return [name.lower(), re.split(r" rollout|, |（| \(|のロールアウト|: ", name.lower())[0]]
