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
language = "en"  # en | ja
directory = "files/heads"  # for what can be downloaded
experiment = None  # that figures of one experiment show; None: as the page does

# %%
from functools import partial

from IPython.display import HTML

from analysis.chapters.heads import clusters, figures, head_ablation
from analysis.figures.chapter import Chapter, kept_figures
from analysis.figures.front import with_others
from analysis.figures.runs import every_run
from analysis.prose.phrases import NOTHING, counted, extent, listed, spread
from analysis.results import explorer
from analysis.results.claims import published
from analysis.results.summary import (
    arrays,
    compared,
    curves,
    described_heads,
    facts,
    of_heads,
    overall,
    scored_names,
    states,
)
from analysis.rules.conditions import normalizes_sums
from analysis.rules.verdicts import POWER
from analysis.runs.parameters import run_parameters
from attention_mixing.markup import details
from attention_mixing.methods.head_families import CUT_OFFS
from attention_mixing.methods.massive_activations import MAGNITUDE, TIMES_THE_MEDIAN
from attention_mixing.models.source import name_of

p = run_parameters()
chapter = Chapter("heads", language, directory)
w = chapter.words
described = described_heads()
measured = curves("heads")
clustered = overall("clusters")
disabled = of_heads("head_ablation")
shown = figures.shown(p, experiment)
linked = partial(explorer.linked_head, p)
others = [name for name in p.experiments if name != shown]


def figure(label, draw, *arguments, of=""):
    """Publish a figure; of another experiment than the one that is shown, in a fold."""
    about = {"experiment": of or shown, "shown": shown}
    cells = {"atlas": "attention", "ablation": "mean-loss_change"}
    view = explorer.view(p, of or shown, c=cells[label]) if label in cells else None
    return chapter.figure(
        label, draw, *arguments, of=of, about=about, folded=bool(of), explore=view
    )


def a_fold_each(label, draw, arguments_of):
    """Show one experiment, and every other one in a fold of its own."""
    parts = [figure(label, draw, *arguments_of(shown)).data]
    for other in others:
        fold = figure(label, draw, *arguments_of(other), of=other)
        parts.append(details(other, [fold.data]))
    return HTML("".join(parts))


# %%
# | label: atlas
def of_atlas(name):
    thumbnails = {
        state: arrays("heads", name, state)["thumbnails"] for state in states("heads", name)
    }
    return described[described["experiment"] == name], thumbnails


a_fold_each("atlas", figures.atlas, of_atlas)

# %%
# | label: families
view = explorer.view(p, shown, c="mean-family")
bars = curves("heads", quantity="family_share")
with_others(chapter, "families", figures.family_bars, bars, front=shown, explore=view)

# %%
# | label: attended
rows = curves("heads", quantity=list(figures.ATTENDED_COLOURS))
with_others(chapter, "attended", figures.attended_curves, rows, front=shown)

# %%
# | label: sinks
rows = curves("sinks", quantity="sink")
view = explorer.view(p, shown, c="mean-sink")
with_others(chapter, "sinks", figures.sink_curves, rows, front=shown, explore=view)

# %%
# | label: massive
rows = curves("massive_activations", facet=["", "cls"])
with_others(chapter, "massive", figures.massive_curves, rows, front=shown)

# %%
# | label: roles
chapter.table("roles", figures.roles_table, described, over=measured)

# %%
# | label: quality
with_others(chapter, "quality", clusters.quality_curves, clustered, front=shown)

# %%
# | label: plane
figure("plane", clusters.planes, clusters.read(shown, "sample"))

# %%
# | label: typical
a_fold_each("typical", clusters.typical_maps, lambda name: [clusters.read(name, "typical")])

# %%
# | label: typical-texts
rows = clusters.read(shown, "typical")
chapter.table("typical-texts", clusters.typical_texts, rows, linked)

# %%
# | label: by-head
figure("by-head", clusters.by_head, clusters.read(shown, "heads"))

# %%
# | label: agreement
chapter.table("agreement", clusters.agreement_table, clustered, over=measured)

# %%
# | label: distances
figure("distances", clusters.head_planes, clusters.read(shown, "distances"), described)

# %%
# | label: moves
moved = figures.moves(described)
chapter.table("moves", figures.moves_table, moved, over=measured) if compared(p) else NOTHING

# %%
# | label: ablation
confidence = p.bootstrap.confidence
figure("ablation", head_ablation.ablation_maps, disabled, confidence) if scored_names(
    p
) else NOTHING

# %%
# | label: ablation-table
plain = overall("head_ablation", quantity=("score", "loss"))
arguments = disabled, plain, confidence, linked
draw_table = head_ablation.ablation_table
chapter.table("ablation-table", draw_table, *arguments, over=plain) if scored_names(p) else NOTHING


# %%
def ends(values, form):
    """Write the range of some values."""
    return spread(min(values), max(values), form, w)


maps = int(overall("heads", quantity="maps")["mean"].sum())
windows = published("A13")
chapter.number("confidence", f"{confidence:.0%}")
chapter.number("shown", shown)
chapter.number("maps", counted(maps, "map", w))
chapter.number("seed-maps", windows["windows"] * windows["heads"], ",")
chapter.number("sink-bound", published("B29")["sink"])
chapter.number("massive-magnitude", MAGNITUDE)
chapter.number("massive-times", TIMES_THE_MEDIAN, ",")
chapter.number("components-bound", published("A13")["below"], ".0%")
chapter.number("power", POWER, ".0%")
chapter.number("looser-bound", min(CUT_OFFS), ".0%")
chapter.number("stricter-bound", max(CUT_OFFS), ".0%")
models = {name_of(one.model): normalizes_sums(facts(name)) for name, one in p.experiments.items()}
normalizing = [model for model, normalizes in models.items() if normalizes]
if normalizing:
    about = {"outcome": extent([*models.values()]), "n": len(normalizing)}
    chapter.number(
        "normalizing", w.say("heads_normalizing", **about, models=listed(normalizing, w))
    )
if compared(p):
    to_vertical, from_vertical = (
        (moved["before"] == before) & (moved["after"] == after)
        for before, after in (("heterogeneous", "vertical"), ("vertical", "heterogeneous"))
    )
    reclustered = overall("clusters", subject="change", quantity="changed")["mean"]
    changed = (moved["before"] != moved["after"]).sum()
    counts = {
        "heads": len(moved),
        "there": int(to_vertical.sum()),
        "back": int(from_vertical.sum()),
    }
    most = {"most": round(reclustered.max()), "reclustered": ends(reclustered, ".0f")}
    chapter.number("moved", w.say("heads_moved", moved=int(changed), **counts))
    chapter.number("reclustered", w.say("heads_reclustered", **most))
if scored_names(p):
    chapter.number("one-text", 100 / plain["texts"].min(), ".2g")


# %%
def attended_in(run):
    """Shares of what is attended to in a reference run."""
    return curves("heads", run=run, quantity=list(figures.ATTENDED_COLOURS))


# %%
# | label: kept
kept_figures(chapter, "attended", figures.attended_curves, attended_in)

# %%
# | label: runs
every_run(chapter, figures.OF_RUNS)

# %%
chapter.close()
