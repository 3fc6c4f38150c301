"""SYN108: a slip in a keyword, or a form that another language has."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context.spelling import find_nearest
from jupyter_selfheal.healers.rules.context.syntax import (
    WORD,
    Fault,
    Mend,
    SyntaxRule,
    fault_of,
    lines_of,
    outside_strings,
    with_line,
)

FORMS: tuple[tuple[str, str, str], ...] = (
    # (pattern, replacement, title)
    (r"\belse\s+if\b", "elif", "Write `elif`"),
    (r"\b(elseif|elsif|elif\s+if)\b", "elif", "Write `elif`"),
    (r"\belif\s*:", "else:", "Write `else`"),
    (r"\belse\b(?=\s+[^:#\s].*:\s*$)", "elif", "Write `elif`"),
    (r"^(\s*)(\w+)\s*\+\+\s*;?\s*$", r"\1\2 += 1", "Write `+= 1` for `++`"),
    (r"^(\s*)\+\+(\w+)\s*;?\s*$", r"\1\2 += 1", "Write `+= 1` for `++`"),
    (r"^(\s*)(\w+)\s*--\s*;?\s*$", r"\1\2 -= 1", "Write `-= 1` for `--`"),
    (r"\s*&&\s*", " and ", "Write `and` for `&&`"),
    (r"\s*\|\|\s*", " or ", "Write `or` for `||`"),
    (r"(?<![=!<>])!(?=\s*[\w(])(?!=)", "not ", "Write `not` for `!`"),
    (r"\bis\s+not\s+in\b", "not in", "Write `not in`"),
    (r"(\w+)\s+not\s+is\b", r"\1 is not", "Write `is not`"),
    (r"\bfor\s+each\b", "for", "Write `for`"),
    (r"\b(function|func|fn|fun|define)(\s+\w+\s*\(.*\))", r"def\2", "Write `def`"),
    (r"\bdef\s+function\s+", "def ", "Write `def`"),
    (r"^(\s*)for\s*\(\s*(\w+)\s+in\s+(.+?)\)\s*:", r"\1for \2 in \3:", "Write the loop without brackets"),
    (r"^(\s*for\s+\w+)\s+(?!in\b|,)(?=(range|enumerate|zip)\b)", r"\1 in ", "Add the missing `in`"),
    (r"^(\s*for\s+\w+)\s+(of|on|inn|from)\s+", r"\1 in ", "Write `in`"),
    (r"^(\s*for\s+\w+)\s*=\s*(?=range\b)", r"\1 in ", "Write `in` for `=`"),
    (r"^(\s*import\s+[\w.]+)\s+(?!as\b|,|;|#)(\w+)\s*$", r"\1 as \2", "Add the missing `as`"),
    (r"^(\s*from\s+[\w.]+\s+import\s+\w+)\s+(?!as\b|,|;|#)(\w+)\s*$", r"\1 as \2", "Add the missing `as`"),
    (r"^(\s*)import\s+(\w+)\s+from\s+([\w.]+)\s*$", r"\1from \3 import \2", "Write `from … import …`"),
    (r"^(\s*from\s+[\w.]+\s+)imports\b", r"\1import", "Write `import`"),
    (r"\bthen\s*:?\s*$", ":", "Write `:` for `then`"),
    (r"^(\s*)(var|let|const|int|float|string|double)\s+(\w+)\s*=(?!=)", r"\1\3 =", "Assign without a type word"),
    (r"\bcatch\b", "except", "Write `except`"),
    (r"\bthrow\b(\s+new)?\s+", "raise ", "Write `raise`"),
    (r"\bnew\s+(?=[A-Z]\w*\()", "", "Make the object without `new`"),
    (r"\bnull\b", "None", "Write `None`"),
    (r"<-", "=", "Assign with `=`"),
    (r"\s*//\s+(.*)$", r"  # \1", "Write the comment with `#`"),
    (r":\s*\{\s*$", ":", "Write the block without braces"),
    (r";\s*:", ":", "Write `:`"),
    (r"::\s*$", ":", "Write `:`"),
    (r"^(\s*)(\w+)\s*=\+\s*(?=\w)", r"\1\2 += ", "Write `+=`"),
    (r"\b(\w+)\s*=\s*=\s*", r"\1 == ", "Write `==`"),
    (r"([<>!])\s+=", r"\1=", "Write the comparison in one"),
    (r"\\\s+$", "\\\\", "End the line with the backslash"),
)


class ForeignSyntax(SyntaxRule):
    """Write Python's own form for a keyword's slip or another language's form.

    **Failure** `invalid syntax` at `else if`, `i++`, `&&`, `!found`, `for i range(3)`, `import numpy np`, `retrun x`, `function f()`,
    `leading zeros in decimal integer literals`.

    **Fix** `elif`, `i += 1`, `and`, `not found`, `for i in range(3)`, `import numpy as np`, `return x`, `def f()`. A word that is one
    slip away from a keyword becomes it, where the cell then gets further.

    **Fix safety** Safe: the form means this in the language that it comes from, and nothing in Python.
    """

    code = "SYN108"
    name = "slip in a keyword or foreign form"
    why = "The form means nothing in Python, and only this where it comes from."

    def mends(self, source: str, fault: Fault) -> Iterator[Mend]:
        if "never closed" in fault.message or "unterminated" in fault.message or "indent" in fault.message:
            return
        lines = lines_of(source)
        for number in dict.fromkeys((fault.line, fault.line - 1)):
            if not 1 <= number <= len(lines):
                continue
            line = lines[number - 1]
            for mend in (*_foreign(source, number, line), *_keyword_slips(source, number, line)):
                after = fault_of(mend.source)
                if after is None or after.line > fault.line:
                    yield mend


def _foreign(source: str, number: int, line: str) -> Iterator[Mend]:
    if "leading zeros" in (getattr(fault_of(source), "message", "")):
        yield from _leading_zeros(source, number, line)
        return
    for pattern, text, title in FORMS:
        changed = _outside(pattern, text, line)
        if changed != line:
            yield Mend(with_line(source, number, changed), title, prior=0.92)


def _outside(pattern: str, text: str, line: str) -> str:
    """Substitute where the match begins in code, not in a text or comment."""
    code = outside_strings(line)

    def one(found: re.Match[str]) -> str:
        at = found.start()
        while at < found.end() - 1 and line[at] == " ":
            at += 1
        return found.expand(text) if at < len(code) and code[at] else found[0]

    return re.sub(pattern, one, line)


def _leading_zeros(source: str, number: int, line: str) -> Iterator[Mend]:
    """Python 2 read ``0644`` as octal; ``08`` and ``05`` are plain numbers of a date or a code."""

    def one(found: re.Match[str]) -> str:
        digits = found[0].lstrip("0")
        octal = len(found[0]) > 2 and not set(digits) & set("89")
        return "0o" + digits if octal else digits

    changed = re.sub(r"(?<![\w.])0+[1-9]\d*(?![\w.])", one, line)
    if changed != line:
        yield Mend(with_line(source, number, changed), "Write the number without its leading zero", prior=0.9)


def _keyword_slips(source: str, number: int, line: str) -> Iterator[Mend]:
    code = outside_strings(line)
    for found in WORD.finditer(line):
        word = found[0]
        if not code[found.start()] or word in keyword.kwlist or len(word) < 2:
            continue
        for near in find_nearest(word, [*keyword.kwlist, "print"])[:3]:
            if len(near) < 3 and word.casefold() != near:
                continue
            changed = line[: found.start()] + near + line[found.end() :]
            yield Mend(with_line(source, number, changed), f"Write `{near}` for `{word}`", prior=0.9)
    joined = re.match(
        r"^(\s*)(import|from|return|def|class|for|while|if|elif|not|print)(?=[A-Za-z_\d\"'])(\S.*)$", line
    )
    if joined:
        yield Mend(
            with_line(source, number, f"{joined[1]}{joined[2]} {joined[3]}"),
            f"Put a blank after `{joined[2]}`",
            prior=0.7,
        )
