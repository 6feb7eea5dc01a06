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
language = "en"
directory = "."

# %%
from analysis.figures import claims
from analysis.figures.advice import advice_table
from analysis.figures.chapter import Chapter

chapter = Chapter("advice", language, directory)

# %%
# | label: questions
chapter.table("questions", advice_table, claims.claims(claims.read_record(), chapter.words))

# %%
chapter.close()
