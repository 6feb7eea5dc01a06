"""What rules, figures and notebooks name is given by some measure, or nothing runs."""

import shutil
from pathlib import Path

import pytest
import yaml

from analysis.lint import quantity_names
from analysis.lint.quantity_names import drawn_by, require_names
from analysis.paths import REPORT
from analysis.rules.rule import parse
from analysis.rules.selection import require_given
from attention_mixing.errors import InputError
from attention_mixing.measures import GROUPS, declared

ROOT = Path(__file__).parents[1]
CURVE = {"measure": "mixing", "quantity": "ratio"}


def refusal(group, **named) -> str:
    with pytest.raises(InputError) as raised:
        require_given("here", declared(group), {column: [name] for column, name in named.items()})
    return str(raised.value)


def write_rules(directory, monkeypatch, row) -> None:
    (directory / "report").mkdir()
    text = yaml.safe_dump([row])
    (directory / "report" / "rules.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(quantity_names, "ROOT", directory)


def test_all_that_stands_here_is_given():
    require_names()


@pytest.mark.parametrize(
    ("named", "said"),
    [
        (
            {"quantity": "ratoi"},
            "here names quantity 'ratoi', which no measure gives; did",
        ),
        ({"quantity": "ratio", "subject": "atn_w"}, "did you mean attn_w"),
        ({"quantity": "ratio", "facet": "cl"}, "did you mean cls"),
        ({"quantity": "ratio", "measure": "mixings"}, "which there is not; did you mean mixing"),
        ({"quantity": "ratio", "measure": "sinks"}, "which sinks does not give; allowed: sink"),
        ({"quantity": "ratio", "subject": "rollout"}, "allowed: attn_w, attn_n"),
        ({"quantity": "self_similarity", "subject": "raw"}, "leave subject out"),
        (
            {"quantity": "cka", "subject": "first"},
            "which no measure gives with quantity cka; allowed: LAYER",
        ),
    ],
)
def test_a_name_that_no_measure_gives_is_one_sentence(named, said):
    assert said in refusal("vectors", **named)


def test_names_have_to_come_together():
    """Each is given by some measure; no measure gives both."""
    require_given("here", declared("heads"), {"quantity": ["k"], "subject": ["gap"]})
    assert "'gap'" in refusal("heads", quantity="stability", subject="gap")


def test_a_layer_is_named_by_its_number():
    require_given("here", declared("vectors"), {"quantity": ["cka"], "subject": ["11"]})


@pytest.mark.parametrize(
    "case",
    [
        {"curve": CURVE | {"where": {"subject": "attn"}}},
        {
            "texts": CURVE
            | {"where": {"subject": "attn_w"}, "minus": {"where": {"subject": "attn"}}}
        },
        {"texts": CURVE | {"where": {"subject": "attn_w"}, "divided_by": {"quantity": "rate"}}},
        {"heads": {"measure": "heads", "quantity": "sepp", "within": {"above": 0.5}}},
        {"curve": {"measure": "heads", "quantity": "p_value", "references": "reference_sets"}},
    ],
)
def test_every_name_in_a_rule_is_looked_at(tmp_path, monkeypatch, case):
    row = {"id": "mixing.odd", "variants": ["pretrained"], "cases": [case]}
    parse(row)  # nothing else is wrong with it
    write_rules(tmp_path, monkeypatch, row)
    with pytest.raises(InputError, match=r"rules\.yaml: rule mixing\.odd names "):
        require_names()


def test_one_of_several_to_choose_from_is_looked_at(tmp_path, monkeypatch):
    choice = {"measure": "heads", "by": "quantity", "among": ["cls", "seps"]}
    row = {"id": "heads.odd", "variants": ["pretrained"], "choices": {"most": choice}}
    write_rules(tmp_path, monkeypatch, row)
    with pytest.raises(InputError, match=r"'seps', which heads does not give; did you mean sep"):
        require_names()


@pytest.mark.parametrize(
    ("folder", "code"),
    [
        ("chapters/mixing", 'rows = curves("mixing", quantity="ratios")'),
        (
            "figures",
            'ROWS = ("sep", "clss")\nrows = curves("heads", quantity=ROWS)',
        ),
        ("figures", 'def f(rows):\n    return rows[rows["quantity"] == "tigth"]'),
        ("figures", 'PANELS = ("mixing", "entropie")\npanels = by_measure(rows, PANELS, w)'),
        ("figures", 'left = rows[rows["quantity"].isin(("cka", "rank"))]'),
        (
            "figures",
            "from analysis.chapters.mixing import figures\n"
            'rows = overall("geometry", subject=figures.ROLLED_MEASURES, quantity="correlation")',
        ),
    ],
)
def test_a_figure_or_notebook_is_read_from_its_source(tmp_path, monkeypatch, folder, code):
    for name in ("analysis", "report"):
        shutil.copytree(ROOT / name, tmp_path / name)
    path = tmp_path / "analysis" / folder / "odd.py"
    path.write_text(code, encoding="utf-8")
    monkeypatch.setattr(quantity_names, "ROOT", tmp_path)
    with pytest.raises(InputError, match=rf"^analysis/{folder}/odd\.py:\d+ names "):
        require_names()


def test_most_of_what_figures_and_notebooks_name_stands_in_their_source():
    """Or the test of the source would pass for it reads nothing."""
    rooms = ("figures", "prose", "results", "chapters")
    paths = [path for room in rooms for path in (ROOT / "analysis" / room).rglob("*.py")]
    read = [named for path in paths for _, named in drawn_by(path) if named]
    assert len(read) > 50


def test_every_group_declares_what_it_gives():
    # Rows leave arrays with a text, and give no values.
    assert {group for group in GROUPS if not declared(group)} == {"rows"}
    assert (REPORT / "rules.yaml").is_file()
