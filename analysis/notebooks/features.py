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
from analysis.figures.evidence import evidence
from analysis.figures.findings.phrases import counted
from analysis.figures.markup import escape
from analysis.figures.words import words

p = params.load()
w = words(language, **features.OWN_WORDS, **feature_maps.OWN_WORDS)
chapter = Chapter("features", language, directory)
results = features.read_results(p)
focus = p.report.focus.experiment
first = results.states(focus)[0]
has = evidence(p.experiments, p.report.focus.experiment)


def show(label, drawn, alt, interactive=None, module=None, folded=False):
    figure, data = drawn
    return chapter.figure(label, figure, alt[language], data, interactive, module, folded)


def show_maps(label, experiment, variant, method, interactive=None, folded=False):
    texts = counted(len(results.texts[experiment]), "text", language)
    alt = {
        "en": f"Small {w[method]} maps of the tokens of {texts}, "
        f"{len(results.places(experiment))} in all, from the word embedding to the last layer; "
        "dots are tokens, coloured by position, their shape tells the text; below each map its "
        f"trust figures. Experiment {experiment}, {w[variant]}.",
        "ja": f"{texts}のトークンを並べた {w[method]} の"
        f"小さなマップ（全 {len(results.places(experiment))} 枚、単語埋め込みから最後の層まで）。"
        "点はトークン、色は位置、形はテキスト。各マップの下に信頼性の指標を記す。"
        f"実験 {experiment}、{w[variant]}。",
    }
    drawn = feature_maps.feature_maps(results, experiment, variant, method, w)
    return show(label, drawn, alt, interactive, "feature_maps", folded)


# %%
# | label: separation
alt = {
    "en": "Line charts, one for each experiment with labels: silhouette by label of the first "
    "token and of the mean of the tokens at every feature point, before and after fine-tuning.",
    "ja": "ラベルのある実験ごとの折れ線グラフ。先頭のトークンとトークンの平均について、"
    "各点でのラベルによるシルエット係数を、ファインチューニングの前後で示す。",
}
show("separation", features.separation_curves(results, w), alt) if has.separation else NOTHING

# %%
# | label: text
HTML(feature_maps.texts_list(results, focus))

# %%
# | label: maps
show_maps("maps", focus, first, "umap", feature_maps.map_data(results, focus, w))

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
    variant = results.states(experiment)[-1]
    if (experiment, variant) != (focus, first):
        # The interactive map has all states; the focus has it above.
        whole = feature_maps.map_data(results, experiment, w) if experiment != focus else None
        label = f"maps-{experiment}-{variant}"
        maps = show_maps(label, experiment, variant, "umap", whole, folded=True)
        sections.append(
            f"<details><summary>{escape(experiment)} · {w[variant]}</summary>"
            f"{feature_maps.texts_list(results, experiment)}{maps.data}</details>"
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
drawn = feature_maps.close_up(results, features.shown(p), w)
show("close-up", drawn, alt, module="feature_maps")

# %%
# | label: moved
alt = {
    "en": "Line charts, one for each experiment: share of the nearest neighbours that a token "
    "loses from each feature point to the next, one line for each model state.",
    "ja": "実験ごとの折れ線グラフ。ある点から次の点までにトークンが失う近傍の割合を、"
    "モデルの状態ごとに一本の線で示す。",
}
show("moved", features.moved_curves(results, w), alt)

# %%
# | label: trust
chapter.table("trust", *features.trust_table(results, w))

# %%
# | label: trust-curves
alt = {
    "en": "Line charts, one column for each experiment: trustworthiness, continuity, neighbour "
    "overlap and spread over seeds of every map by UMAP, t-SNE and PCA.",
    "ja": "実験ごとに一列の折れ線グラフ。UMAP、t-SNE、PCA による各マップの信頼性、連続性、"
    "近傍の一致率、シードによるばらつき。",
}
show("trust-curves", features.trust_curves(results, w), alt)

# %%
# | label: shift
alt = {
    "en": "Line charts, one column for each experiment that fine-tunes: how far each map moves by "
    "fine-tuning, and how far maps of different seeds differ.",
    "ja": "ファインチューニングをする実験ごとに一列の折れ線グラフ。ファインチューニングによる"
    "各マップのずれと、シードによるマップの違い。",
}
show("shift", features.shift_curves(results, w), alt) if has.trained else NOTHING

# %%
# | label: change
alt = {
    "en": "Line charts, one for each experiment that fine-tunes: cosine distance between the "
    "vectors before and after fine-tuning at every feature point, of the first and of all tokens.",
    "ja": "ファインチューニングをする実験ごとの折れ線グラフ。各点での前後のベクトルの"
    "コサイン距離を、先頭のトークンと全トークンについて示す。",
}
show("change", features.change_curves(results, w), alt) if has.trained else NOTHING

# %%
for name, value in feature_prose.prose(results, p, w, language).items():
    chapter.number(name, value)
chapter.close()
