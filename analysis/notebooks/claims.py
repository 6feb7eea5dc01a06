# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Claims: what was published, what is found here, and the verdicts

# %% tags=["parameters"]
language = "en"
directory = "."

# %%
from IPython.display import HTML

from analysis import params
from analysis.figures import claim_prose, claim_sources, claims, claims_list
from analysis.figures.chapter import Chapter
from analysis.figures.verdict_tiles import counted, verdict_tiles
from analysis.figures.words import words

p = params.load()
w = words(language, "claims", "rules", "findings_claims")
chapter = Chapter("claims", language, directory)
record = claims.read_record()
found = claims.claims(record, w)
sources = claim_sources.sources(found, w)
data = claims.table(found)

# %%
# | label: verdicts
figure, tiles = verdict_tiles(found, w)
described = w["alt_verdicts"].format(counts=counted(found, w))
chapter.figure("verdicts", figure, described, tiles, module="verdict_tiles")

# %%
# | label: ledger
chapter.block("ledger", claims_list.ledger(found, sources, w), data, record, "claims_list")

# %%
# | label: summary
headlines = data[data["claim"].isin([one.id for one in found if one.headline])]
chapter.block("summary", claims_list.summary(found, sources, w), headlines, module="claims_list")

# %%
# | label: needs
HTML(claims_list.needs(found, w))

# %%
for name, value in claim_prose.prose(found, p.bootstrap.confidence, w).items():
    chapter.number(name, value)
chapter.close()
