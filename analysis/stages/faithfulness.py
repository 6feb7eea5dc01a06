"""Hold every attribution against what the model does when tokens are removed, and the evidence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.capture.store import Capture
from analysis.methods.bootstrap import paired_difference
from analysis.methods.faithfulness import (
    comprehensiveness,
    evidence_auc,
    rank_correlation,
    removal_order,
    sufficiency,
    top_positions,
)
from analysis.models.ablation import Removal
from analysis.params import Params
from analysis.paths import artifact, result
from analysis.stages.attributions import read
from analysis.stages.corpus import choose
from analysis.stages.runner import replacing, run, write_json
from analysis.stages.summaries import curves, defined

REMOVALS: tuple[Removal, ...] = ("delete", "mask", "unknown")
REMOVAL_MEASURES = ("comprehensiveness", "sufficiency")
# Ranks of tokens against what removing them does, against gradients, against the evidence.
MEASURES = (
    *(f"blank_out_{removal}" for removal in REMOVALS),
    "gradient",
    "roc_auc",
    "average_precision",
    *REMOVAL_MEASURES,
)
KEYS = ["variant", "method", "rows", "first", "layer"]
# Scores of one layer alone: the last stands for the model.
SINGLE = ("raw", "attn_n", "attnresln_n")
GRADIENT = "gradient_norm"  # what "gradient" correlates with, as Abnar and Zuidema did
PAIRED_WITH = ("raw", "rollout", "random")
# Columns of the tables of an experiment without a classifier.
EMPTY = (
    ("example_id", *KEYS, "final", *MEASURES),
    ("example_id", "method", "other", "correlation"),
    ("position", "token", "start", "end", "is_special", "is_evidence", "text", "method", "score"),
)


def faithfulness(params: Params, name: str) -> None:
    """Write the panel of all methods: per text, as means with intervals, and in pairs.

    ``results/E/faithfulness.parquet`` holds a row for each text and attribution (columns of
    :mod:`analysis.stages.attributions`): Spearman correlation with blank-out, by how a token is
    removed, and with the gradient's norm; ROC-AUC and average precision against planted evidence;
    and for *final* scores, those of the whole fine-tuned model, comprehensiveness and sufficiency.
    What is not defined is nan; ``plots/faithfulness.csv`` says for how many texts it is defined.
    ``plots/agreement.csv`` has the mean correlation of every two final methods,
    ``plots/paired.csv`` their differences to raw attention, rollout and a random score, and
    ``results/E/explained.parquet`` all final scores of one text, token by token.

    Only a classifier predicts what the methods explain; without one the tables are empty and the
    metrics say so.
    """
    if params.experiments[name].task == "classification":
        panel, agreement, explained = _panel(params, name)
        summary = {"computed": True, "examples": int(panel["example_id"].nunique())}
    else:
        panel, agreement, explained = (pd.DataFrame(columns=list(c)) for c in EMPTY)
        summary = {"computed": False}
    means = curves(
        panel,
        keys=["variant", "method", "rows", "first"],
        measures=MEASURES,
        bootstrap=params.bootstrap,
    )
    drawn = {
        "faithfulness": means,
        "agreement": curves(
            agreement,
            keys=["method"],
            measures=["correlation"],
            bootstrap=params.bootstrap,
            over="other",
        ),
        "paired": _paired(params, panel),
    }
    for file, content in (("faithfulness", panel), ("explained", explained)):
        with replacing(result(name, f"{file}.parquet")) as path:
            content.to_parquet(path, index=False)
    for file, content in drawn.items():
        with replacing(result(name, "plots", f"{file}.csv")) as path:
            content.to_csv(path, index=False, float_format="%.6g")
    final = _final(means, panel)
    write_json(result(name, "summaries", "faithfulness.json"), summary | {"methods": final})
    found = {method: measures["roc_auc"]["mean"] for method, measures in final.items()}
    write_json(result(name, "metrics", "faithfulness.json"), summary | {"roc_auc": found})


def _panel(params: Params, name: str) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Score every attribution of every text, correlate the final ones, and show one text."""
    settings = params.faithfulness
    capture = Capture(artifact(name, "capture", "finetuned"))
    examples = choose(capture.examples, settings.examples)
    tokens = {example: capture.tokens_of(example) for example in examples["id"]}
    attributions = _attributions(params, name, examples, tokens)
    answers = _ablated(params, name, examples, tokens, attributions)
    panel: list[dict[str, Any]] = []
    agreement: list[dict[str, Any]] = []
    for example, rows in attributions.groupby("example_id", sort=False):
        removable = ~tokens[example]["is_special"].to_numpy(bool)
        scores = np.stack(rows["scores"].to_list())[:, removable]
        evidence = tokens[example]["is_evidence"]
        measured = _ranks(scores, answers[example], evidence[removable])
        own = rows["method"].to_numpy() == GRADIENT
        measured["gradient"] = np.where(
            own, np.nan, rank_correlation(scores, scores[np.flatnonzero(own)[0]])
        )
        frame = rows[["example_id", *KEYS, "final"]].assign(**measured)
        for measure in REMOVAL_MEASURES:
            frame[measure] = rows["method"].map(answers[example][measure]).where(rows["final"])
        panel += frame.to_dict("records")
        agreement += _correlations(rows, scores)
    first = examples["id"].iloc[0]
    explained = _explained(
        attributions[attributions["example_id"] == first],
        tokens[first].assign(text=examples["text"].iloc[0]),
        answers[first],
    )
    return pd.DataFrame(panel, columns=list(EMPTY[0])), pd.DataFrame(agreement), explained


