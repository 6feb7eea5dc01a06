"""Mistakes drawn at random: a measure is stale where its kept numbers move, and nowhere else.

By hand, beside a finished run: ``MUTANTS=30 pytest -s tests/faults/test_mutants.py``. Each mutant
is one edited expression of what computes matrices and quantities. What some experiments of the run
come to with it is held against what they come to without, and so is the fingerprint; a minute or
two each, and what is missed is printed.
"""

import ast
import os
import random
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

from analysis.paths import ROOT
from analysis.pipeline.modules import entry_points
from analysis.pipeline.source_code import closure
from analysis.runs.comparison import compare, names
from analysis.runs.kept import measures_of, moved
from attention_mixing.measures import GROUPS, STAGES, of_group, summarised

MUTANTS = int(os.environ.get("MUTANTS", "0"))
# A fine-tuned encoder, a decoder, and an encoder-decoder, the quickest of each kind.
EXPERIMENTS = ("agreement", "verbs", "translation")
# What is drawn, or of one text alone.
DRAWN = ("projection", "rows", "focus")
MUTATED = [
    path
    for room in ("methods", "attributions")
    for path in sorted((ROOT / "attention_mixing" / room).glob("[a-z]*.py"))
]
SWAPPED = {
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult},
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt},
}
RENAMED = {"max": "min", "min": "max", "mean": "sum", "sum": "mean", "argmax": "argmin"}

pytestmark = pytest.mark.skipif(not MUTANTS, reason="by hand: MUTANTS=30 beside a finished run")


class Mutation(ast.NodeTransformer):
    """Edit the expression of one number, counted in the order of the file."""

    def __init__(self, place: int) -> None:
        self.place, self.seen, self.edited = place, 0, ""

    def generic_visit(self, node):
        node = super().generic_visit(node)
        if (edited := self._edit(node)) is None:
            return node
        self.seen += 1
        if self.seen - 1 != self.place:
            return node
        self.edited = f"line {node.lineno}: {ast.unparse(node)} -> {ast.unparse(edited)}"
        return ast.copy_location(edited, node)

    def _edit(self, node):
        match node:
            case ast.BinOp(left, op, right) if type(op) in SWAPPED:
                return ast.BinOp(left, SWAPPED[type(op)](), right)
            case ast.Compare(left, [op], [right]) if type(op) in SWAPPED:
                return ast.Compare(left, [SWAPPED[type(op)]()], [right])
            case ast.UnaryOp(ast.USub(), operand):
                return operand
            case ast.Constant(float(value)):
                return ast.Constant(value * 1.5 if value else 0.5)
            case ast.Attribute(value, name, context) if name in RENAMED:
                return ast.Attribute(value, RENAMED[name], context)
        return None


def mutated(path: Path, draw: random.Random) -> tuple[str, str] | None:
    """Edit one expression of a module; what was edited, and its text."""
    source = path.read_text(encoding="utf-8")
    count = Mutation(-1)
    count.visit(ast.parse(source))
    if not count.seen:
        return None
    one = Mutation(draw.randrange(count.seen))
    tree = one.visit(ast.parse(source))
    return one.edited, ast.unparse(ast.fix_missing_locations(tree))


@cache
def stages_of(path: Path) -> tuple[str, ...]:
    """Stages of measures that run a module, in their order."""
    points = entry_points()
    running = [one for one in STAGES if path in closure(*points[f"measure-{one}"])]
    return tuple(one for one in running if one not in DRAWN)


TAKE = """
import sys
from pathlib import Path
from analysis.parameters import load
from analysis.stages import fingerprint, measure
params = load()
for stage in sys.argv[1].split():
    for name in sys.argv[2].split():
        measure.measure(params, name, stage)
fingerprint.fingerprint(params)
"""


def take(directory: Path, stages) -> str:
    """Take measures and the fingerprint in a copy; gives why that failed, if it did."""
    done = subprocess.run(
        [sys.executable, "-c", TAKE, " ".join(stages), " ".join(EXPERIMENTS)],
        cwd=directory,
        env=os.environ | {"PYTHONPATH": str(directory), "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
    )
    return done.stderr[-300:] if done.returncode else ""


def means(directory: Path, stages) -> dict[str, float]:
    """Means over texts of what some stages gave, by the names of reference runs."""
    from analysis.parameters import load
    from analysis.parameters.derived import case_name
    from attention_mixing.measures.engine.summary import summarise
    from attention_mixing.settings.derived import streams

    params = load(ROOT / "params.yaml")
    found: dict[str, float] = {}
    for name in EXPERIMENTS:
        for group in summarised():
            for stream in streams(params.experiments[name]):
                places = [
                    directory / "artifacts" / name / stage / "0" / stream / "values.parquet"
                    for stage in GROUPS[group]
                    if stage in stages
                ]
                if places:
                    values = pd.concat(map(pd.read_parquet, places), ignore_index=True)
                    table = summarise([values], of_group(group), params.bootstrap)
                    table.insert(0, "experiment", case_name(name, stream))
                    table = table[table["head"] == 0]
                    found |= dict(zip(names(table), table["mean"].tolist(), strict=True))
    return found


def fingerprint(directory: Path) -> pd.DataFrame:
    return pd.read_parquet(directory / "results" / "fingerprint.parquet").set_index("number")


def stand(directory: Path, artifacts: Path) -> Path:
    """Lay the code out to be edited, and what was measured, to be replaced."""
    for part in ("analysis", "attention_mixing", "reference"):
        shutil.copytree(ROOT / part, directory / part)
    for part in ("params.yaml", "report"):
        (directory / part).symlink_to(ROOT / part)
    (directory / "results").mkdir()
    for name in EXPERIMENTS:
        (directory / "artifacts" / name).mkdir(parents=True)
        for part in (artifacts / name).iterdir():
            (directory / "artifacts" / name / part.name).symlink_to(part)
    return directory


def test_a_mistake_makes_stale_what_it_moves(tmp_path):
    draw, done, missed = random.Random(0), 0, []
    every = [stage for stage in STAGES if stage not in DRAWN]
    plain = stand(tmp_path / "plain", ROOT / "artifacts")
    assert take(plain, every) == ""
    right, before = means(plain, every), fingerprint(plain)
    while done < MUTANTS:
        path = draw.choice(MUTATED)
        stages = stages_of(path)
        if not stages or (found := mutated(path, draw)) is None:
            continue
        edited, text = found
        wrong = stand(tmp_path / "wrong", plain / "artifacts")
        (wrong / path.relative_to(ROOT)).write_text(text, encoding="utf-8")
        if said := take(wrong, stages):
            tell(f"-- {path.name} {edited}: {said.splitlines()[-1]}")
        else:
            done += 1
            now = means(wrong, stages)
            table = compare({name: right[name] for name in now}, now)
            kept = set(measures_of(pd.Index(table["number"][~table["ok"]], dtype=str)))
            told = set(moved(before, fingerprint(wrong)))
            tell(f"{done} {path.name} {edited}: moved {sorted(kept)}, stale {sorted(told)}")
            missed += [(path.name, edited, name) for name in sorted(kept - told)]
        shutil.rmtree(wrong)
    assert not missed


def tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
