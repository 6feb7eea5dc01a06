# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Heads: what they attend to, their families and clusters, and what happens without them

# %% tags=["parameters"]
language = "en"
directory = "."

# %%
from IPython.display import HTML

from analysis import params
from analysis.figures import clusters, head_ablation, head_prose, heads, typical_maps
from analysis.figures.chapter import NOTHING, Chapter
from analysis.figures.markup import escape
from analysis.figures.results import arrays, curves, of_heads, overall, states, trained
from analysis.figures.words import words

p = params.load()
w = words(language, "heads", "clusters", "typical_maps", "head_ablation")
chapter = Chapter("heads", language, directory)
described = heads.described()
found = overall("heads", by="clusters")
disabled = of_heads("explain", by="head_ablation")
shown = heads.shown(p)
others = [name for name in p.experiments if name != shown]


def show(label, drawn, alt, module=None, folded=False):
    figure, data = drawn
    return chapter.figure(label, figure, alt[language], data, module=module, folded=folded)


def with_others(label, draw, alt, module=None):
    """Show one experiment, and every other one in a fold below it."""
    parts = [show(label, draw(shown), alt(shown), module).data]
    for name in others:
        fold = show(f"{label}-{name}", draw(name), alt(name), module, folded=True)
        parts.append(f"<details><summary>{escape(name)}</summary>{fold.data}</details>")
    return HTML("".join(parts))


# %%
# | label: atlas
def atlas(name):
    thumbnails = {
        state: arrays("heads", "heads", name, state)["thumbnails"]
        for state in states("heads", "heads", name)
    }
    return heads.atlas(described[described["experiment"] == name], thumbnails, w)


with_others(
    "atlas",
    atlas,
    lambda name: {
        "en": f"Table of small attention maps, layers by heads, of experiment {name}, one table "
        "for each model state: the mean map of every head, framed in the colour of its family.",
        "ja": f"実験 {name} の小さな注意マップを層とヘッドに並べた表。モデルの状態ごとに一つ。"
        "各ヘッドの平均のマップを、その型の色の枠で囲む。",
    },
)

# %%
# | label: families
alt = {
    "en": "Stacked bars over the layers: share of the attention maps in each family by rule, one "
    "panel for each experiment and model state.",
    "ja": "層ごとの積み上げ棒グラフ。規則で分けた各型のマップの割合を、"
    "実験とモデルの状態ごとに示す。",
}
show("families", heads.family_bars(curves("heads", measure="family_share"), w), alt)

# %%
# | label: attended
alt = {
    "en": "Line charts over the layers, one column for each experiment: share of attention on "
    "[CLS], [SEP], other special tokens and punctuation; what [SEP] gives to [SEP]; share on the "
    "previous token, the token itself and the next; entropy divided by ln n.",
    "ja": "実験ごとに一列の、層に沿った折れ線グラフ。[CLS]、[SEP]、その他の特殊トークン、句読点への"
    "注意の割合、[SEP] から [SEP] への割合、直前、自分自身、直後のトークンへの割合、"
    "ln n で割ったエントロピー。",
}
rows = curves("heads", by="heads", measure=list(heads.ATTENDED_COLOURS))
show("attended", heads.attended_curves(rows, w), alt)

# %%
# | label: roles
chapter.table("roles", *heads.roles_table(described, w))

# %%
# | label: quality
alt = {
    "en": "Line charts over the number of clusters, one column for each experiment: distortion, "
    "beside that of data without clusters; silhouette; Calinski-Harabasz; stability; for k-means "
    "and agglomerative clusters.",
    "ja": "クラスタ数に沿った折れ線グラフ。実験ごとに一列。"
    "歪み（クラスタのないデータの値とともに）、シルエット係数、カリンスキー・ハラバシュ指標、安定性を、"
    "k-means と凝集型クラスタリングについて示す。",
}
show("quality", clusters.quality_curves(found, w), alt, "clusters")

# %%
# | label: plane
alt = {
    "en": f"Attention maps of experiment {shown} as dots in the plane of PCA, above, and of "
    "UMAP, below; coloured by cluster, left, and by family, right.",
    "ja": f"実験 {shown} の注意マップを点として、上段は PCA、下段は UMAP の平面に置いた図。"
    "左はクラスタ、右は型で色分けする。",
}
show("plane", clusters.planes(clusters.read(shown, "sample"), w), alt, "clusters")

# %%
# | label: typical
with_others(
    "typical",
    lambda name: typical_maps.typical_maps(clusters.read(name, "typical"), w),
    lambda name: {
        "en": f"Attention maps of experiment {name} nearest to the middle of each cluster, left, "
        "and of each family, right: one large, with the tokens of its text where they fit, and "
        "two small ones, each with its layer and head.",
        "ja": f"実験 {name} の注意マップのうち、左は各クラスタ、右は各型の中心に最も近いもの。"
        "一枚は大きく、入るならばテキストのトークンを添え、二枚は小さく、いずれも層とヘッドを記す。",
    },
    "typical_maps",
)

# %%
# | label: typical-texts
drawn = clusters.read(shown, "typical")
chapter.table("typical-texts", *typical_maps.typical_texts(drawn, w), "typical_maps")

# %%
# | label: by-head
alt = {
    "en": f"Heat maps of layers and heads of experiment {shown}, one for each cluster and "
    "model state: share of the head's maps that are in the cluster.",
    "ja": f"実験 {shown} の層とヘッドのヒートマップ。クラスタとモデルの状態ごとに一枚。"
    "ヘッドのマップのうちそのクラスタに属するものの割合を示す。",
}
show("by-head", clusters.by_head(clusters.read(shown, "heads"), w), alt, "clusters")

# %%
# | label: agreement
chapter.table("agreement", *clusters.agreement_table(found, w), "clusters")

# %%
# | label: distances
alt = {
    "en": f"Heads of experiment {shown} as dots in a plane, near each other where they attend "
    "alike, one panel for each model state; coloured by layer, above, and by family, below.",
    "ja": f"実験 {shown} のヘッドを点として、注意の似たものが近くなるように平面に置いた図。"
    "モデルの状態ごとに一枚。上段は層、下段は型で色分けする。",
}
places = clusters.read(shown, "distances")
show("distances", clusters.head_planes(places, described, w), alt, "clusters")

# %%
# | label: moves
chapter.table("moves", *heads.moves_table(heads.moves(described), w)) if trained(p) else NOTHING

# %%
# | label: ablation
alt = {
    "en": "Heat maps of layers and heads, one column for each experiment with a task: change of "
    "the score, above, and of the loss, below, when the head is disabled; dots mark intervals "
    "that leave out 0.",
    "ja": "層とヘッドのヒートマップ。課題のある実験ごとに一列。"
    "ヘッドを無効にしたときの成績（上段）と損失（下段）の変化。"
    "点は、区間が 0 を含まないヘッドを示す。",
}
(
    show("ablation", head_ablation.ablation_maps(disabled, w), alt, "head_ablation")
    if trained(p)
    else NOTHING
)

# %%
# | label: ablation-table
plain = overall("explain", by="head_ablation", measure=("score", "loss"))
(
    chapter.table(
        "ablation-table",
        *head_ablation.ablation_table(disabled, plain, p.bootstrap.confidence, w),
        "head_ablation",
    )
    if trained(p)
    else NOTHING
)

# %%
for name, value in head_prose.prose(p, w, language).items():
    chapter.number(name, value)
chapter.close()
