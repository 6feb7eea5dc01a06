"""A measure of one's own stands beside all others by one command."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from attention_mixing.__main__ import app
from attention_mixing.circuits import circuit, comparison, draw_text, model_measures, truths
from attention_mixing.circuits.by_hand import NORMS
from attention_mixing.circuits.drawn import READS, draw_circuit
from attention_mixing.circuits.estimands import ESTIMANDS
from attention_mixing.errors import InputError

FEW = comparison.Sample(("previous", "lookup"), range(1), 1)
MINE = """
import numpy as np

def itself(text, written):
    return np.eye(len(text.tokens))

def wrong(text, written):
    return np.ones(3)

constant = 1
"""


@pytest.fixture
def mine(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(comparison, "sample", lambda **asked: FEW)
    return tmp_path


def test_a_measure_of_the_library_under_another_name_has_its_row():
    table = comparison.beside_others("mine", model_measures()["alti_rollout"], FEW)
    rows = table.drop(columns=["measure", "meant"]).groupby(table["measure"])
    for column, values in rows.get_group("mine").items():
        expected = rows.get_group("alti_rollout")[column]
        np.testing.assert_array_equal(values.to_numpy(), expected.to_numpy())
    assert set(table["measure"]) == {"mine", *model_measures()}
    meant = table[table["meant"].eq(True)].set_index("measure")["estimand"]
    assert meant["alti_rollout"] == meant["rollout"] == "provenance"
    assert meant["integrated_gradients"] == "effect"
    assert not {"mine", "identity", "symbols"} & set(meant.index)


def test_each_is_held_against_what_is_asked():
    """By hand: attention of the look-up brings what it should, and does not see what keys do."""
    table = comparison.beside_others("mine", model_measures()["raw"], FEW)
    rows = table[table["measure"] == "mine"].set_index("estimand")
    assert rows["of"].to_dict() == {"effect": 2, "provenance": 2, "keys": 1}
    # Of a copy, raw attention leaves out the token itself; of the look-up it is all there is.
    assert rows["found"].to_dict() == {"effect": 0, "provenance": 1, "keys": 0}


@pytest.mark.parametrize("place", ["mine", "mine.py"])
def test_the_command_prints_a_table_or_json(mine, place):
    runner = CliRunner()
    shown = runner.invoke(app, ["score", f"{place}:itself"])
    assert shown.exit_code == 0
    assert "what tokens bring" in shown.stdout
    lines = {line.split()[0]: line.split()[1:] for line in shown.stdout.splitlines() if line}
    assert [one.strip("*") for one in lines["identity"]] == lines["itself"]
    asked = runner.invoke(app, ["score", f"{place}:itself", "--json"])
    rows = json.loads(asked.stdout)
    assert rows[0]["measure"] == "itself"
    assert {row["estimand"] for row in rows} == set(ESTIMANDS)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("mine", "MODULE:FUNCTION"),
        ("nowhere:at_all", "'nowhere' cannot be imported"),
        ("mine.py:none", "no function 'none'"),
        ("mine:constant", "no function 'constant'"),
    ],
)
def test_what_is_no_measure_is_told(mine, name, sentence):
    with pytest.raises(InputError, match=sentence):
        comparison.load(name)


def test_another_shape_is_told(mine):
    with pytest.raises(InputError, match=r"'wrong' gives an array of shape \(3,\)"):
        comparison.beside_others("wrong", comparison.load("mine.py:wrong"), FEW)


def test_the_name_of_a_measure_of_the_library_is_taken():
    with pytest.raises(InputError, match="'raw' is what a measure of the library is called"):
        comparison.beside_others("raw", model_measures()["alti_rollout"], FEW)


def test_other_seeds_draw_other_circuits():
    samples = [comparison.sample(quick=True, drawn=seed).circuits for seed in (0, 0, 1)]
    names = [[drawn.name for drawn in sample] for sample in samples]
    assert names[0] == names[1]
    assert not set(names[0]) & set(names[2])
    assert (
        comparison.sample(quick=False, drawn=None).total
        == 8 * comparison.sample(quick=True, drawn=None).total
    )


DRAWN = range(12)


@pytest.mark.parametrize("seed", DRAWN)
@pytest.mark.parametrize("norm", NORMS)
def test_a_drawn_circuit_is_a_circuit(seed, norm):
    """Its truth is that of any basis, and what is brought depends on no other attention."""
    drawn, text = draw_circuit(seed), draw_text(np.random.default_rng(seed))
    for estimand in ESTIMANDS:
        one, other = (
            truths(circuit(drawn, norm=norm, seed=basis), text, estimand).model for basis in (0, 1)
        )
        np.testing.assert_array_equal(one.depends, other.depends)
        np.testing.assert_allclose(one.share, other.share, atol=1e-9)
        assert not one.depends[:, 0].any()


def test_drawn_circuits_differ_in_what_their_tokens_do():
    assert len(READS) == len({repr(reads) for reads in READS.values()})
    text = draw_text(np.random.default_rng(0))
    found = {
        tuple(
            truths(circuit(draw_circuit(seed)), text, estimand).model.depends.tobytes()
            for estimand in ESTIMANDS
        )
        for seed in DRAWN
    }
    assert len(found) > len(DRAWN) / 2


def test_a_circuit_without_a_program_has_full_gain():
    text = draw_text(np.random.default_rng(0))
    with pytest.raises(InputError, match="drawn-0 with a gain of 10"):
        truths(circuit(draw_circuit(0), gain=10.0), text)
    with pytest.raises(InputError, match="the seed is -1"):
        draw_circuit(-1)
