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
language = "en"
directory = "."

# %%
from IPython.display import HTML

from analysis import params
from analysis.figures import feature_maps, features
from analysis.figures.chapter import NOTHING, Chapter
from analysis.figures.markup import escape
from analysis.figures.phrases import counted
from analysis.figures.results import curves, trained, value
from analysis.figures.words import words
from analysis.methods.projection import POINT_SETS

p = params.load()
w = words(language, "features", "feature_maps", "findings_features")
chapter = Chapter("features", language, directory)
points = POINT_SETS[p.projection.points]
trust = features.along(curves("vectors", by="projection"), "kind", points)
silhouettes = features.along(curves("vectors", by="separation"), "of", points)
distances = curves("vectors", by="change", measure="cosine_distance")
distances = features.along(distances, "of", points)
same = features.along(curves("vectors", by="metrics"), "kind", points)
maps = {name: feature_maps.read_maps(name, trust) for name in p.experiments}
texts = {name: feature_maps.read_texts(name) for name in p.experiments}
focus = p.report.focus.experiment
first = "pretrained"


def show(label, drawn, alt, interactive=None, module=None, folded=False):
    figure, data = drawn
    return chapter.figure(label, figure, alt, data, interactive, module, folded)


def show_maps(label, experiment, variant, method, interactive=None, folded=False):
    own = maps[experiment]
    own = own[(own["variant"] == variant) & (own["method"] == method)]
    count = len(own[["point", "layer"]].drop_duplicates())
    of_texts = counted(len(texts[experiment]), "text", w)
    alt = w["alt_maps"].format(
        method=w[method], texts=of_texts, count=count, experiment=experiment, state=w[variant]
    )
    drawn = feature_maps.feature_maps(own, w)
    return show(label, drawn, alt, interactive, "feature_maps", folded)


def all_maps(experiment):
    return feature_maps.map_data(maps[experiment], texts[experiment], w)


# %%
# | label: separation
labelled = silhouettes["mean"].notna().any()
show(
    "separation", features.separation_curves(silhouettes, w), w["alt_separation"]
) if labelled else NOTHING

# %%
# | label: text
HTML(feature_maps.texts_list(maps[focus], texts[focus]))

# %%
# | label: maps
show_maps("maps", focus, first, "umap", all_maps(focus))

# %%
# | label: maps-tsne
show_maps("maps-tsne", focus, first, "tsne")

# %%
# | label: maps-pca
show_maps("maps-pca", focus, first, "pca")

# %%
# | label: all-maps
sections = []
for experiment in p.experiments:
    variant = maps[experiment]["variant"].iloc[-1]
    if (experiment, variant) != (focus, first):
        # The interactive map has all states; the focus has it above.
        whole = all_maps(experiment) if experiment != focus else None
        label = f"maps-{experiment}-{variant}"
        shown = show_maps(label, experiment, variant, "umap", whole, folded=True)
        sections.append(
            f"<details><summary>{escape(experiment)} · {w[variant]}</summary>"
            f"{feature_maps.texts_list(maps[experiment], texts[experiment])}{shown.data}</details>"
        )
HTML("".join(sections)) if sections else NOTHING

# %%
# | label: close-up
name = features.shown(p)
drawn = feature_maps.close_up(maps[name], texts[name], name, w)
show("close-up", drawn, w["alt_close_up"], module="feature_maps")

# %%
# | label: moved
show("moved", features.moved_curves(trust, w), w["alt_moved"])

# %%
# | label: trust
chapter.table("trust", *features.trust_table(trust, w))

# %%
# | label: trust-curves
show("trust-curves", features.trust_curves(trust, w), w["alt_trust_curves"])

# %%
# | label: metric
show("metric", features.metric_curves(same, w), w["alt_metric"])

# %%
# | label: metric-maps
drawn = feature_maps.metric_maps(features.shown(p), w)
show("metric-maps", drawn, w["alt_metric_maps"], module="feature_maps")

# %%
# | label: shift
show("shift", features.shift_curves(trust, w), w["alt_shift"]) if trained(p) else NOTHING

# %%
# | label: change
show("change", features.change_curves(distances, w), w["alt_change"]) if trained(p) else NOTHING

# %%
chapter.state(w)
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
    "shown": features.shown(p),
    "structure": features.STRUCTURE,
}
for name, number in numbers.items():
    chapter.number(name, number)
chapter.number("neighbors", value("vectors", **shown_state, measure="neighbors"), ".0f")
chapter.number("chance", value("vectors", **shown_state, measure="overlap_by_chance"), ".2f")
chapter.number("confidence", p.bootstrap.confidence, ".0%")
if trained(p):
    shifts = features.shifts(trust)
    beyond = (shifts["mean"] > shifts["spread_larger"]).groupby(shifts["of"]).mean()
    for method in ("umap", "tsne"):
        chapter.number(f"shifted-{method}", beyond[method], ".0%")
chapter.close()
