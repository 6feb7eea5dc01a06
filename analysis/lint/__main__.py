"""``python -m analysis.lint``: lint what is written; the exit code is 1 if anything is found."""

import sys

import yaml

from analysis.lint import bound, written
from analysis.lint.stage_parameters import other_parameters
from analysis.paths import ROOT


def main() -> int:
    """Print all that is found, and return the exit code."""
    stages = yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))["stages"]
    findings = [*sorted(set(written.lint())), *bound.lint(), *other_parameters(stages)]
    sys.stdout.writelines(f"{finding}\n" for finding in findings)
    return int(bool(findings))


if __name__ == "__main__":
    sys.exit(main())
