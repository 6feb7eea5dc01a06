"""Read ``report/rules.yaml``; the head of that file explains the vocabulary to who adds a rule."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import yaml
from pydantic import BeforeValidator, Field, ValidationError, ValidationInfo, model_validator

from analysis.parameters.faults import allowed, known_keys
from analysis.rules.selection import Layers, Rows, Selection, Texts
from analysis.rules.verdicts import Range
from attention_mixing.errors import InputError
from attention_mixing.settings.experiment import Task
from attention_mixing.settings.values import Section

# "both": of results that do not tell the two apart, such as what changes from one to the other.
Variant = Literal["pretrained", "finetuned", "both"]
Function = Literal["weighted_mean", "feature_points", "product", "total", "dense_rank_error"]
# Of an effect that was published, what is to be there at least, where a rule gives no other share:
# another model on other data need not show all of it, but less would be another finding.
SHARE = 0.25
# In C, ten times as fast, where PyYAML was built with it.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _published(given: Any, info: ValidationInfo) -> Any:
    """Put what was published, the context of the reading, in the place of its name."""
    if not isinstance(given, str):
        return given
    value = info.context
    for step in given.split("."):
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            raise ValueError(
                f"names {given!r}, which claim.values does not hold; add it there or correct the "
                "name"
            )
    return value


def _one_published(given: Any, info: ValidationInfo) -> Any:
    value = _published(given, info)
    if isinstance(given, str) and not isinstance(value, int | float):
        raise ValueError(f"names {given!r}, which is several published values; name one of them")
    return value


# In the file a number, or the name of a published one, such as blank_out.flow.2
Bound = Annotated[float | int, BeforeValidator(_one_published)]


class RulePart(Section):
    """Base of everything in a rule."""


# --- when it holds --------------------------------------------------------------------------------


class Effect(RulePart):
    """A published effect.

    The ``mean`` of some values, less that of others (``minus``), divided ``by`` one; or the
    ``trend`` of several, their rank correlation with their places.
    """

    mean: list[Bound] = []
    minus: list[Bound] = []
    by: Bound = 1
    trend: Annotated[list[float | int] | None, BeforeValidator(_published)] = None

    @property
    def size(self) -> float:
        """The effect as a number."""
        if self.trend is not None:
            from scipy.stats import spearmanr  # half a second to import

            return float(spearmanr(range(len(self.trend)), self.trend).statistic)
        mean, minus = (
            float(np.mean(values)) if values else 0.0 for values in (self.mean, self.minus)
        )
        return (mean - minus) / self.by


class Predicate(RulePart):
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
    share: float = SHARE

    @model_validator(mode="after")
    def _complete(self) -> Predicate:
        bounds = [name for name in Predicate.model_fields if name != "share"]
        chosen = ", ".join(name for name in bounds if getattr(self, name) is not None)
        if chosen not in (
            *("above", "above, effect", "below", "below, effect", "above, below"),
            *("near, within", "differs_from, effect", "effect"),
        ):
            raise ValueError(
                f"has {chosen or 'nothing'}; allowed: effect, above or below (with effect), above "
                "with below, near with within, differs_from with effect"
            )
        return self

    @property
    def allowed(self) -> Range:
        """The predicate as a range, and the effect as a number."""
        return self.at(1)

    def at(self, strictness: float) -> Range:
        """Make the range of a stricter predicate (above 1), or of a laxer one (below 1).

        Of an effect, so many times the share has to be there, and all of it at most. What a value
        may be away from, be it one that it has to be near or the effect that a bound of ours is
        short of, is so many times less. A bound without an effect is no matter of degree.
        """
        effect = self.effect.size if isinstance(self.effect, Effect) else self.effect
        share = min(1.0, self.share * strictness)
        if self.near is not None and self.within is not None:
            within = self.within / strictness
            return Range(self.near - within, self.near + within, effect=self.near)
        if self.differs_from is not None and effect is not None:
            around = share * abs(effect)
            ends = self.differs_from - around, self.differs_from + around
            return Range(*ends, inside=False, effect=self.differs_from + effect)
        low = -math.inf if self.above is None else self.above
        high = math.inf if self.below is None else self.below
        signed = self.above is self.below is None and effect is not None
        if signed and effect is not None:
            low, high = (share * effect, high) if effect > 0 else (low, share * effect)
            return Range(low, high, effect=effect, signed=True)
        if math.isfinite(low) and math.isfinite(high):
            effect = (low + high) / 2
        if effect is not None and strictness != 1:  # an infinite end stays where it is
            low, high = (effect + (end - effect) / strictness for end in (low, high))
        return Range(low, high, effect=effect)


# --- what is read ---------------------------------------------------------------------------------


class Curve(Rows):
    """Rows of the summary with their intervals: a case for each of ``layers``.

    Without ``layers``, what is of all of them together; that of the mean over heads, or of the one
    head with the ``largest`` or ``smallest`` mean. With ``references``, the quantity that tells
    how many data sets there were, the value is a p by simulation, which has an interval too.
    """

    layers: Layers | None = None
    over_heads: Literal["mean", "largest", "smallest"] = "mean"
    references: str | None = None

    @model_validator(mode="after")
    def _one_head_of_all(self) -> Curve:
        if self.over_heads != "mean" and (self.layers or self.references):
            raise ValueError("has over_heads with layers or references; remove one of them")
        return self


class HeadShare(Rows):
    """The share of the heads whose mean is ``within`` a predicate.

    With ``tested``, a head counts only if its own interval shows it, corrected for the number of
    heads. The heads are a sample, and the share has an interval, unless the rule is about ``every``
    one. With ``resolution``, it is open where one text is a larger share of all than this.
    ``minus`` is the same share of other rows of the same heads, which are then all there are.
    """

    within: Predicate
    minus: Selection | None = None
    tested: bool = False
    every: bool = False
    resolution: Bound | None = None

    @model_validator(mode="after")
    def _difference_of_all(self) -> HeadShare:
        if self.minus and not self.every:
            raise ValueError("has minus without every; add every: true, for the heads are the same")
        if self.minus and (self.tested or self.minus != Selection(where=self.minus.where)):
            raise ValueError(
                "has minus with tested, or with more than where; give it a where alone"
            )
        return self


class Fact(RulePart):
    """One number that is known without texts, such as ``evaluate.accuracy`` of an experiment.

    ``of`` names the file it is in: ``model`` (of every experiment), or ``anatomy`` (of none).
    ``minus`` is the path of another one, which is subtracted.
    """

    path: str
    minus: str | None = None
    of: Literal["model", "anatomy"] = "model"


class Arithmetic(RulePart):
    """A function of :mod:`analysis.rules.arithmetic`, and what it is given."""

    function: Function
    given: dict[str, Bound | list[Bound]]


class Method(NamedTuple):
    """A quantity of one method, scope or point, as the summary has it in the column ``subject``."""

    measure: str
    quantity: str
    subject: str


class Quantity(RulePart):
    """One of the five things that can be read."""

    texts: Texts | None = None
    curve: Curve | None = None
    heads: HeadShare | None = None
    fact: Fact | None = None
    arithmetic: Arithmetic | None = None

    @model_validator(mode="after")
    def _one_quantity(self) -> Quantity:
        named = [name for name in Quantity.model_fields if getattr(self, name) is not None]
        if len(named) != 1:
            raise ValueError(
                f"reads {' and '.join(named) or 'nothing'}; give one of "
                f"{', '.join(Quantity.model_fields)}"
            )
        return self

    @property
    def measure(self) -> str | None:
        """Measure that it reads; None for what no measure gives."""
        rows = self.texts or self.curve or self.heads
        return rows.measure if rows else None

    @property
    def exact(self) -> bool:
        """Whether the value has no interval by its nature."""
        return not (
            (self.texts and self.texts.over_texts == "mean")
            or self.curve
            or (self.heads and not self.heads.every)
        )


# --- what is asked, of whom -----------------------------------------------------------------------


class Over(RulePart):
    """Condition on the experiments that are asked; what is left out is not asked for.

    ``causal`` asks whether the tokens of the model see themselves and earlier ones only,
    ``normalizes_sums`` whether it normalizes the sum of the stream and what a layer adds, and
    ``special_first`` whether all texts begin with a special token; ``joint`` asks encoder-decoders
    that have learned to write targets as a whole, and nothing else.
    """

    task: list[Task] | None = None
    models: list[str] | None = None
    data: list[str] | None = None
    not_data: list[str] = []
    max_tokens: int | None = None
    trained: bool | None = None
    whole: bool | None = None
    causal: bool | None = None
    normalizes_sums: bool | None = None
    special_first: bool | None = None
    joint: bool = False


class When(Quantity):
    """A case is asked only where this holds: one that could not come out otherwise says nothing."""

    holds: Predicate


class Case(Quantity):
    """One quantity and where it has to be; without a predicate it is shown beside the others.

    ``other_tokens`` is the same without special tokens where it is with them, or with them where it
    is without.
    """

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")] | None = None
    holds: Predicate | None = None
    other_tokens: Texts | None = None
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
    variants: list[Variant] | None = None


class Extreme(Rows):
    """Question which of several curves is highest, or lowest, in every experiment and model state.

    Attributes
    ----------
    by
        The column in which they differ, or ``quantity``.
    among
        Its values.
    layers
        Over which the curve is meaned; without them, what is of all of them together.
    margin
        By how much one has to stand out from the next; where it does not, the choice is ``close``.
    """

    quantity: str = ""
    layers: Layers | None = None
    margin: Annotated[float, Field(ge=0)] = 0
    by: Literal["quantity", "subject", "facet"]
    among: Annotated[list[str], Field(min_length=2)]
    take: Literal["largest", "smallest"] = "largest"


# --- rules ----------------------------------------------------------------------------------------


class Conditions(RulePart):
    """Models and data behind published values; a test with the same ones is a reproduction.

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
    models: list[str]
    data: list[str]


