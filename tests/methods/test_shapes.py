"""Arrays that do not belong together are refused by every public function, not broadcast."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from random_layers import layer

from attention_mixing import methods
from attention_mixing.methods import shapes
from attention_mixing.methods.attention import mixing, row_scores
from attention_mixing.methods.attentionviz import rank_correlations
from attention_mixing.methods.bootstrap import paired_difference
from attention_mixing.methods.change import relative_change
from attention_mixing.methods.faithfulness import rank_correlation
from attention_mixing.methods.flow import attention_flow
from attention_mixing.methods.head_descriptors import descriptors
from attention_mixing.methods.identity import self_similarity
from attention_mixing.methods.mixing import AttentionBlock, ratio_of_vectors
from attention_mixing.methods.rollout import attention_rollout, measured_residual, with_residual


def rows(*shape: int) -> np.ndarray:
    return np.full(shape, 1 / shape[-1])


def block(**changed) -> AttentionBlock:
    return AttentionBlock(**layer() | changed)


# What is refused -> a call, and what is said.
REFUSED: dict[str, tuple[Callable, str]] = {
    "more keys than queries": (
        lambda: attention_flow(rows(2, 3, 4)),
        r"capacities is float64 \[2, 3, 4\]; it must be float \[layer token token\], axes",
    ),
    "fewer keys than queries": (
        lambda: attention_flow(rows(2, 4, 3)),
        r"capacities is float64 \[2, 4, 3\]",
    ),
    "rollout of no square": (lambda: attention_rollout(rows(2, 3, 4)), r"attention is .*3, 4\]"),
    "a map": (lambda: attention_rollout(rows(3, 3)), r"attention is float64 \[3, 3\]; it must be"),
    "a list": (lambda: attention_flow(rows(2, 3, 3).tolist()), "capacities is of type list; it"),
    "a list of tokens": (
        lambda: attention_flow(rows(2, 3, 3), sources=[0]),
        r"sources is of type list; it must be int \[source\] or None, .* as in capacities float64",
    ),
    "tokens that are no integers": (
        lambda: attention_flow(rows(2, 3, 3), sources=np.array([0.0])),
        r"sources is float64 \[1\]; it must be int \[source\] or None",
    ),
    "integers": (lambda: mixing(np.eye(3, dtype=int)), r"attention is int64 \[3, 3\]; it must be"),
    "a share of one layer": (
        lambda: with_residual(rows(2, 3, 3), np.full((1, 3), 0.5)),
        r"residual is float64 \[1, 3\]; it must be a number or float \[layer token\], .* as in att",
    ),
    "a ratio of one token": (
        lambda: measured_residual(rows(2, 3, 3), np.full((2, 1), 0.5)),
        r"ratio is float64 \[2, 1\]",
    ),
    "a vector": (lambda: row_scores(rows(3), "max"), r"matrix is float64 \[3\]"),
    "a bias of one dimension": (lambda: block(output_bias=np.ones(1)), r"output_bias is .*\[1\]"),
    "an input of one token": (lambda: block(inputs=np.ones((1, 8))), r"inputs is .*\[1, 8\]"),
    "one vector": (
        lambda: ratio_of_vectors(np.ones((3, 4)), np.ones((1, 4))),
        r"mixing is float64 \[1, 4\]; .* as in preserving float64 \[3, 4\]",
    ),
    "one token": (
        lambda: self_similarity(np.ones((2, 3, 4)), np.ones((1, 4))),
        r"embedding is float64 \[1, 4\]",
    ),
    "one head": (
        lambda: rank_correlations(np.ones((2, 5, 4)), np.ones((1, 5, 4))),
        r"key is float64 \[1, 5, 4\]",
    ),
    "one text": (
        lambda: paired_difference(
            np.ones((1, 4)), np.ones((1, 1)), resamples=9, confidence=0.9, seed=0
        ),
        r"b is float64 \[1, 1\]",
    ),
    "one row": (lambda: relative_change(np.ones((3, 4)), np.ones((1, 4))), r"after is .*\[1, 4\]"),
    "one score": (
        lambda: rank_correlation(np.ones(5), np.ones(1)),
        r"is float64 \[1\]",
    ),
    "a mask of one token": (
        lambda: descriptors(rows(2, 4, 4), cls=np.ones(1, bool)),
        r"cls is bool \[1\]",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_arrays_that_do_not_fit_are_refused(name):
    call, said = REFUSED[name]
    with pytest.raises(ValueError, match=said):
        call()


def public() -> Iterator[tuple[str, Callable]]:
    """Functions and methods of every module of methods."""
    for path in Path(methods.__file__).parent.glob("[!_]*.py"):
        module = import_module(f"attention_mixing.methods.{path.stem}")
        for name, value in vars(module).items():
            if name.startswith("_") or getattr(value, "__module__", "") != module.__name__:
                continue
            if inspect.isfunction(value):
                yield f"{path.stem}.{name}", value
            elif inspect.isclass(value) and not issubclass(value, tuple):
                for method, function in inspect.getmembers(value, inspect.isfunction):
                    made = method == "__init__" and not is_dataclass(value)
                    if made or not method.startswith("_"):
                        yield f"{path.stem}.{name}.{method}", function


TAKING = {name: one for name, one in public() if shapes._allowed(inspect.unwrap(one))}


def test_there_are_functions_of_arrays():
    assert len(TAKING) > 100


@pytest.mark.parametrize("name", TAKING)
def test_every_public_function_of_arrays_refuses_lists(name):
    function = TAKING[name]
    parameters = inspect.signature(function).parameters
    first = next(iter(shapes._allowed(inspect.unwrap(function))))
    with pytest.raises(ValueError, match=f"^{first} is of type list; it must be"):
        function(**{key: [] for key, one in parameters.items() if one.kind != one.VAR_POSITIONAL})
