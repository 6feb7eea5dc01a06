"""A decoder that learns next words through the stages, from nothing or from what it was before."""

import json
from contextlib import chdir
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import tiny_experiment as tiny
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from analysis.checks.runnable import try_out
from analysis.parameters import Params
from analysis.stages.prepare import prepare
from analysis.stages.train import train
from attention_mixing import corpora
from attention_mixing.capture.store import Capture, captures
from attention_mixing.errors import InputError
from attention_mixing.models.next_word import word_ids
from attention_mixing.models.training_rows import whole_texts
from attention_mixing.models.untrained import untrained

pytestmark = pytest.mark.slow

EXPERIMENT = "verbs"
TINY = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2}
STATES = {
    "untrained": ["pretrained"],
    "scaled": ["pretrained"],
    "local": ["pretrained", "finetuned"],
}


def parameters(source: str) -> Params:
    """Parameters of the experiment, of a model that is there or is made."""
    verbs = tiny.committed()["experiments"][EXPERIMENT]
    verbs["model"]["config"] |= TINY
    if source == "scaled":  # which transformers has no classifier of
        verbs["model"]["type"] = "granite"
        verbs["model"]["config"] |= {"logits_scaling": 4.0}
    if source == "local":
        verbs["model"] = {"source": "local", "name": "tiny"}
    return tiny.learning(EXPERIMENT, verbs)


@pytest.fixture(scope="module", params=list(STATES))
def finished(request, tmp_path_factory) -> tuple[Path, str]:
    directory = tmp_path_factory.mktemp(request.param)
    values = parameters(request.param)
    with chdir(directory):
        if request.param == "local":
            described = parameters("untrained").experiments[EXPERIMENT]
            corpus = corpora.load(described.data, described.task)
            for part in untrained(described.model, whole_texts(corpus.examples)):
                part.save_pretrained("tiny")
        tiny.run_stages(values, EXPERIMENT, "vectors", "propagation", "gradients", "faithfulness")
    return directory / "artifacts" / EXPERIMENT, request.param


@pytest.fixture
def predicting(finished) -> Capture:
    directory, source = finished
    return Capture(captures(directory / "capture", "0")[STATES[source][-1]])


@pytest.fixture
def language_model(finished):
    directory = finished[0] / "train" / "0" / "language-model"
    model = AutoModelForCausalLM.from_pretrained(directory)
    tokenizer = AutoTokenizer.from_pretrained(directory)
    return model, word_ids(tokenizer, ("was", "were"))


def contrast(language_model, ids) -> np.ndarray:
    """Logits of the words in the language model, less their mean."""
    model, words = language_model
    with torch.inference_mode():
        said = model(input_ids=torch.tensor([ids.tolist()])).logits[0, -1, words].double().numpy()
    return said - said.mean()


def values_of(finished, group: str) -> pd.DataFrame:
    return pd.read_parquet(finished[0] / group / "0" / "values.parquet")


def test_words_that_cannot_be_chosen_are_told_before_training(here):
    values = parameters("untrained")
    prepare(values, EXPERIMENT)
    labels = Path("artifacts", EXPERIMENT, "corpus", "labels.json")
    labels.write_text('["was", "were not"]', encoding="utf-8")
    with pytest.raises(InputError, match="the word 'were not' is several tokens"):
        train(values, EXPERIMENT)
    assert not Path("checkpoints").exists()


@pytest.mark.parametrize("source", ["untrained", "scaled"])
def test_a_removal_without_its_token_is_told_before_training(here, source):
    values = parameters(source)
    masked = values.faithfulness.model_copy(update={"removal": "mask"})
    only = {EXPERIMENT: values.experiments[EXPERIMENT]}
    changed = values.model_copy(update={"faithfulness": masked, "experiments": only})
    Path("params.yaml").touch()
    with pytest.raises(InputError, match="the tokenizer has no token for it; allowed"):
        try_out(changed)
    try_out(values.model_copy(update={"experiments": only}))


def test_a_model_has_the_states_that_it_was_in(finished):
    directory, source = finished
    assert list(captures(directory / "capture", "0")) == STATES[source]
    assert set(values_of(finished, "vectors")["variant"]) == set(STATES[source])


def test_the_word_that_is_predicted_is_the_one_that_the_language_model_prefers(
    predicting, language_model
):
    for row in predicting.examples.itertuples():
        logits = contrast(language_model, predicting.tokens_of(row.id)["id"])
        assert row.prediction == logits.argmax()
        odds = 1 / (1 + np.exp(-2 * logits.max()))
        assert row.probability == pytest.approx(odds, abs=1e-5)


def test_what_is_taken_apart_is_the_contrast_of_the_language_model(
    finished, predicting, language_model
):
    values = values_of(finished, "gradients").query("measure == 'alti_logit'")
    assert set(values["variant"]) == {STATES[finished[1]][-1]}
    logit = values[values["quantity"] == "logit"].set_index("text")["value"]
    assert len(logit)
    for text, value in logit.items():
        logits = contrast(language_model, predicting.tokens_of(text)["id"])
        # Of the predicted class minus the mean of the others.
        assert value == pytest.approx(2 * logits.max(), rel=1e-3, abs=1e-5)
    assert values.loc[values["quantity"] == "sum_error", "value"].max() < 1e-4


def test_every_explanation_is_of_the_state_that_predicts(finished):
    values = values_of(finished, "faithfulness").query(
        "measure == 'faithfulness' and facet == 'final'"
    )
    assert set(values["variant"]) == {STATES[finished[1]][-1]}
    assert {"raw", "alti_logit", "integrated_gradients", "left_out_delete"} <= set(
        values["subject"]
    )


def test_there_is_a_change_where_there_was_something_before(finished):
    measured = set(values_of(finished, "vectors")["measure"])
    assert ("change" in measured) is (len(STATES[finished[1]]) == 2)
    assert "head_ablation" in set(values_of(finished, "gradients")["measure"])


def test_no_token_attends_to_later_ones(predicting):
    for text in predicting.examples["id"]:
        assert not np.triu(predicting.array(text, "attention"), 1).any()


def test_scores_say_how_well_words_are_told(finished):
    facts = json.loads((finished[0] / "train" / "facts.json").read_text(encoding="utf-8"))
    assert {"accuracy", "loss", "perplexity"} <= set(facts["evaluate"])
    assert facts["evaluate"]["perplexity"] > 1
    structure = json.loads((finished[0] / "capture" / "facts.json").read_text())["structure"]
    assert (structure["sight"], structure["read"]) == (["earlier"], "last")
