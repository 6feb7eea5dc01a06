"""What `make gpu-check` computes and says; on the CPU, with a tiny model."""

from itertools import count

import numpy as np
import pytest
import torch
from small_run import run

from analysis import gpu_check
from analysis.gpu_check import CPU, PARTS, Part, Subject, check, table
from analysis.params.sections import GeneratedData, Length, SplitSizes

SMALL = GeneratedData(
    source="generated",
    grammar="reviews",
    sizes=SplitSizes(train=16, validation=8, test=4),
    seed=0,
)


@pytest.fixture(scope="module")
def subject(pretrained) -> Subject:
    return Subject.read(pretrained, SMALL, Length(max_tokens=40, longer="truncate"))


@pytest.fixture(scope="module")
def outcomes(subject):
    return list(check(subject, CPU))


def test_every_part_repeats_and_equals_the_cpu(outcomes):
    assert [one.part for one in outcomes] == list(PARTS)
    for one in outcomes:
        assert one.passed, one
        assert one.hashes[0] == one.hashes[1]
    # Nothing differs on one processor but what is computed in another precision.
    differences = {one.part.name: one.difference for one in outcomes}
    assert differences.pop("training") is None
    assert 0 < differences.pop("capture, bfloat16") < 0.05
    assert set(differences.values()) == {0.0}


def test_the_table_has_a_row_for_each_part(outcomes):
    head, *_ = text = table(outcomes, CPU).splitlines()
    assert head == f"CPU, PyTorch {torch.__version__}"
    rows = [line.split("|")[1].strip() for line in text if line.endswith("| passed |")]
    assert rows == [part.name for part in PARTS]
    assert len({line.count("|") for line in text[2:]}) == 1


def constant(value: float):
    return lambda subject, device: {"values": np.array([1.0, value])}


@pytest.mark.parametrize(
    ("reference", "tolerance", "passed"),
    [(0.5, 0.0, True), (0.6, 0.2, True), (0.6, 0.05, False), (np.nan, 0.5, False)],
)
def test_a_part_fails_by_its_difference_from_the_cpu(subject, reference, tolerance, passed):
    part = Part("made up", constant(0.5), tolerance, constant(reference))
    (outcome,) = check(subject, CPU, [part])
    assert outcome.passed is passed
    assert ("FAILED" in table([outcome], CPU)) is not passed


def test_a_part_fails_that_does_not_repeat(subject):
    drawn = count()
    part = Part("made up", lambda subject, device: {"values": np.array([next(drawn)])}, None)
    (outcome,) = check(subject, CPU, [part])
    assert not outcome.passed
    assert "| no | not comparable |" in table([outcome], CPU)


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
def test_without_a_gpu_it_says_so(root):
    ran = run(root, "python -m analysis gpu-check")
    assert ran.returncode == 2
    assert ran.stdout == ""
    assert ran.stderr.startswith("error: gpu-check needs a CUDA GPU, and PyTorch")
    assert ran.stderr.count("\n") == 1


@pytest.mark.skipif(not torch.cuda.is_available(), reason="this machine has no GPU")
def test_a_gpu_agrees_with_the_cpu(subject):
    assert all(one.passed for one in check(subject, gpu_check.require_gpu()))
