"""Findings say what the examples in ``said/`` expect of them, in both languages."""

from importlib import import_module
from pathlib import Path

import pytest
import yaml

from analysis.figures.words import words

EXAMPLES = [
    (path.stem, rule, example)
    for path in sorted(Path(__file__).with_name("said").glob("*.yaml"))
    for rule, examples in yaml.safe_load(path.read_text(encoding="utf-8")).items()
    for example in examples
]


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize(("module", "rule", "example"), EXAMPLES)
def test_a_finding_follows_from_its_numbers(module, rule, example, language):
    say = getattr(import_module(f"analysis.figures.findings.{module}"), rule)
    w = words(language, "index", "faithfulness", f"findings_{module}")
    assert say(*example["given"], w) == example[language]
