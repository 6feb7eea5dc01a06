# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Setup: models, texts, training, scores

# %% tags=["parameters"]
language = "en"  # en | ja
directory = "files/setup"  # for what can be downloaded

# %%
from analysis.chapters.setup import figures, prose, structures
from analysis.figures.chapter import Chapter
from analysis.prose.phrases import NOTHING, counted
from analysis.results.evidence import evidence
from analysis.results.summary import facts, trained, training
from analysis.runs.kept import kept_facts
from analysis.runs.parameters import run_parameters

p = run_parameters()
chapter = Chapter("setup", language, directory)
w = chapter.words
has = evidence(p.experiments, p.report.focus.experiment)
experiments = {name: facts(name) for name in p.experiments}
kept_experiments = kept_facts()


def scores(label, draw, of):
    """Publish a table of scores, where there are any."""
    return chapter.table(label, draw, of) if len(draw(of, w)[1]) else NOTHING


# %%
# | label: experiments
chapter.table("experiments", figures.experiments_table, p)

# %%
# | label: rendering
chapter.table("rendering", figures.rendering_table, experiments)

# %%
# | label: structures
chapter.table("structures", figures.structures_table, experiments)

# %%
# | label: drawing
structure = {name: experiment["structure"] for name, experiment in experiments.items()}
chapter.figure("drawing", structures.structures, structure)

# %%
# | label: samples
chapter.table("samples", figures.samples_table, p)

# %%
# | label: learning
history = training(p, "history")
chapter.figure("learning", figures.learning_curves, history, p) if has["trained"] else NOTHING

# %%
# | label: scores
scores("scores", figures.scores_table, experiments)

# %%
# | label: answers
scores("answers", figures.answers_table, experiments)

# %%
# | label: kept-scores
scores("kept-scores", figures.scores_table, kept_experiments)

# %%
# | label: kept-answers
scores("kept-answers", figures.answers_table, kept_experiments)

# %%
# | label: calibration
reliability = training(p, "reliability")
chapter.figure("calibration", figures.calibration, reliability, p) if has["classifier"] else NOTHING

# %%
# | label: split
chapter.figure("split", figures.sorted_split)

# %%
if has["trained"]:
    chapter.number("learning-rates", prose.learning_rates(p, w))
    chapter.number("trained", prose.trained_experiments(len(trained(p)), len(p.written), w))
if has["two-streams"]:
    for score, value in prose.translators(p, w).items():
        chapter.number(score, value)
if has["next-words"]:
    chapter.number("perplexity", prose.perplexities(experiments, w))
if has["unlearned"]:
    written = {name: facts(name) for name in p.written}
    chapter.number("unlearned", prose.unlearned(written, w))
if has["unread"]:
    chapter.number("unread", prose.unread(experiments, w))
captured = [experiment["capture"] for experiment in experiments.values()]
tokens = sum(capture["tokens"] for capture in captured)
chapter.number("captured-tokens", counted(tokens, "token", w))
deviations = [
    max(state["deviation"].values())
    for capture in captured
    for state in capture.values()
    if isinstance(state, dict)
]
chapter.number("largest-deviation", max(deviations), ".1e")
chapter.number("storage", ", ".join(sorted({e.capture.dtype for e in p.experiments.values()})))
chapter.close()
