"""PDA116: a table that was read with the wrong separator."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

SEPARATORS = (";", "\t", "|")


class OneColumnRead(Rule):
    """Read a table with the separator that its header shows.

    **Failure** `KeyError: 'score'`, where the table has one column, `id;name;score`.

    **Fix** `sep=";"` in the call of `read_csv` that made the table, which runs again.

    **Fix safety** Safe: the one column's name, cut at the separator, holds the column that is asked for.
    """

    code = "PDA116"
    name = "wrong separator"
    stage = Stage.LIBRARY
    enames = frozenset({"KeyError", "AttributeError", "ValueError"})
    applicability = Applicability.SAFE
    why = "The one column's name, cut at this separator, holds the column that is asked for."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        wanted = set(re.findall(r"\w[\w ]*", context.failure.evalue))
        for name in dict.fromkeys(list_tables(context)):
            keys = context.keys(name)
            columns = keys.columns if keys is not None and keys.is_table else ()
            if len(columns) != 1 or not isinstance(columns[0], str):
                continue
            for mark in SEPARATORS:
                parts = [p.strip().strip('"') for p in columns[0].split(mark)]
                made = context.find_last_assignment(name)
                if len(parts) > 1 and wanted & set(parts) and made is not None:
                    yield from self._add_separator(context, made, mark)
                    return

    def _add_separator(self, context: RuleContext, made: tuple[str, str, ast.Assign], mark: str) -> Iterator[Patch]:
        cell_id, source, node = made
        for call in (n for n in ast.walk(node.value) if isinstance(n, ast.Call)):
            reads = isinstance(call.func, ast.Attribute) and call.func.attr == "read_csv"
            if reads and len(call.args) == 1 and not any(k.arg in ("sep", "delimiter", None) for k in call.keywords):
                at = src.find_span(source, call.args[0])[1]
                text = '"\\t"' if mark == "\t" else f'"{mark}"'
                edits = context.replace(cell_id, [(at, at, f", sep={text}")])
                yield self.patch(
                    edits, f"Read with sep={text}", f"The file separates its columns by {text}.", prior=0.92
                )
                return


def list_tables(context: RuleContext) -> Iterator[str]:
    """Names on the failing line that something is looked up in."""
    for node in context.list_nodes_at_failure(ast.Subscript, ast.Attribute, ast.Call):
        value = node.func if isinstance(node, ast.Call) else getattr(node, "value", None)
        while isinstance(value, ast.Attribute | ast.Subscript | ast.Call):
            value = value.func if isinstance(value, ast.Call) else value.value
        if isinstance(value, ast.Name):
            yield value.id
