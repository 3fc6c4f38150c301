"""NPA131: an array that is asked for what pandas' Series and tables have."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import FUNCTIONS, LOOPS
from jupyter_selfheal.model import Applicability, Patch

CHANGES = frozenset({"append", "drop", "extend", "insert", "pop", "update"})
"""Methods that are there to change what has them, or that give a longer one: of a new table that would be lost."""
KINDS = {1: "Series", 2: "DataFrame"}


class ArrayAskedAsTable(Rule):
    """Ask an array for what it is already, or a Series or table of it for what only these have.

    **Failure** `AttributeError: 'numpy.ndarray' object has no attribute 'value_counts'` at `y.value_counts()`, where `y` is an array; `iloc`, `values`, `to_numpy` likewise.

    **Fix** `pd.Series(y).value_counts()`, of two dimensions `pd.DataFrame(X).describe()`; `X[:, 0]` for `X.iloc[:, 0]`, `y` for `y.values`.

    **Fix safety** Safe for `iloc`, `values` and `to_numpy`, which of an array give the same items; but unsafe in a function and for what a loop binds: a Series may come by there
    too, whose labels are no places. Unsafe for a new Series or table: it has no names, and the one that the array was made of may be meant. Silent where it is set, where its method changes it, or takes lists of rows and of columns, where what comes of it is dropped, where its method is given something of the array (`X.fillna(X.mean())`), and where pandas is not imported.
    """

    code = "NPA131"
    name = "array asked as a table"
    stage = Stage.LIBRARY
    enames = frozenset({"AttributeError"})
    message = re.compile(r"^'numpy\.ndarray' object has no attribute '(\w+)'")
    applicability = Applicability.UNSAFE
    why = "The table or Series that the array was made of may be meant."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_nodes_at_failure(ast.Attribute):
            live = context.describe_all([node.value], calls=True)[0]
            if live is None or not live.is_a("numpy.ndarray") or context.exists(f"numpy.ndarray.{node.attr}"):
                continue
            if splice := _write_itself(context, node):
                is_sure = not _may_be_table(context, node)
                yield self.patch(
                    context.replace_here(splice),
                    f"Use `{splice[2]}`",
                    f"`{context.text(node.value)}` is an array, whose items have places and no labels.",
                    applicability=Applicability.SAFE if is_sure else Applicability.UNSAFE,
                    why="Of an array these are the same items."
                    if is_sure
                    else "A Series may come by there too, whose labels are no places.",
                    prior=0.9,
                )
            elif new := _write_table(context, node, live.ndim):
                yield self.patch(
                    context.replace_here((*context.span(node.value), new)),
                    f"Ask `{new}`",
                    f"`{context.text(node.value)}` is an array, and pandas has `{node.attr}`.",
                    prior=0.8,
                )
            return


def _may_be_table(context: RuleContext, node: ast.Attribute) -> bool:
    """Whether the line may be run with a table as well: in a function, or for what a loop binds."""
    if context.list_nodes_on_line(*FUNCTIONS):
        return True
    bound = {
        name.id for loop in context.list_nodes_on_line(*LOOPS) for name in ast.walk(loop)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
    }  # fmt: skip
    return any(isinstance(n, ast.Name) and n.id in bound for n in ast.walk(node.value))


def _write_itself(context: RuleContext, node: ast.Attribute) -> Splice | None:
    """What takes the place of ``y.values``, ``y.to_numpy()`` and of ``X.iloc`` in ``X.iloc[:, 0]``."""
    if not isinstance(node.ctx, ast.Load):
        return None
    call, text = context.call_of(node), context.operand(node.value)
    match node.attr:
        case "values" if call is None:
            return (*context.span(node), text)
        case "to_numpy" if call is not None and not call.args and not call.keywords:
            return (*context.span(call), text)
        case "iloc":
            taken = next((s for s in context.walk(ast.Subscript) if s.value is node), None)
            parts = taken.slice.elts if taken is not None and isinstance(taken.slice, ast.Tuple) else []
            if taken is not None and sum(not isinstance(p, ast.Slice | ast.Constant) for p in parts) < 2:
                return (*context.span(node), text)
    return None


def _write_table(context: RuleContext, node: ast.Attribute, dimensions: int | None) -> str:
    """The Series or table that has the method; empty where there is none, or it would change that alone."""
    call, kind = context.call_of(node), KINDS.get(dimensions or 0, "")
    if call is None or not kind or node.attr in CHANGES or any(k.arg == "inplace" for k in call.keywords):
        return ""
    itself = ast.dump(node.value)
    if any(ast.dump(n) == itself for k in (*call.args, *call.keywords) for n in ast.walk(k)):
        return ""  # `X.fillna(X.mean())`: the array's own mean is that of all items, and NaN where one is
    is_last = bool(context.tree.body) and context.failing_statement is context.tree.body[-1]
    made = context.reference(f"pandas.{kind}")
    if made is None or made.import_line or (context.is_statement(call) and not is_last):
        return ""
    has_method = context.exists(f"pandas.{kind}.{node.attr}")
    return f"{made.text}({context.text(node.value)})" if has_method else ""
