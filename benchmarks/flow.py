"""Exact attention flow, against the maximum flows of OR-tools and networkx.

The others solve one pair at a time in a graph that is built beforehand and not timed; ours is timed
with validation and all. Where the other side would take minutes, some pairs are timed and
the rest extrapolated. Every measured pair is also compared.
"""

import statistics
import time
from collections.abc import Callable, Iterable
from functools import partial

import networkx as nx
import numpy as np
import torch
from numpy.typing import NDArray
from ortools.graph.python.max_flow import SimpleMaxFlow

from attention_mixing.methods.flow import attention_flow
from attention_mixing.methods.rollout import with_residual
from attention_mixing.models.load import load_encoder
from attention_mixing.models.source import locate
from attention_mixing.models.tokenizer import load_tokenizer
from attention_mixing.settings.sources import EmbeddedModel

LAYERS = 12
# Sums of capacities of 2^44 stay far from the 63 bits of OR-tools' flows.
ORTOOLS_SCALE = 2**44
SENTENCES = (
    "The animal did not cross the street because it was too tired.",
    "Every layer lets each token look at all others and weighs what it sees.",
    "A river carried timber from the mountains to the coast before winter.",
    "She tuned each string by ear, and played the slow movement without a score.",
    "Merchants who had lost their ships asked the council for another year.",
)

Matrices = NDArray[np.float64]
Flow = Callable[[int, int], float]


def main() -> None:
    """Print every comparison."""
    print(
        f"{LAYERS} layers, residual 1/2, one thread. Medians and, in brackets, the range of "
        "repetitions; a ratio's range is that of the worst and best."
    )
    random = with_residual(
        np.random.default_rng(0).dirichlet(np.ones(128), size=(LAYERS, 128)), 0.5
    )
    for name, attention in (
        ("all-MiniLM-L6-v2, its 6 layers twice, 128 tokens of English", trained_attention(128)),
        ("Dirichlet(1) rows, 128 tokens", random),
    ):
        print(f"\n{name}")
        attention_flow(attention[:4], layers="all")  # compiles
        first = "[CLS] to 128"
        ours = timed(partial(attention_flow, attention, sources=np.array([0])), 15)
        report(first, ours, "networkx", networkx_flow(attention), attention, [(0, 5), (0, 90)])
        pairs = [(0, target) for target in range(128)]
        report(first, ours, "OR-tools", ortools_flow(attention), attention, pairs)
        ours = timed(partial(attention_flow, attention), 3)
        pairs = sample(128, 128, 60)
        report("128 to 128", ours, "OR-tools", ortools_flow(attention), attention, pairs)
        for label, sources, times in (("[CLS]", np.array([0]), 15), ("128 sources", None, 3)):
            top, every = [], []
            for _ in range(times):
                top += timed(partial(attention_flow, attention, sources=sources), 1)
                every += timed(partial(attention_flow, attention, sources=sources, layers="all"), 1)
            ratios = [a / b for a, b in zip(every, top, strict=True)]
            print(
                f"    {label}, every layer {spread(every)} against the top layer {spread(top)}: "
                f"{statistics.median(ratios):.1f} times ({min(ratios):.1f} to {max(ratios):.1f})"
            )

    attention = trained_attention(512)
    print("\nall-MiniLM-L6-v2, its 6 layers twice, 512 tokens of English")
    ours = timed(lambda: attention_flow(attention, sources=np.array([0])), 5)
    pairs = sample(1, 512, 10)
    report("[CLS] to 512", ours, "OR-tools", ortools_flow(attention), attention, pairs)


