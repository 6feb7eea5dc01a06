"""All arms of one seed, trained one after the other, and all that is read of them."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property

import pandas as pd
from torch import Tensor
from transformers import PreTrainedModel

from attention_mixing.models.arm_outcomes import (
    depends,
    path_of_sinks,
    predictions,
    predicts,
    sink_shares,
)
from attention_mixing.models.arms import ARMS, conditions, pretrained_conditions, train_arm
from attention_mixing.models.conditions import SETS, Condition, KeySet, Reader
from attention_mixing.models.encode import Encoded
from attention_mixing.models.mean_readout import MeanReadout, mean_readout
from attention_mixing.models.replacements import draw_replacements
from attention_mixing.models.weight_roles import weight_roles
from attention_mixing.settings.sinks import ArmName, ArmTraining, TrialSettings

__all__ = ["LabelledTexts", "Trial"]

PRETRAINED = "pretrained"
DOSED: tuple[KeySet, ...] = ("special", "mass")
DRAWN_WITH = 0  # seed of replacements, which are the same for all models


@dataclass(frozen=True)
class LabelledTexts:
    """Texts as a model reads them, with the number of the label of each."""

    texts: Sequence[Encoded]
    labels: Sequence[int]


@dataclass(frozen=True)
class Trained:
    """Weights, of which arm they are, and at which rate they were trained."""

    name: str
    rate: float
    model: MeanReadout


class Trial:
    """The arms of an experiment with one seed.

    Attributes
    ----------
    pretrained
        The model with its new head, before it is trained.
    reader
        What opens interventions; it knows the free arm once that is trained.
    """

    def __init__(
        self,
        encoder: PreTrainedModel,
        train: LabelledTexts,
        scored: LabelledTexts,
        measured: Sequence[Encoded],
        settings: TrialSettings,
        training: ArmTraining,
        *,
        seed: int,
    ) -> None:
        """Take a model and texts.

        Parameters
        ----------
        encoder
            What is fine-tuned, on the device where it is; left as it was.
        train, scored
            What the arms learn, and what they are scored on.
        measured
            Texts of which each token is replaced.
        settings, training
            Which arms there are, and how they are trained.
        seed
            Of the head, and of the order of texts.

        Raises
        ------
        InputError
            As :func:`attention_mixing.models.mean_readout.mean_readout` and
            :func:`attention_mixing.models.weight_roles.weight_roles`.
        """
        self.train, self.scored, self.measured = train, scored, measured
        self.settings, self.training, self.seed = settings, training, seed
        every = [*train.texts, *scored.texts, *measured]
        special = {
            token
            for text in every
            for token, is_special in zip(text.input_ids, text.is_special, strict=True)
            if is_special
        }
        labels = max(*train.labels, *scored.labels) + 1
        self.pretrained = mean_readout(encoder, labels, special, seed=seed)
        self.pretrained.requires_grad_(False)
        weight_roles(self.pretrained)  # before minutes of training, for the path needs them
        self.reader = Reader(self.pretrained, train.texts, seed)
        self.replacements = draw_replacements(measured, draws=settings.draws, seed=DRAWN_WITH)

    def tables(self) -> dict[str, pd.DataFrame]:
        """Train all arms, and read them.

        Returns
        -------
        dict
            ``outcomes``: ``weights``, the arm or ``pretrained``, and their ``learning_rate``, or 0;
            the fields of the :class:`attention_mixing.models.conditions.Condition` that they are
            read under; and ``text, quantity, layer, value``. ``heads``: by ``weights,
            learning_rate, layer, head`` the mean attention to special tokens with nothing done.
            ``keys``: by ``text`` and set of ``keys``, how many there are (``count``), and their
            ``mass`` and ``move``. ``path``: ``text, quantity, layer, value`` of what the free arm
            owes to which weights.

        Raises
        ------
        InputError
            As :func:`attention_mixing.models.arms.train_arm`.
        """
        outcomes, heads = [], []
        for trained, ways in self._models():
            of = {"weights": trained.name, "learning_rate": trained.rate}
            outcomes += [self._read(trained.model, way).assign(**of) for way in ways]
            found = sink_shares(
                trained.model,
                self.scored.texts,
                self.reader,
                batch_size=self.settings.batch_size,
            )
            heads.append(found.assign(**of))
        assert self.reader.free is not None  # it is the first arm
        path = path_of_sinks(self.pretrained, self.reader.free, self.measured, self.reader)
        names = ["weights", "learning_rate", "what", "keys", "shares", "bias", "text", "quantity"]
        return {
            "outcomes": pd.concat(outcomes, ignore_index=True)[[*names, "layer", "value"]],
            "heads": pd.concat(heads, ignore_index=True),
            "keys": self._keys(),
            "path": path,
        }

    def _models(self) -> Iterator[tuple[Trained, list[Condition]]]:
        """Give models one after the other, and in which ways they are to be read."""
        main, *others = self.training.learning_rate, *self.training.other_rates
        arms = self.settings.arms
        doses = [
            Condition("biased", keys, bias=bias) for bias in self.settings.doses for keys in DOSED
        ]
        free = self._trained("free", main)
        self.reader.free = free.model
        before = Trained(PRETRAINED, 0.0, self.pretrained)
        yield before, [*pretrained_conditions(arms), *doses]
        yield free, conditions("free")
        for name in arms:
            if name != "free":
                yield self._trained(name, main), conditions(name)
        for rate in others:
            for name in ("free", "clamped"):
                yield self._trained(name, rate), conditions(name, following=False)

    def _trained(self, name: ArmName, rate: float) -> Trained:
        model = copy.deepcopy(self.pretrained)
        train_arm(
            model,
            ARMS[name],
            self.train.texts,
            self.train.labels,
            self.training,
            learning_rate=rate,
            seed=self.seed,
            reader=self.reader,
        )
        return Trained(name, rate, model.requires_grad_(False))

    @cached_property
    def _free(self) -> Tensor:
        """What the free arm predicts of the texts that are scored."""
        assert self.reader.free is not None  # it is the first arm
        size = self.settings.batch_size
        return predictions(self.reader.free, self.scored.texts, batch_size=size)

    def _read(self, model: MeanReadout, way: Condition) -> pd.DataFrame:
        size = self.settings.batch_size
        found = [
            depends(model, self.measured, self.replacements, way, self.reader, batch_size=size),
        ]
        if way.what != "following":  # what is scored has no token replaced
            texts, labels = self.scored.texts, self.scored.labels
            found.append(
                predicts(model, texts, labels, way, self.reader, free=self._free, batch_size=size)
            )
        return pd.concat(found, ignore_index=True).assign(**asdict(way))

    def _keys(self) -> pd.DataFrame:
        rows = [
            (number, keys, int(self.reader.chosen(keys, text).sum()), *weights)
            for number, text in enumerate(self.measured)
            for keys in SETS
            for weights in [self.reader.weights_of(keys, text)]
        ]
        return pd.DataFrame(rows, columns=["text", "keys", "count", "mass", "move"])
