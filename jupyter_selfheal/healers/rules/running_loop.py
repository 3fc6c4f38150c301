"""CAL124: asyncio.run in a notebook, whose event loop runs already."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import find_function, read_last_name
from jupyter_selfheal.model import Applicability, Patch

PLAIN = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.NamedExpr, ast.keyword, ast.FormattedValue)
"""What may hold ``await f()`` without brackets around it, besides a call's arguments."""


class RunningLoop(Rule):
    """Await at the top of a cell, where the notebook's event loop runs already.

    **Failure** `RuntimeError: asyncio.run() cannot be called from a running event loop`, `RuntimeError: This event loop is already running` at
    `loop.run_until_complete(main())`: a script's way to begin.

    **Fix** `await main()`, for every such call at the top level of the cell.

    **Fix safety** Safe: the coroutine runs to its end, and its result is the same; a cell may await at its top level. Silent in a plain function, in a lambda, in
    a comprehension's body and where more is given than the coroutine.
    """

    code = "CAL124"
    name = "event loop that runs already"
    enames = frozenset({"RuntimeError"})
    message = re.compile(r"cannot be called from a running event loop|event loop is already running")
    applicability = Applicability.SAFE
    why = "The notebook's own event loop runs it; a cell may await at its top level."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        parents = src.read(context.source).parents
        splices: list[Splice] = []
        for call in context.walk(ast.Call):
            if read_last_name(call.func) not in ("run", "run_until_complete") or len(call.args) != 1 or call.keywords:
                continue
            if _is_of_a_loop(context, call) and _may_await(context, call, parents):
                text = f"await {context.text(call.args[0])}"
                parent = parents[call]
                is_plain = isinstance(parent, PLAIN) or (isinstance(parent, ast.Call) and call is not parent.func)
                splices.append((*context.span(call), text if is_plain else f"({text})"))
        if splices and any(context.span(c)[0] in {s[0] for s in splices} for c in context.list_calls_at_failure()):
            yield self.patch(
                context.replace_here(*splices),
                f"Await with `{splices[0][2]}`",
                "The notebook's event loop runs already.",
                prior=0.95,
            )


def _is_of_a_loop(context: RuleContext, call: ast.Call) -> bool:
    """``asyncio.run(…)``, ``run(…)`` from there, or a method of an event loop."""
    if read_last_name(call.func) == "run":
        return context.describe_all([call.func])[0].path in ("asyncio.runners.run", "asyncio.run")
    return isinstance(call.func, ast.Attribute)


def _may_await(context: RuleContext, call: ast.Call, parents: dict[ast.AST, ast.AST]) -> bool:
    """True at the top level of the cell, or in an ``async def``; not in what is a function or a generator of its own."""
    if isinstance(find_function(context.source, call.lineno), ast.FunctionDef):
        return False
    node: ast.AST = call
    while node in parents:
        node = parents[node]
        if isinstance(node, ast.Lambda | ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp | ast.ClassDef):
            return False
    return True
