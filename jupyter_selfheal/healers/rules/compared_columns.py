"""PDA142: a table compared with a series that has some of its columns only."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch


class ComparedColumns(Rule):
    """Compare those columns of a table for which there is a value.

    **Failure** `ValueError: Operands are not aligned. Do `left, right = left.align(right, axis=1)` before operating.` at
    `df < (q1 - 1.5 * iqr)`, where `q1` has the numeric columns only.

    **Fix** `df[q1.index] < (q1 - 1.5 * iqr)`, wherever the cell compares so.

    **Fix safety** Safe where rows are asked for by `.any(…)`: a column without a value compared as False until pandas 2.0, and changes nothing
    there. Unsafe elsewhere: the result had such columns. Silent where the series has a label that is no column.
    """

    code = "PDA142"
    name = "table compared with some columns' values"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError"})
    applicability = Applicability.SAFE
    why = "A column without a value compared as False until pandas 2.0, and `.any` does not change by it."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if "Operands are not aligned" not in context.failure.evalue:
            return
        pairs = [
            (n.left, n.comparators[0])
            for n in context.walk(ast.Compare)
            if len(n.ops) == 1 and isinstance(n.left, ast.Name)
        ]
        splices, shown = [], ""
        for table, other in pairs:
            name = next(
                (
                    n.id
                    for n in ast.walk(other)
                    if isinstance(n, ast.Name) and _is_index_of(context, n.id, table, other)
                ),
                "",
            )
            if name:
                shown = f"{context.text(table)}[{name}.index]"
                splices.append((*context.span(table), shown))
        statement = context.failing_statement
        if not splices or statement is None:
            return
        sure = ".any(" in context.text(statement)
        yield self.patch(
            context.replace_here(*dict.fromkeys(splices)),
            f"Compare the columns that there are values for: `{shown}`",
            "A table is only compared with a series that has all of its columns.",
            applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
            why=self.why if sure else "Until pandas 2.0 the result had the other columns too, all False.",
            prior=0.9 if sure else 0.7,
        )


def _is_index_of(context: RuleContext, name: str, table: ast.expr, other: ast.expr) -> bool:
    """True where the series of this name has the labels of what is compared, and they are columns of the table."""
    right, left = f"({context.text(other)}).index", f"({context.text(table)}).columns"
    return context.is_true(f"{name}.index.equals({right}) and {name}.index.isin({left}).all()")
