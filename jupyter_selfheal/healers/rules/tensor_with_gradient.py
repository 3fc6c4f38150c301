"""TEN101: a tensor that is still part of a calculation of gradients, where NumPy or a plot wants numbers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import ObjectInfo, Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.model import Applicability, Patch

KEPT = re.compile(r"^Can't call numpy\(\) on Tensor that requires grad")
OF_NUMPY = re.compile(r"^\w+\(\) (?:got an unexpected keyword argument|received an invalid combination of arguments)")
"""What PyTorch says of a function of NumPy, which hands the call on to a method of the same name with arguments of NumPy's."""


class TensorWithGradient(Rule):
    """Take a tensor out of the calculation of gradients where its numbers are wanted.

    **Failure** `RuntimeError: Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.` at `.numpy()`, at a function of
    NumPy or at a plot; `np.mean(model(x))`, which NumPy hands on to a method of the tensor that takes other arguments.

    **Fix** `.detach().numpy()`; for a list of losses `[loss.item() for loss in losses]`.

    **Fix safety** Safe: they are the same numbers, PyTorch's message names it, and what is made of an array has no gradient in any case.
    """

    code = "TEN101"
    name = "tensor that requires a gradient"
    stage = Stage.LIBRARY
    enames = frozenset({"RuntimeError", "TypeError"})
    message = re.compile(f"{KEPT.pattern}|{OF_NUMPY.pattern}")
    applicability = Applicability.SAFE
    why = "They are the same numbers, and what is made of an array has no gradient."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        splices = list(_list_called(context)) if KEPT.search(context.failure.evalue) else []
        splices = splices or list(_list_given(context))
        if splices:
            new = splices[0][2].strip(".")
            yield self.patch(
                context.replace_here(*splices),
                f"Take the numbers alone: `{new}`",
                "The tensor is part of a calculation of gradients, which NumPy knows nothing of.",
                prior=0.95,
            )


def _list_called(context: RuleContext) -> Iterator[Splice]:
    """``.numpy()`` of such a tensor."""
    for node in context.list_failing_nodes(ast.Attribute):
        if node.attr == "numpy" and context.is_true(f"({context.text(node.value)}).requires_grad"):
            start = context.find_attribute_span(node)[0]
            yield start, start, "detach()."
            return


def _list_given(context: RuleContext) -> Iterator[Splice]:
    """Arguments of the failing call, which is no function of PyTorch's."""
    for call in context.list_calls_at_failure()[:4]:
        values = [a for a in (*call.args, *(k.value for k in call.keywords)) if not isinstance(a, ast.Starred)]
        function, *given = context.describe_all([call.func, *values], calls=True)
        if function.path.startswith("torch") or (
            OF_NUMPY.search(context.failure.evalue) and not function.path.startswith("numpy")
        ):
            continue
        splices = [s for v, g in zip(values, given, strict=True) if (s := _take_numbers(context, v, g)) is not None]
        if splices:
            yield from splices
            return


def _take_numbers(context: RuleContext, value: ast.expr, given: ObjectInfo) -> Splice | None:
    text = context.text(value)
    if given.is_a("torch.Tensor"):
        owner = context.operand(value)
        if context.is_true(f"({text}).requires_grad"):
            return *context.span(value), f"{owner}.detach().numpy()"
        return (*context.span(value), f"{owner}.numpy()") if OF_NUMPY.search(context.failure.evalue) else None
    if given.type == "list" and isinstance(value, ast.Name):
        first = context.describe_all([f"{text}[0]"])[0]
        if first.is_a("torch.Tensor") and first.ndim == 0:
            return *context.span(value), f"[value.item() for value in {text}]"
    return None
