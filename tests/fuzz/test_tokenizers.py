"""Tokenizers that are drawn at random are read as their ``tokenizer.json`` says, or refused truly.

At three doors: the library, what is encoded in batches, and the check before a run. The full
edition is done by hand: ``CASES=500 pytest tests/fuzz``.
"""

import os
import re
import unicodedata
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import tiny_experiment as tiny
import torch
from random_tokenizers import Case, write
from refusals import one_sentence
from tokenizers import Tokenizer
from transformers import AutoModel, AutoTokenizer

from analysis.checks.runnable import try_out
from analysis.parameters import Params
from attention_mixing.capture import capture_text
from attention_mixing.errors import InputError
from attention_mixing.models import encode
from attention_mixing.models.tokenizer import PROBES, load_tokenizer
from attention_mixing.settings.experiment import Length

NUMBER = int(os.environ.get("CASES", 12))
TOLERANCE = 1e-5
LENGTH = Length(max_tokens=48, longer="truncate")


# --- the reference --------------------------------------------------------------------------------


def reference(case: Case, text: str, language: str | None = None) -> list[int]:
    """Ids of a text, by the rules of ``tokenizer.json`` alone; of a translator, in a language."""
    if language is None:
        return case.rules.encode(text).ids
    ids = case.rules.encode(text, add_special_tokens=False).ids
    return [case.rules.token_to_id(language), *ids, case.rules.token_to_id("</s>")]


def own_pass(directory: Path, ids: list[int], target: list[int] | None) -> np.ndarray:
    """What the model itself attends to, of a translator its encoder, ``[layer, head, q, k]``."""
    model = AutoModel.from_pretrained(directory, attn_implementation="eager").eval()
    given = {"input_ids": torch.tensor([ids])}
    if target is not None:
        given["decoder_input_ids"] = torch.tensor([target])
    with torch.inference_mode():
        out = model(**given, output_attentions=True)
    layers = out.attentions if target is None else out.encoder_attentions
    return torch.cat(layers).numpy()


# The mark of a blank in bytes, as vocabularies name them.
IN_BYTES = (["<0xE2>", "<0x96>", "<0x81>"], [*"âĸģ"])


def require_spans(case: Case, text: str, rows: pd.DataFrame) -> None:
    """Hold characters of tokens against those that the rules tell; a mark alone has none.

    It may stand for a blank, and for a mark that the text has.
    """
    told = case.rules.encode(text, add_special_tokens=case.target is None).offsets
    own = rows[~rows["is_special"]] if case.target is not None else rows
    names = own["token"].tolist()
    for place, (name, start, end, (first, last)) in enumerate(
        zip(names, own["start"], own["end"], told, strict=True)
    ):
        whole = name.strip("▁Ġ") == ""
        around = [names[place - n : place - n + 3] for n in range(3) if place >= n]
        in_bytes = any(one in IN_BYTES for one in around)
        source = unicodedata.normalize("NFKC", text[first:last])
        inserted = bool(source) and not any(one.isspace() or one == "▁" for one in source)
        if (whole or in_bytes) and inserted:
            assert start == end
        else:
            alone = whole or in_bytes or name == case.unknown
            assert (start, end) == (first, last) or (alone and (start, end) == (0, 0))


# --- doors ----------------------------------------------------------------------------------------


def by_library(case: Case, directory: Path, text: str) -> str:
    """Read a text as a user does, and hold it against the rules and the model."""
    source, target = case.languages
    read = capture_text(text, model=directory, target=case.target)
    wanted = None
    if case.target is not None:
        wanted = [2, *reference(case, case.target, target)[:-1]]
        assert read.of("decoder").tokens["id"].tolist() == wanted
        read = read.of("encoder")
    ids = read.tokens["id"].tolist()
    assert ids == reference(case, text, source)
    require_spans(case, text, read.tokens)
    expected = own_pass(directory, ids, wanted)
    assert np.abs(read["attention"] - expected).max() <= TOLERANCE
    return "read"


