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

from analysis.figures import (
    anatomy,
    anatomy_results,
    architectures,
    attention_steps,
    explorer_views,
    small_models,
    view_pictures,
)
from analysis.figures.chapter import Chapter
from analysis.noted import noted
from attention_mixing.markup import escape, in_line, visible

chapter = Chapter("anatomy", language, directory)
w = chapter.words
shown = anatomy_results.read_anatomy()
found, small = shown.found, shown.found["small"]
text, names = in_line(found["text"]), [visible(token) for token in found["tokens"]]
off = {"off": anatomy_results.scientific(found["deviation"])}


# %%
# | label: overview
chapter.figure("overview", anatomy.overview, shown, about=off)

# %%
# | label: text
tokens = " ".join(f"<code>{escape(name)}</code>" for name in names)
HTML(f'<p class="sample">{escape(text)}<br>{tokens}</p>')

# %%
# | label: projections
chapter.figure("projections", attention_steps.projections, shown)

# %%
# | label: weights
chapter.figure("weights", attention_steps.weights, shown)

# %%
# | label: sum
chapter.figure("sum", attention_steps.weighted_sum, shown)

# %%
# | label: block
chapter.figure("block", attention_steps.block, shown)

# %%
# | label: deviations
chapter.table("deviations", attention_steps.deviation_table, shown)

# %%
# | label: heads
chapter.figure("heads", attention_steps.head_maps, shown)

# %%
# | label: drawing
chapter.figure("drawing", architectures.architectures)

# %%
# | label: architectures
chapter.figure("architectures", small_models.small_maps, shown)

# %%
# | label: sight
chapter.table("sight", small_models.small_table, shown)

# %%
# | label: head-view
place = {"l": found["layer"], "h": found["head"]}
view = explorer_views.view(noted(), noted().report.focus.experiment, v="lines", **place)
chapter.figure("head-view", view_pictures.head_picture, shown, explore=view)

# %%
# | label: model-view
chapter.figure("model-view", view_pictures.model_picture, shown, explore=view)

# %%
# | label: neuron-view
chapter.figure("neuron-view", view_pictures.neuron_picture, shown, explore=view)

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
