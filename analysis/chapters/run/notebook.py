# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # The answers at a glance

# %% tags=["parameters"]
language = "en"  # en | ja
directory = "files/run"  # for what can be downloaded

# %%
from analysis.argument.reproduced import read_argument
from analysis.chapters.run import figures
from analysis.figures.chapter import Chapter
from analysis.prose.argument import head
from analysis.prose.messages import words
from analysis.prose.phrases import NOTHING, counted, listed
from analysis.prose.sinks import in_short, lead
from analysis.results import summary
from analysis.results.sinks import sink_results
from analysis.results.summary import facts
from analysis.runs.parameters import run_parameters
from attention_mixing.models.source import name_of

p = run_parameters()
chapter = Chapter("run", language, directory)
w = chapter.words

# %%
# | label: answers
chapter.figure("answers", figures.answers_figure, figures.answers())

# %%
# | label: beside
argument = read_argument()
NOTHING if argument["missing"] else chapter.table(
    "beside", figures.beside_paper, argument["numbers"]
)

# %%
focus = p.report.focus.experiment
tokens = summary.table("matrices", "tokens", focus, "pretrained")
captured = [facts(name)["capture"] for name in p.experiments]
both = len(summary.compared(p))
models = listed(sorted({name_of(e.model) for e in p.experiments.values()}), w)
# An encoder-decoder has a point for each half.
halves = len(p.experiments) - len(p.written)
experiments = counted(len(p.written), "experiment", w)
about = {"experiments": experiments, "models": models, "both": both, "halves": halves}
chapter.number("basis", w.say("basis", n=len(captured), **about))
chapter.number("texts", counted(sum(capture["examples"] for capture in captured), "text", w))
chapter.number("tokens", counted(sum(capture["tokens"] for capture in captured), "token", w))
chapter.number("models", models)
chapter.number("clamp-lead", lead(sink_results(), language))
chapter.number("clamp", in_short(sink_results(), language))
chapter.number("head", head(argument, words(language, "paper")))
chapter.number("sentence", tokens["text"].iloc[0])
chapter.number("confidence", p.bootstrap.confidence, ".0%")
chapter.close()
