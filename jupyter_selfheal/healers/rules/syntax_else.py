"""SYN111: a conditional expression without its `else`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context.code_lines import replace_line, split_lines
from jupyter_selfheal.healers.rules.context.syntax import Mend, SyntaxRule
from jupyter_selfheal.healers.syntax.fault import Fault, find_fault

GAP = re.compile(r"(?<=[\w\"')\]])[ \t]+(?=[\w\"'(\[])")


class SyntaxElse(SyntaxRule):
    """Put the `else` that a conditional expression lacks.

    **Failure** `SyntaxError: expected 'else' after 'if' expression` at `print("even" if n % 2 == 0 "odd")`.

    **Fix** `"even" if n % 2 == 0 else "odd"`.

    **Fix safety** Safe where the line can be read so in one way only.
    """

    code = "SYN111"
    name = "conditional expression without else"
    why = "There is one place only where the word makes the line one of Python."

    def mends(self, source: str, fault: Fault) -> Iterator[Mend]:
        if "expected 'else' after 'if' expression" not in fault.message:
            return
        line = split_lines(source)[fault.line - 1]
        start = line.find(" if ") + 4
        matches = [
            mend
            for gap in GAP.finditer(line, start)
            if find_fault(
                (
                    mend := Mend(
                        replace_line(source, fault.line, f"{line[: gap.start()]} else {line[gap.end() :]}"),
                        "Add the missing `else`",
                    )
                ).source
            )
            is None
        ]
        if len(matches) == 1:
            yield matches[0]
