"""dvc.yaml says what the code does: every stage declares the parameters and modules it reads."""

import ast
import inspect
import os
import re
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from small_run import GRAPH, outputs

from analysis.figures.words import OVERVIEWS
from analysis.hashing import without_comments
from analysis.imports import ROOT, closure, imported, run_nodes, tree
from analysis.measures import GROUPS, measures
from analysis.params import Experiment, Params
from analysis.stages.modules import entry_points as noted_entry_points
from analysis.stages.parameters import SECTIONS as SECTIONS_NOTED

MEASURES = ROOT / "analysis" / "measures"
STAGES = {name: stage.get("do", stage) for name, stage in GRAPH.items()}
CHAPTERS = [one for one in STAGES if one.startswith("notebook-") and "provenance" not in one]


def entry_points(name: str) -> list[Path]:
    """Files that a stage runs: its module, the measures of its group, the notebook it names."""
    _, _, module, *arguments = STAGES[name]["cmd"].split()
    files = [ROOT / (module.replace(".", "/") + ".py")]
    groups = {"measure": arguments[1:], "summary": GROUPS}.get(files[0].stem, ())
    files += [MEASURES / f"{subject}.py" for group in groups for subject in GROUPS[group]]
    if module == "analysis.stages.notebook":
        files.append(ROOT / "analysis" / "notebooks" / f"{arguments[0]}.py")
    return files


def own_note(name: str) -> str:
    """Note of the modules that a stage runs."""
    _, _, module, *arguments = STAGES[name]["cmd"].split()
    own = {"measure": arguments[1:], "notebook": arguments}.get(module.rpartition(".")[2], ())
    return "-".join([module.rpartition(".")[2], *own])


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
    return getattr(model, "model_fields", {})


def parameters_declared(stage: dict) -> set[str]:
    """The same names, from ``params`` of a stage."""
    return {
        re.sub(r"^experiments\.\$\{[\w.]+\}", "experiment", key).removesuffix(".${key}")
        for key in stage.get("params", [])
    }


def within(one: str, other: str) -> bool:
    return one == other or one.startswith(f"{other}.")


# --- tests ----------------------------------------------------------------------------------------


def test_there_are_the_stages_of_the_design():
    expected = {"prepare", "train", "capture", *GROUPS, "summary", "rules", "report", "site"}
    assert expected <= set(STAGES)
    others = {path.stem for path in (ROOT / "analysis" / "stages").glob("[a-z]*.py")}
    run = {stage["cmd"].split()[2].rpartition(".")[2] for stage in STAGES.values()}
    assert others == run, "analysis/stages holds stages and nothing else"


@pytest.mark.parametrize("name", [name for name in STAGES if name != "modules"])
def test_every_stage_depends_on_the_modules_that_it_runs(name):
    note = own_note(name)
    code = [dep for dep in STAGES[name]["deps"] if dep.startswith(("modules", "analysis"))]
    assert code == [f"modules/{note}.json"]
    assert noted_entry_points()[note] == entry_points(name)


def test_there_is_a_note_for_nothing_else():
    assert set(noted_entry_points()) == {own_note(name) for name in STAGES}


def test_the_notes_depend_on_all_code():
    """All of it: which modules a stage runs is known only when it is read."""
    deps = [ROOT / dep for dep in STAGES["modules"]["deps"]]
    everything = closure(*(path for name in STAGES for path in entry_points(name)))
    assert all(any(dep in path.parents for dep in deps) for path in everything)


@pytest.mark.parametrize(
    "module",
    ["measures.propagation", "measures.clusters", "stages.report", "stages.notebook"],
)
def test_nothing_runs_that_is_not_noted(module):
    """Held against Python itself: what is loaded when a module is imported."""
    path = ROOT / "analysis" / f"{module.replace('.', '/')}.py"
    module = f"analysis.{module}"
    code = (
        f"import sys, {module}\n"
        "for one in list(sys.modules.values()):\n"
        "    print(getattr(one, '__file__', None) or '')"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    loaded = {Path(line) for line in ran.stdout.splitlines() if line}
    own = {path for path in loaded if (ROOT / "analysis") in path.parents}
    assert ROOT / "analysis" / "params" / "sections.py" in own
    assert own <= closure(path)


@pytest.fixture(scope="module")
def noted(tmp_path_factory):
    """Notes of the code as it is, and a copy of the code to edit."""
    copy = tmp_path_factory.mktemp("edited")
    for part in (*STAGES["modules"]["deps"], "params.yaml"):
        (copy / part).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / part).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / part, copy / part, ignore=ignored)
        else:
            shutil.copyfile(ROOT / part, copy / part)
    return copy, notes(copy)


