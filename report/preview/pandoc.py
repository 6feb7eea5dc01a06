"""Runs pandoc; what it refuses becomes one sentence."""

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pypandoc

from analysis.errors import InputError


def convert(
    text: str, where: str, options: Mapping[str, Any], context: Mapping[str, Any] | None = None
) -> str:
    """Convert a text with pandoc.

    Parameters
    ----------
    text
        In the format `options["from"]`.
    where
        What is converted, as a message names it.
    options
        Of a defaults file of pandoc.
    context
        What `filters/context.lua` tells the filters; None where they ask nothing.

    Raises
    ------
    InputError
        If pandoc or a filter refuses the text; the first line of what it says.
    """
    with tempfile.TemporaryDirectory() as scratch:
        defaults, known = Path(scratch) / "defaults.json", Path(scratch) / "context.json"
        defaults.write_text(json.dumps(options), encoding="utf-8")
        known.write_text(json.dumps(context), encoding="utf-8")
        run = subprocess.run(
            [pypandoc.get_pandoc_path(), "--defaults", defaults],
            input=text,
            capture_output=True,
            encoding="utf-8",
            env=os.environ | {"PREVIEW_CONTEXT": str(known)},
            check=False,
        )
    if run.returncode:
        # A filter's own message ends its first line; pandoc's warnings come one a line.
        message = re.sub(r"^(Error running filter .*?:|\[WARNING\])\s*", "", run.stderr.strip())
        silent = f"pandoc ended with status {run.returncode} and no message"
        raise InputError(f"{where}: {next(iter(message.splitlines()), silent)}")
    return run.stdout
