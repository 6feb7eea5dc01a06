"""A made-up ledger with a claim of every verdict, as the stage would write it."""

from analysis.figures import claim_sources, claims
from analysis.figures.words import words

LANGUAGES = ("en", "ja")
HOSTILE = "</li><script>alert(1)</script> **b** $x$ {{< var x >}} \" ' & <b>"
# Of the claims of `record`, in the order of a reader.
NAMES = ["A1", "A2", "A10", "B2", "B3", "B8", "B9", "B10"]


def both(text):
    return {"en": text, "ja": f"日本語 {text}"}


def case(value, holds, label=None, experiment="reviews", variant="finetuned", **more):
    row = {
        "experiment": experiment,
        "variant": variant,
        "label": both(label) if label else None,
        "value": value,
        "low": None if value is None else value - 0.1,
        "high": None if value is None else value + 0.1,
        "texts": 64,
        "decides": True,
        "holds": holds,
    }
    return row | more


def claim(name, verdict, *cases, **more):
    """A row of the ledger; what is not given is what most claims have."""
    same = verdict in ("reproduced", "partly_reproduced", "not_reproduced")
    other = verdict in ("consistent", "partly_consistent", "inconsistent")
    row = {
        "id": name,
        "part": "structure" if name.startswith("A") else "models",
        "statement": both(f"statement of {name}"),
        "source": ["abnar2020"],
        "published": both("0.5"),
        "values": None,
        "chapter": "heads",
        "evidence": "fig-families",
        "files": ["results/summary/heads"],
        "rule": both("above one half"),
        "conditions": "same" if same else "other" if other else None,
        "differs": both("a smaller model") if other else None,
        "verdict": verdict,
        "cases": list(cases),
        "form": ".2f",
        "needs": both(f"what {name} takes") if verdict not in ("reproduced",) else None,
        "headline": False,
    }
    return row | more


def record():
    """A claim of every verdict, in no order, from several sources and chapters."""
    return {
        "claims": [
            claim("B10", "inconsistent", *(case(v, False) for v in (0.1, 0.2)), headline=True),
            claim("A2", "partly_reproduced", case(0.6, True, "text"), case(0.4, False, "code")),
            claim("A10", "not_reproduced", case(0.4, False, experiment=None, variant=None)),
            claim("A1", "reproduced", case(0.6, True, low=None, high=None), chapter="setup"),
            claim(
                "B2",
                "partly_consistent",
                *(case(i / 10, (True, False, None)[i % 3], f"layer {i}") for i in range(9)),
                source=["yeh2023", "lecture"],
                evidence="sec-limits",
                headline=True,
            ),
            claim(
                "B3",
                "consistent",
                case(0.7, True, "one"),
                case(0.8, True, "one", "agreement"),
                case(0.3, None, "two", decides=False),
                published=both("near 1 [@clark2019]"),
                headline=True,
            ),
            claim("B8", "undecided", case(0.5, None), chapter="mixing", headline=True),
            claim("B9", "not_tested", files=[], chapter="mixing", headline=True),
        ],
        "studies": {"lecture": {"en": "the lecture", "ja": "講義"}},
    }


def vocabulary(language="en"):
    return words(language, "claims", "findings_claims", "findings_advice")


def read(language="en", rows=None):
    """Return the claims, their sources and the words of the page."""
    w = vocabulary(language)
    made = record()
    found = claims.claims(made if rows is None else {"claims": rows}, w)
    return found, claim_sources.sources(found, made["studies"], language), w
