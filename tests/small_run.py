"""The pipeline on parameters as small as can be, in a directory of its own, without DVC."""

import gc
import hashlib
import json
import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
GRAPH = yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))["stages"]
CIRCUITS, FINGERPRINT = "circuits", "fingerprint"
# Of one experiment each, in the order of the graph.
STAGES = tuple(name for name, one in GRAPH.items() if one.get("foreach") == "${experiments}")


def outputs(stage: dict) -> list[str]:
    """Paths that a stage of the graph writes."""
    outs = [out for kind in ("outs", "metrics", "plots") for out in stage.get(kind, [])]
    return [out if isinstance(out, str) else next(iter(out)) for out in outs]


HOSTILE = (
    "<script>alert(1)</script> **bold** $x^2$ {{< env HOME >}} {{< \\LaTeX &amp; a\nline; 改\n行 🎬"
)
TEXTS = (HOSTILE, "two words", HOSTILE * 20, "A [MASK] film.", "Yes")


def small_parameters() -> dict:
    """Make the committed parameters tiny.

    One trained encoder, one of a user's own texts, one decoder and one translator from nothing.
    """
    values = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    reviews, own = values["experiments"]["reviews"], values["experiments"]["sentences"]
    reviews["data"]["sizes"] = {"train": 40, "validation": 16, "test": 16}
    reviews["train"]["epochs"] = 1
    reviews["train"] |= {"evaluations": 1, "seeds": [0, 1]}
    own["data"] = {"source": "texts", "texts": list(TEXTS)}
    own["length"]["max_tokens"] = 40
    verbs = values["experiments"]["verbs"]
    verbs["model"]["config"] |= {"hidden_size": 32, "intermediate_size": 48}
    verbs["data"]["sizes"] = {"train": 60, "validation": 16, "test": 16}
    verbs["train"]["epochs"] = 1
    verbs["capture"]["examples"] = 4
    translation = values["experiments"]["translation"]
    translation["model"]["config"] |= {"d_model": 32, "encoder_ffn_dim": 48, "decoder_ffn_dim": 48}
    translation["data"]["sizes"] = {"train": 60, "validation": 16, "test": 16}
    translation["train"]["epochs"] = 1
    translation["capture"]["examples"] = 4
    reviews["capture"]["examples"] = 4
    own["capture"]["examples"] = len(TEXTS)
    values["experiments"] = {
        **{"reviews": reviews, "own": own},
        **{"verbs": verbs, "translation": translation},
    }
    values["geometry"]["nonlinear"] = ["own"]
    values["report"]["focus"] |= {"experiment": "own", "example": 0}
    return shrunk(values)


def untried_parameters() -> dict:
    """Experiments of the embedded model and texts of the project: `check` knows them, tries none.

    For tests of what surrounds a check, or of the one model that they put in.
    """
    values = small_parameters()
    values["experiments"] = {name: values["experiments"][name] for name in ("reviews", "own")}
    values["experiments"]["own"]["data"] = {"source": "sentences"}
    return values


# By names of their own, so that a page that names an experiment as committed is found out.
OTHER_NAMES = {"reviews": "films", "verbs": "next-words", "translation": "to-german"}


def otherwise_named(values: dict) -> dict:
    """Name experiments as no committed one is."""
    experiments = values["experiments"].items()
    values["experiments"] = {OTHER_NAMES.get(name, name): one for name, one in experiments}
    return values


def shrunk(values: dict) -> dict:
    """Make what is measured tiny, and the site one of pandoc."""
    values |= {"device": "cpu", "workers": 1}
    values["projection"]["examples"] = [0]
    values["geometry"]["texts"] = 2
    values["faithfulness"] |= {
        **{"examples": 3, "steps": 4, "fractions": [0.1, 0.5], "batch_size": 8}
    }
    values["heads"]["examples"] = 4
    values["clusters"] |= {"ks": [1, 2, 4], "k": 2, "smallest": 5, "sample": 60, "resamples": 2}
    values["ablation"]["examples"] = 2
    values["anatomy"]["small"]["steps"] = 20
    values["circuits"]["texts"] = 1
    values["bootstrap"]["resamples"] = 100
    values["report"]["renderer"] = "pandoc"
    return values


def write_parameters(directory: Path, values: dict) -> None:
    text = yaml.safe_dump(values, sort_keys=False, allow_unicode=True)
    (directory / "params.yaml").write_text(text, encoding="utf-8")


# The package lies elsewhere than the directory of a run.
ENVIRONMENT = {"PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"}


def run(directory: Path, command: str) -> subprocess.CompletedProcess[str]:
    """Run the command of a stage."""
    return python(directory, *command.split()[1:])


def python(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=directory,
        env=os.environ | ENVIRONMENT,
        capture_output=True,
        text=True,
    )


def run_well(directory: Path, command: str) -> None:
    done = run(directory, command)
    assert done.returncode == 0, f"{command}: {done.stderr}"


def measure(directory: Path, *experiments: str) -> None:
    """Run every stage of some experiments."""
    run_in_turn(directory, of_experiments(*experiments))


def of_experiments(*experiments: str) -> dict[str, str]:
    """Commands of every stage of some experiments, by name."""
    return {
        f"{stage}@{experiment}": GRAPH[stage]["do"]["cmd"].replace("${key}", experiment)
        for experiment in experiments
        for stage in STAGES
    }


