# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Anatomy: attention step by step, three architectures, BertViz

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
    bertviz_views,
    small_models,
    view_pictures,
)
from analysis.figures.bertviz_views import Attention
from analysis.figures.chapter import Chapter
from analysis.figures.markup import escape, in_line, visible

chapter = Chapter("anatomy", language, directory)
w = chapter.words
shown = anatomy_results.read_anatomy()
found, small = shown.found, shown.found["small"]
text, names = in_line(found["text"]), [visible(token) for token in found["tokens"]]
off = {"off": anatomy_results.scientific(found["deviation"])}


def with_view(label, draw, view):
    """Put a view of BertViz into a fold below its static picture."""
    picture = chapter.figure(label, draw, shown)
    return HTML(picture.data + fold(label.replace("-", "_"), view))


def fold(label, view):
    """Write a view as a file of its own; return the fold that opens it and a link to it."""
    (chapter.directory / f"{label}.html").write_text(view.page, encoding="utf-8")
    return bertviz_views.fold(view, f"files/{chapter.name}/{label}.html", language)


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
whole = Attention(shown.arrays["attention"], names, names)
view = bertviz_views.head_view([whole], found["layer"], text, language)
with_view("head-view", view_pictures.head_picture, view)

# %%
# | label: model-view
with_view(
    "model-view", view_pictures.model_picture, bertviz_views.model_view(whole, text, language)
)

# %%
# | label: neuron-view
view = bertviz_views.neuron_view(
    whole,
    shown.arrays["query"],
    shown.arrays["key"],
    found["layer"],
    found["head"],
    shown.query,
    text,
    language,
)
with_view("neuron-view", view_pictures.neuron_picture, view)

# %%
# | label: cross-view
both = small["encoder_decoder"]
attentions = [
    Attention(shown.arrays[name], both[read], both[seen], w[name])
    for name, (read, seen) in anatomy_results.SMALL_MAPS.items()
    if name.startswith("encoder_decoder/")
]
view = bertviz_views.head_view(attentions[::-1], 1, w["encoder_decoder"], language)
HTML(fold("cross_view", view))

# %%
for key in ("model", "layer", "head", "layers", "heads", "dimension"):
    chapter.number(key, found[key])
chapter.number("head-dimension", found["head_dimension"])
chapter.number("query", names[shown.query])
chapter.number("rows-sum", found["row_sum_deviation"], ".0e")
chapter.number("words", len(both["read"]))
chapter.number("held-out", both["held_out"])
chapter.close()
