"""What the paper rests on: its numbers, the comparisons it makes, and the outcomes it is built on.

The paper is of all evidence that is kept, and every run reproduces its share of it. So its numbers
are read twice: as they were kept (``reference/RUN``), and with those of this run in the place of
its experiments, where it has the same (:mod:`.numbers`). What the text claims of them stands in
it as conditions, which are read off the page and held against both (:mod:`.page`).
"""
