# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Ground truth: which measure recovers what is known to depend on what

# %% tags=["parameters"]
language = "en"  # en | ja
directory = "files/circuits"  # for what can be downloaded

# %%
from analysis.chapters.circuits import figures
from analysis.chapters.circuits.prose import (
    bars_sentence,
    learned_sentences,
    model_sentences,
    order_sentences,
    quoted,
    sentences,
)
from analysis.figures.chapter import Chapter
from analysis.prose.phrases import NOTHING, counted, counted_span, listed
from analysis.results.circuits import AMOUNT_WITHIN, kept_circuits, read_circuits
from analysis.runs.parameters import run_parameters
from attention_mixing.circuits.estimands import NEARLY

p = run_parameters()
chapter = Chapter("circuits", language, directory)
w = chapter.words
results = read_circuits()
orders = results.orders()
models = results.beside_models()

# %%
# | label: found
bars = figures.measures_in_front(results)
chapter.figure("found", figures.found_bars, bars)

# %%
# | label: model
chapter.figure("model", figures.score_maps, results, "model")

# %%
# | label: circuits
chapter.table("circuits", figures.circuits_table, results)

# %%
# | label: example
chapter.figure("example", figures.example_maps, results)

# %%
# | label: layer
chapter.figure("layer", figures.score_maps, results, "layer")

# %%
# | label: mechanisms
chapter.table("mechanisms", figures.mechanisms_table, results)

# %%
# | label: layer-measures
chapter.table("layer-measures", figures.measures_table, results, "layer")

# %%
# | label: model-measures
chapter.table("model-measures", figures.measures_table, results, "model")

# %%
# | label: surprises
chapter.table("surprises", figures.surprises_table, results)

# %%
# | label: saturation
chapter.table("saturation", figures.saturation_table, results)

# %%
# | label: graded
chapter.table("graded", figures.graded_table, results)

# %%
# | label: longer
chapter.table("longer", figures.longer_table, results)

# %%
# | label: norm-gains
chapter.table("norm-gains", figures.norm_gains_table, results)

# %%
# | label: orders-of-effect
chapter.table("orders-of-effect", figures.orders_table, results)

# %%
# | label: pairs
chapter.table("pairs", figures.pairs_table, results)

# %%
# | label: learned
chapter.table("learned", figures.learned_table, results)

# %%
# | label: models
chapter.table("models", figures.models_table, models) if models.models else NOTHING

# %%
# | label: orders
chapter.figure("orders", figures.order_lines, orders) if len(orders) else NOTHING

# %%
# | label: questions
chapter.table("questions", figures.questions_table, results)

# %%
for name, said in (sentences(results, w) | order_sentences(orders, w)).items():
    chapter.number(name, said)
chapter.number("bars", bars_sentence(bars, w))
chapter.number("texts", counted(results.scores["text"].nunique(), "text", w))
chapter.number("bases", counted(results.scores["seed"].nunique(), "basis", w))
chapter.number("confidence", p.bootstrap.confidence, ".0%")
chapter.number("finds", results.record["finds"], ".2f")
chapter.number("nearly", NEARLY, ".2f")
chapter.number("amount-within", AMOUNT_WITHIN, ".2f")
chapter.number("not-carried", len(results.circuits) - len(results.carried))
gained = results.variations.query("variation == 'norm_gains'")
chapter.number("norm-gains-circuits", quoted(gained["circuit"].unique(), w))
longer = results.variations.query("variation == 'longer'")
chapter.number("longer-circuits", quoted(longer["circuit"].unique(), w))
chapter.number("gains-drawn", gained["seed"].nunique())
for name, said in learned_sentences(results, w).items():
    chapter.number(name, said)
if models.models:
    for name, said in model_sentences(models, w).items():
        chapter.number(name, said)
    chapter.number("models", counted(len(models.models), "model", w))
    chapter.number("models-of", listed(models.models, w))
    chapter.number("panel", counted_span(models.texts, "text", w))
    chapter.number("draws", p.dependence.draws)
if kept := kept_circuits():
    chapter.number("kept-date", kept["date"][:10])
    chapter.number("kept-commit", str(kept["commit"])[:10])

# %%
chapter.close()
