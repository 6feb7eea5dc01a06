"""What a run has evidence for: the conditions under which parts of the pages are shown."""

from __future__ import annotations

from analysis.params import Params
from analysis.params.sections import GeneratedData


def evidence(params: Params) -> dict[str, bool]:
    """Tell what the experiments of a run can show; the pages ask for it as ``has.NAME``.

    Returns
    -------
    dict
        ``trained``
            A model is fine-tuned, so that there are a task, scores and a second model state.
        ``classifier``
            One of the tasks is classification: attributions explain a prediction.
        ``planted-evidence``
            A classifier reads texts that record which words carry the label.
        ``questions``
            One of the tasks is question answering.
        ``several-experiments``
            There is more than one experiment.
        ``several-states``
            There is more than one result of a kind: several experiments, or a model before and
            after fine-tuning.
    """
    experiments = list(params.experiments.values())
    classifiers = [one for one in experiments if one.task == "classification"]
    trained = any(one.train for one in experiments)
    return {
        "trained": trained,
        "classifier": bool(classifiers),
        "planted-evidence": any(isinstance(one.data, GeneratedData) for one in classifiers),
        "questions": any(one.task == "question_answering" for one in experiments),
        "several-experiments": len(experiments) > 1,
        "several-states": len(experiments) > 1 or trained,
    }
