"""One thin module per DVC stage: read, compute, write.

Run a stage by hand as ``python -m analysis.stages NAME [EXPERIMENT]``.
"""

import os

from analysis.pipeline.threads import ONE_THREAD

os.environ.update(ONE_THREAD)  # before any stage imports what reads them
