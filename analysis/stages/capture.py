"""Read features, queries, keys and attention out of the pretrained and the fine-tuned model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd
from numpy.typing import NDArray

from analysis.parameters import Params, located
from analysis.paths import artifact
from analysis.pipeline.packages import made_with
from analysis.pipeline.stage import replacing, run, write_json
from attention_mixing.artifacts import read_artifact
from attention_mixing.capture import store
from attention_mixing.capture.subset import choose
from attention_mixing.capture.tables import examples_table, sight, sizes, tokens_table
from attention_mixing.corpora.corpus import Corpus
from attention_mixing.errors import InputError
from attention_mixing.settings.derived import STREAMS, TARGETS
from attention_mixing.settings.experiment import Experiment
from attention_mixing.settings.sources import LocalModel, Model, UntrainedModel

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from attention_mixing.models.encode import Encoded
    from attention_mixing.models.source import ModelFiles
    from attention_mixing.models.weights import ModelWeights

# What is recorded of each text: arrays by name, and logits if the model has a classifier.
Recorded = Iterable[tuple[dict[str, NDArray], NDArray | None]]


class CapturedModel(NamedTuple):
    """A model that is captured: its files, the parameter that names it, and what loads it."""

    files: ModelFiles
    model: Model
    load: Callable[[Path], PreTrainedModel]


def capture(params: Params, name: str) -> None:
    """Write ``artifacts/EXPERIMENT/capture``.

    A cache of the pretrained model, one of each that was fine-tuned
    (:func:`attention_mixing.capture.store.captures`), and ``facts.json``: sizes and deviations,
    what tokens make of the texts (:class:`attention_mixing.models.vocabulary_coverage.Rendering`),
    and the ``structure`` of the model
    (:meth:`attention_mixing.models.interventions.RunningModel.described`, what its queries see and
    which token is read). Of an encoder-decoder the last two, and sizes, are also known of its
    ``streams``.

    Raises
    ------
    InputError
        If the split has no texts, or the trained model is not what training wrote.
    """
    from transformers import AutoConfig

    from attention_mixing.capture.record import record
    from attention_mixing.models.device import repeatable, resolve
    from attention_mixing.models.encode import encode_examples
    from attention_mixing.models.interventions import RunningModel
    from attention_mixing.models.layer_weights import weights_of
    from attention_mixing.models.source import describe
    from attention_mixing.models.tokenizer import load_tokenizer
    from attention_mixing.models.weights import predicted_bytes

    experiment = located(params, name)
    settings = experiment.capture
    device = resolve(params.device)
    repeatable()
    split = Corpus.read(artifact(name, "corpus")).split(settings.split)
    if split.empty:
        raise InputError(
            f"capture.split is {settings.split}, which has no texts; choose one that has some."
        )
    examples = choose(split, settings.examples)
    models = _models(experiment, name)
    first, *_ = (model.files for model in models.values())
    tokenizer = load_tokenizer(first.path)
    config = AutoConfig.from_pretrained(first.path, local_files_only=True)
    encoded = encode_examples(examples, tokenizer, experiment.length, config)
    streams = STREAMS if config.is_encoder_decoder else ("",)

    deviation: dict[str, dict[str, float]] = {}
    with replacing(artifact(name, "capture")) as directory:
        for cache, (files, where, load) in models.items():
            model = load(files.path).to(device)  # type: ignore[arg-type]
            differences = _differences(model, encoded, device, settings.batch_size, files.name)
            weights = weights_of(model)
            structures = {stream: RunningModel(model, stream).described() for stream in streams}
            if not deviation:  # All models at once, before anything is written.
                needed = predicted_bytes(weights) + _of_arrays(structures, encoded, settings.dtype)
                store.require_space(artifact(name, "capture"), len(models) * needed)
            recorded = record(
                model,
                encoded,
                device=device,
                precision=params.precision,
                batch_size=settings.batch_size,
            )
            sights: dict[str, set[str]] = {stream: set() for stream in streams}
            _write(
                directory / cache,
                _noting(sights, recorded),
                examples,
                encoded,
                dtype=settings.dtype,
                model=describe(files, where),
                weights=weights,
            )
            # Fine-tuning changes no structure but the head, and so which token is read.
            for stream, kinds in sights.items():
                structures[stream] |= {
                    "sight": sorted(kinds) or ["all"],
                    "read": "first" if weights.read_in(stream) == 0 else "last",
                    "special_first": _special_first(encoded, stream),
                }
            worst = deviation.setdefault(cache.parts[0], differences)
            worst |= {what: max(worst[what], other) for what, other in differences.items()}
        facts = _facts(examples, encoded, tokenizer, structures, deviation)
        write_json(directory / "facts.json", facts)
        write_json(directory / "packages.json", made_with(Path(__file__)))


def _models(experiment: Experiment, name: str) -> dict[Path, CapturedModel]:
    """Find the models of an experiment: the pretrained one, and each that was fine-tuned.

    Each is under the directory of its capture, in that of all.
    """
    from attention_mixing.models.load import load_encoder, load_finetuned
    from attention_mixing.models.source import inspect, locate, name_of

    models: dict[Path, CapturedModel] = {}
    from_nothing = isinstance(experiment.model, UntrainedModel)
    if not from_nothing:
        models[store.pretrained(Path())] = CapturedModel(
            locate(experiment.model), experiment.model, load_encoder
        )
    facts = read_artifact(artifact(name, "train", "facts.json"))
    for seed, trained_facts in facts["seeds"].items():
        trained = artifact(name, "train", seed, "model")
        how = "trained" if from_nothing else "fine-tuned"
        files = inspect(trained, name=f"{name_of(experiment.model)}, {how} on {name}")
        if files.sha256 != trained_facts["sha256"]:
            raise InputError(
                f"{trained} is not what training wrote (its files have other sha256); restore it "
                "with `dvc checkout`, or run `dvc repro`."
            )
        cache = store.pretrained(Path()) if from_nothing else store.finetuned(Path(), seed)
        models[cache] = CapturedModel(
            files,
            LocalModel(source="local", name=str(trained)),
            partial(load_finetuned, task=experiment.task),
        )
    return models


def _special_first(encoded: Sequence[Encoded], stream: str) -> bool:
    """Tell whether every text of a stream begins with a special token."""
    read = [text.target if stream in TARGETS else text for text in encoded]
    return all(text is not None and text.is_special[0] for text in read)


def _differences(
    model: PreTrainedModel,
    encoded: Sequence[Encoded],
    device: torch.device,
    batch_size: int,
    name: str,
) -> dict[str, float]:
    """Compare every batch that is captured with the model, and refuse what is not rounding."""
    from tqdm import tqdm

    from attention_mixing.models.self_check import ONE_BY_ONE, deviations, require_agreement

    differences: dict[str, float] = {}
    for start in tqdm(range(0, len(encoded), batch_size), "check", disable=None, unit="batch"):
        of_batch = deviations(model, encoded[start : start + batch_size], device=device)
        require_agreement(of_batch, name, padded=ONE_BY_ONE)
        differences = {what: max(new, differences.get(what, 0)) for what, new in of_batch.items()}
    # Kept runs have three numbers: of attention, of padding, and of all that comes of them.
    rest = [differences.pop(what) for what in ("output", "layer", "network", "outcome")]
    return differences | {"output": max(rest)}


def _facts(
    examples: pd.DataFrame,
    encoded: Sequence[Encoded],
    tokenizer: PreTrainedTokenizerBase,
    structures: Mapping[str, Mapping[str, Any]],
    deviation: Mapping[str, Mapping[str, float]],
) -> dict[str, Any]:
    """Lay out the facts of a capture; ``structures`` by streams, ``deviation`` by variants."""
    from attention_mixing.models.vocabulary_coverage import rendering

    metrics = sizes(encoded) | {
        variant: {"deviation": worst} for variant, worst in deviation.items()
    }
    of_text = asdict(rendering(examples["text"].tolist(), encoded, tokenizer))
    first, *others = structures.values()
    facts = {"capture": metrics, "rendering": of_text, "structure": first}
    if others:
        targets = [text.target for text in encoded if text.target is not None]
        of_target = asdict(rendering(examples["target"].tolist(), targets, tokenizer))
        facts["streams"] = {
            stream: {
                "capture": metrics | (sizes(targets) if stream in TARGETS else {}),
                "rendering": of_target if stream in TARGETS else of_text,
                "structure": structure,
            }
            for stream, structure in structures.items()
        }
    return facts


def _of_arrays(
    structures: Mapping[str, Mapping[str, Any]], encoded: Sequence[Encoded], dtype: str
) -> int:
    """Size of the arrays of all streams, in bytes; tables are small beside them."""
    return sum(
        store.predicted_bytes(
            dtype,
            [text.lengths(stream) for text in encoded],
            stream=stream,
            layers=structure["layers"],
            heads=structure["heads"],
            head_dim=structure["head_dimension"],
            model_dim=structure["dimension"],
        )
        for stream, structure in structures.items()
    )


def _noting(sights: dict[str, set[str]], recorded: Recorded) -> Recorded:
    """Note the sight of every stream of every text that passes."""
    for arrays, answer in recorded:
        for stream, kinds in sights.items():
            visible = arrays[store.array_name(stream, "visible")]
            if len(visible[0]) > 1 and stream != "cross":
                kinds |= sight(visible)
        yield arrays, answer


def _write(
    directory: Path,
    recorded: Recorded,
    examples: pd.DataFrame,
    encoded: Sequence[Encoded],
    *,
    dtype: str,
    model: dict[str, object],
    weights: ModelWeights,
) -> None:
    """Write what is recorded of each text as one cache."""
    from tqdm import tqdm

    logits: list[NDArray | None] = []

    def arrays() -> Iterator[tuple[int, dict[str, NDArray]]]:
        rows = zip(examples["id"], recorded, strict=True)
        for example, (values, answer) in tqdm(
            rows, f"capture {directory.name}", len(encoded), disable=None, unit="text"
        ):
            logits.append(answer)
            yield int(example), values

    # The tables are complete only after the last pass, which writing the arrays consumes.
    store.write(
        directory,
        arrays(),
        dtype=dtype,
        examples=lambda: examples_table(examples, encoded, logits),
        tokens=tokens_table(examples, encoded),
        model=model,
        weights=weights,
    )


if __name__ == "__main__":
    run(capture, "experiments")
