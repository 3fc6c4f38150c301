"""KEY121: a column that another table of the notebook has, which is this one and more."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.spelling import find_nearest
from jupyter_selfheal.model import Patch


class ColumnOfAnotherTable(Rule):
    """Read a column of the table that has it.

    **Failure** `KeyError: 'hour'` at `trips["hour"]` or `trips.groupby("hour")`, where `trips_2 = trips.copy()` got that column; also at `late[column]` below `late = trips[trips["late"]]`.

    **Fix** `trips_2["hour"]`; `late = trips_2[trips_2["late"]]`, wherever the failing cell makes a table of `trips`.

    **Fix safety** Unsafe: the column may have been meant to be made of this table, too. Silent where several tables have it, where one has not all columns of the table that is read, and where a
    column is near by its spelling.
    """

    code = "KEY121"
    name = "column of another table"
    enames = frozenset({"KeyError"})
    why = (
        "The other table has all columns of this one and the one that is read; the column may be meant to be made here."
    )

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        key = context.failure.evalue.strip("'\"")
        for read in context.list_nodes_at_failure(ast.Subscript, ast.Call):
            table, asked = _read_table(read)
            if not isinstance(table, ast.Name):
                continue
            owner = table.id
            keys = context.keys(owner)
            if keys is None or keys.type != "DataFrame" or key in keys.columns:
                continue
            named = [n.value for a in asked for n in ast.walk(a) if isinstance(n, ast.Constant)]
            if key not in named and not any(context.is_true(f"({context.text(a)}) == {key!r}") for a in asked):
                continue
            if find_nearest(key, [c for c in keys.columns if isinstance(c, str)]):
                return
            holding = [
                name
                for name, (kind, _) in sorted(context.state.names.items())
                if kind == "DataFrame" and name != owner and not name.startswith("_")
                if (other := context.keys(name)) is not None and {key, *keys.columns} <= set(other.columns)
            ]
            if len(holding) != 1:
                return
            made = [
                n for n in context.walk(ast.Assign) if n.lineno < read.lineno and ast.unparse(n.targets[0]) == owner
            ]
            root = src.find_root_name(made[0].value) if made else owner
            inside: list[ast.AST] = [n for a in made for n in ast.walk(a.value)] if made else [table]
            if made and root:  # tables made beside it of the same one
                inside += [
                    n
                    for a in context.walk(ast.Assign)
                    if src.find_root_name(a.value) == root and isinstance(a.targets[0], ast.Name)
                    for n in ast.walk(a.value)
                ]
            uses = dict.fromkeys(context.span(n) for n in inside if isinstance(n, ast.Name) and n.id == (root or owner))
            yield self.patch(
                context.replace_here(*((*span, holding[0]) for span in uses)),
                f"Take `{holding[0]}` for `{root or owner}`",
                f"`{owner}` has no column `{key}`; `{holding[0]}` has it, and all others of `{owner}`.",
                prior=0.6,
            )
            return


def _read_table(node: ast.expr) -> tuple[ast.expr | None, list[ast.expr]]:
    """What is read by names of columns, and the names: ``df`` and ``"town"`` of ``df["town"]``, ``df.groupby("town")``."""
    if isinstance(node, ast.Subscript):
        return (node.value, [node.slice]) if isinstance(node.ctx, ast.Load) else (None, [])
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.value, [*node.args, *(k.value for k in node.keywords)]
    return None, []
