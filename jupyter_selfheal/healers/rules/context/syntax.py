"""Mending cells that do not parse: CPython's message says what is wrong and where; ``compile`` says whether it is mended.

A *mend* is a function from a cell and its first syntax error to whole new sources, best first. A rule begins with its own
mends and goes on with everybody's until the cell compiles, so that a cell with three different errors heals at once.
"""

from __future__ import annotations

import ast
import re
import warnings
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context.rule import Rule
from jupyter_selfheal.healers.rules.context.rule_context import RuleContext
from jupyter_selfheal.model import Applicability, FailureKind, Patch, Replace

ROUNDS = 40
"""Errors mended in one cell before giving up: as many as a long cell of Python 2 may have in other places."""
DOUBTED = 0.5
"""The prior, at most, of a mend that something speaks against."""


@dataclass(frozen=True, slots=True)
class Fault:
    """The first syntax error of a source. ``line`` is 1-based, ``column`` 0-based in characters; the end may equal it."""

    message: str
    line: int
    column: int
    end_line: int
    end_column: int
    kind: str = "SyntaxError"


@dataclass(frozen=True, slots=True)
class Mend:
    """A mended source (it may have further errors). ``sure``: no other reading is likely."""

    source: str
    title: str
    sure: bool = True
    prior: float = 0.8


def to_fault(error: SyntaxError) -> Fault:
    """CPython's error as a fault."""
    line, column = error.lineno or 1, max((error.offset or 1) - 1, 0)
    end_line, end_column = error.end_lineno or line, max((error.end_offset or 0) - 1, 0)
    return Fault(error.msg or "", line, column, end_line, end_column, type(error).__name__)


@lru_cache(maxsize=1024)
def find_fault(source: str) -> Fault | None:
    """The first syntax error of a cell, None where it compiles."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(src.mask(source), "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except SyntaxError as error:
        return to_fault(error)
    except (ValueError, RecursionError, MemoryError) as error:
        return Fault(str(error), 1, 0, 1, 0, type(error).__name__)
    return None


class SyntaxRule(Rule):
    """A rule whose remedy is text in the right place."""

    kinds = frozenset({FailureKind.SYNTAX})

    @abstractmethod
    def mends(self, source: str, fault: Fault) -> Iterator[Mend]:
        """Mends of the fault, best first; nothing where it is none of this rule's."""

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        """Mend the first fault by this rule, and what remains by all of them."""
        source = context.failure.source
        fault = None if src.is_foreign(source) else find_fault(source)
        if fault is None:
            return
        # it knows the faults of this module
        from jupyter_selfheal.healers.syntax.objections import object_in_notebook
        from jupyter_selfheal.healers.syntax.tables import calls_values_of_table

        seen = set()
        fails = False  # the only other reading: it calls what is no method
        for first in self.mends(source, fault):
            done = finish_mend(first)
            if done is None or done.source in seen:
                continue
            seen.add(done.source)
            if calls_values_of_table(done.source, source, context.notebook):
                fails = len(seen) == 1
                continue
            alone = fails and len(seen) == 2 and find_fault(first.source) is None
            done = replace(done, sure=done.sure or alone)
            objection = object_in_notebook(done.source, context.failure, context.notebook)
            if objection:
                done = replace(done, sure=False, prior=min(done.prior, DOUBTED))
            kind = Applicability.SAFE if done.sure else Applicability.UNSAFE
            patch = self.patch(
                (Replace(context.failure.cell_id, source, done.source),),
                done.title,
                f"Syntax error in line {fault.line}: {fault.message.rstrip('.')}"
                + ("" if fault.message.endswith("?") else "."),
                applicability=kind,
                why=self.why if done.sure else "The cell compiles again, but it can be read in another way too.",
                prior=done.prior,
            )
            yield replace(patch, rival=f"{objection}: another reading may be meant") if objection else patch


def finish_mend(first: Mend) -> Mend | None:
    """The mend carried on until the cell compiles, or None where it cannot be. Each step must get further down the cell."""
    current, titles, sure = first.source, [first.title], first.sure
    fault = find_fault(current)
    for _ in range(ROUNDS):
        if fault is None:
            return Mend(current, "; ".join(dict.fromkeys(titles)), sure, first.prior)
        step = _find_next_mend(current, fault)
        if step is None:
            return None
        current = step.source
        titles.append(step.title)
        sure = sure and step.sure
        fault = find_fault(current)
    return None


