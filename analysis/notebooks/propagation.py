# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Propagation: raw attention, residual, rollout, flow

# %% tags=["parameters"]
language = "en"
directory = "."

# %%
from IPython.display import HTML

from analysis import params
from analysis.figures import propagation
from analysis.figures.chapter import Chapter
from analysis.figures.findings import propagation as findings
from analysis.figures.markup import escape
from analysis.figures.results import arrays, curves, ends, states, table
from analysis.figures.style import drawable
from analysis.figures.words import words

p = params.load()
w = words(language, "propagation")
chapter = Chapter("propagation", language, directory)
rows = curves("vectors", by="propagation")
name = p.report.focus.experiment
state = states("focus", "matrices", name)[-1]
matrices = arrays("focus", "matrices", name, state)
tokens = table("focus", "matrices", "tokens", name, state)
names = [drawable(token) for token in tokens["token"]]

# %%
# | label: overview
figure, data = propagation.overview(rows, w)
alt = {
    "en": "Line charts over the layers, one column for each experiment: mixing by rollout with the "
    "fixed and with the measured residual and for uniform attention, the distance between the rows "
    "of different tokens, and the share of flows from tokens of the text that are at their bound.",
    "ja": "実験ごとに一列の、層に沿った折れ線グラフ。固定の残差、実測の残差、一様な注意による"
    "ロールアウトの混合度合い、異なるトークンの行どうしの距離、"
    "本文のトークンから出るフローのうち上界に達したものの割合。",
}
chapter.figure("overview", figure, alt[language], data)

# %%
# | label: text
HTML(f'<p class="sample">{escape(tokens["text"].iloc[0])}</p>')

# %%
# | label: lecture
figure, data = propagation.lecture(matrices, names, w)
alt = {
    "en": "Three heat maps of attention from each query token to each key token: one head of the "
    "first layer, the head mean of the first layer, the head mean of the last layer.",
    "ja": "クエリのトークンからキーのトークンへの注意重みの三つのヒートマップ。"
    "第 1 層の一つのヘッド、第 1 層のヘッド平均、最終層のヘッド平均。",
}
chapter.figure("lecture", figure, alt[language], data)

# %%
# | label: cls
figure, data = propagation.cls_rows(matrices, names, w)
alt = {
    "en": "Six heat maps, layers by tokens, of what the [CLS] token reads: raw attention, with "
    "residual, rollout and flow, the latter two also with the measured residual.",
    "ja": "[CLS] が読み取る重みの六つのヒートマップ（層 × トークン）。生の注意重み、"
    "残差接続込み、ロールアウト、フロー、後の二つは実測の残差でも。",
}
chapter.figure("cls", figure, alt[language], data)

# %%
# | label: maps
figure, data = propagation.propagated_maps(matrices, names, w)
alt = {
    "en": "Heat maps of rollout and of flow from each token to each input token after the first, a "
    "middle and the last layer; towards the last layer the rows become alike.",
    "ja": "第 1 層、中間の層、最終層でのロールアウトとフローのヒートマップ"
    "（トークン × 入力トークン）。最終層に近づくほど行が互いに似る。",
}
chapter.figure("maps", figure, alt[language], data)

# %%
# | label: curves
figure, data = propagation.layer_curves(rows, w)
alt = {
    "en": "Line charts over the layers of mixing, relative entropy, share on special tokens and "
    "distance between rows, for raw attention, attention with residual, rollout and flow with "
    "either residual, and the rollout of uniform attention; one column for each experiment.",
    "ja": "層ごとの混合度合い、相対エントロピー、特殊トークンの割合、行どうしの距離の折れ線グラフ。"
    "生の注意重み、残差接続込み、二通りの残差でのロールアウトとフロー、"
    "一様な注意のロールアウトを実験ごとに並べる。",
}
chapter.figure("curves", figure, alt[language], data)

# %%
# | label: tight
figure, data = propagation.tight_curves(rows, w)
alt = {
    "en": "Line charts over the layers of the share of pairs whose flow attains its upper bound, "
    "by kind of source token, with the fixed and with the measured residual; one column for each "
    "experiment.",
    "ja": "フローが上界に達する組の割合の、層に沿った折れ線グラフ。源のトークンの種類ごとに、"
    "固定の残差と実測の残差で示す。実験ごとに一列。",
}
chapter.figure("tight", figure, alt[language], data)

# %%
# | label: last
cells, data = propagation.last_layer_table(rows, w)
chapter.table("last", cells, data)

# %%
keys = ("experiment", "variant", "of")
found = ends("vectors", *keys, "measure", by="propagation", kind="")
tight = ends("vectors", *keys, "kind", by="propagation", measure="tight")
measured = found[name][state]
chapter.number("residual", p.propagation.residual, ".2g")
chapter.number("focus-experiment", name)
chapter.number("state", w[state])
chapter.number("layers", len(matrices["raw"]))
chapter.number("raw-mixing", measured["raw"]["mixing"]["mean"], ".1%")
chapter.number("residual-mixing", measured["residual"]["mixing"]["mean"], ".1%")
chapter.number("raw-entropy-first", measured["raw"]["entropy"]["first"], ".2f")
chapter.number("raw-entropy-last", measured["raw"]["entropy"]["last"], ".2f")
for method in ("rollout", "uniform"):
    chapter.number(f"{method}-distance-first", measured[method]["row_distance"]["first"], ".2f")
for method in ("rollout", "rollout_measured", "flow", "flow_measured", "uniform"):
    label = method.replace("_", "-")
    chapter.number(f"{label}-mixing", measured[method]["mixing"]["last"], ".1%")
    chapter.number(f"{label}-special", measured[method]["special_share"]["last"], ".1%")
    chapter.number(f"{label}-distance", measured[method]["row_distance"]["last"], ".2f")
    if method != "uniform":
        chapter.number(f"{label}-entropy", measured[method]["entropy"]["last"], ".2f")
rollout, uniform, mixed = (
    [measured[method]["mixing"]["last"]] for method in ("rollout", "uniform", "rollout_measured")
)
chapter.number("amount", findings.amount(rollout, uniform, language))
chapter.number("apart", findings.apart([measured["rollout"]["row_distance"]["last"]], language))
chapter.number("measured", findings.measured(rollout, mixed, language))
chapter.number("flat", findings.flat([measured["flow"]["entropy"]["last"]], language))
at_bound = {kind: share["last"] for kind, share in tight[name][state]["flow"].items()}
chapter.number("tight", findings.tight(at_bound, language))
every = [methods for by_state in found.values() for methods in by_state.values()]
bounds = [methods for by_state in tight.values() for methods in by_state.values()]
chapter.number(
    "lead",
    findings.lead(
        [methods["rollout"]["mixing"]["last"] for methods in every],
        [methods["uniform"]["mixing"]["last"] for methods in every],
        [methods["rollout"]["row_distance"]["last"] for methods in every],
        [methods["flow"]["text"]["last"] for methods in bounds],
        language,
    ),
)
chapter.number("confidence", p.bootstrap.confidence, ".0%")
chapter.close()
