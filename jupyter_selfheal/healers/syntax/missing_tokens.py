"""Signs and values that were left out, at every gap around a fault."""

from __future__ import annotations

import itertools
import keyword
from collections.abc import Iterator

from jupyter_selfheal.healers.syntax.site import Site, Slip
from jupyter_selfheal.healers.syntax.slips import find_cost
from jupyter_selfheal.healers.syntax.token_edits import (
    BUILTINS,
    CLOSERS,
    COMPARISONS,
    COMPOUND,
    OPENERS,
    OPERATORS,
    begins_value,
    ends_value,
    is_keyword,
)
from jupyter_selfheal.healers.syntax.tokens import COMMENT, NAME, NEWLINE, NUMBER, SIGN, TEXT, Token, find_line

AUGMENTED = frozenset({"+=", "-=", "*=", "/="})
GUESSED = frozenset({"insert.operand", "insert.else_value", "insert.zero", "insert.printed_end"})
"""What is put where a value is missing: only something that is expected tells which."""
NAMES_TRIED = 3
"""Variables that are tried where a value is missing."""
STATEMENTS = frozenset(
    {"import", "return", "break", "continue", "pass", "def", "class", "del", "raise", "global", "while"}
)
"""Words that begin a statement, and stand nowhere else."""


def insert_tokens(site: Site) -> Iterator[Slip]:
    """A sign that was left out, at every gap around the fault."""
    tokens = site.tokens
    depth = _measure_depths(tokens)
    for index, token in [*site.nearby, (len(tokens), None)]:
        if token is None and index - site.center > 12:
            continue
        before = tokens[index - 1] if index else None
        if before is not None and before.kind in (NEWLINE, COMMENT):
            before = None
        gap = before.end if before is not None else token.start if token is not None else len(site.source)
        behind = None if token is None or token.kind in (NEWLINE, COMMENT) else token
        far = site.find_distance(index)
        reach = behind.start if behind is not None else gap
        for text, kind in _list_missing(site, before, behind, depth[index]):
            end = reach if text.endswith(" ") or "\n" in text else gap
            cost = find_cost(kind) + (0.0 if kind == "insert.else_value" else far)
            if kind in GUESSED:
                yield Slip(gap, end, text, cost, f"a value is missing, as `{text.strip()}`", guessed=True)
            else:
                words = "`:` and a line end are" if text.startswith(":\n") else f"`{text.strip() or 'a line end'}` is"
                yield Slip(gap, end, text, cost, f"{words} missing")


def _measure_depths(tokens: tuple[Token, ...]) -> list[str]:
    """For each gap the brackets that are open there."""
    stack, depths = "", []
    for token in tokens:
        depths.append(stack)
        if token.kind == SIGN and token.text in OPENERS:
            stack += token.text
        elif token.kind == SIGN and token.text in CLOSERS:
            stack = stack[:-1]
    return [*depths, stack]


def _list_missing(site: Site, before: Token | None, behind: Token | None, stack: str) -> Iterator[tuple[str, str]]:
    if before is None and behind is None:
        return
    if before is not None and behind is not None and ends_value(before) and begins_value(behind):
        yield from _list_between_values(site, before, behind, stack)
    if before is not None and ends_value(before) and not stack and behind is not None and behind.text in STATEMENTS:
        yield "\n" + _read_indent(site, before.start), "insert.line_end_before_keyword"
    if ends_value(before) and not stack and behind is not None and behind.text in ("if", "for", "while"):
        line = site.list_line_tokens(behind.start)
        if line[-1].text == ":" and line[0].text not in COMPOUND:
            yield from (
                ("\n" + indent, "insert.line_end_before_keyword") for indent in _list_indents(site, behind.start)
            )
    if ends_value(before) and not stack and behind is not None and behind.text in ("else", "elif", "except", "finally"):
        line = site.list_line_tokens(behind.start)
        if line[0].text in ("if", "elif", "for", "while", "try", "except") and line[-1].start > behind.start:
            yield "\n" + _read_indent(site, behind.start), "insert.line_end_before_keyword"
    if before is not None and before.kind == SIGN and before.text in "+-*/%=(" and behind is None:
        yield "0", "insert.zero"
    yield from _list_brackets(before, behind, stack)
    if before is not None and before.text == "not" and begins_value(behind):
        yield " in ", "insert.in_behind_not"
    if before is not None and behind is not None and before.text in ("and", "or") and behind.text in COMPARISONS:
        left = _find_compared(site, before.start)
        yield from ((f" {text} ", "insert.compared") for text in left)
    if before is not None and _lacks_value(before, behind):
        gap = "" if before.kind == SIGN and before.text not in AUGMENTED else " "
        values = [*(["1"] if before.text in AUGMENTED else []), *_list_names_before(site, before.start)]
        head = ":" if before.text == "in" and behind is None else ""  # the loop's colon went with what it goes over
        yield from ((gap + value + head, "insert.operand") for value in values)
    if before is not None and before.text == "=" and _closes_value(behind) and _is_keyword_of_print(site, before):
        yield from ((text, "insert.printed_end") for text in ("' '", "''"))
    if ends_value(before) and "expected 'else'" in site.fault.message and _closes_value(behind):
        yield from ((f" else {text}", "insert.else_value") for text in ("0", "None", "''"))
    if before is not None and (behind is None or before.text in ("else", "try", "finally") or before.ends_value):
        first = site.list_line_tokens(before.start)[0].text
        if first in COMPOUND:
            yield ":", "insert.colon_at_end" if behind is None else "insert.colon"
            if behind is not None and (deeper := _read_indent_below(site, before.start)):
                yield f":\n{deeper}", "insert.colon_and_line"
        elif stack and (behind is None or behind.text != "="):  # nobody left the colon of `:=` out
            yield ":", "insert.compare"


