"""What every attention head attends to: each map reduced to features while the model runs."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import joblib
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from attention_mixing.addresses import ALL
from attention_mixing.capture.subset import choose
from attention_mixing.corpora.corpus import Corpus
from attention_mixing.errors import InputError
from attention_mixing.measures.engine.definition import (
    HEAD,
    POSITIVE,
    SHARE,
    SIGNED,
    CapturedCorpus,
    Field,
    Given,
    Gives,
    Measure,
    Measured,
    OfCorpus,
    Values,
    each_of,
)
from attention_mixing.methods.attention import relative_entropy
from attention_mixing.methods.head_descriptors import (
    DESCRIPTORS,
    FEWEST_TOKENS,
    descriptors,
    kept_within,
    resized,
)
from attention_mixing.methods.head_families import CUT_OFFS, FAMILIES, family
from attention_mixing.methods.head_images import histograms
from attention_mixing.settings.derived import TARGETS

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedTokenizerBase

    from attention_mixing.models.encode import Encoded

# Texts whose tokens are in memory at once.
ENCODED = 1024
# Pixels a side of the mean map of a head.
THUMBNAIL = 16
# What is measured of maps beside the descriptors.
BESIDE = ("cls_entropy", "sep_to_sep")
MEASURED = (*DESCRIPTORS, *BESIDE)
# All others are from 0 to 1.
RANGES = {"entropy": POSITIVE, "diagonal": SIGNED}

Images = Callable[[NDArray[np.float32]], NDArray]
SETTINGS = (
    *("heads.examples", "heads.batch_size", "heads.images", "heads.side"),
    *("device", "precision"),
    *("experiment.capture.split", "experiment.length"),
)
SCHEMA = {
    "example_id": pa.int64(),
    "window": pa.int16(),
    "layer": pa.int8(),
    "head": pa.int8(),
    "tokens": pa.int16(),
    **dict.fromkeys(MEASURED, pa.float32()),
    "family": pa.dictionary(pa.int8(), pa.string()),
}


def heads(corpus: CapturedCorpus, given: Given) -> OfCorpus:
    """Describe every attention map of every text, and every head by the maps it makes.

    The table ``maps/VARIANT.parquet`` has a row for each map, by text, window, layer and head:
    ``example_id``, ``window`` (from 0; beyond it only in question answering), ``layer``, ``head``,
    ``tokens``, the descriptors of :mod:`attention_mixing.methods.head_descriptors`, ``cls_entropy``
    (entropy of the row of the token that predictions are read from, by the largest there is),
    ``sep_to_sep`` (what [SEP] tokens give to [SEP] tokens; nan without any), ``family`` (by rule,
    :mod:`attention_mixing.methods.head_families`) and, unless ``heads.images`` is none, ``image``,
    features of the map as an image.

    Values are means over the windows of a text, so that every text counts once: of all that is
    measured of a map, of every family the ``family_share`` of the maps (``subject``), and the share
    ``without_pattern``, were a pattern to hold another part of the attention (``subject``). Of all
    texts there are the number of ``maps`` and of every family the share of ``heads`` that are of it
    by their means over texts. Shown: ``thumbnails``, the mean of the maps of each head as images of
    ``THUMBNAIL`` pixels a side (here every window counts once). Texts of fewer than three tokens
    have no descriptors; they are left out.
    """
    from attention_mixing.models.device import repeatable, resolve
    from attention_mixing.models.load import load_encoder
    from attention_mixing.models.tokenizer import load_tokenizer

    settings = given.settings
    device = resolve(settings["device"])
    repeatable()
    split = Corpus.read(corpus.texts).split(settings["experiment.capture.split"])
    examples = choose(split, settings["heads.examples"] or len(split))
    tokenizer = load_tokenizer(corpus.states[0].model)
    images = image_features(settings, device)
    schema = pa.schema(SCHEMA if images is None else SCHEMA | {"image": pa.list_(pa.float32())})
    (corpus.directory / "maps").mkdir()
    for state in corpus.states:
        # The bare encoder: a head that was trained is of no use here.
        model = load_encoder(state.model)
        reduced = _reduced(settings, model, tokenizer, examples, images, device, state.stream)
        path = corpus.directory / "maps" / f"{state.variant}.parquet"
        count, means = 0, []
        pixels: Any = 0.0
        with pq.ParquetWriter(path, schema) as writer:
            for text, group in groupby(reduced, key=attrgetter("example")):
                windows = list(group)
                count += len(windows)
                pixels = pixels + sum(window.thumbnail for window in windows)
                measures = [window.maps[[*MEASURED]].to_numpy(np.float64) for window in windows]
                means.append(np.mean(measures, axis=0))
                table = pd.concat([window.maps for window in windows])
                writer.write_table(pa.Table.from_pandas(table, schema, preserve_index=False))
                yield state.variant, text, _of_text(windows, means[-1])
        if not means:
            raise InputError(
                f"all texts of {given.name} have fewer than {FEWEST_TOKENS} tokens, too few to "
                "describe attention; give longer ones."
            )
        families = family(np.mean(means, axis=0)[:, : len(DESCRIPTORS)])
        thumbnails = np.asarray(pixels / count, dtype=np.float32)
        measured: Measured = [
            Values("maps", count * families.size),
            *(Values("heads", np.mean(families == name), name, "family") for name in FAMILIES),
            Field("thumbnails", thumbnails, shown=True),
        ]
        yield state.variant, ALL, measured


class _Window(NamedTuple):
    """What the model reads of a text in one pass, and what its tokens are."""

    example: int
    number: int
    encoded: Encoded
    groups: dict[str, NDArray[np.bool_]]


class _Reduced(NamedTuple):
    """What is kept of one window: a row a map, and small images ``[layer, head, pixel]``."""

    example: int
    maps: pd.DataFrame
    thumbnail: NDArray[np.float32]


def token_groups(
    text: str, encoded: Encoded, tokenizer: PreTrainedTokenizerBase
) -> dict[str, NDArray[np.bool_]]:
    """Tell special tokens and punctuation from other tokens of a text, ``[token]`` each.

    ``cls`` and ``sep`` are the tokens that the tokenizer uses as such, whatever it calls them;
    ``special``, others that it puts in, and [MASK]; ``punctuation``, tokens of which every
    character is punctuation in Unicode. No token is in two of them.
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


