"""Findings say what the examples in ``said/`` expect of them, in both languages."""

from functools import cache
from importlib import import_module
from pathlib import Path

import pandas as pd
import pytest
import yaml
from published_ledger import published_values  # noqa: F401

from analysis.figures.words import words

# Files with the names of methods, families and clusters.
NAMES = ("features", "index", "faithfulness", "heads", "clusters", "head_ablation")
EXAMPLES = [
    (path.stem, rule, example)
    for path in sorted(Path(__file__).with_name("said").glob("*.yaml"))
    for rule, examples in yaml.safe_load(path.read_text(encoding="utf-8")).items()
    for example in examples
]


def built(value):
    """Make a table, or a row of numbers, where an example has its data and labels."""
    if isinstance(value, dict) and "data" in value:
        return (pd.DataFrame if "columns" in value else pd.Series)(**value)
    return value


@cache
def vocabulary(language, module):
    """Words of a file of findings, read once."""
    return words(language, *NAMES, f"findings_{module}")


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize(("module", "rule", "example"), EXAMPLES)
def test_a_finding_follows_from_its_numbers(module, rule, example, language):
    say = getattr(import_module(f"analysis.figures.findings.{module}"), rule)
    said = say(*map(built, example["given"]), vocabulary(language, module))
    assert said == example[language]
