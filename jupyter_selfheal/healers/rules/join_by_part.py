"""PDA202: tables that are joined by a part of what tells their rows apart."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import quote_alike
from jupyter_selfheal.healers.rules.context.nodes import find_keyword, read_last_name
from jupyter_selfheal.healers.rules.context.replay import change_and_replay
from jupyter_selfheal.inside.tree_names import list_names
from jupyter_selfheal.model import Applicability, Patch


class JoinByPart(Rule):
    """Join tables by all columns that both of them have.

    **Failure** `AssertionError` at `assert len(both) == len(sales)`, where `both = sales.merge(costs, on="day")`, and both tables have a `shop` too.

    **Fix** `on=["day", "shop"]`. The cells that made the table run again.

    **Fix safety** Safe: the second table has several rows of one `day`, one of each `day` and `shop`, and each row of the first finds its own there. Silent otherwise: rows that are there twice are a fault of the data.
    """

    code = "PDA202"
    name = "join by a part of the key"
    stage = Stage.LIBRARY
    enames = frozenset({"AssertionError"})
    applicability = Applicability.SAFE
    why = "By these columns each row has one partner, and the assert asks for that."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        statement = context.failing_statement
        read = list_names(statement) if statement is not None else set()
        for view in context.look_upwards():
            for made in view.walk(ast.Assign):
                target = made.targets[0]
                if not isinstance(target, ast.Name) or target.id not in read or not isinstance(made.value, ast.Call):
                    continue
                on = find_keyword(made.value, "on")
                sides = _list_sides(view, made.value)
                named = on.value if on is not None else None
                elts = named.elts if isinstance(named, ast.List) else [named]
                names = [n.value for n in elts if isinstance(n, ast.Constant) and isinstance(n.value, str)]
                if len(sides) != 2 or not names or len(names) != len(elts) or named is None:
                    continue
                left, right = (context.keys(s) for s in sides)
                if left is None or right is None:
                    continue
                shared = [c for c in left.columns if c in right.columns and c not in names and isinstance(c, str)]
                if not shared or not _completes(context, sides, names, shared):
                    continue
                text = ", ".join(quote_alike(n, view.source) for n in (*names, *shared))
                edits = change_and_replay(context, {view.cell_id: [(*view.span(named), f"[{text}]")]})
                yield self.patch(
                    edits,
                    f"Join by all columns that both tables have: `on=[{text}]`",
                    f"`{sides[1]}` has several rows of one {names[0]!r}, so that each row of `{sides[0]}` was joined with several.",
                    prior=0.9,
                )
                return


def _list_sides(view: RuleContext, call: ast.Call) -> list[str]:
    """The two tables of ``a.merge(b, on=…)`` and ``pd.merge(a, b, on=…)``, where both are names."""
    if read_last_name(call.func) != "merge" or not isinstance(call.func, ast.Attribute):
        return []
    sides = call.args[:2] if len(call.args) > 1 else [call.func.value, *call.args]
    return [view.text(s) for s in sides if isinstance(s, ast.Name)]


def _completes(context: RuleContext, sides: list[str], names: list[str], shared: list[str]) -> bool:
    """Whether rows of the second table are told apart by all of the columns and not by those named, and each row of the first has one of them."""
    (left, right), both = sides, [*names, *shared]
    test = (
        f"{right}.duplicated({names!r}).any() and not {right}.duplicated({both!r}).any() and "
        f"len({left}.merge({right}[{both!r}], on={both!r})) == len({left})"
    )
    return context.is_true(test)
