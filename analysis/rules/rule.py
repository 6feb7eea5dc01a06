"""Read ``report/rules.yaml``; the head of that file explains the vocabulary to who adds a rule."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from analysis.errors import InputError
from analysis.rules.arithmetic import FUNCTIONS

# "both": of results that do not tell the two apart, such as what changes from one to the other.
Variant = Literal["pretrained", "finetuned", "both"]
Group = Literal["vectors", "queries-keys", "heads", "explain", "focus"]
# A number, or the name of a published one, such as blank_out.flow.2
Bound = float | int | str


class Part(BaseModel):
    """Base of everything in a rule: frozen, and closed to unknown keys."""

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


# --- what is read ---------------------------------------------------------------------------------


class Depth(Part):
    """Layers by how deep they are: ``{from: 6, to: 10, of: 12}`` are 3 to 5 of 6 layers."""

    start: Annotated[int, Field(ge=0, alias="from")]
    end: Annotated[int, Field(ge=0, alias="to")]
    of: Annotated[int, Field(ge=1)]


Column = Literal["variant", "by", "of", "kind"]
Where = dict[Column, str | list[str]]
Layers = Literal["all", "first", "middle", "last", "last_two", "all_but_last_two"] | Depth


class Selection(Part):
    """What differs in the other side of a contrast; all else is as in the first."""

    where: Where = {}
    layers: Layers | None = None
    measure: str | None = None


class Texts(Part):
    """One value a text of a measure, and their mean with an interval.

    Attributes
    ----------
    group, measure
        What was measured, and the group of measures that has it.
    where
        Value, or values, that rows must have in a column; the variant is added by itself.
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
    where: Where = {}
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

    Without ``layers``, what is of all of them together. With ``references``, the measure that tells
    how many data sets there were, the value is a p by simulation, which has an interval too.
    """

    group: Group
    measure: str
    where: Where = {}
    layers: Layers | None = None
    references: str | None = None


class Heads(Part):
    """The share of the heads whose mean is ``within`` a predicate.

    With ``tested``, a head counts only if its own interval shows it, corrected for the number of
    heads. The heads are a sample, and the share has an interval, unless the rule is about ``every``
    one. With ``resolution``, it is open where one text is a larger share of all than this.
    """

    group: Group
    measure: str
    where: Where = {}
    within: Predicate
    tested: bool = False
    every: bool = False
    resolution: Bound | None = None


class Fact(Part):
    """One number that is known without texts, such as ``evaluate.accuracy`` of an experiment.

    ``of`` names the file it is in: ``model`` (of every experiment), or ``anatomy`` (of none).
    ``minus`` is the path of another one, which is subtracted.
    """

    path: str
    minus: str | None = None
    of: Literal["model", "anatomy"] = "model"


class Arithmetic(Part):
    """A function of :mod:`analysis.rules.arithmetic`, of numbers or of published values."""

    function: str
    given: dict[str, Bound | list[Bound]]

    @model_validator(mode="after")
    def _known(self) -> Arithmetic:
        if self.function not in FUNCTIONS:
            raise ValueError(f"has function {self.function!r}; allowed: {', '.join(FUNCTIONS)}")
        return self


class Quantity(Part):
    """One of the five things that can be read."""

    texts: Texts | None = None
    curve: Curve | None = None
    heads: Heads | None = None
    fact: Fact | None = None
    arithmetic: Arithmetic | None = None

    @model_validator(mode="after")
    def _one_quantity(self) -> Quantity:
        given = [name for name in Quantity.model_fields if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(
                f"reads {' and '.join(given) or 'nothing'}; give one of "
                f"{', '.join(Quantity.model_fields)}"
            )
        return self

    @property
    def exact(self) -> bool:
        """Whether the value has no interval by its nature."""
        return not (
            (self.texts and self.texts.over_texts == "mean")
            or self.curve
            or (self.heads and not self.heads.every)
        )


# --- when it holds --------------------------------------------------------------------------------


class Effect(Part):
    """A published effect.

    The ``mean`` of some values, less that of others (``minus``), divided ``by`` one; or the
    ``trend`` of several, their rank correlation with their places.
    """

    mean: list[str] = []
    minus: list[str] = []
    by: str | None = None
    trend: str | None = None


class Predicate(Part):
    """Where a value has to be.

    Attributes
    ----------
    above, below, near, within, differs_from
        Bounds: one of them, both of the first two, or ``near`` with ``within``.
    effect
        What the test has to be able to see: a published value, as a rule. Alone, it makes the
        bound, ``share`` of it, on the side where it lies.
    """

    above: Bound | None = None
    below: Bound | None = None
    near: Bound | None = None
    within: Bound | None = None
    differs_from: Bound | None = None
    effect: Bound | Effect | None = None
    share: float | None = None

    @model_validator(mode="after")
    def _complete(self) -> Predicate:
        chosen = {name for name in Predicate.model_fields if getattr(self, name) is not None}
        if chosen - {"share"} not in (
            {"above"},
            {"below"},
            {"above", "effect"},
            {"below", "effect"},
            {"above", "below"},
            {"near", "within"},
            {"differs_from", "effect"},
            {"effect"},
        ):
            raise ValueError(
                f"has {', '.join(sorted(chosen)) or 'nothing'}; allowed: effect, above or below "
                "(with effect), above with below, near with within, differs_from with effect"
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


class When(Quantity):
    """A case is asked only where this holds: one that could not come out otherwise says nothing."""

    holds: Predicate


class Case(Quantity):
    """One quantity and where it has to be; without a predicate it is shown beside the others."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")] | None = None
    holds: Predicate | None = None
    over: Over | None = None
    when: When | None = None

    @model_validator(mode="after")
    def _can_be_decided(self) -> Case:
        one_sided = self.holds and (self.holds.above is None) != (self.holds.below is None)
        if one_sided and not self.exact and self.holds and self.holds.effect is None:
            raise ValueError("has an interval and no effect that it has to be able to see; add one")
        return self


