"""SQL101: a table or column whose name is misspelt in a statement of SQL."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, questions
from jupyter_selfheal.healers.rules.context.spelling import find_nearest, is_plain_slip
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"(?:no such (column|table)|has no (column) named):? (?:(?P<of>\w+)\.)?(\w+)")

NAMED = re.compile(
    r"(?:Referenced column|Table \"(?P<of>\w+)\" does not have a column named|(?:Function|Table) with name) \"?(?P<wrong>\w+)\"?.*?"
    r"(?:Candidate bindings|Did you mean):?(?P<names>.*)",
    re.DOTALL,
)
"""What DuckDB says, with the names that there are."""


class SqliteNames(Rule):
    """Use the table or column that the database has.

    **Failure** `OperationalError: no such column: amonut` (or pandas' `DatabaseError`), where a table of the open SQLite database
    has a near one; of a column behind a table's name or alias (`s.amonut`) that table. DuckDB's `Binder Error: Referenced column "amonut" not found`, where its message names a near one.

    **Fix** The name is written so in the texts of the cell that hold it as a word.

    **Fix safety** Safe where one table or column only is near, by a slip. Unsafe otherwise; silent where none is.
    """

    code = "SQL101"
    name = "misspelt name in SQL"
    enames = frozenset({"OperationalError", "DatabaseError", "BinderException", "CatalogException"})
    message = re.compile(f"{MESSAGE.pattern.replace('?P<of>', '')}|(?:Referenced column|Table|with name) ")
    applicability = Applicability.SAFE
    why = "One name only of the open database is near, by a slip."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if (listed := NAMED.search(context.failure.evalue)) is not None:
            names = re.findall(r"\"(?:\w+\.)?(\w+)\"", listed["names"])
            yield from self._respell(context, listed["wrong"], names, listed["of"] or "")
            return
        told = MESSAGE.search(context.failure.evalue)
        tables = context.ask(questions.LIST_SQLITE_TABLES) if told is not None else {}
        if told is None or not tables:
            return
        wrong, of = told[4], told["of"] if told[1] != "table" else None
        source = context.location[1]
        held = {table: tables[table] for table in _list_called(source, of, tables)} or tables
        known = list(tables) if told[1] == "table" else sorted({c for columns in held.values() for c in columns})
        yield from self._respell(context, wrong, known, of or "")

    def _respell(self, context: RuleContext, wrong: str, known: list[str], of: str) -> Iterator[Patch]:
        cell_id, source, _ = context.location
        near = find_nearest(wrong, known)
        changes = list(respell_in_statements(source, wrong, near[0], of)) if near else []
        if not changes or len(near) > 2:
            return
        sure = len(near) == 1 and is_plain_slip(wrong, near[0])
        yield self.patch(
            context.replace(cell_id, changes),
            f"Change `{wrong}` to `{near[0]}`",
            f"The database has no `{wrong}`. Did you mean `{near[0]}`?",
            applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
            why=self.why if sure else "The name is near, but another may have been meant.",
            prior=0.85 if sure else 0.5,
        )


def _list_called(source: str, name: str | None, tables: Mapping[str, object]) -> list[str]:
    """The tables that a name in front of a column stands for: ``sales`` of `sales.price`, and of `s.price` with `FROM sales AS s`."""
    pairs = re.findall(r"(?i)\b(?:from|join|,)\s+(\w+)(?:\s+as)?\s+(\w+)", source) if name else []
    return [t for t in tables if name and (t == name or (t, name) in pairs)]


def respell_in_statements(source: str, wrong: str, right: str, of: str = "") -> Iterator[tuple[int, int, str]]:
    """Splices in the texts of a cell that are statements of SQL; ``of``: the table, or the name of one, in front of the column."""
    before = rf"(?<=\b{of}\.)" if of else r"(?<![\w'.])"
    word = re.compile(rf"{before}{re.escape(wrong)}(?![\w'])")
    for node in src.walk(source):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            start, end = src.find_span(source, node)
            for match in word.finditer(source[start:end]):
                yield start + match.start(), start + match.end(), right
