"""Questions, contexts and answers in the layouts of SQuAD 2.0: the published JSON, and the hub's.

Every layout is read into one table, one row a question, columns ``COLUMNS``:

``id``
    As given, unique.
``title``
    Of the article the context is from.
``context``, ``question``
    As they are: nothing is stripped or normalised.
``answers``
    List of texts, in the order given and with repetitions, as several people answered; empty for an
    unanswerable question.
``answer_starts``
    List of int, the character of the context at which each answer starts.
``impossible``
    bool, whether the question is unanswerable.

``dict(zip(table.id, table.answers))`` is the gold that `analysis.methods.answers.squad_scores`
takes. Plausible but wrong answers to unanswerable questions, which the published JSON lists for
some, are ignored, as the official scorer ignores them.

:func:`lay_out` makes a corpus of such a table.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis.corpora.columns import decode, draw, encodable, read_splits, repetitions
from analysis.corpora.corpus import SPLITS, Corpus, Span, tabulate
from analysis.errors import InputError
from analysis.params.sections import SquadFilesData, SquadHubData

LABELS = ("answerable", "unanswerable")
COLUMNS = ("id", "title", "context", "question", "answers", "answer_starts", "impossible")
TYPES = dict.fromkeys(("id", "title", "context", "question"), "str") | {"impossible": "bool"}

_KINDS = {str: "a string", bool: "true or false", int: "an integer", list: "a list"}


def load(data: SquadFilesData) -> Corpus:
    """Read local files in the published layout.

    Parameters
    ----------
    data
        Paths (relative to the current directory, ``~`` allowed), limits and seed.

    Returns
    -------
    Corpus
        ``origin`` holds each path as given with its size in bytes and its sha256.

    Raises
    ------
    InputError
        As :func:`read` and :func:`to_corpus`.
    """
    tables, origin = read_splits(data, read)
    return to_corpus(data, tables["train"], tables["test"], origin)


def to_corpus(
    data: SquadFilesData | SquadHubData,
    train: pd.DataFrame,
    test: pd.DataFrame,
    origin: dict[str, str],
) -> Corpus:
    """Draw the splits and lay out the corpus.

    The validation questions are those of whole articles of ``train``, so that no context stands in
    both; ``test`` is left alone. All splits are shuffled: the published files are in the order of
    their articles, and the first questions are those that get captured.

    Parameters
    ----------
    data
        Seed, limits and validation fraction are read from it. Limits draw answerable and
        unanswerable questions in their proportions; that of ``train`` comes before the validation
        questions are split off.
    train, test
        As :func:`read` gives them.
    origin
        Where they were read from; what :func:`lay_out` and
        :func:`analysis.corpora.columns.repetitions` count is added to it.

    Raises
    ------
    InputError
        If a limit is too low, or the questions drawn from ``train`` are of one article only.
    """
    # A stream of its own for each: another train file or limit leaves the test questions alone.
    rng, of_test = (
        np.random.Generator(np.random.PCG64([data.seed, SPLITS.index(split)]))
        for split in ("train", "test")
    )
    kept, held_out = _hold_out(
        train.iloc[draw(_strata(train), data.limits.train, "train", rng)],
        data.validation_fraction,
        rng,
    )
    tested = test.iloc[of_test.permutation(draw(_strata(test), data.limits.test, "test", of_test))]
    splits = {"train": kept, "validation": held_out, "test": tested}
    table = pd.concat(
        [rows.assign(split=split) for split, rows in splits.items()], ignore_index=True
    )
    corpus = lay_out(table, origin)
    return Corpus(corpus.examples, LABELS, corpus.origin | repetitions(corpus.examples))


def lay_out(table: pd.DataFrame, origin: dict[str, str]) -> Corpus:
    """Make a corpus of questions.

    Parameters
    ----------
    table
        ``COLUMNS``, ``split`` (in the order train, validation, test) and, where it is known beyond
        the answers, ``evidence``, a list of ``[start, end)`` characters of the context. Without it
        all gold answers are the evidence.
    origin
        Where the table is from; the questions of each split and the share of them that is
        unanswerable are added to it.
    """
    starts = [len(question) + 1 for question in table["question"]]
    recorded = table["evidence"] if "evidence" in table else map(_answer_spans, table.itertuples())
    examples = tabulate(
        split=table["split"].tolist(),
        text=(table["question"] + "\n" + table["context"]).tolist(),
        label=table["impossible"].astype(int).tolist(),
        evidence=[
            [[start + offset, end + offset] for start, end in spans]
            for spans, offset in zip(recorded, starts, strict=True)
        ],
        question_id=table["id"].tolist(),
        context_start=starts,
        answers=table["answers"].tolist(),
        answer_starts=[
            [start + offset for start in found]
            for found, offset in zip(table["answer_starts"], starts, strict=True)
        ],
    )
    counted: dict[str, str] = {}
    for split, rows in table.groupby("split", sort=False):
        counted[f"{split}_questions"] = str(len(rows))
        counted[f"{split}_unanswerable"] = f"{rows['impossible'].mean():.1%}".replace("%", " %")
    return Corpus(examples, LABELS, origin | counted)


def read(where: str, path: Path) -> pd.DataFrame:
    """Read a file in the published layout, data -> paragraphs -> qas.

    Parameters
    ----------
    where
        How messages name the file: the key of the parameter and what the user gave, such as
        ``data.test (dev-v2.0.json)``.
    path
        The file, JSON in UTF-8.

    Returns
    -------
    pandas.DataFrame
        One row a question, in the order of the file; columns ``COLUMNS``.

    Raises
    ------
    InputError
        If the file cannot be read or is not JSON (with line and column), a key is missing or of
        another type, an answer does not stand at its ``answer_start``, an answerable question has
        no answer or an unanswerable one has some, an id occurs twice, or there is no question. From
        the articles on, the message names article and question.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"{where} cannot be read ({error.strerror or error}); paths are relative to the "
            f"directory of the run ({Path.cwd()}), and it must be a file."
        ) from None
    try:
        content = json.loads(decode(where, raw))
    except json.JSONDecodeError as error:
        raise InputError(
            f"{where}, line {error.lineno}, column {error.colno}: not JSON ({error.msg}); correct "
            "it there, or fetch the file again if it was cut off."
        ) from None
    except RecursionError:
        raise InputError(
            f"{where} is nested too deeply to be SQuAD JSON; name a file in that layout."
        ) from None
    return _tabulate(where, _published(where, content))


