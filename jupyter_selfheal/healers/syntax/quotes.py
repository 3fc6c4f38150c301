"""Edits of quotes: one that was left out, a text that ends in the wrong place, a field of an f-string that nothing closes."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.syntax.site import Site, Slip, is_open_quote
from jupyter_selfheal.healers.syntax.slips import find_cost
from jupyter_selfheal.healers.syntax.token_edits import BUILTINS, CLOSERS, OPENERS
from jupyter_selfheal.healers.syntax.tokens import NAME, TEXT, find_line
from jupyter_selfheal.inside.parsing import parse_expression

LONGEST = 14
"""Words within a text that are put between quotes of their own at most."""
FAR = 200
"""Characters between a fault and an open quote that is closed with a comma behind it."""
_METHOD = re.compile(r"\.(?:format|join|split|strip|lower|upper|replace)\(")
"""What is called of a text: its quote stands before it."""
_SPOKEN = re.compile(r"\b(?:and|or|is|in|not|if|else|for)\b")
"""Words of the language that stand in a sentence, too."""

_PRINTS = re.compile(r"\s*print(?:\s*\(|\s+)")
_FIELD = re.compile(r"\{[^\W\d][\w.\[\]]*(?::[^{}]*)?\}")
_OPEN_FIELD = re.compile(r"(?<!\{)\{([^{}\"']+?)((?:![rsa])?(?::[<>^+,.\d]*[a-zA-Z%]?)?)\}(?!\})")
_WRITTEN = re.compile(r"(?:![rsa])?(?::[<>^+,.\d]*[a-zA-Z%]?)?$")
"""How a field says that it is to be written."""
_FILLED = re.compile(r"\.format\(")


def mend_quotes(site: Site) -> Iterator[Slip]:
    """A quote that was left out, on the lines of the quotes that nothing closes and of the fault."""
    lines = {site.line[1:]} | {find_line(site.source, t.start)[1:] for t in site.tokens if is_open_quote(t)}
    for start, end in sorted(lines)[:6]:
        text = site.source[start:end]
        opened = [t for t in site.tokens if is_open_quote(t) and start <= t.start < end]
        quotes = dict.fromkeys(t.text for t in opened) or dict.fromkeys(c for c in "\"'" if c in text)
        for quote in quotes:
            for at, cost in _list_quote_places(text):
                yield Slip(start + at, start + at, quote, cost + (0.0 if opened else 0.8), f"`{quote}` is missing")


def quote_templates(site: Site) -> Iterator[Slip]:
    """``print({} x {}.format(a, b))`` as ``print("{} x {}".format(a, b))``, and ``print(Sorry, {n} is odd)`` as ``print(f"Sorry, {n} is odd")``: a text
    with places for values stands there without its quotes."""
    _, start, end = site.line
    line = site.source[start:end].rstrip(" ;")
    head = _PRINTS.match(line)
    if head is None or set(line) & {"'", '"', "#"}:
        return
    filled = _FILLED.search(line)
    closes = not filled and head[0].endswith("(") and line.endswith(")")
    stop = filled.start() if filled else len(line) - closes
    inside = line[head.end() : stop].strip()
    if "{" not in inside or not (filled or _has_words(_FIELD.sub("", inside), site)):
        return
    words = f"the quotes around `{inside[:30]}` are missing"
    new = f'"{inside}"' if filled else f'f"{inside}"'
    begin = head.end()
    if not head[0].endswith("("):
        begin, new = line.index("print") + len("print"), f"({new}" + ("" if filled else ")")
    yield Slip(start + begin, start + stop, new, find_cost("wrap.template"), words)


def _has_words(text: str, site: Site) -> bool:
    """Whether what stands around the places for values is a text: it has a word that the cell does not know, and no brackets."""
    words = re.findall(r"[^\W\d]\w+", text)
    return not set(text) & set("{}()[]") and not site.list_set_names().union(BUILTINS).issuperset(words)


def close_before_values(site: Site) -> Iterator[Slip]:
    """``print("Total: price, tax)`` as ``print("Total:", price, tax)``: the text ends before what can be read as values of the cell."""
    bound = site.list_set_names()
    for opened in (t for t in site.tokens if is_open_quote(t) and abs(t.start - site.at) < FAR):
        _, _, end = find_line(site.source, opened.start)
        inside = site.source[opened.end : end].rstrip(" ;")
        tail = inside.rstrip(")]}: ")
        starts = (m.start(1) for m in re.finditer(r"(?<=\S)\s+([^\W\d]\w*)", inside) if m[1] in bound)
        at = next((at for at in starts if _are_values(tail[at:], inside[at:], bound)), 0)
        if at > 0:
            place = opened.end + len(inside[:at].rstrip())
            words = f"`{opened.text}` and a comma are missing"
            yield Slip(place, place, f"{opened.text},", find_cost("insert.quote_and_comma"), words)


def _are_values(tail: str, whole: str, bound: frozenset[str]) -> bool:
    """Whether the end of a line, with or without the brackets behind it, is values that the cell has."""
    for text in (whole[:-1], tail, whole):
        if _SPOKEN.search(text):
            continue
        try:
            tree = parse_expression(f"({text},)")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} <= bound | BUILTINS
    return False


