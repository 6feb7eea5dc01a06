"""How a model is put together, read off a pass of it: no family is known, and nothing is guessed.

What leaves a layer is written as what it is made of, down to the stream that enters the layer, what
each attention makes of it and what its feed-forward network does:

=============  ===================================================================================
Stream         what enters the layer
Attended       the output projection of an attention, of the context of its heads
FeedForward    modules that see each token by itself, one after the other, of what goes into them
Normed         a normalisation of something
Scaled         something times a number, or times a parameter of the model
Sum            a sum of several
=============  ===================================================================================

BERT's layer is ``Normed(y + FeedForward(y))`` with ``y = Normed(Stream + Attended)``, GPT-2's
``y + FeedForward(Normed(y))`` with ``y = Stream + Attended``. From this follow the steps of a layer
(:class:`Step`), whatever the model is called.

An encoder-decoder reads two texts. The layers of its decoder attend to their own text and then to
the source, so that each counts as two: one of the stream ``decoder`` and one of the stream
``cross``, which begins where the other ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from torch import Tensor, nn
from transformers import PreTrainedModel

from attention_mixing.methods.layer import Norm
from attention_mixing.models.attention import AttentionCall
from attention_mixing.models.components import is_linear, norm
from attention_mixing.models.trace import Call, Key, Operation, Trace, key, trace

# Operations that leave the numbers as they are.
COPIES = ("clone", "_to_copy", "alias", "detach", "_unsafe_view")
# Modules of which layers are parts.
CONTAINERS = (nn.ModuleList, nn.Sequential, nn.ModuleDict)


class Unreadable(Exception):
    """What of a model cannot be read, as a clause that begins with where."""


# --- what a layer is made of ----------------------------------------------------------------------


@dataclass(frozen=True)
class Stream:
    """What enters the layer."""


@dataclass(frozen=True)
class Attended:
    """What the output projection makes of the context of an attention, by its number."""

    number: int


@dataclass(frozen=True)
class FeedForward:
    """What modules make of each token by itself, by their paths."""

    modules: tuple[str, ...]
    of: Part


@dataclass(frozen=True)
class Normed:
    """A normalisation, by the path of its module."""

    module: str
    of: Part


@dataclass(frozen=True)
class Scaled:
    """A product with a number, or with a parameter of the model by its path."""

    by: float | str
    of: Part


@dataclass(frozen=True)
class Sum:
    """A sum of different parts, none of which is a sum."""

    parts: frozenset[Part]


@dataclass(frozen=True)
class Other:
    """What an operation made that no layer is put together by."""


Part = Stream | Attended | FeedForward | Normed | Scaled | Sum | Other


# --- what is read ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """What is added to the stream by an attention or by a feed-forward network.

    With ``s`` the stream before it, ``after(s + scale * of_output(f(before(s))))``; what is None is
    left out. All are paths of modules, ``scale`` also a number or the path of a parameter.

    Attributes
    ----------
    attention
        Number of the attention among those of a pass; None for a feed-forward network.
    modules
        What computes ``f``, one after the other; of an attention its output projection.
    width
        Numbers a token of what the first of these is given.
    before, of_output, after
        Normalisations.
    into_heads
        Of an attention, the linear maps whose outputs are its queries, keys and values as they are;
        None for those to which something is done in between, such as a rotation by position.
    context
        Of an attention, normalisations between the context of its heads and the projection.
    gated
        Whether the context is multiplied with something that depends on the text, but not on the
        context itself.
    scale
        What is added is multiplied with.
    beside
        Whether it reads the stream that the step before it reads.
    """

    attention: int | None
    modules: tuple[str, ...]
    width: int
    before: str | None = None
    of_output: str | None = None
    after: str | None = None
    into_heads: tuple[str | None, ...] = ()
    context: tuple[str, ...] = ()
    gated: bool = False
    scale: float | str = 1.0
    beside: bool = False


@dataclass(frozen=True)
class Layer:
    """A layer, or what one attention of it begins.

    Attributes
    ----------
    path
        Of its module; a model may call one module for several layers.
    steps
        In their order.
    stream
        Of an encoder-decoder ``encoder``, ``decoder`` or ``cross``; else empty.
    sees_ahead
        Whether some token sees a later one, however far.
    """

    path: str
    steps: tuple[Step, ...]
    stream: str = ""
    sees_ahead: bool = True

    @property
    def attention(self) -> Step:
        """Its first attention."""
        return next(step for step in self.steps if step.attention is not None)


@dataclass(frozen=True)
class Structure:
    """What a model is made of.

    Attributes
    ----------
    layers
        In the order in which they are computed.
    norms
        Path -> normalisation, of those that stand in steps.
    """

    layers: tuple[Layer, ...]
    norms: Mapping[str, Norm]

    @property
    def streams(self) -> tuple[str, ...]:
        """Name the streams that there are, in the order in which they begin."""
        return tuple(dict.fromkeys(layer.stream for layer in self.layers))

    def of(self, stream: str) -> tuple[Layer, ...]:
        """Choose the layers of a stream, the lowest first.

        Of an encoder-decoder, ``stream`` is ``encoder``, ``decoder`` or ``cross``; else empty.
        """
        return tuple(layer for layer in self.layers if layer.stream == stream)


def read_structure(model: PreTrainedModel, *given: Mapping[str, Tensor]) -> Structure:
    """Read how a model is put together, from passes with the arguments that are given.

    The model is to be in float32 and evaluation mode, and is left as it was. The texts of the
    passes are of different lengths, and all have to say the same; where they do not, or something
    between the layers, or in one, is none of the parts that are known, it raises
    :class:`Unreadable`.
    """
    first, *others = (_structure(model, trace(model, arguments)) for arguments in given)
    for other in others:
        if other.layers != first.layers:
            raise Unreadable("its layers compute other sums with one text than with another")
    return first


def _structure(model: PreTrainedModel, record: Trace) -> Structure:
    if not record.attention:
        raise Unreadable(
            "its attention is not computed through the attention interface of transformers"
        )
    reader = _TraceReader(model, record)
    calls = reader.layers()
    reader.require_all_read({call.path for call in calls})
    if two := any(map(crosses, record.attention)):
        read = {len(call.query[0, 0]) for call in record.attention if not crosses(call)}
        if not read & {len(call.key[0, 0]) for call in record.attention if crosses(call)}:
            raise Unreadable(
                "the attention of its encoder is not computed through the attention interface of "
                "transformers"
            )
    layers: list[Layer] = []
    for call in calls:
        steps = _Sums(reader, call).steps()
        numbers = [step.attention for step in steps if step.attention is not None]
        attentions = [record.attention[number] for number in numbers]
        ahead = [bool(attention.visible.triu(1).any()) for attention in attentions]
        looks = [*map(crosses, attentions)]
        if looks == [False, True]:
            parts = [step.attention for step in steps].index(numbers[1])
            for stream, of, sees_ahead in zip(
                ("decoder", "cross"), (steps[:parts], steps[parts:]), ahead, strict=True
            ):
                layers.append(Layer(call.path, of, stream, sees_ahead))
        elif any(looks):
            raise Unreadable(f"{call.path} looks at a source otherwise than after its own text")
        else:
            stream = "encoder" if two else ""
            layers.append(Layer(call.path, steps, stream, any(ahead)))
    return Structure(tuple(layers), reader.norms)


class _TraceReader:
    """A trace, and what is known of the modules in it."""

    def __init__(self, model: PreTrainedModel, record: Trace) -> None:
        self.trace = record
        self.norms: dict[str, Norm] = {}
        self._modules = dict(model.named_modules())
        named = [*model.named_parameters(), *model.named_buffers()]
        self.parameters: dict[Key | None, str] = {key(tensor): name for name, tensor in named}
        self._others: set[str] = set()  # modules that are no normalisations
        self._by_output: dict[Key, list[Call]] = {}
        for call in record.calls:
            self._by_output.setdefault(key(call.output), []).append(call)

    def layers(self) -> list[Call]:
        """Find the layers: the largest members of lists of modules with one self-attention."""
        attended = list(zip(self.trace.attention, self.trace.attended, strict=True))
        self_attended = [at for call, at in attended if not crosses(call)]
        layers: dict[int, Call] = {}
        for number, (attention, at) in enumerate(attended):
            around = [
                call
                for call in self.trace.calls
                if call.contains(at)
                and isinstance(self._modules[call.path.rpartition(".")[0]], CONTAINERS)
                and sum(map(call.contains, self_attended)) <= 1
            ]
            if not around:
                kind = type(attention.module).__name__
                raise Unreadable(f"attention {number + 1} ({kind}) is in no layer of its own")
            layer = min(around, key=lambda call: call.first)
            layers[layer.first] = layer
        return [layers[first] for first in sorted(layers)]

    def require_all_read(self, paths: set[str]) -> None:
        """Refuse a model with layers beside the attention that was seen, as hybrids have.

        They may mix tokens in a way of their own, such as a state space or a convolution.
        """
        called = {call.path for call in self.trace.calls}
        for container in {path.rpartition(".")[0] for path in paths}:
            for name, child in self._modules[container].named_children():
                path = f"{container}.{name}"
                if path in called - paths:
                    raise Unreadable(
                        f"{path} ({type(child).__name__}) has no attention that is computed "
                        "through the attention interface of transformers"
                    )

    def returned(self, name: Key) -> list[Call]:
        """Find the calls that returned a tensor, the innermost first."""
        return self._by_output.get(name, [])

    def original(self, name: Key) -> Key:
        """Go back over copies."""
        while (
            (operation := self.trace.made.get(name))
            and operation.name in COPIES
            and operation.keys[0]
        ):
            name = operation.keys[0]
        return name

    def normalisation(self, name: Key) -> Call | None:
        """Find the normalisation that returned a tensor, if one did."""
        return next(filter(self._normalises, self.returned(name)), None)

    def _normalises(self, call: Call) -> bool:
        path = call.path
        if path not in self.norms and path not in self._others:
            alike = call.inputs and call.inputs[0].shape == call.output.shape
            normalisation = norm(call.module, call.output.shape[-1]) if alike else None
            if normalisation is None:
                self._others.add(path)
            else:
                self.norms[path] = normalisation
        return path in self.norms

    def into_heads(self, tensor: Tensor) -> str | None:
        """Find the linear map whose output is that of heads, if nothing was done to it."""
        for call in self.returned(self.original(key(tensor))):
            if call.inputs and is_linear(call.module, call.inputs[0].shape[-1]):
                return call.path
        return None

    def projection(self, number: int, layer: Call) -> tuple[Call, tuple[str, ...], bool]:
        """Find the linear map that takes the context of the heads, and what stands between.

        Gives its call, paths of normalisations of the context, and whether the context is gated;
        raises :class:`Unreadable` if there is no such map.
        """
        attention, at = self.trace.attention[number], self.trace.attended[number]
        context = self.original(key(attention.context))
        later = (
            call
            for call in sorted(self.trace.calls, key=lambda call: call.first)
            if at < call.first < layer.last
            and call.inputs
            and call.inputs[0].numel() == attention.context.numel()
        )
        for call in later:
            between = self._between(key(call.inputs[0]), context)
            if between is not None and is_linear(call.module, call.inputs[0].shape[-1]):
                return call, *between
        raise Unreadable(
            f"{layer.path} has no linear map that takes the context of its heads "
            f"({type(attention.module).__name__})"
        )

    def _between(self, name: Key, context: Key) -> tuple[tuple[str, ...], bool] | None:
        """List what stands between the context and a tensor; None if that is not made of it."""
        name = self.original(name)
        if name == context:
            return (), False
        if call := self.normalisation(name):
            before = self._between(key(call.inputs[0]), context)
            return before and ((*before[0], call.path), before[1])
        operation = self.trace.made.get(name)
        if operation and operation.name == "mul":
            first, second = operation.keys[:2]
            for operand, factor in ((first, second), (second, first)):
                before = operand and self._between(operand, context)
                if before and not self._stems_from(factor, context):
                    return before[0], True
        return None

    def _stems_from(self, name: Key | None, origin: Key) -> bool:
        """Tell whether a tensor was made of another, by any operations."""
        waiting, seen = [name], set[Key]()
        while waiting:
            name = waiting.pop()
            if name is None or name in seen:
                continue
            seen.add(name)
            if self.original(name) == origin:
                return True
            waiting += operation.keys if (operation := self.trace.made.get(name)) else ()
        return False


class _Sums:
    """What a layer returns, as sums of what is in it."""

    def __init__(self, reader: _TraceReader, layer: Call) -> None:
        self.reader, self.layer = reader, layer
        self.inside = {
            number: at for number, at in enumerate(reader.trace.attended) if layer.contains(at)
        }
        self.projections = {number: reader.projection(number, layer) for number in self.inside}
        self._attended = {
            key(projection[0].output): n for n, projection in self.projections.items()
        }
        self._entered = reader.original(key(layer.inputs[0]))
        self._width = layer.inputs[0].shape[-1]
        self._parts: dict[Key, Part] = {}

    def steps(self) -> tuple[Step, ...]:
        """Read the steps of the layer, in their order."""
        return tuple(self._steps(self._part(key(self.layer.output))))

    # --- from tensors to parts --------------------------------------------------------------------

    def _part(self, name: Key) -> Part:
        name = self.reader.original(name)
        if name not in self._parts:
            self._parts[name] = self._read(name)
        return self._parts[name]

    def _read(self, name: Key) -> Part:
        if name == self._entered:
            return Stream()
        if name in self._attended:
            return Attended(self._attended[name])
        if call := self.reader.normalisation(name):
            return Normed(call.path, self._part(key(call.inputs[0])))
        operation = self.reader.trace.made.get(name)
        read = None
        if operation and operation.name == "add":
            read = self._sum(operation)
        elif operation and operation.name in ("mul", "div"):
            read = self._product(operation)
        return read or self._network(name) or Other()

    def _sum(self, operation: Operation) -> Part | None:
        """Read a sum, unless it is one inside a network."""
        if None in operation.keys[:2] or operation.options.get("alpha", 1) != 1:
            return None
        parts: list[Part] = []
        for name in operation.keys[:2]:
            part = self._part(name)  # type: ignore[arg-type]
            parts += part.parts if isinstance(part, Sum) else [part]
        if any(isinstance(part, Other) for part in parts):
            return None
        if all(isinstance(_leaf(part), FeedForward) for part in parts):
            return None
        if len({*parts}) < len(parts):
            raise Unreadable(f"{self.layer.path} adds something to itself")
        return Sum(frozenset(parts))

    def _product(self, operation: Operation) -> Part | None:
        """Read a product with a number or a parameter."""
        for index, other in ((0, 1), (1, 0)):
            name, by = operation.keys[index], self._factor(operation, other)
            if name is None or by is None or (operation.name == "div" and index):
                continue
            part = self._part(name)
            if not isinstance(part, Other):
                return part if by == 1 else Scaled(by, part)
        return None

    def _factor(self, operation: Operation, index: int) -> float | str | None:
        """Read an operand as a number, or as the path of a parameter; None if it is neither."""
        name, by = operation.keys[index], operation.operands[index]
        if name in self.reader.parameters:
            return self.reader.parameters[name]
        if isinstance(by, Tensor) and by.numel() > 1:
            return None
        return float(by) if operation.name == "mul" else 1 / float(by)

    def _network(self, name: Key) -> FeedForward | None:
        """Read the output of modules that see each token by itself."""
        for call in sorted(self.reader.returned(name), key=lambda call: call.first):
            inside = self.layer.contains(call.first) and self.layer.contains(call.last)
            if not inside or not call.inputs or any(map(call.contains, self.inside.values())):
                continue
            entering = self.reader.original(key(call.inputs[0]))
            if entering == name:  # it does nothing, as dropout here
                continue
            of = self._part(entering)
            if isinstance(of, FeedForward):
                return FeedForward((*of.modules, call.path), of.of)
            if not isinstance(of, Other):
                return FeedForward((call.path,), of)
        return None

    # --- from parts to steps ----------------------------------------------------------------------

    def _steps(self, part: Part) -> Iterator[Step]:
        """Take the last sum apart, after those that it is made of."""
        if part == Stream():
            return
        after = part.module if isinstance(part, Normed) else None
        total = part.of if isinstance(part, Normed) else part
        parts = total.parts if isinstance(total, Sum) else frozenset({total})
        streams = [term for term in parts if _leaf(term) is None]
        if len(streams) != 1 or not isinstance(total, Sum):
            raise Unreadable(f"{self.layer.path} adds nothing to its stream that is known")
        stream: Part = streams[0]
        yield from self._steps(stream)
        added = sorted(parts - {stream}, key=self._order)
        before: Part | None = None
        for term in added:
            step, reads = self._step(term, (stream, before))
            is_last = term is added[-1]
            yield replace(step, after=after if is_last else None, beside=reads is before)
            before, stream = stream, _with(stream, term)

    def _order(self, part: Part) -> float:
        """Attention in the order of the pass, the network last."""
        leaf = _leaf(part)
        return leaf.number if isinstance(leaf, Attended) else float("inf")

    def _step(self, part: Part, streams: tuple[Part, Part | None]) -> tuple[Step, Part | None]:
        """Read what is added, and which of the streams it reads."""
        scale: float | str = 1.0
        of_output: str | None = None
        while isinstance(part, Scaled | Normed):
            if isinstance(part, Scaled):
                if scale != 1 or of_output:
                    raise Unreadable(f"{self.layer.path} scales twice what it adds")
                scale = part.by
            else:
                of_output = part.module
            part = part.of
        if isinstance(part, Attended):
            step, read = self._attention(part.number), self._attention_input(part.number)
        else:
            assert isinstance(part, FeedForward)
            step, read = Step(None, part.modules, self._width), part.of
        before = None
        if isinstance(read, Normed) and read not in streams:
            before, read = read.module, read.of
        if read not in streams:
            raise Unreadable(f"{step.modules[-1]} is given something else than the stream")
        step = replace(step, before=before, of_output=of_output, scale=scale)
        return step, streams[streams.index(read)]

    def _attention(self, number: int) -> Step:
        call, context, gated = self.projections[number]
        attention = self.reader.trace.attention[number]
        into_heads = tuple(
            map(self.reader.into_heads, (attention.query, attention.key, attention.value))
        )
        width = call.inputs[0].shape[-1]
        return Step(
            number, (call.path,), width, into_heads=into_heads, context=context, gated=gated
        )

    def _attention_input(self, number: int) -> Part:
        """Read what an attention is given."""
        attention, at = self.reader.trace.attention[number], self.inside[number]
        calls = (
            c for c in self.reader.trace.calls if c.module is attention.module and c.contains(at)
        )
        return self._part(key(next(calls).inputs[0]))


def _leaf(part: Part) -> Attended | FeedForward | None:
    """Strip what is added of what multiplies and normalises it; None for the stream."""
    while isinstance(part, Scaled | Normed):
        part = part.of
    return part if isinstance(part, Attended | FeedForward) else None


def _with(stream: Part, added: Part) -> Sum:
    parts = stream.parts if isinstance(stream, Sum) else frozenset({stream})
    return Sum(parts | {added})


def crosses(call: AttentionCall) -> bool:
    """Tell whether an attention looks at another text, in a pass over a dummy text.

    It then has other keys than queries, as dummy texts differ in length.
    """
    return call.key.shape[-2] != call.query.shape[-2]