def _attributions(
    params: Params, name: str, examples: pd.DataFrame, tokens: dict[int, pd.DataFrame]
) -> pd.DataFrame:
    """Attributions of all stages for the texts of the panel, and the two baselines.

    Of the methods that know classes only what they say of the predicted one; ``final`` marks what
    the whole fine-tuned model is explained by.
    """
    tables = [
        read(artifact(name, *path), examples)
        for path in (
            ("propagation.parquet",),
            ("mixing", "attributions.parquet"),
            ("relevance.parquet",),
        )
    ]
    table = pd.concat(tables, ignore_index=True)
    layers = int(table["layer"].max())
    predicted = examples.set_index("id")["prediction"].astype(int)
    table = table[table["example_id"].isin(predicted.index)]
    spoken = table["example_id"].map(predicted)
    table = table[table["target"].isna() | (table["target"] == spoken)]
    generator = np.random.default_rng(params.faithfulness.seed)
    baselines = [
        {
            "variant": "finetuned",
            "example_id": example,
            "method": method,
            "rows": "input",
            "first": 1,
            "layer": layers,
            "scores": scores.astype(np.float32),
        }
        for example in examples["id"]
        for method, scores in (
            ("random", generator.random(len(tokens[example]))),
            ("uniform", np.ones(len(tokens[example]))),
        )
    ]
    table = pd.concat([table.drop(columns="target"), pd.DataFrame(baselines)], ignore_index=True)
    whole = (table["first"] == 1) | table["method"].isin(SINGLE)
    table["final"] = (
        (table["variant"] == "finetuned")
        & (table["layer"] == layers)
        & (table["rows"] != "max")
        & whole
        & ~table["method"].str.endswith("_against")
    )
    order = {example: place for place, example in enumerate(examples["id"])}
    return table.sort_values("example_id", key=lambda ids: ids.map(order), kind="stable")


def _ablated(
    params: Params,
    name: str,
    examples: pd.DataFrame,
    tokens: dict[int, pd.DataFrame],
    attributions: pd.DataFrame,
) -> dict[int, dict[str, Any]]:
    """Ask the model about every text without each token, and without the top of each final score.

    Returns
    -------
    dict
        Text -> ``blank_out_REMOVAL``, the probability that the predicted class loses without each
        removable token, ``[token]``; ``comprehensiveness`` and ``sufficiency``, method -> value.
    """
    from analysis.models.ablation import ablate
    from analysis.models.device import repeatable, resolve
    from analysis.models.encode import encode_examples
    from analysis.models.load import load_classifier, load_tokenizer

    settings = params.faithfulness
    device = resolve(params.device)
    repeatable()
    directory = artifact(name, "model")
    tokenizer, model = load_tokenizer(directory), load_classifier(directory)
    encoded = encode_examples(examples, tokenizer, params.experiments[name].length)
    final = attributions[attributions["final"]].groupby("example_id", sort=False)
    removable = {e: ~tokens[e]["is_special"].to_numpy(bool) for e in examples["id"]}
    answers: dict[int, dict[str, Any]] = {example: {} for example in examples["id"]}
    for removal in REMOVALS:
        variants = []
        for example in examples["id"]:
            sets: list[Any] = [[], *([position] for position in np.flatnonzero(removable[example]))]
            if removal == settings.removal:
                for scores in final.get_group(example)["scores"]:
                    sets += _tops(scores, removable[example], settings.fractions)
            variants.append(sets)
        probabilities = ablate(
            model,
            tokenizer,
            [text.input_ids for text in encoded],
            variants,
            removal=removal,
            device=device,
            batch_size=settings.batch_size,
        )
        for example, prediction, answer in zip(
            examples["id"], examples["prediction"].astype(int), probabilities, strict=True
        ):
            full, *others = answer[:, prediction]
            count = int(removable[example].sum())
            answers[example][f"blank_out_{removal}"] = full - np.array(others[:count])
            if removal == settings.removal:
                methods = final.get_group(example)["method"]
                # [method, without or only, fraction], as _tops gives them.
                kept = np.reshape(others[count:], (len(methods), 2, -1))
                for place, measure in enumerate((comprehensiveness, sufficiency)):
                    values = measure(np.full(len(methods), full), kept[:, place])
                    answers[example][measure.__name__] = dict(zip(methods, values, strict=True))
    return answers


