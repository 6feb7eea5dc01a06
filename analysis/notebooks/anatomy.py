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
language = "en"
directory = "."

# %%
from IPython.display import HTML

from analysis.figures import (
    anatomy,
    anatomy_results,
    attention_steps,
    bertviz_views,
    small_models,
    view_pictures,
)
from analysis.figures.bertviz_views import Attention
from analysis.figures.chapter import Chapter
from analysis.figures.findings import anatomy as findings
from analysis.figures.markup import escape
from analysis.figures.words import words
from analysis.methods.attention_maps import largest_weight_kinds, mean_total_variation
from analysis.methods.scaled_dot_product import relative_length

w = words(
    language, "anatomy", "attention_steps", "small_models", "view_pictures", "findings_anatomy"
)
chapter = Chapter("anatomy", language, directory)
shown = anatomy_results.read_anatomy()
found, small = shown.found, shown.found["small"]


def with_view(label, picture, view):
    """Put a view of BertViz into a fold below its static picture."""
    return HTML(picture.data + chapter_view(label, view))


def chapter_view(label, view):
    """Write a view as a file of its own; return the fold that opens it and a link to it."""
    (chapter.directory / f"{label}.html").write_text(view.page, encoding="utf-8")
    return bertviz_views.fold(view, f"files/{chapter.name}/{label}.html", language)


# %%
# | label: overview
figure, data = anatomy.overview(shown, w)
off = anatomy_results.scientific(findings.largest_deviation(found["steps"]))
chapter.figure("overview", figure, w["alt_overview"].format(off=off), data)

# %%
# | label: text
tokens = " ".join(f"<code>{escape(token)}</code>" for token in found["tokens"])
HTML(f'<p class="sample">{escape(found["text"])}<br>{tokens}</p>')

# %%
# | label: projections
figure, data = attention_steps.projections(shown, w)
chapter.figure("projections", figure, w["alt_projections"], data, module="attention_steps")

# %%
# | label: weights
figure, data = attention_steps.weights(shown, w)
chapter.figure("weights", figure, w["alt_weights"], data, module="attention_steps")

# %%
# | label: sum
figure, data = attention_steps.weighted_sum(shown, w)
chapter.figure("sum", figure, w["alt_sum"], data, module="attention_steps")

# %%
# | label: block
figure, data = attention_steps.block(shown, w)
chapter.figure("block", figure, w["alt_block"], data, module="attention_steps")

# %%
# | label: deviations
cells, data = attention_steps.deviation_table(shown, w)
chapter.table("deviations", cells, data, module="attention_steps")

# %%
# | label: heads
figure, data = attention_steps.head_maps(shown, w)
chapter.figure("heads", figure, w["alt_heads"], data, module="attention_steps")

# %%
# | label: architectures
figure, data = small_models.small_maps(shown, w)
chapter.figure("architectures", figure, w["alt_architectures"], data, module="small_models")

# %%
# | label: sight
cells, data = small_models.small_table(shown, w)
chapter.table("sight", cells, data, module="small_models")

# %%
# | label: head-view
text = found["text"]
whole = Attention(shown.arrays["attention"], found["tokens"], found["tokens"])
figure, data = view_pictures.head_picture(shown, w)
picture = chapter.figure("head-view", figure, w["alt_head_view"], data, module="view_pictures")
with_view("head_view", picture, bertviz_views.head_view([whole], found["layer"], text, language))

# %%
# | label: model-view
figure, data = view_pictures.model_picture(shown, w)
picture = chapter.figure("model-view", figure, w["alt_model_view"], data, module="view_pictures")
with_view("model_view", picture, bertviz_views.model_view(whole, text, language))

# %%
# | label: neuron-view
figure, data = view_pictures.neuron_picture(shown, w)
picture = chapter.figure("neuron-view", figure, w["alt_neuron_view"], data, module="view_pictures")
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
with_view("neuron_view", picture, view)

# %%
# | label: cross-view
both = small["encoder_decoder"]
attentions = [
    Attention(shown.arrays[name], both[read], both[seen], w[name])
    for name, (read, seen) in anatomy_results.SMALL_MAPS.items()
    if name.startswith("encoder_decoder/")
]
view = bertviz_views.head_view(attentions[::-1], 1, w["encoder_decoder"], language)
HTML(chapter_view("cross_view", view))

# %%
chapter.number("lead", findings.lead(found["steps"], small, w))
chapter.number("exactness", findings.exactness(found["steps"], w))
chapter.number("model", found["model"])
chapter.number("layer", found["layer"])
chapter.number("head", found["head"])
chapter.number("layers", found["layers"])
chapter.number("heads", found["heads"])
chapter.number("dimension", found["dimension"])
chapter.number("head-dimension", found["head_dimension"])
chapter.number("query", found["tokens"][shown.query])
chapter.number("rows-sum", anatomy_results.scientific(found["row_sum_deviation"]))
chapter.number("scale", findings.scale(found["scaling"], w))
added = relative_length(shown.arrays["output"], shown.arrays["input"])
chapter.number("residual", findings.residual(added, w))
maps = shown.arrays["attention"][shown.place[0]]
kinds = largest_weight_kinds(maps, shown.special)
chapter.number("strongest", findings.heads(kinds, mean_total_variation(maps), w))
chapter.number("words", len(both["read"]))
chapter.number("learned", findings.learned(small, w))
chapter.number("mirror", findings.mirror(small, w))
chapter.number("leak", findings.leak(small, w))
chapter.close()
