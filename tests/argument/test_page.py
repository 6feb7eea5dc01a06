"""What the paper says of numbers: conditions that hold, and the words that have to be bound."""

import math
import re
from pathlib import Path

import pytest
import yaml

from analysis.argument.evidence import Evidence
from analysis.argument.numbers import Read, Value, asked, read
from analysis.argument.page import PAGES, holds, said, stands
from analysis.argument.reproduced import faults
from analysis.lint.bound import unbound
from analysis.paths import LANGUAGES, REPORT, ROOT
from attention_mixing.errors import InputError

SOURCES = {
    (language, page): (ROOT / REPORT / language / f"{page}.qmd").read_text(encoding="utf-8")
    for language in LANGUAGES
    for page in PAGES
}
SAID = {key: said(source) for key, source in SOURCES.items()}
CONDITIONS = sorted({one for page in SAID.values() for one in page.conditions})
OUTCOMES = sorted({one for page in SAID.values() for one in page.outcomes})


def number(value: float, low: float = math.nan, high: float = math.nan, **each: float) -> Read:
    of_each = {name: Value(one) for name, one in each.items()}
    return Read(".0%", "median", Value(value, low, high), of_each)


NUMBERS = {
    "a": number(0.8, x=0.9, y=0.7, z=0.8),
    "b": number(0.6, x=0.5, y=0.8, z=0.5),
    "near": number(0.801),
    "sure": number(0.5, 0.4, 0.6),
    "surer": number(0.7, 0.65, 0.75),
    "vague": number(0.6, 0.3, 0.9),
}


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("a > b", True),
        ("b > a", False),
        ("b < a", True),
        ("a = near", True),
        ("a = b", False),
        ("a > .7", True),
        ("a < .7", False),
        ("every: a > b", False),
        ("most: a > b", True),
        ("some: a > b", True),
        ("none: a > b", False),
        ("every: a > .6", True),
        ("some: a > .6", False),
        ("none: a > .95", True),
        # An interval is above another one or a bound as a whole, or not.
        ("surer > sure", True),
        ("vague > sure", False),
        ("vague < surer", False),
        ("sure > .35", True),
        ("sure > .45", False),
    ],
)
def test_a_condition_holds_of_numbers_their_intervals_and_every_experiment(condition, expected):
    assert holds(condition, NUMBERS) is expected


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ("a >> b", "cannot be read"),
        ("all: a > b", "cannot be read"),
        ("a > c", "names c, which is no number"),
        ("every: near > b", "no common experiment"),
    ],
)
def test_a_condition_that_says_nothing_is_refused(condition, told):
    with pytest.raises(InputError, match=re.escape(told)):
        holds(condition, NUMBERS)


def test_an_outcome_stands_or_not_and_one_of_nothing_is_refused():
    assert stands("B1 holds", {"B1": "holds"})
    assert not stands("B1 fails", {"B1": "holds"})
    for outcome in ("B2 holds", "B1"):
        with pytest.raises(InputError, match="rests-on names"):
            stands(outcome, {"B1": "holds"})


def test_a_page_is_read_for_numbers_conditions_and_outcomes():
    text = (
        '::: {.finding rests-on="B1 holds; x refuted"}\n'
        '[]{n="a"} is [more]{when="a > b; every: a > c"} than []{n="a"}.\n:::\n'
    )
    page = said(text)
    assert page.numbers == ("a",)
    assert page.conditions == ("a > b", "every: a > c")
    assert page.outcomes == ("B1 holds", "x refuted")
    assert page.used == {"a", "b", "c"}


@pytest.fixture(scope="module")
def kept() -> dict[str, Read]:
    return read(asked(ROOT / REPORT / "paper.yaml"), Evidence())


def swapped(numbers: dict[str, Read], condition: str) -> dict[str, Read]:
    """Numbers of which a condition is not true: those it compares change their places."""
    *_, first, sign, second = re.fullmatch(r"(\w+: )?(\S+) (.) (\S+)", condition).groups()
    one = numbers[first]
    if sign == "=":
        return numbers | {first: moved(one, one.whole.value / 2)}
    if second in numbers:
        other = numbers[second]
        apart = abs(one.whole.value - other.whole.value) + 1
        return numbers | {first: moved(one, apart if sign == "<" else -apart)}
    return numbers | {first: moved(one, 1 if sign == "<" else -1)}


