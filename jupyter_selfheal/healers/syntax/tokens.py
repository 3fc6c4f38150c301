"""Tokens of a text that need not be Python: nothing is refused, and every character but blanks belongs to one token."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

NAME, NUMBER, TEXT, QUOTE, SIGN, COMMENT, NEWLINE = "name", "number", "text", "quote", "sign", "comment", "newline"

_TOKEN = re.compile(
    r"""(?P<comment>\#[^\n]*)
    |(?P<text>(?:[rbfuRBFU]{1,2}(?=["']))?(?:\"{3}(?:\\.|[^\\])*?\"{3}|'{3}(?:\\.|[^\\])*?'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))
    |(?P<quote>["'])
    |(?P<name>[^\W\d]\w*)
    |(?P<number>(?:\d[\w]*\.?\d*(?:[eE][-+]?\d+)?|\.\d+)[^\W\d]*\w*)
    |(?P<newline>\n)
    |(?P<sign>\*\*=?|//=?|>>=?|<<=?|!=|->|:=|\.\.\.|&&|\|\||\+\+|--|[-+*/%@&|^<>=]=|[^\s\w])""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A token and its characters [start, end)."""

    kind: str
    text: str
    start: int
    end: int

    @property
    def begins_value(self) -> bool:
        """A value may begin with it."""
        return self.kind in (NAME, NUMBER, TEXT, QUOTE) or self.text in "([{"

    @property
    def ends_value(self) -> bool:
        """A value may end with it."""
        return self.kind in (NAME, NUMBER, TEXT, QUOTE) or self.text in ")]}"


@lru_cache(maxsize=256)
def split_tokens(source: str) -> tuple[Token, ...]:
    """The tokens of a text, in order."""
    tokens: list[Token] = []
    for m in _TOKEN.finditer(source):
        token = Token(m.lastgroup or SIGN, m[0], m.start(), m.end())
        if (
            tokens
            and token.kind == tokens[-1].kind == TEXT
            and token.text[0] in "bfru"
            and _is_set(source, token.text[0])
        ):
            tokens.append(Token(NAME, token.text[0], token.start, token.start + 1))  # `print(a"^"b"="c)`
            token = Token(TEXT, token.text[1:], token.start + 1, token.end)
        tokens.append(token)
    return tuple(tokens)


def _is_set(source: str, name: str) -> bool:
    """Whether a line of the source gives a variable of this name a value."""
    return (
        re.search(
            rf"(?m)^[ \t]*(?:for[ \t]+|(?:\w+[ \t]*,[ \t]*)*){name}\b[ \t]*(?:,[ \t]*\w+[ \t]*)*(?:=(?!=)|in\b)", source
        )
        is not None
    )


@lru_cache(maxsize=256)
def _list_line_starts(source: str) -> tuple[int, ...]:
    return tuple(accumulate((len(line) + 1 for line in source.split("\n")[:-1]), initial=0))


def find_position(source: str, line: int, column: int) -> int:
    """The offset of a 1-based line and 0-based column, within the text."""
    starts = _list_line_starts(source)
    if line > len(starts):
        return len(source)
    return min(starts[max(line, 1) - 1] + max(column, 0), len(source))


def find_line(source: str, offset: int) -> tuple[int, int, int]:
    """The 1-based line of an offset, and the offsets [start, end) of that line without its end."""
    starts = _list_line_starts(source)
    number = bisect_right(starts, offset)
    start = starts[number - 1]
    end = source.find("\n", start)
    return number, start, len(source) if end < 0 else end


def list_text_lines(source: str, apart: int = 0) -> frozenset[int]:
    """The 1-based lines that begin within a text of several lines: blanks in front of them are part of its value. Those of a text that
    the line ``apart`` begins with (a docstring) are left out."""
    lines: set[int] = set()
    for token in (t for t in split_tokens(source) if t.kind == TEXT and "\n" in t.text):
        first, start, _ = find_line(source, token.start)
        if first != apart or source[start : token.start].strip():
            lines.update(range(first + 1, find_line(source, token.end)[0] + 1))
    return frozenset(lines)
