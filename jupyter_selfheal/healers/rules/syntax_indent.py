"""SYN105: indentation."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context.code_lines import (
    WORD,
    find_code_end,
    is_code,
    mark_code,
    read_indent,
    split_lines,
)
from jupyter_selfheal.healers.rules.context.syntax import Mend, SyntaxRule
from jupyter_selfheal.healers.syntax.fault import Fault, find_fault
from jupyter_selfheal.healers.syntax.tokens import list_text_lines

STEP = "    "
OWNERS = {
    "elif": ("if",),
    "else": ("if", "for", "while", "try"),
    "except": ("try",),
    "finally": ("try",),
}
"""The statements that may have such a branch."""
PROSE = re.compile(r"\w+\s*:|(?!print)\w+(?: \(|\(e?s\)$)")
"""Notes that would parse: ``TODO: later``, ``see (below)``, ``column(s)``."""


class Indentation(SyntaxRule):
    """Indent a line as the lines around it demand.

    **Failure** `IndentationError` (`expected an indented block`, `unexpected indent`, `unindent does not match`), `TabError`, and
    `'return' outside function` directly below a function's body.

    **Fix** A block that is commented out gets `pass`. The block after a head is indented, up to a blank line or a `return`, or as far as what only it binds is read; a line that stands too far in goes back; a line
    between two levels takes the nearer one; an `elif` or `else` at the end of the body that it follows goes back to its `if`; tabs
    become blanks.

    **Fix safety** Safe where one reading remains: a block that is commented out, a single line, a function's body up to its `return`, an indentation that is nearer to
    one level than to any other, a branch in the body of its `if` where
    nothing in that body may have it (its texts of several lines stay as they are). Unsafe where it cannot be told how far the block reaches,
    or which of two levels is meant.
    """

    code = "SYN105"
    name = "wrong indentation"
    why = "Only one indentation of these lines makes a program."

    def mends(self, source: str, fault: Fault) -> Iterator[Mend]:
        message = fault.message
        if "expected an indented block" in message:
            yield from _indent_block(source, fault)
        elif "unexpected indent" in message:
            yield from _dedent_fault(source, fault)
        elif "unindent does not match" in message:
            yield from _find_nearest_level(source, fault)
        elif "inconsistent use of tabs" in message or fault.kind == "TabError":
            yield from _expand_tabs(source)
        elif "outside function" in message or "outside loop" in message or "not properly in loop" in message:
            yield from _move_into_block(source, fault)
        elif "invalid syntax" in message:
            yield from _align_branch(source, fault)


def _shift_lines(source: str, first: int, last: int, indent: str) -> str:
    """Lines first..last (1-based) with ``indent`` in front of what they have; a text in them, but for a docstring, keeps its value."""
    lines, texts = split_lines(source), list_text_lines(source, apart=first)
    for n in range(first - 1, last):
        if lines[n].strip() and n + 1 not in texts:
            lines[n] = indent + lines[n]
    return "\n".join(lines)


def _indent_block(source: str, fault: Fault) -> Iterator[Mend]:
    lines = split_lines(source)
    match = re.search(r"on line (\d+)", fault.message)
    head = int(match[1]) if match else fault.line - 1
    while head < len(lines) and not lines[head - 1][: find_code_end(lines[head - 1])].endswith(":"):
        head += 1
    base = read_indent(lines[head - 1])
    first = next((n for n in range(head + 1, len(lines) + 1) if lines[n - 1].strip()), 0)
    if commented := _find_commented_body(lines, head, base):
        last, indent = commented
        body = [*lines[:last], f"{indent}pass", *lines[last:]]
        is_named = re.match(r"\s*(?:async\s+)?(?:def|class)\b", lines[head - 1])  # who calls it wants more than nothing
        bound = src.find_names(f"{lines[head - 1].strip()} pass").binds.difference(*map(_list_words, lines[: head - 1]))
        below = next((line.strip() for line in lines[last:] if line.strip()), "")
        sure = is_named is None and bound.isdisjoint(src.find_names(below).uses)
        yield Mend("\n".join(body), "Add `pass` to the block that is commented out", sure, 0.92 if sure else 0.55)
    ends = not first or len(read_indent(lines[first - 1])) < len(base)
    if ends or (first and re.match(rf"{base}(?:def|class)\b", lines[first - 1])):
        body = [*lines[:head], f"{base}{STEP}pass", *lines[head:]]
        yield Mend("\n".join(body), "Add `pass` to the empty block", False, 0.4 if ends else 0.65)
        if ends:
            return
    reach = _find_call_outside(lines, head, first, _find_block_end(lines, first, base))
    # a function's lines up to its return can stand nowhere else; how many lines a loop or a condition holds nobody can tell
    function = bool(re.match(r"\s*(async\s+)?def\b", lines[head - 1]))
    ends_function = function and bool(re.match(r"\s*(return|raise)\b", lines[reach - 1]))
    sure = reach == first or ends_function
    ends_at = (
        [reach]
        if sure
        else [reach, first]
        if function
        else [_find_last_reader(lines, head, first, reach), first, reach]
    )
    for rank, end in enumerate(dict.fromkeys(ends_at)):
        yield Mend(
            _shift_lines(source, first, end, STEP), "Indent the block", sure, (0.9 if sure else 0.6) - 0.05 * rank
        )


def _find_commented_body(lines: list[str], head: int, base: str) -> tuple[int, str] | None:
    """The last line of a block that is code behind ``#`` and nothing else, and the indentation of its first one."""
    last, notes = head, list[str]()
    for n, line in enumerate(lines[head:], head + 1):
        if line.strip() and not (line.lstrip().startswith("#") and len(read_indent(line)) > len(base)):
            break
        if line.strip():
            last = n
            notes.append(line)
    texts = [note.lstrip("# \t") for note in notes]
    if not any(is_code(text) and not PROSE.match(text) for text in texts):
        return None
    return last, read_indent(notes[0])


