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
language = "en"  # en | ja
directory = "files/faithfulness"  # for what can be downloaded

# %%
from IPython.display import HTML

from analysis.chapters.faithfulness import figures, prose
from analysis.figures.chapter import Chapter, kept_figures
from analysis.figures.runs import every_run
from analysis.prose.phrases import NOTHING
from analysis.results import explanations, explorer
from analysis.results.summary import BLANK_OUT as PUBLISHED_BLANK_OUT
from analysis.results.summary import curves, explained
from analysis.runs.parameters import run_parameters
from attention_mixing.markup import details
from attention_mixing.methods.power import exact_interval

p = run_parameters()
chapter = Chapter("faithfulness", language, directory)
w = chapter.words
experiments = explained(p)
blank_out = f"blank_out_{p.faithfulness.removal}"
measures = explanations.by_removal(p.faithfulness.removal)
final = explanations.final_scores(*measures)
auc = explanations.final_scores("roc_auc")
layers = curves(
    "faithfulness",
    subject=figures.LAYERED,
    quantity=[blank_out, PUBLISHED_BLANK_OUT, "gradient"],
)


def where_any(publish, label, draw, data, *more, **how):
    """Publish a figure or a table, where there is something to show."""
    return publish(label, draw, data, *more, **how) if len(data) else NOTHING


def strips(experiment):
    """Publish the text of one experiment."""
    about = {"experiment": experiment}
    view = explorer.view(p, experiment)
    how = {"of": experiment, "about": about, "explore": view}
    return chapter.figure("text", figures.strips, experiment, **how)


# %%
# | label: ranking
where_any(chapter.figure, "ranking", figures.ranking, auc)

# %%
# | label: text
strips(experiments[0]) if experiments else NOTHING

# %%
# | label: other-texts
named = w["of"].format(whole=w["experiment"], part="{part}")
folds = [details(named.format(part=other), [strips(other).data]) for other in experiments[1:]]
HTML("".join(folds))

# %%
# | label: evidence
evidence = explanations.final_scores(*explanations.EVIDENCE)
where_any(chapter.table, "evidence", figures.evidence_table, evidence)

# %%
# | label: changed
changed = explanations.final_scores(*explanations.CHANGED)
where_any(chapter.figure, "changed", figures.panel, changed)

# %%
# | label: panel
where_any(chapter.figure, "panel", figures.panel, final)

# %%
# | label: matrix
criteria = ("roc_auc", blank_out, "comprehensiveness_normalised")
compared = explanations.every_corpus(criteria)
where_any(chapter.figure, "matrix", figures.matrix, compared)

# %%
# | label: layers
where_any(chapter.figure, "layers", figures.layer_curves, layers, blank_out)

# %%
# | label: published
where_any(chapter.table, "published", figures.curves_table, layers, over=layers)

# %%
# | label: orders
orders = figures.orders_table
whole = explanations.final_scores(*measures, "comprehensiveness")
where_any(chapter.table, "orders", orders, whole, layers, over=whole)

# %%
# | label: written
written = curves("alti_logit", quantity="written", subject=tuple(figures.WRITER_COLOURS))
where_any(chapter.figure, "written", figures.written_curves, written)

# %%
# | label: start
where_any(chapter.figure, "start", figures.start_curves, explanations.starts())

# %%
# | label: agreement
where_any(chapter.figure, "agreement", figures.agreement_maps, explanations.agreement())

# %%
# | label: paired
differences = explanations.paired(p.bootstrap.confidence)
where_any(chapter.table, "paired", figures.paired_table, differences)

# %%
numbers = prose.settings(p, w) | prose.planted(auc, w)
numbers |= prose.leading(compared, figures.COMPARED, w)
if experiments:
    numbers |= prose.explained(experiments, differences, w)
    fewest = int(explanations.explained_texts().min())
    unseen = exact_interval(0, fewest, confidence=p.bootstrap.confidence)[1]
    chapter.number("unseen", unseen, ".0%")
if len(changed):
    numbers |= prose.changed(changed, explanations.deciding_words(), w)
for name, value in numbers.items():
    chapter.number(name, value)


# %%
def final_of(run):
    """Scores of the models of a reference run."""
    return explanations.final_scores(*measures, run=run)


# %%
# | label: kept
kept_figures(chapter, "panel", figures.panel, final_of)

# %%
# | label: runs
every_run(chapter, figures.OF_RUNS, predicting=True)

# %%
chapter.close()
