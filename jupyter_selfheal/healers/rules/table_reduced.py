"""PDA126: a function of NumPy that reduced a table column by column, and gives one number since pandas 2."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.replay import mend_above
from jupyter_selfheal.healers.rules.context.text_questions import RELEASE
from jupyter_selfheal.model import Applicability, Patch

REDUCTIONS = frozenset({"min", "max", "amin", "amax", "mean", "sum", "std", "var", "prod"})


class TableReduced(Rule):
    """Reduce a table column by column where NumPy now makes one number of it.

    **Failure** `AttributeError: 'numpy.float64' object has no attribute 'values'`, `TypeError: 'int' object is not subscriptable`,
    where the number comes from `np.min(df)` or the like. Until pandas 2.0 it gave a value for each column.

    **Fix** `np.min(df, axis=0)`, in every such call that the failing cell's values come from.

    **Fix safety** Safe: with `axis=0` it gives what it gave until pandas 2.0, and the argument is a table in the live state. Silent for
    arrays, of which NumPy always made one number, for `np.any` and `np.all`, which did so of tables too, in functions, and where an axis is given.
    """

    code = "PDA126"
    name = "table reduced to one number"
    stage = Stage.LIBRARY
    enames = frozenset({"AttributeError", "TypeError", "IndexError"})
    message = re.compile(
        r"numpy\.(?:float|int|bool)\w*'? object|'(?:float|int|bool)' object (?:has no|is not)|invalid index to scalar variable"
    )
    applicability = Applicability.SAFE
    why = "Until pandas 2.0 it gave a value for each column (https://pandas.pydata.org/docs/whatsnew/v2.0.0.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        def find(source: str, statement: ast.stmt) -> Iterator[tuple[Splice, str]]:
            for node in _walk_outside_functions(statement):
                if isinstance(node, ast.Call) and _is_reduction(node):
                    table = context.describe(src.extract_text(source, node.args[0]))
                    if table is not None and table.is_a("pandas.DataFrame"):
                        end = src.find_span(source, node)[1] - 1
                        yield (end, end, ", axis=0"), f"{src.extract_text(source, node)[:-1]}, axis=0)"

        edits, shown = mend_above(context, find)
        if edits and (context.number(RELEASE) or 0) >= 2:
            cause = "Since pandas 2.0, NumPy makes one number of a whole table, not a value for each column."
            yield self.patch(edits, f"Use `{shown}`", cause, prior=0.9)


def _walk_outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes whose names are those of the live state: a function's parameter may be anything."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _walk_outside_functions(child)


def _is_reduction(node: ast.Call) -> bool:
    """True for ``np.min(table)``: one table, which no call makes, is all that it is given."""
    if (
        not isinstance(node, ast.Call)
        or not isinstance(node.func, ast.Attribute)
        or node.keywords
        or len(node.args) != 1
    ):
        return False
    owner = node.func.value
    return (
        read_last_name(node.func) in REDUCTIONS
        and isinstance(owner, ast.Name)
        and owner.id in ("np", "numpy")
        and not any(isinstance(n, ast.Call) for n in ast.walk(node.args[0]))
    )
