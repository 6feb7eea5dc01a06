"""What a run has evidence for: the conditions under which parts of the pages are shown."""

from __future__ import annotations

from collections.abc import Mapping

from analysis.figures.published import BLANK_OUT
from analysis.figures.results import curves, overall, table
from analysis.params import Experiment
from analysis.params.sections import Data, FilesData, GeneratedData
from analysis.rules.quantities import control_run, other_runs


def evidence(experiments: Mapping[str, Experiment], focus: str) -> dict[str, bool]:
    """Tell what the experiments of a run can show.

    Parameters
    ----------
    experiments
        Of the parameters, by name.
    focus
        Name of the one whose text is shown token by token.

    Returns
    -------
    dict
        Whether there is what a page asks for, as ``has.NAME``.

        trained
            A model is fine-tuned, so that there are a task, scores and a second model state.
        classifier
            One of the tasks is classification: attributions explain a prediction.
        rankings
            Some text whose prediction is explained has tokens to rank: more than one.
        planted-evidence
            A classifier reads texts that record which words carry the label.
        questions
            One of the tasks is question answering.
        several-experiments
            There is more than one experiment.
        several-states
            There is more than one result of a kind: several experiments, or a model before and
            after fine-tuning.
        distances
            Some text is long enough for the keys of a query to be ordered by distance.
        separation
            Some texts have labels by which they may lie apart.
        reference-runs
            Other runs are kept to show beside this one.
        control
            One of them trained the encoder on before the experiments.
        asked-pairs
            The text that is shown token by token holds a pair of ``geometry.pair``.
    """
    classifiers = [one for one in experiments.values() if one.task == "classification"]
    trained = any(one.train for one in experiments.values())
    ranked = curves("explain", variant="finetuned", kind="cls", measure=BLANK_OUT)
    placed = overall("queries-keys", by="geometry", measure="plane_before")
    separated = overall("vectors", by="separation", measure="silhouette")
    pairs = table("focus", "sentence", "pairs", focus, "pretrained")
    return {
        "trained": trained,
        "classifier": bool(classifiers),
        "rankings": bool(ranked["mean"].notna().any()),
        "planted-evidence": any(records_evidence(one.data) for one in classifiers),
        "questions": any(one.task == "question_answering" for one in experiments.values()),
        "several-experiments": len(experiments) > 1,
        "several-states": len(experiments) > 1 or trained,
        "distances": bool(placed["mean"].notna().any()),
        "separation": bool(separated["mean"].notna().any()),
        "reference-runs": bool(other_runs()),
        "control": control_run() is not None,
        "asked-pairs": bool(pairs["asked"].any()),
    }


def records_evidence(data: Data) -> bool:
    """Tell whether the words that carry the label are known: planted, or marked by people."""
    return isinstance(data, GeneratedData) or (isinstance(data, FilesData) and bool(data.evidence))
