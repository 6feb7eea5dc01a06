"""Recording every array of a model, and rolling its attention out."""

import numpy as np
import torch

from attention_mixing.capture.record import record
from attention_mixing.methods.rollout import attention_rollout, with_residual
from attention_mixing.models.batch import pad
from attention_mixing.models.encode import encode
from attention_mixing.models.load import load_encoder
from attention_mixing.models.source import locate
from attention_mixing.models.tokenizer import load_tokenizer
from attention_mixing.settings.experiment import Length
from attention_mixing.settings.sources import EmbeddedModel
from benchmarks.timing import compare

TEXTS, TOKENS = 32, 64


def main() -> None:
    """Print every comparison."""
    files = locate(EmbeddedModel(source="embedded"))
    tokenizer, model = load_tokenizer(files.path), load_encoder(files.path)
    texts = ["The animal did not cross the street because it was too tired. " * 8] * TEXTS
    encoded = encode(texts, tokenizer, Length(max_tokens=TOKENS, longer="truncate"))
    batch = pad(encoded, model.config)
    device = torch.device("cpu")

    def recorded() -> None:
        for _ in record(model, encoded, device=device, precision="float32", batch_size=TEXTS):
            pass

    def plain() -> None:
        model.set_attn_implementation("eager")
        with torch.inference_mode():
            model(**batch, output_attentions=True, output_hidden_states=True)

    compare(
        f"Recording every array of {TEXTS} texts of {TOKENS} tokens, all-MiniLM-L6-v2, against a "
        "forward pass with attentions and hidden states",
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
        lambda: attention_rollout(with_residual(attention)),
        published,
    )