def _find_last_reader(lines: list[str], head: int, first: int, reach: int) -> int:
    """The last line of a block that reads what only the block binds: outside of it that name would be there by luck."""
    above = {name for line in lines[:head] for name in _list_words(line)}
    bound: set[str] = set()
    last = first
    for n in range(first, reach + 1):
        target = re.match(r"\s*([A-Za-z_]\w*)\s*=(?!=)", lines[n - 1])
        if bound & set(_list_words(lines[n - 1])[1 if target else 0 :]):
            last = n
        if target and target[1] not in above and last == n:
            bound.add(target[1])
    return last


def _list_words(line: str) -> list[str]:
    """The names of a line, without those in its texts and its comment."""
    return WORD.findall("".join(c if code else " " for c, code in zip(line, mark_code(line), strict=True)))


def _find_call_outside(lines: list[str], head: int, first: int, reach: int) -> int:
    """The last line before one that calls the very function without its parameters: that call stands outside of it."""
    defined = re.match(r"\s*(?:async\s+)?def\s+(\w+)\s*\(([^()]*)\)", lines[head - 1])
    if defined is None:
        return reach
    parameters = re.findall(r"[A-Za-z_]\w*", defined[2])
    for n in range(first + 1, reach + 1):
        call = re.match(rf"\s*(?:\w+\s*=\s*)?(?:print\s*\(\s*)?{defined[1]}\s*\((.*)", lines[n - 1])
        if call and not set(re.findall(r"[A-Za-z_]\w*", call[1])) & set(parameters):
            return n - 1
    return reach


def _find_block_end(lines: list[str], first: int, base: str) -> int:
    """The last line of the block: up to a blank line, a shallower line, a new definition, or a ``return`` at its level."""
    last = first
    for n in range(first, len(lines) + 1):
        text = lines[n - 1]
        if not text.strip() or len(read_indent(text)) < len(base):
            break
        at_base = read_indent(text) == base
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


