# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # The figures of the paper, and its numbers

# %% tags=["parameters"]
language = "en"  # en | ja
directory = "files/paper"  # for what can be downloaded

# %%
from analysis.argument.evidence import circuit_scores
from analysis.argument.reproduced import read_argument
from analysis.chapters.paper import figures
from analysis.figures import answers, sinks
from analysis.figures.chapter import Chapter
from analysis.prose.argument import head
from analysis.prose.phrases import NOTHING
from analysis.results.sinks import sink_results, sink_rule

chapter = Chapter("paper", language, directory)
argument = read_argument()
numbers = argument["numbers"]
there = not argument["missing"]  # all runs that the paper rests on
held = [one for one in sink_results() if one.run]

# %%
# | label: answers
chapter.figure("answers", answers.answers, numbers) if there else NOTHING

# %%
# | label: found
chapter.figure(
    "found", figures.circuits_found, circuit_scores(figures.MEASURES)
) if there else NOTHING

# %%
# | label: changes
chapter.figure("changes", figures.changes, numbers) if there else NOTHING

# %%
# | label: arms
chapter.figure("arms", sinks.arm_intervals, held, sink_rule()) if there else NOTHING

# %%
# | label: numbers
chapter.table("numbers", figures.numbers_table, numbers) if there else NOTHING

# %%
chapter.number("head", head(argument, chapter.words))
chapter.close()
