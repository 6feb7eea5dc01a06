"""Measured dependence of captured texts, and what methods are held against."""

from contextlib import chdir, contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import tiny_experiment as tiny
import torch
from families import build

from attention_mixing.attributions.catalogue import select
from attention_mixing.capture import capture_text
from attention_mixing.capture.dependence import measured_shares
from attention_mixing.measures import measure
from attention_mixing.measures.dependence import BASELINES, ERRORS, ORDER
from attention_mixing.methods.dependence import kept_among_neighbours
from attention_mixing.models.dependence import dependence
from attention_mixing.models.replacements import draw_replacements

TEXT = "the film was not very good but the music was"


@pytest.fixture(scope="module")
def values(copied) -> pd.DataFrame:
    few = {"texts": 3, "draws": 2}
    with chdir(copied):
        values = tiny.take(
            "vectors", tiny.parameters(dependence=few), Path("measured"), only=("dependence",)
        )
    return values.pivot_table(
        "value", ["variant", "text", "layer"], ["quantity", "subject"], dropna=False
    )


def test_what_mixes_nothing_errs_by_all_that_is_depended_on(values):
    assert len(values) == 2 * 3 * 2
    depended = values["dependence", ""]
    assert depended.between(0.01, 0.99).all()
    np.testing.assert_allclose(values["mixing_error", "identity"], depended)
    np.testing.assert_allclose(values["total_variation", "identity"], depended)


def test_every_method_that_can_be_followed_is_held_against_it(values):
    followed = {one.label(whole=True) for one in select(through="product", causal=False)}
    for quantity in (*ERRORS, ORDER):
        assert set(values[quantity].dropna(axis="columns", how="all").columns) | {"symbols"} == {
            "raw",
            *followed,
            *BASELINES,
        }
    assert values["rank_correlation", "symbols"].isna().all()  # equal shares have no order


def build_text(kind, tokenizer, target=None, **options):
    return capture_text(TEXT, target=target, model=(build(kind, **options), tokenizer))


def test_of_a_model_without_attention_between_tokens_nothing_depends_on_others(tokenizer):
    model = build("bert")
    with torch.no_grad():
        for layer in model.encoder.layer:
            layer.attention.output.dense.weight.zero_()
    found = measured_shares(capture_text(TEXT, model=(model, tokenizer)), draws=2, seed=0)
    itself = np.broadcast_to(np.eye(found.values.shape[-1]), found.values.shape)
    np.testing.assert_allclose(found.values, itself, atol=1e-9)


def test_it_is_the_dependence_of_the_model_on_what_it_has_read(tokenizer):
    text = build_text("bert", tokenizer)
    drawn = draw_replacements([text.encoded], draws=2, seed=3)
    model = text.network.model
    (expected,) = dependence(model, [text.encoded], drawn, device=torch.device("cpu"), batch_size=4)
    found = measured_shares(text, draws=2, seed=3)
    assert found.tokens.tolist() == found.queries.tolist() == expected.tokens.tolist()
    shares = expected.layers.shares(kept_among_neighbours(*drawn[0].shape))
    np.testing.assert_allclose(found.values, shares, atol=1e-5)


def test_without_the_first_token_nobody_attends_to_it(tokenizer):
    """As where the attention mask of the model hides it, which is an independent way."""
    text = build_text("bert", tokenizer)
    model, read = text.network.model, text.encoded

    @contextmanager
    def hidden(replaced, original):
        before = replaced["attention_mask"].clone()
        replaced["attention_mask"][:, 0] = 0
        yield
        replaced["attention_mask"][:] = before

    drawn = draw_replacements([read], draws=2, seed=3)
    on_cpu = {"device": torch.device("cpu"), "batch_size": 4}
    (expected,) = dependence(model, [read], drawn, around=hidden, **on_cpu)
    found = measured_shares(text, draws=2, seed=3, without_first=True)
    shares = expected.layers.shares(kept_among_neighbours(*drawn[0].shape))
    np.testing.assert_allclose(found.values, shares, atol=1e-5)
    with_it = measured_shares(text, draws=2, seed=3).values
    assert np.abs(found.values - with_it).max() > 1e-3


