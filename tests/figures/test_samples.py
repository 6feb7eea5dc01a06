"""What stands below a table: texts and seeds of each experiment, and what intervals allow for."""

import pandas as pd
import pytest

from analysis.figures.phrases import spread
from analysis.figures.samples import sampled
from analysis.figures.words import words


def rows(texts, seeds=None, **more):
    """Rows of experiments ``a``, ``b``, ... with so many texts."""
    names = [chr(ord("a") + place) for place in range(len(texts))]
    table = pd.DataFrame({"experiment": names, "texts": texts, **more})
    return table if seeds is None else table.assign(seeds=seeds)


@pytest.fixture(params=["en", "ja"])
def w(request):
    return words(request.param, "heads")


def test_experiments_that_differ_are_named(w):
    said = sampled(rows([61, 1200], seeds=[1, 3]), w)
    assert all(part in said for part in ("a 61", "b 1,200", "a 1", "b 3"))


def test_what_all_have_is_said_once(w):
    said = sampled(rows([32, 32]), w)
    assert said.count("32") == 1
    assert "a 32" not in said


def test_rows_over_fewer_texts_are_told_and_the_pretrained_model_has_no_seed_of_its_own(w):
    said = sampled(pd.concat([rows([32], seeds=[1]), rows([1030], seeds=[3])]), w)
    assert spread(32, 1030, ",d", w) in said
    assert said == sampled(pd.concat([rows([32], seeds=[3]), rows([1030], seeds=[3])]), w)


def test_intervals_are_said_to_be_uncorrected_where_nothing_corrects_them(w):
    plain = sampled(rows([32]), w)
    alone = sampled(rows([32], low=[0.1]), w)
    corrected = sampled(rows([32], low=[0.1], stands_out=[True]), w)
    assert plain == corrected
    assert alone == plain + w["uncorrected"]


def test_what_is_of_no_text_says_nothing(w):
    assert sampled(rows([0, 0]), w) == ""
    assert sampled(pd.DataFrame({"claim": ["A1"]}), w) == ""
    assert sampled(rows(["grammar reviews"]), w) == ""
