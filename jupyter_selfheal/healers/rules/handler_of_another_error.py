"""CAL125: an `except` that names another error than the one that comes."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Patch

SLIPS = frozenset({
    "NameError", "UnboundLocalError", "AttributeError", "ImportError", "ModuleNotFoundError", "AssertionError", "RecursionError",
    "NotImplementedError", "MemoryError", "StopIteration", "KeyboardInterrupt", "SystemExit",
})  # fmt: skip
"""Errors that are slips of the code in the `try` itself: nobody means to catch them there."""


class HandlerOfAnotherError(Rule):
    """Catch the error that comes.

    **Failure** An error in a `try` whose only handler names another one: `IndexError` of `xs[i]` above `except KeyError:`.

    **Fix** `except IndexError:`.

    **Fix safety** Unsafe: the error may not be meant to be caught. Silent for errors that are slips of the code (a name, an attribute, an
    import, an assert), for handlers of several errors, and for a class that is no builtin error.
    """

    code = "CAL125"
    name = "handler of another error"
    stage = Stage.LAST
    why = "The error may be meant to come through."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        raised = context.failure.ename
        known = getattr(builtins, raised, None)
        if raised in SLIPS or not (isinstance(known, type) and issubclass(known, Exception)):
            return
        tries = [n for n in context.walk(ast.Try) if _holds(n, context.line)]
        if not tries:
            return
        innermost = tries[-1]
        named = innermost.handlers[0].type if len(innermost.handlers) == 1 else None
        if not isinstance(named, ast.Name) or not _is_other_error(named.id, known):
            return
        yield self.patch(
            context.replace_here((*context.span(named), raised)),
            f"Catch `{raised}` in place of `{named.id}`",
            f"What comes is a `{raised}`, which `except {named.id}` does not catch.",
            prior=0.6,
        )


def _holds(node: ast.Try, line: int) -> bool:
    return any(s.lineno <= line <= (s.end_lineno or s.lineno) for s in node.body)


def _is_other_error(name: str, raised: type[Exception]) -> bool:
    """True for a builtin error that does not catch what was raised."""
    other = getattr(builtins, name, None)
    return isinstance(other, type) and issubclass(other, Exception) and not issubclass(raised, other)
