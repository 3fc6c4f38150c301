"""SQL102: one text where the parameters of a statement belong."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, questions
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"Incorrect number of bindings supplied|uses 1, and there (?:are|is) \d+ supplied|[Pp]arameters are of unsupported|"
    r"execute expected at most 2 arguments, got \d+|table \w+ has \d+ columns but \d+ values were supplied|near \"%\": syntax error"
)
SUPPLIED = re.compile(r"table (\w+) has (\d+) columns but (\d+) values")


class SqliteParameters(Rule):
    """Give the parameters of a statement as a tuple.

    **Failure** `ProgrammingError: Incorrect number of bindings supplied. The current statement uses 1, and there are 3 supplied`, at
    `execute("… = ?", ("Ann"))`: brackets around one value make no tuple. `TypeError: execute expected at most 2 arguments, got 3` at
    `execute("… (?, ?)", 1, "Ann")`; `OperationalError: table people has 3 columns but 2 values were supplied`,
    `near "%": syntax error` at `execute("… = %s", (name,))`.

    **Fix** `("Ann",)`, `(1, "Ann")`; `?` for each `%s` of other databases; `INSERT INTO people (name, age) VALUES …`, where the first column is the key that SQLite counts itself.

    **Fix safety** Safe: the statement has as many places as values are given, and a cell creates the table with `id INTEGER PRIMARY KEY` in front.
    """

    code = "SQL102"
    name = "parameters of SQL"
    enames = frozenset({"ProgrammingError", "ValueError", "InterfaceError", "TypeError", "OperationalError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "The statement has as many places as values are given."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if told := SUPPLIED.search(context.failure.evalue):
            if int(told[2]) == int(told[3]) + 1:
                yield from self._leave_key_out(context, told[1])
            return
        for call in context.list_calls_at_failure():
            if getattr(call.func, "attr", "") != "execute" or len(call.args) < 2:
                continue
            statement, given, *others = call.args
            if '"%"' in context.failure.evalue:
                yield from self._write_places(context, statement, given)
                return
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

    def _write_places(self, context: RuleContext, statement: ast.expr, given: ast.expr) -> Iterator[Patch]:
        """``?`` for the `%s` of other databases."""
        text = context.text(statement)
        count = context.number(f"len({context.text(given)})") if not isinstance(given, ast.Dict) else None
        if (
            isinstance(statement, ast.Constant)
            and count == text.count("%s") > 0
            and "'%s'" not in text
            and "?" not in text
        ):
            yield self.patch(
                context.replace_here((*context.span(statement), text.replace("%s", "?"))),
                "Write `?` for `%s`",
                "SQLite's places for values are written `?`.",
                prior=0.95,
            )

    def _leave_key_out(self, context: RuleContext, table: str) -> Iterator[Patch]:
        """``INSERT INTO people VALUES (?, ?)`` into a table whose first column SQLite numbers itself."""
        columns = context.ask(questions.LIST_SQLITE_TABLES).get(table, [""])
        key = rf"(?i)create\s+table\s+(?:if\s+not\s+exists\s+)?{table}\s*\(\s*{columns[0]}\s+integer\s+primary\s+key"
        code = [context.source_of(c.id) for c in context.notebook.cells if c.kind == "code"]
        into = list(re.finditer(rf"(?i)\binto\s+{table}(?=\s+values\b)", context.source))
        if len(into) == 1 and any(re.search(key, source) for source in code):
            names = f"({', '.join(columns[1:])})"
            yield self.patch(
                context.replace_here((into[0].end(), into[0].end(), f" {names}")),
                f"Name the columns: `{names}`",
                f"`{table}` has the columns {', '.join(columns)}, and no value is given for `{columns[0]}`, which SQLite counts itself.",
                why=f"`{columns[0]}` is an INTEGER PRIMARY KEY, and the values are as many as the other columns.",
                prior=0.9,
            )

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