def of_files(values: dict) -> dict[str, str]:
    """Commands that note what the named files of a run hold, by name."""
    command = GRAPH["input"]["do"]["cmd"]
    return {f"input@{name}": command.replace("${key}", name) for name in values.get("files") or {}}


def publish(
    directory: Path, circuits: Path, *measured: str, kept: Sequence[str] | None = None
) -> None:
    """Run what is not of one experiment: the focus, the summary, claims, notebooks, pages, site.

    ``circuits`` is a run of the stages that read nothing of the others (:func:`run_apart`), and
    experiments that are named are measured first. Of the reference runs, all are shown beside this
    one, or those of ``kept``: chapters draw a figure of each.
    """
    rendered = shutil.ignore_patterns("_site", ".quarto")
    shutil.copytree(ROOT / "report", directory / "report", ignore=rendered)
    # What the page of provenance reads.
    shown = None if kept is None else [*kept, "tolerances.yaml"]
    runs = ("reference",) if shown is None else [f"reference/{name}" for name in shown]
    for name in (*runs, "dvc.yaml", "CITATION.cff"):
        (directory / name).parent.mkdir(exist_ok=True)
        (directory / name).symlink_to(ROOT / name)
    values = yaml.safe_load((directory / "params.yaml").read_text(encoding="utf-8"))
    commands = of_all(values["report"]["focus"]["experiment"])
    write_lock(directory, of_experiments(*values["experiments"]) | commands)
    del commands[CIRCUITS], commands[FINGERPRINT]
    for written in ("runs", "results"):
        shutil.copytree(circuits / written, directory / written, dirs_exist_ok=True)
    run_in_turn(directory, of_files(values) | of_experiments(*measured) | commands)


def run_apart(directory: Path) -> None:
    """Run the stages of the circuits and of the fingerprint, which are those of any small run."""
    directory.mkdir()
    write_parameters(directory, small_parameters())
    (directory / "reference").symlink_to(ROOT / "reference")
    run_in_turn(directory, {name: GRAPH[name]["cmd"] for name in (CIRCUITS, FINGERPRINT)})


def write_lock(directory: Path, commands: dict[str, str]) -> None:
    """Write what DVC notes of stages: commands and paths as they are, hashes and sizes made up."""

    def entries(paths: list[str], key: str) -> list[dict]:
        named = [path.replace("${key}", key).replace("${item}", key) for path in paths]
        hashes = [hashlib.md5(path.encode(), usedforsecurity=False).hexdigest() for path in named]
        return [
            {"path": path, "md5": md5, "size": 1} for path, md5 in zip(named, hashes, strict=True)
        ]

    lock: dict = {"schema": "2.0", "stages": {}}
    for name, command in commands.items():
        stage, _, key = name.partition("@")
        content = GRAPH[stage].get("do", GRAPH[stage])
        lock["stages"][name] = {
            "cmd": command,
            "deps": entries(content.get("deps", []), key),
            "params": {"params.yaml": dict.fromkeys(content.get("params", []), 0)},
            "outs": entries(outputs(content), key),
        }
    (directory / "dvc.lock").write_text(yaml.safe_dump(lock, sort_keys=False), encoding="utf-8")


def of_all(focus: str = "own") -> dict[str, str]:
    """Commands of what is not of one experiment, by name; ``focus`` is that in focus."""
    commands = {}
    for name, stage in GRAPH.items():
        if not {"foreach", "matrix"} & stage.keys():
            commands[name] = stage["cmd"]
        elif isinstance(stage.get("foreach"), list):
            commands[f"{name}@{focus}"] = stage["do"]["cmd"].replace("${item}", focus)
    return commands


def run_in_turn(directory: Path, commands: dict[str, str]) -> str:
    """Run the commands of stages by their names, each in a process of its own; gives what they say.

    These are forked from one that has the large libraries, which take longer to import than so
    little data to compute; it is a new one each time, with hashes of strings of its own.
    """
    return run_each_in_turn({directory: commands})


def run_each_in_turn(runs: dict[Path, dict[str, str]]) -> str:
    """The same in several directories, forked from one process for all."""
    told = {str(directory): commands for directory, commands in runs.items()}
    done = python(ROOT, __file__, json.dumps(told))
    assert done.returncode == 0, done.stderr
    return done.stdout


LARGE = (
    "analysis.stages",
    "transformers.models.bert.modeling_bert",
    "umap",
    "analysis.site.notebook_engine",
    "analysis.figures.chapter",
    "jupytext",
)


def main() -> None:
    for name in LARGE:
        import_module(name)
    gc.freeze()  # or every process looks through all of it, and so copies it
    for directory, commands in json.loads(sys.argv[1]).items():
        os.chdir(directory)
        for name, command in commands.items():
            stage = get_context("fork").Process(target=run_forked, args=(name, command))
            stage.start()
            stage.join()
            if stage.exitcode != 0:
                sys.exit(f"{command}: exit code {stage.exitcode} in {directory}")


def run_forked(name: str, command: str) -> None:
    os.environ["DVC_STAGE"] = name
    _, _, module, *sys.argv[1:] = command.split()
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def render(directory: Path, renderer: str) -> None:
    """Render the pages of a published run once more, by another renderer."""
    values = yaml.safe_load((directory / "params.yaml").read_text(encoding="utf-8"))
    values["report"]["renderer"] = renderer
    write_parameters(directory, values)
    for stage in ("report", "site"):
        run_well(directory, GRAPH[stage]["cmd"])


if __name__ == "__main__":
    main()
