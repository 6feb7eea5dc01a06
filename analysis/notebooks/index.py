# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # The answers at a glance

# %% tags=["parameters"]
language = "en"
directory = "."

# %%
from analysis import params
from analysis.figures import faithfulness, index
from analysis.figures.chapter import Chapter
from analysis.figures.findings import index as findings
from analysis.figures.findings import propagation
from analysis.figures.findings.phrases import counted, span
from analysis.figures.results import metrics, summary, trained
from analysis.figures.words import words

p = params.load()
w = words(language, **index.OWN_WORDS, **faithfulness.OWN_WORDS)
w["answer_residual"] = w["answer_residual"].format(f"{p.propagation.residual:g}")
chapter = Chapter("index", language, directory)
table = index.answers(p)

# %%
# | label: answers
alt = {
    "en": "Dot chart of nine shares, a row each, with a dot for every experiment and model state: "
    "mixing in one layer by attention weights, with the residual counted, by vectors and through "
    "the whole layer; after the last layer, mixing by rollout, for uniform attention and with the "
    "measured residual, the difference left between tokens, and the tokens that can still be "
    "identified.",
    "ja": "九つの割合を一行ずつ示す点グラフ。点は実験とモデルの状態。一つの層については、"
    "注意重みによる混合、残差接続を数えた混合、ベクトルによる混合、層全体での混合。最終層までについては、"
    "ロールアウト、均等な注意のロールアウト、実測の残差によるロールアウトの混合、トークン間に残る差、"
    "なお見分けられるトークン。",
}
chapter.figure("answers", index.answers_figure(table, w), alt[language], table)

# %%
for answer, values in table.groupby("answer", sort=False)["value"]:
    chapter.number(answer.removeprefix("answer_"), span(list(values)))
for variant, part in table[table["answer"] == "answer_identifiable"].groupby("variant"):
    chapter.number(f"identifiable-{variant}", span(list(part["value"])))
final = table.pivot(index=["experiment", "variant"], columns="answer", values="value")
raw, vectors = final["answer_raw"], final["answer_vectors"]
reported, uniform = final["answer_rollout"], final["answer_uniform"]
chapter.number("weights-finding", findings.weights(raw, vectors, language))
chapter.number("rollout-finding", findings.rollout(reported, uniform, language))
chapter.number("amount", propagation.amount(reported, uniform, language))
chapter.number("apart", propagation.apart(final["answer_distance"], language))

# %%
even = [
    methods["flow"]["entropy"]["last"]
    for name in p.experiments
    for methods in summary(name, "propagation")["methods"].values()
]
chapter.number("flow-finding", findings.flow(even, language))
chapter.number("flow-entropy", span(even, ".1%"))

# %%
drawn = index.strongest(p)
if drawn:
    before, after = zip(*drawn, strict=True)
    chapter.number("attentionviz-finding", findings.attentionviz(before, after, language))
    chapter.number("attentionviz-before", span(before))
    chapter.number("attentionviz-after", span(after))

# %%
harmed = list(index.harmed(p).values())
if harmed:
    chapter.number("heads-finding", findings.heads(harmed, language))
    chapter.number("heads-harmed", span(harmed))

# %%
found = (
    faithfulness.read_results(p).found("roc_auc") if faithfulness.explained_experiments(p) else {}
)
best = findings.best_method(found) if found else ""
family = next((name for name, methods in faithfulness.FAMILIES.items() if best in methods), None)
chapter.number("in-short", findings.in_short(raw, vectors, family, w, language))
if found and family:
    chapter.number("explained-finding", findings.explained(found, family, w, language))
    chapter.number("below-chance", findings.below_chance(found, w, language))
    used = [metrics(name, "relevance")["examples"] for name in found[best]]
    chapter.number("explained-scope", findings.explained_scope(used, language))
    for name, method in (("best", best), ("raw", "raw"), ("rollout", "rollout")):
        ranked = [values["mean"] for values in found[method].values()]
        chapter.number(f"explained-{name}", span(ranked))

# %%
captured = [metrics(name, "capture") for name in p.experiments]
names = list(p.experiments)
chapter.number("scope", findings.scope(names, bool(trained(p)), language))
chapter.number("texts", counted(sum(one["examples"] for one in captured), "text", language))
chapter.number("tokens", counted(sum(one["tokens"] for one in captured), "token", language))
known = {(e.model.name, summary(name, "heads")["layers"]) for name, e in p.experiments.items()}
chapter.number("models", findings.models(sorted(known), language))
chapter.number("residual-share", p.propagation.residual, "g")
chapter.number("confidence", p.bootstrap.confidence, ".0%")
chapter.close()
