"""What users are told: one sentence, whoever says it."""

import re
from collections.abc import Callable

import pytest

from attention_mixing import corpora
from attention_mixing.errors import InputError
from attention_mixing.settings.sources import Data


def one_sentence(error: InputError) -> str:
    """Return what an error says, checked to be one line and one sentence without a full stop."""
    text = str(error)
    assert "\n" not in text
    assert text.endswith(".")
    # No full stop, question or exclamation mark inside that a new sentence follows.
    assert not re.search(r"[.?!]\s+[A-Z]", text), text
    assert "pydantic" not in text
    return text


def sentences(error: InputError) -> list[str]:
    """Return the lines of an error that tells several faults, each checked to be one sentence."""
    return [one_sentence(InputError(line)) for line in str(error).split("\n")]


def refusal(work: Callable, *given: object, **options: object) -> str:
    """Return what is said of what a function cannot use."""
    with pytest.raises(InputError) as caught:
        work(*given, **options)
    return one_sentence(caught.value)


def refused(data: Data, task: str = "classification") -> str:
    """Return what is said of data that cannot be loaded."""
    return refusal(corpora.load, data, task)
