"""SYN105: indentation."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context.syntax import (
    Fault,
    Mend,
    SyntaxRule,
    code_end,
    fault_of,
    indent_of,
    lines_of,
)

STEP = "    "


class Indentation(SyntaxRule):
    """Indent a line as the lines around it demand.

    **Failure** `IndentationError` (`expected an indented block`, `unexpected indent`, `unindent does not match`), `TabError`, and
    `'return' outside function` directly below a function's body.

    **Fix** The block after a head is indented, up to a blank line or a `return`; a line that stands too far in goes back; a line
    between two levels takes the nearer one; tabs become blanks.

    **Fix safety** Safe where one reading remains: a single line, a function's body up to its `return`, an indentation that is one
    or two columns off. Unsafe where it cannot be told how far the block reaches.
    """

    code = "SYN105"
    name = "wrong indentation"
    why = "Only one indentation of these lines makes a program."

    def mends(self, source: str, fault: Fault) -> Iterator[Mend]:
        message = fault.message
        if "expected an indented block" in message:
            yield from _indented(source, fault)
        elif "unexpected indent" in message:
            yield from _back(source, fault)
        elif "unindent does not match" in message:
            yield from _nearest_level(source, fault)
        elif "inconsistent use of tabs" in message or fault.kind == "TabError":
            yield from _without_tabs(source)
        elif "outside function" in message or "outside loop" in message or "not properly in loop" in message:
            yield from _into_block(source, fault)


def _shifted(source: str, first: int, last: int, indent: str) -> str:
    """Lines first..last (1-based) with ``indent`` in front of what they have."""
    lines = lines_of(source)
    for n in range(first - 1, last):
        if lines[n].strip():
            lines[n] = indent + lines[n]
    return "\n".join(lines)


def _indented(source: str, fault: Fault) -> Iterator[Mend]:
    lines = lines_of(source)
    found = re.search(r"on line (\d+)", fault.message)
    head = int(found[1]) if found else fault.line - 1
    while head < len(lines) and not lines[head - 1][: code_end(lines[head - 1])].endswith(":"):
        head += 1
    base = indent_of(lines[head - 1])
    first = next((n for n in range(head + 1, len(lines) + 1) if lines[n - 1].strip()), 0)
    if not first or len(indent_of(lines[first - 1])) < len(base):
        body = [*lines[:head], f"{base}{STEP}pass", *lines[head:]]
        yield Mend("\n".join(body), "Add `pass` to the empty block", False, 0.4)
        return
    reach = _reach(lines, first, base)
    # a function's lines up to its return can stand nowhere else; how many lines a loop or a condition holds nobody can tell
    function = bool(re.match(r"\s*(async\s+)?def\b", lines[head - 1]))
    ends_function = function and bool(re.match(r"\s*(return|raise)\b", lines[reach - 1]))
    sure = reach == first or ends_function
    for rank, end in enumerate(dict.fromkeys([reach] if sure else [reach, first] if function else [first, reach])):
        yield Mend(_shifted(source, first, end, STEP), "Indent the block", sure, (0.9 if sure else 0.6) - 0.05 * rank)


def _reach(lines: list[str], first: int, base: str) -> int:
    """The last line of the block: up to a blank line, a shallower line, a new definition, or a ``return`` at its level."""
    last = first
    for n in range(first, len(lines) + 1):
        text = lines[n - 1]
        if not text.strip() or len(indent_of(text)) < len(base):
            break
        at_base = indent_of(text) == base
        if (
            n > first
            and at_base
            and re.match(r"\s*(def|class|import|from|else|elif|except|finally)\b|\s*@|\s*[%!]", text)
        ):
            break
        last = n
        if at_base and re.match(r"\s*(return|raise|break|continue)\b", text):
            break
    return last


def _back(source: str, fault: Fault) -> Iterator[Mend]:
    lines = lines_of(source)
    bad = indent_of(lines[fault.line - 1])
    above = next((lines[n] for n in range(fault.line - 2, -1, -1) if lines[n].strip()), "")
    goal = indent_of(above)
    if len(goal) >= len(bad):
        return
    last = fault.line
    while last < len(lines) and (not lines[last].strip() or len(indent_of(lines[last])) >= len(bad)):
        last += 1
    whole = list(lines)
    for n in range(fault.line - 1, last):
        if whole[n].startswith(bad):
            whole[n] = goal + whole[n][len(bad) :]
    yield Mend("\n".join(whole), "Align the lines with their block", prior=0.9)
    one = list(lines)
    one[fault.line - 1] = goal + one[fault.line - 1].lstrip()
    yield Mend("\n".join(one), "Align the line with its block", prior=0.8)


def _nearest_level(source: str, fault: Fault) -> Iterator[Mend]:
    lines = lines_of(source)
    number = fault.line
    bad = indent_of(lines[number - 1])
    levels = sorted({indent_of(t) for t in lines[: number - 1] if t.strip()}, key=lambda i: abs(len(i) - len(bad)))
    last = number
    while last < len(lines) and lines[last].strip() and indent_of(lines[last]) == bad:
        last += 1
    for level in levels[:2]:
        text = list(lines)
        for n in range(number - 1, last):
            text[n] = level + text[n].lstrip()
        gap = abs(len(level) - len(bad))
        yield Mend("\n".join(text), "Align the line with its block", gap <= 2 and level == levels[0], 0.9 - gap / 20)


def _without_tabs(source: str) -> Iterator[Mend]:
    found = []
    for size in (4, 8, 2):
        lines = [indent_of(t).expandtabs(size) + t.lstrip() if t.strip() else t for t in lines_of(source)]
        mend = Mend("\n".join(lines), "Change tabs to spaces", prior=0.9)
        if fault_of(mend.source) is None:
            found.append(mend)
    sure = len({m.source for m in found}) == 1 or len(found) == 1
    for mend in found:
        yield Mend(mend.source, mend.title, sure, 0.9 if sure else 0.6)


def _into_block(source: str, fault: Fault) -> Iterator[Mend]:
    """``return`` right below a function's (or ``break`` below a loop's) body: it belongs into it."""
    lines = lines_of(source)
    number = fault.line
    above = next((n for n in range(number - 1, 0, -1) if lines[n - 1].strip()), 0)
    bad = indent_of(lines[number - 1])
    if not above or len(indent_of(lines[above - 1])) <= len(bad):
        return
    word = r"def|async\s+def" if "function" in fault.message else "for|while"
    heads = [n for n in range(above, 0, -1) if re.match(rf"\s*({word})\b", lines[n - 1])]
    if not heads:
        return
    inside = next((indent_of(t) for t in lines[heads[0] :] if t.strip()), "")
    if len(inside) <= len(bad):
        return
    first = number
    # the lines between the body and the return that stand at its level belong to it, too
    while first > 1 and lines[first - 2].strip() and indent_of(lines[first - 2]) == bad:
        first -= 1
    text = list(lines)
    for n in range(first - 1, number):
        text[n] = inside + text[n].lstrip()
    yield Mend("\n".join(text), "Indent the line into the block above", prior=0.85)
