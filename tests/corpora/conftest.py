"""The cache of hub data, for tests that read some."""

import pytest


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    """Keep the cache of the user out of it, and the network."""
    import datasets

    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr("attention_mixing.hub.unreachable", lambda: "HF_HUB_OFFLINE is set")
