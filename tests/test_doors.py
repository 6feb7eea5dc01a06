"""Every kind of model at every door: the numbers of its own forward pass, or one sentence.

Doors are the ways by which a model comes in: the check before a run, training, capture, gradients,
removed tokens, disabled heads, the page of one text, the library by directory and with a loaded
model. The reference is transformers alone, as it loads the same directory.
"""

import json
import shutil
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import tiny_experiment as tiny
import torch
import transformers
from json_files import rewrite
from refusals import refusal
from safetensors.torch import load_file, save_file
from scipy.special import expit, softmax
from small_run import untried_parameters, write_parameters
from sweeps import sampled
from tokenizers import Tokenizer

from analysis.checks.runnable import check
from analysis.stages.capture import capture
from analysis.stages.prepare import prepare
from analysis.stages.train import train
from attention_mixing.capture import capture_text
from attention_mixing.capture.gradients import gradients, integrated_gradients
from attention_mixing.capture.store import Capture
from attention_mixing.errors import InputError
from attention_mixing.explain import explain
from attention_mixing.models.dummy_inputs import most_tokens
from attention_mixing.models.encode import encode_one
from attention_mixing.models.head_ablation import ablate_heads, measure_classes
from attention_mixing.models.load import load_finetuned
from attention_mixing.models.token_ablation import ablate
from attention_mixing.models.tokenizer import load_tokenizer

pytestmark = pytest.mark.slow

CPU = torch.device("cpu")
TEXT, PAIR = "the Film was not very good", "a dull plot"
CLASSES = "ForSequenceClassification"
LAST_NORMS = {"gpt2": "ln_f", "llama": "norm", "llama4_text": "norm", "modernbert": "final_norm"}
WIDE = {"initializer_range": 0.4}  # so that tokens, and their types, matter


def close(ours, theirs, least=0.0) -> None:
    """Compare by the largest value: sums that nearly cancel round by what they are sums of.

    Where all values may be such sums, ``least`` is what they are compared by at least.
    """
    theirs = np.asarray(theirs)
    largest = max(np.abs(theirs).max(), least)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-5 * largest)


def saved(directory, make_model, tokenizer, kind="bert", head=CLASSES, dtype=None, **options):
    model = make_model(kind, head, **WIDE, **options)
    with torch.no_grad():
        for parameter in model.parameters():  # no tensor like any other, no bias 0
            parameter.add_(0.02 * torch.rand_like(parameter))
    tiny.save(model.to(dtype) if dtype else model, tokenizer, directory)


def retensor(directory, change):
    path = directory / "model.safetensors"
    save_file(change(load_file(path)), path, metadata={"format": "pt"})


def with_tensor(name, *shape):
    return lambda directory: retensor(directory, lambda held: held | {name: torch.ones(shape)})


def split(directory):
    model = transformers.AutoModelForSequenceClassification.from_pretrained(directory)
    (directory / "model.safetensors").unlink()
    model.save_pretrained(directory, max_shard_size="20KB")
    assert len(list(directory.glob("*.safetensors"))) > 1


def renamed(tensors):
    names = {name: name.replace("Norm.weight", "Norm.gamma") for name in tensors}
    return {names[name].replace("Norm.bias", "Norm.beta"): x for name, x in tensors.items()}


def beside(directory):
    other = {name: x + 1 for name, x in load_file(directory / "model.safetensors").items()}
    save_file(other, directory / "pytorch_model.safetensors", metadata={"format": "pt"})


def with_old_constants(directory):
    """Add what GPT-2 once saved beside its weights: its mask, and what hides a score."""
    mask = torch.ones(1, 1, 40, 40, dtype=torch.uint8).tril()
    of_layers = {
        f"transformer.h.{layer}.attn.{name}": constant.clone()
        for layer in range(2)
        for name, constant in (("bias", mask), ("masked_bias", torch.tensor(-1e4)))
    }
    retensor(directory, lambda held: held | of_layers)


def adapter_beside(directory):
    (directory / "adapter_config.json").write_text("{}", encoding="utf-8")


def adapter_alone(directory):
    adapter_beside(directory)
    (directory / "config.json").unlink()


def pickled(directory):
    torch.save(load_file(directory / "model.safetensors"), directory / "pytorch_model.bin")
    (directory / "model.safetensors").unlink()


