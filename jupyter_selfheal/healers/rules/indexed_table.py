"""PDA180: a label asked of the table, not of the one that was indexed by it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch


class IndexedTable(Rule):
    """Ask the table that `set_index` gave.

    **Failure** `KeyError: 'Ulm'` at `sales.loc["Ulm"]`, below `by_town = sales.set_index("town")`.

    **Fix** `by_town.loc["Ulm"]`.

    **Fix safety** Unsafe: a row may have been meant that is missing. Silent where the table has the label itself, where the other one does not have it, and
    where several tables do.
    """

    code = "PDA180"
    name = "label of an indexed table"
    stage = Stage.STATE
    enames = frozenset({"KeyError"})
    applicability = Applicability.UNSAFE
    why = "This table has the label among its rows, but another may be meant."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_failing_nodes(ast.Subscript):
            owner = node.value.value if isinstance(node.value, ast.Attribute) and node.value.attr == "loc" else None
            key = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
            if not isinstance(owner, ast.Name) or not isinstance(key, ast.Constant):
                continue
            made = [n for n in _list_indexed(context, owner.id) if context.is_true(f"{key.value!r} in {n}.index")]
            if len(made) == 1:
                yield self.patch(
                    context.replace_here((*context.span(owner), made[0])),
                    f"Ask `{made[0]}`",
                    f"`{made[0]}` is `{owner.id}` with these labels; `{owner.id}` itself has none of them.",
                    prior=0.85,
                )
            return


def _list_indexed(context: RuleContext, table: str) -> list[str]:
    """Names of what ``set_index`` of the table gave, above."""
    names: list[str] = []
    for view in context.look_upwards():
        for node in view.walk(ast.Assign):
            match node:
                case ast.Assign([ast.Name(name)], ast.Call(ast.Attribute(ast.Name(owner), "set_index"))):
                    names += [name] if owner == table and name != table and name not in names else []
    return names
