# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Geometry: queries and keys in one space

# %% tags=["parameters"]
language = "en"
directory = "."

# %%
from IPython.display import HTML

from analysis import params
from analysis.figures import change, geometry, joint_maps, sentence
from analysis.figures.chapter import NOTHING, Chapter
from analysis.figures.findings import geometry as findings
from analysis.figures.findings.phrases import counted
from analysis.figures.markup import escape
from analysis.figures.published import published
from analysis.figures.results import arrays, curves, facts, of_heads, table, trained
from analysis.figures.style import drawable
from analysis.figures.words import words

p = params.load()
w = words(language, "geometry", "sentence", "joint_maps", "change")
chapter = Chapter("geometry", language, directory)
focus = p.report.focus.experiment
shown = focus, "pretrained"
tokens = table("focus", "matrices", "tokens", *shown)["token"].map(drawable).tolist()
arrays_shown = arrays("focus", "sentence", *shown)
pairs = table("focus", "sentence", "pairs", *shown)
asked = sentence.asked(pairs)
states = geometry.states()
tuned = trained(p)


def figure_if(there, label, draw, alt, module):
    """Publish a figure of what not every run has."""
    if not there:
        return NOTHING
    figure, data = draw()
    return chapter.figure(label, figure, alt[language], data, module=module)


# %%
# | label: close
figure, data = geometry.close_curves(w)
alt = {
    "en": "Line charts over the layers, one column for each experiment: where the strongest key of "
    "a query stands among all keys, by angle, by distance in full dimension and in the plane, "
    "before and after translation and scaling.",
    "ja": "実験ごとに一列の、層に沿った折れ線グラフ。"
    "クエリにとって最も強いキーが全キーのうち何番目に近いかを、"
    "角度、全次元の距離、平面上の距離について、平行移動と尺度変換の前後で示す。",
}
chapter.figure("close", figure, alt[language], data)

# %%
# | label: correlation
figure, data = geometry.correlation_curves(w)
alt = {
    "en": "Line charts over the layers of the rank correlation between dot product and cosine "
    "distance, before and after translation, and of how far the dot products of a query lie from "
    "zero.",
    "ja": "内積とコサイン距離の順位相関と、内積の 0 からの隔たりを、"
    "平行移動の前後で層に沿って示す折れ線グラフ。",
}
chapter.figure("correlation", figure, alt[language], data)

# %%
# | label: heads
data = of_heads("queries-keys", by="geometry", measure="correlation_after")
figure = geometry.head_maps(data, "mean", w["correlation"], w)
alt = {
    "en": "Heat maps of the rank correlation after translation, layers by heads, one for each "
    "experiment and model state.",
    "ja": "平行移動後の順位相関を層とヘッドについて示すヒートマップ。"
    "実験とモデルの状態ごとに一枚。",
}
chapter.figure("heads", figure, alt[language], data)

# %%
# | label: scales
cells, data = geometry.scale_table(w)
chapter.table("scales", cells, data)

# %%
# | label: grid
figure, data = geometry.grid_figure(focus, w)
alt = {
    "en": "Left, a heat map of the strength of the correlation over the constants a and c: rows "
    "differ, columns do not. Right, curves of the correlation with the squared distance over c, "
    "one a head, with a dot at the closed form.",
    "ja": "左は定数 a と c についての相関の強さのヒートマップで、行は違うが列は違わない。"
    "右は c に対する距離の二乗との相関をヘッドごとに示す曲線で、閉形式の位置に点がある。",
}
chapter.figure("grid", figure, alt[language], data)

# %%
# | label: text
HTML(f'<p class="sample">{escape(" ".join(tokens))}</p>')

