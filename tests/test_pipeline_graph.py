"""dvc.yaml says what the code does: every stage declares the parameters and modules it reads."""

import ast
import inspect
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tokenize
from collections.abc import Iterable
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import get_args

import pytest
import yaml
from small_run import GRAPH, outputs

from analysis.lint.stage_parameters import other_parameters
from analysis.parameters import Params
from analysis.parameters.derived import mapped_texts
from analysis.paths import ROOT
from analysis.pipeline.modules import DECLARED
from analysis.pipeline.modules import entry_points as noted_entry_points
from analysis.pipeline.packages import COMPUTING, NAMED, installed
from analysis.pipeline.parameters_of import SHOWN
from analysis.pipeline.source_code import closure, imported, run_nodes, tree, without_comments
from analysis.prose.messages import OVERVIEWS
from analysis.stages.parameters import FIELDS
from attention_mixing import attributions, circuits
from attention_mixing.measures import STAGES as MEASURED
from attention_mixing.measures import measures
from attention_mixing.settings.experiment import Experiment

CODE = ("analysis", "attention_mixing")  # the pipeline and the library
MEASURES = ROOT / "attention_mixing" / "measures"
STAGES = {name: stage.get("do", stage) for name, stage in GRAPH.items()}
CHAPTERS = [one for one in STAGES if one.startswith("notebook-") and "provenance" not in one]


def entry_points(name: str) -> list[Path]:
    """Files that a stage runs: its module, its measures, the notebook that it names."""
    _, _, package, stage, *arguments = STAGES[name]["cmd"].split()
    files = [ROOT / package.replace(".", "/") / f"{stage}.py"]
    of_all = dict.fromkeys(("summary", "fingerprint"), MEASURED)
    taken = ({"measure": arguments[1:]} | of_all).get(stage, ())
    files += [MEASURES / f"{topic}.py" for stage in taken for topic in MEASURED[stage]]
    if stage == "notebook":
        files.append(ROOT / "analysis" / "chapters" / arguments[0] / "notebook.py")
    return files


def own_note(name: str) -> str:
    """Note of the modules that a stage runs."""
    _, _, _, stage, *arguments = STAGES[name]["cmd"].split()
    own = {"measure": arguments[1:], "notebook": arguments}.get(stage, ())
    return "-".join([stage, *own])


# --- which parameters code reads ------------------------------------------------------------------


def parameters_read(paths) -> set[str]:
    """Dotted names: ``device``, ``report.focus.example``, ``experiment.train`` of any of them."""
    found: set[str] = set()
    for path in paths:
        for function in ast.walk(tree(path)):
            if isinstance(function, ast.FunctionDef | ast.Module):
                names = _other_names(function)
                for node in ast.walk(function):
                    if isinstance(node, ast.Attribute) and (read := _dotted(node, names)):
                        found.add(read)
    # params.report.focus holds params.report: only the longest are what is read.
    return {one for one in found if not any(other.startswith(f"{one}.") for other in found)}


def _other_names(function) -> dict[str, str]:
    """Variables that stand for a section: ``settings = params.geometry``, ``one: Geometry``."""
    names: dict[str, str] = {}
    if isinstance(function, ast.Module):
        return names
    for argument in (*function.args.args, *function.args.kwonlyargs):
        section = SECTIONS.get(getattr(argument.annotation, "id", ""))
        if section:
            names[argument.arg] = section
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, value = node.targets[0], node.value
            pairs = [(target, value)]
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                pairs = list(zip(target.elts, value.elts, strict=True))
            for one, given in pairs:
                if isinstance(one, ast.Name) and (section := _dotted(given, names)):
                    names[one.id] = section
    return names


SECTIONS = {
    field.annotation.__name__: name
    for name, field in Params.model_fields.items()
    if hasattr(field.annotation, "model_fields")
}


def _dotted(node: ast.AST, names: dict[str, str]) -> str | None:
    """Name the parameter behind ``params.X.Y``, ``experiment.X`` or ``params.experiments[E].X``."""
    match node:
        case ast.Attribute(
            value=ast.Name(id="params" | "p") | ast.Attribute(attr="params"), attr=attr
        ):
            return attr if attr in Params.model_fields else None
        case ast.Attribute(value=ast.Name(id="experiment"), attr=attr):
            return f"experiment.{attr}" if attr in Experiment.model_fields else None
        case ast.Attribute(
            value=ast.Subscript(value=ast.Attribute(attr="experiments")),
            attr=attr,
        ):
            return f"experiment.{attr}"
        case ast.Attribute(value=ast.Name(id=name), attr=attr) if name in names:
            return f"{names[name]}.{attr}" if attr in _fields(names[name]) else None
        case ast.Attribute(value=value, attr=attr):
            section = _dotted(value, names)
            fields = _fields(section) if section else {}
            return f"{section}.{attr}" if attr in fields else None
    return None


