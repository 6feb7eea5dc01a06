# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Mixing: by weights, by vectors, by the whole layer, and what remains of a token

# %% tags=["parameters"]
language = "en"  # en | ja
directory = "files/mixing"  # for what can be downloaded

# %%
from analysis.chapters.mixing import figures
from analysis.figures import sinks
from analysis.figures.chapter import Chapter, kept_figures
from analysis.figures.front import with_others
from analysis.figures.runs import every_run
from analysis.prose.phrases import NOTHING
from analysis.prose.sinks import association, numbers, outcomes
from analysis.results import explorer
from analysis.results.sinks import changes_by_training, sink_results, sink_rule
from analysis.results.summary import curves, facts
from analysis.rules.conditions import causal
from analysis.runs.parameters import run_parameters

p = run_parameters()
chapter = Chapter("mixing", language, directory)
w = chapter.words

# %%
# | label: scopes
ratios = curves("mixing", quantity="ratio", facet="all")
with_others(chapter, "scopes", figures.scope_curves, ratios)

# %%
# | label: means
chapter.table("means", figures.scope_table)

# %%
# | label: kinds
kinds = [*figures.KIND_COLOURS]
by_kind = curves("mixing", quantity="ratio", subject="attnresln_n", facet=kinds)
with_others(chapter, "kinds", figures.kind_curves, by_kind, "facet", folded=True)

# %%
# | label: cls
encoders = [name for name in p.experiments if not causal(facts(name))]
apart = figures.cls_rows(encoders) if encoders else None
with_others(
    chapter, "cls", figures.cls_curves, apart, "facet", folded=True
) if encoders else NOTHING

# %%
# | label: maps
view = explorer.view(p, p.report.focus.experiment)
chapter.figure("maps", figures.contribution_maps, p, explore=view, folded=True)

# %%
# | label: sources
rolled = curves("mixing", facet="")
with_others(chapter, "sources", figures.source_curves, rolled)

# %%
# | label: zeroed
zeroed = curves("value_zeroing")
with_others(chapter, "zeroed", figures.zeroed_curves, zeroed, folded=True)

# %%
# | label: remains
remaining = curves(["identity", "token_moments"], subject="")
with_others(chapter, "remains", figures.remains_curves, remaining, "quantity", folded=True)

# %%
# | label: cka
cka = curves("token_moments", quantity="cka")
cka = cka.assign(other=cka["subject"].astype(int))
with_others(chapter, "cka", figures.layer_similarity, cka, folded=True)

# %%
# | label: collapse
residuals = curves("rank_collapse")
with_others(chapter, "collapse", figures.collapse_curves, residuals)

# %%
held, rule = sink_results(), sink_rule()

# %%
# | label: clamp
outcomes(held, rule, w)

# %%
# | label: clamp-numbers
numbers(held, w)

# %%
# | label: arms
chapter.figure("arms", sinks.arm_intervals, held, rule) if held else NOTHING

# %%
# | label: arms-table
chapter.table("arms-table", sinks.arms_table, held) if held else NOTHING

# %%
# | label: predictions
chapter.table("predictions", sinks.predictions_table, held, rule) if held else NOTHING

# %%
# | label: readings
chapter.table("readings", sinks.readings_table, held) if held else NOTHING


# %%
def scopes_of(run):
    """Mixing ratios of a reference run."""
    return curves("mixing", run=run, quantity="ratio", facet="all")


# %%
# | label: kept
kept_figures(chapter, "scopes", figures.scope_curves, scopes_of)

# %%
# | label: runs
every_run(chapter, figures.OF_RUNS)

# %%
chapter.number("margins", w["margins"])
chapter.number("zeroed-texts", zeroed["texts"].max())
chapter.number("confidence", p.bootstrap.confidence, ".0%")
chapter.number("association", association(changes_by_training(), w))
chapter.number("least-removed", rule.margins.removed, ".0%")
chapter.close()
