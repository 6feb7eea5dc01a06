# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Propagation: raw attention, residual, rollout, flow

# %% tags=["parameters"]
language = "en"  # en | ja
directory = "files/propagation"  # for what can be downloaded

# %%
import pandas as pd
from IPython.display import HTML

from analysis.chapters.propagation import figures, results, two_streams
from analysis.figures.chapter import Chapter, kept_figures
from analysis.figures.front import with_others
from analysis.figures.runs import every_run
from analysis.parameters.derived import pairs
from analysis.prose.phrases import NOTHING
from analysis.results import explorer
from analysis.results.evidence import evidence
from analysis.results.focus import focus_text
from analysis.results.summary import READ_ROWS, arrays, curves, facts, overall, states, table
from analysis.runs.parameters import run_parameters
from attention_mixing.markup import escape, in_line

p = run_parameters()
chapter = Chapter("propagation", language, directory)
w = chapter.words
rows = curves("propagation")
name = p.report.focus.experiment
has = evidence(p.experiments, name)
text, state, names, matrices = focus_text(p)
read = READ_ROWS[facts(name)["structure"]["read"]]

# %%
# | label: overview
# Encoders and decoders of translators, experiments of their own, are in the figures of all.
whole = rows[rows["experiment"].isin(list(p.experiments))]
with_others(chapter, "overview", figures.overview, rows if whole.empty else whole)

# %%
# | label: text
HTML(f'<p class="sample">{escape(in_line(text))}</p>')

# %%
# | label: lecture
chapter.figure("lecture", figures.lecture, matrices, names)

# %%
# | label: effective
with_others(chapter, "effective", figures.effective_curves, curves("effective_attention"), "facet")

# %%
# | label: cls
view = explorer.view(p, name)
chapter.figure("cls", figures.read_rows, matrices, names, read, explore=view)

# %%
# | label: maps
view = explorer.view(p, name, d="rollout~flow", o="difference")
chapter.figure("maps", figures.propagated_maps, matrices, names, explore=view)

# %%
# | label: absorbed
absorbed = rows[rows["quantity"] == "first_share"]
with_others(chapter, "absorbed", figures.absorbed_curves, absorbed) if has["causal"] else NOTHING

# %%
# | label: curves
with_others(chapter, "curves", figures.layer_curves, rows)

# %%
# | label: tight
with_others(chapter, "tight", figures.tight_curves, rows[rows["quantity"] == "tight"], "facet")

# %%
# | label: last
chapter.table("last", figures.last_layer_table, rows)


# %%
def methods_of(run):
    """Rows of the propagation in a reference run."""
    return curves("propagation", run=run)


# %%
# | label: kept
kept_figures(chapter, "overview", figures.overview, methods_of)

# %%
# | label: runs
every_run(chapter, figures.OF_RUNS)

# %%
# Of texts with targets, source and target together.
two = curves("two_streams")
linked = results.final_errors(pd.concat([two, curves("target_gradients")], ignore_index=True))
blind = overall("two_streams", quantity="baseline_error").groupby("subject")["mean"].mean()
links_of_layers = overall("two_streams", quantity="alignment_error", subject=list(results.LAYERED))

# %%
# | label: shares
chapter.figure("shares", two_streams.shares, two) if has["two-streams"] else NOTHING

# %%
# | label: links
arguments = linked, blind.get("chance")
chapter.figure("links", two_streams.alignment_errors, *arguments) if len(linked) else NOTHING

# %%
# | label: links-table
arguments = linked, links_of_layers
chapter.table("links-table", two_streams.errors_table, *arguments) if len(linked) else NOTHING

# %%
# | label: pair
if has["two-streams"]:
    example = next(iter(pairs(p.written)))
    variant = states("shown_pair", example)[-1]
    both = table("shown_pair", "tokens", example, variant)
    known_links = results.known_pairs(both, table("shown_pair", "links", example, variant))
    maps = (arrays("shown_pair", example, variant), *two_streams.shown_tokens(both, w), known_links)
    texts = table("shown_pair", "texts", example, variant).iloc[0]
    chapter.number("source-text", in_line(texts["text"]))
    chapter.number("target-text", in_line(texts["target"]))
    for name_of, number in two_streams.numbers(two, *arguments, blind, w).items():
        chapter.number(name_of, number)
chapter.figure("pair", two_streams.pair_maps, *maps) if has["two-streams"] else NOTHING

# %%
chapter.number("margins", w["margins"])
chapter.number("residual", p.propagation.residual, ".2g")
chapter.number("start", p.propagation.start_layer + 1)
chapter.number("focus-experiment", name)
chapter.number("state", w[state])
chapter.number("read-token", names[read])
chapter.number("confidence", p.bootstrap.confidence, ".0%")
chapter.close()