def _fields(dotted: str) -> dict:
    first, *rest = dotted.split(".")
    model = Experiment if first == "experiment" else Params
    for name in rest if first == "experiment" else [first, *rest]:
        model = getattr(model, "model_fields", {}).get(name)
        model = getattr(model, "annotation", None)
        # That of a section which kept runs may be without.
        if type(None) in get_args(model):
            model = get_args(model)[0]
    return getattr(model, "model_fields", {})


EXPERIMENT = r"^experiments\.\$\{[\w.]+\}"


def parameters_declared(stage: dict) -> set[str]:
    """The same names, from ``params`` of a stage."""
    return {
        re.sub(r"\.\$\{(key|item\.corpus)\}$", "", re.sub(EXPERIMENT, "experiment", key))
        for key in stage.get("params", [])
    }


def within(one: str, other: str) -> bool:
    return one == other or one.startswith(f"{other}.")


def modules() -> list[Path]:
    """List the files of Python of pipeline and library."""
    return [path for folder in CODE for path in sorted((ROOT / folder).rglob("*.py"))]


# --- tests ----------------------------------------------------------------------------------------


def test_every_module_of_the_stages_is_a_stage_of_the_graph():
    stages = {path.stem for path in (ROOT / "analysis" / "stages").glob("[a-z]*.py")}
    run = {stage["cmd"].split()[3] for stage in STAGES.values()}
    assert stages == run


def test_every_stage_depends_on_the_note_of_the_modules_that_it_runs():
    noted = noted_entry_points()
    assert set(noted) == {own_note(name) for name in STAGES}
    for name in STAGES:
        note = own_note(name)
        code = [dep for dep in STAGES[name]["deps"] if dep.startswith(("modules", *CODE))]
        # Pages show the notes of all, and the docstrings of the library; templates and filters lie
        # beside the modules that fill them in.
        filled_in = [f"analysis/site/{room}" for room in ("paper", "preview", "source")]
        expected = {
            "modules": [*CODE],
            "notebook-provenance": ["modules"],
            "report": [*filled_in, "attention_mixing", "modules/report.json"],
        }
        assert code == expected.get(name, [f"modules/{note}.json"])
        assert noted[note] == entry_points(name)


def test_the_notes_depend_on_all_code():
    """All of it: which modules a stage runs is known only when it is read."""
    deps = [ROOT / dep for dep in STAGES["modules"]["deps"]]
    everything = closure(*(path for name in STAGES for path in entry_points(name)))
    assert all(any(dep in (path, *path.parents) for dep in deps) for path in everything)