# %%
# | label: scatter
figure, data = sentence.scatter(arrays_shown, w)
alt = {
    "en": "Scatter plots of dot product against cosine distance in the first layer, for all pairs "
    "and for each token with itself: as the model has them, with the constants of the rebuild, and "
    "with translation and closed form.",
    "ja": "第 1 層における内積とコサイン距離の散布図。すべての組と自分自身との組を、モデルのまま、"
    "再現研究の定数、"
    "平行移動と閉形式の三通りについて示す。",
}
chapter.figure("scatter", figure, alt[language], data, module="sentence")

# %%
# | label: plane
figure, data = sentence.plane(arrays_shown, pairs, tokens, w)
head = sentence.largest(pairs)
place = {"en": "layer {}, head {}", "ja": "第{}層ヘッド{}"}[language].format(*head)
alt = {
    "en": f"Queries and keys of {place} in the plane, three ways, with lines from each query to "
    "its strongest key.",
    "ja": f"{place}のクエリとキーを平面に描いた三枚の図。"
    "各クエリから最も強いキーへ線が引かれている。",
}
chapter.figure("plane", figure, alt[language], data, module="sentence")

# %%
# | label: plane-heads
figure, data = sentence.plane_heads(arrays_shown, pairs, w)
alt = {
    "en": "The same for every layer and head as small panels, translated and scaled.",
    "ja": "平行移動と尺度変換の後の同じ図を、全層全ヘッドについて並べたもの。",
}
chapter.figure("plane-heads", figure, alt[language], data, module="sentence")

# %%
# | label: pairs
(
    chapter.table("pairs", *sentence.pairs_table(pairs, w), module="sentence")
    if len(asked)
    else NOTHING
)

# %%
# | label: joint
figure, data = joint_maps.matrix(*shown, ("pca",), w)
alt = {
    "en": "Small maps of queries and keys by PCA, one panel for each layer and head.",
    "ja": "クエリとキーの PCA による小さなマップを、層とヘッドごとに並べたもの。",
}
chapter.figure(
    "joint",
    figure,
    alt[language],
    data,
    interactive=joint_maps.interactive(focus, p.geometry.pair, w),
    module="joint_maps",
)

# %%
# | label: joint-layouts
laid_out = p.geometry.nonlinear == "all" or focus in p.geometry.nonlinear
alt = {
    "en": "Two matrices of small maps of queries and keys, by UMAP and by t-SNE, one panel for "
    "each layer and head.",
    "ja": "クエリとキーの小さなマップを層とヘッドごとに並べたもの。上は UMAP、下は t-SNE。",
}
figure_if(
    laid_out,
    "joint-layouts",
    lambda: joint_maps.matrix(*shown, ("umap", "tsne"), w),
    alt,
    "joint_maps",
)

# %%
# | label: joint-head
figure, data = joint_maps.one_head(*shown, head, w)
alt = {
    "en": f"Maps of the queries and keys of {place}, coloured by kind with lines for the strongest "
    "pairs, by position, length, frequency, text and role.",
    "ja": f"{place}のクエリとキーのマップ。種類（最も強い組を線で結ぶ）、位置、長さ、頻度、"
    "テキスト、役割で色分けしたもの。",
}
chapter.figure("joint-head", figure, alt[language], data, module="joint_maps")

# %%
# | label: joint-others
sections = []
for experiment in p.experiments:
    if experiment == focus:
        continue
    variant = "finetuned" if experiment in tuned else "pretrained"
    figure, data = joint_maps.matrix(experiment, variant, ("pca",), w)
    alt = {
        "en": f"Small maps of queries and keys by PCA, experiment {experiment}, one panel for each "
        "layer and head.",
        "ja": f"実験 {experiment} のクエリとキーの PCA による小さなマップを、"
        "層とヘッドごとに並べたもの。",
    }
    image = chapter.figure(
        f"joint-{experiment}",
        figure,
        alt[language],
        data,
        interactive=joint_maps.interactive(experiment, p.geometry.pair, w),
        module="joint_maps",
        folded=True,
    )
    sections.append(
        f"<details><summary>{escape(experiment)} · {w[variant]}</summary>{image.data}</details>"
    )