def moved(one: Read, by: float) -> Read:
    def shifted(value: Value) -> Value:
        return Value(*(end + by for end in value))

    each = {case: shifted(value) for case, value in one.each.items()}
    return Read(one.form, one.take, shifted(one.whole), each, one.files)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_words_fail_where_the_numbers_they_rest_on_turn_round(condition, kept):
    assert holds(condition, kept)
    if condition.startswith("some: "):  # of one experiment or another
        return
    turned = swapped(kept, condition)
    assert not holds(condition, turned)
    page = next(page for page in SAID.values() if condition in page.conditions)
    assert any(condition in fault for fault in faults(turned, Evidence(), page))


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_a_block_fails_where_the_outcome_it_rests_on_is_another(outcome, kept):
    class Otherwise(Evidence):
        def outcomes(self):
            return super().outcomes() | {outcome.partition(" ")[0]: "open"}

    page = next(page for page in SAID.values() if outcome in page.outcomes)
    assert not faults(kept, Evidence(), page)
    assert faults(kept, Otherwise(), page) == [f"{outcome} is not what came out"]


def test_a_number_that_is_not_there_is_a_fault(kept):
    assert faults(kept, Evidence(), said('[]{n="none"}')) == [
        "none is no number of report/paper.yaml"
    ]


@pytest.mark.parametrize("page", PAGES)
def test_both_languages_rest_on_the_same(page):
    english, japanese = (SAID[language, page] for language in ("en", "ja"))
    assert english.used == japanese.used
    assert {*english.numbers} == {*japanese.numbers}
    assert {*english.outcomes} == {*japanese.outcomes}


# Ten sentences of each kind.
TYPED = yaml.safe_load((Path(__file__).parent / "typed.yaml").read_text(encoding="utf-8"))
MUTANTS = [
    (language, kind, sentence)
    for language, kinds in TYPED.items()
    for kind, sentences in kinds.items()
    for sentence in sentences
]


@pytest.mark.parametrize(("language", "kind", "sentence"), MUTANTS)
def test_what_is_typed_in_a_finding_is_found(language, kind, sentence):
    block = f"Text.\n\n::: {{.finding}}\nWords.\n{sentence}\n:::\n"
    assert {line for line, _ in unbound(block, language)} == {5}
    assert any(kind in told for _, told in unbound(block, language))
    # Elsewhere, and where it is bound, it may stand.
    assert not [*unbound(f"Text.\n{sentence}\n", language)]
    assert not [*unbound(block.replace(sentence, f'[{sentence}]{{when="a > b"}}'), language)]


def test_there_are_ten_mutants_of_each_kind():
    assert all(len({*sentences}) == 10 for kinds in TYPED.values() for sentences in kinds.values())


def test_numbers_notation_names_and_addresses_may_stand_in_a_finding():
    text = (
        '[]{n="a"} on SST-2 and SQuAD 2.0, with $1 - 1/n$ and `--n 3`, in [@fig-2x; @a2020] and '
        "[Mixing](mixing.qmd#sec-2), the [strongest]{.term} key."
    )
    assert not [*unbound(f"::: {{.finding}}\n{text}\n:::\n", "en")]


def written(language: str, page: str) -> str:
    """Give the words of a page without its front matter, folds, markup and addresses."""
    text = SOURCES[language, page].partition("---\n")[2].partition("---\n")[2]
    text = re.sub(r'^::: \{\.callout-note collapse="true"\}\n.*?^:::$', "", text, flags=re.M | re.S)
    return re.sub(r"\{\{<.*?>\}\}|\{[^{}]*\}|\]\([^)]*\)|^:+.*$|[\[\]#*|$]", " ", text, flags=re.M)


def test_the_paper_is_read_to_its_end_and_the_front_page_in_two_minutes():
    assert len(written("en", "paper").split()) <= 7000
    assert len("".join(written("ja", "paper").split())) <= 16_000
    assert len(written("en", "index").split()) <= 600
    assert len("".join(written("ja", "index").split())) <= 1_800