def turn_inner_quotes(site: Site) -> Iterator[Slip]:
    """``"He said "hi" to me"`` as ``'He said "hi" to me'``: what is quoted within a text is no end of it."""
    bound = site.list_set_names()
    for index, token in site.nearby:
        words = [t for t in site.tokens[index + 1 : index + LONGEST] if t.end <= site.line[2]]
        last = next((n for n, t in enumerate(words) if t.kind == TEXT), 0)
        inside = words[:last]
        if token.kind != TEXT or not last or not all(t.kind == NAME and t.text not in bound for t in inside):
            continue
        behind = words[last]
        touches = token.end == inside[0].start and inside[-1].end == behind.start and len(token.text) > 2
        other = "'" if token.text[-1] == '"' else '"'
        whole = site.source[token.start + 1 : behind.end - 1]
        if touches and token.text[0] == behind.text[0] == token.text[-1] and other not in whole:
            cost = find_cost("replace.inner_quotes") + site.find_distance(index)
            words_said = f"the quotes around `{inside[0].text}` end the text"
            yield Slip(token.start, behind.end, f"{other}{whole}{other}", cost, words_said)


def _list_quote_places(text: str) -> Iterator[tuple[int, float]]:
    """Where on a line a quote may be missing, and what each place costs."""
    base, end = find_cost("insert.quote"), len(text.rstrip())
    stripped = text.rstrip(" ;")
    tail = len(stripped) - len(stripped.rstrip(")]}:"))
    for at in range(end + 1):
        before, behind = text[at - 1 : at], text[at : at + 1]
        if before.isalnum() and behind.isalnum():
            continue
        if (
            before in ("(", "[", "{", ",", "=")
            or text[:at].rstrip()[-1:] in ("(", ",")
            or behind in (",", ")", "]", "}")
            or _METHOD.match(text, at)
            or at >= len(stripped) - tail
        ):
            yield at, base - 0.2
        elif at in (0, end):
            yield at, base
        else:
            yield at, base + 0.5


def close_fields(site: Site) -> Iterator[Slip]:
    """``f"{total euros"``: a field that nothing closes ends behind one of its words; ``f"{worth(item}"``: so does a bracket in one; ``f"sum: a + b}"``: one
    that nothing opens begins before all that can be reckoned."""
    yield from _close_brackets_in_fields(site)
    yield from _open_fields(site)
    if "f-string" not in site.fault.message and "'{'" not in site.fault.message:
        return
    _, start, end = site.line
    for text in (t for t in site.tokens if t.kind == TEXT and t.text[0] in "fF" and start <= t.start < end):
        opened = _find_open_field(text.text)
        if text.text.count("{") <= text.text.count("}") or opened < 0:
            continue
        ends = [m.end() for m in re.finditer(r"\w+(?:\([^()]*\)|\[[^\[\]]*\])*(?::[\w.,]+)?", text.text[opened:])]
        for n, at in enumerate(ends):
            place = text.start + opened + at
            yield Slip(place, place, "}", find_cost("insert.field_end") + 0.1 * n, "`}` is missing in the text")


def _open_fields(site: Site) -> Iterator[Slip]:
    """A bracket that nothing opens in a text: before the most words behind which it may stand, all of whose names are there."""
    if "single '}'" not in site.fault.message:
        return
    there = site.list_set_names() | BUILTINS
    _, start, end = site.line
    for text in (t for t in site.tokens if t.kind == TEXT and t.text[0] in "fF" and start <= t.start < end):
        braces = [(0, "}"), *((m.start(), m[0]) for m in re.finditer(r"\{\{|\}\}|[{}]", text.text))]
        ends = [(a[0] + len(a[1]), b[0]) for a, b in itertools.pairwise(braces) if b[1] == "}" and a[1] != "{"]
        for first, last in ends[:1]:
            inside = _WRITTEN.sub("", text.text[first:last])
            begins = [m.start() for m in re.finditer(r"(?<![\w.])\w", inside)]
            begins = [at for at in begins if (names := _list_names(inside[at:])) and names <= there]
            for n, at in enumerate(begins):
                place = text.start + first + at
                yield Slip(place, place, "{", find_cost("insert.field_end") + 0.1 * n, "`{` is missing in the text")


def _list_names(text: str) -> set[str]:
    """The names in the text of an expression; none where it is no expression."""
    try:
        tree = parse_expression(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}


def _close_brackets_in_fields(site: Site) -> Iterator[Slip]:
    """A bracket that nothing closes ends with its field, before what says how it is written; in all fields of a text."""
    if "'}' does not match" not in site.fault.message:
        return
    _, start, end = site.line
    for text in (t for t in site.tokens if t.kind == TEXT and t.text[0] in "fF" and start <= t.start < end):
        edited = _OPEN_FIELD.sub(_close_field, text.text)
        if edited != text.text:
            words = "a bracket in the text is not closed"
            yield Slip(text.start, text.end, edited, find_cost("insert.field_end"), words)


def _close_field(field: re.Match[str]) -> str:
    """A field with what closes its brackets."""
    missing = list[str]()
    for sign in field[1]:
        if sign in OPENERS:
            missing.append(CLOSERS[OPENERS.index(sign)])
        elif missing and sign == missing[-1]:
            missing.pop()
    return f"{{{field[1]}{''.join(reversed(missing))}{field[2]}}}"


def _find_open_field(text: str) -> int:
    """Where the field begins that the next one stands in, or else the last one: ``{a{b}`` as ``{a}{b}``; -1 where there is none."""
    braces = [m for m in re.finditer(r"\{\{|\}\}|[{}]", text) if len(m[0]) == 1]
    inside = (
        a.start()
        for a, b in itertools.pairwise(braces)
        if (a[0], b[0]) == ("{", "{") and ":" not in text[a.start() : b.start()]
    )
    return next(inside, text.rfind("{"))
