"""Chapter *provenance*: from a figure back to the data."""

from __future__ import annotations

import filecmp
import json
import zipfile
from collections import defaultdict
from collections.abc import Mapping
from datetime import timedelta
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas as pd
from IPython.display import HTML

from analysis.figures.downloads import add_to_archive, as_csv, files_of
from analysis.paths import (
    CHAPTERS,
    FINDINGS,
    LANGUAGES,
    MODULES,
    NOTEBOOK_STAGE,
    chapter_directory,
)
from analysis.prose import messages
from analysis.prose.messages import page_link
from analysis.results.notes import read_note
from analysis.results.record import Lock, stage_notes
from attention_mixing.artifacts import read_artifact
from attention_mixing.hashing import file_sha256
from attention_mixing.markup import details, escape, fold
from attention_mixing.messages import Words


def total_time(lock: Lock, w: Words) -> str:
    """Sum of the stages' times, in minutes and seconds."""
    seconds = round(sum(noted["seconds"] for noted in stage_notes(lock).values()))
    minutes, rest = divmod(timedelta(seconds=seconds), timedelta(minutes=1))
    return w["minutes"].format(minutes=minutes, seconds=rest.seconds)


def stages_table(lock: Lock, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Time, memory, commands, parameters and hashes; stages of one kind share a row of the page.

    The data, which come second, have one row a stage, with everything that it read and wrote.
    """
    noted = stage_notes(lock)
    cells = []
    for kind, group in groupby(lock.items(), lambda item: item[0].partition("@")[0]):
        stages = dict(group)
        took = [noted[name] for name in stages if name in noted]
        outs = [out for stage in stages.values() for out in stage.get("outs", [])]
        read = {key for stage in stages.values() for key in _parameters(stage)}
        cells.append(
            {
                w["stage"]: kind,
                w["seconds"]: f"{sum(n['seconds'] for n in took):.1f}" if took else w["restored"],
                w["memory"]: (
                    str(max(n["peak_memory_mib"] for n in took)) if took else w["restored"]
                ),
                w["size"]: f"{sum(out['size'] for out in outs) / 2**20:.1f}",
                w["record"]: _folds(
                    {
                        w["commands"]: [_code(stage["cmd"]) for stage in stages.values()],
                        w["parameters"]: [_code(key) for key in sorted(read)],
                        w["reads"]: _hashed(stages.values(), "deps"),
                        w["writes"]: _hashed(stages.values(), "outs"),
                    }
                ),
            }
        )
    data = pd.DataFrame(
        [
            {
                "stage": name,
                "command": stage["cmd"],
                "seconds": noted.get(name, {}).get("seconds"),
                "peak_memory_mib": noted.get(name, {}).get("peak_memory_mib"),
                "started": noted.get(name, {}).get("started"),
                "parameters": json.dumps(_parameters(stage), ensure_ascii=False),
                **{
                    what: "; ".join(
                        f"{entry['path']} {entry['md5']}" for entry in stage.get(what, [])
                    )
                    for what in ("deps", "outs")
                },
            }
            for name, stage in lock.items()
        ]
    )
    return pd.DataFrame(cells), data


def _parameters(stage: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for file in stage.get("params", {}).values() for key, value in file.items()}


def _hashed(stages: Any, what: str) -> list[str]:
    digests = {entry["path"]: entry["md5"] for stage in stages for entry in stage.get(what, [])}
    return [f"{_code(path)} {_short(md5)}" for path, md5 in sorted(digests.items())]


def figures_table(language: str, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """List page, stage, module and hash of the data of each figure and table.

    A page has one row on the page, its figures in a fold; the data, which come second, have one row
    a figure.
    """
    data = pd.DataFrame(
        [
            {
                "page": page,
                "figure": label,
                "stage": f"{NOTEBOOK_STAGE}{page}",
                "module": module,
                "module_sha256": hashes.get(module, ""),
                "data": f"files/{page}/{file.name}",
                "data_sha256": file_sha256(file),
            }
            for page in finished(language)
            for hashes in [_noted_modules(page)]
            for label, module in sorted(read_note(language, page, "drawn_by").items())
            for file in _data(chapter_directory(page) / language, label)
        ]
    )
    cells = []
    for page, rows in data.groupby("page", sort=False):
        modules = sorted({(row.module, row.module_sha256) for row in rows.itertuples()})
        code = [f"{_code(module)} {_short(sha256)}" for module, sha256 in modules]
        figures = [
            f'<a href="{row.data}">{escape(row.figure)}</a> {_short(row.data_sha256)}'
            for row in rows.itertuples()
        ]
        cells.append(
            {
                w["chapter"]: HTML(page_link(str(page), w)),
                w["stage"]: HTML(_code(f"{NOTEBOOK_STAGE}{page}")),
                w["module"]: HTML(fold(code)),
                w["figures"]: HTML(fold(figures)),
            }
        )
    return pd.DataFrame(cells), data


def _data(directory: Path, label: str) -> list[Path]:
    """File with the data of a figure or table, if it was written."""
    files = files_of(directory, label)
    return [files[word] for word in ("data", "zipped") if word in files]


def sources_table(lock: Lock, language: str, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """List the results that the notebooks of each page asked for, and the stages that wrote them.

    A page has one row on the page, its results in a fold by stage; the data, which come second,
    have one row a result.
    """
    written = {
        out["path"]: (name, out["md5"])
        for name, stage in lock.items()
        for out in stage.get("outs", [])
    }
    rows = []
    stated = read_note(language, FINDINGS.name, "reads")
    for chapter in finished(language):
        for path in sorted({*read_note(language, chapter, "reads"), *stated.get(chapter, [])}):
            # An output may be the directory that the file lies in.
            locations = (location.as_posix() for location in (Path(path), *Path(path).parents))
            stage, md5 = next((written[path] for path in locations if path in written), ("", ""))
            rows.append((chapter, path, stage, md5))
    data = pd.DataFrame(rows, columns=["page", "result", "stage", "md5"])
    cells = []
    for page, read in data.groupby("page", sort=False):
        by_stage = defaultdict(list)
        for row in read.itertuples():
            by_stage[row.stage or w["unlocked"]].append(f"{_code(row.result)} {_short(row.md5)}")
        cells.append(
            {
                w["chapter"]: HTML(page_link(str(page), w)),
                w["tables"]: HTML("".join(details(k, by_stage[k]) for k in sorted(by_stage))),
            }
        )
    return pd.DataFrame(cells), data


def _noted_modules(chapter: str) -> dict[str, str]:
    path = MODULES / f"notebook-{chapter}.json"
    return read_artifact(path)["modules"] if path.is_file() else {}


def _code(text: str) -> str:
    return f"<code>{escape(text)}</code>"


def _short(digest: str) -> str:
    return f"<small>{escape(digest[:8])}</small>" if digest else ""


def _folds(parts: Mapping[str, list[str]]) -> HTML:
    named = {f"{name} ({len(lines)})": lines for name, lines in parts.items() if lines}
    return HTML("".join(details(name, lines) for name, lines in named.items()))


def finished(language: str) -> list[str]:
    """Pages whose notebooks have run, in the order of the pages; provenance itself is none."""
    read = "reads.json"
    return [
        chapter
        for chapter in messages.chapters()
        if (CHAPTERS / chapter / language / read).is_file()
    ]


def downloads_table(language: str, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """List every file below a figure or table: as a link, and how large it is."""
    rows, cells = [], []
    for page in finished(language):
        links = []
        for label in sorted(read_note(language, page, "drawn_by")):
            parts = []
            for file in files_of(chapter_directory(page) / language, label).values():
                path = f"files/{page}/{file.name}"
                ending = file.name.removeprefix(f"{label}.").upper()
                parts.append(f'<a href="{path}">{ending}</a>')
                rows.append((page, label, path, file.stat().st_size))
            links.append(f"{escape(label)}: {' · '.join(parts)}")
        cells.append({w["chapter"]: HTML(page_link(page, w)), w["figures"]: HTML(fold(links))})
    return pd.DataFrame(cells), pd.DataFrame(rows, columns=["page", "figure", "file", "bytes"])


def write_archive(target: Path, artifacts: pd.DataFrame) -> int:
    """Put data and code of every page into one ZIP archive, the same bytes every time.

    It holds ``artifacts``, the hashes of all artifacts, as well; returns how many files it holds.
    """
    files = {"artifacts.csv": as_csv(artifacts)}
    for language in LANGUAGES:
        for page in finished(language):
            for path in sorted((chapter_directory(page) / language).iterdir()):
                folder = _folder(page, language, path.name)
                if path.suffix in (".csv", ".txt"):
                    files[f"{folder}/{path.name}"] = path.read_bytes()
                elif path.suffix == ".zip":
                    with zipfile.ZipFile(path) as single:
                        (name,) = single.namelist()
                        files[f"{folder}/{name}"] = single.read(name)
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in files.items():
            add_to_archive(archive, name, content)
    return len(files)


def _folder(page: str, language: str, name: str) -> str:
    """Folder of a file in the archive, where what all languages have alike lies once."""
    path, *others = (
        chapter_directory(page) / one / name
        for one in (language, *(one for one in LANGUAGES if one != language))
    )
    alike = all(other.is_file() and filecmp.cmp(path, other, shallow=False) for other in others)
    return page if alike else f"{language}/{page}"
