"""KEY122: a column of a joined table, by another suffix than the join gave it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import append_argument
from jupyter_selfheal.healers.rules.context.nodes import find_keyword, read_last_name
from jupyter_selfheal.model import Applicability, Patch

GIVEN = ("_x", "_y")
"""What pandas puts behind the names that both tables have, where nothing else is told."""


class SuffixOfJoin(Rule):
    """Name a column of a joined table by the suffix that it has.

    **Failure** `KeyError: 'price_y'` at `both["price_y"]`, where `both = old.merge(new, on="id", suffixes=("_old", "_new"))`; `KeyError: 'price_old'` where the join names no suffixes.

    **Fix** `both["price_new"]`, and every such name in the cell. Where the join names none, the ones that the cell reads, in the order of the tables of these names: `old.merge(new, on="id", suffixes=("_old", "_new"))`.

    **Fix safety** Safe: `_x` and `_y` are what pandas calls the columns of the first and of the second table, or the suffixes are the names of the two tables. Silent where the
    table has no column of the new name, and where the suffixes that are read are no tables' names.
    """

    code = "KEY122"
    name = "suffix of a joined column"
    stage = Stage.LIBRARY
    enames = frozenset({"KeyError"})
    message = re.compile(r"^'\w+_\w+'$")
    applicability = Applicability.SAFE
    why = "The join says which suffix stands for which table."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_failing_nodes(ast.Subscript):
            if not (isinstance(node.value, ast.Name) and isinstance(node.slice, ast.Constant)):
                continue
            table = node.value.id
            home = context.find_last_assignment(table)
            keys = context.keys(table)
            call = _find_join(home.node.value) if home is not None else None
            if home is None or call is None or keys is None or not keys.is_table:
                continue
            columns = {c for c in keys.columns if isinstance(c, str)}
            read = [n for n in context.walk(ast.Subscript) if _is_column(n, table)]
            missing = [n.slice for n in read if isinstance(n.slice, ast.Constant) and n.slice.value not in columns]
            suffixes = _read_suffixes(call)
            if suffixes is not None:
                yield from self._rename(context, missing, suffixes, columns)
            else:
                yield from self._name_suffixes(context, home.cell_id, home.source, call, missing, columns)
            return

    def _rename(
        self, context: RuleContext, missing: list[ast.Constant], suffixes: tuple[str, str], columns: set[str]
    ) -> Iterator[Patch]:
        splices = []
        for key in missing:
            name, end = str(key.value)[:-2], str(key.value)[-2:]
            if end not in GIVEN or (new := name + suffixes[GIVEN.index(end)]) not in columns:
                continue
            mark = context.text(key)[-1]
            splices.append((*context.span(key), f"{mark}{new}{mark}"))
        if splices:
            yield self.patch(
                context.replace_here(*splices),
                f"Read {splices[0][2]}",
                f"The join names its suffixes: {suffixes[0]!r} and {suffixes[1]!r} for `_x` and `_y`.",
                prior=0.95,
            )

    def _name_suffixes(
        self,
        context: RuleContext,
        cell_id: str,
        source: str,
        call: ast.Call,
        missing: list[ast.Constant],
        columns: set[str],
    ) -> Iterator[Patch]:
        """``suffixes=("_old", "_new")`` of ``old.merge(new, …)``, whose columns the cell reads by these names."""
        tables = [read_last_name(t) for t in _list_sides(call)]
        wanted = {str(key.value).rpartition("_")[::2] for key in missing}
        ends = {end for _, end in wanted}
        both = {f"{name}{end}" for name, _ in wanted for end in GIVEN}
        if len(tables) != 2 or not ends or not ends <= set(tables) or tables[0] == tables[1] or not both <= columns:
            return
        if any(isinstance(n, ast.Constant) and n.value in both for n in context.walk_notebook()):
            return  # another line reads what the join calls them now
        given = f'("_{tables[0]}", "_{tables[1]}")'
        yield self.patch(
            context.replace(cell_id, [append_argument(source, call, f"suffixes={given}")]),
            f"Name the suffixes: `suffixes={given}`",
            "The columns that both tables have are called `_x` and `_y` where the join names nothing else.",
            why="The suffixes that are read are the names of the two tables.",
            prior=0.92,
        )


def _find_join(value: ast.expr) -> ast.Call | None:
    """The ``merge`` that a value is made by."""
    call = value if isinstance(value, ast.Call) else None
    return call if call is not None and read_last_name(call.func) == "merge" else None


def _list_sides(call: ast.Call) -> list[ast.expr]:
    """The two tables of ``pd.merge(a, b)`` and ``a.merge(b)``, where both are names."""
    if not isinstance(call.func, ast.Attribute):
        return []
    sides = list(call.args[:2]) if len(call.args) > 1 else [call.func.value, *call.args]
    return sides if all(isinstance(s, ast.Name) for s in sides) else []


def _read_suffixes(call: ast.Call) -> tuple[str, str] | None:
    given = find_keyword(call, "suffixes")
    match given.value if given is not None else None:
        case (
            ast.Tuple(elts=[ast.Constant(value=str(one)), ast.Constant(value=str(two))])
            | ast.List(elts=[ast.Constant(value=str(one)), ast.Constant(value=str(two))])
        ):
            return one, two
    return None


def _is_column(node: ast.AST, table: str) -> bool:
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Load)
        and isinstance(node.value, ast.Name)
        and node.value.id == table
        and isinstance(node.slice, ast.Constant)
        and isinstance(node.slice.value, str)
    )
