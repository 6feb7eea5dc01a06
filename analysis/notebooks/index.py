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
from analysis.figures import index
from analysis.figures.chapter import Chapter
from analysis.figures.findings import propagation as findings
from analysis.figures.findings.phrases import span
from analysis.figures.results import metrics, of_task, trained
from analysis.figures.words import words

p = params.load()
w = words(language, **index.OWN_WORDS)
w["answer_residual"] = w["answer_residual"].format(f"{p.propagation.residual:g}")
chapter = Chapter("index", language, directory)
table = index.answers(p)

# %%
# | label: answers
alt = {
    "en": "Dot chart of nine shares for each experiment and model state: mixing by attention "
    "weights, with the residual counted, by vectors and through the whole layer; tokens that can "
    "still be identified; mixing after the last layer by rollout with the fixed and the measured "
    "residual and for uniform attention; the difference left between the rollouts of tokens.",
    "ja": "実験とモデルの状態ごとに九つの割合を示す点グラフ。注意重みによる混合、"
    "残差接続を数えた混合、ベクトルによる混合、層全体での混合、なお見分けられるトークン、固定と実測の残差および均等な注意での"
    "ロールアウトによる混合、トークン間に残るロールアウトの差。",
}
chapter.figure("answers", index.answers_figure(table, w), alt[language], table)


# %%
for answer, values in table.groupby("answer", sort=False)["value"]:
    chapter.number(answer.removeprefix("answer_"), span(list(values)))
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
scores = [metrics(name, "evaluate")["accuracy"] for name in of_task(p, "classification")]
chapter.number("accuracy", ", ".join(f"{score:.1%}" for score in scores) if scores else "–")
chapter.number("residual-share", p.propagation.residual, "g")
chapter.number("confidence", p.bootstrap.confidence, ".0%")
chapter.close()
