# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Features: the tokens of a few texts at every feature point

# %% tags=["parameters"]
language = "en"
directory = "."

# %%
from IPython.display import HTML

from analysis import params
from analysis.figures import feature_maps, feature_prose, features
from analysis.figures.chapter import NOTHING, Chapter
from analysis.figures.findings.phrases import counted
from analysis.figures.markup import escape
from analysis.figures.results import curves, trained
from analysis.figures.words import words
from analysis.methods.projection import POINT_SETS

p = params.load()
w = words(language, "features", "feature_maps")
chapter = Chapter("features", language, directory)
points = POINT_SETS[p.projection.points]
trust = features.along(curves("vectors", by="projection"), "kind", points)
silhouettes = features.along(curves("vectors", by="separation"), "of", points)
distances = curves("vectors", by="change", measure="cosine_distance")
distances = features.along(distances, "of", points)
maps = {name: feature_maps.read_maps(name, trust) for name in p.experiments}
texts = {name: feature_maps.read_texts(name) for name in p.experiments}
focus = p.report.focus.experiment
first = "pretrained"


def show(label, drawn, alt, interactive=None, module=None, folded=False):
    figure, data = drawn
    return chapter.figure(label, figure, alt[language], data, interactive, module, folded)


def show_maps(label, experiment, variant, method, interactive=None, folded=False):
    own = maps[experiment]
    own = own[(own["variant"] == variant) & (own["method"] == method)]
    count = len(own[["point", "layer"]].drop_duplicates())
    of_texts = counted(len(texts[experiment]), "text", language)
    alt = {
        "en": f"Small {w[method]} maps of the tokens of {of_texts}, {count} in all, from the word "
        "embedding to the last layer; dots are tokens, coloured by position, their shape tells "
        f"the text; below each map its trust figures. Experiment {experiment}, {w[variant]}.",
        "ja": f"{of_texts}のトークンを並べた {w[method]} の"
        f"小さなマップ（全 {count} 枚、単語埋め込みから最後の層まで）。"
        "点はトークン、色は位置、形はテキスト。各マップの下に信頼性の指標を記す。"
        f"実験 {experiment}、{w[variant]}。",
    }
    drawn = feature_maps.feature_maps(own, w)
    return show(label, drawn, alt, interactive, "feature_maps", folded)


def all_maps(experiment):
    return feature_maps.map_data(maps[experiment], texts[experiment], w)


# %%
# | label: separation
alt = {
    "en": "Line charts, one for each experiment with labels: silhouette by label of the first "
    "token and of the mean of the tokens at every feature point, before and after fine-tuning.",
    "ja": "ラベルのある実験ごとの折れ線グラフ。先頭のトークンとトークンの平均について、"
    "各点でのラベルによるシルエット係数を、ファインチューニングの前後で示す。",
}
labelled = silhouettes["mean"].notna().any()
show("separation", features.separation_curves(silhouettes, w), alt) if labelled else NOTHING

# %%
# | label: text
HTML(feature_maps.texts_list(maps[focus], texts[focus]))

# %%
# | label: maps
show_maps("maps", focus, first, "umap", all_maps(focus))

# %%
# | label: maps-tsne
show_maps("maps-tsne", focus, first, "tsne")

# %%
# | label: maps-pca
show_maps("maps-pca", focus, first, "pca")

# %%
# | label: all-maps
sections = []
for experiment in p.experiments:
    variant = maps[experiment]["variant"].iloc[-1]
    if (experiment, variant) != (focus, first):
        # The interactive map has all states; the focus has it above.
        whole = all_maps(experiment) if experiment != focus else None
        label = f"maps-{experiment}-{variant}"
        shown = show_maps(label, experiment, variant, "umap", whole, folded=True)
        sections.append(
            f"<details><summary>{escape(experiment)} · {w[variant]}</summary>"
            f"{feature_maps.texts_list(maps[experiment], texts[experiment])}{shown.data}</details>"
        )
HTML("".join(sections)) if sections else NOTHING

# %%
# | label: close-up
alt = {
    "en": "Maps of the last feature point, one for each model state: tokens coloured by text, "
    "with rings around special tokens and around the evidence for the label.",
    "ja": "最後の点のマップ。モデルの状態ごとに一枚。トークンをテキストごとに色分けし、"
    "特殊トークンとラベルの根拠を輪で囲む。",
}
name = features.shown(p)
drawn = feature_maps.close_up(maps[name], texts[name], name, w)
show("close-up", drawn, alt, module="feature_maps")

# %%
# | label: moved
alt = {
    "en": "Line charts, one for each experiment: share of the nearest neighbours that a token "
    "loses from each feature point to the next, one line for each model state.",
    "ja": "実験ごとの折れ線グラフ。ある点から次の点までにトークンが失う近傍の割合を、"
    "モデルの状態ごとに一本の線で示す。",
}
show("moved", features.moved_curves(trust, w), alt)

# %%
# | label: trust
chapter.table("trust", *features.trust_table(trust, w))

# %%
# | label: trust-curves
alt = {
    "en": "Line charts, one column for each experiment: trustworthiness, continuity, neighbour "
    "overlap and spread over seeds of every map by UMAP, t-SNE and PCA.",
    "ja": "実験ごとに一列の折れ線グラフ。UMAP、t-SNE、PCA による各マップの信頼性、連続性、"
    "近傍の一致率、シードによるばらつき。",
}
show("trust-curves", features.trust_curves(trust, w), alt)

# %%
# | label: shift
alt = {
    "en": "Line charts, one column for each experiment that fine-tunes: how far each map moves by "
    "fine-tuning, and how far maps of different seeds differ.",
    "ja": "ファインチューニングをする実験ごとに一列の折れ線グラフ。ファインチューニングによる"
    "各マップのずれと、シードによるマップの違い。",
}
show("shift", features.shift_curves(trust, w), alt) if trained(p) else NOTHING

# %%
# | label: change
alt = {
    "en": "Line charts, one for each experiment that fine-tunes: cosine distance between the "
    "vectors before and after fine-tuning at every feature point, of the first and of all tokens.",
    "ja": "ファインチューニングをする実験ごとの折れ線グラフ。各点での前後のベクトルの"
    "コサイン距離を、先頭のトークンと全トークンについて示す。",
}
show("change", features.change_curves(distances, w), alt) if trained(p) else NOTHING

# %%
tokens = maps[focus].drop_duplicates(["example_id", "position"])
numbers = feature_prose.prose(trust, silhouettes, distances, tokens, p, w, language)
for name, value in numbers.items():
    chapter.number(name, value)
chapter.close()
