"""TYP263: a variable that is a class of the notebook where an object of it is used."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"(\w+)\.\w+\(\) missing \d+ required positional arguments?: '(?:self|\w+)'|^type object '(\w+)' has no attribute '\w+'"
)


class ObjectNotMade(Rule):
    """Call the class whose object is used.

    **Failure** `TypeError: Stack.push() missing 1 required positional argument: 'item'` at `stack.push(1)` below `stack = Stack`;
    `AttributeError: type object 'Stack' has no attribute 'items'` at `stack.items`.

    **Fix** `stack = Stack()`.

    **Fix safety** Safe where the class is the notebook's own and can be made without arguments, and nothing calls the variable as another name of the class. Silent elsewhere.
    """

    code = "TYP263"
    name = "object that was not made"
    enames = frozenset({"TypeError", "AttributeError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "A method of its objects is called, and it can be made without arguments."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        names = dict.fromkeys(
            n.value.id for n in context.list_nodes_at_failure(ast.Attribute) if isinstance(n.value, ast.Name)
        )
        for name in names:
            made = context.find_last_assignment(name)
            if made is None or not isinstance(made.node.value, ast.Name) or made.node.value.id == name:
                continue
            owner = made.node.value.id
            kind = context.describe(owner)
            if kind is None or not kind.is_class or not kind.path.startswith("__main__") or _is_called(context, name):
                continue
            signature = context.signature(owner)
            if signature is None or not signature.needs_nothing:
                continue
            end = src.find_span(made.source, made.node.value)[1]
            yield self.patch(
                context.replace(made.cell_id, [(end, end, "()")]),
                f"Make an object: `{name} = {owner}()`",
                f"`{name}` is the class `{owner}` itself, and no object of it.",
                prior=0.93,
            )
            return


def _is_called(context: RuleContext, name: str) -> bool:
    """Whether the variable is another name of the class: something makes objects by it, or asks it whether one is of the class."""
    return any(
        isinstance(n, ast.Call)
        and any(isinstance(a, ast.Name) and a.id == name for a in (n.func, *n.args))
        for n in context.walk_notebook()
    )  # fmt: skip
