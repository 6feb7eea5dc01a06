"""One thin module per DVC stage: read, compute, write.

Run a stage by hand as ``python -m analysis.stages.NAME [EXPERIMENT]``.
"""

import os

# OpenBLAS, which NumPy and SciPy multiply matrices with, reads this when it is loaded: before any
# stage imports them. One thread, because the matrices of a text are small: where the cores are
# shared, two threads wait for each other 5 to 13 times as long as one computes (`mixing`). Sums are
# then the same on any number of cores, too. PyTorch has threads of its own.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