def _list_between_values(site: Site, before: Token, behind: Token, stack: str) -> Iterator[tuple[str, str]]:
    """What may be missing between two values that stand beside each other."""
    yield ", ", "insert.comma"
    if stack[-1:] == "{" and before.kind in (TEXT, NUMBER):
        yield ": ", "insert.colon_of_pair"
    texts = before.kind == TEXT or behind.kind == TEXT
    adds = texts and any(t.text == "+" for t in site.list_line_tokens(before.start))
    yield " + ", "insert.plus_beside_plus" if adds else "insert.plus" if texts else "insert.compare"
    yield from _list_signs_of_sum(site, before, behind, stack)
    yield "*", "insert.times"
    if behind.kind == NAME or behind.text == "[":
        yield ".", "insert.dot"
    yield " = ", "insert.equals_at_head" if _heads_line(site, before) else "insert.equals"
    yield " == ", "insert.compare"
    yield " in ", "insert.in"
    condition = site.list_line_tokens(before.start)[0].text in ("if", "elif", "while")
    yield " and ", "insert.and_condition" if condition else "insert.and"
    if condition:
        yield " or ", "insert.or_condition"
    yield " < ", "insert.and"
    yield " - ", "insert.and"
    if not stack:
        own, *outer = _list_indents(site, before.start)
        yield "\n" + own, "insert.line_end"
        yield from (("\n" + indent, "insert.line_end_outside") for indent in outer)
        yield "; ", "insert.and"


def _heads_line(site: Site, name: Token) -> bool:
    """``tax 0``: what stands before the gap is a variable at the beginning of its line, and the line sets none."""
    line = site.list_line_tokens(name.start)
    target = [t for t in line if t.end <= name.end]
    plain = all(t.kind == NAME and not keyword.iskeyword(t.text) for t in target[::2])
    dotted = len(target) % 2 == 1 and all(t.text == "." for t in target[1::2])
    return plain and dotted and target[0].text not in BUILTINS and not any(t.text == "=" for t in line)


def _list_signs_of_sum(site: Site, before: Token, behind: Token, stack: str) -> Iterator[tuple[str, str]]:
    """``n = n 1``, ``s += 2 x``: what a name is set to is reckoned. A name that is set to itself and something counts, mostly upwards."""
    line = [t.text for t in site.list_line_tokens(before.start)]
    if (
        len(line) < 4
        or line[1] not in AUGMENTED | {"="}
        or TEXT in (before.kind, behind.kind)
        or stack
        or behind.text in OPENERS
    ):
        return
    counts = before.text == line[0]
    yield " + ", "insert.plus_of_count" if counts else "insert.plus_of_sum"
    yield " - ", "insert.minus_of_count" if counts else "insert.minus_of_sum"
    yield "/", "insert.minus_of_sum"


def _list_brackets(before: Token | None, behind: Token | None, stack: str) -> Iterator[tuple[str, str]]:
    """The brackets that are open here, closed, and one that could open here."""
    at_end_or_colon = behind is None or behind.text == ":"
    for opener in dict.fromkeys(reversed(stack)):
        if before is not None and (before.ends_value or before.text in OPENERS):
            kind = "insert.closing_at_end" if at_end_or_colon else "insert.closing"
            kind = "insert.opening" if behind is not None and behind.text in OPENERS else kind
            yield CLOSERS[OPENERS.index(opener)], kind
    if begins_value(behind) or (behind is not None and behind.text in "-"):
        yield "(", "insert.opening"
        yield "[", "insert.opening"


