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
from analysis.figures.chapter import Chapter
from analysis.prose.advice import advice_table
from analysis.prose.claims import claims
from analysis.results.summary import record

chapter = Chapter("advice", language, directory)

# %%
# | label: questions
chapter.table("questions", advice_table, claims(record().values(), chapter.words))

# %%
chapter.close()