@pytest.fixture(scope="module")
def loaded() -> dict[str, str]:
    """Modules that Python has loaded once all measures are known and pages can be rendered."""
    code = (
        "import json, sys, analysis.stages.measure, analysis.stages.notebook\n"
        "from attention_mixing.measures import STAGES, measures\n"
        "for stage in STAGES: measures(stage)\n"
        "files = {name: getattr(one, '__file__', '') for name, one in sys.modules.items()}\n"
        "print(json.dumps(files))"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    return json.loads(ran.stdout)


def test_nothing_runs_that_is_not_noted(loaded):
    """Held against Python itself."""
    own = {Path(file) for name, file in loaded.items() if name.partition(".")[0] in CODE}
    assert own >= DECLARED
    assert own <= closure(
        *entry_points("summary"), *entry_points("vectors"), *entry_points(CHAPTERS[0])
    )


def test_knowing_all_measures_imports_no_library_of_models(loaded):
    """The summary knows even those that load a model."""
    assert "attention_mixing.measures.clusters" in loaded
    assert not {"torch", "transformers", "umap", "distributed"} & set(loaded)


# File, one of its texts, what takes its place, and the stages that are stale then.
EDITS = {
    "attention_mixing/methods/alti.py": (
        *("sum(axis=-1)", "sum(axis=-2)"),
        {
            *("measure-vectors", "measure-dependence", "measure-propagation"),
            *("measure-gradients", "measure-focus", "measure-rows", "circuits", "summary"),
            "fingerprint",
        },
    ),
    # Comments, docstrings, and a parameter that nothing reads.
    "analysis/stages/capture.py": ("    device = ", "    # edited\n    device = ", set()),
    "attention_mixing/methods/rollout.py": ('"""', '"""Edited. ', set()),
    "attention_mixing/settings/values.py": ("ge=0, le=1)", "ge=0, le=2)", set()),
    "analysis/parameters/sections.py": (
        "    focus: Focus\n",
        "    focus: Focus\n    new: int\n",
        set(),
    ),
    "params.yaml": ("\n  focus:", "\n  new: 1\n  focus:", set()),
    # Versions of packages are noted, not the list of those that are.
    "analysis/pipeline/packages.py": ('    "umap":', '    "new": ("new",),\n    "umap":', set()),
    # What pages show counts as it is.
    "analysis/chapters/mixing/notebook.py": (
        *("from analysis", "# e\nfrom analysis"),
        {"notebook-mixing"},
    ),
    "analysis/chapters/mixing/figures.py": (
        *("from analysis", "# e\nfrom analysis"),
        {"notebook-mixing"},
    ),
    # Words and templates count for what may write them.
    "analysis/prose/ledger.html": ("<ul", "<ol", {"notebook-advice", "notebook-claims"}),
    "report/en/messages/mixing.ftl": (
        *("B9_statement =", "B9_statement = Edited:"),
        {f"notebook-{page}" for page in (*OVERVIEWS, "mixing")},
    ),
    "report/ja/messages/findings/mixing.ftl": (
        *("mixing_lead =", "mixing_lead = \u200b"),
        {"notebook-findings"},
    ),
    "report/_common.yml": (
        *("- mixing.qmd", "- edited.qmd"),
        {f"notebook-{page}" for page in OVERVIEWS},
    ),
}


@pytest.fixture(scope="module")
def notes(tmp_path_factory) -> tuple[dict, dict]:
    """Hashes of the modules of every stage, of the code as it is and after all edits."""
    copy = tmp_path_factory.mktemp("edited")
    for part in (*STAGES["modules"]["deps"], "params.yaml"):
        (copy / part).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / part).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / part, copy / part, ignore=ignored)
        else:
            shutil.copyfile(ROOT / part, copy / part)
    before = written_notes(copy)
    for file, (old, new, _) in EDITS.items():
        text = (copy / file).read_text(encoding="utf-8")
        assert old in text
        (copy / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    return before, written_notes(copy)


def written_notes(directory: Path) -> dict[str, dict[str, dict[str, str]]]:
    command = [sys.executable, "-m", "analysis.stages", "modules"]
    # Which leaves the models untried.
    environment = os.environ | {"PYTHONPATH": str(directory), "CHECKED_BY_MAKE": "yes"}
    subprocess.run(command, cwd=directory, env=environment, check=True)
    return {path.stem: json.loads(path.read_bytes()) for path in (directory / "modules").iterdir()}


@pytest.mark.parametrize("file", EDITS)
def test_a_note_changes_with_what_its_stage_runs_and_with_nothing_else(notes, file):
    before, after = notes
    assert before.keys() == after.keys()
    changed = {
        name
        for name in before
        if before[name]["modules"].get(file) != after[name]["modules"].get(file)
    }
    assert changed == EDITS[file][2]


def test_an_edited_rule_makes_no_summary_and_no_figure_stale():
    """The note of what rules ask is written anew, as it was; so is what they come to elsewhere."""

    def readers(path: str) -> set[str]:
        return {name for name, stage in STAGES.items() if path in stage["deps"]}

    # The first stage, which checks names, is run every time.
    assert readers("report/rules.yaml") - {"modules"} == {"parameters", "rules", "argument"}
    assert readers("report") == readers("results/parameters") == set()
    assert readers("results/parameters/asked.json") == {"summary"}
    in_chapters = {"notebook-claims", "notebook-advice", "notebook-run"}
    assert readers("results/rules/claims.json") == {*in_chapters, "argument"}
    assert readers("results/rules") == {"notebook-findings", "notebook-provenance"}
    # Its table of published orders says what became of each.
    assert readers("results/rules/faithfulness.json") == {"notebook-faithfulness"}
    for chapter in {*CHAPTERS} - {"notebook-claims", "notebook-faithfulness"}:
        assert not readers(f"results/rules/{chapter.removeprefix('notebook-')}.json")


def test_a_grammar_and_its_words_count_for_the_same_stages(notes):
    code, words = (
        {
            name
            for name in notes[0]
            if f"attention_mixing/corpora/reviews.{kind}" in notes[0][name]["modules"]
        }
        for kind in ("py", "yaml")
    )
    assert "prepare" in words
    assert words == code


# What a package is for, and the stages that are stale with another version of it.
PACKAGES = {
    "umap-learn": {
        *("measure-vectors", "measure-projection", "measure-queries-keys", "measure-heads"),
        *("summary", "explorer", "fingerprint", "notebook-features"),
    },
    # Which torch and transformers bring for us.
    "tokenizers": {
        *("anatomy", "arms", "capture", "circuits", "encoder", "explorer", "fingerprint", "train"),
        *("summary", "measure-vectors", "measure-dependence", "measure-propagation"),
        "measure-gradients",
        *("measure-faithfulness", "measure-heads", "measure-rows", "measure-focus"),
    },
    "accelerate": {"encoder", "fingerprint", "train"},
    "griffelib": {"report"},
    "pikepdf": {"report"},
    "typst": {"report"},
    "tqdm": set(),
    "papermill": set(),
}


@pytest.fixture(scope="module")
def notes_of_other_packages(tmp_path_factory) -> dict:
    """Notes where all of them seem to be installed in another version."""
    directory = tmp_path_factory.mktemp("installed")
    for package in PACKAGES:
        information = directory / f"{package.replace('-', '_')}-99.0.dist-info"
        information.mkdir()
        (information / "METADATA").write_text(f"Name: {package}\nVersion: 99.0\n")
    code = "import json; from analysis.pipeline.modules import notes; print(json.dumps(notes()))"
    environment = os.environ | {"PYTHONPATH": f"{directory}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-c", code]
    ran = subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True)
    return json.loads(ran.stdout)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_note_has_the_versions_of_what_its_stage_computes_with(notes_of_other_packages, package):
    noted = {
        name: note["packages"].get(package)
        for name, note in notes_of_other_packages.items()
        if name != "modules"
    }
    assert {name for name, version in noted.items() if version} == PACKAGES[package]
    assert set(noted.values()) <= {"99.0", None}


