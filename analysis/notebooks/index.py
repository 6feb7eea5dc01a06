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
from analysis.figures import findings, index
from analysis.figures.chapter import Chapter
from analysis.figures.results import curves, metrics, trained
from analysis.figures.words import words

p = params.load()
w = words(language, **index.OWN_WORDS)
w["answer_residual"] = w["answer_residual"].format(f"{p.propagation.residual:g}")
chapter = Chapter("index", language, directory)
table = index.answers(curves(p, "propagation"))

# %%
# | label: answers
alt = {
    "en": "Dot chart of five shares for each experiment and model state: mixing by attention "
    "weights, mixing with the residual counted, mixing after the last layer by rollout, the same "
    "for uniform attention, and the difference left between the rollouts of different tokens.",
    "ja": "実験とモデルの状態ごとに五つの割合を示す点グラフ。注意重みによる混合、"
    "残差接続を数えた混合、最終層までのロールアウトによる混合、均等な注意での同じ値、トークン間に残るロールアウトの差。",
}
chapter.figure("answers", index.answers_figure(table, w), alt[language], table)


# %%
def spread(answer):
    values = table.loc[table["answer"] == answer, "value"]
    low, high = f"{values.min():.1%}", f"{values.max():.1%}"
    return low if low == high else f"{low}–{high}"


for answer in ("raw", "residual", "rollout", "uniform", "distance"):
    chapter.number(answer, spread(f"answer_{answer}"))
final = table.pivot(index=["experiment", "variant"], columns="answer", values="value")
chapter.number(
    "amount", findings.amount(final["answer_rollout"], final["answer_uniform"], language)
)
chapter.number("apart", findings.apart(final["answer_distance"], language))
chapter.number("experiments", len(p.experiments))
chapter.number("texts", sum(metrics(name, "capture")["examples"] for name in p.experiments))
chapter.number("tokens", sum(metrics(name, "capture")["tokens"] for name in p.experiments), ",")
chapter.number("models", ", ".join(sorted({e.model.name for e in p.experiments.values()})))
chapter.number("trained", len(trained(p)))
scores = [metrics(name, "evaluate")["accuracy"] for name in trained(p)]
chapter.number("accuracy", ", ".join(f"{score:.1%}" for score in scores) if scores else "–")
chapter.number("residual-share", p.propagation.residual, "g")
chapter.number("confidence", p.bootstrap.confidence, ".0%")
chapter.close()
