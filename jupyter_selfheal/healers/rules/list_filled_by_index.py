"""IDX105: an empty list that is filled by index."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.inside.tree_blocks import list_blocks
from jupyter_selfheal.model import Applicability, Patch


class ListFilledByIndex(Rule):
    """Append to an empty list.

    **Failure** `IndexError: list assignment index out of range` at `squares[n] = n * n` in `for n in range(9):`, where `squares = []` stands above.

    **Fix** `squares.append(n * n)`.

    **Fix safety** Safe where the list begins empty right in the block of the loop, which counts from 0 in steps of one, so that each index is the place behind the last
    item. Unsafe where it begins in a cell above. Silent within another loop or a function that begins below the list, where the loop counts otherwise, where another line writes into the list, and where the line does not run in every round.
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
            if not isinstance(loop, ast.For) or not _counts_from_0(loop, index) or _is_left_early(loop, index):
                continue
            place = _find_start(context, loop, filled)
            if not place or _count_writes(context, filled) != 1:
                continue
            if not context.is_true(f"type({filled}) is list and {index} == len({filled})"):
                continue
            text = f"{filled}.append({context.text(node.value)})"
            yield self.patch(
                context.replace_here((*context.span(node), text)),
                f"Write `{text}`",
                f"`{filled}` is empty, and has no place `{index}` yet.",
                applicability=Applicability.SAFE if place == "beside" else Applicability.UNSAFE,
                why=self.why if place == "beside" else "Another cell may fill the list, too.",
                prior=0.92 if place == "beside" else 0.8,
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


def _is_left_early(loop: ast.For, index: str) -> bool:
    """Whether a round may end before the line, or go on with another number than the loop counts."""
    inside = [n for part in loop.body for n in ast.walk(part)]
    is_set = any(isinstance(n, ast.Name) and n.id == index and isinstance(n.ctx, ast.Store) for n in inside)
    return is_set or any(isinstance(n, ast.Continue | ast.Break) for n in inside)


def _find_start(context: RuleContext, loop: ast.For, name: str) -> str:
    """Where a list begins empty: ``beside`` a loop, above it in its block; ``above``, in another cell, where the loop is in none; else empty."""
    block = next((b for n in ast.walk(context.tree) for b in list_blocks(n) if loop in b), [])
    beside = [n for n in block[: block.index(loop)] if _is_assigned(n, name)] if block else []
    if beside:
        return "beside" if _is_empty_list(beside[-1]) else ""
    if loop not in context.tree.body:
        return ""
    for view in context.look_upwards():
        made = [n for n in view.walk(ast.Assign) if _is_assigned(n, name)] if view.cell_id != context.cell_id else []
        if made:
            return "above" if made[-1] in view.tree.body and _is_empty_list(made[-1]) else ""
    return ""


def _is_assigned(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets)


def _is_empty_list(node: ast.AST) -> bool:
    match node:
        case ast.Assign(value=ast.List([]) | ast.Call(ast.Name("list"), [], [])):
            return True
    return False


def _count_writes(context: RuleContext, name: str) -> int:
    """How many statements of the cell write into a list, or change it."""
    written = [n for n in context.walk(ast.Subscript) if isinstance(n.ctx, ast.Store) and isinstance(n.value, ast.Name) and n.value.id == name]  # fmt: skip
    called = [n for n in context.walk(ast.Call) if isinstance(n.func, ast.Attribute) and isinstance(n.func.value, ast.Name) and n.func.value.id == name]  # fmt: skip
    return len(written) + len(called)
