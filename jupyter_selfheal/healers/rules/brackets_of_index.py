"""TYP208: an index in the wrong brackets."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch

CALLED = re.compile(r"^'(list|tuple|dict|str|numpy\.ndarray|DataFrame|Series)' object is not callable")
BY_TUPLE = re.compile(r"^(?:list|tuple) indices must be integers or slices, not tuple")


class BracketsOfIndex(Rule):
    """Write an index in the brackets that the value takes.

    **Failure** `TypeError: 'list' object is not callable` at `items(0)`; `list indices must be integers or slices, not tuple` at
    `matrix[0, 1]`.

    **Fix** `items[0]`; `matrix[0][1]`.

    **Fix safety** Safe: the value is a list (a dictionary, an array, a table) and has the index that is asked for. Silent for the name of a builtin or of a
    function of the notebook, which the value took away, for slices, and where there is no such item.
    """

    code = "TYP208"
    name = "brackets of an index"
    enames = frozenset({"TypeError"})
    applicability = Applicability.SAFE
    why = "The value cannot be called, and it has the item that is asked for."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if CALLED.match(context.failure.evalue):
            yield from self._index_what_is_called(context)
        elif BY_TUPLE.match(context.failure.evalue):
            yield from self._index_twice(context)

    def _index_what_is_called(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_failing_nodes(ast.Call):
            is_shape = isinstance(call.func, ast.Attribute) and call.func.attr == "shape"
            name = context.text(call.func) if is_shape else context.read_plain_chain(call.func)
            if not name or len(call.args) != 1 or call.keywords or _is_function_too(context, name):
                continue
            key = context.text(call.args[0])
            if not _is_plain(context, call.args[0]) or not (is_shape or context.is_true(f"({name}[{key}], True)[1]")):
                continue
            yield self.patch(
                context.replace_here((*context.span(call), f"{name}[{key}]")),
                f"Write `{name}[{key}]`",
                f"`{name}` is no function: its items are taken with square brackets.",
                prior=0.92,
            )
            return

    def _index_twice(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_failing_nodes(ast.Subscript):
            name, key = context.read_plain_chain(node.value), node.slice
            if not name or not isinstance(key, ast.Tuple) or len(key.elts) != 2 or not isinstance(node.ctx, ast.Load):
                continue
            if not all(_is_plain(context, e) for e in key.elts):
                continue
            row, column = (context.text(e) for e in key.elts)
            if not context.is_true(f"({name}[{row}][{column}], True)[1]"):
                continue
            yield self.patch(
                context.replace_here((*context.span(node), f"{name}[{row}][{column}]")),
                f"Write `{name}[{row}][{column}]`",
                f"`{name}` is a list of lists: each index has brackets of its own.",
                why="The list of lists has the item in this row and column.",
                prior=0.92,
            )
            return


def _is_plain(context: RuleContext, node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) or context.read_plain_chain(node) is not None


def _is_function_too(context: RuleContext, name: str) -> bool:
    """True where the name is also a function's: then the value that took it is the fault (STA104)."""
    defined = any(
        isinstance(n, ast.FunctionDef) and n.name == name
        for cell in context.notebook.cells
        if cell.kind == "code"
        for n in context.view_cell(cell.id).walk(ast.FunctionDef)
    )
    return defined or context.exists(f"builtins.{name}")
