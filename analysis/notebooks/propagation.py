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
from analysis.figures.markup import escape
from analysis.figures.results import arrays, curves, states, table
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
chapter.state(w)
chapter.number("margins", w["margins"])
chapter.number("residual", p.propagation.residual, ".2g")
chapter.number("focus-experiment", name)
chapter.number("state", w[state])
chapter.number("confidence", p.bootstrap.confidence, ".0%")
chapter.close()
