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
language = "en"
directory = "."

# %%
from analysis import params
from analysis.figures import setup
from analysis.figures.chapter import NOTHING, Chapter
from analysis.figures.evidence import evidence
from analysis.figures.phrases import counted
from analysis.figures.results import facts, trained, training
from analysis.figures.words import words

p = params.load()
w = words(language, "setup", "findings_setup")
chapter = Chapter("setup", language, directory)
has = evidence(p.experiments, p.report.focus.experiment)

# %%
# | label: experiments
chapter.table("experiments", setup.experiments_table(p, w))

# %%
# | label: samples
cells, data = setup.samples_table(p, w)
chapter.table("samples", cells, data)

# %%
# | label: learning
history = training(p, "history")
(
    chapter.figure("learning", setup.learning_curves(history, p, w), w["alt_learning"], history)
    if has.trained
    else NOTHING
)

# %%
# | label: scores
chapter.table("scores", *setup.scores_table(p, w)) if has.classifier else NOTHING

# %%
# | label: answers
chapter.table("answers", *setup.answers_table(p, w)) if has.questions else NOTHING

# %%
# | label: calibration
reliability = training(p, "reliability")
(
    chapter.figure(
        "calibration", setup.calibration(reliability, p, w), w["alt_calibration"], reliability
    )
    if has.classifier
    else NOTHING
)

# %%
# | label: split
figure, data = setup.sorted_split(w)
chapter.figure("split", figure, w["alt_split"], data)

# %%
if has.trained:
    chapter.number("trained", setup.trained_experiments(len(trained(p)), len(p.experiments), w))
captured = [facts(e)["capture"] for e in p.experiments]
tokens = sum(one["tokens"] for one in captured)
chapter.number("captured-tokens", counted(tokens, "token", w))
deviations = [
    max(state["deviation"].values())
    for one in captured
    for state in one.values()
    if isinstance(state, dict)
]
chapter.number("largest-deviation", max(deviations), ".1e")
chapter.state(w)
chapter.number("storage", ", ".join(sorted({e.capture.dtype for e in p.experiments.values()})))
chapter.close()