class Claim(RulePart):
    """Published statement, its source and its values.

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
    stake
        Whether something is at stake: not where nobody claims it so, or doubts it. Of what is true
        by algebra, and of arithmetic, nothing is.
    """

    kind: Literal["algebra", "arithmetic", "measured"]
    headline: bool = False
    source: Annotated[list[str], Field(min_length=1)]
    values: Any = None
    conditions: Conditions | None = None
    evidence: Annotated[str, Field(pattern=r"^(fig|tbl|eq|sec)-[a-z0-9-]+$")]
    needs: str | None = None
    cls: bool = False
    stake: bool = True


class Rule(RulePart):
    """A claim, or a finding of the report's own; the messages with its name say it in words.

    A finding is of this run, unless it is asked of ``all_runs``, as claims are.
    """

    id: Annotated[str, Field(pattern=r"^([AB][0-9]{1,2}|[a-z]+\.[a-z][a-z0-9-]*)$")]
    chapter: str
    claim: Claim | None = None
    like: str | None = None
    all_runs: bool = False
    form: str = ".2f"
    over: Over = Over()
    variants: list[Variant] = []
    cases: list[Case] = []
    numbers: dict[str, Number] = {}
    choices: dict[str, Extreme] = {}

    @model_validator(mode="before")
    @classmethod
    def _chapter_of_a_finding(cls, row: Any) -> Any:
        if isinstance(row, dict) and "chapter" not in row and "." in str(row.get("id", "")):
            return row | {"chapter": row["id"].partition(".")[0]}
        return row

    @model_validator(mode="after")
    def _consistent(self) -> Rule:
        if self.claim is not None and not self.cases and not self.claim.needs:
            raise ValueError("has no case and does not say what a test needs; add cases or needs")
        read = (*self.cases, *self.numbers.values())
        if any(quantity.arithmetic is None for quantity in read) and not self.variants:
            raise ValueError("reads results but names no variants; give pretrained, finetuned")
        if twice := {case.name for case in self.cases} & {*self.numbers, *self.choices}:
            raise ValueError(f"has a case and a number called {min(map(str, twice))}; rename one")
        return self

    @property
    def of_other_tokens(self) -> Rule | None:
        """The rule asked of the other tokens; None where no case has them."""
        cases = [
            case.model_copy(update={"texts": case.other_tokens, "other_tokens": None})
            for case in self.cases
            if case.other_tokens is not None
        ]
        return self.model_copy(update={"cases": cases, "numbers": {}}) if cases else None

    @property
    def quantities(self) -> list[Quantity]:
        """All that it reads: of its cases, their conditions and the numbers of its sentence."""
        whens = [case.when for case in self.cases if case.when is not None]
        other = self.of_other_tokens
        return [*self.cases, *(other.cases if other else ()), *whens, *self.numbers.values()]

    @property
    def measured(self) -> list[Rows]:
        """Rows that its cases read, each once."""
        rows = [case.texts or case.curve or case.heads for case in self.cases]
        first = [
            Rows(measure=one.measure, quantity=one.quantity, where=one.where) for one in rows if one
        ]
        return [one for place, one in enumerate(first) if one not in first[:place]]

    @property
    def methods(self) -> list[Method]:
        """Methods whose values its cases, numbers and choices are, each once."""
        read: list[Rows] = list(self.choices.values())
        for quantity in (*self.cases, *self.numbers.values()):
            rows = quantity.texts or quantity.curve or quantity.heads
            read += [rows] if rows else []
            read += [quantity.texts.other] if quantity.texts and quantity.texts.other else []
        return list(dict.fromkeys(method for rows in read for method in _methods(rows)))


