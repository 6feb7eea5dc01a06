"""``python -m analysis.stages NAME [KEY ...]``: run one stage, as DVC does.

``make repro`` has a process with libraries loaded, which is forked for it; without, this process
loads what it needs.
"""

import os
import runpy
import sys
from pathlib import Path

from analysis.pipeline import proxy


def main(name: str = "", *keys: str) -> None:
    """Run it."""
    stages = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))
    if name not in stages:
        sys.stderr.write(
            f"error: the stage is {name or 'not named'}; allowed: {', '.join(stages)}.\n"
        )
        sys.exit(2)
    module = f"{__package__}.{name}"
    if proxy.ADDRESS in os.environ:
        sys.exit(proxy.run(module, *keys))
    sys.argv[1:] = keys
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
