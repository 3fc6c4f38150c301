"""IDX105: an empty list that is filled by index."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch


class ListFilledByIndex(Rule):
    """Append to an empty list.

    **Failure** `IndexError: list assignment index out of range` at `squares[n] = n * n` in `for n in range(9):`, where `squares = []` stands above.

    **Fix** `squares.append(n * n)`.

    **Fix safety** Safe: the list begins empty, and the loop counts from 0 in steps of one, so that each index is the place behind the last item. Silent
    where the loop counts otherwise, where another line writes into the list, and where the line does not run in every round.
    """

    code = "IDX105"
    name = "list filled by index"
    enames = frozenset({"IndexError"})
    message = re.compile(r"^list assignment index out of range")
    applicability = Applicability.SAFE
    why = "The list begins empty, and each index is the place behind its last item."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        parents = src.read(context.source).parents
        for node in context.walk(ast.Assign):
            match node:
                case ast.Assign([ast.Subscript(ast.Name(filled), ast.Name(index))]) if node.lineno <= context.line <= (node.end_lineno or 0):  # fmt: skip
                    pass
                case _:
                    continue
            loop = parents.get(node)
            if not isinstance(loop, ast.For) or not _counts_from_0(loop, index) or _is_left_early(loop):
                continue
            if not _begins_empty(context, loop, filled) or _count_writes(context, filled) != 1:
                continue
            if not context.is_true(f"type({filled}) is list and {index} == len({filled})"):
                continue
            text = f"{filled}.append({context.text(node.value)})"
            yield self.patch(
                context.replace_here((*context.span(node), text)),
                f"Write `{text}`",
                f"`{filled}` is empty, and has no place `{index}` yet.",
                prior=0.92,
            )
            return


def _counts_from_0(loop: ast.For, index: str) -> bool:
    """``for n in range(9)``, ``range(0, 9)`` and ``for n, x in enumerate(xs)``."""
    target, counted = loop.target, loop.iter
    if isinstance(target, ast.Tuple) and target.elts:
        target = target.elts[0]
    if not isinstance(target, ast.Name) or target.id != index or not isinstance(counted, ast.Call) or counted.keywords:
        return False
    if read_last_name(counted.func) == "enumerate":
        return len(counted.args) == 1 and isinstance(loop.target, ast.Tuple)
    first = counted.args[0] if len(counted.args) == 2 else None
    starts = len(counted.args) == 1 or (isinstance(first, ast.Constant) and first.value == 0)
    return read_last_name(counted.func) == "range" and starts


def _is_left_early(loop: ast.For) -> bool:
    return any(isinstance(n, ast.Continue | ast.Break) for part in loop.body for n in ast.walk(part))


def _begins_empty(context: RuleContext, loop: ast.For, name: str) -> bool:
    """Whether the last value that a list got above a loop is an empty list."""
    for view in context.look_upwards():
        made = [n for n in view.walk(ast.Assign) if any(isinstance(t, ast.Name) and t.id == name for t in n.targets)]
        above = [n for n in made if view.cell_id != context.cell_id or n.lineno < loop.lineno]
        if above:
            value = above[-1].value
            return (isinstance(value, ast.List) and not value.elts) or (
                isinstance(value, ast.Call) and read_last_name(value.func) == "list" and not value.args
            )
    return False


def _count_writes(context: RuleContext, name: str) -> int:
    """How many statements of the cell write into a list, or change it."""
    written = [n for n in context.walk(ast.Subscript) if isinstance(n.ctx, ast.Store) and isinstance(n.value, ast.Name) and n.value.id == name]  # fmt: skip
    called = [n for n in context.walk(ast.Call) if isinstance(n.func, ast.Attribute) and isinstance(n.func.value, ast.Name) and n.func.value.id == name]  # fmt: skip
    return len(written) + len(called)
