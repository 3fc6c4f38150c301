"""TYP208: an index in the wrong brackets."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import find_function
from jupyter_selfheal.healers.rules.context.value_types import NUMBERS
from jupyter_selfheal.model import Applicability, Patch

CALLED = re.compile(
    r"^'(list|tuple|dict|str|numpy\.ndarray|DataFrame|Series|torch\.Size|Tensor)' object is not callable"
)
BY_TUPLE = re.compile(r"^(?:list|tuple) indices must be integers or slices, not tuple")


class BracketsOfIndex(Rule):
    """Write an index in the brackets that the value takes.

    **Failure** `TypeError: 'list' object is not callable` at `items(0)`; `list indices must be integers or slices, not tuple` at
    `matrix[row, 1]`.

    **Fix** `items[0]`; `matrix[row][1]`, everywhere in the function.

    **Fix safety** Safe: the value is a list (a dictionary, an array, a table) and has the index that is asked for. Unsafe for two numbers (`people[0, 1]`), which
    may mean two rows, and for an array and a number that no loop counts (`mass(a)`), which may mean their product. Silent for the name of a builtin or of a
    function that the notebook defines or imports, which the value took away, for slices, and where there is no such item.
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
            is_open = _may_be_factor(context, call)
            yield self.patch(
                context.replace_here((*context.span(call), f"{name}[{key}]")),
                f"Write `{name}[{key}]`",
                f"`{name}` is no function: its items are taken with square brackets.",
                applicability=Applicability.UNSAFE if is_open else Applicability.SAFE,
                why="A product may be meant." if is_open else self.why,
                prior=0.8 if is_open else 0.92,
            )
            return

    def _index_twice(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_failing_nodes(ast.Subscript):
            name, pair = context.read_plain_chain(node.value), _read_pair(context, node)
            if not name or pair is None:
                continue
            row, column = (context.text(e) for e in pair)
            if not context.is_true(f"({name}[{row}][{column}], True)[1]"):
                continue
            function = find_function(context.source, context.line)
            around = ast.walk(function) if function is not None else [node]
            alike = [n for n in around if isinstance(n, ast.Subscript) and context.text(n.value) == name]
            changes = [change for n in alike if (p := _read_pair(context, n)) for change in _split_index(context, n, p)]
            is_open = all(isinstance(e, ast.Constant) for e in pair)
            yield self.patch(
                context.replace_here(*changes),
                f"Write `{name}[{row}][{column}]`",
                f"`{name}` is a list of lists: each index has brackets of its own.",
                applicability=Applicability.UNSAFE if is_open else Applicability.SAFE,
                why="Two rows of the list may be meant."
                if is_open
                else "The list of lists has the item in this row and column.",
                prior=0.8 if is_open else 0.92,
            )
            return


def _read_pair(context: RuleContext, node: ast.Subscript) -> list[ast.expr] | None:
    """``row`` and ``column`` of ``board[row, column]``, written on one line."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else []
    is_pair = len(parts) == 2 and all(_is_plain(context, e) for e in parts)
    return parts if is_pair and node.lineno == node.end_lineno else None


def _split_index(context: RuleContext, node: ast.Subscript, pair: list[ast.expr]) -> list[Splice]:
    """What gives each of two indexes brackets of its own."""
    (_, row), (column, end) = (context.span(e) for e in pair)
    return [(row, column, "]["), (end, context.span(node)[1], "]")]


def _is_plain(context: RuleContext, node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) or context.read_plain_chain(node) is not None


def _may_be_factor(context: RuleContext, call: ast.Call) -> bool:
    """``m(a)`` of an array and a number that no loop counts: as likely the sign of the product is missing."""
    targets = [n.target for n in ast.walk(context.tree) if isinstance(n, ast.For | ast.comprehension)]
    counted = {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}
    array, key = context.describe_all([call.func, call.args[0]])
    is_number = key.type in NUMBERS and not isinstance(call.args[0], ast.Constant)
    return is_number and array.type in ("ndarray", "Series") and context.text(call.args[0]) not in counted


def _is_function_too(context: RuleContext, name: str) -> bool:
    """True where the name is also a function's, of the notebook or imported: then the value that took it is the fault (STA104)."""
    for cell in (c for c in context.notebook.cells if c.kind == "code"):
        source = context.source_of(cell.id)
        if name in src.find_names(source).imports:
            return True
        for node in src.walk(source):
            match node:
                case ast.FunctionDef(name=bound) | ast.Assign([ast.Name(bound)], ast.Lambda()) if bound == name:
                    return True
    return context.exists(f"builtins.{name}")