def _dedent_fault(source: str, fault: Fault) -> Iterator[Mend]:
    lines, texts = split_lines(source), list_text_lines(source)
    bad = read_indent(lines[fault.line - 1])
    above = next((lines[n] for n in range(fault.line - 2, -1, -1) if lines[n].strip()), "")
    goal = read_indent(above)
    if len(goal) >= len(bad):
        return
    last = fault.line
    while last < len(lines) and (
        last + 1 in texts or not lines[last].strip() or len(read_indent(lines[last])) >= len(bad)
    ):
        last += 1
    whole = list(lines)
    for n in range(fault.line - 1, last):
        if whole[n].startswith(bad) and n + 1 not in texts:
            whole[n] = goal + whole[n][len(bad) :]
    yield Mend("\n".join(whole), "Align the lines with their block", prior=0.9)
    one = list(lines)
    one[fault.line - 1] = goal + one[fault.line - 1].lstrip()
    yield Mend("\n".join(one), "Align the line with its block", prior=0.8)


def _find_nearest_level(source: str, fault: Fault) -> Iterator[Mend]:
    lines = split_lines(source)
    number = fault.line
    bad = read_indent(lines[number - 1])
    if (owner := _find_only_owner(lines, number)) is not None:
        aligned = [*lines[: number - 1], owner + lines[number - 1].lstrip(), *lines[number:]]
        yield Mend("\n".join(aligned), "Align the branch with its block", True, 0.93)
        return
    levels = sorted({read_indent(t) for t in lines[: number - 1] if t.strip()}, key=lambda i: abs(len(i) - len(bad)))
    last = number
    while last < len(lines) and lines[last].strip() and read_indent(lines[last]) == bad:
        last += 1
    gaps = [abs(len(level) - len(bad)) for level in levels]
    clear = gaps[0] <= 2 and (len(gaps) < 2 or gaps[0] < gaps[1]) if gaps else False
    for level in levels[:2]:
        text = list(lines)
        for n in range(number - 1, last):
            text[n] = level + text[n].lstrip()
        gap = abs(len(level) - len(bad))
        yield Mend("\n".join(text), "Align the line with its block", clear and level == levels[0], 0.9 - gap / 20)


HEADS_ABOVE = {
    "elif": "if|elif",
    "else": "if|elif|for|while|try|except",
    "except": "try|except",
    "finally": "try|except|else",
}
"""What stands last at a branch's own level, above it, where the branch is right."""


def _find_only_owner(lines: list[str], number: int) -> str | None:
    """The indentation of the one open statement that a branch between two levels can belong to; None for any other line, and for several."""
    word = re.match(r"\s*(elif|else|except|finally)\b", lines[number - 1])
    least, owners = 10_000, []
    for line in reversed(lines[: number - 1]) if word is not None else ():
        indent = read_indent(line)
        if not line.strip() or line.lstrip().startswith("#") or len(indent) >= least:
            continue
        least = len(indent)
        if word is not None and re.match(rf"\s*(?:{HEADS_ABOVE[word[1]]})\b", line):
            owners.append(indent)
    return owners[0] if len(owners) == 1 else None


def _expand_tabs(source: str) -> Iterator[Mend]:
    matches = []
    for size in (4, 8, 2):
        lines = [read_indent(t).expandtabs(size) + t.lstrip() if t.strip() else t for t in split_lines(source)]
        mend = Mend("\n".join(lines), "Change tabs to spaces", prior=0.9)
        if find_fault(mend.source) is None:
            matches.append(mend)
    sure = len({m.source for m in matches}) == 1 or len(matches) == 1
    for mend in matches:
        yield Mend(mend.source, mend.title, sure, 0.9 if sure else 0.6)


