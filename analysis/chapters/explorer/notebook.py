# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # The explorer: every head, token and measure of the texts on maps

# %% tags=["parameters"]
language = "en"  # en | ja
directory = "files/explorer"  # for what can be downloaded

# %%
from IPython.display import HTML

from analysis.chapters.explorer import figures
from analysis.figures.chapter import Chapter
from analysis.prose.phrases import NOTHING, counted, listed
from analysis.results.explorer import read_shown, unstated_licences
from attention_mixing import explorer
from attention_mixing.markup import escape

chapter = Chapter("explorer", language, directory)
w = chapter.words
experiments, opening = read_shown()

# %%
# | label: explorer
notice = figures.notice(opening, w) if opening else ""
component = explorer.with_scripts(
    experiments,
    opening["selection"] if opening else {},
    language,
    notice=escape(w["told"].format(notice=notice)),
)
HTML(component) if opening else NOTHING

# %%
# | label: opening
about = figures.about(opening, w) if opening else {}
names = explorer.said(language)
chapter.figure("opening", figures.opening_figure, opening, names, about=about) if about else NOTHING

# %%
if opening:
    chapter.number("notice", notice)
chapter.number("texts", counted(sum(len(shown["texts"]) for shown in experiments), "text", w))
chapter.number("unstated", listed(unstated_licences(), w))
chapter.close()
