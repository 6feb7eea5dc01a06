"""What is asked of a token, what measures are meant to tell of it, and when they find it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import pandas as pd

from attention_mixing.attributions.catalogue import Estimand, labels

_MEANT: dict[str, Estimand] = {"attnres_w": "provenance"}  # what circuits alone are asked

ESTIMANDS: tuple[Estimand, ...] = get_args(Estimand)

FINDS, NEARLY = 0.99, 0.9
"""ROC AUC, mean over all that was scored, from which on a measure finds what counts; and a second
one, which what a measure misses by ties alone is above."""


def meant(measure: str) -> Estimand | None:
    """Tell what a measure is meant to tell; None of baselines and of what nobody knows here."""
    named = labels().get(measure)
    return named.method.estimand if named else _MEANT.get(measure)


def by_estimand(means: pd.DataFrame, measures: Sequence[str]) -> pd.DataFrame:
    """Count the circuits in which measures find what counts, by what is asked.

    Parameters
    ----------
    means
        ``estimand, measure, circuit, score, mean``, of one way through.
    measures
        Those to count for, in this order.

    Returns
    -------
    DataFrame
        A row a measure and estimand: ``measure``, ``estimand``; ``meant``, whether the measure is
        meant to tell it (:func:`meant`), None where nobody knows; ``found``, in how many circuits
        its ROC AUC is at least :data:`FINDS`, ``nearly``, at least :data:`NEARLY`,
        and ``of`` how many, those in which there is something to find; mean over circuits of the
        error of the ``amount`` and of the rank correlation (``order``).
    """
    table = means.pivot(index=["estimand", "measure", "circuit"], columns="score", values="mean")
    rows = []
    for measure in measures:
        told = meant(measure)
        for estimand in ESTIMANDS:
            of_circuits = table.loc[estimand, measure]
            auc = of_circuits["roc_auc"].dropna()
            rows.append(
                {
                    "measure": measure,
                    "estimand": estimand,
                    "meant": None if told is None else told == estimand,
                    "found": int((auc >= FINDS).sum()),
                    "nearly": int((auc >= NEARLY).sum()),
                    "of": len(auc),
                    "amount": float(of_circuits["mixing_error"].mean()),
                    "order": float(of_circuits["rank_correlation"].mean()),
                }
            )
    return pd.DataFrame(rows)
