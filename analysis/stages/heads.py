"""What every attention head attends to: each map reduced to features while the model runs."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import joblib
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from tqdm import tqdm

from analysis.corpora.prepared import choose, read_corpus
from analysis.errors import InputError
from analysis.methods.attention import entropy
from analysis.methods.head_families import FAMILIES, family
from analysis.methods.head_images import CELLS, SIZE, histograms
from analysis.methods.heads import DESCRIPTORS, FEWEST_TOKENS, descriptors, kept_within, resized
from analysis.params import Length, LocalModel, Params, located
from analysis.paths import artifact
from analysis.stages.head_summaries import summarise
from analysis.stages.runner import replacing, run

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from analysis.models.encode import Encoded

# Texts whose tokens are in memory at once.
ENCODED = 1024
# Pixels a side of the mean map of a head.
THUMBNAIL = 16
Images = Callable[[NDArray[np.float32]], NDArray]
SCHEMA = {
    "example_id": pa.int64(),
    "window": pa.int16(),
    "layer": pa.int8(),
    "head": pa.int8(),
    "tokens": pa.int16(),
    **dict.fromkeys((*DESCRIPTORS, "cls_entropy", "sep_to_sep"), pa.float32()),
    "family": pa.dictionary(pa.int8(), pa.string()),
}


def heads(params: Params, name: str) -> None:
    """Describe every attention map of every text, and every head by the maps it makes.

    Layers and heads are 1-based. ``artifacts/E/heads/VARIANT.parquet`` has a row for each map, by
    text, window, layer and head, a few texts a row group: ``example_id``, ``window`` (from 0;
    beyond it only in question answering), ``layer``, ``head``, ``tokens``, the descriptors of
    :mod:`analysis.methods.heads`, ``cls_entropy`` (entropy of the first token's row, divided by
    ln n), ``sep_to_sep`` (what [SEP] tokens give to [SEP] tokens; nan without any), ``family`` (by
    rule, :mod:`analysis.methods.head_families`) and, unless ``heads.images`` is none, ``image``,
    features of the map as an image.

    In what follows every text counts once, whatever the number of its windows.
    ``results/E/heads.parquet`` has a row for each ``variant``, ``layer`` and ``head``: means of all
    descriptors, of ``cls_entropy`` and ``sep_to_sep``; ``family``, by rule from these means;
    ``role_ROLE``, whether it has each role of Clark et al. (2019); ``share_FAMILY``, of its maps;
    ``thumbnail``, the mean of its maps (here every window counts once) as images of ``THUMBNAIL``
    pixels a side, row by row.
    ``plots/families.csv`` is the share of a layer's maps in each family, ``plots/attended.csv``
    where a layer's attention goes, with intervals over texts. ``summaries/heads.json`` adds how
    many heads are in each family, role and position, which token is the sink of each layer, and
    which heads change family in fine-tuning.

    Texts of fewer than three tokens have no descriptors; they are left out, and counted.
    """
    from analysis.models.device import repeatable, resolve
    from analysis.models.load import load_encoder, load_tokenizer
    from analysis.models.source import locate

    experiment = located(params, name)
    device = resolve(params.device)
    repeatable()
    split = read_corpus(name).split(experiment.capture.split)
    if split.empty:
        raise InputError(
            "capture.split names a split without texts; choose one that has some "
            "(texts without a task are all in test)."
        )
    examples = choose(split, params.heads.examples or len(split))
    pretrained = locate(experiment.model).path
    models = {"pretrained": pretrained}
    if experiment.train is not None:
        models["finetuned"] = artifact(name, "model")
    tokenizer = load_tokenizer(pretrained)
    images, described = _images(params, device)
    with replacing(artifact(name, "heads")) as directory:
        directory.mkdir()
        paths = {variant: directory / f"{variant}.parquet" for variant in models}
        thumbnails = {}
        for variant, path in models.items():
            model = load_encoder(path)
            counts, thumbnails[variant] = _write_maps(
                params, name, paths[variant], model, tokenizer, examples, images
            )
        facts = counts | {
            "tokens": {"cls": tokenizer.cls_token, "sep": tokenizer.sep_token},
            "images": described,
        }
        summarise(name, paths, thumbnails, facts, params.bootstrap)


class _Window(NamedTuple):
    """What the model reads of a text in one pass, and what its tokens are."""

    example: int
    window: int
    encoded: Encoded
    groups: dict[str, NDArray[np.bool_]]


class _Reduced(NamedTuple):
    """What is kept of the maps of one window, ``[layer, head]`` before anything else."""

    window: _Window
    measures: NDArray[np.float32]
    families: NDArray[np.int8]
    thumbnail: NDArray[np.float64]
    image: NDArray[np.float32] | None


def _windows(
    examples: pd.DataFrame, tokenizer: PreTrainedTokenizerBase, length: Length
) -> list[_Window]:
    from analysis.models.encode import encode, encode_questions

    texts = examples["text"].tolist()
    if length.longer == "windows":
        encoded = [q.windows for q in encode_questions(examples, tokenizer, length)]
    else:
        encoded = [[single] for single in encode(texts, tokenizer, length)]
    return [
        _Window(int(example), window, each, token_groups(text, each, tokenizer))
        for example, text, several in zip(examples["id"], texts, encoded, strict=True)
        for window, each in enumerate(several)
    ]


def token_groups(
    text: str, encoded: Encoded, tokenizer: PreTrainedTokenizerBase
) -> dict[str, NDArray[np.bool_]]:
    """Tell special tokens and punctuation from other tokens of a text.

    Returns
    -------
    dict
        ``cls`` and ``sep``, the tokens that the tokenizer uses as such, whatever it calls them;
        ``special``, others that it puts in, and [MASK]; ``punctuation``, tokens of which every
        character is punctuation in Unicode. ``[token]`` each, no token in two of them.
    """
    ids = encoded.input_ids
    cls = np.array([i == tokenizer.cls_token_id for i in ids])
    sep = np.array([i == tokenizer.sep_token_id for i in ids]) & ~cls
    mask = np.array([i == tokenizer.mask_token_id for i in ids])
    special = (np.array(encoded.is_special) | mask) & ~cls & ~sep
    # By the text: byte-level vocabularies do not spell what is outside ASCII.
    written = [text[start:end].strip() for start, end in encoded.spans]
    marks = np.array(
        [bool(w) and all(unicodedata.category(c).startswith("P") for c in w) for w in written]
    )
    return {
        "cls": cls,
        "sep": sep,
        "special": special,
        "punctuation": marks & ~cls & ~sep & ~special,
    }


def _images(params: Params, device: torch.device) -> tuple[Images | None, dict[str, Any]]:
    """Return what makes features of ``[map, query, key]``, and what is said about them."""
    chosen, side = params.heads.images, params.heads.side
    if chosen == "none":
        return None, {"kind": "none"}
    if chosen == "hog":
        if side % CELLS:
            raise InputError(
                f"heads.side is {side}, which does not divide into {CELLS} x {CELLS} cells; with "
                f"heads.images hog it must be a multiple of {CELLS}."
            )
        facts = {"kind": "hog", "side": side, "features": SIZE}
        return lambda maps: histograms(resized(maps, side)), facts
    from analysis.models.image_classifier import ImageClassifier
    from analysis.models.source import describe, locate

    if isinstance(chosen, LocalModel):
        chosen = chosen.model_copy(update={"name": params.files[chosen.name]})
    files = locate(chosen)
    model = ImageClassifier(files, side, device=device, precision=params.precision)
    return (
        lambda maps: model.features(resized(maps, side)),
        {"kind": "classifier", "side": side, "features": model.size, "model": describe(files)},
    )


def _write_maps(
    params: Params,
    name: str,
    path: Path,
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    examples: pd.DataFrame,
    images: Images | None,
) -> tuple[dict[str, int], NDArray[np.float32]]:
    """Write a row a map.

    Returns
    -------
    counts
        Of texts, windows and what is too short.
    thumbnails
        ``[layer, head, pixel]``, mean of the maps of each head as small images.

    In memory are the tokens of some texts, one batch of attention and a few of features, however
    many texts there are.
    """
    from analysis.capture.maps import reduce_maps
    from analysis.models.device import resolve

    step = params.heads.batch_size
    counts = {"texts": 0, "windows": 0, "too_short": 0}
    thumbnails: NDArray[np.float64] | float = 0.0
    fields = SCHEMA if images is None else SCHEMA | {"image": pa.list_(pa.float32())}
    with (
        pq.ParquetWriter(path, pa.schema(fields.items())) as writer,
        tqdm(desc=f"heads {path.stem}", total=len(examples), disable=None, unit="text") as progress,
    ):
        for start in range(0, len(examples), ENCODED):
            some = examples[start : start + ENCODED]
            found = _windows(some, tokenizer, params.experiments[name].length)
            windows = [w for w in found if len(w.encoded.tokens) >= FEWEST_TOKENS]
            counts["texts"] += len({w.example for w in windows})
            counts["windows"] += len(windows)
            counts["too_short"] += len(found) - len(windows)
            reduced = reduce_maps(
                partial(_reduce, windows, images),
                model,
                tokenizer,
                [window.encoded for window in windows],
                device=resolve(params.device),
                precision=params.precision,
                batch_size=step,
                threads=joblib.cpu_count(),
            )
            group: list[_Reduced] = []
            for each in reduced:
                group.append(each)
                thumbnails = thumbnails + each.thumbnail
                if len(group) == step:
                    writer.write_table(_rows(group))
                    group = []
            if group:
                writer.write_table(_rows(group))
            progress.update(len(some))
    if not counts["windows"]:
        raise InputError(
            f"all texts of {name} have fewer than {FEWEST_TOKENS} tokens, too few to describe "
            "attention; give longer ones."
        )
    return counts, np.asarray(thumbnails / counts["windows"], dtype=np.float32)


def _reduce(
    windows: Sequence[_Window],
    images: Images | None,
    place: int,
    attention: NDArray[np.float32],
) -> _Reduced:
    groups = windows[place].groups
    described = descriptors(attention, **groups)
    first = attention[..., 0, :].astype(np.float64)
    first /= first.sum(axis=-1, keepdims=True)
    beside = entropy(first) / np.log(first.shape[-1]), kept_within(attention, groups["sep"])
    measures = np.concatenate([described, np.stack(beside, axis=-1)], axis=-1).astype(np.float32)
    # By what is written, so that who reads it finds the same family.
    families = family(measures[..., : len(DESCRIPTORS)])
    codes = np.select([families == each for each in FAMILIES], range(len(FAMILIES)))
    thumbnail = resized(attention, THUMBNAIL).reshape(*attention.shape[:2], -1)
    image = None
    if images is not None:
        maps = attention.reshape(-1, *attention.shape[-2:])
        image = images(maps).reshape(*attention.shape[:2], -1).astype(np.float32)
    return _Reduced(windows[place], measures, codes.astype(np.int8), thumbnail, image)


def _rows(reduced: Sequence[_Reduced]) -> pa.Table:
    """Table of all maps of a few windows."""
    layers, heads = reduced[0].families.shape
    windows = [r.window for r in reduced]
    grid = np.indices((len(windows), layers, heads)).reshape(3, -1)
    measures = np.stack([r.measures for r in reduced]).reshape(grid.shape[1], -1)
    texts = {
        "example_id": [w.example for w in windows],
        "window": [w.window for w in windows],
        "tokens": [len(w.encoded.tokens) for w in windows],
    }
    columns: dict[str, Any] = {name: np.array(x)[grid[0]] for name, x in texts.items()}
    columns |= {"layer": grid[1] + 1, "head": grid[2] + 1}
    measured = [name for name, kind in SCHEMA.items() if kind == pa.float32()]
    columns |= dict(zip(measured, measures.T, strict=True))
    arrays = {name: pa.array(x, SCHEMA[name]) for name, x in columns.items()}
    codes = pa.array(np.concatenate([r.families.reshape(-1) for r in reduced]))
    arrays["family"] = pa.DictionaryArray.from_arrays(codes, pa.array(FAMILIES))
    fields = [arrays[name] for name in SCHEMA]
    images = [r.image for r in reduced if r.image is not None]
    if not images:
        return pa.Table.from_arrays(fields, names=list(SCHEMA))
    image = np.stack(images).reshape(grid.shape[1], -1)
    offsets = np.arange(len(image) + 1) * image.shape[1]
    fields.append(pa.ListArray.from_arrays(offsets.astype(np.int32), image.reshape(-1)))
    return pa.Table.from_arrays(fields, names=[*SCHEMA, "image"])


if __name__ == "__main__":
    run("heads", heads, "experiment")
