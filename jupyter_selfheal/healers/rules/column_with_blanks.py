"""PDA182: a column whose name has blanks around it, asked for with a dot."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.renamings import find_missed_renaming
from jupyter_selfheal.healers.rules.context.spelling import normalize
from jupyter_selfheal.model import Applicability, Patch


class ColumnWithBlanks(Rule):
    """Name the column in brackets.

    **Failure** `AttributeError: 'DataFrame' object has no attribute 'Region'`, where a column is called `"Region "` or, for `UnitPrice`, `"Unit Price"`.

    **Fix** `df["Region "]`.

    **Fix safety** Safe where one column only has these letters, and the name is read, not called or set. Unsafe where texts of it are reckoned with.
    """

    code = "PDA182"
    name = "column with blanks"
    stage = Stage.LIBRARY
    enames = frozenset({"AttributeError"})
    message = re.compile(r"'DataFrame' object has no attribute")
    applicability = Applicability.SAFE
    why = "One column only has these letters; a name with blanks is read in brackets."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        wrong = context.state.attribute
        for node in context.list_failing_nodes(ast.Attribute):
            table = context.table(node.value) if node.attr == wrong else None
            if table is None or context.is_called(node) or not isinstance(node.ctx, ast.Load):
                continue
            near = [
                c for c in table.columns if isinstance(c, str) and normalize(c.replace(" ", "")) == normalize(wrong)
            ]
            if len(near) != 1 or near[0].isidentifier():
                return
            if find_missed_renaming(context, wrong) is not None:
                return  # PDA203
            owner = context.text(node.value)
            parents = src.read(context.source).parents
            reckoned = isinstance(parents.get(node), ast.BinOp) and context.is_true(
                f"{owner}[{near[0]!r}].dtype.kind in 'OT'"
            )
            changes = [
                (*context.span(n), f"{owner}[{near[0]!r}]")
                for n in context.walk(ast.Attribute)
                if n.attr == wrong and context.text(n.value) == owner and isinstance(n.ctx, ast.Load)
            ]
            yield self.patch(
                context.replace_here(*changes),
                f"Use `{owner}[{near[0]!r}]`",
                f"The column is called {near[0]!r}, which no attribute can be.",
                applicability=Applicability.UNSAFE if reckoned else Applicability.SAFE,
                why="It holds texts, which are reckoned with: numbers made of it may be meant."
                if reckoned
                else self.why,
                prior=0.93,
            )
            return
