"""CAL121: a lambda that takes fewer arguments than it is given."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch

TOO_MANY = re.compile(r"<lambda>\(\) takes (\d+) positional arguments? but (\d+) (?:was|were) given")


class LambdaParameters(Rule):
    """Let a lambda take what it is given.

    **Failure** `TypeError: <lambda>() takes 1 positional argument but 2 were given` at `reduce(lambda a: a * b, values)`.

    **Fix** `lambda a, b: a * b`: the names that its body reads and that nothing binds become parameters.

    **Fix safety** Safe: as many names are unbound as arguments are too many. Silent where the numbers do not agree.
    """

    code = "CAL121"
    name = "parameters of a lambda"
    enames = frozenset({"TypeError"})
    message = TOO_MANY
    applicability = Applicability.SAFE
    why = "The body reads as many names that nothing binds as arguments are given too many."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        found = [n for c in context.list_calls_at_failure() for n in _list_lambdas(c)]
        if len({id(n) for n in found}) != 1:
            return
        counts = TOO_MANY.search(context.failure.evalue)
        assert counts is not None
        node, taken, given = found[0], int(counts[1]), int(counts[2])
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


def _list_lambdas(call: ast.Call) -> list[ast.Lambda]:
    """The lambdas that a call is given."""
    return [v for v in (*call.args, *(k.value for k in call.keywords)) if isinstance(v, ast.Lambda)]


def _has_other_parameters(node: ast.Lambda) -> bool:
    a = node.args
    return bool(a.vararg or a.kwarg or a.kwonlyargs or a.posonlyargs or a.defaults)


def _list_read(node: ast.Lambda) -> list[str]:
    """Names that the body reads, in their order, without those that it binds."""
    bound = list_bound_inside(node)
    names = [n for n in ast.walk(node.body) if isinstance(n, ast.Name) and n.id not in bound]
    return list(dict.fromkeys(n.id for n in sorted(names, key=lambda n: (n.lineno, n.col_offset))))


def list_bound_inside(node: ast.Lambda) -> set[str]:
    """Names that the body binds itself: by a comprehension, another lambda or `:=`."""
    inside = list(ast.walk(node.body))
    stored = {n.id for n in inside if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    return stored | {a.arg for n in inside if isinstance(n, ast.Lambda) for a in n.args.args}
