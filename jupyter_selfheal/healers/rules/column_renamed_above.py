"""PDA205: a column that is read by the name which a cell above has changed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice, quote_alike
from jupyter_selfheal.healers.rules.context.renamings import find_new_name, list_renamings
from jupyter_selfheal.healers.rules.near_key import list_missing_keys
from jupyter_selfheal.model import Applicability, Patch


class ColumnRenamedAbove(Rule):
    """Read a column by the name that a cell above has given it.

    **Failure** `KeyError: 'temp'` at `df["temp"]` or `df.groupby("city")["temp"]`, `AttributeError: 'DataFrame' object has no attribute 'temp'`, below `df = df.rename(columns={"temp": "temperature"})`.

    **Fix** `df["temperature"]`, wherever the cell reads the column.

    **Fix safety** Safe: the renaming says the new name, and the table has that column. Silent where it has not, where another table of the cell has a column of the old name, and where the cell
    makes one of that name.
    """

    code = "PDA205"
    name = "column renamed above"
    stage = Stage.LIBRARY
    enames = frozenset({"KeyError", "AttributeError", "ValueError"})
    applicability = Applicability.SAFE
    why = "A cell above gives the column this name."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        missing = [context.attribute] if context.failure.ename == "AttributeError" else list_missing_keys(context)
        read = {n.id for n in context.walk(ast.Name)}
        tables = [n for n in sorted(read) if context.state.names.get(n, ("",))[0] in ("DataFrame", "Series")]
        for old in filter(None, missing):
            new, table = _follow_renamings(context, old)
            if not new:
                continue
            known = zip(tables, context.keys_of_all(tables), strict=True)
            held = {name: keys.columns for name, keys in known if keys is not None}
            if any(old in columns for columns in held.values()):
                continue
            if table not in held or not any(new in columns for columns in held.values()):
                continue
            splices = _list_readings(context, old, new)
            if splices:
                cause = f"A cell above calls the column {old!r} {new!r}."
                yield self.patch(context.replace_here(*splices), f"Read the column {new!r}", cause, prior=0.93)
                return


def _follow_renamings(context: RuleContext, name: str) -> tuple[str, str]:
    """The last name that the renamings up to here give a column, and the table that they are of; empty where none does."""
    now, table = name, ""
    order = {cell.id: n for n, cell in enumerate(context.notebook.cells)}
    for found in sorted(list_renamings(context), key=lambda f: (order[f.view.cell_id], f.statement.lineno)):
        other = find_new_name(found.call, now) if found.is_kept and found.view.cell_id != context.cell_id else ""
        if other:
            now, table = other, found.table
    return (now, table) if now != name else ("", "")


def _list_readings(context: RuleContext, old: str, new: str) -> list[Splice]:
    """Splices of every place where the cell reads the column; none where it makes one of that name itself."""
    splices: list[Splice] = []
    parents = src.read(context.source).parents
    for node in context.walk(ast.Constant, ast.Attribute):
        above = parents.get(node)
        if isinstance(node, ast.Attribute) and node.attr == old:
            if not isinstance(node.ctx, ast.Load) or not new.isidentifier():
                return []
            splices.append((*context.find_attribute_span(node), new))
        elif isinstance(node, ast.Constant) and node.value == old:
            if isinstance(above, ast.Subscript) and not isinstance(above.ctx, ast.Load):
                return []
            splices.append((*context.span(node), quote_alike(new, context.source)))
    return splices
