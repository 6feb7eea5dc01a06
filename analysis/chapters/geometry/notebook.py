# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Geometry: queries and keys in one space

# %% tags=["parameters"]
language = "en"  # en | ja
directory = "files/geometry"  # for what can be downloaded
layer = None  # of the head that is shown at large, from 1; None: as the page does
head = None

# %%
from math import isnan
from statistics import mean, median

from IPython.display import HTML

from analysis.chapters.geometry import attentionviz, figures, score
from analysis.chapters.geometry.results import read_change
from analysis.figures.chapter import Chapter, kept_figures
from analysis.figures.front import with_others
from analysis.figures.runs import every_run
from analysis.fonts import drawable
from analysis.prose.phrases import NOTHING, counted, extent
from analysis.results import explorer
from analysis.results.claims import published
from analysis.results.summary import (
    arrays,
    compared,
    curves,
    facts,
    of_heads,
    overall,
    table,
)
from analysis.runs.parameters import run_parameters
from attention_mixing.markup import details, escape
from attention_mixing.settings.derived import drawn_nonlinear, joint_texts, model_states

p = run_parameters()
chapter = Chapter("geometry", language, directory)
w = chapter.words
focus = p.report.focus.experiment
focus_state = focus, "pretrained"
tokens = table("matrices", "tokens", *focus_state)["token"].map(drawable).tolist()
arrays_shown = arrays("sentence", *focus_state)
pairs = table("sentence", "pairs", *focus_state)
asked_pairs = attentionviz.asked(pairs)
tuned = compared(p)


# %%
# | label: close
with_others(chapter, "close", figures.close_curves, curves("geometry"), "quantity")

# %%
# | label: distances
chapter.table("distances", figures.distance_table)

# %%
# | label: correlation
rows = curves("geometry")
with_others(chapter, "correlation", figures.correlation_curves, rows, "quantity")

# %%
# | label: heads
correlations = of_heads("geometry", quantity="correlation_after")
with_others(chapter, "heads", figures.correlation_maps, correlations, "head")

# %%
# | label: scales
chapter.table("scales", figures.scale_table)

# %%
# | label: grid
chapter.figure("grid", figures.grid_figure, focus)

# %%
# | label: text
HTML(f'<p class="sample">{escape(" ".join(tokens))}</p>')

# %%
# | label: scatter
chapter.figure("scatter", attentionviz.scatter, arrays_shown)

# %%
# | label: plane
place = attentionviz.shown_head(pairs, layer, head)
about = {"place": w["layer_and_head"].format(layer=place[0], head=place[1])}
chapter.figure("plane", attentionviz.plane, arrays_shown, pairs, tokens, place, about=about)

# %%
# | label: plane-heads
chapter.figure("plane-heads", attentionviz.plane_heads, arrays_shown, pairs)

# %%
# | label: pairs
chapter.table("pairs", attentionviz.pairs_table, pairs) if len(asked_pairs) else NOTHING

# %%
# | label: joint
view = explorer.view(p, focus, v="map")
chapter.figure("joint", attentionviz.matrix, *focus_state, ("pca",), explore=view)

# %%
# | label: contrast
heads = attentionviz.contrasting_heads(*focus_state)
chapter.figure("contrast", attentionviz.contrast, *focus_state, heads) if len(heads) else NOTHING

# %%
# | label: joint-first
chapter.figure("joint-first", attentionviz.first_layers, *focus_state)

# %%
# | label: joint-layouts
laid_out = drawn_nonlinear(p.geometry.nonlinear, focus)
methods = ("umap", "tsne")
chapter.figure("joint-layouts", attentionviz.matrix, *focus_state, methods) if laid_out else NOTHING

# %%
# | label: joint-head
view = explorer.view(p, focus, v="map", l=place[0], h=place[1])
chapter.figure("joint-head", attentionviz.one_head, *focus_state, place, about=about, explore=view)

# %%
# | label: joint-others
sections = []
for experiment in p.experiments:
    if experiment == focus:
        continue
    variant = model_states(p.experiments[experiment])[-1]
    image = chapter.figure(
        "joint-others",
        attentionviz.matrix,
        experiment,
        variant,
        ("pca",),
        of=experiment,
        about={"experiment": experiment},
        explore=explorer.view(p, experiment, v="map", s=variant),
        folded=True,
    )
    sections.append(details(f"{experiment} · {w[variant]}", [image.data]))
HTML("".join(sections)) if sections else NOTHING

