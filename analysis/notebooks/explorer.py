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

from analysis.figures import explorer_views
from analysis.figures.chapter import NOTHING, Chapter
from attention_mixing import explorer
from attention_mixing.markup import escape

chapter = Chapter("explorer", language, directory)
w = chapter.words
shown = explorer_views.read()

# %%
# | label: explorer
told = explorer_views.notice(shown, w) if shown.opening else ""
made = explorer.with_scripts(
    shown.experiments,
    shown.opening["selection"] if shown.opening else {},
    language,
    notice=escape(w["told"].format(notice=told)),
)
HTML(made) if shown.opening else NOTHING

# %%
# | label: opening
about = explorer_views.about(shown, w) if shown.opening else {}
names = explorer.said(language)
chapter.figure(
    "opening", explorer_views.opening_figure, shown, names, about=about
) if about else NOTHING

# %%
if shown.opening:
    chapter.number("notice", told)
chapter.number("texts", explorer_views.counted_texts(shown, w))
chapter.close()
