"""CAL109: a constructor that does not call the one of its base class."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import list_arguments
from jupyter_selfheal.inside.tree_names import list_names
from jupyter_selfheal.model import Applicability, Patch, Replace

MISSED = re.compile(r"^'(\w+)' object has no attribute '(\w+)'")
ASKED = re.compile(
    r"^cannot assign (?:modules?|parameters?|buffers?) before Module\.__init__\(\) call|^thread\.__init__\(\) (?:not|was not) called|"
    r"forgot to call `super\(\)\.__init__\(\)`"
)
"""What libraries say of an object of theirs whose own constructor did not run: PyTorch, Python's threads, Keras."""


class BaseNotBuilt(Rule):
    """Call the base class's constructor.

    **Failure** `AttributeError: 'Savings' object has no attribute 'balance'`, where `Savings.__init__` does not call the `__init__` of its
    base class in the notebook, which sets `self.balance`; `cannot assign module before Module.__init__() call` and what other libraries say of it.

    **Fix** `super().__init__(owner, balance)` as the first statement, with the parameters that both have.

    **Fix safety** Safe: the attribute is set there and nowhere else, and the subclass takes all that the base class asks for, by the same
    names; or the library's message asks for the call. Silent where one of them is not there, where there are several base classes, and where the
    base class's constructor is called.
    """

    code = "CAL109"
    name = "base class's constructor is not called"
    enames = frozenset({"AttributeError", "RuntimeError"})
    message = re.compile(f"{MISSED.pattern}|{ASKED.pattern}")
    applicability = Applicability.SAFE
    why = "The base class's constructor sets the attribute, and the subclass takes what it asks for."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        told = MISSED.search(context.failure.evalue)
        if told is None:
            yield from self._call_library(context)
            return
        classes = _list_classes(context)
        cell_id, own = classes.get(told[1], ("", None))
        if own is None or len(own.bases) != 1 or not isinstance(own.bases[0], ast.Name):
            return
        name = own.bases[0].id
        base = classes.get(name, ("", None))[1]
        given, wanted = _find_constructor(own), _find_constructor(base) if base is not None else None
        if given is None or wanted is None or told[2] not in _list_set(wanted) or _calls_base(given, name):
            return
        handed = _list_handed(given, wanted)
        if handed is None:
            return
        edits = _insert_call(context, cell_id, given, call := f"super().__init__({', '.join(handed)})")
        if edits:
            yield self.patch(
                edits,
                f"Call `{call}` in `{told[1]}`",
                f"`{told[1]}.__init__` does not call the one of `{name}`, which sets `{told[2]}`.",
                prior=0.95,
            )

    def _call_library(self, context: RuleContext) -> Iterator[Patch]:
        """The constructor of a library's class, which says itself that it did not run and needs nothing."""
        for own in context.walk(ast.ClassDef):
            given = _find_constructor(own)
            if given is None or not given.lineno <= context.line <= (given.end_lineno or 0) or len(own.bases) != 1:
                continue
            base = context.text(own.bases[0])
            signature = context.signature(base)
            if signature is None or not signature.needs_nothing:
                return
            uncalled = _find_uncalled(context, given)
            if uncalled is not None:
                edits = context.replace(context.cell_id, [uncalled])
            elif _calls_base(given, base.rpartition(".")[2]):
                return
            else:
                edits = _insert_call(context, context.cell_id, given, "super().__init__()")
            if edits:
                yield self.patch(
                    edits,
                    f"Call `super().__init__()` in `{own.name}`",
                    f"`{own.name}.__init__` does not call the one of `{base}`, which the message asks for.",
                    why="The library's message asks for the call, which needs no arguments.",
                    prior=0.95,
                )
            return


def _find_uncalled(context: RuleContext, constructor: ast.FunctionDef) -> Splice | None:
    """``super().__init__`` that stands without brackets."""
    for node in constructor.body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Attribute) and node.value.attr == "__init__":
            end = context.span(node.value)[1]
            return end, end, "()"
    return None


def _insert_call(context: RuleContext, cell_id: str, given: ast.FunctionDef, call: str) -> tuple[Replace, ...]:
    """The call as a constructor's first statement; nothing where that stands on the line of its head."""
    source = context.source_of(cell_id)
    first = given.body[1] if ast.get_docstring(given) is not None and given.body[1:] else given.body[0]
    start = src.find_span(source, first)[0]
    indent = source[source.rfind("\n", 0, start) + 1 : start]
    return () if indent.strip() else context.replace(cell_id, [(start, start, f"{call}\n{indent}")])


def _list_classes(context: RuleContext) -> dict[str, tuple[str, ast.ClassDef]]:
    """The notebook's classes down to the failing cell: name → (cell id, definition); the nearest one of a name."""
    found: dict[str, tuple[str, ast.ClassDef]] = {}
    for view in context.look_upwards():
        for node in view.walk(ast.ClassDef):
            found.setdefault(node.name, (view.cell_id, node))
    return found


def _find_constructor(node: ast.ClassDef) -> ast.FunctionDef | None:
    return next((n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None)


def _list_set(constructor: ast.FunctionDef) -> set[str]:
    """Attributes that a constructor sets on the object itself."""
    own = constructor.args.args[0].arg if constructor.args.args else ""
    return {
        n.attr
        for n in ast.walk(constructor)
        if isinstance(n, ast.Attribute)
        and isinstance(n.ctx, ast.Store)
        and isinstance(n.value, ast.Name)
        and n.value.id == own
    }


def _calls_base(constructor: ast.FunctionDef, base: str) -> bool:
    names = list_names(constructor)
    return bool(names & {"super", base})


def _list_handed(given: ast.FunctionDef, wanted: ast.FunctionDef) -> list[str] | None:
    """The arguments that the base class's constructor is called with; None where one that it needs is not there."""
    taken = [a.arg for a in list_arguments(given)][1:]
    a = wanted.args
    if a.posonlyargs or a.vararg or a.kwarg or given.args.vararg or given.args.kwarg:
        return None
    positional, plain = [x.arg for x in a.args][1:], []
    needed = {*positional[: len(positional) - len(a.defaults)]}
    needed |= {x.arg for x, default in zip(a.kwonlyargs, a.kw_defaults, strict=True) if default is None}
    if not needed <= set(taken):
        return None
    in_order = True
    for name in positional:
        if name not in taken:
            in_order = False
        else:
            plain.append(name if in_order else f"{name}={name}")
    return plain + [f"{x.arg}={x.arg}" for x in a.kwonlyargs if x.arg in taken]
