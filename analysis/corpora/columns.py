"""From a text column and a label column to a corpus: what local files and hub data share.

Texts are taken as they are: nothing is stripped, unescaped or normalised. Bad values stop the run
with one sentence that names the row; the first row is row 1, headers not counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd

from analysis.corpora.corpus import SPLITS, Corpus, tabulate
from analysis.errors import InputError
from analysis.hashing import file_sha256
from analysis.params.sections import FilesData, HubData, LocalSplits

_Read = TypeVar("_Read")


@dataclass(frozen=True)
class Columns:
    """The two named columns of one file or one hub split, as read.

    Attributes
    ----------
    where
        How messages name it: the key and what the user gave.
    texts, labels
        One value per row; labels is None where no label column is named.
    label_names
        The names that a hub data set declares for the labels 0..K-1; else empty.
    """

    where: str
    texts: list[object]
    labels: list[object] | None
    label_names: tuple[str, ...] = ()


def clause(error: Exception) -> str:
    """Fit what a library says into a sentence of ours: one line, no full stops."""
    return " ".join(str(error).split()).rstrip(".").replace(". ", "; ")


def require_columns(where: str, present: Sequence[str], data: FilesData | HubData) -> list[str]:
    """Return the columns to read, or say which are there instead.

    Raises
    ------
    InputError
        If the text or the label column is missing or stands there twice.
    """
    wanted = {"data.text": data.text, "data.label": data.label}
    for key, name in wanted.items():
        if name is not None and present.count(name) != 1:
            fault = f"{present.count(name)} columns of that name" if name in present else "no such"
            raise InputError(
                f"{key} is {name!r}, but {where} has {fault} (columns there: "
                f"{', '.join(map(repr, present)) or 'none'}); name one that occurs once."
            )
    return list(dict.fromkeys(name for name in wanted.values() if name is not None))


def check_texts(where: str, texts: Sequence[object]) -> list[str]:
    """Return the texts unchanged if every one can be analysed.

    Raises
    ------
    InputError
        On the first text that is null, not a string, blank, or not encodable as UTF-8.
    """
    if not texts:
        raise InputError(f"{where} holds no rows; give it at least one text.")
    checked = []
    for row, text in enumerate(texts, start=1):
        if text is None or (isinstance(text, float) and np.isnan(text)):
            fault = "the text is null"
        elif not isinstance(text, str):
            fault = f"the text is {str(text)[:40]!r}, of type {type(text).__name__}, not a string"
        elif not text.strip():
            fault = "the text is blank" if text else "the text is empty"
        elif not encodable(text):
            fault = "the text holds half of a surrogate pair, which UTF-8 cannot encode"
        else:
            checked.append(text)
            continue
        raise InputError(f"{where}, row {row}: {fault}; correct or remove the row.")
    return checked


def to_corpus(
    data: FilesData | HubData,
    task: str,
    train: Columns | None,
    test: Columns,
    origin: dict[str, str],
) -> Corpus:
    """Check the columns, draw the splits and lay out the corpus.

    The validation texts come from ``train``, never from ``test``. Train and validation are
    shuffled. Labelled test texts are shuffled too, as many data sets are sorted by label and the
    first texts are those that get captured; unlabelled ones keep their order.

    Parameters
    ----------
    data
        The data section: seed, limits and validation fraction are read from it. ``limits.train``
        bounds what is drawn from ``train`` before the validation texts are split off.
    task
        ``classification`` or ``none``.
    train, test
        What was read; train is None where the section names none.
    origin
        Where it was read from; the counts of repeated texts are added to it.

    Raises
    ------
    InputError
        On the first text or label that cannot be used, or if a class is too small to be split.
    """
    read = {"train": train, "test": test} if train is not None else {"test": test}
    texts = {split: check_texts(columns.where, columns.texts) for split, columns in read.items()}
    labelled = data.label is not None
    codes, names = _encode(list(read.values()), task) if labelled else ([], ())
    strata = {
        split: codes[i] if labelled else np.zeros(len(texts[split]), dtype=np.int64)
        for i, split in enumerate(read)
    }

    rows: list[tuple[str, str, int]] = []  # split of the corpus, what it was read from, row there

    def generator(split: str) -> np.random.Generator:
        # A stream of its own for each: another train file or limit leaves the test texts alone.
        return np.random.Generator(np.random.PCG64([data.seed, SPLITS.index(split)]))

    if train is not None:
        rng = generator("train")
        drawn = draw(strata["train"], data.limits.train, "train", rng)
        kept, held_out = _hold_out(strata["train"], drawn, data.validation_fraction, rng, names)
        rows += [("train", "train", row) for row in kept]
        rows += [("validation", "train", row) for row in held_out]
    rng = generator("test")
    drawn = draw(strata["test"], data.limits.test, "test", rng)
    rows += [("test", "test", row) for row in (rng.permutation(drawn) if labelled else drawn)]

    examples = tabulate(
        split=[split for split, _, _ in rows],
        text=[texts[source][row] for _, source, row in rows],
        label=[int(strata[source][row]) for _, source, row in rows] if labelled else None,
    )
    tenth = strata["test"][: len(strata["test"]) // 10]
    first_tenth = tuple(np.bincount(tenth, minlength=len(names)).tolist()) if labelled else None
    return Corpus(examples, names, origin | repetitions(examples), first_tenth)


def draw(strata: np.ndarray, limit: int | None, split: str, rng: np.random.Generator) -> np.ndarray:
    """Draw at most ``limit`` rows in the proportions of the strata.

    Parameters
    ----------
    strata
        ``[row]``, number of the stratum from 0 on; a class, or answerable and unanswerable.
    limit
        None draws all.
    split
        How messages name the limit.
    rng
        Source of random numbers.

    Returns
    -------
    array of int [drawn]
        Row numbers in increasing order.

    Raises
    ------
    InputError
        If the limit is below the number of strata.
    """
    if limit is None or limit >= len(strata):
        return np.arange(len(strata))
    sizes = np.bincount(strata)
    if limit < len(sizes):
        raise InputError(
            f"data.limits.{split} is {limit}, but there are {len(sizes)} classes; allowed: at "
            "least one text a class, or null for all texts; raise it."
        )
    # Largest remainders, but no class is left out.
    shares = sizes * limit / sizes.sum()
    quotas = np.maximum(np.floor(shares).astype(np.int64), 1)
    while (gap := limit - quotas.sum()) != 0:
        remainders = shares - quotas
        if gap > 0:
            quotas[np.argmax(remainders)] += 1
        else:
            quotas[np.argmin(np.where(quotas > 1, remainders, np.inf))] -= 1
    return np.sort(
        np.concatenate(
            [
                rng.permutation(np.flatnonzero(strata == stratum))[:quota]
                for stratum, quota in enumerate(quotas)
            ]
        )
    )


def read_splits(
    data: LocalSplits, read: Callable[[str, Path], _Read]
) -> tuple[dict[str, _Read], dict[str, str]]:
    """Read the local files of a corpus.

    Parameters
    ----------
    data
        Their paths, relative to the current directory, ``~`` allowed.
    read
        Given how messages name a file (its key and what the user gave) and its path.

    Returns
    -------
    tuple
        Split -> what was read, splits without a file left out; and what the origin says: each path
        as given with its size in bytes and its sha256.
    """
    contents: dict[str, _Read] = {}
    origin: dict[str, str] = {"source": data.source}
    for split, given in {"train": data.train, "test": data.test}.items():
        if given is not None:
            path = Path(given).expanduser()
            contents[split] = read(f"data.{split} ({given})", path)
            origin[split] = given
            origin[f"{split}_bytes"] = str(path.stat().st_size)
            origin[f"{split}_sha256"] = file_sha256(path)
    return contents, origin


def decode(where: str, raw: bytes) -> str:
    """Read a whole file as UTF-8, without the byte order mark that some programs put first."""
    try:
        return raw.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise InputError(
            f"{where}, line {line}: not UTF-8 (byte {error.start} of the file); save it as UTF-8."
        ) from None


def encodable(text: str) -> bool:
    """Whether UTF-8 has the text, which may hold half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def repetitions(examples: pd.DataFrame) -> dict[str, str]:
    """Count rows that repeat an earlier text of their source, and texts that both sources hold.

    Train and validation are one source: what repeats between them repeats inside ``train``.
    """
    from_test = examples["split"] == "test"
    test = set(examples.loc[from_test, "text"])
    rest = set(examples.loc[~from_test, "text"])
    return {
        "duplicates": str(len(examples) - len(test) - len(rest)),
        "shared_between_splits": str(len(test & rest)),
    }


