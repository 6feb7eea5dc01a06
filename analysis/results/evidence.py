"""What a run has evidence for: the conditions under which parts of the pages are shown."""

from __future__ import annotations

from collections.abc import Mapping

from analysis.results.sinks import sink_results
from analysis.results.summary import (
    BLANK_OUT,
    curves,
    facts,
    mapped_texts,
    overall,
    predicting,
    table,
)
from analysis.rules.conditions import causal, data_names, learned, learned_seeds, normalizes_sums
from analysis.runs.kept import control_run, other_runs
from attention_mixing.models.vocabulary_coverage import MUCH, Rendering
from attention_mixing.settings.derived import model_states, predicts, scored
from attention_mixing.settings.experiment import Experiment
from attention_mixing.settings.sources import (
    Data,
    EmbeddedModel,
    FilesData,
    GeneratedData,
    SentencesData,
    UntrainedModel,
)

VERBS = "agreement"  # the grammar whose label is the number of a verb


def evidence(experiments: Mapping[str, Experiment], focus: str) -> dict[str, bool]:
    """Tell what the experiments of a run can show.

    Parameters
    ----------
    experiments
        Experiments of the parameters, by name.
    focus
        Name of the one whose text is shown token by token.

    Returns
    -------
    dict
        Whether there is what a page asks for, as ``has.NAME``.

        bundled
            The model of some experiment is the one that comes with the project.
        masked
            Some model hides tokens of a text from others, as a decoder does.
        causal
            In some model a token sees itself and earlier ones only.
        bidirectional
            In some model it may see later ones as well.
        normalized-sums
            Some model normalizes the sum of the stream and what a layer adds to it, as BERT does.
        special-tokens
            Some text holds special tokens as its model reads it.
        trained
            A model is trained, so that there are a task and scores.
        scored
            One is trained to a task of one text.
        compared
            One is read before training and after it, so that there are two states of it.
        unlearned
            A model that is fine-tuned has not learned its task.
        unread
            Some model does not see much of its texts as they are.
        classifier
            Some model predicts a class or a word: attributions explain the prediction.
        next-words
            One of the tasks is language modelling.
        from-nothing
            Some model is trained here from random weights.
        explained-focus
            The prediction of the text that is shown token by token is explained.
        rankings
            Some text whose prediction is explained has tokens to rank: more than one.
        planted-evidence
            A classifier reads texts that record which words carry the label.
        learned-evidence
            Such a classifier has learned its task.
        measured-dependence
            Of some model it was measured what its vectors depend on: texts have tokens to replace.
        minimal-pairs
            Some of these texts have words that the grammar knows how to change.
        verb-number
            Some text whose prediction is explained is a sentence of the grammar :data:`VERBS`.
        sentences
            Some texts are the project's own natural sentences.
        generated
            Some texts come from a grammar.
        questions
            One of the tasks is question answering.
        two-streams
            Some texts have targets, which an encoder-decoder reads.
        translated
            A model is trained to write them.
        known-links
            Of some of these it is known which words stand for each other.
        several-experiments
            There is more than one experiment.
        several-states
            There is more than one result of a kind: several experiments, or a model before and
            after fine-tuning.
        several-mapped
            The maps of some experiment show more than one text.
        distances
            Some text is long enough for the keys of a query to be ordered by distance.
        separation
            Some texts have labels by which they may lie apart.
        reference-runs
            Other runs are kept to show beside this one.
        clamped
            This run or a kept one has asked what fine-tuning does while attention is held.
        control
            One of them trained the bundled encoder on before the experiments, and this run has the
            encoder as it is bundled.
        asked-pairs
            The text that is shown token by token holds a pair of ``geometry.pair``.
    """
    explaining = [name for name, experiment in experiments.items() if predicts(experiment)]
    data = [experiment.data for experiment in experiments.values()]
    bundled = any(
        isinstance(experiment.model, EmbeddedModel) for experiment in experiments.values()
    )
    compared = any(len(model_states(experiment)) > 1 for experiment in experiments.values())
    of_verbs = [name for name, experiment in experiments.items() if VERBS in data_names(experiment)]
    tuned = [facts(name) for name, experiment in experiments.items() if experiment.train]
    recorded = {
        name for name, of in experiments.items() if predicts(of) and records_evidence(of.data)
    }
    ranked = predicting(curves("faithfulness", facet="cls", quantity=BLANK_OUT))
    placed = overall("geometry", quantity="plane_before")
    separated = overall("separation", quantity="silhouette")
    special = curves("propagation", quantity="special_share", subject="uniform")
    pairs = table("sentence", "pairs", focus, "pretrained")
    explained = ranked[ranked["mean"].notna()]
    changed = overall("faithfulness", quantity="first_decides")
    depended = curves("dependence", quantity="dependence")
    all_facts = [facts(name) for name in experiments]
    return {
        "bundled": bundled,
        "masked": any(known["structure"]["sight"] != ["all"] for known in all_facts),
        "causal": any(map(causal, all_facts)),
        "bidirectional": not all(map(causal, all_facts)),
        "normalized-sums": any(map(normalizes_sums, all_facts)),
        "special-tokens": bool((special["mean"] > 0).any()),
        "trained": bool(tuned),
        "scored": any(map(scored, experiments.values())),
        "compared": compared,
        "unlearned": any(len(learned_seeds(known)) < len(known["seeds"]) for known in tuned),
        "unread": any(Rendering(**known["rendering"]).lost > MUCH for known in all_facts),
        "classifier": bool(explaining),
        "explained-focus": focus in explaining,
        "rankings": bool(len(explained)),
        "planted-evidence": bool(recorded),
        "learned-evidence": any(learned(facts(name)) for name in recorded),
        "measured-dependence": bool(len(depended)),
        "minimal-pairs": bool(changed["mean"].notna().any()),
        "verb-number": bool(explained["experiment"].isin(of_verbs).any()),
        "sentences": any(isinstance(dataset, SentencesData) for dataset in data),
        "generated": any(isinstance(dataset, GeneratedData) for dataset in data),
        "next-words": any(
            experiment.task == "language_modelling" for experiment in experiments.values()
        ),
        "from-nothing": any(
            isinstance(experiment.model, UntrainedModel) for experiment in experiments.values()
        ),
        "questions": any(
            experiment.task == "question_answering" for experiment in experiments.values()
        ),
        "two-streams": any(experiment.has_targets for experiment in experiments.values()),
        "translated": any(
            experiment.has_targets and experiment.train for experiment in experiments.values()
        ),
        "known-links": bool(len(overall("two_streams", quantity="baseline_error"))),
        "several-experiments": len(experiments) > 1,
        "several-states": len(experiments) > 1 or compared,
        "several-mapped": any(len(mapped_texts(name)) > 1 for name in experiments),
        "distances": bool(placed["mean"].notna().any()),
        "separation": bool(separated["mean"].notna().any()),
        "reference-runs": bool(other_runs()),
        "clamped": bool(sink_results()),
        "control": bundled and control_run() is not None,
        "asked-pairs": bool(pairs["asked"].any()),
    }


def records_evidence(data: Data) -> bool:
    """Tell whether the words that carry the label are known: planted, or marked by people."""
    return isinstance(data, GeneratedData) or (isinstance(data, FilesData) and bool(data.evidence))
