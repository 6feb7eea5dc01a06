"""Layers of a model, run again on what was captured of them, with something changed.

Measures that need more than norms and projections ask here: the model's own modules compute, and
no feed-forward network is written a second time. Arrays go in and come out, so that measures import
no torch.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from transformers import PreTrainedModel

from attention_mixing.errors import InputError
from attention_mixing.models.attention import record_attention
from attention_mixing.models.batch import input_names
from attention_mixing.models.components import linear
from attention_mixing.models.dummy_inputs import dummy_inputs, structure_of
from attention_mixing.models.feed_forward import FeedForwardNetwork
from attention_mixing.models.passes import first_tensor, joined, read_passes, word_embeddings
from attention_mixing.models.structure import Layer, Step

Floats = NDArray[np.floating]
Ids = NDArray[np.int64]

_EXACT: WeakKeyDictionary[PreTrainedModel, PreTrainedModel] = WeakKeyDictionary()


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
        self._networks: dict[tuple[str, ...], FeedForwardNetwork] = {}

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
        """Give the shares that integrated gradients give to parts of what a network is given.

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
            of its output (:meth:`attention_mixing.models.feed_forward.FeedForwardNetwork.shares`).

        Raises
        ------
        InputError
            If the shares of all parts would not add up to the output, as where experts are chosen
            by something that does not grow.
        """
        step = self._network(layer)
        network = self._feed_forward(step)
        with torch.no_grad():
            normalised = self._normalised(step.before, self._tensor(stream)[None])
        if not network.complete(normalised):
            raise InputError(
                f"integrated gradients of the feed-forward network in {self.layers[layer].path} do "
                "not add up to its output; leave out what asks for them."
            )
        shares = network.shares(normalised)
        return lambda parts: shares(self._tensor(parts)).cpu().numpy()

    def can_share(self) -> bool:
        """Tell whether :meth:`shares` can be had of every layer."""
        networks = [layer.steps[-1] for layer in self.layers]
        return all(
            step.attention is None and self._feed_forward(step).shares_add_up for step in networks
        )

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
        inner = None if network is None else self._feed_forward(network).inner
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
            self.model(**dummy_inputs(self.model)[0])
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
        networks = {self._feed_forward(step).kind for step in steps if step.attention is None}
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
        return self._feed_forward(step)(self._normalised(step.before, stream))

    def _feed_forward(self, step: Step) -> FeedForwardNetwork:
        """Give the network of a step; layers may share one."""
        return self._networks.setdefault(step.modules, FeedForwardNetwork(self.model, step))


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
