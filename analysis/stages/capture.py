"""Read features, queries, keys and attention out of the pretrained and the fine-tuned model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.packages import made_with
from analysis.paths import artifact
from analysis.stage import replacing, run, write_json
from attention_mixing.artifacts import read_artifact
from attention_mixing.capture import store
from attention_mixing.capture.subset import choose
from attention_mixing.corpora.corpus import Corpus
from attention_mixing.errors import InputError
from attention_mixing.params import Params, located
from attention_mixing.params.sections import LocalModel, Model, UntrainedModel
from attention_mixing.params.states import STREAMS, TARGETS

if TYPE_CHECKING:
    from attention_mixing.models.encode import Encoded
    from attention_mixing.models.source import ModelFiles
    from attention_mixing.models.weights import ModelWeights

CHECKED = 4  # texts on which the capture is compared with the model itself
# What is recorded of each text: arrays by name, and logits if the model has a classifier.
Recorded = Iterable[tuple[dict[str, NDArray], NDArray | None]]


def capture(params: Params, name: str) -> None:
    """Write ``artifacts/EXPERIMENT/capture``.

    A cache of the pretrained model, one of each that was fine-tuned
    (:func:`attention_mixing.capture.store.captures`), and ``facts.json``: sizes and deviations,
    what tokens make of the texts (:class:`attention_mixing.models.rendering.Rendering`), and the
    ``structure`` of the model (:meth:`attention_mixing.models.running.RunningModel.described`, what
    its queries see and which token is read). Of an encoder-decoder the last two, and sizes, are
    also known of its ``streams``.

    Raises
    ------
    InputError
        If the split has no texts, or the trained model is not what training wrote.
    """
    from transformers import AutoConfig

    from attention_mixing.capture.record import record
    from attention_mixing.models.device import repeatable, resolve
    from attention_mixing.models.encode import encode_examples
    from attention_mixing.models.layers import weights_of
    from attention_mixing.models.load import load_encoder, load_finetuned
    from attention_mixing.models.rendering import rendering
    from attention_mixing.models.running import RunningModel
    from attention_mixing.models.self_check import deviations, require_agreement
    from attention_mixing.models.source import describe, inspect, locate, name_of
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
    models: dict[Path, tuple[ModelFiles, Model, Any]] = {}
    from_nothing = isinstance(experiment.model, UntrainedModel)
    if not from_nothing:
        models[store.pretrained(Path())] = (
            locate(experiment.model),
            experiment.model,
            load_encoder,
        )
    facts = read_artifact(artifact(name, "train", "facts.json"))
    for seed, trained_facts in facts["seeds"].items():
        trained = artifact(name, "train", seed, "model")
        how = "trained" if from_nothing else "fine-tuned"
        tuned = inspect(trained, name=f"{name_of(experiment.model)}, {how} on {name}")
        if tuned.sha256 != trained_facts["sha256"]:
            raise InputError(
                f"{trained} is not what training wrote (its files have other sha256); restore it "
                "with `dvc checkout`, or run `dvc repro`."
            )
        local = LocalModel(source="local", name=str(trained))
        load = partial(load_finetuned, task=experiment.task)
        cache = store.pretrained(Path()) if from_nothing else store.finetuned(Path(), seed)
        models[cache] = (tuned, local, load)
    first, *_ = (files for files, *_ in models.values())
    tokenizer = load_tokenizer(first.path)
    config = AutoConfig.from_pretrained(first.path, local_files_only=True)
    encoded = encode_examples(examples, tokenizer, experiment.length, config)

    deviation: dict[str, dict[str, float]] = {}
    metrics = sizes(encoded)
    read = rendering(examples["text"].tolist(), encoded, tokenizer)
    streams = STREAMS if config.is_encoder_decoder else ("",)
    with replacing(artifact(name, "capture")) as directory:
        for cache, (files, where, load) in models.items():
            model = load(files.path).to(device)
            differences = deviations(model, encoded[:CHECKED], device=device)
            require_agreement(differences, files.name)
            # Kept runs have three numbers: of attention, of padding, and of all that comes of them.
            rest = [differences.pop(what) for what in ("output", "layer", "network", "outcome")]
            differences["output"] = max(rest)
            recorded = record(
                model,
                encoded,
                device=device,
                precision=params.precision,
                batch_size=settings.batch_size,
            )
            sights: dict[str, set[str]] = {stream: set() for stream in streams}
            weights = weights_of(model)
            built = {stream: RunningModel(model, stream).described() for stream in streams}
            if not deviation:  # All models at once, before anything is written.
                needed = predicted_bytes(weights) + _of_arrays(built, encoded, settings.dtype)
                store.require_space(artifact(name, "capture"), len(models) * needed)
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
            structures = {
                stream: built[stream]
                | {
                    "sight": sorted(kinds) or ["all"],
                    "read": "first" if weights.read_in(stream) == 0 else "last",
                }
                for stream, kinds in sights.items()
            }
            worst = deviation.setdefault(cache.parts[0], differences)
            worst |= {what: max(worst[what], other) for what, other in differences.items()}
        metrics |= {variant: {"deviation": worst} for variant, worst in deviation.items()}
        content = {
            "capture": metrics,
            "rendering": asdict(read),
            "structure": structures[streams[0]],
        }
        if config.is_encoder_decoder:
            targets = [text.target for text in encoded if text.target is not None]
            of_target = asdict(rendering(examples["target"].tolist(), targets, tokenizer))
            content["streams"] = {
                stream: {
                    "capture": metrics | (sizes(targets) if stream in TARGETS else {}),
                    "rendering": of_target if stream in TARGETS else content["rendering"],
                    "structure": structure,
                }
                for stream, structure in structures.items()
            }
        write_json(directory / "facts.json", content)
        write_json(directory / "packages.json", made_with(Path(__file__)))


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


def sight(visible: NDArray[np.bool_]) -> set[str]:
    """Name what the queries of the layers of a text may see, ``[layer, query, key]``.

    ``all`` keys, ``earlier`` ones and themselves, or those in a window of either
    (``window``, ``earlier_window``).
    """
    earlier = np.tril(np.ones(visible.shape[1:], bool))
    kinds = set()
    for layer in visible:
        causal = not (layer & ~earlier).any()
        whole = bool(layer[earlier].all() if causal else layer.all())
        if causal:
            kinds.add("earlier" if whole else "earlier_window")
        else:
            kinds.add("all" if whole else "window")
    return kinds


def sizes(encoded: Sequence[Encoded]) -> dict[str, Any]:
    """Count texts, their tokens, and those that were cut."""
    return {
        "examples": len(encoded),
        "tokens": sum(len(text.input_ids) for text in encoded),
        "truncated": sum(text.truncated for text in encoded),
    }


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
        examples=lambda: _examples_table(examples, encoded, logits),
        tokens=_tokens_table(examples, encoded),
        model=model,
        weights=weights,
    )


def _examples_table(
    examples: pd.DataFrame, encoded: Sequence[Encoded], logits: Sequence[NDArray | None]
) -> pd.DataFrame:
    from scipy.special import softmax

    of_targets = ["target", "alignment"] if examples["target"].notna().any() else []
    table = examples[["id", "text", *of_targets, "label"]].copy()
    # Without a classification head there are neither.
    answers = [None if answer is None else softmax(answer) for answer in logits]
    table["prediction"] = pd.array([p if p is None else p.argmax() for p in answers], "Int64")
    table["probability"] = pd.array([p if p is None else p.max() for p in answers], "Float64")
    table["tokens"] = [len(e.input_ids) for e in encoded]
    table["truncated"] = [e.truncated for e in encoded]
    if of_targets:
        targets = [e.target for e in encoded if e.target is not None]
        table["target_tokens"] = [len(target.input_ids) for target in targets]
        table["target_truncated"] = [target.truncated for target in targets]
    return table


def _tokens_table(examples: pd.DataFrame, encoded: Sequence[Encoded]) -> pd.DataFrame:
    tables = []
    columns = (examples[name] for name in ("id", "text", "target", "evidence"))
    for example, source, target, evidence, text in zip(*columns, encoded, strict=True):
        rows = text.table(source)
        inside: Any = pd.NA  # not recorded
        if evidence is not None:
            inside = ~rows["is_special"] & np.array(
                [any(s < end and start < e for s, e in evidence) for start, end in text.spans]
            )
        parts = [rows.assign(is_evidence=inside)]
        if text.target is not None:
            of_target = text.target.table(target).assign(is_evidence=pd.NA, is_target=True)
            parts = [parts[0].assign(is_target=False), of_target]
        for rows_of_text in parts:
            rows_of_text.insert(0, "example_id", example)
            tables.append(rows_of_text.astype({"is_evidence": "boolean"}))
    return pd.concat(tables, ignore_index=True)


if __name__ == "__main__":
    run(capture, "experiments")
