"""Disable one attention head at a time in the fine-tuned model."""

from __future__ import annotations

from attention_mixing.capture.subset import choose
from attention_mixing.corpora.corpus import Corpus
from attention_mixing.measures.engine.definition import (
    HEAD,
    POSITIVE,
    SHARE,
    SIGNED,
    CapturedCorpus,
    Given,
    Gives,
    Measure,
    OfCorpus,
    each_of,
)
from attention_mixing.measures.model import finetuned
from attention_mixing.settings.derived import scored


def head_ablation(corpus: CapturedCorpus, given: Given) -> OfCorpus:
    """``loss`` and ``score`` of each test text, and their ``_change`` without each head.

    A classifier scores 1 for the right class and 0 for another; an answer scores its F1, 0 to 1.
    """
    from attention_mixing.models.encode import encode_questions, encode_windows
    from attention_mixing.models.head_ablation import ablate_heads, measure_answers, measure_classes

    settings, length = given.settings["ablation"], given.settings["experiment.length"]
    state = corpus.states[-1]
    model, tokenizer, device = finetuned(corpus, given)
    test = Corpus.read(corpus.texts).split("test")
    examples = choose(test, len(test) if settings.examples is None else settings.examples)
    if given.settings["experiment.task"] == "question_answering":
        questions = encode_questions(examples, tokenizer, length)
        texts, measure = [q.windows for q in questions], measure_answers(examples, questions)
    else:
        texts = encode_windows(examples, tokenizer, length)
        measure = measure_classes(examples["label"].tolist())
    measured = ablate_heads(model, texts, measure, device=device, batch_size=settings.batch_size)
    layers = len(state.weights)
    for index, text in enumerate(examples["id"]):
        plain, without = measured[0, index], measured[1:, index]
        for which, name in enumerate(("loss", "score")):
            change = (without[:, which] - plain[which]).reshape(layers, -1)
            values = {name: plain[which], f"{name}_change": change}
            yield state.variant, int(text), each_of(values)


MEASURES = (
    Measure(
        "head_ablation",
        head_ablation,
        gives=(
            Gives("loss", range=POSITIVE),
            Gives("score", range=SHARE, saturates=True),
            Gives("loss_change", HEAD),
            Gives("score_change", HEAD, SIGNED, saturates=True),
        ),
        kind="corpus",
        settings=("ablation", "device", "experiment.length", "experiment.task"),
        defined=scored,
    ),
)
