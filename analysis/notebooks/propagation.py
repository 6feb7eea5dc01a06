# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Propagation: raw attention, residual, rollout

# %% tags=["parameters"]
language = "en"
directory = "."

# %%
from IPython.display import HTML

from analysis import params
from analysis.figures import findings, propagation
from analysis.figures.chapter import Chapter
from analysis.figures.markup import escape
from analysis.figures.results import curves, metrics
from analysis.figures.words import words

p = params.load()
w = words(language)
chapter = Chapter("propagation", language, directory)
focus = propagation.read_focus(p)
table = curves(p, "propagation")

# %%
# | label: text
HTML(f'<p class="sample">{escape(focus.text)}</p>')

# %%
# | label: lecture
figure, data = propagation.lecture(focus, w)
alt = {
    "en": "Three heat maps of attention from each query token to each key token: one head of the "
    "first layer, the head mean of the first layer, the head mean of the last layer.",
    "ja": "クエリのトークンからキーのトークンへの注意重みの三つのヒートマップ。"
    "第1層の一つのヘッド、第1層のヘッド平均、最終層のヘッド平均。",
}
chapter.figure("lecture", figure, alt[language], data)

# %%
# | label: cls
figure, data = propagation.cls_rows(focus, w)
alt = {
    "en": "Three heat maps, layers by tokens, of what the [CLS] token reads: raw attention, with "
    "residual, and rollout.",
    "ja": "[CLS] が読み取る重みの三つのヒートマップ（層 × トークン）。生の注意重み、残差接続込み、"
    "ロールアウト。",
}
chapter.figure("cls", figure, alt[language], data)

# %%
# | label: maps
figure, data = propagation.rollout_maps(focus, w)
alt = {
    "en": "Heat maps of rollout from each token to each token after the first, a middle and the "
    "last layer; towards the last layer the rows become alike.",
    "ja": "第1層、中間の層、最終層でのロールアウトのヒートマップ（トークン × トークン）。"
    "最終層に近づくほど行が互いに似る。",
}
chapter.figure("maps", figure, alt[language], data)

# %%
# | label: curves
figure = propagation.layer_curves(table, w)
alt = {
    "en": "Line charts over the layers of mixing, relative entropy, share on special tokens and "
    "distance between rows, for raw attention, attention with residual, rollout and the rollout of "
    "uniform attention; one column for each experiment.",
    "ja": "層ごとの混合度合い、相対エントロピー、特殊トークンの割合、行どうしの距離の折れ線グラフ。"
    "生の注意重み、残差接続込み、ロールアウト、一様な注意のロールアウトを実験ごとに並べる。",
}
chapter.figure("curves", figure, alt[language], table)

# %%
# | label: last
cells, data = propagation.last_layer_table(table, w)
chapter.table("last", cells, data)

# %%
name = p.report.focus.experiment
variant = list(metrics(name, "propagation"))[-1]
measured = metrics(name, "propagation")[variant]
chapter.number("residual", p.propagation.residual, ".2g")
chapter.number("focus-experiment", name)
chapter.number("state", w[variant])
chapter.number("layers", focus.layers)
chapter.number("raw-mixing", measured["raw"]["mixing"]["mean"], ".1%")
chapter.number("residual-mixing", measured["residual"]["mixing"]["mean"], ".1%")
chapter.number("raw-entropy-first", measured["raw"]["entropy"]["first"], ".2f")
chapter.number("raw-entropy-last", measured["raw"]["entropy"]["last"], ".2f")
for method in ("rollout", "uniform"):
    chapter.number(f"{method}-mixing", measured[method]["mixing"]["last"], ".1%")
    chapter.number(f"{method}-special", measured[method]["special_share"]["last"], ".1%")
    chapter.number(f"{method}-distance-first", measured[method]["row_distance"]["first"], ".2f")
    chapter.number(f"{method}-distance", measured[method]["row_distance"]["last"], ".2f")
rollout, uniform = (measured[method]["mixing"]["last"] for method in ("rollout", "uniform"))
chapter.number("amount", findings.amount([rollout], [uniform], language))
chapter.number("apart", findings.apart([measured["rollout"]["row_distance"]["last"]], language))
chapter.number("confidence", p.bootstrap.confidence, ".0%")
chapter.close()
