"""Chapter *provenance*: what was run, with what, and what came out."""

from __future__ import annotations

import json
import platform
import subprocess
from datetime import timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from IPython.display import HTML

from analysis.figures.markup import escape
from analysis.figures.words import Words
from analysis.hashing import file_sha256
from analysis.params import Params
from analysis.paths import ARTIFACTS, RESULTS, RUNS, artifact, result

PACKAGES = (
    "torch",
    "transformers",
    "datasets",
    "umap-learn",
    "numpy",
    "scipy",
    "scikit-learn",
    "pandas",
    "matplotlib",
    "papermill",
    "dvc",
)
OWN_WORDS = {
    "what": ("what", "項目"),
    "value": ("value", "値"),
    "commit": ("commit", "コミット"),
    "uncommitted": ("with uncommitted changes", "未コミットの変更あり"),
    "no_git": ("not a git checkout", "git の作業ツリーではない"),
    "computed": ("first stage started", "最初のステージの開始"),
    "hardware": ("hardware", "ハードウェア"),
    "cores": ("{} cores", "{} コア"),
    "python": ("Python", "Python"),
    "stage": ("stage", "ステージ"),
    "seconds": ("seconds", "秒"),
    "memory": ("peak memory, MiB", "最大メモリ (MiB)"),
    "size": ("output, MiB", "出力 (MiB)"),
    "hash": ("md5 of the outputs", "出力の md5"),
    "restored": ("from cache", "キャッシュから"),
    "parameter": ("parameter", "パラメータ"),
    "default": ("committed default", "既定値"),
    "here": ("here", "この実行"),
    "file": ("file", "ファイル"),
    "origin": ("origin", "出典"),
    "figure": ("figure or table", "図・表"),
    "module": ("drawn by", "描画コード"),
    "reads": ("reads", "読み込むもの"),
    "seed": ("seed", "シード"),
    "same": ("none: every parameter has its committed value", "なし（すべて既定値）"),
}


def run_table(w: Words) -> pd.DataFrame:
    """Commit, machine and versions of this run."""
    notes = _notes()
    machines = sorted({n["platform"] for n in notes.values()}) or [platform.platform()]
    cores = sorted({n["cpu_count"] for n in notes.values()})
    gpus = sorted({n["gpu"] for n in notes.values() if "gpu" in n})
    hardware = [*machines, *(w["cores"].format(n) for n in cores), *gpus]
    facts = {
        w["commit"]: commit(w),
        w["computed"]: min((n["started"] for n in notes.values()), default="–"),
        w["hardware"]: "; ".join(hardware),
        w["python"]: platform.python_version(),
        **{package: version(package) for package in PACKAGES},
    }
    return pd.DataFrame({w["what"]: facts.keys(), w["value"]: facts.values()})


def commit(w: Words) -> str:
    """Hash of the checked-out commit, and whether the work tree differs from it."""
    try:
        head = _git("rev-parse", "HEAD")
        # The lock file changes while the pipeline runs; it is a result, not an edit.
        dirty = _git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!dvc.lock")
    except (subprocess.CalledProcessError, FileNotFoundError):
        return w["no_git"]
    return f"{head} ({w['uncommitted']})" if dirty else head


def _git(*arguments: str) -> str:
    run = subprocess.run(["git", *arguments], capture_output=True, encoding="utf-8", check=True)
    return run.stdout.strip()


def _notes() -> dict[str, dict[str, Any]]:
    """Read the stages' notes of time and host; one restored from the cache leaves none."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in RUNS.glob("*.json")}


def stages_table(w: Words) -> pd.DataFrame:
    """Every stage in ``dvc.lock``: command, time, memory, size and hash of its outputs."""
    lock = yaml.safe_load(Path("dvc.lock").read_text(encoding="utf-8"))
    notes = _notes()
    rows = []
    for name, stage in lock["stages"].items():
        if name.split("@")[0] in ("provenance", "report", "site"):
            continue  # they come after this page's notebook; what the lock has is an earlier run
        note = notes.get(name, {})
        outs = stage.get("outs", [])
        rows.append(
            {
                w["stage"]: HTML(f"{escape(name)}<br><code>{escape(stage['cmd'])}</code>"),
                w["seconds"]: f"{note['seconds']:.1f}" if note else w["restored"],
                w["memory"]: f"{note['peak_memory_mib']}" if note else w["restored"],
                w["size"]: f"{sum(out['size'] for out in outs) / 2**20:.1f}",
                w["hash"]: HTML(
                    "<br>".join(
                        f"{escape(out['path'])} <code>{escape(out['md5'][:8])}</code>"
                        for out in outs
                    )
                ),
            }
        )
    return pd.DataFrame(rows)


def total_time() -> str:
    """Sum of the stages' times, as minutes and seconds."""
    seconds = sum(note["seconds"] for note in _notes().values())
    return str(timedelta(seconds=round(seconds)))


