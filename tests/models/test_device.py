"""Which processor is taken."""

import pytest
import torch

from attention_mixing.errors import InputError
from attention_mixing.models.device import autocast, deterministic, resolve

no_gpu = pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
no_metal = pytest.mark.skipif(torch.backends.mps.is_available(), reason="this machine has Metal")


@no_gpu
@no_metal
def test_auto_without_accelerator_is_the_cpu():
    assert resolve("auto") == resolve("cpu") == torch.device("cpu")


@no_gpu
def test_an_absent_gpu_is_refused():
    with pytest.raises(InputError, match=r"device is cuda but .* 0 usable.*auto, cpu"):
        resolve("cuda")


@pytest.mark.parametrize(
    ("device", "number"), [("auto", 0), ("cuda", 0), ("cuda:0", 0), ("cuda:1", 1)]
)
def test_a_gpu_has_its_number(device, number, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert resolve(device) == torch.device("cuda", number)
    with pytest.raises(InputError, match=r"device is cuda:2 but .* 2 usable"):
        resolve("cuda:2")


@pytest.mark.parametrize("device", ["auto", "cuda"])
def test_each_process_of_a_launcher_has_a_gpu_of_its_own(device, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setenv("LOCAL_RANK", "1")
    assert resolve(device) == torch.device("cuda", 1)
    monkeypatch.setenv("LOCAL_RANK", "2")
    with pytest.raises(InputError, match="2 usable CUDA devices"):
        resolve(device)


@no_metal
def test_absent_metal_is_refused():
    with pytest.raises(InputError, match="device is mps"):
        resolve("mps")


def test_the_same_seed_draws_the_same():
    deterministic(5)
    first = torch.rand(3)
    deterministic(5)
    assert torch.equal(first, torch.rand(3))
    assert torch.are_deterministic_algorithms_enabled()


@pytest.mark.parametrize(
    ("precision", "dtype"), [("float32", torch.float32), ("bfloat16", torch.bfloat16)]
)
def test_precision_is_that_of_the_products(precision, dtype):
    x = torch.ones(2, 2)
    with autocast(torch.device("cpu"), precision):
        assert (x @ x).dtype == dtype
