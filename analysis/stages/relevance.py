"""What the class scores of the fine-tuned model depend on, by gradients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from analysis.capture.store import Capture
from analysis.corpora.prepared import choose
from analysis.methods.relevance import gradient_weighted, relevance_rollout, relevance_sum
from analysis.params import Params
from analysis.paths import artifact, result
from analysis.stages.attributions import Attribution, of_layers, writing
from analysis.stages.runner import replacing, run, write_json

RULES = {"relevance_sum": relevance_sum, "relevance_rollout": relevance_rollout}


def relevance(params: Params, name: str) -> None:
    """Write ``artifacts/E/relevance.parquet`` (:mod:`analysis.stages.attributions`) and metrics.

    ==================================================== ===========================================
    ``relevance_sum``, ``relevance_rollout``             evidence for each class, from the input to
                                                         every layer, and from every start layer to
                                                         the last
    ``relevance_sum_against``, ``relevance_rollout_against``  evidence against the class
    ``gradient_x_input``, ``gradient_norm``,             of the predicted class alone
    ``integrated_gradients``
    ==================================================== ===========================================

    Only a classifier has classes to ask about; without one the table is empty and the metrics say
    so.
    """
    with (
        replacing(artifact(name, "relevance.parquet")) as path,
        writing(path) as scores,
    ):
        if params.experiments[name].task == "classification":
            metrics = {"computed": True, **_explain(params, name, scores)}
        else:
            metrics = {"computed": False}
    write_json(result(name, "metrics", "relevance.json"), metrics)


def _explain(params: Params, name: str, scores) -> dict[str, Any]:
    from tqdm import tqdm

    from analysis.capture.gradients import gradients, integrated_gradients
    from analysis.models.device import repeatable, resolve
    from analysis.models.encode import encode_examples
    from analysis.models.load import load_classifier, load_tokenizer

    device = resolve(params.device)
    repeatable()
    capture = Capture(artifact(name, "capture", "finetuned"))
    examples = choose(capture.examples, params.faithfulness.examples)
    directory = artifact(name, "model")
    tokenizer, model = load_tokenizer(directory), load_classifier(directory)
    encoded = encode_examples(examples, tokenizer, params.experiments[name].length)
    options: dict[str, Any] = {"device": device, "batch_size": params.faithfulness.batch_size}
    predicted = examples["prediction"].astype(int).tolist()
    by_class = [
        gradients(model, tokenizer, encoded, targets=[target] * len(encoded), **options)
        for target in range(int(model.config.num_labels or 0))
    ]
    integrals = integrated_gradients(
        model,
        tokenizer,
        encoded,
        targets=predicted,
        steps=params.faithfulness.steps,
        **options,
    )
    errors: list[float] = []
    margins: list[float] = []
    rows = zip(examples["id"], predicted, integrals, zip(*by_class, strict=True), strict=True)
    for example, target, integral, of_classes in tqdm(
        rows, "relevance", len(encoded), disable=None, unit="text"
    ):
        layers = len(of_classes[0].attention)
        inputs = {
            "gradient_x_input": of_classes[target].gradient_x_input,
            "gradient_norm": of_classes[target].gradient_norm,
            "integrated_gradients": integral.scores,
        }
        scores.add(
            "finetuned",
            example,
            [
                *(
                    Attribution(method, "input", layers, values.astype(np.float32), target=target)
                    for method, values in inputs.items()
                ),
                *(row for found in of_classes for row in _rules(found)),
            ],
        )
        errors.append(integral.completeness_error)
        margins.append(float(np.ptp(of_classes[target].logits)))
    return {
        "examples": len(examples),
        # In logits; what it has to be compared with is the distance between the classes.
        "completeness_error": {"mean": float(np.mean(errors)), "largest": float(np.max(errors))},
        "logit_margin": {"mean": float(np.mean(margins)), "smallest": float(np.min(margins))},
    }


def _rules(found) -> Iterator[Attribution]:
    """Both rules, evidence for and against one class, up to every layer and from every layer."""
    for suffix, sign in (("", 1), ("_against", -1)):
        weighted = gradient_weighted(found.attention, found.attention_gradient, sign=sign)
        for name, rule in RULES.items():
            method = f"{name}{suffix}"
            yield from of_layers(method, rule(weighted), target=found.target)
            for start in range(1, len(weighted)):
                top = rule(weighted, start_layer=start)[-1]
                yield Attribution(
                    method,
                    "cls",
                    len(weighted),
                    top[0].astype(np.float32),
                    first=start + 1,
                    target=found.target,
                )


if __name__ == "__main__":
    run("relevance", relevance, "experiment")
