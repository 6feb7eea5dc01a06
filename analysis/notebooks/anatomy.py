# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Anatomy: attention step by step, three architectures, three views

# %% tags=["parameters"]
language = "en"  # en | ja
directory = "files/anatomy"  # for what can be downloaded

# %%
from IPython.display import HTML

from analysis.figures import anatomy, architectures, bertviz
from analysis.figures.chapter import Chapter
from analysis.noted import noted
from analysis.results import views
from attention_mixing.markup import escape, in_line, visible

chapter = Chapter("anatomy", language, directory)
w = chapter.words
shown = anatomy.read_anatomy()
found, small = shown.found, shown.found["small"]
text, names = in_line(found["text"]), [visible(token) for token in found["tokens"]]
off = {"off": anatomy.scientific(found["deviation"])}


# %%
# | label: overview
chapter.figure("overview", anatomy.overview, shown, about=off)

# %%
# | label: text
tokens = " ".join(f"<code>{escape(name)}</code>" for name in names)
HTML(f'<p class="sample">{escape(text)}<br>{tokens}</p>')

# %%
# | label: projections
chapter.figure("projections", anatomy.projections, shown)

# %%
# | label: weights
chapter.figure("weights", anatomy.weights, shown)

# %%
# | label: sum
chapter.figure("sum", anatomy.weighted_sum, shown)

# %%
# | label: block
chapter.figure("block", anatomy.block, shown)

# %%
# | label: deviations
chapter.table("deviations", anatomy.deviation_table, shown)

# %%
# | label: heads
chapter.figure("heads", anatomy.head_maps, shown)

# %%
# | label: drawing
chapter.figure("drawing", architectures.architectures)

# %%
# | label: architectures
chapter.figure("architectures", architectures.small_maps, shown)

# %%
# | label: sight
chapter.table("sight", architectures.small_table, shown)

# %%
# | label: head-view
place = {"l": found["layer"], "h": found["head"]}
view = views.view(noted(), noted().report.focus.experiment, v="lines", **place)
chapter.figure("head-view", bertviz.head_picture, shown, explore=view)

# %%
# | label: model-view
chapter.figure("model-view", bertviz.model_picture, shown, explore=view)

# %%
# | label: neuron-view
chapter.figure("neuron-view", bertviz.neuron_picture, shown, explore=view)

# %%
for key in ("model", "layer", "head", "layers", "heads", "dimension"):
    chapter.number(key, found[key])
chapter.number("head-dimension", found["head_dimension"])
chapter.number("query", names[shown.query])
chapter.number("rows-sum", found["row_sum_deviation"], ".0e")
both = small["encoder_decoder"]
chapter.number("words", len(both["read"]))
chapter.number("held-out", both["held_out"])
chapter.close()
