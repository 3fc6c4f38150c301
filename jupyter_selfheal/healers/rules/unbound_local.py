"""NAM103: a function assigns a name and so hides the one outside of it."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.misspelt_definitions import is_odd_one
from jupyter_selfheal.healers.rules.context.nodes import find_assignment, find_function
from jupyter_selfheal.healers.rules.context.spelling import find_nearest, is_plain_slip
from jupyter_selfheal.inside.tree_names import list_bound_names
from jupyter_selfheal.model import Applicability, Edit, Patch

Function = ast.FunctionDef | ast.AsyncFunctionDef


class UnboundLocal(Rule):
    """Let a function change the outer variable that it counts with, or use its own variable's right name.

    **Failure** `UnboundLocalError`: the function assigns the name somewhere, so that Python reads a local variable, which has
    no value yet.

    **Fix** In this order: a name initialised under a near name in the same function is spelt alike; a builtin hidden by the
    assignment (`sum = sum(x)`) leaves its name to the builtin; an enclosing function's variable is declared `nonlocal`; a
    global one is declared `global`.

    **Fix safety** Safe where the function updates the name (`count += 1`), does not return it, and its own cell begins it with 0, 1 or
    something empty, or where a builtin is called. Unsafe for a plain assignment, which may have been meant to stay local, for a name that
    another cell left, and where the function returns the name: a sum of its own may be meant, that begins anew at each call.
    """

    code = "NAM103"
    name = "unbound local variable"
    enames = frozenset({"UnboundLocalError"})
    applicability = Applicability.UNSAFE
    why = "The outer variable has the name, but the assignment may have been meant to stay local."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        name = _read_name(context.failure.evalue)
        cell_id, source, line = context.location
        function = find_function(source, line)
        if not name or function is None:
            return
        live = context.state
        cause = f"`{name}` is assigned in `{function.name}`, so it is local there and has no value yet."
        near = [n for n in find_nearest(name, _list_bound(function) - {name}) if n in live.locals]
        if len(near) == 1 and is_plain_slip(name, near[0]):
            wrong, right = (near[0], name) if is_odd_one(function, name, near[0]) else (name, near[0])
            yield self._build_patch(
                context, cell_id, _rename_in_function(source, function, wrong, right), f"Change `{wrong}` to `{right}`", cause,
                "The function itself initialises it under a name that differs by a slip.", 0.9,
            )  # fmt: skip
        elif hasattr(builtins, name) and _is_called(function, name):
            yield self._build_patch(
                context, cell_id, _rename_in_function(source, function, name, name + "_", calls=False),
                f"Rename the variable `{name}` to `{name}_`", cause, "The call means the builtin.", 0.85,
            )  # fmt: skip
        else:
            word = "nonlocal" if _is_in_enclosing(source, function, name) else "global"
            if word == "global" and name not in live.names:
                return
            counted = _updates_in_place(function, name) and (word == "nonlocal" or _starts_there(source, name))
            counted = counted and not (word == "global" and _returns_name(function, name))
            why = "Only the outer variable holds a value to update." if counted else ""
            yield self._build_patch(
                context, cell_id, [_declare_global(source, function, f"{word} {name}")],
                f"Declare `{word} {name}` in `{function.name}`", cause, why, 0.85 if why else 0.6,
            )  # fmt: skip

    def _build_patch(
        self, context: RuleContext, cell_id: str, changes: list[Splice], title: str, cause: str, why: str, prior: float
    ) -> Patch:
        edits: tuple[Edit, ...] = context.replace(cell_id, changes)
        kind = Applicability.SAFE if why else Applicability.UNSAFE
        return self.patch(edits, title, cause, applicability=kind, why=why, prior=prior)


def _read_name(message: str) -> str:
    match = re.search(r"variable '(\w+)'", message)
    return match[1] if match else ""


def _list_bound(function: Function) -> set[str]:
    stored = list_bound_names(function)
    return stored | {a.arg for a in [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]}


def _rename_in_function(source: str, function: Function, old: str, new: str, calls: bool = True) -> list[Splice]:
    called = {id(n.func) for n in ast.walk(function) if isinstance(n, ast.Call)} if not calls else set()
    return [
        (*src.find_span(source, n), new)
        for n in ast.walk(function)
        if isinstance(n, ast.Name) and n.id == old and id(n) not in called
    ]


def _is_called(function: Function, name: str) -> bool:
    return any(
        isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == name for n in ast.walk(function)
    )


def _updates_in_place(function: Function, name: str) -> bool:
    """True for ``name += …`` or ``name = … name …`` in the function."""
    for node in ast.walk(function):
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
            return True
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node.value))
    return False


def _returns_name(function: Function, name: str) -> bool:
    """True where what the function returns is made of the name."""
    returned = [n.value for n in ast.walk(function) if isinstance(n, ast.Return) and n.value is not None]
    return any(isinstance(n, ast.Name) and n.id == name for value in returned for n in ast.walk(value))


def _starts_there(source: str, name: str) -> bool:
    """True where the function's own cell gives the name a value to begin with: 0, 1, an empty text or collection, None."""
    assignment = find_assignment(source, name)
    if assignment is None:
        return False
    value = assignment.value
    if isinstance(value, ast.Constant):
        return value.value in (0, 1, "", None)
    if isinstance(value, ast.Dict):
        return not value.keys
    return isinstance(value, ast.List) and not value.elts


def _is_in_enclosing(source: str, function: Function, name: str) -> bool:
    tree = src.parse(source)
    for outer in ast.walk(tree) if tree else ():
        if isinstance(outer, Function) and outer is not function and function.name in {
            n.name for n in ast.walk(outer) if isinstance(n, Function) and n is not outer and n.lineno == function.lineno
        }:  # fmt: skip
            inner = {
                id(n) for n in ast.walk(next(n for n in ast.walk(outer) if getattr(n, "lineno", 0) == function.lineno))
            }
            if any(isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.id == name and id(n) not in inner
                   for n in ast.walk(outer)):  # fmt: skip
                return True
    return False


def _declare_global(source: str, function: Function, line: str) -> Splice:
    """The splice that puts a line first into the function's body, after its docstring."""
    first = function.body[0]
    docstring = (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    )
    if docstring and len(function.body) > 1:
        first = function.body[1]
    at = src.find_span(source, first)[0]
    start = source.rfind("\n", 0, at) + 1
    indent = source[start:at]
    return (at, at, f"{line}\n{indent}") if not indent.strip() else (at, at, f"{line}; ")
