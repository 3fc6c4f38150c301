"""ASR107: two names for one list, of which one is changed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RAISED_OR_MISSED, Rule, RuleContext
from jupyter_selfheal.inside.tree_names import list_names
from jupyter_selfheal.model import Applicability, Patch

CHANGES = frozenset(
    {"append", "extend", "insert", "add", "update", "setdefault", "pop", "remove", "clear", "sort", "reverse", "discard", "popitem"}
)  # fmt: skip


class SameList(Rule):
    """Copy a collection where another name of it is changed.

    **Failure** `AssertionError` about `kept` after `changed = kept` and `changed.append(…)`: both are one list.

    **Fix** `changed = kept.copy()`.

    **Fix safety** Unsafe: the assert must show that the one was to stay as it is.
    """

    code = "ASR107"
    name = "two names for one list"
    enames = frozenset({"AssertionError"})
    kinds = RAISED_OR_MISSED
    applicability = Applicability.UNSAFE
    why = "Both names are one object; whether the first was to stay as it is, only the check can tell."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        needed = frozenset(context.list_needed_upwards())
        asked = list_names(context.failing_statement or ast.Pass())
        nodes = [(c, n) for c in context.list_cells_upwards() for n in src.walk(context.source_of(c))]
        changed = {name for _, node in nodes for name in _list_changed(node)}
        for cell_id, node in nodes:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=kept) as value) if name in changed:
                    if cell_id not in needed and kept not in asked:
                        continue
                    thing = context.describe(kept)
                    if thing is None or thing.type not in ("list", "dict", "set"):
                        continue
                    end = src.find_span(context.source_of(cell_id), value)[1]
                    yield self.patch(
                        context.replace(cell_id, [(end, end, ".copy()")]),
                        f"Copy `{kept}`",
                        f"`{name}` and `{kept}` are one {thing.type}: what changes the one changes the other.",
                        prior=0.85,
                    )
                    return


def _list_changed(node: ast.AST) -> Iterator[str]:
    """Names whose object a node changes in place."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGES:
        if isinstance(node.func.value, ast.Name):
            yield node.func.value.id
    elif (
        isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Store | ast.Del)
        and isinstance(node.value, ast.Name)
    ):
        yield node.value.id