# Imported, and no part of what is computed.
IDLE = {
    *("IPython", "ipykernel", "jupytext", "nbformat", "papermill", "traitlets"),  # hold cells
    *("httpx2", "huggingface_hub"),  # fetch what is pinned
    *("joblib", "distributed", "threadpoolctl", "zc"),  # divide work
    *("jaxtyping", "pydantic", "pydantic_core", "typing_extensions"),  # check
    *("ruamel", "yaml", "markupsafe", "tqdm", "typer"),
}


def test_every_package_that_a_stage_imports_computes_or_is_known_not_to():
    paths = closure(*(path for name in STAGES for path in entry_points(name)))
    imported = set().union(*(libraries(run_nodes(tree(path))) for path in paths))
    others = imported - set(sys.stdlib_module_names) - {*CODE}
    assert others == (set(COMPUTING) | IDLE)


def test_packages_that_compute_are_named_as_they_are_installed():
    """All but those of a GPU, and of two that are one the one that is pinned."""
    named = {name for names in [*COMPUTING.values(), *NAMED.values()] for name in names}
    lacking = {name for name in named if installed(name) is None}
    assert lacking <= set(COMPUTING["cuml"] + COMPUTING["cupy"]) | {"pypandoc"}


def test_what_is_hashed_is_the_program():
    """Word for word, without comments and without statements that are a text alone."""
    for path in modules():
        source = path.read_text(encoding="utf-8")
        every = statements(source, without=tokenize.COMMENT)
        code = [one for one in every if {kind for kind, _, _ in one} != {tokenize.STRING}]
        assert statements(without_comments(source)) == code, path


def statements(source: str, without: int = tokenize.NL) -> list[list[tuple[int, str, int]]]:
    """Words of every statement: kind, word and the column where it begins."""
    idle = {tokenize.NL, tokenize.INDENT, tokenize.DEDENT, without}
    found: list[list[tuple[int, str, int]]] = [[]]
    for one in tokenize.generate_tokens(io.StringIO(source).readline):
        if one.type == tokenize.NEWLINE:
            found.append([])
        elif one.type not in idle:
            found[-1].append((one.type, one.string, one.start[1]))
    return found


def reads_all_parameters(stage: dict) -> bool:
    return any(Path(dep).name == "params.yaml" for dep in stage["deps"])


# What notebooks and the site are made with.
ROOMS = ("chapters", "figures", "prose", "results", "site")


def in_rooms(module: Path) -> set[Path]:
    """Files of these rooms that a module may import."""
    return {file for file in closure(module) if file.relative_to(ROOT).parts[1] in ROOMS}


