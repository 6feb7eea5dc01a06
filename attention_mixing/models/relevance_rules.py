"""Rules by which relevance passes back through a running model: those of AttnLRP.

With the rules of :mod:`attention_mixing.methods.attn_lrp`, the relevance of something is that times
a gradient in which some operations count otherwise. The forward pass is the model's own, number for
number, and no family is known. Normalisations and activations are modules that are found by trying
them, or functions that torch has; products are found in the graph that torch keeps for the backward
pass. Every step of that graph has to have a rule, so that nothing is passed over: a model that does
something else with its words is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd import forward_ad
from torch.autograd.graph import Node
from torch.overrides import TorchFunctionMode

from attention_mixing.errors import InputError
from attention_mixing.methods.layer import Norm
from attention_mixing.models.components import norm, vectors

Gradient = Callable[[Tensor], Tensor]
"""From the gradient with respect to what an operation made, to that of what it was given."""
Rule = Callable[[Tensor, Tensor], Gradient]
"""From what an operation was given and what it made."""

# Functions that models call by themselves, which make 0 of 0.
ACTIVATIONS = ("gelu", "silu", "tanh")
# What torch calls the steps of a backward pass, without ``Backward`` and a number. The last two
# inputs of these are multiplied with each other.
PRODUCTS = ("Mul", "Mm", "Bmm", "Addmm", "Baddbmm")
# Linear in what depends on the words; a quotient is where its divisor does not.
LINEAR = (
    *("Add", "Sub", "Neg", "Div", "Sum", "Mean", "ToCopy", "Clone", "Alias", "CopySlices"),
    *("View", "UnsafeView", "ReshapeAlias", "AsStrided", "ViewAsReal", "ViewAsComplex", "T"),
    *("Transpose", "Permute", "Expand", "Repeat", "Unsqueeze", "Squeeze", "Cat", "Stack"),
    *("Slice", "Select", "Split", "SplitWithSizes", "Unbind", "Index", "Gather"),
    *("Where", "MaskedFill"),
)
# The slope of a ReLU is that of its secant from 0, and the rule of a softmax is its gradient.
OWN = ("Relu", "Softmax")


class NoRule(InputError):
    """A model does something to its words for which AttnLRP has no rule."""


class RelevanceRules:
    """Gradients of a model by the rules of AttnLRP.

    Parameters
    ----------
    model
        In evaluation mode. Left as it was.
    """

    def __init__(self, model: nn.Module) -> None:
        self._model = model
        self._modules: dict[nn.Module, Rule | None] = {}
        # Of modules that run now, the innermost last: path, and what makes a step of the output.
        self._running: list[tuple[str, Callable[[Tensor], Tensor] | None]] = []
        self._made_in: dict[Node, str] = {}

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Have what the model computes inside the block remember how relevance passes back."""
        learned = [weights for weights in self._model.parameters() if weights.requires_grad]
        with ExitStack() as stack:
            # Then what has a gradient is what depends on the words.
            for weights in learned:
                stack.callback(weights.requires_grad_, True)
                weights.requires_grad_(False)
            for path, module in self._model.named_modules():
                stack.enter_context(module.register_forward_pre_hook(partial(self._enter, path)))
                stack.enter_context(module.register_forward_hook(self._leave))
            stack.enter_context(_Functions(self._call))
            try:
                yield
            finally:
                self._running.clear()
                self._made_in.clear()

    def gradient(self, of: Tensor, words: Tensor) -> Tensor:
        """Give the gradient of a number with respect to words, inside the block.

        Parameters
        ----------
        of
            What the model made in the block of ``words``, or a sum of it.
        words
            A leaf, of any shape.

        Returns
        -------
        Tensor
            Of the shape of ``words``. Relevance is its product with them.

        Raises
        ------
        NoRule
            If there is no rule for something that the model does.
        """
        waiting, seen = [(of.grad_fn, "")], set[Node | None]({None})
        while waiting:
            step, path = waiting.pop()
            if step in seen:
                continue
            assert step is not None
            seen.add(step)
            path = self._made_in.get(step, path)
            self._prepare(step, path)
            waiting += [(before, path) for before, _ in step.next_functions]
        (gradient,) = torch.autograd.grad(of, [words])
        return gradient

    # --- modules ----------------------------------------------------------------------------------

    def _enter(self, path: str, module: nn.Module, given: tuple[Any, ...]) -> Any:
        rule = None
        if len(given) == 1 and isinstance(given[0], Tensor) and given[0].requires_grad:
            if module not in self._modules:
                running = len(self._running)
                self._modules[module] = _rule_of(module, given[0].shape[-1])
                del self._running[running:]  # a call that fails is never left
            rule = self._modules[module]
        self._running.append((path, partial(_step, rule, given[0]) if rule else None))
        # All that happens inside is one step.
        return (given[0].detach(),) if rule else None

    def _leave(self, module: nn.Module, given: tuple[Any, ...], output: Any) -> Any:
        _, step_of = self._running.pop()
        return step_of(output) if step_of else output

    # --- functions --------------------------------------------------------------------------------

    def _call(self, function: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Call a function of torch, and note where."""
        output = function(*args, **options)
        first = output[0] if isinstance(output, tuple) and output else output
        if not isinstance(first, Tensor) or not first.requires_grad:
            return output
        if function.__name__ in ACTIVATIONS and args and first.data_ptr() != args[0].data_ptr():
            rule = _of_activation(lambda numbers: function(numbers, *args[1:], **options))
            first = output = _step(rule, args[0], output.detach())
        if self._running and first.grad_fn:
            self._made_in[first.grad_fn] = self._running[-1][0]
        return output

    # --- the graph --------------------------------------------------------------------------------

    def _prepare(self, step: Node, path: str) -> None:
        """Have a product pass half to each factor; refuse what has no rule."""
        kind = step.name().rpartition("::")[2].rstrip("0123456789").removesuffix("Backward")
        depends = [before is not None for before, _ in step.next_functions]
        if kind in PRODUCTS:
            if all(depends[-2:]):
                step.register_hook(_halved)
        elif (kind == "Div" and all(depends)) or kind not in KNOWN:
            of = f"{path} ({type(self._model.get_submodule(path)).__name__}) in " if path else ""
            raise NoRule(
                f"{of}{type(self._model).__name__} does something to its words ({kind}, as torch "
                "calls it) for which AttnLRP has no rule; allowed: linear maps, products, softmax, "
                "normalisations, and activations that are 0 at 0; choose another model, or do "
                "without AttnLRP."
            )


class _Functions(TorchFunctionMode):
    """Hands calls of torch's functions to another."""

    def __init__(self, call: Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]) -> None:
        super().__init__()
        self._call = call

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), options: Any = None
    ) -> Any:
        return self._call(function, args, options or {})