def from_rows(where: str, rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Take over rows in the flat layout of the hub's ``rajpurkar/squad_v2``.

    Parameters
    ----------
    where
        How messages name the source, as in :func:`read`.
    rows
        ``id``, ``title``, ``context``, ``question`` and ``answers``, a mapping of ``text`` and
        ``answer_start`` to lists of the same length, empty for an unanswerable question: what
        iterating over a hub data set or ``to_pylist`` of an Arrow table gives.

    Returns
    -------
    pandas.DataFrame
        As :func:`read`.

    Raises
    ------
    InputError
        As :func:`read`; the message names row (the first is row 1), article and question.
    """
    return _tabulate(where, _flat(where, rows))


def _strata(table: pd.DataFrame) -> np.ndarray:
    """Answerable and unanswerable, or one number for all if there are only questions of one."""
    numbers: np.ndarray = np.unique(table["impossible"], return_inverse=True)[1]
    return numbers


def _hold_out(
    table: pd.DataFrame, fraction: float, rng: np.random.Generator
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Split off whole articles, as many as come nearest to the fraction of all questions."""
    titles = table["title"].drop_duplicates()
    if len(titles) < 2:
        raise InputError(
            f"data.train gives questions of one article only, {titles.iloc[0]!r} "
            "(data.limits.train applied); allowed: at least 2, as whole articles are held out to "
            "validate on; add articles or raise the limit."
        )
    shuffled = rng.permutation(titles.to_numpy(dtype=object))
    sizes = table["title"].value_counts()[shuffled].to_numpy()
    reached = np.cumsum(sizes)[:-1]
    count = 1 + int(np.abs(reached - fraction * len(table)).argmin())
    held_out = table["title"].isin(shuffled[:count]).to_numpy()
    return (
        table.iloc[rng.permutation(np.flatnonzero(~held_out))],
        table.iloc[rng.permutation(np.flatnonzero(held_out))],
    )


def _answer_spans(row: Any) -> list[Span]:
    """Where the answers stand, each place once, those that touch as one."""
    spans: list[Span] = []
    for start, answer in sorted(zip(row.answer_starts, row.answers, strict=True)):
        end = start + len(answer)
        if spans and start <= spans[-1][1]:
            spans[-1][1] = max(end, spans[-1][1])
        else:
            spans.append([start, end])
    return spans


_Row = tuple[str, tuple[Any, ...]]
"""Where a question stands, for messages, and its values in the order of ``COLUMNS``."""


def _published(where: str, content: Any) -> Iterator[_Row]:
    for number, article in enumerate(_list(where, content, "data"), start=1):
        in_article = f"{where}, article {number}"
        title = _value(in_article, article, "title", str)
        in_article = f"{in_article} ({title!r})"
        paragraphs = _list(in_article, article, "paragraphs")
        for index, paragraph in enumerate(paragraphs, start=1):
            in_paragraph = f"{in_article}, paragraph {index}"
            context = _value(in_paragraph, paragraph, "context", str)
            for order, qa in enumerate(_list(in_paragraph, paragraph, "qas"), start=1):
                here = f"{in_paragraph}, question {order}"
                key = _value(here, qa, "id", str)
                here = f"{here} ({key!r})"
                question = _value(here, qa, "question", str)
                impossible = _value(here, qa, "is_impossible", bool)
                texts, starts = [], []
                for place, answer in enumerate(_list(here, qa, "answers"), start=1):
                    texts.append(_value(f"{here}, answer {place}", answer, "text", str))
                    starts.append(_value(f"{here}, answer {place}", answer, "answer_start", int))
                yield here, (key, title, context, question, texts, starts, impossible)


def _flat(where: str, rows: Iterable[Mapping[str, Any]]) -> Iterator[_Row]:
    for number, row in enumerate(rows, start=1):
        here = f"{where}, row {number}"
        title = _value(here, row, "title", str)
        here = f"{here}, article {title!r}"
        key = _value(here, row, "id", str)
        here = f"{here}, question {key!r}"
        context = _value(here, row, "context", str)
        question = _value(here, row, "question", str)
        answers = _field(here, row, "answers")
        texts = _list(here, answers, "text")
        starts = _list(here, answers, "answer_start")
        if len(texts) != len(starts):
            raise InputError(
                f"{here}: there are {len(texts)} answer texts and {len(starts)} answer_start; give "
                "each text its start."
            )
        for place, (text, start) in enumerate(zip(texts, starts, strict=True), start=1):
            _check_type(f"{here}, answer {place}", text, "text", str)
            _check_type(f"{here}, answer {place}", start, "answer_start", int)
        yield here, (key, title, context, question, texts, starts, not texts)


def _tabulate(where: str, rows: Iterable[_Row]) -> pd.DataFrame:
    """Check each question and lay them out."""
    kept: list[tuple[Any, ...]] = []
    seen: dict[str, str] = {}
    for here, row in rows:
        key, _, context, _, texts, starts, impossible = row
        if key in seen:
            raise InputError(f"{here}: the id stands at {seen[key]} already; ids must be unique.")
        seen[key] = here.removeprefix(f"{where}, ")
        if not context.strip():
            raise InputError(f"{here}: the context is blank; correct or remove the question.")
        if impossible and texts:
            raise InputError(
                f"{here}: is_impossible is true, but there are answers; put them under "
                "plausible_answers or set it to false."
            )
        if not impossible and not texts:
            raise InputError(
                f"{here}: is_impossible is false, but there is no answer; give one or set it to "
                "true."
            )
        for text, start in zip(texts, starts, strict=True):
            if not text.strip():
                raise InputError(f"{here}: an answer is blank; correct or remove it.")
            # A negative start would count from the end of the context.
            if start < 0 or not context.startswith(text, start):
                found = context[start : start + len(text)] if start >= 0 else ""
                raise InputError(
                    f"{here}: the answer {_short(text)} does not stand at its answer_start "
                    f"{start}, which has {_short(found)}; count characters from 0, not bytes."
                )
        kept.append(row)
    if not kept:
        raise InputError(f"{where} holds no question; give it at least one.")
    return pd.DataFrame(kept, columns=list(COLUMNS)).astype(TYPES)


def _list(here: str, holder: Any, key: str) -> list[Any]:
    return _value(here, holder, key, list)


def _value(here: str, holder: Any, key: str, kind: type) -> Any:
    value = _field(here, holder, key)
    _check_type(here, value, key, kind)
    return value


def _field(here: str, holder: Any, key: str) -> Any:
    if not isinstance(holder, Mapping):
        raise InputError(
            f"{here}: {_short(holder)} of type {type(holder).__name__} instead of an object with "
            f"the key {key!r}; this is not the layout of SQuAD 2.0."
        )
    if key not in holder:
        present = ", ".join(repr(name) for name in holder) or "none"
        raise InputError(
            f"{here}: the key {key!r} is missing (keys there: {present}); add it as SQuAD 2.0 "
            "has it."
        )
    return holder[key]


def _check_type(here: str, value: Any, key: str, kind: type) -> None:
    # bool is a kind of int, but true is no position.
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise InputError(
            f"{here}: {key} is {_short(value)}, of type {type(value).__name__}; it must be "
            f"{_KINDS[kind]}."
        )
    if isinstance(value, str) and not encodable(value):
        raise InputError(
            f"{here}: {key} holds half of a surrogate pair, which UTF-8 cannot encode; correct it."
        )


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
