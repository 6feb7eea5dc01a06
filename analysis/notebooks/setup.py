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
from analysis.figures import setup, structures
from analysis.figures.chapter import Chapter
from analysis.noted import noted
from analysis.prose.phrases import NOTHING, counted
from analysis.results.evidence import evidence
from analysis.results.summary import facts, trained, training

p = noted()
chapter = Chapter("setup", language, directory)
w = chapter.words
has = evidence(p.experiments, p.report.focus.experiment)
known, kept = {name: facts(name) for name in p.experiments}, setup.kept_facts()


def scores(label, draw, of):
    """Publish a table of scores, where there are any."""
    return chapter.table(label, draw, of) if len(draw(of, w)[1]) else NOTHING


# %%
# | label: experiments
chapter.table("experiments", setup.experiments_table, p)

# %%
# | label: rendering
chapter.table("rendering", setup.rendering_table, known)

# %%
# | label: structures
chapter.table("structures", setup.structures_table, known)

# %%
# | label: drawing
structure = {name: one["structure"] for name, one in known.items()}
chapter.figure("drawing", structures.structures, structure)

# %%
# | label: samples
chapter.table("samples", setup.samples_table, p)

# %%
# | label: learning
history = training(p, "history")
chapter.figure("learning", setup.learning_curves, history, p) if has["trained"] else NOTHING

# %%
# | label: scores
scores("scores", setup.scores_table, known)

# %%
# | label: answers
scores("answers", setup.answers_table, known)

# %%
# | label: kept-scores
scores("kept-scores", setup.scores_table, kept)

# %%
# | label: kept-answers
scores("kept-answers", setup.answers_table, kept)

# %%
# | label: calibration
reliability = training(p, "reliability")
chapter.figure("calibration", setup.calibration, reliability, p) if has["classifier"] else NOTHING

# %%
# | label: split
chapter.figure("split", setup.sorted_split)

# %%
if has["trained"]:
    chapter.number("trained", setup.trained_experiments(len(trained(p)), len(p.written), w))
if has["two-streams"]:
    for score, value in setup.translators(p, w).items():
        chapter.number(score, value)
if has["next-words"]:
    chapter.number("perplexity", setup.perplexities(known, w))
if has["unlearned"]:
    written = {name: facts(name) for name in p.written}
    chapter.number("unlearned", setup.unlearned(written, w))
if has["unread"]:
    chapter.number("unread", setup.unread(known, w))
captured = [one["capture"] for one in known.values()]
tokens = sum(one["tokens"] for one in captured)
chapter.number("captured-tokens", counted(tokens, "token", w))
deviations = [
    max(state["deviation"].values())
    for one in captured
    for state in one.values()
    if isinstance(state, dict)
]
chapter.number("largest-deviation", max(deviations), ".1e")
chapter.number("storage", ", ".join(sorted({e.capture.dtype for e in p.experiments.values()})))
chapter.close()
