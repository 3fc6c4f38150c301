"""TYP204: the length of something empty as a divisor."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import find_function, list_arguments
from jupyter_selfheal.model import Applicability, Patch


class MeanOfNothing(Rule):
    """Return 0 for what is empty, where its length divides.

    **Failure** `ZeroDivisionError` in a function of the notebook that divides by `len(values)` of its own parameter, called with
    something empty.

    **Fix** The function begins with `if not values: return 0`.

    **Fix safety** Unsafe: the mean of nothing may be meant to be 0, NaN, None or an error; only the author knows. Silent where the
    function already asks whether the parameter is empty, and where what divides is no length.
    """

    code = "TYP204"
    name = "division by the length of something empty"
    stage = Stage.LAST
    enames = frozenset({"ZeroDivisionError"})
    applicability = Applicability.UNSAFE
    why = "The function was given something empty; what it should give then, only its author knows."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        source = context.source
        function = find_function(source, context.line)
        name = _find_measured(context)
        if function is None or name not in {a.arg for a in list_arguments(function)} or _asks_for_name(function, name):
            return
        first = function.body[1 if ast.get_docstring(function) is not None and len(function.body) > 1 else 0]
        start = src.find_span(source, first)[0]
        indent = source[source.rfind("\n", 0, start) + 1 : start]
        test = f"not {name}" if _is_plain(context, name) else f"len({name}) == 0"
        text = f"if {test}:\n{indent}    return 0\n{indent}"
        yield self.patch(
            context.replace(context.cell_id, [(start, start, text)]) if not indent.strip() else (),
            f"Return 0 where `{name}` is empty",
            f"`{function.name}` divides by `len({name})`, and `{name}` is empty.",
        )


def _find_measured(context: RuleContext) -> str:
    """The name whose length divides where it failed."""
    for node in context.list_failing_nodes(ast.BinOp):
        divisor = node.right
        if (
            isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod)
            and isinstance(divisor, ast.Call)
            and isinstance(divisor.func, ast.Name)
            and divisor.func.id == "len"
            and len(divisor.args) == 1
            and isinstance(divisor.args[0], ast.Name)
        ):
            return divisor.args[0].id
    return ""


def _asks_for_name(function: ast.AST, name: str) -> bool:
    """True where a condition of the function reads the name: what it should do when empty may be said there, and be wrong."""
    tests = [n.test for n in ast.walk(function) if isinstance(n, ast.If | ast.IfExp | ast.While | ast.Assert)]
    return any(isinstance(n, ast.Name) and n.id == name for test in tests for n in ast.walk(test))


def _is_plain(context: RuleContext, name: str) -> bool:
    """True where emptiness is the only thing that makes the value false: an array would be asked item by item."""
    return context.describe_all([name])[0].is_a("builtins.list", "builtins.tuple", "builtins.dict", "builtins.str")
