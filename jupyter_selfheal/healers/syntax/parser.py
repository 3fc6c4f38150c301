"""What the parser says of sources that differ in a few tokens: what stands above the change is not read again."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import replace

from jupyter_selfheal.healers.syntax.fault import Fault, find_fault, to_fault
from jupyter_selfheal.healers.syntax.tokens import SIGN, find_position, split_tokens

COMPILES = 10_000
CHARACTERS = 6_000_000
"""What is compiled at most: sources, and their characters together. Of 36 programs (14 of PyDex's development tasks, 22 of our own; 28 November
2026) 32 had the reading that is right among the first 1,100, 34 among 2,100, one after 5,236, and one at the end, put together of what was found."""
BELOW = 3
"""Lines below a fault that are read with each slip in it."""
ATTEMPTS = 6
"""Lines above a fault that are tried as the end of what parses by itself."""
_FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST
_IPYTHON = re.compile(r"^\s*(?:%|!|\?)|\?\s*$|=\s*[%!]", re.MULTILINE)
_GOES_ON = re.compile(r"[\s#]|(?:else|elif|except|finally)\b")
"""What begins a line that no statement begins in (a comment may stand above an ``else``)."""
CLOSER_OF = {"(": ")", "[": "]", "{": "}"}
_NO_CODE = re.compile(r"\s*(?:#|$)")
_STATEMENT = re.compile(
    r"\s*(?:(?:if|for|while|def|class|return|import|from|print|elif|else|try|with|break|continue)\b|[^\W\d][\w.]*(?:\[\w+\])? [-+*/%]?= )"
)
"""What begins a statement, and no line within a bracket."""
_LINE = re.compile(r"\b(on|at) line (\d+)")
_OF_SIGNS = re.compile(
    r"never closed|unmatched|does not match|unterminated|invalid (?:non-printable )?character|literal$|leading zeros|"
    r"line continuation|inconsistent use of tabs|too many levels"
)
"""What CPython says while it splits a source into signs: it says so of all the source before it says what its grammar finds."""
HIDDEN = 4
"""How often what stands above such a fault is asked for one of its own."""


class Parser:
    """Compiles sources, within a limit, or within a ``share`` of it."""

    def __init__(self, source: str, share: float = 1.0) -> None:
        self.share = share
        self.compiles = self.characters = 0
        self.masks = _IPYTHON.search(source) is not None

    def has_work_for(self, times: int = 1) -> bool:
        """Whether it may compile more, of so many times the limit."""
        most = times * self.share
        return self.compiles < most * COMPILES and self.characters < most * CHARACTERS

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

    def find_fault(self, source: str, starts: Sequence[str] = (), tail: str = "") -> Fault | None:
        """The first fault of a source; None where it parses. Of ``starts`` (see :meth:`list_starts`) the one that it begins with, and
        behind which another statement begins, is left out: it holds no fault, and the parser is at the outermost level there. So is
        ``tail`` (see :func:`find_tail`), with which it ends, where there is a fault above it that does not hang on it."""
        if self.masks:
            self._count(source)
            return find_fault(source)
        above = next((s for s in starts if source.startswith(s) and _begins_statement(source, len(s))), "")
        rest = source[len(above) :]
        head = rest.removesuffix(tail) if tail and len(tail) < len(rest) else rest
        if head != rest and head.endswith("\n"):
            fault = self._find_fault(head)
            if fault is not None and "never closed" not in fault.message and not _ends_early(head, fault):
                return _shift_fault(fault, above.count("\n"))
        fault = self._find_fault(rest)
        if fault is None:
            return find_fault(source)  # `break` outside of a loop and the like are found later than by parsing
        return _shift_fault(fault, above.count("\n"))

    def _find_fault(self, source: str) -> Fault | None:
        fault = self._compile(source)
        return fault and self._find_hidden(source, fault)

    def _compile(self, source: str) -> Fault | None:
        # unmasked: a line of `;` alone would be taken for IPython's, where the cell has nothing of IPython's
        self._count(source)
        try:
            compile(source, "<cell>", "exec", _FLAGS, dont_inherit=True)
        except SyntaxError as error:
            return to_fault(error)
        except (ValueError, RecursionError, MemoryError, OverflowError):
            return Fault("it cannot be read", 1, 0, 1, 0)
        return None

    def _find_hidden(self, source: str, fault: Fault) -> Fault:
        """The fault, or one above it that is hidden by it: a bracket that nothing opens in the last line is said before an ``else`` without
        its colon in the first one. Only so is one statement mended after the other."""
        first = said = fault
        for _ in range(HIDDEN):
            if said.line == 1 or not _OF_SIGNS.search(said.message):
                break
            above = source[: find_position(source, said.line, 0)]
            hidden = self._compile(above)
            if hidden is None or (not _OF_SIGNS.search(hidden.message) and _ends_early(above, hidden)):
                break
            said = hidden
            if "never closed" in said.message:
                inside = self._find_inside(above)
                if inside is None:
                    continue
                if not _STATEMENT.match(above.splitlines()[inside.line - 1]):
                    said = inside
            first = said
        return first

    def _find_inside(self, source: str) -> Fault | None:
        """The fault that lines within a bracket have which is not closed to the end of a source; None where only that is missing."""
        signs: list[str] = []
        for t in split_tokens(source):
            if t.kind == SIGN and t.text in CLOSER_OF:
                signs.append(CLOSER_OF[t.text])
            elif t.kind == SIGN and signs and t.text == signs[-1]:
                signs.pop()
        whole = source.rstrip()
        fault = self._compile(whole + "".join(reversed(signs)) + "\n")
        if fault is None or find_position(source, fault.line, fault.column) >= len(whole):
            return None
        return fault

    def _count(self, source: str) -> None:
        self.compiles += 1
        self.characters += len(source) + 200


def count_open(source: str) -> int:
    """How many more brackets are opened than closed."""
    signs = [t.text for t in split_tokens(source) if t.kind == SIGN]
    return sum((s in CLOSER_OF) - (s in CLOSER_OF.values()) for s in signs)


def find_tail(source: str, fault: Fault) -> str:
    """What stands some lines below a fault, from the beginning of a line on."""
    lines = source.splitlines(keepends=True)
    return "".join(lines[fault.line + BELOW :])


def _begins_statement(source: str, at: int) -> bool:
    return at < len(source) and _GOES_ON.match(source, at) is None


def _ends_early(source: str, fault: Fault) -> bool:
    """Whether a fault is only that something is still to come: a block, the handlers of a ``try``, what is decorated."""
    lines = source.splitlines()
    last = max((n for n, text in enumerate(lines, 1) if not _NO_CODE.match(text)), default=0)
    if fault.message.startswith("expected an indented block") and (header := _LINE.search(fault.message)):
        return last <= int(header[2])
    if last and lines[last - 1].lstrip().startswith("@"):
        return True
    return fault.line > last or (
        fault.line == last and fault.message.startswith(("expected 'except'", "unexpected EOF"))
    )


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
