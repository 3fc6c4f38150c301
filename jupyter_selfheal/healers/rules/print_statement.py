"""NON103: a Python 2 ``print`` whose brackets close too early."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.model import Applicability, Patch

SHIFTED = re.compile(r"unsupported operand type\(s\) for >>: 'builtin_function_or_method' and ")
"""What Python 3 says of `print >>file`."""
END = 'end=" "'
"""Python 2 printed a blank behind a comma at the end, and no new line."""


class PrintStatement(Rule):
    """Print the whole expression, not only the part in brackets.

    **Failure** `TypeError: unsupported operand type(s) for **: 'NoneType' and 'int'` (or an `AttributeError` about `NoneType`) at
    `print (a + b)**2` or `print ("…").upper()`: a print statement of Python 2 that parses as a call. Also `unsupported operand type(s) for >>:
    'builtin_function_or_method' and …` at `print >>log, "begun"`.

    **Fix** `print((a + b)**2)` and `print("begun", file=log)`, for every such statement of the cell.

    **Fix safety** Safe: `print` gives None, and nothing can be shifted by a function, so that nothing else can be meant.
    """

    code = "NON103"
    name = "print closed too early"
    stage = Stage.STATE
    enames = frozenset({"TypeError", "AttributeError"})
    applicability = Applicability.SAFE
    why = "`print` gives None, with which nothing can be reckoned: the whole expression was to be printed."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if SHIFTED.search(context.failure.evalue):
            words = "Print into the file", "`print >>file` is Python 2's way to say `file=`."
            yield from self._write_anew(context, _write_into, *words, prior=0.95)
        if context.is_about_none:
            cause = "`print(…)` returns None, and the expression goes on after its parentheses."
            yield from self._write_anew(context, _write_whole, "Print the whole expression", cause, prior=0.93)

    def _write_anew(
        self, context: RuleContext, write: Callable[[str, ast.Expr], str], title: str, cause: str, *, prior: float
    ) -> Iterator[Patch]:
        """Each statement of the cell that stands for another call of `print`, where the failing one does."""
        cell_id, source, line = context.location
        changes: list[Splice] = []
        failed = False
        for node in src.walk(source):
            if isinstance(node, ast.Expr) and (text := write(source, node)):
                changes.append((*src.find_span(source, node), text))
                failed = failed or node.lineno <= line <= (node.end_lineno or 0)
        if failed:
            yield self.patch(context.replace(cell_id, changes), title, cause, prior=prior)


def _write_whole(source: str, statement: ast.Expr) -> str:
    """The call of `print` with all that the statement goes on with; empty where that is nothing."""
    rest = src.extract_text(source, statement)[len("print") :].strip()
    return f"print({rest})" if _begins_with_print(statement.value) else ""


def _write_into(source: str, statement: ast.Expr) -> str:
    """The call of `print` that a statement with an arrow stands for; empty where it is none."""
    value = statement.value
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    match parts:
        case [ast.BinOp(left=ast.Name(id="print"), op=ast.RShift(), right=file), *printed]:
            given = [src.extract_text(source, p) for p in printed] + [f"file={src.extract_text(source, file)}"]
            goes_on = printed and src.extract_text(source, statement).rstrip().endswith(",")
            return f"print({', '.join(given + [END] * bool(goes_on))})"
    return ""


def _begins_with_print(node: ast.expr) -> bool:
    """True where the leftmost leaf is a call of print, and the whole is more than that call."""
    outer = node
    while True:
        if isinstance(node, ast.BinOp):
            node = node.left
        elif isinstance(node, ast.Attribute | ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Subscript):
            node = node.func
        else:
            break
    called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    return called and node is not outer
