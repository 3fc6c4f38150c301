"""CAL121: a lambda that takes another number of arguments than it is given."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.model import Applicability, Patch

TOO_MANY = re.compile(r"<lambda>\(\) takes (\d+) positional arguments? but (\d+) (?:was|were) given")
MISSING = re.compile(r"<lambda>\(\) missing (\d+) required positional arguments?: ")


class LambdaParameters(Rule):
    """Let a lambda take what it is given.

    **Failure** `TypeError: <lambda>() takes 1 positional argument but 2 were given` at `reduce(lambda a: a * b, values)`; `<lambda>()
    missing 1 required positional argument: 'v'` at `sorted(d.items(), key=lambda k, v: v)`.

    **Fix** `lambda a, b: a * b`: the names that its body reads and that nothing binds become parameters. `lambda item: item[1]`, as CAL106 writes it: of
    a pair that is given as one thing, the parameters become its parts.

    **Fix safety** Safe: as many names are unbound as arguments are too many; or what is given is a pair, of which the parameters name the
    parts in their order. Silent where the numbers do not agree.
    """

    code = "CAL121"
    name = "parameters of a lambda"
    enames = frozenset({"TypeError"})
    message = re.compile(r"<lambda>\(\) (?:takes|missing)")
    applicability = Applicability.SAFE
    why = "The body reads as many names that nothing binds as arguments are given too many."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        found = [n for c in context.list_calls_at_failure() for n in _list_lambdas(c)]
        if len({id(n) for n in found}) != 1:
            return
        given, missing = TOO_MANY.search(context.failure.evalue), MISSING.search(context.failure.evalue)
        if given:
            yield from self._add_parameters(context, found[0], int(given[1]), int(given[2]))
        elif missing:
            yield from self._take_parts(context, found[0], int(missing[1]))

    def _add_parameters(self, context: RuleContext, node: ast.Lambda, taken: int, given: int) -> Iterator[Patch]:
        own = [a.arg for a in node.args.args]
        unbound = [n for n in _list_read(node) if n not in own and n not in context.known_names]
        if len(own) != taken or len(unbound) != given - taken or _has_other_parameters(node):
            return
        parameters = ", ".join((*own, *unbound))
        start = context.span(node)[0]
        yield self.patch(
            context.replace_here((start, context.span(node.body)[0], f"lambda {parameters}: ")),
            f"Let the lambda take `{parameters}`",
            f"The lambda is given {given} arguments, and reads {', '.join(f'`{n}`' for n in unbound)} that nothing binds.",
            prior=0.9,
        )

    def _take_parts(self, context: RuleContext, node: ast.Lambda, missing: int) -> Iterator[Patch]:
        own = [a.arg for a in node.args.args]
        call = next(c for c in context.list_calls_at_failure() if node in _list_lambdas(c))
        items = _find_items(context, call)
        if len(own) != missing + 1 or _has_other_parameters(node) or not items or set(own) & _list_bound_inside(node):
            return
        parts = f"(lambda items: bool(items) and all(type(i) is tuple and len(i) == {len(own)} for i in items))(list({items}))"
        if not context.is_true(parts):
            return
        read = _list_read(node)
        name = next(n for n in ("item", "entry", "given") if n not in read)
        edits: list[Splice] = [(context.span(node)[0], context.span(node.body)[0], f"lambda {name}: ")]
        edits += [
            (*context.span(n), f"{name}[{own.index(n.id)}]")
            for n in ast.walk(node.body)
            if isinstance(n, ast.Name) and n.id in own
        ]
        yield self.patch(
            context.replace_here(*edits),
            f"Take the parts out of the one argument, `{name}`",
            f"The lambda is given one thing of {len(own)} parts, not {len(own)} arguments.",
            why="What is given is a tuple of as many parts as the lambda has parameters.",
            prior=0.9,
        )


def _list_lambdas(call: ast.Call) -> list[ast.Lambda]:
    """The lambdas that a call is given."""
    return [v for v in (*call.args, *(k.value for k in call.keywords)) if isinstance(v, ast.Lambda)]


def _has_other_parameters(node: ast.Lambda) -> bool:
    a = node.args
    return bool(a.vararg or a.kwarg or a.kwonlyargs or a.posonlyargs or a.defaults)


def _list_read(node: ast.Lambda) -> list[str]:
    """Names that the body reads, in their order, without those that it binds."""
    bound = _list_bound_inside(node)
    names = [n for n in ast.walk(node.body) if isinstance(n, ast.Name) and n.id not in bound]
    return list(dict.fromkeys(n.id for n in sorted(names, key=lambda n: (n.lineno, n.col_offset))))


def _list_bound_inside(node: ast.Lambda) -> set[str]:
    """Names that the body binds itself: by a comprehension, another lambda or `:=`."""
    inside = list(ast.walk(node.body))
    stored = {n.id for n in inside if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    return stored | {a.arg for n in inside if isinstance(n, ast.Lambda) for a in n.args.args}


def _find_items(context: RuleContext, call: ast.Call) -> str:
    """The text of what the call goes through with its lambda; empty where that is not one plain thing."""
    values = [a for a in call.args if not isinstance(a, ast.Lambda)]
    if not values and isinstance(call.func, ast.Attribute) and call.func.attr == "sort":
        values = [call.func.value]
    if len(values) != 1:
        return ""
    value = values[0]
    is_items = isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "items"
    plain = (
        value.func.value
        if is_items and isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)
        else value
    )
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in ("zip", "enumerate"):
        return context.text(value) if all(_is_collection(context, a) for a in value.args) else ""
    if not isinstance(plain, ast.List | ast.Tuple | ast.Dict) and not _is_collection(context, plain):
        return ""
    return context.text(value)


def _is_collection(context: RuleContext, node: ast.expr) -> bool:
    """True for what can be gone through again and again."""
    name = context.read_plain_chain(node)
    thing = context.describe(name) if name else None
    return thing is not None and thing.is_a("builtins.list", "builtins.tuple", "builtins.dict", "builtins.str")