READING = [n for n in STAGES if n not in MEASURED and not reads_all_parameters(STAGES[n])]


@pytest.mark.parametrize("name", READING)
def test_parameters_read_are_the_parameters_declared(name):
    """Those of stages that measure are held against what measures declare, by the linter."""
    stage = STAGES[name]
    module = entry_points(name)[0]
    paths = {module} | in_rooms(module)
    notebook = module.stem == "notebook"
    if notebook:
        # The declared parameters are the same for every chapter: what one of them needs.
        for chapter in CHAPTERS:
            _, script = entry_points(chapter)
            paths |= {script} | in_rooms(script)
    read, declared = parameters_read(paths), parameters_declared(stage)
    # Which files are read depends on no parameter, and results on none of who works.
    read -= {"workers"}
    if name == "fingerprint":  # its experiments are those of a file of its own
        read = set()
    chapter_parameters = "results/parameters/parameters.json"
    if notebook or chapter_parameters in stage["deps"]:
        assert chapter_parameters in stage["deps"]
        noted = {*FIELDS, "report.focus"} - {"report"}
        declared |= noted
        read |= noted
    if "results/parameters/experiments.json" in stage["deps"]:
        read = {one for one in read if not within(one, "experiments")}
    if name == "explorer":
        # Of the texts on maps (`analysis.parameters.derived.mapped_texts`), and where models of
        # the states compute that `analysis.stages.measure` reads.
        read |= {"geometry.texts", "projection.examples", "device"}
    if any(within("experiments", one) for one in declared):
        read = {one for one in read if not within(one, "experiment")} | {"experiments"}
    read.discard("experiments" if "experiments" not in declared else "")
    undeclared = {one for one in read if not any(within(one, other) for other in declared)}
    assert not undeclared, f"{name} reads {undeclared} without declaring it"
    unread = {one for one in declared if not any(within(other, one) for other in read)}
    assert not unread, f"{name} declares {unread} without reading it"


# A parameter, and the measuring stages that are not run again for it, nor is any before them.
SPARED = {
    "propagation.residual": {"vectors", "projection", "queries-keys", "heads", "gradients"},
    "propagation.flow_sources": {"vectors", "projection", "queries-keys", "heads", "gradients"},
    "propagation.value_zeroing": {"projection", "queries-keys", "heads", "gradients", "rows"},
    "projection.neighbors": {"vectors", "propagation", "heads", "gradients", "faithfulness"},
    "faithfulness.effect": {"vectors", "propagation", "projection", "heads", "gradients"},
    "ablation.examples": {"vectors", "propagation", "projection", "queries-keys", "heads"},
    "geometry.lines": {"vectors", "propagation", "projection", "heads", "gradients", "rows"},
    "report.explorer.texts": {*MEASURED},
    "report.renderer": {*MEASURED, "explorer", *CHAPTERS},
}


@pytest.mark.parametrize("parameter", SPARED)
def test_a_parameter_reruns_nothing_that_does_not_read_it(parameter):
    rerun = {
        name
        for name, stage in STAGES.items()
        if any(within(parameter, declared) for declared in parameters_declared(stage))
    }
    while more := {name for name in STAGES if _reads(name, rerun)} - rerun:
        rerun |= more
    assert rerun and not rerun & (SPARED[parameter] | {"prepare", "train", "capture"})


def _reads(name: str, others: set[str]) -> bool:
    """Whether a stage depends on what one of others writes.

    Not counted is what the stage *parameters* notes, which is read by the names of its files.
    """
    outs = [out for other in others - {"parameters"} for out in outputs(STAGES[other])]
    deps = [re.sub(r"\$\{[\w.]+\}", "${key}", dep) for dep in STAGES[name]["deps"]]
    return any(
        within_path(dep, out) or within_path(out, dep)
        for dep in deps
        for out in outs
        # Texts on maps are linked to where they are shown, which is a file of its own.
        if out != "results/explorer" or dep == out
    )


def test_a_file_that_is_added_makes_nothing_stale_that_does_not_read_it():
    """All files are read by one stage alone, whose notes are by who reads them."""
    assert {name for name, stage in STAGES.items() if "inputs" in stage["deps"]} == {"named-files"}
    assert not any("files" in stage.get("params", []) for stage in STAGES.values())
    readers = [dep for stage in STAGES.values() for dep in stage["deps"] if "named-files" in dep]
    assert readers and all(dep.endswith(".json") for dep in readers if "modules" not in dep)


