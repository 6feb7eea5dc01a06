"""The feed-forward network of a layer: its linear maps, and how what it makes is shared out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.autograd import forward_ad
from transformers import PreTrainedModel

from attention_mixing.methods.decompx import LinearisedNetwork
from attention_mixing.methods.layer import Linear, Norm
from attention_mixing.models.components import close, is_linear, linear, norm
from attention_mixing.models.passes import made_by
from attention_mixing.models.structure import Step

# Points of Gauss and Legendre between 0 and 1 by which the slopes of gated networks are integrated.
POINTS = 48


@dataclass(frozen=True)
class Inner:
    """A feed-forward network as linear maps around a function of each number by itself.

    Attributes
    ----------
    into
        Linear maps of what the network is given: one, or two where one gates the other.
    out
        The linear map of what the function makes of these.
    width
        Numbers a token of this. A map that makes several times as many gates one part of them with
        another.
    """

    into: tuple[nn.Module, ...]
    out: nn.Module
    width: int


class FeedForwardNetwork:
    """The network of a layer, which reads the stream once it is normalised.

    Parameters
    ----------
    model
        In float32 and evaluation mode. Left as it was.
    step
        The network, a step of one of its layers.
    """

    def __init__(self, model: PreTrainedModel, step: Step) -> None:
        self.model, self.step = model, step

    def __call__(self, rows: Tensor) -> Tensor:
        """Run the network on its own.

        ``rows``, the normalised stream, and the result are ``[batch, token, model_dim]``.
        """
        return made_by(self.model, self.step, rows)

    @cached_property
    def inner(self) -> Inner | None:
        """Its linear maps; None if it is of another kind, such as experts."""
        with torch.no_grad():
            return self._find_inner()

    @property
    def kind(self) -> str:
        """``plain`` with one linear map before the last, ``gated`` with two, else ``other``."""
        if self.inner is None:
            return "other"
        numbers = sum(linear(m, self.step.width).weight.shape[1] for m in self.inner.into)
        return "plain" if numbers == self.inner.width else "gated"

    def behind_norm(self) -> BehindNorm | None:
        """Give the rest of it where a module of it normalises the stream first; else None."""
        rows, first = self._drawn(4), self.model.get_submodule(self.step.modules[0])
        given: list[tuple[nn.Module, Tensor]] = []
        with torch.no_grad(), ExitStack() as hooks:
            for module in first.modules():
                note = partial(_note_input, given)
                hooks.enter_context(module.register_forward_pre_hook(note))
            self(rows)
        for module, entering in given:
            if entering.shape == rows.shape and entering.equal(rows):
                normalisation = norm(module, rows.shape[-1])
                if normalisation is not None:
                    return BehindNorm(self.model, self.step, module, normalisation)
        return None

    # --- shares -----------------------------------------------------------------------------------

    def shares(self, rows: Tensor) -> Callable[[Tensor], Tensor]:
        r"""Give the shares that integrated gradients give to parts of what the network is given.

        With linear maps :math:`P_m(u)`, which grow from 0 together with the input and the biases,
        and :math:`h(P_1(u), \ldots)`, a function of each number by itself, a part :math:`z` has
        the share :math:`\sum_m P_m(z) \odot d_m` through the last linear map, biases left out,

        .. math:: d_m = \int_0^1 \partial_m h(t P_1, \ldots)\, dt .

        Of one map that is the secant, :math:`(h(P) - h(0)) / P`, without an integral to be taken.
        Of a network of another kind, such as experts, the derivative along the part is integrated
        from 0 to the input, constants staying as they are.

        Parameters
        ----------
        rows
            The normalised stream, ``[1, token, model_dim]``.

        Returns
        -------
        Callable
            From parts of ``rows``, ``[part, token, model_dim]``, to shares of the output, of the
            same shape. Of parts that add up to ``rows`` they add up to it where the network is
            :meth:`complete`.
        """
        inner = self.inner
        if inner is None:
            return partial(self._along, rows)
        with torch.no_grad():
            maps = [module(rows) for module in inner.into]
        slopes = self._slopes(inner, maps, rows)

        @torch.inference_mode()
        def run(parts: Tensor) -> Tensor:
            mapped = torch.cat([_without_constant(module, parts) for module in inner.into], dim=-1)
            hidden = (mapped * slopes).unflatten(-1, (-1, inner.width)).sum(dim=-2)
            return _without_constant(inner.out, hidden)

        return run

    def linearised(self, rows: Tensor) -> LinearisedNetwork | None:
        """Give the network as linear maps around the slopes of :meth:`shares`.

        None if it is of another kind, such as experts. ``rows`` are the normalised stream,
        ``[1, token, model_dim]``.
        """
        if self.inner is None:
            return None
        with torch.no_grad():
            maps = [module(rows) for module in self.inner.into]
        slopes = self._slopes(self.inner, maps, rows)[0].detach().cpu().numpy()
        into, out = self._maps(self.inner)
        return LinearisedNetwork(into, slopes, out)

    def complete(self, rows: Tensor) -> bool:
        """Tell whether the shares of the whole input are what the network makes of it.

        They are not where experts are chosen by something that does not grow with the input. What
        the network makes of 0 is not to be shared out. ``rows`` are the normalised stream,
        ``[1, token, model_dim]``.
        """
        if self.inner is not None:
            return True
        with torch.no_grad(), _eager_experts(self.model):
            output = self(rows) - self(torch.zeros_like(rows))
        return close(self._along(rows, rows.detach()), output)

    @cached_property
    def shares_add_up(self) -> bool:
        """Whether the network is :meth:`complete` for vectors that are drawn."""
        return self.complete(self._drawn(16))

    def _along(self, rows: Tensor, parts: Tensor) -> Tensor:
        """Integrate what the network does along ``[part, token, model_dim]`` of its input."""
        total = torch.zeros_like(parts)
        ends = rows.detach().expand_as(parts)
        # torch.func.jvp ends the process at routers that convert their own weights as they run.
        with _eager_experts(self.model), torch.no_grad(), forward_ad.dual_level():
            for node, share in zip(*_points(), strict=True):
                output = self(forward_ad.make_dual(node * ends, parts))
                along = forward_ad.unpack_dual(output).tangent
                assert along is not None  # the input is what the output depends on
                total += share * along
        return total

    def _slopes(self, inner: Inner, values: list[Tensor], rows: Tensor) -> Tensor:
        """Integrate the slopes of what stands between the linear maps, from 0 to these values.

        Those of all maps in a row, ``[1, token, numbers]``.
        """
        if sum(value.shape[-1] for value in values) == inner.width:
            # Where a value is next to nothing, the secant is taken a little further out.
            (far,) = [torch.where(v.abs() < 1e-6, torch.full_like(v, 1e-6), v) for v in values]
            with torch.no_grad():
                ends = [self._hidden(inner, [v], rows) for v in (far, torch.zeros_like(far))]
            return (ends[0] - ends[1]) / far
        slopes = [torch.zeros_like(value) for value in values]
        for node, share in zip(*_points(), strict=True):
            leaves = [(node * value).requires_grad_() for value in values]
            with torch.enable_grad():
                hidden = self._hidden(inner, leaves, rows)
                gradients = torch.autograd.grad(hidden.sum(), leaves)
            for total, slope in zip(slopes, gradients, strict=True):
                total += share * slope
        return torch.cat(slopes, dim=-1)

    # --- linear maps ------------------------------------------------------------------------------

    def _find_inner(self) -> Inner | None:
        """Find the linear maps of the network, and try whether all else sees each number alone."""
        called: list[tuple[nn.Module, Tensor, Tensor]] = []

        def note(module: nn.Module, args: tuple[Any, ...], output: Any) -> None:
            if isinstance(args[0], Tensor) and isinstance(output, Tensor):
                called.append((module, args[0], output))

        rows = self._drawn(4)
        top = [self.model.get_submodule(path) for path in self.step.modules]
        inside = dict.fromkeys(
            m for module in top for m in module.modules() if not any(m.children())
        )
        with ExitStack() as hooks:
            for module in inside:
                hooks.enter_context(module.register_forward_hook(note))
            result = self(rows)
        maps = [(m, i, o) for m, i, o in called if is_linear(m, i.shape[-1])]
        into = [
            m for m, entering, _ in maps if entering.shape == rows.shape and entering.equal(rows)
        ]
        out = [m for m, _, output in maps if output.shape == result.shape and output.equal(result)]
        if not into or len(out) != 1 or len(maps) != len(into) + 1:
            return None
        (width,) = (entering.shape[-1] for m, entering, _ in maps if m is out[0])
        inner = Inner(tuple(into), out[0], width)
        values = [o for m, _, o in maps if m in into]
        if any(value.shape[-1] % width for value in values):
            return None
        every_other = [torch.arange(v.shape[-1], device=v.device) % width % 2 == 0 for v in values]
        changed = [torch.where(e, v + 1, v) for e, v in zip(every_other, values, strict=True)]
        usual, moved = (self._hidden(inner, numbers, rows) for numbers in (values, changed))
        alone = usual[..., 1::2].equal(moved[..., 1::2])
        return inner if alone and not close(usual, moved) else None

    def _maps(self, inner: Inner) -> tuple[Linear, Linear]:
        """Give the linear maps before what stands between, side by side, and the one behind."""
        into = [linear(module, self.step.width) for module in inner.into]
        weights, biases = zip(*into, strict=True)
        beside = Linear(np.concatenate(weights, axis=1), np.concatenate(biases))
        return beside, linear(inner.out, inner.width)

    def _hidden(self, inner: Inner, values: Sequence[Tensor], rows: Tensor) -> Tensor:
        """Compute what stands between the linear maps, with these values of the first ones."""
        hidden: list[Tensor] = []

        def keep(entering: Tensor) -> Tensor:
            hidden.append(entering)
            return torch.zeros_like(rows)

        with ExitStack() as stack:
            for module, value in zip(inner.into, values, strict=True):
                stack.enter_context(_answering(module, partial(_instead, value)))
            stack.enter_context(_answering(inner.out, keep))
            self(rows)
        return hidden[0]

    def _drawn(self, tokens: int) -> Tensor:
        """Draw vectors that the network is tried on, ``[1, token, model_dim]``."""
        rows = np.random.default_rng(0).normal(size=(1, tokens, self.step.width))
        weights = next(self.model.parameters())
        return torch.tensor(rows, dtype=weights.dtype, device=weights.device)


class BehindNorm(FeedForwardNetwork):
    """The rest of a network that normalises the stream itself, as that of RoBERTa-PreLayerNorm.

    Parameters
    ----------
    model, step
        As of the network.
    module, norm
        What normalises, which the rest is taken without.
    """

    def __init__(self, model: PreTrainedModel, step: Step, module: nn.Module, norm: Norm) -> None:
        super().__init__(model, step)
        self.module, self.norm = module, norm

    def __call__(self, rows: Tensor) -> Tensor:  # noqa: D102
        with _answering(self.module, lambda entering: entering):
            return super().__call__(rows)


def _note_input(given: list[tuple[nn.Module, Tensor]], module: nn.Module, args: Any) -> None:
    if args and isinstance(args[0], Tensor):
        given.append((module, args[0]))


def _points() -> tuple[list[float], list[float]]:
    """Points between 0 and 1 and their shares, by Gauss and Legendre."""
    nodes, shares = np.polynomial.legendre.leggauss(POINTS)
    return ((nodes + 1) / 2).tolist(), (shares / 2).tolist()


def _without_constant(module: nn.Module, rows: Tensor) -> Tensor:
    """Apply a linear map to ``[..., token, in]`` without the constant that it adds."""
    return module(rows) - module(torch.zeros_like(rows[:1, :1]))


@contextmanager
def _answering(module: nn.Module, answer: Callable[[Tensor], Tensor]) -> Iterator[None]:
    """Let a module answer something else inside the block."""
    forward = vars(module).get("forward")  # of an adapter, for example
    module.forward = answer  # type: ignore[assignment]
    try:
        yield
    finally:
        if forward is None:
            del module.forward
        else:
            module.forward = forward


def _instead(value: Tensor, entering: Tensor) -> Tensor:
    return value


@contextmanager
def _eager_experts(model: PreTrainedModel) -> Iterator[None]:
    """Compute experts one by one inside the block: what is faster has no derivative, no float64."""
    before = getattr(model.config, "_experts_implementation", None)
    model.set_experts_implementation("eager")
    try:
        yield
    finally:
        if before is not None:
            model.set_experts_implementation(before)
