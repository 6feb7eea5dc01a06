"""Models from nothing: decoders and encoder-decoders of transformers, with a tokenizer of texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from transformers import (
    MODEL_FOR_CAUSAL_LM_MAPPING,
    MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING,
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForSeq2SeqLM,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
)

from attention_mixing.errors import InputError, first_line, quoted, require
from attention_mixing.models.config import positions
from attention_mixing.models.load import MODEL_DROPOUT, require_read
from attention_mixing.models.next_word import choosing
from attention_mixing.settings.sources import UntrainedModel

# Whether it reads two texts -> configurations of which transformers has a language model.
_KINDS = {False: MODEL_FOR_CAUSAL_LM_MAPPING, True: MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING}
PADDING, BEGINNING, UNKNOWN, END = "<pad>", "<s>", "<unk>", "</s>"


def untrained(
    model: UntrainedModel, texts: Sequence[str], dropout: float | None = None
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Make a model with random weights, and a tokenizer of some texts.

    The tokenizer knows the most frequent words, cut as that of BERT cuts texts, in lower case;
    others are unknown. For a decoder it puts one token before the first, for an encoder-decoder,
    whose decoder begins with that, one behind the last. Weights are drawn by the generator of
    torch, whose seed is set before.

    Parameters
    ----------
    model
        As parameters describe it.
    texts
        Of which the tokenizer learns its words.
    dropout
        Of the whole model; None keeps what the configuration says.

    Returns
    -------
    model, tokenizer
        The model in evaluation mode.

    Raises
    ------
    InputError
        As :func:`untrained_config`, or if no such model can be made.
    """
    tokenizer = _tokenizer(texts, model.vocabulary, two=_reads_two(model))
    config = untrained_config(model, len(tokenizer))
    for key in MODEL_DROPOUT:
        if dropout is not None and hasattr(config, key):
            setattr(config, key, dropout)
    tokenizer.model_max_length = positions(config.to_dict())
    return _random_network(model, config), tokenizer


def try_untrained(model: UntrainedModel) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Try an untrained model before there are texts: make it, read it, and ask a decoder to choose.

    Its tokenizer has the special tokens that its own will have. It is refused as by
    :func:`untrained`, :func:`choosing` and :func:`attention_mixing.models.load.require_read`.
    """
    network = _random_network(model, untrained_config(model, model.vocabulary))
    require_read(network, f"the model {model.name}")
    if not (two := _reads_two(model)):
        choosing(network, ids=(0, 1), words=("0", "1"))
    return network, _tokenizer([model.name], model.vocabulary, two=two)


def untrained_config(model: UntrainedModel, vocabulary: int) -> PreTrainedConfig:
    """Configure a model without weights, with the special tokens of its tokenizer.

    This knows as many tokens as ``vocabulary`` says. Refused is a type that transformers does not
    know, or a key that its configuration lacks.
    """
    default = _default(model)
    for key in model.config:
        require(key, f"keys of a configuration of {model.type}", sorted(default.to_dict()))
    special = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": None}
    if default.is_encoder_decoder:
        special |= {"decoder_start_token_id": 1, "eos_token_id": 3, "forced_eos_token_id": None}
    settings = model.config | special | {"vocab_size": vocabulary, "use_cache": False}
    with _naming_config(model):
        return AutoConfig.for_model(model.type, **settings)


def _default(model: UntrainedModel) -> PreTrainedConfig:
    fault = "which transformers does not know"
    with suppress(ValueError):
        config: PreTrainedConfig = AutoConfig.for_model(model.type)
        fault = "of which transformers has no language model"
        if type(config) in _KINDS[config.is_encoder_decoder]:
            return config
    raise InputError(
        f"model.type is {quoted(model.type)}, {fault}; allowed: the model_type of a decoder or an "
        "encoder-decoder, such as gpt2 or t5; correct it."
    )


def _reads_two(model: UntrainedModel) -> bool:
    return bool(_default(model).is_encoder_decoder)


def _random_network(model: UntrainedModel, config: PreTrainedConfig) -> PreTrainedModel:
    kind = AutoModelForSeq2SeqLM if config.is_encoder_decoder else AutoModelForCausalLM
    with _naming_config(model):
        network: PreTrainedModel = kind.from_config(config)
    return network.eval()


@contextmanager
def _naming_config(model: UntrainedModel) -> Iterator[None]:
    """Say of a model that cannot be made that its parameters are to be corrected."""
    try:
        yield
    except ImportError as error:
        raise InputError(
            f"a model of type {model.type} needs more than is installed ({first_line(error)}); "
            "install it, or choose another type."
        ) from None
    except Exception as error:  # each architecture breaks in its own way over odd settings
        cause = error.__cause__ if isinstance(error.__cause__, Exception) else error
        raise InputError(
            f"model.config makes no language model of type {model.type} "
            f"({first_line(cause)}); correct it."
        ) from None


def _tokenizer(texts: Sequence[str], vocabulary: int, *, two: bool) -> PreTrainedTokenizerFast:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

    special = [PADDING, BEGINNING, UNKNOWN, *([END] if two else [])]
    before, behind = ("", f" {END}") if two else (f"{BEGINNING} ", "")
    # Of the library's trainers of pieces of words, some make another vocabulary each time.
    tokenizer = Tokenizer(models.WordLevel(unk_token=UNKNOWN))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.train_from_iterator(
        texts,
        trainers.WordLevelTrainer(
            vocab_size=vocabulary, special_tokens=special, show_progress=False
        ),
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{before}$A{behind}",
        pair=f"{before}$A $B{behind}",
        special_tokens=[(token, special.index(token)) for token in special if token != UNKNOWN],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PADDING,
        bos_token=BEGINNING,
        unk_token=UNKNOWN,
        eos_token=END if two else None,
        model_input_names=["input_ids", "attention_mask"],
    )
