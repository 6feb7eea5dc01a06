"""The small report, rendered once."""

from pathlib import Path

import pytest
from small_report import INDEX, SECOND, write_project


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_project(tmp_path_factory.mktemp("report"), {"index": INDEX, "second": SECOND})


@pytest.fixture(scope="session")
def site(project: Path) -> Path:
    from report.preview import render

    output = project.parent / "site" / "ja"
    render(project, output)
    return output
