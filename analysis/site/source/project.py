"""A Quarto website project: its configuration, its pages, its words."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from analysis.site.source import dialect
from attention_mixing.errors import InputError


@dataclass(frozen=True)
class Project:
    """One language of the report.

    Attributes
    ----------
    directory
        Where `_quarto.yml` and the pages are.
    config
        `_quarto.yml`, merged over the files that it names under `metadata-files`.
    variables
        `_variables.yml`, a nested mapping of text; empty where the file is missing.
    environment
        What the shortcode `env` reads.
    """

    directory: Path
    config: dict[str, Any]
    variables: dict[str, Any]
    environment: Mapping[str, str]

    @classmethod
    def read(cls, directory: Path, environment: Mapping[str, str] = os.environ) -> "Project":
        """Read the configuration of the project in `directory`.

        Raises
        ------
        InputError
            If a file is missing or is not a YAML mapping.
        """
        settings = _read_mapping(directory / "_quarto.yml")
        config: dict[str, Any] = {}
        for name in settings.get("metadata-files", []):
            config = _merge(config, _read_mapping(directory / name))
        variables = directory / "_variables.yml"
        return cls(
            directory=directory,
            config=_merge(config, settings),
            variables=_read_mapping(variables) if variables.exists() else {},
            environment=environment,
        )

    @property
    def lang(self) -> str:
        """Language of the pages, as in the HTML attribute."""
        return self.config["lang"]

    @property
    def website(self) -> dict[str, Any]:
        """Title, navigation bar, sidebar and footer."""
        return self.config["website"]

    @property
    def html(self) -> dict[str, Any]:
        """Options of the HTML format."""
        return self.config["format"]["html"]

    @property
    def byline(self) -> list[str]:
        """Authors of the report, and the date of the run."""
        date = self.config.get("date")
        return [*self.config.get("author", []), *([str(date)] if date else [])]

    def path(self, key: str) -> Path:
        """Return the file that the configuration names under `key`."""
        return self.directory / self.config[key]

    def word(self, key: str) -> str:
        """Return a string of the interface, in the language of the project."""
        try:
            return self.config["language"][key]
        except KeyError:
            raise InputError(
                f"{self.directory / '_quarto.yml'} has no language.{key}; "
                "the preview takes every string from there, so add it"
            ) from None

    @property
    def reference_words(self) -> dict[str, str]:
        """Word of a reference, by what its label begins with."""
        return {label: self.word(key) for label, key in dialect.REFERENCES.items()}

    @property
    def callout_words(self) -> dict[str, str]:
        """Title of a callout that has none of its own, by its kind."""
        return {kind: self.word(f"callout-{kind}-title") for kind in dialect.CALLOUTS}

    @cached_property
    def pages(self) -> list[str]:
        """Names of all pages, in the order of the sidebar."""
        return [page for page, _ in self.navigation]

    @cached_property
    def navigation(self) -> list[tuple[str, str | None]]:
        """Entries of the sidebar: name of the page and its text where it is not the page's title.

        Raises
        ------
        InputError
            If the sidebar and the `.qmd` files of the directory are not the same pages.
        """
        entries = []
        for item in self.website["sidebar"]["contents"]:
            source, text = (item, None) if isinstance(item, str) else (item["href"], item["text"])
            entries.append((source.removesuffix(".qmd"), text))
        listed = {name for name, _ in entries}
        files = {path.stem for path in self.directory.glob("*.qmd")}
        if listed != files:
            raise InputError(
                f"the sidebar of {self.directory / '_quarto.yml'} and the pages beside it differ "
                f"in {', '.join(sorted(listed ^ files))}; list every page once"
            )
        return entries

    @cached_property
    def citation_keys(self) -> set[str]:
        """Keys of all entries of the bibliography."""
        text = self.path("bibliography").read_text(encoding="utf-8")
        return set(re.findall(r"^@\w+\{([^,\s]+),", text, re.MULTILINE))


def _read_mapping(path: Path) -> dict[str, Any]:
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path} does not exist; give the directory of a Quarto project") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not YAML: {' '.join(str(error).split())}") from None
    if not isinstance(content, dict):
        raise InputError(f"{path} holds no mapping of keys to values")
    return content


def _merge(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """Return `base` with the values of `over`, as Quarto merges them.

    Mappings are merged key by key, and lists joined, those of `over` ahead.
    """
    merged = dict(base)
    for key, value in over.items():
        if isinstance(value, dict) and isinstance(merged.get(key), dict):
            value = _merge(merged[key], value)
        elif isinstance(value, list) and isinstance(merged.get(key), list):
            value = [*value, *merged[key]]
        merged[key] = value
    return merged