HTML("".join(sections)) if sections else NOTHING

# %%
# | label: joint-trust
chapter.table("joint-trust", *joint_maps.trust_table(w), module="joint_maps")

# %%
# | label: change
alt = {
    "en": "Line charts over the layers, one column for each fine-tuned experiment: change of "
    "attention, of the features and of the weights that make queries, keys and values.",
    "ja": "ファインチューニングした実験ごとに一列の、層に沿った折れ線グラフ。注意、特徴ベクトル、"
    "クエリ・キー・バリューを作る重み行列の変化を示す。",
}
figure_if(tuned, "change", lambda: change.change_curves(p, w), alt, "change")

# %%
# | label: change-heads
alt = {
    "en": "Heat maps of the distance between attention before and after fine-tuning, layers by "
    "heads.",
    "ja": "ファインチューニング前後の注意分布の距離を層とヘッドについて示すヒートマップ。",
}
figure_if(tuned, "change-heads", lambda: change.change_heads(p, w), alt, "change")

# %%
# | label: aligned
alt = {
    "en": "Two maps of the queries and keys of one head, before and after fine-tuning.",
    "ja": "一つのヘッドのクエリとキーのマップ二枚。ファインチューニングの前と後。",
}
figure_if(tuned, "aligned", lambda: joint_maps.aligned(p, w), alt, "joint_maps")


# %%
def defined(name, values, form=".0%"):
    """Publish a number that texts may be too short for."""
    chapter.number(name, findings.defined_span(values, language, form))


for check in ("softmax", "dot", "attention"):
    largest = of_heads("queries-keys", by="geometry", measure=check)["largest"].max()
    chapter.number(f"{check}-deviation", largest, ".0e")
undefined = of_heads("queries-keys", by="geometry", measure="undefined")
chapter.number("undefined", round((undefined["mean"] * undefined["texts"]).sum()))
defined("plane-variance", states["plane_share"])
defined("norm-difference", states["norm_difference"], ".2f")
chapter.number("published-norm-bert", published("B15")["bert"], ".2f")
chapter.number("published-norm-gpt", published("B15")["gpt2"], ".2f")
defined("strongest-special", states["strongest_special"])
for name in ("lead", "correlation", "close", "plane"):
    chapter.number(name, getattr(findings, name)(states, language))
if len(asked):
    chapter.number("pairs", findings.pairs(asked, language))
if tuned:
    chapter.number("tuned", findings.tuned(states, language))
    chapter.number("change", findings.change(geometry.last_shares(), language))
rebuild = curves("focus", by="sentence", variant="pretrained")
rebuild = rebuild.pivot(index="layer", columns="measure", values="mean")
defined("rebuild-spread", [rebuild["spread"].max()], ".0e")
ends = table("focus", "sentence", "grid", *shown)["a"].abs().max()
at_edge = int((rebuild["a"].abs() >= ends).sum())
chapter.number("rebuild-edge", findings.rebuild_edge(at_edge, len(rebuild), language))
defined("order-spread", [rebuild["scale_translate_spread"].iloc[0]], ".2f")
defined("rebuild-own", [rebuild["correlation"].iloc[0]], ".2f")
defined("rebuild-all", [rebuild["all_before"].iloc[0]], ".2f")
chapter.number("question-joint", findings.joint_scale(states, language))
chapter.number("question-lines", findings.lines(*joint_maps.drawn_queries(focus), language))
chapter.number("searched", counted(int(states["searched"].max()), "text", language))
chapter.number("texts", counted(p.geometry.texts, "text", language))
chapter.number("lines", p.geometry.lines)
captured = sum(facts(name)["capture"]["examples"] for name in p.experiments)
chapter.number("captured", counted(captured, "text", language))
chapter.number("states", counted(len(states), "state", language))
chapter.number("confidence", p.bootstrap.confidence, ".0%")
chapter.close()
