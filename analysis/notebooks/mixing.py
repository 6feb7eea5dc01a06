# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Mixing: by weights, by vectors, by the whole layer, and what remains of a token

# %% tags=["parameters"]
language = "en"
directory = "."

# %%
from analysis import params
from analysis.figures import mixing
from analysis.figures.chapter import Chapter
from analysis.figures.findings import mixing as findings
from analysis.figures.findings.phrases import span
from analysis.figures.results import curves, last, overall
from analysis.figures.words import words

p = params.load()
w = words(language, "mixing")
chapter = Chapter("mixing", language, directory)
of_all = {"by": "mixing", "measure": "ratio", "kind": "all"}

# %%
# | label: scopes
data = curves("vectors", **of_all)
figure = mixing.scope_curves(data, w)
alt = {
    "en": "Line charts of the mixing ratio over the layers, one column for each experiment. Above: "
    "attention weights, vectors, each without and with the residual connection, and with layer "
    "normalization. Below: the feed-forward network, its residual and the second normalization.",
    "ja": "層ごとの混合比の折れ線グラフ。実験ごとに一列。上段は注意重みとベクトルについて、"
    "残差接続なし、あり、層正規化まで。下段はフィードフォワード層、その残差接続、二つ目の層正規化まで。",
}
chapter.figure("scopes", figure, alt[language], data)

# %%
# | label: means
cells, data = mixing.scope_table(w)
chapter.table("means", cells, data)

# %%
# | label: kinds
data = curves("vectors", measure="ratio", of="attnresln_n", kind=list(mixing.KIND_COLOURS))
figure = mixing.kind_curves(data, w)
alt = {
    "en": "Line charts of the mixing ratio of the attention block over the layers for [CLS], other "
    "special tokens, [MASK] and text tokens; one column for each experiment.",
    "ja": "注意ブロックの混合比を、[CLS]、その他の特殊トークン、[MASK]、本文のトークンごとに"
    "層に沿って示す折れ線グラフ。実験ごとに一列。",
}
chapter.figure("kinds", figure, alt[language], data)

# %%
# | label: maps
figure, data = mixing.contribution_maps(p, w)
alt = {
    "en": "Heat maps of where the vector of each token comes from in the first and the last layer: "
    "by attention weights, by the norms of the vectors, and by ALTI.",
    "ja": "第 1 層と最終層で、各トークンのベクトルがどのトークンに由来するかを示すヒートマップ。"
    "注意重み、ベクトルのノルム、ALTI による。",
}
chapter.figure("maps", figure, alt[language], data)

# %%
# | label: sources
data = curves("vectors", by="mixing", kind="")
figure = mixing.source_curves(data, w)
alt = {
    "en": "Line charts over the layers of what rollout gives for six kinds of contributions: "
    "mixing, share of tokens that are their own largest source, share on special tokens, distance "
    "between rows; one column for each experiment.",
    "ja": "六種類の寄与をロールアウトした結果の層ごとの折れ線グラフ。混合度合い、"
    "最大の源が自分自身であるトークンの割合、特殊トークンの割合、行どうしの距離。実験ごとに一列。",
}
chapter.figure("sources", figure, alt[language], data)

# %%
# | label: remains
data = curves("vectors", by=["identity", "token_moments"], of="")
figure = mixing.remains_curves(data, w)
alt = {
    "en": "Line charts over the layers, one column for each experiment: cosine of a token to its "
    "own input and share of identifiable tokens; mean cosine between tokens, raw and with the mean "
    "removed; effective rank.",
    "ja": "実験ごとに一列の、層に沿った折れ線グラフ。自分の入力とのコサイン類似度、"
    "識別可能なトークンの割合、トークン間の平均コサイン類似度（そのままと平均を除いたもの）、実効ランク。",
}
chapter.figure("remains", figure, alt[language], data)

# %%
# | label: cka
cka = curves("vectors", by="token_moments", measure="cka")
cka["other"] = cka["of"].astype(int)
figure = mixing.layer_similarity(cka, w)
alt = {
    "en": "Heat maps of the similarity (linear CKA) of every layer to every other layer, one for "
    "each experiment and model state.",
    "ja": "各層と他の各層との類似度（線形 CKA）のヒートマップ。実験とモデルの状態ごとに一枚。",
}
chapter.figure("cka", figure, alt[language], cka)

# %%
state = ["experiment", "variant"]
means = overall("vectors", **of_all).pivot(index=state, columns="of", values="mean")
for scope in mixing.SCOPES:
    chapter.number(scope.replace("_", "-"), span(means[scope]))
chapter.number("lead", findings.lead(means["attn_w"], means["attnresln_n"], language))
steps = [means[scope] for scope in mixing.ATTENTION_SCOPES]
chapter.number("order", findings.scope_order(steps, language))
block = curves("vectors", of="attnresln_n", **of_all).groupby(state)["mean"]
chapter.number("depth", findings.depth(block.first(), block.last(), language))
kinds = overall("vectors", measure="ratio", of="attnresln_n")
kinds = kinds.pivot(index=state, columns="kind", values="mean").reindex(columns=["mask", "text"])
masked = kinds.dropna()
chapter.number("mask", findings.mask(masked["mask"], masked["text"], language))

# %%
left = curves("vectors", by="identity")
first, end = (
    part.pivot(index=state, columns="measure", values="mean")
    for part in (left[left["layer"] == 0], last(left))
)
shares = dict(list(end["identifiability"].groupby("variant")))
chapter.number("identifiable", findings.identifiable(shares, language))
similar = first["similarity"], end["similarity"], end["similarity_centred"]
chapter.number("alike", findings.alike(*similar, language))

# %%
rolled = last(curves("vectors", by="mixing", measure=["special_share", "own_source"]))
rolled = rolled.pivot(index=state, columns=["measure", "of"], values="mean")
special = rolled["special_share"]
chapter.number("special", findings.special(special["attn_w"], special["attnresln_n"], language))
chapter.number("own-source", span(rolled["own_source", "attnresln_n"]))
chapter.number("own-source-alti", span(rolled["own_source", "alti"]))
chapter.number("confidence", p.bootstrap.confidence, ".0%")
chapter.close()
