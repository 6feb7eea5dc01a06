"""Score the fine-tuned model on the test split."""

import pandas as pd

from analysis.methods.calibration import reliability
from analysis.params import Params
from analysis.paths import artifact, result
from analysis.stages.corpus import read_corpus
from analysis.stages.runner import replacing, run, write_json

BATCH_SIZE = 64  # of forward passes; decides speed and memory, not results


def evaluate(params: Params, name: str) -> None:
    """Write ``evaluate.json``, ``predictions.parquet`` and the reliability curve.

    An experiment without a task has neither predictions nor scores, and says so.
    """
    experiment = params.located(name)
    if experiment.task == "none":
        metrics: dict = {"evaluated": False}
        predictions = pd.DataFrame({"id": pd.Series(dtype="int64")})
        curve = reliability([], [])
    else:
        metrics, predictions = _score(params, name)
        curve = reliability(
            predictions["probability"], predictions["label"] == predictions["prediction"]
        )
    with replacing(artifact(name, "predictions.parquet")) as path:
        predictions.to_parquet(path, index=False)
    with replacing(result(name, "plots", "reliability.csv")) as path:
        curve.to_csv(path, index=False, float_format="%.6g")
    write_json(result(name, "metrics", "evaluate.json"), metrics)


def _score(params: Params, name: str) -> tuple[dict, pd.DataFrame]:
    from analysis.models.device import repeatable, resolve
    from analysis.models.encode import encode
    from analysis.models.load import load_classifier, load_tokenizer
    from analysis.models.predict import predict, score

    experiment = params.located(name)
    device = resolve(params.device)
    repeatable()
    model_directory = artifact(name, "model")
    tokenizer = load_tokenizer(model_directory)
    test = read_corpus(name).split("test")
    encoded = encode(test["text"].tolist(), tokenizer, experiment.length)
    logits = predict(
        load_classifier(model_directory),
        tokenizer,
        encoded,
        device=device,
        precision=params.precision,
        batch_size=BATCH_SIZE,
    )
    metrics, predictions = score(logits, test["label"].tolist())
    predictions.insert(0, "id", test["id"])
    metrics |= {
        "truncated": sum(e.truncated for e in encoded),
        "tokens_per_text": sum(len(e.input_ids) for e in encoded) / len(encoded),
    }
    return {"evaluated": True, **metrics}, predictions


if __name__ == "__main__":
    run("evaluate", evaluate, "experiment")
