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
from IPython.display import HTML

from analysis import params
from analysis.figures import change, geometry, joint_maps, sentence
from analysis.figures.chapter import NOTHING, Chapter
from analysis.figures.findings import geometry as findings
from analysis.figures.markup import escape
from analysis.figures.phrases import counted
from analysis.figures.published import published
from analysis.figures.results import arrays, curves, facts, of_heads, table, trained
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
states = geometry.states()
tuned = trained(p)


def show(label, drawn, alt, module=None, interactive=None, folded=False):
    figure, data = drawn
    return chapter.figure(label, figure, alt, data, interactive, module, folded)


# %%
# | label: close
show("close", geometry.close_curves(w), w["alt_close"])

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
def defined(name, values, form=".0%"):
    """Publish a number that texts may be too short for."""
    chapter.number(name, findings.defined_span(values, w, form))


for check in ("softmax", "dot", "attention"):
    largest = of_heads("queries-keys", by="geometry", measure=check)["largest"].max()
    chapter.number(f"{check}-deviation", largest, ".0e")
undefined = of_heads("queries-keys", by="geometry", measure="undefined")
chapter.number("undefined", round((undefined["mean"] * undefined["texts"]).sum()))
defined("plane-variance", states["plane_share"])
defined("norm-difference", states["norm_difference"], ".2f")
chapter.number("published-norm-bert", published("B15")["bert"], ".2f")
chapter.number("published-norm-gpt", published("B15")["gpt2"], ".2f")
defined("strongest-special", states["strongest_special"])
for name in ("lead", "correlation", "close", "plane"):
    chapter.number(name, getattr(findings, name)(states, w))
if len(asked):
    chapter.number("pairs", findings.pairs(asked, w))
if tuned:
    chapter.number("tuned", findings.tuned(states, w))
    chapter.number("change", findings.change(geometry.last_shares(), w))
rebuild = curves("focus", by="sentence", variant="pretrained")
rebuild = rebuild.pivot(index="layer", columns="measure", values="mean")
defined("rebuild-spread", [rebuild["spread"].max()], ".0e")
ends = table("focus", "sentence", "grid", *shown)["a"].abs().max()
at_edge = int((rebuild["a"].abs() >= ends).sum())
chapter.number("rebuild-edge", findings.rebuild_edge(at_edge, len(rebuild), w))
defined("order-spread", [rebuild["scale_translate_spread"].iloc[0]], ".2f")
defined("rebuild-own", [rebuild["correlation"].iloc[0]], ".2f")
defined("rebuild-all", [rebuild["all_before"].iloc[0]], ".2f")
chapter.number("question-joint", findings.joint_scale(states, w))
chapter.number("question-lines", findings.lines(*joint_maps.drawn_queries(focus), w))
chapter.number("searched", counted(int(states["searched"].max()), "text", w))
chapter.number("texts", counted(p.geometry.texts, "text", w))
chapter.number("lines", p.geometry.lines)
captured = sum(facts(name)["capture"]["examples"] for name in p.experiments)
chapter.number("captured", counted(captured, "text", w))
chapter.number("states", counted(len(states), "state", w))
chapter.number("confidence", p.bootstrap.confidence, ".0%")
chapter.close()
