"""Edits of what another language writes so: a choice by ``?``, ``switch``, a word of Python as a name, an argument named by a colon."""

from __future__ import annotations

import itertools
import keyword
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.syntax.site import Site, Slip
from jupyter_selfheal.healers.syntax.slips import find_cost
from jupyter_selfheal.healers.syntax.token_edits import CLOSERS, OPENERS, begins_value, ends_value, find_at_depth
from jupyter_selfheal.healers.syntax.tokens import COMMENT, NAME, NEWLINE, NUMBER, SIGN, TEXT, Token

_NAMELIKE = frozenset(
    {"assert", "async", "await", "break", "class", "continue", "def", "del", "except", "finally", "from", "global", "import", "is",
     "lambda", "nonlocal", "pass", "raise", "return", "try", "with", "yield"}
)  # fmt: skip
"""Words of Python that beginners name a variable by."""
_SETS = frozenset({"=", "+=", "-=", "*=", "/=", "//=", "%="})
_BETWEEN = frozenset(",)]}.:;+-*/%<>") | {"==", "!=", "<=", ">=", "//", "**", *_SETS}
"""What stands behind a value, and begins none (but for a sign)."""


def rename_keywords(site: Site) -> Iterator[Slip]:
    """``class = 3``, ``for from in stops``, ``def pay(raise)``: a word of the language is no name. It is renamed wherever it can be nothing else."""
    lines = _list_statements(site.tokens)
    words = {t.text for _, t in site.nearby if t.text in _NAMELIKE and t.kind == NAME}
    for word in sorted(words):
        spots = [t for line in lines for n, t in enumerate(line) if t.text == word and _is_name(line, n)]
        new = f"{word}_"
        if spots and _binds_word(lines, word) and all(t.text != new for t in site.tokens):
            edits = tuple((t.start, t.end, new) for t in spots)
            yield Slip(
                *edits[0],
                find_cost("replace.keyword_as_name"),
                f"`{word}` is a word of Python: the name is `{new}`",
                edits[1:],
            )


def _list_statements(tokens: tuple[Token, ...]) -> list[list[Token]]:
    lines = [
        [t for t in group if t.kind != COMMENT] for _, group in itertools.groupby(tokens, lambda t: t.kind == NEWLINE)
    ]
    return [line for line in lines if line and line[0].kind != NEWLINE]


def _binds_word(lines: list[list[Token]], word: str) -> bool:
    """Whether some line sets the word, loops over it, or takes it as a parameter."""
    for line in lines:
        texts = [t.text for t in line]
        if texts[0] == word and len(texts) > 2 and texts[1] in ("=", ","):
            return True
        if texts[0] == "for" and word in texts[1 : texts.index("in") if "in" in texts else 2]:
            return True
        if texts[0] == "def" and any(
            a in ("(", ",") and b == word and c in (",", ")", "=")
            for a, b, c in zip(texts, texts[1:], texts[2:], strict=False)
        ):
            return True
    return False


def _is_name(line: list[Token], n: int) -> bool:
    """Whether a word of the language stands where it can only be a name."""
    before, behind = line[n - 1] if n else None, line[n + 1] if n + 1 < len(line) else None
    if before is not None and before.text == ".":
        return False
    if n == 0:
        return behind is not None and behind.text in _SETS | {",", ".", "["}
    if line[n].text == "from" and line[0].text in ("raise", "yield"):
        return False
    if line[n].text in ("is", "from") and ends_value(before) and begins_value(behind):
        return False
    if line[n].text in ("lambda", "yield", "await"):
        if behind is not None and behind.text == "*":  # not `lambda *args: 0`
            return n + 2 < len(line) and line[n + 2].kind == NUMBER
        return behind is None or behind.text in _BETWEEN - {":", "*"}
    return (
        before is not None
        and before.text not in (":", ";")
        and (behind is None or behind.kind == NAME or behind.text in _BETWEEN)
    )


