# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Features: the tokens of a few texts at every feature point

# %% tags=["parameters"]
language = "en"  # en | ja
directory = "files/features"  # for what can be downloaded
experiment = None  # that is shown close up; None: as the page does

# %%
from IPython.display import HTML

from analysis.chapters.features import feature_maps, figures
from analysis.figures.chapter import Chapter, kept_figures
from analysis.figures.front import with_others
from analysis.figures.runs import every_run
from analysis.prose.phrases import NOTHING, counted
from analysis.results import explorer
from analysis.results.summary import compared, curves, value
from analysis.runs.parameters import run_parameters
from attention_mixing.markup import details
from attention_mixing.methods.projection import POINT_SETS

p = run_parameters()
chapter = Chapter("features", language, directory)
w = chapter.words
points = POINT_SETS[p.projection.points]
trust = figures.along(curves("projection"), "facet", points)
silhouettes = figures.along(curves("separation"), "subject", points)
distances = curves("change", quantity="cosine_distance")
distances = figures.along(distances, "subject", points)
same = figures.along(curves("metrics"), "facet", points)
maps = {name: feature_maps.read_maps(name, trust) for name in p.experiments}
texts = {name: feature_maps.read_texts(name) for name in p.experiments}
focus = p.report.focus.experiment
first = "pretrained"
name = figures.shown(p, experiment)


def show_maps(experiment, variant, method, *, of="", folded=False):
    """Publish the maps of one experiment, model state and method."""
    selected = maps[experiment]
    selected = selected[(selected["variant"] == variant) & (selected["method"] == method)]
    about = {
        "method": w[method],
        "texts": counted(len(texts[experiment]), "text", w),
        "count": len(selected[["point", "layer"]].drop_duplicates()),
        "experiment": experiment,
        "state": w[variant],
    }
    view = explorer.view(p, experiment, v="features", w=method, s=variant)
    how = {"of": of, "about": about, "explore": view, "folded": folded}
    return chapter.figure("maps", feature_maps.feature_maps, selected, **how)


# %%
# | label: separation
labelled = silhouettes.dropna(subset="mean")
with_others(chapter, "separation", figures.separation_curves, labelled, "facet", front=name) if len(
    labelled
) else NOTHING

# %%
# | label: text
HTML(feature_maps.texts_list(maps[focus], texts[focus]))

# %%
# | label: maps
show_maps(focus, first, "umap")

# %%
# | label: maps-tsne
show_maps(focus, first, "tsne", of="tsne")

# %%
# | label: maps-pca
show_maps(focus, first, "pca", of="pca")

# %%
# | label: all-maps
sections = []
for experiment in p.experiments:
    variant = maps[experiment]["variant"].iloc[-1]
    if (experiment, variant) != (focus, first):
        of = f"{experiment}-{variant}"
        figure = show_maps(experiment, variant, "umap", of=of, folded=True)
        listed = feature_maps.texts_list(maps[experiment], texts[experiment])
        sections.append(details(f"{experiment} · {w[variant]}", [listed + figure.data]))
HTML("".join(sections)) if sections else NOTHING

# %%
# | label: close-up
chapter.figure("close-up", feature_maps.close_up, maps[name], texts[name], name)

# %%
# | label: moved
with_others(chapter, "moved", figures.moved_curves, trust[trust["quantity"] == "moved"], front=name)

# %%
# | label: trust
chapter.table("trust", figures.trust_table, trust, over=trust)

# %%
# | label: trust-curves
with_others(chapter, "trust-curves", figures.trust_curves, trust, front=name)

# %%
# | label: metric
with_others(chapter, "metric", figures.metric_curves, same, front=name)

# %%
# | label: metric-maps
chapter.figure("metric-maps", feature_maps.metric_maps, name)

# %%
# | label: shift
tuned_trust = trust[trust["experiment"].isin(compared(p))]
with_others(chapter, "shift", figures.shift_curves, tuned_trust, front=name) if compared(
    p
) else NOTHING

# %%
# | label: change
with_others(chapter, "change", figures.change_curves, distances, "facet", front=name) if compared(
    p
) else NOTHING


# %%
def silhouettes_of(run):
    """Silhouettes of a reference run, where texts have labels."""
    rows = curves("separation", run=run).dropna(subset="mean")
    return figures.along(rows, "subject", points)


# %%
# | label: kept
kept_figures(chapter, "separation", figures.separation_curves, silhouettes_of)

# %%
# | label: runs
every_run(chapter, figures.OF_RUNS)

# %%
tokens = maps[focus].drop_duplicates(["example_id", "position"])
layers = trust.loc[trust["experiment"] == focus, "layer"].max()
shown_state = {"experiment": focus, "variant": first}
numbers = {
    "set": p.projection.points,
    "layers": layers,
    "counted": 2 + 3 * layers,
    "coded": 2 + 5 * layers,
    "texts": counted(tokens["example_id"].nunique(), "text", w),
    "tokens": counted(len(tokens), "token", w),
    "metric": w["the_metric"].format(metric=w[p.projection.metric]),
    "seed": p.projection.seeds[0],
    "seeds": len(p.projection.seeds),
    "shown": name,
    "structure": figures.STRUCTURE,
}
for name, number in numbers.items():
    chapter.number(name, number)
chapter.number("neighbors", value("projection", **shown_state, quantity="neighbors"), ".0f")
chapter.number("chance", value("projection", **shown_state, quantity="overlap_by_chance"), ".2f")
chapter.number("confidence", p.bootstrap.confidence, ".0%")
if compared(p):
    shifts = figures.shifts(trust)
    beyond = (shifts["mean"] > shifts["spread_larger"]).groupby(shifts["subject"]).mean()
    for method in ("umap", "tsne"):
        chapter.number(f"shifted-{method}", beyond[method], ".0%")
chapter.close()
