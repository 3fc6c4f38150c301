"""SQL102: one text where the parameters of a statement belong."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"Incorrect number of bindings supplied|uses 1, and there (?:are|is) \d+ supplied|[Pp]arameters are of unsupported|"
    r"execute expected at most 2 arguments, got \d+"
)


class SqliteParameters(Rule):
    """Give the parameters of a statement as a tuple.

    **Failure** `ProgrammingError: Incorrect number of bindings supplied. The current statement uses 1, and there are 3 supplied`, at
    `execute("… = ?", ("Ann"))`: brackets around one value make no tuple. `TypeError: execute expected at most 2 arguments, got 3` at
    `execute("… (?, ?)", 1, "Ann")`.

    **Fix** `("Ann",)`, `(1, "Ann")`.

    **Fix safety** Safe: the statement has as many places as values are given.
    """

    code = "SQL102"
    name = "parameters of SQL"
    enames = frozenset({"ProgrammingError", "ValueError", "InterfaceError", "TypeError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "The statement has as many places as values are given."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            if getattr(call.func, "attr", "") != "execute" or len(call.args) < 2:
                continue
            statement, given, *others = call.args
            text = statement.value if isinstance(statement, ast.Constant) else ""
            if others:
                if isinstance(text, str) and text.count("?") == len(others) + 1:
                    yield self._bind_together(context, given, others)
                return
            if not isinstance(text, str) or text.count("?") != 1 or isinstance(given, ast.Tuple | ast.List | ast.Dict):
                return
            value = context.describe_all([given])[0]
            if not value.is_a("builtins.str", "builtins.int", "builtins.float", "builtins.bytes"):
                return
            start, end = _with_brackets(context.source, *context.span(given))
            yield self.patch(
                context.replace(context.cell_id, [(start, end, f"({context.text(given)},)")]),
                f"Use `({context.text(given)},)`",
                "The parameters must be a tuple: parentheses around one value don't make one.",
                prior=0.92,
            )
            return

    def _bind_together(self, context: RuleContext, first: ast.expr, others: list[ast.expr]) -> Patch:
        values = f"({', '.join(context.text(v) for v in (first, *others))})"
        return self.patch(
            context.replace_here((context.span(first)[0], context.span(others[-1])[1], values)),
            f"Use `{values}`",
            "The parameters must be one tuple.",
            prior=0.95,
        )


def _with_brackets(source: str, start: int, end: int) -> tuple[int, int]:
    """The span with the one pair of round brackets directly around it, if there is one beside the call's own."""
    before, after = source[:start].rstrip(), source[end:]
    stripped = after.lstrip()
    if before.endswith("(") and stripped.startswith(")") and stripped[1:].lstrip().startswith((")", ",")):
        return len(before) - 1, end + len(after) - len(stripped) + 1
    return start, end