class Number(Quantity):
    """A quantity that a sentence shows."""

    form: str = ".0%"
    over: Over | None = None
    variants: tuple[Variant, ...] | None = Field(default=None, strict=False)


class Choice(Part):
    """Which of several curves is highest, or lowest, in every experiment and model state.

    Attributes
    ----------
    by
        The column in which they differ, or ``measure``.
    among
        Its values.
    layers
        Over which the curve is meaned; without them, what is of all of them together.
    """

    group: Group
    measure: str = ""
    where: Where = {}
    layers: Layers | None = None
    by: Literal["measure", "of", "kind"]
    among: tuple[str, ...] = Field(strict=False, min_length=2)
    take: Literal["largest", "smallest"] = "largest"
    variants: tuple[Variant, ...] | None = Field(default=None, strict=False)


# --- rules ----------------------------------------------------------------------------------------


class Conditions(Part):
    """What the published values were measured with; a test with the same is a reproduction.

    Attributes
    ----------
    name
        What a reader would say: the message ``conditions_NAME``.
    models
        Names of models without their owner, such as ``bert-base-uncased``.
    data
        What the names of such data sets begin with, such as ``squad``.
    """

    name: str
    models: tuple[str, ...] = Field(strict=False)
    data: tuple[str, ...] = Field(strict=False)


class Claim(Part):
    """What was published.

    Attributes
    ----------
    kind
        ``algebra``: true by definition; ``arithmetic``: of published numbers and files;
        ``measured``: of models.
    source
        Keys of ``report/references.bib``, or of studies without a paper (messages ``study_KEY``).
    values
        As published.
    evidence
        Label of the figure, table, formula or section that shows what is found here.
    needs
        What a full test takes (message ``needs_NAME``).
    cls
        Whether the verdict rests on [CLS], [SEP] or [MASK], of which the embedded model makes other
        use than the models of the publication.
    """

    kind: Literal["algebra", "arithmetic", "measured"]
    headline: bool = False
    source: tuple[str, ...] = Field(min_length=1, strict=False)
    values: Any = None
    conditions: Conditions | None = None
    evidence: Annotated[str, Field(pattern=r"^(fig|tbl|eq|sec)-[a-z0-9-]+$")]
    needs: str | None = None
    cls: bool = False