def _move_into_block(source: str, fault: Fault) -> Iterator[Mend]:
    """``return`` right below a function's (or ``break`` below a loop's) body: it belongs into it."""
    lines = split_lines(source)
    number = fault.line
    above = next((n for n in range(number - 1, 0, -1) if lines[n - 1].strip()), 0)
    bad = read_indent(lines[number - 1])
    if not above or len(read_indent(lines[above - 1])) <= len(bad):
        return
    word = r"def|async\s+def" if "function" in fault.message else "for|while"
    heads = [n for n in range(above, 0, -1) if re.match(rf"\s*({word})\b", lines[n - 1])]
    if not heads:
        return
    inside = next((read_indent(t) for t in lines[heads[0] :] if t.strip()), "")
    if len(inside) <= len(bad):
        return
    first = number
    # the lines between the body and the return that stand at its level belong to it, too
    while first > 1 and lines[first - 2].strip() and read_indent(lines[first - 2]) == bad:
        first -= 1
    text = list(lines)
    for n in range(first - 1, number):
        text[n] = inside + text[n].lstrip()
    yield Mend("\n".join(text), "Indent the line into the block above", prior=0.85)


def _align_branch(source: str, fault: Fault) -> Iterator[Mend]:
    """``elif`` and ``else`` that stand in the body of their ``if``. Not where a loop's body holds them: it may have an ``else`` of its own."""
    lines, texts = split_lines(source), list_text_lines(source)
    word = re.match(r"\s*(elif|else|except|finally)\b", lines[fault.line - 1])
    bad = read_indent(lines[fault.line - 1])
    above = [
        t for n, t in enumerate(lines[: fault.line - 1], 1) if n not in texts and t.strip() and t.lstrip()[0] != "#"
    ]
    if word is None or not above or len(read_indent(above[-1])) < len(bad):
        return
    start = next((n for n in range(len(above) - 1, -1, -1) if len(read_indent(above[n])) < len(bad)), 0)
    heads = "if|elif" if word[1] in ("elif", "else") else "try|except"
    kind = re.match(rf"\s*({heads})\b", above[start])
    if kind is None or len(read_indent(above[start])) >= len(bad):
        return
    moved, beside = _move_branch(lines, fault.line, read_indent(above[start]), texts)
    # what stands beside the branch may belong to it, or behind it; and it may be the branch of what stands right above it
    sure = not beside and not _has_open_owner(above[start + 1 :], word[1], bad)
    yield Mend("\n".join(moved), f"Align the `{word[1]}` with its `{kind[1]}`", sure, 0.9 if sure else 0.6)


def _move_branch(lines: list[str], first: int, goal: str, texts: frozenset[int]) -> tuple[list[str], bool]:
    """The lines with the branch that begins there, and all that follows it in its block, moved to ``goal``; and whether lines stand beside
    the branch. A text of several lines keeps its value."""
    bad, moved, beside = read_indent(lines[first - 1]), list(lines), False
    for n in range(first, len(lines) + 1):
        text = lines[n - 1]
        if n in texts or not text.strip():
            continue
        if len(read_indent(text)) < len(bad):
            break
        if text.startswith(bad):
            own = text[len(bad) :]
            beside = beside or not (own[:1].isspace() or re.match(r"(?:elif|else|except|finally|#)", own))
            moved[n - 1] = goal + own
    return moved, beside


def _has_open_owner(lines: list[str], word: str, indent: str) -> bool:
    """Whether one of the lines opens, exactly there, a statement that may have the branch, and has no ``else`` yet."""
    kinds: list[str] = []
    for text in lines:
        head = re.match(r"(?:async\s+)?(if|for|while|try|else)\b", text[len(indent) :])
        if head is None or read_indent(text) != indent:
            continue
        if head[1] != "else":
            kinds.append(head[1])
        elif kinds and (kinds[-1] != "try" or word == "else"):
            kinds.pop()
    return any(k in OWNERS[word] for k in kinds)
