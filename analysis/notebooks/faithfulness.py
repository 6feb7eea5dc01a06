# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Faithfulness: which attribution explains the fine-tuned model

# %% tags=["parameters"]
language = "en"
directory = "."

# %%
from IPython.display import HTML

from analysis import params
from analysis.figures import explained_text, faithfulness, faithfulness_tables
from analysis.figures.chapter import NOTHING, Chapter
from analysis.figures.markup import escape
from analysis.figures.results import curves, of_task
from analysis.figures.words import words

p = params.load()
w = words(language, "faithfulness", "explained_text", "faithfulness_tables")
chapter = Chapter("faithfulness", language, directory)
experiments = of_task(p, "classification")
blank_out = f"blank_out_{p.faithfulness.removal}"
final = faithfulness.final_scores(*faithfulness.MEASURES)
auc = faithfulness.final_scores("roc_auc")
layers = curves(
    "explain", by="faithfulness", of=faithfulness.LAYERED, measure=faithfulness.MEASURES
)


def figure(label, draw, alt, shown, *more):
    """Publish a figure, where there is something to draw."""
    if not len(shown):
        return NOTHING
    image, data = draw(shown, *more, w)
    return chapter.figure(label, image, alt[language], data)


def table(label, make, shown, *more):
    """Publish a table, where there is something to put into it."""
    if not len(shown):
        return NOTHING
    cells, data = make(shown, *more, w)
    return chapter.table(label, cells, data, module="faithfulness_tables")


# %%
# | label: ranking
alt = {
    "en": "Dot plots of the ROC-AUC with which each method finds the planted evidence, one column "
    "for each experiment, methods from best to worst, with the line of chance at one half.",
    "ja": "各手法が根拠の語を見つける ROC-AUC の点プロット。実験ごとに一列、手法は良い順。"
    "縦線はランダムな場合の水準（二分の一）。",
}
figure("ranking", faithfulness.ranking, alt, auc)

# %%
# | label: text
alt = {
    "en": "Heat strips over the tokens of one text, one row for each method, grouped by what the "
    "method looks at; the evidence is marked in the top row. Experiment {}.",
    "ja": "一つのテキストのトークンに沿ったヒートマップ。手法ごとに一行、手法が見るものごとに"
    "まとめる。最上段に根拠の語を示す。実験 {}。",
}


def strips(experiment):
    """Publish the text of one experiment."""
    image, data = explained_text.strips(experiment, w)
    text = alt[language].format(experiment)
    return chapter.figure(f"text-{experiment}", image, text, data, module="explained_text")


strips(experiments[0]) if experiments else NOTHING

# %%
# | label: other-texts
HTML(
    "".join(
        f"<details><summary>{escape(w['experiment'])}: {escape(experiment)}</summary>"
        f"{strips(experiment).data}</details>"
        for experiment in experiments[1:]
    )
)

# %%
# | label: evidence
evidence = faithfulness.final_scores("roc_auc", "average_precision")
table("evidence", faithfulness_tables.evidence_table, evidence)

# %%
# | label: panel
alt = {
    "en": "Dot plots, methods as rows grouped by what they look at, measures as columns: ROC-AUC "
    "against evidence, Spearman correlation with three kinds of blank-out and with gradients, "
    "comprehensiveness, sufficiency; one marker for each experiment.",
    "ja": "手法を行（見るものごとにまとめる）、尺度を列とする点プロット。根拠に対する ROC-AUC、"
    "三種類のブランクアウトおよび勾配との順位相関、包括性、十分性。印の形は実験を表す。",
}
figure("panel", faithfulness.panel, alt, final)

# %%
# | label: layers
alt = {
    "en": "Line charts over the layers of the rank correlation of raw attention, rollout and flow "
    "with blank-out and with gradients, read off the row of [CLS] and off the maximum over all "
    "rows; one column for each experiment.",
    "ja": "生の注意重み、ロールアウト、アテンションフローと、ブランクアウトおよび勾配との順位相関を"
    "層に沿って示す折れ線グラフ。[CLS] の行と全行の最大値について。実験ごとに一列。",
}
figure("layers", faithfulness.layer_curves, alt, layers, blank_out)

# %%
# | label: published
table("published", faithfulness_tables.published_curves, layers)

# %%
# | label: orders
table("orders", faithfulness_tables.published_orders, final, layers)

# %%
# | label: start
alt = {
    "en": "Line charts of the ROC-AUC of two relevance rules over the first layer that counts, for "
    "evidence for and against the predicted class; one column for each experiment.",
    "ja": "二つの関連度の規則の ROC-AUC を、数え始める層に沿って示す折れ線グラフ。"
    "予測クラスを支持する証拠と反する証拠。実験ごとに一列。",
}
figure("start", faithfulness.start_curves, alt, faithfulness.starts())

# %%
# | label: agreement
alt = {
    "en": "Heat maps, one for each experiment, of the mean rank correlation between every two "
    "methods; blue below zero, black at zero, red above.",
    "ja": "二つの手法の間の順位相関の平均を示すヒートマップ。実験ごとに一枚。"
    "負は青、0 は黒、正は赤。",
}
figure("agreement", faithfulness.agreement_maps, alt, faithfulness.agreement())

# %%
# | label: paired
table("paired", faithfulness_tables.paired_table, faithfulness.paired())

# %%
numbers = faithfulness.settings(p, w, language)
if experiments:
    numbers |= faithfulness.explained(experiments, blank_out, w, language)
if len(auc):
    numbers |= faithfulness.marked(w, language)
for name, value in numbers.items():
    chapter.number(name, value)
chapter.close()