def test_what_explains_a_prediction_is_computed_in_float32():
    """Half precision leaves a handful of distinct losses, whose ranks are those of its rounding."""
    for stage in ("gradients", "faithfulness"):
        read = parameters_read({MEASURES / f"{topic}.py" for topic in MEASURED[stage]})
        assert "precision" not in parameters_declared(STAGES[stage]) | read


def test_a_stage_that_measures_lists_what_its_measures_declare_and_nothing_else():
    assert not [*other_parameters(GRAPH)]
    listed = GRAPH["gradients"]["do"]["params"]
    less, more = listed[1:], [*listed, "geometry.lines"]
    for wrong in (less, more):
        do = GRAPH["gradients"]["do"] | {"params": wrong}
        (said,) = other_parameters(GRAPH | {"gradients": {"do": do}})
        assert "the stage gradients" in said
        _, lines = said.split("put there:\n")
        assert yaml.safe_load(lines) == {"params": listed}


def test_a_stage_that_measures_says_which_texts_it_is_of():
    """What names them is read by the stage, and by no measure."""
    of_stage = (ROOT / "analysis" / "stages" / "measure.py", Path(inspect.getfile(mapped_texts)))
    # Its licence is asked elsewhere, and measures say themselves whether they compute on a device.
    read = parameters_read(of_stage) - {"device", "experiment.data", "experiments", "workers"}
    assert read == {name for names in SHOWN.values() for name in names}


@pytest.mark.parametrize("stage", MEASURED)
def test_a_measure_says_which_parameters_it_reads(stage):
    """By its module, and those of the package of measures that it uses."""
    for topic in MEASURED[stage]:
        module = MEASURES / f"{topic}.py"
        own = [one for one in measures(stage) if inspect.getfile(one.work) == str(module)]
        said = {setting for one in own for setting in one.parameters}
        read = parameters_read({module}) - {"experiments"}
        unsaid = {one for one in read if not any(within(one, other) for other in said)}
        assert not unsaid, f"{topic} reads {unsaid} and does not say so"


def test_a_stage_writes_one_directory_of_its_own_from_which_dvc_restores_it():
    """A persistent output outlives a failed run, and is never taken from a former one."""
    every = [out for stage in STAGES.values() for out in outputs(stage)]
    assert len(every) == len(set(every))
    for name, stage in STAGES.items():
        (out,) = stage["outs"]
        # What readers look at, and what is written at every run.
        persistent = name in ("site", "modules")
        assert out == {name: {"persist": True}} if persistent else isinstance(out, str)
        assert (len(outputs(stage)) == 1) == (name != "summary")


def test_dependencies_that_no_stage_writes_are_committed():
    """True in a fresh clone too, where nothing has run: so git is asked, not the disk alone."""
    outs = {out for stage in STAGES.values() for out in outputs(stage)}
    for dep in {dep for stage in STAGES.values() for dep in stage["deps"]}:
        if "${" in dep or any(within_path(dep, out) or within_path(out, dep) for out in outs):
            continue
        assert any(within_path(file, dep) for file in _committed()), dep


def within_path(one: str, other: str) -> bool:
    return one == other or one.startswith(f"{other}/")


@cache
def _committed() -> tuple[str, ...]:
    if not (ROOT / ".git").exists():
        pytest.skip("no git here, so nothing says what is committed")
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return tuple(listed.stdout.splitlines())


