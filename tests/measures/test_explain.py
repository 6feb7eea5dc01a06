"""Measures of explanations: relations that must hold whatever the model says."""

import json
from contextlib import chdir
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import tiny_experiment as tiny
import torch
from data_sections import FILES

from analysis.parameters import Params
from analysis.results.evidence import records_evidence
from attention_mixing.capture.store import Capture
from attention_mixing.capture.token_scores import read_fields
from attention_mixing.corpora.corpus import Corpus
from attention_mixing.measures.engine.summary import summarise
from attention_mixing.measures.faithfulness import GRADIENT, PAIRED_WITH, REMOVALS
from attention_mixing.measures.removal import removable
from attention_mixing.models import token_ablation
from attention_mixing.models.encode import encode
from attention_mixing.models.load import load_classifier
from attention_mixing.models.token_ablation import ablate
from attention_mixing.models.tokenizer import load_tokenizer
from attention_mixing.settings.experiment import Length
from attention_mixing.settings.sources import FilesData

REMOVED = ["comprehensiveness", "comprehensiveness_normalised", "sufficiency"]
EXPLAIN = tiny.ARTIFACTS / "gradients" / "0"


@pytest.fixture(scope="module")
def measured(copied) -> Path:
    with chdir(copied):
        vectors = tiny.ARTIFACTS / "vectors" / "0"
        tiny.take(
            "vectors", tiny.parameters(), vectors, only=("mixing", "propagation", "value_zeroing")
        )
        tiny.take(
            "explain",
            tiny.parameters(),
            EXPLAIN,
            only=("relevance", "alti_logit", "removal", "faithfulness"),
        )
    return copied


@pytest.fixture(scope="module")
def explain(measured) -> Path:
    return measured / EXPLAIN


@pytest.fixture(scope="module")
def values(explain) -> pd.DataFrame:
    return tiny.read(explain)


@pytest.fixture(scope="module")
def final(values) -> pd.DataFrame:
    """Scores of the whole model, a row a text and method and a column a measure."""
    rows = values[values["facet"] == "final"]
    assert set(rows["variant"]) == {"finetuned"}
    return rows.pivot(index=["text", "subject"], columns="quantity", values="value")


@pytest.fixture(scope="module")
def summary(values) -> pd.DataFrame:
    return summarise([values], tiny.found("explain"), tiny.parameters().bootstrap)


@pytest.fixture(scope="module")
def capture(captures) -> Capture:
    return captures["finetuned"]


# --- faithfulness ---------------------------------------------------------------------------------


def test_what_removal_does_agrees_with_itself_alone_and_is_no_agreement(final, values):
    """Removal is a score as well, held against the other ways to remove tokens."""
    reacts = values[values["quantity"] == "reacts"].pivot(
        index="text", columns="subject", values="value"
    )
    for removal in REMOVALS:
        own = final.xs(f"left_out_{removal}", level="subject")
        assert len(own) == 4
        assert own[[f"blank_out_{removal}", f"top_{removal}"]].isna().all(axis=None)
        for other in {*REMOVALS} - {removal}:
            known = reacts[other].reindex(own.index) == 1
            assert own.loc[~known, f"top_{other}"].isna().all()
            assert own.loc[known, f"top_{other}"].notna().all()


def test_relevance_is_followed_from_the_layer_asked_for(workplace, explain):
    """As the row of that start has it, of whatever start is asked for."""
    later = tiny.parameters(propagation={"start_layer": 1})
    tiny.take("explain", later, Path("later"), only=("relevance", "alti_logit"))
    paths = sorted(Path("later", "fields", "relevance").rglob("*.safetensors"))
    assert paths
    for path in paths:
        found, whole = (
            {(one.method, one.rows): one.scores for one in read_fields(file).token_scores}
            for file in (path, explain / path.relative_to("later"))
        )
        for method in ("relevance_sum", "relevance_rollout", "relevance_sum_against"):
            np.testing.assert_array_equal(found[method, "cls"][-1], found[method, "from"][0])
            np.testing.assert_array_equal(found[method, "from"], whole[method, "from"])
            assert (found[method, "cls"][-1] != whole[method, "cls"][-1]).any()


def test_of_a_text_that_does_not_react_no_blank_out_is_asked(workplace):
    """Whatever is removed: a probability never moves by more than 1."""
    asked = tiny.parameters(faithfulness={"effect": 1.0})
    values = tiny.take("explain", asked, Path("numb"), only=("removal", "faithfulness"))
    assert (values.loc[values["quantity"] == "reacts", "value"] == 0).all()
    judged = values["quantity"].str.startswith(("blank_out_", "top_"))
    assert judged.any()
    assert values.loc[judged, "value"].isna().all()
    asked = tiny.parameters(faithfulness={"effect": 1e-12})
    values = tiny.take("explain", asked, Path("touchy"), only=("removal", "faithfulness"))
    assert (values.loc[values["quantity"] == "reacts", "value"] == 1).all()


