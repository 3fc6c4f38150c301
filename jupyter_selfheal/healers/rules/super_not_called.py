"""ATT125: ``super`` named for ``super()``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import find_function, list_arguments
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"descriptor '\w+' (?:of|for) 'super' object|descriptor '\w+' requires a 'super' object|"
    r"type object 'super' has no attribute"
)
COUNT = re.compile(r"(\w+)\(\) takes (\d+) positional arguments? but (\d+) (?:was|were) given")


class SuperNotCalled(Rule):
    """Call `super`.

    **Failure** `TypeError: descriptor '__init__' of 'super' object needs an argument` at `super.__init__()`, `AttributeError: type object
    'super' has no attribute 'area'` at `super.area()`, in a method; `TypeError: Person.__init__() takes 2 positional arguments but 3 were
    given` at `super().__init__(self, name)`.

    **Fix** `super().__init__()`, without the `self` that `super.__init__(self)` or `super().__init__(self)` gives.

    **Fix safety** Safe: the built-in class `super` has no such method, and the object that a call of it gives stands for the parent, and brings
    `self` along: one argument too many is that one. Silent outside of a method, where the call needs arguments.
    """

    code = "ATT125"
    name = "super not called"
    enames = frozenset({"TypeError", "AttributeError"})
    message = re.compile(f"{MESSAGE.pattern}|{COUNT.pattern}")
    applicability = Applicability.SAFE
    why = "The parent's methods are those of `super()`; the class `super` has none of them."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        function = find_function(context.source, context.line)
        if function is None or not list_arguments(function) or context.is_bound_anywhere("super"):
            return
        if told := COUNT.search(context.failure.evalue):
            if int(told[3]) == int(told[2]) + 1:
                yield from self._leave_self_out(context, told[1], list_arguments(function)[0].arg)
            return
        for node in context.list_failing_nodes(ast.Attribute, ast.Call):
            used = node.func if isinstance(node, ast.Call) else node
            if isinstance(used, ast.Attribute) and isinstance(used.value, ast.Name) and used.value.id == "super":
                end = context.span(used.value)[1]
                call = node if isinstance(node, ast.Call) else context.call_of(used)
                changes = [(end, end, "()"), *_drop_self(context, call, list_arguments(function)[0].arg)]
                yield self.patch(
                    context.replace_here(*changes),
                    f"Call it: `super().{used.attr}`",
                    "`super` is a class of Python's: the parent is what `super()` gives.",
                    prior=0.95,
                )
                return

    def _leave_self_out(self, context: RuleContext, method: str, own: str) -> Iterator[Patch]:
        for call in context.list_failing_nodes(ast.Call):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == f"super().{method}":
                if changes := _drop_self(context, call, own):
                    yield self.patch(
                        context.replace_here(*changes),
                        f"Leave `{own}` out: `super().{method}` brings it along",
                        f"What `super()` gives hands `{own}` on by itself.",
                        prior=0.95,
                    )
                return


def _drop_self(context: RuleContext, call: ast.Call | None, own: str) -> list[Splice]:
    """``super.__init__(self, name)``: what ``super()`` stands for is no argument any more (a default would take it: `name=self`)."""
    first = call.args[0] if call is not None and call.args else None
    if call is None or not isinstance(first, ast.Name) or first.id != own:
        return []
    rest = [*call.args[1:], *call.keywords]
    return [(context.span(first)[0], context.span(rest[0])[0] if rest else context.span(first)[1], "")]
