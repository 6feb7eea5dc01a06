"""Reading a model from inside, and the cache on disk.

``attention`` and ``points`` read a running model, ``record`` turns texts into arrays, ``store``
writes and reads the cache. Only ``store`` is needed to read it, and it needs no torch.
"""
