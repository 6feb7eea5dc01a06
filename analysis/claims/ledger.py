"""Read ``report/claims.yaml``; the head of that file explains the vocabulary to who adds a row."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from analysis.claims.arithmetic import FUNCTIONS
from analysis.errors import InputError

# "both": of results that do not tell the two apart, such as what changes from one to the other.
Variant = Literal["pretrained", "finetuned", "both"]
Group = Literal["vectors", "queries-keys", "heads", "explain", "focus"]
# Studies that are no papers, as the report calls them.
STUDIES = {
    "feature-mixing-study": {"en": "the feature-mixing study", "ja": "特徴の混合度合いの研究"},
    "clustering-study": {"en": "the clustering study", "ja": "クラスタリングの研究"},
    "rollout-lecture": {
        "en": "the lecture on attention rollout",
        "ja": "アテンションロールアウトの講義",
    },
}
# A number, or the name of a published one, such as blank_out.flow.2
Bound = float | int | str
PLACE = re.compile(r"\{([a-z][\w.]*)(?::([^{}]*))?\}")


class Part(BaseModel):
    """Base of everything in the ledger: frozen, and closed to unknown keys."""

    model_config = ConfigDict(frozen=True, strict=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _no_unknown_key(cls, given: Any) -> Any:
        known = [field.alias or name for name, field in cls.model_fields.items()]
        for key in given if isinstance(given, dict) else ():
            if key not in known:
                allowed = {"key": str(key), "allowed": ", ".join(known)}
                raise PydanticCustomError("unknown_key", "is not a known key", allowed)
        return given


class Words(Part):
    """The same in both languages."""

    en: Annotated[str, Field(min_length=1)]
    ja: Annotated[str, Field(min_length=1)]


class Conditions(Part):
    """What the published values were measured with; a test with the same is a reproduction.

    Attributes
    ----------
    models
        Names of models without their owner, such as ``bert-base-uncased``.
    data
        What the names of such data sets begin with, such as ``squad``.
    words
        Both, as a reader would say it.
    """

    models: tuple[str, ...] = Field(strict=False)
    data: tuple[str, ...] = Field(strict=False)
    words: Words


# --- what is read ---------------------------------------------------------------------------------


class Depth(Part):
    """Layers by how deep they are: ``{from: 6, to: 10, of: 12}`` are 3 to 5 of 6 layers."""

    start: Annotated[int, Field(ge=0, alias="from")]
    end: Annotated[int, Field(ge=0, alias="to")]
    of: Annotated[int, Field(ge=1)]


Column = Literal["variant", "of", "kind"]
Layers = Literal["all", "first", "middle", "last", "last_two", "all_but_last_two"] | Depth


class Selection(Part):
    """What differs in the other side of a contrast; all else is as in the first."""

    where: dict[Column, str] = {}
    layers: Layers | None = None
    measure: str | None = None


class Texts(Part):
    """One value a text of a measure, and their mean with an interval.

    Attributes
    ----------
    group, measure
        What was measured, and the group of measures that has it.
    where
        Value that rows must have in a column; the variant of the test is added by itself.
    layers, over_layers
        Which of them, and what becomes of several: their mean, or the rank correlation with depth.
    minus, divided_by
        The contrast with other rows of the same text.
    over_texts
        ``mean``, or the one ``largest`` or ``smallest`` value, which has no interval: of a text in
        a contrast, else of all rows.
    """

    group: Group
    measure: str
    where: dict[Column, str] = {}
    layers: Layers = "all"
    over_layers: Literal["mean", "trend"] = "mean"
    minus: Selection | None = None
    divided_by: Selection | None = None
    over_texts: Literal["mean", "largest", "smallest"] = "mean"

    @model_validator(mode="after")
    def _one_contrast(self) -> Texts:
        if self.minus and self.divided_by:
            raise ValueError("has both minus and divided_by; remove one of them")
        return self


class Curve(Part):
    """Rows of the summary with their intervals: a case for each of ``layers``.

    Without ``layers``, what is of all of them together.
    """

    group: Group
    measure: str
    where: dict[Column, str] = {}
    layers: Layers | None = None


class Heads(Part):
    """The share of the heads whose ``column`` of the summary is ``within`` a rule."""

    group: Group
    measure: str
    where: dict[Column, str] = {}
    column: Literal["mean", "low", "high"] = "mean"
    within: Rule


class Fact(Part):
    """One number that is known of texts, training or scores, such as ``evaluate.accuracy``."""

    path: str


class Arithmetic(Part):
    """A function of :mod:`analysis.claims.arithmetic`, of numbers or of published values."""

    function: str
    given: dict[str, Bound | list[Bound]]

    @model_validator(mode="after")
    def _known(self) -> Arithmetic:
        if self.function not in FUNCTIONS:
            raise ValueError(f"has function {self.function!r}; allowed: {', '.join(FUNCTIONS)}")
        return self


# --- when it holds --------------------------------------------------------------------------------


class Rule(Part):
    """Where the value has to be: above, below, between two, near one or different from one."""

    above: Bound | None = None
    below: Bound | None = None
    near: Bound | None = None
    within: Bound | None = None
    differs_from: Bound | None = None

    @model_validator(mode="after")
    def _complete(self) -> Rule:
        chosen = {name for name in Rule.model_fields if getattr(self, name) is not None}
        if chosen not in (
            {"above"},
            {"below"},
            {"above", "below"},
            {"near", "within"},
            {"differs_from"},
        ):
            raise ValueError(
                f"has {', '.join(sorted(chosen)) or 'nothing'}; allowed: above, below, above with "
                "below, near with within, differs_from"
            )
        return self


class Over(Part):
    """Which experiments are asked; what is left out is not asked for."""

    task: tuple[Literal["classification", "question_answering", "none"], ...] | None = Field(
        default=None, strict=False
    )
    models: tuple[str, ...] | None = Field(default=None, strict=False)
    data: tuple[str, ...] | None = Field(default=None, strict=False)
    not_data: tuple[str, ...] = Field(default=(), strict=False)
    max_tokens: int | None = None
    trained: bool | None = None
    whole: bool | None = None


QUANTITIES = ("texts", "curve", "heads", "fact", "arithmetic")


class Case(Part):
    """One quantity and the rule for it; without a rule it is shown beside the others."""

    label: Words | None = None
    texts: Texts | None = None
    curve: Curve | None = None
    heads: Heads | None = None
    fact: Fact | None = None
    arithmetic: Arithmetic | None = None
    rule: Rule | None = None
    over: Over | None = None
    when: When | None = None

    @model_validator(mode="after")
    def _one_quantity(self) -> Case:
        given = [name for name in QUANTITIES if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(
                f"reads {' and '.join(given) or 'nothing'}; give one of {', '.join(QUANTITIES)}"
            )
        return self


class When(Part):
    """A case is asked only where this holds: one that could not come out otherwise says nothing."""

    curve: Curve
    rule: Rule


class Test(Part):
    """What is read of which experiments; a claim of arithmetic reads none."""

    __test__ = False  # not one of pytest's

    over: Over = Over()
    variants: tuple[Variant, ...] = Field(default=(), strict=False)
    cases: tuple[Case, ...] = Field(min_length=1, strict=False)

    @model_validator(mode="after")
    def _variants_of_results(self) -> Test:
        reads = any(case.arithmetic is None for case in self.cases)
        if reads and not self.variants:
            raise ValueError("reads results but names no variants; give pretrained, finetuned")
        return self


class Published(Words):
    """The values as shown, from those as data: ``{name}`` and ``{name:.2f}`` are filled in."""

    values: Any = None


class Claim(Part):
    """One row of the ledger."""

    id: Annotated[str, Field(pattern=r"^[AB][0-9]{1,2}$")]
    part: Literal["structure", "models"]
    headline: bool = False
    statement: Words
    source: tuple[str, ...] = Field(min_length=1, strict=False)
    published: Published
    conditions: Conditions | None = None
    chapter: str
    evidence: Annotated[str, Field(pattern=r"^(fig|tbl|eq|sec)-[a-z0-9-]+$")]
    form: str = ".2f"
    rule: Words
    test: Test | None = None
    needs: Words | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Claim:
        if self.test is None and self.needs is None:
            raise ValueError("has no test and does not say what one needs; add test or needs")
        for text in (self.published.en, self.published.ja, self.rule.en, self.rule.ja):
            fill(text, self)
        for case in self.test.cases if self.test else ():
            for bound in _bounds(case):
                number(bound, self)
        return self


def _bounds(case: Case) -> list[Bound]:
    rules = [case.rule, case.when and case.when.rule, case.heads and case.heads.within]
    found: list[Bound] = []
    for rule in rules:
        if rule is not None:
            found += [bound for bound in rule.model_dump().values() if bound is not None]
    for given in case.arithmetic.given.values() if case.arithmetic else ():
        found += given if isinstance(given, list) else [given]
    return found


Heads.model_rebuild()
Case.model_rebuild()


# --- published values -----------------------------------------------------------------------------


def number(bound: Bound, claim: Claim) -> float:
    """Return a number, or the published value of that name.

    Raises
    ------
    ValueError
        If no published value has the name, or it is not one number.
    """
    value = _value(bound, claim) if isinstance(bound, str) else bound
    if not isinstance(value, int | float):
        raise ValueError(f"names {bound!r}, which is several published values; name one of them")
    return value


def _value(name: str, claim: Claim) -> Any:
    value = claim.published.values
    for step in name.split("."):
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            raise ValueError(
                f"names {name!r}, which published.values does not hold; add it there or correct "
                "the name"
            )
    return value


def fill(text: str, claim: Claim) -> str:
    """Put published values in the places of a text that name them, in the form of the claim."""

    def shown(place: re.Match[str]) -> str:
        value = _value(place[1], claim)
        several = value if isinstance(value, list) else [value]
        form = place[2] or claim.form.removeprefix("+")
        return ", ".join(
            one if isinstance(one, str) else format(one, form).replace("-", "\u2212")
            for one in several
        )

    return PLACE.sub(shown, text)


# --- reading --------------------------------------------------------------------------------------


def read(path: Path) -> list[Claim]:
    """Read and check every row.

    Raises
    ------
    InputError
        On the first mistake, one sentence that names the claim and what is allowed.
    """
    try:
        rows = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); restore it.") from None
    except yaml.YAMLError as error:
        told = " ".join(str(error).split())
        raise InputError(f"{path} is not YAML ({told}); correct that place.") from None
    if not isinstance(rows, list) or not rows:
        raise InputError(f"{path} holds no list of claims; give one row a claim.")
    claims: list[Claim] = []
    for place, row in enumerate(rows, start=1):
        name = row.get("id") if isinstance(row, dict) else None
        where = f"{path}: claim {name or f'in row {place}'}"
        try:
            claim = Claim.model_validate(row)
        except ValidationError as error:
            raise InputError(f"{where}: {_explain(error)}.") from None
        if any(claim.id == other.id for other in claims):
            raise InputError(f"{where} stands there twice; give one of them another id.")
        claims.append(claim)
    return claims


def _explain(error: ValidationError) -> str:
    """Turn the first mistake into one clause; an unknown key is the likeliest cause of others."""
    mistakes = sorted(error.errors(), key=lambda e: e["type"] != "unknown_key")
    first = mistakes[0]
    steps = [str(step) for step in first["loc"] if step not in ("Depth", "literal")]
    key = ".".join(step for step in steps if not step.startswith("literal["))
    match first["type"]:
        case "unknown_key":
            place = f"{key}.{first['ctx']['key']}".removeprefix(".")
            return f"{place} is not a known key; allowed: {first['ctx']['allowed']}"
        case "missing":
            return f"{key} is missing; add it"
        case "value_error":
            return f"{key} {first['ctx']['error']}".strip()
        case _:
            told = first["msg"].removeprefix("Input should be ").removeprefix("a valid ")
            return f"{key} is {first.get('input')!r}; allowed: {told}"
