"""A line that prints, mended as one slip: commas between its texts and values, its brackets, a quote too much at its end.

Whoever leaves out one comma of a ``print`` leaves out the others, and its bracket too. One by one each costs a slip, and so many slips stand behind
readings that nobody meant (the line as a comment).
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from jupyter_selfheal.healers.syntax.site import Site, Slip
from jupyter_selfheal.healers.syntax.slips import find_cost
from jupyter_selfheal.healers.syntax.token_edits import (
    CLOSERS,
    OPENERS,
    OPERATORS,
    begins_value,
    ends_value,
    is_keyword,
)
from jupyter_selfheal.healers.syntax.tokens import NAME, QUOTE, SIGN, TEXT, Token
from jupyter_selfheal.inside.parsing import parse_expression

LONGEST = 60
"""Tokens of a line that is mended."""
CONVERSION = re.compile(r"(?<!%)%[-+0#]?\d*(?:\.\d+)?[dsfiegr]")
"""A place of a text that ``%`` fills."""


@dataclass(slots=True)
class _Line:
    """What is written of a line so far, and how many signs of it are mended."""

    parts: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    mended: int = 0


def mend_prints(site: Site) -> Iterator[Slip]:
    """``print"Sum is" a +b``, ``print("Hi"name"and"other``, ``print("Sum is", a + b"``: all that is wrong with the line at once."""
    tokens = site.list_line_tokens(site.at)
    first = next((n for n, t in enumerate(tokens[:-1]) if t.text == "print" and _begins(tokens, n)), -1)
    inside = tokens[first + 1 :]
    if first < 0 or len(inside) > LONGEST or inside[0].text in ("=", "."):
        return
    surplus = inside[-1].kind == QUOTE
    inside = inside[:-1] if surplus else inside
    if not inside or any(t.kind == QUOTE for t in inside):
        return
    end = _find_closing(inside) if inside[0].text == "(" else -1
    if 0 <= end < len(inside) - 1 and all(t.text in CLOSERS for t in inside[end + 1 :]):
        return  # a bracket too much is taken away by itself
    line = _mend_line(site, inside)
    new = "".join(line.parts)
    if line.mended + surplus < 2 and inside[0].text == "(":
        return  # one sign is put in where it is missing, and not by way of the whole line
    if not _is_call(f"print{new}"):
        return
    cost = (
        find_cost("wrap.print") + find_cost("wrap.print_sign") * line.mended + surplus * find_cost("wrap.print_quote")
    )
    yield Slip(tokens[first].end, tokens[-1].end, new, cost, "the signs of a line that prints are mended")


def _begins(tokens: list[Token], n: int) -> bool:
    """Whether a statement begins there: at the line's head, or behind the colon of one."""
    return n == 0 or tokens[n - 1].text in (":", ";", "else")


def _mend_line(site: Site, tokens: list[Token]) -> _Line:
    """The brackets of a ``print``, and what stands in them."""
    closes = tokens[0].text == "(" and _find_closing(tokens) in (-1, len(tokens) - 1)
    inside = tokens[1:] if closes else tokens
    line = _Line(["("], [], 0 if closes else 1)
    at = inside[0].start if inside else tokens[-1].end
    for n, token in enumerate(inside):
        before = inside[n - 1] if n else None
        behind = inside[n + 1] if n + 1 < len(inside) else None
        gap = site.source[at : token.start]
        at = token.end
        _add_token(line, gap, token, before, behind)
    line.parts += [*reversed(line.open), ")"]
    ends = closes and tokens[-1].text == ")" and _find_closing(tokens) == len(tokens) - 1
    line.mended += len(line.open) + (closes and not ends)
    return line


def _add_token(line: _Line, gap: str, token: Token, before: Token | None, behind: Token | None) -> None:
    text = token.text
    if token.kind == SIGN and text in CLOSERS:
        if line.open and line.open[-1] == text:
            line.open.pop()
            line.parts += [gap, text]
        else:
            line.mended += behind is not None  # the last one closes the call
        return
    if before is not None and _is_gap(before, token):
        if TEXT not in (before.kind, token.kind):
            line.parts += [gap, text]
            return
        line.mended += 1 + len(line.open)
        line.parts += [*reversed(line.open), ", ", text]
        line.open.clear()
        return
    if text == "," and before is not None and before.text == ",":
        line.mended += 1
        return
    if token.kind == SIGN and text in OPENERS:
        line.open.append(CLOSERS[OPENERS.index(text)])
    line.parts += [gap, text]


def _is_gap(before: Token, token: Token) -> bool:
    """Whether a comma is missing between two tokens."""
    return ends_value(before) and begins_value(token) and not (token.text in OPENERS and before.kind != TEXT)


def _find_closing(tokens: list[Token]) -> int:
    """Where the first bracket closes; -1 where nothing closes it."""
    depth = 0
    for n, token in enumerate(tokens):
        depth += (token.text in OPENERS) - (token.text in CLOSERS) if token.kind == SIGN else 0
        if depth == 0:
            return n
    return -1


def _is_call(text: str) -> bool:
    try:
        tree = parse_expression(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return isinstance(tree, ast.Call) and bool(tree.args) and not any(isinstance(a, ast.Set) for a in tree.args)


def fill_conversions(site: Site) -> Iterator[Slip]:
    """``print("%d of %d" a, b)`` as ``print("%d of %d" % (a, b))``: the sign is missing that fills a text."""
    tokens = site.list_line_tokens(site.at)
    for text, value in itertools.pairwise(tokens):
        places = len(CONVERSION.findall(text.text)) if text.kind == TEXT else 0
        if not places or not begins_value(value):
            continue
        cost = find_cost("insert.percent")
        if places == 1:
            yield Slip(text.end, value.start, " % ", cost, "`%` is missing behind the text")
            continue
        depth, end = 0, value.end
        for token in tokens[tokens.index(value) :]:
            depth += (token.text in OPENERS) - (token.text in CLOSERS) if token.kind == SIGN else 0
            if depth < 0:
                break
            end = token.end
        filled = f" % ({site.source[value.start : end]})"
        yield Slip(text.end, end, filled, cost + 0.2, "`%` is missing behind the text")


def move_commas(site: Site) -> Iterator[Slip]:
    """``print(x",and",y)`` as ``print(x,"and",y)``, ``print("Hi,"name)`` as ``print("Hi",name)``: a comma got into the text beside it."""
    line = site.list_line_tokens(site.at)
    for before, token in itertools.pairwise(line):
        cost = find_cost("move.comma")
        if token.kind == TEXT and ends_value(before) and before.kind != TEXT and re.match(r"[\"'],", token.text):
            new = f",{token.text[0]}{token.text[2:]}"
            yield Slip(token.start, token.end, new, cost, "a comma stands in the text, and not before it")
        elif before.kind == TEXT and begins_value(token) and re.search(r",\s*[\"']$", before.text):
            quote = before.text[-1]
            new = f"{before.text[:-1].rstrip()[:-1]}{quote},"
            yield Slip(before.start, before.end, new, cost, "a comma stands in the text, and not behind it")


def divide_percents(site: Site) -> Iterator[Slip]:
    """``tax = price * 20%`` as ``price * 20 / 100``, in all such places at once."""
    spots = []
    for n, token in enumerate(site.tokens[1:], 1):
        before, behind = site.tokens[n - 1], site.tokens[n + 1] if n + 1 < len(site.tokens) else None
        if token.text == "%" and before.kind == "number" and _ends_amount(behind):
            spots.append((token.start, token.end, "/100"))
    if any(site.line[1] <= start < site.line[2] for start, _, _ in spots):
        cost = find_cost("replace.percent")
        yield Slip(*spots[0], cost, "`%` stands for `/100`", tuple(spots[1:]), guessed=True)


def _ends_amount(token: Token | None) -> bool:
    return (
        token is None
        or token.kind in ("newline", "comment")
        or (token.kind == SIGN and (token.text in (")", ",", ":", "]") or token.text in OPERATORS - {"+", "-"}))
        or (token.kind == NAME and is_keyword(token) and token.text not in ("not", "lambda"))
    )
