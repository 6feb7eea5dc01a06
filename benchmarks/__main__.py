"""``python -m benchmarks``: what our code costs, beside what would be spent without it.

Each pair is timed in turn, A B A B ..., so that a busy machine slows both; the ratio of medians and
its range over the pairs are printed.
"""

import statistics
import time
from collections.abc import Callable

import numpy as np
import torch

from analysis.capture.record import record
from analysis.methods.rollout import attention_rollout
from analysis.models.encode import encode, pad
from analysis.models.load import load_encoder, load_tokenizer
from analysis.models.source import locate
from analysis.params import EmbeddedModel, Length

PAIRS = 7
TEXTS, TOKENS = 32, 64


def compare(name: str, ours: Callable[[], object], other: Callable[[], object]) -> None:
    """Time two functions in turn and print the ratio ours / other."""
    seconds: dict[str, list[float]] = {"ours": [], "other": []}
    for pair in range(PAIRS + 1):  # the first pair only warms up
        for label, function in (("ours", ours), ("other", other)):
            start = time.perf_counter()
            function()
            if pair:
                seconds[label].append(time.perf_counter() - start)
    ratios = [a / b for a, b in zip(seconds["ours"], seconds["other"], strict=True)]
    a, b = (statistics.median(seconds[label]) for label in ("ours", "other"))
    print(
        f"{name}\n    {1e3 * a:8.1f} ms against {1e3 * b:8.1f} ms, ratio "
        f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
    )


def main() -> None:
    """Print every comparison."""
    files = locate(EmbeddedModel(source="embedded", name="all-MiniLM-L6-v2"))
    tokenizer, model = load_tokenizer(files.path), load_encoder(files.path)
    texts = ["The animal did not cross the street because it was too tired. " * 8] * TEXTS
    encoded = encode(texts, tokenizer, Length(max_tokens=TOKENS, longer="truncate"))
    batch = {name: torch.tensor(x) for name, x in pad(encoded, tokenizer).items()}
    device = torch.device("cpu")

    def recorded() -> None:
        for _ in record(
            model, tokenizer, encoded, device=device, precision="float32", batch_size=TEXTS
        ):
            pass

    def plain() -> None:
        model.set_attn_implementation("eager")
        with torch.inference_mode():
            model(**batch, output_attentions=True, output_hidden_states=True)

    print(f"{TEXTS} texts of {TOKENS} tokens, all-MiniLM-L6-v2, medians of {PAIRS} pairs\n")
    compare(
        "Recording every array, against a forward pass with attentions and hidden states",
        recorded,
        plain,
    )

    attention = np.random.default_rng(0).dirichlet(np.ones(128), size=(12, 12, 128))

    def published() -> None:
        """Apply the formula of Abnar and Zuidema (2020), layer by layer, to torch tensors."""
        mean = torch.tensor(attention).mean(1)
        mixed = 0.5 * mean + 0.5 * torch.eye(128)
        mixed = mixed / mixed.sum(-1, keepdim=True)
        joint = mixed[0]
        for layer in mixed[1:]:
            joint = layer @ joint

    compare(
        "Rollout of 12 layers and heads, 128 tokens, with validation, against the bare formula",
        lambda: attention_rollout(attention),
        published,
    )


if __name__ == "__main__":
    main()
