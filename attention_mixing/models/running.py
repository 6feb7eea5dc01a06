r"""Layers of a model, run again on what was captured of them, with something changed.

Measures that need more than norms and projections ask here: the model's own modules compute, and
no feed-forward network is written a second time. Arrays go in and come out, so that measures import
no torch.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.autograd import forward_ad
from transformers import PreTrainedModel

from attention_mixing.errors import InputError
from attention_mixing.models.attention import record_attention
from attention_mixing.models.components import close, is_linear, linear
from attention_mixing.models.encode import input_names
from attention_mixing.models.passes import (
    first_tensor,
    joined,
    made_by,
    read_passes,
    word_embeddings,
)
from attention_mixing.models.probing import probing, structure_of
from attention_mixing.models.structure import Layer, Step

Floats = NDArray[np.floating]
Ids = NDArray[np.int64]
# Points of Gauss and Legendre between 0 and 1 by which the slopes of gated networks are integrated.
POINTS = 48

_EXACT: WeakKeyDictionary[PreTrainedModel, PreTrainedModel] = WeakKeyDictionary()


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


class RunningModel:
    """A model whose layers are run again.

    Parameters
    ----------
    model
        In float32 and evaluation mode. Left as it was.
    stream
        Whose layers are run, of an encoder-decoder.
    """

    def __init__(self, model: PreTrainedModel, stream: str = "") -> None:
        self.model = model
        self.stream = stream
        self.norms = structure_of(model).norms
        self.layers = structure_of(model).of(stream)
        self._inner: dict[tuple[str, ...], Inner | None] = {}
        self._shared: dict[tuple[str, ...], bool] = {}

    # --- one layer --------------------------------------------------------------------------------

    def rest(self, layer: int, entered: Floats) -> Callable[[Floats], Floats]:
        """Give what a layer makes of the output of its attention's projection.

        Parameters
        ----------
        layer
            Counted from 0.
        entered
            What enters the layer, ``[token, model_dim]``.

        Returns
        -------
        Callable
            From ``[..., token, model_dim]`` to what leaves the layer, of the same shape.
        """
        first, *others = self.layers[layer].steps
        stream = self._tensor(entered)[None]

        @torch.inference_mode()
        def run(attended: Floats) -> Floats:
            before, now = stream, joined(self.model, first, stream, self._tensor(attended))
            for step in others:
                read = before if step.beside else now
                output = self._run(step, read.expand_as(now))
                before, now = now, joined(self.model, step, now, output)
            return now.cpu().numpy()

        return run

    @torch.inference_mode()
    def network_output(self, layer: int, stream: Floats) -> Floats:
        """Compute what the network of a layer makes of a stream, before anything is done to it.

        Parameters
        ----------
        layer
            Counted from 0.
        stream
            What the network reads, ``[token, model_dim]``.

        Returns
        -------
        Floats
            ``[token, model_dim]``.
        """
        return self._run(self._network(layer), self._tensor(stream)[None])[0].cpu().numpy()

    def shares(self, layer: int, stream: Floats) -> Callable[[Floats], Floats]:
        r"""Give the shares that integrated gradients give to parts of what a network is given.

        With linear maps :math:`P_m(u)`, which grow from 0 together with the input and the biases,
        and :math:`h(P_1(u), \ldots)`, a function of each number by itself, a part :math:`z` has
        the share :math:`\sum_m P_m(z) \odot d_m` through the last linear map, biases left out,

        .. math:: d_m = \int_0^1 \partial_m h(t P_1, \ldots)\, dt .

        Of one map that is the secant, :math:`(h(P) - h(0)) / P`, without an integral to be taken.
        Of a network of another kind, such as experts, the derivative along the part is integrated
        from 0 to the input, constants staying as they are.

        Parameters
        ----------
        layer
            Counted from 0.
        stream
            What the network reads, ``[token, model_dim]``.

        Returns
        -------
        Callable
            From ``[part, token, model_dim]``, after the normalisation before the network, to shares
            of its output.

        Raises
        ------
        InputError
            If the shares of all parts would not add up to the output, as where experts are chosen
            by something that does not grow.
        """
        step = self._network(layer)
        inner = self._inner_of(step)
        with torch.no_grad():
            normalised = self._normalised(step.before, self._tensor(stream)[None])
        if inner is None:
            if not self._complete(step, normalised):
                raise InputError(
                    f"integrated gradients of the feed-forward network in "
                    f"{self.layers[layer].path} do not add up to its output; leave out what asks "
                    "for them."
                )
            return lambda parts: self._along(step, normalised, self._tensor(parts)).cpu().numpy()
        with torch.no_grad():
            maps = [module(normalised) for module in inner.into]
        slopes = self._slopes(step, inner, maps, normalised)

        @torch.inference_mode()
        def run(parts: Floats) -> Floats:
            rows = self._tensor(parts)
            mapped = torch.cat([without_constant(module, rows) for module in inner.into], dim=-1)
            hidden = (mapped * slopes).unflatten(-1, (-1, inner.width)).sum(dim=-2)
            return without_constant(inner.out, hidden).cpu().numpy()

        return run

    def can_share(self) -> bool:
        """Tell whether :meth:`shares` can be had of every layer."""
        return all(map(self._can_share, range(len(self.layers))))

    def _can_share(self, layer: int) -> bool:
        step = self._network(layer)
        if step.attention is not None:  # no network follows
            return False
        if step.modules not in self._shared:
            rows = self._tensor(np.random.default_rng(0).normal(size=(1, 16, step.width)))
            splits = self._inner_of(step) is not None
            self._shared[step.modules] = splits or self._complete(step, rows)
        return self._shared[step.modules]

    def _along(self, step: Step, rows: Tensor, parts: Tensor) -> Tensor:
        """Integrate what a network does along parts of its input, ``[part, token, model_dim]``."""
        total = torch.zeros_like(parts)
        ends = rows.detach().expand_as(parts)
        # torch.func.jvp ends the process at routers that convert their own weights as they run.
        with _eager_experts(self.model), torch.no_grad(), forward_ad.dual_level():
            for node, share in zip(*_points(), strict=True):
                output = self._apply(step, forward_ad.make_dual(node * ends, parts))
                along = forward_ad.unpack_dual(output).tangent
                assert along is not None  # the input is what the output depends on
                total += share * along
        return total

    def _complete(self, step: Step, rows: Tensor) -> bool:
        """Tell whether the shares of the whole input are what the network makes of it."""
        with torch.no_grad(), _eager_experts(self.model):
            output = self._apply(step, rows) - self._apply(step, torch.zeros_like(rows))
        return close(self._along(step, rows, rows.detach()), output)

    def matrices(self, layer: int) -> dict[str, Floats]:
        """Give the matrices of a layer.

        Parameters
        ----------
        layer
            Counted from 0.

        Returns
        -------
        dict
            Name -> ``[in, out]``: ``query``, ``key`` and ``value`` where nothing is done to what
            they make; ``attention_output``; of a network of two linear maps ``ffn_input`` and
            ``ffn_output``.
        """
        attention, network = (*self.layers[layer].steps, None)[:2]
        assert attention is not None
        projection = linear(self._module(attention.modules[-1]), attention.width).weight
        matrices = {"attention_output": projection}
        for name, path in zip(("query", "key", "value"), attention.into_heads, strict=True):
            if path is not None:  # as wide as the stream
                matrices[name] = linear(self._module(path), projection.shape[1]).weight
        inner = None if network is None else self._inner_of(network)
        if network is not None and inner is not None and len(inner.into) == 1:
            matrices["ffn_input"] = linear(inner.into[0], network.width).weight
            matrices["ffn_output"] = linear(inner.out, inner.width).weight
        return matrices

    def described(self) -> dict[str, Any]:
        """Tell how the model is put together, in plain values.

        Returns
        -------
        dict
            Numbers of ``layers``, ``heads`` and ``groups`` of heads that share keys and values;
            ``dimension`` and ``head_dimension``; of all layers ``norms``, where they normalise
            (``before``, ``of_output`` and ``after``, joined by ``+``), ``centring``, whether they
            subtract the mean there, ``networks``, each ``plain``, ``gated`` or ``other``,
            ``beside``, whether some network reads what the attention beside it reads, and
            ``crosses``, whether a source is looked at between the two.
        """
        with torch.inference_mode(), read_passes(self.model) as read:
            self.model(**probing(self.model)[0])
            call = read.calls(self.stream)[0]
            dimension = next(read.layers()).entered.shape[-1]
        crosses = self.stream == "decoder"
        behind = structure_of(self.model).of("cross") if crosses else ()
        steps = [step for layer in (*self.layers, *behind) for step in layer.steps]
        placed = {
            tuple(
                position for position in ("before", "of_output", "after") if getattr(step, position)
            )
            for step in steps
        }
        networks = {self._kind(step) for step in steps if step.attention is None}
        return {
            "layers": len(self.layers),
            "heads": call.query.shape[1],
            "groups": call.key.shape[1],
            "dimension": dimension,
            "head_dimension": call.query.shape[-1],
            "norms": sorted("+".join(places) for places in placed),
            "centring": sorted({norm.centring for norm in self.norms.values()}),
            "networks": sorted(networks),
            "beside": any(step.beside for step in steps),
            "crosses": crosses,
        }

    def _kind(self, step: Step) -> str:
        inner = self._inner_of(step)
        if inner is None:
            return "other"
        numbers = sum(linear(module, step.width).weight.shape[1] for module in inner.into)
        return "plain" if numbers == inner.width else "gated"

    # --- whole passes -----------------------------------------------------------------------------

    @torch.inference_mode()
    def features(self, ids: Ids, types: Ids, *, skip: bool, feed_forward: bool) -> Floats:
        """Run the model in float64 with parts of every layer taken away.

        Attention is computed anew from what the layer below has made: that it becomes more uniform
        as tokens become alike is what collapses them so fast. Biases and normalisations stay.

        Parameters
        ----------
        ids, types
            The tokens of a text, ``[token]`` each.
        skip
            Whether the stream is added to what attention makes of it.
        feed_forward
            Whether the network follows, with its own residual connection.

        Returns
        -------
        Floats
            What leaves every layer, ``[layer, token, model_dim]``.
        """
        layers = iter(self.layers)
        entered: list[Tensor] = []
        attention_outputs: list[Tensor] = []
        now: list[Layer] = []
        outputs: list[Tensor] = []
        model = _exact(self.model)

        def enter(module: nn.Module, args: Any, kwargs: Any) -> None:
            now[:], attention_outputs[:] = [next(layers)], []
            entered[:] = [first_tensor(args, kwargs)]

        def factor() -> Tensor | float:
            scale = now[0].attention.scale
            return model.get_parameter(scale) if isinstance(scale, str) else scale

        def attended(module: nn.Module, args: Any, output: Tensor) -> Tensor:
            attention_outputs[:] = [output]
            # The layer adds the stream to it.
            return output if skip else output - entered[0] / factor()

        def leave(module: nn.Module, args: Any, output: Any) -> Any:
            rows = output if isinstance(output, Tensor) else output[0]
            if not feed_forward:
                rows = attention_outputs[0] * factor()
                rows = rows + entered[0] if skip else rows
                if (after := now[0].attention.after) is not None:
                    rows = model.get_submodule(after)(rows)
            outputs.append(rows[0])
            return rows if isinstance(output, Tensor) else (rows, *output[1:])

        with ExitStack() as hooks:
            for words in word_embeddings(model):
                hooks.enter_context(words.register_forward_hook(lambda *of: of[2].double()))
            for layer in {layer.path: layer for layer in self.layers}.values():
                module, step = model.get_submodule(layer.path), layer.attention
                hooks.enter_context(module.register_forward_pre_hook(enter, with_kwargs=True))
                hooks.enter_context(module.register_forward_hook(leave))
                projection = model.get_submodule(step.of_output or step.modules[-1])
                hooks.enter_context(projection.register_forward_hook(attended))
            self._reader(model)(**self._inputs(ids, types))
        return torch.stack(outputs).cpu().numpy()

    @torch.inference_mode()
    def attention(self, ids: Ids, types: Ids, entered: Floats) -> NDArray[np.float32]:
        """Compute the attention that every layer pays to what it is given, whatever is below it.

        Parameters
        ----------
        ids, types
            The tokens of a text, ``[token]`` each.
        entered
            What enters each layer, ``[layer, token, model_dim]``.

        Returns
        -------
        NDArray[float32]
            ``[layer, head, query, key]``.
        """
        streams = iter(self._tensor(entered))

        def enter(module: nn.Module, args: Any, kwargs: Any) -> Any:
            stream = next(streams)[None]
            if args:
                return (stream, *args[1:]), kwargs
            name = next(n for n, value in kwargs.items() if isinstance(value, Tensor))
            return args, kwargs | {name: stream}

        with ExitStack() as hooks:
            for path in dict.fromkeys(layer.path for layer in self.layers):
                module = self._module(path)
                hooks.enter_context(module.register_forward_pre_hook(enter, with_kwargs=True))
            calls = hooks.enter_context(record_attention(self.model))
            self._reader(self.model)(**self._inputs(ids, types))
        return torch.cat([call.of_heads("attention") for call in calls]).float().cpu().numpy()

    # --- what they are made of --------------------------------------------------------------------

    def _network(self, layer: int) -> Step:
        return self.layers[layer].steps[-1]

    def _module(self, path: str) -> nn.Module:
        return self.model.get_submodule(path)

    def _tensor(self, rows: Floats) -> Tensor:
        weights = next(self.model.parameters())
        return torch.tensor(rows, dtype=weights.dtype, device=weights.device)

    def _reader(self, model: PreTrainedModel) -> nn.Module:
        """Give the part of a model that reads a text of the stream."""
        return model.get_encoder() if self.stream == "encoder" else model

    def _inputs(self, ids: Ids, types: Ids) -> dict[str, Tensor]:
        values = zip(input_names(self.model.config), (ids, np.ones_like(ids), types), strict=False)
        return {name: torch.tensor(row, device=self.model.device)[None] for name, row in values}

    def _normalised(self, path: str | None, rows: Tensor) -> Tensor:
        return rows if path is None else self._module(path)(rows)

    def _run(self, step: Step, stream: Tensor) -> Tensor:
        """Give what a network makes of the stream."""
        return self._apply(step, self._normalised(step.before, stream))

    def _apply(self, step: Step, rows: Tensor) -> Tensor:
        return made_by(self.model, step, rows)

    def _inner_of(self, step: Step) -> Inner | None:
        if step.modules not in self._inner:
            with torch.no_grad():
                self._inner[step.modules] = self._find_inner(step)
        return self._inner[step.modules]

    def _find_inner(self, step: Step) -> Inner | None:
        """Find the linear maps of a network, and try whether all else sees each number alone."""
        called: list[tuple[nn.Module, Tensor, Tensor]] = []

        def note(module: nn.Module, args: tuple[Any, ...], output: Any) -> None:
            if isinstance(args[0], Tensor) and isinstance(output, Tensor):
                called.append((module, args[0], output))

        rows = self._tensor(np.random.default_rng(0).normal(size=(1, 4, step.width)))
        top = [self._module(path) for path in step.modules]
        inside = dict.fromkeys(
            m for module in top for m in module.modules() if not any(m.children())
        )
        with ExitStack() as hooks:
            for module in inside:
                hooks.enter_context(module.register_forward_hook(note))
            result = self._apply(step, rows)
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
        usual, moved = (self._hidden(step, inner, numbers, rows) for numbers in (values, changed))
        alone = usual[..., 1::2].equal(moved[..., 1::2])
        return inner if alone and not close(usual, moved) else None

    def _hidden(self, step: Step, inner: Inner, values: Sequence[Tensor], rows: Tensor) -> Tensor:
        """Compute what stands between the linear maps, with these values of the first ones."""
        hidden: list[Tensor] = []

        def keep(entering: Tensor) -> Tensor:
            hidden.append(entering)
            return torch.zeros_like(rows)

        with ExitStack() as stack:
            for module, value in zip(inner.into, values, strict=True):
                stack.enter_context(_answering(module, partial(_instead, value)))
            stack.enter_context(_answering(inner.out, keep))
            self._apply(step, rows)
        return hidden[0]

    def _slopes(self, step: Step, inner: Inner, values: list[Tensor], rows: Tensor) -> Tensor:
        """Integrate the slopes of what stands between the linear maps, from 0 to these values.

        Those of all maps in a row, ``[1, token, numbers]``.
        """
        if sum(value.shape[-1] for value in values) == inner.width:
            # Where a value is next to nothing, the secant is taken a little further out.
            (far,) = [torch.where(v.abs() < 1e-6, torch.full_like(v, 1e-6), v) for v in values]
            with torch.no_grad():
                ends = [self._hidden(step, inner, [v], rows) for v in (far, torch.zeros_like(far))]
            return (ends[0] - ends[1]) / far
        slopes = [torch.zeros_like(value) for value in values]
        for node, share in zip(*_points(), strict=True):
            leaves = [(node * value).requires_grad_() for value in values]
            with torch.enable_grad():
                hidden = self._hidden(step, inner, leaves, rows)
                gradients = torch.autograd.grad(hidden.sum(), leaves)
            for total, slope in zip(slopes, gradients, strict=True):
                total += share * slope
        return torch.cat(slopes, dim=-1)


def _points() -> tuple[list[float], list[float]]:
    """Points between 0 and 1 and their shares, by Gauss and Legendre."""
    nodes, shares = np.polynomial.legendre.leggauss(POINTS)
    return ((nodes + 1) / 2).tolist(), (shares / 2).tolist()


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


def without_constant(module: nn.Module, rows: Tensor) -> Tensor:
    """Apply a linear map without what it adds.

    Parameters
    ----------
    module
        A linear map, plus a constant.
    rows
        ``[..., token, in]``, with one axis or more before that of tokens.

    Returns
    -------
    Tensor
        ``[..., token, out]``.
    """
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


def _exact(model: PreTrainedModel) -> PreTrainedModel:
    """Copy a model in float64: what tokens that are nearly alike differ by, float32 rounds away.

    Its tables of words, half of a small model, are those of the model itself. One copy is kept.
    """
    if model not in _EXACT:
        _EXACT.clear()
        words = word_embeddings(model)
        exact = copy.deepcopy(model, {id(table): table for table in words})
        for module in exact.modules():
            if module not in words:
                module._apply(_doubled, recurse=False)
        exact.set_experts_implementation("eager")  # what is faster knows no float64
        _EXACT[model] = exact
    return _EXACT[model]


def _doubled(tensor: Tensor) -> Tensor:
    return tensor.double() if tensor.is_floating_point() else tensor


@lru_cache(maxsize=6)  # a model before and after fine-tuning, and its streams
def running(directory: Path, device: str, stream: str = "") -> RunningModel:
    """Load a model that was captured, and so was compared with its own passes.

    Parameters
    ----------
    directory
        Of the model.
    device
        As the parameters name it.
    stream
        Whose layers are run, of an encoder-decoder.

    Returns
    -------
    RunningModel
        The same one for the same arguments.
    """
    return RunningModel(_captured(directory, device), stream)


@lru_cache(maxsize=2)
def _captured(directory: Path, device: str) -> PreTrainedModel:
    from attention_mixing.models.device import repeatable, resolve
    from attention_mixing.models.load import load_captured

    repeatable()
    return load_captured(directory).to(resolve(device))  # type: ignore[arg-type]
