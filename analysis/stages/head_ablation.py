"""Disable one attention head at a time in the fine-tuned model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from analysis.methods.bootstrap import mean_interval, paired_difference
from analysis.params import Params
from analysis.paths import artifact, result
from analysis.stages.corpus import choose, read_corpus
from analysis.stages.runner import replacing, run, write_json

# What rises when disabling a head helps: +1, or falls: -1.
MEASURES = {"score": 1, "loss": -1}
TEXTS = ("example_id", "layer", "head", "loss", "score")
CHANGES = (
    "layer",
    "head",
    *(f"{measure}_change{bound}" for measure in MEASURES for bound in ("", "_low", "_high")),
)


def head_ablation(params: Params, name: str) -> None:
    """Write loss and score of each text without each head, and what the heads make of them.

    ``artifacts/E/head_ablation.parquet`` has a row for each text and head, head 0 of layer 0 for
    nothing disabled. A classifier scores 1 for the right class and 0 for another; an answer scores
    its F1, 0 to 1. ``results/E/head_ablation.parquet`` has the mean change by each head, against
    nothing disabled and paired over texts, with its interval.

    An experiment without a task has no score; its tables are empty and its metrics say so.
    """
    if params.experiments[name].task == "none":
        texts, changes = (pd.DataFrame(columns=list(columns)) for columns in (TEXTS, CHANGES))
        summary: dict[str, Any] = {"computed": False}
    else:
        texts = _ablated(params, name)
        changes = _changes(params, texts)
        summary = {"computed": True, **_summary(params, texts, changes)}
    for path, table in (
        (artifact(name, "head_ablation.parquet"), texts),
        (result(name, "head_ablation.parquet"), changes),
    ):
        with replacing(path) as new:
            table.to_parquet(new, index=False)
    headlines = {key: value for key, value in summary.items() if key != "layers"}
    write_json(result(name, "summaries", "head_ablation.json"), summary)
    write_json(result(name, "metrics", "head_ablation.json"), headlines)


def _ablated(params: Params, name: str) -> pd.DataFrame:
    """Ask the model about every text with nothing disabled, and without each head."""
    from analysis.models.device import repeatable, resolve
    from analysis.models.encode import encode_examples, encode_questions
    from analysis.models.head_ablation import (
        ablate_heads,
        all_heads,
        measure_answers,
        measure_classes,
    )
    from analysis.models.load import load_finetuned, load_tokenizer

    experiment, settings = params.experiments[name], params.ablation
    device = resolve(params.device)
    repeatable()
    directory = artifact(name, "model")
    tokenizer = load_tokenizer(directory)
    model = load_finetuned(directory, experiment.task)
    test = read_corpus(name).split("test")
    examples = choose(test, len(test) if settings.examples is None else settings.examples)
    if experiment.task == "question_answering":
        questions = encode_questions(examples, tokenizer, experiment.length)
        texts, measure = [q.windows for q in questions], measure_answers(examples, questions)
    else:
        encoded = encode_examples(examples, tokenizer, experiment.length)
        texts, measure = [[one] for one in encoded], measure_classes(examples["label"].tolist())
    measured = ablate_heads(
        model,
        tokenizer,
        texts,
        measure,
        device=device,
        batch_size=settings.batch_size,
    )
    variants = np.array([(0, 0), *all_heads(model)], dtype=np.int8)
    layer, head = variants.repeat(len(examples), axis=0).T
    return pd.DataFrame(
        {
            "example_id": np.tile(examples["id"].to_numpy(), len(variants)),
            "layer": layer,
            "head": head,
            "loss": measured[..., 0].ravel(),
            "score": measured[..., 1].ravel(),
        }
    )


def _changes(params: Params, texts: pd.DataFrame) -> pd.DataFrame:
    """Mean change by each head with its interval; every head sees the same resamples of texts."""
    table = pd.DataFrame()
    for measure in MEASURES:
        wide = texts.pivot(index="example_id", columns=["layer", "head"], values=measure)
        plain = wide.pop((0, 0)).to_numpy()
        if table.empty:
            table = wide.columns.to_frame(index=False)
        change = paired_difference(
            wide.to_numpy(float),
            np.repeat(plain[:, None], wide.shape[1], axis=1),
            **params.bootstrap.model_dump(),
        )
        column = f"{measure}_change"
        table[column], table[f"{column}_low"], table[f"{column}_high"] = change[:3]
    return table


def _summary(params: Params, texts: pd.DataFrame, changes: pd.DataFrame) -> dict[str, Any]:
    """Count the heads that matter, name those that matter most, and sum over each layer."""
    plain = texts[texts["layer"] == 0]
    options = params.bootstrap.model_dump()
    summary: dict[str, Any] = {
        "examples": len(plain),
        "heads": len(changes),
        # Nominal: of as many heads without any effect so many intervals would leave zero out, half
        # of them on either side.
        "expected_by_chance": len(changes) * (1 - params.bootstrap.confidence),
    }
    for measure, better in MEASURES.items():
        mean, low, high, _ = map(float, mean_interval(plain[measure].to_numpy(float), **options))
        summary[measure] = {
            "baseline": mean,
            "baseline_low": low,
            "baseline_high": high,
            **_counts(changes, measure),
            "worst": _extreme(changes, measure, -better),
            "best": _extreme(changes, measure, better),
        }
    summary["layers"] = [
        {
            "layer": int(layer),
            **{
                measure: {
                    "sum": float(own[f"{measure}_change"].sum()),
                    **_counts(own, measure),
                }
                for measure in MEASURES
            },
        }
        for layer, own in changes.groupby("layer")
    ]
    return summary


def _counts(changes: pd.DataFrame, measure: str) -> dict[str, int]:
    """How many heads hurt when disabled and how many help, by intervals that leave zero out."""
    rise = int((changes[f"{measure}_change_low"] > 0).sum())
    fall = int((changes[f"{measure}_change_high"] < 0).sum())
    hurt, help_ = (fall, rise) if MEASURES[measure] > 0 else (rise, fall)
    return {"hurt": hurt, "help": help_}


def _extreme(changes: pd.DataFrame, measure: str, sign: int) -> dict[str, Any] | None:
    """Head with the largest change of one sign, the first of several; None if there is none.

    ``heads`` says how many have this change: scores of few texts are often the same.
    """
    column = f"{measure}_change"
    row = changes.loc[(sign * changes[column]).idxmax()]
    if sign * row[column] <= 0:
        return None
    return {
        "heads": int(np.isclose(changes[column], row[column], rtol=1e-9, atol=0).sum()),
        "layer": int(row["layer"]),
        "head": int(row["head"]),
        "change": float(row[column]),
        "low": float(row[f"{column}_low"]),
        "high": float(row[f"{column}_high"]),
    }


if __name__ == "__main__":
    run("head_ablation", head_ablation, "experiment")
