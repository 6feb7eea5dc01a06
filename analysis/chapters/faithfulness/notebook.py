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
from analysis.figures.chapter import Chapter, kept_figures, printed_fold
from analysis.figures.front import main_methods, with_others
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


def few_in_front(label, draw, data):
    """Publish a figure of a few methods, and of all in a fold, where there is something to show."""
    return main_methods(chapter, label, draw, data, figures.IN_FRONT) if len(data) else NOTHING


def one_in_front(label, draw, data, by, *more):
    """Publish a figure of one experiment, and of the others in a fold, where there are any."""
    return with_others(chapter, label, draw, data, by, arguments=more) if len(data) else NOTHING


def strips(experiment, methods=explanations.JUDGED, **how):
    """Publish the text of one experiment."""
    how = {"of": experiment, "about": {"experiment": experiment}} | how
    return chapter.figure("text", figures.strips, experiment, methods, **how)


def text_in_front(experiment):
    """Publish the text of one experiment by a few methods, and by all in a fold."""
    large = strips(experiment, figures.IN_FRONT, explore=explorer.view(p, experiment))
    whole = strips(experiment, of=f"{experiment}-all", folded=True)
    return HTML(large.data + printed_fold(w["all_methods"], whole.data))


# %%
# | label: ranking
few_in_front("ranking", figures.ranking, auc)

# %%
# | label: text
text_in_front(experiments[0]) if experiments else NOTHING

# %%
# | label: other-texts
named = w["of"].format(whole=w["experiment"], part="{part}")
folds = [
    details(
        named.format(part=other),
        [strips(other, explore=explorer.view(p, other), folded=True).data],
    )
    for other in experiments[1:]
]
HTML("".join(folds))

# %%
# | label: evidence
evidence = explanations.final_scores(*explanations.EVIDENCE)
where_any(chapter.table, "evidence", figures.evidence_table, evidence)

# %%
# | label: changed
changed = explanations.final_scores(*explanations.CHANGED)
few_in_front("changed", figures.panel, changed)

# %%
# | label: panel
few_in_front("panel", figures.panel, final)

# %%
# | label: matrix
criteria = ("roc_auc", blank_out, "comprehensiveness_normalised")
compared = explanations.every_corpus(criteria)
few_in_front("matrix", figures.matrix, compared)

# %%
# | label: layers
one_in_front("layers", figures.layer_curves, layers, "subject", blank_out)

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
one_in_front("written", figures.written_curves, written, "subject")

# %%
# | label: start
one_in_front("start", figures.start_curves, explanations.starts(), "sign")

# %%
# | label: agreement
one_in_front("agreement", figures.agreement_maps, explanations.agreement(), "subject")

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
kept_figures(chapter, "panel", figures.main_panel, final_of)

# %%
# | label: runs
every_run(chapter, figures.OF_RUNS, predicting=True)

# %%
chapter.close()