def image_features(settings: Mapping[str, Any], device: torch.device) -> Images | None:
    """Return what makes features of ``[map, query, key]``, if anything does.

    Raises
    ------
    InputError
        If it cannot make any of images of ``heads.side``.
    """
    chosen, side = settings["heads.images"], settings["heads.side"]
    if chosen == "none":
        return None
    if chosen == "hog":
        return lambda maps: histograms(resized(maps, side))
    from attention_mixing.models.image_classifier import ImageClassifier
    from attention_mixing.models.source import locate

    model = ImageClassifier(
        locate(chosen, images=True), side, device=device, precision=settings["precision"]
    )
    return lambda maps: model.features(resized(maps, side))


def _reduced(
    settings: Mapping[str, Any],
    model: Any,
    tokenizer: PreTrainedTokenizerBase,
    examples: pd.DataFrame,
    images: Images | None,
    device: torch.device,
    stream: str,
) -> Iterator[_Reduced]:
    """Reduce the maps of every window, in their order.

    In memory are the tokens of some texts, one batch of attention and a few of features, however
    many texts there are.
    """
    from attention_mixing.capture.reduce import reduce_maps
    from attention_mixing.models.encode import encode_windows

    for start in range(0, len(examples), ENCODED):
        some = examples[start : start + ENCODED]
        encoded = encode_windows(some, tokenizer, settings["experiment.length"], model.config)
        texts = some["target" if stream in TARGETS else "text"]
        windows = []
        for example, text, several in zip(some["id"], texts, encoded, strict=True):
            for number, window in enumerate(several):
                read = window.target if stream in TARGETS else window
                if read is not None and len(read.tokens) >= FEWEST_TOKENS:
                    groups = token_groups(text, read, tokenizer)
                    windows.append(_Window(int(example), number, window, groups))
        yield from reduce_maps(
            partial(_reduce, windows, images),
            model,
            [window.encoded for window in windows],
            device=device,
            precision=settings["precision"],
            batch_size=settings["heads.batch_size"],
            threads=joblib.cpu_count(),
            stream=stream,
        )


