"""How a user of the pipeline does what the library says is to be done."""

from __future__ import annotations

from attention_mixing.errors import ANEW, SMALLER

REMEDIES = {
    ANEW: "run `dvc repro`, which makes it anew, or restore it with `dvc checkout`",
    SMALLER: "lower batch_size in the section of this stage (train, capture, heads, faithfulness, "
    "ablation), workers, or length.max_tokens",
}