# %%
# | label: joint-trust
chapter.table("joint-trust", attentionviz.trust_table)

# %%
# | label: change
changes = figures.changes(tuned) if tuned else None
with_others(chapter, "change", figures.change_curves, changes, "what") if tuned else NOTHING

# %%
# | label: change-heads
if tuned:
    moved = figures.changed_heads(p)
    view = explorer.view(p, tuned[0], c="mean-distance", s="both")
with_others(
    chapter, "change-heads", figures.change_heads, moved, front=tuned[0], explore=view
) if tuned else NOTHING

# %%
# | label: aligned
if tuned:
    most = figures.most_changed(p)
    view = explorer.view(p, tuned[0], v="map", s="both", l=most[0], h=most[1])
chapter.figure("aligned", attentionviz.aligned, p, explore=view) if tuned else NOTHING

# %%
# | label: score
changed = read_change()
about = score.about(changed, w) if changed else {}
chapter.figure("score", score.change_by_source, changed, about=about) if changed else NOTHING


# %%
def distances_of(run):
    """Queries and keys of a reference run."""
    return curves("geometry", run=run)


# %%
# | label: kept
kept_figures(chapter, "correlation", figures.correlation_curves, distances_of)

# %%
# | label: runs
every_run(chapter, figures.OF_RUNS)

# %%


def defined(name, value, form):
    """Publish a number that texts may be too short for."""
    chapter.number(name, *((w["geometry_no_value"],) if isnan(value) else (value, form)))


checks = of_heads("geometry")
for check in ("softmax", "dot", "attention"):
    largest = checks.loc[checks["quantity"] == check, "largest"].max()
    chapter.number(f"{check}-deviation", largest, ".0e")
undefined = checks[checks["quantity"] == "undefined"]
chapter.number("undefined", round((undefined["mean"] * undefined["texts"]).sum()))
for claim, name, form in (("B13", "correlation", "g"), ("B15", "norm", ".2f")):
    for model in ("bert", "gpt2"):
        chapter.number(f"published-{name}-{model}", published(claim)[model], form)
if len(asked_pairs):
    strongest = pairs[pairs["strongest"]]
    chapter.number("pairs", len(asked_pairs))
    chapter.number("pairs-weight", asked_pairs["attention"].mean(), ".2f")
    chapter.number("pairs-strongest", asked_pairs["strongest"].mean(), ".0%")
    for name, of in (("pairs", asked_pairs), ("strongest", strongest)):
        for way in ("seed", "after"):
            closer = of[f"distance_{way}"] < of["distance_before"]
            chapter.number(f"{name}-closer-{way}", closer.mean(), ".0%")
rebuild = curves("sentence", variant="pretrained")
rebuild = rebuild.pivot(index="layer", columns="quantity", values="mean")
defined("rebuild-spread", rebuild["spread"].max(), ".0e")
ends = table("sentence", "grid", *focus_state)["a"].abs().max()
at_edge = extent(rebuild["a"].abs() >= ends)
chapter.number("rebuild-edge", w.say("geometry_rebuild_edge", outcome=at_edge))
defined("order-spread", rebuild["scale_translate_spread"].iloc[0], ".2f")
defined("rebuild-own", rebuild["correlation"].iloc[0], ".2f")
defined("rebuild-all", rebuild["all_before"].iloc[0], ".2f")
if changed:
    chapter.number("score", w.say("geometry_score", **about))
    chapter.number("score-largest", w.say("geometry_score_largest", **score.largest(changed, w)))
queries, count, weakest = attentionviz.drawn_queries(focus)
lines = w.say(
    "geometry_lines",
    lines=str(p.geometry.lines),
    share=f"{mean(queries) / count:.0%}",
    weight=f"{median(weakest):.2f}",
)
chapter.number("question-lines", lines)
searched = overall("scale_choices", quantity="searched")["mean"].max()
chapter.number("searched", counted(int(searched), "text", w))
of_focus = joint_texts(p.geometry.texts, facts(focus)["capture"]["examples"])
chapter.number("texts", counted(len(of_focus), "text", w))
chapter.number("lines", p.geometry.lines)
chapter.number("contrast", attentionviz.contrast_sentence(heads, w))
captured = sum(facts(name)["capture"]["examples"] for name in p.experiments)
chapter.number("captured", counted(captured, "text", w))
states = sum(len(model_states(experiment)) for experiment in p.experiments.values())
chapter.number("states", counted(states, "state", w))
chapter.number("confidence", p.bootstrap.confidence, ".0%")
chapter.close()
