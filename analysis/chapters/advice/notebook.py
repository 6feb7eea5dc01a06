# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Advice: which measure for which question

# %% tags=["parameters"]
language = "en"  # en | ja
directory = "files/advice"  # for what can be downloaded

# %%
from analysis.chapters.advice.prose import advice_table
from analysis.figures.chapter import Chapter
from analysis.prose.claims import claims
from analysis.results.circuits import circuits_of_run
from analysis.results.claims import judged_claims

chapter = Chapter("advice", language, directory)
judged = claims(judged_claims().values(), chapter.words)

# %%
# | label: questions
chapter.table("questions", advice_table, judged, circuits_of_run())

# %%
chapter.close()
