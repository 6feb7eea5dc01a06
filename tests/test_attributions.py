"""Matrices of the catalogue: what they sum to, how they are followed, what is refused."""

import ast
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from families import build

from analysis.figures.style import METHOD_COLOURS, method_colour
from analysis.prose.messages import words
from attention_mixing import explorer
from attention_mixing.attributions import attribution, attributions, register
from attention_mixing.attributions.catalogue import (
    CATALOGUE,
    chosen,
    explanations,
    labels,
    select,
)
from attention_mixing.attributions.matrices import LAYERS
from attention_mixing.attributions.of_prediction import SCORED
from attention_mixing.attributions.passes import PASSES
from attention_mixing.attributions.through import ThroughLayers
from attention_mixing.capture import capture_text
from attention_mixing.circuits.measures import OF_LABELS, layer_measures, model_measures
from attention_mixing.errors import InputError
from attention_mixing.explorer.columns import DEPENDENCE, METHODS
from attention_mixing.measures import measure
from attention_mixing.measures.faithfulness import explaining
from attention_mixing.methods.rollout import attention_rollout, with_residual
from attention_mixing.methods.whole_layer import FEED_FORWARD_SCOPES

ROOT = Path(__file__).parents[1]
TEXT = "the film was not very good, but the music was"


@pytest.fixture(scope="module", params=["bert", "gpt2"])
def text(request, make_model, tokenizer):
    return capture_text(TEXT, model=(make_model(request.param), tokenizer))


@pytest.fixture(scope="module")
def joint(tokenizer):
    return capture_text(TEXT, target="the actor was bad", model=(build("t5"), tokenizer))


def defined(text, **wanted):
    return [one.name for one in select(**wanted) if one.defined(text)]


def test_rows_sum_to_one_of_each_layer_and_through_all(text):
    for name in defined(text):
        method = CATALOGUE[name]
        for rolled in (False, True) if method.through == "product" else (False,):
            values = attribution(text, name, rolled=rolled).values
            np.testing.assert_allclose(values.sum(axis=-1), 1, atol=1e-5, err_msg=name)


def test_a_method_rolled_out_is_the_product_of_its_layers(text):
    for name in defined(text, through="product", beside=None):
        layers = attribution(text, name, rolled=False).values
        rolled = attribution(text, name, rolled=True).values
        np.testing.assert_allclose(rolled, attention_rollout(layers), atol=1e-12, err_msg=name)


def test_a_start_layer_leaves_the_layers_below_out_of_every_matrix(text, joint):
    later = ThroughLayers(start_layer=1)
    for whole in (text, joint):
        for name in defined(whole):
            if CATALOGUE[name].through is None:
                continue
            matrix = attribution(whole, name, rolled=True, settings=later)
            first, others = matrix.values[0], len(matrix.keys) - len(matrix.queries)
            own = np.eye(len(matrix.queries), len(matrix.keys), k=others)
            np.testing.assert_array_equal(first, own, err_msg=name)
            from_input = attribution(whole, name, rolled=True).values[-1]
            assert np.abs(matrix.values[-1] - from_input).max() > 1e-4, name


def test_the_residual_reaches_what_has_one(text, joint):
    for whole in (text, joint):
        for name in defined(whole):
            if (method := CATALOGUE[name]).through is None:
                continue
            half, more = (
                attribution(whole, name, rolled=True, settings=ThroughLayers(residual)).values[-1]
                for residual in (0.5, 0.8)
            )
            constant = method.family != "vectors" and name != "attn_w" and "measured" not in name
            assert (np.abs(half - more).max() > 1e-6) == constant, name


def test_rollout_is_that_of_the_mean_of_the_heads(text):
    settings = ThroughLayers(residual=0.3)
    found = attribution(text, "rollout", settings=settings)
    expected = attention_rollout(with_residual(text["attention"], 0.3))
    np.testing.assert_allclose(found.values, expected, atol=1e-12)
    assert found.frame().index.tolist() == list(text.shown_tokens["token"])


