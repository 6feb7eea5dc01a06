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
language = "en"
directory = "."

# %%
from math import isnan
from statistics import mean, median

from IPython.display import HTML

from analysis import params
from analysis.figures import change, geometry, joint_maps, sentence
from analysis.figures.chapter import NOTHING, Chapter
from analysis.figures.markup import escape
from analysis.figures.phrases import counted, extent
from analysis.figures.published import published
from analysis.figures.results import arrays, curves, facts, of_heads, overall, table, trained
from analysis.figures.style import drawable
from analysis.figures.words import words

p = params.load()
w = words(language, "geometry", "sentence", "joint_maps", "change", "findings_geometry")
chapter = Chapter("geometry", language, directory)
focus = p.report.focus.experiment
shown = focus, "pretrained"
tokens = table("focus", "matrices", "tokens", *shown)["token"].map(drawable).tolist()
arrays_shown = arrays("focus", "sentence", *shown)
pairs = table("focus", "sentence", "pairs", *shown)
asked = sentence.asked(pairs)
tuned = trained(p)


def show(label, drawn, alt, module=None, interactive=None, folded=False):
    figure, data = drawn
    return chapter.figure(label, figure, alt, data, interactive, module, folded)


# %%
# | label: close
show("close", geometry.close_curves(w), w["alt_close"])

# %%
# | label: distances
chapter.table("distances", *geometry.distance_table(w))

# %%
# | label: correlation
show("correlation", geometry.correlation_curves(w), w["alt_correlation"])

# %%
# | label: heads
correlations = of_heads("queries-keys", by="geometry", measure="correlation_after")
show("heads", geometry.head_maps(correlations, w["correlation"], w), w["alt_heads"])

# %%
# | label: scales
chapter.table("scales", *geometry.scale_table(w))

# %%
# | label: grid
show("grid", geometry.grid_figure(focus, w), w["alt_grid"])

# %%
# | label: text
HTML(f'<p class="sample">{escape(" ".join(tokens))}</p>')

# %%
# | label: scatter
show("scatter", sentence.scatter(arrays_shown, w), w["alt_scatter"], "sentence")

# %%
# | label: plane
head = sentence.largest(pairs)
place = w["layer_and_head"].format(layer=head[0], head=head[1])
drawn = sentence.plane(arrays_shown, pairs, tokens, w)
show("plane", drawn, w["alt_plane"].format(place=place), "sentence")

# %%
# | label: plane-heads
drawn = sentence.plane_heads(arrays_shown, pairs, w)
show("plane-heads", drawn, w["alt_plane_heads"], "sentence")

# %%
# | label: pairs
(
    chapter.table("pairs", *sentence.pairs_table(pairs, w), module="sentence")
    if len(asked)
    else NOTHING
)

# %%
# | label: joint
maps = joint_maps.interactive(focus, p.geometry.pair, w)
show("joint", joint_maps.matrix(*shown, ("pca",), w), w["alt_joint"], "joint_maps", maps)

# %%
# | label: joint-first
show("joint-first", joint_maps.first_layers(*shown, w), w["alt_joint_first"], "joint_maps")

# %%
# | label: joint-layouts
laid_out = p.geometry.nonlinear == "all" or focus in p.geometry.nonlinear
show(
    "joint-layouts",
    joint_maps.matrix(*shown, ("umap", "tsne"), w),
    w["alt_joint_layouts"],
    "joint_maps",
) if laid_out else NOTHING

# %%
# | label: joint-head
drawn = joint_maps.one_head(*shown, head, w)
show("joint-head", drawn, w["alt_joint_head"].format(place=place), "joint_maps")

# %%
# | label: joint-others
sections = []
for experiment in p.experiments:
    if experiment == focus:
        continue
    variant = "finetuned" if experiment in tuned else "pretrained"
    drawn = joint_maps.matrix(experiment, variant, ("pca",), w)
    alt = w["alt_joint_others"].format(experiment=experiment)
    maps = joint_maps.interactive(experiment, p.geometry.pair, w)
    image = show(f"joint-{experiment}", drawn, alt, "joint_maps", maps, folded=True)
    sections.append(
        f"<details><summary>{escape(experiment)} · {w[variant]}</summary>{image.data}</details>"
    )
HTML("".join(sections)) if sections else NOTHING

# %%
# | label: joint-trust
chapter.table("joint-trust", *joint_maps.trust_table(w), module="joint_maps")

# %%
# | label: change
show("change", change.change_curves(p, w), w["alt_change"], "change") if tuned else NOTHING

# %%
# | label: change-heads
show(
    "change-heads", change.change_heads(p, w), w["alt_change_heads"], "change"
) if tuned else NOTHING

# %%
# | label: aligned
show("aligned", joint_maps.aligned(p, w), w["alt_aligned"], "joint_maps") if tuned else NOTHING


# %%
chapter.state(w)


def defined(name, value, form):
    """Publish a number that texts may be too short for."""
    chapter.number(name, *((w["geometry_no_value"],) if isnan(value) else (value, form)))


checks = of_heads("queries-keys", by="geometry")
for check in ("softmax", "dot", "attention"):
    largest = checks.loc[checks["measure"] == check, "largest"].max()
    chapter.number(f"{check}-deviation", largest, ".0e")
undefined = checks[checks["measure"] == "undefined"]
chapter.number("undefined", round((undefined["mean"] * undefined["texts"]).sum()))
for claim, name, form in (("B13", "correlation", "g"), ("B15", "norm", ".2f")):
    for model in ("bert", "gpt2"):
        chapter.number(f"published-{name}-{model}", published(claim)[model], form)
if len(asked):
    strongest = pairs[pairs["strongest"]]
    chapter.number("pairs", len(asked))
    chapter.number("pairs-weight", asked["attention"].mean(), ".2f")
    chapter.number("pairs-strongest", asked["strongest"].mean(), ".0%")
    for name, of in (("pairs", asked), ("strongest", strongest)):
        for way in ("seed", "after"):
            closer = of[f"distance_{way}"] < of["distance_before"]
            chapter.number(f"{name}-closer-{way}", closer.mean(), ".0%")
rebuild = curves("focus", by="sentence", variant="pretrained")
rebuild = rebuild.pivot(index="layer", columns="measure", values="mean")
defined("rebuild-spread", rebuild["spread"].max(), ".0e")
ends = table("focus", "sentence", "grid", *shown)["a"].abs().max()
at_edge = extent(rebuild["a"].abs() >= ends)
chapter.number("rebuild-edge", w.say("geometry_rebuild_edge", outcome=at_edge))
defined("order-spread", rebuild["scale_translate_spread"].iloc[0], ".2f")
defined("rebuild-own", rebuild["correlation"].iloc[0], ".2f")
defined("rebuild-all", rebuild["all_before"].iloc[0], ".2f")
queries, count, weakest = joint_maps.drawn_queries(focus)
lines = w.say(
    "geometry_lines",
    lines=str(p.geometry.lines),
    share=f"{mean(queries) / count:.0%}",
    weight=f"{median(weakest):.2f}",
)
chapter.number("question-lines", lines)
searched = overall("queries-keys", measure="searched")["mean"].max()
chapter.number("searched", counted(int(searched), "text", w))
chapter.number("texts", counted(p.geometry.texts, "text", w))
chapter.number("lines", p.geometry.lines)
captured = sum(facts(name)["capture"]["examples"] for name in p.experiments)
chapter.number("captured", counted(captured, "text", w))
chapter.number("states", counted(len(p.experiments) + len(tuned), "state", w))
chapter.number("confidence", p.bootstrap.confidence, ".0%")
chapter.close()