def in_batches(case: Case, directory: Path, text: str) -> str:
    """Tokenise all texts at once, cut to a length."""
    tokenizer = load_tokenizer(directory)
    for one, read in zip(case.texts, encode.encode(case.texts, tokenizer, LENGTH), strict=True):
        ids = reference(case, one, case.languages[0])
        assert read.truncated or read.input_ids == ids
    return "read"


def by_check(case: Case, directory: Path, text: str) -> str:
    """Try all texts as the check before a run does."""
    tried: list[encode.Encoded] = []
    read_by = encode.encode_examples

    def noting(*given):
        tried.extend(read_by(*given))
        return tried

    (Path.cwd() / "tiny-bert").symlink_to(directory)
    described = tiny.parameters(
        "sentences",
        data={"source": "texts", "texts": case.texts},
        anatomy={"text": text, "layer": 1, "head": 1},
        projection={"examples": [*range(len(case.texts))]},
        clusters={"ks": [1, 2, 3], "k": 2, "smallest": 2, "sample": 10},
        report={"focus": {"experiment": "sentences", "example": 0}},
    ).model_dump(mode="json")
    if case.target is not None:
        own = described["experiments"]["sentences"]
        shown = {"model": {"source": "embedded"}, "data": {"source": "sentences"}}
        described["experiments"]["shown"] = own | shown
        described["report"]["focus"]["experiment"] = "shown"
        own["data"]["targets"] = [case.target] * len(case.texts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encode, "encode_examples", noting)
        try_out(Params.model_validate(described))
    for one, read in zip(case.texts, tried, strict=True):
        ids = reference(case, one, case.languages[0])
        assert read.truncated or read.input_ids == ids
    return "read"


DOORS: tuple[Callable[[Case, Path, str], str], ...] = (by_library, in_batches, by_check)


# --- what may be refused --------------------------------------------------------------------------


def unknown_alone(case: Case, directory: Path) -> bool:
    """Tell whether a text has no token, or none that is known."""
    unknown = case.rules.token_to_id(case.unknown)
    by_class = AutoTokenizer.from_pretrained(directory)
    ids = [
        {*case.rules.encode(text, add_special_tokens=False).ids} - {unknown, by_class.unk_token_id}
        for text in (*case.texts, case.target or "the")
    ]
    return not all(ids)


def unreadable(case: Case, directory: Path) -> bool:
    """Tell whether the rules fail on a text."""
    for text in PROBES:
        try:
            case.rules.encode(text)
        except Exception:  # as the tokenizers library raises it
            return True
    return False


def beyond(case: Case, directory: Path) -> bool:
    """Tell whether a token of the vocabulary, or around all texts, is none of the model."""
    added = {token.content for token in case.rules.get_added_tokens_decoder().values()}
    vocabulary = case.rules.get_vocab(with_added_tokens=True)
    own = [token for name, token in vocabulary.items() if name not in added]
    return max([*own, *case.rules.encode("").ids]) >= case.rows


def prefix_otherwise(case: Case, directory: Path) -> bool:
    """Tell whether rules do not heed what is stated of a blank before a text."""
    text = "a" if case.rules.normalizer is None else case.rules.normalizer.normalize_str("a")
    cut = case.rules.pre_tokenizer.pre_tokenize_str(text)
    stated = (case.stated or {}).get("add_prefix_space")
    return stated == (sum(len(piece) for piece, _ in cut) == 1)


def case_otherwise(case: Case, directory: Path) -> bool:
    """Tell whether rules do not heed what is stated of capitals."""
    normalizer = case.rules.normalizer
    lowers = normalizer is not None and "t" in normalizer.normalize_str("THE")
    return (case.stated or {}).get("do_lower_case") == (not lowers)


def lacking(case: Case, directory: Path) -> bool:
    """Tell whether the class has special tokens that the vocabulary has not."""
    by_class = AutoTokenizer.from_pretrained(directory)
    names = by_class.special_tokens_map.values()
    return any(case.rules.token_to_id(name) is None for name in names)


