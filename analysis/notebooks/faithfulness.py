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
w = words(
    language, "faithfulness", "explained_text", "faithfulness_tables", "findings_faithfulness"
)
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
    return chapter.figure(label, image, alt, data)


def table(label, make, shown, *more):
    """Publish a table, where there is something to put into it."""
    if not len(shown):
        return NOTHING
    cells, data = make(shown, *more, w)
    return chapter.table(label, cells, data, module="faithfulness_tables")


# %%
# | label: ranking
figure("ranking", faithfulness.ranking, w["alt_ranking"], auc)

# %%
# | label: text


def strips(experiment):
    """Publish the text of one experiment."""
    image, data = explained_text.strips(experiment, w)
    text = w["alt_text"].format(experiment=experiment)
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
figure("panel", faithfulness.panel, w["alt_panel"], final)

# %%
# | label: layers
figure("layers", faithfulness.layer_curves, w["alt_layers"], layers, blank_out)

# %%
# | label: published
table("published", faithfulness_tables.published_curves, layers)

# %%
# | label: orders
table("orders", faithfulness_tables.published_orders, final, layers)

# %%
# | label: start
figure("start", faithfulness.start_curves, w["alt_start"], faithfulness.starts())

# %%
# | label: agreement
figure("agreement", faithfulness.agreement_maps, w["alt_agreement"], faithfulness.agreement())

# %%
# | label: paired
table("paired", faithfulness_tables.paired_table, faithfulness.paired())

# %%
numbers = faithfulness.settings(p, w)
if experiments:
    numbers |= faithfulness.explained(experiments, w)
for name, value in numbers.items():
    chapter.number(name, value)
chapter.state(w)
chapter.close()
