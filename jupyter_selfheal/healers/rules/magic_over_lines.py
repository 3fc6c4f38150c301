"""SYN110: a line magic whose code goes on over several lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Stage
from jupyter_selfheal.healers.rules.context.code_lines import split_lines
from jupyter_selfheal.healers.rules.context.syntax import Mend, SyntaxRule
from jupyter_selfheal.healers.syntax.fault import Fault

MAGIC = re.compile(r"^\s*%(?:timeit|time|prun|memit)\s+(?:-\w+\s*\d*\s+)*(?=\S)")


class MagicOverLines(SyntaxRule):
    """Put the code of a line magic on the magic's own line.

    **Failure** `unexpected indent` below `%timeit f(x,`, whose bracket closes on a later line: a line magic is one line, and old
    notebooks were run by an IPython that read on.

    **Fix** The lines up to the closing bracket are joined.

    **Fix safety** Safe: the joined code is the same expression, and it compiles. Silent where a comment stands on one of the lines, or a text goes
    on over them.
    """

    code = "SYN110"
    name = "line magic over several lines"
    stage = Stage.LAST
    why = "The code up to the closing bracket is one expression, and compiles as such."

    def mends(self, source: str, fault: Fault) -> Iterator[Mend]:
        lines = split_lines(source)
        for first in range(min(fault.line, len(lines)) - 1, -1, -1):
            match = MAGIC.match(lines[first])
            if match is None:
                continue
            code = whole = lines[first][match.end() :].rstrip()
            for last in range(first + 1, len(lines)):
                if src.can_compile(code) or "#" in code:
                    break
                code = f"{code.removesuffix(chr(92)).rstrip()} {lines[last].strip()}"
                whole = f"{whole}\n{lines[last]}"
                if _is_same_code(code, whole) and "#" not in code and last + 1 >= fault.line:
                    joined = [*lines[:first], match[0] + code, *lines[last + 1 :]]
                    yield Mend("\n".join(joined), f"Join the lines of `{match[0].strip()}`", prior=0.93)
                    return
            return


def _is_same_code(joined: str, whole: str) -> bool:
    """Whether the joined lines are the code that they were on several: a text that goes on over them would be another one."""
    one, several = src.parse(joined), src.parse(whole)
    return one is not None and several is not None and src.dump_tree(one) == src.dump_tree(several)
