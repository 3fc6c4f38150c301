"""PDA205: a column that is read by the name which a cell above has changed."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice, quote_alike
from jupyter_selfheal.healers.rules.context.renamings import (
    Renaming,
    find_name_by_place,
    find_new_name,
    list_renamings,
    makes_column,
)
from jupyter_selfheal.healers.rules.near_key import list_missing_keys
from jupyter_selfheal.model import Applicability, Patch

_SHOWN = re.compile(r"print|display|(set_|sup)?[xy]?(label|title)|text|annotate|legend")
"""Functions and keywords that are given words to be read, and no column."""


class ColumnRenamedAbove(Rule):
    """Read a column by the name that a cell above has given it.

    **Failure** `KeyError: 'temp'` at `df["temp"]` or `df.groupby("city")["temp"]`, `AttributeError: 'DataFrame' object has no attribute 'temp'`, below `df = df.rename(columns={"temp": "temperature"})`.

    **Fix** `df["temperature"]`, wherever the cell reads the column.

    **Fix safety** Safe: the renaming says the new name, and the table has that column. Offered where a table of the cell has another column that was called so, where a dictionary or an object may be
    meant, where an assert of the cell reads it, and where the cell names the new column, too. Words that are shown (`print`, `label=`) stay. Silent where no table has the new column, where another table of the cell has one of the old
    name, and where the cell, or one below the renaming, makes one of that name.
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
        tables = [n for n in sorted(read) if context.state.names.get(n, ("",))[0].startswith(("DataFrame", "Series"))]
        for old in filter(None, missing):
            named = _follow_renamings(context, old)
            if not named:
                continue
            known = zip(tables, context.keys_of_all(tables), strict=True)
            held = {name: keys.columns for name, keys in known if keys is not None}
            found = next(((new, last) for new, last in named.items() if last.table in held and _has(held, new)), None)
            if found is None or _has(held, old) or _is_made_anew(context, old, found[1]):
                continue
            new = found[0]
            splices, is_sure = _list_readings(context, old, new, tables)
            is_sure &= sum(_has(held, other) for other in named) == 1
            if splices:
                cause = f"A cell above calls the column {old!r} {new!r}."
                level = Applicability.SAFE if is_sure else Applicability.UNSAFE
                here = context.replace_here(*splices)
                yield self.patch(here, f"Read the column {new!r}", cause, applicability=level, prior=0.93)
                return


def _has(held: Mapping[str, Collection[object]], column: str) -> bool:
    return any(column in columns for columns in held.values())


def _follow_renamings(context: RuleContext, name: str) -> dict[str, Renaming]:
    """Each name that the renamings up to here give a column of that name in the end, with the last of them."""
    now: dict[str, Renaming | None] = {name: None}
    order = _list_order(context)
    for found in sorted(list_renamings(context), key=lambda f: (order[f.view.cell_id], f.statement.lineno)):
        if found.is_kept and found.view.cell_id != context.cell_id:
            for before in tuple(now):
                if other := find_new_name(found.call, before) or find_name_by_place(context, found, before):
                    now[other] = found
    return {new: last for new, last in now.items() if last is not None and new != name}


def _list_order(context: RuleContext) -> dict[str, int]:
    return {cell.id: n for n, cell in enumerate(context.notebook.cells)}


def _is_made_anew(context: RuleContext, name: str, renaming: Renaming) -> bool:
    """Whether a cell below the renaming, which may have failed or not even parse, makes a column of that name: it is another one then."""
    at = _list_order(context)[renaming.view.cell_id]
    same, *below = (cell.source for cell in context.notebook.cells[at:] if cell.kind == "code")
    return makes_column(same, name, renaming.statement.end_lineno or 0) or any(makes_column(c, name) for c in below)


def _list_readings(context: RuleContext, old: str, new: str, tables: Collection[str]) -> tuple[list[Splice], bool]:
    """Splices of every place where the cell reads the column, and whether they are surely that; none where it makes one of that name itself."""
    splices: list[Splice] = []
    is_sure = not any(node.value == new for node in context.walk(ast.Constant))
    parents = src.read(context.source).parents
    checked = {id(n) for check in context.walk(ast.Assert) for n in ast.walk(check)}
    for node in context.walk(ast.Constant, ast.Attribute):
        above = parents.get(node)
        if isinstance(node, ast.Attribute) and node.attr == old:
            if not isinstance(node.ctx, ast.Load) or not new.isidentifier():
                return [], False
            is_sure &= not isinstance(node.value, ast.Name) or node.value.id in tables
            splices.append((*context.find_attribute_span(node), new))
            is_sure &= id(node) not in checked
        elif isinstance(node, ast.Constant) and node.value == old and not _is_shown(above):
            if isinstance(above, ast.Compare) and isinstance(above.ops[0], ast.In | ast.NotIn):
                return [], False  # `"temp" in df.columns`
            is_sure &= id(node) not in checked
            if isinstance(above, ast.Subscript):
                if not isinstance(above.ctx, ast.Load):
                    return [], False
                is_sure &= not isinstance(above.value, ast.Name) or above.value.id in tables
            is_sure &= not isinstance(above, ast.Dict) or isinstance(parents.get(above), ast.Call | ast.keyword)
            splices.append((*context.span(node), quote_alike(new, context.source)))
    return splices, is_sure


def _is_shown(above: ast.AST | None) -> bool:
    """Whether what a text stands in shows it to a reader."""
    match above:
        case ast.Call(ast.Name(name)) | ast.Call(ast.Attribute(attr=name)) | ast.keyword(arg=str(name)):
            return _SHOWN.fullmatch(name) is not None
    return False