def _lacks_value(before: Token | None, behind: Token | None) -> bool:
    """``print(, x)``, ``(a + )``, ``total +=``, ``for x in``: nothing stands where a value must."""
    if before is None or not _closes_value(behind):
        return False
    if before.text == "in" or before.text in AUGMENTED:
        return behind is None or behind.text == ":"
    return (before.kind == SIGN and before.text in OPERATORS) or (
        behind is not None and behind.text == "," and before.text in OPENERS
    )


def _is_keyword_of_print(site: Site, sign: Token) -> bool:
    """``print(x, end=)``: the text was left out that stands at the end of each line, or between the values."""
    line = [t for t in site.list_line_tokens(sign.start) if t.start < sign.start]
    return len(line) > 2 and line[-1].text in ("end", "sep") and line[-2].text == ","


def _closes_value(token: Token | None) -> bool:
    """True where a value must have ended: at the line's end, a comma, a closing bracket."""
    return token is None or (token.kind == SIGN and token.text in ",)]")


def _find_compared(site: Site, offset: int) -> list[str]:
    """What the line compares before a place: ``x`` of ``if x > 5 and < 10``, ``total(o)`` of ``total(o) > 5 and < 10``."""
    tokens = [t for t in site.list_line_tokens(offset) if t.start < offset]
    at = next((n for n in range(len(tokens) - 1, 0, -1) if tokens[n].text in COMPARISONS), 0)
    depth, first = 0, at
    while first > 0:
        token = tokens[first - 1]
        depth += (token.text in CLOSERS) - (token.text in OPENERS) if token.kind == SIGN else 0
        if depth < 0 or (depth == 0 and (is_keyword(token) or token.text in ",=:;")):
            break
        first -= 1
    return [site.source[tokens[first].start : tokens[at].start].strip()] if first < at else []


def _list_names_before(site: Site, offset: int) -> list[str]:
    """The variables that are set above a place, those first that stand in the same place of a like line elsewhere."""
    start = find_line(site.source, offset)[1] if offset else 0
    bound = [
        t.text
        for t, following in itertools.pairwise(site.tokens)
        if t.kind == NAME and following.text in ("=", "in") and t.start < start and not keyword.iskeyword(t.text)
    ]
    bound = [*_list_parameters(site, offset), *bound]
    opened = [(a.text, b.text) for a, b in itertools.pairwise(site.tokens) if a.text in OPENERS and b.kind == NAME]
    likely = [name for _, name in opened if name in bound]
    return list(dict.fromkeys([*likely, *reversed(bound)]))[:NAMES_TRIED]


def _list_parameters(site: Site, offset: int) -> list[str]:
    """The parameters of the nearest definition above a place."""
    heads = [n for n, t in enumerate(site.tokens) if t.text == "def" and t.start < offset]
    if not heads:
        return []
    line = [t for t in site.list_line_tokens(site.tokens[heads[-1]].start) if t.start > site.tokens[heads[-1]].start]
    return [b.text for a, b in itertools.pairwise(line) if a.text in ("(", ",") and b.kind == NAME and b.text != "self"]


def _list_indents(site: Site, offset: int) -> list[str]:
    """The indentation of the line at an offset, and those of the blocks around it."""
    indents = [_read_indent(site, offset)]
    for line in reversed(site.source[: site.source.rfind("\n", 0, offset) + 1].split("\n")):
        own = line[: len(line) - len(line.lstrip())]
        if line.strip() and len(own) < len(indents[-1]):
            indents.append(own)
    return indents


def _read_indent_below(site: Site, offset: int) -> str:
    """The indentation of the next line with code, where it stands deeper than the one at an offset; empty elsewhere."""
    _, start, end = find_line(site.source, offset)
    own = site.source[start:end]
    below = next((t for t in site.source[end + 1 :].splitlines() if t.strip() and not t.lstrip().startswith("#")), "")
    indent = below[: len(below) - len(below.lstrip())]
    return indent if len(indent) > len(own) - len(own.lstrip()) else ""


def _read_indent(site: Site, offset: int) -> str:
    start = site.source.rfind("\n", 0, offset) + 1
    text = site.source[start:offset]
    return text[: len(text) - len(text.lstrip())]
