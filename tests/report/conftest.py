"""The small report, rendered once by each renderer, and a browser."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from small_report import INDEX, SECOND, write_project, write_quarto_project

from benchmarks.browsing import MISSING, browsing

SOURCES = {"index": INDEX, "second": SECOND}


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_project(tmp_path_factory.mktemp("report"), SOURCES)


@pytest.fixture(scope="session")
def site(project: Path) -> Path:
    from analysis.site.preview import render
    from analysis.site.source.project import Project

    output = project.parent / "site" / "ja"
    render(Project.read(project), output)
    return output


@pytest.fixture(scope="session")
def quarto_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("quarto") is None:
        pytest.skip("quarto is not on the PATH: only the preview is tested")
    project = write_quarto_project(tmp_path_factory.mktemp("quarto"), SOURCES)
    run = subprocess.run(["quarto", "render", project], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    # Quarto looks up variables before it leaves out what is not shown, and goes on without them.
    warnings = [line for line in run.stderr.splitlines() if "WARN" in line]
    assert all("Unknown var measure.absent" in line for line in warnings), run.stderr
    return project / "_site"


# It does not outlive a module: Playwright runs an event loop in this thread.
@pytest.fixture(scope="module")
def chromium() -> Iterator:
    with browsing() as browser:
        if browser is None:
            pytest.skip(MISSING)
        yield browser
