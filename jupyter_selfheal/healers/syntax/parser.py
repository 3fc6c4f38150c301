"""What the parser says of sources that differ in a few tokens: what stands above the change is not read again."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import replace

from jupyter_selfheal.healers.rules.context.syntax import Fault, find_fault, to_fault
from jupyter_selfheal.healers.syntax.tokens import find_position

COMPILES = 20_000
CHARACTERS = 12_000_000
"""What is compiled at most: sources, and their characters together."""
ATTEMPTS = 6
"""Lines above a fault that are tried as the end of what parses by itself."""
_FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST
_IPYTHON = re.compile(r"^\s*(?:%|!|\?)|\?\s*$|=\s*[%!]", re.MULTILINE)
_GOES_ON = re.compile(r"[\s#]|(?:else|elif|except|finally)\b")
"""What begins a line that no statement begins in (a comment may stand above an ``else``)."""
_LINE = re.compile(r"\b(on|at) line (\d+)")


class Parser:
    """Compiles sources, within a limit."""

    def __init__(self, source: str) -> None:
        self.compiles = self.characters = 0
        self.masks = _IPYTHON.search(source) is not None

    @property
    def has_work_left(self) -> bool:
        """Whether it may compile more."""
        return self.compiles < COMPILES and self.characters < CHARACTERS

    def list_starts(self, source: str, fault: Fault) -> tuple[str, ...]:
        """What stands above each statement of the outermost level up to a fault, the longest first: each of them parses by itself."""
        if self.masks:
            return ()
        lines = source[: find_position(source, fault.line, 0)].splitlines(keepends=True)
        lines.append(source.splitlines()[fault.line - 1] if fault.line <= source.count("\n") + 1 and source else "")
        heads = [n for n, line in enumerate(lines) if n and line.strip() and not _GOES_ON.match(line)]
        for head in heads[: -ATTEMPTS - 1 : -1]:
            above = "".join(lines[:head])
            self._count(above)
            try:
                tree = compile(above, "<cell>", "exec", _FLAGS, dont_inherit=True)
            except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
                continue
            begins = {_find_first_line(node) - 1 for node in tree.body if node.col_offset == 0} - {0}
            return (above, *("".join(lines[:n]) for n in sorted(begins, reverse=True)))
        return ()

    def find_fault(self, source: str, starts: Sequence[str] = ()) -> Fault | None:
        """The first fault of a source; None where it parses. Of ``starts`` (see :meth:`list_starts`) the one that it begins with, and
        behind which another statement begins, is left out: it holds no fault, and the parser is at the outermost level there."""
        if self.masks:
            self._count(source)
            return find_fault(source)
        above = next((s for s in starts if source.startswith(s) and _begins_statement(source, len(s))), "")
        rest = source[len(above) :]
        self._count(rest)
        try:
            compile(rest, "<cell>", "exec", _FLAGS, dont_inherit=True)
        except SyntaxError as error:
            # unmasked: a line of `;` alone would be taken for IPython's, where the cell has nothing of IPython's
            return _shift_fault(to_fault(error), above.count("\n"))
        except (ValueError, RecursionError, MemoryError, OverflowError):
            return Fault("it cannot be read", 1, 0, 1, 0)
        return find_fault(source)  # `break` outside of a loop and the like are found later than by parsing

    def _count(self, source: str) -> None:
        self.compiles += 1
        self.characters += len(source) + 200


def _begins_statement(source: str, at: int) -> bool:
    return at < len(source) and _GOES_ON.match(source, at) is None


def _find_first_line(node: ast.stmt) -> int:
    decorators = getattr(node, "decorator_list", [])
    lines: list[int] = [node.lineno, *(d.lineno for d in decorators)]
    return min(lines)


def _shift_fault(fault: Fault, lines: int) -> Fault:
    """A fault of the lines below some others, as one of all of them."""
    if not lines:
        return fault
    message = _LINE.sub(lambda m: f"{m[1]} line {int(m[2]) + lines}", fault.message)
    return replace(fault, message=message, line=fault.line + lines, end_line=fault.end_line + lines)