def test_make_clean_deletes_nothing_that_is_committed():
    recipe = ["make", "--dry-run", "clean"]
    printed = subprocess.run(recipe, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    deleted = [word for word in printed.split() if word not in ("rm", "-rf")]
    assert "artifacts" in deleted
    for pattern in deleted:
        assert not [one for one in _committed() if fnmatch(one, pattern)], pattern
        assert not [one for one in _committed() if fnmatch(one, f"{pattern}/*")], pattern


ALLOWED = {
    # Of the library.
    "methods": {"methods"},
    "settings": {"settings", "errors"},
    "yaml_text": {"yaml_text"},
    "schemas": {"schemas", "errors"},
    "errors": {"errors"},
    "artifacts": {"artifacts", "errors", "schemas"},
    "addresses": {"addresses"},
    "hashing": {"hashing"},
    "hub": {"hub"},
    "lines": {"lines", "errors"},
    "markup": {"markup"},
    "messages": {"messages"},
    "corpora": {
        *("corpora", "settings"),
        *("artifacts", "errors", "hashing", "hub", "yaml_text"),
    },
    "models": {
        *("models", "methods", "settings"),
        *("artifacts", "errors", "hashing", "hub", "yaml_text"),
    },
    "capture": {
        *("capture", "models", "methods", "settings"),
        *("artifacts", "errors", "hashing", "schemas"),
    },
    "workers": {"workers", "errors"},
    "attributions": {"attributions", "capture", "models", "methods", "settings", "errors"},
    "measures": {
        *("measures", "attributions", "capture", "corpora", "models", "methods", "settings"),
        *("addresses", "errors", "explorer", "schemas", "workers"),
    },
    "circuits": {
        *("circuits", "measures", "attributions", "capture", "models", "methods", "settings"),
        *("errors", "yaml_text"),
    },
    "explorer": {
        "explorer",
        "attributions",
        "capture",
        "methods",
        "settings",
        "markup",
        "messages",
    },
    "explain": {
        *("explain", "explorer", "attributions", "measures", "capture", "models", "methods"),
        "settings",
        *("errors", "lines", "markup"),
    },
    # Of the pipeline.
    "paths": {"paths"},
    "remedies": {"remedies", "errors"},
    "fonts": {"fonts", "markup"},
    "runs": {"runs", "parameters", "settings", "artifacts", "errors", "paths", "schemas"},
    "rules": {
        *("rules", "runs", "parameters", "models", "methods", "settings"),
        *("addresses", "artifacts", "errors", "paths", "schemas"),
    },
    "results": {
        *("results", "rules", "runs", "parameters", "models", "methods", "settings"),
        *(
            "attributions",
            "circuits",
            "addresses",
            "fonts",
            "artifacts",
            "errors",
            "markup",
            "paths",
        ),
    },
    "argument": {
        *("argument", "prose", "results", "rules", "runs", "parameters", "circuits", "settings"),
        *("addresses", "artifacts", "errors", "paths"),
    },
    "prose": {
        *("prose", "results", "rules", "runs", "parameters", "models", "methods", "settings"),
        *("artifacts", "circuits", "errors", "markup", "paths", "messages"),
    },
    "figures": {
        *("figures", "prose", "results", "rules", "runs", "attributions", "fonts", "artifacts"),
        *("errors", "markup", "paths", "messages"),
    },
    "site": {
        *("remedies", "argument"),
        *("site", "figures", "prose", "results", "runs", "explorer", "attributions", "capture"),
        *("parameters", "settings", "fonts", "artifacts", "errors", "markup", "paths"),
    },
    "anatomy": {"anatomy", "parameters", "models", "settings", "errors"},
    "lint": {"lint", "argument", "pipeline", "site", "rules", "measures", "errors", "paths"},
    "pipeline": {
        "remedies",
        *(
            "pipeline",
            "prose",
            "methods",
            "rules",
            "measures",
            "addresses",
            "parameters",
            "settings",
            "artifacts",
            "errors",
            "hashing",
        ),
        *("paths", "workers"),
    },
    "chapters": {
        *("chapters", "site", "argument", "figures", "prose", "results", "rules", "runs"),
        *("parameters", "explorer", "circuits", "attributions", "capture", "models", "methods"),
        *("settings", "fonts", "addresses", "artifacts", "errors", "hashing", "markup"),
        *("messages", "paths"),
    },
    "parameters": {"parameters", "settings", "errors", "schemas", "yaml_text"},
    "checks": {
        *("checks", "parameters", "anatomy", "lint", "pipeline", "explorer", "measures", "capture"),
        *("models", "corpora", "methods", "settings", "errors", "paths"),
    },
    "reference": {
        *(
            "reference",
            "pipeline",
            "results",
            "rules",
            "runs",
            "parameters",
            "measures",
            "settings",
        ),
        *("artifacts", "errors", "paths", "schemas"),
    },
}


@pytest.mark.parametrize("part", ALLOWED)
def test_imports_point_one_way(part):
    (base,) = (
        ROOT / folder / part
        for folder in CODE
        if (ROOT / folder / part).is_dir() or (ROOT / folder / f"{part}.py").is_file()
    )
    files = base.rglob("*.py") if base.is_dir() else [base.with_suffix(".py")]
    for path in files:
        for file, other in rooms(path):
            assert other in ALLOWED[part], (
                f"{path.relative_to(ROOT)} imports {file.relative_to(ROOT)}"
            )


def rooms(path: Path) -> list[tuple[Path, str]]:
    """List what a module imports, with the room, or the loose module, that it is of."""
    return [
        (file, file.relative_to(ROOT).parts[1].removesuffix(".py"))
        for file in imported(path)
        if not (file.parts[-2] in CODE and file.name == "__init__.py")
    ]


def test_no_chapter_imports_another():
    """What two of them share is in a room that all may import, as are the modules it needs."""
    chapters = ROOT / "analysis" / "chapters"
    for path in chapters.rglob("*.py"):
        for file in closure(path):
            if file.is_relative_to(chapters) and file.name != "__init__.py":
                assert file.parent == path.parent, f"{path} imports {file}"


def test_what_one_chapter_alone_uses_lies_in_its_folder():
    """A module of the rooms that chapters share has two users at least, or one that is none."""
    reached = {name: closure(*entry_points(name)) for name in STAGES}
    reached["make"] = closure(ROOT / "analysis" / "__main__.py")
    for room in ("figures", "prose", "results"):
        for path in (ROOT / "analysis" / room).glob("[a-z]*.py"):
            users = [name for name, files in reached.items() if path in files]
            assert len(users) > 1 or not users[0].startswith("notebook-"), f"{path}: {users}"


def test_code_of_figures_is_told_apart_by_the_name_of_its_module():
    """By it, the code of all figures and tables of a chapter lies in one folder of the site."""
    shared = {
        path.name
        for room in ("figures", "prose")
        for path in (ROOT / "analysis" / room).glob("[a-z]*.py")
    }
    for path in (ROOT / "analysis" / "chapters").glob("*/*.py"):
        assert path.name not in shared, path


def test_imports_go_to_the_right_in_the_picture_of_the_rooms():
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (picture,) = re.findall(r"^```\n(analysis .*?)^```$", guide, re.M | re.S)
    for drawn in picture.split("|"):
        package, _, arrows = drawn.strip().partition(" ")
        steps = [re.findall(r"\w+", step) for step in arrows.split("->")]
        place = {room: number for number, step in enumerate(steps) for room in step}
        if package == "analysis":
            assert set(place) == {path.parent.name for path in (ROOT / package).glob("*/*.py")}
        for room in place:
            for path in (ROOT / package / room).rglob("*.py"):
                for file, other in rooms(path):
                    if file.is_relative_to(ROOT / package) and other in place and other != room:
                        assert place[other] > place[room], f"{path} imports {file}"


def test_the_report_holds_no_python():
    assert not list((ROOT / "report").rglob("*.py"))


def test_the_library_imports_nothing_of_the_pipeline():
    for path in (ROOT / "attention_mixing").rglob("*.py"):
        assert all(file.is_relative_to(ROOT / "attention_mixing") for file in imported(path)), path


def test_a_name_of_a_class_means_one_thing():
    named: dict[str, Path] = {}
    for path in modules():
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef):
                assert named.setdefault(node.name, path) == path, f"{node.name}: {path}"


