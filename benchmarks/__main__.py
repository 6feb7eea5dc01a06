"""``python -m benchmarks [NAME ...]``: what our code costs, beside what would be spent without it.

Every comparison runs both sides in turn in one process and prints their ratio; absolute times are
of the machine and of the hour.
"""

import argparse
from importlib import import_module

BENCHMARKS = ("capture", "explorer", "flow", "geometry", "heads", "mixing", "site")

parser = argparse.ArgumentParser(prog="python -m benchmarks")
parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of {', '.join(BENCHMARKS)}")
chosen = parser.parse_args().names or BENCHMARKS
for name in chosen:
    if name not in BENCHMARKS:
        parser.error(f"{name!r} is no benchmark; choose from {', '.join(BENCHMARKS)}")
for name in chosen:
    print(f"\n# {name}")
    import_module(f"benchmarks.{name}").main()
