# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Provenance: what was run, with what, and what came out

# %% tags=["parameters"]
language = "en"  # en | ja
directory = "files/provenance"  # for what can be downloaded

# %%
from pathlib import Path
from shutil import copyfile

from IPython.display import Markdown

from analysis.chapters.provenance import figures, lineage
from analysis.figures.chapter import Chapter
from analysis.parameters import load
from analysis.paths import PARAMETERS
from analysis.results import record
from analysis.site import citation

p = load(PARAMETERS / "params.yaml")
reference = load(Path("reference/quick/params.yaml"))
chapter = Chapter("provenance", language, directory)
lock = record.read_lock(p)

# %%
# | label: run
chapter.table("run", figures.run_table, lock)

# %%
# The date of the report: that of the run.
if notes := record.stage_notes(lock):
    chapter.number("date", figures.computed(notes)[:10])

# %%
# | label: differences
chapter.table("differences", figures.differences_table, p, reference)

# %%
# | label: seeds
chapter.table("seeds", figures.seeds_table, p)

# %%
# | label: references
chapter.table("references", figures.references_table)

# %%
# | label: origins
chapter.table("origins", figures.origins_table, p, lock)

# %%
# | label: stages
chapter.table("stages", lineage.stages_table, lock)

# %%
# | label: chains
chapter.table("chains", lineage.figures_table, language)

# %%
# | label: sources
chapter.table("sources", lineage.sources_table, lock, language)

# %%
# | label: downloads
chapter.table("downloads", lineage.downloads_table, language)

# %%
# | label: citation
Markdown(citation.citation())

# %%
# | label: bibtex
Markdown(citation.bibtex())

# %%
# Whole lists and files are downloads; the page names their length.
artifacts = figures.artifacts_table(p)
archive = Path(directory) / "downloads.zip"
archived = lineage.write_archive(archive, artifacts)
for file in (PARAMETERS / "params.yaml", Path("dvc.lock"), Path("CITATION.cff")):
    copyfile(file, Path(directory) / file.name)

# %%
chapter.number("files", len(artifacts), ",")
chapter.number("megabytes", artifacts["bytes"].sum() / 2**20, ",.0f")
chapter.number("archive-files", archived, ",")
chapter.number("archive-megabytes", archive.stat().st_size / 2**20, ".1f")
chapter.number("time", lineage.total_time(lock, chapter.words))
chapter.close()
