"""Models of configurations drawn at random: their own numbers by every door, or the true cause.

A few are tried by default, more by hand: ``CASES=500 pytest tests/fuzz``. Doors are the library, by
directory, the check before a run, and a capture in batches. The reference is transformers alone.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny_experiment as tiny
import torch
import transformers
from families import FAMILIES, LONG_CONTEXT, WORDS
from refusals import one_sentence
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from analysis.checks.runnable import try_out
from analysis.stages.capture import capture
from analysis.stages.prepare import prepare
from attention_mixing.capture import capture_text
from attention_mixing.capture.store import Capture
from attention_mixing.errors import InputError

CASES = int(os.environ.get("CASES", 16))
EXPERIMENT = "sentences"
HEADS = ("", "ForCausalLM", "ForMaskedLM", "ForSequenceClassification")
# Where configurations say how far tokens see.
WINDOWS = {
    **dict.fromkeys(("mistral", "phi3", "gemma2", "gpt_oss", "mixtral"), "sliding_window"),
    **{"modernbert": "local_attention", "llama4_text": "attention_chunk_size"},
}
ROTARY = ("llama", "mistral", "qwen3", "granite", "mixtral", "olmo2", "phi3")
PLACES = {"gpt2": "n_positions"}
RELATIVE = ("t5", "mt5", "umt5", "switch_transformers")  # have no places
MEANS = ("modernbert", "eurobert")  # classify by a mean of tokens
EXPERTS = ("mixtral", "gpt_oss", "llama4_text")


@dataclass
class Case:
    """A model to be made, and what is done with it.

    Attributes
    ----------
    family, head, settings
        Of the model.
    dtype
        In which it is saved.
    constants
        What is saved beside its weights: nothing, or what hides scores, or another number there.
    special
        Whether the tokenizer puts a token before and behind a text.
    lengths
        Words of texts.
    batch_size
        Of a capture.
    """

    family: str
    head: str
    settings: dict[str, Any]
    dtype: torch.dtype
    constants: float | None
    special: bool
    lengths: list[int]
    batch_size: int
    seed: int

    @property
    def two(self) -> bool:
        """Whether it reads a text and its target."""
        return "decoder_start_token_id" in self.settings

    @property
    def places(self) -> int:
        """Tokens that the model takes at most."""
        places = self.settings.get(PLACES.get(self.family, "max_position_embeddings"), 10**6)
        if self.family in ("roberta", "data2vec-text"):  # behind that of padding
            return places - 1 - self.settings["pad_token_id"]
        return 10**6 if self.family in RELATIVE else places

    @property
    def turned(self) -> bool:
        """Whether rotations are others where a batch is long."""
        if self.settings.get("rope_parameters", {}).get("rope_type") != "longrope":
            return False
        tokens = [length + 2 * self.special for length in self.lengths]
        batches = [
            tokens[first : first + self.batch_size]
            for first in range(0, len(tokens), self.batch_size)
        ]
        return any(min(batch) <= 16 < max(batch) for batch in batches)


def drawn(seed: int) -> Case:
    """Draw a case."""
    rng = np.random.default_rng(seed)

    def one(*choices: Any) -> Any:
        return choices[rng.integers(len(choices))]

    family = one(*FAMILIES)
    settings: dict[str, Any] = dict(FAMILIES[family][0])
    two = "decoder_start_token_id" in settings
    places = one(16, 33, 40, 64)
    if family not in RELATIVE:
        settings[PLACES.get(family, "max_position_embeddings")] = places
    padding = one(None, 0, 0, places - 2, places - 1, WORDS - 1, int(rng.integers(WORDS)))
    if family in ("roberta", "data2vec-text"):  # whose tokens have the places behind
        padding = one(0, 1, 5)
    if two or family in ("modernbert", "eurobert"):
        padding = padding or 0
    settings["pad_token_id"] = padding
    settings["eos_token_id"] = 2 if two else one(2, 2, [1, 2])
    settings |= {"bos_token_id": 1, "cls_token_id": 1, "sep_token_id": 2}
    if family in WINDOWS:
        settings[WINDOWS[family]] = int(rng.integers(2, 24))
    if family in ROTARY and one(True, False):
        settings["rope_parameters"] = rotations(
            one("linear", "dynamic", "longrope", "yarn"), family
        )
    if family in EXPERTS:
        experts = int(rng.integers(1, 5))
        settings |= {
            "num_local_experts": experts,
            "num_experts_per_tok": 1 if family == "llama4_text" else int(rng.integers(experts)) + 1,
        }
    most = min(60, places if family not in RELATIVE else 60)
    return Case(
        family,
        "" if two else one(*HEADS),
        settings,
        one(torch.float32, torch.float32, torch.bfloat16, torch.float16),
        one(None, None, -1e4, 1.0) if family == "gpt2" else None,
        bool(one(True, False)),
        [int(length) for length in rng.integers(1, most + 1, size=rng.integers(3, 9))],
        one(1, 2, 4, 8),
        seed,
    )


def rotations(kind: str, family: str) -> dict[str, Any]:
    """Rotations by position of a kind."""
    if kind == "longrope":
        stated = LONG_CONTEXT["rope_parameters"]
        if "head_dim" in FAMILIES[family][0]:  # 16 numbers instead of 12
            return stated | {"short_factor": [1.0] * 8, "long_factor": [4.0] * 8}
        return stated
    stated = {"rope_type": kind, "rope_theta": 10000.0, "factor": 2.0}
    return stated | ({"original_max_position_embeddings": 16} if kind == "yarn" else {})


def make(case: Case, directory: Path) -> str | None:
    """Save model and tokenizer; says why transformers has no such model."""
    torch.manual_seed(case.seed)
    kind = "AutoModelForSeq2SeqLM" if case.two else f"AutoModel{case.head}"
    try:
        config = transformers.AutoConfig.for_model(case.family, **case.settings)
        model = getattr(transformers, kind).from_config(config)
    except Exception as error:  # each family has its own
        return str(error)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.05 * torch.randn_like(parameter))
    model.to(case.dtype).save_pretrained(directory)
    if case.constants is not None:
        file = directory / "model.safetensors"
        held = load_file(file)
        prefix = "transformer." if case.head else ""
        held[f"{prefix}h.0.attn.masked_bias"] = torch.tensor(case.constants)
        save_file(held, file, metadata={"format": "pt"})
    words_only(case).save_pretrained(directory)
    return None


def words_only(case: Case) -> transformers.PreTrainedTokenizerFast:
    """A tokenizer whose word ``w5`` is the token 5."""
    made = Tokenizer(models.WordLevel({f"w{number}": number for number in range(WORDS)}, "w3"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    if case.special:
        made.post_processor = processors.TemplateProcessing(
            single="w1 $A w2", pair="w1 $A w2 $B w2", special_tokens=[("w1", 1), ("w2", 2)]
        )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, model_input_names=["input_ids", "attention_mask"]
    )


def texts_of(case: Case) -> list[str]:
    """Texts of words that are not special."""
    rng = np.random.default_rng(case.seed)
    return [
        " ".join(f"w{number}" for number in rng.integers(4, WORDS, length))
        for length in case.lengths
    ]


class Own:
    """What transformers makes of a text with the model of a directory."""

    def __init__(self, directory: Path) -> None:
        (name,) = transformers.AutoConfig.from_pretrained(directory).architectures
        kind = getattr(transformers, name)
        self.model = kind.from_pretrained(directory, dtype=torch.float32).eval()
        self.tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
        self.headed = name.endswith("ForSequenceClassification")
        self.classifies = self.headed and self.model.config.model_type not in MEANS

    def read(self, text: str, target: str | None) -> Iterator[tuple[str, list, list, Any]]:
        """Stream, hidden states, attention of each layer, and logits of a classifier."""
        ids = torch.tensor([self.tokenizer.encode(text).ids])
        model = self.model if self.classifies else self.model.base_model
        given = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
        if target is not None:
            start = self.model.config.decoder_start_token_id
            written = [start, *self.tokenizer.encode(target).ids[:-1]]
            given["decoder_input_ids"] = torch.tensor([written])
        with torch.inference_mode():
            output = model(**given, output_hidden_states=True)
            before = model.config._attn_implementation
            model.set_attn_implementation("eager")
            eager = model(**given, output_attentions=True)
            model.set_attn_implementation(before)
        if target is None:
            logits = output.logits[0].numpy() if self.classifies else None
            yield "", output.hidden_states, eager.attentions, logits
        else:
            yield "encoder", output.encoder_hidden_states, eager.encoder_attentions, None
            yield "decoder", output.decoder_hidden_states, eager.decoder_attentions, None
            yield "cross", None, eager.cross_attentions, None


def close(ours: Any, theirs: Any) -> None:
    theirs = np.asarray(theirs)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-5 * np.abs(theirs).max())


def agree(arrays: Any, stream: str, hidden: Any, attention: Any) -> None:
    """Compare what is read of a text with what transformers returns."""
    theirs = torch.cat(list(attention)).numpy()
    # Where a part of it goes to no token, weights are those among tokens.
    close(arrays("attention"), theirs / theirs.sum(axis=-1, keepdims=True))
    if hidden is not None:
        close(arrays("embedding"), hidden[0][0])
        if stream == "":  # behind the last layer may follow a normalisation
            for ours, layer in zip(arrays("layer_output")[:-1], hidden[1:-1], strict=True):
                close(ours, layer[0])


def by_library(case: Case, directory: Path, texts: list[str], own: Own) -> None:
    two = own.model.config.is_encoder_decoder
    for text, target in zip(texts, texts[::-1], strict=True):
        read = capture_text(text, model=directory, target=target if two else None)
        for stream, hidden, attention, logits in own.read(text, target if two else None):
            of_stream = read.of(stream) if stream else read
            agree(of_stream.__getitem__, stream, hidden, attention)
            if stream == "" and logits is None and attention[0].shape[-1] > 1:
                ahead = any(bool(of_layer.triu(1).any()) for of_layer in attention)
                assert of_stream.read == (0 if ahead else -1)
            if logits is not None and len(logits) > 1:
                assert read.example["prediction"] == logits.argmax()
        if own.headed and not own.classifies:
            assert read.head_left_out == type(own.model).__name__
            assert "prediction" not in read.example


def parameters(case: Case, texts: list[str], two: bool) -> Any:
    data: dict[str, Any] = {"source": "texts", "texts": texts}
    many = len(texts)
    values = tiny.parameters(
        EXPERIMENT,
        data=data,
        projection={"examples": [*range(many)]},
        capture={"examples": many, "batch_size": case.batch_size},
        clusters={"ks": [1, 2, 3], "k": 2, "smallest": 2, "sample": 10},
        length={"max_tokens": min(case.places, 64), "longer": "refuse"},
        report={"focus": {"experiment": EXPERIMENT, "example": 0}},
        anatomy={"text": texts[0], "layer": 1, "head": 1},
    )
    described = values.model_dump(mode="json")
    read = described["experiments"][EXPERIMENT]
    shown = {"model": {"source": "embedded"}, "data": {"source": "sentences"}}
    described["experiments"]["shown"] = read | shown
    described["report"]["focus"]["experiment"] = "shown"
    if two:
        read["data"]["targets"] = texts[::-1]
    return type(values).model_validate(described)


def by_check(case: Case, directory: Path, texts: list[str], own: Own) -> None:
    try_out(parameters(case, texts, own.model.config.is_encoder_decoder))


def by_capture(case: Case, directory: Path, texts: list[str], own: Own) -> None:
    two = own.model.config.is_encoder_decoder
    values = parameters(case, texts, two)
    tiny.note_trained(EXPERIMENT)
    prepare(values, EXPERIMENT)
    capture(values, EXPERIMENT)
    kept = Capture(Path("artifacts", EXPERIMENT, "capture", "pretrained"))
    for row in kept.examples.itertuples():
        for stream, hidden, attention, _ in own.read(row.text, row.target if two else None):
            prefix = f"{stream}." if stream else ""
            agree(partial(stored, kept, row.id, prefix), stream, hidden, attention)


def stored(kept: Capture, example: int, prefix: str, name: str) -> Any:
    return kept.array(example, f"{prefix}{name}")


DOORS = {"library": by_library, "check": by_check, "capture": by_capture}


def true_causes(case: Case, door: str) -> dict[str, bool]:
    """What a refusal may say, and whether that is so of a case."""
    tokens = max(case.lengths) + 2 * case.special
    alone = case.head == "ForSequenceClassification" and case.settings["pad_token_id"] is None
    return {
        "tokens, but the model takes at most": tokens > case.places,
        "the model takes at most": tokens > case.places,
        "has more than length.max_tokens": tokens > case.places,
        "target has": tokens > case.places,
        "state pad_token_id": alone and door == "library",
        "masked_bias (1 in all)": case.constants == 1.0,
        "depends on how far texts are padded": case.turned and door == "capture",
    }


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("seed", range(CASES))
def test_a_model_gives_its_own_numbers_or_the_true_cause(here, seed, door):
    case = drawn(seed)
    directory = here / "tiny-bert"
    if make(case, directory) is not None:
        pytest.skip("transformers has no such model")
    try:
        DOORS[door](case, directory, texts_of(case), Own(directory))
    except InputError as error:
        said = one_sentence(error)
        assert any(true for part, true in true_causes(case, door).items() if part in said), (
            said,
            case,
        )