def _find_next_mend(source: str, fault: Fault) -> Mend | None:
    """The first mend of anybody's that removes the fault or moves it down."""
    for rule in list_syntax_rules():
        for mend in rule.mends(source, fault):
            after = find_fault(mend.source)
            if after is None or _gets_on(fault, after, len(mend.source) - len(source)):
                return mend
    return None


def _gets_on(fault: Fault, after: Fault, longer: int) -> bool:
    """Whether the next fault is further down the cell; what a line says is read only once its indentation is right."""
    reached, was = (after.line, after.column), (fault.line, fault.column + longer)
    return reached > was or (reached == was and fault.kind == "IndentationError" != after.kind)


@cache
def list_syntax_rules() -> tuple[SyntaxRule, ...]:
    """All rules for cells that do not parse."""
    from jupyter_selfheal.healers.rules.healer import load_rules

    return tuple(r for r in load_rules() if isinstance(r, SyntaxRule))


# --- text -----------------------------------------------------------------------------------------------------------


def split_lines(source: str) -> list[str]:
    """The lines without their ends (the source is ``"\\n".join`` of them)."""
    return source.split("\n")


def replace_line(source: str, line: int, text: str) -> str:
    """The source with one 1-based line replaced."""
    lines = split_lines(source)
    lines[line - 1] = text
    return "\n".join(lines)


def find_code_end(line: str) -> int:
    """Where the code of a line ends: before its comment and trailing blanks."""
    quote, at, end = "", 0, len(line)
    while at < len(line):
        c = line[at]
        if quote:
            if c == "\\":
                at += 1
            elif line.startswith(quote, at):
                at += len(quote) - 1
                quote = ""
        elif c in "'\"":
            quote = line[at : at + 3] if line.startswith(c * 3, at) else c
            at += len(quote) - 1
        elif c == "#":
            end = at
            break
        at += 1
    return len(line[:end].rstrip())


def mark_code(line: str) -> list[bool]:
    """For each character of a line whether it is code, not text or comment (one-line strings only)."""
    matches, quote, at = [True] * len(line), "", 0
    while at < len(line):
        c = line[at]
        if quote:
            matches[at] = False
            if c == "\\" and at + 1 < len(line):
                matches[at + 1] = False
                at += 1
            elif c == quote:
                quote = ""
        elif c in "'\"":
            quote, matches[at] = c, False
        elif c == "#":
            for rest in range(at, len(line)):
                matches[rest] = False
            break
        at += 1
    return matches


def read_indent(line: str) -> str:
    """The blanks that a line begins with."""
    return line[: len(line) - len(line.lstrip())]


def count_programs(mends: Sequence[Mend]) -> int:
    """How many different programs the mends that compile are."""
    return len({src.canonicalise(m.source) for m in mends if find_fault(m.source) is None})


def reads_to(source: str, line: int) -> bool:
    """Whether the source can be read down to the end of a 1-based line, whatever is wrong below."""
    fault = find_fault("\n".join(split_lines(source)[:line]))
    return fault is None or fault.message.startswith(("expected an indented block", "expected 'except'"))


WORD = re.compile(r"[A-Za-z_]\w*")
PAIRS = {"(": ")", "[": "]", "{": "}"}
OPENERS = {close: opener for opener, close in PAIRS.items()}


def find_open_bracket(source: str, fault: Fault) -> tuple[int, int, str] | None:
    """The innermost bracket that is open where the fault is: (line, column, closer)."""
    stack: list[tuple[int, int, str]] = []
    for number, text in enumerate(split_lines(source)[: fault.line], 1):
        code = mark_code(text)
        for at, c in enumerate(text):
            if number == fault.line and at >= fault.column:
                break
            if code[at] and c in PAIRS:
                stack.append((number, at, PAIRS[c]))
            elif code[at] and c in OPENERS and stack and stack[-1][2] == c:
                stack.pop()
    return stack[-1] if stack else None


def is_closed(source: str, line: int, column: int, closer: str) -> bool:
    """True where the bracket at that place has its closer further down."""
    depth = 0
    for number, text in enumerate(split_lines(source)[line - 1 :], line):
        code = mark_code(text)
        for at, c in enumerate(text):
            if not code[at] or (number == line and at < column):
                continue
            depth += (c in PAIRS) - (c in OPENERS)
            if depth == 0 and c in OPENERS:
                return c == closer
    return False
