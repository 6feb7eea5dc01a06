# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Mixing: by weights, by vectors, by the whole layer, and what remains of a token

# %% tags=["parameters"]
language = "en"
directory = "."

# %%
from analysis import params
from analysis.figures import mixing
from analysis.figures.chapter import Chapter
from analysis.figures.results import curves
from analysis.figures.words import words

p = params.load()
w = words(language, "mixing", "findings_mixing")
chapter = Chapter("mixing", language, directory)

# %%
# | label: scopes
data = curves("vectors", by="mixing", measure="ratio", kind="all")
figure = mixing.scope_curves(data, w)
chapter.figure("scopes", figure, w["alt_scopes"], data)

# %%
# | label: means
cells, data = mixing.scope_table(w)
chapter.table("means", cells, data)

# %%
# | label: kinds
data = curves("vectors", measure="ratio", of="attnresln_n", kind=list(mixing.KIND_COLOURS))
figure = mixing.kind_curves(data, w)
chapter.figure("kinds", figure, w["alt_kinds"], data)

# %%
# | label: cls
figure, data = mixing.cls_curves(w)
chapter.figure("cls", figure, w["alt_cls"], data)

# %%
# | label: maps
figure, data = mixing.contribution_maps(p, w)
chapter.figure("maps", figure, w["alt_maps"], data)

# %%
# | label: sources
data = curves("vectors", by="mixing", kind="")
figure = mixing.source_curves(data, w)
chapter.figure("sources", figure, w["alt_sources"], data)

# %%
# | label: remains
data = curves("vectors", by=["identity", "token_moments"], of="")
figure = mixing.remains_curves(data, w)
chapter.figure("remains", figure, w["alt_remains"], data)

# %%
# | label: cka
cka = curves("vectors", by="token_moments", measure="cka")
cka["other"] = cka["of"].astype(int)
figure = mixing.layer_similarity(cka, w)
chapter.figure("cka", figure, w["alt_cka"], cka)

# %%
chapter.state(w)
chapter.number("margins", w["margins"])
chapter.number("confidence", p.bootstrap.confidence, ".0%")
chapter.close()
