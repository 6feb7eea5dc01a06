"""Gather the texts of an experiment: generate, read or fetch them."""

from pathlib import Path

import pandas as pd

from analysis.parameters import Params, located
from analysis.paths import artifact
from analysis.pipeline.packages import made_with
from analysis.pipeline.stage import replacing, run, write_json
from attention_mixing import corpora
from attention_mixing.capture.subset import choose
from attention_mixing.corpora.bag_of_words import bag_of_words_accuracy

SAMPLES = 4
SAMPLE_CHARACTERS = 400


def prepare(params: Params, name: str) -> None:
    """Write ``artifacts/EXPERIMENT/corpus``: texts, names of labels, and what is known of them.

    ``examples.parquet``, ``labels.json``; ``facts.json`` with ``corpus`` (numbers), ``origin`` and
    a few ``samples``; ``packages.json``, as all artifacts have it.
    """
    experiment = located(params, name)
    corpus = corpora.load(experiment.data, experiment.task)
    examples = corpus.examples

    summary = {
        "texts": examples["split"].value_counts().sort_index().to_dict(),
        "labels": {
            label: int((examples["label"] == k).sum()) for k, label in enumerate(corpus.label_names)
        },
    }
    if corpus.label_names:
        train, test = corpus.split("train"), corpus.split("test")
        summary["majority_accuracy"] = float(test["label"].value_counts(normalize=True).max())
        if train["label"].nunique() > 1:
            summary["bag_of_words_accuracy"] = bag_of_words_accuracy(
                train["text"], train["label"], test["text"], test["label"]
            )
    if (targets := corpus.split("test")["target"].dropna()).size:
        # As often a word of a target is right that is always the same.
        written = pd.Series(" ".join(targets).split()).value_counts(normalize=True)
        summary["majority_accuracy"] = float(written.max())
    counts = corpus.first_tenth or ()
    if any(counts):
        # A study took it for validation; a file that is sorted by class has one class there.
        summary["first_tenth"] = {"largest_class": max(counts) / sum(counts)}
    with replacing(artifact(name, "corpus")) as directory:
        directory.mkdir()
        examples.to_parquet(directory / "examples.parquet", index=False)
        write_json(directory / "labels.json", list(corpus.label_names))
        facts = {"corpus": summary, "origin": corpus.origin, "samples": _samples(corpus)}
        write_json(directory / "facts.json", facts)
        write_json(directory / "packages.json", made_with(Path(__file__)))


def _samples(corpus: corpora.Corpus) -> list[dict]:
    """Take the first test texts, ``SAMPLES`` in all, as evenly over the labels as can be."""
    return [
        {
            "text": _shortened(row["text"]),
            "target": None if pd.isna(row["target"]) else _shortened(row["target"]),
            "label": None if pd.isna(row["label"]) else corpus.label_names[row["label"]],
            "evidence": None
            if row["evidence"] is None
            else [[int(s), int(e)] for s, e in row["evidence"] if e <= SAMPLE_CHARACTERS],
        }
        for _, row in choose(corpus.split("test"), SAMPLES).iterrows()
    ]


def _shortened(text: str) -> str:
    return text if len(text) <= SAMPLE_CHARACTERS else f"{text[:SAMPLE_CHARACTERS]} …"


if __name__ == "__main__":
    run(prepare, "experiments")
