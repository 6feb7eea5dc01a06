"""Runs of few experiments, of kinds that the committed run is not: what pages have to bear."""

from collections.abc import Callable
from pathlib import Path

import yaml
from small_run import ROOT, shrunk
from stand_ins import begun, bytes_of, save, unigrams

from attention_mixing.corpora import load
from attention_mixing.settings.sources import SentencesData

SENTENCES = load(SentencesData(source="sentences"), "none").examples["text"].tolist()
TEXTS = 6


def parameters(name: str, **experiment: object) -> dict:
    """Parameters of a run whose only experiment is that of the natural sentences, but for parts."""
    values = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    of_sentences = values["experiments"]["sentences"] | experiment
    of_sentences["length"]["max_tokens"] = 48
    of_sentences["capture"] |= {"examples": TEXTS, "batch_size": TEXTS}
    values["experiments"] = {name: of_sentences}
    values["geometry"]["nonlinear"] = [name]
    values["report"]["focus"]["experiment"] = name
    values["anatomy"] |= {"layer": 2, "head": 3}
    return shrunk(values)


def of_model(name: str, model: Path, **experiment: object) -> dict:
    """The same with a model of a directory."""
    values = parameters(name, model={"source": "local", "name": "mine"}, **experiment)
    values["files"] = {"mine": str(model)}
    return values


def bare_decoder(directory: Path) -> dict:
    """A decoder that reads bytes, with no special token in any text, as GPT-2."""
    return of_model("bare", save(directory / "mine", "gpt2", bytes_of(SENTENCES)))


def begun_decoder(directory: Path) -> dict:
    """A decoder whose texts begin with a special token, as those of Llama."""
    return of_model("begun", save(directory / "mine", "llama", begun(SENTENCES)))


def pairs(directory: Path) -> dict:
    """An encoder-decoder, as T5, that is not trained; the text in focus is of an encoder."""
    t5 = yaml.safe_load((ROOT / "profiles" / "t5.yaml").read_text(encoding="utf-8"))
    data = t5["experiments"]["german"]["data"]
    tokenizer = unigrams([*data["texts"], *data["targets"]])
    values = of_model("pairs", save(directory / "mine", "t5", tokenizer), data=data)
    values["experiments"] |= parameters("plain")["experiments"]
    values["report"]["focus"]["experiment"] = "plain"
    return values


def encoder(directory: Path) -> dict:
    """The embedded encoder without a task."""
    return parameters("plain")


def two_texts(directory: Path) -> dict:
    """The embedded encoder on two texts, of which one is a single word."""
    values = parameters("two", data={"source": "texts", "texts": ["The cat sleeps.", "Yes"]})
    values["experiments"]["two"]["capture"]["examples"] = 2
    return values


KINDS: dict[str, Callable[[Path], dict]] = {
    one.__name__: one for one in (bare_decoder, begun_decoder, pairs, encoder, two_texts)
}
