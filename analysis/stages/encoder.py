"""Train an encoder on with masked words, for experiments to start from."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

from analysis.parameters import Params, located_texts
from analysis.paths import CHECKPOINTS, ENCODERS
from analysis.pipeline.packages import made_with
from analysis.pipeline.stage import first_process, replacing, run, write_json
from attention_mixing import corpora
from attention_mixing.errors import InputError
from attention_mixing.models.source import locate, name_of


def encoder(params: Params, name: str) -> None:
    """Write ``encoders/NAME``: a model directory, to be named under ``files``.

    Beside the model, with its head, and the tokenizer: ``history.csv``, the learning curve, and
    ``training.json``, what it was made of and how well it tells the words of held-out texts.

    Raises
    ------
    InputError
        If the held-out texts leave none to train on.
    """
    from attention_mixing.models.device import deterministic, resolve
    from attention_mixing.models.finetune import finetune
    from attention_mixing.models.load import load_masked_words
    from attention_mixing.models.tokenizer import load_tokenizer
    from attention_mixing.models.training_rows import masked_rows

    settings = located_texts(params, params.encoders[name])
    files = locate(settings.model)
    tokenizer = load_tokenizer(files.path)
    generator = np.random.default_rng(settings.seed)
    chosen = generator.permutation(corpora.encoder_texts(settings)).tolist()
    deterministic(settings.seed)  # a head that is missing is drawn when the model is loaded
    model = load_masked_words(files.path)
    rows = masked_rows(
        chosen,
        tokenizer,
        model.config,
        max_tokens=settings.max_tokens,
        masked=settings.masked,
        generator=generator,
    )
    held_out, training = rows[: settings.held_out], rows[settings.held_out :]
    if not training:
        raise InputError(
            f"encoders.{name}.held_out is {settings.held_out} of {len(chosen)} texts, which leaves "
            "none to train on; lower it."
        )
    checkpoints = CHECKPOINTS / f"encoder-{name}"
    model, history = finetune(
        model,
        training,
        held_out,
        settings,
        seed=settings.seed,
        device=resolve(params.device),
        precision=params.precision,
        checkpoints=checkpoints,
        model_sha256=files.sha256,
    )
    if not first_process():
        return
    best = history.loc[history["validation_loss"].idxmin()]
    with replacing(ENCODERS / name) as directory:
        for part in (model, tokenizer):
            part.save_pretrained(directory)
        history.to_csv(directory / "history.csv", index=False, float_format="%.6g")
        facts = {
            "model": name_of(settings.model),
            "texts": len(training),
            "tokens": sum(len(row["input_ids"]) for row in training),
            "held_out": len(held_out),
            "loss": best["validation_loss"],
            "accuracy": best["validation_accuracy"],
        }
        write_json(directory / "training.json", facts)
        write_json(directory / "packages.json", made_with(Path(__file__)))
    shutil.rmtree(checkpoints, ignore_errors=True)


if __name__ == "__main__":
    run(encoder, "encoders", together=True)
