"""`python -m report.preview report/en --output site/en`."""

import argparse
import os
import sys
from pathlib import Path

import pypandoc

from analysis.errors import InputError
from report.preview.site import render


def main() -> int:
    """Render one language of the report; 0 on success, 2 with one sentence on bad sources."""
    parser = argparse.ArgumentParser(prog="python -m report.preview", description=render.__doc__)
    parser.add_argument("project", type=Path, help="directory that holds _quarto.yml")
    parser.add_argument("--output", type=Path, required=True, help="directory to write the site to")
    arguments = parser.parse_args()
    # What the pages say they were rendered by, unless a build says it better.
    os.environ.setdefault("REPORT_RENDERER", f"pandoc {pypandoc.get_pandoc_version()} (preview)")
    try:
        render(arguments.project, arguments.output)
    except InputError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
