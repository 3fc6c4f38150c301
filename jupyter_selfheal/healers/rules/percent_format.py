"""TYP103: ``%`` formatting with the wrong arguments, or outside of the call."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.value_types import find_type, read_number_in
from jupyter_selfheal.model import Applicability, Patch

FIELD = re.compile(r"%(?:\(\w+\))?[-#0 +]*(\*|\d+)?(?:\.(\*|\d+))?[hlL]?([diouxXeEfFgGcrsa%])")


class PercentFormat(Rule):
    """Give `%` the arguments it formats.

    **Failure** `TypeError: not enough arguments for format string`, `not all arguments converted during string formatting`,
    `%d format: a real number is required, not str`, and `unsupported operand type(s) for %: 'NoneType' and 'int'` for
    `print("…") % x`.

    **Fix** The values that stand behind `%` without brackets become its tuple: `"%s %d" % name, points` →
    `"%s %d" % (name, points)`; a tuple that is one value is wrapped; `%d` of a text becomes `%s`, `%f` of one that holds a number gets `float(…)`; `print("…") % x` becomes
    `print("…" % x)`.

    **Fix safety** Safe where the number of fields is the number of values then. Unsafe for `%d` → `%s`.
    """

    code = "TYP103"
    name = "percent formatting"
    enames = frozenset({"TypeError", "ValueError"})
    applicability = Applicability.SAFE
    why = "The fields and the values are as many, then."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        message = context.failure.evalue
        if not re.search(
            r"format string|string formatting|format: a|for %: 'NoneType'|unsupported format character|must be real number, not str",
            message,
        ):
            return
        for node in context.list_failing_nodes(ast.BinOp):
            if not isinstance(node.op, ast.Mod):
                continue
            if "NoneType" in message:
                yield from self._move_into_print(context, node)
            elif "real number" in message and (texts := _find_numbers(context, node)):
                changes = [(*context.span(v), f"{kind}({context.text(v)})") for v, kind in texts]
                patch = self._build_patch(context, changes, "Convert the text to a number")
                yield replace(patch, why="The field is one for a number, and the text holds one.")
            elif "format: a" in message:
                yield from self._change_field(context, node)
            else:
                yield from self._mend_values(context, node)
            return

    def _build_patch(self, context: RuleContext, changes: list[Splice], title: str, sure: bool = True) -> Patch:
        return self.patch(
            context.replace(context.cell_id, changes),
            title,
            "The values don't match the format.",
            applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
            why=self.why if sure else "The value is a text; it may have been meant as a number.",
            prior=0.9 if sure else 0.6,
        )

    def _move_into_print(self, context: RuleContext, node: ast.BinOp) -> Iterator[Patch]:
        call = node.left
        if not (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Name)
            and call.func.id == "print"
            and len(call.args) == 1
        ):
            return
        start, end = context.span(node)
        text = f"print({context.text(call.args[0])} % {context.text(node.right)})"
        yield self._build_patch(context, [(start, end, text)], "Format inside of `print`")

    def _mend_values(self, context: RuleContext, node: ast.BinOp) -> Iterator[Patch]:
        count = _count_fields(node.left)
        if count < 0:
            return
        right = context.span(node.right)
        siblings = _list_following(context, node)
        if "not enough" in context.failure.evalue and count > 1:
            given = [node.right, *siblings]
            if len(given) == count and siblings:
                end = context.span(siblings[-1])[1]
                inside = context.source[right[0] : end]
                yield self._build_patch(context, [(right[0], end, f"({inside})")], "Put the values into one tuple")
        elif "not all arguments" in context.failure.evalue:
            if count == 1 and not isinstance(node.right, ast.Tuple):
                yield self._build_patch(
                    context, [(*right, f"({context.text(node.right)},)")], "Format the tuple as one value"
                )
            elif count == 0 and isinstance(node.left, ast.Constant) and "{" in str(node.left.value):
                values = context.text(node.right)
                inside = values[1:-1] if isinstance(node.right, ast.Tuple) and values.startswith("(") else values
                text = f"{context.text(node.left)}.format({inside.rstrip(', ')})"
                yield self._build_patch(
                    context, [(*context.span(node), text)], "Format with `str.format`, whose fields these are"
                )

    def _change_field(self, context: RuleContext, node: ast.BinOp) -> Iterator[Patch]:
        start, end = context.span(node.left)
        text = context.source[start:end]
        match = re.search(r"%([a-zA-Z]) format: a", context.failure.evalue)
        fields = [m for m in FIELD.finditer(text) if match and m[3] == match[1]]
        if len(fields) == 1:
            at = start + fields[0].end() - 1
            yield self._build_patch(context, [(at, at + 1, "s")], "Format the text with `%s`", sure=False)


def _find_numbers(context: RuleContext, node: ast.BinOp) -> list[tuple[ast.expr, str]]:
    """The texts of numbers that stand for ``%f`` and the like, each with what reads it as such a number."""
    values = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
    fields = [m for m in FIELD.finditer(str(getattr(node.left, "value", ""))) if m[3] != "%"]
    if len(fields) != len(values):
        return []
    texts = [v for v, f in zip(values, fields, strict=True) if f[3] in "eEfFgG" and read_number_in(context, v)]
    return [(v, "float") for v in texts if find_type(context, v) == "str"]


def _count_fields(node: ast.expr) -> int:
    """How many values the format takes; -1 where it is not a literal."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return -1
    return sum(1 + (m[1] == "*") + (m[2] == "*") for m in FIELD.finditer(node.value) if m[3] != "%")


def _list_following(context: RuleContext, node: ast.BinOp) -> list[ast.expr]:
    """The expressions behind the ``%`` in the same tuple or call: ``"…" % a, b``."""
    lists = [outer.elts for outer in context.walk(ast.Tuple)] + [outer.args for outer in context.walk(ast.Call)]
    for items in lists:
        if node in items:
            return items[items.index(node) + 1 :]
    return []
