# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Anatomy: attention step by step, three architectures, BertViz

# %% tags=["parameters"]
language = "en"
directory = "."

# %%
from IPython.display import HTML

from analysis.figures import (
    anatomy,
    anatomy_results,
    attention_steps,
    bertviz_views,
    small_models,
    view_pictures,
)
from analysis.figures.bertviz_views import Attention
from analysis.figures.chapter import Chapter
from analysis.figures.findings import anatomy as findings
from analysis.figures.markup import escape
from analysis.figures.words import words
from analysis.methods.attention_maps import largest_weight_kinds, mean_total_variation
from analysis.methods.scaled_dot_product import relative_length

w = words(language, "anatomy", "attention_steps", "small_models", "view_pictures")
chapter = Chapter("anatomy", language, directory)
shown = anatomy_results.read_anatomy()
found, small = shown.found, shown.found["small"]


def with_view(label, picture, view):
    """Put a view of BertViz into a fold below its static picture."""
    return HTML(picture.data + chapter_view(label, view))


def chapter_view(label, view):
    """Write a view as a file of its own; return the fold that opens it and a link to it."""
    (chapter.directory / f"{label}.html").write_text(view.page, encoding="utf-8")
    return bertviz_views.fold(view, f"files/{chapter.name}/{label}.html", language)


# %%
# | label: overview
figure, data = anatomy.overview(shown, w)
off = anatomy_results.scientific(findings.largest_deviation(found["steps"]))
alt = {
    "en": "Heat map of one head rebuilt by hand; a dot for the deviation of each step, the largest "
    f"at {off} of the largest value; and three attention maps of small models: of an encoder, of a "
    "decoder, blank above the diagonal, and of cross-attention.",
    "ja": "手で組み立てた一つのヘッドのヒートマップ、段階ごとの差を示す点（最大のものは最大値の "
    f"{off}）、小さなモデルの三つの注意マップ。エンコーダ、対角線より上が空白のデコーダ、"
    "交差注意の順に並ぶ。",
}
chapter.figure("overview", figure, alt[language], data)

# %%
# | label: text
tokens = " ".join(f"<code>{escape(token)}</code>" for token in found["tokens"])
HTML(f'<p class="sample">{escape(found["text"])}<br>{tokens}</p>')

# %%
# | label: projections
figure, data = attention_steps.projections(shown, w)
alt = {
    "en": "Four heat maps with a row for each token: the vector that enters the layer, and the "
    "query, key and value of one head.",
    "ja": "トークンごとに一行の四つのヒートマップ。層に入るベクトルと、"
    "一つのヘッドのクエリ、キー、バリュー。",
}
chapter.figure("projections", figure, alt[language], data, module="attention_steps")

# %%
# | label: weights
figure, data = attention_steps.weights(shown, w)
alt = {
    "en": "Three matrices of queries by keys: scores in colours around zero, the weights that "
    "softmax makes of them, and the weights without the division.",
    "ja": "クエリ × キーの三つの行列。ゼロを中心に色分けしたスコア、そのソフトマックスである"
    "注意重み、割らないときの重み。",
}
chapter.figure("weights", figure, alt[language], data, module="attention_steps")

# %%
# | label: sum
figure, data = attention_steps.weighted_sum(shown, w)
alt = {
    "en": "Bars of one token's weights, the values of all tokens, the values multiplied by the "
    "weights, and below them their sum, one vector.",
    "ja": "一つのトークンの重みの棒グラフ、全トークンのバリュー、重みを掛けたバリュー、"
    "その下に和である一本のベクトル。",
}
chapter.figure("sum", figure, alt[language], data, module="attention_steps")

# %%
# | label: block
figure, data = attention_steps.block(shown, w)
alt = {
    "en": "Heat maps of what all heads read, side by side, and of its projection; bars compare its "
    "length with that of the vector it is added to, token by token.",
    "ja": "全ヘッドが読んだものを並べたヒートマップと、その射影。"
    "足される側のベクトルとの長さの比較をトークンごとの棒で示す。",
}
chapter.figure("block", figure, alt[language], data, module="attention_steps")

# %%
# | label: deviations
cells, data = attention_steps.deviation_table(shown, w)
chapter.table("deviations", cells, data, module="attention_steps")