def test_flow_from_some_tokens_is_that_from_all(text):
    every = attribution(text, "flow")
    some = attribution(text, "flow", settings=replace(ThroughLayers(), flow_sources=3))
    assert len(some.queries) == 3 and some.queries[0] == every.queries[0]
    rows = np.linspace(0, len(every.queries) - 1, 3).round().astype(int)
    np.testing.assert_array_equal(some.values, every.values[:, rows])


def test_of_an_encoder_decoder_keys_are_source_and_target(joint):
    found = attribution(joint, "alti", rolled=True)
    source, target = (len(joint.of(stream).tokens) for stream in ("encoder", "decoder"))
    assert len(found.queries) == target and len(found.keys) == source + target
    assert found.values.shape == (len(joint.of("decoder").weights), target, source + target)
    crossed = attribution(joint.of("cross"), "raw")
    assert crossed.values.shape[-1] == len(crossed.keys) == source + target


def test_what_is_asked_of_a_text_that_lacks_it_is_refused(text, joint):
    with pytest.raises(InputError, match=r"there is no attribution 'lime'; allowed: raw, rollout"):
        attribution(text, "lime")
    with pytest.raises(InputError, match="raw has no residual connection"):
        attribution(text, "raw", rolled=True)
    with pytest.raises(InputError, match="text is of type str; allowed: what capture_text"):
        attribution("the film", "alti")
    with pytest.raises(InputError, match="rollout_without_first is not defined for this text"):
        attribution(joint, "rollout_without_first")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"residual": 2.0}, "residual is 2.0; allowed: a number from 0 to 1"),
        ({"residual": "half"}, "residual is 'half'; allowed: a number from 0 to 1"),
        ({"start_layer": -1}, "start_layer is -1; allowed: a layer, counted from 0"),
        ({"flow_sources": 0}, "flow_sources is 0; allowed: a number of tokens, or None"),
    ],
)
def test_settings_by_which_nothing_can_be_followed_are_refused(settings, said):
    with pytest.raises(InputError, match=said):
        ThroughLayers(**settings)


def test_attention_to_a_source_is_followed_as_a_stream_of_the_whole_text_alone(joint):
    crossed = joint.of("cross")
    source, target = (len(joint.of(stream).tokens) for stream in ("encoder", "decoder"))
    uniform = attribution(crossed, "uniform", rolled=False).values
    own = np.eye(target, source + target, k=source) / 2
    expected = own + np.pad(np.full((target, source), 0.5 / source), ((0, 0), (0, target)))
    np.testing.assert_allclose(uniform, np.broadcast_to(expected, uniform.shape))
    for name in ("alti", "flow", "uniform"):
        with pytest.raises(InputError, match=f"{name} cannot be followed through attention to a"):
            attribution(crossed, name, rolled=True)
    for name in ("value_zeroing", "globenc"):
        with pytest.raises(InputError, match="this is attention to a source"):
            attribution(crossed, name)
    with pytest.raises(InputError, match="settings are of type float; allowed: ThroughLayers"):
        attribution(joint, "alti", settings=0.5)


def test_no_token_of_a_target_draws_from_a_later_one(joint):
    source = len(joint.of("encoder").tokens)
    for name in defined(joint):
        rolled = CATALOGUE[name].through is not None
        values = attribution(joint, name, rolled=rolled).values[..., source:]
        assert (np.triu(values, 1) == 0).all(), name


def test_every_method_is_listed():
    table = attributions()
    assert list(table.index) == list(CATALOGUE)
    assert table.loc["rollout", "rolled"] and not table.loc["alti", "rolled"]
    assert table.loc["alti", "can_be_rolled"] and not table.loc["raw", "can_be_rolled"]


# --- the catalogue is the one list ----------------------------------------------------------------


