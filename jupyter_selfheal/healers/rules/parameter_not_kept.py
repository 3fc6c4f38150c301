"""ATT107: a parameter that is assigned to itself and not to the object."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.model import Applicability, Patch

READ_ONLY = re.compile(r"^(?:property|can't set attribute) '(\w+)'(?: of '\w+' object has no setter)?$")


class ParameterNotKept(Rule):
    """Keep on the object what `__init__` is given.

    **Failure** `AttributeError: 'Point' object has no attribute 'x'`, where the `__init__` of the notebook's own class says `x = x`.

    **Fix** `self.x = x`, for every parameter that is assigned to itself; `self.count = 0` for `count = 0` that nothing there reads; `self._celsius = celsius` where a property of that name returns `self._celsius`.

    **Fix safety** Safe: `x = x` does nothing, a variable that nothing reads is lost, and the attribute that is missing has its name. Silent where it is read or bound twice.
    """

    code = "ATT107"
    name = "parameter not kept on the object"
    enames = frozenset({"AttributeError"})
    applicability = Applicability.SAFE
    why = "The assignment does nothing as it stands, and the missing attribute has its name."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if told := READ_ONLY.search(context.failure.evalue):
            yield from self._set_what_is_read(context, told[1])
            return
        live = context.state
        if not live.attribute or live.owner is None or live.owner.module != "__main__" or live.owner.is_module:
            return
        for cell_id in context.list_cells_upwards():
            source = context.source_of(cell_id)
            classes = [n for n in src.walk(source) if isinstance(n, ast.ClassDef) and live.owner.is_a(n.name)]
            for maker in (m for c in classes for m in c.body if isinstance(m, ast.FunctionDef)):
                changes = _list_idle_assignments(source, maker) if maker.name == "__init__" else {}
                lost = _find_lost(source, maker, live.attribute) if maker.name == "__init__" and not changes else None
                if lost is not None:
                    yield self.patch(
                        context.replace(cell_id, [lost]),
                        f"Assign to `self.{live.attribute}`",
                        f"`{live.attribute}` is a variable of `__init__` that nothing reads: the object never gets it.",
                        why="Nothing reads the variable, and the missing attribute has its name.",
                        prior=0.95,
                    )
                    return
                if live.attribute in changes:
                    yield self.patch(
                        context.replace(cell_id, changes.values()),
                        f"Assign `{live.attribute}` to `self.{live.attribute}`",
                        f"`{live.attribute} = {live.attribute}` in `__init__` does nothing: the object never gets it.",
                        prior=0.95,
                    )
                    return

    def _set_what_is_read(self, context: RuleContext, name: str) -> Iterator[Patch]:
        """``self.celsius = celsius`` in ``__init__``, beside a property that returns ``self._celsius``, which nothing sets."""
        for owner in context.walk(ast.ClassDef):
            methods = [m for m in owner.body if isinstance(m, ast.FunctionDef)]
            getter = next((m for m in methods if m.name == name), None)
            maker = next((m for m in methods if m.name == "__init__"), None)
            last = getter.body[-1] if getter is not None else None
            if maker is None or not maker.lineno < context.line <= (maker.end_lineno or 0):
                continue
            match last:
                case ast.Return(ast.Attribute(ast.Name("self"), kept)) if kept != name:
                    pass
                case _:
                    return
            targets = [n for n in ast.walk(owner) if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load)]
            set_here = [n for n in targets if n.attr == name and n.lineno == context.line]
            if any(n.attr == kept for n in targets) or len(set_here) != 1:
                return
            start, end = context.find_attribute_span(set_here[0])
            yield self.patch(
                context.replace_here((start, end, kept)),
                f"Assign to `self.{kept}`",
                f"`{name}` is a property that returns `self.{kept}`, which nothing sets.",
                why="The property returns this attribute, and no other line gives it its value.",
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


def _find_lost(source: str, maker: ast.FunctionDef, attribute: str) -> Splice | None:
    """``count = 0`` in ``__init__``, which nothing there reads, where the object lacks its ``count``: what puts `self.` before it."""
    named = [n for n in ast.walk(maker) if isinstance(n, ast.Name) and n.id == attribute]
    plain = [n.targets[0] for n in maker.body if isinstance(n, ast.Assign) and len(n.targets) == 1]
    given = {a.arg for a in (*maker.args.args, *maker.args.kwonlyargs)}
    if len(named) != 1 or named[0] not in plain or attribute in given or not maker.args.args:
        return None
    start = src.find_span(source, named[0])[0]
    return start, start, f"{maker.args.args[0].arg}."