def notes(directory: Path) -> dict[str, str]:
    command = [sys.executable, "-m", "analysis.stages.modules"]
    environment = os.environ | {"PYTHONPATH": str(directory)}
    subprocess.run(command, cwd=directory, env=environment, check=True)
    written = (directory / "modules").glob("*.json")
    return {path.stem: path.read_text(encoding="utf-8") for path in written}


def stale_after(noted, *edits: tuple[str, str, str]) -> set[str]:
    """Notes that change when, in each file, the first of one text becomes another."""
    directory, before = noted
    whole = {file: (directory / file).read_text(encoding="utf-8") for file, _, _ in edits}
    try:
        for file, old, new in edits:
            assert old in whole[file]
            text = whole[file].replace(old, new, 1)
            (directory / file).write_text(text, encoding="utf-8")
        after = notes(directory)
    finally:
        for file, text in whole.items():
            (directory / file).write_text(text, encoding="utf-8")
    assert before.keys() == after.keys()
    return {name for name in before if before[name] != after[name]}


def test_a_note_changes_with_what_its_stage_runs_and_with_nothing_else(noted):
    changed = stale_after(noted, ("analysis/methods/alti.py", "sum(axis=-1)", "sum(axis=-2)"))
    assert changed == {"measure-vectors", "measure-focus", "summary"}


@pytest.mark.parametrize(
    "edit",
    [
        ("analysis/params/sections.py", "# --- where the texts come from", "# --- texts"),
        ("analysis/methods/rollout.py", '"""', '"""Edited. '),
        ("analysis/stages/capture.py", "    device = ", "    # edited\n    device = "),
    ],
    ids=lambda edit: edit[0],
)
def test_an_edited_comment_or_docstring_makes_no_stage_stale(noted, edit):
    assert stale_after(noted, edit) == set()


def test_a_parameter_that_nothing_reads_makes_no_stage_stale(noted):
    declaration = (
        "analysis/params/sections.py",
        "    focus: Focus\n",
        "    focus: Focus\n    new: int\n",
    )
    value = ("params.yaml", "\n  focus:", "\n  new: 1\n  focus:")
    assert stale_after(noted, declaration, value) == set()
    declared = set().union(*map(parameters_declared, STAGES.values()))
    assert not any(within("report.new", one) for one in declared)


@pytest.mark.parametrize("file", ["analysis/notebooks/mixing.py", "analysis/figures/mixing.py"])
def test_code_that_pages_show_counts_as_it_is(noted, file):
    changed = stale_after(noted, (file, "from analysis", "# edited\nfrom analysis"))
    assert "notebook-mixing" in changed
    assert all(name.startswith("notebook-") for name in changed)


def test_a_word_counts_for_the_stages_that_may_write_texts_of_it(noted):
    changed = stale_after(noted, ("analysis/corpora/reviews.yaml", "dull", "edited"))
    assert "prepare" in changed
    assert changed == stale_after(noted, ("analysis/corpora/reviews.py", "(12, 45)", "(12, 46)"))


def test_a_template_counts_for_the_chapter_that_fills_it_in(noted):
    edit = ("analysis/figures/claims_list.html", "<ul", "<ol")
    assert stale_after(noted, edit) == {"notebook-advice", "notebook-claims"}


def test_words_count_for_their_page_and_for_pages_about_all(noted):
    edit = ("report/en/messages/mixing.ftl", "B9_statement =", "B9_statement = Edited:")
    pages = {f"notebook-{page}" for page in (*OVERVIEWS, "mixing")}
    assert stale_after(noted, edit) == pages


def test_the_order_of_the_pages_counts_for_the_pages_about_all(noted):
    edit = ("report/_common.yml", "- mixing.qmd", "- edited.qmd")
    assert stale_after(noted, edit) == {f"notebook-{page}" for page in OVERVIEWS}


