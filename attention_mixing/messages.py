"""Messages in the language of who reads, from files in the format of Project Fluent.

In that format (https://projectfluent.org) a sentence can choose by number and outcome: who writes a
language needs to read no Python, and Python holds no sentence.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from fluent.runtime import FluentBundle, FluentResource
from fluent.syntax import ast

_parsed = cache(FluentResource)  # files are read for several pages


class Words(dict[str, str]):
    """Messages of one language by their names.

    Arguments of a message stand in braces, for ``str.format`` by name; what chooses by them is to
    be asked for by :meth:`say`.

    Parameters
    ----------
    language
        Its code, such as ``en``.
    """

    def __init__(self, language: str) -> None:
        self.language = language
        self._resources: list[ast.Resource] = []

    def read(self, path: Path) -> None:
        """Add the messages of a Fluent file; later ones replace those of the same name."""
        text = path.read_text(encoding="utf-8")
        self._resources.append(_parsed(text))
        # A new one, for a bundle goes on saying the messages that it has once said.
        self._bundle = FluentBundle([self.language], use_isolating=False)
        for resource in self._resources:
            self._bundle.add_resource(resource, allow_overrides=True)
        arguments = {name: f"{{{name}}}" for name in re.findall(r"\$(\w+)", text)}
        for name in re.findall(r"^([a-zA-Z][\w-]*) =", text, re.M):
            # Names of messages have neither plus nor stroke; some names of results have.
            key = name.replace("-plus-", "+").replace("-in-", "/")
            self[key] = self.say(name, **arguments)

    def say(self, name: str, /, **arguments: Any) -> str:
        """Write a message, or an attribute (``NAME.ATTRIBUTE``), that depends on its arguments.

        Raises ``KeyError`` if there is none of that name, and ``ValueError`` if it asks for an
        argument that is not given.
        """
        of, _, attribute = name.partition(".")
        message = self._bundle.get_message(of)
        pattern = message.attributes[attribute] if attribute else message.value
        assert pattern is not None  # every message has a text
        text, errors = self._bundle.format_pattern(pattern, arguments)
        if errors:
            raise ValueError(f"message {name} ({self.language}): {errors[0]}")
        return str(text)

    def attributes(self, name: str) -> frozenset[str]:
        """Names of the attributes of a message: what it says besides its text."""
        return frozenset(self._bundle.get_message(name).attributes)
