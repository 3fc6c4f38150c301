"""NON105: a decorator whose inner function drops what the decorated one returns, or what it is given."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RAISED_OR_MISSED, Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.replay import change_and_replay
from jupyter_selfheal.healers.rules.context.used_functions import (
    find_definition,
    list_functions_used,
    returns_value,
    walk_own,
)
from jupyter_selfheal.inside.tree_names import list_bound_names, read_called_name
from jupyter_selfheal.model import Applicability, FailureKind, Patch

TOO_MANY = re.compile(
    r"(\w+)\(\) (?:takes (\d+) positional arguments? but (\d+) (?:was|were) given|got an unexpected keyword argument '(\w+)')$"
)

BARE_WRAPS = re.compile(r"has no attribute '__(?:module|dict)__'$|^update_wrapper\(\) missing 1 required|^partial\(\) ")
"""What is said where a decorated function is called, and `wraps` waits for it."""


class ResultOfWrapper(Rule):
    """Return from a decorator's inner function what the decorated one gave.

    **Failure** `TypeError` or `AttributeError` about `NoneType`, a missed expectation or an assert, where the failing statement uses the
    result of a function with a decorator of the notebook, whose inner function calls it and returns nothing.
    `TypeError: wrapper() takes 0 positional arguments but 1 was given`, where the decorated function takes one.

    **Fix** `f(*args)` becomes `return f(*args)` at the end of the inner function; `result = f(*args)` gets `return result` there. A decorator, or another
    function, that ends with the function that it makes gets `return wrapper`. `@wraps` alone becomes `@wraps(function)`. `def wrapper(*args, **kwargs)` hands on what it is given: `f(*args, **kwargs)`.

    **Fix safety** Safe: the function returns a value, the failing statement uses it, and only the inner function loses it. Silent where the inner
    function returns something, calls the decorated one several times, or has other uses of the name, and where that one returns nothing itself. Arguments are handed on only where
    the inner function gives each that it has to the decorated one, which takes more; unsafe where the call stands under a condition, another argument is used, or the decorator holds something, as a result may be kept in it.
    """

    code = "NON105"
    name = "result lost by a decorator"
    stage = Stage.STATE
    enames = frozenset({"TypeError", "AttributeError", "AssertionError"})
    kinds = RAISED_OR_MISSED
    applicability = Applicability.SAFE
    why = "The decorated function returns a value, and only the decorator's inner function loses it."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if TOO_MANY.search(context.failure.evalue):
            yield from self._hand_arguments_on(context)
            return
        if BARE_WRAPS.search(context.failure.evalue):
            yield from self._say_what_is_wrapped(context)
            return
        raised = context.failure.kind is FailureKind.RAISED
        if raised and context.failure.ename != "AssertionError" and not context.is_about_none:
            return
        sources = [(cell_id, context.source_of(cell_id)) for cell_id in context.list_cells_upwards()]
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

    def _say_what_is_wrapped(self, context: RuleContext) -> Iterator[Patch]:
        """``@wraps`` above the inner function, which makes no such function, for ``@wraps(function)``."""
        for view in context.look_upwards():
            for maker in view.walk(ast.FunctionDef):
                given = maker.args.args[0].arg if len(maker.args.args) == 1 else ""
                inner = [n for n in maker.body if isinstance(n, ast.FunctionDef)]
                bare = [d for n in inner for d in n.decorator_list if view.text(d) in ("wraps", "functools.wraps")]
                called = {read_called_name(c) for n in inner for c in ast.walk(n) if isinstance(c, ast.Call)}
                if not given or len(bare) != 1 or given not in called:
                    continue
                end = view.span(bare[0])[1]
                yield self.patch(
                    view.replace_here((end, end, f"({given})")),
                    f"Say what is wrapped: `@{view.text(bare[0])}({given})`",
                    f"`{view.text(bare[0])}` is to be told which function `{maker.name}` wraps.",
                    why="The decorator is given this one function, and the inner function calls it.",
                    prior=0.95,
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

    def _hand_arguments_on(self, context: RuleContext) -> Iterator[Patch]:
        """``def wrapper(): … f()``, in the place of a function that takes more."""
        told = TOO_MANY.search(context.failure.evalue)
        sources = [(cell_id, context.source_of(cell_id)) for cell_id in context.list_cells_upwards()]
        called = [read_called_name(c) for c in context.list_calls_at_failure()]
        for name in dict.fromkeys(n for n in called if n):
            decorated = next((f for _, s in sources if (f := find_definition(s, name)) is not None), None)
            if told is None or decorated is None or len(decorated.decorator_list) != 1 or not _takes(decorated, told):
                continue
            for cell_id, source in sources:
                maker = find_definition(source, _name_decorator(decorated.decorator_list[0]))
                inner = _find_inner(maker, {told[1]} - {name} or None) if maker is not None else None
                calls = _list_calls_of_given(maker, inner) if maker is not None and inner is not None else []
                if maker is None or inner is None or not calls:
                    continue
                own = [a.arg for a in inner.args.args]
                ends = [src.find_span(source, c)[1] - 1 for c in calls]
                head = re.compile(r"def\s+\w+\s*\([^()]*").match(
                    source, source.index("def", src.find_span(source, inner)[0])
                )
                if head is None:
                    continue
                text = f"{', ' if own else ''}*args, **kwargs"
                reads = sum(isinstance(n, ast.Name) and n.id in own for n in ast.walk(inner))
                held = {n for s in maker.body if s is not inner for n in list_bound_names(s)}
                is_kept = reads > len(own) * len(calls) or any(
                    isinstance(n, ast.If | ast.IfExp) or getattr(n, "id", "") in held for n in ast.walk(inner)
                )
                yield self.patch(
                    change_and_replay(context, {cell_id: [(e, e, text) for e in (head.end(), *ends)]}),
                    f"Hand on what `{inner.name}` is given",
                    f"`{inner.name}` stands in the place of `{name}`, and takes less than `{name}`.",
                    applicability=Applicability.UNSAFE if is_kept else Applicability.SAFE,
                    why="The decorator may decide by what it is given, or keep it." if is_kept
                    else "The decorated function takes these arguments, and only the decorator's inner function does not.",
                    prior=0.75 if is_kept else 0.95,
                )  # fmt: skip
                return


def _takes(decorated: ast.FunctionDef, told: re.Match[str]) -> bool:
    """True where a function takes the arguments that were too many."""
    arguments = decorated.args
    if told[4]:
        return told[4] in {a.arg for a in (*arguments.args, *arguments.kwonlyargs)} or arguments.kwarg is not None
    needed = len(arguments.args) - len(arguments.defaults)
    return needed <= int(told[3]) and (int(told[3]) <= len(arguments.args) or arguments.vararg is not None)


def _find_inner(maker: ast.FunctionDef, names: set[str] | None) -> ast.FunctionDef | None:
    """The only function that a decorator makes, with plain parameters, under one of the names where any are known."""
    made = [n for n in ast.walk(maker) if isinstance(n, ast.FunctionDef) and n is not maker]
    if len(made) != 1 or (names is not None and made[0].name not in names) or len(maker.args.args) != 1:
        return None
    given = made[0].args
    plain = not (given.vararg or given.kwarg or given.kwonlyargs or given.posonlyargs or given.defaults)
    return made[0] if plain else None


def _list_calls_of_given(maker: ast.FunctionDef, inner: ast.FunctionDef) -> list[ast.Call]:
    """The calls of what a decorator is given; none where one is not given just the inner function's own parameters."""
    given, own = maker.args.args[0].arg, [a.arg for a in inner.args.args]
    calls = [
        n for n in ast.walk(inner) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == given
    ]
    are_handed = all([getattr(a, "id", "") for a in c.args] == own and not c.keywords for c in calls)
    return calls if are_handed else []


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
