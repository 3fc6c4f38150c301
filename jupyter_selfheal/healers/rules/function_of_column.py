"""NPA125: a function of one value that is given a whole column."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch


class FunctionOfColumn(Rule):
    """Apply a function of the notebook to each value of a column.

    **Failure** `ValueError: The truth value of a Series is ambiguous` in a function that asks `if score > 90:`, called as `grade(df["score"])`; `TypeError: must be real number,
    not Series` at `math.sqrt(x)` in one.

    **Fix** `df["score"].apply(grade)`; `df["score"].apply(grade, args=(limit,))` with what else it is given.

    **Fix safety** Unsafe: `any` or `all` of the values may have been meant in the function. Silent where the column is not the first argument, or not the only one.
    """

    code = "NPA125"
    name = "function given a column"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError", "TypeError"})
    message = re.compile(
        r"truth value of a Series is ambiguous|cannot convert the series to|must be real number, not Series"
    )
    applicability = Applicability.UNSAFE
    why = "Whether the function is one of each value stands nowhere."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        function = _find_function(context)
        if function is None or not function.args.args:
            return
        if not context.describe_all([function.args.args[0].arg])[0].is_a("pandas.Series"):
            return
        call = _find_call(context, function.name)
        if call is None:
            return
        source = context.failure.source
        column, *others = call.args
        named = [k for k in call.keywords if k.arg is not None]
        rest = [function.name]
        if others:
            rest.append(f"args=({', '.join(src.extract_text(source, o) for o in others)},)")
        rest += [src.extract_text(source, k) for k in named]
        parameters = [a.arg for a in function.args.args[1:]]
        if any(context.describe_all([p])[0].is_a("pandas.Series", "numpy.ndarray") for p in parameters):
            return
        text = src.extract_text(source, column)
        new = f"{text if isinstance(column, ast.Name | ast.Attribute | ast.Subscript | ast.Call) else f'({text})'}.apply({', '.join(rest)})"
        yield self.patch(
            context.replace(context.failure.cell_id, [(*src.find_span(source, call), new)]),
            f"Apply `{function.name}` to each value: `{new}`",
            f"`{function.name}` decides about one value, and is given a whole column.",
            prior=0.75,
        )


def _find_function(context: RuleContext) -> ast.FunctionDef | None:
    """The function of the notebook, at the top level of its cell, in which the failing line stands."""
    functions = [n for n in context.tree.body if isinstance(n, ast.FunctionDef)]
    around = [f for f in functions if f.lineno <= context.line <= (f.end_lineno or f.lineno)]
    return around[0] if around and not around[0].decorator_list else None


def _find_call(context: RuleContext, name: str) -> ast.Call | None:
    """The only call of the function in the failing cell, with the column first and nothing starred."""
    statement = context.failing_statement
    calls = [
        n
        for n in (ast.walk(statement) if statement is not None else ())
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == name
    ]
    if len(calls) != 1 or not calls[0].args or any(k.arg is None for k in calls[0].keywords):
        return None
    return None if any(isinstance(a, ast.Starred) for a in calls[0].args) else calls[0]
