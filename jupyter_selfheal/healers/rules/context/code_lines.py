"""Lines of a cell that does not parse: where their code ends, what of them is text, which brackets are open."""

from __future__ import annotations

import ast
import re

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.syntax.fault import Fault

HASH_IN_FIELD = re.compile(r"""\b[fF](["'])[^"']*\{[^{}"']*\1#[^{}"']*\1""")
"""A text of signs within a field, of which Python before 3.12 takes the rest of the line for a comment: `f'{'#' * n}'`."""


def split_lines(source: str) -> list[str]:
    """The lines without their ends (the source is ``"\\n".join`` of them)."""
    return source.split("\n")


def replace_line(source: str, line: int, text: str) -> str:
    """The source with one 1-based line replaced."""
    lines = split_lines(source)
    lines[line - 1] = text
    return "\n".join(lines)


def is_code(line: str) -> bool:
    """True for a line that is a statement by itself, and more than a word or a value."""
    body = tree.body if (tree := src.parse(line.strip())) is not None else []
    return any(not isinstance(s, ast.Expr) or isinstance(s.value, ast.Call | ast.Await) for s in body)


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
