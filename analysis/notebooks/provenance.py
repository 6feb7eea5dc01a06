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
language = "en"
directory = "."

# %%
from pathlib import Path

from analysis import params
from analysis.figures import provenance
from analysis.figures.chapter import Chapter
from analysis.figures.words import words

p = params.load()
reference = params.load(Path("reference/params.yaml"))
w = words(language, **provenance.OWN_WORDS)
chapter = Chapter("provenance", language, directory)

# %%
# | label: run
chapter.table("run", provenance.run_table(w))

# %%
# | label: differences
chapter.table("differences", provenance.differences_table(p, reference, w))

# %%
# | label: seeds
chapter.table("seeds", provenance.seeds_table(p, w))

# %%
# | label: origins
chapter.table("origins", provenance.origins_table(p, w))

# %%
# | label: stages
chapter.table("stages", provenance.stages_table(w))

# %%
# | label: chains
chapter.table("chains", provenance.chains_table(w))

# %%
# The whole list is a download; the page names its length.
artifacts = provenance.artifacts_table(p)
artifacts.to_csv(Path(directory) / "artifacts.csv", index=False)

# %%
chapter.number("files", len(artifacts), ",")
chapter.number("megabytes", artifacts["bytes"].sum() / 2**20, ",.0f")
chapter.number("time", provenance.total_time())
chapter.close()
