"""Results of the stage *circuits*: what measures find of what is known, and where we were wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.paths import CIRCUITS, KEPT_CIRCUITS_NOTE, result
from analysis.results.explanations import every_corpus
from analysis.results.summary import curves, last, predicting
from attention_mixing.artifacts import read_artifact
from attention_mixing.attributions import catalogue
from attention_mixing.attributions.catalogue import Estimand
from attention_mixing.circuits.estimands import by_estimand
from attention_mixing.circuits.labels import BASELINES, BY_KEYS, SAME
from attention_mixing.methods.faithfulness import rank_correlation

# ALTI adds up coordinates, and so do those that are made of it.
OF_COORDINATES = catalogue.chosen("alti", "alti_rollout", "alti_logit")
# What is asked of trained models -> quantity.
TRAINED = {"evidence": "roc_auc", "changed": "top_counterfactual"}
# What circuits and trained models are both asked: how much is depended on, and in which order.
BY_DEPENDENCE = {"amount": "mixing_error", "order": "rank_correlation"}
# The baselines that are of the same kind in both.
IN_BOTH = ("symbols", "identity")
# What a score is of, where circuits are varied, but for the basis.
KEYS_VARIED = ["through", "estimand", "circuit", "norm", "text", "layer", "measure", "score"]
# What circuits and models that have learned a task are both asked, and by which score.
LEARNED: dict[str, tuple[Estimand, str]] = {
    "found": ("effect", "roc_auc"),
    "order": ("effect", "rank_correlation"),
    "brought": ("provenance", "rank_correlation"),
}
# A measure tells the amount of mixing of a circuit if its mean error is no larger.
AMOUNT_WITHIN = 0.05


class Question(NamedTuple):
    """What a measure can be asked, and how circuits test it.

    Attributes
    ----------
    through
        ``layer``, each single one, or ``model``.
    score
        That decides whether a circuit is passed: ``roc_auc``, by which a measure finds what is
        asked, or ``mixing_error`` (:data:`AMOUNT_WITHIN`).
    estimand
        What is asked of a token.
    circuits
        Those that test it; None for all.
    """

    through: str
    score: str
    estimand: Estimand
    circuits: tuple[str, ...] | None = None


QUESTIONS = {
    "layer_amount": Question("layer", "mixing_error", "provenance"),
    "model_amount": Question("model", "mixing_error", "provenance"),
    "layer_source": Question("layer", "roc_auc", "provenance"),
    "model_source": Question("model", "roc_auc", "provenance"),
    "prediction": Question("model", "roc_auc", "effect"),
    "effect": Question(
        "layer", "roc_auc", "effect", ("silent_sink", "cancelling_heads", "loud_sink")
    ),
    # A measure whose order is right may still credit what was removed.
    "survival": Question(
        "model", "mixing_error", "effect", ("cancelling_layers", "erasing_network", "unread")
    ),
    "keys": Question("model", "roc_auc", "keys", BY_KEYS),
}


@dataclass(frozen=True)
class CircuitAnswer:
    """How measures answer one of :data:`QUESTIONS`.

    Attributes
    ----------
    through
        As the question has it.
    circuits
        Names of those that test it.
    passed
        How many of them each measure passes, without the baselines.
    baseline
        The largest number of them that a baseline passes, which asks no model.
    """

    through: str
    circuits: list[str]
    passed: pd.Series
    baseline: int

    @property
    def answering(self) -> list[str]:
        """Measures that pass every circuit."""
        return list(self.passed.index[self.passed == len(self.circuits)])

    @property
    def most(self) -> int:
        """The largest number of circuits that a measure passes."""
        return int(self.passed.max())

    @property
    def closest(self) -> list[str]:
        """Measures that pass most circuits."""
        return list(self.passed.index[self.passed == self.most])

    @property
    def telling(self) -> bool:
        """Whether some measure passes more circuits than a baseline does."""
        return self.most > self.baseline


class BesideModels(NamedTuple):
    """Measures held against what is depended on, on circuits and in the models of a run.

    Attributes
    ----------
    table
        ``measure``, baselines last; of the whole circuits ``circuits_amount``, the mean over them
        of the error in the amount of mixing, and ``circuits_order``, of the rank correlation with
        the true shares; ``models_amount`` and ``models_order``, of the last layer of the models.
        Not a number where a measure has no order.
    models
        Names of the experiments whose models they are, in the last state of each.
    texts
        How many texts of each were asked about.
    """

    table: pd.DataFrame
    models: list[str]
    texts: list[int]


class LearnedResults(NamedTuple):
    """Scores on models that have learned a task.

    Attributes
    ----------
    scores, models
        ``learned.parquet`` and ``learned_models.parquet``.
    """

    scores: pd.DataFrame
    models: pd.DataFrame

    @property
    def tasks(self) -> list[str]:
        """Names of the tasks."""
        return [*self.models["task"].unique()]

    def agreement(self, asked: str, measures: list[str]) -> float:
        """Correlate the orders of measures between seeds of the same task.

        The smallest correlation (Spearman) of any two seeds, by one of :data:`LEARNED`; each mean
        is over the placements of the norms and the texts.
        """
        by_seed = self._of(asked).groupby(["circuit", "seed", "measure"])["value"].mean()
        tables = (table.unstack("measure")[measures] for _, table in by_seed.groupby("circuit"))
        return min(
            float(rank_correlation(*(table.loc[seed].to_numpy() for seed in pair)))
            for table in tables
            for pair in combinations(table.index, 2)
        )

    def means(self, asked: str) -> pd.DataFrame:
        """Means of one of :data:`LEARNED`, ``[measure, task]``."""
        return self._of(asked).groupby(["measure", "circuit"])["value"].mean().unstack()

    def _of(self, asked: str) -> pd.DataFrame:
        estimand, score = LEARNED[asked]
        rows = self.scores
        return rows[(rows["estimand"] == estimand) & (rows["score"] == score)]


@dataclass(frozen=True)
class CircuitResults:
    """Results of the stage ``circuits`` (:mod:`analysis.stages.circuits`).

    Attributes
    ----------
    record
        ``circuits.json``.
    scores, means, variations, pairs
        The tables of the same names.
    arrays
        ``example.safetensors``.
    learned
        Of models that have learned a task.
    """

    record: Mapping[str, Any]
    scores: pd.DataFrame
    means: pd.DataFrame
    variations: pd.DataFrame
    pairs: pd.DataFrame
    arrays: Mapping[str, NDArray[np.float64]]
    learned: LearnedResults

    @property
    def circuits(self) -> dict[str, dict[str, Any]]:
        """What each circuit is made of, by name."""
        return self.record["circuits"]

    @property
    def carried(self) -> list[str]:
        """Circuits in which the vectors that a token gets tell what it depends on."""
        return [name for name, about in self.circuits.items() if about["carried"]]

    def measures(self, through: str) -> list[str]:
        """Names of the measures that were scored, baselines last."""
        return self.record["measures"][through]

    def judged(self, through: str) -> list[str]:
        """Names of the measures without the baselines."""
        return [measure for measure in self.measures(through) if measure not in BASELINES]

    def of_score(
        self, through: str, score: str = "roc_auc", estimand: Estimand = "effect"
    ) -> pd.DataFrame:
        """Rows of the means of one score."""
        asked = {"through": through, "score": score, "estimand": estimand}
        chosen = (self.means[[*asked]] == pd.Series(asked)).all(axis="columns")
        return self.means[chosen].reset_index(drop=True)

    def table(
        self, through: str, score: str, column: str = "mean", estimand: Estimand = "effect"
    ) -> pd.DataFrame:
        """Means of a score, ``[circuit, measure]``, or another column of theirs."""
        table = self.of_score(through, score, estimand).pivot(
            index="circuit", columns="measure", values=column
        )
        return table.loc[list(self.circuits), self.measures(through)]

    def by_estimand(self, through: str) -> pd.DataFrame:
        """Count the circuits in which measures find what they are asked, baselines last.

        As :func:`attention_mixing.circuits.estimands.by_estimand` has it.
        """
        return by_estimand(self.means.query("through == @through"), self.measures(through))

    def finds(self, through: str, estimand: Estimand = "effect") -> pd.DataFrame:
        """Whether a measure finds what is asked, ``[circuit, measure]``; no baselines."""
        table = self.table(through, "roc_auc", "finds", estimand)
        return table[self.judged(through)].astype(bool)

    def as_meant(self, through: str) -> pd.DataFrame:
        """Count the circuits in which measures find what they are meant to tell.

        By measure: ``estimand``, ``found``, ``of``; and ``baseline``, the largest number of them in
        which a baseline does, which asks no model.
        """
        table = self.by_estimand(through).set_index("measure")
        of_baselines = table.loc[[*BASELINES]].groupby("estimand")["found"].max()
        told = table[table["meant"].eq(True)]
        return told.assign(baseline=told["estimand"].map(of_baselines))[
            ["estimand", "found", "of", "baseline"]
        ]

    def answer(self, name: str) -> CircuitAnswer:
        """Count for one of :data:`QUESTIONS` the circuits that every measure passes."""
        through, score, estimand, chosen = QUESTIONS[name]
        circuits = [*(chosen or self.circuits)]
        passes = self.table(through, "roc_auc", "finds", estimand).astype(bool)
        if score == "mixing_error":
            passes = self.table(through, score, estimand=estimand) <= AMOUNT_WITHIN
        passed = passes.loc[circuits].sum()
        return CircuitAnswer(
            through,
            circuits,
            passed[self.judged(through)],
            int(passed[list(BASELINES)].max()),
        )

    def scored_as(self, group: str, of: str) -> tuple[str, str] | None:
        """Name the measure of circuits that a method of the summary is.

        The group is that of the measure by which a rule reads the method
        (:class:`analysis.rules.rule.Method`). Gives through what it was scored, and its name; None
        where it was not.
        """
        # On circuits, signs are left out.
        named = catalogue.labels().get(of)
        of = named.method.name if named and named.sign else SAME.get(of, of)
        # Raw weights are a measure of both: what explains a prediction takes the model as a whole.
        ways = ("model", "layer") if group == "explain" else ("layer", "model")
        return next(((way, of) for way in ways if of in self.judged(way)), None)

    def expectations(self) -> pd.DataFrame:
        """Rows of the means of the ROC AUC of which something was expected; not of baselines."""
        auc = self.means[self.means["score"] == "roc_auc"].dropna(subset="expected")
        return auc[auc["measure"].isin({*self.judged("layer"), *self.judged("model")})]

    def surprises(self) -> pd.DataFrame:
        """Those of the expectations that were wrong."""
        expected = self.expectations()
        return expected[expected["expected"] != expected["finds"]].reset_index(drop=True)

    def moved_by_basis(self) -> pd.Series:
        """Largest change of any score from basis to basis, by measure."""
        keys = ["through", "estimand", "circuit", "norm", "text", "layer", "measure", "score"]
        values = self.scores.groupby(keys)["value"]
        return (values.max() - values.min()).groupby("measure").max()

    def found_in_one_placement(self) -> int:
        """Count pairs of circuit and measure that depend on where the layers normalise."""
        auc = self.scores.query("score == 'roc_auc' and estimand == 'effect'")
        keys = ["through", "circuit", "measure"]
        means = auc.groupby([*keys, "norm"])["value"].mean()
        finds = means.drop(list(BASELINES), level="measure") >= self.record["finds"]
        return int((finds.groupby(keys).nunique() > 1).sum())

    def finds_softer(self) -> pd.DataFrame:
        """Whether a measure of the model finds it with softer attention, ``[circuit, measure]``."""
        full = self.finds("model")
        auc = self.variations.query("variation == 'softer' and score == 'roc_auc'")
        means = auc.groupby(["circuit", "measure"])["value"].mean().unstack()
        return means.loc[full.index, full.columns] >= self.record["finds"]

    def beside_varied(self, variation: str) -> pd.DataFrame:
        """Join scores of circuits that are varied with those of the same as they are.

        A row a score of :data:`KEYS_VARIED` and ``seed``: ``varied``, and ``plain``, which is the
        mean over bases.
        """
        varied = self.variations.query("variation == @variation").drop(columns="variation")
        plain = self.scores.groupby(KEYS_VARIED, sort=False)["value"].mean().rename("plain")
        return varied.rename(columns={"value": "varied"}).join(plain, on=KEYS_VARIED)

    def with_norm_gains(self) -> pd.DataFrame:
        """Give the error of the amount brought where norms have gains and biases, and where not.

        ``through, measure, circuit, seed, plain, varied``; the seed is that of the gains.
        """
        errors = self.beside_varied("norm_gains").query("score == 'mixing_error'")
        by = ["through", "measure", "circuit", "seed"]
        return errors.groupby(by, sort=False)[["plain", "varied"]].mean().reset_index()

    def graded(self) -> pd.DataFrame:
        """Score measures of the model where keys decide, by how saturated attention is.

        ``gain, measure, circuit, value``: mean ROC AUC of all that tokens do, the same bases,
        placements and texts for all gains; the most saturated first.
        """
        gains = self.record["gains"]
        wanted = "through == 'model' and estimand == 'effect' and score == 'roc_auc'"
        full = self.scores.query(wanted).assign(variation="scores")
        rows = pd.concat([full, self.variations.query(wanted)])
        rows = rows.assign(gain=rows["variation"].map(gains)).dropna(subset="gain")
        keys = ["circuit", "norm", "seed", "text", "measure"]
        of_all = rows.groupby(keys)["gain"].transform("nunique") == len(gains)
        means = rows[of_all].groupby(["gain", "measure", "circuit"], sort=False)["value"].mean()
        return means.reset_index().sort_values("gain", ascending=False, kind="stable")

    def longer(self) -> pd.DataFrame:
        """Score measures of the model on longer texts, beside all others of the same circuits.

        ``measure``; ``plain`` and ``varied``, mean ROC AUC over circuits of all that tokens do;
        baselines last.
        """
        wanted = "through == 'model' and estimand == 'effect' and score == 'roc_auc'"
        varied = self.variations.query(f"{wanted} and variation == 'longer'")
        plain = self.scores.query(wanted)
        plain = plain[plain["norm"].isin(varied["norm"]) & plain["circuit"].isin(varied["circuit"])]
        means = {
            name: rows.groupby(["measure", "circuit"])["value"].mean().groupby("measure").mean()
            for name, rows in (("plain", plain), ("varied", varied))
        }
        table = pd.DataFrame(means).dropna()
        named = [name for name in self.measures("model") if name in table.index]
        return table.loc[named].rename_axis("measure").reset_index()

    def orders_of_effect(self) -> pd.DataFrame:
        """Share out what other tokens do by how many do it together, ``[circuit, order]``.

        ``one``, ``two``, ``more``, not numbers where other tokens do nothing; and ``pairs``, how
        many matter only together, of each symbol. Circuits of pairs first.
        """
        return pd.DataFrame.from_dict(self.record["orders"], orient="index", dtype=float)

    def given_to_pairs(self) -> pd.DataFrame:
        """Average the share that two tokens get which matter only together, ``[measure, circuit]``.

        The first row is that of the ``truth``.
        """
        shares = self.pairs.pivot_table("value", "measure", "circuit", sort=False)
        return shares.loc[["truth", *self.measures("model")]]

    def without_beginning(self) -> pd.Series:
        """Tell whether a measure finds something else if the beginning is left out.

        By ``through, circuit, measure``; only of those that have an outcome then: where all symbols
        are depended on, there is no ROC AUC among the symbols alone.
        """
        keys = ["through", "circuit", "measure"]
        of_effect = self.means.query("estimand == 'effect'")
        table = of_effect.pivot(index=keys, columns="score", values="mean")
        table = table.drop(list(BASELINES), level="measure")
        auc = table[["roc_auc", "roc_auc_symbols"]].dropna() >= self.record["finds"]
        return auc["roc_auc"] != auc["roc_auc_symbols"]

    def orders(self) -> pd.DataFrame:
        """Measures by what they find here and in trained models, best here first.

        Returns
        -------
        DataFrame
            ``measure``; ``circuits``, mean ROC AUC over circuits of the whole models; and of models
            that have learned, mean over the corpora in which all of these were measured:
            ``evidence``, ROC AUC of planted evidence, and ``changed``, how often the word whose
            change costs most is found, of minimal pairs. Only what some corpus has, and measures
            that half of the corpora have, as kept runs know nothing of later ones; empty where
            there is nothing.
        """
        trained = {
            column: every_corpus((quantity,)).pivot_table("mean", "subject", "corpus")
            for column, quantity in TRAINED.items()
        }
        of_most = [
            set(table.index[table.notna().mean(axis="columns") >= 1 / 2])
            for table in trained.values()
            if table.size
        ]
        asked = set.intersection(*of_most) if of_most else set()
        here = self.table("model", "roc_auc")[self.judged("model")].mean()
        sizes = {one.name: one.unsigned for one in catalogue.explanations(signed=True)}
        here = here[[sizes.get(measure, measure) in asked for measure in here.index]]
        names = [sizes.get(measure, measure) for measure in here.index]
        data = pd.DataFrame({"measure": here.index, "circuits": here.to_numpy()})
        for column, table in trained.items():
            measured = table.reindex(names).dropna(axis="columns")
            if measured.shape[1]:
                data[column] = measured.mean(axis="columns").to_numpy()
        ordered = data.sort_values("circuits", ascending=False, kind="stable", ignore_index=True)
        return ordered if set(TRAINED) & set(data) else ordered.iloc[:0]

    def beside_learned(self) -> pd.DataFrame:
        """Join the scores on circuits and on models that have learned a task.

        A row a measure, baselines last: ``measure``, and for each of :data:`LEARNED` the mean over
        all circuits (``circuits_order``), and over the models of each task (``copying_order``).
        """
        table = pd.DataFrame(index=pd.Index(self.measures("model"), name="measure"))
        for asked, (estimand, score) in LEARNED.items():
            table[f"circuits_{asked}"] = self.table("model", score, estimand=estimand).mean()
            means = self.learned.means(asked)
            for task in self.learned.tasks:
                table[f"{task}_{asked}"] = means[task]
        return table.reset_index()

    def beside_models(self) -> BesideModels:
        """Join what was measured of both, of measures that every model of the run has."""
        quantities = tuple(BY_DEPENDENCE.values())
        rows = last(predicting(curves("dependence", quantity=quantities)))
        of_models = {
            quantity: rows[rows["quantity"] == quantity].pivot(
                index="subject", columns="experiment", values="mean"
            )
            for quantity in quantities
        }
        measured = of_models["mixing_error"].dropna()
        named = [name for name in (*self.judged("model"), *IN_BOTH) if name in measured.index]
        table = pd.DataFrame({"measure": named})
        for name, quantity in BY_DEPENDENCE.items():
            here = self.table("model", quantity).mean()
            there = of_models[quantity].mean(axis="columns", skipna=False)
            table[f"circuits_{name}"] = here.reindex(named).to_numpy()
            table[f"models_{name}"] = there.reindex(named).to_numpy()
        texts = rows.groupby("experiment", sort=False)["texts"].max()
        return BesideModels(table, [*texts.index], texts.astype(int).tolist())


def kept_circuits() -> dict[str, str] | None:
    """Note of kept results, with ``commit`` and ``date``; None where they are of this run."""
    path = result(CIRCUITS.name, KEPT_CIRCUITS_NOTE)
    return read_artifact(path) if path.is_file() else None


def circuits_of_run() -> CircuitResults | None:
    """Read the results of the stage; None in a run without it."""
    return read_circuits() if CIRCUITS.is_dir() else None


def read_circuits() -> CircuitResults:
    """Read the results of the stage."""
    return CircuitResults(
        read_artifact(result("circuits", "circuits.json")),
        read_artifact(result("circuits", "scores.parquet")),
        read_artifact(result("circuits", "means.parquet")),
        read_artifact(result("circuits", "variations.parquet")),
        read_artifact(result("circuits", "pairs.parquet")),
        read_artifact(result("circuits", "example.safetensors")),
        LearnedResults(
            read_artifact(result("circuits", "learned.parquet")),
            read_artifact(result("circuits", "learned_models.parquet")),
        ),
    )


def places(scores: pd.DataFrame, ties: Literal["average", "min"]) -> pd.DataFrame:
    """Rank measures in every column, best first; what is equal in hundredths is a tie."""
    return scores.round(2).rank(ascending=False, method=ties)


def leak(gain: float) -> float:
    """Give the largest weight of a key that does not match, beside one that does."""
    return float(np.exp(-gain / 2))
