"""What is wrong with the values of a section, in words of the file.

Pydantic finds the faults; what is allowed at a place is read off the JSON schema of its classes.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from analysis.parameters.sections import Params
from attention_mixing.errors import quoted, shortened
from attention_mixing.settings.values import NAME, NOT_BLANK, REVISION

COMPLETE = "reference/quick/params.yaml"  # has every key
MOST_TOLD = 20  # faults of a file
Location = tuple[int | str, ...]
JsonSchema = Mapping[str, Any]
# Keys that take values of several kinds; pydantic has a mistake for each of them.
CHOICES: dict[Location, str] = {
    ("device",): "auto, cpu, cuda, cuda:N, mps",
    ("workers",): "auto, a number of processes from 1 to 1024, tcp://HOST:PORT",
    ("geometry", "texts"): "a number of texts, a list of texts such as [0, 3]",
    ("geometry", "nonlinear"): "all, a list of experiments",
    ("heads", "images"): "none, hog, {source: hub, name: ORG/NAME, revision: COMMIT}, "
    "{source: local, name: a name under files}",
}
PATTERNS = {
    NAME: "a name of lower-case letters, digits and hyphens, beginning with a letter, of at most "
    "31 characters",
    NOT_BLANK: "a text with a word in it",
    REVISION: "a full commit hash of 40 hexadecimal digits, as the page of the hub shows it",
}
READING = ("experiments", "encoders", "sinks")  # sections that name models and texts
UNKNOWN = ("extra_forbidden", "invalid_key")  # the latter of keys that are no texts


def faults(error: ValidationError, raw: Mapping[Any, Any]) -> list[str]:
    """Turn a pydantic report of ``params.yaml`` into sentences, one a fault, likely causes first.

    Each says which key is wrong, what is allowed, and what to do. ``raw`` is what stands in the
    file. What a misspelt key leaves missing is no fault of its own. Beyond :data:`MOST_TOLD` they
    are counted.
    """
    schema, found = Params.model_json_schema(), _causes(error.errors())
    unknown = [mistake for mistake in found if mistake["type"] in UNKNOWN]
    near = {mistake["loc"]: _near(schema, mistake["loc"]) for mistake in unknown}
    meant = {(*place[:-1], key) for place, key in near.items()}
    told = [_unknown(schema, place, key) for place, key in near.items()]
    wrong = {_place(one["loc"]): one for one in reversed(found) if one["type"] not in UNKNOWN}
    missing = [
        ".".join(_path(one["loc"]))
        for place, one in wrong.items()
        if one["type"] == "missing" and place == one["loc"] and place not in meant
    ]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        named = ", ".join(reversed(missing))
        told.append(f"{named} {verb} missing; see {COMPLETE}, which has every key.")
    for place, one in reversed(wrong.items()):
        if one["type"] != "missing" or place != one["loc"]:
            told += _wrong(schema, place, one, raw)
    more = len(told) - MOST_TOLD
    return [*told[:MOST_TOLD], *([f"{more} more follow; correct these first."] * (more > 0))]


def _causes(mistakes: list[ErrorDetails]) -> list[ErrorDetails]:
    """Leave out that a list is too short for values of it that are wrong, as pydantic counts."""
    within = {one["loc"][:-1] for one in mistakes}
    return [one for one in mistakes if one["type"] != "too_short" or one["loc"] not in within]


def _near(schema: JsonSchema, place: Location) -> str | None:
    """Find the known key that an unknown one is most like."""
    matches = difflib.get_close_matches(str(place[-1]), known_keys(schema, place[:-1]), n=1)
    return next(iter(matches), None)


def _unknown(schema: JsonSchema, place: Location, near: str | None) -> str:
    known = ", ".join(known_keys(schema, place[:-1]))
    hint = f"did you mean {near}" if near else f"allowed there: {known}"
    path = shortened(".".join(_path(place)))
    return f"{path} is not a known key; {hint}; correct or remove it."


def _wrong(
    schema: JsonSchema, place: Location, mistake: ErrorDetails, raw: Mapping[Any, Any]
) -> list[str]:
    """Word a mistake of a value; a section whose values do not fit each other may have several."""
    path = _path(place)
    key, value = shortened(".".join(path)), mistake.get("input")
    if mistake["type"] == "value_error":
        return [f"{key} {shortened(reason)}.".lstrip() for reason in mistake["ctx"]["error"].args]
    if place in CHOICES:
        value, words = raw, CHOICES[place]
        for step in place:
            value = value[step]
    elif path[-1] == "[key]":
        name = shortened(".".join(path[:-1]))
        return [f"{name} is not a usable name; allowed: {allowed(schema, place)}; rename it."]
    elif mistake["type"].startswith("union_tag"):
        key, value = f"{key}.source", value.get("source") if isinstance(value, dict) else value
        words = ", ".join(_sources(_at(schema, place)[0]))
    else:
        words = allowed(schema, place)
    return [f"{key} is {quoted(value)}; allowed: {words}; correct it."]


def _path(location: Location) -> list[str]:
    """Keys that lead to a place, as they stand in the file."""
    path = list(map(str, location))
    at = 1 + 1 + (path[:1] == ["sinks"])  # section, name; a corpus of sinks is a step further in
    if len(path) > at + 1 and path[0] in READING and path[at] in ("model", "data"):
        del path[at + 1]  # pydantic puts the source there
    return path


def _place(location: Location) -> Location:
    """Key that a mistake is of: one of :data:`CHOICES` whichever of its kinds was tried."""
    return next((key for key in CHOICES if location[: len(key)] == key), location)


# --- what is allowed at a place -------------------------------------------------------------------


def known_keys(schema: JsonSchema, place: Location) -> list[str]:
    """List the keys of the section at a place; none where there is no section.

    ``schema`` is the JSON schema of a class of sections.
    """
    options = [option for one in _at(schema, place) for option in _options(schema, one)]
    return list(dict.fromkeys(key for one in options for key in one.get("properties", ())))


def allowed(schema: JsonSchema, place: Location) -> str:
    """Say in words what the JSON schema of a class of sections allows at a place."""
    if place[-1] == "[key]":  # of a mapping: place[-2], as it stands in the file
        return _any_of(_in_words(schema, one) for one in _names(schema, place[:-2]))
    return _any_of(_in_words(schema, one) for one in _at(schema, place))


def _names(schema: JsonSchema, place: Location) -> list[JsonSchema]:
    """Find the schemas of the names that a mapping at a place may have."""
    options = [option for one in _at(schema, place) for option in _options(schema, one)]
    patterns = [pattern for one in options for pattern in one.get("patternProperties", ())]
    return [
        *(one["propertyNames"] for one in options if "propertyNames" in one),
        *({"type": "string", "pattern": pattern} for pattern in patterns),
    ]


def _at(schema: JsonSchema, place: Location) -> list[JsonSchema]:
    """Find the schemas of what may stand at a place.

    A step that leads nowhere is the name that pydantic gives to one of several kinds.
    """
    found = [schema]
    for step in place:
        found = [inner for one in found for inner in _inside(schema, one, step)] or found
    return found


def _inside(schema: JsonSchema, node: JsonSchema, step: int | str) -> list[JsonSchema]:
    """Find the schemas one step below another; the source of a model or of data is such a step."""
    if step in (sources := _sources(node)):
        return [{"$ref": sources[str(step)]}]
    inner: list[JsonSchema] = []
    for option in _options(schema, node):
        if isinstance(step, int):
            inner += [option["items"]] if "items" in option else []
        elif step in option.get("properties", {}):
            inner.append(option["properties"][step])
        else:
            inner += option.get("patternProperties", {}).values()
    return inner


def _options(schema: JsonSchema, node: JsonSchema) -> list[JsonSchema]:
    """List the kinds that a schema allows, a schema each."""
    if "$ref" in node:
        return _options(schema, schema["$defs"][node["$ref"].rpartition("/")[2]])
    kinds = node.get("anyOf") or node.get("oneOf")
    return [option for kind in kinds for option in _options(schema, kind)] if kinds else [node]


def _sources(node: JsonSchema) -> dict[str, str]:
    """Look up the sections among which ``source`` chooses, by its values."""
    return node.get("discriminator", {}).get("mapping", {})


def _in_words(schema: JsonSchema, node: JsonSchema) -> str:
    """Say what a schema allows: ``null or a whole number from 1 to 1000000``."""
    if sources := _sources(node):
        return f"a section whose source is {_any_of(sources)}"
    options = _options(schema, node)
    if len(options) > 1:
        nullable = sorted(options, key=lambda option: option.get("type") != "null")
        return _any_of(_in_words(schema, option) for option in nullable)
    (one,) = options
    if values := one.get("enum", [one["const"]] if "const" in one else []):
        return _any_of(map(str, values))
    match one.get("type"):
        case "integer":
            return f"a whole number{_bounds(one)}"
        case "number":
            return f"a number{_bounds(one)}"
        case "boolean":
            return "true or false"
        case "null":
            return "null"
        case "string":
            if pattern := one.get("pattern"):
                return PATTERNS.get(pattern, f"a text of the pattern {pattern}")
            return "a text that is not empty" if one.get("minLength") else "a text"
        case "array":
            least = f" of at least {one['minItems']}" if "minItems" in one else ""
            return f"a list{least}, each {_in_words(schema, one['items'])}"
        case _ if keys := list(one.get("properties", ())):
            return f"a section with the keys {', '.join(keys)}"
        case _:
            names = "at least one name" if "minProperties" in one else "names"
            return f"a section of {names}, each with what it names"


def _bounds(node: JsonSchema) -> str:
    """Say between which numbers one is allowed, beginning with a blank."""
    low, above = node.get("minimum"), node.get("exclusiveMinimum")
    high, below = node.get("maximum"), node.get("exclusiveMaximum")
    least = f" from {low}" if low is not None else f" above {above}" if above is not None else ""
    most = f", below {below}" if below is not None else ""
    if high is not None:
        most = f" to {high}" if low is not None else f", at most {high}"
    return least + most


def _any_of(options: Iterable[str]) -> str:
    """Write ``a, b or c``, each once."""
    *others, last = dict.fromkeys(options)
    return f"{', '.join(others)} or {last}" if others else last