def lists_of_labels(path: Path) -> list[int]:
    """Lines of a module on which several labels stand together that nothing held against it."""
    tree, known = ast.parse(path.read_text(encoding="utf-8")), labels()
    held = {
        id(argument)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and getattr(node.func, "attr", getattr(node.func, "id", "")) == "chosen"
        for argument in node.args
    }
    lines = []
    for node in ast.walk(tree):
        match node:
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
                pass
            case ast.Dict(keys=parts):
                pass
            case _:
                continue
        named = [part for part in parts if isinstance(part, ast.Constant) and part.value in known]
        if len(named) > 1 and not held & {id(part) for part in named}:
            lines.append(node.lineno)
    return lines


# Names of scopes, of measures, and what is held against the catalogue below.
ELSEWHERE = {
    "attention_mixing/methods/mixing.py": 1,
    "attention_mixing/measures/faithfulness.py": 1,
    "attention_mixing/attributions/matrices.py": 2,
    "attention_mixing/attributions/of_prediction.py": 1,
    "attention_mixing/attributions/passes.py": 1,
    "attention_mixing/circuits/measures.py": 1,
    "analysis/figures/style.py": 1,
    "analysis/chapters/circuits/figures.py": 2,
}


def test_nothing_but_the_catalogue_lists_methods():
    """A list of labels elsewhere is a choice that is held against it (:func:`chosen`)."""
    listing = {
        str(path.relative_to(ROOT)): lines
        for package in ("attention_mixing", "analysis")
        for path in (ROOT / package).rglob("*.py")
        if (lines := lists_of_labels(path))
    }
    assert {path: len(lines) for path, lines in listing.items()} == ELSEWHERE


def test_every_method_has_what_makes_it():
    assert LAYERS.keys() == CATALOGUE.keys()
    assert SCORED.keys() == {one.name for one in explanations() if one.of_pass}
    assert PASSES.keys() == {one.of_pass for one in explanations() if one.of_pass}


def test_a_choice_of_what_there_is_not_is_refused():
    with pytest.raises(KeyError, match="alti_rolled"):
        chosen("alti", "alti_rolled")


def test_every_method_has_a_colour_and_colours_are_of_what_is_drawn():
    assert all(method_colour(label) for label in labels())
    beside = {"residual", "attnres_w", "identity", *FEED_FORWARD_SCOPES}
    assert METHOD_COLOURS.keys() <= {*labels(), *beside}


def test_every_method_is_scored_on_circuits_or_we_say_why_not():
    why_not = {
        "uniform": "circuits have a baseline of that name, without a residual connection",
        "attn_w": "the same weights as raw",
        **dict.fromkeys(("rollout_beside_uniform", "rollout_without_first"), "of causal texts"),
        **dict.fromkeys(("relevance_sum", "relevance_rollout"), "of one class, by its sign"),
        "left_out_mask": "circuits have no mask; padding is what they do not know",
        "left_out_delete": "positions would be those of other tokens",
        "random": "no more than chance",
    }
    scored = {*layer_measures(), *model_measures()}
    missing = {
        one.method.name
        for one in labels().values()
        if not {one.method.name, f"{one.method.name}_rollout"} & scored
    }
    assert missing | {"uniform"} == why_not.keys()
    assert OF_LABELS.keys() <= {one.name for one in explanations()}


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_method_is_explained_in_words(language):
    """By name, in the glossary, and, of a column of the explorer, what it says there."""
    w = words(language, "propagation") | words(language, "faithfulness")
    drawn = {one.label for one in labels().values() if one.final}
    assert drawn <= w.keys()
    glossary = (ROOT / "report" / language / "glossary.qmd").read_text(encoding="utf-8").lower()
    missing = {label for label in drawn if not any(part in glossary for part in said(w[label]))}
    assert not missing
    told = explorer.said(language)
    assert {
        f"{kind}_{name}" for name in (*METHODS, DEPENDENCE) for kind in ("column", "about_column")
    } <= told.keys()


def said(name: str) -> list[str]:
    """The name as the glossary may have it: whole, or without what is in brackets or behind."""
    return [name.lower(), re.split(r" rollout|, |（| \(|のロールアウト|: ", name.lower())[0]]