@pytest.mark.parametrize("path", sorted((ROOT / "analysis").rglob("*.py")), ids=lambda p: p.stem)
def test_what_is_hashed_is_the_program(path):
    """Held against the syntax trees of both, docstrings apart."""
    source = path.read_text(encoding="utf-8")
    left = with_bodies(without_comments(source))
    assert syntax(left) == syntax(source)
    assert without_comments(left) == left


def with_bodies(source: str) -> str:
    """Give what held a docstring alone, such as the class of an error, a body that parses."""
    lines = [*source.split("\n"), ""]
    return "\n".join(
        f"{line} pass" if line.endswith(":") and indent(line) >= indent(below) else line
        for line, below in pairwise(lines)
    )


def indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def syntax(source: str) -> str:
    """Tree of a program; without docstrings, which it has a `pass` for where nothing else is."""
    module = ast.parse(source)
    for node in ast.walk(module):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [one for one in body if not is_docstring(one)] or [ast.Pass()]
    return ast.dump(module)


def is_docstring(node) -> bool:
    match node:
        case ast.Expr(value=ast.Constant(value=str())):
            return True
    return False


@pytest.mark.parametrize("name", [n for n in STAGES if "params.yaml" not in STAGES[n]["deps"]])
def test_parameters_read_are_the_parameters_declared(name):
    stage = STAGES[name]
    module = entry_points(name)[0]
    paths = {module} | {file for file in closure(module) if "figures" in file.parts}
    notebook = module.stem == "notebook"
    if notebook:
        # The declared parameters are the same for every chapter: what one of them needs.
        for chapter in CHAPTERS:
            _, script = entry_points(chapter)
            figures = {f for f in closure(script) if "figures" in f.parts}
            paths |= {script, *figures}
    read, declared = parameters_read(paths), parameters_declared(stage)
    # Which files are read depends on no parameter, and results on none of who works.
    read -= {"workers"}
    if notebook or "results/parameters" in stage["deps"]:
        # The note of all that chapters read.
        assert "results/parameters" in stage["deps"]
        noted = parameters_read({entry_points("parameters")[0]}) | set(SECTIONS_NOTED)
        declared |= noted
        read |= noted
    if "results/parameters/experiments.json" in stage["deps"]:
        read = {one for one in read if not within(one, "experiments")}
    if name in GROUPS:
        # What a measure reads, it says.
        read = {setting for one in measures(name) for setting in one.settings}
    if any(within("experiments", one) for one in declared):
        read = {one for one in read if not within(one, "experiment")} | {"experiments"}
    read.discard("experiments" if "experiments" not in declared else "")
    undeclared = {one for one in read if not any(within(one, other) for other in declared)}
    assert not undeclared, f"{name} reads {undeclared} without declaring it"
    unread = {one for one in declared if not any(within(other, one) for other in read)}
    assert not unread, f"{name} declares {unread} without reading it"


def test_what_explains_a_prediction_is_computed_in_float32():
    """Half precision leaves a handful of distinct losses, whose ranks are those of its rounding."""
    read = parameters_read({MEASURES / f"{subject}.py" for subject in GROUPS["explain"]})
    assert "precision" not in parameters_declared(STAGES["explain"]) | read


@pytest.mark.parametrize("group", GROUPS)
def test_a_measure_says_which_parameters_it_reads(group):
    """By its module, and those of the package of measures that it uses."""
    for subject in GROUPS[group]:
        module = MEASURES / f"{subject}.py"
        own = [one for one in measures(group) if inspect.getfile(one.work) == str(module)]
        said = {setting for one in own for setting in one.settings}
        read = parameters_read({module}) - {"experiments"}
        unsaid = {one for one in read if not any(within(one, other) for other in said)}
        assert not unsaid, f"{subject} reads {unsaid} and does not say so"


@pytest.mark.parametrize("name", STAGES)
def test_a_stage_writes_one_directory_from_which_dvc_restores_it(name):
    """Only what readers look at outlives a run: a persistent output is never taken from a run."""
    (out,) = STAGES[name]["outs"]
    assert outputs(STAGES[name])[1:] == (
        ["results/metrics", "results/plots"] if name == "summary" else []
    )
    assert (out == {"site": {"persist": True}}) == (name == "site")
    assert isinstance(out, str) or name == "site"


