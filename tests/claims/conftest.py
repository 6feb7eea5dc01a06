"""Made-up results of two experiments, small enough to be checked by hand."""

import json
from pathlib import Path

import pandas as pd
import pytest

TEXTS = 8
LAYERS = 6


def mixing(falling: float) -> pd.DataFrame:
    """Ratios that fall with depth by ``falling``, except in the last text, where they rise."""
    return pd.DataFrame(
        [
            {
                "variant": variant,
                "example_id": text,
                "layer": layer,
                "scope": scope,
                "ratio": (0.9 if scope == "attn_w" else 0.3)
                + (falling if text == TEXTS - 1 else -falling) * layer
                + (0.01 if variant == "finetuned" else 0.0),
            }
            for variant in ("pretrained", "finetuned")
            for text in range(TEXTS)
            for layer in range(1, LAYERS + 1)
            for scope in ("attn_w", "attn_n")
        ]
    )


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """``results/`` of reviews and agreement."""
    directory = tmp_path / "results"
    for name, falling in (("reviews", 0.02), ("agreement", 0.01)):
        place = directory / name
        (place / "metrics").mkdir(parents=True)
        (place / "plots").mkdir()
        mixing(falling).to_parquet(place / "mixing.parquet")
        heads = pd.DataFrame(
            {"variant": "pretrained", "head": [1, 2, 3, 4], "sep": [0.9, 0.6, 0.2, 0.1]}
        )
        heads.to_parquet(place / "heads.parquet")
        heads.iloc[:0].to_parquet(place / "nothing.parquet")
        change = pd.DataFrame({"example_id": range(TEXTS), "distance": [0.5] * TEXTS})
        change.to_parquet(place / "change.parquet")
        metrics = {
            "pretrained": {"score": 0.8, "score_low": 0.7, "score_high": 0.9, "undefined": None},
            "families": {"share": 0.4, "low": 0.3, "high": 0.5, "count": 12},
        }
        (place / "metrics" / "scores.json").write_text(json.dumps(metrics))
        curve = pd.DataFrame(
            {
                "variant": "pretrained",
                "measure": "sep",
                "layer": range(1, LAYERS + 1),
                "mean": [0.1, 0.2, 0.3, 0.4, 0.5, None],
                "low": [0.0, 0.1, 0.2, 0.3, 0.4, None],
                "high": [0.2, 0.3, 0.4, 0.5, 0.6, None],
                "texts": TEXTS,
            }
        )
        curve.to_csv(place / "plots" / "attended.csv", index=False)
    return directory
