"""Profiles: files of ``profiles/`` that hold only what differs from the committed parameters."""

from __future__ import annotations

import re
import subprocess
from collections.abc import MutableMapping
from io import StringIO
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from analysis.parameters.file import read_mapping
from attention_mixing.errors import InputError, quoted

COMMITTED = Path("reference", "quick", "params.yaml")
PROFILES = Path("profiles")
# All experiments with their comments, up to the next line that is not indented.
EXPERIMENTS = re.compile(r"^experiments:.*\n(?:(?: .*)?\n)*", re.MULTILINE)
WIDTH = 1000  # no line is broken


def profile(name: str) -> str:
    """Write the parameters of a profile in full, with all comments.

    Its experiments take the place of the committed ones; of all else, single keys do.

    Raises
    ------
    InputError
        If there is no such profile, or it is damaged.
    """
    path = PROFILES / f"{name}.yaml"
    names = sorted(profile_file.stem for profile_file in PROFILES.glob("*.yaml"))
    if name not in names:
        raise InputError(f"there is no profile {quoted(name)}; choose one of {', '.join(names)}.")
    for file in (COMMITTED, path):
        read_mapping(file)
    return merged(COMMITTED.read_text(encoding="utf-8"), path.read_text(encoding="utf-8"))


def origin(path: Path) -> str | None:
    """Say where else there is what a parameter file holds, so that it can be replaced.

    None where nothing else has it: it has edits that would be lost.
    """
    if not path.is_file():
        return "missing"
    content = path.read_text(encoding="utf-8")
    if content == COMMITTED.read_text(encoding="utf-8"):
        return f"that of {COMMITTED}"
    show = ["git", "show", f"HEAD:./{path}"]
    try:
        shown = subprocess.run(show, capture_output=True, text=True, encoding="utf-8", check=False)
    except FileNotFoundError:  # no git here
        shown = None
    if shown is not None and shown.returncode == 0 and shown.stdout == content:
        return "that of the last commit"
    for other in sorted(PROFILES.glob("*.yaml")):
        try:
            if content == profile(other.stem):
                return f"that of profile {other.stem}"
        except InputError:  # a damaged one has written nothing
            continue
    return None


def merged(committed: str, different: str) -> str:
    """Merge two files as texts.

    Raises
    ------
    InputError
        If the second has a key that the first has not, as one of an earlier version may.
    """
    yaml = YAML()
    yaml.width, yaml.preserve_quotes = WIDTH, True
    yaml.representer.add_representer(
        type(None), lambda written, _: written.represent_scalar("tag:yaml.org,2002:null", "null")
    )
    values = yaml.load(committed)
    _update(values, yaml.load(EXPERIMENTS.sub("", different)) or {})
    text = StringIO()
    yaml.dump(values, text)
    (experiments,) = EXPERIMENTS.findall(different)
    header = different[: different.index("\n\n") + 2]  # what the profile is, in comments
    return header + EXPERIMENTS.sub(lambda _: experiments, text.getvalue())


def _update(
    values: MutableMapping[str, Any], changes: MutableMapping[str, Any], *parents: str
) -> None:
    for key, change in changes.items():
        if key not in values:
            raise InputError(
                f"the profile has {'.'.join([*parents, key])}, which {COMMITTED} has not; correct "
                "or remove it."
            )
        if isinstance(values[key], MutableMapping) and values[key]:
            _update(values[key], change, *parents, key)
        else:
            values[key] = change
