"""What chapters and rules read of the parameters: those of the results, whatever is edited since.

The stage ``parameters`` writes them; see :mod:`analysis.stages.parameters`.
"""

from __future__ import annotations

from pydantic import Field, ValidationError

from analysis.parameters.derived import cases
from analysis.parameters.sections import Focus
from analysis.paths import PARAMETERS, result
from attention_mixing.artifacts import read_artifact
from attention_mixing.errors import ANEW, InputError
from attention_mixing.schemas import PARAMETERS as SCHEMA
from attention_mixing.schemas import UNNAMED
from attention_mixing.settings.experiment import Experiment
from attention_mixing.settings.measures import (
    Bootstrap,
    Clusters,
    DependenceSettings,
    Faithfulness,
    Geometry,
    Projection,
    Propagation,
)
from attention_mixing.settings.values import Name, Section

FILE = "parameters.json"


class ShownReport(Section):
    """Text that is shown token by token; how the site is rendered is no matter of a chapter."""

    focus: Focus


class RunParameters(Section):
    """The sections of ``params.yaml`` that are shown, or that say how to show results.

    Attributes
    ----------
    written
        Experiments, as the parameters have them.
    """

    written: dict[Name, Experiment] = Field(alias="experiments")
    propagation: Propagation
    dependence: DependenceSettings
    faithfulness: Faithfulness
    projection: Projection
    geometry: Geometry
    clusters: Clusters
    bootstrap: Bootstrap
    report: ShownReport

    @property
    def experiments(self) -> dict[str, Experiment]:
        """What is measured as if of one text (:func:`analysis.parameters.derived.cases`)."""
        return cases(self.written)


def run_parameters() -> RunParameters:
    """Read the parameters that the present results were made with.

    Raises
    ------
    InputError
        If no run has noted them, or one of another version.
    """
    path = result(PARAMETERS.name, FILE)
    content = read_artifact(path)
    SCHEMA.require(content.pop("schema", UNNAMED), path, ANEW)
    try:
        return RunParameters.model_validate(content)
    except ValidationError:
        raise InputError(
            f"{path} does not hold the parameters of a run; restore it with `dvc checkout`, or run "
            "`dvc repro`."
        ) from None
