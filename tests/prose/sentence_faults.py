"""What makes a sentence of a finding false, whatever comes out: read off its message and its rule.

A message has a text for each outcome of what it chooses by, a part of the finding or all of it.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import yaml
from fluent.syntax import ast
from fluent.syntax.visitor import Visitor

from analysis.rules.rule import Case, Number, Rule
from attention_mixing.attributions.catalogue import labels

WEIGHTS = {"attnres_w"} | {
    label for label, one in labels().items() if one.method.family == "weights"
}
VECTORS = {"attnres_n"} | {
    label for label, one in labels().items() if one.method.family == "vectors"
}
# Of two quantities the larger one first, or the smaller one.
MORE, LESS = ">", "<"
COMPARED = {
    "en": [
        (r"\b(weights|vectors)\b[^:.]*\bexceeds?\b[^:.]*\b(weights|vectors)\b", MORE),
        (r"\b(weights) overstate (mixing)\b", MORE),
        (r"\b(weights)\b[^:.]*\boverstate (mixing)\b", MORE),
        (r"\b(vectors)\b[^:.]*\bless than\b[^:.]*\b(weights)\b", LESS),
        (r"\b(vectors)\b[^:.]*\bless on special tokens than\b[^:.]*\b(weights)\b", LESS),
    ],
    "ja": [
        (r"(重み|ベクトル)[^、。（]*[はが][^。（]*?(重み|ベクトル)[^。、（]*を上回", MORE),
        (r"(重み)は混合の度合いを(過大)", MORE),
        (r"(ベクトル)[^。]*?(重み)が示すほど", LESS),
        (r"(ベクトル)[^。]*?(重み)(?:の値)?を下回", LESS),
    ],
}
NAMES = {"重み": "weights", "ベクトル": "vectors", "mixing": "vectors", "過大": "vectors"}
# What a text says of which models it speaks of.
STATES = {
    "en": {"finetuned": r"(?:after fine-tuning|fine-tuned models)", "pretrained": r"before_tuning"},
    "ja": {"finetuned": r"ファインチューニング後", "pretrained": r"before_tuning"},
}
# What texts say where their rule holds, and where it fails.
POLARITIES = yaml.safe_load((Path(__file__).parent / "polarities.yaml").read_text("utf-8"))
# Behind a text that denies what the rule asks, "holds in" would count the other models.
NEGATED = {"en": r"no such difference|not to be trusted", "ja": r"差が認められない|信頼できない"}
# What is said before a number that is the largest or lowest of all.
ENDS = {
    "en": r"\b(?:largest|smallest|lowest|highest|least \w+|at most|up to|reach)\b[^.;:,(]*$",
    "ja": r"(?:最大の(?:活性)?値は|最大で|最小で|最低でも?|最も[高低]いもの)[^。、（]*$",
}
# Shares of a vector: of one layer, or followed through all of them.
ALL_LAYERS = {label for label, one in labels().items() if one.rolled}
SCOPES = {
    "en": {
        "layer": r"a layer|first layer|single layer|that layer|two layers",
        "model": r"all layers|roll|ALTI|last layer",
    },
    "ja": {
        "layer": r"一つの層|第 1 層|同じ層|最後の二層",
        "model": r"全層|ロールアウト|ALTI|最終層",
    },
}
SENTENCES = {"en": r"(?<=[.?!])\s+", "ja": r"(?<=。)\**\s*"}


class Text(NamedTuple):
    """A text of a message: what chooses it, the outcome that does, what it says and shows."""

    chooser: str
    outcome: str
    said: str
    shown: frozenset[str]


def texts_of(message: ast.Message) -> list[Text]:
    """List the texts of a message that an outcome chooses, each without what is nested in it."""
    found = _Texts()
    found.visit(message)
    return found.texts


class _Texts(Visitor):
    def __init__(self) -> None:
        self.texts: list[Text] = []

    def visit_SelectExpression(self, node: ast.SelectExpression) -> None:
        if isinstance(node.selector, ast.VariableReference):
            for variant in node.variants:
                said, shown = "", set()
                for element in variant.value.elements:
                    if isinstance(element, ast.TextElement):
                        said += element.value
                    elif isinstance(element.expression, ast.VariableReference):
                        name = element.expression.id.name
                        said += f" {name} " if name == "before_tuning" else "…"
                        shown.add(name)
                key = getattr(variant.key, "name", None) or variant.key.value
                self.texts.append(Text(node.selector.id.name, key, said, frozenset(shown)))
        self.generic_visit(node)


def faults(
    rule: Rule, rules: dict[str, Rule], message: ast.Message, language: str
) -> Iterator[str]:
    """Say what is false in the texts of a finding: another direction, or other models."""
    cases = [case for one in (rule.like, rule.id) if one for case in rules[one].cases]
    parts = {case.name for case in cases if case.name} | {"outcome"}
    for text in texts_of(message):
        if text.chooser not in parts:
            continue
        of = [c for c in cases if c.holds and text.chooser in ("outcome", c.name)]
        yield from _direction(text, of, language)
        yield from _models(text, of, rules[rule.like or rule.id], language)
        yield from _polarity(text, rule, language)


def compared(said: str, language: str) -> tuple[str, str] | None:
    """Return the larger and the smaller of two quantities that a text compares, if it does."""
    for pattern, sign in COMPARED[language]:
        if found := re.search(pattern, said, re.IGNORECASE):
            one, other = (NAMES.get(name.lower(), name.lower()) for name in found.groups())
            if one != other:
                return (one, other) if sign == MORE else (other, one)
    return None


def larger(case: Case) -> tuple[str, str] | None:
    """Return which of weights and vectors is larger if a case holds; None if it asks otherwise."""
    texts = case.texts
    if texts is None or texts.minus is None or case.holds is None or case.holds.near is not None:
        return None
    names = [str(where.get("subject", "")) for where in (texts.where, texts.minus.where)]
    kinds = ["weights" if n in WEIGHTS else "vectors" if n in VECTORS else "" for n in names]
    if sorted(kinds) != ["vectors", "weights"]:
        return None
    one, other = kinds
    return (one, other) if case.holds.allowed.low >= 0 else (other, one)


def _direction(text: Text, cases: list[Case], language: str) -> Iterator[str]:
    asked = {direction for case in cases if (direction := larger(case))}
    said = compared(text.said, language)
    if said and asked and said not in asked:
        yield f"{text.outcome} of {text.chooser} compares the other way round"
    if text.outcome == "divided" and re.search(NEGATED[language], text.said):
        yield f"{text.outcome} of {text.chooser} states the opposite of the rule"


def _polarity(text: Text, rule: Rule, language: str) -> Iterator[str]:
    if not text.said.strip() or text.outcome not in ("holds", "divided", "fails"):
        return
    if (words := POLARITIES.get(rule.id, {}).get(text.chooser)) is None:
        if rule.like:
            yield f"{text.chooser} has no words in polarities.yaml"
        return
    # A sentence may say how it would be where it fails, and does not, but none must say it holds.
    holds, fails = (re.search(words[language][said], text.said) for said in ("holds", "fails"))
    if text.outcome == "fails" and not fails:
        yield f"fails of {text.chooser} does not deny its rule"
    if text.outcome != "fails" and (fails or not holds):
        yield f"{text.outcome} of {text.chooser} does not say what its rule asks"


def _models(text: Text, cases: list[Case], judged: Rule, language: str) -> Iterator[str]:
    counted = {name for name in text.shown if name.endswith("_models")}
    if not any(map(of_models, cases)):
        return
    if text.outcome == "divided" and counted != {f"{text.chooser}_models"}:
        yield f"divided of {text.chooser} counts {sorted(counted) or 'no models'}"
    elif text.outcome != "divided" and counted:
        yield f"{text.outcome} of {text.chooser} counts models"
    if text.outcome != "divided":
        return
    states = {state for case in cases for state in _states(case, judged)}
    for state, pattern in STATES[language].items():
        if re.match(rf"[^:：]*?{pattern}", text.said, re.IGNORECASE) and states != {state}:
            yield f"divided of {text.chooser} is of {state} models and counts {sorted(states)}"


def of_models(quantity: Case | Number) -> bool:
    """Tell whether a quantity is measured in models, of which there may be several."""
    fact = quantity.fact
    return quantity.arithmetic is None and (fact is None or fact.of == "model")


def ends(rule: Rule, message: ast.Message, language: str) -> Iterator[str]:
    """Say which typical values a message calls largest or lowest; ends have names of their own."""
    of_texts = _Shown()
    of_texts.visit(message)
    for before, name in of_texts.shown:
        number = rule.numbers.get(re.sub(r"_(pretrained|finetuned)$", "", name))
        if number is not None and of_models(number) and re.search(ENDS[language], before):
            yield f"{name} is called an end and is a typical value"


class _Shown(Visitor):
    """Every variable that patterns show, behind what is said before it."""

    def __init__(self) -> None:
        self.shown: list[tuple[str, str]] = []

    def visit_Pattern(self, node: ast.Pattern) -> None:
        said = ""
        for element in node.elements:
            if isinstance(element, ast.TextElement):
                said += element.value
            elif isinstance(element.expression, ast.VariableReference):
                self.shown.append((said, element.expression.id.name))
                said += "…"
        self.generic_visit(node)


def _states(case: Case, rule: Rule) -> list[str]:
    own = case.texts.where.get("variant") if case.texts else None
    return [str(own)] if own else list(rule.variants)


def scope(number: Number) -> str | None:
    """Tell whether a share of a vector is of one ``layer`` or of the ``model``; else None."""
    texts = number.texts
    if texts is None or texts.quantity not in ("ratio", "mixing"):
        return None
    through = texts.quantity == "mixing" and texts.where.get("subject") in ALL_LAYERS
    return "model" if through and texts.layers == "last" else "layer"


def spelled_out(paragraph: str, outcome: str, messages: dict[str, ast.Message]) -> str:
    """Put the texts of an outcome in place of the findings that a paragraph states."""

    def text(found: re.Match[str]) -> str:
        message = messages.get(re.sub(r"[.-]", "_", found[1]))
        if message is None:
            return found[0]
        asked = {one.id.name: one.value for one in message.attributes}
        pattern = asked.get("untested") if outcome == "not_tested" else None
        return _said(pattern or message.value, found[1], outcome)

    return re.sub(r"\{\{< var (\w+\.[a-z-]+) >\}\}", text, paragraph)


def _said(pattern: ast.Pattern, finding: str, outcome: str) -> str:
    said = ""
    for element in pattern.elements:
        if isinstance(element, ast.TextElement):
            said += element.value
        elif isinstance(element.expression, ast.VariableReference):
            said += f"{{{{< var {finding}-{element.expression.id.name} >}}}}"
        elif isinstance(element.expression, ast.SelectExpression):
            variants = element.expression.variants
            chosen = [v for v in variants if getattr(v.key, "name", "") == outcome]
            said += _said((chosen or [v for v in variants if v.default])[0].value, finding, outcome)
    return said


def mixed_scopes(paragraph: str, rules: dict[str, Rule], language: str) -> list[str]:
    """List the sentences of a paragraph whose numbers are of another scope than the words.

    A sentence without such words has the scope of the one before it. None needs them where all
    numbers of the paragraph are of one scope.
    """
    sentences = re.split(SENTENCES[language], re.sub(r"\]\{[^}]*\}", "", paragraph))
    scopes = [
        {found for name in SHOWN.findall(s) if (found := _scope_of(*name, rules))}
        for s in sentences
    ]
    if len(set().union(*scopes)) < 2:
        return []
    mixed, named = [], set()
    for sentence, of in zip(sentences, scopes, strict=True):
        said = re.sub(r"\{\{<.*?>\}\}", "", sentence)
        named = {one for one, words in SCOPES[language].items() if re.search(words, said)} or named
        if not of <= named:
            mixed.append(sentence)
    return mixed


SHOWN = re.compile(r"var (\w+\.[a-z-]+?)-(\w+) ")


def _scope_of(finding: str, name: str, rules: dict[str, Rule]) -> str | None:
    numbers = rules[finding].numbers if finding in rules else {}
    number = numbers.get(re.sub(r"_(pretrained|finetuned)$", "", name))
    return None if number is None else scope(number)
