# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Propagation: raw attention, residual, rollout, flow

# %% tags=["parameters"]
language = "en"
directory = "."

# %%
from IPython.display import HTML

from analysis import params
from analysis.figures import propagation
from analysis.figures.chapter import Chapter
from analysis.figures.findings import propagation as findings
from analysis.figures.markup import escape
from analysis.figures.results import arrays, curves, ends, states, table
from analysis.figures.style import drawable
from analysis.figures.words import words

p = params.load()
w = words(language, "propagation", "findings_propagation")
chapter = Chapter("propagation", language, directory)
rows = curves("vectors", by="propagation")
name = p.report.focus.experiment
state = states("focus", "matrices", name)[-1]
matrices = arrays("focus", "matrices", name, state)
tokens = table("focus", "matrices", "tokens", name, state)
names = [drawable(token) for token in tokens["token"]]

# %%
# | label: overview
figure, data = propagation.overview(rows, w)
chapter.figure("overview", figure, w["alt_overview"], data)

# %%
# | label: text
HTML(f'<p class="sample">{escape(tokens["text"].iloc[0])}</p>')

# %%
# | label: lecture
figure, data = propagation.lecture(matrices, names, w)
chapter.figure("lecture", figure, w["alt_lecture"], data)

# %%
# | label: cls
figure, data = propagation.cls_rows(matrices, names, w)
chapter.figure("cls", figure, w["alt_cls"], data)

# %%
# | label: maps
figure, data = propagation.propagated_maps(matrices, names, w)
chapter.figure("maps", figure, w["alt_maps"], data)

# %%
# | label: curves
figure, data = propagation.layer_curves(rows, w)
chapter.figure("curves", figure, w["alt_curves"], data)

# %%
# | label: tight
figure, data = propagation.tight_curves(rows, w)
chapter.figure("tight", figure, w["alt_tight"], data)

# %%
# | label: last
cells, data = propagation.last_layer_table(rows, w)
chapter.table("last", cells, data)

# %%
keys = ("experiment", "variant", "of")
found = ends("vectors", *keys, "measure", by="propagation", kind="")
tight = ends("vectors", *keys, "kind", by="propagation", measure="tight")
measured = found[name][state]
chapter.number("residual", p.propagation.residual, ".2g")
chapter.number("focus-experiment", name)
chapter.number("state", w[state])
chapter.number("layers", len(matrices["raw"]))
chapter.number("raw-mixing", measured["raw"]["mixing"]["mean"], ".1%")
chapter.number("residual-mixing", measured["residual"]["mixing"]["mean"], ".1%")
chapter.number("raw-entropy-first", measured["raw"]["entropy"]["first"], ".2f")
chapter.number("raw-entropy-last", measured["raw"]["entropy"]["last"], ".2f")
for method in ("rollout", "uniform"):
    chapter.number(f"{method}-distance-first", measured[method]["row_distance"]["first"], ".2f")
for method in ("rollout", "rollout_measured", "flow", "flow_measured", "uniform"):
    label = method.replace("_", "-")
    chapter.number(f"{label}-mixing", measured[method]["mixing"]["last"], ".1%")
    chapter.number(f"{label}-special", measured[method]["special_share"]["last"], ".1%")
    chapter.number(f"{label}-distance", measured[method]["row_distance"]["last"], ".2f")
    if method != "uniform":
        chapter.number(f"{label}-entropy", measured[method]["entropy"]["last"], ".2f")
rollout, uniform, mixed = (
    [measured[method]["mixing"]["last"]] for method in ("rollout", "uniform", "rollout_measured")
)
chapter.number("amount", findings.amount(rollout, uniform, w))
chapter.number("apart", findings.apart([measured["rollout"]["row_distance"]["last"]], w))
chapter.number("measured", findings.measured(rollout, mixed, w))
chapter.number("flat", findings.flat([measured["flow"]["entropy"]["last"]], w))
at_bound = {kind: share["last"] for kind, share in tight[name][state]["flow"].items()}
chapter.number("tight", findings.tight(at_bound, w))
every = [methods for by_state in found.values() for methods in by_state.values()]
bounds = [methods for by_state in tight.values() for methods in by_state.values()]
chapter.number(
    "lead",
    findings.lead(
        [methods["rollout"]["mixing"]["last"] for methods in every],
        [methods["uniform"]["mixing"]["last"] for methods in every],
        [methods["rollout"]["row_distance"]["last"] for methods in every],
        [methods["flow"]["text"]["last"] for methods in bounds],
        w,
    ),
)
chapter.number("confidence", p.bootstrap.confidence, ".0%")
chapter.close()
