"""SYN102: a colon that is missing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context.code_lines import find_code_end, replace_line, split_lines
from jupyter_selfheal.healers.rules.context.syntax import Mend, SyntaxRule
from jupyter_selfheal.healers.syntax.fault import Fault, find_fault

HEADER = re.compile(
    r"^\s*(?:async\s+)?(if|elif|else|for|while|def|class|with|try|except|finally|match|case)\b(?!\s*[=.,)])"
)


class MissingColon(SyntaxRule):
    """Add the colon after a compound statement's head.

    **Failure** `SyntaxError: expected ':'`.

    **Fix** `:` at the end of the head; a `;` or `,` that stands in its place is replaced. All heads of the cell are mended.

    **Fix safety** Safe: the grammar allows nothing else there.
    """

    code = "SYN102"
    name = "missing colon"
    why = "The grammar allows nothing but a colon there."

    def mends(self, source: str, fault: Fault) -> Iterator[Mend]:
        if "expected ':'" not in fault.message and "invalid syntax" not in fault.message:
            return
        lines = split_lines(source)
        for number in dict.fromkeys((fault.line, fault.line - 1)):
            if not 1 <= number <= len(lines):
                continue
            line = lines[number - 1]
            if re.match(r"\s*else\s+if\b.*:", line):
                return  # `elif` is meant
            end = find_code_end(line)
            if "expected ':'" in fault.message and number == fault.line and fault.column < end:
                # the head's end may be inside the line: ``if x > 0 print(x)``
                yield from _put_compiling_first(source, number, line, fault.column, end)
            elif HEADER.match(line) and end and line[end - 1] not in ":\\([{,":
                stripped = line[:end].rstrip(";.,")
                yield Mend(
                    replace_line(source, number, stripped + ":" + line[end:]), "Add the missing colon", prior=0.95
                )
                if number == fault.line and fault.column < end:
                    text = line[: fault.column].rstrip() + ": " + line[fault.column :]
                    yield Mend(replace_line(source, number, text), "Add the missing colon", prior=0.95)


def _put_compiling_first(source: str, number: int, line: str, column: int, end: int) -> Iterator[Mend]:
    before = line[:column].rstrip()
    inside = Mend(
        replace_line(source, number, before + ": " + line[column:].lstrip(" ;,")), "Add the missing colon", prior=0.95
    )
    atend = Mend(
        replace_line(source, number, line[:end].rstrip(";.,") + ":" + line[end:]), "Add the missing colon", prior=0.95
    )
    ordered = (inside, atend) if find_fault(inside.source) is None else (atend, inside)
    yield from ordered
