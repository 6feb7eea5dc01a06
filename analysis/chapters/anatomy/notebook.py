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

from analysis.chapters.anatomy import bertviz, figures
from analysis.chapters.anatomy.results import read_anatomy
from analysis.figures.chapter import Chapter
from analysis.results import explorer
from analysis.runs.parameters import run_parameters
from attention_mixing.markup import escape, in_line, visible

chapter = Chapter("anatomy", language, directory)
w = chapter.words
results = read_anatomy()
record, small = results.record, results.record["small"]
text, names = in_line(record["text"]), [visible(token) for token in record["tokens"]]
deviation = {"off": figures.scientific(record["deviation"])}


# %%
# | label: overview
chapter.figure("overview", figures.overview, results, about=deviation)

# %%
# | label: text
tokens = " ".join(f"<code>{escape(name)}</code>" for name in names)
HTML(f'<p class="sample">{escape(text)}<br>{tokens}</p>')

# %%
# | label: projections
chapter.figure("projections", figures.projections, results)

# %%
# | label: weights
chapter.figure("weights", figures.weights, results)

# %%
# | label: sum
chapter.figure("sum", figures.weighted_sum, results)

# %%
# | label: block
chapter.figure("block", figures.block, results)

# %%
# | label: deviations
chapter.table("deviations", figures.deviation_table, results)

# %%
# | label: heads
chapter.figure("heads", figures.head_maps, results)

# %%
# | label: drawing
chapter.figure("drawing", figures.architectures)

# %%
# | label: architectures
chapter.figure("architectures", figures.small_maps, results)

# %%
# | label: sight
chapter.table("sight", figures.small_table, results)

# %%
# | label: head-view
selection = {"l": record["layer"], "h": record["head"]}
view = explorer.view(
    run_parameters(), run_parameters().report.focus.experiment, v="lines", **selection
)
chapter.figure("head-view", bertviz.head_picture, results, explore=view)

# %%
# | label: model-view
chapter.figure("model-view", bertviz.model_picture, results, explore=view)

# %%
# | label: neuron-view
chapter.figure("neuron-view", bertviz.neuron_picture, results, explore=view)

# %%
for key in ("model", "layer", "head", "layers", "heads", "dimension"):
    chapter.number(key, record[key])
chapter.number("head-dimension", record["head_dimension"])
chapter.number("query", names[results.query])
chapter.number("rows-sum", record["row_sum_deviation"], ".0e")
encoder_decoder = small["encoder_decoder"]
chapter.number("words", len(encoder_decoder["read"]))
chapter.number("held-out", encoder_decoder["held_out"])
chapter.close()
