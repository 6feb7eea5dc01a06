# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Findings: what the chapters state of this run and of reference runs

# %% tags=["parameters"]
language = "en"  # en | ja
directory = "files/findings"  # for what can be downloaded

# %%
from analysis.chapters.findings.prose import control, publish, recovered_here
from analysis.figures.chapter import require_parameters
from analysis.prose.messages import sentences

require_parameters()
publish(language, directory)

# %%
# | label: mixing-control
control("mixing", sentences(language, "mixing"), "isolated", "depth", "rise", "mask")

# %%
# | label: heads-control
control("heads", sentences(language, "heads"), "sink", "sep-self")

# %%
# | label: mixing-recovered
recovered_here("mixing", sentences(language, "mixing"))

# %%
# | label: propagation-recovered
recovered_here("propagation", sentences(language, "propagation"))

# %%
# | label: faithfulness-recovered
recovered_here("faithfulness", sentences(language, "faithfulness"))
