"""What a prediction owes to each word that can be changed: minimal pairs instead of removal.

A removed word leaves a text as no one writes it, and the model's answer to it is an extrapolation.
A grammar knows other forms of some words that fit (a noun's other number, an adjective of the other
kind), so that what the model meets is as it was trained on (contrast sets: Gardner et al. 2020,
*Evaluating Models' Local Decision Boundaries via Contrast Sets*, Findings of EMNLP).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attention_mixing.corpora.corpus import Corpus, Span
from attention_mixing.measures.engine.definition import CapturedCorpus, Given
from attention_mixing.measures.model import finetuned
from attention_mixing.methods.faithfulness import precision_at_one, rank_correlation

AGREEMENT, TOP_WORD = "counterfactual", "top_counterfactual"
DECIDES = ("evidence_decides", "first_decides")


@dataclass(frozen=True)
class ChangeableWords:
    """Words of a text that can be changed, those that the model reads.

    Attributes
    ----------
    tokens
        Whether a token is of the word, ``[word, token]``.
    costs
        What the predicted class loses of its probability when the word is changed, ``[word]``.
    """

    tokens: NDArray[np.bool_]
    costs: NDArray[np.float64]

    @classmethod
    def of(cls, changed: NDArray[np.float64]) -> ChangeableWords:
        """Read them off what :func:`changed_words` gives of a text."""
        tokens = ~np.isnan(changed)
        return cls(tokens, changed[np.arange(len(changed)), tokens.argmax(axis=1)])

    def decide(self, effect: float) -> bool:
        """Tell whether there is a choice of words, and some change moves the probability so far."""
        return len(self.costs) > 1 and bool(np.abs(self.costs).max() >= effect)

    def ranks(self, scores: NDArray[np.float32]) -> dict[str, NDArray[np.float64]]:
        """Hold scores of tokens, ``[layer, token]``, against what changes cost, ``[layer]`` each.

        A word scores as its highest token: it is found if one of them is.
        """
        of_words = np.stack([scores[:, tokens].max(axis=1) for tokens in self.tokens], axis=1)
        return {
            AGREEMENT: rank_correlation(of_words, self.costs),
            TOP_WORD: precision_at_one(of_words, np.asarray(self.costs == self.costs.max())),
        }

    def decides(self, evidence: NDArray[np.bool_]) -> dict[str, float]:
        """Tell whether the word whose change costs most is evidence, and whether it is the first.

        1 or 0; nan where all words are evidence. Where it is always the first, a method that
        prefers the beginning of a text finds it too.
        """
        of_words = np.asarray((self.tokens & evidence).any(axis=1))
        found = precision_at_one(self.costs, of_words), self.costs.argmax() == 0
        return dict(zip(DECIDES, map(float, found), strict=True))


def changed_words(
    corpus: CapturedCorpus, given: Given, examples: pd.DataFrame
) -> list[NDArray[np.float64] | None]:
    """Ask the fine-tuned model about every minimal pair of some texts, ``[text]``.

    ``examples`` are rows of captured texts, with their ``prediction``. What the change of a word
    costs stands at its tokens, ``[word, token]``, and nan at others. None where the corpus has no
    minimal pairs.
    """
    from attention_mixing.models.encode import encode_examples
    from attention_mixing.models.token_ablation import ablate

    texts = Corpus.read(corpus.texts).examples.set_index("id").loc[examples["id"]]
    if texts["counterfactuals"].isna().any():
        return [None] * len(texts)
    model, tokenizer, device = finetuned(corpus, given)
    pairs = texts.explode("counterfactuals").dropna(subset="counterfactuals")
    pairs = pairs.assign(text=pairs["counterfactuals"])
    length, size = given.settings["experiment.length"], given.settings["faithfulness.batch_size"]
    encoded = encode_examples(pd.concat([texts, pairs]), tokenizer, length)
    as_they_are: list[list[list[int]]] = [[[]]] * len(encoded)
    answers = ablate(
        model, tokenizer, encoded, as_they_are, removal="delete", device=device, batch_size=size
    )
    probabilities = pd.Series([answer[0] for answer in answers], [*texts.index, *pairs.index])
    words: list[NDArray[np.float64] | None] = []
    for text, prediction in zip(examples["id"], examples["prediction"].astype(int), strict=True):
        full, *changed = (of_class[prediction] for of_class in probabilities.loc[[text]])
        tokens = corpus.states[-1].text(text).tokens
        of_words = _tokens_of(texts.at[text, "changed"], tokens)
        read = of_words.any(axis=1)
        costs = np.reshape(full - np.array(changed), (-1, 1))
        words.append(np.where(of_words, costs, np.nan)[read])
    return words


def _tokens_of(words: list[Span], tokens: pd.DataFrame) -> NDArray[np.bool_]:
    """Tell which tokens are of each word, ``[word, token]``; none if the text was cut before it."""
    starts, ends = (tokens[name].to_numpy() for name in ("start", "end"))
    spans = np.reshape([list(word) for word in words], (-1, 2, 1)).astype(int)
    return (spans[:, 0] < ends) & (starts < spans[:, 1]) & ~tokens["is_special"].to_numpy(bool)
