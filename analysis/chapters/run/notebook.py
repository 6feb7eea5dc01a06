# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # This run: what was measured, beside the paper

# %% tags=["parameters"]
language = "en"  # en | ja
directory = "files/run"  # for what can be downloaded

# %%
from analysis.argument.evidence import OwnEvidence
from analysis.argument.reproduced import read_argument
from analysis.chapters.run import figures, prose
from analysis.figures import answers
from analysis.figures.chapter import Chapter
from analysis.prose.argument import head
from analysis.prose.messages import words
from analysis.prose.phrases import NOTHING, counted
from analysis.results import summary
from analysis.results.claims import judged_claims
from analysis.results.summary import facts
from analysis.runs.parameters import run_parameters

p = run_parameters()
chapter = Chapter("run", language, directory)
w = chapter.words
experiments = {name: facts(name) for name in p.experiments}
argument = read_argument()
numbers, here = argument["numbers"], argument["here"]

# %%
# | label: answers
chapter.figure("answers", answers.answers_here, numbers, here)

# %%
# | label: experiments
chapter.table("experiments", figures.experiments_table, p, experiments)

# %%
# | label: beside
chapter.table("beside", answers.beside_paper, numbers, here)

# %%
# | label: differing
others = sum(number["differs"] for number in numbers.values())
told = w.say("run_differing", n=others)
chapter.table("differing", answers.differing, numbers, summary=told) if others else NOTHING

# %%
evidence = OwnEvidence(p)
own = len(evidence.own)
chapter.number("identity", prose.identity(own, len(p.experiments), whole=evidence.whole, w=w))
chapter.number("mixing", prose.mixing(argument, w))
chapter.number("head", head(argument, words(language, "paper")))
chapter.number("absent", prose.absent(here, answers.COMPARED, w))
chapter.number("decided", prose.decided(judged_claims().values(), w))
captured = [experiment["capture"] for experiment in experiments.values()]
chapter.number("texts", counted(sum(capture["examples"] for capture in captured), "text", w))
chapter.number("tokens", counted(sum(capture["tokens"] for capture in captured), "token", w))
tokens = summary.table("matrices", "tokens", p.report.focus.experiment, "pretrained")
chapter.number("sentence", tokens["text"].iloc[0])
chapter.number("confidence", p.bootstrap.confidence, ".0%")
chapter.close()
