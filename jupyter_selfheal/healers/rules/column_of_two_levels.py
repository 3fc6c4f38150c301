"""PDA172: a column of two levels that is asked for by both names in one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import quote_alike
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.spelling import normalize
from jupyter_selfheal.model import Applicability, Patch

KEYED = frozenset({"sort_values", "nlargest", "nsmallest"})
"""Methods of a table that are given the name of a column."""


class ColumnOfTwoLevels(Rule):
    """Name a column of two levels by both, or the columns that have a name below the first level.

    **Failure** `KeyError: 'price_mean'` at `summary["price_mean"]`, where `summary` came of `agg({"price": ["mean", "max"]})` and has the
    column `("price", "mean")`.

    **Fix** `summary["price", "mean"]`; `summary.sort_values(("price", "mean"))`. `wide["north"]`, of columns whose second level has that name, becomes `wide.xs("north", axis=1, level=1)`.

    **Fix safety** Unsafe: the columns may have been meant to be joined where the table is made. Silent where no column, or more than one, has both names,
    and where something is assigned to it.
    """

    code = "PDA172"
    name = "column of two levels"
    stage = Stage.LIBRARY
    enames = frozenset({"KeyError"})
    message = re.compile(r"^'[^']+'$")
    applicability = Applicability.UNSAFE
    why = "The columns may have been meant to be joined where the table is made."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_failing_nodes(ast.Subscript):
            owner, key = context.read_plain_chain(node.value), node.slice
            if not owner or not isinstance(key, ast.Constant) or not isinstance(key.value, str):
                continue
            keys = context.keys(owner) if isinstance(node.ctx, ast.Load) else None
            if keys is None or not keys.is_table:
                continue
            levels = [c for c in keys.columns if isinstance(c, tuple) and all(isinstance(part, str) for part in c)]
            meant = [c for c in levels if _has_both_names(key.value, c)]
            if len(meant) != 1:
                if patch := self._take_level(context, node, owner, levels):
                    yield patch
                    return
                continue
            text = ", ".join(quote_alike(part, context.source) for part in meant[0])
            yield self.patch(
                context.replace_here((*context.span(key), text)),
                f"Read `{owner}[{text}]`",
                f"`{owner}` has columns of {len(meant[0])} levels, and the one that is meant is `{meant[0]}`.",
                prior=0.8,
            )
            return
        yield from self._name_key(context)

    def _take_level(
        self, context: RuleContext, node: ast.Subscript, owner: str, levels: list[tuple[object, ...]]
    ) -> Patch | None:
        """``wide.xs("A", axis=1, level="store")`` for ``wide["A"]``, where a lower level of the columns has that name."""
        asked = node.slice.value if isinstance(node.slice, ast.Constant) else None
        found = {level for column in levels for level, name in enumerate(column) if name == asked}
        if len(found) != 1 or context.is_true(f"any(isinstance(c, str) for c in {owner}.columns)"):
            return None
        level = found.pop()
        new = f"{owner}.xs({context.text(node.slice)}, axis=1, level={level})"
        return self.patch(
            context.replace_here((*context.span(node), new)),
            f"Take the columns by their lower level: `{new}`",
            f"{asked!r} is a name of the columns' level {level}; `{owner}[…]` asks for the first one.",
            why="One of the columns that have this name may be meant.",
            prior=0.75,
        )

    def _name_key(self, context: RuleContext) -> Iterator[Patch]:
        """``summary.sort_values(("price", "mean"))`` for ``summary.sort_values("price_mean")``."""
        asked = context.failure.evalue.strip("'")
        for call in context.list_calls_at_failure():
            owner = context.read_plain_chain(call.func.value) if isinstance(call.func, ast.Attribute) else None
            given = [a for a in (*call.args, *(k.value for k in call.keywords)) if _reads(a, asked)]
            keys = context.keys(owner) if owner and given and read_last_name(call.func) in KEYED else None
            levels = [c for c in (keys.columns if keys is not None else ()) if isinstance(c, tuple)]
            meant = [c for c in levels if all(isinstance(p, str) for p in c) and _has_both_names(asked, c)]
            if len(meant) != 1:
                continue
            text = f"({', '.join(quote_alike(str(part), context.source) for part in meant[0])})"
            yield self.patch(
                context.replace_here((*context.span(given[0]), text)),
                f"Name it by both levels: `{text}`",
                f"`{owner}` has columns of {len(meant[0])} levels, and the one that is meant is `{meant[0]}`.",
                prior=0.8,
            )
            return


def _reads(node: ast.expr, text: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == text


def _has_both_names(asked: str, column: tuple[str, ...]) -> bool:
    """``price_mean``, ``mean price`` and ``meanPrice`` of ``("price", "mean")``."""
    return normalize(asked) in {normalize("".join(column)), normalize("".join(reversed(column)))}