def turn_choices(site: Site) -> Iterator[Slip]:
    """``x > 0 ? a : b`` as ``a if x > 0 else b``."""
    line = site.list_line_tokens(min(site.at, max(len(site.source) - 1, 0)))
    marks = [n for n, t in enumerate(line) if t.text == "?"]
    if len(marks) != 1:
        return
    mark = marks[0]
    first, colon = _find_border(line, mark, -1), find_at_depth(line, mark + 1, ":")
    if first >= mark or colon < 0 or colon == mark + 1:
        return
    last = _find_border(line, colon, 1)
    if last <= colon:
        return
    cut = site.source
    test, value = cut[line[first].start : line[mark - 1].end], cut[line[mark + 1].start : line[colon - 1].end]
    other = cut[line[colon + 1].start : line[last].end]
    words = "`a ? b : c` is `b if a else c` in Python"
    yield Slip(
        line[first].start, line[last].end, f"{value} if {test} else {other}", find_cost("replace.foreign"), words
    )


def _find_border(line: list[Token], at: int, step: int) -> int:
    """The outermost token from a place on that belongs to the same value: up to a bracket, a comma, a ``=``, a word like ``return``."""
    depth, n = 0, at
    while 0 <= n + step < len(line):
        token = line[n + step]
        opens, closes = (OPENERS, CLOSERS) if step > 0 else (CLOSERS, OPENERS)
        if token.kind == SIGN and token.text in closes:
            if depth == 0:
                break
            depth -= 1
        elif token.kind == SIGN and token.text in opens:
            depth += 1
        elif depth == 0 and (token.text in (",", ";", *_SETS) or token.text in ("return", "print", "yield")):
            break
        n += step
    return n


_SWITCH = re.compile(
    r"(?P<indent>[ \t]*)(?:switch|select)\b[ \t]*(?:case\b)?[ \t]*(?P<value>[^\n:{]+?)[ \t]*[:{]?[ \t]*$"
)
_CASE = re.compile(
    r"(?P<indent>[ \t]*)(?:case\b[ \t]*(?P<value>[^\n:]+?)|(?P<other>default|otherwise|else|case[ \t]+else))[ \t]*:?[ \t]*$"
)


def turn_switches(site: Site) -> Iterator[Slip]:
    """``switch day:`` and its ``default:`` as ``match day:`` and ``case _:``; a ``break`` that ends a case goes."""
    _, start, end = site.line
    head = _SWITCH.fullmatch(site.source[start:end])
    if head is None:
        return
    value = head["value"]
    if value.startswith("(") and value.endswith(")"):
        value = value[1:-1].strip()
    edits, cases, at = [(start, end, f"{head['indent']}match {value}:")], 0, end + 1
    body, stands = -1, False
    for text in site.source[end + 1 :].splitlines():
        own = len(text) - len(text.lstrip())
        if text.strip() and own <= len(head["indent"]):
            break
        if case := _CASE.fullmatch(text):
            cases += 1
            edits.append((at, at + len(text), f"{case['indent']}case {_write_pattern(case, value)}:"))
            body, stands = -1, False
        elif text.strip():
            body = own if body < 0 else body
            if own == body and text.strip().rstrip(";") == "break":
                edits.append((at - 1, at + len(text), "") if stands else (at, at + len(text), f"{text[:own]}pass"))
            stands = True
        at += len(text) + 1
    if cases > 1:
        yield Slip(
            *edits[0],
            find_cost("replace.foreign"),
            "`switch` is `match` in Python",
            tuple(edits[1:]),
        )


def _write_pattern(case: re.Match[str], subject: str) -> str:
    """``_`` for what is left, ``_ if day == MON`` for a name, which Python would set instead of comparing with it; else what stands there."""
    if case["other"]:
        return "_"
    value = case["value"].strip()
    is_name = value.isidentifier() and not keyword.iskeyword(value)
    return f"_ if {subject} == {value}" if is_name and subject.isidentifier() else value


_DECLARED = re.compile(r"(?P<indent>[ \t]*)(?P<word>global|nonlocal)[ \t]+(?P<name>\w+)[ \t]*(?P<rest>[-+*/]?=(?!=).*)")


