"""CAL125: an `except` that names another error than the one that comes."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable, Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Patch

SLIPS = frozenset({
    "NameError", "UnboundLocalError", "AttributeError", "ImportError", "ModuleNotFoundError", "AssertionError", "RecursionError",
    "NotImplementedError", "MemoryError", "StopIteration", "KeyboardInterrupt", "SystemExit",
})  # fmt: skip
"""Errors that are slips of the code in the `try` itself: nobody means to catch them there."""
SPEAKS_OF_FILES = re.compile(r"file|found|path|exist|open|read|missing|load", re.IGNORECASE)


class HandlerOfAnotherError(Rule):
    """Catch the error that comes.

    **Failure** An error in a `try` whose only handler names another one: `IndexError` of `xs[i]` above `except KeyError:`.

    **Fix** `except (KeyError, IndexError):`; `except IndexError:` where no other error can come of the `try`.

    **Fix safety** Unsafe: the error may not be meant to be caught. Silent for errors that are slips of the code (a name, an attribute, an
    import, an assert), for what a `raise` in the `try` itself says, for handlers of several errors, for a class that is no builtin error, and for
    a missing file where the handler does not speak of files.
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
        tries = [n for n in context.walk(ast.Try) if _holds_line(n, context.line)]
        if not tries:
            return
        innermost = tries[-1]
        named = innermost.handlers[0].type if len(innermost.handlers) == 1 else None
        if (
            not isinstance(named, ast.Name)
            or not _is_other_error(named.id, known)
            or _raises_itself(innermost, context.line)
        ):
            return
        handled = "\n".join(map(context.text, innermost.handlers[0].body))
        if issubclass(known, OSError) and not SPEAKS_OF_FILES.search(handled):
            return  # what is missing is the file
        keeps = _may_raise_others(innermost.body) and not issubclass(getattr(builtins, named.id), known)
        yield self.patch(
            context.replace_here((*context.span(named), f"({named.id}, {raised})" if keeps else raised)),
            f"Catch `{raised}` {'as well as' if keeps else 'in place of'} `{named.id}`",
            f"What comes is a `{raised}`, which `except {named.id}` does not catch.",
            prior=0.6,
        )


def _holds_line(node: ast.Try, line: int) -> bool:
    return any(s.lineno <= line <= (s.end_lineno or s.lineno) for s in node.body)


def _raises_itself(node: ast.Try, line: int) -> bool:
    """Whether what failed is a `raise` that the author wrote: a check of the input is not meant to be swallowed."""
    raising = (n for s in node.body for n in ast.walk(s) if isinstance(n, ast.Raise))
    return any(n.lineno <= line <= (n.end_lineno or n.lineno) for n in raising)


def _is_other_error(name: str, raised: type[Exception]) -> bool:
    """True for a builtin error that does not catch what was raised."""
    other = getattr(builtins, name, None)
    return isinstance(other, type) and issubclass(other, Exception) and not issubclass(raised, other)


def _may_raise_others(body: Iterable[ast.stmt]) -> bool:
    """Whether another error than the one that was seen may well come of the body of a ``try``, and what catches it must stay.

    An index or an operand that is no constant, a call (but of a builtin with constants), or a second subscript:
    ``d[p]`` raises a ``KeyError``, an ``IndexError`` or a ``TypeError``, as ``d`` and ``p`` are.
    """
    nodes = [n for statement in body for n in ast.walk(statement)]
    indices = [n.slice for n in nodes if isinstance(n, ast.Subscript) and not isinstance(n.ctx, ast.Store)]
    if len(indices) > 1 or any(not isinstance(i, ast.Slice) and not _is_constant(i) for i in indices):
        return True
    operations = [n for n in nodes if isinstance(n, ast.BinOp)]
    return any(not (_is_constant(n.left) and _is_constant(n.right)) for n in operations) or any(
        _is_open(n) for n in nodes if isinstance(n, ast.Call)
    )


def _is_open(call: ast.Call) -> bool:
    is_builtin = isinstance(call.func, ast.Name) and hasattr(builtins, call.func.id)
    return not is_builtin or not all(_is_constant(a) for a in (*call.args, *(k.value for k in call.keywords)))


def _is_constant(node: ast.expr) -> bool:
    return not any(isinstance(n, ast.Name | ast.Attribute | ast.Call) for n in ast.walk(node))
