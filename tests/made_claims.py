"""Made-up claims with every outcome, as the stage ``rules`` would write them, and their words."""

from functools import cache

from analysis.prose import citations, claims
from analysis.prose.messages import words
from analysis.rules.verdicts import WAYS
from attention_mixing.messages import Words

LANGUAGES = ("en", "ja")
HOSTILE = "</li><script>alert(1)</script> **b** $x$ {{< var x >}} \" ' & <b>"
MODEL = {"encoder": "tiny", "trained": "reviews"}
# Of the claims of `record`.
NAMES = ["A1", "A2", "A10", "B2", "B3", "B8", "B9", "B10"]


def case(value, holds, label=None, experiment="reviews", variant="finetuned", **more):
    row = {
        "experiment": experiment,
        "model": MODEL if experiment else None,
        "stale": [],
        "variant": variant,
        "case": label,
        "layer": None,
        "value": value,
        "low": value - 0.1,
        "high": value + 0.1,
        "sample": 64,
        "unit": "text",
        "at_least": None,
        "decides": True,
        "allowed": {"low": 0.5, "high": None, "inside": True, "effect": 0.9},
        "holds": holds,
        "p": 0.01,
        "power": 0.9,
        "needed": None,
        "needed_unit": "text",
    }
    return row | more


def claim(name, outcome, *cases, other=False, **more):
    """A claim as it was judged; what is not given is what most claims have."""
    about = {
        "kind": "algebra" if name.startswith("A") else "measured",
        "headline": False,
        "source": ["abnar2020"],
        "values": None,
        "conditions": {"name": "larger", "models": ["larger"], "data": []} if other else None,
        "evidence": "fig-families",
        "needs": f"of_{name}" if other or outcome in ("open", "not_tested") else None,
        "cls": False,
        "stake": True,
        "files": ["results/summary/heads"],
        "differs": {"models": ["tiny"], "experiments": ["reviews"]} if other else None,
        "this_run": outcome,
        "otherwise": None if name.startswith("A") else dict.fromkeys(WAYS, outcome),
    }
    row = {
        "id": name,
        "chapter": more.pop("chapter", "heads"),
        "outcome": outcome,
        "parts": {},
        "models": more.pop("models", [MODEL | {"outcome": outcome}] if cases else []),
        "cases": list(cases),
        "measured": more.pop("measured", []),
        "methods": more.pop("methods", []),
        "form": ".2f",
        "numbers": {},
        "choices": {},
    }
    about |= more
    untested = "no_experiment" if about["this_run"] == "not_tested" else None
    return row | {"claim": about, "untested": untested}


def record():
    """A claim of every outcome, from several sources and chapters."""
    return [
        claim("A1", "holds", case(0.6, True, low=None, high=None), chapter="setup"),
        claim("A2", "divided", case(0.6, True, "text"), case(0.4, False, "code")),
        claim("A10", "fails", case(0.4, False, experiment=None, variant=None)),
        claim(
            "B2",
            "divided",
            *(case(i / 10, (True, False, None)[i % 3], f"part{i}") for i in range(9)),
            source=["yeh2023", "lecture"],
            evidence="sec-limits",
            headline=True,
            other=True,
        ),
        claim(
            "B3",
            "holds",
            case(0.7, True, "one"),
            case(0.8, True, "one", "agreement"),
            case(0.3, None, "two", decides=False, allowed=None),
            headline=True,
            other=True,
        ),
        claim("B8", "open", case(0.5, None, needed=1234), chapter="mixing", headline=True),
        claim("B9", "not_tested", files=[], chapter="mixing", headline=True),
        claim("B10", "fails", *(case(v, False) for v in (0.1, 0.2)), headline=True, other=True),
    ]


class Told(Words):
    """Words of the page, and texts of made-up claims beside them, which stand for themselves."""

    def __init__(self, page, made):
        dict.__init__(self, page | made)
        self.language, self._page, self._made = page.language, page, made

    def say(self, name, /, **arguments):
        return self._made.get(name) or self._page.say(name, **arguments)


@cache
def page_words(language):
    return words(language, "advice")


def vocabulary(language="en", rows=None, **told):
    """Words of the page, with those of the made-up claims; ``told`` replaces some of these."""
    mark = "日本語 " if language == "ja" else ""
    made = {"study_lecture": {"en": "the lecture", "ja": "講義"}[language]}
    made["conditions_larger"] = f"{mark}a larger model"
    for row in record() if rows is None else rows:
        name = row["id"]
        made[f"{name}_statement"] = f"{mark}statement of {name}"
        made[f"{name}_published"] = f"{mark}near 1 [@clark2019]" if name == "B3" else "0.5"
        made[f"{name}_rule"] = f"{mark}above one half"
        made[f"needs_of_{name}"] = f"{mark}what {name} takes"
        made |= {f"case_{one['case']}": one["case"] for one in row["cases"] if one["case"]}
    return Told(page_words(language), made | told)


def read(language="en", rows=None, **told):
    """Return the claims, their sources and the words of the page."""
    w = vocabulary(language, rows, **told)
    found = claims.claims(record() if rows is None else rows, w)
    return found, citations.sources(found, w), w
