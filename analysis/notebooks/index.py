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
from analysis.figures.findings.faithfulness import best_method
from analysis.figures.phrases import counted, span
from analysis.figures.results import curves, facts, last, of_heads, overall, trained
from analysis.figures.words import words

p = params.load()
w = words(language, "index", "faithfulness", "findings_index")
w["answer_residual"] = w["answer_residual"].format(share=f"{p.propagation.residual:g}")
chapter = Chapter("index", language, directory)
table = index.answers()

# %%
# | label: answers
chapter.figure("answers", index.answers_figure(table, w), w["alt_answers"], table)

# %%
for answer, values in table.groupby("answer", sort=False)["mean"]:
    chapter.number(answer.removeprefix("answer_"), span(values))
for variant, part in table[table["answer"] == "answer_identifiable"].groupby("variant"):
    chapter.number(f"identifiable-{variant}", span(part["mean"]))
state = ["experiment", "variant"]
final = table.pivot(index=state, columns="answer", values="mean")
raw, vectors = final["answer_raw"], final["answer_vectors"]
reported, uniform = final["answer_rollout"], final["answer_uniform"]
chapter.number("weights-finding", findings.weights(raw, vectors, w))
chapter.number("rollout-finding", findings.rollout(reported, uniform, w))

# %%
even = last(curves("vectors", measure="entropy", of="flow"))["mean"]
chapter.number("flow-finding", findings.flow(even, w))
chapter.number("flow-entropy", span(even, ".1%"))

# %%
# Where the strongest key stands in AttentionViz's plane, as a share of the way from the nearest key
# to the farthest; undefined where texts are too short.
plane = overall("queries-keys", by="geometry", measure=["plane_before", "plane_after"])
plane = plane.pivot(index=state, columns="measure", values="mean").dropna()
if len(plane):
    before, after = plane["plane_before"], plane["plane_after"]
    chapter.number("attentionviz-finding", findings.attentionviz(before, after, w))
    chapter.number("attentionviz-before", span(before))
    chapter.number("attentionviz-after", span(after))

# %%
without = of_heads("explain", by="head_ablation", measure="score_change")
harmed = (without["high"] < 0).groupby(without["experiment"]).mean()
if len(harmed):
    chapter.number("heads-finding", findings.heads(harmed, w))
    chapter.number("heads-harmed", span(harmed))

# %%
auc = faithfulness.final_scores("roc_auc")
best = best_method(auc) if len(auc) else ""
family = next((name for name, methods in faithfulness.FAMILIES.items() if best in methods), None)
chapter.number("in-short", findings.in_short(raw, vectors, family, w))
if family:
    chapter.number("explained-finding", findings.explained(auc, family, w))
    chapter.number("below-chance", findings.below_chance(auc, w))
    texts = list(faithfulness.explained_texts()[auc["experiment"].unique()])
    chapter.number("explained-scope", findings.explained_scope(texts, w))
    for name, method in (("best", best), ("raw", "raw"), ("rollout", "rollout")):
        chapter.number(f"explained-{name}", span(auc.loc[auc["of"] == method, "mean"]))

# %%
captured = [facts(name)["capture"] for name in p.experiments]
names = list(p.experiments)
chapter.number("scope", findings.scope(names, bool(trained(p)), w))
chapter.number("texts", counted(sum(one["examples"] for one in captured), "text", w))
chapter.number("tokens", counted(sum(one["tokens"] for one in captured), "token", w))
layers = curves("vectors", by="mixing").groupby("experiment")["layer"].max()
known = {(e.model.name, layers[name]) for name, e in p.experiments.items()}
chapter.number("models", findings.models(sorted(known), w))
chapter.number("residual-share", p.propagation.residual, "g")
chapter.number("confidence", p.bootstrap.confidence, ".0%")
chapter.close()
