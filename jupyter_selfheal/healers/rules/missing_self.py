"""NAM104: a method without ``self``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules._edit import Splice
from jupyter_selfheal.healers.rules._names import class_at, function_at
from jupyter_selfheal.healers.rules._rule import Rule, Scene
from jupyter_selfheal.healers.rules._state import is_bound_anywhere, missing_name
from jupyter_selfheal.model import Applicability, Patch

COUNT = re.compile(r"(?:(\w+)\.)?(\w+)\(\) takes (\d+) positional arguments? but (\d+) (?:was|were) given")


class MissingSelf(Rule):
    """Give a method its `self`, or an attribute its `self.`.

    **Failure** `TypeError: C.m() takes 0 positional arguments but 1 was given`, where `m` is a plain method without `self`;
    or `NameError` inside a method for a name that is an attribute or a method of the class.

    **Fix** `self` becomes the first parameter; `total` becomes `self.total` throughout the method.

    **Fix safety** Safe: the class itself has the attribute, no cell binds a variable of that name, and Python always passes
    the object first.
    """

    code = "NAM104"
    name = "missing self"
    enames = frozenset({"NameError", "TypeError"})
    applicability = Applicability.SAFE
    why = "Python passes the object first; the class has what is meant."

    def propose(self, scene: Scene) -> Iterator[Patch]:
        if scene.failure.ename == "TypeError":
            yield from self._parameter(scene)
        elif missing_name(scene) == "self":
            cell_id, source, line = scene.place()
            function = function_at(source, line)
            if function is not None and class_at(source, line) is not None:
                yield self._with_self(scene, cell_id, source, function)
        else:
            yield from self._attribute(scene)

    def _parameter(self, scene: Scene) -> Iterator[Patch]:
        found = COUNT.search(scene.failure.evalue)
        if not found or int(found[4]) != int(found[3]) + 1:
            return
        for cell in (*scene.notebook.code_before(scene.failure.cell_id), scene.notebook.cell(scene.failure.cell_id)):
            source = scene.source_of(cell.id)
            tree = src.parse(source)
            for owner in ast.walk(tree) if tree else ():
                if not isinstance(owner, ast.ClassDef) or (found[1] and owner.name != found[1]):
                    continue
                for method in owner.body:
                    if isinstance(method, ast.FunctionDef) and method.name == found[2] and _lacks_self(method):
                        yield self._with_self(scene, cell.id, source, method)

    def _with_self(
        self, scene: Scene, cell_id: str, source: str, method: ast.FunctionDef | ast.AsyncFunctionDef
    ) -> Patch:
        return self.patch(
            self.replace(scene, cell_id, [_first_parameter(source, method)]),
            f"Give `{method.name}` the parameter `self`",
            f"`{method.name}` is a method, and Python passes it the object.",
            prior=0.95,
        )

    def _attribute(self, scene: Scene) -> Iterator[Patch]:
        name = missing_name(scene)
        cell_id, source, line = scene.place()
        owner, method = class_at(source, line), function_at(source, line)
        if not name or owner is None or method is None or not method.args.args or method.args.args[0].arg != "self":
            return
        if is_bound_anywhere(scene, name) or name not in _members(owner):
            return
        changes: list[Splice] = [
            (*src.span(source, n), f"self.{name}") for n in ast.walk(method) if isinstance(n, ast.Name) and n.id == name
        ]
        yield self.patch(
            self.replace(scene, cell_id, changes),
            f"Write `self.{name}` for `{name}`",
            f"`{name}` is an attribute of `{owner.name}`, not a variable.",
            prior=0.95,
        )


def _lacks_self(method: ast.FunctionDef) -> bool:
    if method.decorator_list:
        return False
    first = method.args.args[0].arg if method.args.args else ""
    return first not in ("self", "cls") and not method.args.vararg


def _first_parameter(source: str, method: ast.FunctionDef | ast.AsyncFunctionDef) -> Splice:
    start = src.offset(source, method.lineno, method.col_offset)
    at = source.index("(", source.index(method.name, start)) + 1
    arguments = method.args
    empty = not (arguments.args or arguments.posonlyargs or arguments.kwonlyargs or arguments.vararg or arguments.kwarg)
    return at, at, "self" if empty else "self, "


def _members(owner: ast.ClassDef) -> set[str]:
    """Methods, class attributes, and what methods assign to ``self``."""
    found = {n.name for n in owner.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)}
    found |= {t.id for n in owner.body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)}
    for node in ast.walk(owner):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and src.root_name(node.value) == "self":
            found.add(node.attr)
    return found