def _encode(read: list[Columns], task: str) -> tuple[list[np.ndarray], tuple[str, ...]]:
    """Map labels to 0..K-1; the first of ``read`` decides what the classes are.

    Returns
    -------
    codes : list of int64 arrays [row], one per entry of ``read``
    names : tuple of K str
    """
    kind: type | None = None
    for columns in read:
        for row, label in enumerate(columns.labels or [], start=1):
            _check_label(f"{columns.where}, row {row}", label, kind)
            kind = type(label)

    reference = read[0]
    classes = sorted(set(reference.labels or []))  # type: ignore[type-var]
    if kind is int and classes != list(range(len(classes))):
        found = ", ".join(map(str, classes[:10])) + (", ..." if len(classes) > 10 else "")
        raise InputError(
            f"{reference.where} holds the labels {found}; allowed: 0..K-1 without gaps, or strings;"
            " renumber them."
        )
    code = {label: i for i, label in enumerate(classes)}
    for columns in read:
        present = set(columns.labels or [])
        for row, label in enumerate(columns.labels or [], start=1):
            if label not in code:
                raise InputError(
                    f"{columns.where}, row {row}: the label {label!r} does not occur in "
                    f"{reference.where}; add texts of that class there or remove it here."
                )
        if task == "classification" and len(present) == 1:
            raise InputError(
                f"{columns.where} holds one class only, {next(iter(present))!r}; classification "
                "needs texts of at least two classes there, or task: none."
            )
    names = tuple(str(label).lower() if kind is bool else str(label) for label in classes)
    declared = reference.label_names[: len(names)]
    return [
        np.array([code[label] for label in columns.labels or []], dtype=np.int64)
        for columns in read
    ], declared or names


