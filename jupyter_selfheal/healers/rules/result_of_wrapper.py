"""NON105: a decorator whose inner function drops what the decorated one returns."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.used_functions import (
    find_definition,
    list_functions_used,
    list_sources,
    returns_value,
    walk_own,
)
from jupyter_selfheal.model import Applicability, FailureKind, Patch


class ResultOfWrapper(Rule):
    """Return from a decorator's inner function what the decorated one gave.

    **Failure** `TypeError` or `AttributeError` about `NoneType`, a missed expectation or an assert, where the failing statement uses the
    result of a function with a decorator of the notebook, whose inner function calls it and returns nothing.

    **Fix** `f(*args)` becomes `return f(*args)` at the end of the inner function; `result = f(*args)` gets `return result` there. A decorator, or another
    function, that ends with the function that it makes gets `return wrapper`.

    **Fix safety** Safe: the function returns a value, the failing statement uses it, and only the inner function loses it. Silent where the inner
    function returns something, calls the decorated one several times, or has other uses of the name, and where that one returns nothing itself.
    """

    code = "NON105"
    name = "result lost by a decorator"
    stage = Stage.STATE
    enames = frozenset({"TypeError", "AttributeError", "AssertionError"})
    kinds = frozenset({FailureKind.RAISED, FailureKind.MISSED})
    applicability = Applicability.SAFE
    why = "The decorated function returns a value, and only the decorator's inner function loses it."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        raised = context.failure.kind is FailureKind.RAISED
        if raised and context.failure.ename != "AssertionError" and not context.is_about_none:
            return
        sources = [(cell_id, context.source_of(cell_id)) for cell_id in list_sources(context)]
        if raised and context.is_about_none:
            yield from self._return_function(context, sources)
        for name in list_functions_used(context):
            decorated = next((f for _, s in sources if (f := find_definition(s, name)) is not None), None)
            if decorated is None or not returns_value(decorated):
                continue
            for decorator in (_name_decorator(d) for d in decorated.decorator_list):
                for cell_id, source in sources:
                    maker = find_definition(source, decorator)
                    splices = _return_result(source, maker) if maker is not None else []
                    if not splices:
                        continue
                    yield self.patch(
                        context.replace(cell_id, splices),
                        f"Return the result in the decorator `{decorator}`",
                        f"`{decorator}` calls `{name}` and drops what it returns.",
                        prior=0.93,
                    )
                    return

    def _return_function(self, context: RuleContext, sources: list[tuple[str, str]]) -> Iterator[Patch]:
        """A decorator, or another function that makes one, which ends with the function that it makes and gives nothing."""
        statement = context.failing_statement
        names = list_functions_used(context) + ([statement.name] if isinstance(statement, ast.FunctionDef) else [])
        used = [f for n in names for _, s in sources if (f := find_definition(s, n)) is not None]
        makers = [*(_name_decorator(d) for f in used for d in f.decorator_list), *names]
        for name in dict.fromkeys(m for m in makers if m):
            cell_id, source = next(((c, s) for c, s in sources if find_definition(s, name) is not None), ("", ""))
            maker = find_definition(source, name) if cell_id else None
            splices = _return_inner(source, maker) if maker is not None else []
            if splices:
                yield self.patch(
                    context.replace(cell_id, splices),
                    f"Return from `{name}` the function that it makes",
                    f"`{name}` ends with the function that it makes, and returns nothing.",
                    why="The function is made for nothing else than to be returned: nothing in there calls it.",
                    prior=0.95,
                )
                return


def is_wrapper(source: str, function: ast.FunctionDef) -> bool:
    """True for the inner function of a decorator that loses what the decorated one returns: it is this rule's matter."""
    makers = [n for n in src.walk(source) if isinstance(n, ast.FunctionDef) and function in n.body]
    return any(_return_result(source, maker) for maker in makers)


def _name_decorator(node: ast.expr) -> str:
    node = node.func if isinstance(node, ast.Call) else node
    return node.id if isinstance(node, ast.Name) else ""


def _return_inner(source: str, maker: ast.FunctionDef) -> list[Splice]:
    """Splices that return the function which each level ends with, where nothing is returned there and nothing uses it."""
    texts: dict[int, str] = {}
    level: ast.stmt = maker
    while isinstance(level, ast.FunctionDef) and isinstance(level.body[-1], ast.FunctionDef):
        inner, own = level.body[-1], list(walk_own(level))
        is_used = any(isinstance(n, ast.Name) and n.id == inner.name for n in own)
        if not is_used and not any(isinstance(n, ast.Return | ast.Yield | ast.YieldFrom) for n in own):
            end = src.find_span(source, inner)[1]
            texts[end] = f"\n{' ' * inner.col_offset}return {inner.name}" + texts.get(end, "")
        level = inner
    return [(end, end, text) for end, text in texts.items()]


def _return_result(source: str, maker: ast.FunctionDef) -> list[Splice]:
    """Splices that make the innermost function return what a parameter of a function around it gives when it is called."""
    functions = [maker, *(n for n in ast.walk(maker) if isinstance(n, ast.FunctionDef) and n is not maker)]
    given = {a.arg for f in functions[:-1] for a in f.args.args}
    inner = functions[-1]
    calls = [
        n for n in ast.walk(inner) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in given
    ]
    if inner is maker or len(calls) != 1 or any(isinstance(n, ast.Return | ast.Yield) for n in walk_own(inner)):
        return []
    statement = next((s for s in inner.body if getattr(s, "value", None) is calls[0]), None)
    end = src.find_span(source, inner.body[-1])[1]
    tail = f"\n{' ' * inner.body[-1].col_offset}return "
    named = [(n.id, n.ctx) for n in ast.walk(inner) if isinstance(n, ast.Name)]
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        kept = statement.targets[0].id
        stored = [name for name, use in named if not isinstance(use, ast.Load)]
        return [(end, end, tail + kept)] if stored.count(kept) == 1 else []
    if isinstance(statement, ast.Expr):
        at = src.find_span(source, statement)[0]
        if statement is inner.body[-1]:
            return [(at, at, "return ")]
        names = {name for name, _ in named} | {a.arg for a in ast.walk(inner) if isinstance(a, ast.arg)}
        return [(at, at, "result = "), (end, end, tail + "result")] if "result" not in names else []
    return []
