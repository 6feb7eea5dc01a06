# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Features: the tokens of one text at every feature point

# %% tags=["parameters"]
language = "en"
directory = "."

# %%
from IPython.display import HTML

from analysis import params
from analysis.figures import features
from analysis.figures.chapter import Chapter
from analysis.figures.markup import escape
from analysis.figures.results import metrics
from analysis.figures.words import words

p = params.load()
w = words(language, **features.OWN_WORDS)
chapter = Chapter("features", language, directory)
focus = p.report.focus.experiment
alt = {
    "en": "Small maps of the tokens of one text, {} in all, from the word embedding through three "
    "points of every layer; dots are tokens, coloured by position. Experiment {}, {}.",
    "ja": "一つのテキストのトークンの小さな地図（全 {} 枚）。単語埋め込みから各層の三点まで。"
    "点はトークン、色は位置。実験 {}、{}。",
}


def show(label, experiment, variant):
    table = features.coordinates(experiment)
    part = table[table["variant"] == variant]
    maps = metrics(experiment, "projection")[variant]["maps"]
    text = alt[language].format(maps, experiment, w[variant])
    return chapter.figure(label, features.feature_maps(part, w), text, part.drop(columns="text"))


# %%
# | label: text
HTML(f'<p class="sample">{escape(features.coordinates(focus)["text"].iloc[0])}</p>')

# %%
# | label: maps
show("maps", focus, "pretrained")

# %%
# | label: all-maps
sections = []
for experiment in p.experiments:
    for variant in metrics(experiment, "projection"):
        if (experiment, variant) != (focus, "pretrained"):
            figure = show(f"maps-{experiment}-{variant}", experiment, variant)
            text = features.coordinates(experiment)["text"].iloc[0]
            short = text if len(text) < 400 else text[:400] + " …"
            sections.append(
                f"<details><summary>{escape(experiment)} · {w[variant]}</summary>"
                f"<p>{escape(short)}</p>{figure.data}</details>"
            )
HTML("".join(sections))

# %%
# | label: trust
cells, data = features.trust_table(p, w)
chapter.table("trust", cells, data)

# %%
measured = metrics(focus, "projection")["pretrained"]
chapter.number("maps", measured["maps"])
chapter.number("layers", (measured["maps"] - 2) // 3)
chapter.number("tokens", measured["tokens"])
chapter.number("trustworthiness", measured["trustworthiness"], ".2f")
chapter.number("trustworthiness-worst", measured["trustworthiness_worst"], ".2f")
chapter.number("seed", p.projection.seeds[0])
chapter.number("metric", p.projection.metric)
chapter.close()