def _check_label(where: str, label: object, kind: type | None) -> None:
    """Refuse a label that is null, negative, of a wrong type or not of the ``kind`` so far."""
    allowed = "integers 0..K-1, booleans or strings"
    if label is None or (isinstance(label, float) and np.isnan(label)):
        fault = f"the label is null; allowed: {allowed}; label the row or remove it"
    elif not isinstance(label, bool | int | str):
        fault = f"the label is {label!r}, of type {type(label).__name__}; allowed: {allowed}"
        fault += "; convert the column"
    elif isinstance(label, str) and not label.strip():
        fault = f"the label is blank; allowed: {allowed}; label the row or remove it"
    elif isinstance(label, str) and not encodable(label):
        fault = "the label holds half of a surrogate pair, which UTF-8 cannot encode; correct it"
    elif isinstance(label, int) and label < 0:
        fault = f"the label is {label}; allowed: {allowed} (hub data marks unlabelled texts with "
        fault += "-1); use a labelled split or remove the row"
    elif kind is not None and type(label) is not kind:
        fault = f"the label {label!r} is of type {type(label).__name__}, but those before it are "
        fault += f"of type {kind.__name__}; give all labels one type"
    else:
        return
    raise InputError(f"{where}: {fault}.")


def _hold_out(
    strata: np.ndarray,
    drawn: np.ndarray,
    fraction: float,
    rng: np.random.Generator,
    names: tuple[str, ...],
) -> tuple[np.ndarray, np.ndarray]:
    """Split the ``drawn`` rows into train and validation, each stratum in the same proportion."""
    kept, held_out = [], []
    for stratum in np.unique(strata):
        members = rng.permutation(drawn[strata[drawn] == stratum])
        if len(members) < 2:
            of_class = f" of the class {names[stratum]!r}" if names else ""
            raise InputError(
                f"data.train gives {len(members)} text{of_class} (data.limits.train applied); "
                "allowed: at least 2, one to train on and one to validate on; add texts or raise "
                "the limit."
            )
        size = min(max(round(fraction * len(members)), 1), len(members) - 1)
        held_out.append(members[:size])
        kept.append(members[size:])
    return rng.permutation(np.concatenate(kept)), rng.permutation(np.concatenate(held_out))