# %%
# | label: heads
figure, data = attention_steps.head_maps(shown, w)
alt = {
    "en": "Heat maps of the attention of every head of one layer, on one scale; a frame marks the "
    "head of the steps before.",
    "ja": "一つの層の全ヘッドの注意を同じ尺度で示すヒートマップ。枠は、ここまでの各段階で"
    "取り上げたヘッド。",
}
chapter.figure("heads", figure, alt[language], data, module="attention_steps")

# %%
# | label: architectures
figure, data = small_models.small_maps(shown, w)
alt = {
    "en": "Heat maps of every head of the three small models while they write a row of words "
    "backwards. Decoders are blank above the diagonal, where their mask hides the keys.",
    "ja": "三つの小さなモデルが単語の列を逆向きに書くときの、全ヘッドのヒートマップ。"
    "デコーダでは、マスクがキーを隠す対角線より上が空白である。",
}
chapter.figure("architectures", figure, alt[language], data, module="small_models")

# %%
# | label: sight
cells, data = small_models.small_table(shown, w)
chapter.table("sight", cells, data, module="small_models")

# %%
# | label: head-view
text = found["text"]
whole = Attention(shown.arrays["attention"], found["tokens"], found["tokens"])
figure, data = view_pictures.head_picture(shown, w)
alt = {
    "en": "Two columns of the same tokens, joined by lines as opaque as the attention weights: "
    "every head of one layer in its own colour, and one head alone.",
    "ja": "同じトークンの二つの列を、注意重みに応じた濃さの線で結んだ図。"
    "一つの層の全ヘッドを色分けしたものと、一つのヘッドだけのもの。",
}
picture = chapter.figure("head-view", figure, alt[language], data, module="view_pictures")
with_view("head_view", picture, bertviz_views.head_view([whole], found["layer"], text, language))

# %%
# | label: model-view
figure, data = view_pictures.model_picture(shown, w)
alt = {
    "en": "A grid of thumbnails, layers by heads, each with the lines of its attention.",
    "ja": "層 × ヘッドに並べた小さな図。それぞれが注意の線を示す。",
}
picture = chapter.figure("model-view", figure, alt[language], data, module="view_pictures")
with_view("model_view", picture, bertviz_views.model_view(whole, text, language))

# %%
# | label: neuron-view
figure, data = view_pictures.neuron_picture(shown, w)
alt = {
    "en": "Coloured strips: the query of one token, the keys of all tokens, their products by "
    "dimension, the sums, and bars of the softmax.",
    "ja": "色の帯で、一つのトークンのクエリ、全トークンのキー、次元ごとの積、その和を示し、"
    "ソフトマックスを棒で示す。",
}
picture = chapter.figure("neuron-view", figure, alt[language], data, module="view_pictures")
view = bertviz_views.neuron_view(
    whole,
    shown.arrays["query"],
    shown.arrays["key"],
    found["layer"],
    found["head"],
    shown.query,
    text,
    language,
)
with_view("neuron_view", picture, view)

# %%
# | label: cross-view
both = small["encoder_decoder"]
attentions = [
    Attention(shown.arrays[name], both[read], both[seen], w[name])
    for name, (read, seen) in anatomy_results.SMALL_MAPS.items()
    if name.startswith("encoder_decoder/")
]
view = bertviz_views.head_view(attentions[::-1], 1, w["encoder_decoder"], language)
HTML(chapter_view("cross_view", view))

# %%
chapter.number("lead", findings.lead(found["steps"], small, language))
chapter.number("exactness", findings.exactness(found["steps"], language))
chapter.number("model", found["model"])
chapter.number("layer", found["layer"])
chapter.number("head", found["head"])
chapter.number("layers", found["layers"])
chapter.number("heads", found["heads"])
chapter.number("dimension", found["dimension"])
chapter.number("head-dimension", found["head_dimension"])
chapter.number("query", found["tokens"][shown.query])
chapter.number("rows-sum", anatomy_results.scientific(found["row_sum_deviation"]))
chapter.number("scale", findings.scale(found["scaling"], language))
added = relative_length(shown.arrays["output"], shown.arrays["input"])
chapter.number("residual", findings.residual(added, language))
maps = shown.arrays["attention"][shown.place[0]]
kinds = largest_weight_kinds(maps, shown.special)
chapter.number("strongest", findings.heads(kinds, mean_total_variation(maps), language))
chapter.number("words", len(both["read"]))
chapter.number("learned", findings.learned(small, language))
chapter.number("mirror", findings.mirror(small, language))
chapter.number("leak", findings.leak(small, language))
chapter.close()
