"""Train the arms of the experiment on sinks with one seed, and measure what they depend on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from analysis.parameters import Params, located_corpus
from analysis.paths import ARMS
from analysis.pipeline.packages import made_with
from analysis.pipeline.stage import replacing, run, write_json
from attention_mixing import corpora
from attention_mixing.capture.subset import choose
from attention_mixing.errors import InputError
from attention_mixing.models.source import locate


def arms(params: Params, name: str, seed: str) -> None:
    """Write ``arms/CORPUS/SEED``: the tables of :meth:`attention_mixing.models.trial.Trial.tables`.

    Raises
    ------
    InputError
        If the training split has fewer texts than are to be trained on.
    """
    from attention_mixing.models.device import deterministic, resolve
    from attention_mixing.models.encode import encode
    from attention_mixing.models.load import load_encoder
    from attention_mixing.models.tokenizer import load_tokenizer
    from attention_mixing.models.trial import LabelledTexts, Trial

    settings = params.sinks
    assert settings is not None  # it has this corpus
    corpus = located_corpus(params, settings.corpora[name])
    deterministic(int(seed))
    files = locate(corpus.model)
    tokenizer = load_tokenizer(files.path)
    examples = corpora.load(corpus.data, "classification")

    def labelled(rows: pd.DataFrame) -> LabelledTexts:
        texts = encode(rows["text"].tolist(), tokenizer, corpus.length)
        return LabelledTexts(texts, rows["label"].astype(int).tolist())

    train, test = examples.split("train"), examples.split("test")
    if len(train) < corpus.train.texts:
        raise InputError(
            f"train.texts is {corpus.train.texts} but the training split has {len(train)}; lower "
            "it."
        )
    drawn = np.random.default_rng(int(seed)).permutation(len(train))[: corpus.train.texts]
    encoder = load_encoder(files.path)
    encoder.to(resolve(params.device))  # type: ignore[arg-type]
    trial = Trial(
        encoder,
        labelled(train.iloc[drawn]),
        labelled(choose(test, settings.trial.scored)),
        labelled(choose(test, settings.trial.texts)).texts,
        settings.trial,
        corpus.train,
        seed=int(seed),
    )
    with replacing(ARMS / name / seed) as directory:
        directory.mkdir()
        for table, content in trial.tables().items():
            words = content.select_dtypes("str").columns
            narrow = content.astype(dict.fromkeys(words, "category"))
            narrow.to_parquet(directory / f"{table}.parquet", index=False, compression="zstd")
        write_json(directory / "packages.json", made_with(Path(__file__)))


if __name__ == "__main__":
    run(arms, "sinks.corpora", "sinks.seeds")
