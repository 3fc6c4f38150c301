"""CAL127: a number and a name that a method of a library is given in each other's place."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch


class ExchangedKinds(Rule):
    """Exchange a number and a name, or a number and a shape, that a call is given.

    **Failure** `KeyError: 5` at `homes.nlargest("price", 5)`; `ValueError` at `np.full(0, (2, 3))`.

    **Fix** `homes.nlargest(5, "price")`, `np.full((2, 3), 0)`; `pd.read_sql("SELECT …", con)` for `pd.read_sql(con, "SELECT …")`.

    **Fix safety** Safe for a live connection to a database, which is no statement. Unsafe otherwise: that the call runs so says little of what was meant. Silent for functions of the notebook, and where the two are of one kind, or are no literals.
    """

    code = "CAL127"
    name = "number and name in each other's place"
    enames = frozenset({"TypeError", "KeyError", "ValueError", "AttributeError", "ImportError"})
    applicability = Applicability.UNSAFE
    why = "The call may fail for another reason, and run so by chance."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if "larger than" in context.failure.evalue:
            return  # the number was taken for one
        for call in context.list_calls_at_failure():
            if not isinstance(call.func, ast.Attribute) or len(call.args) != 2:
                continue
            first, second = call.args
            is_read = _is_connection_first(context, call)
            if call.keywords and not is_read:
                continue
            if not is_read and {_find_kind(first), _find_kind(second)} not in ({"number", "name"}, {"number", "shape"}):
                continue
            live = context.describe(call.func)
            if live is not None and live.path.startswith("__main__"):
                continue
            one, two = context.text(first), context.text(second)
            yield self.patch(
                context.replace_here((*context.span(first), two), (*context.span(second), one)),
                f"Exchange `{one}` and `{two}`",
                f"`{context.text(call.func)}` takes the statement or name first, and then the connection."
                if is_read
                else f"`{context.text(call.func)}` may take them the other way round.",
                applicability=Applicability.SAFE if is_read else Applicability.UNSAFE,
                why="A connection is no statement." if is_read else self.why,
                prior=0.93 if is_read else 0.5,
            )
            return


def _is_connection_first(context: RuleContext, call: ast.Call) -> bool:
    """``pd.read_sql(con, "SELECT …")``, ``df.to_sql(con, "people")``."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in ("read_sql", "read_sql_query", "to_sql"):
        return False
    kinds = context.describe_all(call.args[:2])
    return kinds[0].type in ("Connection", "Engine") and (kinds[1].type == "str" or _find_kind(call.args[1]) == "name")


def _find_kind(node: ast.expr) -> str:
    """``number``, ``name`` (also several in a list) or ``shape`` (a tuple of numbers); empty for anything else."""
    match node:
        case ast.Constant(value) if type(value) in (int, float):
            return "number"
        case ast.Constant(str()):
            return "name"
        case ast.List(elements) if elements and all(_find_kind(e) == "name" for e in elements):
            return "name"
        case ast.Tuple(elements) if elements and all(_find_kind(e) == "number" for e in elements):
            return "shape"
    return ""
