"""Values as papers print them, and what this run says of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from analysis.rules.verdicts import case_outcome, together
from attention_mixing.artifacts import read_artifact
from attention_mixing.paths import PARAMETERS, PUBLISHED, result


@cache
def record(chapter: str = "claims") -> dict[str, dict[str, Any]]:
    """Claims as the stage ``rules`` wrote them, by their names: all, or those of one chapter.

    A chapter that shows its own reads no others, whose edits then do not make it stale.
    """
    judged = read_artifact(result("rules", f"{chapter}.json"), list[dict[str, Any]])
    return {rule["id"]: rule for rule in judged if "claim" in rule}


def published(claim: str) -> Any:
    """Values that were published for a claim, shaped as in ``report/rules.yaml``."""
    return read_artifact(result(PARAMETERS.name, PUBLISHED))[claim]


@dataclass(frozen=True)
class PublishedOrder:
    """A paper's ranking of methods by one measure, best first.

    Attributes
    ----------
    statement
        Key of the words.
    reference
        As a reader would name it.
    measure, methods
        What corresponds to it here.
    values
        As printed, in the order of ``methods``.
    claim, cases
        That judge it; no cases are all of the claim.
    layer
        1-based layer the values speak of; None for the whole model.
    rows
        Of that layer: ``cls``, or ``max`` over the rows of all tokens.
    """

    statement: str
    reference: str
    measure: str
    methods: tuple[str, ...]
    values: tuple[float, ...]
    claim: str
    cases: tuple[str, ...] = ()
    layer: int | None = None
    rows: str = "cls"

    def outcome(self, experiment: str) -> str:
        """Sum up what became of its claim in an experiment."""
        cases = [
            case
            for case in record(CHAPTER)[self.claim]["cases"]
            if case["experiment"] == experiment and (not self.cases or case["case"] in self.cases)
        ]
        return together(case_outcome(case["holds"], smaller=case["smaller"]) for case in cases)


CHAPTER = "faithfulness"  # of all claims whose methods are ranked
# Abnar and Zuidema replace a token by [UNK]; so does what is held against theirs.
BLANK_OUT = "blank_out_unknown"
_ABNAR = "Abnar & Zuidema (2020)"
_ALTI = "Ferrando et al. (2022)"
_GLOBENC = "Modarressi et al. (2022)"


def published_curves() -> dict[tuple[str, str], list[float]]:
    """Agreement with blank-out and with input gradients over the layers: claims B1 and B2.

    Returns
    -------
    dict
        Measured against, and method -> a correlation a layer.
    """
    return {
        (reference, method): published(claim)[measure][method]
        for claim, measure, reference in (
            ("B1", "blank_out", "blank_out"),
            ("B2", "gradient", "input_gradient"),
        )
        for method in ("raw", "rollout", "flow")
    }


def published_orders() -> list[PublishedOrder]:
    """Rankings of methods: claims B5 to B7 and B11."""
    late, vectors, residual, alti = (published(claim) for claim in ("B5", "B6", "B7", "B11"))
    return [
        PublishedOrder(
            "late_rollout",
            _ABNAR,
            "gradient",
            ("rollout", "raw"),
            (late["rollout"], late["raw"]),
            "B5",
            layer=late["layer"],
            rows="max",
        ),
        PublishedOrder(
            "vectors_help",
            _GLOBENC,
            "gradient",
            ("globenc_rollout", "attnres_n_rollout", "attn_n_rollout", "attn_w_rollout"),
            tuple(vectors[part] for part in ("globenc", "residual", "vectors", "weights")),
            "B6",
        ),
        PublishedOrder(
            "measured_helps",
            _GLOBENC,
            "gradient",
            ("rollout_measured", "rollout"),
            (residual["measured"], residual["fixed"]),
            "B7",
        ),
        *(
            PublishedOrder(
                statement,
                _ALTI,
                measure,
                ("alti_rollout", "rollout"),
                (alti[measure]["alti"], alti[measure]["rollout"]),
                "B11",
                (measure,),
            )
            for statement, measure in (
                ("alti_comprehensive", "comprehensiveness"),
                ("alti_sufficient", "sufficiency"),
            )
        ),
    ]
