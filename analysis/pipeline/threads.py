"""One thread a process, whatever the machine or its environment say.

PyTorch, OpenBLAS and MKL split sums over their threads, so that another number moves last bits, and
a trained model with them: as many stages run side by side as there are cores. Two threads of a
stage that shares its cores wait for each other 5 to 13 times as long as one computes.
"""

# Variables that these libraries read when they are loaded.
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
