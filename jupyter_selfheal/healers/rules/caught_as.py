"""NAM109: the name of a caught exception after a comma, as Python 2 had it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch

NOT_A_CLASS = "catching classes that do not inherit from BaseException"
USUAL = frozenset({"e", "ex", "exc", "err", "error", "exception", "exp"})
"""What people name a caught exception, read in its handler or not."""
CLASS = re.compile(r"(?:Error|Exception|Warning|Interrupt|Exit|Iteration|\.\w+)$")


class CaughtAs(Rule):
    """Write `as` before the name of a caught exception.

    **Failure** `NameError: name 'e' is not defined` at `except (ValueError, e):`, and since Python 3.14, which reads it without parentheses too, at
    `except ValueError, e:`; `TypeError: catching classes that do not inherit from BaseException is not allowed` where the name has a value.

    **Fix** `except ValueError as e:`.

    **Fix safety** Safe where nothing binds the name: it is a usual one, or the handler reads it. Unsafe where something does. Silent where what stands before it
    is not written as exceptions are, or the name begins with a capital: a class may be meant, and be missing.
    """

    code = "NAM109"
    name = "comma before the name of a caught exception"
    enames = frozenset({"NameError", "TypeError"})
    message = re.compile(rf"name '\w+' is not defined|{NOT_A_CLASS}")
    applicability = Applicability.SAFE
    why = "Python 2 had a comma there; Python 3 reads what follows it as one more class to catch."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for handler in context.list_nodes_on_line(ast.ExceptHandler):
            caught = handler.type
            if handler.name or not isinstance(caught, ast.Tuple) or len(caught.elts) < 2:
                continue
            *classes, last = caught.elts
            name = last.id if isinstance(last, ast.Name) else ""
            is_missing = name == context.missing_name
            if not _is_name_of_error(name, handler) or not (is_missing or NOT_A_CLASS in context.failure.evalue):
                continue
            if not caught.lineno <= context.line <= (caught.end_lineno or 0) or not all(
                CLASS.search(context.text(c)) for c in classes
            ):
                continue
            listed = ", ".join(context.text(c) for c in classes)
            text = f"{listed} as {name}" if len(classes) == 1 else f"({listed}) as {name}"
            yield self.patch(
                context.replace_here((*context.span(caught), text)),
                f"Write `except {text}`",
                f"`{name}` is read as a class to catch, and not as the exception's name.",
                applicability=Applicability.UNSAFE if context.is_bound_anywhere(name) else Applicability.SAFE,
                prior=0.95,
            )
            return


def _is_name_of_error(name: str, handler: ast.ExceptHandler) -> bool:
    """Whether a name can be that of the exception: a usual one, or one that the handler reads."""
    reads = {n.id for line in handler.body for n in ast.walk(line) if isinstance(n, ast.Name)}
    return name in USUAL or (name[:1].islower() and name in reads)
