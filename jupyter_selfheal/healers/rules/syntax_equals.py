"""SYN106: ``=`` where ``==`` or ``:`` is meant."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context.syntax import (
    Fault,
    Mend,
    SyntaxRule,
    find_fault,
    mark_code,
    replace_line,
    split_lines,
)

CONDITION = re.compile(r"^\s*(if|elif|while|assert|return|print|not)\b|\bif\b|\band\b|\bor\b|\blambda\b|\bwhile\b")


class Equals(SyntaxRule):
    """Compare with `==`, and give a dictionary's key its `:`.

    **Failure** `invalid syntax. Maybe you meant '==' or ':=' instead of '='?`, `cannot assign to … here`, `':' expected after
    dictionary key`.

    **Fix** `=` becomes `==` in a condition and in an index (`df[df.a = 1]`), `:` in a dictionary; `=<`, `=>`, `=!`, `===` become `<=`, `>=`, `!=`, `==`.

    **Fix safety** Safe: an assignment cannot stand in a condition, in an index, nor in a dictionary.
    """

    code = "SYN106"
    name = "= for == or :"
    why = "An assignment cannot stand there, so a comparison (or a key's colon) is meant."

    def mends(self, source: str, fault: Fault) -> Iterator[Mend]:
        if not re.search(
            r"'='|cannot assign|invalid syntax|dictionary key|perhaps you meant|forgot a comma", fault.message
        ):
            return
        lines = split_lines(source)
        line = lines[fault.line - 1] if fault.line <= len(lines) else ""
        code = mark_code(line)
        for wrong, right in (("=<", "<="), ("=>", ">="), ("=!", "!="), ("===", "=="), ("<>", "!="), ("!==", "!=")):
            at = line.find(wrong)
            if at >= 0 and code[at]:
                text = line[:at] + right + line[at + len(wrong) :]
                yield Mend(replace_line(source, fault.line, text), f"Change `{wrong}` to `{right}`", prior=0.95)
        for match in re.finditer(r"(?<![=!<>:+\-*/%&|^@])=(?!=)", line):
            at = match.start()
            if not code[at]:
                continue
            if CONDITION.search(line[:at]) or _selects_items(line[:at], code):
                text = line[:at] + "==" + line[at + 1 :]
                yield Mend(replace_line(source, fault.line, text), "Compare with `==`", prior=0.95)
            if "{" in "".join(lines[: fault.line]) and (text := _write_as_dictionary(line)) != line:
                mend = Mend(replace_line(source, fault.line, text), "Use `:` after a dictionary's key", prior=0.9)
                after = find_fault(mend.source)
                if after is None or after.line > fault.line:
                    yield mend
                    return


def _selects_items(text: str, code: list[bool]) -> bool:
    """``df[df.a`` before a ``=``: an index by what is compared of the collection itself, or of a column; ``xs[i`` is an index by a number."""
    opened: list[int] = []
    for at, sign in enumerate(text):
        if code[at] and sign in "([{":
            opened.append(at)
        elif code[at] and sign in ")]}" and opened:
            opened.pop()
    owner = re.search(r"(\w+)$", text[: opened[-1]]) if opened and text[opened[-1]] == "[" else None
    if owner is None:
        return False
    compared = text[opened[-1] + 1 :].strip()
    return compared == owner[1] or bool(re.fullmatch(r"[\w.]+(?:\.\w+|\[[^\[\]]+\])", compared))


def _write_as_dictionary(line: str) -> str:
    """``'a' = 1`` → ``'a': 1`` for every literal key of the line."""
    return re.sub(r"((?:'[^']*'|\"[^\"]*\"|\b\d+))\s*=\s*(?!=)", r"\1: ", line)
