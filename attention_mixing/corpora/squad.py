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

``dict(zip(table.id, table.answers))`` is the gold that
`attention_mixing.methods.question_answering.squad_scores` takes. Plausible but wrong answers to
unanswerable questions, which the published JSON lists for some, are ignored, as the official scorer
ignores them.

:func:`lay_out` makes a corpus of such a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from attention_mixing.corpora.corpus import Corpus, Span, tabulate
from attention_mixing.corpora.local_files import from_json, read_splits, read_text
from attention_mixing.corpora.splits import draw_splits, repetitions
from attention_mixing.errors import InputError, quoted
from attention_mixing.settings.sources import SquadFilesData, SquadHubData

LABELS = ("answerable", "unanswerable")
COLUMNS = ("id", "title", "context", "question", "answers", "answer_starts", "impossible")
TYPES = dict.fromkeys(("id", "title", "context", "question"), "str") | {"impossible": "bool"}


class SquadPart(BaseModel):
    """Base of what the published layout consists of; keys that are not listed are ignored."""

    # With a length to check, pydantic refuses half of a surrogate pair, which JSON can escape.
    model_config = ConfigDict(strict=True, str_min_length=0)


class Answer(SquadPart):
    """A text, and the character of the context at which it starts."""

    text: str
    answer_start: int


class SquadQuestion(SquadPart):
    """A question about a context."""

    id: str
    question: str
    answers: list[Answer]
    is_impossible: bool


class Paragraph(SquadPart):
    """A context with its questions."""

    context: str
    qas: list[dict[str, Any]]  # each checked by itself, so that all faults can be counted


class Article(SquadPart):
    """An article with its paragraphs."""

    title: str
    paragraphs: list[Paragraph]


class Published(SquadPart):
    """A file."""

    data: list[Article]


# What messages call an entry of these lists.
NOUNS = {"data": "article", "paragraphs": "paragraph", "qas": "question", "answers": "answer"}


def load(data: SquadFilesData) -> Corpus:
    """Read local files in the published layout, paths being relative to the current directory.

    ``origin`` holds each path as given with its size in bytes and its sha256. What is refused is as
    in :func:`read` and :func:`to_corpus`.
    """
    return to_corpus(data, *read_splits(data, read))


def to_corpus(
    data: SquadFilesData | SquadHubData, tables: dict[str, pd.DataFrame], origin: dict[str, str]
) -> Corpus:
    """Draw the splits and lay out the corpus.

    The validation questions, and those of the test where no part is given for it, are those of
    whole articles of ``train``, so that no context stands in two splits; a given ``test`` is left
    alone. All splits are shuffled: the published files are in the order of their articles, and the
    first questions are those that get captured.

    Parameters
    ----------
    data
        See :func:`attention_mixing.corpora.splits.draw_splits`. Limits draw answerable and
        unanswerable questions in their proportions.
    tables
        ``train`` and, where the section names one, ``test``, as :func:`read` gives them.
    origin
        Where they were read from; what :func:`lay_out` and
        :func:`attention_mixing.corpora.splits.repetitions` count is added to it.

    Raises
    ------
    InputError
        If a limit is too low, or the questions drawn from ``train`` are of one article only.
    """
    corpus = lay_out(draw_splits(data, tables, "impossible", _hold_out), origin)
    return Corpus(corpus.examples, LABELS, corpus.origin | repetitions(corpus.examples))


