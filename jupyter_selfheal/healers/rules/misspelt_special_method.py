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


OF_PYTHON2 = (
    (re.compile(r"^'(\w+)' object is not an iterator|^iter\(\) returned non-iterator of type '(\w+)'"), "next", "__next__"),
    (re.compile(r"unsupported operand type\(s\) for /: '(\w+)' and "), "__div__", "__truediv__"),
    (re.compile(r"unsupported operand type\(s\) for /: '\w+' and '(\w+)'"), "__rdiv__", "__rtruediv__"),
)  # fmt: skip
"""What is said of a class with a special method of Python 2, the method, and its name since Python 3 (PEP 3114, PEP 238)."""


class MisspeltSpecialMethod(Rule):
    """Write `__init__` with two underscores on each side.

    **Failure** `TypeError: Point() takes no arguments`, where the class defines `_init_`, `__int__` or `init` with arguments; `'Countdown' object is not an
    iterator`, where it defines Python 2's `next`; `unsupported operand type(s) for /`, where it defines `__div__`.

    **Fix** The method is named `__init__`, `__next__`, `__truediv__`.

    **Fix safety** Safe: the class has no `__init__` of its own, is called with as many arguments as the method takes, and nothing calls the
    method by the name it has. Python 3 calls the other two by these names, and the class has none of them.
    """

    code = "NAM106"
    name = "misspelt special method"
    enames = frozenset({"TypeError"})
    message = re.compile("|".join([NO_ARGUMENTS.pattern, *(p.pattern for p, _, _ in OF_PYTHON2)]))
    applicability = Applicability.SAFE
    why = "The class is called with the arguments of this method, and has no other that takes them."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for pattern, old, new in OF_PYTHON2:
            if told := pattern.search(context.failure.evalue):
                yield from self._rename_of_python2(context, next(g for g in told.groups() if g), old, new)
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

    def _rename_of_python2(self, context: RuleContext, name: str, old: str, new: str) -> Iterator[Patch]:
        """The one class of that name, whose method has the name that Python 2 called it by."""
        for view in context.look_upwards():
            owner = next((c for c in view.walk(ast.ClassDef) if c.name == name), None)
            if owner is None:
                continue
            methods = {m.name: m for m in owner.body if isinstance(m, ast.FunctionDef)}
            is_called = any(n.attr == old for n in view.walk(ast.Attribute))
            if old not in methods or new in methods or is_called:
                return
            at = view.span(methods[old])[0]
            at += view.text(methods[old]).index(old, view.text(methods[old]).index("def "))
            yield self.patch(
                view.replace_here((at, at + len(old), new)),
                f"Rename `{old}` to `{new}`",
                f"Python 3 calls `{new}` where Python 2 called `{old}`.",
                why="Python 3 calls the method by this name, and the class has none of it.",
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
