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
language = "en"  # en | ja
directory = "files/claims"  # for what can be downloaded

# %%
from IPython.display import HTML, Markdown

from analysis.chapters.claims.export import exported
from analysis.figures.chapter import Chapter
from analysis.paths import LANGUAGES
from analysis.prose import citations, claims, ledger
from analysis.prose.messages import words
from analysis.results.circuits import circuits_of_run
from analysis.results.claims import judged_claims
from analysis.results.explorer import read_index
from analysis.runs.kept import control_encoders
from analysis.runs.parameters import run_parameters
from attention_mixing import explorer

p = run_parameters()
chapter = Chapter("claims", language, directory)
w = chapter.words
judged = claims.claims(judged_claims().values(), w)
sources = citations.sources(judged, w)
circuits = circuits_of_run()

# %%
# | label: verdicts
chapter.table("verdicts", ledger.tiles, judged)

# %%
# | label: cited
Markdown(w["claims_cited"].format(cited=citations.cited(sources)))

# %%
# | label: ledger
index = read_index()
said = {one: claims.claims(judged_claims().values(), words(one, "claims")) for one in LANGUAGES}
cited = {one: citations.sources(said[one], words(one, "claims")) for one in LANGUAGES}
published = {name: row["claim"]["values"] for name, row in judged_claims().items()}
# For programs, with the texts of both languages.
whole = exported(said, cited, published, index).model_dump_json()
(chapter.directory / "ledger.json").write_text(whole, encoding="utf-8")
chapter.table("ledger", ledger.ledger, judged, sources, circuits, index, explorer.said(language))

# %%
# | label: otherwise
chapter.table("otherwise", ledger.otherwise, judged)

# %%
# | label: claims-overview
chapter.table("claims-overview", ledger.summary, judged, sources, circuits)

# %%
# | label: needs
HTML(ledger.needs(judged, w))

# %%
for name, value in claims.prose(judged, p.bootstrap.confidence, control_encoders(), w).items():
    chapter.number(name, value)
chapter.close()