def lay_out(table: pd.DataFrame, origin: dict[str, str]) -> Corpus:
    """Make a corpus of questions.

    ``table`` has ``COLUMNS``, ``split`` (in the order train, validation, test) and, where it is
    known beyond the answers, ``evidence``, a list of ``[start, end)`` characters of the context;
    without it all gold answers are the evidence. The questions of each split and the share of them
    that is unanswerable are added to ``origin``.
    """
    if "evidence" not in table:
        table = table.assign(evidence=list(map(_answer_spans, table.itertuples())))
    offsets = table["question"].str.len() + 1
    rows = table.rename(columns={"id": "question_id", "impossible": "label"}).assign(
        text=table["question"] + "\n" + table["context"],
        context_start=offsets,
        evidence=[
            [[start + offset, end + offset] for start, end in spans]
            for spans, offset in zip(table["evidence"], offsets, strict=True)
        ],
        answer_starts=[
            [start + offset for start in starts]
            for starts, offset in zip(table["answer_starts"], offsets, strict=True)
        ],
    )
    counted: dict[str, str] = {}
    for split, impossible in table.groupby("split", sort=False)["impossible"]:
        counted[f"{split}_questions"] = str(len(impossible))
        counted[f"{split}_unanswerable"] = f"{impossible.mean():.1%}".replace("%", " %")
    return Corpus(tabulate(rows), LABELS, origin | counted)


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
        If the file is not JSON in UTF-8, a key is missing, twice there or of another type, an
        answer does not stand at its ``answer_start``, an answerable question has no answer or an
        unanswerable one has some, an id occurs twice, there is no question, or no question says
        whether it is answerable, as in SQuAD 1.1. From the articles on, the message names article
        and question; of several faults it tells the first, and the number of the others.
    """
    try:
        content = from_json(read_text(where, path))
    except ValueError as error:
        raise InputError(
            f"{where} is not JSON that can be read ({error}); correct it there, or fetch the file "
            "again if it was cut off."
        ) from None
    return _tabulate(where, content, NOUNS)


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
    articles = []
    for number, row in enumerate(rows, start=1):
        try:
            texts, starts = row["answers"]["text"], row["answers"]["answer_start"]
            answers = [
                {"text": text, "answer_start": start} for text, start in zip_longest(texts, starts)
            ]
            question = {"id": row["id"], "question": row["question"], "answers": answers}
            question["is_impossible"] = not answers
            paragraph = {"context": row["context"], "qas": [question]}
            articles.append({"title": row["title"], "paragraphs": [paragraph]})
        except (KeyError, TypeError):
            raise InputError(
                f"{where}, row {number}: {quoted(row)} is not in the layout of rajpurkar/squad_v2; "
                "needed: id, title, context, question, and answers with text and answer_start."
            ) from None
    return _tabulate(where, {"data": articles}, NOUNS | {"data": "row"})


def _hold_out(
    table: pd.DataFrame, fraction: float, rng: np.random.Generator
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Split off whole articles, as many as come nearest to the fraction of all questions."""
    titles = table["title"].drop_duplicates()
    if len(titles) < 2:
        raise InputError(
            f"data.train gives questions of one article only, {quoted(titles.iloc[0])} "
            "(what is set aside for the test and data.limits.train applied); allowed: at least 2, "
            "as whole articles are held out to validate on; add articles or raise the limit."
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


def _tabulate(where: str, content: Any, nouns: dict[str, str]) -> pd.DataFrame:
    """Check the layout, then each question, and lay them out."""
    try:
        published = Published.model_validate(content)
    except ValidationError as error:
        first, *more = error.errors()
        address = _place(where, content, first["loc"], nouns)
        others = _more(len(more), "fault of the layout follows", "faults of the layout follow")
        raise InputError(f"{address}: {_mistake(first)}{others}.") from None
    questions = [
        (("data", i, "paragraphs", j, "qas", k), article.title, paragraph.context, entry)
        for i, article in enumerate(published.data)
        for j, paragraph in enumerate(article.paragraphs)
        for k, entry in enumerate(paragraph.qas)
    ]
    if not questions:
        raise InputError(f"{where} holds no question; give it at least one.")
    if all("answers" in entry and "is_impossible" not in entry for *_, entry in questions):
        raise InputError(
            f"{where} is in the layout of SQuAD 1.1, as none of its questions "
            f"({len(questions):,}) has the key 'is_impossible'; allowed: the layout of SQuAD 2.0, "
            'where questions may have no answer; name a file of SQuAD 2.0, or add "is_impossible": '
            "false to every question if you mean to train on answerable ones only."
        )
    rows: list[tuple[Any, ...]] = []
    faults: list[str] = []
    seen: dict[str, str] = {}
    for location, title, context, entry in questions:
        address = _place(where, content, location, nouns)
        try:
            question = SquadQuestion.model_validate(entry)
        except ValidationError as error:
            first = error.errors()[0]
            address = _place(where, content, (*location, *first["loc"]), nouns)
            faults.append(f"{address}: {_mistake(first)}")
            continue
        if question.id in seen:
            faults.append(
                f"{address}: the id stands at {seen[question.id]} already; ids must be unique"
            )
        elif fault := _fault(context, question):
            faults.append(f"{address}: {fault}")
        seen.setdefault(question.id, address.removeprefix(f"{where}, "))
        texts = [answer.text for answer in question.answers]
        starts = [answer.answer_start for answer in question.answers]
        rows.append(
            (question.id, title, context, question.question, texts, starts, question.is_impossible)
        )
    if faults:
        others = _more(len(faults) - 1, "question there has faults", "questions there have faults")
        raise InputError(f"{faults[0]}{others}.")
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(TYPES)


def _place(where: str, node: Any, location: tuple[int | str, ...], nouns: dict[str, str]) -> str:
    """Name every entry of a list on the way to a location, with its title or id."""
    for key, index in zip(location[::2], location[1::2], strict=False):
        node = node[key][index]
        where += f", {nouns[str(key)]} {int(index) + 1}"
        name = node.get("title", node.get("id")) if isinstance(node, dict) else None
        where += f" ({quoted(name)})" if isinstance(name, str) else ""
    return where


def _mistake(error: ErrorDetails) -> str:
    """Say what does not fit the layout."""
    key, value = error["loc"][-1] if error["loc"] else "", error["input"]
    if error["type"] == "missing":
        present = ", ".join(map(repr, value)) or "none"
        return (
            f"the key {quoted(key)} is missing (keys there: {present}); add it as SQuAD 2.0 has it"
        )
    described = f"{quoted(value)}, of type {type(value).__name__}"
    if error["type"] in ("model_type", "dict_type"):
        return f"{described}, instead of an object; this is not the layout of SQuAD 2.0"
    return f"{key} is {described}; it must be {error['msg'].removeprefix('Input should be ')}"


def _fault(context: str, question: SquadQuestion) -> str | None:
    """Say what is wrong with a question, if anything is."""
    if not context.strip():
        return "the context is blank; correct or remove the question"
    if question.is_impossible == bool(question.answers):
        return (
            f"is_impossible is {str(question.is_impossible).lower()}, but there are "
            f"{len(question.answers)} answers; set it to {str(not question.is_impossible).lower()} "
            "or correct the answers (those that are only plausible go under plausible_answers)"
        )
    for answer in question.answers:
        text, start = answer.text, answer.answer_start
        if not text.strip():
            return "an answer is blank; correct or remove it"
        # A negative start would count from the end of the context.
        if start < 0 or not context.startswith(text, start):
            actual = context[start : start + len(text)] if start >= 0 else ""
            return (
                f"the answer {quoted(text)} does not stand at its answer_start {start}, which has "
                f"{quoted(actual)}; count characters from 0, not bytes"
            )
    return None


def _more(count: int, single: str, several: str) -> str:
    """Say how many more faults there are than the one that was told."""
    return f"; {count:,} more {single if count == 1 else several}" if count else ""