def _methods(rows: Rows) -> Iterator[Method]:
    named = rows.where.get("subject", [])
    names = named if isinstance(named, list) else [str(named)]
    if isinstance(rows, Extreme) and rows.by == "subject":
        names = rows.among
    for name in names:
        yield Method(rows.measure, rows.quantity, name)


def asked_of_texts(rules: Iterable[Rule]) -> list[Texts]:
    """Quantities that rules ask of texts, each once, in the order of their names."""
    quantities = (quantity for rule in rules for quantity in rule.quantities)
    by_name = {each.texts.name: each.texts for each in quantities if each.texts is not None}
    return [by_name[name] for name in sorted(by_name)]


# --- reading --------------------------------------------------------------------------------------


def read(path: Path) -> list[Rule]:
    """Read and check every rule.

    Raises
    ------
    InputError
        On the first mistake, one sentence that names the rule and what is allowed.
    """
    try:
        rows = yaml.load(path.read_text(encoding="utf-8"), LOADER)
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); restore it.") from None
    except yaml.YAMLError as error:
        reason = " ".join(str(error).split())
        raise InputError(f"{path} is not YAML ({reason}); correct that place.") from None
    if not isinstance(rows, list) or not rows:
        raise InputError(f"{path} holds no list of rules; give one row a rule.")
    rules: dict[str, Rule] = {}
    for number, row in enumerate(rows, start=1):
        name = row.get("id") if isinstance(row, dict) else None
        where = f"{path}: rule {name or f'in row {number}'}"
        try:
            rule = parse(row)
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


