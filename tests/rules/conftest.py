from pathlib import Path

import pytest
from made_results import Made


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """Results of reviews and agreement."""
    return Made(tmp_path)