def _reduce(
    windows: Sequence[_Window],
    images: Images | None,
    index: int,
    attention: NDArray[np.float32],
    visible: NDArray[np.bool_],
) -> _Reduced:
    window = windows[index]
    described = np.stack(
        [descriptors(*layer, **window.groups) for layer in zip(attention, visible, strict=True)]
    )
    # Of a decoder the last row, the only one that sees the whole text.
    read = 0 if visible[:, 0].all(axis=-1).any() else -1
    row, row_visible = attention[..., [read], :].astype(np.float64), visible[:, None, [read]]
    row /= row.sum(axis=-1, keepdims=True)
    spread = np.nan_to_num(relative_entropy(row, np.broadcast_to(row_visible, row.shape)))[..., 0]
    within = kept_within(attention, window.groups["sep"])
    beside = np.stack([spread, within], axis=-1)
    measures = np.concatenate([described, beside], axis=-1).reshape(-1, len(MEASURED))
    layer, head = 1 + np.indices(attention.shape[:2]).reshape(2, -1)
    maps = pd.DataFrame(measures.astype(np.float32), columns=MEASURED).assign(
        example_id=window.example,
        window=window.number,
        tokens=attention.shape[-1],
        layer=layer,
        head=head,
    )
    # By what is written, so that who reads it finds the same family.
    maps["family"] = pd.Categorical(family(maps[[*DESCRIPTORS]].to_numpy()), FAMILIES)
    if images is not None:
        features = images(attention.reshape(-1, *attention.shape[-2:]))
        maps["image"] = list(features.astype(np.float32))
    thumbnail = resized(attention, THUMBNAIL).reshape(*attention.shape[:2], -1)
    return _Reduced(window.example, maps, thumbnail)


def _of_text(windows: Sequence[_Reduced], means: NDArray[np.float64]) -> Iterator[Values]:
    """Means over the windows of one text, by head; ``means`` are those of all :data:`MEASURED`."""
    shape = windows[0].thumbnail.shape[:2]
    of_measures = zip(MEASURED, means.T, strict=True)
    yield from each_of({measure: mean.reshape(shape) for measure, mean in of_measures})
    for name in FAMILIES:
        share = np.mean([window.maps["family"] == name for window in windows], axis=0)
        yield Values("family_share", share.reshape(shape), subject=name)
    described = [window.maps[[*DESCRIPTORS]].to_numpy() for window in windows]
    for majority in CUT_OFFS:
        shares = np.mean([family(maps, majority) == FAMILIES[-1] for maps in described], axis=0)
        yield Values("without_pattern", shares.reshape(shape), subject=str(majority))


MEASURES = (
    Measure(
        "heads",
        heads,
        gives=(
            *(
                Gives(name, HEAD, RANGES.get(name, SHARE), saturates=name == "special")
                for name in MEASURED
            ),
            Gives("family_share", HEAD, SHARE, subject=FAMILIES, saturates=True),
            Gives(
                "without_pattern", HEAD, SHARE, subject=tuple(map(str, CUT_OFFS)), saturates=True
            ),
            Gives("maps", range=POSITIVE),
            Gives("heads", range=SHARE, subject=FAMILIES, facet=("family",)),
        ),
        kind="corpus",
        settings=SETTINGS,
    ),
)
