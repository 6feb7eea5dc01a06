"""The table of which models can be used, tried family by family; in both languages the same."""

import re

import numpy as np
import pytest
import transformers
from families import FAMILIES, PLAIN, build
from small_run import ROOT
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

from attention_mixing.attributions.selections import BEYOND_MASK
from attention_mixing.capture import capture_text
from attention_mixing.errors import InputError
from attention_mixing.measures import measure
from attention_mixing.measures.identity import PARTS
from attention_mixing.methods.whole_layer import FEED_FORWARD_SCOPES
from attention_mixing.models.next_word import choosing
from attention_mixing.models.user_models import accept

pytestmark = pytest.mark.slow

PAGES = ("report/en/library.qmd", "report/ja/library.qmd")
# Names in the tables, where they are not those of transformers but for capitals, spaces and signs.
NAMED = {
    **{"data2vec": "data2vec-text", "nomicbert": "nomic_bert", "gptneox": "gpt_neox"},
    **{"deepseekv3": "deepseek_v3", "gptoss": "gpt_oss", "m2m100": "m2m_100"},
    "llama4": "llama4_text",
    **{"graniteswa": "granite_swa", "switchtransformers": "switch_transformers"},
    "deberta": "deberta-v2",
}
ALL, PART, NONE, TWO = "all", "all but beyond attention", "none", "of two texts"
SAID = {
    **{"all": ALL, "すべて": ALL, "none": NONE, "なし": NONE},
    **dict.fromkeys(("all of each text", "エンコーダーとデコーダーのそれぞれについてすべて"), TWO),
}
# What asks for the network behind an attention.
OF_NETWORK = {*FEED_FORWARD_SCOPES, "globenc", "globenc_rollout", "before_norm", *PARTS}
TEXT = "the film was not very good, but the music and the actors were"
TARGET = "the music was good, but the film and the plot and the actors were very bad"


def rows(page: str) -> list[tuple[list[str], str]]:
    """Families of each row, and what is said to be defined for them."""
    text = (ROOT / page).read_text(encoding="utf-8")
    table = re.search(r"\n\| (?:A model that|モデルの特徴) .*\n\|:.*\n((?:\|.*\n)+)", text)
    assert table is not None
    found = []
    for row in table[1].splitlines():
        _, names, measures = (cell.strip() for cell in row.strip("|").split("|"))
        kinds = [re.sub(r"[^a-z0-9]", "", one.lower()) for one in re.split(r", |、", names)]
        families = [NAMED.get(kind, kind) for kind in kinds]
        said = re.split(r"[;（]", measures)[0].strip()
        found.append((families, SAID.get(said, PART)))
    return found


def capped(page: str) -> set[str]:
    """Families that are said not to tell which word comes next."""
    text = (ROOT / page).read_text(encoding="utf-8")
    said = re.search(r"cap their logits: (.*?)\.|ロジットに上限を設けるもの（(.*?)）", text)
    assert said is not None
    return {re.sub(r"[^a-z0-9]", "", one.lower()) for one in re.split(", |、", said[1] or said[2])}


TABLE = [(family, said) for families, said in rows(PAGES[0]) for family in families]


def test_both_languages_have_the_same_table():
    english, japanese = PAGES
    assert rows(japanese) == rows(english)
    assert capped(japanese) == capped(english)


def test_every_family_that_tests_build_is_in_it():
    assert {*FAMILIES} <= {family for family, _ in TABLE}


@pytest.fixture(scope="module")
def quantities(tokenizer):
    """What is measured of BERT."""
    values = measure(capture_text(TEXT, model=(build("bert"), tokenizer))).values
    return {*map(tuple, values[["measure", "subject", "facet", "quantity"]].to_numpy())}


def assert_only_what_has_no_value_is_undefined(values):
    """Parts of a geometry without their tokens, and the order of tokens that are all alike."""
    undefined = values[~np.isfinite(values["value"])]
    parts = undefined["quantity"].str.startswith(("special_", "ordinary_"))
    alike = (undefined["subject"] == "symbols") & (undefined["quantity"] == "rank_correlation")
    assert (parts | alike).all()


@pytest.mark.parametrize(("family", "said"), [one for one in TABLE if one[1] in (ALL, PART)])
def test_what_is_said_to_be_defined_is(family, said, tokenizer, quantities):
    text = capture_text(TEXT, model=(build(family), tokenizer))
    values = measure(text).values
    found = {*map(tuple, values[["measure", "subject", "facet", "quantity"]].to_numpy())}
    left_out = {one for one in quantities if one[1] in FEED_FORWARD_SCOPES and one[0] == "mixing"}
    assert quantities - found == (left_out if said == PART else set())
    more = {one for one in found - quantities if one[1] not in BEYOND_MASK}
    expected = {"sink"} if (text["mass"] != 1).any() else set()  # on no token
    expected |= {"first_share"} if text.causal else set()
    assert {one[3] for one in more} == expected
    assert text.causal == any(one[1] in BEYOND_MASK for one in found)
    assert_only_what_has_no_value_is_undefined(values)
    attention, visible = text["attention"], text["visible"]
    assert (attention[~np.broadcast_to(visible[:, None], attention.shape)] == 0).all()


def test_decoders_tell_which_word_comes_next_but_those_that_are_said_not_to(tokenizer):
    decoders, refused = set(), set()
    for family, said in TABLE:
        if said not in (ALL, PART) or family not in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
            continue
        model = build(family, "ForCausalLM")
        if capture_text(TEXT, model=(model, tokenizer)).causal:
            decoders.add(family)
            try:
                choosing(model, (7, 8), ("was", "were"))
            except InputError:
                refused.add(family)
    assert {"gpt2", "llama", "granite", "cohere", "bitnet", "laguna", "afmoe"} <= decoders
    assert refused == capped(PAGES[0])


@pytest.mark.parametrize("family", [family for family, said in TABLE if said == TWO])
def test_what_is_said_to_be_defined_of_two_texts_is(family, tokenizer, quantities):
    text = capture_text(TEXT, target=TARGET, model=(build(family), tokenizer))
    for stream in ("encoder", "decoder"):
        own = text.of(stream)
        values = measure(own).values
        found = {*map(tuple, values[["measure", "subject", "facet", "quantity"]].to_numpy())}
        # The first token is left alone in models of one text; a decoder alone is not all that its
        # tokens depend on.
        lacking = {one for one in quantities if one[3] == "without_first"}
        if own.causal:
            lacking |= {one for one in quantities if one[0] == "dependence" or one[1] in OF_NETWORK}
        assert quantities - found == lacking
        assert_only_what_has_no_value_is_undefined(values)
    assert np.isfinite(measure(text).values["value"]).all()


@pytest.mark.parametrize("family", [family for family, said in TABLE if said == NONE])
def test_what_is_said_to_be_refused_is(family, tokenizer):
    if family in FAMILIES:
        model = build(family)
    else:
        config = transformers.AutoConfig.for_model(family, **PLAIN)
        model = transformers.AutoModel.from_config(config)
    with pytest.raises(InputError):
        accept(model.eval(), tokenizer, model.device)
