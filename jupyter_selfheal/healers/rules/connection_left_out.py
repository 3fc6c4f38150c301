"""PDA165: a query that is read without the connection, while the notebook holds one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

READERS = frozenset({"read_sql", "read_sql_query", "read_sql_table"})
CONNECTIONS = (
    "sqlite3.Connection", "sqlalchemy.engine.base.Connection", "sqlalchemy.engine.base.Engine", "psycopg2.extensions.connection",
    "pymysql.connections.Connection", "adbc_driver_manager.dbapi.Connection", "_duckdb.DuckDBPyConnection",
)  # fmt: skip
"""Classes of what pandas takes for ``con`` (https://pandas.pydata.org/docs/reference/api/pandas.read_sql.html), by where they are defined."""

OPENERS = frozenset({"connect", "create_engine"})
REPEATED = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp,
    ast.DictComp, ast.GeneratorExp,
)  # fmt: skip
"""What may open more than one connection by one call."""


class ConnectionLeftOut(Rule):
    """Give a query the connection that the notebook holds.

    **Failure** `TypeError: read_sql() missing 1 required positional argument: 'con'` at `pd.read_sql("select * from t")`.

    **Fix** `pd.read_sql("select * from t", conn)`, where `conn` is the one connection to a database that a name is bound to.

    **Fix safety** Safe where the notebook calls `connect` or `create_engine` once at most, outside of loops and functions: no other connection could be meant.
    Unsafe elsewhere: one may be in a list or a dictionary. Silent where names are bound to two, or to none.
    """

    code = "PDA165"
    name = "query without its connection"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError"})
    message = re.compile(r"read_sql\w*\(\) missing 1 required positional argument: 'con'")
    applicability = Applicability.SAFE
    why = "It is the only connection to a database that the notebook holds."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        call = next((c for c in context.list_calls_at_failure() if read_last_name(c.func) in READERS), None)
        if (
            call is None
            or not (call.args or call.keywords)
            or not context.describe_all([call.func])[0].path.startswith("pandas.")
        ):
            return
        if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
            return
        names = [n for n in {**context.state.names, **context.state.locals} if not n.startswith("_")]
        open_ones = [n for n, info in zip(names, context.describe_all(names), strict=True) if info.is_a(*CONNECTIONS)]
        if not open_ones or not all(context.is_true(f"{n} is {open_ones[0]}") for n in open_ones[1:]):
            return
        text = open_ones[0] if len(call.args) == 1 and not call.keywords else f"con={open_ones[0]}"
        end = context.span(call)[1] - 1
        inside = context.source[context.span(call.func)[1] + 1 : end].rstrip()
        is_only = _count_connects(context) < 2
        yield self.patch(
            context.replace_here((end, end, f" {text}" if inside.endswith(",") else f", {text}")),
            f"Read it from `{open_ones[0]}`",
            f"`{context.text(call.func)}` needs the connection to the database, which the call does not give.",
            applicability=self.applicability if is_only else Applicability.UNSAFE,
            why="" if is_only else "It is the only connection that a name is bound to; the notebook may hold another.",
            prior=0.9,
        )


def _count_connects(context: RuleContext) -> int:
    """How many connections the notebook may open, as it is written: two by one call that is made again and again."""
    nodes = [n for c in context.notebook.cells if c.kind == "code" for n in src.walk(c.source)]
    again = [inner for n in nodes if isinstance(n, REPEATED) for inner in ast.walk(n)]
    return sum(isinstance(n, ast.Call) and read_last_name(n.func) in OPENERS for n in (*nodes, *again))
