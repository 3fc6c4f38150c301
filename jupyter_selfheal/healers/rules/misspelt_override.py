"""NAM110: a method that an heir has under a slip of its name, so that the base's runs, which only says that it is wanted."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.nodes import find_function
from jupyter_selfheal.healers.rules.context.skeletons import is_near_method
from jupyter_selfheal.model import Applicability, Patch


class MisspeltOverride(Rule):
    """Name the method as its base class does.

    **Failure** `NotImplementedError` raised by `Shape.area`, where the heir `Square` defines `aera`.

    **Fix** The heir's method is named `area`.

    **Fix safety** Safe where one method of one heir is so near, by a slip, the heir has no other of that name, and nothing in the notebook
    calls the method by the name that it has.
    """

    code = "NAM110"
    name = "misspelt override"
    enames = frozenset({"NotImplementedError"})
    applicability = Applicability.SAFE
    why = "The base class asks for the method, its heir has it under a slip of the name, and nothing calls that."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        function = find_function(context.source, context.line)
        base = next((c for c in context.walk(ast.ClassDef) if function in c.body), None)
        if function is None or base is None:
            return
        near = [
            (cell_id, method)
            for cell_id in context.list_cells_upwards()
            for owner in src.walk(context.source_of(cell_id))
            if isinstance(owner, ast.ClassDef) and any(ast.unparse(b) == base.name for b in owner.bases)
            for method in owner.body
            if isinstance(method, ast.FunctionDef) and is_near_method(function.name, method, owner)
        ]
        called = {n.attr for n in context.walk_notebook() if isinstance(n, ast.Attribute)}
        if len(near) != 1 or near[0][1].name in called:
            return
        cell_id, method = near[0]
        source = context.source_of(cell_id)
        text = src.extract_text(source, method)
        at = src.find_span(source, method)[0] + text.index(method.name, text.index("def "))
        yield self.patch(
            context.replace(cell_id, [(at, at + len(method.name), function.name)]),
            f"Rename `{method.name}` to `{function.name}`",
            f"`{base.name}.{function.name}` is to be replaced, and `{method.name}` is a slip of its name.",
            prior=0.93,
        )
