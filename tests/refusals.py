"""What users are told: one sentence, whoever says it."""

import re

from analysis.errors import InputError


def one_sentence(error: InputError) -> str:
    """Return what an error says, checked to be one line and one sentence without a full stop."""
    text = str(error)
    assert "\n" not in text
    assert text.endswith(".")
    # No full stop, question or exclamation mark inside that a new sentence follows.
    assert not re.search(r"[.?!]\s+[A-Z]", text), text
    assert "pydantic" not in text
    return text
