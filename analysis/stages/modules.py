"""Check what is about to run, and note what every stage runs (:mod:`analysis.pipeline.modules`)."""

from __future__ import annotations

import os

from analysis.parameters import Params
from analysis.paths import MODULES
from analysis.pipeline.modules import notes
from analysis.pipeline.stage import replacing, run, write_json


def modules(params: Params) -> None:
    """Write ``modules/STAGE.json``, ``measure-STAGE.json`` and ``notebook-CHAPTER.json``.

    Raises
    ------
    InputError
        If the parameters name what cannot be used; no other stage has begun then.
    """
    if "CHECKED_BY_MAKE" not in os.environ:  # by `make repro`, which tells so without what DVC adds
        # Which takes longer to import than to note.
        from analysis.checks.runnable import require_runnable

        require_runnable(params)
    with replacing(MODULES) as directory:
        directory.mkdir()
        for name, note in notes().items():
            write_json(directory / f"{name}.json", note)


if __name__ == "__main__":
    run(modules)
