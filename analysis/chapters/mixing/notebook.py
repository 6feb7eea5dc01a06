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
from analysis.figures.front import in_front, other_experiments, with_others
from analysis.figures.runs import every_run
from analysis.prose.phrases import NOTHING
from analysis.prose.sinks import association, numbers, outcomes
from analysis.results import explorer
from analysis.results.sinks import changes_by_training, sink_results, sink_rule
from analysis.results.summary import curves, facts
from analysis.rules.conditions import causal
from analysis.rules.sinks import READINGS
from analysis.runs.parameters import run_parameters

p = run_parameters()
chapter = Chapter("mixing", language, directory)
w = chapter.words

# %%
# | label: scopes
ratios = curves("mixing", quantity="ratio", facet="all")
chapter.figure("scopes", figures.scope_curves, ratios[in_front(ratios)])

# %%
# | label: scopes-others
other_experiments(chapter, "scopes", figures.scope_curves, ratios)

# %%
# | label: means
chapter.table("means", figures.scope_table)

# %%
# | label: kinds
kinds = [*figures.KIND_COLOURS]
by_kind = curves("mixing", quantity="ratio", subject="attnresln_n", facet=kinds)
large = in_front(by_kind, "facet")
chapter.figure("kinds", figures.kind_curves, by_kind[large], folded=True)

# %%
# | label: kinds-others
other_experiments(chapter, "kinds", figures.kind_curves, by_kind, "facet")

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
chapter.figure("sources", figures.source_curves, rolled[in_front(rolled)])

# %%
# | label: sources-others
other_experiments(chapter, "sources", figures.source_curves, rolled)

# %%
# | label: zeroed
zeroed = curves("value_zeroing")
chapter.figure("zeroed", figures.zeroed_curves, zeroed[in_front(zeroed)], folded=True)

# %%
# | label: zeroed-others
other_experiments(chapter, "zeroed", figures.zeroed_curves, zeroed)

# %%
# | label: remains
remaining = curves(["identity", "token_moments"], subject="")
large = in_front(remaining, "quantity")
chapter.figure("remains", figures.remains_curves, remaining[large], folded=True)

# %%
# | label: remains-others
other_experiments(chapter, "remains", figures.remains_curves, remaining, "quantity")

# %%
# | label: cka
cka = curves("token_moments", quantity="cka")
cka = cka.assign(other=cka["subject"].astype(int))
with_others(chapter, "cka", figures.layer_similarity, cka, folded=True)

# %%
# | label: collapse
residuals = curves("rank_collapse")
chapter.figure("collapse", figures.collapse_curves, residuals[in_front(residuals)])

# %%
# | label: collapse-others
other_experiments(chapter, "collapse", figures.collapse_curves, residuals)

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
chapter.figure("arms", sinks.arm_intervals, held, rule, READINGS) if held else NOTHING

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
