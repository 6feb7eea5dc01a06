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
from analysis.figures.findings import mixing as findings
from analysis.figures.phrases import span
from analysis.figures.results import curves, last, overall
from analysis.figures.words import words

p = params.load()
w = words(language, "mixing", "findings_mixing")
chapter = Chapter("mixing", language, directory)
of_all = {"by": "mixing", "measure": "ratio", "kind": "all"}

# %%
# | label: scopes
data = curves("vectors", **of_all)
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
state = ["experiment", "variant"]
means = overall("vectors", **of_all).pivot(index=state, columns="of", values="mean")
for scope in mixing.SCOPES:
    chapter.number(scope.replace("_", "-"), span(means[scope]))
chapter.number("lead", findings.lead(means["attn_w"], means["attnresln_n"], w))
steps = [means[scope] for scope in mixing.ATTENTION_SCOPES]
chapter.number("order", findings.scope_order(steps, w))
block = curves("vectors", of="attnresln_n", **of_all).groupby(state)["mean"]
chapter.number("depth", findings.depth(block.first(), block.last(), w))
kinds = overall("vectors", measure="ratio", of="attnresln_n")
kinds = kinds.pivot(index=state, columns="kind", values="mean").reindex(columns=["mask", "text"])
masked = kinds.dropna()
chapter.number("mask", findings.mask(masked["mask"], masked["text"], w))

# %%
left = curves("vectors", by="identity")
first, end = (
    part.pivot(index=state, columns="measure", values="mean")
    for part in (left[left["layer"] == 0], last(left))
)
shares = dict(list(end["identifiability"].groupby("variant")))
chapter.number("identifiable", findings.identifiable(shares, w))
similar = first["similarity"], end["similarity"], end["similarity_centred"]
chapter.number("alike", findings.alike(*similar, w))

# %%
rolled = last(curves("vectors", by="mixing", measure=["special_share", "own_source"]))
rolled = rolled.pivot(index=state, columns=["measure", "of"], values="mean")
special = rolled["special_share"]
chapter.number("special", findings.special(special["attn_w"], special["attnresln_n"], w))
chapter.number("own-source", span(rolled["own_source", "attnresln_n"]))
chapter.number("own-source-alti", span(rolled["own_source", "alti"]))
chapter.number("confidence", p.bootstrap.confidence, ".0%")
chapter.close()
