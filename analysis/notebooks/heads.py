# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Heads: what they attend to, their families and clusters, and what happens without them

# %% tags=["parameters"]
language = "en"
directory = "."

# %%
from IPython.display import HTML

from analysis import params
from analysis.figures import clusters, head_ablation, head_prose, heads, typical_maps
from analysis.figures.chapter import NOTHING, Chapter
from analysis.figures.markup import escape
from analysis.figures.results import arrays, curves, of_heads, overall, states, trained
from analysis.figures.words import words

p = params.load()
w = words(language, "heads", "clusters", "typical_maps", "head_ablation", *head_prose.MESSAGES)
chapter = Chapter("heads", language, directory)
described = heads.described()
found = overall("heads", by="clusters")
disabled = of_heads("explain", by="head_ablation")
shown = heads.shown(p)
others = [name for name in p.experiments if name != shown]


def show(label, drawn, alt, module=None, folded=False):
    figure, data = drawn
    return chapter.figure(label, figure, alt, data, module=module, folded=folded)


def with_others(label, draw, alt, module=None):
    """Show one experiment, and every other one in a fold below it."""
    parts = [show(label, draw(shown), w[alt].format(experiment=shown), module).data]
    for name in others:
        said = w[alt].format(experiment=name)
        fold = show(f"{label}-{name}", draw(name), said, module, folded=True)
        parts.append(f"<details><summary>{escape(name)}</summary>{fold.data}</details>")
    return HTML("".join(parts))


# %%
# | label: atlas
def atlas(name):
    thumbnails = {
        state: arrays("heads", "heads", name, state)["thumbnails"]
        for state in states("heads", "heads", name)
    }
    return heads.atlas(described[described["experiment"] == name], thumbnails, w)


with_others(
    "atlas",
    atlas,
    "alt_atlas",
)

# %%
# | label: families
show("families", heads.family_bars(curves("heads", measure="family_share"), w), w["alt_families"])

# %%
# | label: attended
rows = curves("heads", by="heads", measure=list(heads.ATTENDED_COLOURS))
show("attended", heads.attended_curves(rows, w), w["alt_attended"])

# %%
# | label: roles
chapter.table("roles", *heads.roles_table(described, w))

# %%
# | label: quality
show("quality", clusters.quality_curves(found, w), w["alt_quality"], "clusters")

# %%
# | label: plane
show(
    "plane",
    clusters.planes(clusters.read(shown, "sample"), w),
    w["alt_plane"].format(shown=shown),
    "clusters",
)

# %%
# | label: typical
with_others(
    "typical",
    lambda name: typical_maps.typical_maps(clusters.read(name, "typical"), w),
    "alt_typical",
    "typical_maps",
)

# %%
# | label: typical-texts
drawn = clusters.read(shown, "typical")
chapter.table("typical-texts", *typical_maps.typical_texts(drawn, w), "typical_maps")

# %%
# | label: by-head
show(
    "by-head",
    clusters.by_head(clusters.read(shown, "heads"), w),
    w["alt_by_head"].format(shown=shown),
    "clusters",
)

# %%
# | label: agreement
chapter.table("agreement", *clusters.agreement_table(found, w), "clusters")

# %%
# | label: distances
places = clusters.read(shown, "distances")
show(
    "distances",
    clusters.head_planes(places, described, w),
    w["alt_distances"].format(shown=shown),
    "clusters",
)

# %%
# | label: moves
chapter.table("moves", *heads.moves_table(heads.moves(described), w)) if trained(p) else NOTHING

# %%
# | label: ablation
(
    show("ablation", head_ablation.ablation_maps(disabled, w), w["alt_ablation"], "head_ablation")
    if trained(p)
    else NOTHING
)

# %%
# | label: ablation-table
plain = overall("explain", by="head_ablation", measure=("score", "loss"))
(
    chapter.table(
        "ablation-table",
        *head_ablation.ablation_table(disabled, plain, p.bootstrap.confidence, w),
        "head_ablation",
    )
    if trained(p)
    else NOTHING
)

# %%
for name, value in head_prose.prose(p, w).items():
    chapter.number(name, value)
chapter.close()
