"""Read YAML."""

from __future__ import annotations

from typing import Any

from ruamel.yaml import YAML


def read_yaml(given: str) -> Any:
    """Read YAML 1.2, as DVC reads and writes it: ``2e-5`` is a number, and ``Yes`` is a text."""
    return YAML(typ="safe", pure=True).load(given)