def _tops(
    scores: NDArray[np.float32], removable: NDArray[np.bool_], fractions: tuple[float, ...]
) -> Iterator[NDArray[np.intp]]:
    """Positions to remove: the top tokens for every fraction, then all others for every one."""
    tops = [top_positions(scores, removable, fraction) for fraction in fractions]
    yield from tops
    everything = removal_order(scores, removable)
    yield from (everything[len(top) :] for top in tops)


def _ranks(
    scores: NDArray[np.float32], answers: dict[str, Any], evidence: pd.Series
) -> dict[str, NDArray[np.float64]]:
    """Rank measures of all attributions of one text, ``[attribution]`` each."""
    measured = {
        f"blank_out_{removal}": rank_correlation(scores, answers[f"blank_out_{removal}"])
        for removal in REMOVALS
    }
    if evidence.isna().any():  # a corpus without planted evidence
        roc_auc = precision = np.full(len(scores), np.nan)
    else:
        roc_auc, precision = evidence_auc(scores, evidence.to_numpy(bool))
    return measured | {"roc_auc": roc_auc, "average_precision": precision}


def _correlations(rows: pd.DataFrame, scores: NDArray[np.float32]) -> list[dict[str, Any]]:
    """Correlate the final scores of one text with each other."""
    final = rows["final"].to_numpy()
    methods, chosen = rows["method"].to_numpy()[final], scores[final]
    matrix = rank_correlation(chosen[:, None], chosen[None])
    example = rows["example_id"].iloc[0]
    return [
        {"example_id": example, "method": one, "other": two, "correlation": matrix[i, j]}
        for i, one in enumerate(methods)
        for j, two in enumerate(methods)
    ]


def _paired(params: Params, panel: pd.DataFrame) -> pd.DataFrame:
    """Mean difference of every final method to a few others, on the same texts."""
    columns = ["measure", "method", "other", "mean", "low", "high", "p", "texts", "dropped"]
    if panel.empty:
        return pd.DataFrame(columns=columns)
    frames = []
    final = panel[panel["final"]]
    for measure in MEASURES:
        values = final.pivot(index="example_id", columns="method", values=measure)
        for other in PAIRED_WITH:
            difference = paired_difference(
                values.to_numpy(float),
                np.tile(values[[other]].to_numpy(float), (1, values.shape[1])),
                **params.bootstrap.model_dump(),
            )
            frames.append(
                pd.DataFrame(
                    {"measure": measure, "method": values.columns, "other": other}
                    | difference._asdict()
                ).query("method != other")
            )
    return pd.concat(frames, ignore_index=True)[columns]


def _final(means: pd.DataFrame, panel: pd.DataFrame) -> dict[str, Any]:
    """Metrics of the final scores: method -> measure -> mean with interval, and texts."""
    if panel.empty:
        return {}
    final = panel.loc[panel["final"], KEYS].drop_duplicates()
    summary: dict[str, Any] = {}
    for row in means.merge(final, on=KEYS).itertuples():
        summary.setdefault(row.method, {})[row.measure] = {
            "mean": defined(row.mean),
            "low": defined(row.low),
            "high": defined(row.high),
            "texts": int(row.texts),
        }
    return summary


def _explained(rows: pd.DataFrame, tokens: pd.DataFrame, answers: dict[str, Any]) -> pd.DataFrame:
    """All final scores of one text and what removing each token does, a row a token and method."""
    removable = ~tokens["is_special"].to_numpy(bool)
    columns = tokens[["position", "token", "start", "end", "is_special", "is_evidence", "text"]]
    scores = {row.method: row.scores for row in rows[rows["final"]].itertuples()}
    for removal in REMOVALS:
        blank = np.full(len(tokens), np.nan)
        blank[removable] = answers[f"blank_out_{removal}"]
        scores[f"blank_out_{removal}"] = blank
    return pd.concat(
        [columns.assign(method=method, score=values) for method, values in scores.items()],
        ignore_index=True,
    )


if __name__ == "__main__":
    run("faithfulness", faithfulness, "experiment")