def test_no_output_has_two_stages():
    outs = [out for stage in STAGES.values() for out in outputs(stage)]
    assert len(outs) == len(set(outs))


@pytest.mark.parametrize("name", STAGES)
def test_dependencies_that_no_stage_writes_are_committed(name):
    """True in a fresh clone too, where nothing has run: so git is asked, not the disk alone."""
    outs = {out for stage in STAGES.values() for out in outputs(stage)}
    committed = _committed()
    for dep in STAGES[name]["deps"]:
        if "${" in dep or any(within_path(dep, out) or within_path(out, dep) for out in outs):
            continue
        assert any(within_path(file, dep) for file in committed), dep


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
    "methods": {"methods"},
    "params": {"params", "errors"},
    "errors": {"errors"},
    "hashing": {"hashing"},
    "hub": {"hub"},
    "imports": {"imports"},
    "paths": {"paths"},
    "corpora": {"corpora", "params", "errors", "hashing", "hub", "paths"},
    "models": {"models", "methods", "params", "errors", "hashing", "hub"},
    "capture": {"capture", "models", "methods", "params", "errors", "hashing"},
    "measures": {
        *("measures", "capture", "corpora", "models", "methods", "params"),
        *("errors", "hashing", "imports"),
    },
    "rules": {"rules", "methods", "params", "errors"},
    "figures": {"figures", "rules", "capture", "methods", "params", "errors", "hashing", "paths"},
    "notebooks": {"figures", "rules", "methods", "params", "paths", "errors"},
}


@pytest.mark.parametrize("part", ALLOWED)
def test_imports_point_one_way(part):
    base = ROOT / "analysis" / part
    files = base.rglob("*.py") if base.is_dir() else [base.with_suffix(".py")]
    for path in files:
        for file in imported(path):
            if file.parts[-2:] == ("analysis", "__init__.py"):
                continue
            other = file.relative_to(ROOT / "analysis").parts[0].removesuffix(".py")
            assert other in ALLOWED[part], (
                f"{path.relative_to(ROOT)} imports {file.relative_to(ROOT)}"
            )


def test_no_module_of_the_package_is_left_unused():
    roots = [path for name in STAGES for path in entry_points(name)]
    # What the package offers beside its commands; torch is imported when somebody asks for it.
    offered = ROOT / "analysis" / "measures" / "of_text.py"
    used = closure(*roots, ROOT / "analysis" / "__main__.py", offered)
    everything = set((ROOT / "analysis").rglob("*.py"))
    left = {path for path in everything - used if path.name != "__init__.py"}
    assert not left


def test_stages_without_a_model_import_neither_torch_nor_transformers():
    """Start-up is the largest avoidable cost of a graph with many small stages."""
    heavy = {"torch", "transformers", "datasets", "accelerate"}
    for name in ("input", "vectors", "queries-keys", "report", "notebook-index"):
        for path in closure(*entry_points(name)):
            for node in run_nodes(tree(path)):
                found = set()
                if isinstance(node, ast.Import):
                    found = {alias.name.partition(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and not node.level:
                    found = {(node.module or "").partition(".")[0]}
                assert not found & heavy, f"{name}: {path.relative_to(ROOT)} imports {found}"


def test_knowing_all_measures_imports_neither():
    """The summary knows even those that load a model."""
    code = (
        "import sys\nfrom analysis.measures import GROUPS, measures\n"
        "for group in GROUPS: measures(group)\n"
        "print(*sorted({'torch', 'transformers', 'umap', 'distributed'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout.strip()) == (0, "")


@pytest.mark.parametrize("name", STAGES)
def test_importing_a_stage_is_quick(name):
    """Models are imported where they are used, so even `train` without a task starts at once."""
    path = entry_points(name)[0]
    top = {
        alias.name.partition(".")[0] if isinstance(node, ast.Import) else node.module
        for node in tree(path).body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    slow = {"torch", "transformers", "datasets", "sklearn", "umap", "papermill"}
    assert not top & slow
