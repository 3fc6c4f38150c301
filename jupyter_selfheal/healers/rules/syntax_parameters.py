"""SYN114: a parameter without a default behind one that has one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context.syntax import Mend, SyntaxRule
from jupyter_selfheal.healers.syntax.fault import Fault, find_fault

MESSAGE = re.compile(
    r"non-default argument follows default argument|parameter without a default follows parameter with a default"
)
HEAD = re.compile(r"def\s+(\w+)\s*\(")


class SyntaxParameters(SyntaxRule):
    """Put the parameters with a default behind the others.

    **Failure** `SyntaxError: non-default argument follows default argument` at `def price(net, tax=0.2, name):`.

    **Fix** `def price(net, name, tax=0.2):`; where a call of the cell gives that many arguments by position, their order is kept and the later parameter gets
    `None`.

    **Fix safety** Unsafe: calls by position that stand elsewhere may have the other order, and the default may be what is too much.
    """

    code = "SYN114"
    name = "parameter without a default behind one with it"
    why = "The parameters with a default come last."

    def mends(self, source: str, fault: Fault) -> Iterator[Mend]:
        if not MESSAGE.search(fault.message):
            return
        lines = source.splitlines(keepends=True)
        until = sum(map(len, lines[: fault.line - 1])) + fault.column
        heads = list(HEAD.finditer(source, 0, min(until + 1, len(source))))
        if not heads:
            return
        start = heads[-1].end()
        end = _find_closing(source, start)
        parts = [p.strip() for p in _split_parameters(source[start:end])] if end > 0 else []
        plain = [p for p in parts if not _has_default(p)]
        if end < 0 or any(p.startswith(("*", "/")) or not p or "\n" in p or "#" in p for p in parts):
            return
        moved = source[:start] + ", ".join([*plain, *(p for p in parts if _has_default(p))]) + source[end:]
        first = next(n for n, p in enumerate(parts) if _has_default(p))
        given = [p if _has_default(p) or n < first else f"{p}=None" for n, p in enumerate(parts)]
        kept = source[:start] + ", ".join(given) + source[end:]
        is_by_position = _calls_by_position(moved, heads[-1][1], first)
        yield Mend(moved, "Put the parameters with a default last", False, 0.6 if is_by_position else 0.75)
        yield Mend(kept, "Give the later parameters a default too", False, 0.7)


def _calls_by_position(source: str, name: str, first: int) -> bool:
    """True where a call in the cell gives more arguments by position than stand before the first default."""
    tree = src.parse(source) if find_fault(source) is None else None
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call)] if tree is not None else []
    return any(isinstance(c.func, ast.Name) and c.func.id == name and len(c.args) > first + 1 for c in calls)


def _find_closing(source: str, start: int) -> int:
    depth = 0
    for at in range(start, len(source)):
        if source[at] in ")]}":
            if depth == 0:
                return at
            depth -= 1
        depth += source[at] in "([{"
    return -1


def _split_parameters(text: str) -> list[str]:
    """The parameters of a head, at the commas outside of brackets and texts."""
    parts, depth, quote = [""], 0, ""
    for sign in text:
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        depth += (sign in "([{") - (sign in ")]}") if not quote else 0
        if sign == "," and depth == 0 and not quote:
            parts.append("")
        else:
            parts[-1] += sign
    return parts


def _has_default(parameter: str) -> bool:
    return "=" in parameter