def parse(row: Any) -> Rule:
    """Check one row, in which names of published values give way to these.

    What is wrong with it is a ``ValidationError``.
    """
    claim = row.get("claim") if isinstance(row, dict) else None
    values = claim.get("values") if isinstance(claim, dict) else None
    return Rule.model_validate(row, context=values)


def _explain(error: ValidationError) -> str:
    """Turn the first mistake into one clause; an unknown key is the likeliest cause of others.

    Of what may be a number or something else, only the one that was meant has a sentence.
    """
    order = ("extra_forbidden", "value_error")
    first = min(error.errors(), key=lambda e: (*order, e["type"]).index(e["type"]))
    # Pydantic names which of several types was tried.
    tried = ("Depth", "Effect", "literal[", "list[", "function-")
    key = ".".join(step for step in map(str, first["loc"]) if not step.startswith(tried))
    schema = Rule.model_json_schema()
    match first["type"]:
        case "extra_forbidden":
            known = ", ".join(known_keys(schema, first["loc"][:-1]))
            return f"{key} is not a known key; allowed: {known}"
        case "missing":
            return f"{key} is missing; add it"
        case "value_error":
            return f"{key} {first['ctx']['error']}".strip()
        case _:
            key = key.removesuffix(".[key]")
            return f"{key} is {first.get('input')!r}; allowed: {allowed(schema, first['loc'])}"