def test_a_query_that_sees_the_first_token_alone_still_attends_to_it(tokenizer):
    text = build_text("llama", tokenizer)
    found = measured_shares(text, draws=2, seed=3, without_first=True).values
    np.testing.assert_allclose(found.sum(axis=-1), 1)
    np.testing.assert_allclose(np.triu(np.ones(found.shape[1:]), 1) * found, 0)


def test_rows_of_the_explorer_are_of_special_tokens_too(tokenizer):
    """By hidden states of the model, which is asked about one replaced text at a time."""
    text = build_text("bert", tokenizer)
    model, read = text.network.model, text.encoded

    def states(ids: list[int]) -> np.ndarray:
        with torch.inference_mode():
            output = model(torch.tensor([ids]), output_hidden_states=True)
        return torch.cat(output.hidden_states[1:]).double().numpy()

    (drawn,) = draw_replacements([read], draws=4, seed=0)
    places = np.flatnonzero(~text.special)
    effects = []
    kept = kept_among_neighbours(*drawn.shape)
    for place, others in zip(places, drawn, strict=True):
        change = np.stack(
            [
                states([*read.input_ids[:place], int(other), *read.input_ids[place + 1 :]])
                - states(read.input_ids)
                for other in others
            ]
        )
        squared = (change**2).sum(-1).mean(0)
        effects.append(squared - (1 - kept) * (change.mean(0) ** 2).sum(-1))
    rows = measure(text, "measured_rows").fields["measured_rows"]["dependence"]
    assert np.isnan(rows[..., text.special]).all()
    expected = np.stack(effects, axis=-1) / np.sum(effects, axis=0)[..., None]
    np.testing.assert_allclose(rows[..., places], expected, atol=1e-5)


def test_what_nothing_changes_depends_on_nothing(tokenizer):
    """The first token of a decoder sees itself alone, and is not replaced."""
    text = build_text("llama", tokenizer)
    rows = measure(text, "measured_rows").fields["measured_rows"]["dependence"]
    assert np.isnan(rows[:, 0]).all()
    np.testing.assert_allclose(rows[:, 1:, ~text.special].sum(-1), 1, atol=1e-6)


def test_of_an_encoder_decoder_targets_depend_on_source_and_target(tokenizer):
    text = build_text("bart", tokenizer, target="the actor was bad and dull")
    found = measured_shares(text, draws=2, seed=0)
    layers, queries, tokens = found.values.shape
    source, target = text.of("encoder"), text.of("decoder")
    assert queries == (~target.special).sum()
    assert tokens == queries + (~source.special).sum()
    np.testing.assert_allclose(found.values.sum(-1), 1)
    assert not text.special[found.tokens].any()
    joint = measure(text, "joint_dependence").values
    assert set(joint["layer"]) == {*range(1, layers + 1)}
    identity = joint[(joint["subject"] == "identity") & (joint["quantity"] == "mixing_error")]
    depended = joint.loc[joint["quantity"] == "dependence", "value"]
    np.testing.assert_allclose(identity["value"], depended)
    assert "raw" not in set(joint["subject"])
    assert len(measure(source, "dependence").values)
    assert not len(measure(target, "dependence").values)
    assert measure(target, "measured_rows").fields == {}
    rows = measure(text, "measured_rows_of_target").fields["measured_rows_of_target"]
    shown = rows["dependence"][:, found.queries][..., found.tokens]
    np.testing.assert_allclose(shown, measured_shares(text, draws=4, seed=0).values, atol=1e-6)


def test_all_tokens_alike_are_those_that_a_token_can_stem_from(tokenizer):
    text = build_text("llama", tokenizer)
    found = measure(text, "dependence").values
    alike = found[(found["subject"] == "symbols") & (found["quantity"] == "rank_correlation")]
    assert (alike["value"] > 0).all()  # later tokens have no share of either


def test_a_text_without_another_token_to_put_in_a_place_gives_nothing(tokenizer):
    text = capture_text("film", model=(build("bert"), tokenizer))
    assert measured_shares(text, draws=1, seed=0) is None
    assert not len(measure(text, "dependence").values)
