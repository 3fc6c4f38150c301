"""PDA168: lines above the names of the columns in a file."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.one_column_read import list_tables
from jupyter_selfheal.model import Applicability, Patch

MOST = 40
"""Lines of a file that are looked at."""
OPTIONS = frozenset({"skiprows", "header", "names", "sep", "delimiter", "compression", "encoding", "engine", None})


class TitleAboveHeader(Rule):
    """Read a file from the line on that names its columns.

    **Failure** `KeyError: 'units'` of a table that was read by `pd.read_csv("sales.csv")`, whose file has a title above the names of its columns.

    **Fix** `pd.read_csv("sales.csv", skiprows=2)` in the cell that made the table, which runs again.

    **Fix safety** Safe: of the first lines of the file one alone holds the name that is asked for, between commas; its fields are words, each once, and more than the first line has.
    Silent where the call says how the file is to be read, and where its argument would be worked out again.
    """

    code = "PDA168"
    name = "title above the names of columns"
    stage = Stage.LIBRARY
    enames = frozenset({"KeyError", "AttributeError"})
    applicability = Applicability.SAFE
    why = "One line of the file alone holds the name that is asked for."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for name in dict.fromkeys(list_tables(context)):
            keys = context.keys(name)
            made = context.find_last_assignment(name)
            if keys is None or not keys.is_table or made is None:
                continue
            for wanted in _list_wanted(context, name):
                if wanted not in keys.columns:
                    yield from self._skip_lines(context, made, wanted)
                    return

    def _skip_lines(self, context: RuleContext, made: tuple[str, str, ast.Assign], wanted: str) -> Iterator[Patch]:
        cell_id, source, node = made
        for call in (n for n in ast.walk(node.value) if isinstance(n, ast.Call)):
            if (
                read_last_name(call.func) != "read_csv"
                or len(call.args) != 1
                or any(k.arg in OPTIONS for k in call.keywords)
            ):
                continue
            lines = _write_lines(source, call.args[0])
            found = context.number(f"({_FIND_HEADER})({lines}, {wanted!r})") if lines else None
            if found:
                end = src.find_span(source, call.args[0])[1]
                text = f"skiprows={int(found)}"
                yield self.patch(
                    context.replace(cell_id, [(end, end, f", {text}")]),
                    f"Read with {text}",
                    f"The names of the columns are in line {int(found) + 1} of the file.",
                    prior=0.92,
                )
            return


def _list_wanted(context: RuleContext, table: str) -> Iterator[str]:
    """Names of columns that the failing line asks the table for, of which the message speaks."""
    for node in context.list_nodes_at_failure(ast.Subscript, ast.Attribute):
        key: object = None
        if isinstance(node, ast.Attribute) and context.text(node.value) == table:
            key = node.attr
        elif isinstance(node, ast.Subscript) and context.text(node.value) == table:
            key = getattr(node.slice, "value", None)
        if isinstance(key, str) and key in context.failure.evalue:
            yield key


_FIND_HEADER = (
    "lambda lines, wanted: (lambda rows: (lambda places: places[0] if len(places) == 1 and "
    "len(rows[0]) < len(rows[places[0]]) == len(set(rows[places[0]])) and all(t and not any(map(str.isdigit, t)) for t in rows[places[0]]) else 0)"
    "([n for n, row in enumerate(rows) if len(row) > 1 and wanted in row]))([[t.strip().strip('\"') for t in line.split(',')] for line in lines] or [[]])"
)
"""The place of the only line that has the name among its fields: all of them words, each once, and more than the first line has."""


def _write_lines(source: str, given: ast.expr) -> str:
    """An expression for the first lines of what ``read_csv`` is given: a path that is written out or has a name, or ``StringIO(text)`` of one; empty for anything else, which
    may do something when it is asked again."""
    inner = given
    if isinstance(given, ast.Call):
        if read_last_name(given.func) != "StringIO" or len(given.args) != 1:
            return ""
        inner = given.args[0]
    if not isinstance(inner, ast.Name | ast.Constant):
        return ""
    text = src.extract_text(source, inner)
    if inner is not given:
        return f"({text}).splitlines()[:{MOST}]"
    return f"[*__import__('itertools').islice(open({text}, errors='replace'), {MOST})]"