def _offers(path: Path) -> bool:
    """Tell whether a module says what of it users call."""
    assigned = (node for node in tree(path).body if isinstance(node, ast.Assign))
    return any(ast.unparse(target) == "__all__" for node in assigned for target in node.targets)


def test_no_module_of_the_package_is_left_unused():
    roots = [path for name in STAGES for path in entry_points(name)]
    commands = (ROOT / folder / "__main__.py" for folder in CODE)
    # Of `make lint`, and of every stage.
    others = (ROOT / "analysis" / room / "__main__.py" for room in ("lint", "stages"))
    # What users import, which nothing here does: what a package offers, or a module by itself.
    doors = [
        Path(package.__file__).parent / f"{module}.py"
        for package in (attributions, circuits)
        for module in package._OFFERED.values()
    ]
    doors += [path for path in modules() if _offers(path)]
    methods = (ROOT / "attention_mixing" / "methods").glob("*.py")  # functions of arrays, for all
    used = closure(*roots, *commands, *doors, *methods, *others)
    everything = set(modules())
    left = {path for path in everything - used if path.name != "__init__.py"}
    assert not left


def test_stages_without_a_model_import_neither_torch_nor_transformers():
    """Start-up is the largest avoidable cost of a graph with many small stages."""
    heavy = {"torch", "transformers", "datasets", "accelerate"}
    for name in ("input", "queries-keys", "report", "notebook-run"):
        for path in closure(*entry_points(name)):
            found = libraries(run_nodes(tree(path))) & heavy
            assert not found, f"{name}: {path.relative_to(ROOT)} imports {found}"


def libraries(nodes: Iterable[ast.AST]) -> set[str]:
    """Packages that some statements import."""
    names = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(str(node.module))
    return {name.partition(".")[0] for name in names}