@pytest.fixture
def diagonal():
    """A method of one's own: what a token draws on is itself, and as much the first."""

    @register("diagonal", source="nobody")
    def layers(text, settings):
        heads, tokens = len(text["attention"]), len(text.tokens)
        matrix = np.eye(tokens) / 2
        matrix[:, 0] += 1 / 2
        return np.broadcast_to(matrix, (heads, tokens, tokens))

    yield layers
    del CATALOGUE["diagonal"], LAYERS["diagonal"]


def test_a_method_of_ones_own_is_measured_listed_and_scored_like_the_others(diagonal, text):
    assert attributions().loc["diagonal", "source"] == "nobody"
    rolled = attribution(text, "diagonal", rolled=True)
    measured = measure(text, "mixing")
    of = measured.values.query("subject == 'diagonal_rollout' and quantity == 'mixing'")
    own = np.diagonal(rolled.values, axis1=1, axis2=2).mean(axis=1)
    np.testing.assert_allclose(of["value"], 1 - own, atol=1e-12)
    assert {("diagonal", "cls"), ("diagonal_rollout", "max")} <= measured.token_scores.keys()
    assert "diagonal" in layer_measures()
    assert "diagonal_rollout" in model_measures()
    assert "diagonal_rollout" in explaining()
    assert method_colour("diagonal") == method_colour("diagonal_rollout")


def test_a_method_of_weights_reads_the_residual_wherever_it_is_followed(text):
    @register("halved", family="weights")
    def layers(text, settings):
        attention = text["attention"].mean(axis=1, dtype=np.float64)
        return with_residual(attention, settings.residual)

    settings = ThroughLayers(residual=0.9)
    try:
        rolled = attribution(text, "halved", rolled=True, settings=settings).values
        found = measure(text, ["mixing", "propagation"], settings=settings).values
    finally:
        del CATALOGUE["halved"], LAYERS["halved"]
    of = found.query("subject == 'halved_rollout' and quantity == 'mixing'")
    own = np.diagonal(rolled, axis1=1, axis2=2).mean(axis=1)
    np.testing.assert_allclose(of["value"], 1 - own, atol=1e-12)


@pytest.mark.parametrize("name", ["alti", "alti_rollout", "of mine"])
def test_a_name_that_is_taken_or_none_is_refused(name):
    with pytest.raises(InputError, match=f"'{name}'"):
        register(name)


@pytest.mark.parametrize(
    ("matrix", "said"),
    [
        (lambda tokens: np.eye(tokens + 1), r"gave an array of shape .*; allowed: \[layer, query,"),
        (lambda tokens: np.eye(tokens) / 2, "gave a row whose sum is 0.5 from 1"),
        (lambda tokens: np.full((tokens, tokens), np.nan), "gave a row whose sum is nan from 1"),
    ],
)
def test_what_is_no_matrix_of_the_text_is_refused_by_the_name_of_its_method(text, matrix, said):
    @register("odd")
    def layers(text, settings):
        of_layer = matrix(len(text.tokens))
        return np.broadcast_to(of_layer, (len(text["attention"]), *of_layer.shape))

    try:
        with pytest.raises(InputError, match=f"^odd {said}"):
            attribution(text, "odd", rolled=False)
    finally:
        del CATALOGUE["odd"], LAYERS["odd"]


def test_a_method_of_ones_own_without_the_own_tokens_of_a_target_is_refused(joint):
    @register("odd")
    def layers(text, settings):
        return text["attention"].mean(axis=1)

    try:
        with pytest.raises(InputError, match=r"^odd gave an array of shape"):
            attribution(joint, "odd", rolled=True)
    finally:
        del CATALOGUE["odd"], LAYERS["odd"]


def test_a_family_of_explanations_gives_no_matrix():
    with pytest.raises(InputError, match="family is 'gradients'; allowed: weights, vectors"):
        register("odd", family="gradients")
