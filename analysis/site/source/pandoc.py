"""Runs pandoc, once on the same sources; what it refuses becomes one sentence."""

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pypandoc

from analysis.site.source.cache import remembered
from attention_mixing.errors import InputError

FILTERS = Path(__file__).parent / "filters"
"""Filters that every renderer runs: they put in values of shortcodes and unwrap conditions."""

_CONTEXT = FILTERS / "context.lua"  # which all filters run
# Options that name files; `citeproc`, a filter of pandoc's own, is none.
_FILES = ("bibliography", "csl", "filters", "include-after-body", "include-in-header", "template")


def convert(
    text: str, where: str, options: Mapping[str, Any], context: Mapping[str, Any] | None = None
) -> str:
    """Convert a text with pandoc, or give what it made of the same before.

    `text` is in the format `options["from"]`, options being the content of a defaults file of
    pandoc; `where` is what is converted, as a message names it, and `context` what `context.lua`
    tells the filters, None where they ask nothing. A text that pandoc or a filter refuses is an
    ``InputError``, with the first line of what it says.
    """
    # Sorted: what comes from a set stands in another order in every process.
    inputs = [
        pypandoc.get_pandoc_version(),
        json.dumps(context, sort_keys=True),
        *_contents(options),
    ]
    converted = remembered(
        (source.encode() for source in [text, *inputs, _CONTEXT.read_text(encoding="utf-8")]),
        lambda: _convert(text, where, options, context).encode(),
    )
    return converted.decode()


def _contents(options: Mapping[str, Any]) -> Iterator[str]:
    """Give the options, with contents in the places of files: they may lie elsewhere each time."""
    for key, value in options.items():
        yield key
        if key not in _FILES:
            yield json.dumps(value, sort_keys=True)
            continue
        for path in map(Path, [value] if isinstance(value, str) else value):
            # Of a filter, also the scripts beside it, which it may run.
            files = sorted(path.parent.glob("*.lua")) if path.suffix == ".lua" else [path]
            yield path.name
            for file in files:
                yield file.read_text(encoding="utf-8") if file.is_file() else ""


def _convert(text: str, where: str, options: Mapping[str, Any], context: Any) -> str:
    with tempfile.TemporaryDirectory() as scratch:
        defaults, context_file = Path(scratch) / "defaults.json", Path(scratch) / "context.json"
        defaults.write_text(json.dumps(options), encoding="utf-8")
        context_file.write_text(json.dumps(context), encoding="utf-8")
        run = subprocess.run(
            [pypandoc.get_pandoc_path(), "--defaults", defaults],
            input=text,
            capture_output=True,
            encoding="utf-8",
            env=os.environ | {"FILTER_CONTEXT": str(context_file)},
            check=False,
        )
    if run.returncode:
        # A filter's own message ends its first line; pandoc's warnings come one a line.
        message = re.sub(r"^(Error running filter .*?:|\[WARNING\])\s*", "", run.stderr.strip())
        silent = f"pandoc ended with status {run.returncode} and no message"
        raise InputError(f"{where}: {next(iter(message.splitlines()), silent)}")
    return run.stdout
