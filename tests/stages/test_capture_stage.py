"""What the stage says of a model that it cannot read."""

import numpy as np
import pytest
import torch

from analysis.errors import InputError
from analysis.stages.capture import TOLERANCE, _require_agreement

AGREEING = {"attention": 1e-7, "output": 0.0, "padding": TOLERANCE}


@pytest.fixture
def model(make_model):
    return make_model("bert")


def test_rounding_is_agreement(model):
    _require_agreement(AGREEING, model, "tiny")


@pytest.mark.parametrize("part", AGREEING)
def test_another_architecture_is_refused(model, part):
    with pytest.raises(InputError, match=r"tiny differs .* by 0\.02 of .*choose another model"):
        _require_agreement(AGREEING | {part: 0.02}, model, "tiny")


@pytest.mark.parametrize("part", AGREEING)
def test_a_damaged_weight_is_named(model, part):
    with torch.no_grad():
        model.encoder.layer[1].output.dense.weight[0, 0] = torch.inf
    named = r"its weights encoder\.layer\.1\.output\.dense\.weight are none; copy the model again"
    with pytest.raises(InputError, match=named):
        _require_agreement(AGREEING | {part: np.nan}, model, "tiny")


def test_finite_weights_are_not_blamed(model):
    with pytest.raises(InputError, match="all its weights are finite; choose another model"):
        _require_agreement(AGREEING | {"output": np.nan}, model, "tiny")
