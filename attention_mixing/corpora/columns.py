"""From a text column and a label column to a corpus: what local files and hub data share.

Texts are taken as they are: nothing is stripped, unescaped or normalised. Bad values stop the run
with one sentence that names the row; the first row is row 1, headers not counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from types import UnionType
from typing import Any

import numpy as np
import pandas as pd

from attention_mixing.corpora.corpus import Corpus, Span, tabulate
from attention_mixing.corpora.local_files import from_json
from attention_mixing.corpora.splits import draw_splits, hold_out_by_class, repetitions
from attention_mixing.errors import InputError, quoted, shortened
from attention_mixing.settings.sources import FilesData, HubData

HALF = re.compile("[\ud800-\udfff]")  # of a surrogate pair
# As programs write them: what has a sign or a zero in front besides is a string.
INTEGER = re.compile("0|-?[1-9][0-9]*")
DECIMAL = re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?|[-+]?[0-9]+e[-+]?[0-9]+")
BOOLEANS = ({"true", "false"}, {"True", "False"}, {"TRUE", "FALSE"})
CLASSES = 500  # with more, counting words alone takes minutes and gigabytes


@dataclass(frozen=True)
class Columns:
    """The named columns of one file or one hub split, as read.

    Attributes
    ----------
    where
        How messages name it: the key and what the user gave.
    cells
        Name of the column -> one value per row; of a file without rows maybe no column.
    label_names
        The names that a hub data set declares for the labels 0..K-1; else empty.
    typed
        Whether cells have types; those of CSV and TSV are what is written, all of them strings.
    """

    where: str
    cells: dict[str, list[Any]]
    label_names: tuple[str, ...] = ()
    typed: bool = True


def require_columns(where: str, present: Sequence[str], data: FilesData | HubData) -> list[str]:
    """Return the columns to read, or say which are there instead.

    A column of texts, targets, labels or evidence that is missing or stands there twice is refused.
    """
    requested = {
        "data.text": data.text,
        "data.target": data.target,
        "data.label": data.label,
        "data.evidence": _evidence_of(data),
    }
    for key, name in requested.items():
        if name is not None and present.count(name) != 1:
            fault = f"{present.count(name)} columns of that name" if name in present else "no such"
            raise InputError(
                f"{key} is {quoted(name)}, but {where} has {fault} (columns there: "
                f"{shortened(', '.join(map(quoted, present))) or 'none'}); name one that occurs "
                "once."
            )
    return list(dict.fromkeys(name for name in requested.values() if name is not None))


def to_corpus(
    data: FilesData | HubData, task: str, read: dict[str, Columns], origin: dict[str, str]
) -> Corpus:
    """Check the columns, draw the splits and lay out the corpus.

    Labelled test texts are shuffled, as many data sets are sorted by label and the first texts are
    those that get captured; unlabelled ones keep their order.

    Of ``data`` see :func:`draw_splits`. ``read`` has ``train`` and ``test`` in this order, or the
    one that the section names; counts of repeated texts are added to ``origin``. The first text or
    label that cannot be used is refused, and a class that is too small to be split.
    """
    tables = {
        split: pd.DataFrame(
            {"text": check_texts(content.where, content.cells.get(data.text, [])), "label": 0}
        )
        for split, content in read.items()
    }
    columns = ["split", "text"]
    if data.target is not None:
        columns.append("target")
        for split, content in read.items():
            tables[split]["target"] = check_texts(content.where, content.cells.get(data.target, []))
    if (evidence := _evidence_of(data)) is not None:
        columns.append("evidence")
        for split, content in read.items():
            cells = _check_evidence(content.where, tables[split]["text"], content.cells[evidence])
            tables[split]["evidence"] = pd.Series(cells, dtype=object)
    names: tuple[str, ...] = ()
    if data.label is not None:
        codes, names = _encode(_labels(read.values(), data.label, task), task)
        for table, labels in zip(tables.values(), codes, strict=True):
            table["label"] = labels
        names = next(iter(read.values())).label_names[: len(names)] or names
    hold_out, labelled = partial(hold_out_by_class, names=names), data.label is not None
    rows = draw_splits(data, tables, "label", hold_out, shuffle_test=labelled)
    if task == "language_modelling":  # all that is known of what follows is the next word
        rows = rows.assign(continuation=[names[label] for label in rows["label"]])
    examples = tabulate(rows if labelled else rows[columns])
    *_, test = tables.values()
    tenth = test["label"].iloc[: len(test) // 10]
    first_tenth = tuple(np.bincount(tenth, minlength=len(names)).tolist()) if labelled else None
    return Corpus(examples, names, origin | repetitions(examples), first_tenth)


def check_texts(where: str, texts: Sequence[object]) -> list[str]:
    """Return the texts unchanged if every one can be analysed.

    The first text that is null, not a string, blank, or not encodable as UTF-8 is refused, and so
    is a column without texts.
    """
    if not texts:
        raise InputError(f"{where} holds no rows; give it at least one text.")
    for row, text in enumerate(texts, start=1):
        if fault := _fault("text", text, str):
            raise InputError(
                f"{where}, row {row}: {fault}; allowed: strings that are not blank; correct or "
                "remove the row."
            )
    return list(map(str, texts))


def _check_evidence(
    where: str, texts: Sequence[str], cells: Sequence[object]
) -> list[list[Span] | None]:
    """Return the spans of every text, in characters; None where nothing is marked.

    A cell holds spans, or a text in JSON that holds them. The first that is no list of spans within
    its text is refused.
    """
    spans: list[list[Span] | None] = []
    for row, (text, cell) in enumerate(zip(texts, cells, strict=True), start=1):
        marked = cell
        if isinstance(cell, str):  # CSV and TSV have no lists
            try:
                marked = from_json(cell) if cell.strip() else None
            except ValueError:
                marked = cell
        if marked is not None and not (
            isinstance(marked, list) and all(_is_span(span, len(text)) for span in marked)
        ):
            raise InputError(
                f"{where}, row {row}: the evidence is {quoted(cell)}; allowed: null or a list "
                f"of [start, end) in characters of the text, 0 to {len(text)}; correct the row."
            )
        spans.append(marked)
    return spans


def _is_span(value: object, characters: int) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(type(end) is int for end in value)
        and 0 <= value[0] < value[1] <= characters
    )


def _fault(what: str, value: object, allowed: type | UnionType) -> str | None:
    """Say what is wrong with a text or label by itself, if anything is."""
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return f"the {what} is null"
    if not isinstance(value, allowed):
        return f"the {what} is {quoted(value)}, of type {type(value).__name__}"
    if isinstance(value, str) and not value.strip():
        return f"the {what} is blank"
    if isinstance(value, str) and HALF.search(value):
        return f"the {what} holds half of a surrogate pair, which UTF-8 cannot encode"
    return None


def _labels(read: Collection[Columns], name: str, task: str) -> dict[str, list[Any]]:
    """Return labels by where they were read.

    Labels without types are numbers or booleans if all of them are written as such, in one way,
    so that two that are written differently are two classes. Strings they are where labels with
    types are, and where they are words that come next.
    """
    typed = [label for content in read if content.typed for label in content.cells[name]]
    written = [label for content in read if not content.typed for label in content.cells[name]]
    words = task == "language_modelling" or any(isinstance(label, str) for label in typed)
    convert = str if words else _kind(set(filter(None, written)))
    return {
        content.where: content.cells[name]
        if content.typed
        else [convert(label) if label else None for label in content.cells[name]]
        for content in read
    }


def _kind(written: set[str]) -> Callable[[str], object]:
    """Tell as what labels without types are read."""
    if any(written <= both for both in BOOLEANS):
        return lambda label: label.lower() == "true"
    # Of 4,300 digits and more Python makes no int.
    if all(INTEGER.fullmatch(label) and len(label) < 19 for label in written):
        return int
    if all(INTEGER.fullmatch(label) or DECIMAL.fullmatch(label) for label in written):
        return float
    return str


def _encode(by_source: dict[str, list[Any]], task: str) -> tuple[list[np.ndarray], tuple[str, ...]]:
    """Map labels to 0..K-1; the first of those given decide what the classes are.

    ``by_source`` has them by how messages name what they were read from. Given are codes, int64
    ``[row]``, for each of these, and the K names. ``classification`` and ``language_modelling``
    need two labels everywhere.
    """
    kind: type | None = None
    for where, labels in by_source.items():
        for row, label in enumerate(labels, start=1):
            _check_label(f"{where}, row {row}", label, kind)
            kind = type(label)

    reference = next(iter(by_source))
    classes = sorted(set(by_source[reference]))
    if len(classes) > CLASSES:
        raise InputError(
            f"{reference} holds {len(classes)} classes, the first {quoted(str(classes[0]))}; "
            f"allowed: at most {CLASSES}; name the column of the labels under data.label."
        )
    if kind is int and classes != list(range(len(classes))):
        listed = ", ".join(map(str, classes[:10])) + (", ..." if len(classes) > 10 else "")
        raise InputError(
            f"{reference} holds the labels {listed}; allowed: 0..K-1 without gaps, or strings; "
            "renumber them."
        )
    code = {label: i for i, label in enumerate(classes)}
    for where, labels in by_source.items():
        for row, label in enumerate(labels, start=1):
            if label not in code:
                raise InputError(
                    f"{where}, row {row}: the label {quoted(label)} does not occur in {reference}; "
                    "add texts of that class there or remove it here."
                )
        if task != "none" and len(set(labels)) == 1:
            raise InputError(
                f"{where} holds one class only, {quoted(labels[0])}; {task} needs texts of at "
                "least two classes there, or task: none."
            )
    codes = [np.array([code[label] for label in labels], np.int64) for labels in by_source.values()]
    return codes, tuple(str(label).lower() if kind is bool else str(label) for label in classes)


def _check_label(where: str, label: object, kind: type | None) -> None:
    """Refuse a label that is null, negative, of a wrong type or not of the ``kind`` so far."""
    fault = _fault("label", label, bool | int | str)
    if not fault and isinstance(label, int) and label < 0:
        fault = f"the label is {label}, and a number below 0 marks texts without a label"
    if not fault and kind is not None and type(label) is not kind:
        before = f"not {kind.__name__} as those before it"
        fault = f"the label {quoted(label)} is of type {type(label).__name__}, {before}"
    if fault:
        raise InputError(
            f"{where}: {fault}; allowed: integers 0..K-1, booleans or strings, all labels of one "
            "type; correct the label, remove the row or name labelled texts."
        )


def _evidence_of(data: FilesData | HubData) -> str | None:
    """Name of the column with the evidence for the labels, which local files may have."""
    return data.evidence if isinstance(data, FilesData) else None
