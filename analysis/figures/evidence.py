"""What a run has evidence for: the conditions under which parts of the pages are shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from analysis.figures.published import BLANK_OUT
from analysis.figures.results import curves, overall, table
from analysis.params import Experiment
from analysis.params.sections import GeneratedData


@dataclass(frozen=True)
class Evidence:
    """What there is to show; the pages ask for ``asked_pairs`` as ``has.asked-pairs``.

    Attributes
    ----------
    trained
        A model is fine-tuned, so that there are a task, scores and a second model state.
    classifier
        One of the tasks is classification: attributions explain a prediction.
    rankings
        Some text whose prediction is explained has tokens to rank: more than one.
    planted_evidence
        A classifier reads texts that record which words carry the label.
    questions
        One of the tasks is question answering.
    several_experiments
        There is more than one experiment.
    several_states
        There is more than one result of a kind: several experiments, or a model before and after
        fine-tuning.
    distances
        Some text is long enough for the keys of a query to be ordered by distance.
    separation
        Some texts have labels by which they may lie apart.
    asked_pairs
        The text that is shown token by token holds a pair of ``geometry.pair``.
    """

    trained: bool
    classifier: bool
    rankings: bool
    planted_evidence: bool
    questions: bool
    several_experiments: bool
    several_states: bool
    distances: bool
    separation: bool
    asked_pairs: bool

    @property
    def metadata(self) -> dict[str, dict[str, bool]]:
        """As the renderers read it."""
        return {"has": {name.replace("_", "-"): value for name, value in asdict(self).items()}}


def evidence(experiments: Mapping[str, Experiment], focus: str) -> Evidence:
    """Tell what the experiments of a run can show.

    Parameters
    ----------
    experiments
        Of the parameters, by name.
    focus
        Name of the one whose text is shown token by token.
    """
    classifiers = [one for one in experiments.values() if one.task == "classification"]
    trained = any(one.train for one in experiments.values())
    ranked = curves("explain", variant="finetuned", kind="cls", measure=BLANK_OUT)
    placed = overall("queries-keys", by="geometry", measure="plane_before")
    separated = overall("vectors", by="separation", measure="silhouette")
    pairs = table("focus", "sentence", "pairs", focus, "pretrained")
    return Evidence(
        trained=trained,
        classifier=bool(classifiers),
        rankings=bool(ranked["mean"].notna().any()),
        planted_evidence=any(isinstance(one.data, GeneratedData) for one in classifiers),
        questions=any(one.task == "question_answering" for one in experiments.values()),
        several_experiments=len(experiments) > 1,
        several_states=len(experiments) > 1 or trained,
        distances=bool(placed["mean"].notna().any()),
        separation=bool(separated["mean"].notna().any()),
        asked_pairs=bool(pairs["asked"].any()),
    )