def test_what_a_tokenizer_has_no_token_for_is_not_asked_and_has_no_scores(workplace, final):
    """As of decoders, which have no [MASK]; all else is as it was."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(token_ablation, "possible", lambda *_: ["delete", "unknown"])
        values = tiny.take(
            "explain", tiny.parameters(), Path("maskless"), only=("removal", "faithfulness")
        )
    masked = values["subject"].eq("left_out_mask") | values["facet"].eq("left_out_mask")
    masked |= values["quantity"].isin(["blank_out_mask", "top_mask"])
    assert masked.any()
    assert values.loc[masked, "value"].isna().all()
    assert set(values.loc[values["quantity"] == "reacts", "subject"]) == {"delete", "unknown"}
    rows = values[(values["facet"] == "final") & ~masked & (values["subject"] != "random")]
    found = rows.pivot(index=["text", "subject"], columns="quantity", values="value")
    for quantity in ("comprehensiveness", "blank_out_delete"):
        pd.testing.assert_series_equal(
            found[quantity], final[quantity].reindex(found.index), rtol=1e-6, atol=1e-7
        )


def test_words_are_changed_as_the_corpus_says_and_the_dearest_is_looked_for(workplace):
    """Against the classifier, asked about one text after the other."""
    asked = tiny.parameters(faithfulness={"effect": 1e-12})
    values = tiny.take("explain", asked, Path("pairs"), only=("removal", "faithfulness"))
    shown = tiny.shown(Path("pairs"), "faithfulness", "explained")
    rows = values[(values["facet"] == "final") & (values["quantity"] == "top_counterfactual")]
    found = rows[rows["text"] == rows["text"].iloc[0]].set_index("subject")["value"]

    text = Corpus.read(tiny.ARTIFACTS / "corpus").examples.set_index("id").loc[rows["text"].iloc[0]]
    model, tokenizer = load_classifier(tiny.MODEL).eval(), load_tokenizer(tiny.MODEL)
    cut = {"truncation": True, "max_length": asked.experiments["reviews"].length.max_tokens}
    offsets = tokenizer(text["text"], return_offsets_mapping=True, **cut)["offset_mapping"]
    tokens = [
        [position for position, (first, last) in enumerate(offsets) if first < end and start < last]
        for start, end in text["changed"]
    ]

    def probabilities(written: str) -> np.ndarray:
        with torch.no_grad():
            answer = model(**tokenizer(written, return_tensors="pt", **cut))
        return answer.logits.double().softmax(-1)[0].numpy()

    full = probabilities(text["text"])
    others = [probabilities(other)[full.argmax()] for other in text["counterfactuals"]]
    costs = [full.max() - other for other, read in zip(others, tokens, strict=True) if read]
    assert len(costs) > 1
    for method, scores in shown.groupby("method"):
        of_tokens = scores.set_index("position")["score"].to_numpy()
        of_words = [max(of_tokens[read]) for read in tokens if read]
        wanted = float(np.argmax(of_words) == np.argmax(costs))
        if of_words.count(max(of_words)) == 1:
            assert found[method] == wanted
    of_text = values[values["text"] == rows["text"].iloc[0]].set_index("quantity")["value"]
    assert of_text["first_decides"] == float(np.argmax(costs) == 0)
    dearest = text["changed"][int(np.argmax(costs))]
    planted = [any(s < dearest[1] and dearest[0] < e for s, e in text["evidence"])]
    assert of_text["evidence_decides"] == float(any(planted))


def test_a_score_without_its_sign_finds_what_either_sign_finds(final, explain):
    """The unsigned score is the size of the signed one, token by token."""
    shown = tiny.shown(explain, "faithfulness", "explained")
    by_method = shown.pivot(index="position", columns="method", values="score").astype(float)
    for method in ("gradient_x_input", "integrated_gradients", "alti_logit"):
        signed, unsigned = by_method[method], by_method[f"{method}_unsigned"]
        np.testing.assert_array_equal(unsigned, signed.abs())
        assert (signed < 0).any()


def test_neither_special_tokens_nor_masks_are_scored(capture):
    tokens = capture.tokens
    chosen = removable(tokens.assign(token=tokens["token"].where(tokens.index != 3, "[MASK]")))
    assert not chosen[3] and not chosen[tokens["is_special"]].any()
    assert chosen.sum() == (~tokens["is_special"]).sum() - (not tokens["is_special"].iloc[3])


def test_final_scores_are_those_of_the_last_layer(values, final):
    methods = set(final.index.get_level_values("subject"))
    assert {
        "raw",
        "rollout",
        "flow",
        "attn_n",
        "alti_rollout",
        "value_zeroing",
        GRADIENT,
    } <= methods
    assert not [method for method in methods if method.endswith("_against")]
    assert final[REMOVED].notna().all(axis=None)
    rest = values[(values["measure"] == "faithfulness") & (values["facet"] != "final")]
    assert not rest["quantity"].isin(REMOVED).any()
    last = rest[
        (rest["variant"] == "finetuned") & (rest["layer"] == 2) & rest["subject"].isin(methods)
    ]
    last = last[last["facet"].isin(["cls", "input"])]
    last = last.pivot(index=["text", "subject"], columns="quantity", values="value")
    pd.testing.assert_frame_equal(final[last.columns], last)


def test_no_score_is_held_against_itself(values):
    ranks = values[values["quantity"] == "gradient"]
    assert ranks.loc[ranks["subject"] == GRADIENT, "value"].isna().all()
    assert ranks.loc[ranks["subject"] == "gradient_x_input", "value"].notna().all()


def test_the_same_texts_are_judged_by_every_method(values, capture):
    counts = values[values["measure"] == "faithfulness"].groupby("text").size()
    assert counts.nunique() == 1
    labels = capture.examples.set_index("id")["label"][counts.index]
    assert sorted(labels.value_counts()) == [2, 2]


def test_removing_nothing_changes_nothing(workplace, capture):
    changed = tiny.parameters(faithfulness={"fractions": [1.0]})
    values = tiny.take("explain", changed, Path("again"), only=("removal", "faithfulness"))
    # Every token is a top one: none is left to remove ...
    assert (values.loc[values["quantity"] == "sufficiency", "value"] == 0).all()
    # ... or none is kept, whatever the order.
    removed = values[values["quantity"] == "comprehensiveness"].groupby("text")["value"]
    assert (removed.nunique() == 1).all()
    assert (removed.first() != 0).any()
    explained = tiny.shown(Path("again"), "faithfulness", "explained")
    tokens = capture.tokens_of(capture.examples["id"].iloc[0])
    unknown = explained[explained["position"].isin(np.flatnonzero(tokens["token"] == "[UNK]"))]
    blank = unknown[unknown["method"] == "left_out_unknown"]["score"]
    assert len(blank)
    assert (blank == 0).all()


def test_every_order_lies_between_the_limits_of_its_text(workplace):
    changed = tiny.parameters(faithfulness={"effect": 0.0})
    values = tiny.take("explain", changed, Path("limits"), only=("removal", "faithfulness"))
    final = values[values["facet"] == "final"]
    final = final.pivot(index=["text", "subject"], columns="quantity", values="value")
    drops, between = final["comprehensiveness"], final["comprehensiveness_normalised"]
    assert between.between(0, 1).all()
    assert (between.groupby("text").max() > 0).all()
    # One scale a text: what lies between is a straight line of what was lost.
    for text in between.index.unique("text"):
        np.testing.assert_allclose(np.corrcoef(drops[text], between[text]), 1)


@pytest.mark.parametrize("removal", REMOVALS)
def test_blank_out_is_what_the_model_says_without_the_token(measured, capture, explain, removal):
    tokenizer, model = load_tokenizer(measured / tiny.MODEL), load_classifier(measured / tiny.MODEL)
    rows = tiny.shown(explain, "faithfulness", "explained")
    rows = rows[rows["method"] == f"left_out_{removal}"]
    example = capture.examples.iloc[0]
    assert rows["token"].tolist() == capture.tokens_of(example["id"])["written"].tolist()
    (text,) = encode([example["text"]], tokenizer, Length(max_tokens=40, longer="truncate"))
    sets = [set(), *({position} for position in rows["position"])]
    how = {"removal": removal, "batch_size": 8, "device": torch.device("cpu")}
    ((whole, *left),) = ablate(model, tokenizer, [text], [sets], **how)
    assert example["probability"] == pytest.approx(whole.max(), abs=1e-6)
    drops = whole.max() - np.array(left)[:, whole.argmax()]
    expected = np.where(rows["is_special"], np.nan, drops)
    np.testing.assert_allclose(rows["score"], expected, atol=1e-6)


def test_agreement_is_a_correlation_matrix(summary, final):
    table = summary[summary["quantity"] == "correlation"]
    methods = list(final.index.get_level_values("subject").unique())
    matrix = table.pivot(index="subject", columns="facet", values="mean").loc[methods, methods]
    assert len(table) == len(methods) ** 2
    np.testing.assert_array_equal(matrix, matrix.T)
    np.testing.assert_allclose(np.diagonal(matrix), 1)
    assert matrix.abs().max(axis=None) <= 1 + 1e-12
    assert set(summary["minus"]) == {"", *PAIRED_WITH}


# --- ALTI-Logit -----------------------------------------------------------------------------------


def test_what_is_written_adds_up_to_the_logit_of_the_prediction(values, capture):
    own = values[values["measure"] == "alti_logit"]
    assert (own.loc[own["quantity"] == "sum_error", "value"] < 1e-4).all()
    logits = own[own["quantity"] == "logit"].set_index("text")["value"]
    written = own[own["quantity"] == "written"].groupby("text")["value"].sum()
    np.testing.assert_allclose(written, logits, atol=1e-4)
    probability = capture.examples.set_index("id")["probability"][logits.index]
    np.testing.assert_allclose(1 / (1 + np.exp(-logits)), probability, atol=1e-4)


# --- relevance ------------------------------------------------------------------------------------


def test_relevance_is_of_every_token_and_integrals_begin_at_special_ones(explain, final, capture):
    """For and against the class, to every layer and from every start layer (here one) to the last.

    Rollout begins with the token itself, so its rows sum to 1; the baseline of integrated gradients
    keeps special tokens, so they get nothing.
    """
    for text in final.index.get_level_values("text").unique():
        path = explain / "fields" / "relevance" / "finetuned" / f"{text:06d}.safetensors"
        fields = {(one.method, one.rows): one for one in read_fields(path).token_scores}
        special = capture.tokens_of(text)["is_special"].to_numpy(bool)
        for sign in ("", "_against"):
            for method in ("relevance_sum", "relevance_rollout"):
                for rows, layers in {"cls": (1, 2), "max": (1, 2), "from": (2,)}.items():
                    scored = fields[f"{method}{sign}", rows]
                    assert scored.scores.shape == (len(layers), len(special))
                    assert scored.first_layer == layers[0]
            rolled = fields[f"relevance_rollout{sign}", "cls"].scores
            np.testing.assert_allclose(rolled.sum(axis=-1), 1, atol=1e-5)
        # Up to the last layer, the first token has read others.
        assert (fields["relevance_sum", "from"].scores[:, 1:] != 0).any()
        (scores,) = fields["integrated_gradients", "input"].scores
        assert (scores[special] == 0).all()
        assert (scores[~special] != 0).any()


def test_words_that_people_marked_are_the_evidence(here, make_model, tokenizer):
    rows = [
        {"text": "the film was very good", "label": 1, "why": [[13, 22]]},
        {"text": "a dull plot", "label": 0, "why": [[2, 6]]},
        {"text": "the music was bad", "label": 0, "why": None},
    ]
    lines = "".join(f"{json.dumps(row)}\n" for row in rows * 2)
    for name in ("train", "test"):
        Path(f"{name}.jsonl").write_text(lines, encoding="utf-8")
    values = tiny.parameters().model_dump(mode="json")
    values["files"] |= {"train": "train.jsonl", "test": "test.jsonl"}
    values["experiments"]["reviews"]["data"] = FILES | {
        **{"train": "train", "test": "test", "evidence": "why"},
        "limits": {"train": None, "test": None},
    }
    given = Params.model_validate(values)
    tiny.make(make_model, tokenizer, given)
    captured = Capture(tiny.CAPTURED / "pretrained")
    marked = captured.tokens.merge(captured.examples, left_on="example_id", right_on="id")
    evidence = marked[marked["is_evidence"].fillna(False)].groupby("text")["token"].agg(set)
    assert evidence.to_dict() == {rows[0]["text"]: {"very", "good"}, rows[1]["text"]: {"dull"}}
    assert set(marked.loc[marked["is_evidence"].isna(), "text"]) == {rows[2]["text"]}

    tiny.take(
        "vectors",
        given,
        tiny.ARTIFACTS / "vectors" / "0",
        only=("mixing", "propagation", "value_zeroing"),
    )
    tiny.take(
        "explain", given, EXPLAIN, only=("relevance", "alti_logit", "removal", "faithfulness")
    )
    found = tiny.read(EXPLAIN)
    auc = found[(found["facet"] == "final") & (found["quantity"] == "roc_auc")]
    known = captured.examples.set_index("id")["text"] != rows[2]["text"]
    defined = auc.groupby("text")["value"].agg(lambda scores: scores.notna().all())
    assert defined.to_dict() == {text: known[text] for text in defined.index}
    assert known[defined.index].nunique() == 2
    assert records_evidence(given.experiments["reviews"].data)


def test_files_without_marked_words_have_no_evidence():
    assert not records_evidence(FilesData(**FILES))