def heeding_case(directory):
    """Give a tokenizer that heeds case, without the file that says so."""
    vocabulary = json.loads((directory / "tokenizer.json").read_text())["model"]["vocab"]
    words = {word.title() if word == "film" else word: i for word, i in vocabulary.items()}
    cased = transformers.BertTokenizerFast(vocab=words, do_lower_case=False)
    cased.save_pretrained(directory)
    (directory / "tokenizer_config.json").unlink()


def padding(directory, side):
    rewrite(directory, "tokenizer_config.json", padding_side=side)


def without_padding(directory):
    rewrite(directory, "tokenizer_config.json", pad_token=None)


def other_family(directory):
    for file in ("tokenizer.json", "tokenizer_config.json"):
        (directory / file).unlink()
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "▁the", "▁film", "▁good"]
    (directory / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")


def without_a_layer(tensors):
    return {name: x for name, x in tensors.items() if "layer.1.output" not in name}


def damaged(tensors):
    key = next(name for name in tensors if name.endswith("layer.1.output.dense.weight"))
    return tensors | {key: torch.full_like(tensors[key], torch.nan)}


# How it is made, what is then changed in its directory, and what is said where it is refused.
Kind = tuple[dict, Callable | None, str | None]
READ: dict[str, Kind] = {
    **{
        kind: ({"kind": kind}, None, None)
        for kind in ("bert", "roberta", "xlm-roberta", "camembert", "distilbert")
    },
    **{
        head: ({"head": head}, None, None)
        for head in (
            *("ForMaskedLM", "ForPreTraining", "ForNextSentencePrediction"),
            *("ForTokenClassification", "ForQuestionAnswering", "ForMultipleChoice"),
        )
    },
    "bare": ({"head": None}, None, None),
    "three labels": ({"num_labels": 3}, None, None),
    "several labels": (
        {"num_labels": 3, "problem_type": "multi_label_classification"},
        None,
        None,
    ),
    "a number": ({"num_labels": 1}, None, None),
    "float16": ({"dtype": torch.float16}, None, None),
    "bfloat16": ({"dtype": torch.bfloat16}, None, None),
    "float64": ({"dtype": torch.float64}, None, None),
    "split": ({}, split, None),
    "old names": ({}, lambda directory: retensor(directory, renamed), None),
    "positions": (
        {},
        lambda directory: retensor(
            directory, lambda held: held | {"bert.embeddings.position_ids": torch.arange(40)[None]}
        ),
        None,
    ),
    "another file": ({}, beside, None),
    "chunks": ({"chunk_size_feed_forward": 1}, None, None),
    "case": ({}, heeding_case, None),
    "padding on the left": ({}, lambda directory: padding(directory, "left"), None),
    "no padding": ({}, without_padding, None),
    "one type": ({"kind": "roberta", "type_vocab_size": 1}, None, None),
    "causal": ({"is_decoder": True}, None, None),
    **{kind: ({"kind": kind, "pad_token_id": 0}, None, None) for kind in ("gpt2", "llama")},
    "another activation": ({"hidden_act": "silu"}, None, None),
    "padding near the last place": (
        {"kind": "gpt2", "vocab_size": 48, "pad_token_id": 38},
        None,
        None,
    ),
    "constants of old files": ({"kind": "gpt2", "pad_token_id": 0}, with_old_constants, None),
    # Seen with nine tokens, and not with five.
    "a window": ({"kind": "modernbert", "head": None, "local_attention": 10}, None, None),
    "a mean of tokens": ({"kind": "modernbert"}, None, None),
    "experts of all tokens in one row": ({"kind": "llama4_text", "head": None}, None, None),
}
REFUSED: dict[str, Kind] = {
    "relative": (
        {},
        with_tensor("bert.encoder.layer.0.attention.self.distance_embedding.weight", 79, 8),
        "distance_embedding",
    ),
    "relative by name": (
        {},
        lambda directory: rewrite(directory, position_embedding_type="relative_key"),
        "position_embedding_type",
    ),
    "gate": ({}, with_tensor("bert.encoder.layer.0.gate.weight", 4), "gate.weight"),
    "a layer more": (
        {},
        with_tensor("bert.encoder.layer.2.output.dense.bias", 32),
        "layer.2.output",
    ),
    "stray adapter": (
        {},
        with_tensor("bert.encoder.layer.0.attention.self.query.lora_A.weight", 2, 32),
        "lora_A",
    ),
    "adapter": ({}, adapter_beside, "adapter"),
    "adapter alone": ({}, adapter_alone, "adapter"),
    "pickle": ({}, pickled, "pickled"),
    "another constant": (
        {"kind": "gpt2", "pad_token_id": 0},
        with_tensor("transformer.h.0.attn.masked_bias"),
        "masked_bias",
    ),
    "vocabulary": ({}, other_family, "no word of its own vocabulary"),
    "a layer less": (
        {},
        lambda directory: retensor(directory, without_a_layer),
        "layer.1.output",
    ),
    "damaged": ({}, lambda directory: retensor(directory, damaged), "not finite"),
    "quantised": (
        {},
        lambda directory: rewrite(directory, quantization_config={"quant_method": "gptq"}),
        "quantiz",
    ),
}
# Classifiers that are read without their heads.
HEADLESS = ("a mean of tokens",)
# Of families that the project reads, and whose classifiers it does not.
UNCLASSIFIED = ("a window", *HEADLESS, "experts of all tokens in one row")
BARE = ("bare", "a window", "experts of all tokens in one row")
LEARNING = [name for name in READ if name not in UNCLASSIFIED]
CLASSIFIERS = [
    name
    for name, (made, _, _) in READ.items()
    if made.get("head", CLASSES) == CLASSES and made.get("num_labels") != 1
    if name not in HEADLESS
]


@pytest.fixture(scope="module")
def directory_of(tmp_path_factory, make_model, tokenizer):
    """Return ``directory_of(kind)``: its directory, made once, to be left as it is."""
    made: dict[str, Path] = {}

    def directory(name: str) -> Path:
        if name not in made:
            options, change, _ = (READ | REFUSED)[name]
            made[name] = tmp_path_factory.mktemp("model")
            saved(made[name], make_model, tokenizer, **options)
            if change is not None:
                change(made[name])
        return made[name]

    return directory


class Own:
    """What transformers makes of a text with the model of a directory."""

    def __init__(self, directory: Path, text: str = TEXT, pair: str | None = None) -> None:
        name = json.loads((directory / "config.json").read_text())["architectures"][0]
        kind = getattr(transformers, name)
        self.model = kind.from_pretrained(directory, dtype=torch.float32).eval()
        rules = Tokenizer.from_file(str(directory / "tokenizer.json"))
        self.tokenizer = transformers.PreTrainedTokenizerFast(
            tokenizer_object=rules,
            model_input_names=["input_ids", "token_type_ids", "attention_mask"],
            **{"mask_token": "[MASK]", "pad_token": "[PAD]", "unk_token": "[UNK]"},
        )
        read = rules.encode(text, pair)
        self.given = {"input_ids": torch.tensor([read.ids])}
        if hasattr(self.model.config, "type_vocab_size"):  # DistilBERT has no types
            self.given["token_type_ids"] = torch.tensor([read.type_ids])
        headless = {READ[kind][0]["kind"] for kind in HEADLESS}
        self.classifies = name.endswith(CLASSES) and self.model.config.model_type not in headless
        read = self.model if self.classifies else self.model.base_model
        with torch.inference_mode():
            output = read(**self.given, output_hidden_states=True)
            self.model.set_attn_implementation("eager")
            eager = read(**self.given, output_attentions=True)
        self.hidden = torch.stack(output.hidden_states)[:, 0].numpy()
        self.attention = torch.cat(eager.attentions).numpy()
        self.logits = output.logits[0].double().numpy() if self.classifies else None

    @property
    def probabilities(self) -> np.ndarray | None:
        if self.logits is None or len(self.logits) == 1:
            return None
        several = self.model.config.problem_type == "multi_label_classification"
        return expit(self.logits) if several else softmax(self.logits)


def agree(read, own: Own) -> None:
    """Compare arrays that are read with those of the model."""
    close(read["attention"], own.attention)
    close(read["embedding"], own.hidden[0])
    *layers, last = read["layer_output"]
    close(np.stack(layers), own.hidden[1:-1])
    # What transformers calls the last hidden state is behind the normalisation of a decoder.
    final = LAST_NORMS.get(own.model.config.model_type)
    if final is not None:
        with torch.inference_mode():
            last = own.model.base_model.get_submodule(final)(torch.tensor(last)).numpy()
    close(last, own.hidden[-1])


def refuses(name: str, door: Callable, *given, **options) -> None:
    said = REFUSED[name][2]
    assert said is not None
    assert said in refusal(door, *given, **options)


# --- the library and the page ---------------------------------------------------------------------


def predicts(example, own: Own) -> None:
    if own.probabilities is None:
        assert "prediction" not in example
        return
    assert example["prediction"] == own.probabilities.argmax()
    assert example["probability"] == pytest.approx(own.probabilities.max(), rel=1e-5)


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("loaded", [False, True])
@pytest.mark.parametrize("pair", [None, PAIR])
def test_the_library_reads_what_the_model_computes(directory_of, name, loaded, pair):
    directory = directory_of(name)
    if name == "one type" and pair:
        with pytest.raises(InputError, match="the model knows 1"):
            capture_text(TEXT, model=directory, pair=pair)
        return
    own = Own(directory, pair=pair)
    text = capture_text(TEXT, model=(own.model, own.tokenizer) if loaded else directory, pair=pair)
    agree(text, own)
    predicts(text.example, own)
    left_out = own.probabilities is None and name not in BARE
    assert text.head_left_out == (type(own.model).__name__ if left_out else None)
    weights = text.weights[1].projection
    close(text["context"][1] @ weights.weight + weights.bias, text["attention_output"][1])


@pytest.mark.parametrize("name", sampled(REFUSED))
def test_the_library_refuses(directory_of, name):
    refuses(name, capture_text, TEXT, model=directory_of(name))


@pytest.mark.parametrize("name", READ)
def test_the_page_shows_what_the_model_says(directory_of, name):
    explained = explain([(TEXT, None)], str(directory_of(name)))
    ((text,),) = explained.texts
    (shown,) = text.states.values()
    own = Own(directory_of(name))
    if own.probabilities is None:
        assert (shown.predicted, shown.prediction) == (None, {})
        head = {} if name in BARE else {explained.name: type(own.model).__name__}
        assert explained.heads == head
        return
    assert shown.predicted is not None
    # As it is written, in four digits.
    assert shown.predicted["probability"] == pytest.approx(own.probabilities.max(), rel=1e-3)
    masked = Own(directory_of(name), TEXT.replace("not", "[MASK]")).probabilities
    assert masked is not None
    label = own.probabilities.argmax()
    place = shown.text.shown_tokens["token"].tolist().index("not")
    lost = next(each for way, each in shown.prediction.items() if "left_out" in way)[place]
    assert lost == pytest.approx(own.probabilities[label] - masked[label], abs=2e-5)


@pytest.mark.parametrize("name", REFUSED)
def test_the_page_refuses(directory_of, name):
    refuses(name, explain, [(TEXT, None)], str(directory_of(name)))


# --- what asks a classifier again -----------------------------------------------------------------


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("pair", [None, PAIR])
def test_gradients_removals_and_ablation_start_from_what_the_model_says(directory_of, name, pair):
    directory = directory_of(name)
    model, tokenizer = load_finetuned(directory, "classification"), load_tokenizer(directory)
    encoded = [encode_one(TEXT, pair, tokenizer, most_tokens(model))]
    how = {"device": CPU, "batch_size": 4}
    if name == "one type" and pair:
        with pytest.raises(InputError, match="the model knows 1"):
            next(gradients(model, encoded, targets=[1], **how))
        return
    own = Own(directory, pair=pair)
    assert own.logits is not None and own.probabilities is not None
    (slopes,) = gradients(model, encoded, targets=[1], **how)
    close(slopes.logits, own.logits, least=1)  # logarithms: a hundred-thousandth of the odds
    close(slopes.attention, own.attention)
    (integral,) = integrated_gradients(model, encoded, targets=[1], steps=50, **how)
    ids = own.given["input_ids"]
    special = torch.tensor([encoded[0].is_special])
    blank = own.given | {"input_ids": torch.where(special, ids, model.config.pad_token_id)}
    with torch.inference_mode():
        # Positions are counted by ids in some families; the integral keeps those of the text.
        words = own.model.get_input_embeddings()
        table = words(blank["input_ids"])
        handle = words.register_forward_hook(lambda *_: table)
        baseline = own.model(**own.given).logits[0, 1]
        handle.remove()
    missed = abs(integral.scores.sum() - float(own.logits[1] - baseline))
    assert missed == pytest.approx(integral.completeness_error, abs=1e-4)
    ((told,),) = ablate(model, tokenizer, encoded, [[set()]], removal="mask", **how)
    close(told, own.probabilities)
    measured = ablate_heads(model, [encoded], measure_classes([1]), **how)
    assert measured[0, 0, 0] == pytest.approx(-np.log(softmax(own.logits)[1]), rel=1e-5)


@pytest.mark.parametrize("name", REFUSED)
def test_what_asks_a_classifier_refuses(directory_of, name):
    """Stages hash the files first (``find_again``), and load the tokenizer with the model."""
    from attention_mixing.models.source import directory_of as located

    def opened(directory):
        located(str(directory))
        load_tokenizer(directory)
        return load_finetuned(directory, "classification")

    refuses(name, opened, directory_of(name))


# --- the pipeline ---------------------------------------------------------------------------------


@pytest.fixture
def workplace(tmp_path, directory_of):
    """Return ``workplace(kind)``: an empty directory with the model in it."""

    def place(name: str) -> Path:
        shutil.copytree(directory_of(name), tmp_path / "tiny-bert")
        return tmp_path

    return place


def checked(place: Path) -> None:
    values = untried_parameters() | {"files": {"mine": "tiny-bert"}}
    values["experiments"]["reviews"]["model"] = {"source": "local", "name": "mine"}
    values["experiments"]["reviews"]["length"]["max_tokens"] = 40
    write_parameters(place, values)
    check()


def captured(place: Path) -> None:
    values = tiny.parameters("sentences")
    tiny.note_trained("sentences")
    prepare(values, "sentences")
    capture(values, "sentences")


def trained(place: Path) -> None:
    values = tiny.parameters("reviews")
    prepare(values, "reviews")
    train(values, "reviews")


@pytest.mark.parametrize("door", [checked, captured, trained])
@pytest.mark.parametrize("name", REFUSED)
def test_the_pipeline_refuses_before_it_works(workplace, name, door):
    place = workplace(name)
    with chdir(place):
        refuses(name, door, place)
    assert not list(place.glob("artifacts/*/train/*/model"))
    assert not list(place.glob("artifacts/*/capture"))


@pytest.mark.parametrize("door", [checked, trained])
@pytest.mark.parametrize("name", HEADLESS)
def test_no_head_is_trained_that_is_not_read(workplace, name, door):
    place = workplace(name)
    with chdir(place):
        said = refusal(door, place)
    assert "has a head that does not read the first or the last token" in said
    assert not list(place.glob("artifacts/*/train/*/model"))


@pytest.mark.parametrize("name", LEARNING)
def test_the_check_lets_in_what_can_be_read(workplace, name):
    place = workplace(name)
    with chdir(place):
        checked(place)


@pytest.mark.parametrize("name", sampled(READ))
def test_the_capture_holds_what_the_model_computes(workplace, name):
    place = workplace(name)
    with chdir(place):
        captured(place)
        kept = Capture(Path("artifacts/sentences/capture/pretrained"))
        text = kept.examples.iloc[0]
        own = Own(Path("tiny-bert"), text["text"])
        read = {part: kept.array(0, part) for part in ("attention", "embedding", "layer_output")}
        agree(read, own)
        weights = kept.weights.layers[0].projection
        context = kept.array(0, "context", 0)
        close(context @ weights.weight + weights.bias, kept.array(0, "attention_output", 0))


@pytest.mark.parametrize("name", LEARNING)
def test_training_scores_what_the_model_says(workplace, name):
    place = workplace(name)
    with chdir(place):
        trained(place)
        test = pd.read_parquet("artifacts/reviews/corpus/examples.parquet").query("split == 'test'")
        told = pd.read_parquet("artifacts/reviews/train/0/predictions.parquet")
        for row, text in list(zip(told.itertuples(), test["text"], strict=True))[:3]:
            own = Own(Path("artifacts/reviews/train/0/model"), text)
            close([row.probability_0, row.probability_1], own.probabilities)