class _Step(torch.autograd.Function):
    """A step that has been computed, with a gradient of another kind."""

    @staticmethod
    def forward(ctx: Any, entering: Tensor, made: tuple[Tensor], back: Gradient) -> Tensor:
        # In a tuple it is no input, which torch would copy.
        ctx.back = back
        return made[0]

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        return ctx.back(gradient), None, None


def _step(rule: Rule, entering: Tensor, made: Tensor) -> Tensor:
    """Take what was made as it is, with the gradient of a rule."""
    return _Step.apply(entering, (made,), rule(entering.detach(), made))


KNOWN = (*LINEAR, *OWN, _Step.__name__, "AccumulateGrad")


# --- rules ----------------------------------------------------------------------------------------


def _rule_of(module: nn.Module, width: int) -> Rule | None:
    """Find the rule of a module that is a normalisation or an activation."""
    if any(True for _ in module.children()):
        return None
    if normalisation := norm(module, width):
        return _of_norm(normalisation)
    return _of_activation(module) if _is_activation(module, width) else None


@torch.no_grad()
def _is_activation(module: nn.Module, width: int) -> bool:
    """Tell whether a module makes something of each number by itself, and 0 of 0.

    The module is called, with vectors of a width. False for one that returns what it is given, or
    writes into that: then what it was given is known no more.
    """
    rows, stay = vectors(width, module, 0), vectors(width, module, 1) > 0
    moved = torch.where(stay, rows, rows + 1)
    try:
        usual, changed, at_zero = (module(given) for given in (rows, moved, torch.zeros_like(rows)))
    except Exception:  # wants other arguments; each module breaks in its own way
        return False
    if not isinstance(usual, Tensor) or usual.shape != rows.shape:
        return False
    alone = changed[stay].equal(usual[stay]) and not changed[~stay].equal(usual[~stay])
    return alone and not at_zero.any() and usual.data_ptr() != rows.data_ptr()


def _of_norm(normalisation: Norm) -> Rule:
    """Identity rule of normalisations: what is divided by is a number."""

    def rule(entering: Tensor, output: Tensor) -> Gradient:
        gain = torch.as_tensor(normalisation.gain).to(entering)
        centred = _centred(entering) if normalisation.centring else entering
        divisor = (centred.square().mean(dim=-1, keepdim=True) + normalisation.eps).sqrt()

        def back(gradient: Tensor) -> Tensor:
            passed = gradient * gain / divisor
            return _centred(passed) if normalisation.centring else passed

        return back

    return rule


def _of_activation(function: Callable[[Tensor], Tensor]) -> Rule:
    """Identity rule of activations: the secant from 0, and the slope where a number is 0."""

    def rule(entering: Tensor, output: Tensor) -> Gradient:
        none = entering.abs() < torch.finfo(entering.dtype).tiny
        secant = output / entering.masked_fill(none, 1)
        if none.any():
            with torch.no_grad(), forward_ad.dual_level():
                at_zero = function(
                    forward_ad.make_dual(torch.zeros_like(entering), torch.ones_like(entering))
                )
                slope = forward_ad.unpack_dual(at_zero).tangent
            assert slope is not None  # the function is none that is 0 everywhere
            secant = torch.where(none, slope, secant)
        return secant.mul

    return rule


def _centred(rows: Tensor) -> Tensor:
    return rows - rows.mean(dim=-1, keepdim=True)


def _halved(gradients: tuple[Tensor | None, ...], _: Any) -> tuple[Tensor | None, ...]:
    """Uniform rule: half to each of the two factors, what is added to their product as it is."""
    added, factors = gradients[:-2], gradients[-2:]
    return (*added, *(factor if factor is None else factor / 2 for factor in factors))
