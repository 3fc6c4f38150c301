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
    `file.write("\\n".join(lines))`. `json.dump(settings, file)` for a file whose name ends with `.json`.

    **Fix safety** Safe where each line ends with its newline, as `readlines` gives them. Unsafe else: the newlines may be wanted between them.
    """

    code = "TYP218"
    name = "list written to a file"
    enames = frozenset({"TypeError"})
    message = re.compile(r"write\(\) argument must be str, not (dict|list|tuple|generator|map|dict_keys)")
    applicability = Applicability.SAFE
    why = "Each line ends with its newline, so that one is written after the other."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if context.failure.evalue.endswith("not dict"):
            yield from self._dump(context)
            return
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

    def _dump(self, context: RuleContext) -> Iterator[Patch]:
        """``file.write(settings)`` into a file that is named as one of JSON."""
        for call in context.list_calls_at_failure():
            match call:
                case ast.Call(ast.Attribute(ast.Name(file), "write"), [given], []):
                    is_json = context.is_true(f"str({file}.name).endswith('.json')")
                    named = context.reference("json.dump") if is_json else None
                    if named is None:
                        return
                    imports = context.add_imports([named.import_line] if named.import_line else [])
                    new = f"{named.text}({context.text(given)}, {file})"
                    writes = [c for c in context.walk(ast.Call) if context.text(c.func) == f"{file}.write"]
                    loops = [
                        n for n in context.walk(ast.For, ast.While) if n.lineno <= context.line <= (n.end_lineno or 0)
                    ]
                    is_one = len(writes) == 1 and not loops
                    yield self.patch(
                        context.replace_here(*imports, (*context.span(call), new)),
                        f"Use `{new}`",
                        "`write` takes a text, and JSON is how such a file holds something else.",
                        applicability=Applicability.SAFE if is_one else Applicability.UNSAFE,
                        why="The file's name says that it holds JSON."
                        if is_one
                        else "It is written to more than once, and a file of JSON holds one value.",
                        prior=0.93,
                    )
                    return
