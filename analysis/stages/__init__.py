"""One thin module per DVC stage: read, compute, write.

Run a stage by hand as ``python -m analysis.stages NAME [EXPERIMENT]``.
"""

import os

# One thread a process, whatever the machine or its environment say. PyTorch, OpenBLAS and MKL split
# sums over their threads, so that another number moves last bits, and a trained model with them: as
# many stages run side by side as there are cores. Two threads of a stage that shares its cores wait
# for each other 5 to 13 times as long as one computes. The libraries read it when they are loaded:
# before any stage imports them.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
