"""How well methods explain predictions: scores of this run and of the reference runs."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from scipy.stats import false_discovery_control

from analysis.results.summary import contrasts, curves, facts, last, of_states, overall
from analysis.rules import conditions
from analysis.runs.kept import kept_cases, kept_experiment, kept_facts, other_runs, run_of
from analysis.runs.parameters import run_parameters
from attention_mixing.attributions import catalogue
from attention_mixing.attributions.catalogue import labels

# What a method looks at, in the order of pages. Removal is what the model does: as a score, the
# ceiling of all others.
FAMILIES = ("weights", "propagation", "vectors", "gradients", "removal", "baseline")
METHOD_FAMILIES: dict[str, tuple[str, ...]] = {
    family: tuple(one.label for one in labels().values() if one.final and one.family == family)
    for family in FAMILIES
}
JUDGED = tuple(method for methods in METHOD_FAMILIES.values() for method in methods)
EVIDENCE = ("roc_auc", "precision_at_one")
# Models stand side by side, so what one of them can lose at all is taken out.
# Of words that are changed instead.
CHANGED = ("top_counterfactual", "counterfactual")
REMOVED = ("comprehensiveness_normalised", "sufficiency")
RELEVANCE_RULES = tuple(one.name for one in catalogue.explanations(against=True))
PAIRED_MEASURES = ("roc_auc", "comprehensiveness")


def by_removal(removal: str) -> tuple[str, ...]:
    """Measures of the panel, in which single tokens are removed in one way."""
    return (*EVIDENCE, f"blank_out_{removal}", f"top_{removal}", "gradient", *REMOVED)


def final_scores(*measures: str, run: str = "") -> pd.DataFrame:
    """Scores of the whole fine-tuned models by some measures, where defined, in our order."""
    where = {"facet": "final", "subject": JUDGED, "quantity": measures}
    rows = overall("faithfulness", run=run, **where).dropna(subset="mean")
    order = {name: rank for names in (JUDGED, measures) for rank, name in enumerate(names)}
    columns = ["quantity", "subject"]
    return rows.sort_values(columns, key=lambda names: names.map(order), kind="stable")


def deciding_words() -> pd.DataFrame:
    """How often the word whose change costs most is evidence, or the first, where any is changed.

    A row an experiment: ``evidence_decides`` and ``first_decides``, and how many ``texts`` have the
    former.
    """
    quantities = ["evidence_decides", "first_decides"]
    rows = overall("faithfulness", quantity=quantities)
    table = rows.pivot(index="experiment", columns="quantity", values="mean")
    texts = rows.pivot(index="experiment", columns="quantity", values="texts")
    return table[quantities].assign(texts=texts["evidence_decides"]).dropna(subset="first_decides")


def agreement() -> pd.DataFrame:
    """Mean correlation of every two methods (``subject``, ``facet``)."""
    return overall("faithfulness", quantity="correlation")


def paired(confidence: float) -> pd.DataFrame:
    """Differences of methods (``subject``, ``minus``) on the same texts.

    Only by measures that some text defines; ``dropped`` is how many texts of the experiment do not,
    and ``stands_out`` whether the difference does, corrected for the number of comparisons
    (Benjamini and Hochberg 1995).
    """
    rows = contrasts("faithfulness", facet="final", quantity=PAIRED_MEASURES)
    rows = rows[rows.groupby("quantity")["mean"].transform("count") > 0]
    texts = explained_texts().loc[rows["experiment"]].to_numpy()
    defined = rows["p"].dropna()
    adjusted = pd.Series(
        false_discovery_control(defined) if len(defined) else defined, defined.index
    )
    stands_out = adjusted.reindex(rows.index) <= 1 - confidence
    return rows.assign(dropped=texts - rows["texts"], stands_out=stands_out)


def explained_texts() -> pd.Series:
    """Count the texts of each experiment that were explained."""
    rows = overall("relevance", quantity="completeness_error")
    return rows.set_index("experiment")["texts"]


def starts() -> pd.DataFrame:
    """ROC-AUC of both rules, where defined, over the first layer that counts: ``layer``."""
    of_rules = {label: one for label, one in labels().items() if one.method.name in RELEVANCE_RULES}
    rows = curves("faithfulness", quantity="roc_auc", subject=[*of_rules])
    rows = rows.dropna(subset="mean")
    whole = last(rows[rows["facet"] == "cls"]).assign(layer=1)
    data = pd.concat([whole, rows[rows["facet"] == "from"]]).sort_values("layer", kind="stable")
    return data.assign(
        rule=data["subject"].map(lambda label: of_rules[label].method.name),
        sign=data["subject"].map(lambda label: of_rules[label].sign or "for"),
    )


def every_corpus(criteria: Sequence[str]) -> pd.DataFrame:
    """Scores of the whole models of this run and of reference runs, where they have learned.

    Of experiments that differ in sizes and seeds alone, that with most texts; ``corpus`` names it.
    """
    experiments = dict(run_parameters().experiments) | kept_cases()
    facts_of = {name: facts(name) for name in run_parameters().experiments} | kept_facts()
    tables = [final_scores(*criteria)]
    for run in other_runs():
        rows = final_scores(*criteria, run=run)
        names = [kept_experiment(run, name) for name in rows["experiment"]]
        tables.append(rows.assign(experiment=names))
    scores = pd.concat(tables, ignore_index=True)
    named = scores["experiment"].unique()
    learned = [name for name in named if conditions.learned(facts_of[name])]
    scores = scores[scores["experiment"].isin(learned)]
    kinds = [
        (conditions.alike(experiments[name]), run_of(name), int(texts))
        for name, texts in scores.groupby("experiment", sort=False)["texts"].max().items()
    ]
    heaviest = conditions.heaviest(kinds)
    models = {
        conditions.model_name(experiment) for experiment in run_parameters().experiments.values()
    }
    corpus = {}
    for name in scores["experiment"].unique():
        if heaviest[conditions.alike(experiments[name])] == run_of(name):
            encoder = conditions.model_name(experiments[name])
            corpus[name] = name.rpartition("/")[2] + ("" if encoder in models else f", {encoder}")
    scores = scores[scores["experiment"].isin(corpus)]
    return scores.assign(corpus=scores["experiment"].map(corpus)).reset_index(drop=True)


def largest_loss(experiment: str) -> float:
    """Largest probability that a single deleted token costs, in the text shown."""
    rows = of_states("faithfulness", "explained", experiment)
    return float(rows.loc[rows["method"] == "left_out_delete", "score"].max())