def unloaded(case: Case, directory: Path) -> bool:
    """Tell whether transformers loads no tokenizer."""
    try:
        AutoTokenizer.from_pretrained(directory)
    except Exception:  # each class has its own
        return True
    return False


def of_no_word(case: Case, directory: Path) -> bool:
    """Tell whether the rules make nothing but the unknown token of all words."""
    unknown = case.rules.token_to_id(case.unknown)
    special = {token.content for token in case.rules.get_added_tokens_decoder().values()}
    words = (name.strip("▁Ġ#") for name in case.rules.get_vocab() if name not in special)
    ids = (
        case.rules.encode(word, add_special_tokens=False).ids for word in words if word.isalnum()
    )
    return all({*one} <= {unknown} for one in ids)


def unstated(case: Case, directory: Path) -> bool:
    return None in case.languages


def misspelt(case: Case, directory: Path) -> bool:
    return any(case.rules.token_to_id(str(one)) is None for one in case.languages)


def few(case: Case, directory: Path) -> bool:
    """Tell whether all texts together have fewer tokens than a map is made of."""
    return sum(len(case.rules.encode(text).ids) for text in case.texts) < 6


TRUE: dict[str, tuple[str, Callable[[Case, Path], bool]]] = {
    "no language": (r"does not state (src_lang|tgt_lang)", unstated),
    "unknown language": (r"has (src|tgt)_lang '\w+', which its vocabulary does not", misspelt),
    "id beyond": (r"has tokens of ids up to \d+, but the model", beyond),
    "unreadable": (r"cannot read '.*with a token in its vocabulary for", unreadable),
    "prefix stated": (r"states .*add_prefix_space.* otherwise", prefix_otherwise),
    "case stated": (r"states .*do_lower_case.* otherwise", case_otherwise),
    "lacks special": (r"its vocabulary lacks the special tokens of that class", lacking),
    "not loaded": (r"no tokenizer could be loaded .* is not of the class that", unloaded),
    "few tokens": (r"have \d tokens together; a map needs at least 6", few),
    "no known token": (r"has no token the model knows of", unknown_alone),
    "no known word": (r"knows no word of its own vocabulary", of_no_word),
}


def outcome(door: Callable, case: Case, directory: Path) -> str:
    """Read by a door; give the name of what was refused, whose cause is checked to be true."""
    text = next(text for text in case.texts if text.strip())
    try:
        return door(case, directory, text)
    except InputError as error:
        said = one_sentence(error)
    found = [name for name, (words, _) in TRUE.items() if re.search(words, said)]
    assert found, said
    for name in found:
        assert TRUE[name][1](case, directory), said
    return found[0]


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """Return ``drawn(seed)``: a tokenizer with its model, written once."""

    @cache
    def written(seed: int) -> tuple[Case, Path]:
        directory = tmp_path_factory.mktemp("model")
        return write(seed, directory), directory

    return written


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("seed", range(NUMBER))
def test_a_tokenizer_is_read_as_its_file_says_or_refused_truly(drawn, here, seed, door):
    case, directory = drawn(seed)
    outcome(door, case, directory)


def test_what_is_drawn_has_each_kind_of_what_users_met(tmp_path):
    """Otherwise nothing above could fail."""
    found = set()
    for seed in range(40):
        directory = tmp_path / str(seed)
        directory.mkdir()
        case = write(seed, directory)
        file = Tokenizer.from_file(str(directory / "tokenizer.json"))
        ids = file.get_vocab().values()
        found |= {
            f"class {(case.stated or {}).get('tokenizer_class', 'of the family')}",
            f"model {type(file.model).__name__}",
            *(["chance"] if getattr(file.model, "dropout", None) else []),
            *(["hole"] if max(ids) >= len(ids) else []),
            *(["beyond"] if max(ids) >= case.rows else []),
            *(["translator"] if case.target else []),
        }
    needed = {
        "class GPT2Tokenizer",
        "class of the family",
        "chance",
        "hole",
        "beyond",
        "translator",
    }
    kinds = {f"model {name}" for name in ("BPE", "Unigram", "WordLevel", "WordPiece")}
    assert needed | kinds <= found
