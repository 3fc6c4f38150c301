"""TEN105: the target of a loss in another shape than the scores."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Patch

SIZES = re.compile(
    r"target size \(torch\.Size\(\[(?P<target>[\d, ]*)\]\)\).*input size \(torch\.Size\(\[(?P<given>[\d, ]*)\]\)\)",
    re.S,
)
FROM_ONE = re.compile(r"^Target (?P<last>\d+) is out of bounds")
ONE_COLUMN = re.compile(r"1D target tensor expected, multi-target not supported")


class TargetShape(Rule):
    """Give the target of a loss the shape that it takes.

    **Failure** `ValueError: Using a target size (torch.Size([8])) that is different to the input size (torch.Size([8, 1]))`, `RuntimeError: 0D or 1D
    target tensor expected, multi-target not supported`, `IndexError: Target 3 is out of bounds` for classes that are counted from one.

    **Fix** `t.unsqueeze(1)`, or `t.squeeze(1)` where the target has the column; for classes `y.squeeze(1)`, and `y.argmax(dim=1)` of columns of zeros
    and ones; `y - 1` where the classes go from one to as many as there are scores.

    **Fix safety** Unsafe: the scores could be given the shape of the target instead. Silent where the two have not as many values.
    """

    code = "TEN105"
    name = "shape of a loss's target"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError", "RuntimeError", "IndexError"})
    message = re.compile(r"Using a target size \(torch\.Size|^Target \d+ is out of bounds|" + ONE_COLUMN.pattern)
    why = "The scores could be given the shape of the target instead."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        sizes = SIZES.search(context.failure.evalue)
        for call in context.list_calls_at_failure()[:3]:
            if len(call.args) < 2 or isinstance(call.args[1], ast.Starred):
                continue
            target = call.args[1]
            text = context.operand(target)
            if not context.describe_all([target], calls=True)[0].is_a("torch.Tensor"):
                continue
            if FROM_ONE.search(context.failure.evalue):
                new = _count_from_zero(context, text, context.operand(call.args[0]))
            else:
                new = _fit_sizes(text, sizes["target"], sizes["given"]) if sizes else _find_classes(context, text)
            if new:
                yield self.patch(
                    context.replace_here((*context.span(target), new)),
                    f"Change `{context.text(target)}` to `{new}`",
                    "The loss compares its two tensors value by value."
                    if sizes
                    else "The loss takes the number of the class.",
                    prior=0.88,
                )
                return


def _fit_sizes(text: str, target: str, given: str) -> str:
    """The target with or without a last dimension of one, as the scores have it; empty where that is not the difference."""
    one, two = target.replace(" ", ""), given.replace(" ", "")
    dimension = str(max(one.count(","), two.count(",")))
    if two == f"{one},1":
        return f"{text}.unsqueeze({dimension})"
    return f"{text}.squeeze({dimension})" if one == f"{two},1" else ""


def _count_from_zero(context: RuleContext, text: str, scores: str) -> str:
    """Classes that go from one to the number of scores; empty for others."""
    fits = f"({scores}).ndim == 2 and int(({text}).min()) == 1 and int(({text}).max()) == ({scores}).shape[1]"
    return f"{text} - 1" if context.is_true(fits) else ""


def _find_classes(context: RuleContext, text: str) -> str:
    if context.is_true(f"({text}).ndim == 2 and ({text}).shape[1] == 1"):
        return f"{text}.squeeze(1)"
    one_hot = (
        f"({text}).ndim == 2 and bool(((({text}) == 0) | (({text}) == 1)).all()) and bool((({text}).sum(1) == 1).all())"
    )
    return f"{text}.argmax(dim=1)" if context.is_true(one_hot) else ""
