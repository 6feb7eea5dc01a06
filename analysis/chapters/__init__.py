"""A folder a chapter, with all that is of this chapter alone; none imports another.

``notebook.py`` is its story, cell by cell; ``figures.py``, and what stands beside it, draws figures
and tables, ``prose.py`` says in words what the results come to, ``results.py`` reads them. What
several chapters share is in :mod:`analysis.figures`, :mod:`analysis.prose` and
:mod:`analysis.results`. *findings*, which has no page of its own, says what the others state.
"""
