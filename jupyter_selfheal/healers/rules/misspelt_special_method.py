"""NAM106: a special method whose name is written wrong."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch

NO_ARGUMENTS = re.compile(r"^(\w+)\(\) takes no arguments")
NEAR = frozenset(
    {
        "_init_",
        "__init_",
        "_init__",
        "init",
        "__init",
        "init__",
        "__int__",
        "__inti__",
        "__initt__",
        "__ini__",
        "_int_",
        "__intit__",
    }
)
"""What is written for ``__init__``: one underscore for two, or a letter lost or changed over."""


class MisspeltSpecialMethod(Rule):
    """Write `__init__` with two underscores on each side.

    **Failure** `TypeError: Point() takes no arguments`, where the class defines `_init_`, `__int__` or `init` with arguments.

    **Fix** The method is named `__init__`.

    **Fix safety** Safe: the class has no `__init__` of its own, is called with as many arguments as the method takes, and nothing calls the
    method by the name it has.
    """

    code = "NAM106"
    name = "misspelt special method"
    enames = frozenset({"TypeError"})
    message = NO_ARGUMENTS
    applicability = Applicability.SAFE
    why = "The class is called with the arguments of this method, and has no other that takes them."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = NO_ARGUMENTS.search(context.failure.evalue)
        name = match[1] if match else ""
        call = next(
            (c for c in context.list_failing_nodes(ast.Call) if context.text(c.func).rpartition(".")[2] == name), None
        )
        for view in context.look_upwards():
            for owner in view.walk(ast.ClassDef):
                if owner.name != name or owner.bases:
                    continue
                methods = [m for m in owner.body if isinstance(m, ast.FunctionDef)]
                near = [m for m in methods if m.name in NEAR]
                is_called = any(n.attr == near[0].name for n in view.walk(ast.Attribute)) if near else True
                if (
                    len(near) != 1
                    or is_called
                    or any(m.name == "__init__" for m in methods)
                    or not _takes_arguments(near[0], call)
                ):
                    return
                text = view.text(near[0])
                at = view.span(near[0])[0] + text.index(near[0].name, text.index("def "))
                yield self.patch(
                    view.replace_here((at, at + len(near[0].name), "__init__")),
                    f"Rename `{near[0].name}` to `__init__`",
                    f"`{name}` has no `__init__`: it is written `{near[0].name}`.",
                    prior=0.95,
                )
                return


def _takes_arguments(method: ast.FunctionDef, call: ast.Call | None) -> bool:
    """True where the method takes the arguments of the call."""
    if call is None or any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        return False
    taken = len(method.args.args) - 1
    given = len(call.args) + len(call.keywords)
    return method.args.vararg is not None or (
        taken - len(method.args.defaults) <= given <= taken + len(method.args.kwonlyargs)
    )
