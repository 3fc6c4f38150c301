"""NPA124: branches of an ``if`` that give a whole column its values."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from jupyter_selfheal.healers.rules.ambiguous_truth import write_elementwise
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch


class ColumnByBranches(Rule):
    """Choose a column's values row by row.

    **Failure** `ValueError: The truth value of a Series is ambiguous` from `if df["score"] > 50:` where every branch, `else` included, only assigns a constant to the same
    column of a frame.

    **Fix** `df["grade"] = np.where(df["score"] > 50, "pass", "fail")`; an `elif` is a `np.where` within.

    **Fix safety** Unsafe: that each row decides for itself is what a column asks for, but nothing shows it. Tests have to be comparisons of columns of that frame.
    """

    code = "NPA124"
    name = "branches for a column"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError"})
    message = re.compile(r"truth value of a Series is ambiguous")
    applicability = Applicability.UNSAFE
    why = "Whether each row decides for itself stands nowhere."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_nodes_on_line(ast.If):
            branches = _read_branches(node)
            if branches is None or not _is_of_one_frame(context, branches):
                continue
            where = context.reference("numpy.where")
            if where is None:
                return
            text = context.text(branches.otherwise)
            for test, value in reversed(branches.chosen):
                text = f"{where.text}({write_elementwise(context, test)}, {context.text(value)}, {text})"
            yield self.patch(
                context.replace_here(
                    (*context.span(node), f"{context.text(branches.column)} = {text}"),
                    *context.add_imports([where.import_line] if where.import_line else []),
                ),
                f"Choose `{context.text(branches.column)}` row by row",
                "A condition of a column is one truth value for each row: `np.where` chooses for each of them.",
                prior=0.7,
            )
            return


@dataclass(frozen=True, slots=True)
class _Branches:
    """What a chain of ``if``, ``elif`` and ``else`` assigns to one column."""

    column: ast.Subscript
    chosen: tuple[tuple[ast.expr, ast.expr], ...]
    otherwise: ast.expr


def _read_branches(node: ast.If) -> _Branches | None:
    """None where a branch does anything but assigning to the column that the others assign to, or where there is no ``else``."""
    chosen: list[tuple[ast.expr, ast.expr]] = []
    rest: list[ast.stmt] = [node]
    columns: list[ast.Subscript] = []
    while len(rest) == 1 and isinstance(inner := rest[0], ast.If):
        if (given := _read_assignment(inner.body)) is None:
            return None
        columns.append(given[0])
        chosen.append((inner.test, given[1]))
        rest = inner.orelse
    if (given := _read_assignment(rest)) is None or len({ast.dump(c) for c in [*columns, given[0]]}) > 1:
        return None
    return _Branches(given[0], tuple(chosen), given[1])


def _read_assignment(body: list[ast.stmt]) -> tuple[ast.Subscript, ast.expr] | None:
    """``df["grade"] = "pass"``: the column and the constant."""
    if len(body) != 1 or not isinstance(only := body[0], ast.Assign) or len(only.targets) != 1:
        return None
    target, value = only.targets[0], only.value
    if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant) and isinstance(value, ast.Constant):
        return target, value
    return None


def _is_of_one_frame(context: RuleContext, branches: _Branches) -> bool:
    """Whether each test compares columns of the very frame that gets the column, with nothing called in it."""
    frame = branches.column.value
    if not isinstance(frame, ast.Name) or not context.describe_all([frame])[0].is_a("pandas.DataFrame"):
        return False
    for test, _ in branches.chosen:
        names = {n.id for n in ast.walk(test) if isinstance(n, ast.Name)}
        if frame.id not in names or any(isinstance(n, ast.Call) for n in ast.walk(test)):
            return False
        if not context.describe_all([_find_first_comparison(test)], calls=True)[0].is_a("pandas.Series"):
            return False
    return True


def _find_first_comparison(test: ast.expr) -> ast.expr:
    return next((n for n in ast.walk(test) if isinstance(n, ast.Compare) and len(n.ops) == 1), test)
