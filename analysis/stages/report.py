"""Render one language of the site, with Quarto when it is installed, else with pandoc."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import yaml

from analysis.errors import InputError
from analysis.params import Params
from analysis.paths import REPORT, SITE
from analysis.stages.runner import replacing, run


def report(params: Params, language: str) -> None:
    """Write ``site/LANGUAGE`` from ``report/LANGUAGE`` and what the notebooks left there."""
    project = REPORT / language
    quarto = find_quarto(params.report.renderer)
    numbers = read_numbers(project)
    if quarto is not None:
        # Quarto reads a variable as Markdown; the preview, and everyone else, as text.
        numbers = {
            chapter: {name: _as_markdown(value) for name, value in values.items()}
            for chapter, values in numbers.items()
        }
    text = yaml.safe_dump(numbers, allow_unicode=True, width=10_000)
    with replacing(project / "_variables.yml") as variables:
        variables.write_text(text, encoding="utf-8")
    if quarto is None:
        _render_with_pandoc(project, SITE / language)
    else:
        _render_with_quarto(quarto, project, SITE / language)


def find_quarto(renderer: str) -> str | None:
    """Path of Quarto, or None where pandoc is to render.

    Raises
    ------
    InputError
        If Quarto is asked for by name and not installed.
    """
    found = shutil.which("quarto")
    if renderer == "quarto" and found is None:
        raise InputError(
            "report.renderer is quarto but no quarto is on the PATH; install Quarto 1.9 or set "
            "report.renderer to auto or pandoc."
        )
    return None if renderer == "pandoc" else found


def read_numbers(project: Path) -> dict[str, dict[str, str]]:
    """Numbers of every chapter's prose: chapter -> name -> text."""
    return {
        path.parent.name: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(project.glob("files/*/numbers.json"))
    }


def _as_markdown(value: str) -> str:
    return re.sub(r"([\\`*_{}\[\]()#+!|~^$@<>'\"])", r"\\\1", value)


def _render_with_pandoc(project: Path, site: Path) -> None:
    import pypandoc

    from report.preview import render

    os.environ["REPORT_RENDERER"] = f"pandoc {pypandoc.get_pandoc_version()}"
    render(project, site)


def _render_with_quarto(quarto: str, project: Path, site: Path) -> None:
    version = subprocess.run(
        [quarto, "--version"], capture_output=True, encoding="utf-8", check=True
    ).stdout.strip()
    done = subprocess.run(
        [quarto, "render", str(project)],
        env=os.environ | {"REPORT_RENDERER": f"Quarto {version}"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode != 0:
        raise InputError(f"quarto render {project} failed: {done.stderr.strip()[-2000:]}")
    with replacing(site) as new:
        shutil.copytree(project / "_site", new)


if __name__ == "__main__":
    run("report", report, "language")