def bracket_parameters(site: Site) -> Iterator[Slip]:
    """``def greet:`` as ``def greet():``, ``def cube x:`` as ``def cube(x):``."""
    line = site.list_line_tokens(site.at)
    if len(line) < 2 or line[0].text != "def" or line[1].kind != NAME or any(t.text in OPENERS + CLOSERS for t in line):
        return
    end = len(line) - (line[-1].text == ":")
    inside = line[2:end]
    names = [t for t in inside if t.text != ","]
    if all(t.kind == NAME and not keyword.iskeyword(t.text) for t in names):
        given = ", ".join(t.text for t in names)
        words = f"the brackets of `{line[1].text}` are missing"
        yield Slip(line[1].end, line[-1].end, f"({given}):", find_cost("insert.definition"), words)


def split_declarations(site: Site) -> Iterator[Slip]:
    """``global total = total + 1``: what is said of a name, and what it is set to, are two statements."""
    _, start, end = site.line
    if match := _DECLARED.fullmatch(site.source[start:end]):
        indent, word, name, rest = match["indent"], match["word"], match["name"], match["rest"]
        text = f"{indent}{word} {name}\n{indent}{name} {rest}"
        yield Slip(
            start, end, text, find_cost("replace.foreign"), f"`{word}` and what the name is set to are two statements"
        )


def name_arguments(site: Site) -> Iterator[Slip]:
    """``open(path, mode: "w")`` as ``mode="w"``: the colon of another language names an argument."""
    stack: list[bool] = []
    for n, token in enumerate(site.tokens):
        before = site.tokens[n - 1] if n else None
        if token.kind != SIGN:
            continue
        if token.text in OPENERS:
            stack.append(
                token.text == "(" and before is not None and before.kind == NAME and not keyword.iskeyword(before.text)
            )
        elif token.text in CLOSERS and stack:
            stack.pop()
        elif token.text == ":" and stack and stack[-1] and n > 1 and abs(token.start - site.at) < 80:
            named = before is not None and before.kind == NAME and site.tokens[n - 2].text in ("(", ",")
            heads = site.list_line_tokens(token.start)[0].text in ("def", "lambda", "class")
            if named and not heads and n + 1 < len(site.tokens) and begins_value(site.tokens[n + 1]):
                cost = find_cost("replace.named_argument") + site.find_distance(n)
                yield Slip(token.start, token.end, "=", cost, "`:` stands for `=`")


def open_lambdas(site: Site) -> Iterator[Slip]:
    """``lambda x -x`` as ``lambda x: -x``: the colon is missing behind the parameters."""
    for index, token in site.nearby:
        if token.text != "lambda":
            continue
        line = [t for t in site.list_line_tokens(token.start) if t.start > token.start]
        if find_at_depth(line, 0, ":") >= 0:
            continue
        n = 0
        while n < len(line) and line[n].kind == NAME and not keyword.iskeyword(line[n].text):
            if n + 1 < len(line):
                cost = find_cost("insert.colon_at_end") + site.find_distance(index)
                yield Slip(line[n].end, line[n].end, ":", cost, "`:` is missing")
            if n + 2 >= len(line) or line[n + 1].text != ",":
                break
            n += 2


def close_calls_later(site: Site) -> Iterator[Slip]:
    """``print(len(x)) "parts"`` as ``print(len(x), "parts")``: the call closes too early."""
    line = site.list_line_tokens(min(site.at, max(len(site.source) - 1, 0)))
    if len(line) < 5 or line[0].text != "print" or line[1].text != "(":
        return
    closed = find_at_depth(line, 1, ")")
    if closed < 0 or closed + 1 >= len(line) or line[closed + 1].kind not in (TEXT, NUMBER, NAME):
        return
    behind, last = line[closed + 1], line[-1]
    sets = any(t.text in _SETS for t in line[closed:]) and behind.text not in ("end", "sep")
    if keyword.iskeyword(behind.text) or behind.text == "print" or sets:
        return
    inside = site.source[line[1].end : line[closed].start]
    rest = site.source[behind.start : last.end]
    words = "the bracket of `print` closes too early"
    yield Slip(
        line[1].end, last.end, f"{inside}, {rest})" if inside.strip() else f"{rest})", find_cost("move.bracket"), words
    )