def trained_attention(tokens: int) -> Matrices:
    """Attention of the embedded model with half a residual, its layers stacked to twelve."""
    files = locate(EmbeddedModel(source="embedded"))
    tokenizer, model = load_tokenizer(files.path), load_encoder(files.path)
    model.set_attn_implementation("eager")
    text = " ".join(SENTENCES * tokens)
    ids = tokenizer(text, return_tensors="pt", truncation=True, max_length=tokens)
    with torch.inference_mode():
        layers = model(**ids, output_attentions=True).attentions
    attention = with_residual(torch.cat(layers).double().numpy(), 0.5)
    return np.tile(attention, (LAYERS // len(attention), 1, 1))


def arcs(attention: Matrices) -> tuple[NDArray[np.int64], NDArray[np.int64], Matrices]:
    """Tail, head and capacity of every arc; node ``layer * tokens + token``, inputs first."""
    layer, query, key = np.nonzero(attention)
    tokens = attention.shape[-1]
    return (layer + 1) * tokens + query, layer * tokens + key, attention[layer, query, key]


def ortools_flow(attention: Matrices) -> Flow:
    """Push-relabel of OR-tools on a prepared graph."""
    tail, head, capacity = arcs(attention)
    solver = SimpleMaxFlow()
    integers = np.rint(capacity * ORTOOLS_SCALE).astype(np.int64)
    solver.add_arcs_with_capacity(tail.astype(np.int32), head.astype(np.int32), integers)
    tokens = attention.shape[-1]

    def flow(source: int, target: int) -> float:
        status = solver.solve(len(attention) * tokens + source, target)
        assert status == SimpleMaxFlow.OPTIMAL, status
        return solver.optimal_flow() / ORTOOLS_SCALE

    return flow


def networkx_flow(attention: Matrices) -> Flow:
    """Push-relabel of networkx on a prepared graph."""
    tail, head, capacity = arcs(attention)
    graph = nx.DiGraph()
    for a, b, c in zip(tail.tolist(), head.tolist(), capacity.tolist(), strict=True):
        graph.add_edge(a, b, capacity=c)
    tokens = attention.shape[-1]

    def flow(source: int, target: int) -> float:
        return nx.maximum_flow_value(
            graph,
            len(attention) * tokens + source,
            target,
            flow_func=nx.algorithms.flow.preflow_push,
        )

    return flow


def sample(sources: int, targets: int, size: int) -> list[tuple[int, int]]:
    """Draw random pairs."""
    rng = np.random.default_rng(1)
    return [(int(rng.integers(sources)), int(rng.integers(targets))) for _ in range(size)]


def timed(function: Callable[[], object], times: int) -> list[float]:
    """Seconds of each repetition."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        function()
        seconds.append(time.perf_counter() - start)
    return seconds


def spread(seconds: Iterable[float]) -> str:
    """Median and range in milliseconds."""
    values = [1e3 * value for value in seconds]
    return f"{statistics.median(values):.1f} ms ({min(values):.1f} to {max(values):.1f})"


def report(
    problem: str,
    ours: list[float],
    name: str,
    flow: Flow,
    attention: Matrices,
    pairs: list[tuple[int, int]],
) -> None:
    """Time the other side on some pairs, compare the flows, print the ratio of the whole."""
    sources = sorted({source for source, _ in pairs})
    expected = attention_flow(attention, sources=np.array(sources)).values
    seconds, error = [], 0.0
    for source, target in pairs:
        start = time.perf_counter()
        value = flow(source, target)
        seconds.append(time.perf_counter() - start)
        error = max(error, abs(value - expected[sources.index(source), target]))
    starts, _, ends = problem.partition(" to ")
    whole = (1 if starts == "[CLS]" else int(starts)) * int(ends)
    other = statistics.mean(seconds) * whole
    # The mean of the measured pairs stands for all; its standard error is the noise of the sample.
    doubt = statistics.stdev(seconds) / len(seconds) ** 0.5 * whole
    kind = "measured" if len(pairs) == whole else f"extrapolated from {len(pairs)} pairs"
    print(
        f"    {problem}: {spread(ours)} against {name} {other:.2f} s (+- {doubt:.2f}, {kind}): "
        f"{other / statistics.median(ours):.0f} times faster ({other / max(ours):.0f} to "
        f"{other / min(ours):.0f}); largest difference {error:.0e}",
        flush=True,
    )
