"""Fine-tune a model with an intervention on its attention, and without: arms of an experiment.

All arms of a seed begin with the same weights and the same head, and take as many steps over the
same texts in the same order. There is no dropout, so that nothing else is left to chance.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch.nn.functional import cross_entropy
from tqdm import tqdm

from attention_mixing.errors import InputError
from attention_mixing.models.batch import pad
from attention_mixing.models.conditions import FREE, Condition, Reader
from attention_mixing.models.encode import Encoded
from attention_mixing.models.mean_readout import MeanReadout
from attention_mixing.models.weight_roles import Role, weight_roles
from attention_mixing.settings.sinks import ArmName, ArmTraining

__all__ = ["ARMS", "Arm", "conditions", "pretrained_conditions", "train_arm"]


@dataclass(frozen=True)
class Arm:
    """How a model is fine-tuned.

    Attributes
    ----------
    condition
        What is done to its attention meanwhile.
    kept
        Which weights stay as they are.
    """

    condition: Condition = FREE
    kept: tuple[Role, ...] = ()


ARMS: dict[ArmName, Arm] = {
    "free": Arm(),
    "clamped": Arm(Condition("held", "special", "pretrained")),
    "clamped_first": Arm(Condition("held", "first", "pretrained")),
    "clamped_last": Arm(Condition("held", "last", "pretrained")),
    "shuffled": Arm(Condition("held", "special", "other_text")),
    "mean": Arm(Condition("held", "special", "mean")),
    "placebo_mass": Arm(Condition("held", "mass", "pretrained")),
    "placebo_move": Arm(Condition("held", "move", "pretrained")),
    "zeroed": Arm(Condition("zeroed", "special")),
    "frozen_values": Arm(kept=("value_output",)),
}


def conditions(name: ArmName, *, following: bool = True) -> list[Condition]:
    """List in which ways the weights of an arm are read.

    Free; under what was done in training; where these are shares of the same text, also with those
    that follow what is replaced. Weights that were trained freely are read as *clamped* ones are.

    Parameters
    ----------
    name
        Of the arm.
    following
        Whether shares that follow what is replaced are wanted.
    """
    done = ARMS["clamped" if name == "free" else name].condition
    ways = [FREE, done]
    if following and done.shares == "pretrained":
        ways.append(replace(done, what="following"))
    return [*dict.fromkeys(ways)]


def pretrained_conditions(names: Iterable[ArmName]) -> list[Condition]:
    """List in which ways weights are read that were not fine-tuned.

    As they are; under what is done in each arm, which its effect is compared with; and with the
    shares of the freely fine-tuned model. With their own shares that follow what is replaced they
    are as they are.

    Parameters
    ----------
    names
        Of the arms that are trained.
    """
    swapped = [Condition("held", "special", "free"), Condition("following", "special", "free")]
    return [*dict.fromkeys([FREE, *(ARMS[name].condition for name in names), *swapped])]


def train_arm(
    model: MeanReadout,
    arm: Arm,
    texts: Sequence[Encoded],
    labels: Sequence[int],
    settings: ArmTraining,
    *,
    learning_rate: float,
    seed: int,
    reader: Reader,
) -> list[float]:
    """Fine-tune a model in one arm.

    AdamW, linear warm-up over ``settings.warmup`` of the steps, then linear decay to zero.

    Parameters
    ----------
    model
        In evaluation mode; it is changed, and stays where it is.
    arm
        What is done meanwhile.
    texts, labels
        What it learns.
    settings
        All but the learning rate.
    learning_rate
        At its peak.
    seed
        Of the order of the texts.
    reader
        Opens the intervention.

    Returns
    -------
    list of float
        The mean loss of each epoch.

    Raises
    ------
    InputError
        If the training diverges, or weights that are to stay cannot be told from others.
    """
    roles = weight_roles(model) if arm.kept else {}
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(roles.get(name) not in arm.kept)
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(trained, learning_rate, weight_decay=settings.weight_decay)
    steps = settings.epochs * math.ceil(len(texts) / settings.batch_size)
    warmup = settings.warmup * steps
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        lambda step: min((step + 1) / max(warmup, 1), (steps - step) / max(steps - warmup, 1)),
    )
    generator, targets = np.random.default_rng(seed), torch.tensor(labels)
    device, losses = model.device, []
    with tqdm(total=steps, desc="train", disable=None, unit="batch") as bar:
        for _ in range(settings.epochs):
            order, total = generator.permutation(len(texts)), 0.0
            for start in range(0, len(texts), settings.batch_size):
                chosen = order[start : start + settings.batch_size].tolist()
                read = [texts[place] for place in chosen]
                batch = pad(read, model.config, device)
                with reader.opened(model, arm.condition, read, batch):
                    logits = model(**batch).logits
                    loss = cross_entropy(logits, targets[chosen].to(device))
                    optimizer.zero_grad()
                    loss.backward()
                optimizer.step()
                schedule.step()
                total += loss.item() * len(chosen)
                bar.update()
            losses.append(total / len(texts))
    if not np.isfinite(losses).all():
        raise InputError(
            f"the training diverged (its loss is not finite) at a learning rate of "
            f"{learning_rate:g}; lower it."
        )
    return losses
