"""TYP218: a list of lines given to a file's ``write``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch


class ListWritten(Rule):
    """Write the lines of a list one after the other.

    **Failure** `TypeError: write() argument must be str, not list` at `file.write(lines)`.

    **Fix** `file.writelines(lines)`, where each item is a text; where none of them ends its line also
    `file.write("\\n".join(lines))`.

    **Fix safety** Safe where each line ends with its newline, as `readlines` gives them. Unsafe else: the newlines may be wanted between them.
    """

    code = "TYP218"
    name = "list written to a file"
    enames = frozenset({"TypeError"})
    message = re.compile(r"write\(\) argument must be str, not (list|tuple|generator|map|dict_keys)")
    applicability = Applicability.SAFE
    why = "Each line ends with its newline, so that one is written after the other."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            is_write = isinstance(call.func, ast.Attribute) and call.func.attr == "write" and len(call.args) == 1
            lines = context.read_plain_chain(call.args[0]) if is_write else None
            if lines is None or not isinstance(call.func, ast.Attribute):
                if not is_write or not isinstance(call.args[0], ast.List | ast.ListComp):
                    continue
                lines = context.text(call.args[0])
            assert isinstance(call.func, ast.Attribute)
            if not context.is_true(f"all(isinstance(line, str) for line in {lines})"):
                continue
            ended = context.is_true(f"all(line.endswith(chr(10)) for line in {lines})")
            start, end = context.find_attribute_span(call.func)
            yield self.patch(
                context.replace_here((start, end, "writelines")),
                "Write the lines with `writelines`",
                f"`write` takes one text; `{lines}` is a list of them.",
                applicability=Applicability.SAFE if ended else Applicability.UNSAFE,
                why=self.why if ended else "Newlines may be wanted between them.",
                prior=0.9 if ended else 0.6,
            )
            if not ended:
                yield self.patch(
                    context.replace_here((*context.span(call.args[0]), f'"\\n".join({lines})')),
                    "Write each item on a line of its own",
                    f"`write` takes one text; `{lines}` is a list of them.",
                    applicability=Applicability.UNSAFE,
                    why="They may be wanted one after the other, without newlines.",
                    prior=0.65,
                )
            return
