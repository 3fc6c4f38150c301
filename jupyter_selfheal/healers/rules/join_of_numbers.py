"""TYP107: ``join`` of what is no text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.model import Applicability, Patch

WRITTEN = frozenset(
    {"int", "float", "bool", "complex", "Decimal", "Fraction", "date", "datetime", "time", "Timestamp", "UUID", "PosixPath", "PurePosixPath"}
)  # fmt: skip
"""Types of values whose text is how everybody writes them; NumPy's numbers (``int64``, ``float32``) beside them."""

FUNCTIONS = ("builtin_function_or_method", "method", "function")
WITHOUT_ARGUMENTS = frozenset(
    {"upper", "lower", "title", "capitalize", "swapcase", "casefold", "strip", "lstrip", "rstrip"}
)
"""Methods of a text that give a text and need no argument: https://docs.python.org/3/library/stdtypes.html#string-methods."""


class JoinOfNumbers(Rule):
    """Convert numbers to text before they are joined.

    **Failure** `TypeError: sequence item 0: expected str instance, int found`.

    **Fix** `", ".join(values)` becomes `", ".join(map(str, values))`; `", ".join(n.upper for n in names)` calls the method.

    **Fix safety** Safe for numbers, dates and paths: `join` makes text, and `str` is how each item is written. Unsafe for what is missing (`NaN`: of a column it is left out first), `None`, a list or an object, which may be
    the mistake, and for the method of anything but a text. Silent for other functions, whose text says nothing.
    """

    code = "TYP107"
    name = "join of numbers"
    enames = frozenset({"TypeError"})
    applicability = Applicability.SAFE
    why = "The result is text, and this is how each item is written."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = re.search(r"sequence item \d+: expected str instance, (\w+) found", context.failure.evalue)
        if not match or match[1] == "coroutine":  # what is meant is what it gives
            return
        if match[1] in FUNCTIONS:
            yield from self._call_method(context)
            return
        for failing in context.list_failing_nodes(ast.Call):
            call = failing
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "join"):
                continue
            if len(call.args) != 1:
                return
            argument = call.args[0]
            text = context.text(argument)
            inner = text[1:-1] if isinstance(argument, ast.GeneratorExp) and text.startswith("(") else text
            if isinstance(argument, ast.GeneratorExp | ast.ListComp):
                element = argument.elt
                change = (*context.span(element), f"str({context.text(element)})")
            else:
                change = (*context.span(argument), f"map(str, {inner})")
                if match[1] in ("list", "tuple") and (patches := [*self._join_rows(context, call, argument)]):
                    yield from patches
                    return
            if match[1] == "float" and context.is_true(f"any(_ != _ for _ in {context.operand(argument)})"):
                yield from self._leave_gaps(context, argument, change)
                return
            sure = match[1] in WRITTEN or re.fullmatch(r"u?int\d+|float\d+|bool_?", match[1]) is not None
            yield self.patch(
                context.replace(context.cell_id, [change]),
                "Convert the items to text before joining",
                f"`join` only takes text, not `{match[1]}`.",
                applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                why=self.why if sure else f"A `{match[1]}` among the items may be the mistake.",
                prior=0.9 if sure else 0.5,
            )
            return

    def _join_rows(self, context: RuleContext, call: ast.Call, rows: ast.expr) -> Iterator[Patch]:
        """``"".join(board)`` of rows of texts, which are joined themselves: how a list is written is none of their texts. Where something stands
        between the rows (``"\\n".join(board)``), a space may stand between their texts, too."""
        owner = context.read_plain_chain(rows)
        if not owner or not context.is_true(f"all(isinstance(t, str) for row in {owner} for t in row)"):
            return
        outer = context.text(call.func.value) if isinstance(call.func, ast.Attribute) else ""
        for inner in (outer,) if outer in ("''", '""') else ("''", "' '"):
            yield self.patch(
                context.replace_here((*context.span(rows), f"map({inner}.join, {owner})")),
                "Join the texts of each row first",
                f"`{owner}` holds lists of texts, and `join` only takes texts.",
                applicability=Applicability.UNSAFE,
                why="What stands between the texts of a row is not known.",
                prior=0.7,
            )

    def _leave_gaps(self, context: RuleContext, argument: ast.expr, change: Splice) -> Iterator[Patch]:
        """``", ".join(df["name"])``, where a name is missing: ``nan`` is no text that anybody would join."""
        cause, why = (
            "A value among them is missing (NaN), which is no text.",
            "What becomes of what is missing is yours to say.",
        )
        if context.describe_all([context.text(argument)])[0].is_a("pandas.Series", "pandas.Index"):
            text = context.operand(argument)
            if context.is_true(f"all(isinstance(_, str) for _ in {text}.dropna())"):
                yield self.patch(
                    context.replace_here((*context.span(argument), f"{text}.dropna()")),
                    "Leave out what is missing with `.dropna()`",
                    cause,
                    applicability=Applicability.UNSAFE,
                    why=why,
                    prior=0.6,
                )
        yield self.patch(
            context.replace_here(change),
            "Convert the items to text before joining",
            f"{cause} It would be written `nan`.",
            applicability=Applicability.UNSAFE,
            why=why,
            prior=0.4,
        )

    def _call_method(self, context: RuleContext) -> Iterator[Patch]:
        """``n.upper for n in names``: the method of each item was named and not called."""
        for call in context.list_failing_nodes(ast.Call):
            given = call.args[0] if isinstance(call, ast.Call) and len(call.args) == 1 else None
            if isinstance(given, ast.GeneratorExp | ast.ListComp) and isinstance(given.elt, ast.Attribute):
                text, end = context.text(given.elt), context.span(given.elt)[1]
                sure = given.elt.attr in WITHOUT_ARGUMENTS
                yield self.patch(
                    context.replace_here((end, end, "()")),
                    f"Call `{text}()`",
                    f"`{text}` is a method: call it to get its result.",
                    applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                    why="The method gives a text, and a text is joined." if sure else "Another value may be meant.",
                    prior=0.9 if sure else 0.6,
                )
                return
