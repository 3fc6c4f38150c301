"""TYP229: a blank line among lines of numbers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import find_line_span
from jupyter_selfheal.model import Applicability, Patch

BLANK = re.compile(
    r"(?:invalid literal for int\(\) with base 10: |could not convert string to float: )'(?:\s|\\[nrt])*'$"
)
SPLIT = ("split", "splitlines", "readlines")


class BlankLine(Rule):
    """Pass over a blank line where numbers are read.

    **Failure** `ValueError: invalid literal for int() with base 10: ''` (or `'\\n'`) at `int(line)` in a loop or a comprehension over lines.

    **Fix** `if not line.strip(): continue` at the top of the loop; `[int(line) for line in lines if line.strip()]`.

    **Fix safety** Safe where it is the last of the lines, as behind the last line break of a file, or `split(" ")` cut at two blanks. Unsafe for one
    in between: a number may be missing there. Silent for a cell of a line (`line.split(",")[2]`) and for `input()`.
    """

    code = "TYP229"
    name = "blank line among numbers"
    enames = frozenset({"ValueError"})
    message = BLANK
    applicability = Applicability.SAFE
    why = "The last line ends with a line break, and nothing stands behind it."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_failing_nodes(ast.Call):
            name = _find_read(call) if isinstance(call, ast.Call) else ""
            if not name:
                continue
            loops: list[ast.For | ast.ListComp | ast.GeneratorExp] = [
                *context.walk(ast.For),
                *context.walk(ast.ListComp),
                *context.walk(ast.GeneratorExp),
            ]
            for loop in loops:
                clause = loop if isinstance(loop, ast.For) else loop.generators[0]
                if ast.unparse(clause.target) != name or not _calls_for_each(loop, call):
                    continue
                if isinstance(loop, ast.For):
                    at = context.span(loop.body[0])[0]  # what stands above the reading is for a line with a number, too
                    indent = context.source[find_line_span(context.source, loop.body[0].lineno)[0] : at]
                    if indent.strip():
                        return
                    splice = (at, at, f"if not {name}.strip():\n{indent}    continue\n{indent}")
                else:
                    end = context.span(clause.iter)[1]
                    splice = (end, end, f" if {name}.strip()")
                sure = self._is_last(context, clause.iter)
                yield self.patch(
                    context.replace_here(splice),
                    f"Pass over blank lines: `if not {name}.strip()`",
                    f"`{name}` is blank there, and no number.",
                    applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                    why=self.why if sure else "A number may be missing there.",
                    prior=0.9 if sure else 0.7,
                )
                return

    def _is_last(self, context: RuleContext, lines: ast.expr) -> bool:
        """Whether the one blank line is the last one; of an iterator, the loop has already taken what stood before."""
        text = context.text(lines)
        is_plain = (
            context.read_plain_chain(lines) is not None or getattr(getattr(lines, "func", None), "attr", "") in SPLIT
        )
        return is_plain and context.is_true(
            f"isinstance({text}, (list, tuple)) and [t.strip() for t in {text}].index('') == len({text}) - 1"
        )


def _calls_for_each(loop: ast.For | ast.ListComp | ast.GeneratorExp, call: ast.Call) -> bool:
    """Whether a loop makes a call for each of its items."""
    parts = loop.body if isinstance(loop, ast.For) else [loop.elt, *loop.generators[0].ifs, *loop.generators[1:]]
    return any(n is call for part in parts for n in ast.walk(part))


def _find_read(call: ast.Call) -> str:
    """The name that ``int(name)``, ``float(name)`` and ``int(name.strip())`` read."""
    if not (isinstance(call.func, ast.Name) and call.func.id in ("int", "float") and len(call.args) == 1):
        return ""
    given = call.args[0]
    if isinstance(given, ast.Call) and isinstance(given.func, ast.Attribute) and given.func.attr in ("strip", "rstrip"):
        given = given.func.value
    return given.id if isinstance(given, ast.Name) else ""
