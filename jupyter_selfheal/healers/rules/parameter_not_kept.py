"""ATT107: a parameter that is assigned to itself and not to the object."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.model import Applicability, Patch


class ParameterNotKept(Rule):
    """Keep on the object what `__init__` is given.

    **Failure** `AttributeError: 'Point' object has no attribute 'x'`, where the `__init__` of the notebook's own class says `x = x`.

    **Fix** `self.x = x`, for every parameter that is assigned to itself.

    **Fix safety** Safe: `x = x` does nothing, and the attribute that is missing has its name.
    """

    code = "ATT107"
    name = "parameter not kept on the object"
    enames = frozenset({"AttributeError"})
    applicability = Applicability.SAFE
    why = "The assignment does nothing as it stands, and the missing attribute has its name."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        live = context.state
        if not live.attribute or live.owner is None or live.owner.module != "__main__" or live.owner.is_module:
            return
        for cell_id in context.list_cells_upwards():
            source = context.source_of(cell_id)
            classes = [n for n in src.walk(source) if isinstance(n, ast.ClassDef) and live.owner.is_a(n.name)]
            for maker in (m for c in classes for m in c.body if isinstance(m, ast.FunctionDef)):
                changes = _list_idle_assignments(source, maker) if maker.name == "__init__" else {}
                if live.attribute in changes:
                    yield self.patch(
                        context.replace(cell_id, changes.values()),
                        f"Assign `{live.attribute}` to `self.{live.attribute}`",
                        f"`{live.attribute} = {live.attribute}` in `__init__` does nothing: the object never gets it.",
                        prior=0.95,
                    )
                    return


def _list_idle_assignments(source: str, maker: ast.FunctionDef) -> dict[str, Splice]:
    """Each parameter that is assigned to itself, with what puts `self.` before it."""
    if not maker.args.args:
        return {}
    first = maker.args.args[0].arg
    names = {a.arg for a in maker.args.args[1:]} | {a.arg for a in maker.args.kwonlyargs}
    changes: dict[str, Splice] = {}
    for node in maker.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name) as target], value=ast.Name(id=value)) if name == value:
                if name in names:
                    start = src.find_span(source, target)[0]
                    changes[name] = (start, start, f"{first}.")
    return changes
