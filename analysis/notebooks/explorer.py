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

from analysis.figures import opening_view
from analysis.figures.chapter import Chapter
from analysis.prose.phrases import NOTHING
from analysis.results.explorer import read_shown
from attention_mixing import explorer
from attention_mixing.markup import escape

chapter = Chapter("explorer", language, directory)
w = chapter.words
shown = read_shown()

# %%
# | label: explorer
notice = opening_view.notice(shown, w) if shown.opening else ""
component = explorer.with_scripts(
    shown.experiments,
    shown.opening["selection"] if shown.opening else {},
    language,
    notice=escape(w["told"].format(notice=notice)),
)
HTML(component) if shown.opening else NOTHING

# %%
# | label: opening
about = opening_view.about(shown, w) if shown.opening else {}
names = explorer.said(language)
chapter.figure(
    "opening", opening_view.opening_figure, shown, names, about=about
) if about else NOTHING

# %%
if shown.opening:
    chapter.number("notice", notice)
chapter.number("texts", opening_view.counted_texts(shown, w))
chapter.close()
