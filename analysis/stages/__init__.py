"""One thin module per DVC stage: read, compute, write.

Run a stage by hand as ``python -m analysis.stages.NAME [EXPERIMENT]``.
"""
