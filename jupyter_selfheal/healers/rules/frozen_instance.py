"""ATT121: a field of a frozen dataclass that is assigned."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch


class FrozenInstance(Rule):
    """Make a changed copy of a frozen object.

    **Failure** `FrozenInstanceError: cannot assign to field 'x'` at `p.x = 5`.

    **Fix** `p = dataclasses.replace(p, x=5)`, with its import.

    **Fix safety** Unsafe: what else holds the object keeps the old one. The class stays frozen, as it was declared.
    """

    code = "ATT121"
    name = "assignment to a frozen object"
    enames = frozenset({"FrozenInstanceError"})
    message = re.compile("cannot assign to field")
    applicability = Applicability.UNSAFE
    why = (
        "The class is frozen on purpose, so that a changed copy is made; what else holds the object keeps the old one."
    )

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_nodes_on_line(ast.stmt):
            if not isinstance(node, ast.Assign | ast.AugAssign):
                continue
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            target = targets[0]
            if len(targets) != 1 or not isinstance(target, ast.Attribute) or not isinstance(target.value, ast.Name):
                continue
            name = target.value.id
            if name in ("self", "cls"):
                return
            value = context.text(node.value)
            if isinstance(node, ast.AugAssign):
                start, end = context.span(target)[1], context.span(node.value)[0]
                value = f"{context.text(target)} {context.source[start:end].strip()[:-1]} {context.operand(node.value)}"
            edits = context.replace_here(
                *context.add_imports(["import dataclasses"]),
                (*context.span(node), f"{name} = dataclasses.replace({name}, {target.attr}={value})"),
            )
            if edits:
                yield self.patch(
                    edits,
                    f"Make a copy of `{name}` with another `{target.attr}`",
                    f"`{name}` is of a frozen dataclass: its fields are not assigned.",
                    prior=0.7,
                )
            return