def differences_table(params: Params, reference: Params, w: Words) -> pd.DataFrame:
    """Parameters that differ from the reference run's."""
    here, default = (dict(_flat(p.model_dump(mode="json"))) for p in (params, reference))
    rows = [
        {
            w["parameter"]: key,
            w["default"]: json.dumps(default.get(key), ensure_ascii=False),
            w["here"]: json.dumps(here.get(key), ensure_ascii=False),
        }
        for key in sorted(here.keys() | default.keys())
        if here.get(key) != default.get(key)
    ]
    same = {w["parameter"]: w["same"], w["default"]: "", w["here"]: ""}
    return pd.DataFrame(rows or [same])


def seeds_table(params: Params, w: Words) -> pd.DataFrame:
    """Every seed in the parameters."""
    flat = dict(_flat(params.model_dump(mode="json")))
    seeds = {key: value for key, value in flat.items() if key.split(".")[-1] in ("seed", "seeds")}
    return pd.DataFrame({w["parameter"]: seeds.keys(), w["seed"]: seeds.values()})


def _flat(content: Any, prefix: str = ""):
    if isinstance(content, dict) and content:
        for key, value in content.items():
            yield from _flat(value, f"{prefix}{key}.")
    else:
        yield prefix[:-1], content


def origins_table(params: Params, w: Words) -> pd.DataFrame:
    """Where each corpus and model comes from, with hashes."""
    rows = []
    for name in params.experiments:
        origin = json.loads(result(name, "origin.json").read_text(encoding="utf-8"))
        manifest = artifact(name, "capture", "pretrained", "manifest.json")
        model = json.loads(manifest.read_text(encoding="utf-8"))["model"]
        # The manifest of the capture has the hashes of the small files too.
        facts = {w["model"]: model["name"], "revision": model["revision"]} | {
            f"sha256 {file}": value
            for file, value in model["sha256"].items()
            if file.endswith(".safetensors") or file == "tokenizer.json"
        }
        cell = "<br>".join(f"{escape(k)}: {escape(v)}" for k, v in (origin | facts).items())
        rows.append({w["experiment"]: name, w["origin"]: HTML(cell)})
    return pd.DataFrame(rows)


def artifacts_table(params: Params) -> pd.DataFrame:
    """Every file that the stages handed on: ``file``, ``bytes``, ``sha256``."""
    files = sorted(
        path
        for root in (ARTIFACTS, RESULTS)
        for name in params.experiments
        for path in (root / name).rglob("*")
        if path.is_file()
    )
    return pd.DataFrame(
        {
            "file": [path.as_posix() for path in files],
            "bytes": [path.stat().st_size for path in files],
            "sha256": [file_sha256(path) for path in files],
        }
    )


def chains_table(w: Words) -> pd.DataFrame:
    """For each figure and table: the module that drew it, its stage, and what that reads."""
    lock = yaml.safe_load(Path("dvc.lock").read_text(encoding="utf-8"))["stages"]
    rows = []
    for name, stage in lock.items():
        if not name.startswith("notebook@"):
            continue
        chapter = name.removeprefix("notebook@")
        data = [d for d in stage["deps"] if d["path"].split("/")[0] in ("artifacts", "results")]
        reads = "<br>".join(
            f"{escape(d['path'])} <code>{escape(d['md5'][:8])}</code>" for d in data
        )
        files = Path("report/en/files", chapter)
        drawn_by = json.loads((files / "drawn_by.json").read_text(encoding="utf-8"))
        for label, module in sorted(drawn_by.items()):
            csv = files / f"{label}.csv"
            rows.append(
                {
                    w["figure"]: f"{chapter}/{label}",
                    w["module"]: f"analysis/figures/{module}.py",
                    w["stage"]: name,
                    w["reads"]: HTML(reads),
                    "sha256 (CSV)": HTML(f"<code>{file_sha256(csv)[:8]}</code>"),
                }
            )
    return pd.DataFrame(rows)