class Rule(Part):
    """A claim, or a finding of the report's own; the messages with its name say it in words."""

    id: Annotated[str, Field(pattern=r"^([AB][0-9]{1,2}|[a-z]+\.[a-z][a-z0-9-]*)$")]
    chapter: str
    claim: Claim | None = None
    like: str | None = None
    form: str = ".2f"
    over: Over = Over()
    variants: tuple[Variant, ...] = Field(default=(), strict=False)
    cases: tuple[Case, ...] = Field(default=(), strict=False)
    numbers: dict[str, Number] = {}
    choices: dict[str, Choice] = {}

    @model_validator(mode="before")
    @classmethod
    def _chapter_of_a_finding(cls, given: Any) -> Any:
        if isinstance(given, dict) and "chapter" not in given and "." in str(given.get("id", "")):
            return given | {"chapter": given["id"].partition(".")[0]}
        return given

    @model_validator(mode="after")
    def _consistent(self) -> Rule:
        if self.claim is not None and not self.cases and not self.claim.needs:
            raise ValueError("has no case and does not say what a test needs; add cases or needs")
        read = (*self.cases, *self.numbers.values())
        if any(one.arithmetic is None for one in read) and not self.variants:
            raise ValueError("reads results but names no variants; give pretrained, finetuned")
        if twice := {case.name for case in self.cases} & {*self.numbers, *self.choices}:
            raise ValueError(f"has a case and a number called {min(map(str, twice))}; rename one")
        for bound in self._bounds():
            number(bound, self)
        return self

    def _bounds(self) -> Iterator[Bound]:
        for case in self.cases:
            within = case.heads and case.heads.within
            for predicate in (case.holds, case.when and case.when.holds, within):
                for value in predicate.model_dump().values() if predicate else ():
                    if isinstance(value, dict):
                        yield from (*value["mean"], *value["minus"])
                    elif value is not None:
                        yield value
            for given in case.arithmetic.given.values() if case.arithmetic else ():
                yield from given if isinstance(given, list) else [given]


Heads.model_rebuild()
for _one in (Quantity, When, Case, Number):
    _one.model_rebuild(force=True)


# --- published values -----------------------------------------------------------------------------


def number(bound: Bound, rule: Rule) -> float:
    """Return a number, or the published value of that name.

    Raises
    ------
    ValueError
        If no published value has the name, or it is not one number.
    """
    value = published(bound, rule) if isinstance(bound, str) else bound
    if not isinstance(value, int | float):
        raise ValueError(f"names {bound!r}, which is several published values; name one of them")
    return value


def published(name: str, rule: Rule) -> Any:
    """Return the published value, or values, of a name.

    Raises
    ------
    ValueError
        If there is none.
    """
    value = rule.claim.values if rule.claim else None
    for step in name.split("."):
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            raise ValueError(
                f"names {name!r}, which claim.values does not hold; add it there or correct the "
                "name"
            )
    return value


# --- reading --------------------------------------------------------------------------------------


def read(path: Path) -> list[Rule]:
    """Read and check every rule.

    Raises
    ------
    InputError
        On the first mistake, one sentence that names the rule and what is allowed.
    """
    try:
        rows = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); restore it.") from None
    except yaml.YAMLError as error:
        told = " ".join(str(error).split())
        raise InputError(f"{path} is not YAML ({told}); correct that place.") from None
    if not isinstance(rows, list) or not rows:
        raise InputError(f"{path} holds no list of rules; give one row a rule.")
    rules: dict[str, Rule] = {}
    for place, row in enumerate(rows, start=1):
        name = row.get("id") if isinstance(row, dict) else None
        where = f"{path}: rule {name or f'in row {place}'}"
        try:
            rule = Rule.model_validate(row)
        except ValidationError as error:
            raise InputError(f"{where}: {_explain(error)}.") from None
        if rule.id in rules:
            raise InputError(f"{where} stands there twice; give one of them another id.")
        rules[rule.id] = rule
    for rule in rules.values():
        if rule.like is not None and rule.like not in rules:
            raise InputError(
                f"{path}: rule {rule.id} takes the outcome of {rule.like}, which does not exist; "
                "name another rule."
            )
    return list(rules.values())


def _explain(error: ValidationError) -> str:
    """Turn the first mistake into one clause; an unknown key is the likeliest cause of others."""
    mistakes = sorted(error.errors(), key=lambda e: e["type"] != "unknown_key")
    first = mistakes[0]
    steps = [str(step) for step in first["loc"] if step not in ("Depth", "Effect", "literal")]
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
